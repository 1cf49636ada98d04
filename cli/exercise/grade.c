/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worker threads take the next job each; a job is of one thread from then on. What a job makes lies in its
 * folder: the copy of the hand-in, under a name of lanescope's own (a student's never reaches a compiler),
 * the recording, the sentences of the run, and what the compiler writes.
 *
 * A signal that ends lanescope is waited for by a thread: it ends the runs, the workers remove their folders,
 * and then the signal does what it always does.
 */
#include "cli/exercise/hand_in.h"

#include "cli/options/options.h"
#include "cli/process/confined.h"
#include "cli/process/launch.h"
#include "cli/process/limited.h"
#include "cli/process/paths.h"
#include "cli/run/record.h"
#include "core/base/append.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/free_memory.h"
#include "core/recording/recording.h"
#include "core/wire/standin_config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WORKERS_MAX 16
#define SESSION_BYTES ((size_t)256 << 20)
#define FOLDER_BYTES 512 /* the path of a socket below it has to be shorter than 108 bytes */
#define FOLDER_NAME "lanescope-grade"
#define MEMORY_BYTES (2ull << 30) /* of all processes of a hand-in */
#define SENTENCES_BYTES 4096
enum { SHOWN_RUN, OTHER_RUN }; /* of a recording */
#define WATCH_NS (50 * (int64_t)NS_PER_MS)

struct grader {
    struct grade_job *jobs;
    size_t count;
    atomic_size_t next;
    double time_limit_s;
    uint64_t random[2];     /* of the second runs, the same for all hand-ins */
    atomic_int confinement; /* enum confinement: of compilers from now on */
    atomic_bool compiles;   /* confined so, the compiler has compiled something */
    pthread_mutex_t trying; /* whether it does */
    char program[PATH_BYTES];
    sigset_t signals;    /* that end lanescope */
    atomic_int ended_by; /* one of them; 0: none has come */
    atomic_bool finished;
    pthread_mutex_t lock;                /* of running */
    struct launch *running[WORKERS_MAX]; /* NULL: none */
};

struct place {
    char folder[FOLDER_BYTES], source[FOLDER_BYTES + 40], recording[FOLDER_BYTES + 40];
    int sentences;        /* descriptor of an unnamed file */
    int lock;             /* descriptor of the folder, which is locked while it is in use */
    enum confinement how; /* of its compiler */
};

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool grade_needs_compiler(const char *path)
{
    return !ends_in(path, ".ptx");
}

/* ---- files ---- */
static void place_fini(struct place *place)
{
    if (place->sentences >= 0)
        close(place->sentences);
    folder_remove(place->folder);
    if (place->lock >= 0)
        close(place->lock);
}

static bool write_whole(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t size = strlen(text), used = 0;
    ssize_t got = 0;

    while (file >= 0 && used < size && (got = write(file, text + used, size - used)) > 0)
        used += (size_t)got;
    return file >= 0 && close(file) == 0 && used == size;
}

static enum status place_init(struct place *place, const struct grade_job *job, const char *text,
                              struct error *error)
{
    const struct exercise *exercise = job->grade.exercise;

    place->sentences = -1;
    place->lock = folder_make(FOLDER_NAME, place->folder, sizeof place->folder);
    if (place->lock < 0)
        return error_set_errno(error, STATUS_IO, errno, "A folder could not be made in %.300s",
                               folder_temporary());
    snprintf(place->source, sizeof place->source, "%s/%s%s", place->folder, exercise->name,
             ends_in(job->path, ".ptx") ? ".ptx" : ".cu");
    snprintf(place->recording, sizeof place->recording, "%s/run.lsr", place->folder);
    place->sentences = open(place->folder, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
    if (place->sentences < 0)
        place->sentences = memfd_create("sentences", MFD_CLOEXEC);
    if (place->sentences >= 0 && write_whole(place->source, text))
        return STATUS_OK;
    error_set_errno(error, STATUS_IO, errno, "%.300s could not be written", place->source);
    place_fini(place);
    return STATUS_IO;
}

/* ---- signals ---- */
static void set_ending_signals(sigset_t *signals)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

    sigemptyset(signals);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action;

        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(signals, ending[i]);
    }
}

static void *wait_for_signal(void *context)
{
    const struct timespec pause = {0, WATCH_NS};
    struct grader *grader = context;

    while (!atomic_load(&grader->finished)) {
        int got = sigtimedwait(&grader->signals, NULL, &pause);

        if (got <= 0)
            continue;
        atomic_store(&grader->ended_by, got);
        pthread_mutex_lock(&grader->lock);
        for (size_t i = 0; i < WORKERS_MAX; i++)
            if (grader->running[i])
                launch_stop(grader->running[i]);
        pthread_mutex_unlock(&grader->lock);
    }
    return NULL;
}

