/*
 * The lanes of an access as a table: which word each wants, and the sector or bank that holds it. For the
 * room that a small picture leaves. Pure but for the canvas; the tui's thread.
 */
#ifndef TUI_VIEWS_LANE_TABLE_H
#define TUI_VIEWS_LANE_TABLE_H

#include "tui/views/lanes/lane_picture.h"

/* Draws the table where the area has room for all lanes, and nothing otherwise. Returns the lines taken, with
 * a blank one. */
int lane_table_draw(struct canvas *canvas, struct rect area, const struct arch *rules,
                    const struct tui_access *access);

#endif
