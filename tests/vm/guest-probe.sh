# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the guest: guest-probe.sh WHAT. The probe from namespace a to b, results into /lab.
export NETTUNE_STATE_DIR=/tmp/state NETTUNE_RULES_DIR=/lab/rules
what=$1 bad=0

served() { # served ADDRESS: a server in b, there until the guest is gone
	B nettune --serve --bind "$1" >>/lab/server 2>&1 &
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		B ss -Hltn | grep -q :5212 && break
		sleep 0.5
	done
	n=0
	until A ping -c1 -W1 "$1" >/dev/null 2>&1 || [ $n -ge 15 ]; do n=$((n + 1)); done
}

probe() { # probe NAME ARGS...
	local name=$1
	shift
	A nettune --probe 10.9.0.2 "$@" --json >"/lab/$name.json" 2>"/lab/$name.err" || bad=1
}

# a veth pair where no NIC was given
pair() {
	ip netns add a
	ip netns add b
	ip -n a link set lo up
	ip -n b link set lo up
	ip -n a link add v0 type veth peer name w0 netns b
	ip -n a addr add 10.9.0.1/24 dev v0
	ip -n b addr add 10.9.0.2/24 dev w0
	ip -n a link set v0 up
	ip -n b link set w0 up
	A tc qdisc add dev v0 root netem delay 10ms limit 10000
	B tc qdisc add dev w0 root netem delay 10ms limit 10000
	for n in a b; do ip netns exec $n sysctl -qw net.ipv4.tcp_no_metrics_save=1; done
}

# Frames leave at once, their buffers are freed late: clsact mirrors a copy of each to the real
# path before the qdisc of v0, where the original waits in netem slots and ends in namespace c.
late() { # late SLOT_MS ACK_DELAY_MS
	for n in a b c; do
		ip netns add $n
		ip -n $n link set lo up
	done
	ip -n a link add v0 type veth peer name d0 netns c
	ip -n a link add v1 type veth peer name w1 netns b
	ip -n a addr add 10.9.0.1/24 dev v0
	ip -n b addr add 10.9.0.2/24 dev w1
	ip -n a link set v0 up
	ip -n a link set v1 up
	ip -n b link set w1 up
	ip -n c link set d0 up
	for n in a b; do
		for f in all default; do ip netns exec $n sysctl -qw net.ipv4.conf.$f.rp_filter=0; done
	done
	A sysctl -qw net.ipv4.conf.v0.rp_filter=0 net.ipv4.conf.v1.rp_filter=0
	ip -n a neigh replace 10.9.0.2 lladdr "$(ip -n b -o link show w1 | sed 's/.*ether \([^ ]*\).*/\1/')" dev v0 nud permanent
	ip -n b neigh replace 10.9.0.1 lladdr "$(ip -n a -o link show v1 | sed 's/.*ether \([^ ]*\).*/\1/')" dev w1 nud permanent
	A tc qdisc add dev v0 clsact
	A tc filter add dev v0 egress matchall action mirred egress mirror dev v1
	A sysctl -qw net.ipv4.tcp_congestion_control=cubic net.ipv4.tcp_no_metrics_save=1
	A tc qdisc replace dev v0 root netem slot "${1}ms" "${1}ms" packets 100000 bytes 100000000 limit 100000
	B tc qdisc replace dev w1 root netem delay "${2}ms" limit 100000
}

case $what in
nic)
	served 10.9.0.2
	probe nic --time 3
	;;
late)
	late 10 20
	served 10.9.0.2
	probe late --test stream,completion --time 4 --any-egress
	probe virtual --test completion --time 1
	;;
path)
	pair
	served 10.9.0.2
	A sysctl -qw net.ipv4.tcp_wmem="4096 16384 65536"
	probe sndbuf --test stream --time 4 --warmup 1
	A nettune --report=json --interval 0 --peer 10.9.0.2 >/lab/before.json 2>/lab/before.err || bad=1
	A nettune --apply --interval 0 --peer 10.9.0.2 --only probe-sndbuf-limited >/lab/apply.out 2>/lab/apply.err || bad=1
	probe after --test stream --time 4 --warmup 1
	A sysctl -qw net.ipv4.tcp_wmem="4096 16384 4194304"
	B sysctl -qw net.ipv4.tcp_rmem="4096 65536 131072"
	probe rwnd --test stream --time 4 --warmup 1
	B sysctl -qw net.ipv4.tcp_rmem="4096 131072 6291456"
	A tc qdisc replace dev v0 root netem delay 10ms loss 1% limit 10000
	probe loss --test stream,udp --time 8 --warmup 1 --congestion cubic
	A tc qdisc replace dev v0 root tbf rate 50mbit burst 32k latency 100ms
	probe shaper --test stream --time 4 --warmup 1
	;;
esac
exit $bad