/* Waits for the end of a run, which a signal may bring about. */
static int wait_for_run(struct grader *grader, struct launch *launch)
{
    size_t slot = 0;

    pthread_mutex_lock(&grader->lock);
    while (grader->running[slot]) /* there are as many as workers */
        slot++;
    grader->running[slot] = launch;
    if (atomic_load(&grader->ended_by) != 0)
        launch_stop(launch);
    pthread_mutex_unlock(&grader->lock);
    int status = launch_wait(launch, NULL);

    pthread_mutex_lock(&grader->lock);
    grader->running[slot] = NULL;
    pthread_mutex_unlock(&grader->lock);
    return status;
}

/* ---- the run ---- */
/* The first sentence of lanescope's own on its standard error that is not about the device, and the lines of
 * the source that follow it. */
static void read_sentence(const struct place *place, struct grade *grade)
{
    static const char lead[] = "lanescope: ";
    char text[SENTENCES_BYTES];
    size_t used = 0;
    ssize_t got = pread(place->sentences, text, sizeof text - 1, 0);
    char *rest = text, *line;

    text[got > 0 ? got : 0] = '\0';
    grade->sentence[0] = '\0';
    while (!*grade->sentence && (line = strsep(&rest, "\n")))
        if (strncmp(line, lead, sizeof lead - 1) == 0 && !strstr(line, "Device model of"))
            snprintf(grade->sentence, sizeof grade->sentence, "%s", line + sizeof lead - 1);
    while (rest && strncmp(rest, REFUSED_INDENT, sizeof REFUSED_INDENT - 1) == 0) {
        line = strsep(&rest, "\n");
        append_text(grade->source, sizeof grade->source, &used, "%s%s", used ? "\n" : "",
                    line + sizeof REFUSED_INDENT - 1);
    }
}

/* Of a path into the job's folder the name is left. */
static void strip_folder(const struct place *place, char *sentence)
{
    const size_t length = strlen(place->folder);
    char *at;

    while ((at = strstr(sentence, place->folder)) && at[length] == '/')
        memmove(at, at + length + 1, strlen(at + length + 1) + 1);
}

static int run_hand_in(struct grader *grader, const struct place *place, const struct exercise *exercise,
                       const struct exercise_draw *other, struct error *error)
{
    char seconds[40], megabytes[40], confined[FOLDER_BYTES + 40];
    char *argv[] = {(char *)(uintptr_t)grader->program,
                    (char *)LIMITED_OPTION,
                    (char *)(uintptr_t)place->folder,
                    seconds,
                    megabytes,
                    (char *)(uintptr_t)grader->program,
                    (char *)"--device",
                    (char *)"simt",
                    (char *)"--check",
                    (char *)"--size",
                    (char *)"small",
                    (char *)"--record",
                    (char *)(uintptr_t)place->recording,
                    (char *)"--kernel",
                    (char *)(uintptr_t)place->source,
                    (char *)(uintptr_t)exercise->workload,
                    (char *)(uintptr_t)other->text,
                    NULL};
    const struct launch_variable variables[] = {
        {"TMPDIR", place->folder},     {"XDG_STATE_HOME", place->folder},
        {"XDG_RUNTIME_DIR", NULL}, /* sockets are in TMPDIR then */
        {MODEL_WORKERS_VARIABLE, "1"}, {TALLY_FOLDER_VARIABLE, NULL},
        {CONFINED_VARIABLE, confined}, {NULL, NULL}};
    const struct launch_options options = {
        .argv = argv, .variables = variables, .output = -1, .errors = place->sentences};
    struct launch *launch;
    int status;

    snprintf(seconds, sizeof seconds, "%.3f", grader->time_limit_s);
    snprintf(megabytes, sizeof megabytes, "%llu", MEMORY_BYTES >> 20);
    snprintf(confined, sizeof confined, "%s:%s", confinement_id(place->how), place->folder);
    if (launch_start(&launch, &options, &status, error) != STATUS_OK)
        return EXIT_FAILED;
    status = wait_for_run(grader, launch);
    launch_destroy(launch);
    return status;
}

/* What the run has recorded. False: a run that is needed is not in it. */
static bool judge_recording(struct grade *grade, const struct place *place, const char *code,
                            const struct exercise_draw *other)
{
    struct session *session;

    if (access(place->recording, R_OK) != 0 ||
        recording_load_within(&session, place->recording, SESSION_BYTES, NULL) != STATUS_OK)
        return false;
    bool there = session_run_count(session) > SHOWN_RUN;

    if (there)
        grade_of_hand_in(grade, session, SHOWN_RUN, code);
    if (there && grade->outcome == OUTCOME_PASSED) {
        there = session_run_count(session) > OTHER_RUN;
        if (there)
            grade_of_other_input(grade, session, OTHER_RUN, other->growth);
    }
    session_destroy(session);
    return there;
}

