/* SPDX-License-Identifier: Apache-2.0 */
/* The session's rows of a kernel are in the order of the program; they are copied, with the texts that the
 * view shows. */
#include "tui/views/lanes/lane_case.h"

#include "core/hardware/access.h"
#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"
#include "core/session/code.h"
#include "tui/terminal/text.h"
#include "tui/views/lanes/lane_more.h"
#include "tui/widgets/short_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of an atomic in files that were written before they had passes: not what it costs, so it is left out. */
static bool is_of(const struct access_row *row, uint32_t kernel)
{
    bool atomic = row->flags & ACCESS_IS_ATOMIC && row->space == ACCESS_GLOBAL;
    return row->kernel == kernel && (!atomic || row->flags & ACCESS_IS_PASSES);
}

bool lane_recorded_any(const struct session *session, uint32_t kernel)
{
    uint32_t count = session_access_count(session);
    for (uint32_t i = 0; i < count; i++)
        if (is_of(session_access(session, i), kernel))
            return true;
    return false;
}

static void line_copy(const char *at, uint32_t line, char *text, size_t size_bytes)
{
    for (; line > 1 && *at != '\0'; line--) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    at += strspn(at, " \t");
    snprintf(text, size_bytes, "%.*s", (int)strcspn(at, "\n"), at);
}

static void names_take(struct tui_access *item, const struct session *session, const struct access_row *row)
{
    const struct instruction_row *instruction = session_instruction(session, row->instruction);
    const struct function_row *function = session_function(session, instruction->function);
    const char *file = session_string(session, instruction->file), *slash = strrchr(file, '/');
    short_names_print(NULL, session_string(session, function->name), SHORT_NAME_WHOLE, item->kernel,
                      sizeof item->kernel);
    snprintf(item->instruction, sizeof item->instruction, "%.79s",
             session_string(session, instruction->text));
    item->line = instruction->line;
    if (item->line == 0)
        return;
    snprintf(item->place, sizeof item->place, "%.36s:%u", slash ? slash + 1 : file, item->line);
    item->file_text = session_source_text(session, file);
    line_copy(item->file_text ? item->file_text : "", item->line, item->text, sizeof item->text);
}

static void cost_take(struct tui_access *item, const struct arch *rules)
{
    if (item->space == TUI_SPACE_SHARED) {
        struct bank_cost cost = bank_count(rules, &item->access);
        item->counted = cost.wavefronts;
        item->counted_ideal = cost.ideal_wavefronts;
    } else {
        struct coalesce_cost cost = coalesce_count(rules, &item->access);
        item->counted = cost.sectors;
        item->counted_ideal = cost.ideal_sectors;
    }
}

static void access_take(struct tui_access *item, const struct session *session, const struct access_row *row,
                        const struct arch *rules, bool own_rules)
{
    *item = (struct tui_access){.space = row->space == ACCESS_SHARED  ? TUI_SPACE_SHARED
                                         : row->space == ACCESS_LOCAL ? TUI_SPACE_LOCAL
                                                                      : TUI_SPACE_GLOBAL,
                                .atomic = row->flags & ACCESS_IS_ATOMIC,
                                .compare_and_swap = row->flags & ACCESS_IS_SWAP,
                                .by_rule = row->flags & ACCESS_IS_ALONE,
                                .counted = row->transfers,
                                .counted_ideal = row->ideal_transfers,
                                .block = row->block,
                                .warp = row->warp};
    session_access_addresses(session, row, &item->access);
    if (own_rules) {
        item->requests = row->requests;
        item->all_counted = row->all_transfers;
        item->all_ideal = row->all_ideal_transfers;
    } else if (item->by_rule) {
        cost_take(item, rules);
    }
    names_take(item, session, row);
}

/* The model counted by the rules of its GPU unless the costs that follow from addresses alone differ. */
static bool rules_are_own(const struct session *session, uint32_t kernel, const struct arch *rules)
{
    uint32_t count = session_access_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const struct access_row *row = session_access(session, i);
        struct tui_access item = {.space = row->space == ACCESS_SHARED ? TUI_SPACE_SHARED : TUI_SPACE_GLOBAL};
        if (row->kernel != kernel || !(row->flags & ACCESS_IS_ALONE))
            continue;
        session_access_addresses(session, row, &item.access);
        cost_take(&item, rules);
        if (item.counted != row->transfers || item.counted_ideal != row->ideal_transfers)
            return false;
    }
    return true;
}

