#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rules_live.py NETTUNE CASES.json, inside a network namespace of the test's own: plant each case's
faults, compare the findings, do what is planned with ethtool and sysctl, and look again."""
import json, os, subprocess, sys

NETTUNE = sys.argv[1]


def sh(cmd, check=True):
    r = subprocess.run(cmd, shell=isinstance(cmd, str), capture_output=True, text=True)
    if check and r.returncode:
        raise RuntimeError('%s: %s' % (cmd, r.stderr.strip() or r.stdout.strip()))
    return r


def report():
    r = sh([NETTUNE, '--report=json', '--interval', '0'], check=False)
    if r.returncode:
        raise RuntimeError('nettune: status %d: %s' % (r.returncode, r.stderr.strip()))
    return json.loads(r.stdout)


def key(f):
    return (f['rule'] + ' ' + f['link']) if f['link'] else f['rule']


def links_up():
    sh('ip link add v0 type veth peer name v1; ip link add w0 type veth peer name w1;'
       'for l in v0 v1 w0 w1; do ip link set $l up; done')


def links_gone():
    for l in json.loads(sh('ip -j link').stdout):
        if l['ifname'] != 'lo':
            sh(['ip', 'link', 'del', l['ifname']], check=False)


def do(step):
    """What a step asks for, by other programs."""
    tunable, to = step['tunable'], step['to']
    if tunable.startswith('feature.'):
        sh(['ethtool', '-K', step['link'], tunable[len('feature.'):], to])
        return
    name, _, part = tunable[len('sysctl.'):].rpartition('.')
    if part in ('min', 'default', 'max'):
        old = sh(['sysctl', '-n', name]).stdout.split()
        old[['min', 'default', 'max'].index(part)] = str(to)
        sh(['sysctl', '-qw', '%s=%s' % (name, ' '.join(old))])
    else:
        sh(['sysctl', '-qw', '%s=%s' % (tunable[len('sysctl.'):], to)])


def case(c):
    """What is wrong with it, a line each."""
    wrong = []
    before = report()
    if before['plan']:
        wrong.append('before the fault: %s' % before['plan'])
    for cmd in c.get('setup', []):
        sh(cmd)
    for name, value in c.get('sysctl', {}).items():
        sh(['sysctl', '-qw', '%s=%s' % (name, value)])
    rep = report()
    found = sorted(key(f) for f in rep['findings'] if f['severity'] in ('warning', 'problem'))
    if found != sorted(c['find']):
        wrong.append('found %s, not %s' % (found, sorted(c['find'])))
    advice = {key(f) for f in rep['findings'] if f['severity'] == 'advice'}
    if not set(c.get('advice', [])) <= advice:
        wrong.append('advice %s lacks some of %s' % (sorted(advice), c['advice']))
    planned = sorted({(s['rule'] + ' ' + s['link']) if s['link'] else s['rule'] for s in rep['plan']})
    if planned != sorted(c.get('plan', c['find'])):
        wrong.append('planned for %s, not %s' % (planned, sorted(c.get('plan', c['find']))))
    for step in rep['plan']:
        do(step)
    after = report()
    if after['plan']:
        wrong.append('still planned after doing it: %s' % after['plan'])
    left = [key(f) for f in after['findings'] if f['severity'] in ('warning', 'problem')]
    if sorted(left) != sorted(set(c['find']) - set(planned)):
        wrong.append('still found: %s' % left)
    return wrong


def main(path):
    fresh = False
    for c in json.load(open(path)):
        saved = {n: sh(['sysctl', '-n', n], check=False) for n in c.get('sysctl', {})}
        if any(r.returncode for r in saved.values()):
            print('ok %s # SKIP not in this kernel' % c['name'])
            continue
        if not fresh:
            links_gone()
            links_up()
        fresh = 'setup' not in c
        if 'needs' in c:
            if sh('ip link add link v0 name x9 type ' + c['needs'], check=False).returncode:
                print('ok %s # SKIP not in this kernel' % c['name'])
                continue
            sh('ip link del x9')
        wrong = case(c)
        for cmd in c.get('undo', []):
            sh(cmd)
        for name, r in saved.items():
            sh(['sysctl', '-qw', '%s=%s' % (name, r.stdout.strip())])
        print(('not ok ' if wrong else 'ok ') + c['name'])
        for w in wrong:
            print(w)
    links_gone()


main(sys.argv[2])