static void tell_size_limit(struct grade *grade, const char *what, unsigned long long bytes, const char *of)
{
    struct value megabytes = {.available = true, .number = (double)(bytes >> 20)};
    char number[40];

    metric_format(METRIC_instructions, &megabytes, number, sizeof number);
    grade->outcome = OUTCOME_LIMIT;
    grade->source[0] = '\0';
    snprintf(grade->sentence, sizeof grade->sentence,
             "It %s its %s MB of %s: is there a macro, a template or an array that grows too large?", what,
             number, of);
}

/* What a compiler says of a limit of its process, in words that help. */
static void explain_limit(struct grade *grade)
{
    static const char *const memory[] = {"out of memory", "memory exhausted", "Cannot allocate memory",
                                         "bad_alloc"},
                             *const files[] = {"File size limit exceeded", "File too large",
                                               "SQLite failed on"};

    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (strstr(grade->sentence, memory[i])) {
            tell_size_limit(grade, "ran out of", LIMITED_ADDRESS_BYTES, "addresses for a process");
            return;
        }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strstr(grade->sentence, files[i])) {
            tell_size_limit(grade, "ran out of", LIMITED_FILE_BYTES, "disk for a file (or the disk is full)");
            return;
        }
}

static void judge_run(struct grader *grader, const struct place *place, struct grade_job *job,
                      const char *code)
{
    struct grade *grade = &job->grade;
    struct error error = {0};
    int status = exercise_draw(grade->exercise, grader->random, &job->other, &error) == STATUS_OK
                     ? run_hand_in(grader, place, grade->exercise, &job->other, &error)
                     : EXIT_FAILED;

    if (status == EXIT_TIME_LIMIT) {
        grade->outcome = OUTCOME_LIMIT;
        snprintf(grade->sentence, sizeof grade->sentence,
                 "It was ended after %g seconds: is there a loop that does not end, or too much to compile?",
                 grader->time_limit_s);
        return;
    }
    if (status == EXIT_MEMORY_LIMIT) {
        tell_size_limit(grade, "ran out of", MEMORY_BYTES, "memory");
        return;
    }
    if ((status == EXIT_FINE || status == EXIT_CHECK) && judge_recording(grade, place, code, &job->other)) {
        strip_folder(place, grade->sentence);
        return;
    }
    grade->outcome = status == EXIT_USAGE || status == EXIT_CHECK ? OUTCOME_NOT_COMPILED : OUTCOME_LIMIT;
    read_sentence(place, grade);
    strip_folder(place, grade->sentence);
    explain_limit(grade);
    if (!*grade->sentence)
        snprintf(grade->sentence, sizeof grade->sentence,
                 "It ended with status %d, at a limit of memory or of the size of files%s%.200s.", status,
                 error.text[0] ? ": " : "", error.text);
}

static void set_unreadable(struct grade *grade, const struct error *error)
{
    grade->outcome = OUTCOME_UNREADABLE;
    snprintf(grade->sentence, sizeof grade->sentence, "%.480s", error->text);
}

/* In a folder of its own. STATUS_IO: there is none. */
static enum status judge_text(struct grader *grader, struct grade_job *job, const char *text,
                              const char *code, enum confinement how, struct error *error)
{
    struct place place = {.how = how};
    enum status status = place_init(&place, job, text, error);

    if (status != STATUS_OK)
        return status;
    judge_run(grader, &place, job, code);
    place_fini(&place);
    return STATUS_OK;
}

static enum confinement confinement_of(struct grader *grader)
{
    return (enum confinement)atomic_load(&grader->confinement);
}

static bool compiler_works(struct grader *grader, const struct exercise *exercise, const char *text,
                           enum confinement how)
{
    struct grade_job job = {.path = "", .grade = {.exercise = exercise}};

    return judge_text(grader, &job, text, "", how, NULL) == STATUS_OK &&
           job.grade.outcome != OUTCOME_NOT_COMPILED;
}

/* A hand-in does not compile, and none did yet: is it the compiler, which lacks something where it is
 * confined? The exercise's own file tells. The first way in which that compiles is the one from now on; if it
 * compiles in none, nothing changes. True: it is now another way than `how`. */
