/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bundled workloads on the device model: every variant is verified, and the model shows what the lessons
 * say: which variant is faster, what runs side by side.
 */
#include "tests/shared/made/model_log.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t kernel[2] = {EVENT_KERNEL, 0};
static const uint8_t in[2] = {EVENT_COPY, COPY_HTOD};
static const uint8_t out[2] = {EVENT_COPY, COPY_DTOH};

/* Those whose small size still computes for so long that overlap, or a column of texels, shows on the screen.
 */
static const char *sized(const char *workload)
{
    static const char *const texts[][2] = {{"n-way", "n-way,n=65536,rounds=16"},
                                           {"staged-overlap", "staged-overlap,n=65536,rounds=16"},
                                           {"issue-order", "issue-order,n=65536,rounds=16"},
                                           {"default-stream", "default-stream,rounds=64"},
                                           {"concurrent-kernels", "concurrent-kernels,rounds=32"},
                                           {"texture", "texture,n=128"}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(workload, texts[i][0]) == 0)
            return texts[i][1];
    return workload;
}

Test(simt_lessons, every_workload_is_verified)
{
    struct model_log log = {0}, other = {0};
    struct device *device = model_log_device(&log, NULL);
    struct device *peer = model_log_device(&other, &(struct simt_options){.workers = 1, .ordinal = 1});
    const struct workload *workload;

    for (size_t i = 0; (workload = workload_at(i)); i++)
        model_log_run(device, workload->devices_needed > 1 ? peer : NULL, sized(workload->name), true);
    model_log_run(device, NULL, "atomics,lanes=3|31",
                  true); /* some words' threads are of two warps, some few */
    device->ops->close(device);
    peer->ops->close(peer);
    model_log_check(&log);
    model_log_check(&other);
    cr_assert_gt(log.launches, 100);
    model_log_fini(&log);
    model_log_fini(&other);
}

/* Counts as PTX has them, under old rules, checked: the results are the same. */
Test(simt_lessons, verified_whatever_is_asked_of_the_model)
{
    static const char *const texts[] = {"copy-offset:copy,offset=3", "matmul-ab", "transpose",
                                        "n-way:4-way,n=65536,rounds=16"};
    const struct simt_options options[] = {
        {.workers = 2, .keep_ptx = true},        {.workers = 1, .check = true},
        {.workers = 2, .rules = arch_find(10)},  {.workers = 1, .gpu = gpu_find("gtx280")},
        {.workers = 1, .gpu = gpu_find("k20x")},
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct model_log log = {0};
        struct device *device = model_log_device(&log, &options[i]);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            /* A block of matmul-ab has 1024 threads; 512 was the most before 2.0. */
            if (device->ops->info(device)->max_threads_per_block >= 1024 || k != 1)
                model_log_run(device, NULL, texts[k], true);
        }
        device->ops->close(device);
        model_log_check(&log);
        model_log_fini(&log);
    }
}

/* ---- another input ---- */

