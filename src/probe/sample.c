/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "sample.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nettune/mem.h"

/* The text's next line into a NUL-terminated copy; false at the end. */
static bool next_line(const char **text, struct nt_buf *ret)
{
	size_t len = strcspn(*text, "\n");

	if (!**text)
		return false;
	nt_buf_cut(ret, 0);
	nt_buf_add(ret, *text, len);
	*text += len + ((*text)[len] == '\n');
	return true;
}

/* The next word of *s, NUL-terminated in place; NULL at the end. */
static char *word(char **s)
{
	char *w = *s + strspn(*s, " \t"), *end = w + strcspn(w, " \t");

	if (!*w)
		return NULL;
	*s = *end ? end + 1 : end;
	*end = '\0';
	return w;
}

static bool cpu_line(const char *line, struct nt_cpu_ticks *ret, bool *ret_all)
{
	uint64_t nice, iowait;
	int n;

	memset(ret, 0, sizeof *ret);
	*ret_all = line[3] == ' ';
	if (!*ret_all && (line[3] < '0' || line[3] > '9'))
		return false;
	if (!*ret_all)
		ret->cpu = strtoul(line + 3, NULL, 10);
	n = sscanf(line + strcspn(line, " "),
		"%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
		"%" SCNu64,
		&ret->user, &nice, &ret->system, &ret->idle, &iowait, &ret->irq, &ret->softirq,
		&ret->steal);
	if (n < 8)
		return false;
	ret->user += nice;
	ret->idle += iowait;
	return true;
}

int nt_proc_stat_parse(const char *text, struct nt_proc_stat *ret)
{
	struct nt_buf line = { 0 };
	struct nt_cpu_ticks t;
	bool all, found = false;

	memset(ret, 0, sizeof *ret);
	while (next_line(&text, &line)) {
		const char *s = nt_buf_str(&line);

		if (strncmp(s, "cpu", 3) == 0 && cpu_line(s, &t, &all)) {
			if (all) {
				ret->all = t;
				found = true;
			} else {
				NT_GROW(ret->cpus, ret->n, ret->cap);
				ret->cpus[ret->n++] = t;
			}
		} else if (strncmp(s, "ctxt ", 5) == 0) {
			ret->ctxt = strtoull(s + 5, NULL, 10);
			break;
		}
	}
	nt_buf_free(&line);
	if (!found)
		nt_proc_stat_free(ret);
	return found ? 0 : -EINVAL;
}

void nt_proc_stat_free(struct nt_proc_stat *p)
{
	free(p->cpus);
	memset(p, 0, sizeof *p);
}

/* idle and iowait of a CPU may go back a little; no share is negative. */
static double ticks(uint64_t a, uint64_t b)
{
	return b > a ? b - a : 0;
}

void nt_cpu_between(const struct nt_cpu_ticks *a, const struct nt_cpu_ticks *b,
	struct nt_probe_cpu *ret)
{
	double user = ticks(a->user, b->user), sys = ticks(a->system, b->system),
	       soft = ticks(a->softirq, b->softirq), irq = ticks(a->irq, b->irq),
	       steal = ticks(a->steal, b->steal), idle = ticks(a->idle, b->idle),
	       all = user + sys + soft + irq + steal + idle;

	if (all <= 0)
		all = NAN;
	ret->cpu = NAN;
	ret->user = 100 * user / all;
	ret->system = 100 * sys / all;
	ret->softirq = 100 * soft / all;
	ret->irq = 100 * irq / all;
	ret->steal = 100 * steal / all;
	ret->busy = 100 * (user + sys + soft + irq + steal) / all;
}

double nt_cpu_busy_s(const struct nt_cpu_ticks *a, const struct nt_cpu_ticks *b)
{
	return (ticks(a->user, b->user) + ticks(a->system, b->system) +
		       ticks(a->softirq, b->softirq) + ticks(a->irq, b->irq)) /
	       sysconf(_SC_CLK_TCK);
}

