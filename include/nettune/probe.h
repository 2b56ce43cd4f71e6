/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short transfers between two hosts that say where the limit is: a server, a client that
 * runs tests against it, and what both ends saw meanwhile. "up" is from client to server.
 *
 * Rates are in bit/s of payload, times in seconds unless the name says otherwise,
 * percentages 0..100. A double that is not known is NAN, an integer -1.
 */
#ifndef NETTUNE_PROBE_H
#define NETTUNE_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/err.h"
#include "nettune/fact.h"
#include "nettune/names.h"

#define NT_PROBE_PORT 5212
#define NT_PROBE_KEY_LEN 32
#define NT_PROBE_MAX_STREAMS 128
#define NT_PROBE_MAX_SECONDS 3600
#define NT_PROBE_SERIES 64 /* samples kept of one test; older ones are thinned out */

struct nt_sys;

enum nt_probe_test {
	NT_TEST_STREAM,	    /* bulk, up */
	NT_TEST_REVERSE,    /* bulk, down */
	NT_TEST_BIDIR,	    /* both at once */
	NT_TEST_RR,	    /* one request/response stream */
	NT_TEST_MANY_RR,    /* many of them */
	NT_TEST_CRR,	    /* connect, request, response, close */
	NT_TEST_SIZES,	    /* message sizes swept, as netpipe does (E7) */
	NT_TEST_MIXED,	    /* small requests and bulk together, several of each (E5) */
	NT_TEST_OBJECTS,    /* objects of given sizes, each on a connection of its own */
	NT_TEST_LOADED,	    /* request/response alone, then during bulk up and down */
	NT_TEST_UDP,	    /* rate, loss, jitter, both ways in turn */
	NT_TEST_COMPLETION, /* how late sent frames are freed (N1, N2), at both ends */
	_NT_TEST_MAX
};
extern const struct nt_name nt_probe_test_names[];
/* What a probe runs unless told: the tests that the rules want, about 15 s. */
#define NT_PROBE_STANDARD                                                                \
	(1U << NT_TEST_STREAM | 1U << NT_TEST_REVERSE | 1U << NT_TEST_RR |               \
		1U << NT_TEST_CRR | 1U << NT_TEST_LOADED | 1U << NT_TEST_COMPLETION)

struct nt_probe_key {
	bool set;
	unsigned char k[NT_PROBE_KEY_LEN];
};

/*
 * Read a shared key: the BLAKE2b-256 of a file of 32 bytes or more, Argon2id of a shorter
 * one (a pass phrase, 8 bytes or more); a newline at the end does not count. -EINVAL for a
 * file too short or above 64 KiB. *ret_exposed tells that others may read the file.
 */
int nt_probe_key_load(const char *file, struct nt_probe_key *ret, bool *ret_exposed,
	struct nt_err *err);

struct nt_probe_opts {
	const char *host; /* NAME[:PORT] or [V6]:PORT */
	struct nt_probe_key key;
	unsigned tests; /* bits 1 << NT_TEST_*; 0: the standard set */
	double seconds; /* of each test, warm-up not counted; 0: the test's own default */
	double warmup;	/* thrown away; < 0: the test's own default */
	unsigned streams; /* of bulk tests and many-rr; 0: default */
	unsigned mss;	  /* bytes, 0 unset; likewise below */
	unsigned write_size, sndbuf, rcvbuf;
	unsigned request, response; /* sizes of rr and crr messages */
	uint64_t pacing_bps; /* each stream at most; UDP's rate */
	char congestion[16];
	int cpu, peer_cpu; /* threads are bound to it; -1 not bound */
	bool nodelay, zerocopy, trunc;
	bool any_egress; /* completion also where N2 says it can't be told (the lab) */
	bool facts;	 /* ask for the server's facts; needs the key */
};
void nt_probe_opts_init(struct nt_probe_opts *o);

/* An option of nt_probe_opts by its word on the command line, with what it may hold. */
struct nt_probe_setting {
	const char *name;
	enum nt_setting_kind {
		NT_SETTING_SECONDS,
		NT_SETTING_COUNT,
		NT_SETTING_CPU,
		NT_SETTING_SIZE, /* a literal of bytes: "64KiB" */
		NT_SETTING_RATE, /* a literal of bit/s: "100Mbit" */
		NT_SETTING_WORD,
		NT_SETTING_FLAG,
	} kind;
	size_t offset;
	double min, max; /* of numbers, sizes and rates */
};
extern const struct nt_probe_setting nt_probe_settings[]; /* ends with a NULL name */

/* Take text as its value; a flag is set whatever text is. -EINVAL where it is none. */
int nt_probe_setting_parse(const struct nt_probe_setting *s, struct nt_probe_opts *o,
	const char *text, struct nt_err *err);
void nt_probe_setting_clear(const struct nt_probe_setting *s, struct nt_probe_opts *o);
/* For people: "3 s", "64 KiB", "on"; false, and "", where it is not set. */
bool nt_probe_setting_format(const struct nt_probe_setting *s, const struct nt_probe_opts *o,
	char *ret, size_t size);
