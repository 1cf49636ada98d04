/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the source page: lines, instructions, or both; their costs, and moves from one row to another.
 */
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/views/source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COST_TEXT(id, words) [SOURCE_BY_##id] = words,
static const char *const cost_texts[SOURCE_COST_COUNT] = {SOURCE_COST_LIST(COST_TEXT)};
#undef COST_TEXT

const char *source_cost_text(enum source_cost cost)
{
    return cost_texts[cost];
}

#define TAB_CELLS 4

void source_text_line(const char *text, int left, char *line, size_t size_bytes)
{
    size_t used = 0;
    int cell = 0;
    for (; *text != '\0' && *text != '\n' && used + 1 < size_bytes; text++) {
        bool tab = *text == '\t', continues = ((unsigned char)*text & 0xc0) == 0x80;
        int end = tab ? (cell / TAB_CELLS + 1) * TAB_CELLS : cell + !continues;
        if (*text == '\r')
            continue;
        for (; tab && cell < end && used + 1 < size_bytes; cell++)
            if (cell >= left)
                line[used++] = ' ';
        if (!tab && (continues ? cell > left : cell >= left))
            line[used++] = *text;
        cell = end;
    }
    line[used] = '\0';
}

/* ---- costs of rows ---- */
double source_cost_of(const double costs[CODE_COST_COUNT], enum source_cost cost)
{
    switch (cost) {
    case SOURCE_BY_SAMPLES: return costs[CODE_SAMPLES];
    case SOURCE_BY_MOVED: return code_steps(costs);
    case SOURCE_BY_INSTRUCTIONS: return costs[CODE_INSTRUCTIONS];
    case SOURCE_BY_SECTORS: return costs[CODE_SECTORS];
    case SOURCE_BY_EXCESS_SECTORS: return code_excess(costs, CODE_SECTORS);
    case SOURCE_BY_WAVEFRONTS: return costs[CODE_WAVEFRONTS];
    case SOURCE_BY_PASSES: return costs[CODE_PASSES];
    default: return code_excess(costs, CODE_WAVEFRONTS);
    }
}

/* The side of the current cost: samples are always measured. */
static enum provenance side_of(const struct source_view *view)
{
    return view->cost == SOURCE_BY_SAMPLES ? PROVENANCE_MEASURED : view->shown;
}

const double *source_row_costs(const struct source_view *view, const struct source_line *row,
                               enum provenance side)
{
    const struct source_side *of = &view->sides[side];
    if (row->place != NONE)
        return side == view->shown ? of->listing.places[row->place].costs : NULL;
    return row->lines[side] == NONE ? NULL : of->lines.lines[row->lines[side]].costs;
}

bool source_row_is_changed(const struct source_view *view, const struct source_line *row)
{
    return view->changed && row->place == NONE && row->line > 0 && row->line <= view->changed_count &&
           strcmp(row->file, view->host_path) == 0 && view->changed[row->line - 1];
}

double source_row_cost(const struct source_view *view, const struct source_line *row)
{
    const double *costs = source_row_costs(view, row, side_of(view));
    return !costs ? 0 : source_cost_of(costs, view->cost);
}

uint32_t source_row_reasons(const struct source_view *view, const struct source_line *row,
                            struct code_reason reasons[CODE_REASONS_MAX])
{
    const struct source_side *measured = &view->sides[PROVENANCE_MEASURED];
    if (row->place != NONE)
        return view->shown == PROVENANCE_MEASURED ? code_reasons(&measured->listing, &row->place, 1, reasons)
                                                  : 0;
    if (row->lines[PROVENANCE_MEASURED] == NONE)
        return 0;
    const struct code_line *line = &measured->lines.lines[row->lines[PROVENANCE_MEASURED]];
    return code_reasons(&measured->listing, measured->lines.places + line->first, line->count, reasons);
}

bool source_has_cost(const struct source_view *view, enum source_cost cost)
{
    const struct code_listing *measured = &view->sides[PROVENANCE_MEASURED].listing;
    const struct source_side *shown = &view->sides[view->shown];
    const bool *has = shown->listing.has;
    switch (cost) {
    case SOURCE_BY_SAMPLES:
        return measured->has[CODE_SAMPLES] &&
               (view->shape != SOURCE_INSTRUCTIONS || view->shown == PROVENANCE_MEASURED);
    case SOURCE_BY_MOVED: return has[CODE_SECTORS] || has[CODE_WAVEFRONTS];
    case SOURCE_BY_INSTRUCTIONS: return has[CODE_INSTRUCTIONS];
    case SOURCE_BY_SECTORS: return has[CODE_SECTORS];
    case SOURCE_BY_EXCESS_SECTORS: return has[CODE_SECTORS] && has[CODE_IDEAL_SECTORS];
    case SOURCE_BY_WAVEFRONTS: return has[CODE_WAVEFRONTS];
    case SOURCE_BY_EXCESS_WAVEFRONTS: return has[CODE_WAVEFRONTS] && has[CODE_IDEAL_WAVEFRONTS];
    case SOURCE_BY_PASSES: return has[CODE_PASSES] && shown->listing.totals[CODE_PASSES] > 0;
    default: return false;
    }
}

/* ---- rows ---- */
static int compare_line(const char *file, uint32_t line, const struct code_line *other)
{
    int order = strcmp(file, other->file);
    return order != 0 ? order : (line > other->line) - (line < other->line);
}

static uint32_t line_find(const struct source_side *side, const char *file, uint32_t line)
{
    uint32_t low = 0, high = side->known ? side->lines.count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_line(file, line, &side->lines.lines[middle]);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NONE;
}

static struct source_line *add_row(struct source_view *view)
{
    if (!array_grow(view->rows, view->capacity, (size_t)view->list.count, 1))
        return NULL;
    struct source_line *rows = view->rows + view->list.count++;
    *rows = (struct source_line){.place = NONE, .file = "", .lines = {NONE, NONE, NONE}};
    return rows;
}

static void add_heading(struct source_view *view, const char *text)
{
    struct source_line *row = add_row(view);
    if (row)
        row->text = text;
}

static void add_place(struct source_view *view, uint32_t place)
{
    const struct code_place *of = &view->sides[view->shown].listing.places[place];
    struct source_line *row = add_row(view);
    if (!row)
        return;
    row->place = place;
    row->text = of->text;
    row->file = of->file;
    row->line = of->line;
}

static void add_line(struct source_view *view, const char *file, uint32_t line, const char *text)
{
    struct source_line *row = add_row(view);
    if (!row)
        return;
    row->file = file;
    row->line = line;
    row->text = text;
    for (enum provenance side = PROVENANCE_MODELLED; side < PROVENANCE_COUNT; side++)
        row->lines[side] = line_find(&view->sides[side], file, line);
    uint32_t shown = row->lines[view->shown];
    if (view->shape != SOURCE_FOLDED || shown == NONE || shown >= view->open_count || !view->open[shown])
        return;
    const struct code_lines *lines = &view->sides[view->shown].lines;
    for (uint32_t i = 0; i < lines->lines[shown].count; i++)
        add_place(view, lines->places[lines->lines[shown].first + i]);
}

static const char *text_of(const struct source_view *view, const struct session *session, const char *file)
{
    if (view->host_path && strcmp(view->host_path, file) == 0)
        return view->file_text;
    return session_source_text(session, file);
}

static const char *line_text(const char *text, uint32_t line)
{
    for (; text && line > 1; line--) {
        text = strchr(text, '\n');
        text = !text ? NULL : text + 1;
    }
    return text;
}

/* Adds lines of other files, of both sides, in the order of the side shown. */
static void add_other_files(struct source_view *view, const struct session *session)
{
    const struct code_lines *lines = &view->sides[view->shown].lines;
    const char *last = "";
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct code_line *line = &lines->lines[i];
        if (line->line == 0 || strcmp(line->file, view->path) == 0)
            continue;
        if (strcmp(line->file, last) != 0)
            add_heading(view, line->file);
        last = line->file;
        add_line(view, line->file, line->line, line_text(text_of(view, session, line->file), line->line));
    }
}

