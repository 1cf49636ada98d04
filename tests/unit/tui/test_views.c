/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of views: what the screen relies on without asking.
 */
#include "tui/frame/view.h"

#include <criterion/criterion.h>

Test(views, no_action_opens_two)
{
    for (enum view_id a = 0; a < VIEW_COUNT; a++)
        for (enum view_id b = a + 1; b < VIEW_COUNT; b++)
            cr_assert(view_table[a]->opened_by == ACTION_NONE ||
                          view_table[a]->opened_by != view_table[b]->opened_by,
                      "%s and %s", view_table[a]->title, view_table[b]->title);
}

Test(views, have_what_is_called_without_asking)
{
    for (enum view_id id = 0; id < VIEW_COUNT; id++) {
        const struct view *view = view_table[id];
        cr_assert(view->title != NULL && view->update != NULL && view->draw != NULL, "view %d", (int)id);
        cr_assert((int)id >= PANE_COUNT || (view->act != NULL && view->mouse != NULL), "%s", view->title);
        cr_assert(view->filtered == NULL || view->filter != NULL, "%s", view->title);
        cr_assert(view->open == NULL || view->opened_by != ACTION_NONE, "%s", view->title);
        cr_assert((view->forget == NULL && view->fini == NULL) || view->state_bytes > 0, "%s", view->title);
    }
}
