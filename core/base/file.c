/* The file is opened without waiting for a writer, and its kind and size are those of what was opened. */
#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum status file_read(const char *path, size_t most_bytes, char **text, size_t *size_bytes,
                      struct error *error)
{
    enum status status = STATUS_OK;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat facts = {0};
    size_t got = 0;
    ssize_t part = 1;

    *text = NULL;
    if (file < 0)
        return error_set_errno(error, STATUS_USAGE, errno, "Cannot read %.300s", path);
    if (fstat(file, &facts) < 0 || !S_ISREG(facts.st_mode))
        status = error_set(error, STATUS_USAGE, "Cannot read %.300s: it is not a regular file.", path);
    else if (facts.st_size > (off_t)most_bytes)
        status = error_set(error, STATUS_USAGE, "Cannot read %.300s: it is larger than %zu kB.", path,
                           most_bytes >> 10);
    else if (!(*text = malloc((size_t)facts.st_size + 1)))
        status = error_no_memory(error, "for %.200s", path);
    while (status == STATUS_OK && part != 0 && got < (size_t)facts.st_size) {
        part = read(file, *text + got, (size_t)facts.st_size - got);
        got += part > 0 ? (size_t)part : 0;
        if (part < 0 && errno != EINTR)
            status = error_set_errno(error, STATUS_IO, errno, "Cannot read %.300s", path);
    }
    close(file);
    if (status != STATUS_OK) {
        free(*text);
        *text = NULL;
        return status;
    }
    (*text)[got] = '\0';
    *size_bytes = got;
    return STATUS_OK;
}
