#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --apply and --rollback on links of a namespace, judged by ethtool, ip, tc and sysctl.
. "${SRCDIR:?}/tests/lib/tap.sh"
in_netns "$@"

export NETTUNE_STATE_DIR=$TMP/state NETTUNE_RULES_DIR=$TMP/rules
mkdir "$NETTUNE_RULES_DIR"
cat >"$NETTUNE_RULES_DIR/test.ini" <<'EOF'
[tso-off]
title = TSO is off
scope = link
when = feature.tx-tcp-segmentation == off and link.kind == "veth"
severity = problem
cure = setting
set = feature.tx-tcp-segmentation := on
why = Segments are cut by the CPU.
source = B2
example.yes = feature.tx-tcp-segmentation=off, link.kind=veth
example.no = feature.tx-tcp-segmentation=on, link.kind=veth

[window-scaling-off]
title = Window scaling is off
scope = host
when = sysctl.net.ipv4.tcp_window_scaling == 0
severity = warning
cure = setting
set = sysctl.net.ipv4.tcp_window_scaling := 1
why = No window above 64 KiB.
source = S3
example.yes = sysctl.net.ipv4.tcp_window_scaling=0
example.no = sysctl.net.ipv4.tcp_window_scaling=1

[short-queue]
title = The queue is short
scope = link
when = link.txqueuelen < 500 and link.kind == "veth"
severity = advice
cure = setting
set = link.txqueuelen := 1000
why = Bursts are dropped.
source = S3
example.yes = link.txqueuelen=100, link.kind=veth
example.no = link.txqueuelen=1000, link.kind=veth
EOF

# What the other programs say of everything that is changed here.
dump() {
	ethtool -k v0
	ethtool -l v0
	ip -d link show v0
	tc -d qdisc show dev v0
	ip addr show v0
	ip route show table all | sort
	sysctl net.ipv4 net.core 2>/dev/null | grep -Ev 'key|hash_seed'
	grep . /sys/class/net/v0/queues/*/*_cpus /sys/class/net/v0/queues/*/*_cnt \
		/sys/class/net/v0/gro_flush_timeout /sys/class/net/v0/napi_defer_hard_irqs
} 2>/dev/null
json() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
apply() { "$NETTUNE" --apply --interval 0 "$@"; }

links() {
	ip link set lo up
	ip link add v0 numrxqueues 4 numtxqueues 4 type veth peer name v1 numrxqueues 4 numtxqueues 4
	# a link-local address would come and change its state in its own time
	ip link set v0 addrgenmode none
	ip link set v1 addrgenmode none
	ip addr add 10.9.0.1/24 dev v0
	ip link set v0 up
	ip link set v1 up
	ip route add 10.77.0.0/16 via 10.9.0.2 dev v0
}
links

# ---- nothing to do, then two faults ----------------------------------------------------------

run apply
is "a healthy host: nothing to do" "$rc $(head -1 <<<"$out")" "0 Nothing to change."
ethtool -K v0 tx-tcp-segmentation off >/dev/null
sysctl -qw net.ipv4.tcp_window_scaling=0
ip link set v0 txqueuelen 100
dump >"$TMP/faulty"

run apply --dry-run
is "a dry run that would change something exits with 3" "$rc" 3
like "shows the ethtool command" "$out" '^  ethtool -K v0 tx-tcp-segmentation on$'
like "shows the sysctl command" "$out" '^  sysctl -w net.ipv4.tcp_window_scaling=1$'
like "shows old, new, risk and rule" "$out" '^  feature.tx-tcp-segmentation +v0 +off +on +traffic +tso-off$'
unlike "advice is not in the plan" "$out" txqueuelen
dump >"$TMP/now"
check "and changed nothing" cmp "$TMP/faulty" "$TMP/now"
check "a dry run leaves no state behind" test ! -e "$NETTUNE_STATE_DIR/changes"
tells_full "a dry run that cannot be told is none" "$NETTUNE" --apply --dry-run --json --interval 0
apply --dry-run --json >"$TMP/plan.json"
valid() { # valid SCHEMA FILE
	python3 -c 'import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))' "$SRCDIR/schema/nettune-$1-1.json" "$2"
}
check "the plan is of its schema" valid plan "$TMP/plan.json"
# the commands of the plan are exact: run by hand they change what the plan changes
json "$TMP/plan.json" '"\n".join(s["command"] for s in r["steps"] if s["selected"])' >"$TMP/by-hand"

