/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server: one thread with epoll for everything that comes from outside, threads for the
 * streams of running tests. Private to probe/.
 */
#ifndef PROBE_SERVER_H
#define PROBE_SERVER_H

#include <pthread.h>
#include <netinet/in.h>

#include "addr.h"
#include "run.h"
#include "share.h"
#include "wire.h"

#define NT_SERVER_LISTENERS 4
#define NT_SERVER_PENDING 256	/* connections that have not said what they are */
#define NT_SERVER_STRANGERS 32	/* control connections that have asked for nothing yet */
#define NT_SERVER_PEER_CLIENTS 4 /* of one address */
#define NT_SERVER_MAX_ALLOW 64

enum nt_source_kind { NT_SRC_WAKE, NT_SRC_POST, NT_SRC_LISTEN, NT_SRC_UDP, NT_SRC_CONN,
	NT_SRC_SESSION };

/* What an epoll event points to; the first member of whatever it is. */
struct nt_source {
	enum nt_source_kind kind;
	int fd;
};

/* A connection until its preamble is read, and CRR's to their end. */
struct nt_pending {
	struct nt_source src;
	struct nt_pending *next;
	struct sockaddr_storage peer;
	uint64_t deadline_ns;
	unsigned char buf[NT_PREAMBLE_LEN];
	size_t have;
	struct nt_session *crr; /* set once it proved to be one */
	size_t request_left, response_left;
	uint32_t events;  /* epoll's, as wanted */
	uint64_t held_ns; /* since then its flow is ahead of its share; 0: it is not */
	bool gone; /* freed at the end of the round */
};

enum nt_session_state {
	NT_SESSION_AUTH,   /* the client is to prove the key */
	NT_SESSION_REFUSE, /* it failed; told at the deadline, so that guessing is slow */
	NT_SESSION_IDLE,
	NT_SESSION_SETUP, /* the streams of a test are coming in */
	NT_SESSION_RUN,
	NT_SESSION_FACTS,
	NT_SESSION_BYE,	  /* an error is on its way out, then the end */
	NT_SESSION_DYING, /* gone; a thread is still to be joined */
};

struct nt_post { /* from a thread to the loop */
	struct nt_post *next;
	enum nt_frame_type type;
	char *text;
	size_t len;
	bool last; /* the thread ends */
};

struct nt_session {
	struct nt_source src; /* the control connection */
	struct nt_session *next;
	struct nt_server *server;
	struct nt_chan chan;
	struct sockaddr_storage peer, local;
	char name[64];
	enum nt_session_state state;
	bool proved;   /* holds the key */
	bool admitted; /* has a client's place */
	uint64_t deadline_ns, progress_ns;
	uint32_t events; /* epoll's, as set */
	unsigned char cnonce[NT_NONCE_LEN], snonce[NT_NONCE_LEN];
	/* the test */
	struct nt_spec spec;
	unsigned char token[NT_TOKEN_LEN];
	struct nt_stream **streams;
	unsigned n_streams, n_missing;
	unsigned tests_run;
	pthread_t thread;
	bool thread_running, job_is_facts;
	atomic_bool cancel;
	atomic_uint others;
	int stop_fd; /* eventfd: the run is to end */
	_Atomic uint64_t crr_transactions, crr_bytes;
	unsigned crr_open; /* CRR's connections now */
	struct nt_share crr_share; /* of the limit of rate, for all of them */
	pthread_mutex_t lock; /* of the posts */
	struct nt_post *posts, **posts_end;
};

struct nt_allow {
	int family;
	unsigned char addr[16];
	unsigned bits;
};

struct nt_server {
	const struct nt_serve_opts *o;
	nt_serve_event_fn *fn;
	void *arg;
	int epoll_fd, spare_fd;
	struct nt_source wake, post;
	struct nt_source listeners[NT_SERVER_LISTENERS], udp[NT_SERVER_LISTENERS];
	unsigned n_listeners;
	struct nt_allow allow[NT_SERVER_MAX_ALLOW];
	unsigned n_allow;
	struct nt_pending *pending;
	unsigned n_pending; /* without CRR's */
	struct nt_session *sessions;
	bool done; /* one-shot, and it was shot */
};

/* ---- session.c --------------------------------------------------------------------- */

/* A control connection with a good preamble; takes fd. */
void nt_session_new(struct nt_server *sv, int fd, const struct sockaddr_storage *peer,
	const struct nt_preamble *p);
void nt_session_event(struct nt_session *s, uint32_t events, uint64_t now_ns);
/* Once a round: what threads posted, deadlines. */
void nt_session_tick(struct nt_session *s, uint64_t now_ns);
/* End it: at once, or as soon as its thread is. */
void nt_session_kill(struct nt_session *s);
/* Remove and free those that ended. */
void nt_sessions_reap(struct nt_server *sv);
/* The session that a token belongs to, in that state; NULL. */
struct nt_session *nt_session_of_token(struct nt_server *sv, const unsigned char *token,
	enum nt_session_state state);
/* A data connection has come for stream i of a test being set up; takes fd. */
void nt_session_attach(struct nt_session *s, unsigned i, int fd);
bool nt_session_wants(const struct nt_session *s, unsigned i, bool udp);
/* The CRR group of the running test, or NULL. */
const struct nt_group *nt_session_crr(const struct nt_session *s);
void nt_session_error(struct nt_session *s, const char *code, const char *message,
	bool fatal);

/* ---- job.c: what runs in a session's thread ----------------------------------------- */

int nt_job_run(struct nt_session *s, struct nt_err *err);
int nt_job_facts(struct nt_session *s, struct nt_err *err);
void nt_post(struct nt_session *s, enum nt_frame_type type, char *text, bool last);

#endif
