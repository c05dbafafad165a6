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

# need_files: fail where git cannot say which files are the project's; without
# them a checker would have nothing to find fault with
need_files() {
	need git
	git ls-files --error-unmatch tools/lint/common.sh >/dev/null ||
		die "git does not list the files of $TOP: is it your checkout?"
}
