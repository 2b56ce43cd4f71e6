#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The probe's server against what the net brings: wrong keys, junk, half-open connections, clients
# that stop or die; and the client against a server that dies. Nothing leaks, others are served.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"
. "$SRCDIR/tests/lib/probe.sh"
two_hosts

fds() { find "/proc/$server/fd" -mindepth 1 | wc -l; }
threads() { find "/proc/$server/task" -mindepth 1 -maxdepth 1 | wc -l; }
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }
one_thread() { [ "$(threads)" -eq 1 ]; }
idle() { [ "$(fds)" -le "$base" ] && [ "$(threads)" -eq 1 ]; }
running() { grep -q 'test: ' "$TMP/server"; }

# ---- where it listens ------------------------------------------------------------------------
serve
is "it listens on loopback unless told" "$(B ss -Hltn 'sport = :5212' | awk '{ print $4 }' | sort | xargs)" \
	"127.0.0.1:5212 [::1]:5212"
rc=0
B "$NETTUNE" --probe localhost --test rr --time 0.2 >/dev/null 2>"$TMP/err" || rc=$?
is "and serves there" "$rc" 0
run A "$NETTUNE" --probe 10.77.0.2 --test rr
is "nobody else reaches it" "$rc" 1
like "which is told in one line" "$err" "^nettune: nothing listens on '10.77.0.2' port 5212: run nettune --serve"
refuses "a port in use" 1 "cannot listen on '127.0.0.1' port 5212: Address already in use" \
	ip netns exec pb "$NETTUNE" --serve
stop_server
is "SIGTERM ends it" "$rc" 0

serve --bind 10.77.0.2 --allow 10.78.0.0/16,fd77::/64
run A "$NETTUNE" --probe 10.77.0.2 --test rr
is "--allow keeps others out" "$rc" 1
like "which is told as what it may be" "$err" 'closed the connection without a word: does it --allow this host'
stop_server
serve --bind 10.77.0.2 --allow 10.77.0.0/31 --one-shot
probe 10.77.0.2 --test rr --time 0.2
is "--allow lets its own in" "$rc" 0
rc=0
until_true test ! -e "/proc/$server/fd/0" || kill "$server"
wait "$server" || rc=$?
is "--one-shot ends by itself" "$rc" 0
refuses "an --allow that is none" 2 "'10.0.0.0/33' is not a network" "$NETTUNE" --serve --allow 10.0.0.0/33
refuses "an --allow that names none" 2 "'--allow': ',' names nothing" "$NETTUNE" --serve --allow ","
refuses "a --bind that is none" 2 "cannot listen on 'nowhere.invalid'" "$NETTUNE" --serve --bind nowhere.invalid

refuses "a link-local --bind without its link" 2 "cannot listen on 'fe80::.*': a link-local address needs its link" \
	ip netns exec pb "$NETTUNE" --serve --bind "$(ip -n pb -6 -o addr show dev v1 scope link | sed -n 's|.*inet6 \([^/]*\)/.*|\1|p')"

# ---- the key ------------------------------------------------------------------------------------
head -c 32 /dev/urandom >"$TMP/key"
head -c 32 /dev/urandom >"$TMP/other"
echo 'a pass phrase' >"$TMP/phrase"
echo short >"$TMP/short"
chmod 600 "$TMP"/key "$TMP"/other "$TMP"/phrase "$TMP"/short
serve --bind :: --key "$TMP/key"
refuses "no key" 1 'the server wants a key: give --key FILE' \
	ip netns exec pa "$NETTUNE" --probe 10.77.0.2
refuses "a wrong key" 1 'the key is wrong' \
	ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --key "$TMP/other"
refuses "a key too short" 1 "key file '.*' is too short" \
	ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --key "$TMP/short"