enum status lane_recorded_make(const struct session *session, uint32_t kernel, const struct arch *rules,
                               struct tui_accesses *accesses, struct error *error)
{
    const bool own_rules = rules_are_own(session, kernel, rules);
    uint32_t rows = session_access_count(session), count = 0;
    *accesses = (struct tui_accesses){0};
    for (uint32_t i = 0; i < rows; i++)
        count += is_of(session_access(session, i), kernel);
    if (count == 0)
        return error_set(error, STATUS_STATE, "No addresses of this kernel were recorded.");
    accesses->items = calloc(count, sizeof *accesses->items);
    if (!accesses->items)
        return error_no_memory(error, "for the addresses of a kernel");
    for (uint32_t i = 0; i < rows && accesses->count < count; i++) {
        const struct access_row *row = session_access(session, i);
        if (!is_of(row, kernel))
            continue;
        access_take(&accesses->items[accesses->count], session, row, rules, own_rules);
        accesses->items[accesses->count].site = accesses->count;
        accesses->count++;
    }
    accesses->sites = accesses->count;
    return STATUS_OK;
}

/*
 * An answer's `spec`, `rules`, `block` and `warp` are the query that it belongs to, also if it is an error.
 * Answers are kept in an array, the newest first; `access` points into the current one.
 *
 * The table's entries are placed in columns, one column after the other. Addresses are relative to the
 * 128-byte line of the lowest one, like the rows of the picture; in shared memory they are the block's own.
 */

#define LINE_BYTES 128
#define SECTOR_BYTES 32
#define ENTRY_CELLS 27
#define ENTRY_GAP 2

static uint64_t lowest_line(const struct warp_access *access)
{
    uint64_t lowest = UINT64_MAX;
    for (uint32_t lanes = access->active; lanes; lanes &= lanes - 1) {
        uint64_t address = access->address[__builtin_ctz(lanes)];
        lowest = address < lowest ? address : lowest;
    }
    return lowest / LINE_BYTES * LINE_BYTES;
}

static void print_entry(const struct arch *rules, const struct tui_access *access, uint32_t lane, char *text,
                        size_t size_bytes)
{
    const struct warp_access *of = &access->access;
    if ((of->active >> lane & 1) == 0) {
        snprintf(text, size_bytes, "%2" PRIu32 "  not active", lane);
        return;
    }
    uint64_t at = of->address[lane];
    if (access->space == TUI_SPACE_SHARED) {
        snprintf(text, size_bytes, "%2" PRIu32 "  byte %-6" PRIu64 " bank %" PRIu32, lane, at,
                 lane_picture_bank(rules, at));
        return;
    }
    at -= lowest_line(of);
    snprintf(text, size_bytes, "%2" PRIu32 "  +%-8" PRIu64 " sector %" PRIu64, lane, at, at / SECTOR_BYTES);
}

int lane_table_draw(struct canvas *canvas, struct rect area, const struct arch *rules,
                    const struct tui_access *access)
{
    int columns = (area.width + ENTRY_GAP) / (ENTRY_CELLS + ENTRY_GAP);
    int lines = columns > 0 ? (WARP_LANES + columns - 1) / columns : WARP_LANES;
    if (columns == 0 || lines > area.height)
        return 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        char text[64];
        print_entry(rules, access, (uint32_t)lane, text, sizeof text);
        canvas_text(canvas, area.x + lane / lines * (ENTRY_CELLS + ENTRY_GAP), area.y + lane % lines,
                    ENTRY_CELLS, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    }
    return lines + 1;
}

#define LANE_CASE_WIDTH 110 /* cells of a picture that leaves room for the source beside it */

#include <stdlib.h>
#include <string.h>

void lane_case_fini(struct lane_case *of)
{
    free(of->answer.got.items);
    for (size_t i = 0; i < LANE_ANSWERS - 1; i++)
        free(of->before[i].got.items);
    *of = (struct lane_case){0};
}

