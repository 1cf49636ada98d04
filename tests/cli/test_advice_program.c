/*
 * Every rule of advice on the workload that must trigger it and on its fixed twin, which must not: as the
 * device model runs them, and as an H200 ran them once (tests/data). What counts is the session; the rules
 * know no names.
 */
#include "core/advice/session_advice.h"
#include "core/analysis/kernel_index.h"
#include "core/recording/recording.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct session *session;
static struct kernel_index *kernels;

static void open_recording(const char *path)
{
    struct error error = {0};
    cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(kernel_index_create(&kernels, session, &error), STATUS_OK);
}

static void close_recording(void)
{
    kernel_index_destroy(kernels);
    session_destroy(session);
}

static bool is_meant(const char *params, const char *wanted)
{
    size_t length = strlen(wanted);
    return length == 0 || wanted[length - 1] == ',' ? strncmp(params, wanted, length) == 0
                                                    : strcmp(params, wanted) == 0;
}

static void advise(uint32_t kernel, struct advice_list *list)
{
    enum provenance own = kernel_on_model(session, kernel) ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    struct advice_kernel facts;
    session_advice_kernel(session, kernel, &facts);
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        facts.values[metric] = kernel_index_statistic(kernels, kernel, metric, own).value;
        if (!facts.values[metric].available)
            facts.values[metric] = kernel_index_statistic(kernels, kernel, metric, PROVENANCE_EXPECTED).value;
    }
    advice_of_kernel(&facts, list);
    cr_assert_gt(list->judged, 0);
}

/* Which rules speak on the runs of this workload and variant whose parameters are these (begin so, where it
 * ends in a comma or is empty), and on their kernels:
 * a bit for each. How many runs there were. */
static unsigned spoken(const char *workload, const char *variant, const char *params, size_t *runs)
{
    unsigned rules = 0;
    *runs = 0;
    for (uint32_t i = 0; i < session_run_count(session); i++) {
        const struct run_row *run = session_run(session, i);
        struct advice_list list;
        struct overlap overlap;
        struct advice_run figures;
        if (strcmp(session_string(session, run->workload), workload) != 0 ||
            strcmp(session_string(session, run->variant), variant) != 0 ||
            !is_meant(session_string(session, run->params), params))
            continue;
        (*runs)++;
        for (uint32_t kernel = 0; kernel < kernel_index_count(kernels); kernel++) {
            if (session_kernel(session, kernel)->run != i)
                continue;
            advise(kernel, &list);
            for (size_t a = 0; a < list.count; a++)
                rules |= 1u << list.items[a].rule;
        }
        if (!run_is_traced(run))
            continue;
        cr_assert_eq(overlap_compute(session, i, INT64_MIN, INT64_MAX, &overlap, NULL), STATUS_OK);
        session_advice_run(session, i, &overlap, &figures);
        advice_of_run(&figures, &list);
        for (size_t a = 0; a < list.count; a++)
            rules |= 1u << list.items[a].rule;
    }
    return rules;
}

#define BIT(rule) (1u << ADVICE_##rule)
#define ANY UINT32_MAX

struct expectation {
    const char *workload, *variant, *params;
    unsigned speak, silent; /* that must, that must not */
};

static void check(const struct expectation *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct expectation *one = &expected[i];
        size_t runs;
        unsigned rules = spoken(one->workload, one->variant, one->params, &runs);
        cr_expect_gt(runs, 0, "%s:%s %s was not run", one->workload, one->variant, one->params);
        for (enum advice_rule rule = 0; rule < ADVICE_RULE_COUNT; rule++) {
            cr_expect(!(one->speak >> rule & 1) || (rules >> rule & 1), "%s:%s %s: %s is silent",
                      one->workload, one->variant, one->params, advice_rule_id(rule));
            cr_expect(!(one->silent >> rule & 1) || !(rules >> rule & 1), "%s:%s %s: %s speaks",
                      one->workload, one->variant, one->params, advice_rule_id(rule));
        }
    }
}

/* The bad one and its fixed twin, one after the other. All but the rule asked for must be silent, too, but
 * where more is wrong. */
