/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/places.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nettune/mem.h"

/*
 * The folder name of a build tree that the program runs from, or NULL. A build tree is
 * known by config.status beside the program; its source tree (VPATH) is the one compiled in.
 */
static char *beside_program(const char *name)
{
	char exe[4096], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	path = nt_asprintf("%s/config.status", exe);
	n = access(path, F_OK);
	free(path);
	if (n != 0)
		return NULL;
	path = nt_asprintf("%s/%s", NT_TOP_SRCDIR, name);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static char *shipped(const char *variable, const char *name)
{
	const char *env = secure_getenv(variable);
	char *path;

	if (env && *env)
		return nt_strdup(env);
	path = beside_program(name);
	return path ? path : nt_asprintf("%s/%s", NT_PKGDATADIR, name);
}

static char *local(const char *variable, const char *dir)
{
	const char *env = secure_getenv(variable);

	return nt_strdup(env && *env ? env : dir);
}

char *nt_place_rules(void)
{
	return shipped("NETTUNE_RULES_DIR", "rules");
}

char *nt_place_patches(void)
{
	return shipped("NETTUNE_PATCHES_DIR", "patches");
}

char *nt_place_conf(void)
{
	return local("NETTUNE_CONF_DIR", NT_SYSCONFDIR);
}

char *nt_place_state(void)
{
	return local("NETTUNE_STATE_DIR", NT_STATEDIR);
}
