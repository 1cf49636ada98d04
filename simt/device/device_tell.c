/* Sends the events (core/base/event.h) of the model's device. */
#include "simt/device/device_internal.h"

#include <stdlib.h>
#include <string.h>

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
    model_emit(model, &(struct event){.kind = EVENT_SHAPE, .shape = own->shape}, 0);
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

static void tell_sync(struct model *model, const struct model_call *call, enum sync_kind kind)
{
    model_emit(model,
               &(struct event){.kind = EVENT_SYNC,
                               .sync = {.start_ns = shown_ns(model, call->start_ns),
                                        .end_ns = shown_ns(model, model->now),
                                        .correlation = call->correlation,
                                        .context = model_context(call->gpu),
                                        .stream = call->stream,
                                        .thread = call->thread,
                                        .sync_kind = (uint8_t)kind}},
               call->gpu);
}

void model_tell_wait(struct model *model, const struct model_call *call, enum sync_kind kind)
{
    tell_sync(model, call, kind);
    model->told_until = model->now - WATERMARK_NS; /* what the host waited for can be shown now */
}

void model_tell_stream_wait(struct model *model, const struct model_call *call)
{
    tell_sync(model, call, SYNC_STREAM_WAIT_EVENT);
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

static void tell_measurement(struct model *model, const struct model_record *record,
                             const struct event *kernel)
{
    uint32_t id = ++model->measurement;
    char name[sizeof METRIC_MODEL_PREFIX + 64] = METRIC_MODEL_PREFIX;

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
        const char *metric = metric_info(record->values[i].metric)->id;
        strncpy(name + sizeof METRIC_MODEL_PREFIX - 1, metric, 64);
        model_emit(model,
                   &(struct event){.kind = EVENT_VALUE,
                                   .value = {.measurement = id,
                                             .counter = model_string(model, name),
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
