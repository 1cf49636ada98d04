/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules on a run that say why its device was idle, or busy with nothing but an exchange: its partition.
 * Shares are of the span judged: the run's steps, else from its first kernel to its last.
 */
#include "core/advice/advice_internal.h"

#include "core/base/append.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ONCE_MEANS 10 /* chosen: so many times the mean of the others */

/* The time of an idle class that repeats: without the idle times that are set-up, such as a first launch that
 * loads its module. Those are longer than a pause, and ONCE_MEANS times as long as the others on average. Of
 * the PARTITION_GAPS_MAX longest at least one is no set-up, else they are a loop. */
struct repeated {
    double ns, once_ns;
    uint64_t times;
};

static struct repeated repeated_of(const struct advice_run *run, enum partition_class part)
{
    const struct partition *partition = &run->partition;
    struct repeated all = {.ns = (double)partition->ns[part], .times = partition->times[part]}, left = all;
    for (size_t i = 0; i < PARTITION_GAPS_MAX && partition->gaps[part][i].ns > PARTITION_PAUSE_NS; i++) {
        double gap_ns = (double)partition->gaps[part][i].ns;
        if (left.times < 2 || gap_ns * (double)(left.times - 1) < ONCE_MEANS * (left.ns - gap_ns))
            return left;
        if (i + 1 == PARTITION_GAPS_MAX)
            return all;
        left = (struct repeated){left.ns - gap_ns, left.once_ns + gap_ns, left.times - 1};
    }
    return left;
}

static double share_pct(const struct advice_run *run, double ns)
{
    return 100 * ns / (double)partition_span_ns(&run->partition);
}

/* The current rule fires for this time of the class. */
static struct advice *add_part(struct advice_judging *judging, enum partition_class part, double ns)
{
    const struct advice_run *run = judging->run;
    struct advice *advice = advice_add(judging);
    advice_add_figure(advice, run, partition_class_id(part), "ns", ns);
    advice_add_figure(advice, run, run->steps.count > 0 ? "steps_ns" : "first_to_last_kernel_ns", "ns",
                      (double)partition_span_ns(&run->partition));
    advice->gain = share_pct(run, ns) / 100;
    advice->gain_ns = ns;
    return advice;
}

/* "; 27.5 ms that came once are set-up and apart": why the share is less than the class's in the bar. */
static void append_once(struct advice *advice, const struct repeated *repeated)
{
    char time[ADVICE_TIME_TEXT];
    size_t used = strlen(advice->text);
    if (repeated->once_ns > 0)
        append_text(advice->text, sizeof advice->text, &used, "; set-up of %s, which came once, is apart",
                    advice_time_text(repeated->once_ns, time));
}

/* ", mostly in cudaMalloc (120 times)": where that name has half of the class. */
static void append_most(struct advice *advice, const struct advice_run *run, enum partition_class part,
                        const char *in)
{
    const struct advice_idle *idle = &run->idle[part];
    size_t used = strlen(advice->text);
    if (idle->name[0] == '\0' || 2 * idle->ns < run->partition.ns[part])
        return;
    append_text(advice->text, sizeof advice->text, &used, ", mostly %s%s%.60s", idle->place ? "" : "in ",
                idle->place ? "" : in, idle->name);
    if (idle->times > 1)
        append_text(advice->text, sizeof advice->text, &used, " (%llu times)",
                    (unsigned long long)idle->times);
}

enum { LAUNCH_CALLS, LAUNCH_TIME };

#define BETWEEN_NAMED 0.2 /* chosen, share of the idle time */

/* "; 34 % are between the calls, in the program's own code, mostly in the range step (100 times)" */
static void append_between(struct advice *advice, const struct advice_run *run, double inside_ns,
                           double between_ns)
{
    size_t used = strlen(advice->text);
    if (between_ns < BETWEEN_NAMED * (inside_ns + between_ns))
        return;
    append_text(advice->text, sizeof advice->text, &used, "; %.0f %% are between the calls",
                share_pct(run, between_ns));
    append_most(advice, run, PARTITION_BETWEEN, "the range ");
}

