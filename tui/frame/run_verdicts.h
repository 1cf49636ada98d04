/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts on whole runs: their device time, and the advice on the run itself (pageable copies, copies that
 * nothing hides, ...) as the replay ranks it. A view requests them in its update for the runs that it shows; a small
 * run is judged at once or between frames, a large one beside the screen (tui/frame/host.h): first its times, then its
 * advice. A verdict is kept until the run has more events. The tui's thread.
 */
#ifndef TUI_FRAME_RUN_VERDICTS_H
#define TUI_FRAME_RUN_VERDICTS_H

#include "core/advice/advice.h"
#include "core/analysis/kernel_index.h"
#include "core/analysis/run_times.h"
#include "core/session/session.h"

#define RUN_ADVICE_MAX 3 /* most advice kept per run */

struct screen;

struct run_verdict {
    bool known;     /* false: not computed yet, or impossible: events were evicted */
    bool wanted;    /* requested; it is computed between frames, or beside the screen */
    bool replaying; /* its advice is not known yet: the replay that ranks it is still made */
    struct run_times times;
    size_t wrong;                         /* number of problems that the advice found */
    struct advice advice[RUN_ADVICE_MAX]; /* as the replay ranks them; else most to gain first */
    size_t advice_count;                  /* items of `advice` */
    bool run_first;        /* the replay ranks advice[0] before all that is said of the run's kernels */
    uint32_t first_kernel; /* the kernel whose advice it ranks before advice[0]; NONE: there is none */
    size_t devices;        /* devices that the run used */
    uint64_t steps;        /* number of steps in `time`; 0: it is the time from the first work to the last */
    bool by_steps;         /* its kernels are weighed within the steps; else within the whole run */
    uint64_t *kernel_ns;   /* by kernel row: in which it ran in that time; launches that overlap count once */
    uint32_t kernel_count;
    struct partition time;  /* of the device with the longest span; no operations: not known */
    struct partition whole; /* of the whole run, all its devices added up; no operations: not known */
    uint64_t made_of; /* identifies the data it was made from: the number of events, and whether the run had
                         ended; 0: not requested yet */
    int64_t made_ms;
};
/* Was it made after the run had ended? */
static inline bool run_verdict_is_last(const struct run_verdict *verdict)
{
    return verdict->made_of != 0 && verdict->made_of % 2 == 0;
}

struct run_verdicts {
    struct run_verdict *runs; /* by run */
    size_t count, capacity, wanted;
    uint64_t made;                /* number of verdicts computed so far */
    bool asked;                   /* run `beside` is judged beside the screen */
    uint32_t beside, beside_made; /* beside_made: verdicts taken from there */
    struct kernel_index *index;   /* by which kernels were judged; NULL: there is none */
    uint64_t index_of;            /* number of values in the session that it was made of */
};
/* Forgets all, and ends what is judged beside the screen. */
void run_verdicts_stop(struct screen *screen);

/* A verdict made by another process: first with the run's times, then with its advice. */
struct run_verdict_share {
    _Atomic uint32_t made; /* verdicts that are there */
    uint32_t kernel_room;
    struct run_verdict verdicts[2]; /* kernel_ns: NULL */
    uint64_t kernel_ns[];           /* as the verdicts', of at most kernel_room kernels */
};
/* The size of one for the session's kernels as they are now. */
size_t run_verdict_share_bytes(const struct session *session);
/* Judges a run; called in that process. */
void run_verdict_make(const struct session *session, uint32_t run, struct run_verdict_share *share);

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

/* "the run: Copies from or to pageable memory take 86 % of the busy time"; "" if there is no problem. While it
 * is replayed that it is. */
void run_verdict_text(const struct run_verdict *verdict, char *text, size_t size_bytes);

#endif
