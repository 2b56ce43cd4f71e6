/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The derivations that nt_derive() runs after its own table. Private to fact/. */
#ifndef DERIVE_H
#define DERIVE_H

#include "nettune/fact.h"

/* Both read a sealed snapshot, in which link.role and link.virtual are known already, and
 * add to it unsealed: the caller unseals before and seals after. */

/* driver.enables.*: what a link's driver is known to switch on by itself. */
void nt_derive_driver(struct nt_snapshot *s, struct nt_scope *link);
/* rx.*, tx.pause_frames, their rates, link.speed_*, link.sound and the like. */
void nt_derive_link(struct nt_snapshot *s, struct nt_scope *link);
/* kernel.upstream. */
void nt_derive_kernel(struct nt_snapshot *s);
/* host.drivers. */
void nt_derive_drivers(struct nt_snapshot *s);

#endif
