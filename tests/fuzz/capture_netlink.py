#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""capture_netlink.py FOLDER: write the kernel's own replies, as fuzz_netlink reads them, into
FOLDER. Run it in a network namespace with a few links:

  unshare -n sh -c 'ip link add v0 type veth peer name v1; ...; capture_netlink.py FOLDER'
"""
import os
import socket
import struct
import sys

folder = sys.argv[1]
DUMP, ACK = 0x300, 4
COMPACT = 1


def attr(kind, data):
    return struct.pack('HH', len(data) + 4, kind) + data + b'\0' * (-len(data) % 4)


def nest(kind, data):
    return attr(kind | 0x8000, data)


def ask(proto, kind, flags, payload):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, proto)
    s.setsockopt(270, 11, 1)  # SOL_NETLINK, NETLINK_EXT_ACK
    s.settimeout(2)
    s.bind((0, 0))
    s.send(struct.pack('IHHII', 16 + len(payload), kind, flags | 1, 1, 0) + payload)
    got = []
    while True:
        data = s.recv(65536)
        got.append(data)
        at = 0
        while at + 16 <= len(data):
            size, kind = struct.unpack_from('IH', data, at)
            if kind in (2, 3):
                return got
            at += size + 3 & ~3


def save(which, name, datagrams, limit=2048):
    """Whole messages only, as many as fit."""
    for i, data in enumerate(datagrams):
        end = 0
        while end + 16 <= len(data):
            size = struct.unpack_from('I', data, end)[0] + 3 & ~3
            if end and end + size > limit:
                break
            end += size
        with open(os.path.join(folder, '%s-%d' % (name, i)), 'wb') as f:
            f.write(bytes([which, 0, 0, 0]) + data[:end])


ROUTE, SOCK_DIAG, GENERIC = 0, 4, 16
for which, (name, kind, size) in enumerate((('link', 18, 16), ('qdisc', 38, 20), ('addr', 22, 8),
                                             ('route', 26, 12))):
    save(which, name, ask(ROUTE, kind, DUMP, b'\0' * size))
reply = ask(GENERIC, 16, ACK, struct.pack('BBH', 3, 1, 0) + attr(2, b'ethtool\0'))[0]
at = 20
while True:
    size, kind = struct.unpack_from('HH', reply, at)
    if kind == 1:
        family = struct.unpack_from('H', reply, at + 4)[0]
        break
    at += size + 3 & ~3


def ethtool(cmd, flags, *attrs):
    return ask(GENERIC, family, flags, struct.pack('BBH', cmd, 1, 0) + b''.join(attrs))


def header(ifindex=0):
    return nest(1, (attr(1, struct.pack('I', ifindex)) if ifindex else b'') +
                attr(3, struct.pack('I', COMPACT)))


save(4, 'strset', ethtool(1, ACK, header(), nest(2, nest(1, attr(1, struct.pack('I', 4))))), 8192)
bit = nest(1, attr(2, b'tx-checksum-ipv4\0') + attr(3, b''))
save(5, 'refused', ethtool(12, ACK, header(socket.if_nametoindex('v0')), nest(3, nest(3, bit))))
for which, (name, cmd) in enumerate((
        ('features', 11), ('coalesce', 19), ('rings', 15), ('channels', 17), ('pause', 21),
        ('eee', 23), ('linkmodes', 4), ('linkinfo', 2), ('fec', 29))):
    save(6 + which, name, ethtool(cmd, DUMP, header()))
save(6, 'error', ethtool(18, ACK, header(socket.if_nametoindex('v0')),
                         attr(6, struct.pack('I', 9999))))
a = socket.create_server(('127.0.0.1', 0))
b = socket.create_connection(a.getsockname())
b.send(b'0123456789')
for family, name in ((socket.AF_INET, 'socket'), (socket.AF_INET6, 'socket6')):
    save(15, name, ask(SOCK_DIAG, 20, DUMP, struct.pack('BBBBI', family, 6, 0x4a, 0, 0x502) +
                       bytes(48)))
