/* SPDX-License-Identifier: Apache-2.0 */
/* The glossary: the terms as a table. Its rows are made once, of the host's text, which is constant. */
#include "tui/frame/glossary.h"
#include "tui/frame/screen.h"
#include "tui/widgets/sheet_table.h"

#include <stdio.h>

/* clang-format off */
static const struct sheet_column columns[] = {
    {"term", "term", "the term", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"meaning", "what it means", "what it means", SHEET_SENTENCE, SHEET_NEITHER, 40, 0, false}};
/* clang-format on */

static enum status make_terms(const void *from, struct sheet_sink *to, struct error *error)
{
    struct glossary_term term;
    (void)error;
    for (uint32_t i = 0; glossary_at(from, i, &term); i++)
        sheet_row(to, (const struct sheet_cell[]){{.text = term.term}, {.text = term.meaning}});
    return STATUS_OK;
}

static const struct sheet sheet = {.id = "glossary",
                                   .title = "Glossary",
                                   SHEET_COLUMNS(columns),
                                   .none = "The glossary is docs/glossary.md.",
                                   .rows = make_terms};

static struct sheet_table *glossary_state(const struct screen *screen)
{
    return screen->view_state[VIEW_GLOSSARY];
}

static const struct sheet_face face = {.brief = true};

static void make_table(struct screen *screen)
{
    struct sheet_table *table = glossary_state(screen);
    struct sheet_kept kept;
    if (table->kept.sheet || sheet_kept_make(&kept, &sheet, screen->host->glossary, NULL) != STATUS_OK)
        return;
    table->face = &face;
    sheet_table_take(table, &kept);
}

static void glossary_update(struct screen *screen, struct rect area)
{
    make_table(screen);
    sheet_table_update(glossary_state(screen), view_inside(area));
}

static void glossary_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    char title[60];
    snprintf(title, sizeof title, "Glossary  %zu terms", glossary_state(screen)->shown_rows);
    view_table_draw(screen, canvas, area, glossary_state(screen), title, focus);
}

static void free_glossary(struct screen *screen)
{
    sheet_table_fini(glossary_state(screen));
}

static void open_glossary(struct screen *screen)
{
    if (screen->host->glossary)
        screen_open(screen, VIEW_GLOSSARY);
    else
        screen_message(screen, SEVERITY_INFO, "The glossary is docs/glossary.md.");
}

static void show_term(struct screen *screen, uint32_t index)
{
    struct sheet_table *table = glossary_state(screen);
    make_table(screen);
    table->filter[0] = '\0';
    sheet_table_filtered(table);
    sheet_table_select(table, index);
    screen_open(screen, VIEW_GLOSSARY);
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "term", .name = "j k"},
    {.action = ACTION_FILTER, .hint = "search"},
    {.action = ACTION_SCALE, .hint = "copy", .help = "copy the chosen cell to the terminal's clipboard"},
    {.action = ACTION_NONE},
};

const struct view view_glossary = {
    .title = "Glossary",
    .opened_by = ACTION_GLOSSARY,
    .state_bytes = sizeof(struct sheet_table),
    .fini = free_glossary,
    .update = glossary_update,
    .draw = glossary_draw,
    .open = open_glossary,
    .table = glossary_state,
    .show = {[ITEM_TERM] = show_term},
    .keys = keys,
};
