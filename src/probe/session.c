/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A client's control connection: its frames, its tests, its time-outs. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "server.h"

#define S_NS 1000000000ull
#define AUTH_NS (5 * S_NS)
#define REFUSE_NS (1 * S_NS)
#define IDLE_NS (30 * S_NS)
#define SETUP_NS (10 * S_NS)
#define FACTS_NS (60 * S_NS)
#define BYE_NS (2 * S_NS)
#define STALL_NS (10 * S_NS) /* a client that does not read what it asked for */
#define RUN_SLACK_NS (15 * S_NS)
#define QUEUE_AIM 262144     /* posts stay with their session while that much is queued */

static void enter(struct nt_session *s, enum nt_session_state state, uint64_t for_ns)
{
	s->state = state;
	s->deadline_ns = nt_now_ns() + for_ns;
}

/* Has not proved the key, or has never asked for anything: it takes no client's place. */
static bool strange(const struct nt_session *s)
{
	return s->state == NT_SESSION_AUTH || s->state == NT_SESSION_REFUSE ||
	       s->state == NT_SESSION_BYE || !s->admitted;
}

void nt_session_error(struct nt_session *s, const char *code, const char *message, bool fatal)
{
	nt_chan_put(&s->chan, NT_FRAME_ERROR,
		json_pack("{s:s, s:s}", "code", code, "message", message));
	if (fatal)
		enter(s, NT_SESSION_BYE, BYE_NS);
}

static void event(struct nt_session *s, enum nt_serve_event what, const char *detail)
{
	if (s->server->fn)
		s->server->fn(s->server->arg, what, s->name, detail);
}

/* ---- tests ------------------------------------------------------------------------------ */

static void test_free(struct nt_session *s)
{
	unsigned i;

	for (i = 0; i < s->n_streams; i++)
		nt_stream_free(s->streams[i]);
	free(s->streams);
	s->streams = NULL;
	s->n_streams = s->n_missing = 0;
}

static unsigned running(const struct nt_server *sv, const struct nt_session *but)
{
	const struct nt_session *s;
	unsigned n = 0;

	for (s = sv->sessions; s; s = s->next)
		n += s != but && s->state == NT_SESSION_RUN;
	return n;
}

static void *job_main(void *arg)
{
	struct nt_session *s = arg;
	struct nt_err err = { 0 };
	int rc = s->job_is_facts ? nt_job_facts(s, &err) : nt_job_run(s, &err);
	json_t *j;

	if (!rc)
		return NULL;
	j = json_pack("{s:s, s:s}", "code", "failed", "message", err.msg);
	nt_post(s, NT_FRAME_ERROR, json_dumps(j, JSON_COMPACT), true);
	json_decref(j);
	return NULL;
}

static void begin_thread(struct nt_session *s, enum nt_session_state state, uint64_t for_ns)
{
	sigset_t all, old;
	int rc;

	enter(s, state, for_ns);
	atomic_store(&s->cancel, false);
	s->job_is_facts = state == NT_SESSION_FACTS;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&s->thread, NULL, job_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc == 0) {
		s->thread_running = true;
		return;
	}
	test_free(s);
	enter(s, NT_SESSION_IDLE, IDLE_NS);
	nt_session_error(s, "failed", "the server cannot start a thread", false);
}

/* What is to be run, for the log: "rr and bulk, 2 streams, 1.0 s". */
static void describe(const struct nt_session *s, char *ret, size_t size)
{
	struct nt_buf b = { 0 };
	unsigned i, told = 0;

	for (i = 0; i < s->spec.n_groups; i++) {
		enum nt_flow flow = s->spec.groups[i].flow;

		if (!(told & 1U << flow))
			nt_buf_addf(&b, "%s%s", told ? " and " : "", nt_name_of(nt_flow_names, flow));
		told |= 1U << flow;
	}
	nt_buf_addf(&b, ", %u stream%s, %.1f s", s->n_streams, s->n_streams == 1 ? "" : "s",
		s->spec.seconds);
	snprintf(ret, size, "%s", nt_buf_str(&b));
	nt_buf_free(&b);
}

