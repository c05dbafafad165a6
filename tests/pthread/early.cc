// SPDX-License-Identifier: GPL-2.0-or-later
/* A C++ program whose static constructors use a barrier, before main() */
#include <pthread.h>

static void *wait_there(void *barrier)
{
	pthread_barrier_wait(static_cast<pthread_barrier_t *>(barrier));
	return nullptr;
}

class early {
public:
	bool ok;

	early() : ok(false)
	{
		pthread_barrier_t barrier;
		pthread_t thread;

		if (pthread_barrier_init(&barrier, nullptr, 2) ||
		    pthread_create(&thread, nullptr, wait_there, &barrier))
			return;
		pthread_barrier_wait(&barrier);
		pthread_join(thread, nullptr);
		ok = !pthread_barrier_destroy(&barrier);
	}
};

static early constructed;

int main()
{
	return !constructed.ok;
}
