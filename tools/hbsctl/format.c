// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "format.h"

/* Three digits that count */
static int digits_after_point(double value)
{
	if (value < 9.995)
		return 2;
	return value < 99.95 ? 1 : 0;
}

const char *format_ns(uint64_t ns, char text[FORMAT_SIZE])
{
	static const char *const units[] = { "us", "ms", "s" };
	double value = (double)ns / 1000;
	int unit = 0;

	if (!ns)
		return "-";
	if (ns < 1000) {
		snprintf(text, FORMAT_SIZE, "%" PRIu64 " ns", ns);
		return text;
	}
	while (value >= 999.5 && unit < 2) {
		value /= 1000;
		unit++;
	}
	snprintf(text, FORMAT_SIZE, "%.*f %s", digits_after_point(value), value, units[unit]);
	return text;
}

const char *format_rate(double rate, char text[FORMAT_SIZE])
{
	if (rate <= 0)
		return "0";
	if (rate < 99999.5) {
		snprintf(text, FORMAT_SIZE, "%.*f", digits_after_point(rate), rate);
		return text;
	}
	rate /= 1e6;
	snprintf(text, FORMAT_SIZE, "%.*fM", digits_after_point(rate), rate);
	return text;
}

const char *format_time(const struct timespec *time, char text[FORMAT_SIZE])
{
	struct tm local;
	unsigned int microseconds = (unsigned int)(time->tv_nsec / 1000) % 1000000;
	char date[24], zone[8];

	if (!localtime_r(&time->tv_sec, &local) ||
	    !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &local) ||
	    !strftime(zone, sizeof(zone), "%z", &local))
		return "-";
	/* +hhmm, where ISO 8601 wants +hh:mm beside a time with colons */
	snprintf(text, FORMAT_SIZE, "%s.%06u%.3s:%.2s", date, microseconds, zone, zone + 3);
	return text;
}
