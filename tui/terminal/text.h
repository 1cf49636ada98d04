/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from outside, made safe for a screen: bytes in, glyphs out, each glyph a printable code point with its
 * width in cells.
 *
 * Characters that a terminal could interpret as more than text never pass: control bytes, invalid UTF-8,
 * bidirectional and other format characters, line separators, private use and unassigned code points become
 * visible ASCII escapes (\x1b, \u202e). Widths come from the C library, in a C.UTF-8 locale of our own, so
 * that they don't depend on the user's locale. Any thread.
 */
#ifndef TUI_TERMINAL_TEXT_H
#define TUI_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text_reader {
    const char *bytes, *end;
    char pending[12]; /* the rest of an escape */
    uint8_t pending_at;
};

struct text_glyph {
    uint32_t codepoint; /* printable */
    int width;          /* 0 (combines with the glyph before), 1 or 2 cells */
};

void text_reader_init(struct text_reader *reader, const char *bytes, size_t size_bytes);

/* The next glyph; returns 0 at the end. */
int text_next(struct text_reader *reader, struct text_glyph *glyph);

/* Makes the locale of the widths now: later, where there is no memory for it, they would be wrong unnoticed.
 */
void text_start(void);

/* The number of cells that the text takes, at most `most`. `text` is terminated. */
int text_width(const char *text, int most);

/* Writes the UTF-8 of a code point into bytes[4]; returns the number of bytes. */
size_t text_encode(uint32_t codepoint, char bytes[4]);

/* Prints the whole text, made visible. */
void text_print(const char *text, FILE *out);
/* Continues a line of which `column` cells are printed with these words, a blank before each and made
 * visible; what does not fit into `width` columns goes into further lines from that column on. */
void text_print_words(const char *text, int column, int width, FILE *out);

/* The mark of a cut is an ellipsis in one cell on a canvas ("~" on one of ASCII), and ".." in the text of
 * reports. Set by canvas_init, for all texts of the process. */
void text_use_ellipsis(bool able);
const char *text_cut_mark(void);

/*
 * Three ways to shorten to `cells` cells, each with one mark where something is left out. None breaks a
 * number or separates it from its sign or unit, and the mark never stands beside a digit: "n=86507.." would
 * read as another number. The result is UTF-8, terminated.
 */
/* For names: leaves out the middle. Names differ mostly near their end, so the last words stay whole if they
 * fit, and the first words if enough room is left for the last: "Device..OnesweepKernel". */
void text_shorten(const char *text, int cells, char *out, size_t size_bytes);
/* The same, where each byte of the text has a weight: light words are left out first. */
void text_shorten_weighed(const char *text, const uint8_t *weights, int cells, char *out, size_t size_bytes);
/* For titles: leaves out the last clauses, which begin with ", ", ": " or two blanks, as long as a third of
 * the cells stays; else as text_cut. */
void text_clauses(const char *text, int cells, char *out, size_t size_bytes);
/* For sentences: cuts the end, after a whole word if that keeps two thirds of the width: "copies to the..".
 */
void text_cut(const char *text, int cells, char *out, size_t size_bytes);
/* For names that begin like others: cuts the beginning: "..pageable". */
void text_cut_front(const char *text, int cells, char *out, size_t size_bytes);
/* The number of bytes that text_cut keeps; *dots: does the mark follow them? */
size_t text_cut_at(const char *text, int cells, bool *dots);
/* The number of bytes of a word wider than a line that are put into the line: at least one; a number that
 * fits a line is not split. */
size_t text_break_at(const char *text, int cells);

#endif
