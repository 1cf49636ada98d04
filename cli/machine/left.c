/* SPDX-License-Identifier: Apache-2.0 */
/* The folder is read for each question: no state is kept. */
#include "cli/machine/left.h"

#include "cli/process/paths.h"
#include "core/base/append.h"
#include "core/base/file.h"
#include "core/recording/recording.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define LEFT_MOST 64 /* more are left for the next time */

struct left {
    char folder[PATH_BYTES];
    struct left_file {
        char name[NAME_MAX + 1];
        double size_bytes;
        time_t changed;
    } files[LEFT_MOST];
    size_t count;
};

static int newest_first(const void *a, const void *b)
{
    const struct left_file *first = a, *second = b;

    return (first->changed < second->changed) - (first->changed > second->changed);
}

static double size_of(const char *folder, const char *name, const char *ending, time_t *changed)
{
    char path[2 * PATH_BYTES];
    struct stat about;

    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    if (stat(path, &about) != 0)
        return 0;
    if (changed && about.st_mtime > *changed)
        *changed = about.st_mtime;
    return (double)about.st_size;
}

static void left_add(struct left *left, const char *name)
{
    struct left_file *file = &left->files[left->count];

    *file = (struct left_file){0};
    snprintf(file->name, sizeof file->name, "%s", name);
    file->size_bytes =
        size_of(left->folder, name, "", &file->changed) + size_of(left->folder, name, "-wal", &file->changed);
    left->count++;
}

static enum status left_read(struct left *left, struct error *error)
{
    struct dirent *entry;
    enum status status = path_of_live_recording(left->folder, error);

    left->count = 0;
    if (status != STATUS_OK)
        return status;
    *strrchr(left->folder, '/') = '\0';
    DIR *folder = opendir(left->folder);
    while (folder && left->count < LEFT_MOST && (entry = readdir(folder))) {
        size_t length = strlen(entry->d_name);

        if (strncmp(entry->d_name, "live-", 5) == 0 && length > 4 &&
            strcmp(entry->d_name + length - 4, ".lsr") == 0)
            left_add(left, entry->d_name);
    }
    if (folder)
        closedir(folder);
    qsort(left->files, left->count, sizeof *left->files, newest_first);
    return STATUS_OK;
}

/* "12.3 MB, 3 days old" */
static void file_about(const struct left_file *file, char *text, size_t size_bytes)
{
    const double age_s = difftime(time(NULL), file->changed);
    const bool days = age_s >= 2 * 86400.0, hours = age_s >= 2 * 3600.0;

    snprintf(text, size_bytes, "%.1f MB, %.0f %s old", file->size_bytes / 1e6,
             age_s / (days    ? 86400.0
                      : hours ? 3600.0
                              : 60.0),
             days    ? "days"
             : hours ? "hours"
                     : "minutes");
}

enum status left_text(char *text, size_t size_bytes, struct error *error)
{
    struct left *left = malloc(sizeof *left);
    char about[80];
    size_t used = 0;

    if (!left)
        return error_no_memory(error, "to list the live recordings");
    enum status status = left_read(left, error);
    if (status == STATUS_OK) {
        append_text(text, size_bytes, &used, "%.1000s", left->folder);
        if (left->count)
            append_text(text, size_bytes, &used,
                        " has %zu recording%s of sessions that still run or were killed:", left->count,
                        left->count == 1 ? "" : "s");
        for (size_t i = 0; i < left->count && i < 5; i++) {
            file_about(&left->files[i], about, sizeof about);
            append_text(text, size_bytes, &used, " %s (%s)%s", left->files[i].name, about,
                        i + 1 == left->count || i == 4 ? "" : ",");
        }
        if (left->count)
            append_text(
                text, size_bytes, &used,
                "%s: lanescope recover takes those of killed ones to this folder, lanescope clean removes them",
                left->count > 5 ? " ..." : "");
    }
    free(left);
    return status;
}

/* recovered-2026-12-01-0312-4711.lsr: when it was written last, and its session's number. */
static void recovered_name(const struct left_file *file, char *name, size_t size_bytes)
{
    struct tm local;
    char day[32] = "";

    if (localtime_r(&file->changed, &local))
        strftime(day, sizeof day, "%Y-%m-%d-%H%M", &local);
    snprintf(name, size_bytes, "recovered-%s%s", day, strrchr(file->name, '-'));
}

static enum status file_recover(FILE *out, const char *from, const struct left_file *file,
                                struct error *error)
{
    char name[NAME_MAX + 64], about[80];

    recovered_name(file, name, sizeof name);
    file_about(file, about, sizeof about);
    enum status status = file_move(from, name, error);
    if (status == STATUS_OK)
        fprintf(out, "%s: %s; lanescope view %s\n", name, about, name);
    return status;
}

static enum status file_clean(FILE *out, const char *from, const struct left_file *file, struct error *error)
{
    char about[80];
    enum status status = recording_remove(from, error);

    file_about(file, about, sizeof about);
    if (status == STATUS_OK)
        fprintf(out, "removed %s: %s\n", from, about);
    return status;
}

/* Calls `act` for each recording that no process has open. */
static enum status
left_visit(FILE *out, enum status (*act)(FILE *, const char *, const struct left_file *, struct error *),
           struct error *error)
{
    struct left *left = malloc(sizeof *left);
    char path[2 * PATH_BYTES];

    if (!left)
        return error_no_memory(error, "to list the live recordings");
    enum status status = left_read(left, error);
    if (status == STATUS_OK && left->count == 0)
        fprintf(out, "No session was killed: %s has no recording.\n", left->folder);
    for (size_t i = 0; i < left->count && status == STATUS_OK; i++) {

        snprintf(path, sizeof path, "%s/%s", left->folder, left->files[i].name);
        if (recording_settle(path, NULL) != STATUS_OK)
            fprintf(out, "%s stays: its session still runs\n", left->files[i].name);
        else
            status = act(out, path, &left->files[i], error);
    }
    free(left);
    return status;
}

enum status recover_command(FILE *out, struct error *error)
{
    return left_visit(out, file_recover, error);
}

enum status clean_command(FILE *out, struct error *error)
{
    return left_visit(out, file_clean, error);
}
