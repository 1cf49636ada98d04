/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the events (core/base/event.h) of the model's device. */
#include "simt/device/device_internal.h"

#include "core/session/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- counters over time ---- */

/*
 * Counters over time of a modelled device (docs/model.md). A kernel's counts are spread evenly over its time
 * except the launch at its start, in which no thread runs. Kernels that run at the same time add up. So the
 * values change only when a kernel begins to run or ends. A sample reaches from one such time to the next,
 * and is at least 1/4096 of the time so far.
 *
 * Samples are sent while no kernel is running, so that no kernel before them is incomplete.
 */

#define SAMPLES_PER_RUN 4096
#define LONGEST_NS ((int64_t)1 << 31)
#define IDS_PER_DEVICE 16u /* keeps the ids of two devices' series apart */
_Static_assert(SERIES_MODEL_COUNT < IDS_PER_DEVICE && SERIES_MODEL_COUNT <= SAMPLE_NUMBERS,
               "a device's series lie in one SAMPLE");

static double rate_of_count(uint64_t count, double ns)
{
    return (double)count / ns;
}

struct model_load model_load_of(const struct model *model, const struct timing_input *input,
                                const struct timing *timing)
{
    const struct count_totals *t = input->totals;
    struct model_load load = {.launch_ns = model->gpu->launch_ns};
    double most = (double)model->info.multiprocessors, busy = (double)input->blocks;

    load.occupancy_pct = timing->achieved_occupancy_pct;
    load.multiprocessors = most > 0 ? fmin(1, busy / most) : 0;
    for (int store = 0; store < 2; store++) {
        const struct count_instruction *of[] = {&t->shared[store], &t->matrices[store]};
        for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
            load.count[SERIES_MODEL_WAVEFRONTS] += of[i]->transfers;
            load.count[SERIES_MODEL_CONFLICTS] += of[i]->transfers - of[i]->ideal_transfers;
        }
    }
    load.caches = input->caches != NULL;
    if (load.caches) {
        load.count[SERIES_MODEL_DRAM_READ] = input->caches->dram_read_bytes;
        load.count[SERIES_MODEL_DRAM_WRITE] = input->caches->dram_write_bytes;
        load.count[SERIES_MODEL_L2_SECTORS] = input->caches->l2_lookups;
    }
    return load;
}

void model_samples_fini(struct model_samples *samples)
{
    free(samples->kernels);
    *samples = (struct model_samples){0};
}

/* Adds a kernel that has ended. */
static void model_samples_add(struct model *model, uint32_t gpu, const struct model_load *load,
                              int64_t start_ns, int64_t end_ns)
{
    struct model_samples *samples = &model->samples[gpu];
    struct model_sampled *grown;

    if (end_ns <= start_ns || !(grown = model_grow(samples->kernels, samples->count, sizeof *grown)))
        return; /* out of memory: the chart has a gap, and the run continues */
    samples->kernels = grown;
    samples->kernels[samples->count++] = (struct model_sampled){
        .load = *load,
        .start_ns = end_ns - start_ns > load->launch_ns ? start_ns + load->launch_ns : start_ns,
        .end_ns = end_ns};
}

/* ---- events sent ---- */
static uint32_t first_series(const struct model *model, uint32_t gpu)
{
    return (model->options.ordinal + gpu) * IDS_PER_DEVICE + 1;
}

static void announce_series(struct model *model, uint32_t gpu)
{
    if (model->samples[gpu].announced)
        return;
    model->samples[gpu].announced = true;
    for (uint32_t i = 0; i < SERIES_MODEL_COUNT; i++)
        model_emit(model,
                   &(struct event){.kind = EVENT_SERIES,
                                   .series = {.id = first_series(model, gpu) + i,
                                              .name = model_string(model, series_model_name(i))}},
                   gpu);
}

/* The load of all running kernels, as sums that change at each edge; and the content of the current
 * sample. */
struct load {
    uint32_t kernels, without_caches;
    double warps, multiprocessors;     /* warps: occupancy x share of the multiprocessors */
    double per_ns[SERIES_MODEL_COUNT]; /* counts */
};

