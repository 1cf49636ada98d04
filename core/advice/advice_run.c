/*
 * The rules on a run: what its work on the device waited for. Their figures are sums over the run's events
 * (core/advice/session_advice.c); shares are relative to the time in which the device was busy, which is not
 * 0, or of idle time to the span of the steps, else from the first kernel to the last.
 */
#include "core/advice/advice_internal.h"

#include "core/base/append.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A figure that was worked out of the run's events. */
static void add_figure(struct advice *advice, const struct advice_run *run, const char *id, const char *unit,
                       double number)
{
    advice_add_evidence(
        advice, id, unit,
        (struct value){.available = true, .derived = true, .provenance = run->provenance, .number = number});
}

#define TIME_TEXT_SIZE 32
static const char *time_text(double ns, char text[TIME_TEXT_SIZE])
{
    metric_format(METRIC_time_ns, &(struct value){.available = true, .number = ns}, text, TIME_TEXT_SIZE);
    return text;
}

/* ---- idle time ---- */
/* Idle time of a class, of the span of the run's work. */
static double idle_pct(const struct advice_run *run, enum partition_class part)
{
    return 100 * (double)run->partition.ns[part] / (double)partition_span_ns(&run->partition);
}

static bool knows_partition(const struct advice_run *run)
{
    return run->partition.operations > 0 && partition_span_ns(&run->partition) > 0;
}

/* The time that shares are of, for a sentence. */
static const char *span_text(const struct advice_run *run)
{
    return run->steps.count > 0 ? "the steps' time" : "the run";
}

/* The rule in hand fires for the time of this class. */
static struct advice *add_part(struct advice_judging *judging, enum partition_class part)
{
    const struct advice_run *run = judging->run;
    struct advice *advice = advice_add(judging);
    add_figure(advice, run, partition_class_id(part), "ns", (double)run->partition.ns[part]);
    add_figure(advice, run, run->steps.count > 0 ? "steps_ns" : "first_to_last_kernel_ns", "ns",
               (double)partition_span_ns(&run->partition));
    advice->gain = idle_pct(run, part) / 100;
    advice->gain_ns = (double)run->partition.ns[part];
    return advice;
}

enum { LAUNCH_CALLS, LAUNCH_TIME };

static bool judge_launches(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    if (!knows_partition(run) || run->launch_calls == 0)
        return false;
    double pct = idle_pct(run, PARTITION_LAUNCH);
    if (!advice_beyond(judging, LAUNCH_CALLS, (double)run->launch_calls) ||
        !advice_beyond(judging, LAUNCH_TIME, pct))
        return true;
    struct advice *advice = add_part(judging, PARTITION_LAUNCH);
    char texts[2][TIME_TEXT_SIZE];
    double calls = (double)run->launch_calls;
    snprintf(advice->text, sizeof advice->text,
             "%.0f %% of %s the device waits for launches: a call takes %s, its kernel %s", pct,
             span_text(run), time_text(run->call_ns / calls, texts[0]),
             time_text(run->call_kernel_ns / calls, texts[1]));
    add_figure(advice, run, "launch_calls", "calls", calls);
    add_figure(advice, run, "launch_call_ns", "ns", run->call_ns);
    return true;
}

static const struct advice_rule launch_bound = {
    .id = "launch_bound",
    .of_run = judge_launches,
    .limits = {[LAUNCH_CALLS] = {"calls that start kernels", "calls", false, 20, ADVICE_CHOSEN},
               [LAUNCH_TIME] = {"idle time while the host launches, or is on its way from one call to the "
                                "next, of the span judged",
                                "%", false, 10, ADVICE_CHOSEN}},
    .gain = "idle time while the host launches / span judged: of the run's steps, else from its first kernel "
            "to its last",
    .now = "fuse the small kernels, give each launch more work, or capture the sequence into a graph",
    .taught = "launch",
    .source = ADVICE_H200
    "in launch, a call takes 4.3 us under tracing and a small kernel 0.7 us; tracing makes calls slower",
    .workload = "launch:stream",
    .twin = "launch:graph",
};

/* ", most of it in cudaMalloc (120 times)" */
static void append_most(struct advice *advice, const struct advice_idle *idle, const char *in)
{
    size_t used = strlen(advice->text);
    if (idle->name[0] != '\0') {
        append_text(advice->text, sizeof advice->text, &used, ", most of it in %s%.60s (%llu times)", in,
                    idle->name, (unsigned long long)idle->times);
    }
}

enum { IDLE_TIME, IDLE_TIMES };

