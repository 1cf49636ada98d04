/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compiler says of a source, line by line: nvcc's front end and NVRTC ("x.cu(5): error: ..."), gcc
 * before them ("x.cu:1:10: fatal error: ..."), ptxas ("ptxas error   : ..."). Plain data, any thread.
 */
#ifndef CLI_OWN_DIAGNOSTICS_H
#define CLI_OWN_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIAGNOSTICS_MAX 20
#define DIAGNOSTIC_BYTES 1500
#define DIAGNOSTIC_SOURCE_BYTES 400

struct diagnostic {
    uint32_t line;   /* of the user's file; 0: of none */
    uint32_t column; /* the byte of the line, from 1, that the compiler points at; 0: not known */
    bool warning;
    char text[DIAGNOSTIC_BYTES]; /* all lines of the message, joined; ends with "..." if it was longer */
};

struct diagnostics {
    struct diagnostic list[DIAGNOSTICS_MAX];
    /* Of the first error: the user's line and below it a caret, two lines; "": it is in another file. */
    char source[DIAGNOSTIC_SOURCE_BYTES];
    uint32_t count;    /* in the list */
    uint32_t errors;   /* all, also those that have no room */
    uint32_t warnings; /* likewise */
};

/* Adds those of a compiler's output. file: the name of the source without its folder; a problem in another
 * file, a header, has line 0 and its file and line in the text. */
void diagnostics_read(struct diagnostics *diagnostics, const char *output, const char *file);
void diagnostics_add(struct diagnostics *diagnostics, uint32_t line, bool warning, const char *text);

/* "line 5: identifier "im" is undefined; line 6: expected a ";", and 3 more": the errors. The first is cut if
 * it has no room; of the others those are left out. "": there are none. */
void diagnostics_text(const struct diagnostics *diagnostics, char *text, size_t size_bytes);

#endif
