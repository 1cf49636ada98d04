/*
 * The lane map on the screen: the lab's parameters and what is looked at on the left, the picture on the
 * right; below each other, or the chosen row alone, where there is less room.
 */
#include "tui/frame/screen.h"
#include "tui/views/lab.h"
#include "tui/views/lane_map.h"

#include "tui/widgets/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FORM_CELLS 34
#define NAME_CELLS 12
#define LABEL_CELLS 7
#define PICTURE_CELLS 45
#define HEAD_LINES 4 /* source line, instruction, cost, lanes */
#define HELP "    j k row  h l less, more  n N instruction  PgUp PgDn"

struct places {
    struct rect form, head, picture;
};

static struct places places_of(struct rect inside, int rows)
{
    struct places places = {0};
    struct rect right = inside;
    if (inside.width >= FORM_CELLS + PICTURE_CELLS - 2) {
        places.form = (struct rect){inside.x, inside.y, FORM_CELLS, inside.height};
        right.x += FORM_CELLS;
        right.width -= FORM_CELLS;
    } else {
        int lines = inside.height >= 24 ? rows : 1;
        places.form = (struct rect){inside.x, inside.y, inside.width, lines};
        right.y += lines;
        right.height -= lines;
    }
    int head = right.height >= 2 * HEAD_LINES ? HEAD_LINES : right.height > 1 ? 1 : right.height;
    places.head = (struct rect){right.x, right.y, right.width, head};
    places.picture = (struct rect){right.x, right.y + head, right.width, right.height - head};
    return places;
}

static int rows_of(const struct screen *screen)
{
    return lab_case_rows(lab_state(screen)) + LANE_ROW_COUNT;
}

static void lane_map_update(struct screen *screen, struct rect area)
{
    struct lane_map *map = lane_map_state(screen);
    struct places places = places_of(view_inside(area), rows_of(screen));
    if (map->rules == NULL)
        map->rules = screen_arch(screen);
    lane_map_make(screen);
    list_update(&map->form, rows_of(screen), places.form.height > 0 ? places.form.height : 1);
    int most = map->picture.count - places.picture.height;
    map->top = map->top > most ? most : map->top;
    map->top = map->top < 0 ? 0 : map->top;
}

/* ---- drawing ---- */

