/* SPDX-License-Identifier: Apache-2.0 */
/* zlib is opened as a stream of the C library, so that what writes an export knows nothing of it. */
#include "cli/output/out_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static ssize_t gzip_write(void *cookie, const char *bytes, size_t size_bytes)
{
    unsigned size = size_bytes < 1u << 30 ? (unsigned)size_bytes : 1u << 30;
    return gzwrite(cookie, bytes, size); /* 0 is an error for both */
}

static int gzip_close(void *cookie)
{
    return gzclose(cookie) == Z_OK ? 0 : EOF;
}

static FILE *open_gzip(const char *path)
{
    gzFile gzip = gzopen(path, "wb");
    FILE *stream =
        gzip ? fopencookie(gzip, "w", (cookie_io_functions_t){.write = gzip_write, .close = gzip_close})
             : NULL;
    if (gzip && !stream)
        gzclose(gzip);
    return stream;
}

static bool is_gzip(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

enum status out_file_open(struct out_file *file, const char *path, const char *input, struct error *error)
{
    struct stat in, out;
    *file = (struct out_file){.stream = stdout};
    if (!path || strcmp(path, "-") == 0)
        return STATUS_OK;
    file->path = path;
    if (input && stat(input, &in) == 0 && stat(path, &out) == 0 && in.st_dev == out.st_dev &&
        in.st_ino == out.st_ino)
        return error_set(error, STATUS_USAGE, "%s is the recording itself: name another file.", path);
    errno = 0;
    file->stream = is_gzip(path) ? open_gzip(path) : fopen(path, "w");
    return file->stream
               ? STATUS_OK
               : error_set_errno(error, STATUS_IO, errno ? errno : ENOMEM,
                                 "Cannot write %s; name a file in a folder that exists and is writable",
                                 path);
}

enum status out_flush(FILE *out, struct error *error)
{
    return fflush(out) == 0 && !ferror(out)
               ? STATUS_OK
               : error_set(error, STATUS_IO,
                           "The output could not be written: is the disk full, or has its reader exited?");
}

enum status out_file_close(struct out_file *file, bool keep, struct error *error)
{
    if (!file->path)
        return out_flush(stdout, error);
    bool bad = ferror(file->stream) != 0;
    bad = fclose(file->stream) != 0 || bad;
    if (bad || !keep) {
        struct stat out;
        if (stat(file->path, &out) == 0 && S_ISREG(out.st_mode))
            unlink(file->path);
    }
    return bad && keep ? error_set(error, STATUS_IO, "%s could not be written completely: is the disk full?",
                                   file->path)
                       : STATUS_OK;
}
