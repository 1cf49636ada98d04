/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of core/analysis/overlap/overlap.h over work that is collected: how long operations, kernels and
 * copies were busy, as unions of intervals that come in order of start, and the job that does all of it in
 * slices. A job goes through its stages once, in order; its memory is the job's.
 */
#include "core/analysis/overlap/overlap.h"

#include "core/analysis/overlap/overlap_internal.h"

#include <stdlib.h>
#include <string.h>

#define SERIAL_TEXT(name, id, text) [SERIAL_##name] = text,
#define SERIAL_ID(name, id, text) [SERIAL_##name] = #id,

const char *serial_reason_text(enum serial_reason reason)
{
    static const char *const texts[SERIAL_COUNT] = {SERIAL_REASON_LIST(SERIAL_TEXT)};
    return (unsigned)reason < SERIAL_COUNT ? texts[reason] : "unknown";
}

const char *serial_reason_id(enum serial_reason reason)
{
    static const char *const ids[SERIAL_COUNT] = {SERIAL_REASON_LIST(SERIAL_ID)};
    return (unsigned)reason < SERIAL_COUNT ? ids[reason] : "unknown";
}

const char *overlap_engine_text(uint8_t engine)
{
    return engine == ENGINE_KERNELS ? "kernels"
           : engine == ENGINE_SETS  ? "sets"
                                    : copy_kind_copies((uint8_t)(engine - ENGINE_COPIES));
}

/* ---- what is busy ---- */
/* Grows a union of intervals that arrive in order of start; covered_ns is how far the union reaches. */
static void union_grow(int64_t *busy_ns, int64_t *covered_ns, int64_t start_ns, int64_t end_ns)
{
    int64_t from_ns = start_ns > *covered_ns ? start_ns : *covered_ns;
    if (end_ns > from_ns) {
        *busy_ns = session_add_ns(*busy_ns, end_ns - from_ns);
        *covered_ns = end_ns;
    }
}

struct busy {
    int64_t *stream_covered_ns; /* by track */
    int64_t kernels_ns, copies_ns, any_ns, streams_busy_ns, first_ns, last_ns;
    size_t at;
};

static bool busy_begin(struct busy *busy, const struct work *work)
{
    uint32_t tracks = session_track_count(work->session);
    *busy = (struct busy){.kernels_ns = INT64_MIN,
                          .copies_ns = INT64_MIN,
                          .any_ns = INT64_MIN,
                          .first_ns = INT64_MAX,
                          .last_ns = INT64_MIN};
    busy->stream_covered_ns = malloc((tracks + 1) * sizeof *busy->stream_covered_ns);
    for (uint32_t i = 0; busy->stream_covered_ns && i < tracks; i++)
        busy->stream_covered_ns[i] = INT64_MIN;
    return busy->stream_covered_ns != NULL;
}

static enum slice busy_step(struct busy *busy, const struct work *work, struct overlap *overlap, size_t *left)
{
    size_t own = work->next - work->own;
    for (; *left > 0 && busy->at < own; busy->at++, slice_take(left, 1)) {
        const struct operation *operation = &work->operations[work->own + busy->at];
        int64_t start_ns = operation->start_ns > work->start_ns ? operation->start_ns : work->start_ns;
        int64_t end_ns = operation->end_ns < work->end_ns ? operation->end_ns : work->end_ns;
        busy->first_ns = start_ns < busy->first_ns ? start_ns : busy->first_ns;
        busy->last_ns = end_ns > busy->last_ns ? end_ns : busy->last_ns;
        if (operation->engine == ENGINE_KERNELS)
            union_grow(&overlap->kernel_busy_ns, &busy->kernels_ns, start_ns, end_ns);
        else
            union_grow(&overlap->copy_busy_ns, &busy->copies_ns, start_ns, end_ns);
        union_grow(&overlap->any_busy_ns, &busy->any_ns, start_ns, end_ns);
        union_grow(&busy->streams_busy_ns, &busy->stream_covered_ns[operation->track], start_ns, end_ns);
    }
    if (busy->at < own)
        return SLICE_MORE;
    overlap->operations += own;
    overlap->span_ns = overlap->operations > 0 ? busy->last_ns - busy->first_ns : 0;
    /* |A and B| = |A| + |B| - |A or B| */
    overlap->copy_hidden_ns = overlap->kernel_busy_ns + overlap->copy_busy_ns - overlap->any_busy_ns;
    overlap->mean_active_streams =
        overlap->any_busy_ns > 0 ? (double)busy->streams_busy_ns / (double)overlap->any_busy_ns : 0;
    return SLICE_DONE;
}

/* ---- one after the other ---- */
enum stage { STAGE_COLLECT, STAGE_BUSY, STAGE_SERIAL, STAGE_LEAST, STAGE_DONE };
static const double stage_begins[] = {
    [STAGE_COLLECT] = 0, [STAGE_BUSY] = 0.3, [STAGE_SERIAL] = 0.33, [STAGE_LEAST] = 0.97, [STAGE_DONE] = 1};

struct overlap_job {
    struct work work;
    struct collector collector;
    struct busy busy;
    struct serial *serial;
    struct carried_waits carried;
    struct least least;
    struct overlap overlap;
    enum stage stage;
    bool made;       /* what the stage needs */
    double progress; /* never goes back */
};

