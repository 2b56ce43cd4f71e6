/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing the journal: set.h says what is in it. */
#include "config.h"

#include "set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "journal.h"

uint32_t nt_crc32(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint32_t crc = ~0U;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320U & (0U - (crc & 1)));
	}
	return ~crc;
}

/* A JSON string of any bytes: what is not UTF-8 is replaced, as it is when shown. */
static json_t *text(const char *s)
{
	char shown[1024];
	json_t *j = json_string(s);

	if (j)
		return j;
	nt_printable(shown, sizeof shown, s);
	return json_string(shown);
}

/* One line, one write(2), on the disk when it returns 0. Takes the reference to j. */
static int append(struct nt_set *set, json_t *j, struct nt_err *err)
{
	char *json = j ? json_dumps(j, JSON_COMPACT) : NULL, *line;
	ssize_t n, len;
	int rc = 0;

	json_decref(j);
	if (!json)
		nt_die("out of memory");
	line = nt_asprintf("%08x %s\n", nt_crc32(json, strlen(json)), json);
	free(json);
	len = (ssize_t)strlen(line);
	if (set->fd < 0) {
		rc = nt_err_set(err, -EBADF, "the journal of change set %u is not open", set->id);
	} else {
		n = write(set->fd, line, (size_t)len);
		if (n != len)
			rc = nt_err_sys(err, n < 0 ? -errno : -ENOSPC,
				"cannot write the journal of change set %u", set->id);
		else if (fdatasync(set->fd) < 0)
			rc = nt_err_sys(err, -errno, "cannot sync the journal of change set %u",
				set->id);
		/* a torn line in the middle would hide what follows: end it */
		if (n > 0 && n < len && write(set->fd, "\n", 1) < 0)
			rc = -ENOSPC;
	}
	free(line);
	return rc;
}

static json_t *entries(const struct nt_state *st)
{
	json_t *a = json_array();
	size_t i;

	for (i = 0; i < st->n; i++)
		json_array_append_new(a, json_pack("[i,o,o]", st->v[i].ifindex,
						 text(st->v[i].key), text(st->v[i].val)));
	return a;
}

static json_t *set_record(const struct nt_set *set)
{
	json_t *links = json_array(), *steps = json_array();
	size_t i;

	for (i = 0; i < set->n_links; i++) {
		const struct nt_set_link *l = &set->links[i];

		json_array_append_new(links,
			json_pack("{s:i,s:o,s:o,s:o,s:o}", "ifindex", l->ifindex, "name",
				text(l->name), "kind", text(l->kind), "perm", text(l->perm), "bus",
				text(l->bus)));
	}
	for (i = 0; i < set->n_steps; i++) {
		const struct nt_set_step *st = &set->steps[i];

		json_array_append_new(steps,
			json_pack("{s:o,s:o,s:i,s:o,s:o,s:s,s:o}", "tunable", text(st->tunable),
				"link", text(st->link), "ifindex", st->ifindex, "from",
				text(st->from), "to", text(st->to), "risk",
				nt_name_of(nt_risk_names, st->risk), "rule", text(st->rule)));
	}
	return json_pack("{s:s,s:i,s:i,s:s,s:I,s:i,s:i,s:s,s:I,s:I,s:I,s:o,s:o,s:o}", "t", "set",
		"v", NT_JOURNAL_VERSION, "id", (int)set->id, "version", PACKAGE_VERSION, "time",
		(json_int_t)set->time, "pid", set->pid, "confirm", (int)set->confirm_s, "boot",
		set->place.boot, "dev", (json_int_t)set->place.dev, "ino",
		(json_int_t)set->place.ino, "cookie", (json_int_t)set->place.cookie, "links", links,
		"steps", steps, "state", entries(&set->before));
}

char *nt_journal_path(const char *dir, unsigned id)
{
	return nt_asprintf("%s/changes/%u.journal", dir, id);
}

static int sync_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	/* a file system that cannot sync a folder says EINVAL */
	if (fsync(fd) < 0 && errno != EINVAL)
		rc = -errno;
	close(fd);
	return rc;
}

static unsigned next_id(const char *dir)
{
	unsigned *ids, next = 1;
	size_t n;

	if (nt_journal_list(dir, &ids, &n, NULL) == 0 && n)
		next = ids[n - 1] + 1;
	free(ids);
	return next;
}

int nt_journal_create(const char *dir, struct nt_set *set, struct nt_err *err)
{
	char *folder = nt_asprintf("%s/changes", dir), *path = NULL;
	size_t room;
	int rc;

	if (mkdir(folder, 0700) < 0 && errno != EEXIST) {
		rc = nt_err_sys(err, -errno, "cannot make the folder '%s'", folder);
		goto out;
	}
	rc = nt_trust_dir(folder, err);
	if (rc)
		goto out;
	set->id = next_id(dir);
	path = nt_journal_path(dir, set->id);
	set->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (set->fd < 0) {
		rc = nt_err_sys(err, -errno, "cannot make the journal '%s'", path);
		goto out;
	}
	rc = append(set, set_record(set), err);
	/* room for all that will follow, so that a full disk is met before the first change */
	room = 65536 + 4096 * set->n_steps + 4 * (size_t)lseek(set->fd, 0, SEEK_END);
	if (!rc && fallocate(set->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)room) < 0 &&
		errno != EOPNOTSUPP && errno != ENOSYS)
		rc = nt_err_sys(err, -errno, "cannot reserve room for the journal '%s'", path);
	if (!rc && (rc = sync_dir(folder)) < 0)
		nt_err_sys(err, rc, "cannot sync the folder '%s'", folder);
	if (rc) {
		close(set->fd);
		set->fd = -1;
		unlink(path);
	}