static uint64_t digest_of(struct device *device, const char *text)
{
    struct workload_result result = {.verified = -1};
    struct workload_case *c;
    struct workbench bench;
    struct error error = {0};
    size_t count;

    cr_assert_eq(workload_parse(text, &c, &count, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(count, 1, "%s", text);
    workbench_init(&bench, device, 1, 1);
    bench.seed = workload_seed(c);
    c->info = device->ops->info(device);
    cr_assert_eq(c->workload->resolve(c, &error), STATUS_OK, "%s: %s", text, error.text);
    cr_assert_eq(c->workload->run(c, &bench, &result, &error), STATUS_OK, "%s: %s", text, error.text);
    cr_assert_eq(result.verified, 1, "%s: %s", text, result.detail);
    uint64_t digest = bench.digest;

    workbench_fini(&bench);
    free(c);
    return digest;
}

/* Each workload that takes a seed computes another result of another one: the exercises rely on it. */
Test(simt_lessons, a_seed_is_another_input)
{
    static const char *const texts[] = {"copy-offset,n=1024",
                                        "occupancy-smem:copy,n=2048",
                                        "occupancy-smem:copy,n=1001,blocks=3",
                                        "transpose:naive,n=32",
                                        "reduction:divergent,n=512",
                                        "reduction:sequential,n=512",
                                        "histogram:global,n=4096",
                                        "matmul-ab:simple,m=32,n=64",
                                        "local-array:variable,n=256",
                                        "divergence:lane,ways=2,n=256",
                                        "local-array:variable,n=256,shift=9",
                                        "scan:naive,n=512",
                                        "staged-overlap:order,n=16384,rounds=4"};
    struct model_log log = {0};
    struct device *device = model_log_device(&log, NULL);
    char text[100];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t usual = digest_of(device, texts[i]), first, second;

        snprintf(text, sizeof text, "%s,seed=1", texts[i]);
        first = digest_of(device, text);
        cr_expect_eq(first, digest_of(device, text), "%s", text);
        snprintf(text, sizeof text, "%s,seed=4611686018427387903", texts[i]);
        second = digest_of(device, text);
        cr_expect(usual != first && first != second, "%s", text);
    }
    for (size_t i = 0; workload_at(i); i++) { /* the others refuse one */
        struct workload_case *c;
        struct error error = {0};
        size_t count;

        snprintf(text, sizeof text, "%s,seed=1", workload_at(i)->name);
        if (workload_at(i)->input_count)
            continue;
        cr_expect_eq(workload_parse(text, &c, &count, &error), STATUS_USAGE, "%s", text);
    }
    device->ops->close(device);
    model_log_fini(&log);
}

/* --- which is faster
 * ---------------------------------------------------------------------------------------- */

/* As an H200 ran them (tests/data/h200.lsr), slowest first. */
Test(simt_lessons, variants_are_in_the_order_of_an_h200)
{
    static const char *const orders[][6] = {
        {"transpose:naive,n=512", "transpose:tile,n=512", "transpose:pad,n=512"},
        {"transpose:tile,n=512", "transpose:copy,n=512"},
        {"transpose:tile,n=512", "transpose:swizzle,n=512"},
        {"matmul-ab:simple,m=1024,n=1024", "matmul-ab:a-tile,m=1024,n=1024",
         "matmul-ab:ab-tiles,m=1024,n=1024"},
        {"bank-stride:32-bit,blocks=132,stride=32", "bank-stride:32-bit,blocks=132,stride=16",
         "bank-stride:32-bit,blocks=132,stride=8", "bank-stride:32-bit,blocks=132,stride=4",
         "bank-stride:32-bit,blocks=132,stride=2", "bank-stride:32-bit,blocks=132,stride=1"},
        {"bank-stride:128-bit,blocks=132,stride=8", "bank-stride:32-bit,blocks=132,stride=8"},
        {"block-size:copy,block=32,n=1048576", "block-size:copy,block=64,n=1048576",
         "block-size:copy,block=128,n=1048576"},
        /* A register that is filled while its old word is in use takes a move, which waits for the word. */
        {"prefetch:loop,passes=64", "prefetch:scalar-rolling,distance=6,passes=64",
         "prefetch:scalar-batched,distance=6,passes=64",
         "prefetch:smem-rolling-async-pad,distance=6,passes=64"},
        {"constant:read,words=32", "constant:read,words=8", "constant:read,words=2"},
        {"atomics:global,lanes=32,n=65536", "atomics:global,lanes=8,n=65536", "atomics:shared,n=65536"},
        {"histogram:global,skew=100,n=262144", "histogram:global,skew=50,n=262144",
         "histogram:global,skew=0,n=262144", "histogram:global,bins=1024,n=262144",
         "histogram:shared,bins=1024,n=262144"},
        {"compaction:atomic,n=262144", "compaction:warp,n=262144", "compaction:block,n=262144"},
    };
    struct model_log log = {0};
    struct device *device = model_log_device(&log, NULL);

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        double before = 1e12;
        for (size_t k = 0; k < 6 && orders[i][k]; k++) {
            model_log_run(device, NULL, orders[i][k], false);
            cr_assert_lt(log.last_ns, before, "%s takes %g ns", orders[i][k], log.last_ns);
            before = log.last_ns;
        }
    }
    device->ops->close(device);
    model_log_fini(&log);
}

