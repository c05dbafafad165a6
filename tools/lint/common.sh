# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the checkers share: sourced, never run.

# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
cd "$TOP" || exit

# files PATTERN...: the project's files that match, tracked or new, one a line
files() {
	git ls-files --cached --others --exclude-standard -- "$@" |
		while IFS= read -r file; do
			[ ! -f "$file" ] || echo "$file"
		done
}

# no_arguments "$@": the only argument of a checker is --help
no_arguments() {
	[ $# -eq 0 ] && return
	show_help
	[ "$1" = --help ] && exit 0 || exit 2
}