static bool judge_idle(struct advice_judging *judging, enum partition_class part, const char *text,
                       const char *in)
{
    const struct advice_run *run = judging->run;
    if (!knows_partition(run))
        return false;
    double pct = idle_pct(run, part);
    if (!advice_beyond(judging, IDLE_TIME, pct) ||
        !advice_beyond(judging, IDLE_TIMES, (double)run->partition.times[part]))
        return true;
    struct advice *advice = add_part(judging, part);
    snprintf(advice->text, sizeof advice->text, "%.0f %% of %s %s", pct, span_text(run), text);
    append_most(advice, &run->idle[part], in);
    return true;
}

static bool judge_host(struct advice_judging *judging)
{
    return judge_idle(judging, PARTITION_HOST, "the device is idle while the program works outside CUDA",
                      "the range ");
}

static const struct advice_rule host_bound = {
    .id = "host_bound",
    .of_run = judge_host,
    .limits = {[IDLE_TIME] = {"idle time while the launching thread is outside CUDA, of the span judged", "%",
                              false, 10, ADVICE_CHOSEN},
               [IDLE_TIMES] = {"times that it happens between the first kernel and the last", "times", false,
                               2, "chosen: once or twice is a change of phase"}},
    .gain =
        "idle time outside CUDA / span judged: of the run's steps, else from its first kernel to its last",
    .now = "load and prepare the next piece in another thread while the device works on this one; mark the "
           "program's parts with NVTX ranges to see which it is",
    .taught = "n-way",
    .source = ADVICE_GUIDE "Asynchronous and Overlapping Transfers with Computation",
};

static bool judge_sync(struct advice_judging *judging)
{
    return judge_idle(judging, PARTITION_SYNC,
                      "the device is idle since the host waited for it before it went on", "");
}

static const struct advice_rule host_waits = {
    .id = "host_waits",
    .of_run = judge_sync,
    .limits = {[IDLE_TIME] = {"idle time while the host waits, or has just waited, of the span judged", "%",
                              false, 10, ADVICE_CHOSEN},
               [IDLE_TIMES] = {"times that it happens between the first kernel and the last", "times", false,
                               8, ADVICE_CHOSEN}},
    .gain =
        "idle time around waits / span judged: of the run's steps, else from its first kernel to its last",
    .now = "issue the next work before waiting: wait once at the end, or for an event of the step before; "
           "values read on the host (.item(), print) wait too",
    .taught = "n-way",
    .source = ADVICE_GUIDE "Asynchronous and Overlapping Transfers with Computation",
};

static bool judge_allocations(struct advice_judging *judging)
{
    return judge_idle(judging, PARTITION_ALLOC, "the device is idle while memory is allocated or freed", "");
}

static const struct advice_rule allocations = {
    .id = "allocations",
    .of_run = judge_allocations,
    .limits = {[IDLE_TIME] = {"idle time in allocations and frees, of the span judged", "%", false, 10,
                              ADVICE_CHOSEN},
               [IDLE_TIMES] = {"times that it happens between the first kernel and the last", "times", false,
                               8, "chosen: buffers made once are no loop"}},
    .gain = "idle time in allocations and frees / span judged: of the run's steps, else from its first "
            "kernel to its last",
    .now = "allocate once before the loop, or from a pool: cudaMallocAsync, or the framework's allocator",
    .taught = "host-copy",
    .source = ADVICE_GUIDE "Device Memory Allocation",
};

static bool judge_modules(struct advice_judging *judging)
{
    return judge_idle(judging, PARTITION_MODULE, "the device is idle while code is loaded or compiled", "");
}

static const struct advice_rule module_loading = {
    .id = "module_loading",
    .of_run = judge_modules,
    .limits = {[IDLE_TIME] = {"idle time in which the driver loads or compiles code, of the span judged", "%",
                              false, 10, ADVICE_CHOSEN},
               [IDLE_TIMES] = {"times that it happens between the first kernel and the last", "times", false,
                               8, "chosen: code loaded once is set-up"}},
    .gain = "idle time in loading and compiling / span judged: of the run's steps, else from its first "
            "kernel to its last",
    .now = "load each module once, before the loop; compile for this GPU (-arch=native) so that the driver "
           "needs not; run a warm-up step before what is timed",
    .taught = "launch",
    .source = "CUDA C++ Programming Guide, Lazy Loading and Just-in-Time Compilation",
};

