# SPDX-License-Identifier: GPL-2.0-or-later
# A bench for each module that is worth one by itself, against a model of what the module's head
# says. modules/NAME.cpp is that of hbs_NAME.

MODULES := $(O)/modules

# variant-NAME-VARIANT := parameters of hbs_NAME, in capital letters constants of the bench
variant-address_ram := Depth=48
variant-answer := Records=9
variant-board_us_rx-256 := DataWidth=256
variant-board_us_rx-512 := DataWidth=512
variant-board_us_rx-64 := DataWidth=64
variant-board_us_tx-256 := DataWidth=256 SeqWidth=6 SeqCount=2
variant-board_us_tx-512 := DataWidth=512 SeqWidth=6 SeqCount=4
variant-board_us_tx-64 := DataWidth=64 SeqWidth=5 SeqCount=1
variant-clock-1300 := PeriodPs=769 Divisor=1
variant-clock-250 := PeriodPs=4000 Divisor=1
variant-clock-300 := PeriodPs=10000 Divisor=3
variant-core-few := Ports=3 Groups=2 Records=4
variant-core-large := Ports=1024 Groups=128 Records=16
variant-core-odd := Ports=70 Groups=5 Records=6
variant-counter_bank-few := Depth=4
variant-counter_bank-more := Depth=100
variant-counters-few := Groups=3
variant-counters-most := Groups=128
variant-decode-all := Records=16
variant-decode-some := Records=5
variant-egress-few := Ports=3 Groups=2 Records=2 Reads=2 Wide=0
variant-egress-many := Ports=1024 Groups=128 Records=16 Reads=32 Wide=0
variant-egress-odd := Ports=70 Groups=5 Records=6 Reads=64 Wide=1
variant-egress-one := Ports=1 Groups=1 Records=1 Reads=4 Wide=1
variant-fifo-eight := Width=9 Depth=8
variant-fifo-two := Width=70 Depth=2
variant-flags-few := Width=6 Groups=3
variant-flags-most := Width=6 Groups=128
variant-interrupts-few := Groups=3
variant-interrupts-most := Groups=128
variant-members-all := Width=64
variant-members-odd := Width=13
variant-msix :=
variant-poll-few := Ports=3 Groups=2
variant-poll-large := Ports=1024 Groups=128
variant-poll-odd := Ports=70 Groups=5
variant-ram-one := Width=20 Depth=1
variant-ram-wide := Width=346 Depth=5
variant-reads-large := Ports=1024 Groups=128 Tags=256
variant-reads-odd := Ports=70 Groups=5 Tags=8
variant-reads-two := Ports=3 Groups=2 Tags=2
variant-records-few := Ports=3 Groups=2 Records=2 Wide=0
variant-records-many := Ports=1024 Groups=128 Records=16 Wide=0
variant-records-odd := Ports=70 Groups=5 Records=6 Wide=1
variant-records-one := Ports=1 Groups=1 Records=1 Wide=1
variant-reduce :=
variant-sequence-most := Ports=1024 Groups=128
variant-sequence-odd := Ports=70 Groups=5
variant-sequence-one := Ports=1 Groups=1
variant-step :=
variant-table-large := Width=33 Depth=128
variant-table-small := Width=6 Depth=5
variant-termination :=
variant-timers-five := Groups=5
variant-timers-large := Groups=128
variant-timers-one := Groups=1
variant-tlp_cpl :=
variant-tlp_reads-eight := Reads=8 LaneBits=26
variant-tlp_reads-two := Reads=2 LaneBits=14
variant-tlp_rx :=
variant-tlp_tags-few := Tags=64 LinkTags=32 TimeoutNs=8000
variant-tlp_tags-more := Tags=128 LinkTags=64 TimeoutNs=9000
variant-tlp_tx-eight := Reads=8
variant-word :=
MODULE_VARIANTS := $(subst variant-,,$(filter variant-%,$(.VARIABLES)))

# objects-NAME := what the bench of hbs_NAME links besides; the lockstep bench has a model of the page
objects-core := $(MODULES)/core_world.o \
	$(addprefix $(LOCKSTEP)/,model.o due.o host.o stimulus.o sentences.o)
