/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "term.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "nettune/buf.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/names.h"

#define ESC_MS 100	/* curses waits so long for the rest of a sequence */
#define LATE_MS 2000	/* so long after an Esc a '[' is no key */
#define SEQUENCE_MS 500 /* between the characters of one */

static struct {
	SCREEN *screen;
	bool open, utf8, color;
	struct termios saved;
	int wake[2]; /* written by signal handlers */
	attr_t attrs[_NT_ROLE_MAX];
	short pairs[_NT_ROLE_MAX];
	struct nt_key mouse[8]; /* not told yet, newest first; as many as curses keeps */
	int n_mouse;
	bool pushed; /* a character read ahead, with what curses said of it */
	int pushed_rc;
	wint_t pushed_wc;
	int64_t esc_ms; /* when Esc was told; what comes late may belong to it */
} term = { .wake = { -1, -1 } };

static volatile sig_atomic_t got_signal, got_stop;

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static const int stop_signals[] = { SIGTSTP };
static const int end_signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

static void on_end(int sig)
{
	int saved = errno;

	got_signal = sig;
	if (write(term.wake[1], "x", 1) < 0)
		errno = saved; /* full: the loop is awake already */
	errno = saved;
}

/* The key loop stops the program, outside of curses: curses' own handler draws from
 * within the signal, and then the stop is now and then lost. */
static void on_stop(int sig)
{
	int saved = errno;

	(void)sig;
	got_stop = 1;
	if (write(term.wake[1], "z", 1) < 0)
		errno = saved; /* full: the loop is awake already */
	errno = saved;
}

/* Only async-signal-safe calls: endwin() is not one. */
static void on_crash(int sig)
{
	static const char reset[] = "\033[0m\033[?25h\033[?1000l\033[?1049l\r\n"
				    "nettune: crashed; the terminal is restored\n";

	if (term.open) {
		tcsetattr(STDIN_FILENO, TCSANOW, &term.saved);
		if (write(STDOUT_FILENO, reset, sizeof reset - 1) < 0)
			_exit(128 + sig);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static void install(const int *sigs, size_t n, void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };
	size_t i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < n; i++)
		sigaction(sigs[i], &sa, NULL);
}

static void choose_looks(bool color)
{
	static const struct {
		attr_t mono;
		short fg, bg;
		attr_t with_color;
	} looks[_NT_ROLE_MAX] = {
		[NT_ROLE_TEXT] = { A_NORMAL, -1, -1, A_NORMAL },
		[NT_ROLE_TITLE] = { A_REVERSE, -1, -1, A_REVERSE },
		[NT_ROLE_HEAD] = { A_BOLD, COLOR_CYAN, -1, A_NORMAL },
		[NT_ROLE_SELECTED] = { A_REVERSE, -1, -1, A_REVERSE },
		[NT_ROLE_DIM] = { A_DIM, -1, -1, A_DIM },
		[NT_ROLE_STRONG] = { A_BOLD, -1, -1, A_BOLD },
		[NT_ROLE_KEY] = { A_BOLD, COLOR_CYAN, -1, A_BOLD },
		[NT_ROLE_PROBLEM] = { A_BOLD, COLOR_RED, -1, A_BOLD },
		[NT_ROLE_WARNING] = { A_BOLD, COLOR_YELLOW, -1, A_BOLD },
		[NT_ROLE_ADVICE] = { A_NORMAL, COLOR_CYAN, -1, A_NORMAL },
		[NT_ROLE_GOOD] = { A_NORMAL, COLOR_GREEN, -1, A_NORMAL },
		[NT_ROLE_ALERT] = { A_REVERSE | A_BOLD, COLOR_WHITE, COLOR_RED, A_BOLD },
	};
	int i;

	term.color = color && has_colors();
	if (term.color) {
		start_color();
		use_default_colors();
	}
	for (i = 0; i < _NT_ROLE_MAX; i++) {
		term.attrs[i] = term.color ? looks[i].with_color : looks[i].mono;
		if (term.color && (looks[i].fg >= 0 || looks[i].bg >= 0)) {
			init_pair((short)(i + 1), looks[i].fg, looks[i].bg);
			term.pairs[i] = (short)(i + 1);
		}
	}
}

static int refuse_terminal(struct nt_err *err)
{
	const char *name = getenv("TERM"), *cup;
	bool usable;
	int status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return nt_err_set(
			err, -ENOTTY, "not a terminal; nettune --report prints a report");
	usable = name && setupterm(name, STDOUT_FILENO, &status) == OK;
	if (usable) {
		cup = tigetstr("cup");
		usable = cup && cup != (const char *)-1;
		del_curterm(cur_term); /* newterm() sets up its own */
	}
	if (!usable)
		return nt_err_set(err, -ENOTSUP,
			"terminal '%s' cannot place the cursor; nettune --report prints "
			"a report",
			name ? name : "");
	return 0;
}

