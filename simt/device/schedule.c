/* SPDX-License-Identifier: Apache-2.0 */
/* The work and the streams of a schedule: adding, storing and removing them. */
#include "core/base/array.h"

#include "simt/device/schedule.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the state ---- */

/*
 * Work waits in the queue of its stream; only the first work of each queue may start. The remaining work of
 * concurrent kernels is measured in ns of running alone, times SCHEDULE_WHOLE: running for dt ns at a rate of
 * r millionths reduces it by dt * r.
 */

enum schedule_state { SCHEDULE_WAITING, SCHEDULE_RUNNING, SCHEDULE_ENDED };
enum schedule_engine {
    SCHEDULE_ENGINE_COMPUTE,
    SCHEDULE_ENGINE_IN,
    SCHEDULE_ENGINE_OUT,
    SCHEDULE_ENGINE_HOST,
    SCHEDULE_ENGINE_COUNT,
    SCHEDULE_ENGINE_NONE
};

/* The end of work that took time, and its engine: work that follows on another engine also waits for the
 * handover. */
struct schedule_past {
    int64_t end_ns;
    enum schedule_engine engine;
    uint32_t gpu; /* whose engine it is */
    uint64_t id;
};

struct schedule_entry {
    struct schedule_work work;
    enum schedule_state state;
    enum schedule_engine engine;
    uint32_t gpu;
    bool taken;
    uint64_t next;        /* next in the stream; after the end, next in the order of the ends */
    uint64_t next_engine; /* next in the order of issue on its engine */
    int64_t start_ns, end_ns;
    struct schedule_past past; /* if ended: of the work itself; for a mark, of the work that it waited for */
    int64_t left;              /* COMPUTE, running: the remaining work */
    uint32_t rate;
};

struct schedule_stream {
    bool used, non_blocking;
    uint32_t gpu;
    uint32_t next_free;        /* neither used nor with work: the next such stream; 0: none */
    uint64_t first, last;      /* work that has not ended; SCHEDULE_NONE */
    int64_t end_ns;            /* end of its last work that has ended, including marks */
    struct schedule_past past; /* of that work */
};

struct schedule_gpu {
    uint64_t engine_first[SCHEDULE_ENGINE_COUNT],
        engine_last[SCHEDULE_ENGINE_COUNT];      /* work that has not started, in the order of issue */
    uint64_t engine_runs[SCHEDULE_ENGINE_COUNT]; /* running work; not used for COMPUTE */
    uint64_t *kernels;                           /* running, in the order of start */
    uint32_t kernel_count;
};

struct schedule {
    struct schedule_limits limits;
    int64_t now;
    struct schedule_entry *entries; /* ids base ... base + count - 1 */
    size_t count, capacity, gone;   /* gone: number of entries at the front that are taken */
    uint64_t base;
    struct schedule_stream *streams; /* of each GPU the legacy default stream, then the others */
    size_t stream_count, stream_capacity;
    uint32_t stream_free; /* the first stream that can be given out again; 0: none */
    uint32_t *busy; /* the streams with work, ascending: what programs never use costs no step anything */
    size_t busy_count, busy_capacity;
    struct schedule_gpu *gpus;
    uint64_t ended_first, ended_last; /* work that has ended and is not taken yet */
    int64_t last_end_ns;
};

/* NULL: it was taken and is forgotten. */
static inline struct schedule_entry *schedule_entry_of(const struct schedule *s, uint64_t id)
{
    return id >= s->base && id - s->base < s->count ? &s->entries[id - s->base] : NULL;
}

/* ---- times ---- */

/* Advances the clock step by step, to the next time at which work ends or can start. */

#define NEVER INT64_MAX

/* --- when work may start ------------------------------------------------------------------------------- */

/* The time at which other engines learn that a kernel has ended: after the end of the kernels issued directly
 * after it. NEVER: not known yet. An entry that was taken and forgotten ended before any work that can still
 * wait for it. */