objects-reduce := $(addprefix $(LOCKSTEP)/,model.o due.o sentences.o)
objects-step := $(objects-reduce)

# The short form makes so many cycles, the long one a hundred times as many.
MODULE_CYCLES ?= 100000

MODULE_RUNTIME := $(LOCKSTEP)/runtime/verilated.o $(LOCKSTEP)/runtime/verilated_threads.o
MODULE_CXX := $(CXX) -std=c++17 $(CXXFLAGS) -Wall -Wextra -Werror -MMD -MP -I$(SRC) \
	-I$(SRC)modules -I$(MODULES) -I$(REGMAP) -isystem $(VERILATOR_INCLUDE) \
	-isystem $(VERILATOR_INCLUDE)/vltstd
MODULE_PACKAGES := $(REGMAP)/hbs_regs_pkg.sv $(RTL)/hbs_pkg.sv $(RTL)/hbs_link_pkg.sv

ALL += $(MODULE_VARIANTS:%=$(MODULES)/%/bench)
CHECKS += $(MODULE_VARIANTS:%=run-module-%) run-module-each
LONGS += $(MODULE_VARIANTS:%=run-module-long-%)
.PHONY: run-module-each $(MODULE_VARIANTS:%=run-module-%) $(MODULE_VARIANTS:%=run-module-long-%)

$(MODULE_VARIANTS:%=run-module-%): run-module-%:
	@$(MODULES)/$*/bench $(MODULE_CYCLES)

$(MODULE_VARIANTS:%=run-module-long-%): run-module-long-%:
	@$(MODULES)/$*/bench $(MODULE_CYCLES)00

run-module-each:
	@$(SRC)modules/each

ifdef ALONE
# what the packages declare, as C++ sees it
$(MODULES)/packages.h: $(MODULE_PACKAGES) $(SRC)modules/types
	@mkdir -p $(@D)
	@$(VERILATOR) --xml-only -Wno-fatal -Wno-lint --Mdir $(@D)/types --prefix Vpackage \
		--top-module hbs_tlp_card $(MODULE_PACKAGES) -y $(RTL) $(RTL)/hbs_tlp_card.sv
	@$(SRC)modules/types $(@D)/types/Vpackage.xml >$@.new
	@mv $@.new $@

$(MODULES)/%.o: $(SRC)modules/%.cpp $(MODULES)/packages.h
	@$(MODULE_CXX) -MT $@ -MF $@.d -c -o $@ $<

# $(1) variant, $(2) module, $(3) parameters
define module_build
$(MODULES)/$(1)/Vtop.mk: $(RTL)/hbs_$(2).sv $(MODULE_PACKAGES) $(SRC)modules.mk
	@mkdir -p $$(@D)
	@$(VERILATOR) --cc --prefix Vtop --Mdir $$(@D) --top-module hbs_$(2) -O3 --assert --MMD \
		--x-initial unique --x-assign unique -Wno-fatal -Wno-lint -Wno-style \
		$(addprefix -G,$(3)) $(MODULE_PACKAGES) -y $(RTL) $(RTL)/hbs_$(2).sv

$(MODULES)/$(1)/bench: $(SRC)modules/$(2).cpp $(MODULES)/$(1)/Vtop.mk $(MODULES)/packages.h \
		$(SRC)modules/module.h $(SRC)results.h $(MODULE_RUNTIME) $(objects-$(2))
	+@$(MAKE) -s -C $$(@D) -f Vtop.mk OPT_FAST=-O1 OPT_SLOW=-O0 Vtop__ALL.a >/dev/null
	@$(MODULE_CXX) $(shell printf '%s' '$(addprefix -D,$(3))' | tr a-z A-Z) -isystem $$(@D) \
		-MT $$@ -MF $$@.d -o $$@ $$< $(objects-$(2)) $(MODULE_RUNTIME) \
		$$(@D)/Vtop__ALL.a -pthread
endef
$(foreach variant,$(MODULE_VARIANTS),$(eval $(call module_build,$(variant),$(firstword \
	$(subst -, ,$(variant))),$(variant-$(variant)))))

-include $(wildcard $(MODULES)/*.d $(MODULES)/*/*.d)
endif
