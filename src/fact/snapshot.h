/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding facts by the id of their name: for collectors of many alike. Private. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "nettune/fact.h"

/* A new fact whose value the caller sets; valid until the scope's next addition. */
struct nt_fact *nt_fact_slot(struct nt_snapshot *s, struct nt_scope *sc, unsigned id,
	enum nt_fact_type type, enum nt_unit unit);

#endif