/* Append all that are set but the time: "streams 8, nodelay". */
struct nt_buf;
void nt_probe_settings_format(const struct nt_probe_opts *o, struct nt_buf *ret);

/* ---- results ---------------------------------------------------------------------- */

struct nt_probe_cpu {
	double cpu; /* its number, in per_cpu */
	double busy, user, system, softirq, irq, steal; /* percent of the time */
};

/* TCP_INFO of an end's sending sockets: sums, and of per-socket values the mean. */
struct nt_probe_tcp {
	unsigned streams; /* 0: this end sent nothing by TCP */
	char congestion[16];
	double rtt_us, min_rtt_us; /* smoothed, mean over the window; least */
	double cwnd, mss;	   /* segments; bytes */
	double delivery_bps, pacing_bps; /* pacing NAN: not paced */
	double segs_out, retrans;
	double busy_pct, rwnd_limited_pct, sndbuf_limited_pct; /* of the window */
	double sndbuf_bytes; /* SO_SNDBUF at the end, one socket */
	double notsent_bytes, app_limited_pct; /* mean; share of samples */
	bool zerocopy_copied; /* the kernel copied although asked not to */
};

/* One second of one end. */
struct nt_probe_sample {
	double t; /* since the window began */
	double tx_bps, rx_bps, cpu_busy, rtt_us, cwnd, delivery_bps, retrans;
	double per_s; /* transactions a second, of this end while it runs; else 0 */
};

/* The egress towards the other end. */
struct nt_probe_egress {
	char link[16], kind[24], qdisc[16]; /* "" unknown */
	double speed_bps; /* NAN: unknown or has none */
	double mtu;
	bool virt;	    /* no device of its own below: veth, tun, bridge, loopback ... */
	double backlog_bytes; /* mean over the window, all qdiscs of the link */
	double qdisc_drops, qdisc_overlimits; /* in the window */
};

struct nt_probe_counter {
	char name[64]; /* a fact's name */
	double delta;
};

struct nt_probe_latency { /* of one request/response, us */
	double count, min, mean, p50, p90, p99, p999, max;
};

struct nt_probe_udp {
	double sent, received, lost, reordered, jitter_us, bps; /* received bit/s */
};

/* Drain time of SIOCOUTQ over burst size. */
struct nt_probe_completion {
	bool ran, measurable;
	char reason[96]; /* why it is not measurable */
	double intercept_us, slope_us; /* robust fit; slope per datagram */
	double p50_us, p99_us;	       /* of single datagrams */
	double wire_us;		       /* of one datagram at the link's speed */
	double bursts;
	bool late; /* N2 */
};

/* What one end saw in one test's window. */
struct nt_probe_end {
	double seconds;
	double tx_bytes, rx_bytes, transactions;
	struct nt_probe_cpu cpu; /* mean over all CPUs */
	struct nt_probe_cpu *per_cpu;
	unsigned n_cpu;
	double cpu_s_per_gb; /* CPU seconds of the whole host per 10^9 bytes; NAN */
	/* the probe's own thread that was most in need of CPU: running, and waiting for a CPU */
	double thread_busy_pct, thread_wait_pct;
	double context_switches, nic_interrupts;
	double other_tests; /* tests of other clients the server ran at the same time */
	struct nt_probe_tcp tcp;
	struct nt_probe_egress egress;
	struct nt_probe_udp udp;
	struct nt_probe_latency latency;
	struct nt_probe_completion completion;
	struct nt_probe_sample *series;
	unsigned n_series;
	struct nt_probe_counter *counters; /* those that moved */
	unsigned n_counters;
};

enum nt_limit {
	NT_LIMIT_UNKNOWN,
	NT_LIMIT_SENDER_CPU,
	NT_LIMIT_RECEIVER_CPU, /* B4 */
	NT_LIMIT_SNDBUF,
	NT_LIMIT_RWND,
	NT_LIMIT_LOSS,	/* the congestion window, cut by loss */
	NT_LIMIT_CWND,	/* the congestion window, or a bottleneck on the path */
	NT_LIMIT_QDISC, /* a shaper or queue discipline of the sender's link, or of the
			 * receiver's, where it delays acknowledgements */
	NT_LIMIT_LINE,
	NT_LIMIT_LATE_COMPLETION,
	NT_LIMIT_WRITE_SIZE, /* of the application: B9 */
	NT_LIMIT_PACING,     /* as asked for */
	_NT_LIMIT_MAX
};
extern const struct nt_name nt_limit_names[];

struct nt_verdict {
	enum nt_limit limit;
	char text[200]; /* one line with the numbers behind it */
};

/* One part of a test: a message size of a sweep, an object size, alone or loaded. */
struct nt_probe_part {
	char name[24]; /* "" for a test of one part; "64 KiB", "loaded up" ... */
	double size;   /* of the message or object, NAN where there is none */
	double seconds;
	double up_bps, down_bps; /* as the receiver saw it; NAN when that way was not used */
	double rate;		 /* transactions a second; NAN */
	struct nt_probe_end here, there;
	bool there_missing; /* the other end's figures did not come: there holds none */
	struct nt_verdict up, down; /* .text "" when that way was not used */
};

