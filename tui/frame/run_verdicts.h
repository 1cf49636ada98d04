/*
 * What there is to say of whole runs: their device time, and the advice that is theirs and no kernel's
 * (pageable copies, copies that nothing hides, ...). A view asks for the runs it shows while it updates; a
 * small run is looked at there and then, a large one in slices between frames. What was found stays until the
 * run has more events. The tui's thread.
 */
#ifndef TUI_FRAME_RUN_VERDICTS_H
#define TUI_FRAME_RUN_VERDICTS_H

#include "core/advice/advice.h"
#include "core/session/session.h"

#define OVERLAP_SLICE 16384u /* events or operations of an overlap between two frames, some 2 ms */

struct screen;

struct run_verdict {
    bool known;          /* else nothing has been found yet, or cannot be: detail has left memory, or there is
                            too much of it */
    bool wanted;         /* its turn comes between frames */
    int64_t device_ns;   /* core/analysis/device_time.h */
    size_t wrong;        /* advice there is */
    struct advice first; /* of them, the one with most to gain */
    uint64_t made_of;    /* the run's events, and whether it had ended; 0: not asked for yet */
    int64_t made_ms;
};

struct run_verdicts {
    struct run_verdict *runs; /* by run */
    size_t count, capacity, wanted;
    struct overlap_job *job; /* of job_run; NULL: nothing is in hand */
    uint32_t job_run;
};
void run_verdicts_fini(struct run_verdicts *verdicts);

/* See to it that there is a verdict on the run; NONE: nothing. Of a trace run, or one on the model. */
void run_verdicts_ask(struct screen *screen, uint32_t run);
/* A slice of what was asked for; false: there was nothing to do. */
bool run_verdicts_work(struct screen *screen);
/* As far as it is known; never NULL. */
const struct run_verdict *run_verdicts_of(const struct run_verdicts *verdicts, uint32_t run);

/* "the run: Copies from or to pageable memory take 86 % of the busy time"; "" when there is nothing to say.
 */
void run_verdict_text(const struct run_verdict *verdict, char *text, size_t size_bytes);

#endif
