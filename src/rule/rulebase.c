/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/rule.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "nettune/places.h"
#include "code.h"

struct nt_rulebase *nt_rulebase_new(void)
{
	struct nt_rulebase *rb = nt_calloc(1, sizeof *rb);

	rb->refs = nt_calloc(1, sizeof *rb->refs);
	return rb;
}

void nt_rulebase_free(struct nt_rulebase *rb)
{
	if (!rb)
		return;
	nt_refs_free(rb->refs);
	free(rb->refs);
	nt_arena_free(&rb->arena);
	free(rb->v);
	free(rb);
}

const struct nt_rule *nt_rulebase_find(const struct nt_rulebase *rb, const char *id)
{
	size_t i;

	for (i = 0; i < rb->n; i++)
		if (strcmp(rb->v[i]->id, id) == 0)
			return rb->v[i];
	return NULL;
}

static int is_ini(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 4 && strcmp(d->d_name + len - 4, ".ini") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int nt_rulebase_load_dir(struct nt_rulebase *rb, const char *dir, bool user,
	nt_rule_fault_fn *fault, void *arg, struct nt_err *err)
{
	int n, i, rc, faults = 0;
	struct dirent **list;
	struct nt_err file_err = { 0 };
	char *path;

	n = scandir(dir, &list, is_ini, by_bytes);
	if (n < 0)
		return nt_err_sys(err, -errno, "cannot read the rules in '%s'", dir);
	for (i = 0; i < n; i++) {
		path = nt_asprintf("%s/%s", dir, list[i]->d_name);
		rc = nt_rulebase_load(rb, path, user, fault, arg, &file_err);
		if (rc < 0)
			fault(arg, path, 0, file_err.msg);
		faults += rc < 0 ? 1 : rc;
		free(path);
		free(list[i]);
	}
	free(list);
	return faults;
}

int nt_rulebase_load_default(struct nt_rulebase *rb, nt_rule_fault_fn *fault, void *arg,
	struct nt_err *err)
{
	char *shipped = nt_place_rules(), *conf = nt_place_conf(), *own;
	int faults, rc;

	own = nt_asprintf("%s/rules.d", conf);
	faults = nt_rulebase_load_dir(rb, shipped, false, fault, arg, err);
	if (faults >= 0) {
		rc = nt_rulebase_load_dir(rb, own, true, fault, arg, err);
		if (rc == -ENOENT)
			nt_err_clear(err);
		else
			faults = rc < 0 ? rc : faults + rc;
	}
	free(shipped);
	free(conf);
	free(own);
	return faults;
}