static void load_add(struct load *load, const struct model_sampled *kernel, double sign)
{
    double ns = (double)(kernel->end_ns - kernel->start_ns);

    load->kernels += sign > 0 ? 1 : UINT32_MAX;
    load->without_caches += kernel->load.caches ? 0 : sign > 0 ? 1 : UINT32_MAX;
    load->warps += sign * kernel->load.occupancy_pct * kernel->load.multiprocessors;
    load->multiprocessors += sign * kernel->load.multiprocessors;
    for (int i = 0; i < SERIES_MODEL_COUNT; i++)
        load->per_ns[i] += sign * rate_of_count(kernel->load.count[i], ns);
    if (load->kernels == 0)
        *load = (struct load){0}; /* removes rounding errors */
}

struct gathered {
    int64_t start_ns, end_ns;
    double warps, multiprocessors, busy_ns, counts[SERIES_MODEL_COUNT];
    bool no_caches;
};

static void gather_load(struct gathered *sample, const struct load *load, int64_t from_ns, int64_t to_ns)
{
    double ns = (double)(to_ns - from_ns);

    sample->end_ns = to_ns;
    sample->warps += load->warps * ns;
    sample->multiprocessors += load->multiprocessors * ns;
    sample->busy_ns += fmin(1, load->multiprocessors) * ns;
    sample->no_caches |= load->without_caches > 0;
    for (int i = 0; i < SERIES_MODEL_COUNT; i++)
        sample->counts[i] += load->per_ns[i] * ns;
}

static void tell_sample(struct model *model, uint32_t gpu, const struct gathered *sample)
{
    double ns = (double)(sample->end_ns - sample->start_ns);
    double bytes = device_info_peak_bandwidth(&model->info) * ns / 1e9;
    struct event event = {.kind = EVENT_SAMPLE,
                          .sample = {.start_ns = model->options.epoch_ns + sample->start_ns,
                                     .duration_ns = (uint32_t)(sample->end_ns - sample->start_ns),
                                     .first = first_series(model, gpu)}};
    double numbers[SERIES_MODEL_COUNT] = {
        [SERIES_MODEL_OCCUPANCY] =
            sample->multiprocessors > 0 ? sample->warps / sample->multiprocessors : NAN,
        [SERIES_MODEL_ACTIVE_SMS] = 100 * sample->busy_ns / ns,
        [SERIES_MODEL_DRAM_READ] = bytes > 0 ? 100 * sample->counts[SERIES_MODEL_DRAM_READ] / bytes : NAN,
        [SERIES_MODEL_DRAM_WRITE] = bytes > 0 ? 100 * sample->counts[SERIES_MODEL_DRAM_WRITE] / bytes : NAN,
        [SERIES_MODEL_WAVEFRONTS] = sample->counts[SERIES_MODEL_WAVEFRONTS],
        [SERIES_MODEL_CONFLICTS] = sample->counts[SERIES_MODEL_CONFLICTS],
        [SERIES_MODEL_L2_SECTORS] = sample->counts[SERIES_MODEL_L2_SECTORS]};

    if (sample->no_caches)
        numbers[SERIES_MODEL_DRAM_READ] = numbers[SERIES_MODEL_DRAM_WRITE] =
            numbers[SERIES_MODEL_L2_SECTORS] = NAN;
    for (int i = 0; i < (int)SAMPLE_NUMBERS; i++)
        event.sample.numbers[i] = i < SERIES_MODEL_COUNT ? (float)numbers[i] : NAN;
    model_emit(model, &event, gpu);
}

