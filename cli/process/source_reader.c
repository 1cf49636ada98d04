/*
 * A file is opened without blocking and checked by its descriptor; it is read only if it is a regular file,
 * small enough and text.
 */
#include "cli/process/source_reader.h"

#include "core/session/code.h"
#include "workloads/frame/texts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads all of it, in one piece; false: it has changed meanwhile, or contains a NUL. */
static bool read_all(int file, char *text, size_t size_bytes)
{
    size_t done = 0;
    while (done < size_bytes) {
        ssize_t got = read(file, text + done, size_bytes - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return memchr(text, '\0', size_bytes) == NULL;
}

static bool read_file(const char *path, char **text, size_t *size_bytes)
{
    struct stat status;
    bool whole = false;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
        status.st_size <= (off_t)SOURCE_BYTES_MAX && (*text = malloc((size_t)status.st_size)) != NULL) {
        *size_bytes = (size_t)status.st_size;
        whole = read_all(file, *text, *size_bytes);
    }
    close(file);
    return whole;
}

bool source_reader_read(void *context, const char *path, char **text, size_t *size_bytes)
{
    (void)context;
    char name[512];
    code_file_name(path, NULL, name, sizeof name);
    const struct text_file *bundled = text_find(name);
    if (bundled == NULL)
        return read_file(path, text, size_bytes);
    *size_bytes = strlen(bundled->text);
    *text = strdup(bundled->text);
    return *text != NULL;
}
