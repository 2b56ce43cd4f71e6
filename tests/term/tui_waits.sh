#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What waits to be kept: said everywhere, believed of the journal alone, never lost; what
# goes wrong half-way; and what the user reads who leaves meanwhile.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

term_host
ip link set v1 up
value() { sysctl -n "net.ipv4.$1"; }
plant() { sysctl -qw net.ipv4.tcp_window_scaling=0 net.ipv4.tcp_sack=0; }
patient() { # the longest timer: a busy machine may take its time for what comes next
	term_has "timer 300 s" && return
	term_keys t
	term_wait "timer 120 s" && term_keys t && term_wait "timer 300 s"
}
apply() { # on the plan screen; a plan may be made of the reading before the last change
	local _
	for _ in 1 2 3; do
		term_keys n
		term_wait "nothing has been changed yet" && patient &&
			term_keys A && term_wait "Applied: undone in" && return
	done
	return 1
}
plan() { term_wait LINK && term_keys a && term_wait "nothing has been changed yet"; }
plant

# ---- another nettune's change set
"$NETTUNE" --apply --confirm 100 >/dev/null 2>&1
term_start 80 24 "$NETTUNE"
check "a set of another nettune that waits is said on the first screen" term_wait "undone in"
term_keys h
check "and in the history" term_wait "undone in"
term_keys K
check "K keeps it there" term_wait "is kept"
like "for the command line too" "$("$NETTUNE" --history)" '^ +1 .*kept'
is "its values stay" "$(value tcp_sack)" 1
term_keys U
check "U undoes it" term_wait "as before"
is "for sysctl too" "$(value tcp_sack)" 0
"$NETTUNE" --apply --confirm 4 >/dev/null 2>&1
term_keys r
check "the next one is undone by the guardian: the screen says so" term_match '^. 2 .* undone  '
check "and nothing waits any more" term_gone 'undone in'
is "as sysctl does" "$(value tcp_sack)" 0

# ---- this one's, kept and undone from elsewhere
term_keys a
check "apply" apply
"$NETTUNE" --keep >/dev/null
check "kept by another nettune: the plan knows" term_wait "in force until"
"$NETTUNE" --rollback >/dev/null
check "a new plan knows what another nettune undid" apply
"$NETTUNE" --rollback >/dev/null
check "undone by another nettune: the plan knows" term_wait "undone: every value"

# ---- undoing fails: what waits still waits
check "apply again" apply
exec 8>>"$TMP/state/lock"
flock 8
term_keys U
check "another nettune is at work: U says so" term_wait "another nettune is at work"
check "and what was applied still waits" term_wait "Applied: undone in"
is "it is in force" "$(value tcp_sack)" 1
exec 8>&-
term_keys q q q
check "leaving says what waits and how to keep it" term_wait "unless you keep it: nettune --keep"
like "with the time left" "$(term_screen)" 'change set [0-9]+ is undone in [0-9]+ s'
term_stop
"$NETTUNE" --rollback >/dev/null

# ---- a step fails, a driver takes another value
term_start 80 24 env "NETTUNE_FAULT=change#2:EIO" "$NETTUNE"
check "a step will fail" plan
term_keys A
check "it says that all is as before" term_wait "failed: everything is as before"
check "the cursor is on the step that failed" term_wait "> ✗"
check "with the kernel's words" term_wait "injected fault"
is "as sysctl does" "$(value tcp_sack) $(value tcp_window_scaling)" "0 0"
term_stop
term_start 80 24 env "NETTUNE_FAULT=write/*tcp_sack:clamp=2" "$NETTUNE"
check "a value will be clamped" plan
term_keys A
check "the cursor is on the clamped step" term_wait "> ≈"
check "with what the driver took" term_wait "the driver took 2"
term_stop
sysctl -qw net.ipv4.tcp_sack=1
"$NETTUNE" --rollback >/dev/null
plant

# ---- leaving while changes are under way
for how in q TERM; do
	term_start 80 24 env "NETTUNE_FAULT=change#1:hang=7000" "$NETTUNE"
	check "$how: a slow driver" plan
	term_keys A
	term_wait "done: S stops" >/dev/null
	if [ "$how" = q ]; then
		term_keys q
		term_wait "Links" >/dev/null
		term_keys q
		check "q: it stops the changes first" term_wait "stopped and undone"
		term_keys q
	else
		kill -TERM "$(term_pid)"
	fi
	check "$how: the values are put back before it ends" term_wait "everything is as before"
	is "$how: as sysctl says" "$(value tcp_sack) $(value tcp_window_scaling)" "0 0"
	term_stop
done

# ---- a state folder that takes nothing
chmod 500 "$TMP/state"
if ! touch "$TMP/state/x" 2>/dev/null; then
	term_start 80 24 "$NETTUNE"
	check "a closed state folder" plan
	term_keys A
	check "nothing is applied that could not be undone" term_wait "failed: everything is as before"
	term_stop
fi
chmod 700 "$TMP/state"

# ---- a set that a killed nettune left unfinished
{ NETTUNE_FAULT=change#2:killed "$NETTUNE" --apply; } >/dev/null 2>&1
term_start 80 24 "$NETTUNE"
check "a set left unfinished is told of at the start" term_wait "was left unfinished: h shows it"
term_keys Down
check "and stays in the first line" term_wait "unfinished: h"
term_keys h
term_wait "History" >/dev/null
term_wait "2 changes" >/dev/null
term_keys U
check "U puts everything back" term_wait "every value is as before"
is "as sysctl says" "$(value tcp_sack) $(value tcp_window_scaling)" "0 0"
term_stop

# ---- an ssh session over a link that the plan touches
ip addr add 192.0.2.1/24 dev v0
ethtool -K v0 tso off sg off >/dev/null 2>&1
term_start 80 24 env "SSH_CONNECTION=192.0.2.9 4000 192.0.2.1 22" "$NETTUNE"
check "a plan over the link of an ssh session" plan
check "says what may be cut, and when it is undone" term_wait "your ssh session runs over v0"
term_keys t t t
check "the timer can't be turned off" term_wait "the timer stays on"
term_stop

# ---- what was found has room
for size in 80x24 40x10; do
	term_start "${size%x*}" "${size#*x}" "$NETTUNE"
	term_wait "worst" >/dev/null
	check "$size: a column says what was found" term_wait "FOUND"
	check "$size: with the count" term_match ' v0 .* [●◐] [0-9]+ *$'
	term_stop
done

done_testing
