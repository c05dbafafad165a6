// SPDX-License-Identifier: GPL-2.0-or-later
/* What a rank sends over MPI in one step, spoilt as PLANTED says: wrong, short, lost or twice */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The message of this rank that is spoilt */
#define SPOILT 30

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
	       MPI_Request *request)
{
	static uint64_t spoilt[64];
	static int sent;
	const char *planted = getenv("PLANTED");
	MPI_Request first;

	if (!planted || sent++ != SPOILT)
		return PMPI_Issend(data, count, type, to, tag, ranks, request);
	memcpy(spoilt, data, (size_t)count);
	if (!strcmp(planted, "lost")) {
		*request = MPI_REQUEST_NULL;
		return MPI_SUCCESS;
	}
	if (!strcmp(planted, "wrong"))
		spoilt[count / (int)sizeof(*spoilt) - 1]++;
	if (!strcmp(planted, "short"))
		count -= (int)sizeof(*spoilt);
	if (!strcmp(planted, "twice"))
		PMPI_Issend(spoilt, count, type, to, tag, ranks, &first);
	return PMPI_Issend(spoilt, count, type, to, tag, ranks, request);
}