/* The times of the recording, of cases that are quick to run: within a factor of 1.3. */
Test(simt_lessons, times_are_near_an_h200s)
{
    static const struct {
        const char *text;
        double ns;
    } measured[] = {
        {"copy-stride:copy,stride=16", 32384},
        {"bank-stride:32-bit,stride=32", 35104},
        {"bank-stride:8-bit,stride=1", 2560},
        /* These are of 64 times as many values, and in proportion to them (tests/data/curriculum_h200.lsr).
         */
        {"histogram:global,bins=512,n=262144", 2572181.0 / 64},
        {"histogram:global,skew=50,bins=256,n=262144", 8718804.0 / 64},
    };
    struct model_log log = {0};
    struct device *device = model_log_device(&log, NULL);

    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        model_log_run(device, NULL, measured[i].text, false);
        cr_assert(log.last_ns < 1.3 * measured[i].ns && log.last_ns > measured[i].ns / 1.3,
                  "%s: %g ns, not %g", measured[i].text, log.last_ns, measured[i].ns);
    }
    device->ops->close(device);
    model_log_fini(&log);
}

/* Only the compiler knows that a bound of registers makes a kernel spill: an H200 takes 7.6 and 3.5 times as
 * long with 24 and 40 registers as with 64 (tests/data/curriculum_h200.lsr). */
Test(simt_lessons, spills_take_time)
{
    static const struct {
        const char *text;
        double times;
    } measured[] = {{"registers:24,n=65536", 7.6}, {"registers:40,n=65536", 3.5}};
    struct model_log log = {0};
    struct device *device = model_log_device(&log, NULL);

    model_log_run(device, NULL, "registers:64,n=65536", false);
    double none = log.last_ns;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        model_log_run(device, NULL, measured[i].text, false);
        cr_assert(log.last_ns > none * measured[i].times / 1.4 &&
                      log.last_ns < none * measured[i].times * 1.3,
                  "%s: %g of %g ns", measured[i].text, log.last_ns, none);
    }
    device->ops->close(device);
    model_log_fini(&log);
}

/* An H200 gains 1.59 at every distance: 213 us and 133.6 (tests/data/prefetch_h200.lsr). */
Test(simt_lessons, a_prefetch_to_l2_saves_the_way_to_dram)
{
    static const char *const gpus[] = {"h200", "a100"};
    static const char *const texts[] = {"prefetch:l2,distance=1,passes=528",
                                        "prefetch:l2,distance=6,passes=528",
                                        "prefetch:l2,distance=16,passes=528"};

    for (size_t i = 0; i < 2; i++) {
        struct model_log log = {0};
        struct device *device =
            model_log_device(&log, &(struct simt_options){.workers = 1, .gpu = gpu_find(gpus[i])});
        model_log_run(device, NULL, "prefetch:loop,passes=528", false);
        double loop = log.last_ns;
        for (size_t k = 0; k < 3; k++) {
            model_log_run(device, NULL, texts[k], false);
            cr_assert(loop / log.last_ns > 1.45 && loop / log.last_ns < 1.75, "%s, %s: %g of %g ns", gpus[i],
                      texts[k], log.last_ns, loop);
        }
        device->ops->close(device);
        model_log_fini(&log);
    }
}

/* The course: on 1.x a 24-bit multiplication is native, 8 results a cycle, a 32-bit one several instructions,
 * 2 a cycle. Later it is the other way round, as an H200 measured (13.9 us, 20.9). */
Test(simt_lessons, multiplications_of_24_bits_are_for_gpus_of_1_x)
{
    static const struct {
        const char *gpu;
        double least, most; /* 32-bit over 24-bit; a step has a shift of 8 a cycle, too */
    } cases[] = {{"gtx280", 1.6, 2.6},
                 {"9800gt", 1.6, 2.6},
                 {"8800gtx", 1.6, 2.6},
                 {"m2090", 0.5, 0.95},
                 {"h200", 0.5, 0.95}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_log log = {0};
        struct device *device =
            model_log_device(&log, &(struct simt_options){.workers = 1, .gpu = gpu_find(cases[i].gpu)});
        model_log_run(device, NULL, "math:multiply,n=262144", false);
        double whole = log.last_ns;
        model_log_run(device, NULL, "math:multiply-24,n=262144", false);
        double ratio = whole / log.last_ns;
        cr_assert(ratio > cases[i].least && ratio < cases[i].most, "%s: %g", cases[i].gpu, ratio);
        device->ops->close(device);
        model_log_fini(&log);
    }
}

