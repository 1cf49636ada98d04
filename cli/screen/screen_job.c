/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, files and priority of a process that works beside the screen. */
#include "cli/screen/screen_job.h"

#include "cli/exercise/exercise.h"
#include "cli/machine/list.h"
#include "cli/output/memory.h"
#include "cli/output/sheet_print.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"
#include "core/advice/remedies.h"
#include "tui/frame/run_verdicts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NICE 10 /* what is profiled runs first */

static int end_without_memory(void *context)
{
    (void)context;
    _exit(EXIT_FAILURE);
}

void screen_child_begin(int file, pid_t parent)
{
    static const int handled[] = {SIGTERM,  SIGINT,  SIGHUP, SIGQUIT, SIGTSTP, SIGCONT,
                                  SIGWINCH, SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT};
    for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
        signal(handled[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (getppid() != parent || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0 ||
        dup2(file, SCREEN_CHILD_FILE) < 0)
        _exit(EXIT_FAILURE);
    close_range(SCREEN_CHILD_FILE + 1, ~0u,
                0); /* others wait for the end of what they closed: pipes of programs, the guard's */
    if (nice(NICE) < 0)
        errno = 0; /* it may take longer, or it is as nice already */
    memory_end_by(end_without_memory, NULL);
}

/*
 * The process writes its status and then the rows into a file in memory, which both have open. It returns
 * nowhere: it leaves with _exit, also where there is no memory, and so never touches the terminal or the live
 * session of the process that it was forked from.
 */

const struct sheet *sheet_job_at(size_t index)
{
    static sheet_list *const lists[] = {report_sheet_at, list_sheet_at, exercise_sheet_at};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t count = 0;
        for (; lists[i](count); count++)
            if (index == count)
                return lists[i](count);
        index -= count;
    }
    return NULL;
}

static enum status make_rows(const struct session *session, const struct sheet *sheet, int file)
{
    struct error error = {0};
    struct report_data data;
    struct sheet_kept kept;
    bool of_report = report_sheet_find(sheet->id) == sheet;
    enum status status = of_report ? report_data_of(&data, session, NULL, &error) : STATUS_OK;
    if (status == STATUS_OK)
        status = sheet_kept_make(&kept, sheet, of_report ? &data : NULL, &error);
    error.status = status;
    if (write(file, &error, sizeof error) != (ssize_t)sizeof error)
        return STATUS_IO;
    return status == STATUS_OK ? sheet_kept_write(&kept, file, NULL) : STATUS_OK;
}

/* Of the process that makes the rows. */
_Noreturn static void run_sheet_job(const struct session *session, const struct sheet *sheet, int file,
                                    pid_t parent)
{
    screen_child_begin(file, parent);
    _exit(make_rows(session, sheet, SCREEN_CHILD_FILE) == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE);
}

static enum status start_sheet_job(struct sheet_job *job, const struct session *session,
                                   const struct sheet *sheet, struct error *error)
{
    pid_t parent = getpid();
    int file = memfd_create("lanescope-table", MFD_CLOEXEC);
    pid_t child = file >= 0 ? fork() : -1;
    if (child == 0)
        run_sheet_job(session, sheet, file, parent);
    if (child < 0) {
        int number = errno;
        if (file >= 0)
            close(file);
        return error_set_errno(error, STATUS_STATE, number, "Cannot start a process for the table %s",
                               sheet->id);
    }
    *job = (struct sheet_job){.pid = child, .file = file, .sheet = sheet, .session = session};
    return STATUS_OK;
}

void sheet_job_stop(struct sheet_job *job)
{
    if (job->pid == 0)
        return;
    kill(job->pid, SIGKILL);
    while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(job->file);
    *job = (struct sheet_job){0};
}

static enum status take_rows(struct sheet_job *job, int status, struct sheet_kept *kept, struct error *error)
{
    struct error said = {0};
    bool fine = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS &&
                lseek(job->file, 0, SEEK_SET) == 0 &&
                read(job->file, &said, sizeof said) == (ssize_t)sizeof said;
    if (!fine && WIFSIGNALED(status))
        return error_set(error, STATUS_STATE, "The table %s was not made: its process ended by signal %d.",
                         job->sheet->id, WTERMSIG(status));
    if (!fine)
        return error_no_memory(error, "for the table %s", job->sheet->id);
    if (said.status != STATUS_OK)
        return error_set(error, said.status, "%s", said.text);
    return sheet_kept_read(kept, job->sheet, job->file, error);
}

enum status sheet_job_rows(struct sheet_job *job, const struct session *session, const struct sheet *sheet,
                           struct sheet_kept *kept, bool *made, struct error *error)
{
    int ended;
    *made = false;
    if (job->pid > 0 && (job->sheet != sheet || job->session != session))
        sheet_job_stop(job);
    if (job->pid == 0)
        return start_sheet_job(job, session, sheet, error);
    pid_t got = waitpid(job->pid, &ended, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return STATUS_OK;
    enum status status =
        got < 0 ? error_set_errno(error, STATUS_STATE, errno, "The table %s was not made", sheet->id)
                : take_rows(job, ended, kept, error);
    close(job->file);
    *job = (struct sheet_job){0};
    *made = true;
    return status;
}

/* The memory is mapped before the fork. What the process wrote stays when it has ended, however it did. */

_Noreturn static void run_verdict_job(const struct session *session, uint32_t run,
                                      struct run_verdict_share *share, pid_t parent)
{
    screen_child_begin(open("/dev/null", O_RDWR | O_CLOEXEC), parent);
    run_verdict_make(session, run, share);
    _exit(EXIT_SUCCESS);
}

static bool start_verdict_job(struct verdict_job *job, const struct session *session, uint32_t run)
{
    pid_t parent = getpid();
    size_t size_bytes = run_verdict_share_bytes(session);
    void *mapped = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    struct run_verdict_share *share = mapped;
    share->kernel_room =
        (uint32_t)((size_bytes - sizeof *share) / sizeof *share->kernel_ns); /* the kernels then */
    pid_t child = fork();
    if (child == 0)
        run_verdict_job(session, run, share, parent);
    if (child < 0) {
        munmap(mapped, size_bytes);
        return false;
    }
    *job = (struct verdict_job){.pid = child, .run = run, .share = share, .share_bytes = size_bytes};
    return true;
}

void verdict_job_stop(struct verdict_job *job)
{
    if (job->pid > 0) {
        kill(job->pid, SIGKILL);
        while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (job->share)
        munmap(job->share, job->share_bytes);
    *job = (struct verdict_job){0};
}

const struct run_verdict_share *verdict_job_judge(struct verdict_job *job, const struct session *session,
                                                  uint32_t run, bool *done)
{
    if (job->share && job->run != run)
        verdict_job_stop(job);
    *done = !job->share && !start_verdict_job(job, session, run);
    if (*done)
        return NULL;
    pid_t got = job->pid > 0 ? waitpid(job->pid, NULL, WNOHANG) : 0;
    if (got == job->pid || (got < 0 && errno != EINTR))
        job->pid = 0;
    *done = job->pid == 0;
    return job->share;
}

/*
 * A socket that keeps the bounds of what is sent joins the two: a question is one message, its answer another. What
 * failed once fails again, so a process that could not open the graph says so to every question.
 */

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
    enum status status =
        what_if_range(desk->session, run, NULL, &start_ns, &end_ns, &row->steps, &desk->failure);
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
    if (question->kind == TUI_WHAT_IF_PATH) {
        answer->line.start_ns = question->start_ns;
        answer->line.end_ns = question->end_ns;
        answer->line.columns = question->columns;
        desk->reply.error.status = replay_line_make(desk->replay, &answer->line, &desk->reply.error);
    }
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
