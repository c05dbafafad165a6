/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef THROWS_H
#define THROWS_H

#include <hbs.hpp>

#include <system_error>

/* Whether a call throws this errno */
template <class F> bool throws(std::errc wanted, F function)
{
	try {
		function();
	} catch (const libhbs::error &error) {
		return error.code() == wanted && error.value() == -static_cast<int>(wanted);
	}
	return false;
}

#endif /* THROWS_H */
