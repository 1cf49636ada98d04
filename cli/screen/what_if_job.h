/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The replays that the what-if view asks for, made by a forked process of our own: it has the session as it was
 * then, opens the graph of the run once and answers one question after the other. Neither the screen nor the
 * session's writer waits; when it runs out of memory or crashes, only the view has nothing to show. The
 * screen's thread.
 */
#ifndef CLI_SCREEN_WHAT_IF_JOB_H
#define CLI_SCREEN_WHAT_IF_JOB_H

#include "tui/frame/host.h"

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