static const struct expectation model[] = {
    {"transpose", "naive", "", BIT(UNCOALESCED_STORES), ~BIT(UNCOALESCED_STORES)},
    {"transpose", "tile", "", BIT(LOAD_CONFLICTS), ~BIT(LOAD_CONFLICTS)},
    {"transpose", "pad", "", 0, ANY},
    {"transpose", "swizzle", "", 0, ANY},
    {"transpose", "copy", "", 0, ANY},
    {"copy-offset", "copy", "offset=1,", BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES),
     ~(BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES))},
    {"copy-offset", "copy", "offset=0,n=1048576", 0, ANY},
    {"copy-stride", "copy", "stride=2,", BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES),
     ~(BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES))},
    {"copy-stride", "copy", "stride=1,", 0, ANY},
    {"bank-stride", "32-bit", "stride=2,", BIT(LOAD_CONFLICTS), ~BIT(LOAD_CONFLICTS)},
    {"bank-stride", "32-bit", "stride=33,", 0, ANY},
    {"bank-stride", "32-bit", "stride=1,blocks=1100", BIT(TAIL), ~BIT(TAIL)},
    {"bank-stride", "32-bit", "stride=1,blocks=1056", 0, ANY},
    {"divergence", "lane", "", BIT(DIVERGENCE), ~BIT(DIVERGENCE)},
    {"divergence", "warp", "", 0, ANY},
    {"local-array", "variable", "", BIT(SPILLS), ~BIT(SPILLS)},
    {"local-array", "constant", "", 0, ANY},
    {"occupancy-smem", "copy", "kib=200,", BIT(OCCUPANCY), 0},
    {"occupancy-smem", "copy", "kib=0,", 0, BIT(OCCUPANCY)},
    {"prefetch", "loop", "distance=6,blocks=4,", BIT(LONG_SCOREBOARD), ~BIT(LONG_SCOREBOARD)},
    {"prefetch", "smem-rolling-async-pad", "distance=6,blocks=4,", 0, ANY},
    {"prefetch", "scalar-batched", "distance=6,blocks=4,", 0, ANY},
    {"prefetch", "smem-batched", "distance=8,blocks=4,", BIT(LOAD_CONFLICTS) | BIT(STORE_CONFLICTS),
     ~(BIT(LOAD_CONFLICTS) | BIT(STORE_CONFLICTS))},
    {"prefetch", "smem-batched-pad", "distance=8,blocks=4,", 0, ANY},
    {"word-size", "128", "", BIT(BANDWIDTH_BOUND), ~BIT(BANDWIDTH_BOUND)},
    {"word-size", "8", "", 0, ANY},
    {"math", "double-constants", "", BIT(DOUBLE_PRECISION), ~BIT(DOUBLE_PRECISION)},
    {"math", "float-constants", "", 0, ANY},
    {"atomics", "global", "lanes=32,n=262144", BIT(ATOMICS), ~BIT(ATOMICS)},
    {"atomics", "shared", "lanes=32,n=262144", 0, ANY},
    {"default-stream", "legacy", "", BIT(DEFAULT_STREAM), ~BIT(DEFAULT_STREAM)},
    {"default-stream", "streams", "", 0, BIT(DEFAULT_STREAM)},
    {"default-stream", "per-thread", "", 0, BIT(DEFAULT_STREAM)},
    {"host-copy", "pageable-in", "kib=16384,pieces=1", BIT(PAGEABLE_COPIES), ~BIT(PAGEABLE_COPIES)},
    {"host-copy", "pinned-in", "kib=16384,pieces=1024", BIT(SMALL_COPIES), ~BIT(SMALL_COPIES)},
    {"host-copy", "pinned-in", "kib=16384,pieces=1", 0, ANY},
    {"n-way", "serial", "", BIT(LOW_OVERLAP), ~BIT(LOW_OVERLAP)},
    {"n-way", "4-way", "", 0, ANY},
    {"launch", "stream", "", BIT(LAUNCH_BOUND), ~BIT(LAUNCH_BOUND)},
    {"launch", "graph", "", 0, ANY},
};

