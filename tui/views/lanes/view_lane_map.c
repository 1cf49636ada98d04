/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lane map on the screen: the picture, and beside it the lab's parameters and the map's own settings. If
 * there is less room, these are above the picture, one after the other in a few lines, or only the selected
 * one. The cost of the instruction is in the upper edge of the frame and the legend of the cells in the lower
 * edge, so that the picture has all lines between them.
 *
 * In room that the panes leave, the map of the selected kernel's worst instruction is drawn: of a bundled
 * workload what its table states, of a program's kernel what was recorded. Nothing runs for it; `panes` of
 * the lane map's state has the host's answers.
 */
#include "core/base/clock.h"
#include "tui/frame/glossary.h"
#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/terminal/canvas.h"
#include "tui/terminal/text.h"
#include "tui/views/lab.h"
#include "tui/views/lab_own.h"
#include "tui/views/lanes/lane_case.h"
#include "tui/views/lanes/lane_map.h"
#include "tui/views/lanes/lane_more.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PICTURE_MOST 34 /* lines */
#define AROUND 5        /* lines of cost, source and legend */
#define WIDTH_LEAST 50

/* The query for the selected kernel; false: nothing is known of its addresses. */
static bool make_query(struct screen *screen, char spec[LAB_SPEC_SIZE], char own[LAB_OWN_SIZE],
                       struct tui_access_query *query)
{
    const struct session *session = screen->session;
    uint32_t run = session_kernel(session, screen->kernel)->run;
    uint32_t workload_name = session_run(session, run)->workload;
    const struct tui_workload *workload =
        workload_name != 0 ? lab_find_workload(screen, session_string(session, workload_name)) : NULL;
    const struct arch *rules = lane_map_rules_of_run(screen, run);
    *query =
        (struct tui_access_query){.spec = spec, .rules = rules ? rules : screen_arch(screen), .stated = true};
    workload_pictures_make(screen, &lane_map_state(screen)->panes_variants, workload, rules);
    if (workload && screen->host->accesses) {
        lab_spec_of_run(screen, workload, run, spec, LAB_SPEC_SIZE);
        query->own = lab_own_of_run(session, run, own, LAB_OWN_SIZE);
        return true;
    }
    snprintf(spec, LAB_SPEC_SIZE, "kernel %u of %u", screen->kernel, session_access_count(session));
    query->stated = false;
    query->recorded = true;
    query->kernel = screen->kernel;
    return lane_recorded_any(session, screen->kernel);
}

/* For the view's table: lines of the map at this width; 0: no addresses are known. */
static int lane_beside_lines(struct screen *screen, int width)
{
    struct lane_case *map = &lane_map_state(screen)->panes;
    char spec[LAB_SPEC_SIZE], own[LAB_OWN_SIZE];
    struct tui_access_query query;
    if (width < WIDTH_LEAST || screen->kernel == NONE || screen->on_run ||
        !make_query(screen, spec, own, &query))
        return 0;
    lane_case_ask(map, screen, &query);
    if (map->answer.got.count == 0)
        return 0;
    lane_case_show(map, lane_case_worst(&map->answer.got, 0), 0);
    return map->access ? AROUND + lane_picture_lines(&map->picture, width, PICTURE_MOST) : 0;
}

static void lane_beside_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct lane_map *map = lane_map_state(screen);
    const struct lane_picture_options options = {.halves = true,
                                                 .color = screen->options.color && !screen->theme->mono};
    uint32_t run = session_kernel(screen->session, screen->kernel)->run;
    char name[200], title[240];
    run_name_print(screen->session, run, name, sizeof name);
    snprintf(title, sizeof title, "Lane map  %s",
             session_run(screen->session, run)->workload != 0 ? name : "");
    struct rect inside = view_frame(canvas, area, title, focus);
    lane_case_draw(&map->panes, &map->panes_variants, canvas, inside, &options);
}

#define FORM_CELLS 32
#define NAME_CELLS 12
#define FORM_TEXT_LINES 6 /* below the rows, with blank lines */
#define BESIDE_WIDTH 110  /* with at least this width the form is beside the picture */
#define STRIP_HEIGHT 10   /* with at least this height there is more than the selected row */
#define HEAD_LINES 3      /* source line, instruction, lanes */
#define MORE_FROM 160     /* cells of a picture that leaves room for others beside it */
#define EDGE_WIDTH 60     /* with at least this width the frame's edge has room for the cost */

