/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the journal's writer and reader. */
#ifndef PLAN_JOURNAL_H
#define PLAN_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 (IEEE 802.3) of len bytes. */
uint32_t nt_crc32(const void *data, size_t len);
/* The journal's file name; the caller frees. */
char *nt_journal_path(const char *dir, unsigned id);

#endif
