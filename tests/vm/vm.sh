#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The VM lab: real NIC drivers of Debian's kernel, emulated by qemu. Needs root (taps in a
# namespace of its own) and the packages of contrib/debian-packages; ./runtests calls it.
# What nettune reports must equal what ethtool prints in the guest, and each driver at its
# defaults must give an empty plan. Models: VM_MODELS, default all.
. "${SRCDIR:?}/tests/lib/tap.sh"

LAB=$SRCDIR/tests/vm/lab.sh
VM_MODELS=${VM_MODELS:-"e1000e e1000-82545em vmxnet3 virtio-net-pci,mq=on,vectors=10 rtl8139"}

boot() { # boot MODEL FOLDER SCRIPT [WIRE]
	timeout 300 bash "$LAB" run -q -n "$1" -w "${4:-tap}" -s "$2" -t 200 -p "$NETTUNE" "$3" \
		>"$2/console" 2>&1
}

for model in $VM_MODELS; do
	name=${model%%,*}
	d=$TMP/$name
	mkdir -p "$d/rules"
	cp "$SRCDIR"/rules/*.ini "$d/rules/"
	rc=0
	boot "$model" "$d" "$SRCDIR/tests/vm/guest-facts.sh" || rc=$?
	ok "$rc" "$name: boots and reports"
	if [ "$rc" -ne 0 ]; then
		tail -20 "$d/console" | diag
		cat "$d"/*.err 2>/dev/null | head -20 | diag
		continue
	fi
	for path in netlink ioctl; do
		check "$name: every value read by $path equals ethtool's" \
			python3 "$SRCDIR/tests/lib/compare_ethtool.py" "$d/$path.json" eth0 "$d"
	done
	check "$name: its bus, interrupts and counters as the kernel tells them" \
		python3 "$SRCDIR/tests/lib/compare_device.py" "$d/netlink.json" eth0 "$d"
	check "$name: at its defaults nothing is planned" python3 - "$d" <<"PY"
import json, sys
d = sys.argv[1]
rep = json.load(open(d + '/netlink.json'))
if rep['plan']:
    sys.exit('planned: %s' % rep['plan'])
link = next(l for l in rep['links'] if l['name'] == 'eth0')
assert link['driver'], 'no driver'
assert len(link['facts']) > 60, 'only %d facts' % len(link['facts'])
PY
done

for script in sys apply probe; do
	part=$SRCDIR/tests/vm/$script.sh
	# shellcheck source=/dev/null
	[ -e "$part" ] && . "$part"
done

done_testing
