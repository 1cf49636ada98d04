/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules on what the device did while it was busy: copies, sets, and kernels as a whole. Their figures are
 * sums over the run's events (core/advice/session_advice.c); shares are of the time in which the device was
 * busy, which is not 0.
 */
#include "core/advice/advice_internal.h"

#include "core/base/append.h"

#include <math.h>
#include <stdio.h>

/* ---- the device's time ---- */
enum { FEW_BLOCKS_TIME, FEW_BLOCKS_LENGTH };

static bool judge_few_blocks(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    double busy = (double)run->overlap.any_busy_ns;
    if (run->few_blocks_launches == 0)
        return run->multiprocessors > 0;
    if (run->few_blocks_beside || !advice_beyond(judging, FEW_BLOCKS_TIME, 100 * run->few_blocks_ns / busy) ||
        !advice_beyond(judging, FEW_BLOCKS_LENGTH, run->few_blocks_ns / (double)run->few_blocks_launches))
        return true;
    struct advice *advice = advice_add(judging);
    size_t used = 0;
    append_text(
        advice->text, sizeof advice->text, &used,
        "Kernels with few blocks take %.0f %% of the busy time, the longest one with %llu block%s for "
        "%llu multiprocessors",
        100 * run->few_blocks_ns / busy, (unsigned long long)run->few_blocks, run->few_blocks == 1 ? "" : "s",
        (unsigned long long)run->multiprocessors);
    if (run->active_pct > 0) { /* of all kernels, these among them */
        double active = run->active_pct / 100 * (double)run->multiprocessors;
        append_text(advice->text, sizeof advice->text, &used, "; %.1f were busy on average while kernels ran",
                    active);
        advice_add_figure(advice, run, "active_multiprocessors", "multiprocessors", active);
    }
    advice_add_figure(advice, run, "few_blocks_ns", "ns", run->few_blocks_ns);
    advice_add_figure(advice, run, "blocks", "blocks", (double)run->few_blocks);
    advice_add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain_ns = fmin(run->few_blocks_gain_ns, busy);
    advice->gain = advice->gain_ns / busy;
    return true;
}

static const struct advice_rule few_blocks = {
    .id = "few_blocks",
    .edit = "multiprocessors",
    .priority = ADVICE_HIGH,
    .of_run = judge_few_blocks,
    .limits = {[FEW_BLOCKS_TIME] = {"time of kernels in one stream with at most half as many blocks as "
                                    "multiprocessors, as a share of the busy time",
                                    "%", false, 25, ADVICE_CHOSEN},
               [FEW_BLOCKS_LENGTH] = {"their mean time; shorter kernels do not count", "ns", false,
                                      ADVICE_LAUNCH_LIMITED_NS,
                                      "chosen: shorter kernels are limited by their launches"}},
    .gain = "sum of time x (1 - blocks / multiprocessors) over these kernels / busy time of the device",
    .now = "use more blocks, or run such kernels side by side on streams",
    .taught = "occupancy-smem",
    .source = ADVICE_GUIDE "Thread and Block Heuristics",
};

enum { LONG_BLOCKS_TIME, LONG_BLOCKS_ACTIVE };

/* The samples say how many multiprocessors have a block; kernels with as many blocks and more leave them idle only where
 * some blocks end long before others. */
static bool judge_long_blocks(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    if (!advice_knows_partition(run) || !(run->active_pct > 0))
        return false;
    double kernels = (double)run->partition.ns[PARTITION_KERNEL], busy = (double)run->overlap.any_busy_ns;
    double many_ns = fmin(run->many_blocks_ns, kernels);
    /* at most: as if the other kernels had no block at all */
    double active_pct = many_ns > 0 ? fmin(100, run->active_pct * kernels / many_ns) : 100;
    if (!advice_beyond(judging, LONG_BLOCKS_TIME, 100 * many_ns / kernels) ||
        !advice_beyond(judging, LONG_BLOCKS_ACTIVE, active_pct))
        return true;
    struct advice *advice = advice_add(judging);
    const bool allocates = 2 * run->allocating_ns > run->many_blocks_ns;
    double active = active_pct / 100 * (double)run->multiprocessors;
    snprintf(
        advice->text, sizeof advice->text,
        "At most %.1f of %llu multiprocessors are busy on average while kernels with enough blocks run: %s",
        active, (unsigned long long)run->multiprocessors,
        allocates ? "they call malloc or free, where all threads wait for the one heap of the device"
                  : "some blocks take far longer than the others, or wait for a lock");
    if (allocates)
        snprintf(
            advice->how, sizeof advice->how,
            "allocate one buffer before the launch and give each thread its part, or use an array of fixed "
            "size in the thread");
    advice_add_figure(advice, run, "active_multiprocessors", "multiprocessors", active);
    advice_add_figure(advice, run, "kernels", "ns", kernels);
    advice_add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain_ns = many_ns * (1 - active_pct / 100);
    advice->gain = advice->gain_ns / busy;
    return true;
}

