/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The link that carries the caller's own ssh session: a change to it may cut them off. */
#ifndef NETTUNE_SSH_H
#define NETTUNE_SSH_H

#include <stdbool.h>

#include "nettune/sys.h"

/*
 * Find the link whose address the caller's ssh session came in on: SSH_CONNECTION of this
 * process or of an ancestor (sudo drops it from the environment; sshd's own children keep
 * it). True and its name in ret; false when there is no such session or no such link.
 */
bool nt_ssh_link(struct nt_sys *s, char ret[NT_IFNAMSIZ]);

#endif
