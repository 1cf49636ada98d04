/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A teacher's list of steps, read from a .lesson file (docs/present.md): screens by keys, runs, recordings,
 * text. The texts lie in the script's own copy of the file. Plain data; whoever reads it frees it with
 * lesson_script_free. Any thread.
 */
#ifndef TUI_FRAME_LESSON_SCRIPT_H
#define TUI_FRAME_LESSON_SCRIPT_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

#define LESSON_SCRIPT_BYTES_MAX ((size_t)1 << 18)
#define LESSON_STEPS_MAX 200
#define LESSON_LINE_MAX 500      /* bytes */
#define LESSON_STEP_LINES_MAX 60 /* lines of a step */
#define LESSON_SUFFIX ".lesson"

enum lesson_line_kind { LESSON_TEXT, LESSON_RUN, LESSON_OPEN, LESSON_KEYS, LESSON_PREDICT };

struct lesson_line {
    enum lesson_line_kind kind;
    unsigned number; /* of the file, from 1 */
    const char *text;
};

struct lesson_step {
    const char *title;
    uint32_t first, count; /* of the lines */
};

struct lesson_script {
    char *bytes;       /* the file, its lines terminated */
    const char *title; /* "": none */
    unsigned minutes;  /* 0: no limit */
    struct lesson_line *lines;
    size_t line_count, line_room;
    struct lesson_step steps[LESSON_STEPS_MAX];
    uint32_t step_count;
};

/* Reads the text of a file; `name` is its name in messages: "FILE.lesson:12: ...". STATUS_USAGE: a line is
 * not understood, or a limit is exceeded. On failure there is nothing to free. */
enum status lesson_script_read(struct lesson_script *script, const char *name, const char *text,
                               size_t size_bytes, struct error *error);
/* tui/views/chart/view_predict.c: is this what follows the word `predict`? The error says how it is written. */
enum status lesson_prediction_check(const char *text, struct error *error);
void lesson_script_free(struct lesson_script *script);

#endif
