/* SPDX-License-Identifier: Apache-2.0 */
/* Questions in the order in which they matter: what is chosen first, then what its list shows, then what the next key
 * may choose. */
#include "tui/views/what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS (1u << REPLAY_EDITS_MAX)
#define STEPS_SHOWN 3

/* ---- what is known ---- */

const struct replay_edit *what_if_edit(const struct what_if_view *view, int row)
{
    return replay_edit_at(view->order[row]);
}

uint32_t what_if_bit(const struct what_if_view *view, int row)
{
    return 1u << view->order[row];
}

bool what_if_assumed(const struct what_if_view *view, int row)
{
    return what_if_assumes(what_if_edit(view, row), &view->row.result.facts);
}

void what_if_toggle(struct what_if_view *view, int row)
{
    if (row >= 0 && row < view->count)
        view->chosen ^= what_if_bit(view, row);
}

bool what_if_after(const struct what_if_view *view, uint32_t edits, int64_t *after_ns)
{
    if (!view->after_ns || view->after_ns[edits % SETS] == 0)
        return false;
    *after_ns = view->after_ns[edits % SETS] - 1;
    return true;
}

/* The sets between which the row's edit makes the difference. */
static void find_sets(const struct what_if_view *view, int row, uint32_t *before, uint32_t *after)
{
    uint32_t bit = what_if_bit(view, row);
    *before = view->chosen;
    if ((view->chosen & bit) != 0)
        for (int i = row; i < view->count; i++)
            *before &= ~what_if_bit(view, i);
    *after = *before | bit;
}

bool what_if_gain(const struct what_if_view *view, int row, struct what_if_gain *gain)
{
    uint32_t before, after;
    find_sets(view, row, &before, &after);
    return what_if_after(view, before, &gain->before_ns) && what_if_after(view, after, &gain->after_ns);
}

static bool is_stretch(struct replay_stretch a, struct replay_stretch b)
{
    return a.first == b.first && a.end == b.end && a.columns == b.columns;
}

static struct what_if_picture *find_picture(const struct what_if_view *view, uint32_t edits)
{
    for (int i = 0; view->pictures && i < WHAT_IF_PICTURES; i++) {
        struct what_if_picture *kept = &view->pictures[i];
        if (kept->used > 0 && kept->edits == edits && is_stretch(kept->stretch, view->stretch))
            return kept;
    }
    return NULL;
}

const struct replay_picture *what_if_drawn(const struct what_if_view *view)
{
    const struct what_if_picture *kept = find_picture(view, view->chosen);
    return kept ? &kept->picture : NULL;
}

/* In the place of the one that was needed longest ago. */
static void keep_picture(struct what_if_view *view, const struct tui_what_if_answer *answer)
{
    struct what_if_picture *to = view->pictures;
    for (int i = 1; to && i < WHAT_IF_PICTURES; i++)
        if (view->pictures[i].used < to->used)
            to = &view->pictures[i];
    if (!to)
        return;
    to->used = ++view->uses;
    to->edits = answer->of.edits;
    to->stretch = answer->of.stretch;
    to->picture = answer->picture;
}

/* ---- the stretch ---- */

static uint64_t operations_of(const struct what_if_view *view)
{
    return view->row.result.facts.operations;
}

uint64_t what_if_step(const struct what_if_view *view)
{
    uint64_t steps = view->row.steps > 0 ? view->row.steps : 1, step = operations_of(view) / steps;
    return step > 0 ? step : 1;
}

static void set_stretch(struct what_if_view *view, uint64_t first, uint64_t count)
{
    uint64_t all = operations_of(view);
    count = count < 1 ? 1 : count > all ? all : count;
    view->stretch.first = first > all - count ? all - count : first;
    view->stretch.end = view->stretch.first + count;
}

void what_if_fit(struct what_if_view *view)
{
    set_stretch(view, 0, operations_of(view));
}

/* By whole steps; of fewer than one, by operations. */
void what_if_zoom(struct what_if_view *view, bool in)
{
    uint64_t step = what_if_step(view), count = view->stretch.end - view->stretch.first;
    uint64_t unit = count > step || (!in && count == step) ? step : 1, units = count / unit;
    units = in ? (units + 1) / 2 : 2 * units;
    uint64_t wanted = (units < 1 ? 1 : units) * unit, middle = view->stretch.first + count / 2;
    uint64_t first = middle > wanted / 2 ? middle - wanted / 2 : 0;
    set_stretch(view, first - first % unit, wanted);
}

void what_if_pan(struct what_if_view *view, bool right)
{
    uint64_t step = what_if_step(view), count = view->stretch.end - view->stretch.first;
    uint64_t by = count >= step && count < operations_of(view) ? step : (count + 3) / 4;
    uint64_t first = view->stretch.first;
    set_stretch(view, right ? first + by : first > by ? first - by : 0, count);
}

/* A few steps in the middle; of a loop without steps all of it. */
static void begin_stretch(struct what_if_view *view)
{
    uint64_t step = what_if_step(view);
    if (view->row.steps > STEPS_SHOWN)
        set_stretch(view, (view->row.steps - STEPS_SHOWN) / 2 * step, STEPS_SHOWN * step);
    else
        what_if_fit(view);
}

/* ---- answers ---- */

static bool has_row(const struct what_if_view *view, uint8_t edit)
{
    return memchr(view->order, edit, (size_t)view->count) != NULL;
}

