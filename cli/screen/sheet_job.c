/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process writes its status and then the rows into a file in memory, which both have open. It returns
 * nowhere: it leaves with _exit, also where there is no memory, and so never touches the terminal or the live
 * session of the process that it was forked from.
 */
#include "cli/screen/sheet_job.h"

#include "cli/exercise/exercise.h"
#include "cli/machine/list.h"
#include "cli/output/sheet_option.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"
#include "cli/screen/screen_child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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
_Noreturn static void run_job(const struct session *session, const struct sheet *sheet, int file,
                              pid_t parent)
{
    screen_child_begin(file, parent);
    _exit(make_rows(session, sheet, SCREEN_CHILD_FILE) == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE);
}

static enum status start_job(struct sheet_job *job, const struct session *session, const struct sheet *sheet,
                             struct error *error)
{
    pid_t parent = getpid();
    int file = memfd_create("lanescope-table", MFD_CLOEXEC);
    pid_t child = file >= 0 ? fork() : -1;
    if (child == 0)
        run_job(session, sheet, file, parent);
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
        return start_job(job, session, sheet, error);
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
