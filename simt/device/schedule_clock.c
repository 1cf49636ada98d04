/* Advances the clock step by step, to the next time at which work ends or can start. */
#include "simt/device/schedule_internal.h"

#include <string.h>

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
    int64_t signal;

    if (past->engine == SCHEDULE_ENGINE_NONE || e->engine == SCHEDULE_ENGINE_NONE ||
        (past->engine == e->engine && past->gpu == e->gpu))
        return past->end_ns;
    signal = signal_ns(s, past);
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

static void end_work(struct schedule *s, uint64_t id)
{
    struct schedule_entry *e = schedule_entry_of(s, id);
    struct schedule_stream *stream = &s->streams[e->work.stream];

    e->state = SCHEDULE_ENDED;
    e->end_ns = s->now;
    stream->first = e->next;
    if (stream->first == SCHEDULE_NONE)
        stream->last = SCHEDULE_NONE;
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

    for (uint32_t at = 0; at < s->stream_count; at++) {
        uint64_t id = s->streams[at].first;
        const struct schedule_entry *e = id == SCHEDULE_NONE ? NULL : schedule_entry_of(s, id);
        if (!e || e->state != SCHEDULE_WAITING || e->engine != engine || e->gpu != gpu)
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

    for (uint32_t at = 0; at < s->stream_count; at++) {
        while (s->streams[at].first != SCHEDULE_NONE) {
            uint64_t id = s->streams[at].first;
            struct schedule_entry *e = schedule_entry_of(s, id);
            if (e->engine != SCHEDULE_ENGINE_NONE || ready_ns(s, at) > s->now)
                break;
            e->start_ns = s->now;
            end_work(s, id);
            some = true;
        }
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
    for (uint32_t at = 0; at < s->stream_count; at++) {
        uint64_t id = s->streams[at].first;
        if (id == SCHEDULE_NONE || schedule_entry_of(s, id)->state != SCHEDULE_WAITING)
            continue;
        int64_t ready = ready_ns(s, at);
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
    bool some = true;

    while (some) {
        some = false;
        for (size_t i = 0; i < s->stream_count && !some; i++)
            some = s->streams[i].first != SCHEDULE_NONE;
        some = some && moment_step(s);
    }
    return s->last_end_ns;
}

int64_t schedule_wait_next(struct schedule *s)
{
    int64_t before = s->last_end_ns;

    while (s->last_end_ns == before && moment_step(s))
        continue;
    return s->last_end_ns == before ? 0 : s->last_end_ns;
}
