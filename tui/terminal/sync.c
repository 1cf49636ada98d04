/* Support is detected by a list of terminals that have it; a multiplexer in between means no support. */
#include "tui/terminal/sync.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool sync_is_known(void)
{
    static const char *const types[] = {"xterm-kitty",   "foot",    "alacritty",
                                        "xterm-ghostty", "contour", "wezterm"};
    static const char *const programs[] = {"iTerm.app", "WezTerm", "ghostty", "contour"};
    const char *type = getenv("TERM"), *program = getenv("TERM_PROGRAM");
    for (size_t i = 0; type != NULL && i < sizeof types / sizeof types[0]; i++)
        if (strncmp(type, types[i], strlen(types[i])) == 0)
            return true;
    if (type == NULL || strncmp(type, "xterm", 5) != 0 || program == NULL)
        return false;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(program, programs[i]) == 0)
            return true;
    return false;
}
