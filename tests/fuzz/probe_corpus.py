#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the first inputs of fuzz_probe_server and fuzz_probe_client: probe_corpus.py FOLDER"""
import json
import os
import struct
import sys

HELLO, AUTH, OK, TEST, READY, START, SAMPLE, STOP, RESULT, ERROR, FACTS, FACT, FACTS_END = range(1, 14)


def frame(kind, body=None):
    text = b'' if body is None else json.dumps(body, separators=(',', ':')).encode()
    return struct.pack('>IBxxx', len(text), kind) + text


def preamble(kind, version=1, stream=0):
    return b'NTPR' + struct.pack('>BBH', version, kind, stream) + b'N' * 32 + bytes(24)


spec = {'groups': [{'flow': 'bulk', 'down': False, 'streams': 2, 'request': 1, 'response': 1}],
        'seconds': 1, 'warmup': 0, 'pacing_bps': 0, 'congestion': 'cubic', 'mss': 0, 'write_size': 0,
        'sndbuf': 0, 'rcvbuf': 0, 'cpu': -1, 'peer_cpu': -1, 'nodelay': False, 'zerocopy': False,
        'trunc': False, 'any_egress': False}
sample = {'t': 1, 'tx_bps': 5e9, 'rx_bps': 0, 'cpu_busy_pct': 50, 'rtt_us': None, 'cwnd': 10,
          'delivery_bps': 1, 'retrans': 0}
cpu = {k: 1 for k in ('cpu', 'busy_pct', 'user_pct', 'system_pct', 'softirq_pct', 'irq_pct', 'steal_pct')}
end = {'seconds': 1, 'tx_bytes': 1, 'rx_bytes': 2, 'transactions': 0, 'cpu_s_per_gb': None,
       'thread_busy_pct': 5, 'thread_wait_pct': 1, 'context_switches': 9, 'nic_interrupts': None,
       'other_tests': 0, 'cpu': cpu, 'per_cpu': [cpu, cpu], 'series': [sample], 'counters': {'snmp.Tcp.X': 4},
       'tcp': dict({k: 1 for k in (
           'rtt_us', 'min_rtt_us', 'cwnd', 'mss', 'delivery_bps', 'pacing_bps', 'segs_out', 'retrans',
           'busy_pct', 'rwnd_limited_pct', 'sndbuf_limited_pct', 'sndbuf_bytes', 'notsent_bytes',
           'app_limited_pct')}, congestion='cubic', zerocopy_copied=False, streams=1),
       'egress': dict({k: 1 for k in ('speed_bps', 'mtu', 'backlog_bytes', 'qdisc_drops', 'qdisc_overlimits')},
                      link='eth0', kind='', qdisc='fq', virtual=False),
       'udp': {k: 1 for k in ('sent', 'received', 'lost', 'reordered', 'jitter_us', 'bps')},
       'latency': {k: 1 for k in ('count', 'min_us', 'mean_us', 'p50_us', 'p90_us', 'p99_us', 'p99_9_us', 'max_us')},
       'completion': dict({k: 1 for k in ('delay_us', 'slope_us', 'p50_us', 'p99_us', 'wire_us', 'bursts')},
                          ran=True, measurable=True, reason='', late=False)}
hello = frame(HELLO, {'version': 1, 'program': '0.1.0', 'key': False, 'nonce': 'ab' * 32})
hello_key = frame(HELLO, {'version': 1, 'program': '0.1.0', 'key': True, 'nonce': 'ab' * 32})
ok = frame(OK, {'max_seconds': 120, 'max_streams': 128, 'mac': 'cd' * 32, 'host': 'ef' * 32, 'kernel': '6.1.0'})
link = {'scope': 'link', 'name': 'eth0', 'interesting': True, 'lower': '', 'master': 'br0',
        'facts': [['link.speed', 'int', 'Mbit/s', 1000], ['link.driver', 'text', '', 'igb'],
                  ['x', 'real', 'us', 1.5], ['y', 'switch', '', 1], ['z', 'absent', '', 'needs root']]}
host = {'scope': 'host', 'name': '', 'interesting': False, 'lower': '', 'master': '', 'facts': link['facts']}

server = {
    'test': b'\0' + preamble(1) + frame(TEST, spec) + frame(STOP) + frame(FACTS),
    'auth': b'\1' + preamble(1) + frame(AUTH, {'mac': '00' * 32}) + frame(TEST, spec),
    'data': b'\0' + preamble(2, stream=1),
    'crr': b'\0' + preamble(3) + bytes(64),
    'version': b'\0' + preamble(1, 7),
}
client = {
    'greet': b'\0' + hello + ok,
    'greet-key': b'\1' + hello_key + ok,
    'error': b'\0' + hello + frame(ERROR, {'code': 'busy', 'message': 'the server is full'}),
    'facts': b'\2' + frame(FACT, link) + frame(FACT, host) + frame(FACTS_END),
    'run': b'\3' + frame(READY, {'token': '12' * 16}) + frame(START) + frame(SAMPLE, sample) + frame(RESULT, end),
    'result': b'\4' + json.dumps(end).encode(),
}
for name, inputs in (('probe_server', server), ('probe_client', client)):
    folder = os.path.join(sys.argv[1], 'corpus-' + name)
    os.makedirs(folder, exist_ok=True)
    for key, data in inputs.items():
        with open(os.path.join(folder, key), 'wb') as f:
            f.write(data)