Test(advice_program, on_the_model, .timeout = 280)
{
    static char folder[] = "/tmp/lanescope-advice-XXXXXX";
    char path[64], command[8192];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/model.lsr", folder);
    setenv("HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    snprintf(
        command, sizeof command,
        TEST_LANESCOPE
        " --device simt --record %s transpose copy-offset,offset=1 copy-offset,offset=0,n=1048576"
        " copy-stride,stride=2 copy-stride,stride=1 bank-stride:32-bit,stride=2 bank-stride:32-bit,stride=33"
        " bank-stride:32-bit,stride=1,blocks=1100 bank-stride:32-bit,stride=1,blocks=1056 divergence "
        "local-array"
        " prefetch:loop,blocks=4 prefetch:smem-rolling-async-pad,blocks=4 prefetch:scalar-batched,blocks=4"
        " prefetch:smem-batched,distance=8,blocks=4 prefetch:smem-batched-pad,distance=8,blocks=4"
        " word-size:128,n=2097152 word-size:8,n=2097152 "
        "math:double-constants,n=262144"
        " math:float-constants,n=262144 occupancy-smem,kib=200,n=4325376 occupancy-smem,kib=0,n=4325376 "
        "atomics:global,lanes=32,n=262144 atomics:shared,lanes=32,n=262144 default-stream,rounds=64 "
        "host-copy:pageable-in"
        " host-copy:pinned-in,pieces=1024 host-copy:pinned-in n-way,n=1048576,rounds=1024 launch >/dev/null "
        "2>&1 </dev/null",
        path);
    cr_assert_eq(system(command), 0);
    open_recording(path);
    check(model, sizeof model / sizeof *model);
    close_recording();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

/* Counted by an H200. A run's copies in and out are not what these lessons are about. */
static const struct expectation h200[] = {
    {"transpose", "naive", "", BIT(UNCOALESCED_STORES), ~(BIT(UNCOALESCED_STORES) | BIT(LOW_OVERLAP))},
    {"transpose", "tile", "", BIT(LOAD_CONFLICTS), ~BIT(LOAD_CONFLICTS)},
    {"transpose", "pad", "", BIT(BANDWIDTH_BOUND), ~BIT(BANDWIDTH_BOUND)},
    {"transpose", "swizzle", "", BIT(BANDWIDTH_BOUND), ~BIT(BANDWIDTH_BOUND)},
    {"transpose", "copy", "", BIT(BANDWIDTH_BOUND), ~BIT(BANDWIDTH_BOUND)},
    {"copy-stride", "copy", "stride=1,", 0, ANY},
    {"copy-stride", "copy", "stride=2,", BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES),
     ~(BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES))},
    {"copy-stride", "copy", "stride=8,", BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES),
     ~(BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES))},
    {"copy-offset", "copy", "offset=0,", 0, ANY},
    {"copy-offset", "copy", "offset=1,", BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES),
     ~(BIT(UNCOALESCED_LOADS) | BIT(UNCOALESCED_STORES))},
    {"bank-stride", "32-bit", "stride=1,", 0, ANY},
    {"bank-stride", "32-bit", "stride=2,", BIT(LOAD_CONFLICTS), ~BIT(LOAD_CONFLICTS)},
    {"bank-stride", "32-bit", "stride=32,", BIT(LOAD_CONFLICTS), ~BIT(LOAD_CONFLICTS)},
    {"bank-stride", "32-bit", "stride=33,", 0, ANY},
};

Test(advice_program, on_what_an_h200_counted, .timeout = 280)
{
    open_recording(TEST_SOURCE_DIR "/tests/data/h200.lsr");
    check(h200, sizeof h200 / sizeof *h200);
    close_recording();
}

/* Counted by an H200 with stalls and arithmetic. */
static const struct expectation h200_stalls[] = {
    {"prefetch", "loop", "distance=6,blocks=4,", BIT(LONG_SCOREBOARD),
     ~(BIT(LONG_SCOREBOARD) | BIT(LOW_OVERLAP))},
    {"prefetch", "loop", "distance=6,blocks=8,", BIT(LONG_SCOREBOARD),
     ~(BIT(LONG_SCOREBOARD) | BIT(LOW_OVERLAP))},
    {"prefetch", "scalar-batched", "", 0, ~BIT(LOW_OVERLAP)},
    {"prefetch", "unrolled", "", 0, ~BIT(LOW_OVERLAP)},
    {"prefetch", "smem-rolling-async", "", BIT(LOAD_CONFLICTS), ~(BIT(LOAD_CONFLICTS) | BIT(LOW_OVERLAP))},
    {"math", "double-constants", "", BIT(DOUBLE_PRECISION), ~(BIT(DOUBLE_PRECISION) | BIT(LOW_OVERLAP))},
    {"math", "float-constants", "", 0, ~BIT(LOW_OVERLAP)},
    {"transpose", "copy", "", BIT(BANDWIDTH_BOUND), ~(BIT(BANDWIDTH_BOUND) | BIT(LOW_OVERLAP))},
    {"transpose", "naive", "", BIT(UNCOALESCED_STORES), ~(BIT(UNCOALESCED_STORES) | BIT(LOW_OVERLAP))},
    {"copy-offset", "copy", "offset=0,", 0, ~BIT(LOW_OVERLAP)},
    {"matmul-ab", "simple", "", 0, ~BIT(LOW_OVERLAP)},
    {"matmul-ab", "ab-tiles", "", 0, ~BIT(LOW_OVERLAP)},
    {"ilp", "1", "", 0, ~BIT(LOW_OVERLAP)},
};

