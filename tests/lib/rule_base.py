#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rule_base.py RULES PATCHES: hold the shipped rules to what no single rule shows.
Prints what is wrong; exits 1 then."""
import collections, glob, os, re, sys

RULE = re.compile(r'^\[([a-z0-9-]+)\]$')
MEASURED = re.compile(r'\b(rate|probe|path|log|tcp)\.')


def sections(path):
    """(name, {key: value}) in order, wrapped lines joined."""
    name, keys, text = None, {}, ''
    for line in open(path, encoding='utf-8'):
        line = text + line.strip()
        text = ''
        if line.endswith('\\'):
            text = line[:-1]
            continue
        head = RULE.match(line)
        if head:
            if name:
                yield name, keys
            name, keys = head.group(1), {}
        elif '=' in line and not line.startswith(';'):
            key, value = line.split('=', 1)
            keys[key.strip()] = re.sub(r'\s+', ' ', value.strip())
    if name:
        yield name, keys


def main(rules_dir, patches_dir):
    wrong = []
    patches = {n for n, _ in sections(os.path.join(patches_dir, 'catalogue.ini'))}
    rules = collections.OrderedDict()
    for path in sorted(glob.glob(os.path.join(rules_dir, '*.ini'))):
        for name, keys in sections(path):
            if name in rules:
                wrong.append('%s: twice' % name)
            rules[name] = keys
    named = set()
    for name, r in rules.items():
        say = lambda what: wrong.append('%s: %s' % (name, what))
        for key in ('title', 'why', 'source'):
            if not r.get(key):
                say('no ' + key)
        if len(r.get('title', '')) > 110:
            say('a title of %d bytes' % len(r['title']))
        if r.get('title', '').endswith('.') or not r.get('why', '').endswith('.'):
            say('a title is no sentence, a reason is')
        ids = re.split(r'[ ,]+', r.get('patch', '')) if r.get('patch') else []
        named.update(ids)
        for p in ids:
            if p not in patches:
                say('there is no patch %s' % p)
        if ids and r['cure'] not in ('kernel', 'setting'):
            say('a patch, and the cure is ' + r['cure'])
        sets = [v for k, v in r.items() if k == 'set' or k.startswith('set.')]
        if sets and r['cure'] != 'setting':
            say('changes something, and the cure is ' + r['cure'])
        if sets and 'improves' not in r:
            say('does not say what the change improves')
        if not re.match(r'^(([BSEMDN]\d+|K[A-G]|K4\.\d)[ ,]*)+$', r.get('source', '')):
            say('sources are not ids: %s' % r.get('source'))
    for p in patches - named:
        wrong.append('no rule points to the patch %s' % p)
    static = [n for n, r in rules.items() if not MEASURED.search(r['when'])]
    if len(static) < 25:
        wrong.append('only %d rules need neither probe, log nor two readings' % len(static))
    print('\n'.join(wrong) if wrong else '%d rules, %d of them static' % (len(rules), len(static)))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:3]))
