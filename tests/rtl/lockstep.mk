# SPDX-License-Identifier: GPL-2.0-or-later
# The card in lockstep with a model of the page, for several cards

# NAME := ports groups records features tags reads wide
CARD_one := 1 1 1 3f0f 2 2 0
CARD_few := 3 2 4 3f0f 4 2 1
CARD_small := 8 4 16 3f0f 8 4 0
CARD_typical := 64 16 16 3f0f 32 8 0
CARD_odd := 70 5 16 3f0f 2 64 1
CARD_lacks := 8 4 8 190f 8 4 0
CARD_plain := 20 3 16 000f 2 2 0
CARD_large := 1024 128 16 3f0f 256 64 0
LOCKSTEP_CARDS := one few small typical odd lacks plain large
# those of the short form
LOCKSTEP_SHORT := one few small typical odd lacks
# Accesses of the short form, and of the long one with each of ten seeds: 10^7 in all
SHORT_one := 40000
SHORT_few := 100000
SHORT_small := 200000
SHORT_typical := 100000
SHORT_odd := 60000
SHORT_lacks := 60000
LONG_one := 50000
LONG_few := 150000
LONG_small := 300000
LONG_typical := 250000
LONG_odd := 100000
LONG_lacks := 100000
LONG_plain := 30000
LONG_large := 20000
SEED ?= 1

# All but card.cpp are the same for all cards.
LOCKSTEP_SHARED := lockstep bench cases due host model sentences stimulus
LOCKSTEP_RUNTIME := verilated verilated_cov verilated_threads
LOCKSTEP_RTL := $(REGMAP)/hbs_regs_pkg.sv $(RTL)/hbs_pkg.sv \
	$(filter-out $(RTL)/hbs_pkg.sv,$(wildcard $(RTL)/*.sv))
LOCKSTEP := $(O)/lockstep
VERILATOR_INCLUDE := $(shell $(VERILATOR) --getenv VERILATOR_ROOT)/include
LOCKSTEP_CXX := $(CXX) -std=c++17 $(CXXFLAGS) -Wall -Wextra -Werror -MMD -MP -I$(SRC) -I$(REGMAP) -I$(TOP)/tools/latency \
	-isystem $(VERILATOR_INCLUDE) -isystem $(VERILATOR_INCLUDE)/vltstd
LOCKSTEP_OBJECTS := $(LOCKSTEP_SHARED:%=$(LOCKSTEP)/%.o) \
	$(LOCKSTEP_RUNTIME:%=$(LOCKSTEP)/runtime/%.o)

ALL += $(LOCKSTEP_SHORT:%=$(LOCKSTEP)/%/lockstep)
ALL_LONG += $(LOCKSTEP_CARDS:%=$(LOCKSTEP)/%/lockstep) $(LOCKSTEP)/coverage/lockstep
CHECKS += $(LOCKSTEP_SHORT:%=run-lockstep-%) run-lockstep-measure run-lockstep-sentences
LONGS += $(LOCKSTEP_CARDS:%=run-lockstep-long-%) run-lockstep-long-measure \
	run-lockstep-sentences run-lockstep-coverage
.PHONY: $(CHECKS) $(LONGS)

define lockstep_card
run-lockstep-$(1):
	@$(LOCKSTEP)/$(1)/lockstep --seed $(SEED) --accesses $(SHORT_$(1))

run-lockstep-long-$(1):
	@for i in 0 1 2 3 4 5 6 7 8 9; do \
		$(LOCKSTEP)/$(1)/lockstep --seed $$$$(($(SEED) + i)) --accesses $(LONG_$(1)); \
	done | grep -v '^# sentences:'
endef
$(foreach card,$(LOCKSTEP_CARDS),$(eval $(call lockstep_card,$(card))))

run-lockstep-measure:
	@$(LOCKSTEP)/typical/lockstep --measure

run-lockstep-long-measure:
	@$(LOCKSTEP)/large/lockstep --measure

run-lockstep-sentences:
	@$(SRC)sentences $(LOCKSTEP)/small/lockstep $(LOCKSTEP)/lacks/lockstep

run-lockstep-coverage:
	@$(SRC)coverage $(LOCKSTEP)/coverage/lockstep 4 300000

ifdef ALONE
$(LOCKSTEP)/%.o: $(SRC)%.cpp $(SRC)lockstep.mk
	@mkdir -p $(@D)
	@$(LOCKSTEP_CXX) -MT $@ -c -o $@ $<

$(LOCKSTEP)/runtime/%.o: $(VERILATOR_INCLUDE)/%.cpp
	@mkdir -p $(@D)
	@$(CXX) -std=c++17 -O2 -w -DVERILATOR=1 -I$(VERILATOR_INCLUDE) \
		-I$(VERILATOR_INCLUDE)/vltstd -c -o $@ $<

# $(1) folder of the build, $(2) parameters, $(3) options of Verilator
define lockstep_build
$(LOCKSTEP)/$(1)/Vcard.mk: $(LOCKSTEP_RTL) $(SRC)lockstep.vlt $(SRC)lockstep.mk
	@mkdir -p $$(@D)
	@$(VERILATOR) --cc --prefix Vcard --Mdir $$(@D) --top-module hbs_card -O3 $(3) \
		--x-initial unique --x-assign unique -Wno-fatal -Wno-lint -Wno-style \
		-GPorts=$(word 1,$(2)) -GGroups=$(word 2,$(2)) -GRecords=$(word 3,$(2)) \
		"-GFeatures=64'h$(word 4,$(2))" -GTags=$(word 5,$(2)) -GReads=$(word 6,$(2)) \
		-GWide=$(word 7,$(2)) $(SRC)lockstep.vlt $(LOCKSTEP_RTL)

$(LOCKSTEP)/$(1)/card.o: $(SRC)card.cpp $(LOCKSTEP)/$(1)/Vcard.mk
	+@$(MAKE) -s -C $$(@D) -f Vcard.mk OPT_FAST=-O2 OPT_SLOW=-O0 Vcard__ALL.a >/dev/null
	@$(LOCKSTEP_CXX) -isystem $$(@D) -DPORTS=$(word 1,$(2)) -DGROUPS=$(word 2,$(2)) \
		-DRECORDS=$(word 3,$(2)) -DCARD_FEATURES=0x$(word 4,$(2))ULL -DTAGS=$(word 5,$(2)) \
		-DREADS=$(word 6,$(2)) -DWIDE=$(word 7,$(2)) -MT $$@ -c -o $$@ $$<

$(LOCKSTEP)/$(1)/lockstep: $(LOCKSTEP)/$(1)/card.o $(LOCKSTEP_OBJECTS)
	@$(CXX) -o $$@ $$^ $$(@D)/Vcard__ALL.a -pthread
endef
$(foreach card,$(LOCKSTEP_CARDS),$(eval $(call lockstep_build,$(card),$(CARD_$(card)),)))
$(eval $(call lockstep_build,coverage,$(CARD_typical),--coverage-line --coverage-toggle))

-include $(wildcard $(LOCKSTEP)/*.d $(LOCKSTEP)/*/*.d)
endif
