/* SPDX-License-Identifier: Apache-2.0 */
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
    session_advise_indexed(kernels, kernel, list);
    cr_assert_gt(list->judged, 0);
}

struct spoken {
    bool rule[ADVICE_RULES_MAX];
    size_t runs;
};

static void add_spoken(struct spoken *spoken, const struct advice_list *list)
{
    for (size_t rule = 0; advice_rule_at(rule) != NULL; rule++)
        for (size_t a = 0; a < list->count; a++)
            spoken->rule[rule] |= list->items[a].rule == advice_rule_at(rule);
}

/* The rules that speak on a run, or on one of its kernels. */
static void add_run(struct spoken *spoken, uint32_t run)
{
    struct advice_list list;
    struct advice_run figures = {0};
    spoken->runs++;
    for (uint32_t kernel = 0; kernel < kernel_index_count(kernels); kernel++) {
        if (session_kernel(session, kernel)->run != run)
            continue;
        advise(kernel, &list);
        add_spoken(spoken, &list);
    }
    if (!run_is_traced(session_run(session, run)))
        return;
    cr_assert_eq(overlap_compute(session, run, INT64_MIN, INT64_MAX, &figures.overlap, NULL), STATUS_OK);
    cr_assert_eq(session_run_figures(session, run, &figures, NULL), STATUS_OK);
    advice_of_run(&figures, &list);
    add_spoken(spoken, &list);
}

/* Of the runs of this workload and variant whose parameters are these (begin so, where it ends in a comma or
 * is empty). */
static struct spoken spoken_on(const char *workload, const char *variant, const char *params)
{
    struct spoken spoken = {0};
    for (uint32_t i = 0; i < session_run_count(session); i++) {
        const struct run_row *run = session_run(session, i);
        if (strcmp(session_string(session, run->workload), workload) == 0 &&
            strcmp(session_string(session, run->variant), variant) == 0 &&
            is_meant(session_string(session, run->params), params))
            add_run(&spoken, i);
    }
    return spoken;
}

struct expectation {
    const char *workload, *variant, *params;
    const char *speak;  /* ids of the rules that must */
    const char *silent; /* of those that must not; "others": all but these, and but one that is named with a
                           minus */
};

/* Is it one of the words, with this sign before it? */
static bool has_word(const char *words, const char *sign, const char *id)
{
    char text[400], wanted[60];
    snprintf(text, sizeof text, " %s ", words);
    snprintf(wanted, sizeof wanted, " %s%s ", sign, id);
    return strstr(text, wanted) != NULL;
}

static void check(const struct expectation *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct expectation *one = &expected[i];
        struct spoken spoken = spoken_on(one->workload, one->variant, one->params);
        bool others = has_word(one->silent, "", "others");
        cr_expect_gt(spoken.runs, 0, "%s:%s %s was not run", one->workload, one->variant, one->params);
        for (size_t rule = 0; advice_rule_at(rule) != NULL; rule++) {
            const char *id = advice_rule_at(rule)->id;
            bool speaks = has_word(one->speak, "", id),
                 silent = others ? !speaks && !has_word(one->silent, "-", id) : has_word(one->silent, "", id);
            cr_expect(!speaks || spoken.rule[rule], "%s:%s %s: %s is silent", one->workload, one->variant,
                      one->params, id);
            cr_expect(!silent || !spoken.rule[rule], "%s:%s %s: %s speaks", one->workload, one->variant,
                      one->params, id);
        }
    }
}

/* The bad one and its fixed twin, one after the other. All but the rule asked for must be silent, too, but
 * where more is wrong. */
