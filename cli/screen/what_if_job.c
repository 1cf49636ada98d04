/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A socket that keeps the bounds of what is sent joins the two: a question is one message, its answer another. What
 * failed once fails again, so a process that could not open the graph says so to every question.
 */
#include "cli/screen/what_if_job.h"

#include "cli/screen/screen_child.h"
#include "core/advice/remedies.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct reply {
    struct error error; /* STATUS_OK: the answer is there */
    struct tui_what_if_answer answer;
};

/* ---- the process ---- */

struct desk {
    const struct session *session;
    struct replay *replay; /* NULL: it was not opened */
    struct error failure;
    struct reply reply; /* keeps the last picture */
};

static enum status set_limits(const struct session *session, uint32_t run, struct replay *replay,
                              struct error *error)
{
    struct kernel_index *index;
    enum status status = kernel_index_create(&index, session, error);
    if (status != STATUS_OK)
        return status;
    status = remedies_set_limits(index, run, NULL, replay, error);
    kernel_index_destroy(index);
    return status;
}

static enum status open_replay(struct desk *desk, uint32_t run)
{
    int64_t start_ns, end_ns;
    struct what_if_run *row = &desk->reply.answer.row;
    row->run = run;
    enum status status = what_if_range(desk->session, run, &start_ns, &end_ns, &row->steps, &desk->failure);
    if (status == STATUS_OK)
        status = replay_open(&desk->replay, desk->session, run, start_ns, end_ns, &desk->failure);
    if (status == STATUS_OK)
        status = set_limits(desk->session, run, desk->replay, &desk->failure);
    if (status == STATUS_OK)
        row->result.facts = *replay_facts(desk->replay);
    return status;
}

static void answer_question(struct desk *desk, const struct tui_what_if_question *question)
{
    struct tui_what_if_answer *answer = &desk->reply.answer;
    if (!desk->replay && desk->failure.status == STATUS_OK)
        desk->failure.status = open_replay(desk, question->run);
    desk->reply.error = desk->failure;
    if (desk->failure.status != STATUS_OK)
        return;
    answer->of = *question;
    if (question->kind == TUI_WHAT_IF_LIST)
        what_if_make(desk->replay, NULL, 0, &answer->row.result);
    if (question->kind == TUI_WHAT_IF_PICTURE)
        desk->reply.error.status =
            replay_picture_make(desk->replay, question->stretch, &answer->row.result, question->set,
                                &answer->picture, &answer->after_ns, &desk->reply.error);
}

_Noreturn static void run_desk(const struct session *session, int file, pid_t parent)
{
    struct tui_what_if_question question;
    screen_child_begin(file, parent);
    struct desk *desk = calloc(1, sizeof *desk);
    if (!desk)
        _exit(EXIT_FAILURE);
    desk->session = session;
    while (recv(SCREEN_CHILD_FILE, &question, sizeof question, 0) == (ssize_t)sizeof question) {
        answer_question(desk, &question);
        if (send(SCREEN_CHILD_FILE, &desk->reply, sizeof desk->reply, MSG_NOSIGNAL) !=
            (ssize_t)sizeof desk->reply)
            break;
    }
    _exit(EXIT_SUCCESS);
}

/* ---- the screen ---- */

static enum status start_desk(struct what_if_job *job, const struct session *session, uint32_t run,
                              struct error *error)
{
    pid_t parent = getpid();
    int ends[2] = {-1, -1}, room = 4 * (int)sizeof(struct reply);
    bool joined = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
    if (joined) /* where it is refused, the usual room suffices */
        setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    pid_t child = joined ? fork() : -1;
    if (child == 0)
        run_desk(session, ends[1], parent);
    int number = errno;
    if (joined)
        close(ends[1]);
    if (child < 0) {
        if (joined)
            close(ends[0]);
        return error_set_errno(error, STATUS_STATE, number, "Cannot start a process that replays the run");
    }
    *job = (struct what_if_job){.pid = child, .socket = ends[0], .session = session, .run = run};
    return STATUS_OK;
}

void what_if_job_stop(struct what_if_job *job)
{
    if (job->pid == 0)
        return;
    kill(job->pid, SIGKILL);
    while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(job->socket);
    *job = (struct what_if_job){0};
}

static enum status take_reply(struct what_if_job *job, struct tui_what_if_answer *answer, bool *made,
                              struct error *error)
{
    struct reply reply;
    ssize_t got = recv(job->socket, &reply, sizeof reply, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return STATUS_OK;
    *made = true;
    job->asked = false;
    if (got != (ssize_t)sizeof reply) {
        what_if_job_stop(job);
        return error_set(
            error, STATUS_STATE,
            "The run was not replayed: the process that does it ended, perhaps for want of memory.");
    }
    if (reply.error.status != STATUS_OK)
        return error_set(error, reply.error.status, "%s", reply.error.text);
    *answer = reply.answer;
    return STATUS_OK;
}

enum status what_if_job_ask(struct what_if_job *job, const struct session *session,
                            const struct tui_what_if_question *question, struct tui_what_if_answer *answer,
                            bool *made, struct error *error)
{
    *made = false;
    if (job->pid > 0 && (job->session != session || job->run != question->run))
        what_if_job_stop(job);
    enum status status = job->pid > 0 ? STATUS_OK : start_desk(job, session, question->run, error);
    if (status != STATUS_OK)
        return status;
    if (job->asked)
        return take_reply(job, answer, made, error);
    if (send(job->socket, question, sizeof *question, MSG_NOSIGNAL) != (ssize_t)sizeof *question) {
        what_if_job_stop(job);
        return error_set(error, STATUS_STATE, "The run was not replayed: the process that does it ended.");
    }
    job->asked = true;
    return STATUS_OK;
}
