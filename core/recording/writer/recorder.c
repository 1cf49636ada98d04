/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's thread: a transaction every 200 ms, more at once while it lags behind. The connection
 * belongs to the thread from recorder_start to recorder_stop; what others may ask lies in `state`, under the
 * lock.
 */
#include "core/base/clock.h"
#include "core/recording/recording.h"

#include "core/recording/recording_file.h"
#include "core/recording/writer/recorder_internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 200000000
#define BATCH_EVENTS 50000 /* in one transaction: some 60 ms of work */

struct recorder {
    const struct session *session;
    struct recorder_writer *writer;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;         /* on CLOCK_MONOTONIC */
    bool stop;                   /* under lock */
    struct recorder_state state; /* under lock; lag_rows is computed on request */
    uint64_t taken;              /* under lock: events dealt with */
    char *path, *aside; /* aside: the previous recording, until this one holds something; NULL: none */
    void (*tell)(const char *sentence);
    bool *old_is_back;
    int lost_exit;
    struct error lost; /* the sentence of end_by_bus */
};

/* ---- the -shm is memory that any process of the same user can take away ---- */
static __thread const struct recorder *writing; /* by this thread, just now */
static struct sigaction bus_before;

/* SQLite maps the -shm, and access behind its end is SIGBUS. What SQLite holds then is neither whole nor to
 * be repaired from here; another process recovers the committed rows from the -wal. */
static void end_by_bus(int number)
{
    if (writing) {
        const char *text = writing->lost.text;
        while (*text) {
            ssize_t written = write(STDERR_FILENO, text, strlen(text));
            if (written <= 0)
                break;
            text += written;
        }
        if (write(STDERR_FILENO, "\n", 1) < 0) {
            /* there is nobody left to tell */
        }
        _exit(writing->lost_exit);
    }
    sigaction(number, &bus_before, NULL);
    raise(number);
}

static void take_bus(void)
{
    struct sigaction action = {.sa_handler = end_by_bus};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &bus_before);
}

/* After a step: publishes the state for other threads. */
static void publish_state(struct recorder *recorder, enum status status, const struct error *error)
{
    pthread_mutex_lock(&recorder->lock);
    recorder_writer_state(recorder->writer, &recorder->state);
    recorder->taken = recorder_writer_taken(recorder->writer);
    if (status != STATUS_OK) {
        recorder->state.failed = true;
        recorder->state.error = *error;
    }
    pthread_mutex_unlock(&recorder->lock);
}

/* Removes the previous recording once this one holds something. */
static void let_old_go(struct recorder *recorder)
{
    if (!recorder->aside || !recorder_writer_holds(recorder->writer))
        return;
    recording_remove(recorder->aside, NULL);
    sqlite3_free(recorder->aside);
    recorder->aside = NULL;
}

static enum status write_all(struct recorder *recorder, struct error *error)
{
    bool more = true;
    enum status status = STATUS_OK;
    while (more && status == STATUS_OK) {
        status = recorder_writer_step(recorder->writer, BATCH_EVENTS, &more, error);
        publish_state(recorder, status, error);
        if (status == STATUS_OK)
            let_old_go(recorder);
    }
    return status;
}

/* Waits for *deadline_ns and sets it to the next one; false if it is time to stop. */
static bool wait_period(struct recorder *recorder, int64_t *deadline_ns)
{
    const struct timespec deadline = timespec_of(*deadline_ns);
    pthread_mutex_lock(&recorder->lock);
    while (!recorder->stop && pthread_cond_timedwait(&recorder->wake, &recorder->lock, &deadline) == 0) {
    }
    bool stop = recorder->stop;
    pthread_mutex_unlock(&recorder->lock);
    int64_t now_ns = clock_monotonic_ns();
    *deadline_ns = *deadline_ns + PERIOD_NS > now_ns ? *deadline_ns + PERIOD_NS : now_ns;
    return !stop;
}

static void *recorder_main(void *argument)
{
    struct recorder *recorder = argument;
    struct error error = {0};
    int64_t deadline_ns = clock_monotonic_ns();
    writing = recorder;
    while (wait_period(recorder, &deadline_ns))
        if (write_all(recorder, &error) != STATUS_OK) {
            recorder_writer_abandon(recorder->writer, error.text);
            session_end_recording(recorder->session); /* memory stays bounded all the same */
            break;
        }
    return NULL;
}

/* This thread handles no signals but SIGBUS: they are the program's. */
static int start_thread(struct recorder *recorder)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&recorder->thread, NULL, recorder_main, recorder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