static const struct expectation model[] = {
    {"transpose", "naive", "", "uncoalesced_stores", "others"},
    {"transpose", "tile", "", "shared_load_conflicts", "others"},
    {"transpose", "pad", "", "", "others"},
    {"transpose", "swizzle", "", "", "others"},
    {"transpose", "copy", "", "", "others"},
    {"copy-offset", "copy", "offset=1,", "uncoalesced_loads uncoalesced_stores", "others"},
    {"copy-offset", "copy", "offset=0,n=1048576", "", "others"},
    {"copy-stride", "copy", "stride=2,", "uncoalesced_loads uncoalesced_stores", "others"},
    {"copy-stride", "copy", "stride=1,", "", "others"},
    {"bank-stride", "32-bit", "stride=2,", "shared_load_conflicts", "others"},
    {"bank-stride", "32-bit", "stride=33,", "", "others"},
    {"bank-stride", "32-bit", "stride=1,blocks=1100", "tail_wave", "others"},
    {"bank-stride", "32-bit", "stride=1,blocks=1056", "", "others"},
    {"divergence", "lane", "", "divergence", "others"},
    {"divergence", "warp", "", "", "others"},
    {"local-array", "variable", "", "local_memory", "others"},
    {"local-array", "constant", "", "", "others"},
    {"occupancy-smem", "copy", "kib=200,", "occupancy", ""},
    {"occupancy-smem", "copy", "kib=0,", "", "occupancy"},
    {"prefetch", "loop", "distance=6,blocks=4,", "long_scoreboard", "others"},
    {"prefetch", "smem-rolling-async-pad", "distance=6,blocks=4,", "", "others"},
    {"prefetch", "scalar-batched", "distance=6,blocks=4,", "", "others"},
    {"prefetch", "smem-batched", "distance=8,blocks=4,", "shared_load_conflicts shared_store_conflicts",
     "others"},
    {"prefetch", "smem-batched-pad", "distance=8,blocks=4,", "", "others"},
    {"word-size", "128", "", "bandwidth_bound", "others"},
    {"word-size", "8", "", "narrow_access", "others"},
    {"math", "double-constants", "", "double_precision", "others"},
    {"math", "float-constants", "", "", "others"},
    {"atomics", "global", "lanes=32,n=262144", "atomics", "others"},
    {"atomics", "shared", "lanes=32,n=262144", "", "others"},
    {"default-stream", "legacy", "", "default_stream", "others"},
    {"default-stream", "streams", "", "", "default_stream"},
    {"default-stream", "per-thread", "", "", "default_stream"},
    {"host-copy", "pageable-in", "kib=16384,pieces=1", "pageable_copies", "others"},
    {"host-copy", "pinned-in", "kib=16384,pieces=1024", "small_copies", "others"},
    {"host-copy", "pinned-in", "kib=16384,pieces=1", "", "others"},
    {"n-way", "serial", "", "low_overlap", "others"},
    {"n-way", "4-way", "", "", "others"},
    {"launch", "stream", "", "launch_bound", "others"},
    {"launch", "graph", "", "", "others"},
};

/* Records the cases on the device model and opens that. */
static void record_on_model(const char *cases)
{
    static char folder[] = "/tmp/lanescope-advice-XXXXXX";
    char path[64], command[8192];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/model.lsr", folder);
    setenv("HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    int used =
        snprintf(command, sizeof command,
                 TEST_LANESCOPE " --device simt --record %s %s >/dev/null 2>&1 </dev/null", path, cases);
    cr_assert_lt((size_t)used, sizeof command);
    cr_assert_eq(system(command), 0);
    open_recording(path);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

Test(advice_program, on_the_model, .timeout = 280)
{
    record_on_model(
        "transpose,n=512 copy-offset,offset=1 copy-offset,offset=0,n=1048576"
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
        " host-copy:pinned-in,pieces=1024 host-copy:pinned-in n-way,n=1048576,rounds=1024 launch");
    check(model, sizeof model / sizeof *model);
    close_recording();
}

/* Each rule on the case that its row names, and on the fixed one. */
Test(advice_program, every_rule_on_its_own_pair, .timeout = 280)
{
    char cases[4096] = "";
    const struct advice_rule *rule;
    uint32_t run = 0;
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++) {
        size_t used = strlen(cases);
        cr_assert_eq(rule->workload == NULL, rule->twin == NULL, "%s has no pair", rule->id);
        if (rule->workload != NULL)
            cr_assert_lt(
                (size_t)snprintf(cases + used, sizeof cases - used, " %s %s", rule->workload, rule->twin),
                sizeof cases - used);
    }
    record_on_model(cases);
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++) {
        struct spoken bad = {0}, fixed = {0};
        if (rule->workload == NULL)
            continue;
        cr_assert_lt(run + 1, session_run_count(session));
        add_run(&bad, run++);
        add_run(&fixed, run++);
        cr_expect(bad.rule[i], "%s is silent on %s", rule->id, rule->workload);
        cr_expect(!fixed.rule[i], "%s speaks on %s", rule->id, rule->twin);
    }
    cr_assert_eq(run, session_run_count(session), "each case is one run");
    close_recording();
}

