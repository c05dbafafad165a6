// SPDX-License-Identifier: GPL-2.0-or-later
#include "usage_text.h"

void usage_text(FILE *to)
{
	fputs("Usage: hbsgraph run APPLICATION --graph=GRAPH [OPTION]...\n"
	      "       hbsgraph list\n"
	      "Run an application on a graph, by threads that send each other messages; print "
	      "what\n"
	      "it found, and how long it took. \"list\" lists the applications and the graphs "
	      "that\n"
	      "can be made.\n"
	      "\n"
	      "  -g, --graph=GRAPH      a file (edge list, DIMACS or Matrix Market; - is standard\n"
	      "                         input), or one to be made: grid4:1000x1000, say\n"
	      "      --both-ways        each edge of a file also goes the other way\n"
	      "  -w, --weights=LOW-HIGH of a graph to be made, at random (default: 1-1)\n"
	      "  -s, --seed=N           of what is random in it (default 1)\n"
	      "  -m, --mode=MODE        sync (in steps) or async (default: async if it can be)\n"
	      "  -t, --threads=N        (default: one for each CPU that may be used)\n"
	      "  -f, --source=VERTEX    where paths begin, or what is hot (default 0)\n"
	      "  -n, --iterations=N     steps at most, in mode sync\n"
	      "  -e, --tolerance=X      page rank: what may be missing of a rank, as a part of "
	      "the\n"
	      "                         mean rank (default: async 0.001, sync 0)\n"
	      "  -o, --output=FILE      write a line for each vertex: its number, what was found\n"
	      "  -b, --backend=NAME     card, software or any (default any: a card if there is "
	      "one)\n"
	      "  -d, --device=PATH      the card (default: the first /dev/hbsN that opens)\n"
	      "      --slot=BYTES       of the queues between threads (default 4096)\n"
	      "      --depth=N          slots of a queue (default 32)\n"
	      "  -h, --help             print this\n"
	      "\n"
	      "Exit status: 0 all went well, 2 something went wrong.\n",
	      to);
}
