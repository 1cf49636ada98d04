/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a live session is made of. Internal to cli/run. What the thread of jobs shares with the others
 * lies under `mutex`; no lock is held while a child runs.
 */
#ifndef CLI_RUN_LIVE_INTERNAL_H
#define CLI_RUN_LIVE_INTERNAL_H

#include "cli/own/own_kernel.h"
#include "cli/process/launch.h"
#include "cli/run/collect.h"
#include "cli/run/live.h"
#include "cli/run/memory_watch.h"
#include "cli/run/sampling.h"
#include "cli/run/steps.h"
#include "workloads/frame/workload.h"

#include <pthread.h>
#include <stdatomic.h>

#define LIVE_SLOTS 8u /* children that run beside each other */

/*
 * The names of the runs that a request for workloads will have, known before they start. Plain data; the
 * request's owner.
 */
#define PLANNED_NAME_BYTES 80

struct planned_runs {
    char (*names)[PLANNED_NAME_BYTES]; /* "n-way:2-way", "copy-stride:copy stride=3" */
    size_t count;
};

/* Appends the cases, which follow each other; without memory for the names only their number. */
void planned_runs_add(struct planned_runs *planned, const struct workload_case *cases, size_t count);
void planned_runs_fini(struct planned_runs *planned);

struct request {
    struct request *next;
    char **texts; /* workloads, owned */
    size_t count;
    char *const *program;          /* or a program */
    bool kernel;                   /* or the kernel of the options */
    bool small;                    /* --size small */
    const struct gpu *model;       /* of a lesson's step, in place of the session's; NULL: that one */
    const struct arch *rules;      /* likewise */
    bool lines;                    /* only the workloads' lines runs, whatever the options say */
    bool watch;                    /* or no program: watch what others do on the GPU */
    char *own;                     /* a user's file of kernels that replace bundled ones; owned; NULL: none */
    bool edited;                   /* the user edits it: that it does not compile ends nothing */
    const struct own_kernel *made; /* of that, in the live session's list; by the thread of jobs */
    struct planned_runs cases;     /* of the workloads: each step has one run per case */
};

struct live {
    const struct options *options;
    const struct device_choice *choice;
    bool foreground;
    struct session *session;
    struct collector *collector;
    struct recorder *recorder;
    bool old_is_back;                  /* the recording held nothing, so the previous one was put back */
    struct sampling *sampling;         /* NULL: no sampling was requested, or none is possible */
    struct kept_output output, errors; /* the children's, if they do not have our streams */

    pthread_t thread;
    bool thread_started, settled;
    pthread_mutex_t mutex;
    pthread_cond_t wake, idle; /* a request is queued; one has ended */
    struct request *first, **last;
    struct launch *current[LIVE_SLOTS]; /* by the plan's slot */
    const struct request *request;      /* that runs; NULL: none */
    struct step_plan plan;              /* of the newest child */
    uint32_t first_run,
        planned; /* of the request: its runs in the session; how many there will be, 0: not known */
    bool busy, ending;
    bool stopping;    /* the request that runs */
    int64_t child_ns; /* used by the thread of jobs: how long the last child ran that had none beside it */
    bool told_texts;  /* used by the thread of jobs: it was reported that instructions have no text */
    struct own_kernel **owns; /* made so far; the elements do not move */
    size_t own_count, own_room;
    struct live_own own; /* the newest */
    int exit_status;
    struct error error;
    atomic_int child[LIVE_SLOTS]; /* process groups of the running children, 0 none: for signal handlers */
    atomic_int interrupted;       /* the signal that requested the end; 0: none */
};

/* ---- live_step.c: the state ---- */
/* Somebody wants it to end. */
bool live_is_ending(struct live *live);

/* Records a failure, in the session and for the exit status. */
void live_fail(struct live *live, const struct error *error, int exit_status);

/* Does a child run? The mutex is held. */
bool live_runs(const struct live *live);

/* In live_request.c: runs on the thread of jobs. */
void live_run_request(struct live *live, struct request *request);

/* After the last request. */
void live_discard_owns(struct live *live);

/* ---- live_step.c: a step ---- */
/* Runs one step of a request in a process of its own, to its end. work: instead of the request's workloads;
 * NULL: those. False: run nothing more of this request; error is set unless it is the child's. Also on the
 * threads that run steps beside each other. */
bool live_run_step(struct live *live, const struct request *request, const struct step_plan *plan, char *work,
                   struct step *step, struct error *error);

/* Waits until the last events of ended children were taken in. */
void live_drain_events(struct live *live);

/* Printed on the terminal with --record; the screen shows what runs. */
void live_tell_progress(const struct live *live, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- line_runs.c ---- */
/* After a lines run has sampled: counts the instructions of each kernel in a process of its own, several at a
 * time where memory allows. Of a program, which may run for long, only the kernels that have most of its
 * time. Ends `watch`, which was started before the sampling. */
void count_line_kernels(struct live *live, const struct request *request, uint32_t first_run,
                        struct memory_watch *watch, struct error *error);

#endif
