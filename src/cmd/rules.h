/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the modes that read rule files share. */
#ifndef RULES_H
#define RULES_H

#include "nettune/rule.h"

/* A fault of a rule file to stderr, as FILE:LINE: REASON. */
void nt_tell_rule_fault(void *arg, const char *file, int line, const char *reason);

#endif