static int64_t signal_ns(const struct schedule *s, const struct schedule_past *past)
{
    const struct schedule_entry *kernel = schedule_entry_of(s, past->id);
    int64_t end = past->end_ns;

    if (!s->limits.one_queue_per_engine || s->limits.kernels == 1 ||
        past->engine != SCHEDULE_ENGINE_COMPUTE || !kernel || kernel->work.kind != SCHEDULE_KERNEL)
        return end;
    for (uint64_t id = past->id + 1; (kernel = schedule_entry_of(s, id)); id++) {
        if (kernel->gpu != past->gpu)
            continue;
        if (kernel->work.kind != SCHEDULE_KERNEL || kernel->work.issued_ns + s->limits.submit_ns > end)
            break;
        if (kernel->state != SCHEDULE_ENDED)
            return NEVER;
        end = kernel->end_ns > end ? kernel->end_ns : end;
    }
    return end;
}

/* The earliest start of work that waits for the end of other work; NEVER: not known yet. */
static int64_t after_past(const struct schedule *s, const struct schedule_entry *e,
                          const struct schedule_past *past)
{
    if (past->engine == SCHEDULE_ENGINE_NONE || e->engine == SCHEDULE_ENGINE_NONE ||
        (past->engine == e->engine && past->gpu == e->gpu))
        return past->end_ns;
    int64_t signal = signal_ns(s, past);
    return signal == NEVER ? NEVER : signal + s->limits.handover_ns;
}

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns whether all work of a stream that was issued before `id` has ended. */
static bool ended_before(const struct schedule_stream *stream, uint64_t id)
{
    return stream->first == SCHEDULE_NONE || stream->first > id;
}

/* The earliest start of the first work of a stream, considering other work; NEVER: not known yet. */
static int64_t ready_ns(const struct schedule *s, uint32_t at)
{
    const struct schedule_stream *stream = &s->streams[at];
    uint64_t id = stream->first;
    const struct schedule_entry *e = schedule_entry_of(s, id);
    int64_t ready = later_of(e->work.issued_ns + s->limits.submit_ns, after_past(s, e, &stream->past));

    if (e->work.after != SCHEDULE_NONE) {
        const struct schedule_entry *dependence = schedule_entry_of(s, e->work.after);
        if (dependence && dependence->state != SCHEDULE_ENDED)
            return NEVER;
        if (dependence)
            ready = later_of(ready, after_past(s, e, &dependence->past));
    }
    const struct schedule_stream *legacy = &s->streams[stream->gpu];
    if (stream == legacy) {
        for (size_t i = s->limits.gpus; i < s->stream_count; i++) {
            const struct schedule_stream *other = &s->streams[i];
            if (other->non_blocking || other->gpu != stream->gpu)
                continue;
            if (!ended_before(other, id))
                return NEVER;
            ready = later_of(ready, after_past(s, e, &other->past));
        }
    } else if (!stream->non_blocking) {
        if (!ended_before(legacy, id))
            return NEVER;
        ready = later_of(ready, after_past(s, e, &legacy->past));
    }
    return ready;
}

/* --- kernels side by side ------------------------------------------------------------------------------ */

static uint32_t share_free(const struct schedule *s, const struct schedule_gpu *g)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < g->kernel_count; i++) {
        const struct schedule_entry *e = schedule_entry_of(s, g->kernels[i]);
        used += (uint32_t)((uint64_t)e->work.share * e->rate / SCHEDULE_WHOLE);
    }
    return used < SCHEDULE_WHOLE ? SCHEDULE_WHOLE - used : 0;
}

/* Kernels that started earlier get the share that they can use; the next one gets what is left. */
static void rates_set(struct schedule *s, const struct schedule_gpu *g)
{
    uint32_t available = SCHEDULE_WHOLE;

    for (uint32_t i = 0; i < g->kernel_count; i++) {
        struct schedule_entry *e = schedule_entry_of(s, g->kernels[i]);
        uint32_t given = e->work.share < available ? e->work.share : available;
        e->rate = (uint32_t)((uint64_t)given * SCHEDULE_WHOLE / e->work.share);
        available -= given;
    }
}

static int64_t kernel_end(const struct schedule *s, const struct schedule_entry *e)
{
    return e->rate ? s->now + (e->left + e->rate - 1) / e->rate : NEVER;
}

/* --- the clock ------------------------------------------------------------------------------------------ */

static void clock_set(struct schedule *s, int64_t now)
{
    for (const struct schedule_gpu *g = s->gpus; g < s->gpus + s->limits.gpus; g++) {
        for (uint32_t i = 0; i < g->kernel_count; i++) {
            struct schedule_entry *e = schedule_entry_of(s, g->kernels[i]);
            e->left -= (now - s->now) * e->rate;
        }
    }
    s->now = now;
}

