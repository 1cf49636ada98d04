/*
 * The inside of struct readback, for core/recording/readback. A thread plans under a hold, reads, and passes
 * the chunks to the thread that draws, which puts them into the session (lays them) and removes others (lifts
 * them). Lifted chunks are freed like evicted ones, when all holds that may reach them have been released.
 */
#ifndef CORE_RECORDING_READBACK_READBACK_INTERNAL_H
#define CORE_RECORDING_READBACK_READBACK_INTERNAL_H

#include "core/recording/readback/readback.h"
#include "core/recording/reader/recording_range.h"

#include <pthread.h>

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

#endif
