# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the guest: what the sys layer sets on eth0 of namespace a by each path, and what
# ethtool then says. Writes "TEXT|GOT|WANT" lines to /lab/results. GUEST_MODEL chooses.
model=$(cat /lab/model)
n=0
until [ "$(A cat /sys/class/net/eth0/carrier 2>/dev/null)" = 1 ] || [ $n -ge 60 ]; do
	n=$((n + 1)); usleep 100000
done
G="features coalesce rings channels pause eee linkmodes linkinfo fec rss drivers"
A sysdump $G > /lab/netlink.txt 2>&1
A sysdump --ioctl $G > /lab/ioctl.txt 2>&1

is() { echo "$1|$2|$3" >> /lab/results; }
set_() { A sysdump $path set eth0 "$@" > /tmp/out 2>&1 && echo done || cat /tmp/out; }
current() { A ethtool "$1" eth0 | sed -n '/^Current/,$p' | sed -n "s/^$2:[[:space:]]*//p"; }
feature() { A ethtool -k eth0 | sed -n "s/^[[:space:]]*$1: \([a-z]*\).*/\1/p"; }

rings() {
	is "$via: rings are set" "$(set_ rings ring.rx=$1 ring.tx=$2)" done
	is "$via: as ethtool says" "$(current -g RX) $(current -g TX)" "$1 $2"
	is "$via: a ring too large" "$(set_ rings ring.rx=99999 | grep -c 'Invalid argument')" 1
	is "$via: rings back" "$(set_ rings ring.rx=$3 ring.tx=$4)" done
}

spread() { # the queues that ethtool says the first four of 128 entries have
	A ethtool -x eth0 | sed -n 's/^ *0:\(\( *[0-9]\)\{4\}\).*/\1/p' | xargs
}

rss() {
	is "$via: spread over queues" "$(A sysdump $path rss | xargs)" \
		"eth0 rss.queues 2 eth0 rss.table equal"
	is "$via: a table is set" "$(set_ rss "rss.table=1*2 0 1*125")" done
	is "$via: as ethtool says" "$(spread)" "1 1 0 1"
	is "$via: as read" "$(A sysdump $path rss | tail -1)" "eth0 rss.table 1*2 0 1*125"
	A ethtool -X eth0 weight 1 0
	is "$via: one queue alone" "$(A sysdump $path rss | xargs)" \
		"eth0 rss.queues 1 eth0 rss.table 0*128"
	for bad in "0 1" "0*129" "0*128 1" "0*64 -1*64" "0*4294967424" ""; do
		is "$via: no table: '$bad'" "$(set_ rss "rss.table=$bad" | grep -c 'of 128 entries')" 1
	done
	is "$via: equal again" "$(set_ rss rss.table=equal) $(spread)" "done 0 1 0 1"
}

features() {
	is "$via: TSO off" "$(set_ features feature.tx-tcp-segmentation=off)" done
	is "$via: as ethtool says" "$(feature tx-tcp-segmentation)" off
	is "$via: TSO and SG on" \
		"$(set_ features feature.tx-scatter-gather=on feature.tx-tcp-segmentation=on)" done
	is "$via: as ethtool says" "$(feature tx-tcp-segmentation)" on
	is "$via: a feature the driver fixed" \
		"$(set_ features feature.rx-udp_tunnel-port-offload=on)" \
		"sysdump: 'eth0' did not switch 'feature.rx-udp_tunnel-port-offload' on"
}

for path in "" --ioctl; do
	via=${path:-netlink}
	features
	case $model in
	e1000e)
		rings 512 1024 256 256
		is "$via: coalescing" "$(set_ coalesce coalesce.rx-usecs=50)" done
		is "$via: as ethtool says" "$(A ethtool -c eth0 | sed -n 's/^rx-usecs:[[:space:]]*//p')" 50
		is "$via: zero is a value" "$(set_ coalesce coalesce.rx-usecs=0)" done
		is "$via: as read" "$(A sysdump $path coalesce)" "eth0 coalesce.rx-usecs 0"
		is "$via: a parameter the driver lacks" \
			"$(set_ coalesce coalesce.tx-frames=7 | grep -c 'coalescing of .eth0.: ')" 1
		is "$via: coalescing back" "$(set_ coalesce coalesce.rx-usecs=3)" done
		is "$via: pause" "$(set_ pause pause.autoneg=off pause.rx=on pause.tx=off)" done
		is "$via: as ethtool says" "$(A ethtool -a eth0 | sed -n 's/^\(RX\|TX\):[[:space:]]*//p' | xargs)" "on off"
		is "$via: pause back" "$(set_ pause pause.autoneg=on pause.rx=on pause.tx=on)" done
		is "$via: speed" "$(set_ linkmodes link.autoneg=off link.speed=100 link.duplex=full)" done
		is "$via: as ethtool says" "$(A ethtool eth0 | sed -n 's/.*Auto-negotiation: //p')" off
		is "$via: speed back" "$(set_ linkmodes link.autoneg=on)" done
		;;
	vmxnet3)
		rings 512 1024 1024 512
		rss
		;;
	virtio-net-pci)
		rss
		is "$via: channels" "$(set_ channels channels.combined=1)" done
		is "$via: as ethtool says" "$(current -l Combined)" 1
		is "$via: channels back" "$(set_ channels channels.combined=2)" done
		;;
	esac
done
A sysdump qdisc eth0 fq
is "a root qdisc" "$(A tc qdisc show dev eth0 | sed -n '1s/^qdisc \([a-z_]*\) .*/\1/p')" fq
A sysdump qdisc eth0
is "the kernel's own again" "$(A tc qdisc show dev eth0 | grep -c '^qdisc fq ')" 0
A sysdump $G > /lab/after.txt 2>&1
exit 0
