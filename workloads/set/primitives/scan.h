/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scan lends to others: its kernel scan_sums, one block that scans the sums or counts which other
 * blocks left, and sites of blocks like its. scan_sums' sites take the case's `sums` for their number, and 0
 * for one of each block. Pure but for the launch; any thread.
 */
#ifndef WORKLOADS_SET_SCAN_H
#define WORKLOADS_SET_SCAN_H

#include "workloads/frame/workload.h"

#define SCAN_SHARE 512 /* threads of the block, and sums that it handles at a time; as in scan.cu */
#define SCAN_SUMS_SITES 7

extern const struct access_site scan_sums_sites[SCAN_SUMS_SITES];
uint32_t scan_sums_blocks(const struct workload_case *c); /* 1 */

/* Sites of kernels whose blocks of SCAN_SHARE threads exchange one word per warp in shared memory: each
 * warp's first lane stores it, and every thread loads all 16, four at a time. */
#define WARP_WORDS_QUADS (SCAN_SHARE / 32 / 4)
uint64_t warp_word_address(const struct workload_case *c, const struct access_point *at);
uint64_t warp_words_address(const struct workload_case *c, const struct access_point *at);

/* Its entry in a variant whose other kernels have blocks of the same size. */
#define SCAN_SUMS_KERNEL                                                                \
    {                                                                                   \
        .kernel = "scan_sums", .sites = scan_sums_sites, .site_count = SCAN_SUMS_SITES, \
        .blocks = scan_sums_blocks                                                      \
    }

/* sums: `count` unsigned words on the device; each is replaced by the sum of those before it. */
enum status scan_sums_launch(struct device *device, device_pointer sums, uint32_t count, struct error *error);

#endif