run apply --json
is "applying succeeds" "$rc" 0
cp "$TMP/out" "$TMP/apply.json"
is "and says that it changed something" "$(json "$TMP/apply.json" 'r["changed"], len(r["steps"]), {s["outcome"] for s in r["steps"]}')" \
	"(True, 2, {'done'})"
is "ethtool agrees" "$(ethtool -k v0 | grep -c 'tx-tcp-segmentation: on')" 1
is "sysctl agrees" "$(sysctl -n net.ipv4.tcp_window_scaling)" 1
check "the outcome is of its schema" valid apply "$TMP/apply.json"
dump >"$TMP/applied"
run apply --json
check "an outcome without a change, too" valid apply "$TMP/out"
is "a second time nothing is changed" "$rc $(json "$TMP/out" 'r["changed"], r["change_set"]')" "0 (False, None)"
run "$NETTUNE" --rollback
is "the rollback succeeds" "$rc" 0
dump >"$TMP/now"
check "and everything is as before" diff "$TMP/faulty" "$TMP/now"
run "$NETTUNE" --rollback
is "there is nothing more to undo" "$rc" 1
sh "$TMP/by-hand" >/dev/null
dump >"$TMP/now"
check "the commands by hand do the same" diff "$TMP/applied" "$TMP/now"
ethtool -K v0 tx-tcp-segmentation off >/dev/null
sysctl -qw net.ipv4.tcp_window_scaling=0

# the exit status is the host's, not that of the text
full() { run bash -c '"$@" >/dev/full' - "$NETTUNE" "$@"; }
lost='nettune: cannot write to standard output: No space left on device'
full --apply --interval 0
is "an outcome that cannot be written: applied" "$rc $err" "0 $lost"
full --rollback
is "undone" "$rc $err" "0 $lost"
full --apply --interval 0 --json --confirm 300
is "applied with a guardian" "$rc $err" "0 $lost"
full --keep
is "kept" "$rc $err" "0 $lost"
full --apply --interval 0
is "with nothing to do the text is all" "$rc $err" "1 $lost"
"$NETTUNE" --rollback >"$TMP/out"
dump >"$TMP/now"
check "and everything is as before" diff "$TMP/faulty" "$TMP/now"

# a bridge has what its ports have: they come first, whatever they are called
ip link add a0 type bridge
ip link set v1 master a0
ip link set a0 up
ethtool -K a0 sg off >/dev/null
ethtool -K v1 sg off >/dev/null
run env NETTUNE_RULES_DIR="$SRCDIR/rules" "$NETTUNE" --apply --interval 0 --only sg-off
is "a port is changed before its bridge" "$rc $(ethtool -k a0 | grep -c '^scatter-gather: on')" "0 1"
"$NETTUNE" --rollback >"$TMP/out"
ethtool -K v1 sg on tso on gso on >/dev/null
ip link del a0

# ---- choosing ---------------------------------------------------------------------------------

run apply --only short-queue
is "--only takes advice" "$rc $(cat /sys/class/net/v0/tx_queue_len)" "0 1000"
like "and leaves the rest alone" "$(ethtool -k v0)" 'tx-tcp-segmentation: off'
"$NETTUNE" --rollback >"$TMP/out"
run apply --skip tso-off --dry-run
like "--skip names what it left out" "$out" 'tso-off\): named by --skip'
run apply --risk none --dry-run
is "--risk none leaves both out" "$rc" 0
like "and says what would let them in" "$out" 'needs --risk traffic'
like "each by its own" "$out" 'needs --risk host'
refuses "an unknown rule is refused" 2 "there is no rule 'tso-of'" apply --only tso-of
refuses "an unknown risk too" 2 "'much' is none of" apply --risk much
refuses "and an unknown link" 2 "nosuch" apply nosuch