Test(advice_program, on_stalls_that_an_h200_counted, .timeout = 280)
{
    open_recording(TEST_SOURCE_DIR "/tests/data/stalls_h200.lsr");
    check(h200_stalls, sizeof h200_stalls / sizeof *h200_stalls);
    close_recording();
}

/* What is slow by something that is not counted: atomics in the L2 cache, constants that a warp reads at 32
 * words. */
static const struct expectation h200_atomics[] = {
    {"histogram", "global", "skew=0,", BIT(UNEXPLAINED), ~(BIT(UNEXPLAINED) | BIT(LOW_OVERLAP))},
    {"histogram", "global", "skew=100,", BIT(UNEXPLAINED), ~(BIT(UNEXPLAINED) | BIT(LOW_OVERLAP))},
    {"histogram", "shared", "skew=0,", 0, ~BIT(LOW_OVERLAP)},
    {"histogram", "shared", "skew=100,", 0, ~BIT(LOW_OVERLAP)},
    {"atomics", "global", "lanes=32,", BIT(UNEXPLAINED), ~(BIT(UNEXPLAINED) | BIT(LOW_OVERLAP))},
    {"atomics", "shared", "lanes=32,", 0, ~BIT(LOW_OVERLAP)},
    {"constant", "read", "words=32,", BIT(UNEXPLAINED), ~(BIT(UNEXPLAINED) | BIT(LOW_OVERLAP))},
};

Test(advice_program, on_atomics_that_an_h200_counted, .timeout = 280)
{
    open_recording(TEST_SOURCE_DIR "/tests/data/atomics_h200.lsr");
    check(h200_atomics, sizeof h200_atomics / sizeof *h200_atomics);
    close_recording();
}

/* torch.mm of 4096 x 4096 floats: 77 % of the multiprocessors' peak. */
Test(advice_program, cublas_is_left_in_peace, .timeout = 280)
{
    uint32_t counted = 0;
    open_recording(TEST_SOURCE_DIR "/tests/data/cublas_h200.lsr");
    for (uint32_t kernel = 0; kernel < kernel_index_count(kernels); kernel++) {
        const struct kernel_row *row = session_kernel(session, kernel);
        const char *name = session_string(session, session_shape(session, row->shape)->name);
        struct advice_list list;
        if (!strstr(name, "gemm") || atomic_load(&row->measured_launches) == 0)
            continue;
        counted++;
        advise(kernel, &list);
        cr_expect_eq(list.count, 0, "%s: %s", name, list.items[0].text);
        cr_expect_geq(list.judged, 8, "%zu rules judged %s", list.judged, name);
    }
    cr_assert_geq(counted, 1);
    close_recording();
}

/* Traced on an H200, without counters. */
static const struct expectation curriculum[] = {
    {"occupancy-smem", "copy", "kib=200,", BIT(OCCUPANCY), 0},
    {"occupancy-smem", "copy", "kib=0,", 0, BIT(OCCUPANCY)},
    {"default-stream", "legacy", "", BIT(DEFAULT_STREAM), ~BIT(DEFAULT_STREAM)},
    {"default-stream", "streams", "", 0, ANY},
    {"default-stream", "non-blocking", "", 0, ANY},
    {"default-stream", "per-thread", "", 0, ANY},
    {"host-copy", "pageable-in", "kib=16384,pieces=1", BIT(PAGEABLE_COPIES), ~BIT(PAGEABLE_COPIES)},
    {"host-copy", "pinned-in", "kib=16384,pieces=1", 0, ANY},
    {"host-copy", "pinned-in", "kib=1024,pieces=1024", BIT(SMALL_COPIES), ~BIT(SMALL_COPIES)},
    {"n-way", "serial", "", BIT(LOW_OVERLAP), ~BIT(LOW_OVERLAP)},
    {"n-way", "4-way", "", 0, ANY},
    {"launch", "stream", "", BIT(LAUNCH_BOUND), ~BIT(LAUNCH_BOUND)},
    {"launch", "graph", "", 0, ANY},
    {"matmul-ab", "cublas", "", 0, ANY},
};

Test(advice_program, on_what_an_h200_traced, .timeout = 280)
{
    open_recording(TEST_SOURCE_DIR "/tests/data/curriculum_h200.lsr");
    check(curriculum, sizeof curriculum / sizeof *curriculum);
    close_recording();
}