out:
	free(path);
	free(folder);
	return rc;
}

int nt_journal_append(const char *dir, struct nt_set *set, struct nt_err *err)
{
	char *path = nt_journal_path(dir, set->id), last;
	int rc = 0;

	set->fd = open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (set->fd < 0)
		rc = nt_err_sys(err, -errno, "cannot open the journal '%s' for writing", path);
	else if (lseek(set->fd, -1, SEEK_END) >= 0 && read(set->fd, &last, 1) == 1 &&
		 last != '\n' && write(set->fd, "\n", 1) != 1)
		rc = nt_err_sys(err, -errno, "cannot end the torn line of the journal '%s'", path);
	free(path);
	return rc;
}

static json_t *indices(const size_t *steps, size_t n)
{
	json_t *a = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(a, json_integer((json_int_t)steps[i]));
	return a;
}

int nt_journal_intent(struct nt_set *set, const size_t *steps, size_t n, struct nt_err *err)
{
	int rc = append(set, json_pack("{s:s,s:o}", "t", "intent", "steps", indices(steps, n)),
		err);
	size_t i;

	for (i = 0; !rc && i < n; i++)
		set->steps[steps[i]].state = NT_STEP_OPEN;
	return rc;
}

int nt_journal_done(struct nt_set *set, const size_t *steps, size_t n, bool fail,
	const struct nt_moved *moved, size_t n_moved, struct nt_err *err)
{
	json_t *got = json_array(), *mv = json_array(), *why = json_array();
	size_t i;

	for (i = 0; i < n; i++) {
		struct nt_set_step *st = &set->steps[steps[i]];

		st->state = fail ? NT_STEP_FAILED : NT_STEP_DONE;
		json_array_append_new(got, st->got ? text(st->got) : json_null());
		json_array_append_new(why, st->error ? text(st->error) : json_null());
	}
	for (i = 0; i < n_moved; i++) {
		nt_state_put(&set->after, moved[i].ifindex, moved[i].key, moved[i].val);
		json_array_append_new(mv,
			json_pack("[i,o,o]", moved[i].ifindex, text(moved[i].key),
				moved[i].val ? text(moved[i].val) : json_null()));
	}
	return append(set,
		json_pack("{s:s,s:o,s:o,s:o,s:o}", "t", fail ? "failed" : "done", "steps",
			indices(steps, n), "got", got, "error", why, "moved", mv),
		err);
}

int nt_journal_end(struct nt_set *set, struct nt_err *err)
{
	set->ended = true;
	set->end_time = time(NULL);
	set->end_boottime = nt_boot_s();
	return append(set,
		json_pack("{s:s,s:I,s:f}", "t", "end", "time", (json_int_t)set->end_time,
			"boottime", set->end_boottime),
		err);
}

int nt_journal_undo(struct nt_set *set, const char *why, struct nt_err *err)
{
	set->undo_begun = true;
	return append(set,
		json_pack("{s:s,s:I,s:o}", "t", "undo", "time", (json_int_t)time(NULL), "why",
			text(why)),
		err);
}

int nt_journal_undo_intent(struct nt_set *set, const struct nt_entry *v, size_t n,
	struct nt_err *err)
{
	json_t *a = json_array();
	size_t i;

	for (i = 0; i < n; i++) {
		nt_state_put(&set->undoing, v[i].ifindex, v[i].key, v[i].val);
		json_array_append_new(a, json_pack("[i,o,o]", v[i].ifindex, text(v[i].key),
						 text(v[i].val)));
	}
	return append(set, json_pack("{s:s,s:o}", "t", "intent", "undo", a), err);
}

int nt_journal_undone(struct nt_set *set, unsigned n_left, struct nt_err *err)
{
	set->undone = true;
	set->n_left = n_left;
	return append(set,
		json_pack("{s:s,s:I,s:i}", "t", "undone", "time", (json_int_t)time(NULL), "left",
			(int)n_left),
		err);
}

int nt_journal_kept(struct nt_set *set, struct nt_err *err)
{
	set->kept = true;
	return append(set, json_pack("{s:s,s:I}", "t", "kept", "time", (json_int_t)time(NULL)),
		err);
}

static int cmp_ids(const void *pa, const void *pb)
{
	unsigned a = *(const unsigned *)pa, b = *(const unsigned *)pb;

	return a < b ? -1 : a > b;
}

int nt_journal_list(const char *dir, unsigned **ret, size_t *ret_n, struct nt_err *err)
{
	char *folder = nt_asprintf("%s/changes", dir), *end;
	unsigned *ids = NULL;
	size_t n = 0, cap = 0;
	struct dirent *d;
	DIR *dp = opendir(folder);
	int rc = 0;

	if (!dp && errno != ENOENT && errno != ENOTDIR)
		rc = nt_err_sys(err, -errno, "cannot read the folder '%s'", folder);
	while (dp && (d = readdir(dp))) {
		unsigned long id = strtoul(d->d_name, &end, 10);

		if (d->d_name[0] < '1' || d->d_name[0] > '9' || strcmp(end, ".journal") != 0 ||
			id > 1000000000)
			continue;
		NT_GROW(ids, n, cap);
		ids[n++] = (unsigned)id;
	}
	if (dp)
		closedir(dp);
	if (n)
		qsort(ids, n, sizeof *ids, cmp_ids);
	free(folder);
	*ret = ids;
	*ret_n = n;
	return rc;
}
