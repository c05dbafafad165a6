# SPDX-License-Identifier: GPL-2.0-or-later
# Where a Makefile installs to, by the names and the rules of GNU's coding standards:
# folders are absolute, and DESTDIR is put in front of each. It uses
#	$(call to,FOLDER)   the folder below DESTDIR, quoted for the shell
#	$(call remove,FOLDER,FILES)  a command that removes these files of it

prefix ?= /usr/local
exec_prefix ?= $(prefix)
bindir ?= $(exec_prefix)/bin
libdir ?= $(exec_prefix)/lib
includedir ?= $(prefix)/include
datarootdir ?= $(prefix)/share
mandir ?= $(datarootdir)/man
# where bash-completion looks for what command lines can be
completionsdir = $(datarootdir)/bash-completion/completions
# where the binding for Python goes, for instance /usr/lib/python3/dist-packages; nowhere if not set
pythondir ?=

# a relative path would mean another folder to each Makefile; pkg-config and the loader
# split paths at blanks and colons
quote = '$(subst ','\'',$(1))'
FOLDERS := prefix exec_prefix bindir libdir includedir datarootdir mandir $(if $(pythondir),pythondir)
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
$(foreach name,$(FOLDERS),$(if $(filter-out 1,$(words $($(name))))$(filter-out /%,$($(name)))$(findstring :,$($(name))),\
	$(error $(name)="$($(name))" is not an absolute path without blanks and colons)))
$(if $(filter-out /%,$(firstword $(DESTDIR))),$(error DESTDIR="$(DESTDIR)" is not an absolute path))
endif

to = $(call quote,$(DESTDIR)$(1))
REMOVE := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))setup/remove-installed
remove = @$(REMOVE) $(call quote,$(DESTDIR)) \
	$(call quote,$(prefix)) $(call quote,$(1)) $(2)
