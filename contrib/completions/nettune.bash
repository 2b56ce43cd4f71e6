# SPDX-License-Identifier: GPL-2.0-or-later
# Bash completion for nettune. Modes and options are asked of the program itself, so that
# they are always those of the version installed; only values that are words stand here.

# The long options that a help text lists first in its lines.
_nettune_options() {
	sed -n 's/^ *\(nettune \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' <<<"$1"
}

_nettune_values() { # OPTION: what may follow it
	case $1 in
	--goal) echo balanced throughput latency cpu forwarding ;;
	--ethtool) echo netlink ioctl ;;
	--color) echo always never auto ;;
	--risk) echo none traffic host link ;;
	--report) echo text json ;;
	--test) echo stream reverse bidir rr many-rr crr sizes mixed objects loaded udp completion all ;;
	esac
}

_nettune() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local help modes mode='' equals='' word
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
	[ -z "$mode" ] || help=$("${COMP_WORDS[0]}" "$mode" --help 2>/dev/null)

	# the value of an option: "--goal GOAL" in the mode's help, or after "="
	if [ -n "$equals" ] || grep -qE "^ *(nettune )?$prev [A-Z]" <<<"$help"; then
		# shellcheck disable=SC2207
		COMPREPLY=($(compgen -W "$(_nettune_values "$prev")" -- "$cur"))
		# shellcheck disable=SC2207
		[ "${#COMPREPLY[@]}" -gt 0 ] || [ -z "$(grep -E "^ *$prev (FILE|DIR|PATH)" <<<"$help")" ] ||
			COMPREPLY=($(compgen -f -- "$cur"))
		return
	fi
	case $cur in
	-*)
		[ -n "$mode" ] && word=$(_nettune_options "$help" | grep -vxF -e "$mode") || word="$modes --version --color"
		# shellcheck disable=SC2207
		COMPREPLY=($(compgen -W "$word --help" -- "$cur"))
		;;
	*)
		if [ -z "$mode" ] || sed -n 1p <<<"$help" | grep -q 'LINK'; then
			# shellcheck disable=SC2207
			COMPREPLY=($(compgen -W "$(ls /sys/class/net)" -- "$cur"))
		fi
		;;
	esac
}
complete -F _nettune nettune
