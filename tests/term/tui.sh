#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The screens in a real terminal: find, look, plan, apply, keep and undo, at three sizes.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

term_host
ip link set v1 up
plant() { sysctl -qw net.ipv4.tcp_window_scaling=0; }
scaling() { sysctl -n net.ipv4.tcp_window_scaling; }
plant

is "without a terminal it refuses" "$("$NETTUNE" </dev/null 2>&1 >/dev/null | grep -c -- --report)" 1

# ---- every screen at three sizes
for size in 80x24 132x43 40x10; do
	cols=${size%x*} rows=${size#*x}
	term_start "$cols" "$rows" "$NETTUNE"
	check "$size: starts" term_wait "v0"
	check "$size: judges" term_wait "window scal"
	for screen in "f Findings" "a Plan" "h History" "p Probe" "x Patches" "? Help"; do
		term_home
		term_keys "${screen% *}"
		check "$size: ${screen#* }" term_wait "${screen#* }"
		shown=$(term_screen)
		check "$size: ${screen#* } fits" test "$(printf '%s\n' "$shown" | wc -L)" -le "$cols"
		check "$size: ${screen#* } says its keys" term_wait "? help"
	done
	[ "$cols" -lt 80 ] || {
		check "$size: nothing in Help is cut" term_gone '…'
		term_keys PageDown
		check "$size: Help ends with the words used" term_wait "Keys that change something"
		check "$size: nor there" term_gone '…'
		term_keys Escape
	}
	term_home
	term_keys f
	term_wait "Findings" >/dev/null
	term_keys u
	check "$size: what could not be decided" term_wait "lacks"
	check "$size: has no braces of the rule's language" term_gone '[{}]'
	term_home
	term_keys Enter
	check "$size: a link in detail" term_wait " Link "
	check "$size: the cursor shows without colour, too" term_match '^>- '
	term_home
	term_keys q
	check "$size: quits" term_wait "[exit 0]"
	term_stop
done

# ---- find, explain, apply, keep, undo
term_start 100 30 "$NETTUNE"
term_wait "worst" >/dev/null
term_keys f
check "the finding is there" term_wait "window scaling is off"
check "with what was seen" term_wait "sysctl.net.ipv4.tcp_window_scaling 0"
check "and the exact command" term_wait "sysctl -w net.ipv4.tcp_window_scaling=1"
is "looking changes nothing" "$(scaling)" 0
term_keys a
check "the plan says that nothing is changed yet" term_wait "nothing has been changed yet"
term_keys Enter Down Up t
term_wait "timer 120 s" >/dev/null
is "Enter and arrows apply nothing" "$(scaling)" 0
term_keys A
check "it is applied" term_wait "undone in"
is "for sysctl too" "$(scaling)" 1
term_keys k A
term_wait "nothing to apply now" >/dev/null
check "a small k keeps nothing" term_wait "undone in"
term_keys U
check "U undoes" term_wait "as before"
is "for sysctl too" "$(scaling)" 0
term_keys n
term_wait "nothing has been changed yet" >/dev/null
term_keys A
term_wait "undone in" >/dev/null
term_keys K
check "K keeps" term_wait "in force until"
is "the value stays" "$(scaling)" 1
term_keys h
check "history lists both" term_wait "undone"
check "the kept one first" term_wait "kept"
term_keys U
check "undo from history" term_wait "every value is as before"
is "for sysctl too" "$(scaling)" 0

# ---- a value typed by hand goes through the plan
term_home
term_keys Home Enter
term_wait " Link " >/dev/null
term_keys /
term_type txqueuelen
term_keys Enter
term_wait "link.txqueuelen" >/dev/null
term_keys Down Enter
check "a tunable is edited in place, with range and risk" term_wait "risk"
term_keys C-u
term_type 12x
term_keys Enter
check "a wrong value is refused" term_wait "'12x' is not"
term_keys Enter C-u
term_type 555
term_keys Enter
check "a right one goes into the plan" term_wait "planned: 555"
term_keys a
check "the plan has it" term_wait "by-hand"
term_keys A
term_wait "undone in" >/dev/null
like "ip sees it" "$(ip -d link show)" 'qlen 555'
term_keys U
term_wait "as before" >/dev/null
unlike "and its undo" "$(ip -d link show)" 'qlen 555'

# ---- links come, go, and in hundreds
term_home
ip link add late type dummy 2>/dev/null || ip link add late type veth peer name late2
ip link set late up
check "a new link appears" term_wait "late"
ip link del late
check "and goes" term_gone late
for i in $(seq 500); do
	echo "link add s$i group 7 type veth peer name t$i group 7"
done | ip -batch - 2>/dev/null
ip link del group 7 &
for _ in $(seq 20); do # keys while rows go
	term_keys l End Up PageUp Down
done
wait $!
term_keys f
check "a storm of links freezes nothing" term_wait "Findings"
term_home
ip link add "$(printf 'w\303\251b\346\227\245')" type veth peer name 'o-~{}'
term_keys l
check "a wide name" term_wait "$(printf 'w\303\251b\346\227\245')"
check "an odd name" term_wait "o-~{}"
columns() { # where the driver's column begins, on each line that has one
	python3 -c '
import sys, unicodedata
for line in sys.stdin:
    head, found, _ = line.partition("veth ")
    if found:
        print(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in head))'
}
check "every link is counted" term_match ' Links  [0-9]'
straight() { [ "$(term_screen | columns | sort -u | wc -l)" = 1 ]; }
check "columns stay where they are" term_until straight
ip link del v0
term_gone ' v0 ' >/dev/null
term_resize 60 12
check "resized live" term_wait "RX Mb"
term_resize 20 5
check "too small is said" term_wait "too small"
term_resize 80 24
check "and gone again" term_wait "host:"
term_keys q
check "quits" term_wait "[exit 0]"
is "the terminal is as before" "$(cat "$TMP/stty-after")" "$(cat "$TMP/stty-before")"
term_stop