probe 10.77.0.2 --test rr --time 0.2 --key "$TMP/key"
holds "the right key" 'd["server"]["authenticated"] is True and d["server"]["kernel"] != ""'
# the key itself, and what is said after it was proved, cannot be read on the wire
ip netns exec pa python3 - "$TMP" "$NETTUNE" <<'PY'
import socket, subprocess, sys, threading
tmp, nettune = sys.argv[1:3]
a = socket.socket()
a.bind(('127.0.0.1', 5300))
a.listen()
p = subprocess.Popen([nettune, '--probe', '127.0.0.1:5300', '--test', 'rr', '--key', tmp + '/key'],
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
c, _ = a.accept()
s = socket.create_connection(('10.77.0.2', 5212))
seen = [b'', b'']
def copy(i, x, y):
    try:
        while d := x.recv(65536):
            seen[i] += d
            y.sendall(d)
    except OSError:
        pass
t = [threading.Thread(target=copy, args=q, daemon=True) for q in ((0, c, s), (1, s, c))]
[x.start() for x in t]
t[0].join(3)
p.kill()
p.wait()
open(tmp + '/wire', 'wb').write(seen[0] + seen[1])
PY
check "neither the key nor the test can be read on the wire" python3 -c '
import sys
w, k = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read()
sys.exit(not (len(w) > 300 and b"nonce" in w and k not in w and k.hex().encode() not in w
	and b"groups" not in w and b"seconds\":1.5" not in w))' "$TMP/wire" "$TMP/key"
stop_server
serve --bind :: --key "$TMP/phrase"
probe 10.77.0.2 --test rr --time 0.2 --key "$TMP/phrase"
is "a pass phrase is a key too" "$rc" 0
stop_server
serve --bind ::
refuses "a server without the key is not trusted" 1 "uses no key" \
	ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --key "$TMP/key"

# ---- junk ---------------------------------------------------------------------------------------
probe 10.77.0.2 --test stream,crr,udp --time 0.3
base=$(fds)
mem=$(rss)
ip netns exec pa python3 "$SRCDIR/tests/lib/probe_junk.py" 10.77.0.2 5212 10000 >"$TMP/junk" 2>&1 &
junk=$!
most=0
served=0
while kill -0 "$junk" 2>/dev/null; do
	n=$(fds)
	[ "$n" -gt "$most" ] && most=$n
	[ "$served" -ge 2 ] || { probe 10.77.0.2 --test rr --time 0.2 && [ "$rc" -eq 0 ] && served=$((served + 1)); }
	sleep 0.2
done
diag <"$TMP/junk"
like "10,000 bad connections came" "$(cat "$TMP/junk")" '^10000 connections'
check "good clients are served among them ($served)" test "$served" -ge 1
check "descriptors stay bounded ($most)" test "$most" -le $((base + 400))
check "and come back" until_true idle
check "memory does too ($mem kB, $(rss) kB)" test "$(rss)" -le $((mem + 20000))
probe '[fd77::2]' --test stream --time 0.3
is "and it serves on" "$rc" 0

probe 10.77.0.2 --test rr --time 0.2
is "clients that ask for nothing take nobody's place" "$rc" 0

ip netns exec pa python3 "$SRCDIR/tests/lib/probe_crr_flood.py" 10.77.0.2 5212 300 \
	>"$TMP/flood" 2>&1 &
flood=$!
pids+=("$flood")
check "one client's connections" until_true grep -q open "$TMP/flood"
check "are bounded when it does not end them ($(fds))" test "$(fds)" -le $((base + 20))
kill "$flood"
wait "$flood" 2>/dev/null
check "and end with it" until_true idle
ip netns exec pa python3 "$SRCDIR/tests/lib/probe_crr_flood.py" 10.77.0.2 5212 300 \
	>"$TMP/flood" 2>&1 &
flood=$!
pids+=("$flood")
until_true grep -q served "$TMP/flood"
stop_server
is "a server that ends does so before them" "$rc" 0
kill "$flood"
wait "$flood" 2>/dev/null
serve --bind ::
ip netns exec pa python3 "$SRCDIR/tests/lib/probe_crr_flood.py" 10.77.0.2 5212 264 128 \
	>"$TMP/flood" 2>&1 &
flood=$!
pids+=("$flood")
check "as many as a test may have take no newcomer's place" until_true grep -q served "$TMP/flood"
diag <"$TMP/flood"
kill "$flood"
wait "$flood" 2>/dev/null
until_true idle

ip netns exec pa python3 "$SRCDIR/tests/lib/probe_greedy.py" 10.77.0.2 5212 "$server" >"$TMP/greedy" 2>&1
like "who reads no answer is turned away" "$(cat "$TMP/greedy")" '^turned away$'
until_true idle

# ---- clients that stop or die ---------------------------------------------------------------------
: >"$TMP/server"
ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --test reverse --time 1 --streams 4 >/dev/null 2>&1 &
stuck=$!
pids+=("$stuck")
until_true running
kill -STOP "$stuck"
probe 10.77.0.2 --test rr --time 0.5
is "while one client does not read, another is served" "$rc" 0
check "the test of the one that does not read is ended" until_true one_thread
kill -KILL "$stuck"
wait "$stuck" 2>/dev/null
check "nothing is left of it" until_true idle

: >"$TMP/server"
ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --test bidir --time 20 --streams 3 >/dev/null 2>&1 &
victim=$!
until_true running
run A "$NETTUNE" --probe 10.77.0.2 --test rr --time 0.3
like "who is not alone is told" "$out" '^  there  1 other test ran meanwhile'
kill -KILL "$victim"
wait "$victim" 2>/dev/null
check "a client killed in mid-test leaves nothing" until_true idle

: >"$TMP/server"
ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --test stream,rr --time 20 >"$TMP/out" 2>"$TMP/err" &
client=$!
until_true running
sleep 0.8
kill -INT "$client"
rc=0
wait "$client" || rc=$?
is "a client that is interrupted ends well" "$rc" 0
like "and prints what it has" "$(cat "$TMP/out")" '^stream +up [0-9.]+ Mbit/s'
like "and says so" "$(cat "$TMP/out")" 'interrupted$'
unlike "and begins no further test" "$(cat "$TMP/out")" '^rr '
check "the server is free at once" until_true idle

# stop_short OPTIONS...: interrupt a client while its server hangs; $rc, $out, $err
stop_short() {
	: >"$TMP/server"
	ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --time 30 "$@" >"$TMP/out" 2>"$TMP/err" &
	client=$!
	until_true running
	sleep 1
	kill -STOP "$server"
	kill -INT "$client"
	rc=0
	wait "$client" || rc=$?
	kill -CONT "$server"
	out=$(cat "$TMP/out") err=$(cat "$TMP/err")
	cp "$TMP/out" "$TMP/json"
	until_true idle
}
stop_short --test stream,rr --warmup 0
is "one whose server hangs, too" "$rc" 0
like "it prints what it saw itself" "$out" '^stream +sent [0-9.]+ Mbit/s'
like "with its CPU" "$out" '^  here +CPU'
like "says that there is no more" "$out" '^  there  its figures did not come'
like "and why it tells no limit" "$(tr -s ' \n' ' ' <<<"$out")" " limit can't tell: the other end's figures did not come; this end sent [0-9]"
stop_short --test bidir --warmup 0 --json
holds "in JSON the other end is null" 'p["there"] is None and p["up_bps"] is None and p["verdict_up"]["limit"] == "unknown"'
holds "but not what came from it" 'd["interrupted"] is True and p["down_bps"] > 0 and p["here"]["tx_bytes"] > 0 and p["here"]["cpu"] is not None'
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "and that follows the schema" python3 -c '
import json, sys, jsonschema
jsonschema.Draft202012Validator(json.load(open(sys.argv[2]))).validate(json.load(open(sys.argv[1])))' \
		"$TMP/json" "$SRCDIR/schema/nettune-probe-1.json"
fi
stop_short --test udp --warmup 0
like "datagrams sent are told" "$out" '^udp +up +sent [0-9.]+ Mbit/s'
stop_short --test stream,rr --warmup 30
is "interrupted in the warm-up it has nothing" "$rc" 1
like "and says so" "$out" '^stream +interrupted: nothing was measured$'
unlike "with no figure" "$out" 'Mbit/s|^rr '
stop_short --test stream --warmup 30 --json
holds "in JSON, too" 'd["interrupted"] is True and [(t["interrupted"], t["error"], t["parts"]) for t in d["tests"]] == [(True, None, [])]'

tells_full "a full disk is told" ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --test stream --time 0.2 --json
run A "$NETTUNE" --probe 10.77.0.2 --test stream --time 500
like "a test too long is refused" "$err" 'allows tests of 120 s at most'
for i in 1 2 3 4; do
	ip netns exec pa "$NETTUNE" --probe 10.77.0.2 --test rr --time 3 >/dev/null 2>&1 &
	crowd[i]=$!
done
sleep 1
run A "$NETTUNE" --probe 10.77.0.2 --test rr --time 0.2
like "one host has four clients at most" "$err" 'as many clients as it may have'
for p in "${crowd[@]}"; do wait "$p"; done
check "all are gone in the end" until_true idle
stop_server
is "nothing leaked" "$rc" 0

serve --bind :: --max-time 2 --max-streams 4 --max-rate 50Mbit
told='all("--max-rate" in v["text"] for v in (d["tests"][0]["parts"][0]["verdict_up"], d["tests"][1]["parts"][0]["verdict_down"]))'
probe_until "$told" 10.77.0.2 --test stream,reverse,udp --time 1.5 --pacing 1Gbit
holds "the server's rate limit holds both ways" 'd["tests"][0]["parts"][0]["up_bps"] < 60e6 and d["tests"][1]["parts"][0]["down_bps"] < 60e6 and d["tests"][2]["parts"][1]["down_bps"] < 60e6'
holds "and is told as what limits" "$told"
run A "$NETTUNE" --probe 10.77.0.2 --test loaded --time 0.6 --warmup 0
check "what is run is told, whole" until_true grep -q 'test: rr and bulk, 2 streams, 0.2 s' "$TMP/server"
run A "$NETTUNE" --probe 10.77.0.2 --test stream --time 1 --streams 5
like "and its limit of streams" "$err" 'allows 4 streams'
run A "$NETTUNE" --probe 10.77.0.2 --test stream --time 2 --warmup 1.5
like "its limit of time is for warm-up, too" "$err" 'tests of 2 s at most, with what is above 1 s of warm-up'
run A "$NETTUNE" --probe 10.77.0.2 --test crr,udp --time 0.3 --congestion nosuch
like "an option that cannot be had is told, in connections made anew, too" "$err" \
	"^nettune: crr: .*this kernel has no congestion control 'nosuch'"
like "and the next test is run" "$out" '^udp +down'
stop_server
# one that only the server may have
cc=$(comm -23 <(xargs -n1 </proc/sys/net/ipv4/tcp_available_congestion_control | sort) \
	<(xargs -n1 </proc/sys/net/ipv4/tcp_allowed_congestion_control | sort) | head -1)
if [ -n "$cc" ]; then
	serve --bind ::
	run A setpriv --bounding-set=-net_admin --inh-caps=-net_admin \
		"$NETTUNE" --probe 10.77.0.2 --test crr,udp --time 0.3 --congestion "$cc"
	like "also where this end alone cannot" "$err" "^nettune: crr: .*congestion control '$cc'"
	like "and again the next test is run" "$out" '^udp +down'
	stop_server
else
	ok 0 "a congestion control for the privileged # SKIP there is none"
fi
serve --bind :: --max-rate 4Mbit
probe 10.77.0.2 --test stream --time 1 --streams 16
holds "many streams do not go beyond the limit of rate" '0 < d["tests"][0]["parts"][0]["up_bps"] < 8e6'
# an end counts both ways; a transaction that began before the window may end in it, and what
# a busy machine missed is made up for
sum='8 * (p["here"]["tx_bytes"] + p["here"]["rx_bytes"]) / p["here"]["seconds"]'
probe 10.77.0.2 --test crr --time 0.6 --streams 4 --response 10000
holds "nor do all connections made anew together" "0 < $sum < 8e6"
probe 10.77.0.2 --test many-rr --time 0.6 --streams 4 --request 20000
holds "nor requests" "0 < $sum < 8e6"
probe 10.77.0.2 --test udp --time 0.6 --streams 2 --pacing 1Gbit
holds "nor datagrams, which the client holds back itself" '0 < p["up_bps"] < 8e6 and d["tests"][0]["parts"][1]["down_bps"] < 8e6'
stop_server
serve --bind :: --max-rate 10
probe 10.77.0.2 --test stream,reverse,crr --time 0.4 --streams 16
holds "nor beyond one of less than a bit for each" 'd["tests"][0]["parts"][0]["up_bps"] <= 10 and d["tests"][1]["parts"][0]["down_bps"] <= 10 and d["tests"][2]["parts"][0]["here"]["transactions"] == 0'

# ---- a server that dies, and one that is none -------------------------------------------------------
: >"$TMP/server"
A "$NETTUNE" --probe 10.77.0.2 --test stream,rr --time 1.5 >"$TMP/out" 2>"$TMP/err" &
client=$!
until_true grep -q 'test: rr' "$TMP/server"
kill -KILL "$server"
wait "$server" 2>/dev/null
rc=0
wait "$client" || rc=$?
is "a client whose server dies fails" "$rc" 1
like "and says so" "$(cat "$TMP/err")" '^nettune: rr: (the server closed|the connection to the server broke|a data connection broke)'
like "and prints what it has" "$(cat "$TMP/out")" '^stream +up [0-9.]+ Mbit/s'
unlike "which nobody interrupted" "$(cat "$TMP/out")" interrupted
B python3 -c '
import socket
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("10.77.0.2", 5212)); s.listen()
c, _ = s.accept(); c.recv(64); c.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"); c.close()' &
other=$!
until_true listens 5212
refuses "a server that is none" 1 'is not the probe.s protocol' ip netns exec pa "$NETTUNE" --probe 10.77.0.2
wait "$other"

is "time is taken from a clock that nobody sets" \
	"$(grep -lE 'CLOCK_REALTIME|gettimeofday|[^a-z_]time\(' "$SRCDIR"/src/probe/*.c)" ""
done_testing
