/*
 * The drawing thread's side. What is laid, lifted and ready lies under the mutex; the drawing thread only
 * ever tries it, so that a frame never waits. A range is asked for again when it has moved out of what the
 * last answer covers, or when more of it has left memory since.
 */
#include "core/recording/readback/readback.h"

#include "core/base/clock.h"
#include "core/recording/readback/readback_internal.h"
#include "core/session/lane_refill.h"
#include "core/session/session_internal.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

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
