# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by vm.sh. The probe on a real driver, on paths made by netem, and with frames that are
# freed late though they leave at once: the verdict must name what was set up.
probe_vm() { # probe_vm WHAT LAB-OPTIONS...: results in $TMP/probe-WHAT
	local what=$1 rc=0
	shift
	mkdir -p "$TMP/probe-$what/rules"
	cp "$SRCDIR"/rules/*.ini "$TMP/probe-$what/rules/"
	timeout 300 bash "$LAB" run -q "$@" -s "$TMP/probe-$what" -t 250 -p "$NETTUNE" \
		"$SRCDIR/tests/vm/guest-probe.sh" "$what" >"$TMP/probe-$what/console" 2>&1 || rc=$?
	ok "$rc" "probe: $what ran in the guest"
	[ "$rc" -eq 0 ] || cat "$TMP/probe-$what/console" "$TMP/probe-$what"/*.err | tail -20 | diag
}

said() { # said TEXT FILE EXPRESSION: d the document, p the first part of the first test
	local got
	got=$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1])); p = d["tests"][0]["parts"][0]
e = dict((t["test"], t["parts"]) for t in d["tests"])
print(eval(sys.argv[2]))
print([(t["test"], t["error"], [(q["up_bps"], q["verdict_up"], q["here"]["tcp"], q["here"]["completion"]) for q in t["parts"]]) for t in d["tests"]])' \
		"$TMP/probe-$2.json" "$3" 2>&1)
	[ "$(printf '%s\n' "$got" | sed -n 1p)" = True ]
	ok $? "probe: $1"
	[ "$(printf '%s\n' "$got" | sed -n 1p)" = True ] || printf '%s\n' "$got" | diag
}

probe_vm nic -n e1000e -w tap
said "e1000e frees what it sent at once" nic/nic \
	'all(e["completion"][0][x]["completion"]["measurable"] and not e["completion"][0][x]["completion"]["late"] and 0 <= e["completion"][0][x]["completion"]["delay_us"] < 4000 for x in ("here", "there"))'
said "its speed and interrupts are known" nic/nic \
	'p["here"]["egress"]["speed_bps"] == 1e9 and p["here"]["nic_interrupts"] > 100 and p["here"]["egress"]["virtual"] is False'

probe_vm late -w none -m veth,sch_netem,act_mirred,cls_matchall,sch_ingress
said "frames freed after 10 ms are found" late/late \
	'8000 < e["completion"][0]["here"]["completion"]["delay_us"] < 13000 and e["completion"][0]["here"]["completion"]["late"]'
said "and named as the limit of a flow on a path of 20 ms" late/late \
	'p["verdict_up"]["limit"] == "late-completion" and p["up_bps"] < 30e6'
said "a virtual link is not judged unless told" late/virtual \
	'p["here"]["completion"]["measurable"] is False and "virtual" in p["here"]["completion"]["reason"]'

probe_vm path -w none -m veth,sch_netem,sch_tbf,tcp_bbr
said "a small tcp_wmem is the send buffer" path/sndbuf \
	'p["verdict_up"]["limit"] == "send-buffer" and p["up_bps"] < 100e6'
check "probe: the report proposes a larger tcp_wmem" python3 -c '
import json, sys
f = [x for x in json.load(open(sys.argv[1]))["findings"] if x["rule"] == "probe-sndbuf-limited"]
sys.exit(not (f and f[0]["changes"][0]["tunable"] == "sysctl.net.ipv4.tcp_wmem.max" and f[0]["changes"][0]["from"] == 65536))' \
	"$TMP/probe-path/before.json"
[ "$(cat "$TMP/probe-path/apply.out")" != "Nothing to change." ] || python3 - "$TMP/probe-path/before.json" <<'PY' | diag
import json, sys
print(json.load(open(sys.argv[1]))["paths"])
PY
said "which, applied, makes the flow at least three times as fast" path/after \
	"p['up_bps'] > 3 * json.load(open('$TMP/probe-path/sndbuf.json'))['tests'][0]['parts'][0]['up_bps']"
said "a small tcp_rmem is the window" path/rwnd \
	'p["verdict_up"]["limit"] == "receive-window" and p["up_bps"] < 100e6 and p["here"]["tcp"]["rwnd_limited_pct"] > 50'
said "one frame in a hundred lost is loss" path/loss \
	'p["verdict_up"]["limit"] == "path-loss" and 0.003 < e["udp"][0]["there"]["udp"]["lost"] / e["udp"][0]["here"]["udp"]["sent"] < 0.03'
said "a shaper is the qdisc" path/shaper \
	'p["verdict_up"]["limit"] == "qdisc" and 35e6 < p["up_bps"] < 50e6'