struct edge {
    int64_t time_ns;
    uint32_t kernel;
    bool begins;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->begins != y->begins)
        return x->begins ? 1 : -1; /* at the same time, an end comes before a begin */
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* The load is constant until until_ns. Sends the samples that are long enough. */
static void run_until(struct model *model, uint32_t gpu, struct gathered *sample, const struct load *load,
                      int64_t until_ns, int64_t least_ns)
{
    while (sample->end_ns < until_ns) {
        int64_t left_ns = LONGEST_NS - (sample->end_ns - sample->start_ns);
        int64_t to_ns = until_ns - sample->end_ns > left_ns ? sample->end_ns + left_ns : until_ns;

        gather_load(sample, load, sample->end_ns, to_ns);
        if (sample->end_ns - sample->start_ns < least_ns)
            return;
        tell_sample(model, gpu, sample);
        *sample = (struct gathered){.start_ns = to_ns, .end_ns = to_ns};
    }
}

static void samples_tell(struct model *model, uint32_t gpu)
{
    struct model_samples *samples = &model->samples[gpu];
    struct edge *edges = samples->count ? malloc(2 * samples->count * sizeof *edges) : NULL;
    struct gathered sample = {.start_ns = samples->told_ns, .end_ns = samples->told_ns};
    struct load load = {0};
    size_t count = 0;

    if (!edges)
        return;
    announce_series(model, gpu);
    for (uint32_t i = 0; i < samples->count; i++) {
        edges[count++] = (struct edge){samples->kernels[i].start_ns, i, true};
        edges[count++] = (struct edge){samples->kernels[i].end_ns, i, false};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++) {
        run_until(model, gpu, &sample, &load, edges[i].time_ns, edges[i].time_ns / SAMPLES_PER_RUN);
        load_add(&load, &samples->kernels[edges[i].kernel], edges[i].begins ? 1 : -1);
    }
    if (sample.end_ns > sample.start_ns)
        tell_sample(model, gpu, &sample);
    samples->told_ns = sample.end_ns;
    samples->count = 0;
    free(edges);
}

void model_samples_tell(struct model *model)
{
    for (uint32_t gpu = 0; gpu < model->gpus; gpu++)
        samples_tell(model, gpu);
}

/* ---- events ---- */

#define WATERMARK_NS 200000 /* time on the model's clock between two watermarks, unless the host waited */

void model_emit(struct model *model, struct event *event, uint32_t gpu)
{
    event->device = (uint16_t)(model->options.ordinal + gpu);
    if (model->options.sink.emit)
        model->options.sink.emit(model->options.sink.owner, event);
}

uint32_t model_string(struct model *model, const char *text)
{
    return model->options.sink.string ? model->options.sink.string(model->options.sink.owner, text) : 0;
}

static int64_t shown_ns(const struct model *model, int64_t ns)
{
    return model->options.epoch_ns + ns;
}

void model_tell_context(struct model *model, uint32_t gpu)
{
    model_emit(model, &(struct event){.kind = EVENT_CONTEXT, .context.context = model_context(gpu)}, gpu);
}

void model_tell_progress(void *owner, const struct progress *progress)
{
    const struct model *model = owner;
    struct progress told = *progress;

    told.launch = model->running->launches;
    model->options.sink.progress(model->options.sink.owner, model->running->program->entry->name, &told);
}

/* A stream is announced at its first use, as in CUPTI: a program may make many streams and use few. */
void model_tell_stream(struct model *model, struct model_stream *stream)
{
    size_t at = (size_t)(stream - model->streams);
    bool default_stream = at < 2 * (size_t)model->gpus;

    if (stream->announced)
        return;
    stream->announced = true;
    model_emit(model,
               &(struct event){.kind = EVENT_STREAM,
                               .flags = default_stream && at % 2 == 0 ? STREAM_DEFAULT
                                        : default_stream              ? STREAM_PER_THREAD
                                        : stream->non_blocking        ? STREAM_NON_BLOCKING
                                                                      : 0,
                               .stream = {.context = model_context(stream->gpu), .stream = stream->shown}},
               stream->gpu);
}