struct lane_places {
    struct rect form, head;
    struct rect picture[LANE_SIDES];
    struct rect cost[LANE_SIDES]; /* the cost of each side: in the frame, or in a line of its own */
    struct rect more;             /* beside the picture: the source, the lesson */
    bool beside;                  /* the form has a line for each row */
};

/* ---- the form ---- */

static void row_text(const struct screen *screen, int row, const char **name, char *text, size_t size_bytes)
{
    static const char *const names[LANE_ROW_COUNT] = {"instruction", "execution", "block",
                                                      "warp",        "beside",    "compute cap."};
    const struct lane_map *map = lane_map_state(screen);
    const struct lab *lab = lab_state(screen);
    const struct tui_access *access = lane_map_access(map);
    char rules[ARCH_TEXT_BYTES];
    if (row < lane_map_case_rows(screen)) {
        *name = row == 0 ? "variant" : lab->workload->params[row - 1].name;
        bool small = row > 0 && lane_map_leaves_out(lab, (size_t)row - 1);
        snprintf(text, size_bytes, small ? "small (%s)" : "%s",
                 row > 0                            ? lab_value(lab, (size_t)row - 1)
                 : lab->variant == LAB_ALL_VARIANTS ? "all (the first)"
                                                    : lab->workload->variants[lab->variant].name);
        return;
    }
    enum lane_row_kind kind = lane_map_row_kind(screen, row);
    *name = kind < LANE_ROW_COUNT ? names[kind] : "";
    switch (kind) {
    case LANE_ROW_INSTRUCTION:
        snprintf(text, size_bytes, "%u of %u", access ? map->site + 1 : 0, map->side[0].answer.got.sites);
        return;
    case LANE_ROW_EXECUTION: snprintf(text, size_bytes, "%u", access ? access->execution + 1 : 0); return;
    case LANE_ROW_BLOCK:
        if (map->recorded) {
            snprintf(text, size_bytes, "%" PRIu64, access ? access->block : 0);
            return;
        }
        snprintf(text, size_bytes, "%" PRIu64 " of 0..%" PRIu64, map->block,
                 map->side[0].answer.got.blocks > 0 ? map->side[0].answer.got.blocks - 1 : 0);
        return;
    case LANE_ROW_WARP:
        if (map->recorded) {
            snprintf(text, size_bytes, "%u", access ? access->warp : 0);
            return;
        }
        snprintf(text, size_bytes, "%u of 0..%u", map->warp,
                 map->side[0].answer.got.warps > 0 ? map->side[0].answer.got.warps - 1 : 0);
        return;
    case LANE_ROW_BESIDE:
        snprintf(text, size_bytes, "%s",
                 map->beside > 0 ? lab->workload->variants[map->beside - 1].name : "none");
        return;
    case LANE_ROW_RULES:
        arch_text(map->rules, rules);
        snprintf(text, size_bytes, "%s %s", rules, map->rules->name);
        return;
    case LANE_ROW_COUNT: return;
    }
}

static void draw_row(const struct screen *screen, struct canvas *canvas, struct rect line, int row)
{
    bool selected = row == lane_map_state(screen)->form.selected;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style strong = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0);
    const char *name = "";
    char text[80] = "";
    row_text(screen, row, &name, text, sizeof text);
    canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, ground, 0));
    if (selected)
        canvas_glyph(canvas, line.x, line.y, GLYPH_SELECTED, strong);
    canvas_text(canvas, line.x + 1, line.y, NAME_CELLS, STYLE(COLOR_DIM, ground, 0), name);
    int x = line.x + NAME_CELLS + 2;
    canvas_text(canvas, x, line.y, line.x + line.width - x, strong, text);
}

/* Draws rows after each other, as many in a line as fit. Returns the lines; canvas NULL: only counts them. */
static int draw_strip(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    int x = area.x, y = area.y;
    for (int row = 0; row < lane_map_rows(screen); row++) {
        bool selected = row == lane_map_state(screen)->form.selected;
        const char *name = "";
        char value[80] = "", text[120];
        row_text(screen, row, &name, value, sizeof value);
        snprintf(text, sizeof text, "%s %s", name, value);
        int width = text_width(text, area.width - 2) + 2;
        if (x > area.x && x + width > area.x + area.width) {
            x = area.x;
            y++;
        }
        if (canvas) {
            struct rect item = {x, y, width, 1};
            uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
            canvas_fill(canvas, item, ' ', STYLE(COLOR_TEXT, ground, 0));
            if (selected)
                canvas_glyph(canvas, x, y, GLYPH_SELECTED, STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD));
            int taken = canvas_text(canvas, x + 1, y, width - 1, STYLE(COLOR_DIM, ground, 0), name);
            canvas_text(canvas, x + 2 + taken, y, width - 2 - taken,
                        STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0),
                        value);
        }
        x += width;
    }
    return y - area.y + 1;
}

