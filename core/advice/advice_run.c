/* The rules on a run: what its work on the device waited for. */
#include "core/advice/advice_internal.h"

#include <math.h>
#include <stdio.h>

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

static void judge_launches(const struct advice_run *run, struct advice_list *list)
{
    double more = run->call_ns - run->call_kernel_ns, span = (double)run->overlap.span_ns;
    if (run->launch_calls == 0)
        return;
    list->judged++;
    if (!advice_beyond(ADVICE_LAUNCH_BOUND, 0, (double)run->launch_calls) ||
        !advice_beyond(ADVICE_LAUNCH_BOUND, 1, 100 * more / span))
        return;
    struct advice *advice = advice_add(list, ADVICE_LAUNCH_BOUND);
    char texts[2][TIME_TEXT_SIZE];
    snprintf(advice->text, sizeof advice->text,
             "A launch call takes %s, its kernel %s: the device waits for the host",
             time_text(run->call_ns / (double)run->launch_calls, texts[0]),
             time_text(run->call_kernel_ns / (double)run->launch_calls, texts[1]));
    add_figure(advice, run, "launch_calls", "calls", (double)run->launch_calls);
    add_figure(advice, run, "launch_call_ns", "ns", run->call_ns);
    add_figure(advice, run, "launch_kernel_ns", "ns", run->call_kernel_ns);
    add_figure(advice, run, "span_ns", "ns", span);
    advice->gain = more / span;
    advice->gain_ns = fmin(more, span);
}

static void judge_default_stream(const struct advice_run *run, double busy, struct advice_list *list)
{
    double waited = (double)run->overlap.serialised_ns[SERIAL_DEFAULT_STREAM];
    list->judged++;
    if (!advice_beyond(ADVICE_DEFAULT_STREAM, 0, 100 * waited / busy))
        return;
    struct advice *advice = advice_add(list, ADVICE_DEFAULT_STREAM);
    snprintf(advice->text, sizeof advice->text,
             "The legacy default stream kept other streams waiting for %.0f %% of the busy time",
             100 * waited / busy);
    add_figure(advice, run, "serialised_default_stream_ns", "ns", waited);
    add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = waited / busy;
    advice->gain_ns = fmin(waited, busy);
}

static void judge_pageable(const struct advice_run *run, double busy, struct advice_list *list)
{
    list->judged++;
    if (!advice_beyond(ADVICE_PAGEABLE_COPIES, 0, 100 * run->pageable_ns / busy))
        return;
    struct advice *advice = advice_add(list, ADVICE_PAGEABLE_COPIES);
    snprintf(advice->text, sizeof advice->text,
             "Copies from or to pageable memory take %.0f %% of the busy time",
             100 * run->pageable_ns / busy);
    add_figure(advice, run, "pageable_copies", "copies", (double)run->pageable_copies);
    add_figure(advice, run, "pageable_ns", "ns", run->pageable_ns);
    add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = run->pageable_ns / busy;
    advice->gain_ns = fmin(run->pageable_ns, busy);
}

static void judge_small_copies(const struct advice_run *run, double busy, struct advice_list *list)
{
    list->judged++;
    if (!advice_beyond(ADVICE_SMALL_COPIES, 0, (double)run->small_copies) ||
        !advice_beyond(ADVICE_SMALL_COPIES, 1, 100 * run->small_mergeable_ns / busy))
        return;
    struct advice *advice = advice_add(list, ADVICE_SMALL_COPIES);
    char text[TIME_TEXT_SIZE];
    snprintf(advice->text, sizeof advice->text,
             "%.0f copies of less than 64 KiB cost %s each, hardly for their bytes",
             (double)run->small_copies, time_text(run->small_ns / (double)run->small_copies, text));
    add_figure(advice, run, "small_copies", "copies", (double)run->small_copies);
    add_figure(advice, run, "small_copies_ns", "ns", run->small_ns);
    add_figure(advice, run, "busy_ns", "ns", busy);
    advice->gain = run->small_mergeable_ns / busy;
    advice->gain_ns = fmin(run->small_mergeable_ns, busy);
}

static void judge_overlap(const struct advice_run *run, double busy, struct advice_list *list)
{
    const struct overlap *overlap = &run->overlap;
    double kernels = (double)overlap->kernel_busy_ns, copies = (double)overlap->copy_busy_ns;
    double could = kernels < copies ? kernels : copies, more = busy - (double)overlap->least_ns;
    if (could <= 0 || run->launches == 0)
        return;
    list->judged++;
    double hidden_pct = 100 * (double)overlap->copy_hidden_ns / could;
    if (!advice_beyond(ADVICE_LOW_OVERLAP, 0, hidden_pct) ||
        !advice_beyond(ADVICE_LOW_OVERLAP, 1, kernels / (double)run->launches) ||
        !advice_beyond(ADVICE_LOW_OVERLAP, 2, 100 * (could - (double)overlap->copy_hidden_ns) / busy))
        return;
    struct advice *advice = advice_add(list, ADVICE_LOW_OVERLAP);
    char texts[2][TIME_TEXT_SIZE];
    snprintf(advice->text, sizeof advice->text, "Of the copies that kernels could hide, %.0f %% are hidden",
             hidden_pct);
    snprintf(advice->how, sizeof advice->how, "%s alone need %s of the %s",
             overlap_engine_text(overlap->least_engine), time_text((double)overlap->least_ns, texts[0]),
             time_text(busy, texts[1]));
    add_figure(advice, run, "copy_hidden_ns", "ns", (double)overlap->copy_hidden_ns);
    add_figure(advice, run, "kernel_busy_ns", "ns", kernels);
    add_figure(advice, run, "copy_busy_ns", "ns", copies);
    add_figure(advice, run, "least_ns", "ns", (double)overlap->least_ns);
    advice->gain = more / busy;
    advice->gain_ns = more;
}

void advice_of_run(const struct advice_run *run, struct advice_list *list)
{
    double busy = (double)run->overlap.any_busy_ns;

    list->count = list->judged = 0;
    if (busy <= 0)
        return;
    judge_launches(run, list);
    judge_default_stream(run, busy, list);
    judge_pageable(run, busy, list);
    judge_small_copies(run, busy, list);
    judge_overlap(run, busy, list);
    for (size_t i = 0; i < list->count;
         i++) /* several threads, streams or devices add up to more than the time there was */
        list->items[i].gain = fmin(list->items[i].gain, 1);
    advice_list_sort(list);
}
