/*
 * The costs of a listing, summed over the lines of the source: the excess of the cost that the rule names, or
 * all of it, of its kind of instruction. The advice names the line with the largest cost; without line
 * information (line 0) it names none.
 */
#include "core/advice/advice_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST 0.9 /* share of the cost from which the text says "at" the line; below it, "most at" */

/* Which instructions belong to a kind, by the instruction's SASS or PTX name without its predicate. An
 * instruction that was not disassembled matches every kind. */
static bool is_of(const struct code_place *place, enum advice_line_kind kind)
{
    const char *text = place->text;
    if (text[0] == '@')
        text += strcspn(text, " ");
    text += strspn(text, " ");
    if (kind == ADVICE_LINE_ANY || text[0] == '\0')
        return true;
    if (kind == ADVICE_LINE_DOUBLE) /* DADD, DMUL, DFMA, DSETP; add.f64, fma.rn.f64 */
        return (text[0] == 'D' && strchr("AMFS", text[1]) != NULL && text[1] != '\0') ||
               strstr(text, ".f64") != NULL;
    if (kind ==
        ADVICE_LINE_ATOMIC) /* in global memory: ATOM, ATOMG, RED, REDG; atom.add.u32, red.global.add.u32 */
        return (strncasecmp(text, "atom", 4) == 0 || strncasecmp(text, "red", 3) == 0) &&
               strncmp(text, "ATOMS", 5) != 0 && strncmp(text, "REDUX", 5) != 0 &&
               strncmp(text, "redux", 5) != 0 && strstr(text, ".shared") == NULL;
    bool load = (tolower((unsigned char)text[0]) == 'l' && tolower((unsigned char)text[1]) == 'd') ||
                strncmp(text, "cp.async", 8) == 0;
    bool store = tolower((unsigned char)text[0]) == 's' && tolower((unsigned char)text[1]) == 't';
    return kind == ADVICE_LINE_LOAD ? load : store;
}

/* The samples of one stall reason, or of all if `reason` is NULL. */
static double samples_of(const struct code_listing *listing, const struct code_place *place,
                         const char *reason)
{
    for (uint32_t i = 0; reason != NULL && i < listing->reason_count; i++)
        if (strcmp(listing->reasons[i], reason) == 0)
            return place->samples[i];
    return reason == NULL ? place->costs[CODE_SAMPLES] : 0;
}

static double amount_of(const struct code_listing *listing, const struct code_place *place,
                        enum code_cost cost, const char *reason)
{
    double lanes = 32 * place->costs[CODE_INSTRUCTIONS];
    if (cost == CODE_THREADS) /* inactive lanes */
        return lanes > place->costs[CODE_THREADS] ? lanes - place->costs[CODE_THREADS] : 0;
    return cost == CODE_SAMPLES ? samples_of(listing, place, reason) : code_excess(place->costs, cost);
}

struct found {
    const char *file;
    uint32_t line;
    double amount, all;
};

static struct found find_line(const struct code_listing *listing, const struct code_lines *lines,
                              enum code_cost cost, const struct advice_line *about)
{
    struct found found = {0};
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct code_line *line = &lines->lines[i];
        double amount = 0;
        for (uint32_t p = 0; p < line->count; p++) {
            const struct code_place *place = &listing->places[lines->places[line->first + p]];
            amount += is_of(place, about->kind) ? amount_of(listing, place, cost, about->reason) : 0;
        }
        found.all += amount;
        if (amount > found.amount && line->line > 0)
            found = (struct found){line->file, line->line, amount, found.all};
    }
    return found;
}

static void name_line(struct advice *advice, const struct code_listing *listing,
                      const struct code_lines *lines)
{
    const struct advice_line *about = &advice->rule->line;
    struct found found = {0};
    if (advice->where[0] != '\0')
        return;
    if (listing->has[about->cost])
        found = find_line(listing, lines, about->cost, about);
    if (found.line == 0 && about->otherwise != CODE_COST_COUNT && listing->has[about->otherwise])
        found = find_line(listing, lines, about->otherwise, about);
    if (found.line == 0)
        return;
    const char *base = strrchr(found.file, '/');
    size_t used = strlen(advice->text);
    snprintf(advice->where, sizeof advice->where, "%.60s:%u", base == NULL ? found.file : base + 1,
             found.line);
    bool by_model = listing->provenance == PROVENANCE_MODELLED && advice->provenance != PROVENANCE_MODELLED;
    snprintf(advice->text + used, sizeof advice->text - used, ", %sat %s%s",
             found.amount < MOST * found.all ? "most " : "", advice->where, by_model ? " by the model" : "");
}

bool advice_wants_lines(const struct advice_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].rule->line.kind != ADVICE_LINE_NONE)
            return true;
    return false;
}

enum status advice_name_lines(struct advice_list *list, const struct code_listing *listing)
{
    struct code_lines lines;
    enum status status = listing->count == 0 ? STATUS_OK : code_lines_make(listing, &lines, NULL);
    if (listing->count == 0 || status != STATUS_OK)
        return status;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].rule->line.kind != ADVICE_LINE_NONE)
            name_line(&list->items[i], listing, &lines);
    code_lines_fini(&lines);
    return STATUS_OK;
}