# ---- plans from a file -------------------------------------------------------------------------

cat >"$TMP/big.json" <<'EOF'
{ "schema": "nettune-plan/1", "steps": [
 { "tunable": "feature.tx-scatter-gather", "link": "v0", "from": "on", "to": "off", "rule": "t" },
 { "tunable": "feature.rx-gro", "link": "v0", "from": "off", "to": "on", "rule": "t" },
 { "tunable": "link.mtu", "link": "v0", "from": 1500, "to": 9000, "rule": "t" },
 { "tunable": "link.txqueuelen", "link": "v0", "from": 100, "to": 500, "rule": "t" },
 { "tunable": "channels.rx", "link": "v0", "from": 4, "to": 2, "rule": "t" },
 { "tunable": "qdisc.root", "link": "v0", "from": "noqueue", "to": "pfifo", "rule": "t" },
 { "tunable": "rps.rx-0", "link": "v0", "from": "0", "to": "3", "rule": "t" },
 { "tunable": "rfs.rx-0", "link": "v0", "from": 0, "to": 256, "rule": "t" },
 { "tunable": "link.gro_flush_timeout", "link": "v0", "from": 0, "to": 20000, "rule": "t" },
 { "tunable": "link.napi_defer_hard_irqs", "link": "v0", "from": 0, "to": 2, "rule": "t" },
 { "tunable": "sysctl.net.ipv4.tcp_rmem.max", "to": 7340032, "rule": "t" },
 { "tunable": "sysctl.net.ipv4.tcp_rmem.default", "to": 262144, "rule": "t" },
 { "tunable": "sysctl.net.ipv4.tcp_wmem.min", "to": 8192, "rule": "t" },
 { "tunable": "sysctl.net.core.somaxconn", "to": 1234, "rule": "t" },
 { "tunable": "sysctl.net.core.netdev_max_backlog", "to": 2000, "rule": "t" } ] }
EOF
# fewer channels take this queue's mask away; more bring the queue back without it
mask() { { echo 2 >/sys/class/net/v0/queues/rx-3/rps_cpus; } 2>/dev/null; }
done=14
if mask; then
	echo 64 >/sys/class/net/v0/queues/rx-3/rps_flow_cnt
else # root of a user namespace alone may not write these
	sed -i '/rps\.\|rfs\.\|link\.gro\|link\.napi/d' "$TMP/big.json"
	done=10
fi
ip -6 addr add fd00::1/64 dev v0 nodad
for _ in $(seq 100); do
	ip -6 route show table local | grep -q '^local fd00::1 ' && break
	sleep 0.02
done
dump >"$TMP/before"
run apply --plan "$TMP/big.json"
is "a plan of every kind the namespace has: success" "$rc" 0
like "with the link steps left out" "$out" 'Some were left out'
run "$NETTUNE" --rollback
dump >"$TMP/now"
check "undone" diff "$TMP/before" "$TMP/now"
run apply --plan "$TMP/big.json" --risk link --json
cp "$TMP/out" "$TMP/result.json"
is "with --risk link" "$rc" 0
is "all but the global value are done" "$(json "$TMP/result.json" 'sum(s["outcome"] == "done" for s in r["steps"])')" $done
like "which is refused with the reason" \
	"$(json "$TMP/result.json" '[s["left_out"] for s in r["steps"] if s["left_out"]]')" 'inside a network namespace'
is "ip agrees" "$(cat /sys/class/net/v0/mtu /sys/class/net/v0/tx_queue_len | xargs)" "9000 500"
is "tc agrees" "$(tc qdisc show dev v0 root | cut -d' ' -f2)" pfifo
is "sysctl agrees: the whole vector" "$(sysctl -n net.ipv4.tcp_rmem | xargs)" "$(awk '{print $1}' /proc/sys/net/ipv4/tcp_rmem) 262144 7340032"
like "side effects are told" "$(json "$TMP/result.json" '[(s["value"], s["to"]) for s in r["side_effects"]]')" \
	"'feature.tx-tcp6-segmentation', 'off \[requested on\]'"
