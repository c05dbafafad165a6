// SPDX-License-Identifier: GPL-2.0-or-later
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "people.h"
#include "text.h"

/* The same few users own everything, and their names may come from far away */
#define REMEMBERED 16

const char *people_name(uint32_t uid, char name[PEOPLE_SIZE])
{
	static struct {
		bool known;
		uint32_t uid;
		char name[PEOPLE_SIZE];
	} people[REMEMBERED];
	size_t place = uid % REMEMBERED;
	const struct passwd *user;

	if (!people[place].known || people[place].uid != uid) {
		user = getpwuid(uid);
		people[place].known = true;
		people[place].uid = uid;
		if (user)
			text_escape(people[place].name, PEOPLE_SIZE, user->pw_name);
		else
			snprintf(people[place].name, PEOPLE_SIZE, "%u", uid);
	}
	memcpy(name, people[place].name, PEOPLE_SIZE);
	return name;
}
