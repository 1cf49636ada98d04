/*
 * The glossary: a term per line with the beginning of its meaning, and the selected one in full below. The
 * rows are those that have the searched text.
 */
#include "tui/frame/glossary.h"
#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

#include <stdio.h>
#include <string.h>

#define TERMS_MAX 256
#define TERM_CELLS 24
#define DETAIL_LINES 5

struct glossary {
    struct list list;
    char filter[FILTER_SIZE];
    uint32_t shown[TERMS_MAX]; /* their rows in the host's text */
};

static struct glossary *glossary_state(const struct screen *screen)
{
    return screen->view_state[VIEW_GLOSSARY];
}

static void find_terms(struct screen *screen)
{
    struct glossary *glossary = glossary_state(screen);
    struct glossary_term term;
    int count = 0;
    for (uint32_t i = 0; count < TERMS_MAX && glossary_at(screen->host->glossary, i, &term); i++)
        if (strcasestr(term.term, glossary->filter) != NULL ||
            strcasestr(term.meaning, glossary->filter) != NULL)
            glossary->shown[count++] = i;
    glossary->list.count = count;
    list_select(&glossary->list, glossary->list.selected);
}

static int list_lines(struct rect inside)
{
    return inside.height > 2 * DETAIL_LINES ? inside.height - DETAIL_LINES : inside.height;
}

static void glossary_update(struct screen *screen, struct rect area)
{
    struct glossary *glossary = glossary_state(screen);
    find_terms(screen);
    list_update(&glossary->list, glossary->list.count, list_lines(view_inside(area)));
}

static void draw_term(struct canvas *canvas, struct rect line, const struct glossary_term *term,
                      bool selected)
{
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    int cells = line.width < 2 * TERM_CELLS ? line.width / 2 : TERM_CELLS;
    canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, ground, 0));
    canvas_text(canvas, line.x + 1, line.y, cells - 1,
                STYLE(selected ? COLOR_TITLE : COLOR_FOCUS, ground, selected ? ATTRIBUTE_BOLD : 0),
                term->term);
    canvas_text(canvas, line.x + 1 + cells, line.y, line.width - cells - 2, STYLE(COLOR_TEXT, ground, 0),
                term->meaning);
}

static void glossary_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct glossary *glossary = glossary_state(screen);
    const struct list *list = &glossary->list;
    struct glossary_term term;
    char title[FILTER_SIZE + 60], text[GLOSSARY_TERM_BYTES + GLOSSARY_MEANING_BYTES + 2];
    snprintf(title, sizeof title, "Glossary  %d terms%s%.200s", list->count,
             glossary->filter[0] != '\0' ? "  search: " : "", glossary->filter);
    struct rect inside = view_frame(canvas, area, title, focus);
    if (list->count == 0)
        canvas_text(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    "No term has this: ESC shows all.");
    for (int line = 0; line < list->height && list->top + line < list->count; line++)
        if (glossary_at(screen->host->glossary, glossary->shown[list->top + line], &term))
            draw_term(canvas, (struct rect){inside.x, inside.y + line, inside.width, 1}, &term,
                      list->top + line == list->selected);
    if (list->count == 0 || list->height == inside.height ||
        !glossary_at(screen->host->glossary, glossary->shown[list->selected], &term))
        return;
    struct rect detail = {inside.x + 1, inside.y + inside.height - DETAIL_LINES, inside.width - 2,
                          DETAIL_LINES};
    for (int x = 0; x < inside.width; x++)
        canvas_glyph(canvas, inside.x + x, detail.y, GLYPH_HORIZONTAL, STYLE(COLOR_FRAME, COLOR_NONE, 0));
    detail.y++;
    detail.height--;
    snprintf(text, sizeof text, "%s: %s", term.term, term.meaning);
    canvas_wrap(canvas, detail, STYLE(COLOR_TITLE, COLOR_NONE, 0), text);
}

static bool glossary_act(struct screen *screen, enum action action)
{
    if (action == ACTION_FILTER) {
        prompt_filter(&screen->prompt, "Search:");
        return true;
    }
    return list_act(&glossary_state(screen)->list, action);
}

static void glossary_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    list_mouse(&glossary_state(screen)->list, event, event->y - view_inside(area).y);
}

static void open_glossary(struct screen *screen)
{
    if (screen->host->glossary != NULL)
        screen_open(screen, VIEW_GLOSSARY);
    else
        screen_message(screen, SEVERITY_INFO, "The glossary is docs/glossary.md.");
}

static void show_term(struct screen *screen, uint32_t index)
{
    struct glossary *glossary = glossary_state(screen);
    glossary->filter[0] = '\0';
    find_terms(screen);
    list_select(&glossary->list, (int)index);
    screen_open(screen, VIEW_GLOSSARY);
}

static char *filter_text(struct screen *screen)
{
    return glossary_state(screen)->filter;
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "term", .name = "j k"},
    {.action = ACTION_FILTER, .hint = "search"},
    {.action = ACTION_NONE},
};

const struct view view_glossary = {
    .title = "Glossary",
    .opened_by = ACTION_GLOSSARY,
    .state_bytes = sizeof(struct glossary),
    .update = glossary_update,
    .draw = glossary_draw,
    .open = open_glossary,
    .act = glossary_act,
    .mouse = glossary_mouse,
    .filter = filter_text,
    .filtered = find_terms,
    .show = {[ITEM_TERM] = show_term},
    .keys = keys,
};
