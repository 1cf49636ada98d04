/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a frame of a pan within a budget of bytes: cells that come into view may first show in grey how busy
 * they are; a later frame adds the colours of the kernels. Over ssh, colours are most of a frame's bytes: 40
 * rows with a different kernel in every cell take 20 bytes per cell.
 *
 * A deferred cell is never wrong: it keeps its fill and is grey. There is no state: a cell is deferred if the
 * terminal shows it grey. Pure; the terminal's thread.
 */
#ifndef TUI_TERMINAL_DEFERRAL_H
#define TUI_TERMINAL_DEFERRAL_H

#include "tui/terminal/canvas.h"

/* The most bytes of a frame, as they are counted here; 6 KB at most are sent for them. */
#define DEFERRAL_BYTES 3400
#define DEFERRAL_COLUMNS 16 /* a longer pan is painted at once: deferral would take many frames */

/* The cell as it is shown until it gets its colours; an equal cell if it has no colours to defer. */
struct cell deferral_plain(const struct cell *cell);

/* Defers colours of `wanted`, the canvas's cells, once the budget is used up: of cells that have come into
 * view in the canvas's band, or that were deferred before. `shown` are the terminal's cells and `before` is
 * its band, before rows are shifted by `shift` cells to the left where shifted[row] is set (row 0 is the
 * band's first). Returns whether any colour was deferred; defers only after a pan. */
bool deferral_make(struct cell *wanted, const struct cell *shown, const struct canvas *canvas,
                   const struct canvas_band *before, int shift, const bool *shifted);

#endif
