#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The probe screen against a real server: refused, a wrong key, stopped, and measured with
# what is found at the other end.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/tmux.sh"

term_host
ip addr add 192.0.2.1/24 dev v0
ip neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev v0 # whose answers never come
sysctl -qw net.ipv4.tcp_sack=0
echo "the first of two shared secrets" >"$TMP/key"
echo "the other of two shared secrets" >"$TMP/wrong"
chmod 600 "$TMP/key" "$TMP/wrong"

set_field() { # KEY VALUE
	term_keys "$1"
	term_wait "$3" >/dev/null
	term_keys C-u
	term_type "$2"
	term_keys Enter
}

term_start 100 30 "$NETTUNE"
term_wait LINK >/dev/null
term_keys p
check "without a peer it says how to get one" term_wait "nettune --serve --bind ADDRESS"
set_field e 127.0.0.1 "peer (NAME"
check "the peer is set" term_wait "peer 127.0.0.1"
term_keys Enter
check "a refused connection says what to run there" term_wait "run nettune --serve"
check "and what to do here" term_wait "Enter tries again"

"$NETTUNE" --serve --key "$TMP/key" >"$TMP/serve" 2>&1 &
server=$!
for _ in $(seq 200); do
	grep -q listening "$TMP/serve" && break
	sleep 0.05
done
set_field y "$TMP/wrong" "file with the shared key"
term_keys Enter
check "a wrong key is said" term_wait "the key is wrong"

set_field e 192.0.2.2 "peer (NAME"
term_wait "peer 192.0.2.2" >/dev/null
term_keys Enter
check "a peer that does not answer: it says that it connects" term_wait "connecting to 192.0.2.2"
term_keys f
check "keys go on meanwhile" term_wait "Selective acknowledgements"
term_keys p
term_wait "connecting to" >/dev/null
term_keys s
check "s stops it" term_wait "stopped before anything was measured"

set_field e 127.0.0.1 "peer (NAME"
term_wait "peer 127.0.0.1" >/dev/null
set_field y "$TMP/key" "file with the shared key"
term_keys t d
check "one test of three seconds" term_wait "tests stream"
term_keys Enter
check "it runs, and says how to stop" term_wait "s stops"
check "both ends are seen" term_wait "there  CPU" 25
check "it is measured" term_wait "UP Mbit/s" 25
check "and judged" term_wait "judged with what was measured"
check "the other end's findings are listed" term_wait "On 127.0.0.1:"
check "with the command to be given there" term_wait "sysctl -w net.ipv4.tcp_sack=1"
term_keys Enter
check "again" term_wait "s stops"
term_keys q q q
check "leaving does not wait for it" term_wait "[exit 0]"
term_stop
kill "$server"
wait "$server" 2>/dev/null

done_testing