static bool is_answer(const struct lane_answer *answer, const struct tui_access_query *query)
{
    return strcmp(query->spec, answer->spec) == 0 && query->rules == answer->rules &&
           query->block == answer->block && query->warp == answer->warp &&
           strcmp(query->own ? query->own : "", answer->own) == 0;
}

static void ask_host(struct lane_answer *answer, const struct screen *screen,
                     const struct tui_access_query *query)
{
    struct error error = {0};
    *answer = (struct lane_answer){.rules = query->rules, .block = query->block, .warp = query->warp};
    snprintf(answer->spec, sizeof answer->spec, "%s", query->spec);
    snprintf(answer->own, sizeof answer->own, "%s", query->own ? query->own : "");
    enum status status =
        query->recorded
            ? lane_recorded_make(screen->session, query->kernel, query->rules, &answer->got, &error)
            : screen->host->accesses(screen->host->context, query, &answer->got, &error);
    if (status == STATUS_OK && answer->got.counting)
        snprintf(answer->error, sizeof answer->error, "Counting on the model... ESC stops it.");
    if (status != STATUS_OK)
        snprintf(answer->error, sizeof answer->error, "%.*s", (int)sizeof answer->error - 1, error.text);
}

bool lane_case_ask(struct lane_case *of, const struct screen *screen, const struct tui_access_query *query)
{
    size_t at = 0;
    if (is_answer(&of->answer, query)) {
        if (!of->answer.got.counting)
            return false;
        ask_host(&of->answer, screen, query);
        return !of->answer.got.counting;
    }
    if (of->answer.got.counting) /* nobody waits for it any more */
        of->answer = (struct lane_answer){0};
    while (at < LANE_ANSWERS - 2 && !is_answer(&of->before[at], query))
        at++;
    struct lane_answer answer = of->before[at];
    memmove(&of->before[1], &of->before[0], at * sizeof of->before[0]);
    of->before[0] = of->answer;
    if (!is_answer(&answer, query)) { /* reuse the oldest */
        free(answer.got.items);
        ask_host(&answer, screen, query);
    }
    of->answer = answer;
    of->access = NULL;
    of->picture.count = 0;
    return true;
}

void lane_case_show(struct lane_case *of, uint32_t site, uint32_t execution)
{
    of->access = NULL;
    for (uint32_t i = 0; i < of->answer.got.count; i++) {
        const struct tui_access *one = &of->answer.got.items[i];
        if (one->site == site && (!of->access || one->execution <= execution))
            of->access = one;
    }
    of->picture.count = 0;
    if (of->access)
        lane_picture_make(&of->picture, of->answer.rules, of->access);
}

/* ---- instructions ---- */

uint32_t lane_case_worst(const struct tui_accesses *got, uint32_t line)
{
    uint32_t worst = NONE, shared = NONE, site = NONE;
    uint64_t most = 0, most_all = 0, excess = 0, all = 0;
    for (uint32_t i = 0; i < got->count; i++) {
        const struct tui_access *one = &got->items[i];
        if (line != 0 && one->line != line)
            continue;
        excess = one->site == site ? excess : 0;
        all = one->site == site ? all : 0;
        site = one->site;
        uint64_t counted = one->requests > 0 ? one->all_counted : one->counted;
        uint64_t ideal = one->requests > 0 ? one->all_ideal : one->counted_ideal;
        excess += counted > ideal ? counted - ideal : 0;
        all += counted;
        if (shared == NONE && one->space == TUI_SPACE_SHARED && !one->access.store && !one->atomic)
            shared = site;
        if (worst == NONE || excess > most || (excess == most && all > most_all)) {
            worst = site;
            most = excess;
            most_all = all;
        }
    }
    return most == 0 && shared != NONE ? shared : worst;
}

static bool same_kind(const struct tui_access *a, const struct tui_access *b)
{
    return a->space == b->space && a->atomic == b->atomic && a->access.store == b->access.store;
}

uint32_t lane_case_alike(const struct tui_accesses *of, uint32_t site, const struct tui_accesses *there)
{
    const struct tui_access *own = NULL;
    uint32_t before = 0, found = NONE;
    for (uint32_t i = 0; i < of->count && !own; i++)
        own = of->items[i].site == site ? &of->items[i] : NULL;
    for (const struct tui_access *one = of->items; own && one < own; one++)
        before += same_kind(one, own) && one->execution == 0;
    for (uint32_t i = 0; i < there->count && own; i++) {
        if (there->items[i].execution != 0 || !same_kind(&there->items[i], own))
            continue;
        found = there->items[i].site;
        if (before-- == 0)
            break;
    }
    return found;
}

