/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SIGINT, SIGTERM and SIGHUP as a flag and a descriptor to poll. Private to cmd/. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdatomic.h>

/* From now on the signals set the flag; a second one ends the program. */
void nt_interrupt_catch(void);
const atomic_bool *nt_interrupted(void);
/* Readable once a signal came. Non-blocking. -1 without a pipe. */
int nt_interrupt_fd(void);

#endif