static bool judge_launches(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    if (!advice_knows_partition(run) || run->launch_calls == 0)
        return false;
    struct repeated inside = repeated_of(run, PARTITION_LAUNCH),
                    between = repeated_of(run, PARTITION_BETWEEN);
    struct repeated launching = {.ns = inside.ns + between.ns, .once_ns = inside.once_ns + between.once_ns};
    double pct = share_pct(run, launching.ns);
    if (!advice_beyond(judging, LAUNCH_CALLS, (double)run->launch_calls) ||
        !advice_beyond(judging, LAUNCH_TIME, pct))
        return true;
    struct advice *advice = add_part(judging, PARTITION_LAUNCH, inside.ns);
    advice->gain_ns = launching.ns;
    advice->gain = pct / 100;
    advice_add_figure(advice, run, partition_class_id(PARTITION_BETWEEN), "ns", between.ns);
    char texts[2][ADVICE_TIME_TEXT];
    double calls = (double)run->launch_calls;
    snprintf(advice->text, sizeof advice->text,
             "The device waits for launches during %.0f %% of %s: a call takes %s, its kernel %s", pct,
             advice_span_text(run), advice_time_text(run->call_ns / calls, texts[0]),
             advice_time_text(run->call_kernel_ns / calls, texts[1]));
    append_between(advice, run, inside.ns, between.ns);
    append_once(advice, &launching);
    if (2 * run->graph_calls > run->launch_calls)
        snprintf(
            advice->how, sizeof advice->how,
            "make the graphs larger: capture several of them, or several steps, into one; or give each of "
            "their kernels more work");
    advice_add_figure(advice, run, "launch_calls", "calls", calls);
    advice_add_figure(advice, run, "launch_call_ns", "ns", run->call_ns);
    return true;
}

static const struct advice_rule launch_bound = {
    .id = "launch_bound",
    .edit = "launches",
    .of_run = judge_launches,
    .limits = {[LAUNCH_CALLS] = {"calls that start kernels", "calls", false, 20, ADVICE_CHOSEN},
               [LAUNCH_TIME] = {"idle time while the host launches or is between two calls, without what "
                                "came once, as a share of the span judged",
                                "%", false, 10, ADVICE_CHOSEN}},
    .gain =
        "idle time while the host launches or is between two calls / span judged: of the run's steps, else from its first kernel "
        "to its last",
    .now = "fuse the small kernels, give each launch more work, or capture the sequence into a graph",
    .taught = "launch",
    .source = ADVICE_H200
    "in launch, a call takes 4.3 us under tracing and a small kernel 0.7 us; tracing makes calls slower",
    .workload = "launch:stream",
    .twin = "launch:graph",
};

enum { IDLE_TIME, IDLE_TIMES };

static bool judge_idle(struct advice_judging *judging, enum partition_class part, const char *text,
                       const char *in)
{
    const struct advice_run *run = judging->run;
    if (!advice_knows_partition(run))
        return false;
    struct repeated idle = repeated_of(run, part);
    double pct = share_pct(run, idle.ns);
    double rounds = fmin((double)idle.times, (double)run->partition.rounds[part]);
    if (!advice_beyond(judging, IDLE_TIME, pct) || !advice_beyond(judging, IDLE_TIMES, rounds))
        return true;
    struct advice *advice = add_part(judging, part, idle.ns);
    snprintf(advice->text, sizeof advice->text, "The device is idle for %.0f %% of %s %s", pct,
             advice_span_text(run), text);
    append_most(advice, run, part, in);
    append_once(advice, &idle);
    return true;
}

static bool judge_host(struct advice_judging *judging)
{
    return judge_idle(judging, PARTITION_HOST, "while the program works outside CUDA", "the range ");
}

