#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tcp_path.py, in a network namespace of the test's own: a path of 20 ms round trip to another
namespace, made of two tun devices, and connections that it or its ends hold back. Prints "ready" when
each has been busy for over a second, then sends on until its input ends, for two minutes at most.

  port 5001  a send buffer that the program fixed at 48 KiB, sent at 10 MB/s
  port 5002  a reader that takes 100 kB/s
  port 5003  one fixed at 32 KiB over IPv6, each write sent at once
  port 5004  nothing is ever sent
  5005       over loopback, to a reader that takes nothing: within the host
  5006       a listener, and as many waiting as its queue takes"""
import ctypes
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time

DELAY = 0.010
A4, B4, A6, B6 = '10.77.0.1', '10.77.0.2', 'fd77::1', 'fd77::2'


def ip(*args):
    subprocess.run(('ip',) + args, check=True)


def tun(name):
    fd = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, 0x400454ca, struct.pack('16sH22x', name.encode(), 0x1001))  # TUNSETIFF
    return fd


def up(name, v4, v6):
    ip('addr', 'add', v4 + '/24', 'dev', name)
    ip('-6', 'addr', 'add', v6 + '/64', 'dev', name, 'nodad')
    ip('link', 'set', name, 'mtu', '1500', 'up')


def relay(a, b):
    """Each packet goes to the other side after DELAY."""
    queue, other = [], {a: b, b: a}
    while True:
        wait = max(0, queue[0][0] - time.monotonic()) if queue else None
        for fd in select.select([a, b], [], [], wait)[0]:
            try:
                while True:
                    queue.append((time.monotonic() + DELAY, other[fd], os.read(fd, 65536)))
            except BlockingIOError:
                pass
        while queue and queue[0][0] <= time.monotonic():
            _, fd, packet = queue.pop(0)
            try:
                os.write(fd, packet)
            except OSError:
                pass


def listen(family, addr, port, backlog=8):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((addr, port))
    s.listen(backlog)
    return s


def read(listener, size, pause):
    c = listener.accept()[0]
    while size == 0 or c.recv(size):
        time.sleep(pause)


def peer(ready):
    """The other namespace: its process ends with this one."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG
    if ctypes.CDLL(None, use_errno=True).unshare(0x40000000):
        os._exit(1)
    os.write(ready[1], b'n')
    while subprocess.run(('ip', 'link', 'show', 't1'), capture_output=True).returncode:
        time.sleep(0.02)
    up('t1', B4, B6)
    for family, addr, port, size, pause in (
            (socket.AF_INET, B4, 5001, 1 << 20, 0), (socket.AF_INET, B4, 5002, 10000, 0.1),
            (socket.AF_INET6, B6, 5003, 1 << 20, 0), (socket.AF_INET, B4, 5004, 0, 60)):
        threading.Thread(target=read, args=(listen(family, addr, port), size, pause)).start()
    os.write(ready[1], b'l')
    time.sleep(130)
    os._exit(0)


def connect(family, addr, port, sndbuf=0, paced=0):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b'reno')
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if paced:
        s.setsockopt(socket.SOL_SOCKET, 47, paced)  # SO_MAX_PACING_RATE
    if sndbuf:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, sndbuf)
    s.connect((addr, port))
    return s


def send(s):
    data = bytes(4096)
    while True:
        s.sendall(data)


def main():
    ip('link', 'set', 'lo', 'up')
    a, b = tun('t0'), tun('t1')
    ready = os.pipe()
    child = os.fork()
    if child == 0:
        peer(ready)
    os.read(ready[0], 1)
    ip('link', 'set', 't1', 'netns', str(child))
    up('t0', A4, A6)
    threading.Thread(target=relay, args=(a, b), daemon=True).start()
    os.read(ready[0], 1)
    time.sleep(0.1)
    threading.Thread(target=read, args=(listen(socket.AF_INET, '127.0.0.1', 5005), 0, 60),
                     daemon=True).start()
    full = listen(socket.AF_INET, '127.0.0.1', 5006, 2)
    flows = [connect(socket.AF_INET, B4, 5001, 24576, 10000000), connect(socket.AF_INET, B4, 5002),
             connect(socket.AF_INET6, B6, 5003, 16384),
             connect(socket.AF_INET, '127.0.0.1', 5005)]
    waiting = [connect(socket.AF_INET, B4, 5004)]
    waiting += [connect(socket.AF_INET, '127.0.0.1', 5006) for _ in range(2)]
    for s in flows:
        threading.Thread(target=send, args=(s,), daemon=True).start()
    time.sleep(1.6)
    print('ready', flush=True)
    select.select([sys.stdin], [], [], 120)
    del full, waiting
    os.kill(child, 9)
    os._exit(0)


main()
