#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --lab: each scenario goes through, and nothing is left behind whatever ends it.
. "${SRCDIR:?}/tests/lib/tap.sh"
# what others make and remove on this host meanwhile is not the lab's; a plain user's lab makes
# a user namespace, and is to be seen doing so
[ "$(id -u)" != 0 ] || in_netns "$@"

# processes of this test's lab that are still alive: its mark in their environment
export NT_LAB_MARK=mark-$$
left() {
	local f n=0
	for f in $(grep -lsF "NT_LAB_MARK=$NT_LAB_MARK" /proc/[0-9]*/environ); do
		tr '\0' ' ' 2>/dev/null <"${f%environ}cmdline" | grep -q -e '/nettune ' -e 'nettune-guard' &&
			n=$((n + 1))
	done 2>/dev/null
	echo $n
}
until_none() {
	for _ in $(seq 100); do
		[ "$(left)" = 0 ] && break
		sleep 0.05
	done
	is "$1" "$(left)" 0
}

flags=-mn
[ "$(id -u)" = 0 ] || flags=-Urmn
unshare $flags true 2>/dev/null || skip_all "no network namespaces: unshare $flags is refused"

run "$NETTUNE" --lab
is "the scenarios are listed" "$rc" 0
names=$(sed -n 's/.*nettune --lab \([a-z-]*\).*/\1/p' <<<"$out")
like "offloads-off is one" "$names" '^offloads-off$'
refuses "an unknown one is refused" 2 "no scenario 'offloads'" "$NETTUNE" --lab offloads
before=$(ls /sys/class/net; ip netns list 2>/dev/null; ls /run)
for name in $names; do
	run "$NETTUNE" --lab "$name"
	is "$name goes through" "$rc" 0
	[ "$rc" = 0 ] || tail -20 "$TMP/out" "$TMP/err" | diag
	cp "$TMP/out" "$TMP/$name"
done
text=$(cat "$TMP/offloads-off")
like "ethtool confirms the change" "$text" 'tx-tcp-segmentation: on'
like "and the undoing" "$text" 'tx-tcp-segmentation: off'
like "each command is told first" "$text" '^\$ nettune --apply --dry-run'
like "the guardian is shown at work" "$(cat "$TMP/lost-session")" '^ +1 .* undone$'
until_none "no process is left"

# ended halfway, by Ctrl-C and worse
for sig in INT HUP KILL; do
	: >"$TMP/out"
	# a job in the background ignores SIGINT unless it gets it back
	python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
		"$NETTUNE" --lab lost-session >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	for _ in $(seq 200); do
		grep -q 'Wait' "$TMP/out" && break
		sleep 0.05
	done
	like "it waits for its end by SIG$sig" "$(cat "$TMP/out")" 'session is lost'
	kill -$sig $pid
	wait $pid 2>/dev/null
	until_none "after SIG$sig no process is left"
done
is "no link, namespace or file is left" "$(ls /sys/class/net; ip netns list 2>/dev/null; ls /run)" "$before"
done_testing
