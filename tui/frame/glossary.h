/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The glossary: the rows "| term | meaning |" of docs/glossary.md, in their order. Any thread; the canvas is
 * the caller's.
 */
#ifndef TUI_FRAME_GLOSSARY_H
#define TUI_FRAME_GLOSSARY_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLOSSARY_TERM_BYTES 64
#define GLOSSARY_MEANING_BYTES 1000

struct glossary_term {
    char term[GLOSSARY_TERM_BYTES], meaning[GLOSSARY_MEANING_BYTES]; /* plain text */
};

uint32_t glossary_count(const char *text); /* text NULL: 0 */
/* False: there is no row of this index. */
bool glossary_at(const char *text, uint32_t index, struct glossary_term *term);
/* False: there is no term of this name. */
bool glossary_find(const char *text, const char *name, struct glossary_term *term);
/* Paints the term and its meaning, if there is room for all of it. Returns the lines painted. */
int glossary_draw_term(struct canvas *canvas, struct rect area, const struct glossary_term *term);

#endif