/* Of 16 banks: padding by 16 words removes the conflicts, by 32 only some, and its shifts and additions cost
 * less than they did. */
Test(simt_lessons, padding_for_the_banks_of_1_x)
{
    static const char *const texts[] = {"scan:efficient,n=262144", "scan:padded,n=262144",
                                        "scan:padded-16,n=262144"};
    struct model_log log = {0};
    struct device *device =
        model_log_device(&log, &(struct simt_options){.workers = 1, .gpu = gpu_find("gtx280")});
    double slower = INFINITY;

    for (size_t i = 0; i < 3; i++) {
        model_log_run(device, NULL, texts[i], false);
        cr_assert(log.last_ns < 0.97 * slower, "%s: %g of %g ns", texts[i], log.last_ns, slower);
        slower = log.last_ns;
    }
    device->ops->close(device);
    model_log_fini(&log);
}

/* Figure 6 of the CUDA C Best Practices Guide, that very GPU: 130 GB/s at offsets 0 and 32, 4/5 of it
 * between. */
Test(simt_lessons, a_copy_off_the_line_on_an_m2090)
{
    static const double wanted[][2] = {{0, 130}, {1, 104}, {8, 104}, {17, 104}, {32, 130}}; /* bytes a ns */
    struct model_log log = {0};
    struct device *device =
        model_log_device(&log, &(struct simt_options){.workers = 1, .gpu = gpu_find("m2090")});

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char text[64];
        snprintf(text, sizeof text, "copy-offset:copy,offset=%g,n=4194304", wanted[i][0]);
        model_log_run(device, NULL, text, false);
        double found = 2 * 4 * 4194304 / log.last_ns;
        cr_assert(found > 0.92 * wanted[i][1] && found < 1.08 * wanted[i][1], "offset %g: %g GB/s, not %g",
                  wanted[i][0], found, wanted[i][1]);
    }
    device->ops->close(device);
    model_log_fini(&log);
}

/* The parts of l1-carveout read the same words 16 times: with 48 KiB an M2090 finds them in L1. Compiled with
 * -dlcm=cg it does not, and the carveout does not matter. */
Test(simt_lessons, rules_without_l1_pass_it_by)
{
    static const char *const rules[] = {"2.0", "2.0-no-l1"};
    double gain[2];

    for (int i = 0; i < 2; i++) {
        struct model_log log = {0};
        struct device *device = model_log_device(
            &log,
            &(struct simt_options){.workers = 1, .gpu = gpu_find("m2090"), .rules = arch_parse(rules[i])});
        model_log_run(device, NULL, "l1-carveout:prefer-shared", true);
        gain[i] = log.last_ns;
        model_log_run(device, NULL, "l1-carveout:prefer-l1", true);
        gain[i] /= log.last_ns;
        device->ops->close(device);
        model_log_fini(&log);
    }
    cr_assert(gain[0] > 1.5 && fabs(gain[1] - 1) < 1e-9, "%g, %g", gain[0], gain[1]);
}

/* --- what runs side by side
 * --------------------------------------------------------------------------------- */

/* An H200 of four multiprocessors, with an eager host: what takes milliseconds on the whole one shows here
 * with little work. */
static const struct gpu *small_gpu(void)
{
    static struct gpu gpu;

    gpu = *gpu_at(0);
    gpu.info.multiprocessors = 4;
    gpu.handover_ns = 300;
    gpu.host.launch_ns = gpu.host.call_ns = 200;
    gpu.host.submit_ns = 100;
    return &gpu;
}

struct overlaps {
    int64_t span_ns, kernels_with_out, in_with_out, kernels_with_in;
    int64_t kernels_with_kernels; /* by how much kernels begin before the one before them has ended */
};

