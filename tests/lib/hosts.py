#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hosts.py JUDGE RULES HOST.facts...: judge described hosts (tests/lib/judge.c) and compare with what
each file says: '#goals G...', every change that would be planned as '#plan TUNABLE LINK VALUE' ('#plan'
alone: none, '-': the host), and some findings as '#finding SEVERITY RULE [LINK]'. With those changes made,
nothing more may be planned. TAP on stdout."""
import os, subprocess, sys


def want(path):
    goals, plan, findings, text = [], None, [], open(path, encoding='utf-8').read()
    for line in text.splitlines():
        word, _, rest = line.partition(' ')
        if word == '#goals':
            goals = rest.split()
        elif word == '#plan':
            plan = (plan or []) + ([tuple(rest.split())] if rest else [])
        elif word == '#finding':
            findings.append(tuple(rest.split()))
    if not goals or plan is None:
        sys.exit('%s: no #goals or no #plan' % path)
    return goals, sorted(set(plan)), findings, text


def judged(judge, rules, goal, text):
    """What would be planned, what was found, and the complaint when the program failed."""
    r = subprocess.run([judge, rules, goal], input=text, capture_output=True, text=True)
    if r.returncode:
        return [], set(), '%s: status %d: %s' % (goal, r.returncode, r.stderr[:300])
    got, seen = set(), set()
    for line in r.stdout.splitlines():
        f = line.split(' ')
        if f[0] == 'change' and f[-1] in ('warning', 'problem'):
            got.add((f[1], f[2] or '-', f[3]))
        elif f[0] != 'change':
            seen.add(tuple(x for x in (f[0], f[2], f[3]) if x))
    return sorted(got), seen, None


def changed(text, changes):
    """The host with the changes made."""
    new = {('host' if link == '-' else link, tunable): to for tunable, link, to in changes}
    lines = []
    for line in text.splitlines():
        key = tuple(line.split(' ')[:2])
        lines.append('%s %s %s' % (key + (new[key],)) if key in new else line)
    return '\n'.join(lines) + '\n'


def main(judge, rules, paths):
    failed = 0
    for path in paths:
        goals, plan, findings, text = want(path)
        wrong = []
        for goal in goals:
            got, seen, failed_how = judged(judge, rules, goal, text)
            if failed_how:
                wrong.append(failed_how)
                continue
            if got != plan:
                wrong.append('%s: would change %s, not %s' % (goal, got, plan))
            wrong += ['%s: not found: %s' % (goal, ' '.join(f)) for f in findings if f not in seen]
            again = judged(judge, rules, goal, changed(text, got))[0] if got else []
            if again:
                wrong.append('%s: once more, after that: %s' % (goal, again))
        name = os.path.basename(path)[:-len('.facts')]
        print(('not ok ' if wrong else 'ok ') + name + ': ' + text.splitlines()[1].lstrip('# '))
        for w in wrong:
            print(w)
        failed += bool(wrong)
    return 1 if failed else 0


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
