#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The mouse: a click selects, opens, or is the key it hits, and changes nothing.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

export NETTUNE_STATE_DIR=$TMP/state
mkdir "$TMP/state"
ip link set lo up
sysctl -qw net.ipv4.tcp_window_scaling=0
scaling() { sysctl -n net.ipv4.tcp_window_scaling; }

# ---- as most terminals tell of it, and a link in a narrow terminal
click() { # COLUMN ROW, from 0
	local at
	at=$(printf '\\%03o\\%03o' $(($1 + 33)) $(($2 + 33)))
	# shellcheck disable=SC2059
	term_type "$(printf "\033[M $at\033[M#$at")"
}
ip link add v0 type veth peer name v1
ip link set v0 up
ip link set v1 up
term_start 80 24 "$NETTUNE"
check "the first screen" term_wait "worst"
click_key() { # TEXT in the last line
	local last
	term_wait "$1" >/dev/null
	last=$(term_screen | tail -1)
	last=${last%%"$1"*}
	click ${#last} 23
}
click_key "f findings"
check "a click on a key in the last line is that key" term_wait "Findings"
click 14 0
term_keys a
term_wait "nothing has been changed yet" >/dev/null
click_key "A apply"
check "but a click applies nothing" term_wait "a click changes nothing"
is "as sysctl says" "$(scaling)" 0
term_home
click 3 3
click 3 3
check "a second click on a link opens it" term_wait " Link "
term_keys c
check "what the driver does not have is not offered" term_wait "link.txqueuelen"
check "nor what it fixes" term_gone 'fixed|does not'
term_resize 40 10
check "40x10: a value has room beside its name" term_wait "1500 bytes"
term_stop

# ---- as xterm tells of it (SGR), and more than one click at once: a slow line
sgr() { # BUTTON COLUMN ROW, from 0: pressed and released
	printf '\033[<%d;%d;%dM\033[<%d;%d;%dm' "$1" $(($2 + 1)) $(($3 + 1)) "$1" $(($2 + 1)) $(($3 + 1))
}
for i in 1 2 3; do
	ip link add "a$i" type veth peer name "b$i"
	ip link set "a$i" up
	ip link set "b$i" up
done
at_row() { term_cursor_on $(($1 + 1)); } # ROW, from 0
term_start 260 24 env TERM=xterm-256color "$NETTUNE"
term_wait "b3" >/dev/null
term_type "$(sgr 0 3 4)"
check "SGR: a click selects" at_row 4
term_type "$(sgr 0 250 6)"
check "SGR: beyond column 223, too" at_row 6
term_type "$(sgr 2 3 3)$(sgr 1 3 3)"
term_type "$(sgr 0 3 7)$(sgr 0 3 5)$(sgr 0 3 4)"
check "several clicks at once: the last one counts" at_row 4
term_type "$(sgr 0 3 6)"
check "and none is left over for the next" at_row 6
term_type "$(printf '\033[<0;4;6M\033[<0;4;9m')"
check "released elsewhere, it is where it was pressed" at_row 5
term_type "$(sgr 0 3 3)$(sgr 0 3 3)"
check "a double click opens" term_wait " Link "
term_home
term_type "$(printf '\033[<65;4;6M\033[<65;4;6M')"
check "the wheel scrolls, two notches at once" at_row 9
term_stop

done_testing
