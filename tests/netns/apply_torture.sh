#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An apply on the live kernel of a namespace whose every change fails or is killed in turn:
# afterwards ethtool, ip, tc and sysctl say what they said before, at once or after a rollback.
# (tests/unit/test_plan_torture does the same for every call, on a kernel in memory.)
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

export NETTUNE_STATE_DIR=$TMP/state
[ ! -w /dev/shm ] || export NETTUNE_STATE_DIR=/dev/shm/nettune-torture.$$
trap 'rm -rf "$NETTUNE_STATE_DIR" "$TMP"' EXIT
ip link set lo up
ip link add v0 numrxqueues 4 numtxqueues 4 type veth peer name v1 numrxqueues 4 numtxqueues 4
ip link set v0 addrgenmode none
ip addr add 10.9.0.1/24 dev v0
ip link set v0 up
ip link set v1 addrgenmode none up
ip route add 10.77.0.0/16 via 10.9.0.2 dev v0

cat >"$TMP/plan" <<'EOF'
{ "schema": "nettune-plan/1", "steps": [
 { "tunable": "link.mtu", "link": "v0", "to": 9000, "rule": "t" },
 { "tunable": "channels.rx", "link": "v0", "to": 2, "rule": "t" },
 { "tunable": "channels.tx", "link": "v0", "to": 2, "rule": "t" },
 { "tunable": "feature.tx-scatter-gather", "link": "v0", "to": "off", "rule": "t" },
 { "tunable": "feature.rx-gro", "link": "v0", "to": "on", "rule": "t" },
 { "tunable": "link.txqueuelen", "link": "v0", "to": 500, "rule": "t" },
 { "tunable": "qdisc.root", "link": "v0", "to": "pfifo", "rule": "t" },
 { "tunable": "link.gro_flush_timeout", "link": "v0", "to": 20000, "rule": "t" },
 { "tunable": "link.napi_defer_hard_irqs", "link": "v0", "to": 2, "rule": "t" },
 { "tunable": "rps.rx-0", "link": "v0", "to": "3", "rule": "t" },
 { "tunable": "rfs.rx-0", "link": "v0", "to": 256, "rule": "t" },
 { "tunable": "sysctl.net.core.somaxconn", "to": 1234, "rule": "t" },
 { "tunable": "sysctl.net.ipv4.tcp_notsent_lowat", "to": 131072, "rule": "t" },
 { "tunable": "sysctl.net.ipv4.tcp_rmem.default", "to": 262144, "rule": "t" },
 { "tunable": "sysctl.net.ipv4.tcp_rmem.max", "to": 7340032, "rule": "t" } ] }
EOF
least=11
if { echo 2 >/sys/class/net/v0/queues/rx-3/rps_cpus; } 2>/dev/null; then
	echo 1 >/sys/class/net/v0/queues/tx-1/xps_cpus
else # root of a user namespace alone may not write these
	sed -i '/rps\.\|rfs\.\|link\.gro\|link\.napi/d' "$TMP/plan"
	least=8
fi
dump() {
	ethtool -k v0
	ethtool -l v0
	ip -d addr show v0
	ip route
	tc -d qdisc show dev v0
	cat /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/ipv4/tcp_notsent_lowat /proc/sys/net/core/somaxconn \
		/proc/sys/net/ipv6/conf/v0/mtu
	grep . /sys/class/net/v0/queues/*/*_cpus /sys/class/net/v0/queues/*/*_cnt \
		/sys/class/net/v0/gro_flush_timeout /sys/class/net/v0/napi_defer_hard_irqs
} >"$1" 2>/dev/null
apply() { # apply FAULT
	rm -rf "$NETTUNE_STATE_DIR"
	NETTUNE_FAULT="log=$TMP/log;$1" "$NETTUNE" --apply --plan "$TMP/plan" --risk link >"$TMP/out" 2>"$TMP/err"
}
dump "$TMP/before"

: >"$TMP/log"
NETTUNE_FAULT="log=$TMP/log" "$NETTUNE" --apply --plan "$TMP/plan" \
	--risk link >"$TMP/out" 2>"$TMP/err"
is "the whole plan takes" "$?" 0
changes=$(grep -cE '^[0-9]+ (write|eth_set|link_set|qdisc_set|put_back) ' "$TMP/log")
diag <<<"$changes changes in $(wc -l <"$TMP/log") calls"
check "it changes in $least requests and more" test "$changes" -ge $least
"$NETTUNE" --rollback >/dev/null
dump "$TMP/now"
check "and comes back" diff "$TMP/before" "$TMP/now"

points=0 bad=0
errnos=(EPERM EBUSY EINVAL ENODEV EIO ENOSPC)
one() { # one FAULT: tries it, rolls back where it was not undone at once
	local rc=0 why=
	{ apply "$1"; } 2>/dev/null || rc=$?
	points=$((points + 1))
	if [ "$rc" -eq 0 ] || [ "$rc" -gt 128 ]; then
		"$NETTUNE" --rollback >"$TMP/undo" 2>&1 || grep -q 'no change set to undo' "$TMP/undo" || why="rollback failed"
	elif [ "$rc" -ne 1 ] || ! [ -s "$TMP/err" ]; then
		why="status $rc"
	fi
	dump "$TMP/now"
	cmp -s "$TMP/before" "$TMP/now" || why="$why, not as before"
	[ -n "$why" ] || return 0
	bad=$((bad + 1))
	{ echo "$1: $why"; cat "$TMP/err" "$TMP/undo"; diff "$TMP/before" "$TMP/now"; } 2>/dev/null | head -20 | diag
}
for n in $(seq "$changes"); do
	one "change#$n:${errnos[n % 6]}"
	one "change#$n:EIO,done"
	one "change#$n:killed"
	case $((n % 3)) in
	0) one "change#$n:kill" ;;
	1) one "change#$n:ignore" ;;
	2) one "change#$n:short" ;;
	esac
done
for n in 40 80 120 160; do
	one "$n:${errnos[n / 40]}"
done
diag <<<"$points points tried"
is "each time all is as before" "$bad" 0
done_testing