static const char *what_it_does(const struct tui_access *access)
{
    return access->atomic ? "update" : access->access.store ? "store" : "load";
}

static const char *space_text(const struct tui_access *access)
{
    static const char *const spaces[] = {
        [TUI_SPACE_GLOBAL] = "global", [TUI_SPACE_LOCAL] = "local", [TUI_SPACE_SHARED] = "shared"};
    return spaces[access->space];
}

/* The cost of all executions of an instruction: "9 load shared :40 124, ideal 4". */
static void draw_instruction(const struct tui_accesses *got, uint32_t site, bool chosen,
                             struct canvas *canvas, struct rect line)
{
    const struct tui_access *first = NULL;
    uint64_t cost = 0, ideal = 0;
    for (uint32_t i = 0; i < got->count; i++) {
        const struct tui_access *one = &got->items[i];
        if (one->site != site)
            continue;
        first = !first ? one : first;
        cost += one->requests > 0 ? one->all_counted : one->counted;
        ideal += one->requests > 0 ? one->all_ideal : one->counted_ideal;
    }
    if (!first)
        return;
    uint8_t ground = chosen ? COLOR_SELECTED : COLOR_NONE;
    char numbers[2 * NUMBER_SIZE + 3];
    canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, ground, 0));
    if (cost < 100000)
        snprintf(numbers, sizeof numbers, "%" PRIu64 " / %" PRIu64, cost, ideal);
    else
        snprintf(numbers, sizeof numbers, "%s / %s", number_short(cost).text, number_short(ideal).text);
    int width = (int)strlen(numbers) > 11 ? (int)strlen(numbers) : 11;
    canvas_printf(canvas, line.x + 1, line.y, line.width - width - 3, STYLE(COLOR_DIM, ground, 0),
                  "%3" PRIu32 " %s %s", site + 1, what_it_does(first), space_text(first));
    field_words(canvas, line.x + line.width - width - 1, line.y, width,
                STYLE(cost > ideal ? COLOR_WARN : COLOR_TEXT, ground, 0), numbers);
}

/* Lists the instructions around the chosen one, as many as there are lines, each with the cost of its
 * executions. */
static void draw_instructions(const struct lane_map *map, struct canvas *canvas, struct rect area)
{
    const struct tui_accesses *got = &map->side[0].answer.got;
    int rows = area.height - 1, count = (int)got->sites, top = (int)map->site - rows / 2;
    if (rows < 2 || count < 2)
        return;
    top = top > count - rows ? count - rows : top;
    top = top < 0 ? 0 : top;
    canvas_text(canvas, area.x + 1, area.y, area.width - 13, STYLE(COLOR_DIM, COLOR_NONE, 0), "instructions");
    field_words(canvas, area.x + area.width - 14, area.y, 13, STYLE(COLOR_DIM, COLOR_NONE, 0),
                "cost / ideal");
    for (int i = 0; i < rows && top + i < count; i++)
        draw_instruction(got, (uint32_t)(top + i), top + i == (int)map->site, canvas,
                         (struct rect){area.x, area.y + 1 + i, area.width, 1});
}

/* The lines that the list of instructions takes: none, or its heading and a line for each of them. */
static int instruction_lines(const struct lane_map *map)
{
    int count = (int)map->side[0].answer.got.sites;
    return count < 2 ? 0 : count + 2;
}

/* Are the addresses of the lanes below the form? */
static bool form_has_table(const struct lane_map *map, struct rect form)
{
    return form.height - map->form.count - FORM_TEXT_LINES - instruction_lines(map) >= WARP_LANES;
}

