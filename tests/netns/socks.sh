#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What holds live connections back, against ss: one with a small send buffer, one whose
# receiver is slow, one to this host itself, all left open when they have stopped.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

ip link set lo up
ip link add v0 type veth peer name v1
unshare -n sleep 60 &
other=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break
	sleep 0.1
done
ip link set v1 netns $other
ip addr add 10.31.0.1/24 dev v0
ip -6 addr add 2001:db8:31::1/64 dev v0 nodad
ip link set v0 up
nsenter -t $other -n sh -c 'ip addr add 10.31.0.2/24 dev v1
	ip -6 addr add 2001:db8:31::2/64 dev v1 nodad; ip link set v1 up'

server='import socket, sys, time
s = socket.create_server((sys.argv[1], 7), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
c = s.accept()[0]
while c.recv(int(sys.argv[2])):
    time.sleep(float(sys.argv[3]))'
client='import os, socket, sys, time
s = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
if int(sys.argv[2]):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, int(sys.argv[2]))
s.connect((sys.argv[1], 7))
s.settimeout(0.2 if sys.argv[4:] else None) # a slow receiver must not keep it from stopping
while not os.path.exists(sys.argv[3]):
    try:
        s.send(b"x" * 65536)
    except socket.timeout:
        pass
print("sent", flush=True)
time.sleep(30)'
nsenter -t $other -n python3 -c "$server" 10.31.0.2 65536 0 & pids=$!
nsenter -t $other -n python3 -c "$server" 2001:db8:31::2 2000 0.001 & pids="$pids $!"
python3 -c "$server" 127.0.0.1 2000 0.001 & pids="$pids $!"
sleep 0.7
python3 -c "$client" 10.31.0.2 8192 "$TMP/stop" >"$TMP/a" & pids="$pids $!"
python3 -c "$client" 2001:db8:31::2 0 "$TMP/stop" slow >"$TMP/b" & pids="$pids $!"
python3 -c "$client" 127.0.0.1 4096 "$TMP/stop" slow >"$TMP/c" & pids="$pids $!"

# while they run: the interval between two readings
sleep 1
"$NETTUNE" --report=json --interval 1 >"$TMP/busy.json"
for _ in $(seq 100); do # all three busy for more than a second
	[ "$(ss -tinH state established |
		grep -cE 'busy:(1[1-9][0-9]{2}|[2-9][0-9]{3}|[0-9]{5,})ms')" -ge 3 ] && break
	sleep 0.1
done
touch "$TMP/stop"
for _ in $(seq 60); do
	[ -s "$TMP/a" ] && [ -s "$TMP/b" ] && [ -s "$TMP/c" ] && break
	sleep 0.1
done
kill -STOP $(echo "$pids" | cut -d' ' -f2) # the slow receiver: what it has not read stays
sleep 0.5
"$NETTUNE" --report=json --interval 0 >"$TMP/life.json"
ss -tinmH state established >"$TMP/ss.txt"

cat >"$TMP/compare.py" <<'END'
import json, re, sys
facts = json.load(open(sys.argv[1]))['host']['facts']
socks = [s for s in re.split(r'\n(?=\S)', open(sys.argv[2]).read().strip()) if '127.0.0.1' not in s]
pct, worst = {'sndbuf': 0.0, 'rwnd': 0.0}, None
for s in socks:
    busy = re.search(r'busy:(\d+)ms', s)
    if not busy or int(busy[1]) < 1000:
        continue
    for what in pct:
        m = re.search(what + r'_limited:\d+ms\(([\d.]+)%\)', s)
        v = float(m[1]) if m else 0.0
        if v > pct[what] or worst is None:
            if what == 'sndbuf':
                worst = int(re.search(r',tb(\d+)', s)[1])
            pct[what] = max(v, pct[what])
print('ss says', pct, worst, len(socks), {k: v for k, v in facts.items() if k.startswith('tcp.')})
assert facts['tcp.sockets'] == len(socks) == 2
assert abs(facts['tcp.sndbuf_limited_pct'] - pct['sndbuf']) < 0.2
assert facts['tcp.sndbuf_limited_sndbuf'] == worst
if sys.argv[3] == 'stopped':  # the other connection's clock still runs
    assert facts['tcp.rwnd_limited_pct'] > 30 and pct['rwnd'] > 30
    assert abs(facts['tcp.rwnd_limited_pct'] - pct['rwnd']) < 5
END
check "shares over their lives as ss says" python3 "$TMP/compare.py" "$TMP/life.json" "$TMP/ss.txt" stopped
value() { python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["host"][sys.argv[2]].get(sys.argv[3]))' "$@"; }
like "shares of the interval while they run" "$(value "$TMP/busy.json" facts tcp.rwnd_limited_pct)" \
	'^([3-9][0-9]|100)'
NETTUNE_FAULT='socks:EIO' run "$NETTUNE" --report=json --interval 0
is "no list of sockets is no failure" "$rc" 0
cp "$TMP/out" "$TMP/fault.json"
is "and has its reason" "$(value "$TMP/fault.json" absent tcp.sockets)" "sockets could not be listed"
# shellcheck disable=SC2086
kill -CONT $pids 2>/dev/null
# shellcheck disable=SC2086
kill $pids $other 2>/dev/null
sleep 0.3
"$NETTUNE" --report=json --interval 0 >"$TMP/none.json"
is "none left, nothing guessed" "$(value "$TMP/none.json" absent tcp.sndbuf_limited_pct)" \
	"no connection was busy"
done_testing