run apply --plan "$TMP/big.json" --risk link --json
is "a second time nothing is changed" "$(json "$TMP/out" 'r["changed"]')" False
run "$NETTUNE" --rollback
is "undone" "$rc" 0
dump >"$TMP/now"
check "with every side effect" diff "$TMP/before" "$TMP/now"

sysctl -qw net.core.somaxconn=77
sed 's/"to": 1234/"from": 4096, &/' "$TMP/big.json" >"$TMP/stale.json"
dump >"$TMP/before"
run apply --plan "$TMP/stale.json"
is "a plan that no longer matches is refused" "$rc" 1
like "and says what differs" "$err" "no longer matches the plan: sysctl.net.core.somaxconn is '77', the plan says '4096'"
dump >"$TMP/now"
check "nothing was changed" cmp "$TMP/before" "$TMP/now"

refuses "a rule that is not in the plan is refused" 2 "the plan has no rule 'u'" apply --plan "$TMP/big.json" --only t,u
refuses "a goal means nothing to a plan" 2 '\-\-plan and --goal exclude each other' apply --plan "$TMP/big.json" --goal cpu
refuses "a folder is no plan" 1 "cannot read '$TMP': Is a directory" apply --plan "$TMP"

one() { # one TUNABLE LINK TO: a plan of one step on standard output
	local link=null
	[ -z "$2" ] || link="\"$2\""
	printf '{"schema":"nettune-plan/1","steps":[{"tunable":"%s","link":%s,"to":%s,"rule":"t"}]}' "$1" "$link" "$3"
}
one link.mtu v0 1279 >"$TMP/p"
run apply --plan "$TMP/p" --risk link
like "an MTU below 1280 with IPv6 is refused" "$rc $out" '0 Nothing.*'
like "with the reason" "$out" 'deletes the link.s IPv6 addresses and routes'
one link.mtu v0 70000 >"$TMP/p"
run apply --plan "$TMP/p" --risk link
like "a value out of range is refused" "$out" 'outside its range 68 to 65536'
one link.mtu v0 65536 >"$TMP/p"
run apply --plan "$TMP/p" --risk link
is "what the kernel refuses fails" "$rc" 1
like "with the kernel's own words" "$out" 'the kernel says: mtu greater than device maximum'
run apply --plan "$TMP/p" --risk link --json
check "a failure as JSON is of its schema" valid apply "$TMP/out"
is "and has the kernel's words" "$rc $(json "$TMP/out" 'r["changed"], r["kernel"]')" "1 (False, 'mtu greater than device maximum')"
run apply --plan "$TMP/p" --risk link
like "and nothing is left" "$out" 'All is as it was before'

