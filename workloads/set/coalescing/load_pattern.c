/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load-pattern: which words a warp's lanes take, and what is moved for them. The textbook's five pictures,
 * each through L1 and past it.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define PIECE 1024 /* words of the input for each warp, as in load_pattern.cu */

enum { PARAM_LINES, PARAM_N };
enum pattern { ALIGNED, PERMUTED, MISALIGNED, ONE_WORD, SCATTERED, PATTERN_COUNT };

static const struct workload_param params[] = {
    [PARAM_LINES] =
        {.name = "lines",
         .meaning = "scattered only: lines that the words of a warp are in, from 4 on one sector of each",
         .unit = "lines",
         .minimum = 1,
         .maximum = 32,
         .standard = 32},
    [PARAM_N] = {.name = "n",
                 .meaning = "words loaded, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 24, "words")},
};

/* The word within its warp's part that a lane loads. */
static uint64_t word_of(const struct workload_case *c, uint64_t lane)
{
    uint64_t lines = (uint64_t)c->params.value[PARAM_LINES], order = lane * 11 % 32;

    switch ((enum pattern)c->variant->tag) {
    case PERMUTED: return lane ^ 21;
    case MISALIGNED: return lane + 1;
    case ONE_WORD: return 7;
    case SCATTERED: return order % lines * 32 + order / lines;
    default: return lane;
    }
}

static uint64_t input_word(const struct workload_case *c, uint64_t i)
{
    return i / 32 * PIECE + word_of(c, i % 32);
}

static uint64_t load_address(const struct workload_case *c, const struct access_point *at)
{
    return sizeof(float) * input_word(c, at->block[0] * (uint64_t)BLOCK + access_thread(at));
}

/* Every warp accesses its part as the first one does. */
#define SITES(is_past_l1)                                                         \
    {                                                                             \
        {.name = "in[...]",                                                       \
         .space = ACCESS_GLOBAL,                                                  \
         .op = ACCESS_LOAD,                                                       \
         .width_bytes = 4,                                                        \
         .past_l1 = is_past_l1,                                                   \
         .count = access_once,                                                    \
         .address = load_address,                                                 \
         .block_period = {1, 1, 1},                                               \
         .warp_period = 1,                                                        \
         .i_period = 1},                                                          \
            SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word), \
    }
static const struct access_site l1_sites[] = SITES(false), l2_sites[] = SITES(true);

#define KERNELS(name)                                                               \
    {                                                                               \
        {KERNEL_SITES(name "_l1", l1_sites)}, {KERNEL_SITES(name "_l2", l2_sites)}, \
    }
static const struct kernel_sites kernels[PATTERN_COUNT][2] = {
    [ALIGNED] = KERNELS("load_aligned"),       [PERMUTED] = KERNELS("load_permuted"),
    [MISALIGNED] = KERNELS("load_misaligned"), [ONE_WORD] = KERNELS("load_one_word"),
    [SCATTERED] = KERNELS("load_scattered"),
};

#define VARIANTS(pattern, text, what)                                                                    \
    {.name = text, .meaning = what, .tag = pattern, .kernels = &kernels[pattern][0], .kernel_count = 1}, \
    {                                                                                                    \
        .name = text "-l2", .meaning = what ", past the L1 cache", .tag = pattern,                       \
        .kernels = &kernels[pattern][1], .kernel_count = 1                                               \
    }
static const struct workload_variant variants[] = {
    VARIANTS(ALIGNED, "aligned", "lane l takes word l of a line"),
    VARIANTS(PERMUTED, "permuted", "the words of one line in another order"),
    VARIANTS(MISALIGNED, "misaligned", "32 neighbouring words that begin at the second word of a line"),
    VARIANTS(ONE_WORD, "one-word", "all lanes take one word"),
    VARIANTS(SCATTERED, "scattered", "words of `lines` lines; with 32 each lane has its own line"),
};

static enum status load_pattern_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c) / 16;
    return case_grid_of_threads(c, *n, BLOCK, 2.0 * sizeof(float) * (double)*n, error);
}

static void load_pattern_verify(const struct workload_case *c, const uint32_t *output,
                                struct workload_result *result)
{
    size_t n = (size_t)c->params.value[PARAM_N];

    for (size_t i = 0; i < n; i++) {
        float wanted = workbench_pattern_at(input_word(c, i));

        if (!verify_words("out", i, &output[i], &wanted, 1, result))
            return;
    }
    result->verified = 1;
}

static enum status load_pattern_run(const struct workload_case *c, struct workbench *bench,
                                    struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    uint32_t lines = (uint32_t)c->params.value[PARAM_LINES];
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = n / 32 * PIECE * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "load_pattern",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &lines}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        load_pattern_verify(c, single.array[1].output, result);
    return status;
}

const struct workload workload_load_pattern = {
    .name = "load-pattern",
    .chapter = CHAPTER_COALESCING,
    .title = "32 lanes load: in order, permuted, shifted, scattered",
    .words = "coalescing coalesced uncoalesced gather random access transactions cache lines",
    .meaning = "The order within a line costs nothing, a misaligned start costs one sector more, scattered "
               "words cost one sector each",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = load_pattern_resolve,
    .run = load_pattern_run,
};