/* Left by a lanescope that was killed before it had recorded anything in its place. */
static void tell_of_aside(const char *path, const struct recorder_options *options)
{
    char aside[4096];
    struct error sentence;
    if (!options->tell || !recording_lies_aside(path, aside, sizeof aside))
        return;
    error_set(&sentence, STATUS_OK,
              "%s is a previous recording: a lanescope that was killed had renamed it and had recorded "
              "nothing in its place. It is not changed.",
              aside);
    options->tell(sentence.text);
}

enum status recorder_start(struct recorder **result, const struct session *session, const char *path,
                           const struct recorder_options *options, struct error *error)
{
    sqlite3 *database = NULL;
    *result = NULL;
    if (options->max_bytes && options->max_bytes < RECORDING_LEAST_MAX_BYTES)
        return error_set(error, STATUS_USAGE, "A recording needs at least %d MB: allow %s more.",
                         (int)(RECORDING_LEAST_MAX_BYTES >> 20), path);
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return error_no_memory(error, "to record to %s", path);
    recorder->session = session;
    recorder->tell = options->tell;
    recorder->old_is_back = options->old_is_back;
    recorder->lost_exit = options->lost_exit;
    error_set(&recorder->lost, STATUS_IO,
              "lanescope: %s-shm was truncated by another process while the recording was written: lanescope "
              "ends. The rows that were committed are kept.",
              path);
    static pthread_once_t bus = PTHREAD_ONCE_INIT;
    pthread_once(&bus, take_bus);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&recorder->lock, NULL);
    pthread_cond_init(&recorder->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);

    const char *network = recording_path_network(path);
    if (options->overwrite)
        tell_of_aside(path, options);
    enum status status =
        recording_create(&database, path, options->overwrite, network, &recorder->aside, error);
    bool created = status == STATUS_OK;
    if (created && !(recorder->path = sqlite3_mprintf("%s", path))) {
        status = error_no_memory(error, "to record to %s", path);
        sqlite3_close(database);
        goto fail;
    }
    if (created)
        status = recorder_writer_create(&recorder->writer, session, database, path, network, options, error);
    if (status != STATUS_OK)
        goto fail;
    recorder_writer_state(recorder->writer, &recorder->state);
    int started = start_thread(recorder);
    if (started) {
        status = error_set_errno(error, STATUS_MEMORY, started,
                                 "The thread that records to %s could not be started", path);
        goto fail;
    }
    *result = recorder;
    return STATUS_OK;
fail:
    recorder_writer_destroy(recorder->writer);
    if (created && recorder->aside) /* if the start fails, no file is left behind */
        recording_put_back(recorder->aside, path, NULL);
    else if (created)
        recording_remove(path, NULL);
    sqlite3_free(recorder->aside);
    sqlite3_free(recorder->path);
    pthread_cond_destroy(&recorder->wake);
    pthread_mutex_destroy(&recorder->lock);
    free(recorder);
    return status;
}

void recorder_state(const struct recorder *recorder, struct recorder_state *state)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&recorder->lock; /* locking does not change the recorder */
    pthread_mutex_lock(lock);
    *state = recorder->state;
    uint64_t taken = recorder->taken;
    pthread_mutex_unlock(lock);
    uint64_t published = session_event_count(recorder->session);
    state->lag_rows = published > taken ? published - taken : 0;
}

enum status recorder_stop(struct recorder *recorder, struct error *error)
{
    if (!recorder)
        return STATUS_OK;
    pthread_mutex_lock(&recorder->lock);
    recorder->stop = true;
    pthread_cond_signal(&recorder->wake);
    pthread_mutex_unlock(&recorder->lock);
    pthread_join(recorder->thread, NULL);
    writing = recorder;
    enum status status = STATUS_OK;
    if (recorder->state.failed)
        status = error_set(error, recorder->state.error.status, "%s", recorder->state.error.text);
    else
        status = recorder_writer_finish(recorder->writer, error);
    let_old_go(recorder);
    recorder_writer_destroy(recorder->writer);
    writing = NULL;
    if (recorder->aside) {
        enum status put_back =
            recording_put_back(recorder->aside, recorder->path, status == STATUS_OK ? error : NULL);
        if (put_back == STATUS_OK && recorder->old_is_back)
            *recorder->old_is_back = true;
        if (put_back == STATUS_OK && recorder->tell) {
            struct error sentence;
            error_set(&sentence, STATUS_OK, "Nothing was recorded: %s is the previous recording.",
                      recorder->path);
            recorder->tell(sentence.text);
        }
        status = status == STATUS_OK ? put_back : status;
    }
    sqlite3_free(recorder->aside);
    sqlite3_free(recorder->path);
    pthread_cond_destroy(&recorder->wake);
    pthread_mutex_destroy(&recorder->lock);
    free(recorder);
    return status;
}