static void begin_run(struct nt_session *s)
{
	struct nt_session *t;
	char detail[96];
	uint64_t v;

	while (read(s->stop_fd, &v, sizeof v) > 0)
		;
	atomic_store(&s->others, running(s->server, s));
	for (t = s->server->sessions; t; t = t->next)
		if (t != s && t->state == NT_SESSION_RUN)
			atomic_fetch_add(&t->others, 1);
	atomic_store(&s->crr_transactions, 0);
	atomic_store(&s->crr_bytes, 0);
	nt_share_begin(&s->crr_share, nt_now_ns());
	s->tests_run++;
	describe(s, detail, sizeof detail);
	event(s, NT_SERVE_TEST, detail);
	begin_thread(s, NT_SESSION_RUN,
		(s->spec.seconds + s->spec.warmup) * S_NS + RUN_SLACK_NS);
}

bool nt_session_wants(const struct nt_session *s, unsigned i, bool udp)
{
	const struct nt_group *g = nt_spec_group(&s->spec, i);

	return i < s->n_streams && g && nt_flow_connects(g->flow) &&
	       nt_flow_is_udp(g->flow) == udp && s->streams[i]->fd < 0;
}

void nt_session_attach(struct nt_session *s, unsigned i, int fd)
{
	struct nt_err err = { 0 };
	struct nt_stream *st = s->streams[i];

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	st->fd = fd;
	s->n_missing--;
	if (nt_stream_sockopts(fd, &s->spec, st->group, &err)) {
		test_free(s);
		enter(s, NT_SESSION_IDLE, IDLE_NS);
		nt_session_error(s, "refused", err.msg, false);
	} else if (!s->n_missing) {
		begin_run(s);
	}
}

const struct nt_group *nt_session_crr(const struct nt_session *s)
{
	unsigned i;

	for (i = 0; i < s->spec.n_groups; i++)
		if (s->spec.groups[i].flow == NT_FLOW_CRR)
			return &s->spec.groups[i];
	return NULL;
}

struct nt_session *nt_session_of_token(struct nt_server *sv, const unsigned char *token,
	enum nt_session_state state)
{
	struct nt_session *s;

	for (s = sv->sessions; s; s = s->next)
		if (s->state == state && sodium_memcmp(s->token, token, NT_TOKEN_LEN) == 0)
			return s;
	return NULL;
}

static unsigned clients(const struct nt_session *s, bool same_host)
{
	const struct nt_session *t;
	unsigned n = 0;

	for (t = s->server->sessions; t; t = t->next)
		n += t != s && !strange(t) && t->state != NT_SESSION_DYING &&
		     (!same_host || nt_addr_same_host(&s->peer, &t->peer));
	return n;
}

/* With the first thing it asks for a client takes a place, if there is one. */
static bool admit(struct nt_session *s)
{
	if (!s->admitted && (clients(s, false) >= s->server->o->max_clients ||
				    clients(s, true) >= NT_SERVER_PEER_CLIENTS)) {
		nt_session_error(s, "busy", "the server has as many clients as it may have", true);
		return false;
	}
	if (!s->admitted)
		event(s, NT_SERVE_CLIENT, s->proved ? "with the key" : "without a key");
	s->admitted = true;
	return true;
}

/* What keeps a stream within its share is nt_share; the kernel's pacing spreads it evenly. */
static void limit_pacing(struct nt_spec *spec, double share)
{
	if (share > 0 && (!spec->pacing_bps || (double)spec->pacing_bps > share))
		spec->pacing_bps = (uint64_t)ceil(share);
}

