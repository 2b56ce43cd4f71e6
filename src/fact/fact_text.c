/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LEN = 160 };

/* The next word of *at up to the line's end, or NULL; *at moves behind it. */
static const char *word(const char **at, size_t *ret_len)
{
	const char *w = *at + strspn(*at, " \t");
	size_t len = strcspn(w, " \t\r\n");

	*at = w + len;
	*ret_len = len;
	return len ? w : NULL;
}

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : NULL;
}

/* A decimal counter; those past INT64_MAX stay at it. False when it is no number. */
static bool number(const char *w, size_t len, int64_t *ret)
{
	char buf[32], *end;

	if (len == 0 || len >= sizeof buf)
		return false;
	memcpy(buf, w, len);
	buf[len] = '\0';
	errno = 0;
	*ret = strtoll(buf, &end, 10);
	return !*end && end != buf;
}

/* PREFIX.[GROUP.]NAME as an integer in the catalogue's unit. */
static int put(struct nt_snapshot *s, const char *prefix, const char *group, size_t group_len,
	const char *name, size_t name_len, int64_t v)
{
	const struct nt_catalogue_row *row;
	char full[NAME_MAX_LEN];

	if (snprintf(full, sizeof full, "%s%.*s%s%.*s", prefix, (int)group_len, group,
		    group_len ? "." : "", (int)name_len, name) >= (int)sizeof full)
		return 0;
	row = nt_catalogue_find(full);
	nt_fact_int(s, &s->host, full, row ? row->unit : NT_UNIT_NONE, v);
	return 1;
}

/* "Tcp: A B C" above "Tcp: 1 2 3". */
static int snmp_pair(struct nt_snapshot *s, const char *names, const char *values)
{
	size_t group_len, nl, vl;
	const char *group = word(&names, &group_len), *n, *v;
	int64_t value;
	int added = 0;

	v = word(&values, &vl);
	if (!group || !v || group_len < 2 || vl != group_len ||
		group[group_len - 1] != ':' || strncmp(group, v, vl) != 0)
		return -1;
	while ((n = word(&names, &nl)) && (v = word(&values, &vl)))
		if (number(v, vl, &value))
			added += put(s, "snmp.", group, group_len - 1, n, nl, value);
	return added;
}

int nt_text_snmp(struct nt_snapshot *s, const char *text)
{
	const char *values;
	int added = 0, n;

	for (; text && *text; text = n < 0 ? values : next_line(values)) {
		values = next_line(text);
		if (!values)
			break;
		n = snmp_pair(s, text, values);
		if (n > 0)
			added += n;
	}
	return added;
}

int nt_text_snmp6(struct nt_snapshot *s, const char *text)
{
	/* the longer before the shorter of the same beginning */
	static const char *const groups[] = { "Icmp6", "Ip6", "UdpLite6", "Udp6" };
	int added = 0;

	for (; text && *text; text = next_line(text)) {
		const char *at = text, *n, *v;
		size_t nl, vl, g, len = 0;
		int64_t value;

		n = word(&at, &nl);
		v = word(&at, &vl);
		if (!n || !v || !number(v, vl, &value))
			continue;
		for (g = 0; g < NT_ARRAY_SIZE(groups) && !len; g++)
			if (strncmp(n, groups[g], strlen(groups[g])) == 0)
				len = strlen(groups[g]);
		if (len && nl > len)
			added += put(s, "snmp.", n, len, n + len, nl - len, value);
	}
	return added;
}

int nt_text_sockstat(struct nt_snapshot *s, const char *text)
{
	int added = 0;

	for (; text && *text; text = next_line(text)) {
		const char *at = text, *group, *n, *v;
		size_t gl, nl, vl;
		int64_t value;

		group = word(&at, &gl);
		if (!group || gl < 2 || group[gl - 1] != ':')
			continue;
		while ((n = word(&at, &nl)) && (v = word(&at, &vl)))
			if (number(v, vl, &value))
				added += put(s, "sockstat.", group, gl - 1, n, nl, value);
	}
	return added;
}

/* Columns of softnet_stat, from 0; the kernel grew them over time. */
static const struct {
	const char *name;
	int column;
	bool summed;
} softnet_columns[] = {
	{ "processed", 0, true },
	{ "dropped", 1, true },
	{ "time_squeeze", 2, true },
	{ "received_rps", 9, true },
	{ "flow_limit", 10, true },
	{ "backlog", 11, true },
};

/* The hexadecimal words of a line into v; how many there were, -1 for another line. */
static int hex_line(const char *line, uint64_t *v, int max)
{
	const char *w;
	size_t len;
	char *end;
	int n;

	for (n = 0; (w = word(&line, &len)); n++) {
		uint64_t x = strtoull(w, &end, 16);

		if (end != w + len)
			return -1;
		if (n < max)
			v[n] = x;
	}
	return n < max ? n : max;
}

int nt_text_softnet(struct nt_snapshot *s, const char *text)
{
	uint64_t v[32], sum[NT_ARRAY_SIZE(softnet_columns)] = { 0 };
	int lines = 0, columns = 0;
	size_t i;

	for (; text && *text; text = next_line(text)) {
		int n = hex_line(text, v, NT_ARRAY_SIZE(v));

		if (n < 9 || (columns && n != columns))
			continue;
		columns = n;
		lines++;
		for (i = 0; i < NT_ARRAY_SIZE(softnet_columns); i++)
			if (softnet_columns[i].column < n)
				sum[i] += v[softnet_columns[i].column];
	}
	if (!lines)
		return 0;
	put(s, "softnet.", "", 0, "cpus", 4, lines);
	for (i = 0; i < NT_ARRAY_SIZE(softnet_columns); i++)
		if (softnet_columns[i].column < columns)
			put(s, "softnet.", "", 0, softnet_columns[i].name,
				strlen(softnet_columns[i].name), (int64_t)sum[i]);
	return lines;
}

int nt_text_stat_table(struct nt_snapshot *s, const char *prefix, const char *text)
{
	enum { COLUMNS = 64 };
	uint64_t v[COLUMNS], sum[COLUMNS] = { 0 };
	const char *header = text, *n;
	int lines = 0, width = 0, n_line, i;
	char full[NAME_MAX_LEN];
	size_t len;

	while (text && (text = next_line(text)) && *text) {
		n_line = hex_line(text, v, COLUMNS);
		for (i = 0; i < n_line; i++)
			sum[i] += v[i];
		lines += n_line > 0;
		if (n_line > width)
			width = n_line;
	}
	if (!lines)
		return 0;
	snprintf(full, sizeof full, "%s.", prefix);
	for (i = 0; i < width && (n = word(&header, &len)); i++)
		put(s, full, "", 0, n, len,
			(int64_t)(len == 7 && strncmp(n, "entries", 7) == 0 ? sum[i] / lines
									     : sum[i]));
	return i;
}
