#include "core/advice/advice_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 0.9 /* of the whole: then it is "at" this line, not "most at" it */

enum kind { KIND_ANY, KIND_LOAD, KIND_STORE, KIND_DOUBLE };

/* What a rule looks for: the excess of a cost, or all of it, of one kind of instruction. */
static const struct looked_for {
    enum code_cost cost, otherwise; /* otherwise: where the first was not counted; CODE_COST_COUNT none */
    enum kind kind;
    bool wanted;
    const char *reason; /* of SAMPLES: only those */
} rules[ADVICE_RULE_COUNT] = {
    [ADVICE_UNCOALESCED_LOADS] = {CODE_SECTORS, CODE_COST_COUNT, KIND_LOAD, true, NULL},
    [ADVICE_UNCOALESCED_STORES] = {CODE_SECTORS, CODE_COST_COUNT, KIND_STORE, true, NULL},
    [ADVICE_LOAD_CONFLICTS] = {CODE_WAVEFRONTS, CODE_COST_COUNT, KIND_LOAD, true, NULL},
    [ADVICE_STORE_CONFLICTS] = {CODE_WAVEFRONTS, CODE_COST_COUNT, KIND_STORE, true, NULL},
    [ADVICE_SPILLS] = {CODE_LOCAL_SECTORS, CODE_COST_COUNT, KIND_ANY, true, NULL},
    [ADVICE_DIVERGENCE] = {CODE_DIVERGENT, CODE_THREADS, KIND_ANY, true, NULL},
    [ADVICE_LONG_SCOREBOARD] = {CODE_SAMPLES, CODE_COST_COUNT, KIND_ANY, true, "long_scoreboard"},
    [ADVICE_DOUBLE_PRECISION] = {CODE_INSTRUCTIONS, CODE_COST_COUNT, KIND_DOUBLE, true, NULL},
};

/* By the instruction's name, SASS or PTX, behind its guard; any, where it was not disassembled. */
static bool is_of(const struct code_place *place, enum kind kind)
{
    const char *text = place->text;
    if (text[0] == '@')
        text += strcspn(text, " ");
    text += strspn(text, " ");
    if (kind == KIND_ANY || text[0] == '\0')
        return true;
    if (kind == KIND_DOUBLE) /* DADD, DMUL, DFMA, DSETP; add.f64, fma.rn.f64 */
        return (text[0] == 'D' && strchr("AMFS", text[1]) != NULL && text[1] != '\0') ||
               strstr(text, ".f64") != NULL;
    bool load = (tolower((unsigned char)text[0]) == 'l' && tolower((unsigned char)text[1]) == 'd') ||
                strncmp(text, "cp.async", 8) == 0;
    bool store = tolower((unsigned char)text[0]) == 's' && tolower((unsigned char)text[1]) == 't';
    return kind == KIND_LOAD ? load : store;
}

/* The samples of one reason; of all where `reason` is NULL. */
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
    if (cost == CODE_THREADS) /* lanes that were not there */
        return lanes > place->costs[CODE_THREADS] ? lanes - place->costs[CODE_THREADS] : 0;
    return cost == CODE_SAMPLES ? samples_of(listing, place, reason) : code_excess(place->costs, cost);
}

struct found {
    const char *file;
    uint32_t line;
    double amount, all;
};

static struct found find(const struct code_listing *listing, const struct code_lines *lines,
                         enum code_cost cost, const struct looked_for *rule)
{
    struct found found = {0};
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct code_line *line = &lines->lines[i];
        double amount = 0;
        for (uint32_t p = 0; p < line->count; p++) {
            const struct code_place *place = &listing->places[lines->places[line->first + p]];
            amount += is_of(place, rule->kind) ? amount_of(listing, place, cost, rule->reason) : 0;
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
    const struct looked_for *rule = &rules[advice->rule];
    struct found found = {0};
    if (advice->where[0] != '\0')
        return;
    if (listing->has[rule->cost])
        found = find(listing, lines, rule->cost, rule);
    if (found.line == 0 && rule->otherwise != CODE_COST_COUNT && listing->has[rule->otherwise])
        found = find(listing, lines, rule->otherwise, rule);
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
        if (rules[list->items[i].rule].wanted)
            return true;
    return false;
}

void advice_name_lines(struct advice_list *list, const struct code_listing *listing)
{
    struct code_lines lines;
    if (listing->count == 0 || code_lines_make(listing, &lines, NULL) != STATUS_OK)
        return;
    for (size_t i = 0; i < list->count; i++)
        if (rules[list->items[i].rule].wanted)
            name_line(&list->items[i], listing, &lines);
    code_lines_fini(&lines);
}
