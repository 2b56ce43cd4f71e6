#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tui.py NETTUNE: what the screens cost, in a pseudo-terminal, inside a network namespace of the
caller's. Time to the first screen with 100 links, idle CPU and terminal output beside htop's,
and scrolling 1,000 links. Prints figures; asserts nothing."""
import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

NETTUNE = sys.argv[1]
IDLE_S = 10


class Screen:
    """A program in a pseudo-terminal of 80x24 whose output is counted."""

    def __init__(self, *argv):
        self.start = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
            os.environ['TERM'] = 'xterm-256color'
            os.execvp(argv[0], argv)
        self.bytes = 0
        self.text = b''

    def read(self, seconds, until=None):
        """Take output for so long, or until a text is in it. Seconds it took."""
        begin = time.monotonic()
        end = begin + seconds
        while time.monotonic() < end:
            if select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    break
                self.bytes += len(data)
                self.text = (self.text + data)[-65536:]
            if until and until in self.text:
                return time.monotonic() - begin
        return None if until else seconds

    def first_byte(self, seconds):
        """Seconds until the program answers; as long as given when it does not."""
        begin = time.monotonic()
        select.select([self.fd], [], [], seconds)
        return time.monotonic() - begin

    def cpu_s(self):
        with open('/proc/%d/stat' % self.pid) as f:
            words = f.read().rsplit(')', 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')

    def send(self, keys):
        self.text = b''
        os.write(self.fd, keys)

    def stop(self):
        os.kill(self.pid, signal.SIGTERM)
        self.read(0.5)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def links(n, prefix):
    batch = ''.join('link add %sa%d type veth peer name %sb%d\nlink set %sa%d up\nlink set %sb%d up\n'
                    % (prefix, i, prefix, i, prefix, i, prefix, i) for i in range(n // 2))
    subprocess.run(['ip', '-batch', '-'], input=batch.encode(), check=True)


def idle(name, *argv):
    s = Screen(*argv)
    s.read(5)
    cpu, sent = s.cpu_s(), s.bytes
    s.read(IDLE_S)
    cpu, sent = s.cpu_s() - cpu, s.bytes - sent
    s.stop()
    print('idle, 100 links: %-8s %.2f %% of one CPU, %.0f bytes/s to the terminal'
          % (name, 100 * cpu / IDLE_S, sent / IDLE_S))
    return cpu, sent


links(100, 'p')
times = []
for _ in range(5):
    s = Screen(NETTUNE)
    if s.read(10, b'pa0') is None:
        sys.exit('no first screen')
    times.append(time.monotonic() - s.start)
    s.stop()
print('first screen with 100 links: median %.0f ms of 5' % (1000 * sorted(times)[2]))

ours = idle('nettune', NETTUNE)
if shutil.which('htop'):
    theirs = idle('htop', 'htop')
    print('ratio to htop: CPU %.2f, output %.2f'
          % (ours[0] / max(theirs[0], 0.01), ours[1] / max(theirs[1], 1)))
else:
    print('htop is not installed: no ratio')

links(900, 'q')
s = Screen(NETTUNE)
s.read(6)
waits = []
cpu = s.cpu_s()
for key in [b'\033[6~'] * 20 + [b'\033OF'] + [b'\033OA'] * 20:
    s.send(key)
    waits.append(s.first_byte(2))
    s.read(0.02)
cpu = s.cpu_s() - cpu
s.stop()
print('1,000 links: a key shows after %.1f ms median, %.1f ms at most, and costs %.1f ms of CPU'
      % (1000 * sorted(waits)[len(waits) // 2], 1000 * max(waits), 1000 * cpu / len(waits)))
