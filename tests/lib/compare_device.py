#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare_device.py REPORT.json LINK FOLDER: hold what a report says of a link's device to files
that the guest copied after it: pci.txt (NAME VALUE a line, from sysfs), irqs.txt (numbers),
interrupts.txt (/proc/interrupts), ethtool-S.txt. Counters may only have grown."""
import json
import os
import re
import sys

report, link, folder = sys.argv[1:4]
facts = next(l for l in json.load(open(report))['links'] if l['name'] == link)['facts']
compared, wrong = 0, []


def text(name):
    try:
        return open(os.path.join(folder, name)).read()
    except OSError:
        return ''


def same(name, got, want, holds=None):
    global compared
    compared += 1
    if not (got == want if holds is None else holds):
        wrong.append('%s is %r, not %r' % (name, got, want))


pci = dict(line.partition(' ')[::2] for line in text('pci.txt').splitlines())
if pci.get('vendor'):
    same('link.pci_id', facts.get('link.pci_id'),
         '%s:%s' % (pci['vendor'][2:], pci['device'][2:]))
    speed = re.match(r'[\d.]+', pci.get('current_link_speed', ''))
    same('link.pcie.speed', facts.get('link.pcie.speed'), float(speed[0]) if speed else None)
    node = int(pci.get('numa_node') or -1)
    same('link.numa_node', facts.get('link.numa_node'), node if node >= 0 else None)

irqs = text('irqs.txt').split()
counts = {}
for line in text('interrupts.txt').splitlines()[1:]:
    m = re.match(r'\s*(\d+):((?:\s+\d+)+)\s', line)
    if m:
        counts[m[1]] = sum(map(int, m[2].split()))
if irqs:
    same('irq.count', facts.get('irq.count'), len(irqs))
    now = sum(counts.get(i, 0) for i in irqs)
    got = facts.get('irq.interrupts', -1)
    same('irq.interrupts', got, 'at most %d' % now, 0 < got <= now)
    for i in irqs:
        same('irq.%s.affinity' % i, 'irq.%s.affinity' % i in facts, True)

seen = set()
for name, value in re.findall(r'^ +(.+?): (\d+)$', text('ethtool-S.txt'), re.M):
    if name in seen:
        continue
    seen.add(name)
    got = facts.get('stat.' + name)
    same('stat.' + name, got, 'at most ' + value, got is not None and got <= int(value))
same('driver counters', sum(n.startswith('stat.') for n in facts), len(seen))
for w in wrong[:20]:
    print(w)
print('%d values compared' % compared)
sys.exit(bool(wrong))
