// SPDX-License-Identifier: GPL-2.0-only
/* The code of the tracepoints, which define_trace.h makes from their declarations. */
#define CREATE_TRACE_POINTS
#include "trace.h"
