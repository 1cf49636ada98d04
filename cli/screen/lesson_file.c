/* A lesson's lines are checked before its first step: its runs and its recordings. */
#include "cli/screen/lesson_file.h"

#include "cli/process/paths.h"
#include "cli/run/live.h"
#include "core/base/file.h"
#include "core/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status lesson_file_path(const char *lesson, const char *file, char *path, size_t size_bytes,
                             struct error *error)
{
    const char *slash = strrchr(lesson, '/');
    int folder = slash && *file != '/' ? (int)(slash + 1 - lesson) : 0;

    if ((size_t)snprintf(path, size_bytes, "%.*s%s", folder, lesson, file) >= size_bytes)
        return error_set(error, STATUS_USAGE, "The path of %.200s is too long.", file);
    return STATUS_OK;
}

static enum status check_recording(const char *lesson, const char *file, struct error *error)
{
    char path[PATH_BYTES];
    struct session *session = NULL;
    struct loader *loader = NULL;
    enum status status = lesson_file_path(lesson, file, path, sizeof path, error);

    if (status == STATUS_OK)
        status = loader_open(&loader, &session, path, error);
    if (status == STATUS_OK) {
        loader_close(loader);
        session_destroy(session);
    }
    return status;
}

static enum status check_line(const char *path, const struct lesson_line *line, struct error *error)
{
    char *spec = (char *)(uintptr_t)line->text;

    switch (line->kind) {
    case LESSON_RUN: return live_check_workloads(&spec, 1, error);
    case LESSON_OPEN: return check_recording(path, line->text, error);
    default: return STATUS_OK;
    }
}

static enum status check_lines(const char *path, const struct lesson_script *script, struct error *error)
{
    for (size_t i = 0; i < script->line_count; i++) {
        struct error why = {0};

        if (check_line(path, &script->lines[i], &why) != STATUS_OK)
            return error_set(error, STATUS_USAGE, "%.200s:%u: %.400s", path, script->lines[i].number,
                             why.text);
    }
    return STATUS_OK;
}

enum status lesson_file_read(const char *path, struct lesson_script *script, struct error *error)
{
    char *text;
    size_t size_bytes;
    enum status status;

    *script = (struct lesson_script){0};
    if (access(path, F_OK) < 0)
        return error_set_errno(error, STATUS_IO, errno,
                               "Cannot open the lesson %.300s; name a file of steps, such as "
                               "docs/coalescing.lesson (docs/present.md, or --write-steps, makes one)",
                               path);
    status = file_read(path, LESSON_SCRIPT_BYTES_MAX, &text, &size_bytes, error);
    if (status != STATUS_OK)
        return status;
    status = lesson_script_read(script, path, text, size_bytes, error);
    if (status == STATUS_OK && (status = check_lines(path, script, error)) != STATUS_OK)
        lesson_script_free(script);
    free(text);
    return status;
}

enum status lesson_file_create(const char *path, FILE **file, struct error *error)
{
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);

    *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!*file) {
        error_set_errno(error, STATUS_IO, errno, "Cannot write the steps of the session to %.300s", path);
        if (fd >= 0)
            close(fd);
        return STATUS_IO;
    }
    fputs("# Written by lanescope --write-steps; docs/present.md explains the lines.\n"
          "title A session of lanescope\n",
          *file);
    return STATUS_OK;
}

enum status lesson_file_close(const char *path, FILE *file, struct error *error)
{
    if (!file)
        return STATUS_OK;
    bool failed = ferror(file) != 0;

    if (fclose(file) != 0 || failed)
        return error_set(error, STATUS_IO, "Writing the steps to %.300s failed: is the disk full?", path);
    return STATUS_OK;
}
