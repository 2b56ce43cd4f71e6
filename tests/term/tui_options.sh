#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The probe's options: chosen on a form, shown, and what the probe then does, as ss sees it.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

term_host

rows=(stream reverse bidir rr many-rr crr sizes mixed objects loaded udp completion time
	warmup streams mss write-size sndbuf rcvbuf request response pacing congestion cpu
	peer-cpu nodelay zerocopy trunc any-egress)
go_to() { # ROW: the cursor onto the row with that word
	local i keys=Home
	for ((i = 0; i < ${#rows[@]}; i++)); do
		[ "${rows[i]}" != "$1" ] || break
		keys="$keys Down"
	done
	# shellcheck disable=SC2086
	term_keys $keys
	term_match "^> *(\[.\] test )?$1 "
}
fill() { # ROW VALUE
	go_to "$1"
	term_keys Enter
	term_wait "(empty: default)" >/dev/null
	term_keys C-u
	term_type "$2"
	term_keys Enter
}

"$NETTUNE" --serve >"$TMP/serve" 2>&1 &
server=$!
check "a server" term_until file_has "$TMP/serve" listening

term_start 80 30 "$NETTUNE"
term_wait LINK >/dev/null
term_keys p
term_wait "tests standard set" >/dev/null
term_keys e
term_wait "peer (NAME" >/dev/null
term_type 127.0.0.1
term_keys Enter
check "o is offered" term_wait_last " t tests  o options  r start  e peer  d time  y key  ? help  Esc back"
term_keys o
check "the form has the standard set" term_wait "Probe options  tests standard set"
check "marked" term_match '\[x\] test stream '
check "and no others" term_match '\[ \] test udp '
for t in reverse rr crr loaded completion; do
	go_to "$t"
	term_keys Space
done
check "one is left" term_wait "Probe options  tests stream"
go_to stream
term_keys Space
check "the last one stays" term_wait "one test at least"
fill streams 999
check "a wrong value is refused, with its range" term_wait "'999' is not a whole number from 1 to 128"
fill streams 3
fill mss 900
fill pacing 8Mbit
fill time 8
fill sndbuf 64KiB
check "a value is shown with its unit" term_wait "64 KiB"
go_to sndbuf
term_keys z
go_to nodelay
term_keys Space
check "z forgets one" term_match 'sndbuf +default'
term_keys Escape
check "the probe's screen shows what is set" \
	term_wait "options streams 3, mss 900, pacing 8 Mbit/s, nodelay [o]"
check "beside the test and its time" term_wait "tests stream [t]   time 8 s [d]"
term_resize 40 12
check "in 40 columns, too" term_wait "options streams 3, mss 900"
check "the key that starts comes first there" term_wait_last " t tests  r start  ? help  Esc back"
term_resize 80 30
term_keys r
streams_are() { # three connections beside the control channel, each as asked
	ss -tinH state established '( dport = :5212 )' >"$TMP/ss"
	[ "$(grep -c ' mss:8[0-9][0-9] ' "$TMP/ss")" = 3 ] && grep -q 'pacing_rate 8' "$TMP/ss"
}
check "ss sees three streams of that segment size, paced" term_until streams_are
check "the figures say how they were measured" \
	term_wait "measured with streams 3, mss 900, pacing 8 Mbit/s, nodelay"
term_keys o
term_wait "Probe options" >/dev/null
term_keys d
check "d forgets all" term_wait "tests standard set"
term_keys Escape
term_wait "tests standard set [t]   time default" >/dev/null
check "nothing is set then" term_gone 'options streams'
check "but the figures are those measured before" term_wait 'measured with streams 3'
term_stop
kill "$server"
wait "$server" 2>/dev/null

done_testing
