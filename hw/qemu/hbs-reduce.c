/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: reductions of the operands of an epoch.
 */
#include "qemu/osdep.h"
#include "hbs.h"

/* The result of a vote */
#define VOTE_ALL            0x1ULL
#define VOTE_ANY            0x2ULL

/* The value that an epoch without operands would reduce to. */
uint64_t hbs_reduce_identity(unsigned reduction)
{
    switch (reduction) {
    case HBSR_REDUCE_AND:
    case HBSR_REDUCE_MIN:
        return UINT64_MAX;
    case HBSR_REDUCE_SMIN:
        return INT64_MAX;
    case HBSR_REDUCE_SMAX:
        return INT64_MIN;
    case HBSR_REDUCE_VOTE:
        return VOTE_ALL;
    default:
        return 0;
    }
}

static uint64_t vote(uint64_t sum, bool operand)
{
    return operand ? sum | VOTE_ANY : sum & ~VOTE_ALL;
}

uint64_t hbs_reduce(unsigned reduction, uint64_t sum, uint64_t operand)
{
    switch (reduction) {
    case HBSR_REDUCE_AND:
        return sum & operand;
    case HBSR_REDUCE_OR:
        return sum | operand;
    case HBSR_REDUCE_XOR:
        return sum ^ operand;
    case HBSR_REDUCE_SUM:
        return sum + operand;
    case HBSR_REDUCE_MIN:
        return MIN(sum, operand);
    case HBSR_REDUCE_MAX:
        return MAX(sum, operand);
    case HBSR_REDUCE_SMIN:
        return MIN((int64_t)sum, (int64_t)operand);
    case HBSR_REDUCE_SMAX:
        return MAX((int64_t)sum, (int64_t)operand);
    case HBSR_REDUCE_VOTE:
        return vote(sum, operand);
    default:
        return 0;
    }
}

/* Whether operands can reduce to this value. */
bool hbs_reduce_possible(unsigned reduction, uint64_t sum)
{
    switch (reduction) {
    case HBSR_REDUCE_NONE:
        return !sum;
    case HBSR_REDUCE_VOTE:
        return !(sum & ~(VOTE_ALL | VOTE_ANY));
    default:
        return true;
    }
}
