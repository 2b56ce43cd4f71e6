/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How late sent frames are freed (M11), without privilege (N1): bursts of 1, 5 and 20
 * datagrams at random phase; SIOCOUTQ of the socket is zero again when the last buffer
 * below it was freed. The intercept of the drain time over the burst size is the delay, the
 * slope the time of one datagram (N2).
 */
#include "config.h"

#include "completion.h"

#include <errno.h>
#include <linux/sockios.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>

#include "fit.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "stream.h"

#define PAYLOAD 1400 /* frames of 1442 bytes with IPv4, as in N1 */
#define WIRE_EXTRA (28 + 14 + 24) /* IPv4, UDP; Ethernet; preamble, FCS, gap */
#define MAX_BURST 20
#define PATIENCE_NS 300000000
#define LATE_US 4000 /* N2 */

static const unsigned sizes[] = { 1, 5, 20 };

double nt_completion_wire_ns(double speed_bps)
{
	return (PAYLOAD + WIRE_EXTRA) * 8e9 / speed_bps;
}

static void nap(long ns)
{
	struct timespec ts = { .tv_nsec = ns };

	nanosleep(&ts, NULL);
}

/* Wait until nothing of the socket is left below it. Spins first, then naps. */
static int drain(const struct nt_stream *s, uint64_t from, uint64_t *ret_ns)
{
	int queued = 0;
	uint64_t now;

	for (;;) {
		if (ioctl(s->fd, SIOCOUTQ, &queued) < 0)
			return -errno;
		now = nt_now_ns();
		if (queued <= 0)
			break;
		if (nt_stopped(s))
			return -EINTR;
		if (now - from > PATIENCE_NS)
			return -ETIME;
		if (now - from > 300000)
			nap(20000);
	}
	*ret_ns = now - from;
	return 0;
}

/* One burst: drain time and the time the sending itself took. 0 or -errno. */
static int burst(const struct nt_stream *s, unsigned n, double *ret_us, double *ret_send_us)
{
	static const char payload[PAYLOAD];
	struct iovec iov = { .iov_len = PAYLOAD };
	struct mmsghdr m[MAX_BURST];
	uint64_t start, sent, ns;
	unsigned i;
	int rc;

	memcpy(&iov.iov_base, &(const void *){ payload }, sizeof iov.iov_base);
	memset(m, 0, sizeof m);
	for (i = 0; i < n; i++) {
		m[i].msg_hdr.msg_iov = &iov;
		m[i].msg_hdr.msg_iovlen = 1;
	}
	start = nt_now_ns();
	rc = sendmmsg(s->fd, m, n, MSG_DONTWAIT);
	sent = nt_now_ns();
	if (rc < 0)
		return -errno;
	if ((unsigned)rc != n)
		return -EAGAIN;
	rc = drain(s, start, &ns);
	if (rc)
		return rc;
	*ret_us = ns / 1e3;
	*ret_send_us = (sent - start) / 1e3;
	return 0;
}

void nt_completion_judge(const struct nt_completion_data *d, double wire_us, bool any,
	struct nt_probe_completion *ret)
{
	double *v = nt_calloc(d->n ? d->n : 1, sizeof *v), send = 0, most;
	size_t i, n = 0;

	ret->ran = true;
	ret->bursts = d->n;
	ret->wire_us = wire_us;
	ret->intercept_us = ret->slope_us = ret->p50_us = ret->p99_us = NAN;
	if (d->n < 12 ||
		nt_fit_line(d->burst, d->drain_us, d->n, &ret->intercept_us, &ret->slope_us)) {
		snprintf(ret->reason, sizeof ret->reason, "too few bursts were sent");
		goto out;
	}
	for (i = 0; i < d->n; i++)
		if (d->burst[i] == 1)
			v[n++] = d->drain_us[i];
	ret->p50_us = nt_quantile(v, n, 0.5);
	ret->p99_us = nt_quantile(v, n, 0.99);
	for (i = n = 0; i < d->n; i++)
		if (d->burst[i] == MAX_BURST) {
			v[n++] = d->drain_us[i];
			send += d->send_us[i] / MAX_BURST;
		}
	most = nt_quantile(v, n, 0.5);
	send /= n ? n : 1;
	ret->measurable = !*ret->reason;
	if (ret->measurable && !any && isnan(wire_us)) {
		snprintf(ret->reason, sizeof ret->reason, "the link's speed is not known");
		ret->measurable = false;
	} else if (ret->measurable && !any && !(most >= MAX_BURST * wire_us)) {
		snprintf(ret->reason, sizeof ret->reason,
			"%d datagrams drained in %.0f us, the wire needs %.0f", MAX_BURST, most,
			MAX_BURST * wire_us);
		ret->measurable = false;
	}
	/* on fast links the sending costs more than the wire: that is not the queue's slope */
	ret->late = ret->measurable && ret->intercept_us >= LATE_US &&
		    (isnan(wire_us) || ret->slope_us <= 2 * wire_us + send);
out:
	free(v);
}

void nt_completion_run(struct nt_stream *s)
{
	struct nt_completion_data d = { .n = 0 };
	double drain_us = 0, send_us = 0;
	uint64_t ns;
	int rc;

	/* naps of 20 us must not last 70 */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	while (!nt_stopped(s) && d.n < NT_COMPLETION_MAX) {
		unsigned n = sizes[randombytes_uniform(NT_ARRAY_SIZE(sizes))];

		nap(2000000 + randombytes_uniform(13000000));
		nt_stream_hold(s, (size_t)n * PAYLOAD);
		if (nt_stopped(s))
			break;
		rc = drain(s, nt_now_ns(), &ns);
		if (!rc)
			rc = burst(s, n, &drain_us, &send_us);
		if (rc == -ETIME) {
			snprintf(s->completion.reason, sizeof s->completion.reason,
				"the queue does not drain within %d ms", PATIENCE_NS / 1000000);
			break;
		}
		if (rc == -ECONNREFUSED || rc == -EAGAIN)
			continue;
		if (rc) {
			s->error = -rc;
			break;
		}
		d.burst[d.n] = n;
		d.drain_us[d.n] = drain_us;
		d.send_us[d.n++] = send_us;
		nt_count(&s->tx_bytes, (uint64_t)n * PAYLOAD);
	}
	nt_completion_judge(&d, s->wire_ns / 1e3, s->spec->any_egress, &s->completion);
}
