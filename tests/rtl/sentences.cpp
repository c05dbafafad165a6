/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sentences.h"

#include <cstdio>
#include <map>
#include <string>

namespace hbs
{
namespace
{
std::map<std::string, bool> &all()
{
	static std::map<std::string, bool> sentences;

	return sentences;
}
} // namespace

bool &sentence(const char *name)
{
	return all()[name];
}

/* For the script "sentences", which says how many of the page's they are */
void print_sentences()
{
	printf("# sentences:");
	for (const auto &sentence : all())
		printf(" %s", sentence.first.c_str());
	printf("\n");
}
} // namespace hbs
