/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drawing thread's side. What is laid, lifted and ready lies under the mutex; the drawing thread only
 * ever tries it, so that a frame never waits. A range is asked for again when it has moved out of what the
 * last answer covers, or when more of it has left memory since.
 */
#include "core/recording/readback/readback.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/recording/reader/refill.h"
#include "core/session/lane.h"
#include "core/session/session_internal.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- the state ---- */

/*
 * The inside of struct readback, for core/recording/readback. A thread plans under a hold, reads, and passes
 * the chunks to the thread that draws, which puts them into the session (lays them) and removes others (lifts
 * them). Lifted chunks are freed like evicted ones, when all holds that may reach them have been released.
 */

struct span {
    enum clock_kind clock;
    int64_t start_ns, end_ns;
};

struct laid { /* a chunk that is back */
    struct refill_chunk at;
    struct span span;
    size_t bytes;
    uint64_t epoch; /* when it was lifted */
};

struct laid_list {
    struct laid *list;
    size_t count, room;
};

struct readback {
    struct session *session;
    struct range_reader *reader; /* the thread's */
    size_t most_bytes;
    pthread_t thread;
    _Atomic uint64_t changes;
    _Atomic bool abandon; /* the range being read is no longer shown */

    /* Belongs to the drawing thread: the range that it shows, and its state. */
    struct readback_range range;
    uint32_t range_tracks[READBACK_TRACKS_MOST];
    bool missed; /* the last look could not take the lock yet */
    struct readback_state shown;

    pthread_mutex_t mutex; /* never held while something is read */
    pthread_cond_t wake, done;
    bool ending;
    struct span looked; /* at, last */
    bool folded;        /* something of it may be */
    struct span wanted; /* of the range last requested from the thread */
    uint32_t tracks[READBACK_TRACKS_MOST];
    size_t track_count;
    int64_t asked_ms;
    uint64_t asked, answered;    /* ranges */
    struct span covered;         /* by the last answer */
    uint64_t covered_epoch;      /* what left since is not */
    struct readback_state state; /* the last answer */
    struct laid_list ready;      /* read, not laid yet */
    struct laid_list laid, lifted;
    size_t laid_bytes;
};

/* Makes room for so many more; false: out of memory. */
bool readback_list_reserve(struct laid_list *list, size_t more);
/* False: out of memory. */
bool readback_list_add(struct laid_list *list, const struct laid *laid);
/* Its memory is freed. */
void readback_forget(struct readback *readback, struct laid *laid);
/* Frees evicted chunks that no reader can reach any more. Called with the mutex. */
void readback_free_lifted(struct readback *readback);

/* The thread. */
void *readback_run(void *readback);

/* ---- lists of chunks ---- */

bool readback_list_reserve(struct laid_list *list, size_t more)
{
    return array_grow(list->list, list->room, list->count, more);
}

bool readback_list_add(struct laid_list *list, const struct laid *laid)
{
    if (!readback_list_reserve(list, 1))
        return false;
    list->list[list->count++] = *laid;
    return true;
}

void readback_forget(struct readback *readback, struct laid *laid)
{
    free(laid->at.blocks);
    atomic_fetch_sub_explicit(&readback->session->refilled_bytes, laid->bytes, memory_order_relaxed);
}

/* Frees evicted chunks that no reader can be in any more. */
void readback_free_lifted(struct readback *readback)
{
    uint64_t oldest = readback->lifted.count > 0 ? session_oldest_hold(readback->session) : 0;
    size_t kept = 0;
    for (size_t i = 0; i < readback->lifted.count; i++) {
        struct laid *laid = &readback->lifted.list[i];
        if (laid->epoch < oldest)
            readback_forget(readback, laid);
        else
            readback->lifted.list[kept++] = *laid;
    }
    readback->lifted.count = kept;
}

/* ---- the reading thread ---- */

/* The thread that reads: what of the range there is room for, group by group of tracks. */

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
    *failed = !refill && !no_memory(job);
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

/* ---- readback ---- */

#define AGAIN_MS 1000 /* a range is looked through again after this time: events may have been evicted */

static bool span_within(const struct span *inner, const struct span *outer)
{
    return inner->clock == outer->clock && inner->start_ns >= outer->start_ns &&
           inner->end_ns <= outer->end_ns;
}

static bool span_meets(const struct span *a, const struct span *b)
{
    return a->clock == b->clock && a->start_ns < b->end_ns && b->start_ns < a->end_ns;
}

