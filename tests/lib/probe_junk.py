#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections that are no good, for the probe's server: probe_junk.py ADDRESS PORT COUNT

COUNT connections of changing kinds: nothing is sent; noise; the beginning of a preamble; a whole
preamble and no more; a control connection that sends frames of absurd length, of unknown type, or
JSON without end; data and CRR connections with a token that nobody gave out. Some are left open."""
import os
import random
import socket
import struct
import sys

address, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(1)


def preamble(kind, version=1):
    return b'NTPR' + bytes((version, kind, 0, 0)) + os.urandom(32) + bytes(24)


def frame(length, kind, body=b''):
    return struct.pack('>IBxxx', length, kind) + body


KINDS = (
    lambda: b'',
    lambda: os.urandom(random.randint(1, 3000)),
    lambda: b'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    lambda: preamble(1)[:random.randint(1, 63)],
    lambda: preamble(1),
    lambda: preamble(1, 9),
    lambda: preamble(1) + frame(0xffffffff, 2),
    lambda: preamble(1) + frame(3, 200, b'abc'),
    lambda: preamble(1) + frame(900, 4, b'[' * 900),
    lambda: preamble(1) + frame(2, 4, b'{}') + frame(0, 8) * 50,
    lambda: preamble(1) + frame(100, 2, b'{"mac":"'),
    lambda: preamble(2),
    lambda: preamble(3) + bytes(64),
    lambda: preamble(4),
)

udp = socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET, socket.SOCK_DGRAM)
open_ones = []
refused = 0
for i in range(count):
    s = socket.socket(udp.family, socket.SOCK_STREAM)
    s.settimeout(5)
    try:
        s.connect((address, port))
        data = KINDS[i % len(KINDS)]()
        if data:
            s.sendall(data)
    except OSError:
        refused += 1
    if i % 10 == 0:
        udp.sendto(preamble(4) if i % 20 else os.urandom(64), (address, port))
    if i % 3:
        s.close()
    else:
        open_ones.append(s)
    if len(open_ones) > 400:
        open_ones.pop(0).close()
print('%d connections, %d cut off while sending' % (count, refused))