# a double-width name and a value wider than its column move no other column
wide=$(printf '\346\227\245\346\234\254')
ip link add "$wide" type veth peer name w1
cat >"$TMP/p" <<EOF
{"schema":"nettune-plan/1","steps":[{"tunable":"link.txqueuelen","link":"$wide","to":555,"rule":"col"},
{"tunable":"qdisc.root","link":"v0","to":"pfifo_head_drop","rule":"col"},
{"tunable":"link.txqueuelen","link":"v1","to":555,"rule":"col"}]}
EOF
run env LC_ALL=C.UTF-8 "$NETTUNE" --apply --dry-run --plan "$TMP/p"
is "a head and three lines, their last column at one place" "$(printf '%s\n' "$out" | python3 -c '
import sys, unicodedata
cells = lambda s: sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in s)
rows = [r for r in sys.stdin.read().split("\n") if r.endswith((" RULE", " col"))]
print(len(rows), len({cells(r) - len(r.split()[-1]) for r in rows}))')" "4 1"
ip link del "$wide"
tc qdisc replace dev v0 root handle 1: htb default 1
tc class add dev v0 parent 1: classid 1:1 htb rate 1gbit
one qdisc.root v0 '"pfifo"' >"$TMP/p"
run apply --plan "$TMP/p"
like "a qdisc with classes is not replaced" "$out" 'replacing it would lose what was set up in htb'
tc qdisc del dev v0 root
tc qdisc replace dev v0 root handle 5: bfifo limit 12345
tc -d qdisc show dev v0 >"$TMP/before"
run apply --plan "$TMP/p"
is "a classless one is" "$rc $(tc qdisc show dev v0 root | cut -d' ' -f2)" "0 pfifo"
"$NETTUNE" --rollback >"$TMP/out"
tc -d qdisc show dev v0 >"$TMP/now"
check "and comes back with handle and options" diff "$TMP/before" "$TMP/now"
tc qdisc del dev v0 root
for bad in '{' '[]' '{"schema":"nettune-plan/2","steps":[]}' '{"schema":"nettune-plan/1","steps":[],"x":1}' \
	"$(one ring.size v0 1)" "$(one link.mtu '' 1500)" "$(one sysctl.net.core.somaxconn v0 1)" \
	"$(one feature.rx-gro v0 1)" "$(one link.mtu v0 '"big"')" "$(one sysctl.net.ipv4.tcp_fastopen_key '' '"a"')" \
	"$(one sysctl.net.//.x '' 1)" "$(one qdisc.root v0 '"netem delay 1s"')"; do
	printf '%s' "$bad" >"$TMP/p"
	refuses "no plan: $(head -c 90 <<<"$bad" | tr -d '\n#')" 2 'plan' apply --plan "$TMP/p"
done

# ---- what somebody else does meanwhile ----------------------------------------------------------

run apply --plan "$TMP/big.json" --risk link
sysctl -qw net.core.somaxconn=555
ethtool -K v0 gro off
run "$NETTUNE" --rollback
is "a rollback over foreign changes is partial" "$rc" 4
is "and leaves them alone" "$(sysctl -n net.core.somaxconn)" 555
like "and says so" "$out" 'changed since +sysctl.net.core.somaxconn: was 77, is 555'
is "all else is undone" "$(cat /sys/class/net/v0/mtu) $(sysctl -n net.ipv4.tcp_wmem | awk '{print $1}')" "1500 4096"
run "$NETTUNE" --history
like "history knows" "$out" 'partly undone'
"$NETTUNE" --history --json >"$TMP/history.json"
check "history as JSON is of its schema" valid history "$TMP/history.json"
is "and knows" "$(json "$TMP/history.json" 'r["change_sets"][0]["status"]')" 'partly undone'

run apply --plan "$TMP/big.json" --risk link
refuses "another namespace is refused" 1 'of another network namespace' \
	unshare -n "$NETTUNE" --rollback
ip link del v0
links
refuses "another link under the same name is refused" 4 'could not be put back' \
	bash -c '"$0" --rollback >/dev/null' "$NETTUNE"
is "but the host's values are undone" "$(sysctl -n net.ipv4.tcp_wmem | awk '{print $1}')" 4096
ip link del v0
links

# ---- what can't be read ----------------------------------------------------------------------

one link.txqueuelen v0 321 >"$TMP/p"
is "what no step is of may fail to be read" \
	"$(NETTUNE_FAULT='eth_get/eee:EIO;eth_get/rss:EAGAIN' apply --plan "$TMP/p" >/dev/null 2>&1; echo "$?") $(
		cat /sys/class/net/v0/tx_queue_len)" "0 321"
NETTUNE_FAULT='eth_get/eee:EIO;eth_get/rss:EAGAIN' run "$NETTUNE" --rollback
is "and does not keep it from being undone" "$rc $(cat /sys/class/net/v0/tx_queue_len)" "0 1000"
one feature.rx-gro v0 '"on"' >"$TMP/p"
NETTUNE_FAULT='eth_get/features:EIO' refuses "what a step is of may not" 1 'cannot read features' \
	apply --plan "$TMP/p"

# ---- two at once --------------------------------------------------------------------------------

