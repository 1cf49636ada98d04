/*
 * ssh joins its arguments with blanks and gives them to a shell on the other machine: the command is one
 * argument, with the file in single quotes. "--" ends ssh's options; a host that begins with - is refused
 * nevertheless, since not every ssh knows "--".
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

enum status follow_run(const char *place, struct error *error)
{
    const char *colon = strchr(place, ':'), *file = colon ? colon + 1 : "";
    const char *given = getenv("LANESCOPE_SSH"), *ssh = given && *given ? given : "ssh";
    char host[HOST_BYTES], command[COMMAND_BYTES];
    size_t length = colon ? (size_t)(colon - place) : 0;

    if (length == 0 || !*file)
        return error_set(error, STATUS_USAGE,
                         "'%.200s' names no file on another machine: lanescope follow HOST:FILE.", place);
    if (place[0] == '-' || file[0] == '-')
        return error_set(error, STATUS_USAGE,
                         "The host and the file must not begin with '-': write ./%.100s for a file of that "
                         "name.",
                         file);
    if (length >= sizeof host || strcspn(place, " \t\n'\"\\") < length)
        return error_set(error, STATUS_USAGE, "'%.*s' is not the name of a host.",
                         (int)(length < 200 ? length : 200), place);
    memcpy(host, place, length);
    host[length] = '\0';
    if (!follow_command(file, command, sizeof command))
        return error_set(error, STATUS_USAGE, "The name of the file is too long to pass to ssh.");
    execlp(ssh, ssh, "-t", "--", host, command, (char *)NULL);
    return error_set_errno(error, STATUS_IO, errno,
                           "Cannot run %.200s, which opens the other machine: is ssh installed?", ssh);
}
