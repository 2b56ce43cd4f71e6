/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a journal. Whatever is in the file, reading it is safe. */
#include "config.h"

#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nettune/buf.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "set.h"

#define MAX_JOURNAL (64U << 20)

static const char *str(struct nt_set *set, const json_t *obj, const char *key)
{
	const char *s = json_string_value(json_object_get(obj, key));

	return s ? nt_arena_strdup(&set->arena, s) : NULL;
}

static int64_t num(const json_t *obj, const char *key)
{
	return json_integer_value(json_object_get(obj, key));
}

static int ifindex_of(const json_t *j)
{
	json_int_t i = json_integer_value(j);

	return i >= 0 && i <= INT_MAX ? (int)i : -1;
}

/* Triples [ifindex, key, value] into st; null removes. False when one is malformed. */
static bool read_entries(struct nt_state *st, const json_t *a)
{
	const json_t *e, *val;
	const char *key;
	size_t i;
	int ifindex;

	if (!json_is_array(a))
		return false;
	json_array_foreach(a, i, e)
	{
		ifindex = ifindex_of(json_array_get(e, 0));
		key = json_string_value(json_array_get(e, 1));
		val = json_array_get(e, 2);
		if (json_array_size(e) != 3 || !json_is_integer(json_array_get(e, 0)) ||
			ifindex < 0 || !key || !(json_is_string(val) || json_is_null(val)))
			return false;
		nt_state_put(st, ifindex, key, json_string_value(val));
	}
	return true;
}

static bool read_links(struct nt_set *set, const json_t *a)
{
	const json_t *j;
	size_t i;

	if (!json_is_array(a))
		return false;
	json_array_foreach(a, i, j)
	{
		struct nt_set_link l = { .ifindex = ifindex_of(json_object_get(j, "ifindex")),
			.name = str(set, j, "name"), .kind = str(set, j, "kind"),
			.perm = str(set, j, "perm"), .bus = str(set, j, "bus") };

		if (l.ifindex <= 0 || !l.name || !l.kind || !l.perm || !l.bus)
			return false;
		NT_GROW(set->links, set->n_links, set->cap_links);
		set->links[set->n_links++] = l;
	}
	return true;
}

static bool read_steps(struct nt_set *set, const json_t *a)
{
	const json_t *j;
	const char *risk;
	size_t i;

	if (!json_is_array(a))
		return false;
	json_array_foreach(a, i, j)
	{
		struct nt_set_step st = { .tunable = str(set, j, "tunable"),
			.link = str(set, j, "link"), .from = str(set, j, "from"),
			.to = str(set, j, "to"), .rule = str(set, j, "rule"),
			.ifindex = ifindex_of(json_object_get(j, "ifindex")) };
		int r;

		risk = json_string_value(json_object_get(j, "risk"));
		r = risk ? nt_name_value(nt_risk_names, risk) : -1;
		if (!st.tunable || !st.link || !st.from || !st.to || !st.rule || st.ifindex < 0 ||
			r < 0)
			return false;
		st.risk = (enum nt_risk)r;
		NT_GROW(set->steps, set->n_steps, set->cap_steps);
		set->steps[set->n_steps++] = st;
	}
	return true;
}

static bool read_set(struct nt_set *set, const json_t *j)
{
	const char *boot = json_string_value(json_object_get(j, "boot"));
	int64_t id = num(j, "id"), confirm = num(j, "confirm");

	if (!boot || strlen(boot) >= sizeof set->place.boot || id < 1 || id > INT_MAX ||
		confirm < 0 || confirm > INT_MAX)
		return false;
	set->id = (unsigned)id;
	set->confirm_s = (unsigned)confirm;
	set->time = num(j, "time");
	set->pid = (int)num(j, "pid");
	snprintf(set->place.boot, sizeof set->place.boot, "%s", boot);
	set->place.dev = (uint64_t)num(j, "dev");
	set->place.ino = (uint64_t)num(j, "ino");
	set->place.cookie = (uint64_t)num(j, "cookie");
	if (!read_links(set, json_object_get(j, "links")) ||
		!read_steps(set, json_object_get(j, "steps")) ||
		!read_entries(&set->before, json_object_get(j, "state")))
		return false;
	nt_state_copy(&set->after, &set->before);
	return true;
}

static bool mark_steps(struct nt_set *set, const json_t *j, enum nt_set_step_state to)
{
	const json_t *a = json_object_get(j, "steps"), *e;
	size_t i;

	if (!json_is_array(a))
		return false;
	json_array_foreach(a, i, e)
	{
		json_int_t k = json_integer_value(e);
		const char *got, *error;

		if (!json_is_integer(e) || k < 0 || (size_t)k >= set->n_steps)
			return false;
		set->steps[k].state = to;
		got = json_string_value(json_array_get(json_object_get(j, "got"), i));
		error = json_string_value(json_array_get(json_object_get(j, "error"), i));
		if (got)
			set->steps[k].got = nt_arena_strdup(&set->arena, got);
		if (error)
			set->steps[k].error = nt_arena_strdup(&set->arena, error);
	}
	return true;
}

static bool read_intent(struct nt_set *set, const json_t *j)
{
	if (json_object_get(j, "undo"))
		return read_entries(&set->undoing, json_object_get(j, "undo"));
	return mark_steps(set, j, NT_STEP_OPEN);
}

