/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bank-broadcast: words of shared memory that many lanes want. One word goes to all of them at once, also
 * several words to groups of lanes (multicast, since compute capability 2.x), as long as the words lie in
 * different banks.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define WORDS 1024 /* of the shared array, as in bank_broadcast.cu */
#define ROUNDS 32

enum { PARAM_GROUPS, PARAM_N };
enum { TAG_NEIGHBOURS, TAG_ONE_BANK };

static const struct workload_param params[] = {
    [PARAM_GROUPS] = {.name = "groups",
                      .meaning = "different words a warp reads, a power of two: 1 is one word for all lanes",
                      .unit = "words",
                      .minimum = 1,
                      .maximum = 32,
                      .standard = 4,
                      .doubles = true},
    [PARAM_N] = {.name = "n",
                 .meaning = "threads, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 24, "threads")},
};

static uint64_t lanes_per_word(const struct workload_case *c)
{
    return 32 / (uint64_t)c->params.value[PARAM_GROUPS];
}

/* Distance in words between two groups: adjacent, or all in one bank. */
static uint64_t bank_broadcast_distance(const struct workload_case *c)
{
    return c->variant->tag == TAG_ONE_BANK ? 32 : 1;
}

static uint64_t fill_count(const struct workload_case *c)
{
    (void)c;
    return WORDS / BLOCK;
}

static uint64_t bank_broadcast_rounds(const struct workload_case *c)
{
    (void)c;
    return ROUNDS;
}

static uint64_t fill_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return (access_thread(at) + at->i * BLOCK) * sizeof(float);
}

static uint64_t word_of(const struct workload_case *c, uint64_t lane, uint64_t round)
{
    return (lane / lanes_per_word(c) * bank_broadcast_distance(c) + round) % WORDS;
}

static uint64_t word_address(const struct workload_case *c, const struct access_point *at)
{
    return word_of(c, at->lane, at->i) * sizeof(float);
}

#define SITE(text, where, what, times, function)                                                         \
    {                                                                                                    \
        .name = text, .space = where, .op = what, .width_bytes = 4, .count = times, .address = function, \
        .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1                                       \
    }
/* 31 x 32 + 31 is less than WORDS, so no lane's word wraps around before another's in a round. */
static const struct access_site sites[] = {
    SITE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, fill_count, fill_address),
    SITE("word[i] = ", ACCESS_SHARED, ACCESS_STORE, fill_count, fill_address),
    SITE("word[first + round]", ACCESS_SHARED, ACCESS_LOAD, bank_broadcast_rounds, word_address),
    SITE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, access_once, access_own_word),
};

static const struct kernel_sites kernels[] = {{KERNEL_SITES("bank_broadcast", sites)}};

static const struct workload_variant variants[] = {
    {.name = "neighbours",
     .meaning = "the words are neighbours, each in its own bank",
     .tag = TAG_NEIGHBOURS,
     .kernels = kernels,
     .kernel_count = 1},
    {.name = "one-bank",
     .meaning = "the words are in one bank: their accesses are serialised",
     .tag = TAG_ONE_BANK,
     .kernels = kernels,
     .kernel_count = 1},
};

static enum status bank_broadcast_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], groups = c->params.value[PARAM_GROUPS];

    if (groups & (groups - 1))
        return error_set(error, STATUS_USAGE,
                         "bank-broadcast: groups=%lld is not a power of two. Give 1, 2, 4, 8, 16 or 32.",
                         (long long)groups);
    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c) / 16;
    return case_grid_of_threads(c, *n, BLOCK, sizeof(float) * (double)*n, error);
}

static void bank_broadcast_verify(const struct workload_case *c, const float *output,
                                  struct workload_result *result)
{
    float wanted[32] = {0};

    for (size_t lane = 0; lane < 32; lane++)
        for (size_t round = 0; round < ROUNDS; round++)
            wanted[lane] += workbench_pattern_at(word_of(c, lane, round));
    for (size_t i = 0; i < (size_t)c->params.value[PARAM_N]; i += 32)
        if (!verify_words("out", i, &output[i], wanted, 32, result))
            return;
    result->verified = 1;
}

static enum status bank_broadcast_run(const struct workload_case *c, struct workbench *bench,
                                      struct workload_result *result, struct error *error)
{
    uint32_t lanes = (uint32_t)lanes_per_word(c), apart = (uint32_t)bank_broadcast_distance(c);
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = WORDS * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = (size_t)c->params.value[PARAM_N] * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "bank_broadcast",
                   .kernel = c->effective_kernel,
                   .arguments =
                       (void *[]){&single.array[1].pointer, &single.array[0].pointer, &lanes, &apart}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        bank_broadcast_verify(c, single.array[1].output, result);
    return status;
}

const struct workload workload_bank_broadcast = {
    .name = "bank-broadcast",
    .chapter = CHAPTER_SHARED,
    .title = "Many lanes read one word of a bank: no conflict",
    .words = "smem __shared__ bank conflict multicast",
    .meaning = "Lanes that want the same word do not conflict, however many they are; only different words "
               "of one bank do",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = bank_broadcast_resolve,
    .run = bank_broadcast_run,
    .sweeps = {"bank-broadcast,groups=1|2|4|8|16|32"},
};
