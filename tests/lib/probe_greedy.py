#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that asks and reads no answer: probe_greedy.py ADDRESS PORT PID

It asks for facts, which it holds no key for, a million times. Says how often until it was turned
away, and by how many kB the server, process PID, grew meanwhile."""
import os
import socket
import struct
import sys

ASK = struct.pack('>IBxxx', 0, 11) * 1000


def rss():
    return int(open('/proc/%s/statm' % sys.argv[3]).read().split()[1]) * 4


s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
s.settimeout(20)
s.connect((sys.argv[1], int(sys.argv[2])))
s.sendall(b'NTPR' + bytes((1, 1, 0, 0)) + os.urandom(32) + bytes(24))
before, most, asked = rss(), 0, 0
try:
    while asked < 1000000:
        s.sendall(ASK)
        asked += 1000
        most = max(most, rss() - before)
except OSError:
    print('turned away')
print('asked %d times, grew by %d' % (asked, most))