enum status overlap_begin(struct overlap_job **job, const struct session *session, uint32_t run,
                          int64_t start_ns, int64_t end_ns, struct error *error)
{
    return overlap_begin_batches(job, session, run, start_ns, end_ns, BATCH_OPERATIONS, BATCH_AHEAD, false,
                                 error);
}

enum status overlap_begin_batches(struct overlap_job **made, const struct session *session, uint32_t run,
                                  int64_t start_ns, int64_t end_ns, size_t batch, size_t ahead, bool sums,
                                  struct error *error)
{
    struct overlap_job *job = *made = calloc(1, sizeof *job);
    if (!job)
        return error_no_memory(error, "to examine the overlap");
    enum status status = collector_begin(&job->collector, &job->work, session, run, start_ns, end_ns, batch,
                                         ahead, sums, error);
    if (status != STATUS_OK) {
        overlap_end(job);
        *made = NULL;
    }
    return status;
}

void overlap_end(struct overlap_job *job)
{
    if (!job)
        return;
    collector_fini(&job->collector);
    free(job->busy.stream_covered_ns);
    serial_free(job->serial);
    free(job->carried.items);
    free(job->least.loads);
    work_free(&job->work);
    free(job);
}

/* Allocates what the stage needs; false: no memory. */
static bool stage_begin(struct overlap_job *job)
{
    switch (job->stage) {
    case STAGE_BUSY:
        job->busy.at = 0;
        return job->busy.stream_covered_ns || busy_begin(&job->busy, &job->work);
    case STAGE_SERIAL: return (job->serial = serial_begin(&job->work, &job->carried)) != NULL;
    case STAGE_LEAST:
        serial_free(job->serial);
        job->serial = NULL;
        job->least.at = 0;
        return true;
    default: return true;
    }
}

static enum slice stage_step(struct overlap_job *job, size_t *left)
{
    switch (job->stage) {
    case STAGE_COLLECT: return collector_step(&job->collector, left);
    case STAGE_BUSY: return busy_step(&job->busy, &job->work, &job->overlap, left);
    case STAGE_SERIAL: return serial_step(job->serial, &job->overlap, left);
    default: return least_step(&job->least, &job->work, &job->overlap, left);
    }
}

/* About how far it is. */
static double progress_of(const struct overlap_job *job)
{
    double part = 0;
    if (job->stage == STAGE_DONE)
        return 1;
    if (job->collector.passed > 0 || job->collector.streams.count > 0) /* one of many batches */
        return (double)job->collector.passed / (double)(job->collector.operations + 1);
    if (job->stage == STAGE_COLLECT)
        part = (double)job->collector.done / (double)(job->collector.events + 1);
    else if (job->stage == STAGE_SERIAL && job->serial)
        part = serial_progress(job->serial);
    part = part < 1 ? part : 1;
    return stage_begins[job->stage] + part * (stage_begins[job->stage + 1] - stage_begins[job->stage]);
}

enum status overlap_step(struct overlap_job *job, size_t most, struct overlap *overlap, bool *done,
                         struct error *error)
{
    *done = false;
    while (job->stage != STAGE_DONE && most > 0) {
        enum slice slice = job->made || stage_begin(job) ? stage_step(job, &most) : SLICE_NO_MEMORY;
        job->made = true;
        if (slice == SLICE_NO_MEMORY)
            return work_no_memory(&job->work, error);
        if (slice == SLICE_MORE)
            break;
        if (job->stage == STAGE_COLLECT) {
            enum status status = collector_end(&job->collector, error);
            if (status != STATUS_OK)
                return status;
        }
        job->stage++;
        job->made = false;
        slice = job->stage == STAGE_DONE ? collector_next(&job->collector) : SLICE_DONE;
        if (slice == SLICE_NO_MEMORY)
            return work_no_memory(&job->work, error);
        if (slice == SLICE_MORE)
            job->stage = STAGE_COLLECT;
    }
    double progress = progress_of(job);
    job->progress = progress > job->progress ? progress : job->progress;
    *done = job->stage == STAGE_DONE;
    if (*done)
        *overlap = job->overlap;
    return STATUS_OK;
}

double overlap_progress(const struct overlap_job *job)
{
    return job->progress;
}

static enum status compute_whole(const struct session *session, uint32_t run, int64_t start_ns,
                                 int64_t end_ns, bool sums, struct overlap *overlap, struct error *error)
{
    struct overlap_job *job;
    bool done;
    enum status status = overlap_begin_batches(&job, session, run, start_ns, end_ns, BATCH_OPERATIONS,
                                               BATCH_AHEAD, sums, error);
    *overlap = (struct overlap){0};
    if (status == STATUS_OK) {
        status = overlap_step(job, SIZE_MAX, overlap, &done, error);
        overlap_end(job);
    }
    return status;
}

enum status overlap_compute(const struct session *session, uint32_t run, int64_t start_ns, int64_t end_ns,
                            struct overlap *overlap, struct error *error)
{
    return compute_whole(session, run, start_ns, end_ns, false, overlap, error);
}

enum status overlap_sums(const struct session *session, uint32_t run, int64_t start_ns, int64_t end_ns,
                         struct overlap *overlap, struct error *error)
{
    return compute_whole(session, run, start_ns, end_ns, true, overlap, error);
}