static const struct advice_rule long_blocks = {
    .id = ADVICE_LONG_BLOCKS,
    .edit = ADVICE_KERNEL_EDIT,
    .of_run = judge_long_blocks,
    .limits = {[LONG_BLOCKS_TIME] =
                   {"time of kernels of more than 200 us with as many blocks as multiprocessors, as a "
                    "share of all kernels' time",
                    "%", false, 50, "chosen: the samples are of all kernels"},
               [LONG_BLOCKS_ACTIVE] =
                   {"multiprocessors that have a block while these kernels run, at most: as if the others "
                    "had none (sampled over time)",
                    "%", true, 75, ADVICE_CHOSEN}},
    .gain =
        "time of these kernels x (1 - the share of multiprocessors that have a block) / busy time of the device",
    .now =
        "let blocks take the next piece of work from a counter; give a long piece to several blocks; or sort "
        "the pieces by length",
    .taught = "occupancy-smem",
    .source = "samples of sm__cycles_active",
};

enum { DEFAULT_STREAM_TIME };

static bool judge_default_stream(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    double busy = (double)run->overlap.any_busy_ns;
    double waited = (double)run->overlap.serialised_ns[SERIAL_DEFAULT_STREAM];
    if (!advice_beyond(judging, DEFAULT_STREAM_TIME, 100 * waited / busy))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "The legacy default stream kept other streams waiting for %.0f %% of the busy time",
             100 * waited / busy);
    advice_add_figure(advice, run, "serialised_default_stream_ns", "ns", waited);
    advice_add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = waited / busy;
    advice->gain_ns = fmin(waited, busy);
    return true;
}

static const struct advice_rule default_stream = {
    .id = "default_stream",
    .edit = "legacy",
    .of_run = judge_default_stream,
    .limits = {[DEFAULT_STREAM_TIME] =
                   {"time serialised by the legacy default stream as a share of the device's busy time", "%",
                    false, 10, ADVICE_CHOSEN}},
    .gain = "serialised time / busy time of the device",
    .now = "use streams created with cudaStreamNonBlocking for all work; or compile with --default-stream "
           "per-thread",
    .taught = "default-stream",
    .source = "core/analysis/overlap's definition of serialised time; " ADVICE_H200
              "in default-stream, 66 % of the busy time",
    .workload = "default-stream:legacy,rounds=64",
    .twin = "default-stream:streams,rounds=64",
};

enum { PAGEABLE_TIME, PAGEABLE_SAVED, PAGEABLE_MANY };

static bool judge_pageable(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    double busy = (double)run->overlap.any_busy_ns;
    double middle_ns = advice_beyond(judging, PAGEABLE_MANY, (double)run->middle_copies) ? run->middle_ns : 0;
    double ns = run->pageable_ns + middle_ns;
    /* Pinned memory is copied at the link's speed, and beside all other work. */
    double others = fmax(0, busy - ns), left = fmax(0, run->pageable_needs_ns + middle_ns - others);
    double saved = fmax(0, fmin(ns, busy) - left);
    if (!advice_beyond(judging, PAGEABLE_TIME, 100 * ns / busy) ||
        !advice_beyond(judging, PAGEABLE_SAVED, 100 * saved / busy))
        return true;
    struct advice *advice = advice_add(judging);
    size_t used = 0;
    append_text(advice->text, sizeof advice->text, &used,
                "Copies from or to pageable memory take %.0f %% of the busy time", 100 * ns / busy);
    if (2 * middle_ns > ns)
        append_text(advice->text, sizeof advice->text, &used,
                    ": %llu of 64 KiB to 1 MiB, and no kernel beside them",
                    (unsigned long long)run->middle_copies);
    advice_add_figure(advice, run, "pageable_copies", "copies",
                      (double)(run->pageable_copies + (middle_ns > 0 ? run->middle_copies : 0)));
    advice_add_figure(advice, run, "pageable_ns", "ns", ns);
    advice_add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = saved / busy;
    advice->gain_ns = saved;
    return true;
}

