#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare_ethtool.py REPORT.json LINK FOLDER: hold every feature, ring, coalesce, channel, pause
and identity value of LINK in a nettune report to what ethtool printed into FOLDER
(ethtool-k.json, -c.json, -g.json, ethtool-a.txt, -l.txt, -i.txt; -x.txt and sysctl.txt if there).
Prints a line a difference, then 'N values compared'; exits 1 on a difference."""
import itertools
import json
import os
import re
import sys

report, link, folder = sys.argv[1:4]
rep = json.load(open(report))
facts = next(l for l in rep['links'] if l['name'] == link)['facts']
compared, wrong = 0, []

# ethtool's own group rows and words that are not kernel feature names
GROUPS = {'rx-checksumming': 'rx-checksum', 'tx-checksumming': None, 'scatter-gather': None,
          'tcp-segmentation-offload': None, 'generic-segmentation-offload': 'tx-generic-segmentation',
          'generic-receive-offload': 'rx-gro', 'large-receive-offload': 'rx-lro',
          'rx-vlan-offload': 'rx-vlan-hw-parse', 'tx-vlan-offload': 'tx-vlan-hw-insert',
          'ntuple-filters': 'rx-ntuple-filter', 'receive-hashing': 'rx-hashing'}


# What no ioctl tells, or where its zero may as well mean 'not supported'
BY_IOCTL = os.path.basename(report) == 'ioctl.json'
NETLINK_ONLY = re.compile(r'ring\.([rt]x-push|rx-buf-len|cqe-size|tcp-data-split)|coalesce\.cqe')


def same(name, want, got=None):
    global compared
    if BY_IOCTL and facts.get(name) is None and got is None and (
            NETLINK_ONLY.match(name) or name.startswith('coalesce.') and not want):
        return
    compared += 1
    if got is None:
        got = facts.get(name)
    if isinstance(want, bool):
        want = 'on' if want else 'off'
        got = {True: 'on', False: 'off'}.get(got, got)
    if got != want:
        wrong.append('%s is %r, ethtool says %r' % (name, got, want))


def load(name):
    try:
        with open(os.path.join(folder, name)) as f:
            data = json.load(f)
        return data[0] if isinstance(data, list) else data
    except (OSError, ValueError, IndexError):
        return {}


for name, v in load('ethtool-k.json').items():
    if name == 'ifname':
        continue
    name = GROUPS.get(name, name)
    if name is None:
        continue
    same('feature.' + name, v['active'])
    same('feature.%s.fixed' % name, v['fixed'])

for name, v in load('ethtool-g.json').items():
    if name == 'ifname':
        continue
    name = re.sub(r'^(.*)-max$', r'\1.max', name.lower().replace(' ', '-'))
    if isinstance(v, (int, bool)):
        same('ring.' + name, v)

for name, v in load('ethtool-c.json').items():
    if name == 'ifname' or v is None:
        continue
    same('coalesce.' + name, v)

# as text: ethtool 6.1 prints rx's value for tx in its JSON
try:
    lines = open(os.path.join(folder, 'ethtool-a.txt')).read().splitlines()
except OSError:
    lines = []
for line in lines:
    m = re.match(r'(Autonegotiate|RX|TX):\s+(on|off)$', line)
    if m:
        same({'Autonegotiate': 'pause.autoneg', 'RX': 'pause.rx', 'TX': 'pause.tx'}[m[1]], m[2])

part = ''
try:
    lines = open(os.path.join(folder, 'ethtool-l.txt')).read().splitlines()
except OSError:
    lines = []
for line in lines:
    if line.startswith('Pre-set'):
        part = '.max'
    elif line.startswith('Current'):
        part = ''
    m = re.match(r'(RX|TX|Other|Combined):\s+(\d+)$', line)
    if m:
        same('channels.%s%s' % (m[1].lower(), part), int(m[2]))

try:
    lines = open(os.path.join(folder, 'ethtool-i.txt')).read().splitlines()
except OSError:
    lines = []
for line in lines:
    key, _, value = line.partition(': ')
    name = {'driver': 'link.driver', 'version': 'link.driver_version',
            'firmware-version': 'link.firmware', 'bus-info': 'link.bus_info'}.get(key)
    if name and value.strip():
        same(name, value.strip())

try:
    text = open(os.path.join(folder, 'ethtool-x.txt')).read()
except OSError:
    text = ''
m = re.search(r'indirection table for .* with (\d+) RX ring', text)
table = [int(q) for line in re.findall(r'^ *\d+:((?: +\d+)+)$', text, re.M) for q in line.split()]
if m and table: # the head is also printed where the driver knows queues and no table
    same('rss.queues', len(set(table)))
    equal = all(q == i % int(m[1]) for i, q in enumerate(table))
    runs = [(q, len(list(g))) for q, g in itertools.groupby(table)]
    runs = ' '.join('%d*%d' % r if r[1] > 1 else str(r[0]) for r in runs)
    same('rss.table', 'equal' if equal else runs)
else:
    same('rss.table', None)

# Values that move by themselves, and what nettune never reads (secrets) or reads on demand
VOLATILE = re.compile(r'nf_conntrack_count|tcp_fastopen_key|stable_secret|netdev_rss_key|\.conf\.|\.neigh\.')
host = rep['host']['facts']
try:
    lines = open(os.path.join(folder, 'sysctl.txt')).read().splitlines()
except OSError:
    lines = []
for line in lines:
    key, eq, value = line.partition(' = ')
    if not key.startswith('net.') or VOLATILE.search(key):
        continue
    name, words = 'sysctl.' + key.rstrip(' ='), value.split()
    if name in host:
        got = host[name]
        same(name, ' '.join(words), ' '.join(str(got).split()))
    elif len(words) == 3 and name + '.min' in host:
        for part, w in zip(('min', 'default', 'max'), words):
            same('%s.%s' % (name, part), int(w), host['%s.%s' % (name, part)])
    elif words:
        compared += 1
        wrong.append('%s is missing, sysctl says %r' % (name, value))

for w in wrong:
    print(w)
print('%d values compared' % compared)
sys.exit(1 if wrong or compared < 10 else 0)
