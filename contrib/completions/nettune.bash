# SPDX-License-Identifier: GPL-2.0-or-later
# Bash completion for nettune. Modes, options, rules, patches and scenarios are asked of the
# program itself, so that they are always those of the version installed; only values that
# are words of options stand here.

# The long options that a help text lists first in its lines.
_nettune_options() {
	sed -n 's/^ *\(nettune \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' <<<"$1"
}

# What may stand for OPTION's value or for the operand in brackets, one a line.
_nettune_values() {
	local nettune=${COMP_WORDS[0]}
	case $1 in
	--goal) printf '%s\n' balanced throughput latency cpu forwarding ;;
	--ethtool) printf '%s\n' netlink ioctl ;;
	--color) printf '%s\n' always never auto ;;
	--risk) printf '%s\n' none traffic host link ;;
	--report) printf '%s\n' text json ;;
	--test) printf '%s\n' stream reverse bidir rr many-rr crr sizes mixed objects loaded udp completion all ;;
	--only | --skip) "$nettune" --list-rules 2>/dev/null | grep -xE '[a-z0-9-]+' ;;
	--patch) "$nettune" --patches --all 2>/dev/null | grep -xE '[a-z0-9-]+' ;;
	--congestion) tr ' ' '\n' </proc/sys/net/ipv4/tcp_available_congestion_control ;;
	--peer | --probe | --ping) compgen -A hostname ;;
	LINK...) ls /sys/class/net ;;
	SCENARIO) "$nettune" --lab 2>/dev/null | sed -n 's/^ *nettune --lab \([a-z0-9-]*\) .*/\1/p' ;;
	ID) "$nettune" --history 2>/dev/null | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' ;;
	esac
}

# _nettune_offer BEFORE CUR: the lines of stdin that begin with CUR, behind BEFORE. Not by
# compgen -W, which expands its words: a link may be called "$(reboot)".
_nettune_offer() {
	local word
	while IFS= read -r word; do
		[ -z "$word" ] || [[ $word != "$2"* ]] || COMPREPLY+=("$1$(printf %q "$word")")
	done
}

_nettune_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_nettune() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local help modes mode='' equals='' word before='' takes='' operand
	help=$("${COMP_WORDS[0]}" --help 2>/dev/null) || return
	modes=$(_nettune_options "$help")
	COMPREPLY=()

	# "--goal=cpu" comes as three words
	if [ "$cur" = = ]; then
		equals=1 cur=''
	elif [ "$prev" = = ]; then
		equals=1 prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[ -z "$mode" ] && grep -qxF -e "$word" <<<"$modes" && mode=$word
	done
	if [ -n "$mode" ]; then
		help=$("${COMP_WORDS[0]}" "$mode" --help 2>/dev/null)
	else
		help+=$'\n    --goal GOAL' # of the screens
	fi

	# the value of an option: "--goal GOAL" in the mode's help, or after "="
	if [[ $prev =~ ^--[a-z-]+$ ]]; then
		takes=$(sed -nE "s/^ *(nettune )?$prev(\[=| )([A-Z]+[A-Z,.]*).*/\2\3/p" <<<"$help" | head -n 1)
	fi
	if [ -n "$equals" ] || [ "${takes:0:1}" = ' ' ]; then
		case $takes in
		*FILE | *DIR | *PATH) _nettune_files "$cur" ;;
		*,... | *LIST) # the last of a list
			before=${cur%"${cur##*,}"}
			_nettune_offer "$before" "${cur##*,}" < <(_nettune_values "$prev")
			;;
		*) _nettune_offer '' "$cur" < <(_nettune_values "$prev") ;;
		esac
		return
	fi
	case $cur in
	-*)
		if [ -n "$mode" ]; then
			word=$(_nettune_options "$help" | grep -vxF -e "$mode")
		else
			word=$modes$'\n--goal\n--version\n--color'
		fi
		_nettune_offer '' "$cur" <<<"$word"$'\n--help'
		;;
	*)
		operand=LINK...
		[ -z "$mode" ] || operand=$(sed -n '1s/.* \[\([A-Z.]*\)\].*/\1/p' <<<"$help")
		if [ "$operand" = FILE... ]; then
			_nettune_files "$cur"
		else
			_nettune_offer '' "$cur" < <(_nettune_values "$operand")
		fi
		;;
	esac
}
complete -F _nettune nettune