/* Draws what the words of the picture mean. */
static void draw_terms(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    static const char *const of_banks[] = {"bank conflict", "bank", "wavefront", "ideal",
                                           "request",       "lane", NULL};
    static const char *const of_sectors[] = {"sector",  "coalesced", "excess", "ideal",
                                             "request", "lane",      NULL};
    static const char *const of_passes[] = {"pass of an atomic", "sector", "ideal", "request", "lane", NULL};
    const struct tui_access *access = lane_map_access(lane_map_state(screen));
    struct glossary_term term;
    for (const char *const *name = access->space == TUI_SPACE_SHARED ? of_banks
                                   : access->atomic                  ? of_passes
                                                                     : of_sectors;
         *name; name++) {
        if (!glossary_find(screen->host->glossary, *name, &term))
            continue;
        int lines = glossary_draw_term(canvas, area, &term);
        area.y += lines;
        area.height -= lines;
    }
}

static void draw_form(const struct screen *screen, struct canvas *canvas, const struct lane_places *places)
{
    const struct lane_map *map = lane_map_state(screen);
    struct rect area = places->form;
    if (!places->beside && area.height > 1) {
        draw_strip(screen, canvas, area);
        return;
    }
    for (int i = 0; i < area.height && map->form.top + i < map->form.count; i++)
        draw_row(screen, canvas, (struct rect){area.x, area.y + i, area.width - places->beside, 1},
                 map->form.top + i);
    if (!places->beside || map->form.count + 2 >= area.height || !lane_map_access(map))
        return;
    struct rect below = {area.x, area.y + map->form.count + 1, area.width - 1,
                         area.height - map->form.count - 1};
    int taken =
        1 + canvas_wrap(canvas, (struct rect){below.x + 1, below.y, below.width - 2, below.height},
                        STYLE(COLOR_DIM, COLOR_NONE, 0),
                        map->recorded ? "modelled: of each instruction the access that cost most in the "
                                        "kernel's first launch; below, the sums over that launch"
                        : map->side[0].answer.got.cut
                            ? "modelled, at small size, first launch of each "
                              "kernel; some accesses were not kept"
                            : "modelled, at small size; first launch of each kernel");
    below.y += taken;
    below.height -= taken;
    int left = below.height - instruction_lines(map);
    if (form_has_table(map, area))
        lane_table_draw(canvas,
                        (struct rect){below.x + 1, below.y + below.height - left, below.width - 2, left},
                        map->side[0].answer.rules, lane_map_access(map));
    else
        draw_terms(screen, canvas,
                   (struct rect){below.x + 1, below.y + below.height - left, below.width - 2, left});
    draw_instructions(map, canvas, below);
}

/* ---- places ---- */

/* The size of the cells of all pictures if each has an area of this size. */
static int cell_size(const struct lane_map *map, int width, int height)
{
    int least = lane_picture_cell(&map->side[0].picture, width, height);
    if (map->beside > 0) {
        int other = lane_picture_cell(&map->side[1].picture, width, height);
        least = other < least && map->side[1].access ? other : least;
    }
    return least;
}

/* The lines above the pictures: fewer if the cells then become larger, none if the rows need them. */
static int head_lines(const struct lane_map *map, int width, int height)
{
    int best = HEAD_LINES, most = cell_size(map, width, height - HEAD_LINES);
    for (int head = HEAD_LINES - 1; head >= (most == 0 ? 0 : 1); head--) {
        int cell = cell_size(map, width, height - head);
        if (cell > most) {
            best = head;
            most = cell;
        }
    }
    return most > 0 ? best : 0;
}

static struct lane_places places_of(const struct screen *screen, struct rect area)
{
    const struct lane_map *map = lane_map_state(screen);
    struct rect inside = view_inside(area), right = inside;
    struct lane_places places = {.beside = inside.width >= BESIDE_WIDTH};
    int sides = lane_map_sides(map);
    bool in_frame = inside.height < area.height && area.width >= EDGE_WIDTH && sides == 1;
    if (places.beside) {
        places.form = (struct rect){inside.x, inside.y, FORM_CELLS, inside.height};
        right.x += FORM_CELLS;
        right.width -= FORM_CELLS;
    } else {
        int lines = inside.height >= STRIP_HEIGHT ? draw_strip(screen, NULL, inside) : 1;
        places.form = (struct rect){inside.x, inside.y, inside.width, lines};
        right.y += lines;
        right.height -= lines;
    }
    if (sides == 1 && right.width >= MORE_FROM + LANE_MORE_WIDTH) {
        right.width -= LANE_MORE_WIDTH;
        places.more = (struct rect){right.x + right.width + 2, right.y, LANE_MORE_WIDTH - 2, right.height};
    }
    int lines = in_frame || right.height < 1 ? 0 : 1, width = right.width / sides;
    int head = head_lines(map, width, right.height - lines);
    places.head = (struct rect){right.x, right.y, right.width, head};
    for (int i = 0; i < sides; i++) {
        int x = right.x + i * width, y = right.y + head;
        places.cost[i] = (struct rect){x, y, width - (i + 1 < sides), lines};
        places.picture[i] = (struct rect){x, y + lines, width, right.height - head - lines};
    }
    if (in_frame)
        places.cost[0] = (struct rect){area.x + area.width / 3, area.y, area.width - area.width / 3 - 2, 1};
    return places;
}