static void add_lines(struct source_view *view, const struct session *session)
{
    const struct code_lines *lines = &view->sides[view->shown].lines;
    const char *text = view->text;
    uint32_t line = 1;
    for (; text && *text != '\0'; line++) {
        add_line(view, view->path, line, text);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    for (uint32_t i = 0; i < lines->count; i++) /* lines without text, or after the end of the text */
        if (lines->lines[i].line >= line && strcmp(lines->lines[i].file, view->path) == 0)
            add_line(view, view->path, lines->lines[i].line, NULL);
    add_other_files(view, session);
}

static void add_places(struct source_view *view)
{
    const struct code_listing *listing = &view->sides[view->shown].listing;
    const char *last = NULL;
    for (uint32_t i = 0; i < listing->count; i++) {
        if (!last || strcmp(listing->places[i].function, last) != 0)
            add_heading(view, listing->places[i].function);
        last = listing->places[i].function;
        add_place(view, i);
    }
}

static void find_worst(struct source_view *view)
{
    double most = 0;
    view->worst = -1;
    view->total = source_cost_of(view->sides[side_of(view)].listing.totals, view->cost);
    /* The total excess is the sum over the lines: a line below its ideal does not offset another. */
    if (view->cost == SOURCE_BY_EXCESS_SECTORS || view->cost == SOURCE_BY_EXCESS_WAVEFRONTS)
        view->total = 0;
    for (int i = 0; i < view->list.count; i++) {
        const struct source_line *row = &view->rows[i];
        double cost = source_row_cost(view, row);
        bool counts = view->shape == SOURCE_INSTRUCTIONS || row->place == NONE;
        if (counts && (view->cost == SOURCE_BY_EXCESS_SECTORS || view->cost == SOURCE_BY_EXCESS_WAVEFRONTS))
            view->total += cost;
        if (counts && cost > most) {
            most = cost;
            view->worst = i;
        }
    }
}

void source_rows_make(struct source_view *view, const struct session *session)
{
    struct source_line before = {.place = NONE};
    if (view->list.selected < view->list.count && view->rows)
        before = view->rows[view->list.selected];
    view->list.count = 0;
    if (view->shape == SOURCE_INSTRUCTIONS)
        add_places(view);
    else
        add_lines(view, session);
    find_worst(view);
    for (int i = 0; i < view->list.count && before.line > 0; i++) {
        const struct source_line *row = &view->rows[i];
        if (row->line != before.line || strcmp(row->file, before.file) != 0)
            continue;
        list_select(&view->list, i);
        if (row->place == before.place || view->shape == SOURCE_LINES)
            break;
    }
}

/* ---- moves from row to row ---- */
void source_choose_cost(struct source_view *view, enum source_cost cost)
{
    view->cost = cost;
    find_worst(view);
}

/* Does a come before b in the order of costs? */
static bool costs_more(double a, int at, double b, int bt)
{
    return a > b || (a == b && at < bt);
}

void source_jump(struct source_view *view, int by)
{
    int from = view->list.selected, found = -1;
    double cost = from < view->list.count ? source_row_cost(view, &view->rows[from]) : 0, best = 0;
    if (by == 0 || cost <= 0) {
        found = view->worst;
    } else {
        for (int i = 0; i < view->list.count; i++) {
            double one = source_row_cost(view, &view->rows[i]);
            if (one <= 0 || i == from || (view->rows[i].place == NONE) != (view->rows[from].place == NONE))
                continue;
            bool less = costs_more(cost, from, one, i),
                 nearer = found < 0 || costs_more(one, i, best, found) == (by > 0);
            if (less == (by > 0) && nearer) {
                found = i;
                best = one;
            }
        }
    }
    if (found >= 0)
        list_select(&view->list, found);
}

static bool holds_text(const struct source_line *row, const char *text)
{
    size_t length = strlen(text), end = !row->text ? 0 : strcspn(row->text, "\n");
    for (size_t i = 0; i + length <= end; i++)
        if (strncasecmp(row->text + i, text, length) == 0)
            return true;
    return false;
}

bool source_search(struct source_view *view, int by)
{
    for (int i = 1; i <= view->list.count; i++) {
        int at = (view->list.selected + by * i + 2 * view->list.count) % view->list.count;
        if (!source_is_heading(&view->rows[at]) && holds_text(&view->rows[at], view->search)) {
            list_select(&view->list, at);
            return true;
        }
    }
    return false;
}
