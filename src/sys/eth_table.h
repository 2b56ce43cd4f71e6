/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ethtool groups, one table each: a row is one value, with its place in the netlink
 * message and in the ioctl's struct. Reading and setting, by netlink and by ioctl, go
 * through the same rows.
 */
#ifndef NETTUNE_SYS_ETH_TABLE_H
#define NETTUNE_SYS_ETH_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "nettune/names.h"
#include "nettune/sys.h"

enum nt_row_type {
	NT_ROW_U32,	   /* INT from a u32 */
	NT_ROW_U8,	   /* INT from a u8 */
	NT_ROW_SWITCH,	   /* u8 in netlink */
	NT_ROW_WORD,	   /* TEXT by the words table; a number it lacks gives no value */
	NT_ROW_SPEED,	   /* INT; 0 and ~0 mean unknown and give no value */
	NT_ROW_MODES,	   /* TEXT: link modes of a bitset's value */
	NT_ROW_MODES_MASK, /* TEXT: link modes of a bitset's mask */
	NT_ROW_FEC,	   /* TEXT: all names of a bitset's value */
	NT_ROW_FEC_BIT,	   /* TEXT: the name of one link mode, by number */
};

enum {
	NT_ROW_SET = 1U << 0,	     /* may be set */
	/* the ioctl's zero may as well mean "not supported": no value then; with _HW only for
	 * links that are no device */
	NT_ROW_IO_NONZERO = 1U << 1,
	NT_ROW_IO_NONZERO_HW = 1U << 2,
};

struct nt_eth_row {
	const char *name; /* the fact's */
	const struct nt_name *words;
	uint16_t attr;
	uint8_t type;	 /* enum nt_row_type */
	uint8_t flags;	 /* NT_ROW_* */
	uint8_t io_size; /* bytes in the ioctl's struct; 0: not there */
	uint16_t io_off;
	uint16_t io_gate; /* ioctl: offset of a u32 that is 0 where there is no such thing;
			     0: no gate */
};

struct nt_eth_group {
	const char *name; /* "coalesce" */
	const char *what; /* for messages: "coalescing" */
	uint8_t get, set; /* ETHTOOL_MSG_*; set 0: nothing can be set; both 0: by ioctl alone */
	uint16_t io_size; /* of the ioctl's struct; 0: the group has its own code, or none */
	uint32_t io_get, io_set; /* ETHTOOL_G..., ETHTOOL_S... */
	const struct nt_eth_row *rows;
	unsigned n_rows;
};

/* NULL when what is no group. */
const struct nt_eth_group *nt_eth_group(enum nt_eth what);
/* The row named name, or NULL. */
const struct nt_eth_row *nt_eth_row(const struct nt_eth_group *g, const char *name);

/* The kernel's name of link mode bit, where the kernel itself cannot be asked. NULL: none. */
const char *nt_link_mode_name(unsigned bit);
/* Whether a link mode's name means a speed ("1000baseT/Full"), not "Autoneg" or "TP". */
bool nt_link_mode_is_speed(const char *name);

#endif