static bool read_done(struct nt_set *set, const json_t *j)
{
	return mark_steps(set, j, NT_STEP_DONE) &&
	       read_entries(&set->after, json_object_get(j, "moved"));
}

static bool read_failed(struct nt_set *set, const json_t *j)
{
	return mark_steps(set, j, NT_STEP_FAILED) &&
	       read_entries(&set->after, json_object_get(j, "moved"));
}

static bool read_end(struct nt_set *set, const json_t *j)
{
	set->ended = true;
	set->end_time = num(j, "time");
	set->end_boottime = json_number_value(json_object_get(j, "boottime"));
	return true;
}

static bool read_undo(struct nt_set *set, const json_t *j)
{
	(void)j;
	set->undo_begun = true;
	return true;
}

static bool read_undone(struct nt_set *set, const json_t *j)
{
	int64_t left = num(j, "left");

	set->undone = true;
	set->n_left = left < 0 || left > INT_MAX ? 1 : (unsigned)left;
	return true;
}

static bool read_kept(struct nt_set *set, const json_t *j)
{
	(void)j;
	set->kept = true;
	return true;
}

static const struct {
	const char *t;
	bool (*read)(struct nt_set *set, const json_t *j);
} records[] = {
	{ "set", read_set }, { "intent", read_intent }, { "done", read_done },
	{ "failed", read_failed }, { "end", read_end }, { "undo", read_undo },
	{ "undone", read_undone }, { "kept", read_kept },
};

/* One line without its end. 0, or -EBADMSG; -EPROTONOSUPPORT for a newer format. */
static int read_line(struct nt_set *set, const char *line, size_t len, bool first)
{
	char crc[9] = "", *end;
	json_t *j;
	const char *t;
	bool good = false;
	size_t i;

	if (len < 10 || line[8] != ' ')
		return -EBADMSG;
	memcpy(crc, line, 8);
	if (strtoul(crc, &end, 16) != nt_crc32(line + 9, len - 9) || *end)
		return -EBADMSG;
	j = json_loadb(line + 9, len - 9, JSON_REJECT_DUPLICATES, NULL);
	t = json_string_value(json_object_get(j, "t"));
	if (t && first && strcmp(t, "set") == 0 && num(j, "v") > NT_JOURNAL_VERSION) {
		json_decref(j);
		return -EPROTONOSUPPORT;
	}
	for (i = 0; t && i < NT_ARRAY_SIZE(records); i++)
		if (strcmp(records[i].t, t) == 0 && (i == 0) == first)
			good = records[i].read(set, j);
	json_decref(j);
	return good ? 0 : -EBADMSG;
}

int nt_journal_parse(const char *data, size_t len, const char *name, struct nt_set *ret,
	struct nt_err *err)
{
	const char *p = data, *end = data + len, *nl;
	bool first = true;
	int rc;

	nt_set_init(ret);
	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			break; /* torn by a crash: what it announces was not begun */
		if (nl == p)
			continue;
		rc = read_line(ret, p, (size_t)(nl - p), first);
		if (rc == -EPROTONOSUPPORT)
			return nt_err_set(err, rc, "the journal '%s' is of a newer nettune", name);
		/* a torn line that a later run ended; nothing was done for it */
		if (rc && !first && nl + 1 == end)
			break;
		if (rc && first)
			return nt_err_set(err, -EBADMSG, "the journal '%s' is damaged", name);
		if (rc)
			ret->damaged = true;
		first = false;
	}
	if (first)
		return nt_err_set(err, -ENODATA, "the journal '%s' has no whole line", name);
	return 0;
}

int nt_journal_load(const char *dir, unsigned id, struct nt_set *ret, struct nt_err *err)
{
	char *path = nt_journal_path(dir, id);
	struct nt_buf b = { 0 };
	ssize_t n = 0;
	int fd, rc = 0;

	nt_set_init(ret);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		rc = errno == ENOENT ? nt_err_set(err, -ENOENT, "there is no change set %u", id)
				     : nt_err_sys(err, -errno, "cannot read '%s'", path);
		goto out;
	}
	rc = nt_trust_file(fd, path, err);
	if (rc) {
		close(fd);
		goto out;
	}
	do {
		char *to = nt_buf_reserve(&b, 65536);

		n = read(fd, to, 65536);
		b.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && b.len < MAX_JOURNAL);
	if (n != 0)
		rc = nt_err_sys(err, n < 0 ? -errno : -EFBIG, "cannot read '%s'", path);
	close(fd);
	if (!rc)
		rc = nt_journal_parse(nt_buf_str(&b), b.len, path, ret, err);
	if (!rc && ret->id != id)
		rc = nt_err_set(err, -EBADMSG, "the journal '%s' is of another change set", path);
	nt_buf_free(&b);
out:
	free(path);
	return rc;
}

bool nt_journal_recent(const char *dir, unsigned id)
{
	char *path = nt_journal_path(dir, id);
	struct stat st;
	bool recent = stat(path, &st) == 0 &&
		      (double)st.st_mtime > (double)time(NULL) - nt_boot_s() - 1;

	free(path);
	return recent;
}
