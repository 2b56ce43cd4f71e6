#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""house.py CHECK TOP: hold the sources under TOP to the rules of CONTRIBUTING.md.

CHECK is one of: direction order banned size columns. Prints what breaks the rule as
FILE:LINE: reason and exits with 1, or prints nothing and exits with 0.
"""
import glob
import os
import re
import sys

# Which modules' headers a module may include, beside base and itself. One way, no circles.
MAY = {
    'base': set(),
    'sys': set(),
    'fact': {'sys'},
    'capture': {'fact'},
    'rule': {'fact'},
    'patch': {'fact'},
    'plan': {'sys', 'fact', 'rule'},
    'probe': {'sys', 'fact'},
    'experiment': {'sys', 'fact', 'rule', 'plan', 'probe'},
    'report': {'fact', 'rule', 'plan', 'probe', 'patch'},
    'tui': {'fact', 'rule', 'plan', 'probe', 'patch', 'report', 'experiment'},
    'cmd': {'sys', 'fact', 'capture', 'rule', 'patch', 'plan', 'probe', 'experiment', 'report', 'tui'},
}

# Foreign headers that only some may include: pattern, who.
FOREIGN = [
    # the flags of a link are names of numbers that facts come with
    (r'(?!linux/if(_arp)?\.h$)(linux|netlink|libmnl|net)/', lambda f: f.startswith(('src/sys/', 'src/probe/'))),
    (r'(n?curses\w*|ncursesw/.*|panel|term)\.h$', lambda f: f == 'src/tui/term.c'),
    (r'iniparser(/iniparser)?\.h$', lambda f: f.startswith(('src/base/', 'src/rule/'))),
    (r'sodium\.h$', lambda f: f.startswith('src/probe/')),
    (r'archive(_entry)?\.h$', lambda f: f.startswith('src/capture/')),
]

# What a public header may take from outside the project: standard C.
PLAIN = {'inttypes.h', 'limits.h', 'signal.h', 'stdarg.h', 'stdatomic.h', 'stdbool.h', 'stddef.h', 'stdint.h',
         'stdio.h', 'stdlib.h', 'time.h', 'sys/types.h'}

BANNED = re.compile(r'\b(strcpy|strcat|strncpy|strncat|sprintf|vsprintf|atoi|atol|atof|strtok'
                    r'|strtok_r|gets)\s*\(')
SPEAKS = re.compile(r'\b(printf|vprintf|puts|putchar|perror|exit|warn|warnx|err|errx)\s*\('
                    r'|\b(fprintf|vfprintf|fputs|fputc|putc|fwrite)\s*\([^;]*\b(stdout|stderr)\b')
STDIO_KERNEL = re.compile(r'\bfopen\s*\(\s*"/(proc|sys)/')

FUNCTION_MAX = 100
FILE_MAX = 700
COLUMNS = 110

faults = []


def fault(path, line, reason):
    faults.append('%s:%d: %s' % (path, line, reason))


def sources(top, *patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(top, pattern), recursive=True)):
            with open(path, encoding='utf-8') as f:
                yield os.path.relpath(path, top), f.read()


def blank(text):
    """The text without comments and the insides of strings, line numbers kept."""
    def empty(m):
        s = m.group(0)
        if s[0] == '/':
            return re.sub(r'[^\n]', ' ', s)
        return s[0] + re.sub(r'[^\n]', ' ', s[1:-1]) + s[-1]
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', empty, text,
                  flags=re.S)


def includes(text):
    return [(text.count('\n', 0, m.start()) + 1, m.group(1), m.group(2))
            for m in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', text, re.M)]


def owner(top, header):
    """The module of include/nettune/HEADER: that of its name, of its .c file, of its prefix."""
    stem = header[:-2]
    if stem in MAY:
        return stem
    homes = glob.glob(os.path.join(top, 'src', '*', stem + '.c'))
    if len(homes) > 1:  # the one that has it as its own header
        homes = [p for p in homes if 'nettune/' + header in [n for _, _, n in includes(open(p).read())][:2]]
    if len(homes) == 1:
        return homes[0].split(os.sep)[-2]
    return max((m for m in MAY if stem.startswith(m)), key=len, default=None)


def module(top, path):
    parts = path.split('/')
    if parts[0] == 'src':
        return parts[1] if len(parts) > 2 else 'cmd'
    return owner(top, parts[-1])


def direction(top):
    for path, text in sources(top, 'include/nettune/*.h', 'src/**/*.[ch]'):
        me = module(top, path)
        public = path.startswith('include/')
        if me not in MAY:
            fault(path, 1, "cannot tell whose this is: no src/%s" % os.path.basename(path))
            continue
        for line, mark, name in includes(text):
            if mark == '<':
                for pattern, allowed in FOREIGN:
                    if re.match(pattern, name) and not allowed(path):
                        fault(path, line, "<%s> does not belong here" % name)
                if public and name not in PLAIN:
                    fault(path, line, "a public header includes <%s>" % name)
                continue
            if name == 'config.h':
                continue
            if name.startswith('nettune/'):
                other = owner(top, name[len('nettune/'):])
            elif os.path.exists(os.path.join(top, os.path.dirname(path), name)):
                other = me  # a private header beside it
            else:
                other = name.split('/')[0]
                if path != 'src/main.c':
                    fault(path, line, "'%s' is private to %s" % (name, other))
            if other not in {me, 'base'} | MAY[me]:
                fault(path, line, "%s may not include '%s' of %s" % (me, name, other))


def order(top):
    for path, text in sources(top, 'include/nettune/*.h', 'src/**/*.[ch]', 'tests/**/*.[ch]'):
        found = includes(text)
        if not text.startswith('/* SPDX-License-Identifier: '):
            fault(path, 1, 'no licence in the first line')
        if path.endswith('.h'):
            for line, mark, name in found:
                if name == 'config.h':
                    fault(path, line, 'config.h in a header')
            guard = re.search(r'^#ifndef (\w+)\n#define \1$', text, re.M)
            if not guard:
                fault(path, 1, 'no include guard')
        elif path.startswith('src/'):
            if not found or found[0][2] != 'config.h':
                fault(path, found[0][0] if found else 1, 'config.h is not the first include')
            quoted = [f for f in found[1:] if f[1] == '"']
            angled = [f for f in found[1:] if f[1] == '<']
            if len(quoted) > 1 and angled and min(f[0] for f in quoted[1:]) < angled[0][0]:
                fault(path, angled[0][0], 'a system header after project headers')


def banned(top):
    for path, text in sources(top, 'src/**/*.[ch]', 'include/nettune/*.h'):
        code = blank(text)
        quiet = not path.startswith(('src/cmd/', 'src/tui/', 'src/main.c'))
        for m in BANNED.finditer(code):
            fault(path, code.count('\n', 0, m.start()) + 1, '%s is banned' % m.group(1))
        for m in STDIO_KERNEL.finditer(text):
            fault(path, text.count('\n', 0, m.start()) + 1, 'stdio for /%s' % m.group(1))
        # nt_die() is the one place that may speak and end the program
        if quiet and path != 'src/base/mem.c':
            for m in SPEAKS.finditer(code):
                fault(path, code.count('\n', 0, m.start()) + 1,
                      '%s below cmd and tui' % m.group(0).split('(')[0].strip())


def size(top):
    for path, text in sources(top, 'src/**/*.[ch]', 'include/nettune/*.h', 'tests/**/*.c'):
        lines = text.split('\n')
        if len(lines) - 1 > FILE_MAX:
            fault(path, FILE_MAX, '%d lines; a file has at most %d' % (len(lines) - 1, FILE_MAX))
        start = None
        for n, line in enumerate(lines, 1):
            if line == '{':
                start = n
            elif line == '}' and start:
                if n - start + 1 > FUNCTION_MAX:
                    fault(path, start, 'a function of %d lines; at most %d' %
                          (n - start + 1, FUNCTION_MAX))
                start = None


def columns(top):
    for path, text in sources(top, 'src/**/*.[ch]', 'include/nettune/*.h', 'tests/**/*.[ch]'):
        for n, line in enumerate(text.split('\n'), 1):
            if len(line.expandtabs(8)) > COLUMNS:
                fault(path, n, '%d columns; at most %d' % (len(line.expandtabs(8)), COLUMNS))
            if line != line.rstrip():
                fault(path, n, 'blanks at the end')


CHECKS = {f.__name__: f for f in (direction, order, banned, size, columns)}

if len(sys.argv) != 3 or sys.argv[1] not in CHECKS:
    sys.exit(__doc__)
CHECKS[sys.argv[1]](sys.argv[2])
print('\n'.join(faults), end='\n' if faults else '')
sys.exit(1 if faults else 0)
