/* SPDX-License-Identifier: Apache-2.0 */
/* Questions in the order in which they matter: what is chosen first, then what its list shows, then what the next key
 * may choose. */
#include "tui/views/what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_SHOWN 3

/* ---- what is known ---- */

const struct replay_edit *what_if_edit(const struct what_if_view *view, int row)
{
    const struct what_if_row *of = &view->rows[row];
    return of->step ? view->row.result.steps[of->index].edit : replay_edit_at(of->index);
}

uint32_t what_if_bit(const struct what_if_view *view, int row)
{
    (void)view;
    return 1u << row;
}

const char *what_if_row_title(const struct what_if_view *view, int row, char text[WHAT_IF_TITLE])
{
    const struct what_if_row *of = &view->rows[row];
    if (of->step)
        return what_if_title(&view->row.result.steps[of->index], text);
    bool again = false; /* a step makes it at a place */
    for (size_t i = 0; i < view->row.result.count; i++)
        again = again || view->row.result.steps[i].edit == what_if_edit(view, row);
    snprintf(text, WHAT_IF_TITLE, "%s%s", what_if_edit(view, row)->title, again ? ", everywhere" : "");
    return text;
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

/* Where the set's time is, or would be. */
static struct what_if_time *time_of(const struct what_if_view *view, uint32_t rows)
{
    uint32_t at = rows * UINT32_C(0x9E3779B1) >> 20;
    while (view->times[at % WHAT_IF_KNOWN].known && view->times[at % WHAT_IF_KNOWN].rows != rows)
        at++;
    return &view->times[at % WHAT_IF_KNOWN];
}

static void keep_time(struct what_if_view *view, uint32_t rows, int64_t after_ns)
{
    if (view->time_count >= WHAT_IF_KNOWN / 2) { /* what is shown is asked for again */
        memset(view->times, 0, WHAT_IF_KNOWN * sizeof *view->times);
        view->time_count = 0;
    }
    struct what_if_time *time = time_of(view, rows);
    view->time_count += !time->known;
    *time = (struct what_if_time){true, rows, after_ns};
}

bool what_if_after(const struct what_if_view *view, uint32_t rows, int64_t *after_ns)
{
    const struct what_if_time *time = view->times ? time_of(view, rows) : NULL;
    if (time && time->known)
        *after_ns = time->after_ns;
    return time && time->known;
}

/* The sets between which the row makes the difference. */
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

static struct what_if_picture *find_picture(const struct what_if_view *view, uint32_t rows)
{
    for (int i = 0; view->pictures && i < WHAT_IF_PICTURES; i++) {
        struct what_if_picture *kept = &view->pictures[i];
        if (kept->used > 0 && kept->rows == rows && is_stretch(kept->stretch, view->stretch))
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
    to->rows = view->asked;
    to->stretch = answer->of.stretch;
    to->picture = answer->picture;
}

/* ---- the stretch ---- */

static uint64_t operations_of(const struct what_if_view *view)
{
    return view->row.result.facts.piece;
}

uint64_t what_if_step(const struct what_if_view *view)
{
    uint64_t steps = view->row.steps > 0 ? view->row.steps : 1,
             step = view->row.result.facts.operations / steps;
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
    uint64_t step = what_if_step(view), steps = operations_of(view) / step;
    if (view->row.steps > STEPS_SHOWN && steps > STEPS_SHOWN)
        set_stretch(view, (steps - STEPS_SHOWN) / 2 * step, STEPS_SHOWN * step);
    else
        what_if_fit(view);
}

/* ---- answers ---- */

/* Is the edit a step that is made everywhere? */
static bool is_step(const struct what_if *result, const struct replay_edit *edit)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->steps[i].edit == edit && !result->steps[i].at_place)
            return true;
    return false;
}

/* The steps, of which those that rest on the trace are chosen; then the other edits that find something to do. */
static void take_list(struct what_if_view *view)
{
    const struct what_if *result = &view->row.result;
    _Static_assert(WHAT_IF_STEPS_MAX <= WHAT_IF_ROWS, "each step has a row");
    view->count = 0;
    view->chosen = 0;
    for (size_t i = 0; i < result->count; i++) {
        view->chosen |= result->steps[i].assumed ? 0 : 1u << view->count;
        view->rows[view->count++] = (struct what_if_row){true, (uint8_t)i};
    }
    for (int pass = 0; pass < 2 && !result->facts.why[0]; pass++)
        for (uint8_t i = 0; i < REPLAY_EDITS_MAX && replay_edit_at(i) && view->count < (int)WHAT_IF_ROWS; i++)
            if ((result->facts.has & replay_edit_at(i)->changes) != 0 &&
                !is_step(result, replay_edit_at(i)) &&
                what_if_assumes(replay_edit_at(i), &result->facts) == (pass == 1))
                view->rows[view->count++] = (struct what_if_row){false, i};
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
        keep_time(view, view->asked, answer->after_ns);
        keep_picture(view, answer);
        return;
    case TUI_WHAT_IF_PATH: return; /* the timeline asks it */
    }
}

/* ---- questions ---- */

static bool is_wanted(const struct what_if_view *view, uint32_t rows, bool drawn)
{
    int64_t after_ns;
    return !what_if_after(view, rows, &after_ns) || (drawn && !find_picture(view, rows));
}

/* The next set of rows whose replay is wanted; false: none. */
static bool next_set(const struct what_if_view *view, uint32_t *rows)
{
    *rows = view->chosen;
    if (is_wanted(view, *rows, true))
        return true;
    for (int row = 0; row < view->count; row++) {
        uint32_t before, after;
        find_sets(view, row, &before, &after);
        *rows = is_wanted(view, before, false) ? before : after;
        if (is_wanted(view, *rows, false))
            return true;
    }
    for (int row = 0; row < view->count; row++) {
        *rows = view->chosen ^ what_if_bit(view, row);
        if (is_wanted(view, *rows, true))
            return true;
    }
    return false;
}

static bool next_question(struct what_if_view *view)
{
    view->question = (struct tui_what_if_question){.run = view->run, .stretch = view->stretch};
    view->asked = 0;
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
    if (!next_set(view, &view->asked))
        return false;
    for (int row = 0; row < view->count; row++)
        if (view->asked >> row & 1u)
            *(view->rows[row].step ? &view->question.set.steps : &view->question.set.edits) |=
                1u << view->rows[row].index;
    return true;
}

/* The room for what is known; without it nothing is kept, and the view says so. */
static bool make_room(struct what_if_view *view)
{
    if (!view->times)
        view->times = calloc(WHAT_IF_KNOWN, sizeof *view->times);
    if (!view->pictures)
        view->pictures = calloc(WHAT_IF_PICTURES, sizeof *view->pictures);
    if (!view->times || !view->pictures)
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
    free(view->times);
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
