/*
 * `lanescope follow HOST:FILE`: ssh runs `lanescope view FILE` on another machine, with a terminal there.
 */
#ifndef CLI_SCREEN_FOLLOW_H
#define CLI_SCREEN_FOLLOW_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes the command for the other machine's shell, "lanescope view 'FILE'", FILE quoted; false: no room. */
bool follow_command(const char *file, char *command, size_t size_bytes);

/* Replaces this process by ssh ($LANESCOPE_SSH: another program that takes the same arguments). Returns only
 * when that fails. `place`: HOST:FILE or USER@HOST:FILE; HOST may be an IPv6 address in brackets. */
enum status follow_run(const char *place, struct error *error);

#endif
