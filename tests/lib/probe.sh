# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests of the probe, after in_netns: namespaces pa and pb joined by veth v0 - v1,
# 10.77.0.1 and 10.77.0.2, fd77::1 and fd77::2; a server in pb; JSON by python.

A() { ip netns exec pa "$@"; }
B() { ip netns exec pb "$@"; }

pids=()
tap_clean() {
	for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null; done
	rm -rf "$TMP"
}

two_hosts() {
	ip netns add pa && ip netns add pb || skip_all "no named network namespaces here"
	ip link add v0 netns pa type veth peer name v1 netns pb
	ip -n pa addr add 10.77.0.1/24 dev v0
	ip -n pb addr add 10.77.0.2/24 dev v1
	ip -n pa addr add fd77::1/64 dev v0 nodad
	ip -n pb addr add fd77::2/64 dev v1 nodad
	for x in "pa v0" "pb v1" "pa lo" "pb lo"; do
		ip -n "${x% *}" link set "${x#* }" up
	done
	# the default may be another one, and a namespace may not be allowed to change it
	ip -n pa route change 10.77.0.0/24 dev v0 src 10.77.0.1 congctl cubic
	ip -n pb route change 10.77.0.0/24 dev v1 src 10.77.0.2 congctl cubic
}

# until COMMAND...: wait up to 10 s for it to succeed
until_true() {
	local i
	for i in $(seq 100); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}

listens() { ss -N pb -Hltn "sport = :$1" 2>/dev/null | grep -q . || B ss -Hltn "sport = :$1" | grep -q .; }

# serve [OPTIONS]: a server in pb on port 5212; $server is its pid, its words go to $TMP/server
serve() {
	# the sanitizer's quarantine would look like a leak in VmRSS
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:quarantine_size_mb=1 \
		ip netns exec pb "$NETTUNE" --serve "$@" >"$TMP/server" 2>&1 &
	server=$!
	pids+=("$server")
	until_true listens 5212 || { diag <"$TMP/server"; return 1; }
}

# stop_server: $rc is its exit status: a leak found at the end shows there
stop_server() {
	kill "$server" 2>/dev/null
	rc=0
	wait "$server" || rc=$?
}

# probe ARGS...: from pa; $TMP/json, $TMP/err, $rc
probe() {
	rc=0
	A "$NETTUNE" --probe "$@" --json >"$TMP/json" 2>"$TMP/err" </dev/null || rc=$?
	[ "$rc" -eq 0 ] || diag <"$TMP/err"
}

# probe_until EXPRESSION ARGS...: as probe, up to three times, until EXPRESSION holds of it:
# what else the machine does disturbs a short measurement
probe_until() {
	local want=$1 i
	shift
	for i in 1 2 3; do
		probe "$@"
		[ "$(j "$want" 2>/dev/null)" = True ] && break
	done
}

# j EXPRESSION: of the last probe; d is the document, p its first test's first part
j() {
	python3 - "$TMP/json" "$1" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
p = d['tests'][0]['parts'][0] if d['tests'] and d['tests'][0]['parts'] else None
print(eval(sys.argv[2]))
PY
}

# holds TEXT EXPRESSION: of the last probe; shows what it knows when it does not hold
holds() {
	local v
	v=$(j "$2" 2>&1)
	[ "$v" = True ]
	ok $? "$1"
	[ "$v" = True ] || printf '%s\n' "$v" "$(j '[(t["test"], t["error"], [(q["name"], q["up_bps"], q["down_bps"], q["rate"], q["verdict_up"], q["verdict_down"]) for q in t["parts"]]) for t in d["tests"]]' 2>&1)" | tail -12 | diag
}

# far DELAY_MS LOSE_ONE_IN: replace the veth by a path with delay and loss
far() {
	python3 "$SRCDIR/tests/lib/delay.py" "$1" "$2" >"$TMP/far" 2>&1 &
	far=$!
	pids+=("$far")
	until_true grep -q ready "$TMP/far" || return 1
	ip link set d0 netns pa && ip link set d1 netns pb || return 1
	ip -n pa link set v0 down
	ip -n pb link set v1 down
	ip -n pa addr add 10.78.0.1/24 dev d0
	ip -n pb addr add 10.78.0.2/24 dev d1
	ip -n pa link set d0 up
	ip -n pb link set d1 up
	ip -n pa route change 10.78.0.0/24 dev d0 src 10.78.0.1 congctl cubic
	ip -n pb route change 10.78.0.0/24 dev d1 src 10.78.0.2 congctl cubic
	until_true A ping -c1 -W1 10.78.0.2
}
near() {
	kill -9 "$far"
	wait "$far" 2>/dev/null
	ip -n pa link set v0 up
	ip -n pb link set v1 up
	ip -n pa addr replace fd77::1/64 dev v0 nodad
	ip -n pb addr replace fd77::2/64 dev v1 nodad
	until_true A ping -c1 -W1 10.77.0.2
}
