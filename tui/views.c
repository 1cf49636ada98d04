/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of views, made from VIEW_LIST. It is passed to the screen, so that the screen's own files do
 * not depend on any view.
 */
#include "tui/views.h"

#define VIEW_ROW(id, name) [VIEW_##id] = &view_##name,
const struct view *const view_table[VIEW_COUNT] = {VIEW_LIST(VIEW_ROW)};
