#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare_sys.py SYSDUMP links|ethtool|paths: hold what the sys layer reads in this network
namespace to what ip and ethtool print, or its two ethtool paths to each other. Prints a line a
difference, then 'N values compared'; exits 1 on a difference."""
import json
import re
import subprocess
import sys

sysdump, what = sys.argv[1:3]
compared, wrong = 0, []


def out(*cmd):
    return subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()


def dump(*args):
    facts = {}
    for line in out(sysdump, *args).splitlines():
        link, name, value = (line.split(' ', 2) + [''])[:3]
        facts.setdefault(link, {})[name] = value
    return facts


def same(link, name, got, want):
    global compared
    compared += 1
    if got != want:
        wrong.append('%s %s is %r, should be %r' % (link, name, got, want))


def links():
    ours = dump('links')
    theirs = json.loads(out('ip', '-j', '-s', '-d', 'link'))
    same('-', 'links', sorted(ours), sorted(l['ifname'] for l in theirs))
    states = {'UNKNOWN': 0, 'NOTPRESENT': 1, 'DOWN': 2, 'LOWERLAYERDOWN': 3, 'TESTING': 4,
              'DORMANT': 5, 'UP': 6}
    for l in theirs:
        name = l['ifname']
        f = ours[name]
        want = {'ifindex': l['ifindex'], 'mtu': l['mtu'], 'txqlen': l.get('txqlen', 0),
                'operstate': states[l['operstate']], 'qdisc': l['qdisc'],
                'master': l.get('master', '-'), 'kind': l.get('linkinfo', {}).get('info_kind', ''),
                'address': l.get('address')}
        for k in ('min_mtu', 'max_mtu', 'num_tx_queues', 'num_rx_queues', 'gso_max_size',
                  'gso_max_segs', 'tso_max_size'):
            if k in l:
                want[k] = l[k]
        if 'link' in l:
            want['lower'] = l['link']
        elif 'link_index' in l:
            want['lower'] = '- foreign' if l['link_index'] == 0 else None
        elif l.get('linkinfo', {}).get('info_kind') != 'veth':
            want['lower'] = '-'
        st = l['stats64']
        for d in ('rx', 'tx'):
            for k in ('packets', 'bytes', 'errors', 'dropped'):
                want['stats64.%s_%s' % (d, k)] = st[d][k]
        want['stats64.multicast'] = st['rx']['multicast']
        for k, v in want.items():
            if v is not None:
                same(name, k, f.get(k), str(v))


# ethtool's words for one kernel feature; rows that stand for several are left out
WORDS = {'rx-checksumming': 'rx-checksum', 'generic-segmentation-offload': 'tx-generic-segmentation',
         'generic-receive-offload': 'rx-gro', 'large-receive-offload': 'rx-lro',
         'rx-vlan-offload': 'rx-vlan-hw-parse', 'tx-vlan-offload': 'tx-vlan-hw-insert',
         'ntuple-filters': 'rx-ntuple-filter', 'receive-hashing': 'rx-hashing'}
SEVERAL = ('tx-checksumming', 'scatter-gather', 'tcp-segmentation-offload')


def ethtool_json(option, link):
    try:
        data = json.loads(out('ethtool', '--json', option, link))
        return data[0] if data else {}
    except ValueError:
        return {}


def sectioned(option, link, prefix):
    """RX: and the like of -g and -l, by section."""
    part, facts = '', {}
    for line in out('ethtool', option, link).splitlines():
        if line.startswith('Pre-set'):
            part = '.max'
        elif line.startswith('Current'):
            part = ''
        m = re.match(r'(RX|RX Mini|RX Jumbo|TX|Other|Combined):\s+(\d+)$', line)
        if m:
            facts[prefix + m[1].lower().replace(' ', '-') + part] = m[2]
    return facts


def want_of(link):
    facts = {}
    for name, v in ethtool_json('-k', link).items():
        if name == 'ifname' or name in SEVERAL:
            continue
        facts['feature.' + WORDS.get(name, name)] = ('on' if v['active'] else 'off') + (
            ' wanted' if v['requested'] else '') + (' fixed' if v['fixed'] else '')
    facts.update(sectioned('-g', link, 'ring.'))
    facts.update(sectioned('-l', link, 'channels.'))
    for line in out('ethtool', '-c', link).splitlines():
        m = re.match(r'([\w-]+): (\d+)$', line)
        if m:
            facts['coalesce.' + m[1]] = m[2]
    for line in out('ethtool', '-i', link).splitlines():
        name, _, value = line.partition(': ')
        if name in ('driver', 'version', 'bus-info'):
            facts[name] = value
    for line in out('ethtool', link).splitlines():
        m = re.match(r'\s+Speed: (\d+)Mb/s', line)
        if m:
            facts['link.speed'] = m[1]
        m = re.match(r'\s+Duplex: (Full|Half)', line)
        if m:
            facts['link.duplex'] = m[1].lower()
        m = re.match(r'\s+Auto-negotiation: (\w+)', line)
        if m:
            facts['link.autoneg'] = m[1]
    for line in out('ethtool', '-S', link).splitlines():
        m = re.match(r'\s+(\S.*): (\d+)$', line)
        if m:
            facts['stat.' + m[1]] = m[2]
    return facts


GROUPS = ('features', 'coalesce', 'rings', 'channels', 'pause', 'eee', 'linkmodes', 'linkinfo', 'fec')


def ethtool():
    ours = dump('drivers', 'stats', *GROUPS)
    kinds = ('feature.', 'ring.', 'channels.', 'coalesce.', 'stat.')
    for l in json.loads(out('ip', '-j', 'link')):
        link = l['ifname']
        want, got = want_of(link), ours.get(link, {})
        for name, v in want.items():
            if 'NAME' not in name:
                same(link, name, got.get(name), v)
        # and nothing that ethtool does not know of
        for name in got:
            if name.startswith(kinds) and name not in want and 'push' not in name and \
                    not name.startswith('feature.'):
                same(link, name, got[name], None)


def netlink_only(name, value):
    """What no ioctl tells, or where its zero may as well mean 'not supported'."""
    return 'push' in name or 'data-split' in name or 'hds' in name or \
        name.startswith('coalesce.') and value in ('0', 'off')


def paths():
    net, io = dump(*GROUPS), dump('--ioctl', *GROUPS)
    same('-', 'links', sorted(io), sorted(net))
    for link, facts in net.items():
        for name, v in facts.items():
            if name not in io.get(link, {}) and netlink_only(name, v):
                continue
            same(link, name, io.get(link, {}).get(name), v)
        for name, v in io.get(link, {}).items():
            if name not in facts:
                same(link, name, v, None)


{'links': links, 'ethtool': ethtool, 'paths': paths}[what]()
for w in wrong:
    print(w)
print('%d values compared' % compared)
sys.exit(1 if wrong or compared < 10 else 0)
