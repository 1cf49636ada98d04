/* A lesson is at most LESSON_SCRIPT_BYTES_MAX long: one byte more is read, to see that a file is longer. */
#include "cli/screen/lesson_file.h"

#include "cli/run/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static enum status check_runs(const char *path, const struct lesson_script *script, struct error *error)
{
    for (size_t i = 0; i < script->line_count; i++) {
        struct error why = {0};
        char *spec = (char *)(uintptr_t)script->lines[i].text;

        if (script->lines[i].kind == LESSON_RUN && live_check_workloads(&spec, 1, &why) != STATUS_OK)
            return error_set(error, STATUS_USAGE, "%.200s:%u: %.400s", path, script->lines[i].number,
                             why.text);
    }
    return STATUS_OK;
}

enum status lesson_file_read(const char *path, struct lesson_script *script, struct error *error)
{
    FILE *file = fopen(path, "re");
    char *text = malloc(LESSON_SCRIPT_BYTES_MAX + 1);
    enum status status;

    *script = (struct lesson_script){0};
    if (!file || !text) {
        status = file ? error_no_memory(error, "to read a lesson")
                      : error_set_errno(error, STATUS_IO, errno, "Cannot open the lesson %.300s", path);
    } else {
        size_t size = fread(text, 1, LESSON_SCRIPT_BYTES_MAX + 1, file);

        status = ferror(file)
                     ? error_set_errno(error, STATUS_IO, errno, "Cannot read the lesson %.300s", path)
                     : lesson_script_read(script, path, text, size, error);
        if (status == STATUS_OK && (status = check_runs(path, script, error)) != STATUS_OK)
            lesson_script_free(script);
    }
    if (file)
        fclose(file);
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
