# SPDX-License-Identifier: GPL-2.0-or-later
# Two makes that build into one folder at once read files that the other has half
# written. A Makefile that builds into O includes this, and has the rules that build
# between "ifdef ALONE" and "endif": the first make takes the lock of O and calls itself,
# for the rules; the second waits. The Makefile sets before:
#	UNLOCKED  goals that build nothing by themselves, as check does
#	FIRST     the goals that these need ("all" if not set)

override O := $(abspath $(O))
# a make below this one may build into the same folder
ALONE := $(filter $(O),$(HBS_LOCKED))
ifndef ALONE
BUILT := $(or $(filter-out $(UNLOCKED),$(MAKECMDGOALS)),$(FIRST),all)

.PHONY: alone $(BUILT) $(UNLOCKED)
.DEFAULT_GOAL := all
$(BUILT): alone
	@:

alone:
	+@mkdir -p $(dir $(O))
	@HBS_LOCKED='$(HBS_LOCKED) $(O)' flock $(O).lock $(MAKE) --no-print-directory \
		-f $(abspath $(firstword $(MAKEFILE_LIST))) $(BUILT)
endif
