/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts on whole runs: their device time, and the advice on the run itself (pageable copies, copies that
 * nothing hides, ...). A view requests them in its update for the runs that it shows; a small run is analysed
 * at once, a large one in slices between frames. A verdict is kept until the run has more events. The tui's
 * thread.
 */
#ifndef TUI_FRAME_RUN_VERDICTS_H
#define TUI_FRAME_RUN_VERDICTS_H

#include "core/advice/advice.h"
#include "core/analysis/kernel_index.h"
#include "core/analysis/run_times.h"
#include "core/session/session.h"

#define OVERLAP_SLICE 16384u /* events or operations of an overlap between two frames, about 2 ms */

#define RUN_ADVICE_MAX 3 /* most advice kept per run */

struct screen;

struct run_verdict {
    bool known;  /* false: not computed yet, or impossible: events were evicted, or there are too many */
    bool wanted; /* requested; it is computed between frames */
    struct run_times times;
    size_t wrong;                         /* number of problems that the advice found */
    struct advice advice[RUN_ADVICE_MAX]; /* as the replay ranks them; else most to gain first */
    size_t advice_count;                  /* items of `advice` */
    bool run_first;      /* the replay ranks advice[0] before all that is said of the run's kernels */
    size_t devices;      /* devices that the run used */
    uint64_t steps;      /* number of steps in `time`; 0: it is the time from the first work to the last */
    bool by_steps;       /* its kernels are weighed within the steps; else within the whole run */
    uint64_t *kernel_ns; /* by kernel row: in which it ran in that time; launches that overlap count once */
    uint32_t kernel_count;
    struct partition time;  /* of the device with the longest span; no operations: not known */
    struct partition whole; /* of the whole run, all its devices added up; no operations: not known */
    uint64_t made_of; /* identifies the data it was made from: the number of events, and whether the run had
                         ended; 0: not requested yet */
    int64_t made_ms;
};

struct run_verdicts {
    struct run_verdict *runs; /* by run */
    size_t count, capacity, wanted;
    uint64_t made;           /* number of verdicts computed so far */
    struct overlap_job *job; /* the job of run job_run; NULL: no job */
    uint32_t job_run;
    struct kernel_index *index; /* by which kernels were judged; NULL: there is none */
    uint64_t index_of;          /* number of values in the session that it was made of */
    struct steps job_steps;     /* its steps: the job is the overlap of these; without, of the whole run */
};
void run_verdicts_fini(struct run_verdicts *verdicts);

/* Requests a verdict on the run, which must be a trace run or a run on the model; NONE: does nothing. */
void run_verdicts_ask(struct screen *screen, uint32_t run);
/* Does a slice of the requested work; false: there was nothing to do. */
bool run_verdicts_work(struct screen *screen);
/* Is the verdict on the run asked for, and not yet made? */
bool run_verdicts_is_due(const struct run_verdicts *verdicts, uint32_t run);
/* The verdict as far as it is known; never NULL. */
const struct run_verdict *run_verdicts_of(const struct run_verdicts *verdicts, uint32_t run);

/* The time that the run is judged by: of its steps, or, without steps or on several devices, of the whole
 * run. */
const struct partition *run_verdict_time(const struct run_verdict *verdict);

/* "the run: Copies from or to pageable memory take 86 % of the busy time"; "" if there is no problem. */
void run_verdict_text(const struct run_verdict *verdict, char *text, size_t size_bytes);

#endif