static void on_test(struct nt_session *s, const struct nt_frame *f)
{
	const struct nt_serve_opts *o = s->server->o;
	struct nt_spec_limits lim = { o->max_seconds, o->max_streams };
	struct nt_err err = { 0 };
	json_t *j = nt_wire_json(f->body, f->len, &err);
	const struct nt_group *crr;
	double share;
	unsigned i;

	if (!j || nt_spec_read(j, &lim, &s->spec, &err)) {
		json_decref(j);
		/* what is over a limit is told and forgotten; what is malformed ends it */
		nt_session_error(s, "refused", err.msg, err.code != -EINVAL);
		return;
	}
	json_decref(j);
	if (!admit(s))
		return;
	crr = nt_session_crr(s);
	if (crr && nt_stream_try(s->local.ss_family, &s->spec, crr, &err)) {
		nt_session_error(s, "refused", err.msg, false);
		return;
	}
	s->n_streams = nt_spec_streams(&s->spec);
	s->streams = nt_calloc(s->n_streams, sizeof(struct nt_stream *));
	share = (double)o->max_bps / s->n_streams;
	limit_pacing(&s->spec, share);
	nt_share_set(&s->crr_share, crr ? share * crr->streams : 0, crr ? crr->streams : 1);
	for (i = 0; i < s->n_streams; i++) {
		s->streams[i] = nt_stream_new(&s->spec, i, NT_SIDE_SERVER, -1);
		nt_share_set(&s->streams[i]->share, share, 1);
		s->n_missing += nt_flow_connects(s->streams[i]->group->flow);
	}
	randombytes_buf(s->token, sizeof s->token);
	j = json_object();
	nt_wire_set_hex(j, "token", s->token, sizeof s->token);
	nt_chan_put(&s->chan, NT_FRAME_READY, j);
	enter(s, NT_SESSION_SETUP, SETUP_NS);
	if (!s->n_missing)
		begin_run(s);
}

/* ---- the key ---------------------------------------------------------------------------- */

/* The client may go on: tell it what it may ask for. */
static void welcome(struct nt_session *s)
{
	const struct nt_serve_opts *o = s->server->o;
	unsigned char mac[NT_MAC_LEN];
	struct utsname u;
	json_t *j;

	j = json_pack("{s:f, s:i, s:I}", "max_seconds", o->max_seconds, "max_streams",
		(int)o->max_streams, "max_bps", (json_int_t)o->max_bps);
	if (nt_host_proof(s->cnonce, s->snonce, mac) == 0)
		nt_wire_set_hex(j, "host", mac, sizeof mac);
	if (o->key.set) {
		nt_auth_mac(&o->key, NT_SIDE_SERVER, s->cnonce, s->snonce, mac);
		nt_wire_set_hex(j, "mac", mac, sizeof mac);
		if (uname(&u) == 0)
			json_object_set_new(j, "kernel", json_string(u.release));
	}
	nt_chan_put(&s->chan, NT_FRAME_OK, j);
	if (o->key.set)
		nt_chan_seal(&s->chan, &o->key, NT_SIDE_SERVER, s->cnonce, s->snonce);
	s->proved = o->key.set;
	s->chan.max_body = NT_BODY_MAX_CLIENT;
	enter(s, NT_SESSION_IDLE, IDLE_NS);
}

static void on_auth(struct nt_session *s, const struct nt_frame *f)
{
	unsigned char want[NT_MAC_LEN], got[NT_MAC_LEN];
	json_t *j = nt_wire_json(f->body, f->len, NULL);
	bool good;

	nt_auth_mac(&s->server->o->key, NT_SIDE_CLIENT, s->cnonce, s->snonce, want);
	good = j && nt_wire_hex(j, "mac", got, sizeof got) == 0 && nt_auth_equal(want, got);
	json_decref(j);
	if (good)
		welcome(s);
	else
		enter(s, NT_SESSION_REFUSE, REFUSE_NS);
}

/* ---- frames ------------------------------------------------------------------------------ */

/* Wake the run; it also looks at cancel four times a second. */
static void wake_run(struct nt_session *s)
{
	uint64_t one = 1;

	if (write(s->stop_fd, &one, sizeof one) < 0)
		atomic_store(&s->cancel, true);
}

static void on_stop(struct nt_session *s)
{
	if (s->state == NT_SESSION_RUN) {
		wake_run(s);
	} else if (s->state == NT_SESSION_SETUP) {
		test_free(s);
		enter(s, NT_SESSION_IDLE, IDLE_NS);
	}
}

static void on_facts(struct nt_session *s)
{
	if (admit(s))
		begin_thread(s, NT_SESSION_FACTS, FACTS_NS);
}

