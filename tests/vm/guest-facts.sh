# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the guest: what nettune and ethtool say of eth0 in namespace a, into /lab.
# The rules lie in /lab/rules.
export NETTUNE_RULES_DIR=/lab/rules NETTUNE_STATE_DIR=/tmp/state
# a ping gets through only once the link has settled, negotiated pause included
n=0
until A ping -c1 -W1 10.9.0.2 >/dev/null 2>&1 || [ $n -ge 15 ]; do n=$((n + 1)); done
rc=0
A nettune --report=json --interval 0 > /lab/netlink.json 2> /lab/netlink.err || rc=1
A nettune --report=json --interval 0 --ethtool=ioctl > /lab/ioctl.json 2> /lab/ioctl.err || rc=1
A nettune --report --interval 0 > /lab/report.txt 2> /lab/report.err || rc=1
for o in k c g; do
	A ethtool --json -$o eth0 > /lab/ethtool-$o.json 2> /lab/ethtool-$o.err
done
A ethtool -l eth0 > /lab/ethtool-l.txt 2>&1
A ethtool -a eth0 > /lab/ethtool-a.txt 2>&1
A ethtool -x eth0 > /lab/ethtool-x.txt 2>&1
A ethtool -i eth0 > /lab/ethtool-i.txt 2>&1
A ethtool -S eth0 > /lab/ethtool-S.txt 2>&1
A ethtool eth0 > /lab/ethtool.txt 2>&1
device=/sys/bus/pci/devices/$(sed -n 's/^bus-info: //p' /lab/ethtool-i.txt)
for f in vendor device numa_node current_link_speed; do
	echo "$f $(cat "$device/$f" 2> /dev/null)"
done > /lab/pci.txt
ls "$device/msi_irqs" > /lab/irqs.txt 2> /dev/null || cat "$device/irq" > /lab/irqs.txt
cat /proc/interrupts > /lab/interrupts.txt
A sysctl -a > /lab/sysctl.txt 2> /dev/null
A nettune --apply --dry-run --interval 0 --json > /lab/plan.json 2> /lab/plan.err
echo "$?" > /lab/plan.status
exit $rc
