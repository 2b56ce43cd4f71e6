/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/ini.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iniparser/iniparser.h>

#include "nettune/buf.h"
#include "nettune/names.h"

#define FILE_MAX (1024 * 1024)
/* iniparser's line buffer holds 1,024 bytes: joined lines, newline, NUL */
#define LINE_MAX_BYTES 1020

struct scan {
	struct nt_ini *ini;
	const struct nt_ini_key *keys;
	nt_ini_fault_fn *fault;
	void *arg;
	int faults;
	struct nt_symtab names; /* of sections; id - 1 indexes ini->v */
	bool in_section, skip; /* skip: inside a section that could not be opened */
	/* the logical line being joined */
	struct nt_buf line;
	struct nt_ini_piece pieces[64];
	size_t n_pieces;
	int first_line;
	/* what iniparser gets: the same lines, those of broken sections empty */
	struct nt_buf clean;
};

static struct nt_ini_section *current(struct scan *sc)
{
	return sc->in_section && !sc->skip ? &sc->ini->v[sc->ini->n - 1] : NULL;
}

static void tell(struct scan *sc, struct nt_ini_section *s, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void tell(struct scan *sc, struct nt_ini_section *s, int line, const char *fmt, ...)
{
	char reason[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof reason, fmt, ap);
	va_end(ap);
	if (s)
		s->broken = true;
	sc->faults++;
	sc->fault(sc->arg, line, s ? s->name : NULL, reason);
}

static const struct nt_ini_key *find_key(const struct nt_ini_key *keys, const char *key)
{
	const struct nt_ini_key *k;
	size_t len;

	for (k = keys; k->name; k++) {
		len = strlen(k->name);
		if (strncmp(k->name, key, len) != 0)
			continue;
		if (!key[len])
			return k;
		if (k->numbered && key[len] == '.' && key[len + 1] >= '1' &&
			key[len + 1] <= '9' && strcmp(key + len, ".1") != 0 &&
			(!key[len + 2] ||
				(isdigit((unsigned char)key[len + 2]) && !key[len + 3])))
			return k;
	}
	return NULL;
}

static void end_section(struct scan *sc, int line)
{
	struct nt_ini_section *s = current(sc);

	if (s)
		s->last_line = line;
}

static void open_section(struct scan *sc, const char *line, size_t len)
{
	size_t name_len = strspn(line + 1, "abcdefghijklmnopqrstuvwxyz0123456789-");
	unsigned old;
	struct nt_ini_section *s;
	char *name;

	end_section(sc, sc->first_line - 1);
	sc->in_section = true;
	sc->skip = true;
	if (!name_len || line[1 + name_len] != ']' || 2 + name_len != len ||
		sc->n_pieces > 1) {
		tell(sc, NULL, sc->first_line,
			"a section is '[name]' alone on its line, of a-z, 0-9 and '-'");
		return;
	}
	name = nt_strndup(line + 1, name_len);
	old = nt_symtab_find(&sc->names, name);
	if (old) {
		tell(sc, NULL, sc->first_line, "[%s] again; the first is on line %d", name,
			sc->ini->v[old - 1].line);
	} else {
		nt_symtab_add(&sc->names, name);
		NT_GROW(sc->ini->v, sc->ini->n, sc->ini->cap);
		s = &sc->ini->v[sc->ini->n++];
		memset(s, 0, sizeof *s);
		s->name = nt_arena_strdup(&sc->ini->arena, name);
		s->line = sc->first_line;
		sc->skip = false;
	}
	free(name);
}

/* What iniparser would read differently than it stands. */
static bool value_ok(struct scan *sc, struct nt_ini_section *s, const char *key,
	const char *value)
{
	const char *cut = strpbrk(value, ";#");

	if (!*value)
		tell(sc, s, sc->first_line, "'%s' has no value", key);
	else if (*value == '"' || *value == '\'')
		tell(sc, s, sc->first_line,
			"the value of '%s' may not begin with a quote", key);
	else if (cut)
		tell(sc, s, sc->first_line,
			"'%c' in the value of '%s' would cut it short%s", *cut, key,
			*cut == '#' ? " (in a name or pattern write '?')" : "");
	else if (strlen(value) > NT_INI_VALUE_MAX)
		tell(sc, s, sc->first_line, "the value of '%s' is over %d bytes", key,
			NT_INI_VALUE_MAX);
	else
		return true;
	return false;
}

static void add_entry(struct scan *sc, const char *key, const char *value, size_t offset)
{
	struct nt_ini_section *s = current(sc);
	const struct nt_ini_entry *old = nt_ini_get(s, key);
	struct nt_ini_piece *pieces;
	struct nt_ini_entry *e;
	size_t i;

	if (!find_key(sc->keys, key)) {
		tell(sc, s, sc->first_line, "no key '%s'", key);
		return;
	}
	if (old) {
		tell(sc, s, sc->first_line, "'%s' again; the first is on line %d", key,
			old->line);
		return;
	}
	if (!value_ok(sc, s, key, value))
		return;
	pieces = nt_arena_alloc(&sc->ini->arena, sc->n_pieces * sizeof *pieces);
	for (i = 0; i < sc->n_pieces; i++) {
		pieces[i] = sc->pieces[i];
		pieces[i].offset -= pieces[i].offset < offset ? pieces[i].offset : offset;
	}
	NT_GROW(s->v, s->n, s->cap);
	e = &s->v[s->n++];
	e->key = nt_arena_strdup(&sc->ini->arena, key);
	e->value = nt_arena_strdup(&sc->ini->arena, value);
	e->line = sc->first_line;
	e->pieces = pieces;
	e->n_pieces = sc->n_pieces;
}

/* Cut white space at the end of s, in place; returns the first byte that is none. */
static char *strip(char *s)
{
	size_t len = strlen(s);

	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

static bool is_comment(const char *line)
{
	line += strspn(line, " \t\r");
	return *line == ';' || *line == '#';
}

static void logical_line(struct scan *sc)
{
	char *text = nt_buf_detach(&sc->line), *line = strip(text), *eq, *value;

	if (!*line || is_comment(line))
		goto out;
	if (*line == '[') {
		open_section(sc, line, strlen(line));
		goto out;
	}
	if (!sc->in_section) { /* told once: whatever follows has the same fault */
		tell(sc, NULL, sc->first_line, "a key before the first [section]");
		sc->in_section = sc->skip = true;
		goto out;
	}
	if (sc->skip)
		goto out;
	eq = strchr(line, '=');
	if (!eq || eq == line) {
		tell(sc, current(sc), sc->first_line,
			"neither 'key = value' nor '[section]'");
		goto out;
	}
	*eq = '\0';
	value = strip(eq + 1);
	add_entry(sc, strip(line), value, value - text);
out:
	free(text);
	sc->n_pieces = 0;
}

static void check_bytes(struct scan *sc, const char *s, size_t len, int no)
{
	const char *p = s;
	size_t n;

	while (p < s + len) {
		/* a cut sequence ends in the newline or NUL behind the line */
		n = nt_utf8_len(p);
		if (n == 0 || ((unsigned char)*p < 0x20 && *p != '\t' && *p != '\r') ||
			*p == 0x7f) {
			/* a bad section line is not of the section before */
			tell(sc, s[strspn(s, " \t\r")] == '[' ? NULL : current(sc), no,
				"control byte or invalid UTF-8 (0x%02x)", (unsigned char)*p);
			return;
		}
		p += n;
	}
}

/* One line of the file, without its newline: join, and end the logical line or not. */
static void physical_line(struct scan *sc, const char *s, size_t len, int no)
{
	check_bytes(sc, s, len, no);
	if (!sc->n_pieces)
		sc->first_line = no;
	if (sc->n_pieces == NT_ARRAY_SIZE(sc->pieces) ||
		sc->line.len + len > LINE_MAX_BYTES) {
		tell(sc, current(sc), no, "over %d bytes in one line or its wrapped lines",
			NT_INI_VALUE_MAX);
		nt_buf_cut(&sc->line, 0);
		sc->n_pieces = 0;
		return;
	}
	sc->pieces[sc->n_pieces++] = (struct nt_ini_piece){ sc->line.len, no };
	nt_buf_add(&sc->line, s, len);
	while (sc->line.len && isspace((unsigned char)sc->line.s[sc->line.len - 1]))
		nt_buf_cut(&sc->line, sc->line.len - 1);
	if (sc->line.len && sc->line.s[sc->line.len - 1] == '\\') {
		nt_buf_cut(&sc->line, sc->line.len - 1);
		if (sc->n_pieces > 1 || !is_comment(nt_buf_str(&sc->line)))
			return;
		tell(sc, current(sc), no, "a comment that ends in '\\' hides the next line");
	}
	logical_line(sc);
}

static void scan_lines(struct scan *sc, const char *text)
{
	const char *s, *end;
	int no = 0;

	for (s = text; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		physical_line(sc, s, end - s, ++no);
	}
	if (sc->n_pieces) {
		tell(sc, current(sc), no, "the file ends in a wrapped line");
		nt_buf_cut(&sc->line, 0);
		sc->n_pieces = 0;
	}
	end_section(sc, no);
}

static void check_required(struct scan *sc)
{
	const struct nt_ini_key *k;
	size_t i;

	for (i = 0; i < sc->ini->n; i++)
		for (k = sc->keys; k->name; k++)
			if (k->required && !nt_ini_get(&sc->ini->v[i], k->name) &&
				!sc->ini->v[i].broken)
				tell(sc, &sc->ini->v[i], sc->ini->v[i].line,
					"'%s' is missing", k->name);
}

/* The text with every line outside whole sections emptied. */
static void clean(struct scan *sc, const char *text)
{
	const struct nt_ini_section *sec;
	const char *s, *end;
	size_t i = 0;
	int no = 0;

	for (s = text; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		no++;
		while (i < sc->ini->n && sc->ini->v[i].last_line < no)
			i++;
		sec = i < sc->ini->n ? &sc->ini->v[i] : NULL;
		if (sec && no >= sec->line && !sec->broken)
			nt_buf_add(&sc->clean, s, end - s);
		nt_buf_addc(&sc->clean, '\n');
	}
}

static int quiet(const char *fmt, ...)
{
	(void)fmt;
	return 0;
}

static int write_all(int fd, const struct nt_buf *b)
{
	size_t done = 0;
	ssize_t n;

	while (done < b->len) {
		n = write(fd, nt_buf_str(b) + done, b->len - done);
		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* iniparser 4.1 opens files by name only, and rule text may come from memory. */
static dictionary *load_dictionary(const struct nt_buf *text, struct nt_err *err)
{
	char path[64];
	int fd = memfd_create("nettune-ini", MFD_CLOEXEC);
	dictionary *d = NULL;
	bool on_disk;
	int rc;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	on_disk = fd < 0 || access(path, R_OK) < 0;
	if (on_disk) { /* a kernel before 3.17, or no /proc */
		if (fd >= 0)
			close(fd);
		snprintf(path, sizeof path, "%s/nettune-ini.XXXXXX", P_tmpdir);
		fd = mkostemp(path, O_CLOEXEC);
	}
	rc = fd < 0 ? -errno : write_all(fd, text);
	if (rc < 0) {
		nt_err_sys(err, rc, "cannot copy to a temporary file");
		goto out;
	}
	iniparser_set_error_callback(quiet);
	d = iniparser_load(path);
	iniparser_set_error_callback(NULL);
	if (!d)
		nt_err_set(err, -EINVAL, "iniparser cannot read '%s'", path);
out:
	if (on_disk && fd >= 0)
		unlink(path);
	if (fd >= 0)
		close(fd);
	return d;
}

/* Take iniparser's values; where one is not what stands in the file, refuse. */
static void take_values(struct scan *sc, const dictionary *d)
{
	struct nt_ini_section *s;
	const char *value;
	char key[256];
	size_t i, k;

	for (i = 0; i < sc->ini->n; i++) {
		s = &sc->ini->v[i];
		for (k = 0; k < s->n && !s->broken; k++) {
			snprintf(key, sizeof key, "%s:%s", s->name, s->v[k].key);
			value = iniparser_getstring(d, key, NULL);
			if (!value || strcmp(value, s->v[k].value) != 0)
				tell(sc, s, s->v[k].line,
					"iniparser cannot hold the value of '%s'",
					s->v[k].key);
		}
	}
}

int nt_ini_parse(const char *text, size_t len, const struct nt_ini_key *keys,
	nt_ini_fault_fn *fault, void *arg, struct nt_ini *ret, struct nt_err *err)
{
	struct scan sc = { .ini = ret, .keys = keys, .fault = fault, .arg = arg };
	bool marked = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* some editors do */
	char *copy = nt_strndup(text + 3 * marked, len - 3 * marked);
	dictionary *d;
	int rc = 0;

	if (strlen(copy) != len - 3 * marked)
		tell(&sc, NULL, 1, "not a text file: it holds a NUL byte");
	scan_lines(&sc, copy);
	check_required(&sc);
	clean(&sc, copy);
	d = load_dictionary(&sc.clean, err);
	if (d)
		take_values(&sc, d);
	else
		rc = err ? err->code : -EINVAL;
	if (d)
		iniparser_freedict(d);
	nt_symtab_free(&sc.names);
	nt_buf_free(&sc.line);
	nt_buf_free(&sc.clean);
	free(copy);
	return rc ? rc : sc.faults;
}

static int read_file(const char *path, struct nt_buf *ret, struct nt_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) != 0)
		rc = nt_err_sys(err, -errno, "cannot read '%s'", path);
	else if (S_ISDIR(st.st_mode))
		rc = nt_err_set(err, -EISDIR, "'%s' is a folder", path);
	else if (!S_ISREG(st.st_mode))
		rc = nt_err_set(err, -EINVAL, "'%s' is not a regular file", path);
	while (rc == 0 && ret->len <= FILE_MAX) {
		n = read(fd, nt_buf_reserve(ret, 65536), 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = nt_err_sys(err, -errno, "cannot read '%s'", path);
		if (n <= 0)
			break;
		ret->len += n;
	}
	if (rc == 0 && ret->len > FILE_MAX)
		rc = nt_err_set(err, -EFBIG, "'%s' is over 1 MiB", path);
	if (fd >= 0)
		close(fd);
	return rc;
}

int nt_ini_load(const char *path, const struct nt_ini_key *keys, nt_ini_fault_fn *fault,
	void *arg, struct nt_ini *ret, struct nt_err *err)
{
	struct nt_buf text = { 0 };
	int rc = read_file(path, &text, err);

	if (rc == 0)
		rc = nt_ini_parse(
			text.len ? text.s : "", text.len, keys, fault, arg, ret, err);
	nt_buf_free(&text);
	return rc;
}

const struct nt_ini_entry *nt_ini_get(const struct nt_ini_section *s, const char *key)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->v[i].key, key) == 0)
			return &s->v[i];
	return NULL;
}

int nt_ini_line(const struct nt_ini_entry *e, size_t offset)
{
	size_t i = e->n_pieces;

	while (i > 1 && e->pieces[i - 1].offset > offset)
		i--;
	return i ? e->pieces[i - 1].line : e->line;
}

void nt_ini_free(struct nt_ini *ini)
{
	size_t i;

	for (i = 0; i < ini->n; i++)
		free(ini->v[i].v);
	free(ini->v);
	nt_arena_free(&ini->arena);
	memset(ini, 0, sizeof *ini);
}
