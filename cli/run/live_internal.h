/*
 * What a live session is made of. Internal to cli/run. What the thread of jobs shares with the others
 * lies under `mutex`; no lock is held while a child runs.
 */
#ifndef CLI_RUN_LIVE_INTERNAL_H
#define CLI_RUN_LIVE_INTERNAL_H

#include "cli/process/capture.h"
#include "cli/run/collect.h"
#include "cli/run/live.h"
#include "cli/run/sampling.h"
#include "cli/run/steps.h"

#include <pthread.h>
#include <stdatomic.h>

struct request {
    struct request *next;
    char **texts; /* workloads, owned */
    size_t count;
    char *const *program; /* or a program */
    bool kernel;          /* or the kernel of the options */
    bool small;           /* --size small */
    bool lines;           /* the workloads' lines runs only, whatever the options say */
    bool watch;           /* or nothing: what others do on the GPU */
    size_t cases;         /* of the workloads: a run each, in each step */
};

struct live {
    const struct options *options;
    const struct device_choice *choice;
    bool foreground;
    struct session *session;
    struct collector *collector;
    struct recorder *recorder;
    bool old_is_back;              /* the recording held nothing: the one before it is there again */
    struct sampling *sampling;     /* NULL: none is wanted, or none is to be had */
    struct capture output, errors; /* the children's, when they do not have our streams */

    pthread_t thread;
    bool thread_started, settled;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct request *first, **last;
    struct launch *current;
    struct step_plan plan; /* of the current child */
    uint32_t first_run,
        planned; /* of the request: its runs in the session; how many it will be, 0: not known */
    bool busy, ending;
    bool stopping;    /* the request that runs */
    int64_t child_ns; /* the thread of jobs': how long the last child ran */
    bool told_texts;  /* the thread of jobs': that instructions have no text */
    int exit_status;
    struct error error;
    atomic_int child;       /* process group of the running child, 0 none: for signal handlers */
    atomic_int interrupted; /* the signal that asked for the end; 0: none did */
};

/* ---- live_state.c ---- */
/* Somebody wants it to end. */
bool live_is_ending(struct live *live);

/* Records a failure, for the session and for the final status. */
void live_fail(struct live *live, const struct error *error, int exit_status);

/* live_request.c: on the thread of jobs. */
void live_run_request(struct live *live, const struct request *request);

#endif
