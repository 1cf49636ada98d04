/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of the kernels and shapes that have been asked for, each with its verdict and how many
 * launches were measured. Entries are added and never removed; above MAX_KERNELS none is added. The lock
 * covers all of it but the glob, which does not change.
 */
#include "cupti/agent/filter.h"

#include <ctype.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096u
#define MAX_KERNELS 262144u

struct known {
    struct known *next;
    uint64_t hash;
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    bool cooperative, told;
    enum filter_verdict verdict; /* MEASURE: until `taken` reaches the limit */
    uint32_t taken;
    char name[];
};

struct filter {
    pthread_mutex_t lock;
    char glob[4096];
    uint32_t limit, count;
    struct known *buckets[BUCKETS];
};

struct filter *filter_create(const char *glob, uint32_t limit)
{
    struct filter *filter = calloc(1, sizeof *filter);
    if (!filter)
        return NULL;
    if (pthread_mutex_init(&filter->lock, NULL) != 0) {
        free(filter);
        return NULL;
    }
    memcpy(filter->glob, glob, strnlen(glob, sizeof filter->glob - 1));
    filter->limit = limit;
    return filter;
}

void filter_destroy(struct filter *filter)
{
    if (!filter)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        while (filter->buckets[i]) {
            struct known *next = filter->buckets[i]->next;
            free(filter->buckets[i]);
            filter->buckets[i] = next;
        }
    pthread_mutex_destroy(&filter->lock);
    free(filter);
}

/* Parses the part of the Itanium mangling that names a kernel: _Z <length> <name>, or _ZN { <length> <name> }
 * .... */
void filter_plain_name(const char *mangled, char *plain, size_t size_bytes)
{
    size_t used = 0;
    const char *at = mangled;
    if (strncmp(at, "_Z", 2) == 0) {
        at += 2;
        bool nested = *at == 'N';
        at += nested;
        do {
            char *end;
            if (!isdigit((unsigned char)*at))
                break;
            unsigned long length = strtoul(at, &end, 10);
            if (length == 0 || length > strlen(end) || used + length + 3 > size_bytes)
                break;
            if (used) {
                memcpy(plain + used, "::", 2);
                used += 2;
            }
            memcpy(plain + used, end, length);
            used += length;
            at = end + length;
        } while (nested);
    }
    if (used == 0) {
        used = strnlen(mangled, size_bytes - 1);
        memcpy(plain, mangled, used);
    }
    plain[used] = '\0';
}

/* "ncclDevKernel_AllReduce...": does the last part of the plain name begin with nccl? */
static bool is_nccl(const char *plain)
{
    const char *last = plain;
    for (const char *p = plain; (p = strstr(p, "::")); p += 2)
        last = p + 2;
    return strncmp(last, "nccl", 4) == 0;
}

bool filter_names(const char *glob, const char *name)
{
    char plain[1024];
    filter_plain_name(name, plain, sizeof plain);
    return !glob[0] || fnmatch(glob, plain, 0) == 0 || fnmatch(glob, name, 0) == 0;
}

static enum filter_verdict judge_launch(const struct filter *filter, const struct filter_launch *launch)
{
    if (filter->glob[0])
        return filter_names(filter->glob, launch->name) ? FILTER_MEASURE : FILTER_NOT_NAMED;
    if (launch->cooperative)
        return FILTER_COOPERATIVE;
    char plain[1024];
    filter_plain_name(launch->name, plain, sizeof plain);
    return is_nccl(plain) ? FILTER_NCCL : FILTER_MEASURE;
}

static uint64_t launch_hash(const struct filter_launch *launch)
{
    uint64_t value = 0xcbf29ce484222325u;
    for (const char *p = launch->name; *p; p++)
        value = (value ^ (uint8_t)*p) * 0x100000001b3u;
    for (int i = 0; i < 3; i++)
        value = ((value ^ launch->grid[i]) * 0x100000001b3u ^ launch->block[i]) * 0x100000001b3u;
    value =
        (value ^ launch->dynamic_shared_bytes ^ (launch->cooperative ? 1u << 31 : 0)) * 0x9e3779b97f4a7c15u;
    return value ^ value >> 32;
}

static bool known_same(const struct known *known, uint64_t value, const struct filter_launch *launch)
{
    return known->hash == value && known->cooperative == launch->cooperative &&
           known->dynamic_shared_bytes == launch->dynamic_shared_bytes &&
           memcmp(known->grid, launch->grid, sizeof known->grid) == 0 &&
           memcmp(known->block, launch->block, sizeof known->block) == 0 &&
           strcmp(known->name, launch->name) == 0;
}

static struct known *known_find(struct filter *filter, uint64_t value, const struct filter_launch *launch)
{
    struct known *known = filter->buckets[value % BUCKETS];
    while (known && !known_same(known, value, launch))
        known = known->next;
    return known;
}

static struct known *known_add(struct filter *filter, uint64_t value, const struct filter_launch *launch)
{
    size_t length = strlen(launch->name) + 1;
    struct known *known = filter->count < MAX_KERNELS ? calloc(1, sizeof *known + length) : NULL;
    if (!known)
        return NULL;
    known->hash = value;
    memcpy(known->grid, launch->grid, sizeof known->grid);
    memcpy(known->block, launch->block, sizeof known->block);
    known->dynamic_shared_bytes = launch->dynamic_shared_bytes;
    known->cooperative = launch->cooperative;
    known->verdict = judge_launch(filter, launch);
    memcpy(known->name, launch->name, length);
    known->next = filter->buckets[value % BUCKETS];
    filter->buckets[value % BUCKETS] = known;
    filter->count++;
    return known;
}

enum filter_verdict filter_launch(struct filter *filter, const struct filter_launch *launch, bool *first)
{
    uint64_t value = launch_hash(launch);
    enum filter_verdict verdict = FILTER_FULL;
    *first = false;
    pthread_mutex_lock(&filter->lock);
    struct known *known = known_find(filter, value, launch);
    if (!known)
        known = known_add(filter, value, launch);
    if (known && known->verdict == FILTER_MEASURE && filter->limit && known->taken >= filter->limit) {
        verdict = FILTER_ENOUGH;
    } else if (known) {
        verdict = known->verdict;
        *first = !known->told;
        known->told = true;
        known->taken += verdict == FILTER_MEASURE;
    }
    pthread_mutex_unlock(&filter->lock);
    return verdict;
}

void filter_renew(struct filter *filter)
{
    pthread_mutex_lock(&filter->lock);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct known *known = filter->buckets[i]; known; known = known->next)
            known->taken = 0;
    pthread_mutex_unlock(&filter->lock);
}

void filter_return(struct filter *filter, const struct filter_launch *launch)
{
    pthread_mutex_lock(&filter->lock);
    struct known *known = known_find(filter, launch_hash(launch), launch);
    if (known && known->taken > 0)
        known->taken--;
    pthread_mutex_unlock(&filter->lock);
}