static struct overlaps overlaps_of(const char *text)
{
    struct model_log log = {0};
    struct device *device = model_log_device(&log, &(struct simt_options){.workers = 1, .gpu = small_gpu()});
    struct overlaps found = {0};
    int64_t last = 0;

    model_log_run(device, NULL, text, false);
    device->ops->close(device);
    model_log_check(&log);
    found.span_ns = model_log_span(&log, 0);
    found.kernels_with_out = model_log_overlap(&log, 0, kernel, out);
    found.in_with_out = model_log_overlap(&log, 0, in, out);
    found.kernels_with_in = model_log_overlap(&log, 0, kernel, in);
    for (size_t i = 0; i < log.count; i++) { /* told in the order of their ends */
        const struct event *e = &log.events[i];
        if (e->kind != EVENT_KERNEL)
            continue;
        found.kernels_with_kernels += last > e->kernel.start_ns ? last - e->kernel.start_ns : 0;
        last = e->kernel.end_ns;
    }
    model_log_fini(&log);
    return found;
}

Test(simt_lessons, n_way)
{
    struct overlaps serial = overlaps_of("n-way:serial,n=262144,rounds=40");
    struct overlaps two = overlaps_of("n-way:2-way,n=262144,rounds=40");
    struct overlaps three = overlaps_of("n-way:3-way,n=262144,rounds=40");
    struct overlaps four = overlaps_of("n-way:4-way,n=262144,rounds=40");

    cr_assert_eq(serial.kernels_with_out + serial.in_with_out + serial.kernels_with_in, 0);
    cr_assert_eq(serial.kernels_with_kernels, 0);
    cr_assert_gt(two.kernels_with_out, 0);
    cr_assert_eq(two.in_with_out + two.kernels_with_in, 0, "one copy in, before all kernels");
    cr_assert_gt(three.kernels_with_out, 0);
    cr_assert_gt(three.in_with_out, 0, "an engine for each direction");
    cr_assert_gt(three.kernels_with_in, 0);
    cr_assert_gt(four.kernels_with_kernels, 0);
    cr_assert_lt(two.span_ns, serial.span_ns);
    cr_assert_lt(three.span_ns, two.span_ns);
}

Test(simt_lessons, the_host_computes_beside_the_device)
{
    struct model_log log = {0};
    struct device *device = model_log_device(&log, NULL);
    struct event begin = {0}, end = {0};
    size_t kernels_beside = 0;

    model_log_run(device, NULL, "n-way:4-way+,n=65536,rounds=16", false);
    device->ops->close(device);
    model_log_check(&log);
    for (size_t i = 0; i < log.count; i++) {
        cr_assert(log.events[i].kind != EVENT_RANGE_BEGIN || begin.kind == EVENT_NONE,
                  "one round, one range");
        if (log.events[i].kind == EVENT_RANGE_BEGIN)
            begin = log.events[i];
        if (log.events[i].kind == EVENT_RANGE_END)
            end = log.events[i];
    }
    cr_assert_eq(end.kind, EVENT_RANGE_END);
    cr_assert_eq(begin.range.id, end.range.id);
    cr_assert_str_eq(log.strings[begin.range.name - 1], "host function");
    cr_assert_gt(end.range.time_ns, begin.range.time_ns);
    for (size_t i = 0; i < log.count; i++)
        kernels_beside += log.events[i].kind == EVENT_KERNEL &&
                          log.events[i].kernel.start_ns > begin.range.time_ns &&
                          log.events[i].kernel.end_ns < end.range.time_ns;
    cr_assert_gt(kernels_beside, 0);
    model_log_fini(&log);
}

