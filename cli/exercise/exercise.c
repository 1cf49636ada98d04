/* A file is written with O_EXCL: what a student has written is never replaced. */
#include "cli/exercise/exercise.h"

#include "cli/exercise/grade.h"
#include "cli/exercise/verdict_print.h"
#include "cli/options/terminal.h"
#include "cli/output/memory.h"
#include "cli/own/compile.h"
#include "cli/process/paths.h"
#include "core/base/clock.h"
#include "core/base/name_distance.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 1000
#define NAME_CELLS 12
#define LIST_INDENT 22

/* ---- the list ---- */
static void print_list(FILE *out)
{
    int columns = terminal_columns();

    fputs("  exercise     min   aim\n", out);
    for (size_t i = 0; exercise_at(i); i++) {
        const struct exercise *exercise = exercise_at(i);

        fprintf(out, "  %-*s %3u   ", NAME_CELLS, exercise->name, exercise->minutes);
        print_wrapped_text(exercise->aim, LIST_INDENT - 1, columns, out);
    }
    fputs("\nlanescope exercise NAME writes the file to work on; lanescope exercise NAME FILE checks it.\n",
          out);
}

/* ---- writing one ---- */
static enum status write_exercise(const struct exercise *exercise, struct error *error)
{
    char path[64];

    snprintf(path, sizeof path, "%s%s", exercise->name, exercise->suffix);
    FILE *file = fopen(path, "wx");

    if (!file && errno == EEXIST)
        return error_set(
            error, STATUS_USAGE,
            "%s is here already, and is not replaced: lanescope exercise %s %s checks it. Move it away "
            "to begin anew.",
            path, exercise->name, path);
    if (!file)
        return error_set_errno(error, STATUS_IO, errno, "%s could not be written to this folder", path);
    char *text = exercise_file_text(exercise);
    bool failed = !text || fputs(text, file) < 0 || ferror(file) != 0;

    free(text);
    if (fclose(file) != 0 || failed) {
        unlink(path);
        return error_set(error, STATUS_IO, "%s could not be written completely: is the disk full?", path);
    }
    printf("wrote %s: about %u minutes\n  %s\n  Its head names the goal. Edit it, then: lanescope exercise "
           "%s %s\n",
           path, exercise->minutes, exercise->aim, exercise->name, path);
    return STATUS_OK;
}

static enum status find_exercise(const char *name, const struct exercise **exercise, struct error *error)
{
    const char *nearest = "";
    size_t least = SIZE_MAX;

    *exercise = exercise_find(name);
    if (*exercise)
        return STATUS_OK;
    for (size_t i = 0; exercise_at(i); i++)
        if (name_is_nearer(name, exercise_at(i)->name, &least))
            nearest = exercise_at(i)->name;
    if (!*nearest)
        return error_set(error, STATUS_USAGE,
                         "There is no exercise \"%.80s\": lanescope exercise lists them.", name);
    return error_set(error, STATUS_USAGE,
                     "There is no exercise \"%.80s\": did you mean %s? lanescope exercise lists them.", name,
                     nearest);
}

static double limit_of(const struct options *options)
{
    return options->time_limit_s > 0 ? options->time_limit_s : GRADE_SECONDS;
}

static bool all_passed(const struct grade_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].verdict.outcome != OUTCOME_PASSED)
            return false;
    return true;
}

static enum status check_compiler(const struct grade_job *jobs, size_t count, struct error *error)
{
    char path[PATH_BYTES];
    bool needed = false, nvrtc;

    for (size_t i = 0; i < count; i++)
        needed |= grade_needs_compiler(jobs[i].path);
    struct error none = {0};
    enum status status = needed ? compile_find(path, &nvrtc, &none) : STATUS_OK;

    return status == STATUS_OK
               ? STATUS_OK
               : error_set(error, status,
                           "Hand-ins are compiled. %.600s A file of PTX, FILE.ptx, needs none.", none.text);
}

