#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A path with delay and loss where the kernel has no netem: delay.py DELAY_MS LOSE_ONE_IN

Makes the tap devices d0 and d1 in its network namespace (the caller moves them elsewhere) and
carries frames between them, each way DELAY_MS late, losing every LOSE_ONE_INth TCP or UDP frame
of more than 200 bytes (0: none). Prints "ready" and runs until it is ended."""
import fcntl
import heapq
import os
import select
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 2, 0x1000
QUEUE = 2000  # frames on their way; more are lost, as on any path


def tap(name):
    fd = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack('16sH', name.encode(), IFF_TAP | IFF_NO_PI))
    return fd


def main():
    delay, lose = float(sys.argv[1]) / 1000, int(sys.argv[2])
    fds = [tap('d0'), tap('d1')]
    print('ready', flush=True)
    queue, count, n = [], 0, 0
    while True:
        now = time.monotonic()
        while queue and queue[0][0] <= now:
            _, _, to, frame = heapq.heappop(queue)
            try:
                os.write(to, frame)
            except OSError:
                pass
        wait = max(0, queue[0][0] - now) if queue else 1
        for fd in select.select(fds, [], [], wait)[0]:
            for _ in range(64):
                try:
                    frame = os.read(fd, 2048)
                except OSError:
                    break
                if lose and len(frame) > 200:
                    count += 1
                    if count % lose == 0:
                        continue
                if len(queue) < QUEUE:
                    n += 1
                    to = fds[1 - fds.index(fd)]
                    heapq.heappush(queue, (time.monotonic() + delay, n, to, frame))


main()