static void on_frame(struct nt_session *s, const struct nt_frame *f)
{
	if (f->type == NT_FRAME_AUTH && s->state == NT_SESSION_AUTH)
		on_auth(s, f);
	else if (f->type == NT_FRAME_TEST && s->state == NT_SESSION_IDLE)
		on_test(s, f);
	else if (f->type == NT_FRAME_STOP && !strange(s))
		on_stop(s); /* one that comes too late is of no harm */
	else if (f->type == NT_FRAME_FACTS && s->state == NT_SESSION_IDLE && s->proved)
		on_facts(s);
	else if (f->type == NT_FRAME_FACTS && s->state == NT_SESSION_IDLE)
		nt_session_error(s, "auth", "facts are only for clients that share a key", false);
	else
		nt_session_error(s, "protocol", "unexpected message", true);
}

static void flush(struct nt_session *s, uint64_t now)
{
	size_t before = nt_chan_queued(&s->chan);
	struct epoll_event ev = { .data.ptr = &s->src };
	int rc;

	if (s->chan.fd < 0)
		return;
	rc = nt_chan_flush(&s->chan);
	if (rc < 0) {
		nt_session_kill(s);
		return;
	}
	if (rc || nt_chan_queued(&s->chan) < before)
		s->progress_ns = now;
	if (rc && s->state == NT_SESSION_BYE) {
		nt_session_kill(s);
		return;
	}
	if (s->state != NT_SESSION_BYE) /* of which nothing is read any more */
		ev.events |= EPOLLIN;
	if (!rc)
		ev.events |= EPOLLOUT;
	if (ev.events != s->events &&
		epoll_ctl(s->server->epoll_fd, EPOLL_CTL_MOD, s->src.fd, &ev) == 0)
		s->events = ev.events;
}

void nt_session_event(struct nt_session *s, uint32_t events, uint64_t now)
{
	struct nt_frame f;
	int rc = 1;

	if (s->chan.fd < 0)
		return;
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		rc = nt_chan_pull(&s->chan);
	while (rc >= 0 && s->chan.fd >= 0 && s->state != NT_SESSION_BYE &&
		(rc = nt_chan_next(&s->chan, &f)) > 0) {
		on_frame(s, &f);
		/* asks on and on, and reads no answer */
		if (s->state == NT_SESSION_IDLE && nt_chan_queued(&s->chan) > QUEUE_AIM)
			rc = -ENOBUFS;
	}
	if (rc == -EPROTO && s->state != NT_SESSION_BYE)
		nt_session_error(s, "protocol", "malformed message", true);
	else if (rc < 0)
		nt_session_kill(s);
	flush(s, now);
}

/* ---- posts, time-outs, ends ---------------------------------------------------------------- */

static struct nt_post *next_post(struct nt_session *s)
{
	struct nt_post *p;

	pthread_mutex_lock(&s->lock);
	p = s->posts;
	if (p) {
		s->posts = p->next;
		if (!s->posts)
			s->posts_end = &s->posts;
	}
	pthread_mutex_unlock(&s->lock);
	return p;
}

static void take_posts(struct nt_session *s)
{
	struct nt_post *p;

	while (nt_chan_queued(&s->chan) < QUEUE_AIM && (p = next_post(s)) != NULL) {
		if (s->chan.fd >= 0)
			nt_chan_put_text(&s->chan, p->type, p->text ? p->text : "", p->len);
		if (p->last) {
			pthread_join(s->thread, NULL);
			s->thread_running = false;
			test_free(s);
			if (s->state != NT_SESSION_DYING)
				enter(s, NT_SESSION_IDLE, IDLE_NS);
		}
		free(p->text);
		free(p);
	}
}

static void on_deadline(struct nt_session *s)
{
	switch (s->state) {
	case NT_SESSION_REFUSE:
		nt_session_error(s, "auth", "the key is wrong", true);
		break;
	case NT_SESSION_AUTH:
		nt_session_error(s, "auth", "no proof of the key came", true);
		break;
	case NT_SESSION_SETUP:
		test_free(s);
		nt_session_error(s, "failed", "the test's data connections did not all arrive", true);
		break;
	case NT_SESSION_IDLE:
		nt_session_error(s, "timeout", "nothing was asked for", true);
		break;
	default:
		nt_session_kill(s);
	}
}