static const struct advice_rule host_bound = {
    .id = "host_bound",
    .edit = "gaps",
    .of_run = judge_host,
    .limits =
        {[IDLE_TIME] = {"idle time while the launching thread is outside CUDA, as a share of the span judged",
                        "%", false, 10, ADVICE_CHOSEN},
         [IDLE_TIMES] =
             {"how often it happens between the first kernel and the last, with a kernel in between", "times",
              false, 2, "chosen: once or twice is a change of phase, not a loop"}},
    .gain =
        "idle time outside CUDA / span judged: of the run's steps, else from its first kernel to its last",
    .now =
        "load and prepare the next pieces in other threads (more workers) while the device works; mark the "
        "program's parts with NVTX ranges to see which part takes the time",
    .taught = "n-way",
    .source = ADVICE_GUIDE "Asynchronous and Overlapping Transfers with Computation",
};

static bool judge_sync(struct advice_judging *judging)
{
    return judge_idle(judging, PARTITION_SYNC,
                      "because the host waited for the device before it issued more work", "");
}

static const struct advice_rule host_waits = {
    .id = "host_waits",
    .edit = "waits",
    .of_run = judge_sync,
    .limits =
        {[IDLE_TIME] = {"idle time while the host waits or has just waited, as a share of the span judged",
                        "%", false, 10, ADVICE_CHOSEN},
         [IDLE_TIMES] =
             {"how often it happens between the first kernel and the last, with a kernel in between", "times",
              false, 8, ADVICE_CHOSEN}},
    .gain =
        "idle time around waits / span judged: of the run's steps, else from its first kernel to its last",
    .now = "issue the next work before waiting: wait once at the end, or for an event of the previous step; "
           "reading a value on the host (.item(), print) waits too",
    .taught = "n-way",
    .source = ADVICE_GUIDE "Asynchronous and Overlapping Transfers with Computation",
};

/* Not of a bundled workload: it fills and reads back its memory by such calls. */
static bool judge_transfers(struct advice_judging *judging)
{
    if (judging->run->set_up_copies_ns > 0)
        return false;
    return judge_idle(judging, PARTITION_TRANSFER, "while the host is in calls that copy or set memory", "");
}

static const struct advice_rule copy_calls = {
    .id = "copy_calls",
    .edit = "pinned",
    .priority = ADVICE_HIGH,
    .of_run = judge_transfers,
    .limits = {[IDLE_TIME] = {"idle time in calls that copy or set memory, as a share of the span judged",
                              "%", false, 10, ADVICE_CHOSEN},
               [IDLE_TIMES] =
                   {"how often it happens between the first kernel and the last, with a kernel in between",
                    "times", false, 8, ADVICE_CHOSEN}},
    .gain =
        "idle time in calls that copy or set / span judged: of the run's steps, else from its first kernel "
        "to its last",
    .now = "copy less often: keep on the device what the next kernel needs; or copy pinned memory "
           "asynchronously (cudaMallocHost, cudaMemcpyAsync), so that the call returns at once",
    .taught = "host-copy",
    .source =
        ADVICE_GUIDE "Data Transfer Between Host and Device; a copy of pageable memory passes through a "
                     "buffer of the driver, while the device is idle",
};

static bool judge_allocations(struct advice_judging *judging)
{
    return judge_idle(judging, PARTITION_ALLOC, "while memory is allocated or freed", "");
}

static const struct advice_rule allocations = {
    .id = "allocations",
    .edit = "allocations",
    .of_run = judge_allocations,
    .limits = {[IDLE_TIME] = {"idle time in allocations and frees, as a share of the span judged", "%", false,
                              10, ADVICE_CHOSEN},
               [IDLE_TIMES] =
                   {"how often it happens between the first kernel and the last, with a kernel in between",
                    "times", false, 8, "chosen: buffers that are allocated once are not a loop"}},
    .gain = "idle time in allocations and frees / span judged: of the run's steps, else from its first "
            "kernel to its last",
    .now = "allocate once before the loop, or from a pool: cudaMallocAsync, or the framework's allocator",
    .taught = "allocation",
    .source = ADVICE_GUIDE "Device Memory Allocation",
    .workload = "allocation:loop",
    .twin = "allocation:pool",
};

enum { FUNCTIONS = IDLE_TIMES + 1 };

