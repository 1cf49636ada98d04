/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A forked process of our own that works beside the screen, on the session as it was then: it never touches the
 * terminal or the live session of the process that it was forked from, and it ends with it. It leaves with
 * _exit, also where there is no memory.
 */
#ifndef CLI_SCREEN_SCREEN_JOB_H
#define CLI_SCREEN_SCREEN_JOB_H

#include "core/session/session.h"
#include "core/sheet/sheet_kept.h"
#include "tui/frame/host.h"

#include <sys/types.h>

#define SCREEN_CHILD_FILE 3 /* what is left of the files, beside the three that are nothing */

/* Called in the process first of all: `file` becomes SCREEN_CHILD_FILE, all others are closed. */
void screen_child_begin(int file, pid_t parent);

/*
 * The rows of a sheet for the screen, made by a forked process of our own: it has the session as it was then,
 * so that neither the screen nor the session's writer waits; it can be ended at any time, and when it runs
 * out of memory or crashes, only the table is not there. One at a time: another sheet ends the one before.
 * The screen's thread.
 */

struct sheet_job { /* all zeros: nothing runs */
    int pid, file; /* 0: no process */
    const struct sheet *sheet;
    const struct session *session;
};

/* The sheets that the screen has, as sheet_at of tui/frame/host.h: those of reports, and those of what is there
 * without a recording. */
const struct sheet *sheet_job_at(size_t index);
/* As sheet_rows of tui/frame/host.h. */
enum status sheet_job_rows(struct sheet_job *job, const struct session *session, const struct sheet *sheet,
                           struct sheet_kept *kept, bool *made, struct error *error);
void sheet_job_stop(struct sheet_job *job);

/*
 * Long runs judged for the screen by a forked process of our own, one at a time: it has the session as it was then,
 * and writes into memory that both have. The screen's thread.
 */

struct verdict_job { /* all zeros: nothing runs */
    int pid;         /* 0: no process, or it has ended */
    uint32_t run;
    struct run_verdict_share *share; /* NULL: nothing was begun */
    size_t share_bytes;
};

/* As judge of tui/frame/host.h. */
const struct run_verdict_share *verdict_job_judge(struct verdict_job *job, const struct session *session,
                                                  uint32_t run, bool *done);
void verdict_job_stop(struct verdict_job *job);

/*
 * The replays that the what-if view asks for, made by a forked process of our own: it has the session as it was
 * then, opens the graph of the run once and answers one question after the other. Neither the screen nor the
 * session's writer waits; when it runs out of memory or crashes, only the view has nothing to show. The
 * screen's thread.
 */

struct what_if_job { /* all zeros: nothing runs */
    int pid, socket; /* 0: no process */
    uint32_t run;
    const struct session *session;
    bool asked;
};

/* As what_if of tui/frame/host.h. */
enum status what_if_job_ask(struct what_if_job *job, const struct session *session,
                            const struct tui_what_if_question *question, struct tui_what_if_answer *answer,
                            bool *made, struct error *error);
void what_if_job_stop(struct what_if_job *job);

#endif
