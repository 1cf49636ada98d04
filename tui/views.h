/*
 * The registry: the table of every view, by its id. Static data.
 */
#ifndef TUI_VIEWS_H
#define TUI_VIEWS_H

#include "tui/frame/view.h"

extern const struct view *const view_table[VIEW_COUNT];

#endif
