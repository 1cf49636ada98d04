/*
 * A hand-in: the text of a file that a student wrote. Nothing in it is trusted: it is read only if it is a
 * regular file of limited size, never through a symbolic link, and without blocking. Any thread.
 */
#ifndef CLI_EXERCISE_HAND_IN_H
#define CLI_EXERCISE_HAND_IN_H

#include "cli/exercise/exercises.h"
#include "core/base/error.h"

#define HAND_IN_BYTES_MAX (256u << 10)
#define HAND_IN_HEAD_LINES 20 /* the exercise is named in one of them */

/* *text: zero-terminated, freed by the caller. STATUS_IO, STATUS_FORMAT with a sentence that does not name
 * the file. */
enum status hand_in_read(const char *path, char **text, struct error *error);

/* The exercise that a line "// exercise: NAME" at the head of the text names. STATUS_FORMAT: there is no such
 * line, or no such exercise. */
enum status hand_in_exercise(const char *text, const struct exercise **exercise, struct error *error);

/* Leaves of a hand-in its code, without comments and blanks. mark: "//" (and then also between slashes and
 * stars) or "#", which begins a comment. */
void hand_in_strip(char *text, const char *mark);

#endif