static const struct advice_rule pageable_copies = {
    .id = "pageable_copies",
    .edit = "pinned",
    .priority = ADVICE_HIGH,
    .of_run = judge_pageable,
    .limits = {[PAGEABLE_TIME] =
                   {"time in pageable copies of more than 1 MiB, and of those of 64 KiB to 1 MiB if they are "
                    "many, as a share of the device's busy time",
                    "%", false, 10,
                    ADVICE_H200 "in host-copy, pageable copies are no slower up to 1 MiB and 5 times "
                                "slower at 4 MiB; the share is chosen"},
               [PAGEABLE_SAVED] = {"what that gains as a share of the device's busy time", "%", false, 5,
                                   ADVICE_CHOSEN},
               [PAGEABLE_MANY] = {"pageable copies of 64 KiB to 1 MiB that are many", "copies", false, 16,
                                  "chosen: as for small copies"}},
    .gain =
        "(time in pageable copies - what they need, beyond the other work, which can hide it) / busy time "
        "of the device; copies of more than 1 MiB need their bytes at 64 GB/s, others as long as they took",
    .now = "allocate the host's buffer pinned (cudaMallocHost) or pin it (cudaHostRegister); then the copy "
           "can be asynchronous",
    .taught = "host-copy",
    .source = ADVICE_GUIDE "Pinned Memory",
    .workload = "host-copy:pageable-in",
    .twin = "host-copy:pinned-in",
};

enum { SMALL_COPIES, SMALL_TIME };

static bool judge_small_copies(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    double busy = (double)run->overlap.any_busy_ns, saved = run->small_ns - run->small_needs_ns;
    if (!advice_beyond(judging, SMALL_COPIES, (double)run->small_copies) ||
        !advice_beyond(judging, SMALL_TIME, 100 * saved / busy))
        return true;
    struct advice *advice = advice_add(judging);
    char text[ADVICE_TIME_TEXT];
    snprintf(advice->text, sizeof advice->text,
             "%.0f copies of less than 64 KiB take %s each, most of it overhead", (double)run->small_copies,
             advice_time_text(run->small_ns / (double)run->small_copies, text));
    advice_add_figure(advice, run, "small_copies", "copies", (double)run->small_copies);
    advice_add_figure(advice, run, "small_copies_ns", "ns", run->small_ns);
    advice_add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = saved / busy;
    advice->gain_ns = fmin(saved, busy);
    return true;
}

static const struct advice_rule small_copies = {
    .id = "small_copies",
    .edit = "merged",
    .priority = ADVICE_HIGH,
    .of_run = judge_small_copies,
    .limits = {[SMALL_COPIES] =
                   {"copies between host and device of less than 64 KiB", "copies", false, 16,
                    ADVICE_H200
                    "in host-copy, overhead dominates the time of copies below 64 KiB; the number is chosen"},
               [SMALL_TIME] = {"time that merging them saves as a share of the device's busy time", "%",
                               false, 10, ADVICE_CHOSEN}},
    .gain = "(time of these copies - time of their bytes at 64 GB/s) / busy time of the device",
    .now = "gather the pieces in one pinned buffer and copy it once",
    .taught = "host-copy",
    .source = ADVICE_GUIDE "Data Transfer Between Host and Device",
    .workload = "host-copy:pinned-in,pieces=1024",
    .twin = "host-copy:pinned-in",
};

enum { OVERLAP_HIDDEN, OVERLAP_KERNEL_TIME, OVERLAP_LEFT };

