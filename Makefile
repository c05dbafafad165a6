# SPDX-License-Identifier: GPL-2.0-or-later
# "make help" lists what there is. Everything built goes below build/, or where HBS_BUILD says.

ifneq ($(words $(CURDIR)),1)
$(error make splits names at blanks: move the checkout out of "$(CURDIR)")
endif

build := $(abspath $(or $(HBS_BUILD),build))
# the scripts ask for it too; a relative one is one place for all of them
export HBS_BUILD := $(build)
KERNEL ?= 6.1
QEMU ?= debian
BOOT ?=
HEAT ?=
BENCH ?=
STEPS ?=
SYNTH ?=
PAPERS ?=

.DEFAULT_GOAL := all
MAKEFLAGS += --no-print-directory

help: ## list the targets
	@echo "make TARGET, with these targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1	\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16
	@echo "variables: KERNEL=6.1|6.12 (module)  QEMU=debian|backports (device)"
	@echo "           BOOT='options of tools/vm/boot' (vm, demo)  HEAT='options of heat' (demo)"
	@echo "           BENCH='options of hbsbench'  STEPS='options of stepbench' (bench)"
	@echo "           PAPERS='options of graphpapers' (graph-papers)"
	@echo "           SYNTH='options of tools/synth/synth' (synth, rtl)"
	@echo "           prefix= libdir= ... DESTDIR= (install, uninstall): absolute paths"
	@echo "           HBS_BUILD= (all): the folder to build in, instead of build/"

setup: ## install the Debian packages that are missing
	@tools/setup/install-packages

setup-bench: ## install the peers of benchmarks as well (Open MPI, igraph, Boost Graph, GraphBLAS)
	@tools/setup/install-packages bench

setup-deb: ## install what building and checking Debian packages needs
	@tools/setup/install-packages deb

all: lib module device heat hbsctl hbsgraph ## build the library, the module, the virtual card, the heat solver, hbsctl and hbsgraph

module: setup ## build hbs.ko for KERNEL
	@tools/vm/build-module $(KERNEL)

lib: setup ## build libhbs
	@$(MAKE) -s -C lib O=$(build)/lib all

heat: lib ## build the heat solver
	@$(MAKE) -s -C tools/heat O=$(build)/tools LIB=$(build)/lib all

hbsctl: lib ## build hbsctl, which shows and manages cards
	@$(MAKE) -s -C tools/hbsctl O=$(build)/tools LIB=$(build)/lib all

hbsgraph: lib ## build hbsgraph, which runs applications on graphs
	@$(MAKE) -s -C tools/hbsgraph O=$(build)/tools LIB=$(build)/lib all

graph-papers: hbsgraph ## do the papers' experiments on graphs here: tables and plots in build/graphpapers
	@tools/graphpapers/graphpapers $(PAPERS)

tdsim: setup ## build the simulation of termination detection
	@$(MAKE) -s -C tools/tdsim O=$(build)/tools all

latency: setup ## build the model of latency and area
	@$(MAKE) -s -C tools/latency O=$(build)/tools all

msgbench: lib ## build the benchmark of messages
	@$(MAKE) -s -C tools/msgbench O=$(build)/tools LIB=$(build)/lib all

bench-programs: setup-bench lib
	@$(MAKE) -s -C tools/hbsbench O=$(build)/tools LIB=$(build)/lib all
	@$(MAKE) -s -C tools/stepbench O=$(build)/tools LIB=$(build)/lib all

bench: bench-programs ## measure barriers and steps, ours and others', and print the ratios
	@$(build)/tools/hbsbench --workloads=back-to-back --placements=pinned --time=20 \
		--repetitions=5 $(BENCH)
	@$(build)/tools/stepbench --rounds=5 $(STEPS)

graphbench: setup-bench lib ## build the benchmark of graphs, hbs and libraries of graphs
	@$(MAKE) -s -C tools/graphbench O=$(build)/tools LIB=$(build)/lib all

device: setup ## build the virtual card for QEMU
	@tools/vm/build-device --qemu $(QEMU)

deb: setup-deb ## build the Debian packages, into build/deb
	@tools/release/build-deb

demo: all ## solve a heat equation through the card, in a guest, and without a card
	@tools/demo $(BOOT) -- $(HEAT)

synth: setup ## what share of FPGAs the card in hardware takes, and how fast it is
	@tools/synth/synth $(SYNTH)

rtl: setup ## simulate, prove and synthesise the card in hardware
	@suites=$$(tests/run --list | grep '^rtl') && echo "simulation and proofs:" $$suites && \
		tests/run $$suites && tests/run --long rtl-proofs-core
	@echo "synthesis: tools/synth/synth $(SYNTH)"
	@tools/synth/synth $(SYNTH)

debug-kernel: setup ## build the kernel that finds faults (10 min, once: it stays in ~/.cache/hbs)
	@tools/vm/fetch-kernel debug >/dev/null

check: all setup-deb debug-kernel ## run all tests: 20 minutes on two CPUs
	@$(MAKE) -s -C tests/selftests O=$(build)/selftests all
	@tests/run

check-quick: all ## run the tests that take little: up to 3 minutes, with one guest
	@tests/run --quick

check-long: all setup-deb debug-kernel ## run in full what check does in short: storms, fuzzers, every mode (hours)
	@$(MAKE) -s -C tests/selftests O=$(build)/selftests all
	@tests/run --long

check-debug: all debug-kernel ## run the kselftests in the kernel that finds faults
	@tests/selftests/check debug

vm: all ## a shell in a guest that has the card
	@tools/vm/boot --add $(build)/tools/heat:/root/heat $(BOOT) || [ $$? -lt 125 ]

html: setup ## make HTML of Documentation and of the headers' comments
	@tools/html

lint: setup ## checkpatch, sparse, shellcheck and the other checkers
	@tools/lint/all

abi: setup ## compare the binary interfaces with those of the last version
	@tools/abi/check

install: ## install libhbs, hbsrun and, if they were built, hbsctl, hbsgraph and hbsbench, below DESTDIR and prefix
	@$(MAKE) -s -C lib O=$(build)/lib install
	@$(MAKE) -s -C tools/hbsrun install
	@[ ! -x $(build)/tools/hbsctl ] || $(MAKE) -s -C tools/hbsctl O=$(build)/tools install
	@[ ! -x $(build)/tools/hbsgraph ] || $(MAKE) -s -C tools/hbsgraph O=$(build)/tools install
	@[ ! -x $(build)/tools/hbsbench ] || $(MAKE) -s -C tools/hbsbench O=$(build)/tools install

uninstall: ## remove what install put there, with the same prefix and DESTDIR
	@$(MAKE) -s -C lib O=$(build)/lib uninstall
	@$(MAKE) -s -C tools/hbsrun uninstall
	@$(MAKE) -s -C tools/hbsctl O=$(build)/tools uninstall
	@$(MAKE) -s -C tools/hbsgraph O=$(build)/tools uninstall
	@$(MAKE) -s -C tools/hbsbench O=$(build)/tools uninstall

clean: ## remove build/ (the cache in ~/.cache/hbs stays)
	rm -rf $(build)

.PHONY: help setup setup-bench setup-deb all deb module lib heat hbsctl hbsgraph graph-papers tdsim latency msgbench graphbench bench-programs bench device demo debug-kernel check check-quick check-long check-debug vm synth rtl html lint abi install uninstall clean