static void counter_add(struct nt_counters *c, uint64_t v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void counter_add(struct nt_counters *c, uint64_t v, const char *fmt, ...)
{
	va_list ap;

	NT_GROW(c->v, c->n, c->cap);
	va_start(ap, fmt);
	vsnprintf(c->v[c->n].name, sizeof c->v[c->n].name, fmt, ap);
	va_end(ap);
	c->v[c->n++].v = v;
}

void nt_counters_table(const char *text, struct nt_counters *ret)
{
	struct nt_buf names = { 0 }, values = { 0 };

	while (next_line(&text, &names) && next_line(&text, &values)) {
		char *n = names.s, *v = values.s, *group = word(&n), *name, *value;

		word(&v);
		if (!group || !*group)
			continue;
		group[strlen(group) - 1] = '\0';
		while ((name = word(&n)) && (value = word(&v)))
			counter_add(ret, strtoull(value, NULL, 10), "snmp.%s.%s", group, name);
	}
	nt_buf_free(&names);
	nt_buf_free(&values);
}

void nt_counters_snmp6(const char *text, struct nt_counters *ret)
{
	struct nt_buf line = { 0 };

	while (next_line(&text, &line)) {
		char *s = line.s, *name = word(&s), *value = word(&s);

		if (name && value)
			counter_add(ret, strtoull(value, NULL, 10), "snmp6.%s", name);
	}
	nt_buf_free(&line);
}

void nt_counters_softnet(const char *text, struct nt_counters *ret)
{
	uint64_t sum[3] = { 0 };
	unsigned long long v[3];
	struct nt_buf line = { 0 };
	int i;

	while (next_line(&text, &line))
		if (sscanf(nt_buf_str(&line), "%llx %llx %llx", &v[0], &v[1], &v[2]) == 3)
			for (i = 0; i < 3; i++)
				sum[i] += v[i];
	nt_buf_free(&line);
	counter_add(ret, sum[0], "softnet.processed");
	counter_add(ret, sum[1], "softnet.dropped");
	counter_add(ret, sum[2], "softnet.time_squeeze");
}

/* The reading of the same name; lists of two readings nearly always run in step. */
static const struct nt_counter *same(const struct nt_counters *c, size_t i, const char *name)
{
	if (i < c->n && strcmp(c->v[i].name, name) == 0)
		return &c->v[i];
	for (i = 0; i < c->n; i++)
		if (strcmp(c->v[i].name, name) == 0)
			return &c->v[i];
	return NULL;
}

/* Drivers name some counters twice; the first one counts. */
static bool listed(const struct nt_probe_counter *c, unsigned n, const char *name)
{
	while (n--)
		if (strcmp(c[n].name, name) == 0)
			return true;
	return false;
}

unsigned nt_counters_between(const struct nt_counters *a, const struct nt_counters *b,
	struct nt_probe_counter *ret, unsigned max)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < b->n && n < max; i++) {
		const struct nt_counter *was = same(a, i, b->v[i].name);

		if (!was || b->v[i].v <= was->v || listed(ret, n, b->v[i].name))
			continue;
		memcpy(ret[n].name, b->v[i].name, sizeof ret[n].name);
		ret[n++].delta = b->v[i].v - was->v;
	}
	return n;
}

/* "eth0" and "eth0-TxRx-1" are the link eth0's, "eth01" is not. */
static bool is_of_link(const char *w, const char *link)
{
	const char *at = strstr(w, link);
	size_t len = strlen(link);

	while (len && at) {
		bool starts = at == w || !(at[-1] >= '0' && at[-1] <= 'z');
		char next = at[len];

		if (starts && !(next >= '0' && next <= '9') && !(next >= 'a' && next <= 'z'))
			return true;
		at = strstr(at + 1, link);
	}
	return false;
}

uint64_t nt_interrupts_of(const char *text, const char *link, const unsigned *irqs,
	size_t n_irqs, bool *ret_found)
{
	struct nt_buf line = { 0 };
	uint64_t sum = 0;
	size_t i;

	*ret_found = false;
	while (next_line(&text, &line)) {
		char *s = line.s, *first = word(&s), *w, *end;
		bool mine = false, counting = true;
		uint64_t n = 0, v;

		if (!first || first[0] < '0' || first[0] > '9')
			continue;
		for (i = 0; i < n_irqs; i++)
			mine |= strtoul(first, NULL, 10) == irqs[i];
		while ((w = word(&s))) {
			v = strtoull(w, &end, 10);
			counting = counting && !*end;
			if (counting)
				n += v;
			else
				mine |= is_of_link(w, link);
		}
		if (mine) {
			sum += n;
			*ret_found = true;
		}
	}
	nt_buf_free(&line);
	return sum;
}