static void row_text(const struct screen *screen, int row, const char **name, char *text, size_t size_bytes)
{
    static const char *const names[LANE_ROW_COUNT] = {"instruction", "execution", "block", "warp",
                                                      "compute cap."};
    const struct lane_map *map = lane_map_state(screen);
    const struct lab *lab = lab_state(screen);
    const struct tui_access *access = lane_map_access(map);
    char rules[ARCH_TEXT_BYTES];
    if (row < lab_case_rows(lab)) {
        *name = row == 0 ? "variant" : lab->workload->params[row - 1].name;
        snprintf(text, size_bytes, "%s",
                 row > 0                            ? lab->value[row - 1]
                 : lab->variant == LAB_ALL_VARIANTS ? "all: the first"
                                                    : lab->workload->variants[lab->variant].name);
        return;
    }
    *name = names[row - lab_case_rows(lab)];
    switch ((enum lane_row_kind)(row - lab_case_rows(lab))) {
    case LANE_ROW_INSTRUCTION:
        snprintf(text, size_bytes, "%u of %u", access != NULL ? map->site + 1 : 0, map->got.sites);
        return;
    case LANE_ROW_EXECUTION:
        snprintf(text, size_bytes, "%u", access != NULL ? access->execution + 1 : 0);
        return;
    case LANE_ROW_BLOCK:
        snprintf(text, size_bytes, "%" PRIu64 " of 0..%" PRIu64, map->block,
                 map->got.blocks > 0 ? map->got.blocks - 1 : 0);
        return;
    case LANE_ROW_WARP:
        snprintf(text, size_bytes, "%u of 0..%u", map->warp, map->got.warps > 0 ? map->got.warps - 1 : 0);
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

static const char *space_text(const struct tui_access *access)
{
    static const char *const spaces[] = {
        [TUI_SPACE_GLOBAL] = "global", [TUI_SPACE_LOCAL] = "local", [TUI_SPACE_SHARED] = "shared"};
    return spaces[access->space];
}

static void draw_head(const struct lane_map *map, const struct tui_access *access, struct canvas *canvas,
                      struct rect area)
{
    const struct lane_picture *picture = &map->picture;
    bool wasted = picture->cost > picture->ideal;
    struct style cost = STYLE(wasted ? COLOR_WARN : COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD);
    int y = area.y;
    if (area.height >= HEAD_LINES) {
        canvas_printf(canvas, area.x, y++, area.width, STYLE(COLOR_TITLE, COLOR_NONE, 0), "%s  %s",
                      access->place[0] != '\0' ? access->place : access->kernel, access->text);
        canvas_printf(canvas, area.x, y++, area.width, STYLE(COLOR_DIM, COLOR_NONE, 0), "%s",
                      access->instruction);
        canvas_printf(canvas, area.x, y++, area.width, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                      "%u lanes %s %u bytes, %s", (unsigned)__builtin_popcount(access->access.active),
                      access->atomic         ? "update"
                      : access->access.store ? "store"
                                             : "load",
                      access->access.width_bytes, space_text(access));
    }
    if (access->by_rule || access->counted == picture->cost)
        canvas_printf(canvas, area.x, y, area.width, cost, "%s", picture->sentence);
    else
        canvas_printf(canvas, area.x, y, area.width, cost, "%u %s for the instruction: ptxas changes it",
                      access->counted, access->space == TUI_SPACE_SHARED ? "wavefronts" : "sectors");
}

/* Letters of lanes are brighter than bytes that no lane wants; the characters also differ. */
static void draw_cells(struct canvas *canvas, int x, int y, int width, const struct lane_row *row)
{
    for (int i = 0; row->cells[i] != '\0' && i < width; i++) {
        char cell = row->cells[i];
        struct style style = row->heading  ? STYLE(COLOR_DIM, COLOR_NONE, 0)
                             : cell == '|' ? STYLE(COLOR_FRAME, COLOR_NONE, 0)
                             : cell == '.' ? STYLE(COLOR_DIM, COLOR_NONE, 0)
                                           : STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD);
        if (cell == '|')
            canvas_glyph(canvas, x + i, y, GLYPH_VERTICAL, style);
        else
            canvas_put(canvas, x + i, y, (unsigned char)cell, style);
    }
}

static void draw_picture(const struct lane_map *map, struct canvas *canvas, struct rect area)
{
    const struct lane_picture *picture = &map->picture;
    int label = area.width >= PICTURE_CELLS - 2 ? LABEL_CELLS : 0;
    for (int i = 0; i < area.height && map->top + i < picture->count; i++) {
        const struct lane_row *row = &picture->rows[map->top + i];
        int y = area.y + i, below = picture->count - map->top - area.height;
        if (i == area.height - 1 && below > 0) {
            canvas_printf(canvas, area.x, y, area.width, STYLE(COLOR_DIM, COLOR_NONE, 0),
                          "%d more lines: PgDn", below + 1);
            return;
        }
        if (label > 0)
            field_number(canvas, area.x, y, label - 1, STYLE(COLOR_DIM, COLOR_NONE, 0), row->label);
        draw_cells(canvas, area.x + label, y, area.width - label, row);
    }
}

/* What the cells mean, where a line is left. */
static void draw_legend(const struct lane_map *map, const struct tui_access *access, struct canvas *canvas,
                        struct rect area)
{
    int y = area.y + map->picture.count - map->top + 1;
    if (y >= area.y + area.height)
        return;
    canvas_text(canvas, area.x, y, area.width, STYLE(COLOR_DIM, COLOR_NONE, 0),
                access->space == TUI_SPACE_SHARED ? "lane 0-9 a-v; + several on one word; a row per wavefront"
                                                  : "4 B a cell: lane 0-9 a-v; + several; . moved unused");
}

static void lane_map_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct lane_map *map = lane_map_state(screen);
    const struct tui_access *access = lane_map_access(map);
    char title[300];
    snprintf(title, sizeof title, "Lane map  %s%s", lab_state(screen)->workload->name,
             area.width >= 100 ? HELP : "");
    struct rect inside = view_frame(canvas, area, title, focus);
    struct places places = places_of(inside, rows_of(screen));
    for (int i = 0; i < places.form.height && map->form.top + i < map->form.count; i++)
        draw_row(screen, canvas,
                 (struct rect){places.form.x, places.form.y + i,
                               places.form.width - (places.form.width < inside.width), 1},
                 map->form.top + i);
    if (places.form.width < inside.width && map->form.count + 2 < places.form.height)
        canvas_wrap(canvas,
                    (struct rect){places.form.x + 1, places.form.y + map->form.count + 1,
                                  places.form.width - 3, places.form.height - map->form.count - 1},
                    STYLE(COLOR_DIM, COLOR_NONE, 0),
                    access == NULL ? ""
                    : map->got.cut
                        ? "modelled, at small size, first launch of each kernel; some accesses were not kept"
                        : "modelled, at small size; first launch of each kernel");
    if (access == NULL) {
        canvas_wrap(canvas, (struct rect){places.head.x, places.head.y, places.head.width, inside.height},
                    STYLE(COLOR_WARN, COLOR_NONE, 0), map->error);
        return;
    }
    draw_head(map, access, canvas, places.head);
    draw_picture(map, canvas, places.picture);
    draw_legend(map, access, canvas, places.picture);
}

