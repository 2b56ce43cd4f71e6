/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of facts, literals with units, and how a value is written for people. Every unit
 * has a dimension (bits^b * seconds^s) and a factor to bits and seconds, so that
 * rate * time compares with a size.
 */
#ifndef NETTUNE_UNIT_H
#define NETTUNE_UNIT_H

#include <stddef.h>

#include "nettune/err.h"

enum nt_unit {
	NT_UNIT_NONE, /* a plain number or a count */
	NT_UNIT_BYTES,
	NT_UNIT_PAGES, /* of sysconf(_SC_PAGESIZE) bytes */
	NT_UNIT_BPS,   /* bit/s */
	NT_UNIT_MBPS,  /* 10^6 bit/s, as ethtool's speed */
	NT_UNIT_NS,
	NT_UNIT_US,
	NT_UNIT_MS,
	NT_UNIT_S,
	NT_UNIT_PER_S,
	NT_UNIT_PACKETS,
	NT_UNIT_PERCENT, /* 0..100; plain number in expressions */
	_NT_UNIT_MAX
};

struct nt_unit_info {
	const char *name; /* as in --list-facts and the JSON schema's text: "Mbit/s" */
	double factor;	  /* value * factor is in bits and seconds (percent: 1) */
	int bits, seconds; /* exponents of the dimension */
};

/* Never NULL for a valid unit. Static. */
const struct nt_unit_info *nt_unit_info(enum nt_unit unit);

/*
 * Parse a literal: a decimal number (with optional fraction and exponent) followed
 * directly by a unit word: bit, kbit, Mbit, Gbit (and .../s: a bare Mbit is a rate, as in
 * tc), B, kB, MB, GB (10^3), KiB, MiB, GiB, ns, us, ms, s, min, h, % or nothing.
 * *ret_value is in the unit *ret_unit (one of NONE, BYTES, BPS, NS.., PERCENT). *ret_end,
 * if not NULL, is the first byte not consumed; with ret_end NULL the whole string must be
 * consumed. Returns 0 or -EINVAL; -ERANGE where the number does not fit a double.
 */
int nt_unit_parse(const char *s, double *ret_value, enum nt_unit *ret_unit,
	const char **ret_end);

/* The same in one unit, in which a plain number is. -EINVAL also for another dimension. */
int nt_unit_parse_as(const char *s, enum nt_unit unit, double *ret);

/* Value in another unit. -EINVAL where the dimensions differ. */
int nt_unit_convert(double value, enum nt_unit from, enum nt_unit to, double *ret);

/*
 * Write a value for people, at most size bytes with the NUL: rates in Mbit/s, sizes in
 * KiB/MiB when exact or from 64 KiB on, times in us/ms/s. Always as "value unit".
 */
void nt_unit_format(char *ret, size_t size, double value, enum nt_unit unit);

#endif
