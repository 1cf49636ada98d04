/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of kinds and directions, and what each sink counts. */
#include "core/sheet/sheet.h"

static const struct {
    const char *text, *unit;
    bool is_number;
} kinds[SHEET_KIND_COUNT] = {
#define SHEET_KIND_ROW(id, text, unit, is_number) [SHEET_##id] = {text, unit, is_number},
    SHEET_KIND_LIST(SHEET_KIND_ROW)
#undef SHEET_KIND_ROW
};

const char *sheet_kind_text(enum sheet_kind kind)
{
    return kinds[kind].text;
}

const char *sheet_kind_unit(enum sheet_kind kind)
{
    return kinds[kind].unit;
}

bool sheet_kind_is_number(enum sheet_kind kind)
{
    return kinds[kind].is_number;
}

const char *sheet_better_text(enum sheet_better better)
{
    static const char *const texts[] = {
        [SHEET_NEITHER] = "neither", [SHEET_LESS] = "less", [SHEET_MORE] = "more"};
    return texts[better];
}

void sheet_group(struct sheet_sink *sink, const char *text)
{
    sink->in_group = 0;
    sink->groups++;
    if (sink->group && (sink->most_groups == 0 || sink->groups <= sink->most_groups))
        sink->group(sink, text);
}

void sheet_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    if ((sink->most > 0 && sink->in_group >= sink->most) ||
        (sink->most_groups > 0 && sink->groups > sink->most_groups)) {
        sink->left_out++;
        return;
    }
    sink->in_group++;
    sink->rows++;
    sink->row(sink, cells);
}

void sheet_note(struct sheet_sink *sink, const char *text)
{
    if (sink->note)
        sink->note(sink, text);
}

enum status sheet_make(const struct sheet *sheet, const void *from, struct sheet_sink *sink,
                       struct error *error)
{
    sink->sheet = sheet;
    return sheet->rows(from, sink, error);
}
