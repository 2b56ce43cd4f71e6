#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare_socks.py FOLDER sockets|life|now: hold sockets (FOLDER/ours by sysdump, or the facts of
FOLDER/life.json or now.json) to what ss -tinmO printed before and after. What moved meanwhile must lie
between. Prints a line a difference, then 'N values compared'; exits 1 on a difference."""
import json
import os
import re
import sys

folder, what = sys.argv[1:3]
compared, wrong = 0, []


def check(text, ok):
    global compared
    compared += 1
    if not ok:
        wrong.append(text)


def read(name):
    return open(os.path.join(folder, name)).read()


def ss(name):
    """{'LOCAL>REMOTE': {value: number}}, a listener's remote as we write it."""
    socks = {}
    for line in read(name).splitlines():
        word = line.split()
        remote = word[4].replace('*', '0') if word[0] == 'LISTEN' else word[4]
        v = {'listen': word[0] == 'LISTEN', 'rqueue': int(word[1]), 'wqueue': int(word[2]),
             'congestion': re.search(r'\)\s+(?:ts |sack |ecn )*(\w+)', line).group(1)}
        for ours, theirs in (('rmem', 'r'), ('rcvbuf', 'rb'), ('sndbuf', 'tb'), ('wmem', 'w'), ('drops', 'd')):
            v[ours] = int(re.search(r'[(,]%s(\d+)[,)]' % theirs, line).group(1))
        for ours, theirs, scale in (
                ('mss', 'mss:', 1), ('cwnd', 'cwnd:', 1), ('unacked', 'unacked:', 1),
                ('bytes_acked', 'bytes_acked:', 1), ('bytes_received', 'bytes_received:', 1),
                ('not_sent', 'notsent:', 1), ('busy', 'busy:', 1e3), ('rtt', 'rtt:', 1e3),
                ('min_rtt', 'minrtt:', 1e3), ('rwnd_limited', 'rwnd_limited:', 1e3),
                ('sndbuf_limited', 'sndbuf_limited:', 1e3), ('retrans', r'retrans:\d+/', 1),
                ('pacing_rate', 'pacing_rate ', 1 / 8), ('delivery_rate', 'delivery_rate ', 1 / 8)):
            m = re.search(r'(?<!\S)%s(\d+(?:\.\d+)?)' % theirs, line)
            v[ours] = float(m.group(1)) * scale if m else 0
        socks[word[3] + '>' + remote] = v
    return socks


GROWS = ('bytes_acked', 'bytes_received', 'busy', 'rwnd_limited', 'sndbuf_limited', 'retrans', 'drops')
STAYS = ('sndbuf', 'rcvbuf', 'mss', 'min_rtt', 'congestion')


def sockets():
    ours = {}
    for line in read('ours').splitlines():
        sock, name, value = line.split(' ')
        ours.setdefault(sock, {})[name] = value if name == 'congestion' else float(value)
    before, after = ss('before'), ss('after')
    check('sockets %s, not %s' % (sorted(ours), sorted(before)), sorted(ours) == sorted(before))
    for sock in sorted(set(ours) & set(before) & set(after)):
        a, b, we = before[sock], after[sock], ours[sock]
        check('%s state %s' % (sock, we['state']), (we['state'] == 10) == a['listen'])
        for name in a:
            if name == 'listen' or a['listen'] and name in ('min_rtt', 'pacing_rate'):
                continue  # ss prints neither of a listener
            if name in GROWS:  # ss cuts to whole ms
                ok = a[name] - 1000 <= we[name] <= b[name] + 1000
            elif a[name] == b[name]:
                # ours may have moved and come back where the path is in use
                ok = we[name] == a[name] or name not in STAYS and b['busy'] > a['busy']
                ok = ok or name in ('pacing_rate', 'delivery_rate') and abs(we[name] - a[name]) < 1
            else:
                ok = name not in STAYS or min(a[name], b[name]) <= we[name] <= max(a[name], b[name])
            check('%s %s %s, ss says %s then %s' % (sock, name, we.get(name), a[name], b[name]), ok)


def shares(of):
    """The worst (share, socket) among what of(name, socket) tells, but within the host."""
    before, after = ss('before'), ss('after')
    worst = {}
    for kind in ('sndbuf_limited', 'rwnd_limited'):
        each = []
        for sock in set(before) & set(after):
            if sock.startswith('127.') or after[sock]['busy'] < 1e6:
                continue
            part, busy = of(kind, before[sock], after[sock]), of('busy', before[sock], after[sock])
            each.append((100 * part / busy, sock.replace('>', ' to ')))
        worst[kind] = max(each)
    return worst


def facts(name, worst):
    """Two sockets that are as badly off may change places, and the readings lie apart."""
    f = json.loads(read(name))['host']['facts']
    for kind in worst:
        share, sock = worst[kind]
        check('tcp.%s_pct %s, ss says %.1f' % (kind, f['tcp.%s_pct' % kind], share),
              abs(f['tcp.%s_pct' % kind] - share) < 12)
        check('tcp.%s_socket %s, ss says %s' % (kind, f['tcp.%s_socket' % kind], sock),
              f['tcp.%s_socket' % kind] == sock)
    check('tcp.full_sndbuf_rtt %s' % f['tcp.full_sndbuf_rtt'], f['tcp.full_sndbuf_rtt'] >= 20000)


if what == 'sockets':
    sockets()
elif what == 'life':
    facts('life.json', shares(lambda k, a, b: (a[k] + b[k]) / 2))
else:
    facts('now.json', shares(lambda k, a, b: b[k] - a[k]))
print('\n'.join(wrong + ['%d values compared' % compared]))
sys.exit(bool(wrong))
