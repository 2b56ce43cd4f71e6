#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py NETTUNE: time reports over 4, 10, 1,000 and 2,000 links in this namespace, beside what
an administrator would run instead. Prints each bound with what was measured; exits 1 if one is
missed. Run by report.sh, which makes the namespace."""
import os
import subprocess
import sys
import time

nettune = sys.argv[1]
RUNS = 9
bad = 0


def run(argv):
    """Seconds of wall clock, seconds of CPU, KiB of memory at most."""
    out = os.open(os.devnull, os.O_WRONLY)
    begin = time.monotonic()
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)])
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    os.close(out)
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, status


def report(*options):
    """The best of some runs: the machine's other work only ever adds."""
    runs = [run([nettune, '--report=json', '--interval', '0', *options]) for _ in range(RUNS)]
    if any(r[3] for r in runs):
        sys.exit('report.py: %s failed' % nettune)
    return min(r[0] for r in runs), min(r[1] for r in runs), max(r[2] for r in runs)


def better(a, b):
    """As many runs each of what is compared: the best of more runs is better."""
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2])


def links(first, last):
    """veth pairs until there are that many links beside lo."""
    batch = []
    for i in range(first // 2, last // 2):
        batch += ['link add a%d type veth peer name b%d' % (i, i),
                  'link set a%d up' % i, 'link set b%d up' % i]
    subprocess.run(['ip', '-batch', '-'], input='\n'.join(batch) + '\n', text=True, check=True)


def unlink(first, last):
    """Take those pairs away again."""
    subprocess.run(['ip', '-batch', '-'], text=True, check=True,
                   input=''.join('link del a%d\n' % i for i in range(first // 2, last // 2)))


def names():
    return [n.split('@')[0] for n in subprocess.run(
        ['ip', '-br', 'link'], capture_output=True, text=True).stdout.split()
        if n[0] in 'ab' and n.rstrip('@').split('@')[0][1:].isdigit()]


def ethtool_loop():
    """As an administrator would write it."""
    script = 'for l in %s; do for o in i k c g l; do ethtool -$o $l; done; done' % ' '.join(names())
    begin, before = time.monotonic(), os.times()
    subprocess.run(['bash', '-c', script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return (time.monotonic() - begin, after.children_user - before.children_user
            + after.children_system - before.children_system)


def bound(text, got, want, holds):
    global bad
    bad += not holds
    print('%-58s %10s  %-12s %s' % (text, got, want, 'ok' if holds else 'MISSED'))


links(0, 4)
t4 = better(report(), report())
links(4, 10)
t10 = better(report(), report())
links(10, 1000)
n = len(names())
t1000 = report()
loop = ethtool_loop()
t1000 = better(t1000, report())
# in turns, as what else the machine does comes and goes within seconds
links(1000, 2000)
t2000 = report()
for turn in range(2):
    unlink(1000, 2000)
    t1000 = better(t1000, report())
    links(1000, 2000)
    t2000 = better(t2000, report())
unlink(10, 2000)
t10 = better(t10, report())

for text, t in (('4', t4), ('10', t10), ('1,000', t1000), ('2,000', t2000)):
    print('%6s links: %7.1f ms, %7.1f ms of CPU, %6d KiB' % (text, t[0] * 1e3, t[1] * 1e3, t[2]))
print('ethtool -i -k -c -g -l of %d links: %.2f s, %.2f s of CPU' % (n, *loop))
bound('times faster than the loop, by the clock', '%.0f' % (loop[0] / t1000[0]), '>= 100',
      loop[0] / t1000[0] >= 100)
print('  by CPU time, which others on the machine touch less: %.0f times' % (loop[1] / t1000[1]))
bound('memory for 1,000 links, KiB', t1000[2], '<= 32768', t1000[2] <= 32768)
growth = [(t2000[i] - t1000[i]) / (t1000[i] - t10[i]) for i in (0, 1)]
bound('growth: (t2000 - t1000) / (t1000 - t10), CPU time', '%.2f' % growth[1], '<= 1.20',
      growth[1] <= 1.2)
print('  by the clock, which others on the machine stop: %.2f' % growth[0])
bound('a host of 4 links, ms', '%.1f' % (t4[0] * 1e3), '< 50', t4[0] < 0.05)
sys.exit(bad != 0)