mkdir -p "$NETTUNE_STATE_DIR"
ethtool -K v0 tx-tcp-segmentation off >/dev/null
NETTUNE_FAULT='change#1:hang=4000' "$NETTUNE" --apply --interval 0 >/dev/null 2>&1 &
slow=$!
for _ in $(seq 100); do
	grep -q applying "$NETTUNE_STATE_DIR/lock" 2>/dev/null && [ "$(cut -d' ' -f1 "$NETTUNE_STATE_DIR/lock")" = $slow ] && break
	sleep 0.02
done
refuses "the second nettune says who is at work" 1 "process $slow, applying since 20[0-9-]* [0-9:]*" "$NETTUNE" --rollback
wait $slow
is "the first one goes on" "$(ethtool -k v0 | grep -c 'tx-tcp-segmentation: on')" 1
NETTUNE_FAULT='change#1:hang=2000' "$NETTUNE" --rollback >"$TMP/out" 2>&1 &
slow=$!
for _ in $(seq 100); do
	grep -q "^$slow .*undoing" "$NETTUNE_STATE_DIR/lock" && break
	sleep 0.02
done
kill -TERM $slow
wait $slow
is "an undo that was begun is ended" "$? $(tail -n 1 "$TMP/out" | sed 's/[0-9]*//g')" "0 Change set  is undone."

# ---- crashes -------------------------------------------------------------------------------------

ip link set v0 txqueuelen 100
mask
dump >"$TMP/before"
NETTUNE_FAULT='change#7:killed' "$NETTUNE" --apply --plan "$TMP/big.json" --risk link >/dev/null 2>&1
refuses "after a crash nothing is built on top" 1 'was left unfinished: nettune --rollback' apply --plan "$TMP/big.json"
run "$NETTUNE" --rollback
is "a rollback after kill -9 succeeds" "$rc" 0
dump >"$TMP/now"
check "and restores all" diff "$TMP/before" "$TMP/now"
run apply --plan "$TMP/big.json" --risk link --confirm 300
newest=$(ls "$NETTUNE_STATE_DIR/changes" | sort -n | tail -1)
: >"$NETTUNE_STATE_DIR/changes/$((${newest%.journal} + 1)).journal"
refuses "a change set that a crash cut off before its first word is none to build on" 1 \
	"change set ${newest%.journal} still waits" apply --plan "$TMP/big.json"
run "$NETTUNE" --keep
is "nor to keep: the one before is" "$rc$err" 0
run "$NETTUNE" --rollback
is "nor to undo" "$rc$err" 0
dump >"$TMP/now"
check "and all is restored" diff "$TMP/before" "$TMP/now"
chmod 500 "$NETTUNE_STATE_DIR/changes" "$NETTUNE_STATE_DIR"
if ! touch "$NETTUNE_STATE_DIR/changes/x" 2>/dev/null; then
	run apply
	is "a state folder that cannot be written: refused" "$rc" 1
fi
chmod 700 "$NETTUNE_STATE_DIR" "$NETTUNE_STATE_DIR/changes"
rm -f "$NETTUNE_STATE_DIR/changes/x"
mkdir "$TMP/small"
if mount -t tmpfs -o mode=700,size=64k tmpfs "$TMP/small" 2>/dev/null; then
	head -c 60000 /dev/zero >"$TMP/small/fill"
	run env NETTUNE_STATE_DIR="$TMP/small" "$NETTUNE" --apply --interval 0
	is "a full disk: refused" "$rc" 1
	like "and said" "$err" 'No space left'
	dump >"$TMP/now"
	check "nothing was changed" diff "$TMP/before" "$TMP/now"
	rm "$TMP/small/fill"
	mount -o remount,ro "$TMP/small" 2>/dev/null &&
		refuses "a read-only state folder: refused" 1 'Read-only file system' \
			env NETTUNE_STATE_DIR="$TMP/small" "$NETTUNE" --apply --interval 0
	mount -o remount,rw "$TMP/small" 2>/dev/null && rm "$TMP/small/lock" &&
		mount -o remount,ro "$TMP/small" &&
		refuses "one where nothing was ever done: refused" 1 'Read-only file system' \
			env NETTUNE_STATE_DIR="$TMP/small" "$NETTUNE" --apply --interval 0
	umount "$TMP/small"
fi
done_testing
