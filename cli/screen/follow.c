/*
 * ssh joins its arguments with blanks and gives them to a shell on the other machine: the command is one
 * argument, with the file in single quotes. "--" ends ssh's options; a host that begins with - is refused
 * nevertheless, since not every ssh knows "--", and so is one behind USER@. An IPv6 address stands in
 * brackets, which ssh does not take.
 */
#include "cli/screen/follow.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_BYTES 8192
#define HOST_BYTES 256

bool follow_command(const char *file, char *command, size_t size_bytes)
{
    static const char before[] = "exec lanescope view '";
    size_t used = sizeof before - 1;

    if (size_bytes < sizeof before + 2)
        return false;
    memcpy(command, before, used);
    for (; *file; file++) {
        const char *piece = *file == '\'' ? "'\\''" : (char[]){*file, '\0'};
        size_t length = strlen(piece);

        if (used + length + 2 > size_bytes)
            return false;
        memcpy(command + used, piece, length);
        used += length;
    }
    memcpy(command + used, "'", 2);
    return true;
}

/* Parts HOST:FILE. */
static enum status follow_place(const char *place, char *host, size_t size_bytes, const char **file,
                                struct error *error)
{
    const char *first = strchr(place, ':'), *at = first ? memchr(place, '@', (size_t)(first - place)) : NULL;
    const char *bracket = place[0] == '[' ? place : at && at[1] == '[' ? at + 1 : NULL;
    const char *close = bracket ? strstr(bracket, "]:") : NULL;
    const char *colon = bracket ? close ? close + 1 : NULL : first;
    size_t length = colon ? (size_t)(colon - place) : 0, used = 0;

    *file = colon ? colon + 1 : "";
    if (length == 0 || !**file)
        return error_set(error, STATUS_USAGE,
                         "'%.200s' names no file on another machine: lanescope follow HOST:FILE.", place);
    if (place[0] == '-' || (at && at[1] == '-') || (bracket && bracket[1] == '-') || **file == '-')
        return error_set(error, STATUS_USAGE,
                         "The host and the file must not begin with '-': write ./%.100s for a file of that "
                         "name.",
                         *file);
    if (length >= size_bytes || strcspn(place, " \t\n'\"\\") < length)
        return error_set(error, STATUS_USAGE, "'%.*s' is not the name of a host.",
                         (int)(length < 200 ? length : 200), place);
    for (const char *from = place; from < colon; from++)
        if (from != bracket && from != close)
            host[used++] = *from;
    host[used] = '\0';
    return STATUS_OK;
}

enum status follow_run(const char *place, struct error *error)
{
    const char *file;
    const char *given = getenv("LANESCOPE_SSH"), *ssh = given && *given ? given : "ssh";
    char host[HOST_BYTES], command[COMMAND_BYTES];
    enum status status = follow_place(place, host, sizeof host, &file, error);

    if (status != STATUS_OK)
        return status;
    if (!follow_command(file, command, sizeof command))
        return error_set(error, STATUS_USAGE, "The name of the file is too long to pass to ssh.");
    execlp(ssh, ssh, "-t", "--", host, command, (char *)NULL);
    return error_set_errno(error, STATUS_IO, errno,
                           "Cannot run %.200s, which opens the other machine: is ssh installed?", ssh);
}
