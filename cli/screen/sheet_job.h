/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a sheet for the screen, made by a forked process of our own: it has the session as it was then,
 * so that neither the screen nor the session's writer waits; it can be ended at any time, and when it runs
 * out of memory or crashes, only the table is not there. One at a time: another sheet ends the one before.
 * The screen's thread.
 */
#ifndef CLI_SCREEN_SHEET_JOB_H
#define CLI_SCREEN_SHEET_JOB_H

#include "core/session/session.h"
#include "core/sheet/sheet_kept.h"

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

#endif
