/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines above and below the panes. The header, which names the current subject, and the status line only
 * paint. The bar of keys at the bottom has first the keys of the focused view, then the views that can be
 * opened from anywhere, as many as fit; at the right end the keys to go back, for the finder and for help. A
 * hint can be clicked. The tui's thread.
 */
#ifndef TUI_FRAME_BARS_H
#define TUI_FRAME_BARS_H

#include "tui/frame/screen.h"

void key_bar_draw(const struct screen *screen, struct canvas *canvas, struct rect line);
/* The action whose hint is at a column; ACTION_NONE: there is none. */
enum action key_bar_action_at(const struct screen *screen, struct rect line, int x);
/* Could the action do something now, as far as host and session tell? */
bool key_is_possible(const struct screen *screen, enum action action);
/* The key's name, "h l", or else the name of the action's first key. */
void key_name(const struct view_key *key, char *text, size_t size_bytes);

void bars_draw_header(const struct screen *screen, struct canvas *canvas, struct rect line);
void bars_draw_status(const struct screen *screen, struct canvas *canvas, struct rect line);

#endif
