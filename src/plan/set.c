/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A change set: where it was made, and whether its links are still the same ones. */
#include "config.h"

#include "set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nettune/mem.h"
#include "nettune/netns.h"

void nt_set_init(struct nt_set *set)
{
	memset(set, 0, sizeof *set);
	set->fd = -1;
}

void nt_set_free(struct nt_set *set)
{
	if (set->fd >= 0)
		close(set->fd);
	free(set->links);
	free(set->steps);
	nt_state_free(&set->before);
	nt_state_free(&set->after);
	nt_state_free(&set->undoing);
	nt_arena_free(&set->arena);
	nt_set_init(set);
}

int nt_place_here(struct nt_sys *s, struct nt_place_id *ret, struct nt_err *err)
{
	struct nt_buf b = { 0 };
	struct nt_netns_id ns;
	int rc;

	memset(ret, 0, sizeof *ret);
	rc = nt_sys_read_line(s, "/proc/sys/kernel/random/boot_id", &b, err);
	if (rc == 0 && !b.len)
		rc = nt_err_set(err, -EIO, "the kernel does not say which boot this is");
	if (rc == 0)
		rc = nt_netns_id(&ns, err);
	if (rc == 0) {
		snprintf(ret->boot, sizeof ret->boot, "%s", nt_buf_str(&b));
		ret->dev = ns.dev;
		ret->ino = ns.ino;
		ret->cookie = ns.cookie;
	}
	nt_buf_free(&b);
	return rc;
}

static bool same_netns(const struct nt_place_id *a, const struct nt_place_id *b)
{
	if (a->cookie && b->cookie && a->cookie != b->cookie)
		return false;
	return a->dev == b->dev && a->ino == b->ino;
}

int nt_place_check(const struct nt_place_id *here, const struct nt_set *set,
	struct nt_err *err)
{
	if (strcmp(here->boot, set->place.boot) != 0)
		return nt_err_set(err, -ESTALE,
			"change set %u was made before the last boot: its values went with it",
			set->id);
	if (!same_netns(here, &set->place))
		return nt_err_set(err, -ESTALE,
			"change set %u was made in another network namespace (inode %llu, here %llu)",
			set->id, (unsigned long long)set->place.ino,
			(unsigned long long)here->ino);
	return 0;
}

static const char *hex(struct nt_set *set, const unsigned char *addr, unsigned len)
{
	char text[3 * NT_ADDR_MAX + 1];

	nt_hex(text, addr, len, ":");
	return nt_arena_strdup(&set->arena, text);
}

void nt_set_add_link(struct nt_set *set, const struct nt_link *l)
{
	size_t i;

	for (i = 0; i < set->n_links; i++)
		if (set->links[i].ifindex == l->ifindex)
			return;
	NT_GROW(set->links, set->n_links, set->cap_links);
	set->links[set->n_links++] = (struct nt_set_link){
		.ifindex = l->ifindex,
		.name = nt_arena_strdup(&set->arena, l->name),
		.kind = nt_arena_strdup(&set->arena, l->kind),
		.perm = hex(set, l->perm_addr, l->perm_addr_len),
		.bus = nt_arena_strdup(&set->arena, l->bus_dev),
	};
}

static const struct nt_set_link *set_link(const struct nt_set *set, int ifindex)
{
	size_t i;

	for (i = 0; i < set->n_links; i++)
		if (set->links[i].ifindex == ifindex)
			return &set->links[i];
	return NULL;
}

const char *nt_set_link_name(const struct nt_set *set, int ifindex)
{
	const struct nt_set_link *l = set_link(set, ifindex);

	return l ? l->name : "";
}

/* Two texts that are both known and differ. */
static bool differ(const char *a, const char *b)
{
	return *a && *b && strcmp(a, b) != 0;
}

int nt_set_check_link(const struct nt_set *set, const struct nt_links *links, int ifindex,
	const struct nt_link **ret, struct nt_err *err)
{
	const struct nt_set_link *was = set_link(set, ifindex);
	const struct nt_link *l = nt_links_by_index(links, ifindex), *other;
	struct nt_set now;
	bool another;

	*ret = NULL;
	if (!was)
		return nt_err_set(err, -EBADMSG, "the journal does not know link number %d",
			ifindex);
	if (!l) {
		other = nt_links_by_name(links, was->name);
		if (other)
			return nt_err_set(err, -ESTALE,
				"'%s' is another link now (number %d, was %d)", was->name,
				other->ifindex, ifindex);
		return nt_err_set(err, -ENODEV, "link '%s' has gone", was->name);
	}
	nt_set_init(&now);
	nt_set_add_link(&now, l);
	another = differ(was->perm, now.links->perm) || differ(was->bus, now.links->bus) ||
		  strcmp(was->kind, now.links->kind) != 0;
	nt_set_free(&now);
	if (another)
		return nt_err_set(err, -ESTALE, "link number %d, now '%s', is not '%s' any more",
			ifindex, l->name, was->name);
	*ret = l;
	return 0;
}

enum nt_set_status nt_set_status(const struct nt_set *set, const struct nt_place_id *here)
{
	if (set->undone)
		return set->n_left ? NT_SET_PARTLY : NT_SET_UNDONE;
	if (here && strcmp(here->boot, set->place.boot) != 0)
		return NT_SET_GONE;
	if (!set->ended || set->undo_begun)
		return NT_SET_OPEN;
	if (set->confirm_s && !set->kept)
		return NT_SET_PENDING;
	return NT_SET_KEPT;
}