/* Arrows also where the terminal does not heed the request for application mode. */
static void accept_both_modes(void)
{
	static const struct {
		const char *sent;
		int key;
	} sequences[] = {
		{ "\033[A", KEY_UP },
		{ "\033[B", KEY_DOWN },
		{ "\033[C", KEY_RIGHT },
		{ "\033[D", KEY_LEFT },
		{ "\033[H", KEY_HOME },
		{ "\033[F", KEY_END },
		{ "\033OA", KEY_UP },
		{ "\033OB", KEY_DOWN },
		{ "\033OC", KEY_RIGHT },
		{ "\033OD", KEY_LEFT },
		{ "\033OH", KEY_HOME },
		{ "\033OF", KEY_END },
	};
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(sequences); i++)
		if (key_defined(sequences[i].sent) == 0)
			define_key(sequences[i].sent, sequences[i].key);
}

int nt_term_open(bool color, struct nt_err *err)
{
	int rc = refuse_terminal(err);

	if (rc)
		return rc;
	if (pipe2(term.wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return nt_err_sys(err, -errno, "cannot make a pipe");
	tcgetattr(STDIN_FILENO, &term.saved);
	if (!getenv("ESCDELAY"))
		set_escdelay(ESC_MS);
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen)
		return nt_err_set(err, -ENOTSUP,
			"cannot use this terminal; nettune --report prints a report");
	term.open = true;
	nt_die_hook(nt_term_close);
	install(end_signals, NT_ARRAY_SIZE(end_signals), on_end, 0);
	install(stop_signals, 1, on_stop, 0);
	install(fatal_signals, NT_ARRAY_SIZE(fatal_signals), on_crash, SA_RESETHAND);
	/* the console's fonts have neither braille nor most of the signs */
	term.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 &&
		    strncmp(getenv("TERM"), "linux", 5) != 0;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	meta(stdscr, TRUE);
	curs_set(0);
	accept_both_modes();
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	choose_looks(color);
	return 0;
}

void nt_term_close(void)
{
	if (!term.open)
		return;
	term.open = false;
	endwin();
	install(fatal_signals, NT_ARRAY_SIZE(fatal_signals), SIG_DFL, 0);
	install(stop_signals, 1, SIG_DFL, 0);
	nt_die_hook(NULL);
	delscreen(term.screen);
	term.screen = NULL;
}

int nt_term_rows(void)
{
	return LINES;
}

int nt_term_cols(void)
{
	return COLS;
}

bool nt_term_utf8(void)
{
	return term.utf8;
}

const char *nt_term_pick(const char *u, const char *a)
{
	return term.utf8 ? u : a;
}

void nt_term_erase(void)
{
	erase();
	curs_set(0);
}

/* The next character of text as it is shown, and its columns; moves *text on. */
static wchar_t next_char(const char **text, int *ret_cols)
{
	mbstate_t state = { 0 };
	wchar_t wc;
	size_t n = mbrtowc(&wc, *text, strlen(*text), &state);

	if (n == (size_t)-1 || n == (size_t)-2 || n == 0) {
		n = 1;
		wc = L'?';
	}
	else if (nt_printable_len(*text) == 0)
		wc = L'?'; /* a control, or one that turns the writing about */
	*text += n;
	*ret_cols = wcwidth(wc);
	if (*ret_cols < 0 || (*ret_cols == 0 && wc < 0x300)) {
		wc = L'?';
		*ret_cols = 1;
	}
	return wc;
}

int nt_term_width(const char *text)
{
	int cols, sum = 0;

	while (*text) {
		next_char(&text, &cols);
		sum += cols;
	}
	return sum;
}

static void put_char(wchar_t wc)
{
	wchar_t s[2] = { wc, 0 };

	addnwstr(s, 1);
}

int nt_term_put(int row, int col, int width, enum nt_role role, const char *text)
{
	int left = COLS - col, cols;
	bool cut;

	if (width >= 0 && width < left)
		left = width;
	if (row < 0 || row >= LINES || col < 0 || left <= 0)
		return col;
	cut = nt_term_width(text) > left;
	attr_set(term.attrs[role], term.pairs[role], NULL);
	move(row, col);
	while (*text) {
		wchar_t wc = next_char(&text, &cols);

		if (cols > left - cut)
			break;
		put_char(wc);
		left -= cols;
		col += cols;
	}
	if (cut && left > 0) {
		put_char(term.utf8 ? L'\u2026' : L'~');
		col++;
	}
	attr_set(A_NORMAL, 0, NULL);
	return col;
}

int nt_term_putf(int row, int col, int width, enum nt_role role, const char *fmt, ...)
{
	struct nt_buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	nt_buf_vaddf(&b, fmt, ap);
	va_end(ap);
	col = nt_term_put(row, col, width, role, nt_buf_str(&b));
	nt_buf_free(&b);
	return col;
}

void nt_term_put_right(int row, int col, int width, enum nt_role role, const char *text)
{
	int w = nt_term_width(text);

	if (w < width)
		nt_term_put(row, col + width - w, w, role, text);
	else
		nt_term_put(row, col, width, role, text);
}

void nt_term_line_role(int row, enum nt_role role)
{
	if (row >= 0 && row < LINES)
		mvchgat(row, 0, -1, term.attrs[role], term.pairs[role], NULL);
}

void nt_term_rule(int row)
{
	int i;

	for (i = 0; i < COLS; i++)
		nt_term_put(row, i, 1, NT_ROLE_DIM, term.utf8 ? "\u2500" : "-");
}

void nt_term_cursor(int row, int col)
{
	if (row < 0) {
		curs_set(0);
		return;
	}
	curs_set(1);
	move(row, col);
}

void nt_term_redraw(void)
{
	clearok(stdscr, TRUE);
}

void nt_term_flush(void)
{
	refresh();
}

int nt_term_signal(void)
{
	return got_signal;
}

/* ---- keys ------------------------------------------------------------------------ */

static const struct {
	int curses, code;
	const char *name;
} special[] = {
	{ KEY_UP, NT_K_UP, "Up" },
	{ KEY_DOWN, NT_K_DOWN, "Down" },
	{ KEY_LEFT, NT_K_LEFT, "Left" },
	{ KEY_RIGHT, NT_K_RIGHT, "Right" },
	{ KEY_PPAGE, NT_K_PGUP, "PgUp" },
	{ KEY_NPAGE, NT_K_PGDN, "PgDn" },
	{ KEY_HOME, NT_K_HOME, "Home" },
	{ KEY_END, NT_K_END, "End" },
	{ KEY_BTAB, NT_K_BTAB, "BackTab" },
	{ KEY_DC, NT_K_DELETE, "Delete" },
	{ KEY_BACKSPACE, NT_K_BACKSPACE, "Backspace" },
	{ KEY_ENTER, NT_K_ENTER, "Enter" },
	{ KEY_RESIZE, NT_K_RESIZE, "Resize" },
	{ 0, NT_K_ENTER, "Enter" },
	{ 0, NT_K_ESC, "Esc" },
	{ 0, NT_K_TAB, "Tab" },
	{ 0, ' ', "Space" },
	{ 0, 12, "Ctrl-L" },
};

void nt_term_key_name(char *ret, size_t size, int code)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(special); i++) {
		if (special[i].code == code) {
			snprintf(ret, size, "%s", special[i].name);
			return;
		}
	}
	if (code >= NT_K_F1 && code <= NT_K_F12)
		snprintf(ret, size, "F%d", code - NT_K_F1 + 1);
	else
		snprintf(ret, size, "%lc", (wint_t)code);
}

