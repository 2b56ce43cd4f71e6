# SPDX-License-Identifier: GPL-2.0-or-later
"""undrawn_plan.py NETTUNE: press A on a plan that is ready but was never drawn.

The terminal takes nothing while the plan is checked, so that the program waits in a write;
A and the news that the plan is ready then come at once. NETTUNE_FAULT must make the check
slow. Fails where the plan was applied before it had been shown.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

pid, fd = pty.fork()
if pid == 0:
    os.environ['TERM'] = 'xterm'
    os.execv(sys.argv[1], [sys.argv[1]])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 500, 0, 0))


def read_for(seconds):
    end, out = time.time() + seconds, b''
    while time.time() < end:
        if select.select([fd], [], [], 0.05)[0]:
            out += os.read(fd, 65536)
    return out


def wait_for(text):
    end = time.time() + 60
    while time.time() < end:
        os.write(fd, b'\x0c')  # drawn whole, else only what differs is sent
        if text in read_for(0.2):
            return
    sys.exit('%r did not appear' % text)


def hold_up():
    """Have it draw until nothing more goes into the terminal."""
    for _ in range(80):
        os.write(fd, b'\x0c')
        time.sleep(0.02)


try:
    wait_for(b'worst')
    os.write(fd, b'a')
    wait_for(b'checking the plan')
    hold_up()
    time.sleep(3)  # the check ends meanwhile
    os.write(fd, b'A')
    out, end = b'', time.time() + 60
    while not any(text in out for text in (b'has been changed yet', b'undone in')):
        if time.time() > end:
            sys.exit('neither a plan nor an apply appeared')
        os.write(fd, b'\x0c')
        out += read_for(0.2)
    if b'has been changed yet' not in out:
        sys.exit('applied, but never shown')
finally:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
