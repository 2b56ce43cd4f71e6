/* SPDX-License-Identifier: GPL-2.0-or-later */
static bool send_one(struct sock *sk, struct sk_buff *skb);

static bool tcp_write_xmit(struct sock *sk, struct sk_buff *head, int n)
{
	unsigned limit;
	int i;

	for (i = 0; i < n; i++) {
		struct sk_buff *skb = &head[i];

		/* not more below than this */
		limit = sysctl_tcp_limit_output_bytes;
		if (sk->queued > limit)
			break;
		if (!send_one(sk, skb))
			return false;
	}
	return i == n;
}

static bool send_one(struct sock *sk, struct sk_buff *skb)
{
	sk->queued += skb->truesize;
	return true;
}

bool push(struct sock *sk, struct sk_buff *skb)
{
	return tcp_write_xmit(sk, skb, 1);
}
