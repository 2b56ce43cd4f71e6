#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Facts of the live host against ip, tc, nstat and sysctl; the catalogue, and its page.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

facts() { python3 "$SRCDIR/tests/lib/compare_facts.py" "$@"; }
report() { "$NETTUNE" --report=json --interval 0 "$@"; }
value() { # value FILE LINK-or-host FACT
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
d = d["host"] if sys.argv[2] == "host" else next(l for l in d["links"] if l["name"] == sys.argv[2])
print(d["facts"].get(sys.argv[3], "no such fact"))' "$@"
}

ip link set lo up
ip link add v0 type veth peer name v1
ip link add d0 type dummy 2>/dev/null && ip link set d0 up
ip link add m0 link v0 type macvlan 2>/dev/null && ip link set m0 up
ip link add name b0 type bridge 2>/dev/null && ip link set v1 master b0 && ip link set b0 up
ip addr add 10.21.0.1/24 dev v0
ip link set v0 up && ip link set v1 up
tc qdisc replace dev v0 root handle 1: prio 2>/dev/null &&
	tc qdisc add dev v0 parent 1:1 handle 10: pfifo limit 5
tc qdisc add dev v1 clsact 2>/dev/null
ping -c 5 -i 0.01 -W 1 10.21.0.1 >/dev/null 2>&1
judges() { # judges FOLDER: what the other programs say now
	mkdir -p "$1"
	ip -s -d -j link | sed -E 's/(_timer":)[0-9.]+/\10/g' >"$1/ip.json" # a bridge's run down
	tc -s -j qdisc >"$1/tc.json"
	NSTAT_HISTORY=$TMP/history nstat -azj >"$1/nstat.json" 2>/dev/null
}
# IPv6 sends now and then: until nothing moved between the judges before and after
for _ in $(seq 30); do
	judges "$TMP/before"
	run report
	judges "$TMP/after"
	diff -r "$TMP/before" "$TMP/after" >/dev/null && break
	sleep 0.3
