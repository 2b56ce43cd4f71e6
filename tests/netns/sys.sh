#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The sys layer against ip, ethtool and tc, on links of every kind this kernel makes.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

S=$BUILDDIR/tests/lib/sysdump
compare() { python3 "$SRCDIR/tests/lib/compare_sys.py" "$S" "$@"; }
calmly() { # calmly COMMAND...: again where IPv6 sent something between the two readings
	local out
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		out=$("$@" 2>&1) && return
		sleep 0.3
	done
	printf '%s\n' "$out"
	return 1
}
value() { "$S" "${2%%/*}" | sed -n "s|^$1 ${2#*/} ||p"; } # value LINK GROUP/NAME

ip link set lo up
ip link add v0 type veth peer name v1
ip link add f0 type veth peer name f1
kinds="veth"
while read -r kind args; do
	# shellcheck disable=SC2086
	ip link add "k-$kind" $args type "$kind" 2>/dev/null && kinds="$kinds $kind"
done <<END
bridge
dummy
ifb
bond
macvlan link v1
END
ip link add link v1 name k-vlan type vlan id 7 2>/dev/null && kinds="$kinds vlan"
ip link add k-vxlan type vxlan id 9 dstport 4789 dev v1 2>/dev/null && kinds="$kinds vxlan"
ip tuntap add k-tap mode tap 2>/dev/null && kinds="$kinds tap"
ip link set k-tap master k-bridge 2>/dev/null
for l in v0 v1 k-bridge; do ip link set "$l" up 2>/dev/null; done
unshare -n sleep 300 &
other=$!
ip addr add 10.11.0.1/24 dev v0
ip -6 addr add 2001:db8:11::1/64 dev v0 nodad
ip route add 10.12.0.0/16 via 10.11.0.2 mtu 1400
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break
	sleep 0.1
done
ip link set f1 netns $other
ping -c 3 -i 0.01 -W 1 10.11.0.1 >/dev/null 2>&1
for _ in 1 2 3 4 5 6 7 8 9 10; do # until duplicate address detection sends no more
	a=$(ip -s link | cksum) && sleep 0.3 && [ "$a" = "$(ip -s link | cksum)" ] && break
done
echo "# links of $kinds"

check "links as ip says" calmly compare links
is "a peer in another namespace" "$(value f0 links/lower)" "- foreign"
check "ethtool values as ethtool says" compare ethtool
check "netlink and ioctl tell the same" compare paths
is "this kernel's ethtool family is used" "$("$S" path)" netlink
is "unless not wanted" "$("$S" --ioctl path)" ioctl

routes() { ip -4 route show table all; ip -6 route show table all; }
as_many_routes() { [ "$("$S" routes | grep -c ^route)" = "$(routes | wc -l)" ]; }
check "as many routes as ip lists" calmly as_many_routes
like "a route in ip's words" "$("$S" routes)" \
	'^route 10\.12\.0\.0/16 via 10\.11\.0\.2 dev v0 proto boot mtu 1400$'
is "as many addresses as ip lists" "$("$S" addrs | grep -c ' addr ')" \
	"$(ip -o addr | wc -l)"

for path in "" --ioctl; do
	via=${path:-netlink}
	# shellcheck disable=SC2086
	set_() { "$S" $path set "$@"; }
	eth() { ethtool -k v0 | sed -n "s/^\s*$1: //p"; }
	check "$via: a feature goes off" set_ v0 features feature.tx-tcp-segmentation=off
	is "$via: as ethtool sees" "$(eth tx-tcp-segmentation)" off
	check "$via: two features in one change" set_ v0 features \
		feature.tx-tcp-segmentation=on feature.rx-gro=on
	is "$via: as ethtool sees" "$(eth tx-tcp-segmentation) $(eth generic-receive-offload)" "on on"
	check "$via: back" set_ v0 features feature.rx-gro=off
	refuses "$via: a fixed feature is named" 1 "did not switch 'feature.tx-checksum-ipv4' on" \
		set_ v0 features feature.tx-checksum-ipv4=on
	run set_ v0 features feature.no-such-thing=on
	is "$via: an unknown feature is refused" "$rc" 1
	like "$via: and told" "$err" "not found|has no 'feature.no-such-thing'"
	refuses "$via: a value that cannot be set" 1 "'channels.rx.max' cannot be set" \
		set_ v0 channels channels.rx.max=3
	run set_ v0 channels channels.rx=9999
	is "$via: a value beyond the driver's" "$rc" 1
	run set_ v0 coalesce coalesce.rx-usecs=3
	like "$via: an operation the driver lacks" "$err" "coalescing of 'v0': Operation not supported"
	if [[ " $kinds " = *" tap "* ]]; then
		check "$via: coalescing" set_ k-tap coalesce coalesce.rx-frames=13
		is "$via: as ethtool sees" "$(ethtool -c k-tap | sed -n 's/^rx-frames: *//p')" 13
		check "$via: speed and duplex" set_ k-tap linkmodes link.speed=100 link.duplex=half
		like "$via: as ethtool sees" "$(ethtool k-tap | tr -d '\n')" 'Speed: 100Mb/s.*Duplex: Half'
		set_ k-tap coalesce coalesce.rx-frames=1
		set_ k-tap linkmodes link.speed=10000 link.duplex=full
	fi
