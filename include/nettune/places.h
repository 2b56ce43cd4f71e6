/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where nettune's files are: DESIGN "Places". */
#ifndef NETTUNE_PLACES_H
#define NETTUNE_PLACES_H

/*
 * The folder of shipped rules (NETTUNE_RULES_DIR, else rules/ beside the program's build
 * tree, else pkgdatadir/rules), of shipped patches likewise, of configuration
 * (NETTUNE_CONF_DIR, else sysconfdir/nettune) and of state (NETTUNE_STATE_DIR, else
 * localstatedir/lib/nettune). New strings, the caller frees. Never NULL; the folder may
 * not exist.
 */
char *nt_place_rules(void);
char *nt_place_patches(void);
char *nt_place_conf(void);
char *nt_place_state(void);

#endif
