/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen of a job: the verdict in sentences, then the ranks that cause most. */
#include "cli/ranks/ranks.h"

#include "cli/options/commands.h"
#include "cli/options/terminal.h"
#include "cli/output/memory.h"
#include "cli/output/sheet_print.h"
#include "core/import/import.h"
#include "core/metric/metric.h"
#include "core/ranks/job.h"
#include "core/ranks/job_sheets.h"
#include "tui/ranks/ranks_screen.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COLUMNS 100
#define RANKS_SHOWN 10

const struct sheet_document job_document = {
    .title = "lanescope report of a job",
    .description =
        "What lanescope report JOB.lsj --json prints: verdict, ranks, collectives, hosts, communicators.",
    .version = 1,
    .list = job_sheet_at};

static void print_wrapped(const char *text, int indent, int columns, FILE *out)
{
    while (*text) {
        size_t length = strlen(text), room = (size_t)(columns - indent);
        if (length > room) {
            for (length = room; length > 0 && text[length] != ' '; length--)
                ;
            length = length == 0 ? strcspn(text, " ") : length;
        }
        fprintf(out, "%*s%.*s\n", indent, "", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
}

#define EDITS_SHOWN 3u
static enum status print_replays(const struct job *job, int columns, FILE *out, struct error *error)
{
    struct job_replays replays;
    const enum status status = job_replay(job, &replays, error);
    const double span_ns = (double)job->verdict.span_ns;
    for (uint32_t i = 0; status == STATUS_OK && i < replays.count && i < EDITS_SHOWN; i++) {
        const struct job_edit *edit = &replays.edits[i];
        char what[200], text[300];
        job_edit_text(job, edit, what, sizeof what);
        snprintf(text, sizeof text, "%s: %.2fx", what, span_ns / (span_ns - (double)edit->gain_ns));
        if (i == 0)
            fprintf(out,
                    "what would help, by replaying the ranks joined at their collectives (error %+.1f %%)\n",
                    100 * replays.error);
        print_wrapped(text, 2, columns, out);
    }
    return status;
}

static enum status print_first_screen(const struct job *job, const struct options *options, int columns,
                                      FILE *out, struct error *error)
{
    const struct job_verdict *verdict = &job->verdict;
    char text[1000], span[32];
    const struct value value = {.available = true, .number = (double)job->end_ns};
    double exposed = 0, whole = 0;
    metric_format(METRIC_time_ns, &value, span, sizeof span);
    for (uint32_t i = 0; i < job->rank_count; i++) {
        const struct digest_head *head = job->ranks[i].digest.head;
        exposed += (double)head->ns[RANK_COLLECTIVE];
        whole += (double)(head->last_ns - head->first_ns);
    }
    fprintf(out, "%s: %u ranks, %u %s, %u collectives, %s\n\n", options->file, job->rank_count,
            job->host_count, job->host_count == 1 ? "clock" : "clocks", job->collective_count, span);
    if (verdict->silent) {
        print_wrapped(verdict->silence, 0, columns, out);
    } else {
        snprintf(text, sizeof text, "%s holds the others up: %s.", verdict->who,
                 rank_class_cause(verdict->cause));
        text[0] = text[0] == 'r' ? 'R' : 'T';
        print_wrapped(text, 0, columns, out);
        print_wrapped(verdict->why, 2, columns, out);
        if (*verdict->evidence)
            print_wrapped(verdict->evidence, 2, columns, out);
        if (verdict->culprits > 1) {
            snprintf(text, sizeof text, "%u ranks stand out; this one causes most.", verdict->culprits);
            print_wrapped(text, 2, columns, out);
        }
    }
    const enum status replayed = print_replays(job, columns, out, error);
    if (replayed != STATUS_OK)
        return replayed;
    if (whole > 0) {
        snprintf(text, sizeof text, "Collectives that no other kernel hid took %.2g %% of the ranks' time.",
                 100 * exposed / whole);
        print_wrapped(text, 0, columns, out);
    }
    fputc('\n', out);
    const struct sheet_look look = {.form = SHEET_FORM_TEXT, .width = columns, .most = RANKS_SHOWN};
    const enum status status = sheet_print(&sheet_job_ranks, job, &look, out, error);
    job_notes(job, text, sizeof text);
    if (status == STATUS_OK && *text) {
        fputc('\n', out);
        print_wrapped(text, 0, columns, out);
    }
    return status;
}

enum status job_report(const struct options *options, FILE *out, struct error *error)
{
    struct job *job;
    enum status status = memory_check(job_open(&job, options->file, error));
    if (status != STATUS_OK)
        return status;
    const int terminal = isatty(STDOUT_FILENO) ? terminal_columns() : COLUMNS;
    const struct sheet_look csv = {.form = SHEET_FORM_CSV};
    if (options->table)
        status = sheet_option_print(job_sheet_at, job, options, out, error);
    else if (options->format == REPORT_JSON)
        status = sheet_document_print(&job_document, job, &(struct sheet_look){0}, out, error);
    else if (options->format == REPORT_CSV)
        status = sheet_print(&sheet_job_ranks, job, &csv, out, error);
    else
        status = print_first_screen(job, options, terminal < 40 ? 40 : terminal, out, error);
    job_close(job);
    return status;
}

enum status job_tables(const struct options *options, struct error *error)
{
    struct job *job;
    enum status status = memory_check(job_open(&job, options->file, error));
    if (status != STATUS_OK)
        return status;
    status = sheet_folder_print(job_sheet_at, job, options->tables, error);
    job_close(job);
    return status;
}

/* A rank that is opened has the terminal as `lanescope view FILE` does; the job's screen comes back after it. */

enum status job_view(const struct options *options, struct error *error)
{
    struct job *job;
    struct ranks_screen *screen = NULL;
    const char *slash = strrchr(options->file, '/'), *opened = NULL;
    const struct tui_options look = terminal_options(options);
    enum status status = memory_check(job_open(&job, options->file, error));
    if (status != STATUS_OK)
        return status;
    status = ranks_screen_create(&screen, job, slash ? slash + 1 : options->file, &look, error);
    if (status == STATUS_OK && options->snapshot)
        status = ranks_snapshot(screen, options->snapshot, options->width ? options->width : 80,
                                options->height ? options->height : 24, options->keys, stdout, error);
    else if (status == STATUS_OK)
        do {
            struct options of_rank = *options;
            status = ranks_run(screen, &opened, error);
            of_rank.file = opened;
            if (status == STATUS_OK && opened)
                status = screen_view(&of_rank, error);
        } while (status == STATUS_OK && opened);
    ranks_screen_destroy(screen);
    job_close(job);
    return status;
}

/* A digest beside a recording of the same name (run.lsd, run.lsr) stands for it. */

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

/* Is it one that a folder's ranks may be in? */
static bool is_wanted(const char *path, const char *out)
{
    struct stat status;
    char digest[PATH_MAX];
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || is_same_file(path, out))
        return false;
    if (!ends_in(path, ".lsr"))
        return job_recognises(path) || import_recognises(path);
    snprintf(digest, sizeof digest, "%.*s.lsd", (int)(strlen(path) - 4), path);
    return !job_recognises(digest);
}

/* The whole path, so that the screen finds the recording from any folder. */
static enum status add_file(struct gather *gather, const char *path, struct error *error)
{
    char *whole = realpath(path, NULL);
    const enum status status = memory_check(gather_add(gather, whole ? whole : path, error));
    free(whole);
    return status;
}

static enum status add_folder(struct gather *gather, const char *folder, const char *out, struct error *error)
{
    struct dirent **names;
    const int count = scandir(folder, &names, NULL, alphasort);
    enum status status = STATUS_OK;
    uint32_t taken = 0;
    if (count < 0)
        return error_set(error, STATUS_IO, "The folder %.300s could not be read.", folder);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        if (status == STATUS_OK && names[i]->d_name[0] != '.' &&
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name) < sizeof path &&
            is_wanted(path, out)) {
            status = add_file(gather, path, error);
            taken++;
        }
        free(names[i]);
    }
    free(names);
    return status == STATUS_OK && taken == 0
               ? error_set(error, STATUS_USAGE,
                           "%.300s holds no recording, digest, job or trace that lanescope reads.", folder)
               : status;
}

enum status gather_command(const struct options *options, struct error *error)
{
    struct gather *gather;
    char folder[PATH_MAX];
    if (!options->out)
        return error_set(error, STATUS_USAGE,
                         "Say where the job goes: lanescope gather FILES --out job.lsj.");
    snprintf(folder, sizeof folder, "%s", options->out);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    enum status status = gather_start(&gather, slash ? folder : ".", error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < options->workload_count && status == STATUS_OK; i++) {
        struct stat kind;
        const char *path = options->workloads[i];
        status = stat(path, &kind) == 0 && S_ISDIR(kind.st_mode)
                     ? add_folder(gather, path, options->out, error)
                     : add_file(gather, path, error);
    }
    if (status == STATUS_OK && job_recognises(options->out) == false) {
        struct stat kind;
        if (stat(options->out, &kind) == 0 && kind.st_size > 0)
            status = error_set(error, STATUS_USAGE, "%.300s is there and is no job: give another name.",
                               options->out);
    }
    if (status == STATUS_OK)
        status = gather_write(gather, options->out, error);
    if (status == STATUS_OK)
        printf("%s: %u ranks\n", options->out, gather_ranks(gather));
    gather_end(gather);
    return status;
}