static bool judge_collectives(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    if (!knows_partition(run) || run->partition.ns[PARTITION_COLLECTIVE] == 0)
        return false;
    double pct = idle_pct(run, PARTITION_COLLECTIVE);
    if (!advice_beyond(judging, IDLE_TIME, pct))
        return true;
    struct advice *advice = add_part(judging, PARTITION_COLLECTIVE);
    snprintf(advice->text, sizeof advice->text,
             "%.0f %% of %s a collective runs and no other kernel: nothing hides it", pct, span_text(run));
    return true;
}

static const struct advice_rule exposed_collectives = {
    .id = "exposed_collectives",
    .of_run = judge_collectives,
    .limits = {[IDLE_TIME] = {"collectives with no other kernel beside them, of the span judged", "%", false,
                              10, ADVICE_CHOSEN}},
    .gain = "time of collectives that nothing hides / span judged: of the run's steps, else from its first "
            "kernel to its last",
    .now =
        "start each exchange as soon as its data is ready, on a stream of its own, while other kernels run; "
        "if ranks arrive at different times, balance their work",
    .taught = "n-way",
    .source = ADVICE_GUIDE "Concurrent Kernel Execution",
};

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
    snprintf(advice->text, sizeof advice->text,
             "%.0f %% of the busy time kernels of few blocks run, the longest with %llu for %llu "
             "multiprocessors",
             100 * run->few_blocks_ns / busy, (unsigned long long)run->few_blocks,
             (unsigned long long)run->multiprocessors);
    add_figure(advice, run, "few_blocks_ns", "ns", run->few_blocks_ns);
    add_figure(advice, run, "blocks", "blocks", (double)run->few_blocks);
    add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain_ns = fmin(run->few_blocks_gain_ns, busy);
    advice->gain = advice->gain_ns / busy;
    return true;
}

static const struct advice_rule few_blocks = {
    .id = "few_blocks",
    .of_run = judge_few_blocks,
    .limits = {[FEW_BLOCKS_TIME] = {"time of kernels of one stream with at most half as many blocks as "
                                    "multiprocessors, of the busy "
                                    "time",
                                    "%", false, 25, ADVICE_CHOSEN},
               [FEW_BLOCKS_LENGTH] = {"their mean time", "ns", false, 20000,
                                      "chosen: shorter kernels are a matter of launches"}},
    .gain = "sum of time x (1 - blocks / multiprocessors) over these kernels / busy time of the device",
    .now = "use more blocks, or run such kernels side by side on streams",
    .taught = "occupancy-smem",
    .source = ADVICE_GUIDE "Thread and Block Heuristics",
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
    add_figure(advice, run, "serialised_default_stream_ns", "ns", waited);
    add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = waited / busy;
    advice->gain_ns = fmin(waited, busy);
    return true;
}

static const struct advice_rule default_stream = {
    .id = "default_stream",
    .of_run = judge_default_stream,
    .limits = {[DEFAULT_STREAM_TIME] =
                   {"time serialised by the legacy default stream as a share of the device's busy time", "%",
                    false, 10, ADVICE_CHOSEN}},
    .gain = "serialised time / busy time of the device",
    .now = "use streams created with cudaStreamNonBlocking for all work, or compile with --default-stream "
           "per-thread",
    .taught = "default-stream",
    .source = "core/analysis/overlap's definition of serialised time; " ADVICE_H200
              "in default-stream, 66 % of the busy time",
    .workload = "default-stream:legacy,rounds=64",
    .twin = "default-stream:streams,rounds=64",
};

enum { PAGEABLE_TIME };

static bool judge_pageable(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    double busy = (double)run->overlap.any_busy_ns;
    if (!advice_beyond(judging, PAGEABLE_TIME, 100 * run->pageable_ns / busy))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Copies from or to pageable memory take %.0f %% of the busy time",
             100 * run->pageable_ns / busy);
    add_figure(advice, run, "pageable_copies", "copies", (double)run->pageable_copies);
    add_figure(advice, run, "pageable_ns", "ns", run->pageable_ns);
    add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = run->pageable_ns / busy;
    advice->gain_ns = fmin(run->pageable_ns, busy);
    return true;
}

