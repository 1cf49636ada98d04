/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A teaching workload: kernels, variants, parameters, access sites, a CPU reference. Tables are static const;
 * one table of all in registry.c.
 *
 * run() does the work of one variant on a bench (a device and buffers) and verifies the result against the
 * CPU reference on every run. The access sites describe each memory instruction of its kernels; core's rules
 * over them, summed over the grid, are the EXPECTED values. No global state; one thread per bench.
 */
#ifndef WORKLOADS_FRAME_WORKLOAD_H
#define WORKLOADS_FRAME_WORKLOAD_H

#include "core/hardware/device.h"
#include "core/metric/metric.h"
#include "simt/device/device.h"
#include "workloads/frame/workbench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKLOAD_PARAMS_MAX 8
#define WORKLOAD_SIZE_AUTO 0 /* value of a size parameter: choose the size for the device */

struct workload_param {
    const char *name, *meaning, *unit;
    int64_t minimum, maximum, standard;
    /* How the lab's arrow keys change it: to the next multiple of step, or, with `doubles`, to the next of
     * step, twice step, four times step ... 0: by ones if the range is short, else by doubling. */
    int64_t step;
    bool doubles;
};

/* Is the parameter a size for which 0 means that the device chooses? */
static inline bool workload_param_is_size(const struct workload_param *param)
{
    return param->standard == WORKLOAD_SIZE_AUTO && param->minimum == WORKLOAD_SIZE_AUTO &&
           param->maximum > 1024;
}

struct workload_params {
    int64_t value[WORKLOAD_PARAMS_MAX]; /* in the order of workload.params */
};

struct access_point { /* which execution of a site, by which thread */
    uint32_t block[3];
    uint32_t warp, lane;
    uint64_t i; /* 0 ... count-1 */
};

struct workload_case;

/* One memory instruction of a kernel. */
struct access_site {
    const char *name; /* "a[row][k]", as the class reads it */
    enum access_space space;
    enum access_op op;
    uint32_t width_bytes;
    bool past_l1; /* ld.global.cg */
    bool atomic; /* in global memory, and ptxas leaves each lane's alone: it is drawn, and counts for no op */
    bool any_words; /* the lanes want some of these words, in any distribution: does not apply to 1.x, which
                       broadcasts only one word */
    bool system_fence; /* __threadfence_system(), which counts as a store without a sector; has no address */
    uint64_t (*count)(const struct workload_case *c); /* executions per warp */
    /* Byte address (any base aligned to 256) of a lane; UINT64_MAX: the lane is not active. NULL: whether it
     * is depends on data or on an order that no rule knows; nothing is EXPECTED then for this op on this
     * space. */
    uint64_t (*address)(const struct workload_case *c, const struct access_point *at);
    /* The cost repeats with these periods of block x, y, z, warp and i (0: not claimed, all are evaluated). A
     * test checks the claim. */
    uint32_t block_period[3], warp_period;
    uint64_t i_period;
};

struct kernel_sites {
    const char *kernel; /* extern "C" name */
    const struct access_site *sites;
    size_t site_count;
    bool data_dependent; /* of all its accesses: nothing is EXPECTED, and the reason is shown */
    bool tells_local; /* the sites include its accesses to local memory; else the compiler decides on those */
    /* Its grid, in x, if that differs from the case's; NULL: the case's. */
    uint32_t (*blocks)(const struct workload_case *c);
};

struct workload_variant {
    const char *name, *meaning;
    int tag;                            /* the workload's own */
    const struct kernel_sites *kernels; /* none if the variant only copies, or runs a library's kernels */
    size_t kernel_count;
    const char *library; /* "CUB": the library that does the work (workloads/frame/library.h); NULL: our own
                            kernels */
    bool bound; /* does less than the other variants, as what they cannot beat: never the best of them */
};

/* A variant with its parameters resolved for a device: the input of run(), sites and reference. */
struct workload_case {
    const struct workload *workload;
    const struct workload_variant *variant;
    struct workload_params params;
    const struct device_info *info;
    uint32_t grid[3], block[3];        /* of the kernel the sites speak of */
    const struct kernel_sites *kernel; /* the variant's kernel that the parameters select; NULL: all */
    uint32_t sums; /* words that the kernel scan_sums scans (workloads/set/primitives/scan.h); 0: one for each
                      block */
    double effective_bytes; /* bytes that the algorithm must move per launch of effective_kernel; 0 none */
    const char *effective_kernel;
    bool small; /* --size small */
};

struct workload_result {
    int8_t verified;  /* 1, 0, -1 */
    char detail[256]; /* the first element that differs: where, expected, found */
};

#define WORKLOAD_SWEEPS_MAX 20