static uint8_t index_of(const struct replay_edit *edit)
{
    uint8_t index = 0;
    while (replay_edit_at(index) != edit)
        index++;
    return index;
}

/* The greedy ones, of which those that rest on the trace are chosen; then the others that find something to do. */
static void take_list(struct what_if_view *view)
{
    const struct what_if *result = &view->row.result;
    view->count = 0;
    view->chosen = 0;
    for (size_t i = 0; i < result->count; i++) {
        if (has_row(view,
                    index_of(result->steps[i].edit))) /* at another place; here an edit is made everywhere */
            continue;
        view->order[view->count++] = index_of(result->steps[i].edit);
        if (!result->steps[i].assumed)
            view->chosen |= what_if_bit(view, view->count - 1);
    }
    for (int pass = 0; pass < 2 && !result->facts.why[0]; pass++)
        for (uint8_t i = 0; i < REPLAY_EDITS_MAX && replay_edit_at(i); i++)
            if ((result->facts.has & replay_edit_at(i)->changes) != 0 && !has_row(view, i) &&
                what_if_assumes(replay_edit_at(i), &result->facts) == (pass == 1))
                view->order[view->count++] = i;
    view->listed = true;
}

static void take_answer(struct what_if_view *view, const struct tui_what_if_answer *answer)
{
    switch (answer->of.kind) {
    case TUI_WHAT_IF_OPEN:
        view->row = answer->row;
        view->opened = true;
        begin_stretch(view);
        return;
    case TUI_WHAT_IF_LIST:
        view->row = answer->row;
        take_list(view);
        return;
    case TUI_WHAT_IF_PICTURE:
        if (view->after_ns)
            view->after_ns[answer->of.edits % SETS] = answer->after_ns + 1;
        keep_picture(view, answer);
        return;
    }
}

/* ---- questions ---- */

static bool is_wanted(const struct what_if_view *view, uint32_t edits, bool drawn)
{
    int64_t after_ns;
    return !what_if_after(view, edits, &after_ns) || (drawn && !find_picture(view, edits));
}

/* The next set of edits whose replay is wanted; false: none. */
static bool next_set(const struct what_if_view *view, uint32_t *edits)
{
    *edits = view->chosen;
    if (is_wanted(view, *edits, true))
        return true;
    for (int row = 0; row < view->count; row++) {
        uint32_t before, after;
        find_sets(view, row, &before, &after);
        *edits = is_wanted(view, before, false) ? before : after;
        if (is_wanted(view, *edits, false))
            return true;
    }
    for (int row = 0; row < view->count; row++) {
        *edits = view->chosen ^ what_if_bit(view, row);
        if (is_wanted(view, *edits, true))
            return true;
    }
    return false;
}

static bool next_question(struct what_if_view *view)
{
    view->question = (struct tui_what_if_question){.run = view->run, .stretch = view->stretch};
    if (view->why[0])
        return false;
    if (!view->opened)
        return true;
    view->question.kind = TUI_WHAT_IF_PICTURE;
    if (view->stretch.columns == 0) /* it was not on the screen yet */
        return false;
    if (!view->listed) {
        if (is_wanted(view, 0, true))
            return true;
        view->question.kind = TUI_WHAT_IF_LIST;
        return true;
    }
    return next_set(view, &view->question.edits);
}

/* The room for what is known; without it nothing is kept, and the view says so. */
static bool make_room(struct what_if_view *view)
{
    if (!view->after_ns)
        view->after_ns = calloc(SETS, sizeof *view->after_ns);
    if (!view->pictures)
        view->pictures = calloc(WHAT_IF_PICTURES, sizeof *view->pictures);
    if (!view->after_ns || !view->pictures)
        snprintf(view->why, sizeof view->why,
                 "There is no memory for the replays: close other views or programs.");
    return view->why[0] == '\0';
}

bool what_if_ask(struct screen *screen)
{
    struct what_if_view *view = what_if_state(screen);
    struct error error = {0};
    bool made = false;
    if (!view->begun || !make_room(view) || (!view->pending && !next_question(view)))
        return false;
    struct tui_what_if_answer *answer = calloc(1, sizeof *answer);
    if (!answer)
        return false;
    enum status status = screen->host->what_if(screen->host->context, &view->question, answer, &made, &error);
    view->pending = status == STATUS_OK && !made;
    if (status != STATUS_OK)
        snprintf(view->why, sizeof view->why, "%.*s", (int)sizeof view->why - 1, error.text);
    else if (made)
        take_answer(view, answer);
    free(answer);
    return true;
}

/* ---- the run ---- */

void what_if_forget(struct screen *screen)
{
    struct what_if_view *view = what_if_state(screen);
    if (screen->host->stop_what_if)
        screen->host->stop_what_if(screen->host->context);
    free(view->after_ns);
    free(view->pictures);
    *view = (struct what_if_view){0};
}

const char *what_if_refusal(const struct screen *screen)
{
    const struct run_row *run = screen->run == NONE ? NULL : session_run(screen->session, screen->run);
    if (!screen->host->what_if)
        return "Nothing is replayed here.";
    if (screen->state.loading)
        return "The run is replayed when the recording is loaded.";
    if (!run)
        return screen_why_empty(screen, "No run is shown: ( and ) choose one.");
    if (!run_is_traced(run))
        return "This run counted, launch by launch, so its times are not those of the program: ( and ) show "
               "another run.";
    if (screen_run_runs(screen, screen->run))
        return "The run is in progress: it is replayed when it has ended.";
    return NULL;
}