struct nt_probe_test_result {
	enum nt_probe_test test;
	bool interrupted;
	char error[200]; /* why it could not be run; "" */
	struct nt_probe_part *parts;
	unsigned n_parts;
};

struct nt_probe_result {
	char host[256], address[64], peer_version[32], peer_kernel[64], local_address[64];
	unsigned port;
	char reach_link[16]; /* the local link of the path */
	struct nt_probe_opts opts; /* as used; .host points to host */
	bool interrupted, authenticated;
	struct nt_probe_test_result *tests;
	unsigned n_tests;
	struct nt_snapshot *peer; /* the server's facts, sealed; NULL without the key */
	char peer_reason[96];	  /* why there are none */
};
void nt_probe_result_free(struct nt_probe_result *r);

/* ---- client ----------------------------------------------------------------------- */

/* Told about once a second while a test runs, and when one begins (part NULL) or ends. */
struct nt_probe_progress {
	enum nt_probe_test test;
	const char *part;
	double elapsed, total;
	bool have_here, have_there;
	struct nt_probe_sample here, there;
	const struct nt_probe_test_result *done; /* the test just ended, else NULL */
};
typedef void nt_probe_progress_fn(void *arg, const struct nt_probe_progress *p);

/*
 * Run the tests against the server. Blocks; another thread or a signal handler may set
 * *stop (may be NULL), which ends both sides at once. sys may be NULL: then no counters of
 * this host are read. What was measured is returned also when a later test failed or was
 * interrupted (0, ->error and ->interrupted tell), and after an interruption even where
 * nothing was (nt_probe_measured() tells); else -errno with err: -EACCES key wrong or
 * missing, -EPROTO not a nettune server, -EBUSY server full.
 */
int nt_probe_run(struct nt_sys *sys, const struct nt_probe_opts *o,
	nt_probe_progress_fn *fn, void *arg, const atomic_bool *stop,
	struct nt_probe_result **ret, struct nt_err *err);

/* Parts of tests that hold figures. */
unsigned nt_probe_measured(const struct nt_probe_result *r);

/* The first part of a test of a result, NULL when it was not run or failed. */
const struct nt_probe_part *nt_probe_part_of(const struct nt_probe_result *r,
	enum nt_probe_test test);

/*
 * Put the measured numbers into a snapshot as a path scope: this end's into the client's
 * snapshot, the other end's (peer true) into the server's. Unseals and seals again.
 */
void nt_probe_facts(const struct nt_probe_result *r, bool peer, struct nt_snapshot *s);

/* Write the document "nettune-probe/1" or, with w inside a document, its object. */
struct nt_jsonw;
void nt_probe_json(const struct nt_probe_result *r, struct nt_jsonw *w, const char *key);

/* ---- verdict: a pure function of one direction's numbers --------------------------- */

struct nt_verdict_in {
	double bps, seconds;
	const struct nt_probe_end *sender, *receiver;
	double receiver_speed_bps; /* NAN */
	bool one_host; /* both ends on one machine: CPU figures cover both */
	unsigned write_size, sndbuf, rcvbuf; /* as asked; 0 unset */
	int sender_cpu, receiver_cpu; /* the threads are bound to; -1 not bound */
	uint64_t pacing_bps;
	double server_bps; /* what the server allows this direction; 0: no limit */
	const struct nt_probe_completion *completion; /* the sender's, NULL not measured */
};
void nt_verdict(const struct nt_verdict_in *in, struct nt_verdict *ret);

/* ---- server ------------------------------------------------------------------------ */

struct nt_serve_opts {
	const char *bind; /* address; NULL: loopback, both families */
	unsigned port;	  /* 0: NT_PROBE_PORT */
	struct nt_probe_key key; /* set: nothing is done for a client that lacks it */
	const char *const *allow; /* CIDRs, NULL-terminated; NULL: any peer */
	bool one_shot; /* end after the first client that ran a test */
	unsigned max_clients, max_streams;
	double max_seconds; /* of one test */
	uint64_t max_bps;   /* both ways, of one test; 0: no limit */
};
void nt_serve_opts_init(struct nt_serve_opts *o);

enum nt_serve_event { NT_SERVE_LISTENING, NT_SERVE_CLIENT, NT_SERVE_TEST, NT_SERVE_GONE };
/* peer and detail are one line each, printable. */
typedef void nt_serve_event_fn(void *arg, enum nt_serve_event what, const char *peer,
	const char *detail);

/*
 * Serve until *stop. The descriptor wake (-1 for none) becomes readable to have *stop looked
 * at; it is non-blocking and is read empty. -EINVAL for an address or network that is none.
 */
int nt_serve(const struct nt_serve_opts *o, nt_serve_event_fn *fn, void *arg,
	const atomic_bool *stop, int wake, struct nt_err *err);

#endif