/* Where the stream is among the busy ones, or would be. */
static size_t busy_place(const struct schedule *s, uint32_t stream)
{
    size_t low = 0, high = s->busy_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->busy[middle] < stream)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void stream_give_back(struct schedule *s, uint32_t stream)
{
    s->streams[stream].next_free = s->stream_free;
    s->stream_free = stream;
}

/* The last work of the stream has ended. */
static void stream_rest(struct schedule *s, uint32_t stream)
{
    size_t at = busy_place(s, stream);

    s->busy_count--;
    memmove(&s->busy[at], &s->busy[at + 1], (s->busy_count - at) * sizeof *s->busy);
    s->streams[stream].last = SCHEDULE_NONE;
    if (!s->streams[stream].used)
        stream_give_back(s, stream);
}

static void end_work(struct schedule *s, uint64_t id)
{
    struct schedule_entry *e = schedule_entry_of(s, id);
    struct schedule_stream *stream = &s->streams[e->work.stream];

    e->state = SCHEDULE_ENDED;
    e->end_ns = s->now;
    stream->first = e->next;
    if (stream->first == SCHEDULE_NONE)
        stream_rest(s, e->work.stream);
    stream->end_ns = s->now;
    if (e->engine == SCHEDULE_ENGINE_NONE) {
        const struct schedule_entry *dependence = schedule_entry_of(s, e->work.after);
        e->past =
            dependence && dependence->past.end_ns > stream->past.end_ns ? dependence->past : stream->past;
    } else {
        e->past = (struct schedule_past){s->now, e->engine, e->gpu, id};
    }
    stream->past = e->past;
    e->next = SCHEDULE_NONE;
    if (s->ended_first == SCHEDULE_NONE)
        s->ended_first = id;
    else
        schedule_entry_of(s, s->ended_last)->next = id;
    s->ended_last = id;
    s->last_end_ns = s->now;
}

static void engine_unlink(struct schedule *s, uint64_t id)
{
    struct schedule_entry *e = schedule_entry_of(s, id);
    struct schedule_gpu *g = &s->gpus[e->gpu];
    uint64_t *at = &g->engine_first[e->engine], before = SCHEDULE_NONE;

    while (*at != id) {
        before = *at;
        at = &schedule_entry_of(s, before)->next_engine;
    }
    *at = e->next_engine;
    if (g->engine_last[e->engine] == id)
        g->engine_last[e->engine] = before;
}

static bool engine_is_free(const struct schedule *s, const struct schedule_entry *e)
{
    const struct schedule_gpu *g = &s->gpus[e->gpu];

    if (e->engine != SCHEDULE_ENGINE_COMPUTE)
        return g->engine_runs[e->engine] == SCHEDULE_NONE;
    return g->kernel_count < s->limits.kernels &&
           (g->kernel_count == 0 ||
            share_free(s, g) >=
                (e->work.share < s->limits.least_share ? e->work.share : s->limits.least_share));
}

static void start_work(struct schedule *s, uint64_t id)
{
    struct schedule_entry *e = schedule_entry_of(s, id);
    struct schedule_gpu *g = &s->gpus[e->gpu];

    engine_unlink(s, id);
    e->state = SCHEDULE_RUNNING;
    e->start_ns = s->now;
    if (e->engine == SCHEDULE_ENGINE_COMPUTE) {
        g->kernels[g->kernel_count++] = id;
        e->left = e->work.alone_ns * SCHEDULE_WHOLE;
        rates_set(s, g);
    } else {
        g->engine_runs[e->engine] = id;
        e->end_ns = s->now + e->work.alone_ns;
    }
}

/* Ends the work of a GPU that ends now; false: there was none. */
static bool end_some(struct schedule *s, struct schedule_gpu *g)
{
    bool some = false;

    for (uint32_t i = 0; i < g->kernel_count;) {
        uint64_t id = g->kernels[i];
        if (schedule_entry_of(s, id)->left > 0) {
            i++;
            continue;
        }
        memmove(&g->kernels[i], &g->kernels[i + 1], (g->kernel_count - i - 1) * sizeof *g->kernels);
        g->kernel_count--;
        rates_set(s, g);
        end_work(s, id);
        some = true;
    }
    for (int engine = SCHEDULE_ENGINE_IN; engine < SCHEDULE_ENGINE_COUNT; engine++) {
        uint64_t id = g->engine_runs[engine];
        if (id != SCHEDULE_NONE && schedule_entry_of(s, id)->end_ns <= s->now) {
            g->engine_runs[engine] = SCHEDULE_NONE;
            end_work(s, id);
            some = true;
        }
    }
    return some;
}

