/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a fuzz target as an ordinary test: fuzz_X reads every file of tests/fuzz/corpus-X (or
 * those named as arguments), whole, cut off at many lengths, and with single bytes changed,
 * the same ones each time.
 */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/mem.h"

#define CUTS 128U
#define CHANGES 512U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long runs;

/* In memory of just that size, so that the sanitizer sees a byte too far. */
static void run(const void *data, size_t size)
{
	uint8_t *copy = nt_malloc(size ? size : 1);

	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	runs++;
}

static void vary(char *data, size_t size)
{
	size_t i, at, step = size / CUTS + 1;
	uint32_t x = 2463534242U;
	char old;

	for (i = 0; i < size; i += step)
		run(data, i);
	for (i = 0; size && i < CHANGES; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		at = x % size;
		old = data[at];
		data[at] = (char)(i % 4 == 0 ? 0xff : i % 4 == 1 ? 0 : (x >> 24));
		run(data, size);
		data[at] = old;
	}
}

static void replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct nt_buf b = { 0 };
	size_t n;

	if (!f) {
		printf("Bail out! cannot open %s\n", path);
		exit(1);
	}
	do {
		n = fread(nt_buf_reserve(&b, 4096), 1, 4096, f);
		b.len += n;
	} while (n);
	fclose(f);
	run(nt_buf_str(&b), b.len);
	vary(nt_buf_reserve(&b, 0) - b.len, b.len);
	nt_buf_free(&b);
}

static unsigned long replay_folder(const char *program)
{
	const char *top = getenv("SRCDIR"), *name = strstr(program, "fuzz_");
	char *folder = nt_asprintf("%s/tests/fuzz/corpus-%s", top ? top : NT_TOP_SRCDIR,
		name ? name + strlen("fuzz_") : "?");
	DIR *dir = opendir(folder);
	unsigned long files = 0;
	struct dirent *d;
	char *path;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		path = nt_asprintf("%s/%s", folder, d->d_name);
		replay(path);
		free(path);
		files++;
	}
	if (dir)
		closedir(dir);
	free(folder);
	return files;
}

int main(int argc, char **argv)
{
	unsigned long files = 0;
	const char *slash = strrchr(argv[0], '/');
	int i;

	for (i = 1; i < argc; i++, files++)
		replay(argv[i]);
	if (argc == 1)
		files = replay_folder(slash ? slash + 1 : argv[0]);
	run("", 0);
	printf("1..1\n%sok 1 - %lu inputs of %lu files\n", files ? "" : "not ", runs, files);
	return files ? 0 : 1;
}
