#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What an unlucky user must not suffer: keys torn apart by a slow line, keys on what is not
# seen, lists that move below the cursor, links that vanish, names that are long or wide.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

term_host
ip link set v1 up
plant() { sysctl -qw net.ipv4.tcp_window_scaling=0; }
scaling() { sysctl -n net.ipv4.tcp_window_scaling; }
plant

# ---- sequences that curses does not put together are no keys
term_start 80 24 env TERM=vt100 "$NETTUNE"
term_wait "worst" >/dev/null
term_keys a
term_wait "nothing has been changed yet" >/dev/null
term_keys f
check "findings above a plan" term_wait " Findings "
term_type "$(printf '\033[1;2A')"
term_keys Down
check "an unknown key (Shift-Up) does not leave" term_wait " Findings "
term_keys Escape
check "Esc alone does" term_wait " Plan "
term_keys f
term_wait " Findings " >/dev/null
term_type "$(printf '\033')"
check "half of an arrow is taken for Esc" term_wait " Plan "
term_type "[A"
term_keys t
check "but the other half is no A" term_wait "timer 120 s"
term_keys f
term_wait " Findings " >/dev/null
term_type "$(printf '\033A')"
term_keys Escape t
check "nor is Alt with A" term_wait "timer 300 s"
is "nothing was applied" "$(scaling)" 0

# ---- what cannot be seen is not changed
term_resize 20 5
check "too small" term_wait "too small"
term_keys A
term_resize 21 5
term_wait "21x5 is too small" >/dev/null
term_resize 80 24
check "A changed nothing meanwhile" term_wait "nothing has been changed yet"
term_keys A
check "but does where the plan is seen" term_wait "Applied: undone in"
term_resize 20 5
check "how long a change set waits is said in any size" term_wait "undone in"
term_resize 80 24
check "the plan says so once" term_gone ' Plan .* undone in'

# ---- one set waits: no second one
term_home
check "elsewhere the first line does" term_wait "undone in"
"$NETTUNE" --keep >/dev/null
term_keys a
term_wait "in force until" >/dev/null
sysctl -qw net.ipv4.tcp_sack=0
"$NETTUNE" --apply --confirm 250 --interval 0 >/dev/null 2>&1
sysctl -qw net.ipv4.tcp_sack=0
term_keys n
check "a new plan while another one's set waits" term_wait "nothing has been changed yet"
term_keys A
check "it is not applied on top" term_wait "still waits: K keeps it"
check "and could be, afterwards" term_wait "nothing has been changed yet"
"$NETTUNE" --keep >/dev/null

# ---- the history moves on below the cursor
term_keys h
term_wait " History " >/dev/null
term_match '^> 2 ' >/dev/null
sysctl -qw net.ipv4.tcp_sack=0
"$NETTUNE" --apply --interval 0 >/dev/null 2>&1
term_keys r
check "a set of another nettune comes in" term_match '^  3 '
check "the cursor stays on its own" term_match '^> 2 '
term_stop
sysctl -qw net.ipv4.tcp_sack=1 net.ipv4.tcp_window_scaling=1

# ---- a link that vanishes, or is renamed, while one looks at it
term_start 80 24 "$NETTUNE"
term_wait LINK >/dev/null
ip link add d0 type veth peer name d1
ip link set d0 up
check "a link" term_wait " d0 "
term_keys End Enter
check "opened" term_wait "Link  d0"
check "and read" term_wait "link.txqueuelen"
ip link set d0 down
ip link set d0 name d5
check "it is renamed: the screen follows" term_wait "Link  d5"
check "and says so" term_wait "d0 was renamed to d5"
ip link del d5
check "it is gone: the screen says so" term_wait "this link is gone"
term_keys Enter
term_keys Escape
check "and the way back is open" term_wait " Links "

# ---- values with units, no value by half
term_keys Home Enter
term_wait " Link " >/dev/null
set_value() { # TEXT
	term_keys Enter
	term_wait "risk" >/dev/null
	term_keys C-u
	term_type "$1"
	term_keys Enter
}
term_keys /
term_wait "filter:" >/dev/null
term_type link.mtu
term_keys Enter
check "the MTU" term_wait "(3)"
term_keys Down
set_value 1400.5
check "half a byte is refused" term_wait "'1400.5' is not a whole number"
set_value 1e3x
check "what is no number is" term_wait "'1e3x' is not a number"
set_value 1.5KiB
check "a size with a unit is taken" term_wait "planned: 1536"

# ---- wide characters: typed, and shown without remains
wide=$(printf '\346\227\245\346\234\254')
set_value "$wide"
check "a wide text can be typed" term_wait "'$wide' is not a number"
check "its message leaves nothing behind it" term_match "'$wide' is not a number *\$"
term_keys /
term_wait "filter:" >/dev/null
term_keys C-u
term_type "${wide}x"
term_keys BSpace BSpace
term_type "x"
term_keys Enter
check "a character is taken back whole" term_wait "filter $(printf '\346\227\245')x [/]"
term_stop

# ---- many screens
ethtool -K v0 tso off >/dev/null
term_start 80 24 "$NETTUNE" v0
term_wait "worst" >/dev/null
term_keys End
deeper() { # each is one more on the stack
	local _
	for _ in 1 2 3 4 5; do
		term_keys Enter
		term_wait " Link  v0" && term_keys f && term_wait "filter v0" || return 1
	done
}
check "ten screens one above the other" deeper
term_keys a
check "and there is room for the plan" term_wait "nothing has been changed yet"
term_keys Escape
check "back to the last" term_wait " Findings "
check "and in the end to the first" term_home
term_stop

# ---- a long host name leaves the screen's name
term_start 80 24 unshare -u sh -c 'hostname a-host-with-a-name-of-fifty-six-characters-or-so.example &&
	exec "$0"' "$NETTUNE"
check "a long host name" term_wait " Links  "
term_stop

# ---- the console has no braille
term_start 80 24 env TERM=linux "$NETTUNE"
term_wait LINK >/dev/null
term_keys f
term_wait " Findings " >/dev/null
term_wait "checks hold" >/dev/null
is_ascii() { [ -z "$(term_screen | LC_ALL=C tr -d '\n\000-\177')" ]; }
check "the console is drawn in ASCII" term_until is_ascii
term_stop

# ---- a filter typed before anything was read
term_start 80 24 env "NETTUNE_FAULT=read/*tcp_window_scaling:hang=3000" "$NETTUNE"
term_wait " Links " >/dev/null
term_keys f /
term_type tso-off
term_keys Enter
check "a filter is taken before there are findings" term_wait "filter tso-off "
term_stop

# ---- a plan that becomes ready while the terminal takes nothing
plant
check "A applies no plan that was not shown" env "NETTUNE_FAULT=read/*tcp_window_scaling:hang=3000" \
	LC_ALL=C.UTF-8 python3 "$SRCDIR/tests/lib/undrawn_plan.py" "$NETTUNE"

done_testing
