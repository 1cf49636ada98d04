/*
 * The bar of keys below everything: first the own keys of the view that has the keys, then the views that any
 * key opens, as many as fit; at the end the way out, the finder and help. What is named can be clicked. The
 * tui's thread.
 */
#ifndef TUI_FRAME_KEY_BAR_H
#define TUI_FRAME_KEY_BAR_H

#include "tui/frame/screen.h"

void key_bar_draw(const struct screen *screen, struct canvas *canvas, struct rect line);
/* The action named at a column; ACTION_NONE: there is none. */
enum action key_bar_action_at(const struct screen *screen, struct rect line, int x);
/* Could the action do something now, so far as host and session say? */
bool key_is_possible(const struct screen *screen, enum action action);
/* "h l", or the name of the action's first key. */
void key_name(const struct view_key *key, char *text, size_t size_bytes);

#endif
