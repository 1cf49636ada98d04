/* SPDX-License-Identifier: Apache-2.0 */
/* The source page: what is known of a kernel's code on either side, and the reasons for what is not known. */
#include "tui/views/source/source.h"
#include "core/base/clock.h"
#include "tui/frame/screen.h"
#include "tui/views/panel/view_panel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ISSUE_BOUND_PCT 60 /* of the issue slots: with more, instructions are what a line costs */
#define CONTEXT_LINES 12
#define WORK_NS (5 * NS_PER_MS)
#define LOOK_MS 500 /* period of looking for new data in a live session */

static void side_fini(struct source_side *side)
{
    code_lines_fini(&side->lines);
    code_listing_fini(&side->listing);
    *side = (struct source_side){0};
}

void source_fini(struct source_view *view)
{
    for (int side = 0; side < PROVENANCE_COUNT; side++)
        side_fini(&view->sides[side]);
    free(view->rows);
    free(view->open);
    *view = (struct source_view){.kernel = NONE};
}

/* ---- the sides ---- */
/* Takes ownership of the listing. */
static void side_take(struct source_side *side, struct code_listing *listing, const char *of)
{
    struct error error = {0};
    side_fini(side);
    side->listing = *listing;
    snprintf(side->of, sizeof side->of, "%.60s", of);
    side->known =
        side->listing.count > 0 && code_lines_make(&side->listing, &side->lines, &error) == STATUS_OK;
    if (!side->known)
        side_fini(side);
}

/* The device that the session's samples come from: a GPU of the kernel's group. */
static const char *measured_on(const struct session *session, uint32_t kernel)
{
    const char *name = "the GPU";
    uint32_t i = session_run(session, session_kernel(session, kernel)->run)->first_of_group;
    for (; i != NONE; i = session_next_of_group(session, i)) {
        const struct run_row *run = session_run(session, i);
        const struct device_row *device = session_device(session, run->device);
        if (run->clock == CLOCK_WALL && device)
            name = device->info.name;
    }
    return name;
}

static const char *modelled_on(const struct session *session, uint32_t kernel)
{
    const struct device_row *device = session_device(session, session_kernel(session, kernel)->device);
    return device ? device->info.name : "the device model";
}

static uint64_t state_of(const struct session *session)
{
    return (uint64_t)session_stall_count(session) + session_tally_count(session) +
           session_instruction_count(session) + session_source_count(session);
}

/* What the session has: measured on a GPU, or counted by the device model while it ran a program. */
static void take_recorded(struct source_view *view, const struct session *session)
{
    struct code_listing listing;
    struct error error = {0};
    view->state = state_of(session);
    if (code_listing_make(session, view->kernel, &listing, &error) != STATUS_OK)
        return;
    bool model = listing.provenance == PROVENANCE_MODELLED;
    side_take(&view->sides[listing.provenance], &listing,
              listing.count == 0 ? ""
              : model            ? modelled_on(session, view->kernel)
                                 : measured_on(session, view->kernel));
}

/* ---- the shown content ---- */
/* Is it a toolkit's header, by the name that code_file_name gives? Code that is inlined from there is not the
 * user's own source. */
static bool is_header(const char *file)
{
    return strncmp(file, "include/", 8) == 0 || strstr(file, "/include/");
}

/* The file that contains most of a kernel's instructions, a header only if there is no other file; "" without
 * line information. */
static const char *main_file(const struct source_side *side)
{
    const char *found = "";
    uint32_t most = 0;
    for (uint32_t i = 0, next; i < side->lines.count; i = next) {
        const char *file = side->lines.lines[i].file;
        uint32_t places = 0;
        for (next = i; next < side->lines.count && strcmp(side->lines.lines[next].file, file) == 0; next++)
            places += side->lines.lines[next].line > 0 ? side->lines.lines[next].count : 0;
        bool better = is_header(file) == is_header(found) ? places > most : is_header(found);
        if (places > 0 && (most == 0 || better)) {
            most = places;
            found = file;
        }
    }
    return found;
}

static bool has_texts(const struct code_listing *listing)
{
    for (uint32_t i = 0; i < listing->count; i++)
        if (listing->places[i].text[0] != '\0')
            return true;
    return false;
}

