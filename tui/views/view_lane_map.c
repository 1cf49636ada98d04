/*
 * The lane map on the screen: the picture, beside it the lab's parameters and what is looked at. Where there
 * is less room these stand above the picture, one after the other in a few lines, or the chosen one alone.
 * What the instruction costs stands in the upper edge of the frame and what the cells mean in the lower one,
 * so that the picture has the lines between.
 */
#include "tui/frame/screen.h"
#include "tui/views/lab.h"
#include "tui/views/lane_map.h"

#include "tui/terminal/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FORM_CELLS 32
#define NAME_CELLS 12
#define BESIDE_WIDTH 110 /* from which the form stands beside the picture */
#define STRIP_HEIGHT 10  /* from which more than the chosen row stands above it */
#define HEAD_LINES 3     /* source line, instruction, lanes */
#define EDGE_WIDTH 60    /* from which the frame's edge has room for what it costs */

struct places {
    struct rect form, head, picture;
    struct rect cost; /* what the instruction costs: in the frame, or a line of its own */
    bool beside;      /* the form has a line for each row */
};

/* ---- the form ---- */

static int rows_of(const struct screen *screen)
{
    return lab_case_rows(lab_state(screen)) + LANE_ROW_COUNT;
}

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

/* Rows after each other, as many in a line as fit. Returns the lines; canvas NULL: counts them only. */
static int draw_strip(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    int x = area.x, y = area.y;
    for (int row = 0; row < rows_of(screen); row++) {
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
        if (canvas != NULL) {
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

static void draw_form(const struct screen *screen, struct canvas *canvas, const struct places *places)
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
    if (!places->beside || map->form.count + 2 >= area.height || lane_map_access(map) == NULL)
        return;
    canvas_wrap(canvas,
                (struct rect){area.x + 1, area.y + map->form.count + 1, area.width - 3,
                              area.height - map->form.count - 1},
                STYLE(COLOR_DIM, COLOR_NONE, 0),
                map->got.cut
                    ? "modelled, at small size, first launch of each kernel; some accesses were not kept"
                    : "modelled, at small size; first launch of each kernel");
}

/* ---- places ---- */

/* Lines above the picture: fewer where its cells become larger, none where its rows need them. */
static int head_lines(const struct lane_map *map, struct rect right)
{
    int best = HEAD_LINES, most = lane_picture_cell(&map->picture, right.width, right.height - HEAD_LINES);
    for (int head = HEAD_LINES - 1; head >= (most == 0 ? 0 : 1); head--) {
        int cell = lane_picture_cell(&map->picture, right.width, right.height - head);
        if (cell > most) {
            best = head;
            most = cell;
        }
    }
    return most > 0 ? best : 0;
}

static struct places places_of(const struct screen *screen, struct rect area)
{
    const struct lane_map *map = lane_map_state(screen);
    struct rect inside = view_inside(area), right = inside;
    struct places places = {.beside = inside.width >= BESIDE_WIDTH};
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
    if (inside.height < area.height && area.width >= EDGE_WIDTH) {
        places.cost = (struct rect){area.x + area.width / 3, area.y, area.width - area.width / 3 - 2, 1};
    } else if (right.height > 0) {
        places.cost = (struct rect){right.x, right.y++, right.width, 1};
        right.height--;
    }
    int head = head_lines(map, right);
    places.head = (struct rect){right.x, right.y, right.width, head};
    places.picture = (struct rect){right.x, right.y + head, right.width, right.height - head};
    return places;
}

static void lane_map_update(struct screen *screen, struct rect area)
{
    struct lane_map *map = lane_map_state(screen);
    if (map->rules == NULL)
        map->rules = screen_arch(screen);
    lane_map_make(screen);
    struct places places = places_of(screen, area);
    list_update(&map->form, rows_of(screen), places.form.height > 0 ? places.form.height : 1);
    int shown = lane_picture_rows(&map->picture, places.picture), most = map->picture.count - shown;
    if (map->step > 0) { /* its row is shown */
        int row = lane_picture_row_of(&map->picture, map->step);
        map->top = row < map->top ? row : row >= map->top + shown ? row - shown + 1 : map->top;
    }
    map->top = map->top > most ? most : map->top;
    map->top = map->top < 0 ? 0 : map->top;
}

/* ---- drawing ---- */

static const char *space_text(const struct tui_access *access)
{
    static const char *const spaces[] = {
        [TUI_SPACE_GLOBAL] = "global", [TUI_SPACE_LOCAL] = "local", [TUI_SPACE_SHARED] = "shared"};
    return spaces[access->space];
}

/* The line of the source, the instruction, and what it does: as many of these as there are lines. */
static void draw_head(const struct tui_access *access, struct canvas *canvas, struct rect area)
{
    int y = area.y, end = area.y + area.height;
    if (y < end)
        canvas_printf(canvas, area.x, y++, area.width, STYLE(COLOR_TITLE, COLOR_NONE, 0), "%s  %s",
                      access->place[0] != '\0' ? access->place : access->kernel, access->text);
    if (y < end)
        canvas_printf(canvas, area.x, y++, area.width, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                      "%u lanes %s %u bytes, %s", (unsigned)__builtin_popcount(access->access.active),
                      access->atomic         ? "update"
                      : access->access.store ? "store"
                                             : "load",
                      access->access.width_bytes, space_text(access));
    if (y < end)
        canvas_text(canvas, area.x, y, area.width, STYLE(COLOR_DIM, COLOR_NONE, 0), access->instruction);
}

/* What the instruction costs, at the right end of the line. */
static void draw_cost(const struct lane_map *map, const struct tui_access *access, struct canvas *canvas,
                      struct rect line)
{
    const struct lane_picture *picture = &map->picture;
    bool wasted = picture->cost > picture->ideal;
    struct style style = STYLE(wasted ? COLOR_WARN : COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD);
    const char *unit = access->space == TUI_SPACE_SHARED ? "wavefronts" : "sectors";
    bool counted = !access->by_rule && access->counted != picture->cost;
    char text[200], step[100];
    lane_picture_print_step(picture, map->step, step, sizeof step);
    if (map->step > 0)
        snprintf(text, sizeof text, " %s ", step);
    else if (counted)
        snprintf(text, sizeof text, " %u %s for the instruction: ptxas changes it ", access->counted, unit);
    else
        snprintf(text, sizeof text, " %s ", picture->sentence);
    if (text_width(text, line.width + 1) > line.width)
        snprintf(text, sizeof text, "%u %s, ideal %u", counted ? access->counted : picture->cost, unit,
                 counted ? access->counted_ideal : picture->ideal);
    int width = text_width(text, line.width);
    canvas_text(canvas, line.x + line.width - width, line.y, width, style, text);
}

/* What the cells mean, in the lower edge of the frame, and how many rows are not shown. */
static void draw_edge(const struct screen *screen, struct canvas *canvas, struct rect line,
                      struct rect picture)
{
    const struct lane_map *map = lane_map_state(screen);
    int hidden = map->picture.count - map->top - lane_picture_rows(&map->picture, picture);
    char text[40];
    int width = snprintf(text, sizeof text, hidden > 0 ? " %d more lines: PgDn " : "", hidden);
    if (width > line.width)
        return;
    canvas_text(canvas, line.x + line.width - width, line.y, width, STYLE(COLOR_WARN, COLOR_NONE, 0), text);
    lane_picture_legend(canvas, (struct rect){line.x, line.y, line.width - width, 1}, &map->picture,
                        screen->options.color && !screen->theme->mono);
}

static void lane_map_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct lane_map *map = lane_map_state(screen);
    const struct tui_access *access = lane_map_access(map);
    char title[300];
    snprintf(title, sizeof title, "Lane map  %s", lab_state(screen)->workload->name);
    struct rect inside = view_frame(canvas, area, title, focus);
    struct places places = places_of(screen, area);
    draw_form(screen, canvas, &places);
    if (access == NULL) {
        canvas_wrap(canvas, (struct rect){places.head.x, places.head.y, places.head.width, inside.height},
                    STYLE(COLOR_WARN, COLOR_NONE, 0), map->error);
        return;
    }
    draw_head(access, canvas, places.head);
    lane_picture_draw(canvas, places.picture, &map->picture,
                      &(struct lane_picture_options){.top = map->top, .step = map->step});
    draw_cost(map, access, canvas, places.cost);
    if (inside.height < area.height)
        draw_edge(screen, canvas, (struct rect){area.x + 2, area.y + area.height - 1, area.width - 4, 1},
                  places.picture);
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

/* SPACE and ESC stand for other things elsewhere. */
static bool lane_map_key(struct screen *screen, uint32_t key)
{
    struct lane_map *map = lane_map_state(screen);
    if (key == KEY_SPACE) {
        lane_map_walk(map);
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
    struct places places = places_of(screen, area);
    if (places.beside && rect_holds(places.form, event->x, event->y))
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
    {.action = ACTION_FREEZE,
     .hint = "step",
     .help = "light the lanes of the next wavefront or sector; after the last one, and with ESC, all"},
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
