/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modes, one file each in cmd/; table.c joins them with their options. */
#ifndef MODES_H
#define MODES_H

#include "cmd.h"

int nt_cmd_interactive(const struct nt_args *a);
int nt_cmd_probe(const struct nt_args *a);
int nt_cmd_serve(const struct nt_args *a);
int nt_cmd_list_facts(const struct nt_args *a);
int nt_cmd_list_rules(const struct nt_args *a);
int nt_cmd_check_rules(const struct nt_args *a);
int nt_cmd_report(const struct nt_args *a);
int nt_cmd_apply(const struct nt_args *a);
int nt_cmd_keep(const struct nt_args *a);
int nt_cmd_rollback(const struct nt_args *a);
int nt_cmd_history(const struct nt_args *a);
int nt_cmd_list_tunables(const struct nt_args *a);
int nt_cmd_lab(const struct nt_args *a);

extern const struct nt_opt nt_report_opts[], nt_probe_cli_opts[], nt_serve_cli_opts[];
extern const struct nt_opt nt_apply_opts_table[], nt_rollback_opts[];
int nt_cmd_patches(const struct nt_args *a);
int nt_cmd_patch(const struct nt_args *a);

#endif
