/* The file never has a name, so nothing is left behind when lanescope is killed. */
#include "cli/process/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum status capture_open(struct capture *capture, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];

    if (!folder || !*folder)
        folder = "/tmp";
    if ((size_t)snprintf(name, sizeof name, "%s/lanescope-output-XXXXXX", folder) >= sizeof name)
        return error_set(error, STATUS_USAGE, "TMPDIR is longer than %zu bytes.", sizeof name);
    capture->fd = mkostemp(name, O_CLOEXEC | O_APPEND);
    if (capture->fd < 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot make a file in %s for the output of programs",
                               folder);
    unlink(name);
    return STATUS_OK;
}

void capture_copy(const struct capture *capture, FILE *out)
{
    char buffer[65536];
    off_t offset = 0;
    ssize_t got;

    if (capture->fd < 0)
        return;
    while ((got = pread(capture->fd, buffer, sizeof buffer, offset)) > 0) {
        fwrite(buffer, 1, (size_t)got, out);
        offset += got;
    }
    fflush(out);
}

void capture_close(struct capture *capture)
{
    if (capture->fd >= 0)
        close(capture->fd);
    capture->fd = -1;
}