static bool is_narrower(const struct span *a, const struct span *b)
{
    return a->end_ns - a->start_ns < b->end_ns - b->start_ns;
}

enum status readback_start(struct readback **result, struct session *session, const char *path,
                           size_t most_bytes, struct error *error)
{
    struct readback *readback = calloc(1, sizeof *readback);
    *result = NULL;
    if (readback)
        readback->reader = range_reader_create(session, path);
    if (!readback || !readback->reader) {
        free(readback);
        return error_no_memory(error, "to read %s again", path);
    }
    readback->session = session;
    readback->most_bytes = most_bytes;
    pthread_mutex_init(&readback->mutex, NULL);
    pthread_cond_init(&readback->wake, NULL);
    pthread_cond_init(&readback->done, NULL);
    int failure = pthread_create(&readback->thread, NULL, readback_run, readback);
    if (failure) {
        range_reader_destroy(readback->reader);
        free(readback);
        return error_set_errno(error, STATUS_MEMORY, failure,
                               "Cannot start the thread that reads detail back from %s", path);
    }
    *result = readback;
    return STATUS_OK;
}

/* ---- the drawing thread ---- */
/* There is room in the list for it. */
static void chunk_lift(struct readback *readback, struct laid *laid)
{
    laid->at.blocks = lane_refill_lift(laid->at.lane, laid->at.chunk);
    laid->epoch = atomic_fetch_add(&readback->session->holds->epoch, 1);
    readback->laid_bytes -= laid->bytes;
    readback_list_add(&readback->lifted, laid);
}

/* Releases what lies outside the span until there is room, the oldest first. */
static void make_room(struct readback *readback, const struct span *span, size_t bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < readback->laid.count; i++) {
        struct laid *laid = &readback->laid.list[i];
        if (readback->laid_bytes + bytes > readback->most_bytes / 2 && !span_meets(&laid->span, span))
            chunk_lift(readback, laid);
        else
            readback->laid.list[kept++] = *laid;
    }
    readback->laid.count = kept;
}

static void lay_ready(struct readback *readback)
{
    size_t bytes = 0, all = readback->laid.count + readback->ready.count;
    if (readback->ready.count == 0 || !readback_list_reserve(&readback->laid, readback->ready.count) ||
        !readback_list_reserve(&readback->lifted, all))
        return; /* another time */
    for (size_t i = 0; i < readback->ready.count; i++)
        bytes += readback->ready.list[i].bytes;
    make_room(readback, &readback->covered, bytes);
    for (size_t i = 0; i < readback->ready.count; i++) {
        struct laid *laid = &readback->ready.list[i];
        if (!lane_refill_lay(laid->at.lane, laid->at.chunk, laid->at.blocks)) { /* it was read twice */
            readback_forget(readback, laid);
            continue;
        }
        readback->laid_bytes += laid->bytes;
        readback_list_add(&readback->laid, laid);
    }
    readback->ready.count = 0;
}

static bool same_tracks(const struct readback *readback, const struct readback_range *range)
{
    return readback->track_count == range->track_count &&
           (range->track_count == 0 ||
            memcmp(readback->tracks, range->tracks, range->track_count * sizeof range->tracks[0]) == 0);
}

/* Must the range be read, or looked through again? */
static bool is_news(const struct readback *readback, const struct readback_range *range, int64_t now_ms)
{
    const struct span *span = &readback->looked, *covered = &readback->covered;
    enum readback_kind kind = readback->state.kind;
    int64_t again_ms = kind == READBACK_FAILED || kind == READBACK_PART || kind == READBACK_MERGED
                           ? 10 * AGAIN_MS
                           : AGAIN_MS;
    if (readback->answered != readback->asked)
        return !span_within(span, &readback->wanted);
    if (readback->asked == 0 || !span_within(span, covered))
        return true;
    if (kind == READBACK_TOO_MUCH && is_narrower(span, covered))
        return true;
    if (kind == READBACK_FAILED &&
        !(span_within(&readback->wanted, span) && span_within(span, &readback->wanted)))
        return true; /* the recording may be there again */
    if (kind == READBACK_TRACKS && !same_tracks(readback, range))
        return true;
    return now_ms - readback->asked_ms >= again_ms &&
           atomic_load(&readback->session->holds->epoch) != readback->covered_epoch;
}