void nt_session_tick(struct nt_session *s, uint64_t now)
{
	take_posts(s);
	if (s->state != NT_SESSION_DYING && now > s->deadline_ns)
		on_deadline(s);
	if (nt_chan_queued(&s->chan)) {
		flush(s, now);
		if (nt_chan_queued(&s->chan) && now > s->progress_ns + STALL_NS)
			nt_session_kill(s);
	}
}

void nt_session_kill(struct nt_session *s)
{
	if (s->state == NT_SESSION_DYING)
		return;
	if (!strange(s))
		event(s, NT_SERVE_GONE, s->tests_run ? "" : "without a test");
	if (s->server->o->one_shot && s->tests_run)
		s->server->done = true;
	s->state = NT_SESSION_DYING;
	atomic_store(&s->cancel, true);
	if (s->thread_running)
		wake_run(s);
	else
		test_free(s);
	nt_chan_close(&s->chan);
}

void nt_sessions_reap(struct nt_server *sv)
{
	struct nt_session **p = &sv->sessions, *s;
	struct nt_post *post;

	while ((s = *p) != NULL) {
		if (s->state != NT_SESSION_DYING || s->thread_running) {
			p = &s->next;
			continue;
		}
		*p = s->next;
		while ((post = next_post(s)) != NULL) {
			free(post->text);
			free(post);
		}
		nt_chan_close(&s->chan);
		close(s->stop_fd);
		pthread_mutex_destroy(&s->lock);
		sodium_memzero(s, sizeof *s);
		free(s);
	}
}

/* Of too many strangers the oldest goes; of too many from one host, that host's oldest. */
static void make_room(struct nt_server *sv, const struct sockaddr_storage *peer)
{
	struct nt_session *s, *oldest = NULL, *same = NULL;
	unsigned n = 0, n_same = 0;

	for (s = sv->sessions; s; s = s->next) {
		if (!strange(s) || s->state == NT_SESSION_DYING)
			continue;
		n++;
		oldest = s;
		if (nt_addr_same_host(&s->peer, peer)) {
			n_same++;
			same = s;
		}
	}
	if (n_same >= NT_SERVER_STRANGERS / 4)
		nt_session_kill(same);
	else if (n >= NT_SERVER_STRANGERS)
		nt_session_kill(oldest);
}

void nt_session_new(struct nt_server *sv, int fd, const struct sockaddr_storage *peer,
	const struct nt_preamble *p)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct nt_session *s = nt_calloc(1, sizeof *s);
	socklen_t len = sizeof s->local;
	json_t *j = json_object();

	make_room(sv, peer);
	s->src.kind = NT_SRC_SESSION;
	s->src.fd = fd;
	s->server = sv;
	s->peer = *peer;
	nt_addr_name(peer, s->name, sizeof s->name);
	getsockname(fd, (struct sockaddr *)&s->local, &len);
	nt_chan_init(&s->chan, fd, NT_BODY_MAX_STRANGER);
	pthread_mutex_init(&s->lock, NULL);
	s->posts_end = &s->posts;
	s->stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->progress_ns = nt_now_ns();
	memcpy(s->cnonce, p->nonce, sizeof s->cnonce);
	randombytes_buf(s->snonce, sizeof s->snonce);
	s->next = sv->sessions;
	sv->sessions = s;
	enter(s, NT_SESSION_AUTH, AUTH_NS);
	ev.data.ptr = &s->src;
	s->events = ev.events;
	if (s->stop_fd < 0 || epoll_ctl(sv->epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0) {
		json_decref(j);
		nt_session_kill(s);
		return;
	}
	json_object_set_new(j, "version", json_integer(NT_WIRE_VERSION));
	json_object_set_new(j, "program", json_string(PACKAGE_VERSION));
	json_object_set_new(j, "key", json_boolean(sv->o->key.set));
	nt_wire_set_hex(j, "nonce", s->snonce, sizeof s->snonce);
	nt_chan_put(&s->chan, NT_FRAME_HELLO, j);
	if (p->version != NT_WIRE_VERSION)
		nt_session_error(s, "version", "the server speaks another protocol version", true);
	else if (!sv->o->key.set)
		welcome(s);
	flush(s, s->progress_ns);
}
