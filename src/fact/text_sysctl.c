/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vector.h"

/* Those of tcp_mem and udp_mem are thresholds (ease, pressure, limit); one set of names serves
 * all. */
static const struct nt_vector vectors[] = {
	{ "tcp_rmem", 3, { "min", "default", "max" } },
	{ "tcp_wmem", 3, { "min", "default", "max" } },
	{ "tcp_mem", 3, { "min", "default", "max" } },
	{ "udp_mem", 3, { "min", "default", "max" } },
	{ "ip_local_port_range", 2, { "min", "max" } },
	{ "ping_group_range", 2, { "min", "max" } },
};

const struct nt_vector *nt_vector_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(vectors); i++)
		if (strlen(vectors[i].name) == len && strncmp(vectors[i].name, name, len) == 0)
			return &vectors[i];
	return NULL;
}

static const char *const secrets[] = { "tcp_fastopen_key", "stable_secret", "netdev_rss_key" };

bool nt_sysctl_secret(const char *name)
{
	const char *last = strrchr(name, '.');
	size_t i;

	last = last ? last + 1 : name;
	for (i = 0; i < NT_ARRAY_SIZE(secrets); i++)
		if (strcmp(last, secrets[i]) == 0)
			return true;
	return false;
}

static bool integer(const char *text, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(text, &end, 10);
	return end != text && !*end && errno == 0;
}

/* Runs of blanks become one blank, none at the ends. True when there was one inside. */
static bool squeeze(char *ret, size_t size, const char *value)
{
	size_t n = 0;
	bool blanks = false;

	for (value += strspn(value, " \t\n"); *value && n + 2 < size; value++) {
		if (!strchr(" \t\n", *value)) {
			ret[n++] = *value;
		} else if (!strchr(" \t\n", value[1])) {
			ret[n++] = ' ';
			blanks = true;
		}
	}
	while (n && ret[n - 1] == ' ')
		n--;
	ret[n] = '\0';
	return blanks;
}

static void add_parts(struct nt_snapshot *s, const struct nt_vector *v, const char *value)
{
	const struct nt_catalogue_row *row;
	char name[128];
	int i;

	for (i = 0; i < v->n; i++) {
		char *end;
		long long x = strtoll(value, &end, 10);

		if (end == value)
			return;
		value = end;
		snprintf(name, sizeof name, "sysctl.net.ipv4.%s.%s", v->name, v->part[i]);
		row = nt_catalogue_find(name);
		nt_fact_int(s, &s->host, name, row ? row->unit : NT_UNIT_NONE, x);
	}
}

bool nt_text_sysctl(struct nt_snapshot *s, const char *name, const char *value)
{
	const struct nt_catalogue_row *row;
	size_t size = strlen(value) + 2;
	char full[256], *text;
	bool blanks;
	const struct nt_vector *v = NULL;
	int64_t x;

	if (strncmp(name, "net.", 4) != 0 || nt_sysctl_secret(name) ||
		snprintf(full, sizeof full, "sysctl.%s", name) >= (int)sizeof full)
		return false;
	text = nt_malloc(size); /* some are lists of thousands */
	blanks = squeeze(text, size, value);
	if (strncmp(name, "net.ipv4.", 9) == 0)
		v = nt_vector_find(name + 9, strlen(name + 9));
	if (v)
		add_parts(s, v, text);
	row = nt_catalogue_find(full);
	if (row && row->type == NT_FACT_TEXT)
		nt_fact_text(s, &s->host, NT_FACT_TEXT, full, text);
	else if (integer(text, &x) && (!row || row->type != NT_FACT_LIST))
		nt_fact_int(s, &s->host, full, row ? row->unit : NT_UNIT_NONE, x);
	else
		nt_fact_text(s, &s->host,
			blanks || (row && row->type == NT_FACT_LIST) ? NT_FACT_LIST
								      : NT_FACT_TEXT,
			full, text);
	free(text);
	return true;
}

void nt_text_kernel_release(struct nt_snapshot *s, const char *release)
{
	struct nt_version v;
	char text[48];

	nt_fact_text(s, &s->host, NT_FACT_TEXT, "kernel.release", release);
	if (nt_version_parse(release, &v) == 0) {
		nt_version_format(text, &v);
		nt_fact_text(s, &s->host, NT_FACT_VERSION, "kernel.version", text);
	}
}
