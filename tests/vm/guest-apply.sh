# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the guest: applies /lab/plan.json to eth0 of namespace a and undoes it in three
# ways. Writes "TEXT|GOT|WANT" lines to /lab/results, states for the host to compare, a log.
model=$(cat /lab/model)
export NETTUNE_STATE_DIR=/tmp/state
is() { echo "$1|$2|$3" >>/lab/results; }
settle() { # pings get through again
	local n=0
	until A ping -c1 -W1 10.9.0.2 >/dev/null 2>&1 || [ $n -ge 20 ]; do n=$((n + 1)); done
	# what is negotiated comes with the carrier, and a route with each address that is no
	# longer tentative
	usleep 500000
	n=0
	while A ip addr show eth0 | grep -q tentative && [ $n -lt 40 ]; do usleep 250000; n=$((n + 1)); done
}
dump() {
	local o
	for o in k c g l a x; do
		echo "== ethtool -$o"
		A ethtool -$o eth0
	done
	A ip -d link show eth0
	A ip addr show eth0
	A ip route show table all | sort
	A tc qdisc show dev eth0
	A sh -c 'cd /sys/class/net/eth0; grep . queues/*/rps_cpus queues/*/xps_cpus gro_flush_timeout'
} 2>&1
current() { A ethtool "$1" eth0 | sed -n '/^Current/,$p' | sed -n "s/^$2:[[:space:]]*//p"; }
feature() { A ethtool -k eth0 | sed -n "s/^[[:space:]]*$1: \([a-z]*\).*/\1/p"; }
changed() { sed -n 's/.*"changed": \([a-z]*\).*/\1/p' "$1"; }
apply() { A nettune --apply --plan /lab/plan.json --risk link "$@"; }

settle
# what a ring or channel change forgets must come back too
A sh -c 'for q in /sys/class/net/eth0/queues/rx-*; do echo 1 >$q/rps_cpus; done'
# and so must a spread set by hand, which vmxnet3 makes equal whenever it starts anew
[ "$model" != vmxnet3 ] || A ethtool -X eth0 weight 1 3
dump >/lab/before

apply --ping 10.9.0.2 --json >/lab/apply.json 2>>/lab/log
is "applied" "$?" 0
cat /lab/apply.json >>/lab/log
is "something changed" "$(changed /lab/apply.json)" true
is "every step took" "$(grep -c '"outcome": "done"' /lab/apply.json)" "$(grep -c tunable /lab/plan.json)"
dump >/lab/applied
case $model in
e1000e)
	is "rings as ethtool says" "$(current -g RX) $(current -g TX)" "1024 512"
	is "coalescing as ethtool says" "$(A ethtool -c eth0 | sed -n 's/^rx-usecs:[[:space:]]*//p')" 50
	is "pause as ethtool says" "$(A ethtool -a eth0 | sed -n 's/^\(Autonegotiate\|TX\):[[:space:]]*//p' | xargs)" "off off"
	;;
vmxnet3)
	is "rings as ethtool says" "$(current -g RX) $(current -g TX)" "2048 1024"
	is "LRO as ethtool says" "$(feature large-receive-offload)" off
	is "the driver forgot its spread, and that is told" \
		"$(grep -c '"value": "rss.table"' /lab/apply.json) $(A ethtool -x eth0 | sed -n 's/^ *0: *//p' | xargs)" \
		"1 0 1 0 1 0 1 0 1"
	;;
virtio-net-pci)
	is "channels as ethtool says" "$(current -l Combined)" 1
	is "rings as ethtool says" "$(current -g RX) $(current -g TX)" "128 128"
	;;
esac
is "TSO as ethtool says" "$(feature tx-tcp-segmentation)" off
is "MTU as the kernel says" "$(A cat /sys/class/net/eth0/mtu)" 1400
is "qdisc as tc says" "$(A tc qdisc show dev eth0 root | cut -d' ' -f2)" fq
settle
is "the link still works" "$(A ping -c1 -W2 10.9.0.2 >/dev/null 2>&1; echo $?)" 0
apply --json >/lab/again.json 2>>/lab/log
is "a second time nothing changes" "$? $(changed /lab/again.json)" "0 false"

A nettune --rollback >>/lab/log 2>&1
is "rolled back" "$?" 0
settle
dump >/lab/after-rollback

NETTUNE_FAULT='change#4:killed' apply >>/lab/log 2>&1
A nettune --rollback >>/lab/log 2>&1
is "rolled back after kill -9" "$?" 0
settle
dump >/lab/after-crash

apply --confirm 3 >>/lab/log 2>&1
is "applied with a guardian" "$?" 0
n=0
until A nettune --history 2>&1 | grep -q '^ *3 .* undone$' || [ $n -ge 60 ]; do
	n=$((n + 1)); sleep 1
done
is "nobody kept it" "$(A nettune --history | sed -n '/^ *3 /s/.*  //p')" undone
settle
dump >/lab/after-guardian

# a driver's refusal, in the kernel's words
cat >/tmp/wrong.json <<'EOF'
{ "schema": "nettune-plan/1", "steps": [
{ "tunable": "ring.rx", "link": "eth0", "to": 99999, "rule": "vm" } ] }
EOF
A nettune --apply --plan /tmp/wrong.json --risk link >/lab/refused 2>&1
is "a ring too large is refused" "$? $(grep -c 'All is as it was before' /lab/refused)" "1 1"
is "with the kernel's words" "$(grep -c 'the kernel says: requested ring size exceeds maximum' /lab/refused)" 1
exit 0
