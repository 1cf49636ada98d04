/* The thread that reads: what of the range there is room for, group by group of tracks. */
#include "core/base/clock.h"
#include "core/recording/readback/readback_internal.h"
#include "core/session/lane_refill.h"
#include "core/session/session_internal.h"

#include <stdlib.h>
#include <string.h>

#define FREE_TRIES 50 /* ms */

struct job {
    struct span span; /* what is read: the range and its neighbourhood, or only the range */
    uint32_t tracks[READBACK_TRACKS_MOST];
    size_t track_count; /* 0: all */
    struct laid_list read;
    uint64_t missing, merged, epoch;
    struct readback_state state;
};

static struct refill_want want_of(const struct job *job, uint32_t kinds)
{
    return (struct refill_want){.clock = job->span.clock,
                                .start_ns = job->span.start_ns,
                                .end_ns = job->span.end_ns,
                                .kinds = kinds,
                                .tracks = job->track_count ? job->tracks : NULL,
                                .track_count = job->track_count};
}

static struct refill *refill_make(const struct readback *readback, const struct refill_want *want,
                                  struct refill_extent *extent)
{
    unsigned hold = session_hold(readback->session);
    struct refill *refill = refill_plan(readback->session, want, extent);
    session_let_go(readback->session, hold);
    return refill;
}

static bool no_memory(struct job *job)
{
    job->state.kind = READBACK_FAILED;
    error_no_memory(&job->state.error, "to read detail back from the recording");
    return false;
}

/* Is there room for the job's span? *extent: the size of all of it. */
static bool job_fits(struct readback *readback, struct job *job, struct refill_extent *extent, bool *failed)
{
    struct refill_want want = want_of(job, REFILL_ALL_KINDS);
    struct refill *refill = refill_make(readback, &want, extent);
    *failed = refill == NULL && !no_memory(job);
    refill_destroy(refill);
    return !*failed &&
           extent->all_bytes <= readback->most_bytes / 2; /* the other half is for what is shown now */
}

static int64_t time_moved(int64_t time_ns, int64_t by_ns)
{
    int64_t to_ns = time_ns + by_ns;
    return to_ns < -SESSION_TIME_MAX_NS  ? -SESSION_TIME_MAX_NS
           : to_ns > SESSION_TIME_MAX_NS ? SESSION_TIME_MAX_NS
                                         : to_ns;
}

/* Decides what the job reads: more than the range, so that panning finds it loaded; or only some tracks.
 * False: nothing. */
static bool choose_span(struct readback *readback, struct job *job)
{
    struct refill_extent extent;
    struct span range = job->span;
    size_t track_count = job->track_count;
    int64_t half_ns = (range.end_ns - range.start_ns) / 2;
    bool failed;
    job->track_count = 0;
    job->span.start_ns = time_moved(range.start_ns, -half_ns);
    job->span.end_ns = time_moved(range.end_ns, half_ns);
    if (job_fits(readback, job, &extent, &failed) || failed)
        return !failed && extent.chunks + extent.merged > 0;
    job->span = range;
    if (job_fits(readback, job, &extent, &failed) || failed)
        return !failed && extent.chunks + extent.merged > 0;
    job->state.events = extent.all_bytes / (lane_chunk_bytes(1) / LANE_BLOCK);
    job->state.most = readback->most_bytes / 2 / (lane_chunk_bytes(1) / LANE_BLOCK);
    job->track_count = track_count;
    job->state.kind = track_count > 0 && job_fits(readback, job, &extent, &failed) ? READBACK_TRACKS
                      : failed                                                     ? READBACK_FAILED
                                                                                   : READBACK_TOO_MUCH;
    return job->state.kind == READBACK_TRACKS && extent.chunks + extent.merged > 0;
}

