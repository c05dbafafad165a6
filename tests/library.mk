# SPDX-License-Identifier: GPL-2.0-or-later
# The library as the suites link with it: plain, and under the sanitizers. Each of these takes
# seconds to build, so they are built once for all suites: a Makefile includes this after
# tools/one-at-a-time.mk, and its programs depend on library-VARIANT and link with
# $(LIB_VARIANT)/libhbs.a. LIBRARIES= where they are built
HBS_SRC := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)
LIBRARIES ?= $(or $(HBS_BUILD),$(HBS_SRC)/build)

LIB_plain := $(LIBRARIES)/lib
LIB_address := $(LIBRARIES)/lib-address
LIB_thread := $(LIBRARIES)/lib-thread

SANITIZE_plain :=
SANITIZE_address := -fsanitize=address,undefined -fno-sanitize-recover=all
SANITIZE_thread := -fsanitize=thread

.PHONY: library-plain library-address library-thread
library-plain library-address library-thread: library-%:
	@$(MAKE) -s -C $(HBS_SRC)/lib O=$(LIB_$*) SANITIZE="$(SANITIZE_$*)" all