/* The first work that may start now on an engine of a GPU, in the hardware's order; SCHEDULE_NONE. */
static uint64_t next_on(const struct schedule *s, uint32_t gpu, enum schedule_engine engine)
{
    uint64_t best = SCHEDULE_NONE;
    int64_t best_ready = NEVER;

    for (size_t i = 0; i < s->busy_count; i++) {
        uint32_t at = s->busy[i];
        uint64_t id = s->streams[at].first;
        const struct schedule_entry *e = schedule_entry_of(s, id);
        if (e->state != SCHEDULE_WAITING || e->engine != engine || e->gpu != gpu)
            continue;
        if (s->limits.one_queue_per_engine && s->gpus[gpu].engine_first[engine] != id)
            continue;
        int64_t ready = ready_ns(s, at);
        if (ready <= s->now && (ready < best_ready || (ready == best_ready && id < best))) {
            best_ready = ready;
            best = id;
        }
    }
    return best;
}

/* Marks take no time: they end as soon as they are ready. */
static bool pass_marks(struct schedule *s)
{
    bool some = false;

    for (size_t i = 0; i < s->busy_count;) {
        uint32_t at = s->busy[i];
        uint64_t id = s->streams[at].first;
        struct schedule_entry *e = schedule_entry_of(s, id);
        if (e->engine != SCHEDULE_ENGINE_NONE || ready_ns(s, at) > s->now) {
            i++;
            continue;
        }
        e->start_ns = s->now;
        end_work(s, id); /* with its last work the stream leaves the list */
        some = true;
    }
    return some;
}

/* Starts work of a GPU that may start now; false: there was none. */
static bool start_some(struct schedule *s, uint32_t gpu)
{
    bool some = false;

    for (enum schedule_engine engine = SCHEDULE_ENGINE_COMPUTE; engine < SCHEDULE_ENGINE_COUNT; engine++) {
        uint64_t id = next_on(s, gpu, engine);
        /* Work for which there is no room blocks the work after it. */
        if (id != SCHEDULE_NONE && engine_is_free(s, schedule_entry_of(s, id))) {
            start_work(s, id);
            some = true;
        }
    }
    return some;
}

/* Ends and starts everything that is due now. */
static void moment_settle(struct schedule *s)
{
    bool some = true;

    while (some) {
        some = false;
        for (uint32_t gpu = 0; gpu < s->limits.gpus; gpu++)
            some |= end_some(s, &s->gpus[gpu]);
        some |= pass_marks(s);
        for (uint32_t gpu = 0; gpu < s->limits.gpus; gpu++)
            some |= start_some(s, gpu);
    }
}

/* The next end of work that runs on a GPU; NEVER: none runs. */
static int64_t next_end(const struct schedule *s, const struct schedule_gpu *g)
{
    int64_t next = NEVER;

    for (uint32_t i = 0; i < g->kernel_count; i++) {
        int64_t end = kernel_end(s, schedule_entry_of(s, g->kernels[i]));
        next = end < next ? end : next;
    }
    for (int engine = SCHEDULE_ENGINE_IN; engine < SCHEDULE_ENGINE_COUNT; engine++) {
        uint64_t id = g->engine_runs[engine];
        int64_t end = id == SCHEDULE_NONE ? NEVER : schedule_entry_of(s, id)->end_ns;
        next = end < next ? end : next;
    }
    return next;
}

/* The next time after now at which something can happen; NEVER: nothing will. */
static int64_t next_moment(const struct schedule *s)
{
    int64_t next = NEVER;

    for (uint32_t gpu = 0; gpu < s->limits.gpus; gpu++) {
        int64_t end = next_end(s, &s->gpus[gpu]);
        next = end < next ? end : next;
    }
    for (size_t i = 0; i < s->busy_count; i++) {
        if (schedule_entry_of(s, s->streams[s->busy[i]].first)->state != SCHEDULE_WAITING)
            continue;
        int64_t ready = ready_ns(s, s->busy[i]);
        if (ready > s->now && ready < next)
            next = ready;
    }
    return next;
}