uint32_t model_shape(struct model *model, const struct event *shape)
{
    for (size_t i = 0; i < model->shape_count; i++) {
        struct event known = model->shapes[i].event;
        known.shape.id = shape->shape.id;
        if (memcmp(&known, shape, sizeof known) == 0)
            return (uint32_t)i + 1;
    }
    struct model_shape *grown = model_grow(model->shapes, model->shape_count, sizeof *grown);
    if (!grown)
        return 0;
    model->shapes = grown;
    model->shapes[model->shape_count] = (struct model_shape){.event = *shape};
    struct event *own = &model->shapes[model->shape_count++].event;
    own->shape.id = (uint32_t)model->shape_count;
    model_emit(model, &(struct event){.kind = EVENT_SHAPE, .flags = own->flags, .shape = own->shape}, 0);
    return own->shape.id;
}

struct model_call model_call_begin(struct model *model, const char *name, enum call_category category,
                                   const struct model_stream *stream)
{
    const struct simt_caller *caller = &model->caller;
    const bool named = caller->name && caller->call != model->named_call;

    if (named)
        model->named_call = caller->call;
    return (struct model_call){.name = named ? caller->name : name,
                               .category = category,
                               .thread = caller->thread ? caller->thread : MODEL_THREAD,
                               .correlation = ++model->correlation,
                               .stream = stream ? stream->shown : 0,
                               .gpu = stream ? stream->gpu : model->selected,
                               .start_ns = model->now};
}

static struct event call_event(struct model *model, const struct model_call *call)
{
    return (struct event){.kind = EVENT_CALL,
                          .call = {.start_ns = shown_ns(model, call->start_ns),
                                   .correlation = call->correlation,
                                   .thread = call->thread,
                                   .name = model_string(model, call->name),
                                   .domain = API_OPS,
                                   .category = (uint8_t)call->category,
                                   .shape = call->shape,
                                   .context = model_context(call->gpu),
                                   .stream = call->stream}};
}

void model_tell_running(struct model *model, const struct model_call *call)
{
    struct event event = call_event(model, call);

    event.kind = EVENT_CALL_BEGIN;
    model_emit(model, &event, call->gpu);
}

static uint64_t record_of(const struct model *model, uint64_t event)
{
    return event > 0 && event <= model->event_count ? model->events[event - 1].record : 0;
}

static void tell_sync(struct model *model, const struct model_call *call, enum sync_kind kind, uint64_t event)
{
    model_emit(model,
               &(struct event){.kind = EVENT_SYNC,
                               .sync = {.start_ns = shown_ns(model, call->start_ns),
                                        .end_ns = shown_ns(model, model->now),
                                        .correlation = call->correlation,
                                        .context = model_context(call->gpu),
                                        .stream = call->stream,
                                        .thread = call->thread,
                                        .sync_kind = (uint8_t)kind,
                                        .event = (uint32_t)event,
                                        .record = record_of(model, event)}},
               call->gpu);
}

void model_tell_wait(struct model *model, const struct model_call *call, enum sync_kind kind, uint64_t event)
{
    tell_sync(model, call, kind, event);
    model->told_until = model->now - WATERMARK_NS; /* what the host waited for can be shown now */
}

/* CUPTI has the same record of a query as of a wait. */
void model_tell_query(struct model *model, const struct model_call *call, enum sync_kind kind, uint64_t event)
{
    tell_sync(model, call, kind, event);
}

void model_tell_stream_wait(struct model *model, const struct model_call *call, uint64_t event)
{
    tell_sync(model, call, SYNC_STREAM_WAIT_EVENT, event);
}

void model_tell_event_record(struct model *model, const struct model_call *call, uint64_t event)
{
    model_emit(model,
               &(struct event){.kind = EVENT_EVENT_RECORD,
                               .event_record = {.correlation = call->correlation,
                                                .context = model_context(call->gpu),
                                                .stream = call->stream,
                                                .event = (uint32_t)event,
                                                .record = record_of(model, event)}},
               call->gpu);
}

enum status model_call_end(struct model *model, const struct model_call *call, uint32_t cost_ns,
                           enum status status)
{
    model->now += cost_ns;
    struct event event = call_event(model, call);
    event.call.end_ns = shown_ns(model, model->now);
    event.call.result = (int32_t)status;
    model_emit(model, &event, call->gpu);
    model_tell_ended(model);
    return status;
}