/* What is issued behind a host function has not started while it runs. */
static bool judge_host_functions(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    if (!advice_knows_partition(run))
        return false;
    if (!advice_beyond(judging, FUNCTIONS, (double)run->host_functions))
        return true;
    return judge_idle(judging, PARTITION_DEVICE,
                      "although work was issued: its stream runs functions on the host", "");
}

static const struct advice_rule host_functions = {
    .id = "host_functions",
    .edit = "hosts",
    .of_run = judge_host_functions,
    .limits = {[IDLE_TIME] = {"idle time in which issued work had not started, as a share of the span judged",
                              "%", false, 10, ADVICE_CHOSEN},
               [IDLE_TIMES] =
                   {"how often it happens between the first kernel and the last, with a kernel in between",
                    "times", false, 8, "chosen: once or twice is a change of phase, not a loop"},
               [FUNCTIONS] = {"host functions put into streams (cudaLaunchHostFunc, cudaStreamAddCallback)",
                              "", false, 8, "chosen: as many as rounds"}},
    .gain =
        "idle time in which issued work had not started / span judged: of the run's steps, else from its first "
        "kernel to its last",
    .now =
        "do in a kernel what the host function does; or give it, and the copy whose data it reads, a stream of their own "
        "behind an event, so that the next work need not wait for it",
    .taught = "n-way",
    .source =
        "CUDA Runtime API, cudaLaunchHostFunc: the function runs after the work before it in the stream, and blocks "
        "the work after it",
};

static bool judge_modules(struct advice_judging *judging)
{
    return judge_idle(judging, PARTITION_MODULE, "while code is loaded or compiled", "");
}

static const struct advice_rule module_loading = {
    .id = "module_loading",
    .edit = "loading",
    .of_run = judge_modules,
    .limits =
        {[IDLE_TIME] = {"idle time in which the driver loads or compiles code, as a share of the span judged",
                        "%", false, 10, ADVICE_CHOSEN},
         [IDLE_TIMES] =
             {"how often it happens between the first kernel and the last, with a kernel in between", "times",
              false, 8, "chosen: code that is loaded once is set-up, not a loop"}},
    .gain = "idle time in loading and compiling / span judged: of the run's steps, else from its first "
            "kernel to its last",
    .now = "load each module once, before the loop; compile for this GPU (-arch=native) so that the driver "
           "does not have to; run a warm-up step before the steps that are timed",
    .taught = "launch",
    .source = "CUDA C++ Programming Guide, Lazy Loading and Just-in-Time Compilation",
};

static bool judge_collectives(struct advice_judging *judging)
{
    const struct advice_run *run = judging->run;
    if (!advice_knows_partition(run) || run->partition.ns[PARTITION_COLLECTIVE] == 0)
        return false;
    double pct = advice_class_pct(run, PARTITION_COLLECTIVE);
    if (!advice_beyond(judging, IDLE_TIME, pct))
        return true;
    struct advice *advice =
        add_part(judging, PARTITION_COLLECTIVE, (double)run->partition.ns[PARTITION_COLLECTIVE]);
    snprintf(advice->text, sizeof advice->text,
             "Collectives run for %.0f %% of %s without any other kernel: nothing hides them", pct,
             advice_span_text(run));
    return true;
}

static const struct advice_rule exposed_collectives = {
    .id = "exposed_collectives",
    .of_run = judge_collectives,
    .limits =
        {[IDLE_TIME] = {"time of collectives with no other kernel beside them, as a share of the span judged",
                        "%", false, 10, ADVICE_CHOSEN}},
    .gain = "time of collectives that nothing hides / span judged: of the run's steps, else from its first "
            "kernel to its last",
    .now =
        "start each exchange as soon as its data is ready, on a stream of its own, while other kernels run; "
        "if ranks arrive at different times, balance their work",
    .taught = "n-way",
    .source = ADVICE_GUIDE "Concurrent Kernel Execution",
};

static const struct advice_rule *const rules[] = {&host_bound,     &launch_bound,       &host_waits,
                                                  &copy_calls,     &allocations,        &module_loading,
                                                  &host_functions, &exposed_collectives};
const struct advice_family advice_idle_rules = {rules, sizeof rules / sizeof *rules};
