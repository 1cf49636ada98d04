/*
 * The files of `lanescope present` and --write-steps (docs/present.md).
 */
#ifndef CLI_SCREEN_LESSON_FILE_H
#define CLI_SCREEN_LESSON_FILE_H

#include "core/base/error.h"
#include "tui/frame/lesson_script.h"

#include <stdio.h>

/* Reads a .lesson file and checks that what its steps run can be run and
 * what they open can be opened; the message has file and line. Free
 * with lesson_script_free. */
enum status lesson_file_read(const char *path, struct lesson_script *script, struct error *error);
/* The path of a recording that a line `open FILE` of this lesson names: FILE is beside the lesson, unless it
 * begins with '/'. STATUS_USAGE: it is too long. */
enum status lesson_file_path(const char *lesson, const char *file, char *path, size_t size_bytes,
                             struct error *error);
/* Creates the file that a session's steps are written to; a file of that name is not replaced. */
enum status lesson_file_create(const char *path, FILE **file, struct error *error);
/* Closes it; NULL is fine. A failure of any write before is reported here. */
enum status lesson_file_close(const char *path, FILE *file, struct error *error);

#endif
