# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of completions in bash share.

number=0 failed=0

# completes PROGRAM EXPECTED WORD...: the last word may be completed so
completes() {
	local program=$1 expected=$2
	shift 2

	COMP_WORDS=("$program" "$@") COMP_CWORD=$#
	COMPREPLY=()
	"_${program##*/}" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	number=$((number + 1))
	if [ "${COMPREPLY[*]}" = "$expected" ]; then
		echo "ok $number - ${program##*/} $*"
	else
		echo "# ${COMPREPLY[*]}, and not $expected"
		echo "not ok $number - ${program##*/} $*"
		failed=1
	fi
}

finish() {
	echo "1..$number"
	exit $failed
}
