/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Just enough for the imitations in this folder to compile. */
#ifndef TESTS_PATCH_KERNEL_H
#define TESTS_PATCH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int irqreturn_t;
#define __initconst
#define __iomem
#define __init
#define max(a, b) ((a) > (b) ? (a) : (b))
#define max_t(t, a, b) max((t)(a), (t)(b))
#define DMA_BIT_MASK(n) ((1ULL << (n)) - 1)

struct sk_buff {
	unsigned truesize, len;
};
struct sock {
	unsigned sk_pacing_rate, queued;
};
struct timer_list {
	void (*function)(unsigned long);
	unsigned long data, expires;
};
struct napi_struct {
	void *owner;
};
struct net_device {
	void *priv;
};
struct device {
	u64 *dma_mask, coherent_dma_mask;
};
struct platform_device {
	struct device dev;
};
extern int sysctl_tcp_limit_output_bytes;
extern unsigned long jiffies;
void init_timer(struct timer_list *t);
void add_timer(struct timer_list *t);
int del_timer(struct timer_list *t);
void clear_bit(int bit, unsigned long *word);
int test_and_set_bit(int bit, unsigned long *word);
void napi_complete(struct napi_struct *napi);
bool netdev_xmit_more(void);

#endif