# ---- a driver that hangs on a read: keys go on
term_start 80 24 env "NETTUNE_FAULT=eth_get/features:hang=120000" "$NETTUNE"
check "a driver hangs: links are shown" term_wait "LINK"
term_keys ?
check "a driver hangs: keys work" term_wait "Keys of Links"
term_keys Escape
unlike "a driver hangs: nothing was judged meanwhile" "$(term_screen)" 'problem'
term_keys q
check "a driver hangs: quits without waiting for it" term_wait "[exit 0]"
term_stop

# ---- without privilege all can be seen, and applying says how
if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	chmod 755 "$TMP"
	cp "$NETTUNE" "$TMP/nettune-copy" # the build tree may be closed to that user
	cp -r "$SRCDIR/rules" "$TMP/rules"
	chmod -R a+rX "$TMP/rules"
	term_start 80 24 env NETTUNE_RULES_DIR="$TMP/rules" setpriv --reuid=65534 --regid=65534 \
		--clear-groups "$TMP/nettune-copy"
	check "a plain user sees the finding" term_wait "window scal"
	term_keys a
	term_wait "nothing has been changed" >/dev/null
	term_keys A
	check "a plain user is told what applying needs" term_wait "needs root"
	check "and a way that keeps what was chosen" term_wait "w writes this plan"
	is "and nothing changed" "$(scaling)" 0
	term_stop
fi

# ---- other terminals and locales
LC_ALL=C term_start 80 24 env LC_ALL=C "$NETTUNE"
term_wait "worst" >/dev/null
term_keys f
term_wait "checks hold" >/dev/null
is_ascii() { [ -z "$(term_screen | LC_ALL=C tr -d '\n\000-\177')" ]; }
check "the C locale shows ASCII only" term_until is_ascii
term_stop

TERM_KIND=dumb term_start 80 24 env TERM=dumb "$NETTUNE"
check "a dumb terminal is refused with a hint" term_wait "cannot place the cursor; nettune --report"
check "with status 1" term_wait "[exit 1]"
term_stop

for kind in vt100 linux xterm-256color; do
	# on the console curses loads libgpm, looks for the mouse, and lets go of both: what
	# that library keeps is then nobody's
	leaks=1
	[ "$kind" != linux ] || leaks=0
	term_start 80 24 env "TERM=$kind" "ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=$leaks" \
		"$NETTUNE"
	check "$kind: starts" term_wait "LINK"
	term_keys q
	check "$kind: quits" term_wait "[exit 0]"
	term_stop
done

term_start 80 24 env NO_COLOR=1 "$NETTUNE"
term_wait "worst" >/dev/null
unlike "NO_COLOR: no colours" "$(tmux -S "$TERM_SOCKET" capture-pane -p -e | tr '\033' '!')" '!\[([0-9;]*;)?(3[0-7]|4[0-7]|38|48)[;m]'
check "severity is a word too" term_wait 'PROBLEM'
term_stop

done_testing
