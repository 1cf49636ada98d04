/* The work and the streams of a schedule: adding, storing and removing them. */
#include "core/base/array.h"

#include "simt/device/schedule_internal.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_NS INT64_C(9000000000000) /* can be multiplied by SCHEDULE_WHOLE */

static struct schedule_stream stream_new(uint32_t gpu, bool non_blocking)
{
    return (struct schedule_stream){.used = true,
                                    .non_blocking = non_blocking,
                                    .gpu = gpu,
                                    .first = SCHEDULE_NONE,
                                    .last = SCHEDULE_NONE,
                                    .past.engine = SCHEDULE_ENGINE_NONE};
}

enum status schedule_create(struct schedule **schedule, const struct schedule_limits *limits,
                            struct error *error)
{
    struct schedule *s = calloc(1, sizeof *s);

    if (!s)
        goto fail;
    s->limits = *limits;
    if (s->limits.gpus == 0)
        s->limits.gpus = 1;
    if (s->limits.kernels == 0)
        s->limits.kernels = 1;
    if (s->limits.least_share == 0)
        s->limits.least_share = 1;
    s->ended_first = s->ended_last = SCHEDULE_NONE;
    s->gpus = calloc(s->limits.gpus, sizeof *s->gpus);
    s->streams = calloc(s->limits.gpus, sizeof *s->streams);
    if (!s->gpus || !s->streams)
        goto fail;
    s->stream_count = s->limits.gpus;
    for (uint32_t gpu = 0; gpu < s->limits.gpus; gpu++) {
        struct schedule_gpu *g = &s->gpus[gpu];
        for (int engine = 0; engine < SCHEDULE_ENGINE_COUNT; engine++)
            g->engine_first[engine] = g->engine_last[engine] = g->engine_runs[engine] = SCHEDULE_NONE;
        g->kernels = calloc(s->limits.kernels, sizeof *g->kernels);
        if (!g->kernels)
            goto fail;
        s->streams[gpu] = stream_new(gpu, false);
    }
    *schedule = s;
    return STATUS_OK;

fail:
    schedule_destroy(s);
    return error_no_memory(error, "for the model's clock");
}

void schedule_destroy(struct schedule *s)
{
    if (!s)
        return;
    free(s->entries);
    free(s->streams);
    for (uint32_t gpu = 0; s->gpus && gpu < s->limits.gpus; gpu++)
        free(s->gpus[gpu].kernels);
    free(s->gpus);
    free(s);
}

enum status schedule_stream_add(struct schedule *s, uint32_t gpu, bool non_blocking, uint32_t *stream,
                                struct error *error)
{
    size_t at = s->limits.gpus;

    while (at < s->stream_count && (s->streams[at].used || s->streams[at].first != SCHEDULE_NONE))
        at++;
    if (at == s->stream_count) {
        struct schedule_stream *streams =
            at < UINT32_MAX / 2 ? realloc(s->streams, (at + 1) * sizeof *streams) : NULL;
        if (!streams)
            return error_set(error, STATUS_MEMORY,
                             "There is no memory for another stream: destroy those that are not used.");
        s->streams = streams;
        s->stream_count++;
    }
    s->streams[at] = stream_new(gpu, non_blocking);
    *stream = (uint32_t)at;
    return STATUS_OK;
}

void schedule_stream_remove(struct schedule *s, uint32_t stream)
{
    s->streams[stream].used = false;
}

static enum schedule_engine engine_of(const struct schedule *s, enum schedule_kind kind)
{
    switch (kind) {
    case SCHEDULE_TO_DEVICE: return s->limits.copy_engines ? SCHEDULE_ENGINE_IN : SCHEDULE_ENGINE_COMPUTE;
    case SCHEDULE_TO_HOST:
        return s->limits.copy_engines > 1 ? SCHEDULE_ENGINE_OUT
               : s->limits.copy_engines   ? SCHEDULE_ENGINE_IN
                                          : SCHEDULE_ENGINE_COMPUTE;
    case SCHEDULE_HOST: return SCHEDULE_ENGINE_HOST;
    case SCHEDULE_MARK: return SCHEDULE_ENGINE_NONE;
    default: return SCHEDULE_ENGINE_COMPUTE;
    }
}

/* Removes taken entries at the front when they are half of all. */
static void entries_forget(struct schedule *s)
{
    while (s->gone < s->count && s->entries[s->gone].taken)
        s->gone++;
    if (s->gone * 2 <= s->count || s->gone < 64)
        return;
    memmove(s->entries, s->entries + s->gone, (s->count - s->gone) * sizeof *s->entries);
    s->base += s->gone;
    s->count -= s->gone;
    s->gone = 0;
}

static enum status entries_grow(struct schedule *s, struct error *error)
{
    if (!array_grow(s->entries, s->capacity, s->count, 1))
        return error_set(error, STATUS_MEMORY,
                         "There is no memory for more work on the model's clock: synchronise more often.");
    return STATUS_OK;
}

enum status schedule_add(struct schedule *s, const struct schedule_work *work, uint64_t *id,
                         struct error *error)
{
    enum status status;
    struct schedule_stream *stream = &s->streams[work->stream];

    entries_forget(s);
    status = entries_grow(s, error);
    if (status)
        return status;
    *id = s->base + s->count;
    struct schedule_entry *e = &s->entries[s->count++];
    *e = (struct schedule_entry){.work = *work,
                                 .engine = engine_of(s, work->kind),
                                 .gpu = stream->gpu,
                                 .next = SCHEDULE_NONE,
                                 .next_engine = SCHEDULE_NONE};
    if (e->engine == SCHEDULE_ENGINE_COMPUTE && work->kind != SCHEDULE_KERNEL)
        e->work.share = SCHEDULE_WHOLE;
    if (e->work.share < 1 || e->work.share > SCHEDULE_WHOLE)
        e->work.share = SCHEDULE_WHOLE;
    if (e->work.alone_ns < 1 && work->kind != SCHEDULE_MARK)
        e->work.alone_ns = 1;
    if (e->work.alone_ns > LONGEST_NS)
        e->work.alone_ns = LONGEST_NS;
    if (stream->last == SCHEDULE_NONE)
        stream->first = *id;
    else
        schedule_entry_of(s, stream->last)->next = *id;
    stream->last = *id;
    if (e->engine != SCHEDULE_ENGINE_NONE) {
        struct schedule_gpu *g = &s->gpus[e->gpu];
        if (g->engine_last[e->engine] == SCHEDULE_NONE)
            g->engine_first[e->engine] = *id;
        else
            schedule_entry_of(s, g->engine_last[e->engine])->next_engine = *id;
        g->engine_last[e->engine] = *id;
    }
    return STATUS_OK;
}

bool schedule_take(struct schedule *s, struct schedule_ended *ended)
{
    uint64_t id = s->ended_first;

    if (id == SCHEDULE_NONE)
        return false;
    struct schedule_entry *e = schedule_entry_of(s, id);
    s->ended_first = e->next;
    *ended = (struct schedule_ended){.id = id,
                                     .tag = e->work.tag,
                                     .kind = e->work.kind,
                                     .stream = e->work.stream,
                                     .issued_ns = e->work.issued_ns,
                                     .start_ns = e->start_ns,
                                     .end_ns = e->end_ns};
    e->taken = true;
    return true;
}