static const struct {
	wint_t final;
	int code;
} arrows[] = {
	{ 'A', NT_K_UP },
	{ 'B', NT_K_DOWN },
	{ 'C', NT_K_RIGHT },
	{ 'D', NT_K_LEFT },
	{ 'H', NT_K_HOME },
	{ 'F', NT_K_END },
};

static struct nt_key mouse_key(const MEVENT *ev)
{
	struct nt_key k = { NT_K_NONE, ev->y, ev->x };

	if (ev->bstate & BUTTON4_PRESSED)
		k.code = NT_K_WHEEL_UP;
	else if (ev->bstate & BUTTON5_PRESSED)
		k.code = NT_K_WHEEL_DOWN;
	else if (ev->bstate & BUTTON1_PRESSED)
		k.code = NT_K_CLICK;
	return k;
}

/*
 * One KEY_MOUSE may stand for several events that came at once, and getmouse() gives the
 * newest first: what is left in curses would be told at the next click, in its stead.
 */
static void take_mouse(void)
{
	MEVENT ev;

	while (term.n_mouse < (int)NT_ARRAY_SIZE(term.mouse) && getmouse(&ev) == OK) {
		term.mouse[term.n_mouse] = mouse_key(&ev);
		term.n_mouse += term.mouse[term.n_mouse].code != NT_K_NONE;
	}
}