/* Says why there are no samples here, and how to get some. */
static void say_why(struct source_view *view, const struct screen *screen)
{
    const struct source_side *measured = &view->sides[PROVENANCE_MEASURED];
    const struct source_side *modelled = &view->sides[PROVENANCE_MODELLED];
    const char *why = "";
    if (modelled->known && !modelled->small)
        why = main_file(modelled)[0] == '\0'
                  ? "no line information: compile with -lineinfo to see source lines"
                  : "no samples: sampling needs a GPU, and this ran on the device model";
    else if (measured->known && main_file(measured)[0] == '\0')
        why = "no line information: compile with -lineinfo to see source lines";
    else if (measured->known && !has_texts(&measured->listing))
        why = "not disassembled: nvdisasm was not found on the recording machine";
    else if (measured->known)
        why = "";
    else if (screen->host->model)
        why = "no samples: sampling needs a GPU, and this runs on the device model";
    else if (screen->host->run_lines)
        why = "no samples yet: D runs the case again, and samples and counts each instruction";
    else
        why = "no samples: record with --runs lines to sample and count each instruction";
    snprintf(view->why, sizeof view->why, "%s", why);
}

/* Unfolds all lines, except those that the user has folded, as long as the number of lines is unchanged. */
static void unfold_lines(struct source_view *view)
{
    size_t count = view->sides[view->shown].lines.count;
    if (view->open && view->open_count == count && view->opened == view->shown)
        return;
    free(view->open);
    view->open = malloc((count + 1) * sizeof *view->open);
    view->open_count = !view->open ? 0 : count;
    view->opened = view->shown;
    for (size_t i = 0; i < view->open_count; i++)
        view->open[i] = true;
}

static void choose_file(struct source_view *view, const struct session *session)
{
    view->path = main_file(&view->sides[view->shown]);
    view->shape = view->path[0] == '\0' ? SOURCE_INSTRUCTIONS : view->wanted;
    view->text = view->host_path && strcmp(view->host_path, view->path) == 0
                     ? view->file_text
                     : session_source_text(session, view->path);
    unfold_lines(view);
}

/* Do the issue slots limit the kernel more than DRAM does, as far as its values are known? */
static bool is_issue_bound(const struct source_view *view, const struct screen *screen)
{
    const struct panel *panel = panel_state(screen);
    const struct value *issue = &panel->lines[METRIC_issue_slots_pct].value[panel->own].value,
                       *memory = &panel->lines[METRIC_dram_peak_pct].value[panel->own].value;
    return panel->kernel == view->kernel && issue->available && issue->number >= ISSUE_BOUND_PCT &&
           (!memory->available || memory->number < issue->number);
}

/* Chooses the default cost: samples; else the sectors and wavefronts moved; for a kernel that moves nothing,
 * or that issue slots limit, instructions. */
static void choose_default_cost(struct source_view *view, const struct screen *screen)
{
    const struct code_listing *listing = &view->sides[view->shown].listing;
    if (view->cost_chosen && source_has_cost(view, view->cost))
        return;
    view->cost = source_has_cost(view, SOURCE_BY_SAMPLES) ? SOURCE_BY_SAMPLES
                 : source_cost_of(listing->totals, SOURCE_BY_MOVED) > 0 && !is_issue_bound(view, screen)
                     ? SOURCE_BY_MOVED
                     : SOURCE_BY_INSTRUCTIONS;
}

void source_show(struct source_view *view, const struct screen *screen, enum provenance side)
{
    view->shown = side;
    choose_file(view, screen->session);
    choose_default_cost(view, screen);
    source_rows_make(view, screen->session);
    say_why(view, screen);
}

void source_update(struct screen *screen)
{
    struct source_view *view = source_state(screen);
    bool known = view->sides[PROVENANCE_MEASURED].known;
    bool changed = view->state != state_of(screen->session);
    if (view->kernel == NONE || screen->frozen || (!changed && !(screen->state.live && known)) ||
        (view->made_ms != 0 && screen->clock_ms < view->made_ms + LOOK_MS))
        return;
    view->made_ms = screen->clock_ms;
    take_recorded(view, screen->session);
    bool first = !known && view->sides[PROVENANCE_MEASURED].known;
    enum source_shape before = view->shape;
    source_show(view, screen, first ? PROVENANCE_MEASURED : view->shown);
    if (first || view->shape != before) /* line information may arrive after the samples */
        source_jump(view, 0);
}

