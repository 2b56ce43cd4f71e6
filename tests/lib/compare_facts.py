#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare_facts.py WHAT REPORT.json [FILE]: hold facts of a report to what another tool says.

WHAT is links (ip -s -d -j link), qdiscs (tc -s -j qdisc), snmp (nstat -azj), sysctls (sysctl -a),
each read from FILE; or names (--list-facts --json in FILE): every fact is of the catalogue, every
single name of the catalogue is known or has a reason. Prints a line a difference, then
'N values compared'; exits 1 on a difference or when there was nothing to compare."""
import fnmatch
import json
import re
import sys

what, report = sys.argv[1:3]
rep = json.load(open(report))
host = rep['host']
links = {l['name']: l for l in rep['links']}
compared, wrong = 0, []


def same(where, name, got, want):
    global compared
    compared += 1
    if got != want:
        wrong.append('%s %s is %r, not %r' % (where, name, got, want))


def load():
    return json.load(open(sys.argv[3]))


# ip's short words for link counters
COUNTERS = {'rx': {'packets': 'rx_packets', 'bytes': 'rx_bytes', 'errors': 'rx_errors',
                   'dropped': 'rx_dropped', 'over_errors': 'rx_over_errors', 'multicast': 'multicast'},
            'tx': {'packets': 'tx_packets', 'bytes': 'tx_bytes', 'errors': 'tx_errors',
                   'dropped': 'tx_dropped', 'carrier_errors': 'tx_carrier_errors',
                   'collisions': 'collisions'}}
IDENTITY = {'mtu': 'link.mtu', 'min_mtu': 'link.mtu.min', 'max_mtu': 'link.mtu.max',
            'txqlen': 'link.txqueuelen', 'ifindex': 'link.ifindex', 'address': 'link.address',
            'num_tx_queues': 'link.tx_queues', 'num_rx_queues': 'link.rx_queues',
            'gso_max_size': 'link.gso_max_size', 'gso_max_segs': 'link.gso_max_segs',
            'tso_max_size': 'link.tso_max_size', 'tso_max_segs': 'link.tso_max_segs',
            'gro_max_size': 'link.gro_max_size', 'link_type': 'link.type', 'qdisc': 'qdisc.root'}


def compare_links():
    for l in load():
        if l['ifname'] not in links:
            continue
        facts = links[l['ifname']]['facts']
        for key, name in IDENTITY.items():
            if l.get(key):
                same(l['ifname'], name, facts.get(name), l[key])
        same(l['ifname'], 'link.operstate', facts['link.operstate'], l['operstate'].lower())
        same(l['ifname'], 'link.master', facts['link.master'], l.get('master', ''))
        kind = l.get('linkinfo', {}).get('info_kind', '')
        same(l['ifname'], 'link.kind', facts['link.kind'], kind)
        if 'link' in l:
            name = 'link.peer' if kind == 'veth' else 'link.lower'
            same(l['ifname'], name, facts[name], l['link'])
        for side, words in COUNTERS.items():
            for word, name in words.items():
                if word in l['stats64'][side]:
                    same(l['ifname'], name, facts['stats64.' + name], l['stats64'][side][word])


def compare_qdiscs():
    kinds = {}
    for q in load():
        l = links.get(q['dev'])
        if not l:
            continue
        if q.get('root'):
            same(q['dev'], 'qdisc.root', l['facts']['qdisc.root'], q['kind'])
            for word in ('drops', 'overlimits', 'requeues', 'backlog', 'qlen'):
                same(q['dev'], 'qdisc.' + word, l['facts']['qdisc.' + word], q[word])
        elif q['kind'] in ('ingress', 'clsact'):
            same(q['dev'], 'qdisc.ingress', l['facts']['qdisc.ingress'], q['kind'])
        else:
            kinds.setdefault(q['dev'], set()).add(q['kind'])
    for dev, leaves in kinds.items():
        got = set(links[dev]['facts']['qdisc.leaves'].split())
        same(dev, 'qdisc.leaves', got <= leaves and bool(got), True)


def compare_snmp():
    """nstat writes group and name as one word, and leaves away what it does not know."""
    facts = {n[5:].replace('.', '', 1): v for n, v in host['facts'].items() if n.startswith('snmp.')}
    told = load()['kernel']
    for name, v in facts.items():
        if name in told:
            same('host', name, v, told[name])
    missing = [n for n in told if n not in facts]
    same('host', 'counters that only nstat knows', missing, [])


def compare_sysctls():
    secret = re.compile(r'(tcp_fastopen_key|stable_secret|netdev_rss_key)$')
    moving = re.compile(r'nf_conntrack_count|\.random\.')
    per_link = re.compile(r'\.(conf|neigh)\.(?!all\.|default\.)')
    for line in open(sys.argv[3]):
        key, _, value = line.rstrip('\n').partition(' =')
        if not key.startswith('net.') or moving.search(key):
            continue
        words = value.split()
        if secret.search(key) or per_link.search(key):
            same('host', key, 'sysctl.' + key in host['facts'], False)
            continue
        got = host['facts'].get('sysctl.' + key)
        same('host', key, got if got is None else str(got).split(), words)
        for part, word in zip(('min', 'max') if len(words) == 2 else ('min', 'default', 'max'),
                              words):
            name = 'sysctl.%s.%s' % (key, part)
            if name in host['facts']:
                same('host', name, host['facts'][name], int(word))


def compare_names():
    rows = load()['facts']
    for scope, things in (('host', [('host', host)]), ('link', links.items())):
        mine = [r for r in rows if r['scope'] == scope]
        globs = [r['name'].replace('[', '[[]') for r in mine]
        for where, thing in things:
            for name in thing['facts']:
                same(where, '%s in the catalogue' % name,
                     any(fnmatch.fnmatchcase(name, g) for g in globs), True)
            for r in mine:
                name = r['name']
                if '*' in name or name not in thing['facts']:
                    continue
                same(where, '%s has a value or a reason' % name,
                     thing['facts'][name] is None, name in thing['absent'])


{'links': compare_links, 'qdiscs': compare_qdiscs, 'snmp': compare_snmp,
 'sysctls': compare_sysctls, 'names': compare_names}[what]()
for w in wrong[:30]:
    print(w)
print('%d values compared' % compared)
sys.exit(1 if wrong or compared < 10 else 0)