/* The number of rows that do not fit on the side with the most rows. */
static int hidden_rows(const struct lane_map *map, const struct lane_places *places)
{
    int most = 0;
    for (int i = 0; i < lane_map_sides(map); i++) {
        const struct lane_picture *picture = &map->side[i].picture;
        int hidden = picture->count - lane_picture_rows(picture, places->picture[i], map->beside > 0);
        most = hidden > most ? hidden : most;
    }
    return most;
}

static void lane_map_update(struct screen *screen, struct rect area)
{
    struct lane_map *map = lane_map_state(screen);
    if (!map->rules)
        map->rules = screen_arch(screen);
    lane_map_make(screen);
    struct lane_places places = places_of(screen, area);
    list_update(&map->form, lane_map_rows(screen), places.form.height > 0 ? places.form.height : 1);
    int most = map->hidden = hidden_rows(map, &places);
    if (map->step > 0) { /* scroll to the row of the step */
        int row = lane_picture_row_of(&map->side[0].picture, map->step);
        int shown = map->side[0].picture.count - most;
        map->top = row < map->top ? row : row >= map->top + shown ? row - shown + 1 : map->top;
    }
    map->top = map->top > most ? most : map->top;
    map->top = map->top < 0 ? 0 : map->top;
}

/* ---- drawing ---- */

/* Draws the source line, the instruction, and what it does: as many of these as there are lines. */
static void draw_head(const struct tui_access *access, struct canvas *canvas, struct rect area)
{
    int y = area.y, end = area.y + area.height;
    if (y < end)
        canvas_printf(canvas, area.x, y++, area.width, STYLE(COLOR_TITLE, COLOR_NONE, 0), "%s  %s",
                      access->place[0] != '\0' ? access->place : access->kernel, access->text);
    if (y < end)
        canvas_printf(canvas, area.x, y++, area.width, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                      "%u lanes %s %u bytes, %s", (unsigned)__builtin_popcount(access->access.active),
                      what_it_does(access), access->access.width_bytes, space_text(access));
    if (y < end)
        canvas_text(canvas, area.x, y, area.width, STYLE(COLOR_DIM, COLOR_NONE, 0), access->instruction);
}

/* Draws the variant and its cost, above its picture. */
static void draw_caption(const struct screen *screen, int side, struct canvas *canvas, struct rect line)
{
    const struct lane_map *map = lane_map_state(screen);
    const struct lab *lab = lab_state(screen);
    int variant = side > 0 ? map->beside - 1 : lab->variant == LAB_ALL_VARIANTS ? 0 : lab->variant;
    int taken =
        1 + canvas_text(canvas, line.x, line.y, line.width, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD),
                        lab->workload->variants[variant].name);
    if (map->side[side].access) {
        lane_case_draw_cost(map->side[side].access, &map->side[side].picture, map->step, canvas,
                            (struct rect){line.x + taken, line.y, line.width - taken, 1});
        return;
    }
    const char *kind = lane_map_access(map)->access.store ? "store to" : "load from";
    char text[500];
    snprintf(text, sizeof text, "This variant has no %s %s memory.", kind, space_text(lane_map_access(map)));
    canvas_wrap(canvas, (struct rect){line.x, line.y + 1, line.width, 4}, STYLE(COLOR_WARN, COLOR_NONE, 0),
                map->side[side].answer.error[0] != '\0' ? map->side[side].answer.error : text);
}