static bool loosen_confinement(struct grader *grader, const struct exercise *exercise, enum confinement how)
{
    char *text = exercise_file_text(exercise);
    bool tried_all = !text;

    pthread_mutex_lock(&grader->trying);
    for (enum confinement next = confinement_of(grader);
         !tried_all && !atomic_load(&grader->compiles) && atomic_load(&grader->ended_by) == 0;
         next = confinement_find(next + 1)) {
        if (compiler_works(grader, exercise, text, next)) {
            atomic_store(&grader->confinement, next);
            atomic_store(&grader->compiles, true);
        }
        tried_all = next == CONFINED_NONE;
    }
    pthread_mutex_unlock(&grader->trying);
    free(text);
    return confinement_of(grader) != how;
}

static enum status judge_hand_in(struct grader *grader, struct grade_job *job, char *text,
                                 struct error *error)
{
    const struct exercise *exercise = job->grade.exercise;
    char *code = strdup(text);
    enum status status = code ? STATUS_OK : error_no_memory(error, "for a hand-in");

    if (status == STATUS_OK)
        hand_in_strip(code);
    for (bool again = true; status == STATUS_OK && again;) {
        const enum confinement how = confinement_of(grader);

        job->grade = (struct grade){.exercise = exercise};
        status = judge_text(grader, job, text, code, how, error);
        again = status == STATUS_OK && job->grade.outcome == OUTCOME_NOT_COMPILED &&
                grade_needs_compiler(job->path) && loosen_confinement(grader, exercise, how);
        if (job->grade.outcome < OUTCOME_NOT_COMPILED && grade_needs_compiler(job->path)) /* it has run */
            atomic_store(&grader->compiles, true);
    }
    free(code);
    return status;
}

static void judge_job(struct grader *grader, struct grade_job *job)
{
    struct grade *grade = &job->grade;
    const int64_t begun_ns = clock_monotonic_ns();
    struct error error = {0};
    char *text = NULL;
    enum status status = hand_in_read(job->path, &text, &error);

    *grade = (struct grade){.exercise = job->exercise};
    if (status == STATUS_OK && !grade->exercise)
        status = hand_in_exercise(text, &grade->exercise, &error);
    if (status == STATUS_OK)
        status = judge_hand_in(grader, job, text, &error);
    if (status != STATUS_OK)
        set_unreadable(grade, &error);
    free(text);
    grade->seconds = (double)(clock_monotonic_ns() - begun_ns) / 1e9;
}

static void *run_worker(void *context)
{
    struct grader *grader = context;
    size_t i;

    while (atomic_load(&grader->ended_by) == 0 && (i = atomic_fetch_add(&grader->next, 1)) < grader->count)
        judge_job(grader, &grader->jobs[i]);
    return NULL;
}

/* As many as may use all of their memory at the same time. */
static size_t worker_count(size_t jobs)
{
    cpu_set_t processors;
    size_t count =
               sched_getaffinity(0, sizeof processors, &processors) == 0 ? (size_t)CPU_COUNT(&processors) : 1,
           room = (size_t)(free_memory_bytes() / MEMORY_BYTES);

    count = count < WORKERS_MAX ? count : WORKERS_MAX;
    count = count <= room ? count : room > 1 ? room : 1;
    return count < jobs ? count : jobs;
}

enum status grade_run(struct grade_job *jobs, size_t count, double time_limit_s, enum confinement *how,
                      struct error *error)
{
    struct grader grader = {.jobs = jobs,
                            .count = count,
                            .time_limit_s = time_limit_s,
                            .trying = PTHREAD_MUTEX_INITIALIZER,
                            .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[WORKERS_MAX], watcher;
    sigset_t before;
    size_t wanted = worker_count(count), begun = 0;
    enum status status = path_of_program(grader.program, error);

    if (status == STATUS_OK)
        status = confinement_choose(how, error);
    if (status != STATUS_OK)
        return status;
    atomic_store(&grader.confinement, *how);
    if (getrandom(grader.random, sizeof grader.random, 0) != (ssize_t)sizeof grader.random)
        return error_set_errno(error, STATUS_IO, errno, "There are no random numbers for a second input");
    set_ending_signals(&grader.signals);
    pthread_sigmask(SIG_BLOCK, &grader.signals, &before);
    bool watched = pthread_create(&watcher, NULL, wait_for_signal, &grader) == 0;

    if (!watched) /* they end lanescope at once, and leave the folders */
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (begun + 1 < wanted && pthread_create(&threads[begun], NULL, run_worker, &grader) == 0)
        begun++;
    run_worker(&grader); /* this thread is one of them */
    for (size_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&grader.finished, true);
    if (watched)
        pthread_join(watcher, NULL);
    *how = confinement_of(&grader);
    if (atomic_load(&grader.ended_by) != 0)
        raise(atomic_load(&grader.ended_by)); /* when it is no longer blocked */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_destroy(&grader.lock);
    pthread_mutex_destroy(&grader.trying);
    return STATUS_OK;
}
