# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the program hbsgraph share. Its path is $1; they run in a folder of their own.

hbsgraph=$(realpath "$1")
export HBS_BACKEND=software
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
# nobody's own profile
export HBS_GRAPH_PROFILE=$work/profile
number=0 failed=0

report() { # NAME STATUS
	number=$((number + 1))
	if [ "$2" = 0 ]; then
		echo "ok $number - hbsgraph: $1"
	else
		sed 's/^/# /' said | head -n 40
		echo "not ok $number - hbsgraph: $1"
		failed=1
	fi
}

# runs NAME PATTERN ARGUMENT...: it succeeds, says nothing on stderr, and prints PATTERN
runs() {
	local status=0 good=1

	timeout 60 "$hbsgraph" "${@:3}" >said 2>errors || status=$?
	[ "$status" = 0 ] && [ ! -s errors ] && grep -qE -- "$2" said && good=0
	cat errors >>said
	report "$1" "$good"
}

# refuses TEXT ARGUMENT...: it fails with status 2, and says TEXT and no more than two lines
refuses() {
	local status=0 good=1

	timeout 60 "$hbsgraph" "${@:2}" >said 2>errors || status=$?
	[ "$status" = 2 ] && grep -qF -- "$1" errors && [ "$(wc -l <errors)" -le 2 ] && good=0
	cat errors >>said
	report "refuses: $1" "$good"
}

# reads_not TEXT CONTENT: it does not read a file with that content (as printf has it)
reads_not() {
	# shellcheck disable=SC2059 # the content is a format
	printf "$2" >file
	refuses "$1" run sssp --graph=file
}

finish() {
	echo "1..$number"
	exit $failed
}
