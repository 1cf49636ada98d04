/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the launches that are measured: by a glob over the kernel's name and a limit per kernel name and
 * shape. NCCL's kernels and cooperative launches are skipped unless they are named, since they wait for each
 * other and may hang in a replay.
 *
 * Any thread may ask; one lock, held for a table look-up. Strings are copied.
 */
#ifndef CUPTI_AGENT_FILTER_H
#define CUPTI_AGENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct filter;

struct filter_launch {
    const char *name; /* mangled */
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    bool cooperative;
};

enum filter_verdict {
    FILTER_MEASURE,
    FILTER_NOT_NAMED,   /* the glob does not match */
    FILTER_ENOUGH,      /* the limit is reached */
    FILTER_COOPERATIVE, /* skipped by default */
    FILTER_NCCL,        /* skipped by default */
    FILTER_FULL         /* no memory to remember more kernels */
};

/* glob "" matches all kernels except cooperative ones and NCCL's; limit 0: none. NULL: no memory. */
struct filter *filter_create(const char *glob, uint32_t limit);
void filter_destroy(struct filter *filter);

/* Returns the verdict and counts the launch. *first: true the first time that this kernel and shape get this
 * verdict, so that a skip is reported once. */
enum filter_verdict filter_launch(struct filter *filter, const struct filter_launch *launch, bool *first);

/* Resets the limits of all kernels; `first` is not reset. */
void filter_renew(struct filter *filter);

/* Uncounts a launch that was to be measured but could not be. */
void filter_return(struct filter *filter, const struct filter_launch *launch);

/* Does the glob match the kernel's plain or mangled name? "" matches all. */
bool filter_names(const char *glob, const char *name);

/*
 * The plain name inside a mangled one, without scopes' lengths: "_ZN2ns6kernelIfEEvPf" -> "ns::kernel". A
 * name that cannot be parsed is copied unchanged.
 */
void filter_plain_name(const char *mangled, char *plain, size_t size_bytes);

#endif
