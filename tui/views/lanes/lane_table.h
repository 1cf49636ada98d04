/*
 * The lanes of an access as a table: the word that each accesses, and the sector or bank that holds it. It
 * fills the room that a small picture leaves. Pure except for the canvas; the tui's thread.
 */
#ifndef TUI_VIEWS_LANE_TABLE_H
#define TUI_VIEWS_LANE_TABLE_H

#include "tui/views/lanes/lane_picture.h"

/* Draws the table if the area has room for all lanes, else nothing. Returns the lines taken, including a
 * blank one. */
int lane_table_draw(struct canvas *canvas, struct rect area, const struct arch *rules,
                    const struct tui_access *access);

#endif
