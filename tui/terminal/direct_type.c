/* SPDX-License-Identifier: Apache-2.0 */
/* A file of its own, since <term.h> has a struct term, too. */
#include "tui/terminal/direct_type.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

bool direct_type_find(struct direct_type *type)
{
    const char *named = getenv("TERM"), *depth = getenv("COLORTERM");
    int found = 0;
    *type = (struct direct_type){.said = false};
    if (!named || !depth || (strcmp(depth, "truecolor") != 0 && strcmp(depth, "24bit") != 0))
        return false;
    type->said = true;
    snprintf(type->name, sizeof type->name, "%.*s-direct", (int)strcspn(named, "-"), named);
    if (setupterm(type->name, STDOUT_FILENO, &found) == ERR)
        return false;
    del_curterm(cur_term);
    return true;
}