/* ---- opening ---- */
enum status source_of_model(const struct screen *screen, uint32_t kernel, bool background,
                            struct tui_source *source, struct error *error)
{
    const struct session *session = screen->session;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = session_run(session, row->run);
    if (run->workload == 0 || !screen->host->source)
        return error_set(
            error, STATUS_STATE,
            "No instruction of this kernel was sampled or counted: start the program with --runs lines. "
            "Without a GPU, `lanescope kernel FILE.ptx` prints the cost of each line.");
    const struct tui_source_query query = {
        .workload = session_string(session, run->workload),
        .variant = session_string(session, run->variant),
        .params = session_string(session, run->params),
        .kernel = session_string(session, session_shape(session, row->shape)->name),
        .gpu = row->device < session_device_count(session) ? session_device(session, row->device)->info.name
                                                           : NULL,
        .background = background,
    };
    *source = (struct tui_source){0};
    return screen->host->source(screen->host->context, &query, source, error);
}

static enum status take_modelled(struct screen *screen, struct source_view *view, struct error *error)
{
    struct tui_source source;
    enum status status = source_of_model(screen, view->kernel, true, &source, error);
    view->counting = status == STATUS_OK && source.counting;
    if (status != STATUS_OK)
        return status;
    view->file_text = source.text;
    if (view->counting)
        return STATUS_OK;
    view->host_path = source.path;
    view->changed = source.changed;
    view->changed_count = source.line_count;
    side_take(&view->sides[PROVENANCE_MODELLED], &source.listing, source.model);
    view->sides[PROVENANCE_MODELLED].small = true;
    return STATUS_OK;
}

/* Shows a side for the first time, at its costliest line. */
static void show_first(struct screen *screen, struct source_view *view)
{
    source_show(view, screen,
                view->sides[PROVENANCE_MEASURED].known ? PROVENANCE_MEASURED : PROVENANCE_MODELLED);
    source_jump(view, 0);
    view->list.top = view->list.selected > CONTEXT_LINES ? view->list.selected - CONTEXT_LINES : 0;
}

bool source_work(struct screen *screen)
{
    struct source_view *view = source_state(screen);
    struct error error = {0};
    if (!view->counting || screen_top(screen) != screen->views[VIEW_SOURCE])
        return false;
    clock_pause(WORK_NS);
    enum status status = take_modelled(screen, view, &error);
    if (view->counting)
        return true;
    if (status != STATUS_OK)
        screen_message(screen, SEVERITY_INFO, "%s", error.text);
    const bool wanted = view->wants_modelled && view->sides[PROVENANCE_MODELLED].known;
    view->wants_modelled = false;
    if (view->sides[PROVENANCE_MEASURED].known)
        source_show(view, screen, wanted ? PROVENANCE_MODELLED : view->shown);
    else if (view->sides[PROVENANCE_MODELLED].known)
        show_first(screen, view);
    return true;
}

void source_open(struct screen *screen)
{
    struct source_view made = {.kernel = screen_kernel_looked_at(screen)};
    struct error error = {0};
    if (made.kernel == NONE) {
        screen_message(screen, SEVERITY_INFO, "%s",
                       screen_why_empty(screen, "There is no kernel here with a source to show."));
        return;
    }
    struct source_view *view = source_state(screen);
    if (view->kernel == made.kernel && view->session == screen->session &&
        view->sides[PROVENANCE_MODELLED].known && view->sides[PROVENANCE_MODELLED].small && !view->changed) {
        take_recorded(view, screen->session); /* what was counted still holds */
        show_first(screen, view);
        screen_open(screen, VIEW_SOURCE);
        return;
    }
    made.session = screen->session;
    enum status status = take_modelled(screen, &made, &error);
    take_recorded(&made, screen->session);
    if (!made.counting && !made.sides[PROVENANCE_MODELLED].known && !made.sides[PROVENANCE_MEASURED].known) {
        screen_message(screen, status == STATUS_STATE ? SEVERITY_INFO : SEVERITY_ERROR, "%s", error.text);
        source_fini(&made);
        return;
    }
    source_fini(view);
    *view = made;
    if (view->sides[PROVENANCE_MEASURED].known || view->sides[PROVENANCE_MODELLED].known)
        show_first(screen, view);
    screen_open(screen, VIEW_SOURCE);
}