/* 16 kernels of two blocks each: in as many streams hardly longer than one of them, on a device of 132. */
Test(simt_lessons, small_kernels_run_side_by_side)
{
    static const char *const texts[] = {"concurrent-kernels,kernels=16,streams=1,rounds=2048",
                                        "concurrent-kernels,kernels=16,streams=16,rounds=2048"};
    int64_t span_ns[2];

    for (int i = 0; i < 2; i++) {
        struct model_log log = {0};
        struct device *device = model_log_device(&log, NULL);
        model_log_run(device, NULL, texts[i], false);
        device->ops->close(device);
        span_ns[i] = model_log_span(&log, 0);
        model_log_fini(&log);
    }
    cr_assert_lt(span_ns[1], span_ns[0] / 4, "%lld ns in 16 streams, %lld in one", (long long)span_ns[1],
                 (long long)span_ns[0]);
}

Test(simt_lessons, staged_overlap)
{
    struct overlaps whole = overlaps_of("staged-overlap:whole-pinned,n=262144,rounds=40");
    struct overlaps staged = overlaps_of("staged-overlap:staged-pinned,n=262144,rounds=40");
    struct overlaps pageable = overlaps_of("staged-overlap:staged-pageable,n=262144,rounds=40");

    cr_assert_eq(whole.kernels_with_in, 0);
    cr_assert_gt(staged.kernels_with_in, 0);
    cr_assert_lt(staged.span_ns, whole.span_ns);
    cr_assert_gt(pageable.span_ns, whole.span_ns, "pieces through a buffer: slower than the bus");
}

/* One queue and one copy engine (gtx680): a copy out that waits for its kernel holds up the next copy in. One
 * queue and two engines (m2090): kernels issued one behind the other are told to have ended together. */
Test(simt_lessons, the_order_of_issue_matters_before_hyper_q)
{
    static const char *const gpus[] = {"gtx680", "h200", "m2090"};
    int64_t depth_hidden[3], breadth_hidden[3];

    for (int i = 0; i < 3; i++) {
        for (int breadth = 0; breadth < 2; breadth++) {
            struct model_log log = {0};
            struct device *device =
                model_log_device(&log, &(struct simt_options){.workers = 1, .gpu = gpu_find(gpus[i])});
            model_log_run(device, NULL,
                          breadth ? "issue-order:breadth-first,n=1048576,rounds=16"
                                  : "issue-order:depth-first,n=1048576,rounds=16",
                          false);
            device->ops->close(device);
            (breadth ? breadth_hidden : depth_hidden)[i] =
                model_log_overlap(&log, 0, kernel, in) + model_log_overlap(&log, 0, kernel, out);
            model_log_fini(&log);
        }
    }
    cr_assert_eq(depth_hidden[0], 0);
    cr_assert_gt(breadth_hidden[0], 0);
    cr_assert_gt(depth_hidden[1], 0);
    cr_assert_eq(depth_hidden[1], breadth_hidden[1]);
    cr_assert_gt(depth_hidden[2], breadth_hidden[2]);
}

/* Counted by the rules of 1.0, a warp that starts off the line makes 32 transactions of one: what L1 then has
 * of the neighbour's must not be taken for all of it. */
Test(simt_lessons, transactions_of_old_rules_never_save_time)
{
    struct model_log log = {0};
    struct device *device =
        model_log_device(&log, &(struct simt_options){.workers = 1, .rules = arch_find(10)});

    model_log_run(device, NULL, "copy-offset:copy,offset=0", true);
    double aligned = log.last_ns;
    for (int offset = 1; offset < 4; offset++) {
        char text[64];
        snprintf(text, sizeof text, "copy-offset:copy,offset=%d", offset);
        model_log_run(device, NULL, text, true);
        cr_assert_geq(log.last_ns, aligned, "offset %d: %g ns, at 0 %g", offset, log.last_ns, aligned);
    }
    device->ops->close(device);
    model_log_fini(&log);
}

Test(simt_lessons, old_gpus_have_one_engine_or_none)
{
    struct model_log log = {0};
    struct device *device =
        model_log_device(&log, &(struct simt_options){.workers = 1, .gpu = gpu_find("8800gtx")});

    model_log_run(device, NULL, "n-way:3-way,n=65536,rounds=8", false);
    device->ops->close(device);
    cr_assert_eq(model_log_overlap(&log, 0, kernel, in) + model_log_overlap(&log, 0, kernel, out) +
                     model_log_overlap(&log, 0, in, out),
                 0);
    model_log_fini(&log);
}