/* Draws the legend of the cells and the number of hidden rows, in the lower edge of the frame. */
static void draw_edge(const struct screen *screen, struct canvas *canvas, struct rect line,
                      const struct lane_places *places, const struct lane_picture_options *options)
{
    const struct lane_map *map = lane_map_state(screen);
    int hidden = map->hidden - map->top;
    char text[40] = "", page_key[16];
    key_text(present_key_of(screen, ACTION_PAGE_DOWN), page_key, sizeof page_key);
    int width = hidden > 0 ? snprintf(text, sizeof text, " %d more lines: %s ", hidden, page_key) : 0;
    if (width > line.width)
        return;
    canvas_text(canvas, line.x + line.width - width, line.y, width, STYLE(COLOR_WARN, COLOR_NONE, 0), text);
    lane_picture_legend(canvas, (struct rect){line.x, line.y, line.width - width, 1}, places->picture[0],
                        &map->side[0].picture, options);
}

static void print_title(const struct screen *screen, char *title, size_t size_bytes)
{
    const struct lane_map *map = lane_map_state(screen);
    const struct tui_access *access = lane_map_access(map);
    snprintf(title, size_bytes, "Lane map  %s",
             !map->recorded ? lab_state(screen)->workload->name
             : access       ? access->kernel
                            : "");
}

static void lane_map_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct lane_map *map = lane_map_state(screen);
    const struct lane_picture_options options = {.top = map->top,
                                                 .step = map->step,
                                                 .halves = map->beside > 0,
                                                 .color = screen->options.color && !screen->theme->mono};
    char title[300];
    print_title(screen, title, sizeof title);
    struct rect inside = view_frame(canvas, area, title, focus);
    struct lane_places places = places_of(screen, area);
    draw_form(screen, canvas, &places);
    if (!lane_map_access(map)) {
        canvas_wrap(canvas, (struct rect){places.head.x, places.head.y, places.head.width, inside.height},
                    STYLE(COLOR_WARN, COLOR_NONE, 0), map->side[0].answer.error);
        return;
    }
    draw_head(lane_map_access(map), canvas, places.head);
    for (int i = 0; i < lane_map_sides(map); i++) {
        if (map->beside > 0)
            draw_caption(screen, i, canvas, places.cost[i]);
        else
            lane_case_draw_cost(map->side[i].access, &map->side[i].picture, map->step, canvas,
                                places.cost[i]);
        struct rect below = places.picture[i];
        int lines = lane_picture_draw(canvas, below, &map->side[i].picture, &options) + 1;
        below.y += lines;
        below.height -= lines;
        if (!map->side[i].access)
            continue;
        lines = places.beside && form_has_table(map, places.form)
                    ? 0
                    : lane_table_draw(canvas, below, map->side[i].answer.rules, map->side[i].access);
        below.y += lines;
        below.height -= lines;
        lane_more_draw(map->side, lane_map_sides(map), i, &map->variants, canvas, below, &options,
                       !rect_shown(places.more));
    }
    if (rect_shown(places.more))
        lane_more_draw_beside(&map->side[0], map->recorded ? NULL : lab_state(screen)->workload->lesson,
                              canvas, places.more);
    if (inside.height < area.height)
        draw_edge(screen, canvas, (struct rect){area.x + 2, area.y + area.height - 1, area.width - 4, 1},
                  &places, &options);
}

/* ---- keys ---- */

/* Prompts for a parameter's value as the lab does, starting with `text`, or with the current value if `text`
 * is NULL. */
static bool ask_value(struct screen *screen, const char *text)
{
    int row = lane_map_state(screen)->form.selected;
    if (row >= lane_map_case_rows(screen) || (row == 0 && text))
        return false;
    lab_state(screen)->form.selected = row;
    lab_ask(screen, text ? text : row > 0 ? lab_state(screen)->value[row - 1] : "");
    return true;
}

/* SPACE, b and ESC have other meanings elsewhere. */
static bool lane_map_key(struct screen *screen, uint32_t key)
{
    struct lane_map *map = lane_map_state(screen);
    if (key == KEY_SPACE) {
        lane_map_walk(map);
        return true;
    }
    if (key == 'b') {
        lane_map_compare(screen);
        return true;
    }
    if (key == KEY_ESCAPE && map->step > 0) {
        map->step = 0;
        return true;
    }
    return key >= '0' && key <= '9' && ask_value(screen, (char[]){(char)key, '\0'});
}