void schedule_advance(struct schedule *s, int64_t until_ns)
{
    for (;;) {
        moment_settle(s);
        int64_t next = next_moment(s);
        if (next > until_ns)
            break;
        clock_set(s, next);
    }
    if (until_ns > s->now)
        clock_set(s, until_ns);
}

/* Advances to the next such time; false: nothing can happen any more. */
static bool moment_step(struct schedule *s)
{
    moment_settle(s);
    int64_t next = next_moment(s);
    if (next == NEVER)
        return false;
    clock_set(s, next);
    moment_settle(s);
    return true;
}

int64_t schedule_wait(struct schedule *s, uint64_t id)
{
    const struct schedule_entry *e;

    while ((e = schedule_entry_of(s, id)) && e->state != SCHEDULE_ENDED && moment_step(s))
        continue;
    return e ? e->end_ns : 0;
}

int64_t schedule_wait_stream(struct schedule *s, uint32_t stream)
{
    uint64_t last = s->streams[stream].last;

    if (last != SCHEDULE_NONE)
        schedule_wait(s, last);
    return s->streams[stream].end_ns;
}

int64_t schedule_wait_gpu(struct schedule *s, uint32_t gpu)
{
    int64_t end = 0;

    for (size_t i = 0; i < s->stream_count; i++)
        if (s->streams[i].gpu == gpu)
            end = later_of(end, schedule_wait_stream(s, (uint32_t)i));
    return end;
}

int64_t schedule_wait_all(struct schedule *s)
{
    while (s->busy_count && moment_step(s))
        continue;
    return s->last_end_ns;
}

int64_t schedule_wait_next(struct schedule *s)
{
    int64_t before = s->last_end_ns;

    while (s->last_end_ns == before && moment_step(s))
        continue;
    return s->last_end_ns == before ? 0 : s->last_end_ns;
}

/* ---- work and streams ---- */

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
    s->stream_count = s->stream_capacity = s->limits.gpus;
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
    free(s->busy);
    for (uint32_t gpu = 0; s->gpus && gpu < s->limits.gpus; gpu++)
        free(s->gpus[gpu].kernels);
    free(s->gpus);
    free(s);
}

enum status schedule_stream_add(struct schedule *s, uint32_t gpu, bool non_blocking, uint32_t *stream,
                                struct error *error)
{
    uint32_t at = s->stream_free;

    if (at) {
        s->stream_free = s->streams[at].next_free;
    } else {
        if (s->stream_count >= UINT32_MAX / 2 ||
            !array_grow(s->streams, s->stream_capacity, s->stream_count, 1))
            return error_set(error, STATUS_MEMORY,
                             "There is no memory for another stream: destroy those that are not used.");
        at = (uint32_t)s->stream_count++;
    }
    s->streams[at] = stream_new(gpu, non_blocking);
    *stream = at;
    return STATUS_OK;
}

void schedule_stream_remove(struct schedule *s, uint32_t stream)
{
    s->streams[stream].used = false;
    if (s->streams[stream].first == SCHEDULE_NONE)
        stream_give_back(s, stream);
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
    if (!array_grow(s->entries, s->capacity, s->count, 1) ||
        !array_grow(s->busy, s->busy_capacity, s->busy_count, 1))
        return error_set(error, STATUS_MEMORY,
                         "There is no memory for more work on the model's clock: synchronise more often.");
    return STATUS_OK;
}

enum status schedule_add(struct schedule *s, const struct schedule_work *work, uint64_t *id,
                         struct error *error)
{
    struct schedule_stream *stream = &s->streams[work->stream];

    entries_forget(s);
    enum status status = entries_grow(s, error);
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
    if (stream->last == SCHEDULE_NONE) {
        size_t at = busy_place(s, work->stream);
        memmove(&s->busy[at + 1], &s->busy[at], (s->busy_count++ - at) * sizeof *s->busy);
        s->busy[at] = work->stream;
        stream->first = *id;
    } else {
        schedule_entry_of(s, stream->last)->next = *id;
    }
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
    *ended =
        (struct schedule_ended){.id = id, .tag = e->work.tag, .start_ns = e->start_ns, .end_ns = e->end_ns};
    e->taken = true;
    return true;
}