done
refuses "the kernel's own words" 1 "requested channel count exceeds maximum" \
	"$S" set v0 channels channels.rx=9999

check "an mtu" "$S" mtu v0 1400
check "a queue length" "$S" txqueuelen v0 77
like "as ip sees" "$(ip -o link show v0)" ' mtu 1400 .* qlen 77'
refuses "an mtu out of range" 1 "mtu greater than device maximum" "$S" mtu v0 70000

check "a root qdisc" "$S" qdisc v0 pfifo
like "as tc sees" "$(tc qdisc show dev v0)" '^qdisc pfifo [0-9a-f]+: root'
like "as read" "$("$S" qdiscs)" '^v0 qdisc pfifo [0-9a-f]+: parent ffff:ffff root .* options 4'
check "deleted" "$S" qdisc v0
is "as tc sees" "$(tc qdisc show dev v0 | cut -d' ' -f2)" noqueue
refuses "an unknown qdisc" 1 "Specified qdisc kind is unknown" "$S" qdisc v0 nosuch
for q in "pfifo limit 33" "tbf rate 10mbit burst 10k latency 10ms" "fq limit 500 flow_limit 50" \
	"fq_codel limit 333 target 7ms" "netem delay 3ms loss 1%" "sfq perturb 10 limit 99"; do
	# shellcheck disable=SC2086
	tc qdisc replace dev v0 root handle 55: $q 2>/dev/null || continue
	want=$(tc qdisc show dev v0 | head -1 | sed 's/refcnt [0-9]*//')
	check "${q%% *}: copied with its options" "$S" copy-qdisc f0 v0
	is "${q%% *}: as tc sees" \
		"$(tc qdisc show dev f0 | head -1 | sed 's/refcnt [0-9]*//')" "$want"
	tc qdisc del dev v0 root
	tc qdisc del dev f0 root
done

# N7: an MTU below 1280 takes the IPv6 addresses and their routes away
ip route add 2001:db8:12::/48 via 2001:db8:11::2
# (the kernel makes link-local ones anew, when duplicate detection is over)
state() { (routes | sort; ip -o addr show v0) | grep -v fe80: | sed 's/ tentative//'; }
before=$(state)
check "what a change took away is put back" "$S" around v0 'ip link set v0 mtu 1000 && ip link set v0 mtu 1400'
for _ in $(seq 30); do
	[ "$(state)" = "$before" ] && break
	sleep 0.1
done
is "as ip sees" "$(state)" "$before"

# N6: /sys of another namespace
is "/sys of this namespace" "$(value v0 links/in_sysfs)" 1
inner=$(unshare -n sh -c "ip link add v0 index 99 type veth peer name v1; '$S' links" |
	sed -n 's/^v0 in_sysfs //p')
is "is not that of another with a link of the same name" "$inner" 0

export NETTUNE_FAULT
NETTUNE_FAULT='eth_get/channels:device=v1,EIO'
run "$S" channels
like "a device that fails is named" "$out" "^v1 error -5 cannot read channels of 'v1'"
like "and the others are read" "$out" '^v0 channels.rx 1'
NETTUNE_FAULT='link_set:EBUSY'
refuses "an injected fault" 1 'Device or resource busy: injected fault' "$S" mtu v0 1500
NETTUNE_FAULT='nonsense'
refuses "a fault that makes no sense" 1 "cannot understand the fault 'nonsense'" "$S" count
unset NETTUNE_FAULT

kill $other
done_testing