static enum status run_and_print(struct grade_job *jobs, size_t count, const struct options *options,
                                 int *exit_status, struct error *error)
{
    const int64_t begun_ns = clock_monotonic_ns();
    enum confinement how;
    enum status status = check_compiler(jobs, count, error);

    if (status == STATUS_OK)
        status = grade_run(jobs, count, limit_of(options), &how, error);
    double seconds = (double)(clock_monotonic_ns() - begun_ns) / 1e9;

    if (status != STATUS_OK)
        return status;
    if (options->format == REPORT_JSON)
        verdicts_print_json(jobs, count, how, seconds, stdout);
    else if (options->command == COMMAND_EXERCISE)
        verdict_print(&jobs[0], terminal_columns(), stdout);
    else
        verdicts_print_table(jobs, count, how, seconds, options->full, terminal_columns(), stdout);
    *exit_status = all_passed(jobs, count) ? EXIT_FINE : EXIT_CHECK;
    return STATUS_OK;
}

enum status exercise_command(const struct options *options, int *exit_status, struct error *error)
{
    struct grade_job job = {0};

    if (options->workload_count == 0) {
        print_list(stdout);
        return STATUS_OK;
    }
    enum status status = find_exercise(options->workloads[0], &job.exercise, error);

    if (status != STATUS_OK || options->workload_count == 1)
        return status != STATUS_OK ? status : write_exercise(job.exercise, error);
    job.path = options->workloads[1];
    if (access(job.path, F_OK) != 0)
        return error_set_errno(error, STATUS_USAGE, errno, "%.300s could not be found", job.path);
    return run_and_print(&job, 1, options, exit_status, error);
}

/* ---- many ---- */
struct file_list {
    char **paths;
    size_t count, room;
};

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_path(struct file_list *list, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;

    memory_grow(list->paths, list->room, list->count, 1);
    char *path = memory_zeroed(size, 1);

    snprintf(path, size, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] != '/' ? "/" : "", name);
    list->paths[list->count++] = path;
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);

    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* Its files whose names end as those of exercises do, in order of their names. */
static enum status add_folder(struct file_list *list, const char *path, struct error *error)
{
    DIR *folder = opendir(path);
    const size_t before = list->count;
    struct dirent *entry;

    if (!folder)
        return error_set_errno(error, STATUS_IO, errno, "The folder %.300s could not be read", path);
    while ((entry = readdir(folder)) && list->count <= FILES_MAX) {
        bool wanted = false;

        for (size_t i = 0; exercise_at(i) && !wanted; i++)
            wanted = ends_in(entry->d_name, exercise_at(i)->suffix);
        if (wanted)
            add_path(list, path, entry->d_name);
    }
    closedir(folder);
    if (list->count > before)
        qsort(list->paths + before, list->count - before, sizeof *list->paths, compare_paths);
    return STATUS_OK;
}

static enum status add_files(struct file_list *list, const struct options *options, struct error *error)
{
    for (size_t i = 0; i < options->workload_count; i++) {
        const char *path = options->workloads[i];
        struct stat facts;
        enum status status = STATUS_OK;

        if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
            status = add_folder(list, path, error);
        else
            add_path(list, "", path);
        if (status != STATUS_OK)
            return status;
    }
    if (list->count == 0)
        return error_set(error, STATUS_USAGE,
                         "%.300s has no file of an exercise: their names end in .cu or .order.",
                         options->workloads[0]);
    if (list->count > FILES_MAX)
        return error_set(error, STATUS_USAGE, "These are more than %d files: grade them in parts.",
                         FILES_MAX);
    return STATUS_OK;
}

enum status grade_command(const struct options *options, int *exit_status, struct error *error)
{
    struct file_list list = {0};
    const struct exercise *exercise = NULL;
    enum status status = options->exercise ? find_exercise(options->exercise, &exercise, error) : STATUS_OK;

    if (status == STATUS_OK)
        status = add_files(&list, options, error);
    if (status == STATUS_OK) {
        struct grade_job *jobs = memory_zeroed(list.count, sizeof *jobs);

        for (size_t i = 0; i < list.count; i++)
            jobs[i] = (struct grade_job){.path = list.paths[i], .exercise = exercise};
        status = run_and_print(jobs, list.count, options, exit_status, error);
        free(jobs);
    }
    for (size_t i = 0; i < list.count; i++)
        free(list.paths[i]);
    free(list.paths);
    return status;
}