static bool judge_overlap(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    const struct overlap *overlap = &run->overlap;
    double busy = (double)overlap->any_busy_ns, kernels = (double)overlap->kernel_busy_ns;
    double copies = (double)overlap->copy_busy_ns - run->all_sets_ns - run->set_up_copies_ns;
    double could = fmin(kernels, copies);
    double more = fmin(busy - (double)overlap->least_ns - run->set_up_copies_ns,
                       copies - (double)overlap->copy_hidden_ns);
    if (could <= 0 || run->launches == 0)
        return false;
    if (2 * (run->pageable_ns + run->middle_ns) >
        copies) /* copies of pageable memory cannot overlap: they must be pinned first */
        return true;
    double hidden_pct = 100 * (double)overlap->copy_hidden_ns / could;
    if (!advice_beyond(judging, OVERLAP_HIDDEN, hidden_pct) ||
        !advice_beyond(judging, OVERLAP_KERNEL_TIME, kernels / (double)run->launches) ||
        !advice_beyond(judging, OVERLAP_LEFT, 100 * more / busy))
        return true;
    struct advice *advice = advice_add(judging);
    char texts[2][ADVICE_TIME_TEXT];
    char share[40] = "none";
    if (hidden_pct >= 0.5)
        snprintf(share, sizeof share, "only %.0f %%", hidden_pct);
    snprintf(advice->text, sizeof advice->text, "Kernels hide %s of the copy time that they could hide",
             share);
    snprintf(advice->how, sizeof advice->how,
             "copy one chunk while a kernel works on another: %s alone need %s of the busy time of %s",
             overlap_engine_text(overlap->least_engine),
             advice_time_text((double)overlap->least_ns, texts[0]), advice_time_text(busy, texts[1]));
    advice_add_figure(advice, run, "copy_hidden_ns", "ns", (double)overlap->copy_hidden_ns);
    advice_add_figure(advice, run, "kernel_busy_ns", "ns", kernels);
    advice_add_figure(advice, run, "copies_ns", "ns", copies);
    advice_add_figure(advice, run, "least_ns", "ns", (double)overlap->least_ns);
    advice->gain = more / busy;
    advice->gain_ns = more;
    return true;
}

static const struct advice_rule low_overlap = {
    .id = "low_overlap",
    .edit = "beside",
    .of_run = judge_overlap,
    .limits =
        {[OVERLAP_HIDDEN] = {"copy time hidden by kernels as a share of the copy time that could be hidden",
                             "%", true, 50, "chosen: half of it"},
         [OVERLAP_KERNEL_TIME] =
             {"busy time of kernels per launch", "ns", false, 10000,
              "a kernel of less than 10 us is too short to be split: a launch takes some us"},
         [OVERLAP_LEFT] = {"time that overlap can save, as a share of the device's busy time", "%", false, 25,
                           ADVICE_CHOSEN}},
    .gain =
        "the smaller of 1 - time that the busiest engine needs / busy time of the device and the share of "
        "the copies that no kernel hides",
    .now = "cut the work into chunks and give each a stream of its own: copy in, kernel and copy out then "
           "overlap",
    .taught = "n-way",
    .source = ADVICE_GUIDE "Asynchronous and Overlapping Transfers with Computation",
    .workload = "n-way:serial,n=1048576,rounds=1024",
    .twin = "n-way:4-way,n=1048576,rounds=1024",
};

/* ---- the device's limits ---- */
enum { SETS_TIME };

static bool judge_sets(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    double busy = (double)run->overlap.any_busy_ns;
    if (!advice_beyond(judging, SETS_TIME, 100 * run->set_ns / busy))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Setting memory takes %.0f %% of the busy time: %llu sets of %.1f MB on average",
             100 * run->set_ns / busy, (unsigned long long)run->sets,
             run->set_bytes / (double)run->sets / 1e6);
    advice_add_figure(advice, run, "sets", "sets", (double)run->sets);
    advice_add_figure(advice, run, "set_bytes", "bytes", run->set_bytes);
    advice_add_figure(advice, run, "sets_ns", "ns", run->set_ns);
    advice_add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = run->set_ns / busy;
    advice->gain_ns = fmin(run->set_ns, busy);
    return true;
}

