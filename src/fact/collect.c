/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "nettune/clock.h"
#include "nettune/fact_text.h"
#include "nettune/names.h"

void nt_collect_note(struct nt_collect *c, const char *fmt, ...)
{
	char line[600], shown[600];
	va_list ap;

	if (!c->note)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	nt_printable(shown, sizeof shown, line);
	c->note(c->note_arg, shown);
}

enum nt_why nt_collect_why(int code)
{
	switch (code) {
	case -EPERM:
	case -EACCES:
		return NT_WHY_DENIED;
	case -EOPNOTSUPP:
	case -ENOSYS: /* no such group in this kernel */
	case -ENOENT:
	case -ENODEV: /* gone meanwhile, or no device behind it */
		return NT_WHY_MISSING;
	default:
		return NT_WHY_FAILED;
	}
}

struct nt_collect_link *nt_collect_link(struct nt_collect *c, int ifindex)
{
	size_t lo = 0, hi = c->n, mid;

	if (c->next < c->n && c->v[c->next].ifindex == ifindex)
		return &c->v[c->next++];
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (c->v[mid].ifindex < ifindex)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == c->n || c->v[lo].ifindex != ifindex)
		return NULL;
	c->next = lo + 1;
	return &c->v[lo];
}

bool nt_collect_named(const struct nt_collect *c, const char *link)
{
	const char **l;

	for (l = c->named; l && *l; l++)
		if (strcmp(*l, link) == 0)
			return true;
	return false;
}

int nt_collect_read(struct nt_collect *c, const char *path, struct nt_buf *b)
{
	nt_buf_cut(b, 0);
	return c->sys->ops->read(c->sys, path, b, NULL);
}

void nt_collect_unread(struct nt_collect *c, const char *what, int code)
{
	if (c->n_unread < NT_UNREAD_MAX)
		c->unread[c->n_unread++] = (struct nt_unread){ what, code };
}

/* The links asked for, by the names that they go by here. */
static int find_named(struct nt_collect *c, struct nt_err *err)
{
	const char *const *links = c->opts->links;
	const struct nt_scope *l;
	char name[NT_IFNAMSIZ];
	size_t i, n = 0;
	int rc;

	while (links && links[n])
		n++;
	c->named = n ? nt_calloc(n + 1, sizeof *c->named) : NULL;
	for (i = 0; i < n; i++) {
		l = nt_snapshot_link(c->s, links[i]);
		if (!l) {
			rc = c->sys->ops->link_name(c->sys, links[i], name, err);
			if (rc)
				return rc;
			l = nt_snapshot_link(c->s, name);
		}
		if (!l)
			return nt_err_set(err, -ENODEV, "there is no link '%s'", links[i]);
		c->named[i] = l->name;
	}
	return 0;
}

static void release(struct nt_collect *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		free(c->v[i].irqs);
	nt_links_free(&c->links);
	nt_addrs_free(&c->addrs);
	nt_collect_socks_free(c);
	free(c->v);
}

static void wait_until(double when)
{
	struct timespec t = { .tv_sec = (time_t)when };

	t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* The interrupts of the first reading's links. */
static void same_irqs(struct nt_collect *c, struct nt_collect *first)
{
	size_t i, j;

	for (i = 0; i < c->n; i++) {
		struct nt_collect_link *l = nt_collect_link(first, c->v[i].ifindex);

		for (j = 0; l && j < l->n_irqs; j++) {
			NT_GROW(c->v[i].irqs, c->v[i].n_irqs, c->v[i].cap_irqs);
			c->v[i].irqs[c->v[i].n_irqs++] = l->irqs[j];
		}
	}
}

/*
 * Counters again into a snapshot of their own, and the difference into the first. Links come
 * first and other counters `pace` seconds later, as in the first reading, so that one
 * interval holds for all.
 */
static void second_reading(struct nt_collect *first, double first_at, double pace)
{
	struct nt_collect c = *first;
	struct nt_buf cpu = { 0 }, cpu_later = { 0 };
	double at;

	nt_collect_read(&c, "/proc/stat", &cpu);
	wait_until(first_at + first->opts->interval_s);
	nt_collect_read(&c, "/proc/stat", &cpu_later);
	nt_collect_socks_again(first, nt_now_s() - first_at);
	c.s = nt_snapshot_new();
	c.note = NULL; /* what fails was told the first time */
	c.links = (struct nt_links){ 0 };
	c.addrs = (struct nt_addrs){ 0 };
	c.socks = NULL;
	c.v = NULL;
	c.n = c.next = 0;
	at = nt_now_s();
	if (nt_collect_links(&c, NULL) == 0) {
		same_irqs(&c, first);
		wait_until(at + pace);
		nt_collect_counters(&c);
		nt_collect_indexes(&c);
		nt_snapshot_seal(c.s);
		first->s->interval_s = at - first_at;
		nt_fact_rates(first->s, c.s, at - first_at);
		nt_snapshot_unseal(first->s);
		nt_text_cpu_use(first->s, nt_buf_str(&cpu), nt_buf_str(&cpu_later));
		nt_snapshot_seal(first->s);
	}
	nt_snapshot_free(c.s);
	nt_buf_free(&cpu);
	nt_buf_free(&cpu_later);
	release(&c);
}

struct nt_snapshot *nt_collect_live(struct nt_sys *sys, const struct nt_collect_opts *opts,
	nt_note_fn *note, void *arg, struct nt_err *err)
{
	struct nt_collect c = {
		.sys = sys, .opts = opts, .note = note, .note_arg = arg,
		.s = nt_snapshot_new(),
	};
	double at = nt_now_s(), pace;

	c.s->live = true;
	if (nt_collect_links(&c, err) < 0 || find_named(&c, err) < 0) {
		free(c.named);
		nt_snapshot_free(c.s);
		release(&c);
		return NULL;
	}
	nt_collect_identity(&c);
	nt_collect_drivers(&c);
	nt_collect_irq_numbers(&c);
	pace = nt_now_s() - at;
	nt_collect_counters(&c);
	nt_collect_addrs(&c);
	nt_collect_socks(&c);
	nt_collect_eth(&c);
	nt_collect_devices(&c);
	nt_collect_irq_cpus(&c);
	nt_collect_host(&c);
	nt_collect_sysctls(&c);
	nt_collect_log(&c);
	nt_collect_failed_groups(&c);
	nt_snapshot_seal(c.s);
	if (opts->interval_s > 0)
		second_reading(&c, at, pace);
	nt_collect_socks_facts(&c);
	nt_derive(c.s);
	nt_collect_reasons(&c);
	free(c.named);
	release(&c);
	return c.s;
}