/* The string of a counter, which is looked up once. */
static uint32_t counter_string(struct model *model, enum metric metric)
{
    char name[sizeof METRIC_MODEL_PREFIX + 64] = METRIC_MODEL_PREFIX;

    if (!model->counter_strings[metric]) {
        strncpy(name + sizeof METRIC_MODEL_PREFIX - 1, metric_info(metric)->id, 64);
        model->counter_strings[metric] = model_string(model, name);
    }
    return model->counter_strings[metric];
}

static void tell_measurement(struct model *model, const struct model_record *record,
                             const struct event *kernel)
{
    uint32_t id = ++model->measurement;

    model_emit(model,
               &(struct event){.kind = EVENT_MEASUREMENT,
                               .measurement = {.start_ns = kernel->kernel.start_ns,
                                               .end_ns = kernel->kernel.end_ns,
                                               .id = id,
                                               .shape = kernel->kernel.shape,
                                               .context = kernel->kernel.context,
                                               .stream = kernel->kernel.stream,
                                               .correlation = kernel->kernel.correlation,
                                               .passes = 1,
                                               .values = record->value_count}},
               record->gpu);
    for (uint32_t i = 0; i < record->value_count; i++) {
        model_emit(model,
                   &(struct event){.kind = EVENT_VALUE,
                                   .value = {.measurement = id,
                                             .counter = counter_string(model, record->values[i].metric),
                                             .number = record->values[i].number}},
                   record->gpu);
    }
}

/* Sends the start of a range and stores the end in the record. Ids of work are not reused. */
static void tell_range(struct model *model, struct event *range, uint32_t gpu, uint64_t id, int64_t start_ns,
                       int64_t end_ns)
{
    range->range.id = id + 1;
    range->range.time_ns = start_ns;
    model_emit(model, range, gpu);
    range->kind = EVENT_RANGE_END;
    range->range.time_ns = end_ns;
}

/* Sends the event of work that has ended and frees the record. */
static void tell_record(struct model *model, struct model_record *record, const struct schedule_ended *ended)
{
    struct event *event = &record->event;
    int64_t start = shown_ns(model, ended->start_ns), end = shown_ns(model, ended->end_ns);

    switch (event->kind) {
    case EVENT_KERNEL:
        event->kernel.start_ns = start;
        event->kernel.end_ns = end;
        model_samples_add(model, record->gpu, &record->load, ended->start_ns, ended->end_ns);
        break;
    case EVENT_COPY:
        event->copy.start_ns = start;
        event->copy.end_ns = end;
        break;
    case EVENT_SET:
        event->set.start_ns = start;
        event->set.end_ns = end;
        break;
    case EVENT_RANGE_BEGIN: tell_range(model, event, record->gpu, ended->id, start, end); break;
    default: break;
    }
    if (event->kind != EVENT_NONE) {
        model_emit(model, event, record->gpu);
        model->told_any = true;
    }
    if (record->measured)
        tell_measurement(model, record, event);
    if (record->event_slot) {
        struct model_event *reached = &model->events[record->event_slot - 1];
        if (reached->recorded && reached->mark == ended->id)
            reached->end_ns = ended->end_ns;
    }
    *record = (struct model_record){.next_free = model->record_free};
    model->record_free = (uint32_t)(record - model->records) + 1;
    model->records_open--;
}

void model_tell_ended(struct model *model)
{
    struct schedule_ended ended;

    schedule_advance(model->schedule, model->now);
    while (schedule_take(model->schedule, &ended))
        tell_record(model, &model->records[ended.tag], &ended);
    if (model->records_open == 0)
        model_samples_tell(model);
    if (model->told_any && model->now - model->told_until >= WATERMARK_NS) {
        model_emit(model,
                   &(struct event){.kind = EVENT_WATERMARK, .watermark.time_ns = shown_ns(model, model->now)},
                   0);
        model->told_until = model->now;
        model->told_any = false;
    }
}
