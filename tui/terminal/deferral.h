/*
 * A frame of a pan within a budget of bytes: what comes into view may first say how busy it was, in one
 * colour, and one of the next frames by whom. Over ssh colours are most of a frame's bytes: 40 rows with
 * another kernel in every cell take 20 bytes a cell.
 *
 * What is put off is never false: a cell stays as full as it is, and grey. No state: a cell has been put off
 * when the terminal shows it so. Pure; the terminal's thread.
 */
#ifndef TUI_TERMINAL_DEFERRAL_H
#define TUI_TERMINAL_DEFERRAL_H

#include "tui/terminal/canvas.h"

#define DEFERRAL_BYTES 3900 /* of a frame, as it is counted here: 6 KB at most as curses writes it */
#define DEFERRAL_COLUMNS 16 /* a pan by more is painted at once: it would take many frames */

/* The cell until it gets its colours; itself when it has none to put off. */
struct cell deferral_plain(const struct cell *cell);

/* Of `wanted`, the canvas's cells, puts off what has come into view in its band, or was put off before, as
 * far as the budget is used up. shown: the terminal's cells and `before` its band, before rows are shifted by
 * `shift` cells to the left where shifted[row] says so (row 0: the band's first). Gives whether any was put
 * off; never after anything but a pan. */
bool deferral_make(struct cell *wanted, const struct cell *shown, const struct canvas *canvas,
                   const struct canvas_band *before, int shift, const bool *shifted);

#endif
