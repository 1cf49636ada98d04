/* The costs of source lines: the places of a listing, grouped by file and line. */
#include "core/analysis/code_costs.h"

#include <stdlib.h>
#include <string.h>

static int compare_places(const void *a, const void *b, void *context)
{
    const struct code_place *places = context;
    const struct code_place *left = &places[*(const uint32_t *)a], *right = &places[*(const uint32_t *)b];
    int order = strcmp(left->file, right->file);
    if (order != 0)
        return order;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static void line_add(struct code_line *line, const struct code_place *place)
{
    line->count++;
    for (int cost = 0; cost < CODE_COST_COUNT; cost++)
        line->costs[cost] += place->costs[cost];
}

enum status code_lines_make(const struct code_listing *listing, struct code_lines *lines, struct error *error)
{
    uint32_t count = listing->count;
    *lines = (struct code_lines){.lines = calloc(count + 1, sizeof *lines->lines),
                                 .places = malloc((count + 1) * sizeof *lines->places)};
    if (lines->lines == NULL || lines->places == NULL) {
        code_lines_fini(lines);
        return error_no_memory(error, "for the lines of the source");
    }
    for (uint32_t i = 0; i < count; i++)
        lines->places[i] = i;
    if (count > 0)
        qsort_r(lines->places, count, sizeof *lines->places, compare_places, listing->places);
    for (uint32_t i = 0; i < count; i++) {
        const struct code_place *place = &listing->places[lines->places[i]];
        struct code_line *last = lines->count == 0 ? NULL : &lines->lines[lines->count - 1];
        if (last == NULL || strcmp(last->file, place->file) != 0 || last->line != place->line) {
            last = &lines->lines[lines->count++];
            *last = (struct code_line){.file = place->file, .line = place->line, .first = i};
        }
        line_add(last, place);
    }
    return STATUS_OK;
}

void code_lines_fini(struct code_lines *lines)
{
    free(lines->lines);
    free(lines->places);
    *lines = (struct code_lines){0};
}
