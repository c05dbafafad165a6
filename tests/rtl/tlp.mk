# SPDX-License-Identifier: GPL-2.0-or-later
# The front end for PCI Express between models of the root complex and of the card, for several
# sizes, and behind models of the open core's adapter.

# NAME := bench top module, parameters, definitions for the bench
TLP_front := tlp_front hbs_tlp_front
TLP_front-options := -GTimeoutNs=64\'d20000
TLP_front-small := tlp_front hbs_tlp_front
TLP_front-small-options := -GTimeoutNs=64\'d20000 -GReads=2 -GTags=4 -GLinkTags=32
TLP_front-small-defines := -DREADS=2 -DTAGS=4 -DLINK_TAGS=32
TLP_front-large := tlp_front hbs_tlp_front
TLP_front-large-options := -GTimeoutNs=64\'d80000 -GReads=64 -GTags=256 -GLinkTags=256
TLP_front-large-defines := -DREADS=64 -DTAGS=256 -DLINK_TAGS=256 -DTIMEOUT_NS=80000
TLP_board-64 := tlp_front tlp_board_top
TLP_board-64-options := -GDataWidth=64
TLP_board-64-defines := -DBOARD=2
TLP_board-256 := tlp_front tlp_board_top
TLP_board-256-options := -GDataWidth=256
TLP_board-256-defines := -DBOARD=8
TLP_board-512 := tlp_front tlp_board_top
TLP_board-512-options := -GDataWidth=512
TLP_board-512-defines := -DBOARD=16
# The same of what yosys makes of it, in which a mistake of yosys shows
TLP_NETLIST := front-netlist
# packets of each kind in the long form, where not 50,000: these take many cycles for one
TLP_LONG_front-small := 20000
TLP_LONG_front-netlist := 5000
TLP_LONG_board-64 := 10000
TLP_LONG_board-256 := 10000
TLP_LONG_board-512 := 10000
TLP_SHORT := front front-small board-256 $(TLP_NETLIST)
TLP_BENCHES := $(TLP_SHORT) front-large board-64 board-512

TLP := $(O)/tlp
# the board with the card in it
TLP_CARD_RTL := $(REGMAP)/hbs_regs_pkg.sv $(RTL)/hbs_link_pkg.sv $(RTL)/hbs_pkg.sv \
	$(filter-out %_pkg.sv,$(wildcard $(RTL)/*.sv))
TLP_RTL := $(addprefix $(RTL)/,hbs_link_pkg.sv hbs_pkg.sv hbs_ram.sv hbs_fifo.sv hbs_clock.sv \
	hbs_msix.sv hbs_tlp_rx.sv hbs_tlp_reads.sv hbs_tlp_cpl.sv hbs_tlp_tags.sv hbs_tlp_tx.sv \
	hbs_tlp_front.sv hbs_board_us_rx.sv hbs_board_us_tx.sv) $(SRC)tlp_board_top.sv

YOSYS ?= yosys

ALL += $(TLP_SHORT:%=$(TLP)/%/bench) $(TLP)/card/bench
ALL_LONG += $(TLP_BENCHES:%=$(TLP)/%/bench)
CHECKS += $(TLP_SHORT:%=run-tlp-%) run-tlp-card
LONGS += $(TLP_BENCHES:%=run-tlp-long-%)
.PHONY: $(TLP_BENCHES:%=run-tlp-%) $(TLP_BENCHES:%=run-tlp-long-%) run-tlp-card

$(TLP_BENCHES:%=run-tlp-%): run-tlp-%:
	@$(TLP)/$*/bench 500

$(TLP_BENCHES:%=run-tlp-long-%): run-tlp-long-%:
	@$(TLP)/$*/bench $(or $(TLP_LONG_$*),50000)

run-tlp-card:
	@$(TLP)/card/bench
	@$(SRC)tlp_diagram $(TLP)/card/bench

ifdef ALONE
$(TLP)/card/bench: $(TLP_CARD_RTL) $(addprefix $(SRC),tlp_card.cpp tlp_card.vlt tlp.h results.h tlp.mk)
	@mkdir -p $(@D)
	@$(VERILATOR) --cc --exe --build --prefix Vcard --Mdir $(@D) --top-module hbs_board_us -O3 \
		--assert -Wno-fatal -Wno-lint -Wno-style --x-initial unique --x-assign unique \
		-GPorts=8 -GGroups=4 -GDataWidth=64 -CFLAGS \
		"-std=c++17 $(CXXFLAGS) -Wall -Wextra -Wno-unused-parameter -I$(SRC) -I$(REGMAP)" \
		$(SRC)tlp_card.vlt $(TLP_CARD_RTL) $(SRC)tlp_card.cpp -o bench >$@.log 2>&1 || \
		{ cat $@.log; exit 1; }

$(TLP)/front-netlist/front.v: $(TLP_RTL) $(SRC)tlp.mk
	@mkdir -p $(@D)
	@$(YOSYS) -q -p "read_verilog -sv $(filter-out %/tlp_board_top.sv,$(TLP_RTL)); \
		hierarchy -top hbs_tlp_front -chparam TimeoutNs 64'd20000; proc; opt; \
		memory -nomap; opt; rename -top hbs_tlp_front; write_verilog -noattr $@"

# $(1) name, $(2) bench and top module, $(3) options, $(4) definitions, $(5) RTL
define tlp_build
$(TLP)/$(1)/bench: $(5) $(addprefix $(SRC),$(word 1,$(2)).cpp tlp.h results.h tlp_board.h tlp.mk)
	@mkdir -p $$(@D)
	@$(VERILATOR) --cc --exe --build --prefix V$(subst tlp_,,$(word 1,$(2))) \
		--Mdir $$(@D) --top-module $(word 2,$(2)) -O3 --assert -Wno-fatal -Wno-lint -Wno-style \
		--x-initial unique --x-assign unique $(3) \
		-CFLAGS "-std=c++17 $(CXXFLAGS) -Wall -Wextra -Wno-unused-parameter $(4) -I$(SRC)" \
		$(5) $(SRC)$(word 1,$(2)).cpp -o bench >$$@.log 2>&1 || { cat $$@.log; exit 1; }
endef
$(foreach bench,$(filter-out $(TLP_NETLIST),$(TLP_BENCHES)),$(eval \
	$(call tlp_build,$(bench),$(TLP_$(bench)),$(TLP_$(bench)-options),$(TLP_$(bench)-defines),$(TLP_RTL))))
$(eval $(call tlp_build,$(TLP_NETLIST),tlp_front hbs_tlp_front,,,$(TLP)/front-netlist/front.v))
endif