static int next_wch(wint_t *ret)
{
	if (!term.pushed)
		return get_wch(ret);
	term.pushed = false;
	*ret = term.pushed_wc;
	return term.pushed_rc;
}

static void push_wch(int rc, wint_t wc)
{
	term.pushed = rc != ERR;
	term.pushed_rc = rc;
	term.pushed_wc = wc;
}

/* One character of a sequence, which may come late; 0 when it does not come. */
static wint_t sequence_wch(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	wint_t wc = 0;
	int rc = get_wch(&wc);

	if (rc == ERR && poll(&in, 1, SEQUENCE_MS) > 0)
		rc = get_wch(&wc);
	return rc == OK ? wc : 0;
}

/*
 * The rest of a sequence that curses does not know, or that a slow line tore apart: its
 * letters are no keys, and an arrow's A least of all. intro is what follows the Esc.
 */
static int end_sequence(wint_t intro)
{
	wint_t wc = sequence_wch();
	bool plain = true;
	size_t i;

	for (; intro == '[' && wc >= 0x20 && wc < 0x40; plain = false)
		wc = sequence_wch();
	for (i = 0; i < 3 && intro == '[' && plain && wc == 'M'; i++)
		if (!sequence_wch()) /* a mouse's button, column and row */
			break;
	for (i = 0; plain && i < NT_ARRAY_SIZE(arrows); i++)
		if (arrows[i].final == wc)
			return arrows[i].code;
	return NT_K_NONE;
}

/* What an Esc is: the key itself, or the beginning of a sequence. */
static int after_esc(void)
{
	wint_t wc;
	int rc = get_wch(&wc);

	if (rc == OK && (wc == '[' || wc == 'O'))
		return end_sequence(wc);
	if (rc == OK && wc >= 'A' && wc <= 'Z')
		return NT_K_NONE; /* Alt and a capital */
	push_wch(rc, wc);
	term.esc_ms = nt_now_ms();
	return NT_K_ESC;
}

static int plain_key(wint_t wc)
{
	bool late = term.esc_ms && nt_now_ms() - term.esc_ms < LATE_MS;

	term.esc_ms = 0;
	if (late && (wc == '[' || wc == 'O'))
		return end_sequence(wc);
	return wc == 27	  ? after_esc()
	       : wc == '\n' ? NT_K_ENTER
	       : wc == '\b' ? NT_K_BACKSPACE
			  : (int)wc;
}

/* A key that curses holds already; NT_K_NONE without one. */
static struct nt_key take_key(void)
{
	struct nt_key k = { NT_K_NONE, 0, 0 };
	wint_t wc;
	size_t i;
	int rc;

	if (term.n_mouse)
		return term.mouse[--term.n_mouse];
	do {
		rc = next_wch(&wc);
		if (rc == OK)
			k.code = plain_key(wc);
	} while (rc == OK && k.code == NT_K_NONE);
	if (rc == ERR || rc == OK)
		return k;
	if (wc == KEY_MOUSE) {
		take_mouse();
		return term.n_mouse ? term.mouse[--term.n_mouse] : k;
	}
	if (wc >= (wint_t)KEY_F(1) && wc <= (wint_t)KEY_F(12))
		k.code = NT_K_F1 + (int)(wc - KEY_F(1));
	for (i = 0; i < NT_ARRAY_SIZE(special); i++)
		if (special[i].curses && special[i].curses == (int)wc)
			k.code = special[i].code;
	return k;
}

/* Give the terminal to the shell, stop, and take it again when continued. */
static void stop_here(void)
{
	char drained[16];

	got_stop = 0;
	while (read(term.wake[0], drained, sizeof drained) > 0)
		continue;
	endwin();
	install(stop_signals, 1, SIG_DFL, 0);
	raise(SIGTSTP);
	install(stop_signals, 1, on_stop, 0);
	clearok(curscr, TRUE);
	refresh();
}

struct nt_key nt_term_key(int timeout_ms, int wake_fd)
{
	struct pollfd fds[3] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = term.wake[0], .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN },
	};
	struct nt_key k = { NT_K_NONE, 0, 0 }, end = { NT_K_EOF, 0, 0 };

	if (got_signal)
		return end;
	k = take_key();
	if (k.code != NT_K_NONE)
		return k;
	poll(fds, 3, timeout_ms);
	if (got_stop)
		stop_here();
	if (got_signal || (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)))
		return end;
	return take_key(); /* also after EINTR: curses has a resize to tell */
}
