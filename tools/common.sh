# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the project's shell scripts share: sourced, never run.

# shellcheck disable=SC2034 # used by the scripts that source this
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PROGRAM=$(basename "$0")

# The exit status of a script that fails, 1 unless it sets another
FAILURE=1

die() {
	echo "$PROGRAM: $*" >&2
	exit "$FAILURE"
}

# The folder for builds, and the folder for what scripts fetch. By XDG's rule a
# relative path counts as none.
BUILD=$(realpath -m "${HBS_BUILD:-$TOP/build}")
case ${XDG_CACHE_HOME:-} in
/*)
	CACHE=$XDG_CACHE_HOME/hbs
	;;
*)
	[ -n "${HOME:-}" ] || die "neither HOME nor XDG_CACHE_HOME is set: no place to fetch to"
	CACHE=$HOME/.cache/hbs
	;;
esac
case $BUILD:$CACHE in
*[[:space:]]* | *:*:*)
	die "kernels do not build, nor are cards loaded, by a path with blanks or colons:" \
		"$BUILD and $CACHE (set XDG_CACHE_HOME)"
	;;
esac

# A script's help is the comment at its top, from its third line to the first
# line that is no comment.
show_help() {
	sed -n '3,${/^#/!q; s/^# \{0,1\}//; p}' "$0"
}

# need COMMAND...: fail if some are missing, and name them all
need() {
	local command missing=""

	for command in "$@"; do
		type -P "$command" >/dev/null || missing="$missing $command"
	done
	[ -z "$missing" ] || die "missing:$missing (get it with: make setup)"
}

# refuse TEXT: end, since somebody called the script in a wrong way
refuse() {
	echo "$PROGRAM: $* (see --help)" >&2
	exit 2
}

# no_arguments "$@": the only argument of a script is --help
no_arguments() {
	[ $# -eq 0 ] && return
	[ "$*" = --help ] || refuse "there are no arguments: $*"
	show_help
	exit 0
}

# is_number NAME VALUE MIN MAX: fail unless VALUE is a number within the limits
is_number() {
	# no zeros in front, which would make it octal for some
	[[ $2 =~ ^(0|[1-9][0-9]{0,8})$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] ||
		die "$1: $2 is not a number from $3 to $4"
}

# make_once FOLDER FUNCTION [ARG...]: unless FOLDER exists, let FUNCTION fill a
# temporary folder (its first argument), and rename that into place when it is
# complete. Only one process fills a folder at a time.
make_once() {
	local folder=$1 function=$2 lock temporary
	shift 2

	[ ! -d "$folder" ] || return 0
	mkdir -p "$(dirname "$folder")"
	exec {lock}>"$folder.lock"
	flock "$lock"
	if [ ! -d "$folder" ]; then
		echo "$PROGRAM: filling $folder, the first time only" >&2
		temporary=$folder.tmp
		rm -rf "$temporary"
		mkdir "$temporary"
		# not in a list with ||, which would switch off set -e inside
		"$function" "$temporary" "$@"
		mv "$temporary" "$folder"
	fi
	exec {lock}>&-
}
