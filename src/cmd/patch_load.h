/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --patches and --patch begin with. Private to cmd/. */
#ifndef PATCH_LOAD_H
#define PATCH_LOAD_H

#include "nettune/patch.h"

/*
 * Load the shipped catalogue, faults told on stderr. Returns an exit status; whatever it
 * is, nt_patches_free().
 */
int nt_cmd_load_patches(struct nt_patches *ret);

#endif
