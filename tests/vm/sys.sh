# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by vm.sh. The sys layer sets real drivers' values by netlink and by ioctl; ethtool in
# the guest judges. Both paths must read the same values, and setting back must leave none changed.
SYSDUMP=$BUILDDIR/tests/lib/sysdump
# what no ioctl tells, or where its zero may as well mean "not supported"
NETLINK_ONLY='ring\.[tr]x-push |coalesce\.[a-z-]+ (0|off)$'

for model in e1000e vmxnet3 "virtio-net-pci,mq=on,vectors=10,rss=on"; do
	name=${model%%,*}
	d=$TMP/sys-$name
	mkdir -p "$d"
	echo "$name" >"$d/model"
	rc=0
	timeout 300 bash "$LAB" run -q -n "$model" -w tap -s "$d" -t 200 -p "$SYSDUMP" \
		"$SRCDIR/tests/vm/guest-sys.sh" >"$d/console" 2>&1 || rc=$?
	ok "$rc" "$name: boots and sets"
	[ "$rc" -eq 0 ] || tail -20 "$d/console" | diag
	while IFS='|' read -r text got want; do
		is "$name: $text" "$got" "$want"
	done <"$d/results"
	check "$name: netlink and ioctl read the same" diff \
		<(grep -vE "$NETLINK_ONLY" "$d/netlink.txt") <(grep -vE "$NETLINK_ONLY" "$d/ioctl.txt")
	check "$name: all is as it was" diff <(grep -v ' link\.' "$d/netlink.txt") \
		<(grep -v ' link\.' "$d/after.txt")
	check "$name: values were read" test "$(wc -l <"$d/netlink.txt")" -gt 60
done
