/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry: the tables of all views, by id. Static data.
 */
#ifndef TUI_VIEWS_H
#define TUI_VIEWS_H

#include "tui/frame/view.h"

extern const struct view *const view_table[VIEW_COUNT];

#endif