done
is "the report succeeds" "$rc" 0
cp "$TMP/out" "$TMP/r.json"
cp "$TMP"/after/*.json "$TMP/"
sysctl -a >"$TMP/sysctl.txt" 2>/dev/null
check "links and their counters as ip says" facts links "$TMP/r.json" "$TMP/ip.json"
check "queueing disciplines as tc says" facts qdiscs "$TMP/r.json" "$TMP/tc.json"
check "protocol counters as nstat says" facts snmp "$TMP/r.json" "$TMP/nstat.json"
check "sysctls as sysctl says, no secret, none of a link" facts sysctls "$TMP/r.json" "$TMP/sysctl.txt"
"$NETTUNE" --list-facts --json >"$TMP/names.json"
check "every fact is of the catalogue, or has a reason" facts names "$TMP/r.json" "$TMP/names.json"
like "loopback is not interesting" "$(value "$TMP/r.json" v0 link.up) $(grep -c '"name": "lo"' "$TMP/r.json")" \
	'^True 0$'
is "addresses of a link" "$(value "$TMP/r.json" v0 link.addresses | cut -d' ' -f1)" 10.21.0.1/24
is "what a link is" "$(value "$TMP/r.json" v0 link.role)" veth

# a list longer than a page, written in pieces as the kernel wants it
python3 - <<'EOF'
import os
fd = os.open('/proc/sys/net/ipv4/ip_local_reserved_ports', os.O_WRONLY)
for first in range(10000, 20000, 1000):
    os.write(fd, ','.join(str(p) for p in range(first, first + 1000, 2)).encode())
EOF
report >"$TMP/long.json"
is "a sysctl of many pages is read whole" \
	"$(value "$TMP/long.json" host sysctl.net.ipv4.ip_local_reserved_ports | md5sum)" \
	"$(dd if=/proc/sys/net/ipv4/ip_local_reserved_ports bs=1M status=none | md5sum)"
is "such as this" "$(value "$TMP/long.json" host sysctl.net.ipv4.ip_local_reserved_ports | wc -c)" 30000
echo >/proc/sys/net/ipv4/ip_local_reserved_ports

# a link that is named: its own sysctls, and it alone
report v0 >"$TMP/v0.json"
is "the named link's sysctls" "$(value "$TMP/v0.json" host sysctl.net.ipv4.conf.v0.rp_filter)" \
	"$(sysctl -n net.ipv4.conf.v0.rp_filter)"
is "and no other's" "$(value "$TMP/v0.json" host sysctl.net.ipv4.conf.v1.rp_filter)" "no such fact"
is "the named link alone" "$(grep -c '"driver":' "$TMP/v0.json")" 1
ip link set v1 down
report lo v1 >"$TMP/down.json"
is "named links, though loopback or down" "$(grep -c '"driver":' "$TMP/down.json")" 2
ip link set v1 up
refuses "a link that does not exist" 2 "no link 'nix0'" report nix0

# one device errs in the midst of a dump
NETTUNE_FAULT='eth_get/features:device=v0,EIO' run report
is "one failing device is no failure" "$rc" 0
like "it is named" "$err" "^nettune: 'v0': features: "
cp "$TMP/out" "$TMP/fault.json"
is "what it lacks has a reason" "$(value "$TMP/fault.json" v0 feature.rx-gro)" "no such fact"
is "others are complete" "$(value "$TMP/fault.json" v1 feature.rx-gro)" \
	"$(ethtool -k v1 | sed -n 's/^generic-receive-offload: //p')"
like "also why a rule is undecided" "$(python3 -c '
import json, sys
for u in json.load(open(sys.argv[1]))["unknown"]:
    if (u["rule"], u["link"]) == ("tso-off", "v0"):
        print(u["missing"][0])' "$TMP/fault.json")" "'reason': 'could not be read'"
NETTUNE_FAULT='eth_get/features:device=v0,EIO' run "$NETTUNE" --report --interval 0
like "and the text names link and group" "$out" 'not read: feature\.\* of v0 \(could not be read\)'
NETTUNE_FAULT='qdiscs:EIO' run report
is "no list of queueing disciplines is no failure" "$rc" 0
like "but told" "$err" '^nettune: queueing disciplines: '

why() { # why FACT: the reason in $TMP/out
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["host"]["absent"].get(sys.argv[2]))' \
		"$TMP/out" "$1"
}
NETTUNE_FAULT='read//proc/net/snmp:EIO;read//proc/net/netstat:ENOENT;read//proc/meminfo:EIO' run report
is "a file of the host that fails is no failure" "$rc" 0
is "a counter in it could not be read" "$(why snmp.Tcp.RetransSegs)" "could not be read"
is "nor a fact of its own" "$(why host.memory)" "could not be read"
is "where there is no file, that is said" "$(why snmp.TcpExt.ListenOverflows)" "its file is not there"
NETTUNE_FAULT='list//proc/sys/net:ENOENT' run report
is "all sysctls" "$(why sysctl.net.core.netdev_max_backlog), $(why sysctl.net.core.somaxconn)" \
	"its file is not there, its file is not there"

# two readings: rates of what moves, none of what is a state
"$NETTUNE" --report=json --interval 0.5 >"$TMP/rate.json" &
reading=$!
while kill -0 $reading 2>/dev/null; do ping -c 1 -W 1 127.0.0.1 >/dev/null 2>&1; sleep 0.05; done
wait $reading
is "pings become a rate" "$(value "$TMP/rate.json" host rate.snmp.Icmp.InEchos | grep -c '^[1-9]')" 1
is "a state has no rate" "$(value "$TMP/rate.json" host rate.snmp.Tcp.CurrEstab)" "no such fact"
is "read once there is no rate" "$(value "$TMP/r.json" v0 rate.stats64.rx_bytes)" None

# the other end in another namespace may have the very number of this one there
unshare -n sleep 300 &
other=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break
	sleep 0.1
done
ip link add twin0 index 77 type veth peer name twin0 index 77 netns $other
is "a peer of the same number in another namespace" \
	"$(report twin0 | python3 -c 'import json, sys
l = json.load(sys.stdin)["links"][0]
print(l["facts"]["link.peer"], l["absent"].get("link.peer"))')" "None in another network namespace"
kill $other

# the catalogue's own page
page=$BUILDDIR/man/nettune-facts.7
[ -f "$page" ] || page=$SRCDIR/man/nettune-facts.7
check "the page has every name" python3 -c 'import json, sys
page = open(sys.argv[2]).read().replace("\\-", "-")
names = [r["name"] for r in json.load(open(sys.argv[1]))["facts"]]
lack = [n for n in names if ".It Ic %s\n" % n not in page]
sys.exit("lacks %s" % lack if lack or len(names) < 200 else 0)' "$TMP/names.json" "$page"
if command -v mandoc >/dev/null; then
	is "the page is sound" "$(mandoc -T lint -W warning "$page" 2>&1 | grep -v 'mandoc.db')" ""
fi
is "as many lines as facts" "$("$NETTUNE" --list-facts | wc -l)" "$(grep -c '"meaning"' "$TMP/names.json")"

done_testing
