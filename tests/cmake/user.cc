// SPDX-License-Identifier: GPL-2.0-or-later
#include <hbs.hpp>

#include <cstdio>

int main()
{
	libhbs::barrier sync(1);

	sync.arrive_and_wait();
	std::puts(hbs_version());
}