/* ---- keys ---- */

/* A parameter's value is asked for as in the lab, beginning with `text`; NULL: with what it is. */
static bool ask_value(struct screen *screen, const char *text)
{
    int row = lane_map_state(screen)->form.selected;
    if (row >= lab_case_rows(lab_state(screen)) || (row == 0 && text != NULL))
        return false;
    lab_state(screen)->form.selected = row;
    lab_ask(screen, text != NULL ? text : row > 0 ? lab_state(screen)->value[row - 1] : "");
    return true;
}

static bool lane_map_key(struct screen *screen, uint32_t key)
{
    return key >= '0' && key <= '9' && ask_value(screen, (char[]){(char)key, '\0'});
}

static bool lane_map_act(struct screen *screen, enum action action)
{
    struct lane_map *map = lane_map_state(screen);
    switch (action) {
    case ACTION_LEFT: lane_map_step(screen, -1); return true;
    case ACTION_RIGHT: lane_map_step(screen, 1); return true;
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
    struct places places = places_of(view_inside(area), rows_of(screen));
    if (rect_holds(places.form, event->x, event->y))
        list_mouse(&lane_map_state(screen)->form, event, event->y - places.form.y);
}

/* The lab's workload, over which it was opened. */
static void take_subject(const struct screen *screen, struct subject *subject)
{
    subject->workload = lab_state(screen)->workload->name;
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "row"},
    {.action = ACTION_RIGHT, .hint = "change", .name = "h l", .help = "larger; h: smaller"},
    {.action = ACTION_NEXT,
     .hint = "instruction",
     .name = "n N",
     .help = "to the next memory instruction; N: to the one before"},
    {.action = ACTION_PAGE_DOWN, .hint = "more", .help = "the rest of the picture"},
    {.action = ACTION_EDIT, .hint = "value", .help = "a number for the parameter"},
    {.action = ACTION_NONE},
};

const struct view view_lane_map = {
    .title = "Lane map",
    .opened_by = ACTION_LANES,
    .state_bytes = sizeof(struct lane_map),
    .fini = lane_map_fini,
    .update = lane_map_update,
    .draw = lane_map_draw,
    .open = lane_map_open,
    .act = lane_map_act,
    .key = lane_map_key,
    .mouse = lane_map_mouse,
    .subject = take_subject,
    .keys = keys,
};
