#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --report --peer and --apply --peer: both ends are probed and judged, and each finding says at
# which end the change belongs. The faults: no time stamps here, no SACK there.
. "${SRCDIR:?}/tests/lib/tap.sh"
alone
in_netns "$@"
. "$SRCDIR/tests/lib/probe.sh"
two_hosts
ip netns exec pa sysctl -qw net.ipv4.tcp_timestamps=0
ip netns exec pb sysctl -qw net.ipv4.tcp_sack=0
head -c 32 /dev/urandom >"$TMP/key"
chmod 600 "$TMP/key"
serve --bind 10.77.0.2 --key "$TMP/key"
keyed=$server
ip netns exec pb "$NETTUNE" --serve --bind 10.77.0.2 --port 5213 >/dev/null 2>&1 &
open=$!
pids+=("$open")
until_true listens 5213

# all at once: what is asked here does not depend on the figures
go() { # go NAME COMMAND...
	local name=$1 rc=0
	shift
	A "$NETTUNE" "$@" --interval 0 >"$TMP/$name.out" 2>"$TMP/$name.err" </dev/null || rc=$?
	echo "$rc" >"$TMP/$name.rc"
}
go json --report=json --peer 10.77.0.2 --key "$TMP/key" &
clients=($!)
go apply --apply --dry-run --peer 10.77.0.2 --key "$TMP/key" &
clients+=($!)
go text --report --peer 10.77.0.2:5213 &
clients+=($!)
go both --report --peer 10.77.0.2 --key "$TMP/key" &
clients+=($!)
wait "${clients[@]}"
took() { out=$(cat "$TMP/$1.out") err=$(cat "$TMP/$1.err") rc=$(cat "$TMP/$1.rc"); }

rep() { # rep EXPRESSION: of the report
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1])); f = [(x["rule"], x["end"]) for x in d["findings"]]
print(eval(sys.argv[2]))' "$TMP/json.out" "$1"
}
took json
is "a report with a probe" "$rc" 0
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "it follows the report's schema, its probe the probe's" python3 -c '
import json, sys, jsonschema
d = json.load(open(sys.argv[1]))
jsonschema.validate(d, json.load(open(sys.argv[2] + "/nettune-report-1.json")))
jsonschema.validate(d["probe"], json.load(open(sys.argv[2] + "/nettune-probe-1.json")))' \
		"$TMP/json.out" "$SRCDIR/schema"
fi
is "the fault here is found here" "$(rep '("timestamps-off", "here") in f and ("timestamps-off", "peer") not in f')" True
is "the fault there is found there" "$(rep '("sack-off", "peer") in f and ("sack-off", "here") not in f')" True
is "its change says so too" "$(rep '[c["end"] for x in d["findings"] if x["rule"] == "sack-off" for c in x["changes"]]')" "['peer']"
is "the plan holds changes of this end alone" "$(rep 'any(s["tunable"] == "sysctl.net.ipv4.tcp_timestamps" for s in d["plan"]) and not any(s["tunable"] == "sysctl.net.ipv4.tcp_sack" for s in d["plan"])')" True
is "the path's facts were measured" "$(rep 'd["paths"][0]["peer"] == "10.77.0.2" and all(d["paths"][0]["facts"][n] > 0 for n in ("probe.throughput", "probe.throughput_in", "path.min_rtt", "probe.rr_p50", "probe.crr_rate"))')" True
is "what could not be is not 0" "$(rep 'd["paths"][0]["facts"]["probe.tx_completion"] is None and "virtual" in d["paths"][0]["absent"]["probe.tx_completion"]')" True
is "the peer's facts are the peer's" "$(rep 'd["peer"]["host"]["facts"]["sysctl.net.ipv4.tcp_sack"], d["host"]["facts"]["sysctl.net.ipv4.tcp_sack"], [l["name"] for l in d["peer"]["links"]]')" "(0, 1, ['v1'])"

took apply
is "a dry run with a probe has something to do" "$rc" 3
like "here" "$out" 'tcp_timestamps'
unlike "and nothing there" "$out" 'tcp_sack'
like "which is told" "$err" 'other end is not changed from here'

took both
all=$(tr -s ' \n' ' ' <<<"$out")
like "a change that belongs there is called so" "$all" 'cure at the other end, a setting: sysctl.net.ipv4.tcp_sack 0 '
like "derived from that end's facts" "$all" "derived from the other end's facts . rule sack-off"
like "one that belongs here as ever" "$all" "cure a setting: sysctl.net.ipv4.tcp_timestamps 0 .* derived from this host's facts . rule timestamps-off"
unlike "what was done is not proposed next" "$all" 'nettune --probe HOST'
unlike "a path's finding names sender and receiver" "$all" "to 10.77.0.[12] [^.]*(this host|The other end)"

took text
is "without a key there is still a report" "$rc" 0
like "with what was measured" "$out" '^probe +to 10.77.0.2'
unlike "but without the other end's facts" "$out" 'SACK|other end'
kill "$open" "$keyed"
rc=0
wait "$open" || rc=$?
wait "$keyed" || rc=$?
is "the servers end well" "$rc" 0
refuses "no server there" 1 'nothing listens' ip netns exec pa "$NETTUNE" --report --interval 0 --peer 10.77.0.2
refuses "--key without --peer" 2 "'--key': needs --peer" "$NETTUNE" --report --key /dev/null
done_testing