static bool keep_read(struct readback *readback, struct job *job, struct refill *refill)
{
    struct refill_chunk chunk;
    while (refill_next(refill, &chunk)) {
        uint64_t first = lane_chunk_first(chunk.chunk);
        struct laid laid = {.at = chunk,
                            .bytes = lane_chunk_bytes(lane_chunk_blocks(chunk.chunk)),
                            .span = {.clock = job->span.clock}};
        laid.span.start_ns = lane_head_at(chunk.lane, first).start_ns;
        laid.span.end_ns = lane_head_at(chunk.lane, first + lane_chunk_blocks(chunk.chunk)).start_ns;
        if (!readback_list_add(&job->read, &laid)) {
            free(chunk.blocks);
            return no_memory(job);
        }
        atomic_fetch_add_explicit(&readback->session->refilled_bytes, laid.bytes, memory_order_relaxed);
    }
    return true;
}

static bool read_group(struct readback *readback, struct job *job, uint32_t kinds)
{
    struct refill_want want = want_of(job, kinds);
    struct refill_extent extent;
    struct refill *refill = refill_make(readback, &want, &extent);
    if (!refill)
        return no_memory(job);
    bool fine = true;
    job->merged += extent.merged;
    if (extent.chunks > 0) {
        fine = range_reader_read(readback->reader, refill, &want, &extent, &readback->abandon,
                                 &job->state.error) == STATUS_OK;
        job->missing += refill_missing(refill);
        if (!fine)
            job->state.kind = READBACK_FAILED;
        unsigned hold = session_hold(readback->session);
        fine = keep_read(readback, job, refill) && fine;
        session_let_go(readback->session, hold);
    }
    refill_destroy(refill);
    return fine;
}

static void run_job(struct readback *readback, struct job *job)
{
    job->epoch = atomic_load(&readback->session->holds->epoch);
    if (!choose_span(readback, job))
        return;
    if (range_reader_open(readback->reader, &job->state.error) == STATUS_OK) {
        for (unsigned g = 0; g < REFILL_GROUP_COUNT && read_group(readback, job, refill_groups[g]); g++) {
        }
    } else {
        job->state.kind = READBACK_FAILED;
    }
    range_reader_close(readback->reader);
    if (job->state.kind != READBACK_FAILED && job->missing + job->merged > 0)
        job->state.kind = job->missing > 0 ? READBACK_PART : READBACK_MERGED;
}

/* So that old and new events do not take memory at the same time. A thread that draws a single picture holds
 * the session for all of it. */
static void wait_for_lifted(struct readback *readback)
{
    for (int tries = 0; tries < FREE_TRIES && !readback->ending; tries++) {
        readback_free_lifted(readback);
        if (readback->lifted.count == 0)
            return;
        pthread_mutex_unlock(&readback->mutex);
        clock_pause(NS_PER_MS);
        pthread_mutex_lock(&readback->mutex);
    }
}

static void job_answer(struct readback *readback, struct job *job, uint64_t number)
{
    for (size_t i = 0; i < job->read.count; i++)
        if (!readback_list_add(&readback->ready, &job->read.list[i]))
            readback_forget(readback, &job->read.list[i]);
    free(job->read.list);
    if (atomic_load(&readback->abandon))
        return;
    readback->answered = number;
    readback->covered = job->span;
    readback->covered_epoch = job->epoch;
    readback->state = job->state;
    atomic_fetch_add(&readback->changes, 1);
    pthread_cond_broadcast(&readback->done);
}

void *readback_run(void *context)
{
    struct readback *readback = context;
    pthread_mutex_lock(&readback->mutex);
    while (!readback->ending) {
        if (readback->answered == readback->asked) {
            pthread_cond_wait(&readback->wake, &readback->mutex);
            continue;
        }
        wait_for_lifted(readback);
        struct job job = {.span = readback->wanted, .track_count = readback->track_count};
        uint64_t number = readback->asked;
        memcpy(job.tracks, readback->tracks, sizeof job.tracks);
        atomic_store(&readback->abandon, readback->ending);
        pthread_mutex_unlock(&readback->mutex);
        run_job(readback, &job);
        pthread_mutex_lock(&readback->mutex);
        job_answer(readback, &job, number);
    }
    pthread_mutex_unlock(&readback->mutex);
    return NULL;
}