static const struct advice_rule memory_sets = {
    .id = "memory_sets",
    .edit = "sets",
    .of_run = judge_sets,
    .limits = {[SETS_TIME] = {"time in which memory is set as a share of the device's busy time", "%", false,
                              10, ADVICE_CHOSEN}},
    .gain = "time of sets / busy time of the device",
    .now = "do not set memory that is overwritten before it is read (empty instead of zeros); let the kernel "
           "that fills the rest write the zeros too",
    .taught = "word-size",
    .source = ADVICE_GUIDE "Data Transfer Between Host and Device; a set moves as many bytes as half a copy",
};

enum { PRODUCT_TIME };

static bool judge_products(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    double busy = (double)run->overlap.any_busy_ns;
    if (run->float_product_ns == 0 ||
        !advice_beyond(judging, PRODUCT_TIME, 100 * run->float_product_ns / busy))
        return true;
    struct advice *advice = advice_add(judging);
    size_t used = 0;
    append_text(advice->text, sizeof advice->text, &used,
                "Matrix products in full 32-bit floats take %.0f %% of the busy time",
                100 * run->float_product_ns / busy);
    if (!isnan(run->tensor_pct)) {
        append_text(advice->text, sizeof advice->text, &used, "; the tensor cores are %.1f %% busy",
                    run->tensor_pct);
        advice_add_figure(advice, run, "tensor_pipe_pct", "%", run->tensor_pct);
    }
    advice_add_figure(advice, run, "float_product_ns", "ns", run->float_product_ns);
    advice_add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain_ns = fmin(run->float_product_gain_ns, busy);
    advice->gain = advice->gain_ns / busy;
    return true;
}

static const struct advice_rule float_products = {
    .id = "float_products",
    .edit = "tensor",
    .of_run = judge_products,
    .limits = {[PRODUCT_TIME] = {"matrix products on 32-bit floats without tensor cores, by the names of "
                                 "cuBLAS and CUTLASS, as a share of the device's busy time",
                                 "%", false, 25, ADVICE_CHOSEN}},
    .gain = "time of the products x (1 - FP32 / TF32 results per cycle) / busy time of the device",
    .now = "let the tensor cores do them: bfloat16 (autocast), or TF32 where 10 bits of mantissa are enough; "
           "torch.set_float32_matmul_precision(\"high\"), CUBLAS_TF32_TENSOR_OP_MATH",
    .taught = "matmul-ab",
    .source = "NVIDIA's data sheets: an H100 does 8 times as many products in TF32 as in FP32",
};

enum { DRAM_PEAK, DRAM_RUNNING };

static bool judge_dram(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    if (!advice_knows_partition(run) || isnan(run->dram_pct))
        return false;
    double running_pct = advice_class_pct(run, PARTITION_KERNEL);
    if (!advice_beyond(judging, DRAM_PEAK, run->dram_pct) ||
        !advice_beyond(judging, DRAM_RUNNING, running_pct))
        return true;
    struct advice *advice = advice_add(judging);
    advice->fine = true;
    snprintf(advice->text, sizeof advice->text,
             "Device memory is at %.0f %% of its peak while kernels run, and kernels run for %.0f %% of %s",
             run->dram_pct, running_pct, advice_span_text(run));
    advice_add_figure(advice, run, "dram_peak_pct", "%", run->dram_pct);
    advice_add_figure(advice, run, "kernels", "ns", (double)run->partition.ns[PARTITION_KERNEL]);
    return true;
}

static const struct advice_rule dram_bound = {
    .id = "dram_bound",
    .of_run = judge_dram,
    .limits = {[DRAM_PEAK] = {"DRAM throughput while kernels run, as a share of its peak (sampled over time)",
                              "%", false, 70, "the limit of bandwidth_bound"},
               [DRAM_RUNNING] = {"time in which kernels run, as a share of the span judged", "%", false, 50,
                                 "chosen: with less, idle time matters more"}},
    .gain = "0: the kernels together are at the device's limit",
    .now = "fuse kernels or use smaller types: with these bytes no kernel can be faster; counters show "
           "whether bytes are wasted (--runs trace,counters)",
    .taught = "copy-offset",
    .source = "samples of dram__read_throughput and dram__write_throughput",
};

static const struct advice_rule *const rules[] = {&default_stream, &pageable_copies, &small_copies,
                                                  &low_overlap,    &few_blocks,      &long_blocks,
                                                  &float_products, &memory_sets,     &dram_bound};
const struct advice_family advice_busy_rules = {rules, sizeof rules / sizeof *rules};