static const struct advice_rule pageable_copies = {
    .id = "pageable_copies",
    .of_run = judge_pageable,
    .limits =
        {[PAGEABLE_TIME] = {"time in pageable copies of more than 1 MiB as a share of the device's busy time",
                            "%", false, 10,
                            ADVICE_H200 "in host-copy, pageable copies are no slower up to 1 MiB and 5 times "
                                        "slower at 4 MiB; the share is chosen"}},
    .gain = "time in pageable copies / busy time of the device: all of it could be hidden",
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
    double busy = (double)run->overlap.any_busy_ns;
    if (!advice_beyond(judging, SMALL_COPIES, (double)run->small_copies) ||
        !advice_beyond(judging, SMALL_TIME, 100 * run->small_mergeable_ns / busy))
        return true;
    struct advice *advice = advice_add(judging);
    char text[TIME_TEXT_SIZE];
    snprintf(advice->text, sizeof advice->text,
             "%.0f copies of less than 64 KiB take %s each, most of it overhead", (double)run->small_copies,
             time_text(run->small_ns / (double)run->small_copies, text));
    add_figure(advice, run, "small_copies", "copies", (double)run->small_copies);
    add_figure(advice, run, "small_copies_ns", "ns", run->small_ns);
    add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = run->small_mergeable_ns / busy;
    advice->gain_ns = fmin(run->small_mergeable_ns, busy);
    return true;
}

static const struct advice_rule small_copies = {
    .id = "small_copies",
    .of_run = judge_small_copies,
    .limits = {[SMALL_COPIES] =
                   {"copies between host and device of less than 64 KiB", "copies", false, 16,
                    ADVICE_H200
                    "in host-copy, overhead dominates the time of copies below 64 KiB; the number is chosen"},
               [SMALL_TIME] = {"time that merging them saves as a share of the device's busy time", "%",
                               false, 10, ADVICE_CHOSEN}},
    .gain = "(sum over directions of (copies - 1) x the shortest copy) / busy time of the device",
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
    double busy = (double)run->overlap.any_busy_ns;
    const struct overlap *overlap = &run->overlap;
    double kernels = (double)overlap->kernel_busy_ns, copies = (double)overlap->copy_busy_ns;
    double could = kernels < copies ? kernels : copies, more = busy - (double)overlap->least_ns;
    if (could <= 0 || run->launches == 0)
        return false;
    double hidden_pct = 100 * (double)overlap->copy_hidden_ns / could;
    if (!advice_beyond(judging, OVERLAP_HIDDEN, hidden_pct) ||
        !advice_beyond(judging, OVERLAP_KERNEL_TIME, kernels / (double)run->launches) ||
        !advice_beyond(judging, OVERLAP_LEFT, 100 * (could - (double)overlap->copy_hidden_ns) / busy))
        return true;
    struct advice *advice = advice_add(judging);
    char texts[2][TIME_TEXT_SIZE];
    snprintf(advice->text, sizeof advice->text,
             "Kernels hide only %.0f %% of the copy time that they could hide", hidden_pct);
    snprintf(advice->how, sizeof advice->how, "%s alone need %s of the %s",
             overlap_engine_text(overlap->least_engine), time_text((double)overlap->least_ns, texts[0]),
             time_text(busy, texts[1]));
    add_figure(advice, run, "copy_hidden_ns", "ns", (double)overlap->copy_hidden_ns);
    add_figure(advice, run, "kernel_busy_ns", "ns", kernels);
    add_figure(advice, run, "copy_busy_ns", "ns", copies);
    add_figure(advice, run, "least_ns", "ns", (double)overlap->least_ns);
    advice->gain = more / busy;
    advice->gain_ns = more;
    return true;
}

static const struct advice_rule low_overlap = {
    .id = "low_overlap",
    .of_run = judge_overlap,
    .limits =
        {[OVERLAP_HIDDEN] = {"copy time hidden by kernels as a share of the copy time that could be hidden",
                             "%", true, 50, "chosen: half of it"},
         [OVERLAP_KERNEL_TIME] =
             {"busy time of kernels per launch", "ns", false, 10000,
              "a kernel of less than 10 us is too short to be split: a launch takes some us"},
         [OVERLAP_LEFT] = {"copy time that could be hidden and is not, as a share of the device's busy time",
                           "%", false, 25, ADVICE_CHOSEN}},
    .gain = "1 - time that the busiest engine needs / busy time of the device",
    .now = "cut the work into chunks and give each a stream of its own: copy in, kernel and copy out then "
           "overlap",
    .taught = "n-way",
    .source = ADVICE_GUIDE "Asynchronous and Overlapping Transfers with Computation",
    .workload = "n-way:serial,n=1048576,rounds=1024",
    .twin = "n-way:4-way,n=1048576,rounds=1024",
};

static const struct advice_rule *const rules[] = {
    &host_bound,     &launch_bound,    &host_waits,   &allocations, &module_loading, &exposed_collectives,
    &default_stream, &pageable_copies, &small_copies, &low_overlap, &few_blocks};
const struct advice_family advice_run_rules = {rules, sizeof rules / sizeof *rules};