/* The chapters, in the order of the lists: letter, and subject. */
#define CHAPTER_LIST(X)                                          \
    X(COALESCING, "A", "Global memory: coalescing")              \
    X(SHARED, "B", "Shared memory: tiles and bank conflicts")    \
    X(STREAMS, "C", "Host and device: copies, streams, overlap") \
    X(EXECUTION, "D", "Occupancy and execution")                 \
    X(MEMORIES, "E", "Other memories: constant, texture, local") \
    X(PREFETCH, "F", "Prefetching: loads ahead of their use")    \
    X(PRIMITIVES, "G", "Parallel primitives: sums, scans, sorts")

#define CHAPTER_ENUM(id, letter, name) CHAPTER_##id,
enum workload_chapter { CHAPTER_LIST(CHAPTER_ENUM) CHAPTER_COUNT };
#undef CHAPTER_ENUM

#define WORKLOAD_TITLE_MAX 55 /* cells: a line of a list has this many beside the longest name */

struct workload {
    const char *name; /* "copy-offset" */
    enum workload_chapter chapter;
    const char *title;   /* what the workload shows, in WORKLOAD_TITLE_MAX cells */
    const char *words;   /* further words that students use for it: "coalescing uncoalesced gather" */
    const char *meaning; /* what it teaches: a sentence */
    const struct workload_param *params;
    size_t param_count;
    /* Parameters that are in no list: which input a case has, and sizes that only an exercise's second run
     * varies. The first is the seed. Their values follow those of params, and a run names those that are not
     * the standard ones. */
    const struct workload_param *inputs;
    size_t input_count;
    const struct workload_variant *variants;
    size_t variant_count;
    /* What `--all` runs of it: the sweeps for its figures, with every variant; without sweeps only the name.
     */
    const char *sweeps[WORKLOAD_SWEEPS_MAX + 1];
    uint32_t devices_needed; /* 1, or 2: needs bench->peer; a run without it says so and is not verified */
    uint32_t gpus_modelled;  /* 0: one; else bench->gpu chooses among so many of the device model */
    /* Sets grid, block and sizes from params and device; rejects what does not fit, with a sentence. */
    enum status (*resolve)(struct workload_case *c, struct error *error);
    /* STATUS_OK also if the verification failed, which result has. All work on the device has ended when it
     * returns STATUS_OK. */
    enum status (*run)(const struct workload_case *c, struct workbench *bench, struct workload_result *result,
                       struct error *error);
};

/* selection.c */
/* One text: "NAME[:variant][,param=value]...". A value may be a sweep, "stride=1..32" or "1..32/4" or
 * "1|2|32". Without a variant: all of them. Expands it into cases (the caller frees *cases with free()).
 * STATUS_USAGE with a sentence that lists the names that exist, or the range. */
enum status workload_parse(const char *text, struct workload_case **cases, size_t *count,
                           struct error *error);

/* What `--all` runs: every variant of every workload, with sweeps over the parameters of its figure. */
enum status workload_all(struct workload_case **cases, size_t *count, struct error *error);

/* registry.c */
const struct workload *workload_at(size_t index); /* NULL past the end */
const struct workload *workload_find(const char *name);
const char *chapter_letter(enum workload_chapter chapter);
const char *chapter_name(enum workload_chapter chapter);

/* The number of a workload's values, and what value i means: params, then inputs. */
static inline size_t workload_value_count(const struct workload *workload)
{
    return workload->param_count + workload->input_count;
}
static inline const struct workload_param *workload_param_at(const struct workload *workload, size_t i)
{
    return i < workload->param_count ? &workload->params[i] : &workload->inputs[i - workload->param_count];
}

/* Which input the case has; 0: the usual one. */
static inline uint64_t workload_seed(const struct workload_case *c)
{
    return c->workload->input_count ? (uint64_t)c->params.value[c->workload->param_count] : 0;
}

/* "offset=3,n=1048576": the parameters of a case. */
void workload_params_text(const struct workload_case *c, char *text, size_t size_bytes);

/* One execution by a warp of a site that has addresses; at->lane is ignored. */
void access_of_warp(const struct workload_case *c, const struct access_site *site, struct access_point *at,
                    struct warp_access *access);

/* The cost of the accesses of one launch of a kernel, by core's rules: its sites, summed over the grid. */
void access_totals_count(const struct workload_case *c, const struct kernel_sites *kernel,
                         const struct arch *arch, struct access_totals *totals);

/* The expected value of a metric for one kernel of a resolved case, PROVENANCE_EXPECTED, by core's rules over
 * the sites. */
struct value workload_expected(const struct workload_case *c, const struct kernel_sites *kernel,
                               enum metric metric, const struct arch *arch);

/* Opens a device: "cuda", or "simt" for the device model as the default GPU. ordinal counts the visible ones.
 * STATUS_NO_DEVICE with a sentence if there is none. */
enum status workload_device_open(const char *kind, uint32_t ordinal, struct device **device,
                                 struct error *error);

/* The device model with the workloads' kernels and those of kernel_image_add; this function sets options->ptx
 * and registers. */
enum status workload_model_open(struct simt_options *options, struct device **device, struct error *error);

#endif
