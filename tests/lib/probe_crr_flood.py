#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that keeps the letter of the protocol: probe_crr_flood.py ADDRESS PORT COUNT [STREAMS]

It begins a connect/request/response test of one stream, or STREAMS, and 6 seconds, opens COUNT
connections for it, and reads no response. Of two connections more the older asks last. Says "open"
when all are, "served" when both got an answer, and waits to be ended."""
import json
import os
import signal
import socket
import struct
import sys

address, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
streams = int(sys.argv[4]) if len(sys.argv) > 4 else 1


def preamble(kind, nonce):
    return b'NTPR' + bytes((1, kind, 0, 0)) + nonce.ljust(56, b'\0')


def take(f, kind):
    length, got = struct.unpack('>IBxxx', f.read(8))
    body = f.read(length)
    if got != kind:
        sys.exit('frame %d: %s' % (got, body))
    return json.loads(body) if body else None


c = socket.create_connection((address, port), 5)
c.sendall(preamble(1, os.urandom(32)))
f = c.makefile('rb')
take(f, 1)
take(f, 3)
body = json.dumps({
    'groups': [{'flow': 'crr', 'down': False, 'streams': streams, 'request': 64,
                'response': 1073741823}],
    'seconds': 6.0, 'warmup': 0.0, 'pacing_bps': 0, 'congestion': '', 'mss': 0, 'write_size': 0,
    'sndbuf': 0, 'rcvbuf': 0, 'cpu': -1, 'peer_cpu': -1, 'nodelay': False, 'zerocopy': False,
    'trunc': False, 'any_egress': False}).encode()
c.sendall(struct.pack('>IBxxx', len(body), 4) + body)
token = bytes.fromhex(take(f, 5)['token'])
take(f, 6)
held = []
for i in range(count):
    s = socket.create_connection((address, port), 5)
    s.sendall(preamble(3, token))
    held.append(s)
print('open', flush=True)
late = [socket.create_connection((address, port), 5) for _ in range(2)]
for s in reversed(late):
    s.sendall(preamble(1, os.urandom(32)))
    take(s.makefile('rb'), 1)
print('served', flush=True)
signal.pause()