static void range_ask(struct readback *readback, const struct readback_range *range, int64_t now_ms)
{
    if (!span_meets(&readback->looked, &readback->wanted))
        atomic_store(&readback->abandon, true);
    readback->wanted = readback->looked;
    readback->track_count = range->track_count;
    if (range->track_count > 0)
        memcpy(readback->tracks, range->tracks, range->track_count * sizeof range->tracks[0]);
    readback->asked++;
    readback->asked_ms = now_ms;
    pthread_cond_signal(&readback->wake);
}

static struct readback_state state_of(const struct readback *readback)
{
    const struct span *looked = &readback->looked, *covered = &readback->covered;
    bool pending = readback->answered != readback->asked;
    struct readback_state state = {.kind = READBACK_READING};
    if (!readback->folded)
        state.kind = READBACK_WHOLE;
    else if (readback->state.kind == READBACK_TOO_MUCH ? !pending || !is_narrower(looked, covered)
                                                       : span_within(looked, covered))
        state = readback->state;
    if (readback->ready.count > 0)
        state.kind = READBACK_READING; /* it is added at the next look */
    return state;
}

/* Under the mutex. */
static void range_look(struct readback *readback)
{
    const struct readback_range *range = &readback->range;
    int64_t now_ms = clock_monotonic_ns() / NS_PER_MS;
    readback->missed = false;
    readback_free_lifted(readback);
    lay_ready(readback);
    readback->looked = (struct span){range->clock, range->start_ns, range->end_ns};
    readback->folded = session_folded_until_ns(readback->session, range->clock) > range->start_ns;
    if (readback->folded && is_news(readback, range, now_ms))
        range_ask(readback, range, now_ms);
    readback->shown = state_of(readback);
}

void readback_look(struct readback *readback, const struct readback_range *range)
{
    readback->range = *range;
    if (range->track_count > READBACK_TRACKS_MOST)
        readback->range.track_count = READBACK_TRACKS_MOST;
    if (range->track_count > 0)
        memcpy(readback->range_tracks, range->tracks,
               readback->range.track_count * sizeof readback->range_tracks[0]);
    readback->range.tracks = readback->range_tracks;
    if (pthread_mutex_trylock(&readback->mutex) != 0) {
        /* The thread holds it only for a moment, but may not be running now: look again at the next frame. */
        readback->missed = true;
        readback->shown = (struct readback_state){.kind = READBACK_READING};
        atomic_fetch_add(&readback->changes, 1);
        return;
    }
    range_look(readback);
    pthread_mutex_unlock(&readback->mutex);
}

void readback_state(const struct readback *readback, struct readback_state *state)
{
    *state = readback->shown;
}

uint64_t readback_changes(const struct readback *readback)
{
    return atomic_load(&readback->changes);
}

void readback_wait(struct readback *readback)
{
    pthread_mutex_lock(&readback->mutex);
    if (readback->missed)
        range_look(readback);
    while (readback->answered != readback->asked)
        pthread_cond_wait(&readback->done, &readback->mutex);
    pthread_mutex_unlock(&readback->mutex);
}

void readback_stop(struct readback *readback)
{
    if (!readback)
        return;
    pthread_mutex_lock(&readback->mutex);
    readback->ending = true;
    atomic_store(&readback->abandon, true);
    pthread_cond_signal(&readback->wake);
    pthread_mutex_unlock(&readback->mutex);
    pthread_join(readback->thread, NULL);
    for (size_t i = 0; i < readback->ready.count; i++)
        readback_forget(readback, &readback->ready.list[i]);
    for (size_t i = 0; i < readback->laid.count; i++) {
        struct laid *laid = &readback->laid.list[i];
        lane_refill_lift(laid->at.lane, laid->at.chunk);
        laid->epoch = atomic_fetch_add(&readback->session->holds->epoch, 1);
        while (laid->epoch >= session_oldest_hold(readback->session))
            sched_yield();
        readback_forget(readback, laid);
    }
    for (readback_free_lifted(readback); readback->lifted.count > 0; readback_free_lifted(readback))
        sched_yield();
    free(readback->ready.list);
    free(readback->laid.list);
    free(readback->lifted.list);
    range_reader_destroy(readback->reader);
    pthread_mutex_destroy(&readback->mutex);
    pthread_cond_destroy(&readback->wake);
    pthread_cond_destroy(&readback->done);
    free(readback);
}