/* Counted by an H200. A run's copies in and out are not what these lessons are about. */
static const struct expectation h200[] = {
    {"transpose", "naive", "", "uncoalesced_stores", "others -low_overlap"},
    {"transpose", "tile", "", "shared_load_conflicts", "others"},
    {"transpose", "pad", "", "bandwidth_bound", "others"},
    {"transpose", "swizzle", "", "bandwidth_bound", "others"},
    {"transpose", "copy", "", "bandwidth_bound", "others"},
    {"copy-stride", "copy", "stride=1,", "", "others"},
    {"copy-stride", "copy", "stride=2,", "uncoalesced_loads uncoalesced_stores", "others"},
    {"copy-stride", "copy", "stride=8,", "uncoalesced_loads uncoalesced_stores", "others"},
    {"copy-offset", "copy", "offset=0,", "", "others"},
    {"copy-offset", "copy", "offset=1,", "uncoalesced_loads uncoalesced_stores", "others"},
    {"bank-stride", "32-bit", "stride=1,", "", "others"},
    {"bank-stride", "32-bit", "stride=2,", "shared_load_conflicts", "others"},
    {"bank-stride", "32-bit", "stride=32,", "shared_load_conflicts", "others"},
    {"bank-stride", "32-bit", "stride=33,", "", "others"},
};

Test(advice_program, on_what_an_h200_counted, .timeout = 280)
{
    open_recording(TEST_SOURCE_DIR "/tests/data/h200.lsr");
    check(h200, sizeof h200 / sizeof *h200);
    close_recording();
}

/* Counted by an H200 with stalls and arithmetic. */
static const struct expectation h200_stalls[] = {
    {"prefetch", "loop", "distance=6,blocks=4,", "long_scoreboard", "others -low_overlap"},
    {"prefetch", "loop", "distance=6,blocks=8,", "long_scoreboard", "others -low_overlap"},
    {"prefetch", "scalar-batched", "", "", "others -low_overlap"},
    {"prefetch", "unrolled", "", "", "others -low_overlap"},
    {"prefetch", "smem-rolling-async", "", "shared_load_conflicts", "others -low_overlap"},
    {"math", "double-constants", "", "double_precision", "others -low_overlap"},
    {"math", "float-constants", "", "", "others -low_overlap"},
    {"transpose", "copy", "", "bandwidth_bound", "others -low_overlap"},
    {"transpose", "naive", "", "uncoalesced_stores", "others -low_overlap"},
    {"copy-offset", "copy", "offset=0,", "", "others -low_overlap"},
    {"matmul-ab", "simple", "", "", "others -low_overlap"},
    {"matmul-ab", "ab-tiles", "", "", "others -low_overlap"},
    {"ilp", "1", "", "", "others -low_overlap"},
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
    {"histogram", "global", "skew=0,", "unexplained", "others -low_overlap"},
    {"histogram", "global", "skew=100,", "unexplained", "others -low_overlap"},
    {"histogram", "shared", "skew=0,", "", "others -low_overlap"},
    {"histogram", "shared", "skew=100,", "", "others -low_overlap"},
    {"atomics", "global", "lanes=32,", "unexplained", "others -low_overlap"},
    {"atomics", "shared", "lanes=32,", "", "others -low_overlap"},
    {"constant", "read", "words=32,", "unexplained", "others -low_overlap"},
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
    {"occupancy-smem", "copy", "kib=200,", "", "occupancy"},
    {"occupancy-smem", "copy", "kib=0,", "", "occupancy"},
    {"default-stream", "legacy", "", "default_stream", "others"},
    {"default-stream", "streams", "", "", "others"},
    {"default-stream", "non-blocking", "", "", "others"},
    {"default-stream", "per-thread", "", "", "others"},
    {"host-copy", "pageable-in", "kib=16384,pieces=1", "pageable_copies", "others"},
    {"host-copy", "pinned-in", "kib=16384,pieces=1", "", "others"},
    {"host-copy", "pinned-in", "kib=1024,pieces=1024", "small_copies", "others"},
    {"n-way", "serial", "", "low_overlap", "others"},
    {"n-way", "4-way", "", "", "others"},
    {"launch", "stream", "", "launch_bound", "others"},
    {"launch", "graph", "", "", "others"},
    {"matmul-ab", "cublas", "", "", "others"},
};

Test(advice_program, on_what_an_h200_traced, .timeout = 280)
{
    open_recording(TEST_SOURCE_DIR "/tests/data/curriculum_h200.lsr");
    check(curriculum, sizeof curriculum / sizeof *curriculum);
    close_recording();
}