/* ---- drawing ---- */

void lane_case_draw_cost(const struct tui_access *access, const struct lane_picture *picture, uint32_t step,
                         struct canvas *canvas, struct rect line)
{
    bool wasted = picture->cost > picture->ideal;
    struct style style = STYLE(wasted ? COLOR_WARN : COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD);
    bool counted = !access->by_rule && access->counted != picture->cost;
    const char *unit = lane_picture_unit(picture, counted ? access->counted : picture->cost);
    char text[200] = " ";
    if (step > 0)
        lane_picture_print_step(picture, step, text + 1, sizeof text - 2);
    else if (counted)
        snprintf(text, sizeof text, " %u %s for the instruction: ptxas changes it", access->counted, unit);
    else
        snprintf(text, sizeof text, " %s", picture->sentence);
    char *of_bytes = strstr(text, " of 32 bytes");
    if (text_width(text, line.width + 1) > line.width - 1 && of_bytes)
        memmove(of_bytes, of_bytes + strlen(" of 32 bytes"), strlen(of_bytes + strlen(" of 32 bytes")) + 1);
    if (text_width(text, line.width + 1) > line.width - 1 && step == 0)
        snprintf(text, sizeof text, " %u %s, ideal %u", counted ? access->counted : picture->cost, unit,
                 counted ? access->counted_ideal : picture->ideal);
    int width = text_width(text, line.width - 1);
    canvas_text(canvas, line.x + line.width - width - 1, line.y, width, style, text);
    canvas_put(canvas, line.x + line.width - 1, line.y, ' ', style);
}

/* Says to the left of the cost how many rows do not fit, if there is room. */
static void draw_hidden(int rows, struct canvas *canvas, struct rect area)
{
    char text[60];
    int length = snprintf(text, sizeof text, "%d more rows: A shows them", rows), room = 0;
    while (room < area.width && canvas_cell(canvas, area.x + room, area.y)->codepoint == ' ')
        room++;
    if (length >= room)
        length = snprintf(text, sizeof text, "%d more rows", rows);
    if (rows > 0 && length < room)
        canvas_text(canvas, area.x, area.y, room, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
}

void lane_case_draw(const struct lane_case *of, const struct workload_pictures *variants,
                    struct canvas *canvas, struct rect area, const struct lane_picture_options *options)
{
    bool beside = area.width >= LANE_CASE_WIDTH + LANE_MORE_WIDTH;
    if (of->access && beside) {
        area.width -= LANE_MORE_WIDTH;
        lane_more_draw_beside(
            of, NULL, canvas,
            (struct rect){area.x + area.width + 2, area.y, LANE_MORE_WIDTH - 2, area.height});
    }
    int above = area.height > 4 ? 2 : 1, below = above - 1;
    struct rect picture = {area.x, area.y + above, area.width, area.height - above - below};
    if (!of->access || picture.height < 1)
        return;
    lane_case_draw_cost(of->access, &of->picture, options->step, canvas,
                        (struct rect){area.x, area.y, area.width, 1});
    draw_hidden(of->picture.count - lane_picture_rows(&of->picture, picture, options->halves), canvas, area);
    int lines = lane_picture_draw(canvas, picture, &of->picture, options) + 1;
    struct rect left = {picture.x, picture.y + lines, picture.width, picture.height - lines - 1};
    lines = lane_table_draw(canvas, left, of->answer.rules, of->access);
    left.y += lines;
    left.height -= lines;
    lane_more_draw(of, 1, 0, variants, canvas, left, options, !beside);
    if (above < 2)
        return;
    canvas_printf(canvas, area.x, area.y + 1, area.width, STYLE(COLOR_DIM, COLOR_NONE, 0), "%s  %s",
                  of->access->place[0] != '\0' ? of->access->place : of->access->kernel, of->access->text);
    lane_picture_legend(canvas, (struct rect){area.x, area.y + area.height - 1, area.width, 1}, picture,
                        &of->picture, options);
}