static bool lane_map_act(struct screen *screen, enum action action)
{
    struct lane_map *map = lane_map_state(screen);
    if (action == ACTION_CLOSE && map->side[0].answer.got.counting) {
        if (screen->host->stop_counting)
            screen->host->stop_counting(screen->host->context);
        map->side[0].answer = (struct lane_answer){0};
        return false;
    }
    switch (action) {
    case ACTION_LEFT: lane_map_step(screen, -1); return true;
    case ACTION_RIGHT: lane_map_step(screen, 1); return true;
    case ACTION_PAN_LEFT: lane_map_step_rules(screen, -1); return true;
    case ACTION_PAN_RIGHT: lane_map_step_rules(screen, 1); return true;
    case ACTION_EDIT: return ask_value(screen, NULL);
    case ACTION_NEXT: lane_map_turn(map, 1); return true;
    case ACTION_PREVIOUS: lane_map_turn(map, -1); return true;
    case ACTION_PAGE_DOWN: map->top += 8; return true;
    case ACTION_PAGE_UP: map->top -= 8; return true;
    default: return list_act(&map->form, action);
    }
}

static void lane_map_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct lane_places places = places_of(screen, area);
    if (places.beside && rect_holds(places.form, event->x, event->y))
        list_mouse(&lane_map_state(screen)->form, event, event->y - places.form.y);
}

/* The workload of the lab below the map. */
static void take_subject(const struct screen *screen, struct subject *subject)
{
    if (lane_map_state(screen)->recorded)
        subject_set_kernel(subject, screen, lane_map_state(screen)->kernel);
    else
        subject->workload = lab_state(screen)->workload->name;
}

static bool has_more(const struct screen *screen)
{
    return lane_map_state(screen)->hidden > 0;
}

static bool has_others(const struct screen *screen)
{
    return !lane_map_state(screen)->recorded && lab_state(screen)->workload->variant_count > 1;
}

/* A picture of one step is not worth stepping through. */
static bool lane_map_walks(const struct screen *screen, char *text, size_t size_bytes)
{
    const struct lane_map *map = lane_map_state(screen);
    uint32_t steps = lane_map_steps(map);
    if (!lane_map_access(map) || steps < 2 || map->step >= steps)
        return false;
    const struct lane_picture *longest = &map->side[0].picture;
    if (map->beside > 0 && map->side[1].access && map->side[1].picture.steps > longest->steps)
        longest = &map->side[1].picture;
    snprintf(text, size_bytes, "%s %" PRIu32 " of %" PRIu32, lane_picture_step_unit(longest, 1),
             map->step + 1, steps);
    return true;
}

static const struct view_key keys[] = {
    {.action = ACTION_RIGHT, .hint = "change", .name = "h l", .help = "larger; h: smaller"},
    {.action = ACTION_NEXT,
     .hint = "instruction",
     .name = "n N",
     .help = "to the next memory instruction; N: to the previous"},
    {.action = ACTION_FREEZE,
     .hint = "step",
     .help = "highlight the lanes of the next wavefront, sector or pass; after the last one, or with ESC, "
             "all lanes"},
    {.action = ACTION_BURST,
     .hint = "beside",
     .when = has_others,
     .help = "show another variant beside this one, or hide it"},
    {.action = ACTION_PAN_LEFT,
     .hint = "older GPU",
     .name = "H L",
     .help = "to the next older compute capability with other rules; L: newer"},
    {.action = ACTION_PAGE_DOWN,
     .hint = "more",
     .when = has_more,
     .help = "scroll to the rest of the picture"},
    {.action = ACTION_DOWN, .hint = "row"},
    {.action = ACTION_EDIT, .hint = "value", .help = "type a number for the parameter"},
    {.action = ACTION_NONE},
};

/* While the model counts, for this view, for the lab or for the pane beside the kernels: waits a moment;
 * lane_map_make takes the answer. */
static bool lane_map_work(struct screen *screen)
{
    if (!lane_map_state(screen)->side[0].answer.got.counting)
        return false;
    clock_pause(5 * NS_PER_MS);
    lane_map_make(screen);
    return true;
}

const struct view view_lane_map = {
    .title = "Lane map",
    .opened_by = ACTION_LANES,
    .state_bytes = sizeof(struct lane_map),
    .fini = lane_map_fini,
    .update = lane_map_update,
    .work = lane_map_work,
    .draw = lane_map_draw,
    .open = lane_map_open,
    .act = lane_map_act,
    .key = lane_map_key,
    .mouse = lane_map_mouse,
    .subject = take_subject,
    .walks = lane_map_walks,
    .beside = {.order = 1, .lines = lane_beside_lines, .draw = lane_beside_draw},
    .keys = keys,
};
