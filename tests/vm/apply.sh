# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by vm.sh. --apply and its undoing on real drivers: rings, coalescing, channels,
# pause, offloads, MTU and qdisc, with ethtool, ip and tc in the guest as judges, after a
# rollback, after kill -9, and by the guardian.
vm_plan() { # vm_plan TUNABLE=TO...: a plan for eth0
	local step sep=
	printf '{ "schema": "nettune-plan/1", "steps": ['
	for step; do
		printf '%s\n{ "tunable": "%s", "link": "eth0", "to": %s, "rule": "vm" }' "$sep" "${step%%=*}" "${step#*=}"
		sep=,
	done
	printf '\n] }\n'
}

for model in e1000e vmxnet3 "virtio-net-pci,mq=on,vectors=10"; do
	name=${model%%,*}
	d=$TMP/apply-$name
	mkdir -p "$d"
	echo "$name" >"$d/model"
	case $name in
	e1000e) set -- ring.rx=1024 ring.tx=512 coalesce.rx-usecs=50 pause.autoneg='"off"' pause.tx='"off"' ;;
	vmxnet3) set -- ring.rx=2048 ring.tx=1024 feature.rx-lro='"off"' ;;
	virtio-net-pci) set -- channels.combined=1 ring.rx=128 ring.tx=128 ;;
	esac
	vm_plan "$@" feature.tx-tcp-segmentation='"off"' link.mtu=1400 link.txqueuelen=500 \
		qdisc.root='"fq"' link.gro_flush_timeout=20000 rps.rx-0='"2"' >"$d/plan.json"
	rc=0
	timeout 300 bash "$LAB" run -q -n "$model" -w tap -s "$d" -t 250 -p "$NETTUNE" \
		"$SRCDIR/tests/vm/guest-apply.sh" >"$d/console" 2>&1 || rc=$?
	ok "$rc" "$name: boots and applies"
	[ "$rc" -eq 0 ] || tail -20 "$d/console" | diag
	while IFS='|' read -r text got want; do
		is "$name: $text" "$got" "$want"
		[ "$got" = "$want" ] || head -40 "$d/log" | diag
	done <"$d/results"
	for state in rollback crash guardian; do
		check "$name: all is as it was after the $state" diff "$d/before" "$d/after-$state"
	done
	check "$name: enough was read to compare" test "$(wc -l <"$d/before")" -gt 80
done

# the guardian as a service, under systemd
d=$TMP/systemd
mkdir -p "$d"
rc=0
timeout 300 bash "$LAB" run -q -w none -s "$d" -t 250 -p "$NETTUNE" -p /lib/systemd/systemd \
	-p /usr/bin/systemd-run -p /bin/systemctl -p /usr/bin/unshare \
	"$SRCDIR/tests/vm/guest-systemd.sh" >"$d/console" 2>&1 || rc=$?
ok "$rc" "systemd: boots"
[ "$rc" -eq 0 ] || tail -40 "$d/console" | diag
while IFS='|' read -r text got want; do
	is "systemd: $text" "$got" "$want"
done <"$d/results"
check "systemd: all was tried" test "$(wc -l <"$d/results")" -ge 15
