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
#include "core/session/session.h"
#include "workloads/frame/workload.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    bool attach;                   /* or capture the process of the options */
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
    bool attached;    /* a process that runs is captured */
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

/* Does a child run, or is a process captured? The mutex is held. */
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

/* ---- kernels whose instructions are counted ---- */

/*
 * Chooses the kernels whose instructions are counted after a lines run has sampled them, and their order:
 * each needs its own process (docs/cupti-notes.md), so kernels with most time come first and their number is
 * limited: of a program to those that have most of its time. Pure; any thread that may read the session.
 */

#define LINE_RUNS_MAX 16
#define LINE_RUNS_PROGRAM 4    /* kernels of a program, unless more are requested */
#define LINE_RUNS_SHARE 0.8    /* no further kernels if these have this share of the program's time */
#define LINE_KERNEL_BYTES 4096 /* agent_config.kernel_glob's */
#define LINE_RUNS_SECONDS 60   /* after this time no further process is begun */

struct line_run {
    char work[512]; /* the case that launches it, as workload_parse takes it; "" for a program */
    char kernel[LINE_KERNEL_BYTES]; /* pattern that matches it: its mangled name */
    uint32_t name;                  /* string of the session: readable */
};

/* If a program used the GPU for so short a time that it gave fewer samples, it is sampled again, every
 * 2^LINE_RUNS_FINE cycles: that cannot overflow any buffer then. */
#define LINE_RUNS_FEW 2000u
#define LINE_RUNS_FINE 10u

/* Number of samples in lines runs from row `first_run` on. */
uint64_t line_runs_samples(const struct session *session, uint32_t first_run);

/* The case of one of our workload's runs, "NAME:variant,param=value"; "" for a program. False: it does not
 * fit. */
bool line_runs_name_work(const struct session *session, const struct run_row *run, char *text,
                         size_t size_bytes);

/* What is chosen. */
struct line_choice {
    size_t most;     /* at most LINE_RUNS_MAX */
    double share;    /* no further kernel is chosen once this share of the time is reached; 1: all */
    size_t left_out; /* given: how many more have samples */
    double chosen;   /* given: the share of those chosen */
};

/* Chooses among the kernels that lines runs from row `first_run` on have sampled. Their time is that in trace
 * runs of programs, or else their number of samples. Returns how many. */
size_t line_runs_choose(const struct session *session, uint32_t first_run, struct line_choice *choice,
                        struct line_run list[LINE_RUNS_MAX]);

#endif
