#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""old_kernel.py COMMAND...: run it where close_range(2) is not known, as before Linux 5.9."""
import ctypes
import errno
import os
import struct
import sys

CLOSE_RANGE = 436
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K

code = b''.join(struct.pack('HBBI', *i) for i in (
    (LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, CLOSE_RANGE),
    (RETURN, 0, 0, 0x00050000 | errno.ENOSYS), (RETURN, 0, 0, 0x7fff0000)))
text = ctypes.create_string_buffer(code)
program = ctypes.create_string_buffer(struct.pack('HxxxxxxP', 4, ctypes.addressof(text)))
prctl = ctypes.CDLL(None, use_errno=True).prctl
if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
    sys.exit('prctl: ' + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
