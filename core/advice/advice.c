/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of rules, made of the families' tables in order, and the evaluation of the rules. Rules are
 * evaluated in the order of the table, so a rule that fires only if others have not comes after them. A value
 * is fetched when a rule first reads it and kept for the rules after it.
 *
 * The line that an advice names: the costs of a listing, summed over the lines of the source: the excess of
 * the cost that the rule names, or all of it, of its kind of instruction. The advice names the line with the
 * largest cost; without line information (line 0) it names none.
 */
#include "core/advice/advice.h"

#include "core/advice/advice_internal.h"
#include "core/base/append.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- evaluation ---- */

static const struct advice_family *const families[] = {&advice_access_rules, &advice_kernel_rules,
                                                       &advice_idle_rules, &advice_busy_rules};

const struct advice_rule *advice_rule_at(size_t index)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (index < families[i]->count)
            return families[i]->rules[index];
        index -= families[i]->count;
    }
    return NULL;
}

const char *advice_priority_text(enum advice_priority priority)
{
#define ADVICE_PRIORITY_TEXT(id, text) [ADVICE_##id] = text,
    static const char *const texts[] = {ADVICE_PRIORITY_LIST(ADVICE_PRIORITY_TEXT)};
#undef ADVICE_PRIORITY_TEXT

    return texts[priority];
}

const char *advice_taught_text(const struct advice_rule *rule, char text[ADVICE_TAUGHT_TEXT])
{
    snprintf(text, ADVICE_TAUGHT_TEXT, "lesson %.40s%s%s", rule->taught, rule->priority ? ", priority " : "",
             advice_priority_text(rule->priority));
    return text;
}

const char *advice_rule_edit(const struct advice_rule *rule)
{
    return rule->of_kernel ? ADVICE_KERNEL_EDIT : rule->edit;
}

const struct advice_rule *advice_rule_find(const char *id)
{
    const struct advice_rule *rule;
    for (size_t i = 0; (rule = advice_rule_at(i)); i++)
        if (strcmp(rule->id, id) == 0)
            return rule;
    return NULL;
}

bool advice_has_judged(const struct advice_list *list)
{
    return list->judged_by_values > 0;
}

/* ---- judging ---- */
static void clear_list(struct advice_list *list)
{
    list->state = ADVICE_STATE_UNCHECKED;
    list->said[0] = '\0';
    list->count = list->judged = list->judged_by_values = 0;
    list->weakest = PROVENANCE_MEASURED;
}

static void judge_by_rules(struct advice_judging *judging)
{
    struct advice_list *list = judging->list;
    for (size_t i = 0; i < ADVICE_RULES_MAX && (judging->rule = advice_rule_at(i)); i++) {
        const struct advice_rule *rule = judging->rule;
        bool (*judge)(struct advice_judging *) = judging->run ? rule->of_run : rule->of_kernel;
        judging->by_values = false;
        bool judged = judge && judge(judging);
        list->judged += judged;
        list->judged_by_values += judged && judging->by_values;
    }
}

static bool gains_less(const struct advice *a, const struct advice *b)
{
    return a->gain_ns > 0 && b->gain_ns > 0 ? a->gain_ns < b->gain_ns : a->gain < b->gain;
}

/* Sorts by the time that could be gained, not by share: a run's gains are shares of different times (the
 * span, or the device's busy time). Equal gains keep the order of the table. */
static void sort_by_gain(struct advice_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        struct advice advice = list->items[i];
        size_t place = i;
        for (; place > 0 && gains_less(&list->items[place - 1], &advice); place--)
            list->items[place] = list->items[place - 1];
        list->items[place] = advice;
    }
}

const char *advice_state_text(enum advice_state state)
{
#define ADVICE_STATE_TEXT(id, text) [ADVICE_STATE_##id] = text,
    static const char *const texts[] = {ADVICE_STATE_LIST(ADVICE_STATE_TEXT)};
#undef ADVICE_STATE_TEXT
    return (unsigned)state < ADVICE_STATE_COUNT ? texts[state] : "";
}

static size_t kernel_rule_count(void)
{
    const struct advice_rule *rule;
    size_t count = 0;
    for (size_t i = 0; (rule = advice_rule_at(i)); i++)
        count += rule->of_kernel != NULL;
    return count;
}

#define NEAR_LIMIT_PCT \
    60 /* chosen: as the rule on occupancy, which sees little latency left to hide from there on */

/* That the launch leaves at least half of the device empty follows from the launch alone. */
static bool say_few_blocks(const struct advice_kernel *kernel, struct advice_list *list)
{
    if (kernel->multiprocessors == 0 || !(kernel->blocks > 0) || kernel->blocks * 2 > kernel->multiprocessors)
        return false;
    list->state = ADVICE_STATE_LIMIT;
    snprintf(list->said, sizeof list->said, "%.0f block%s for %u multiprocessors", kernel->blocks,
             kernel->blocks == 1 ? "" : "s", kernel->multiprocessors);
    return true;
}

/* A short kernel whose blocks all run at once, with no unit that is busy, takes as long as its instructions and loads
 * wait for each other. */
static bool say_latency(struct advice_judging *judging, double use, const char *unit)
{
    char text[ADVICE_TIME_TEXT];
    const double ns = advice_number(judging, METRIC_time_ns, 0),
                 resident = advice_resident_blocks(judging->kernel);
    struct advice_list *list = judging->list;
    if (use < 0 || !(ns > 0) || ns > ADVICE_LAUNCH_LIMITED_NS || !(judging->kernel->blocks <= resident))
        return false;
    list->state = ADVICE_STATE_LIMIT;
    snprintf(list->said, sizeof list->said,
             "Latency: one wave, %s; give a launch more work (%.0f blocks, %.0f %% of %s used)",
             advice_time_text(ns, text), judging->kernel->blocks, use, unit);
    return true;
}

/* Where no rule fires: that is said of a kernel only with what was looked at. */
static void say_nothing_found(struct advice_judging *judging)
{
    struct advice_list *list = judging->list;
    const char *unit;
    double use = advice_use_pct(judging, &unit);
    size_t rules = kernel_rule_count();
    list->state = ADVICE_STATE_FINE;
    if (use >= NEAR_LIMIT_PCT) {
        snprintf(list->said, sizeof list->said, "%.0f %% of %s used, and no rule finds a problem", use, unit);
    } else if (say_latency(judging, use, unit)) {
        return;
    } else if (list->judged == rules) {
        snprintf(list->said, sizeof list->said, "All %zu rules find no problem", rules);
    } else {
        list->state = ADVICE_STATE_UNCHECKED;
        snprintf(list->said, sizeof list->said, "%zu of %zu rules could be checked, and find no problem",
                 list->judged, rules);
    }
}

/* The run's advice on such products (float_products) is about this kernel: it is at a limit that it need not
 * have. */
static void say_other_unit(const struct advice_kernel *kernel, struct advice_list *list)
{
    size_t used = strlen(list->said);
    if (!kernel->float_product || list->state != ADVICE_STATE_FINE)
        return;
    list->state = ADVICE_STATE_LIMIT;
    append_text(list->said, sizeof list->said, &used, "; the tensor cores could do this product");
}

static void set_state(struct advice_judging *judging)
{
    struct advice_list *list = judging->list;
    if (list->count > 0) {
        list->state = list->items[0].fine ? ADVICE_STATE_FINE : ADVICE_STATE_GAIN;
        snprintf(list->said, sizeof list->said, "%s", list->items[0].text);
    } else if (!say_few_blocks(judging->kernel, list) && advice_has_judged(list)) {
        say_nothing_found(judging);
    }
    say_other_unit(judging->kernel, list);
}

const char *advice_now(const struct advice *advice)
{
    return advice->how[0] != '\0' ? advice->how : advice->rule->now;
}

void advice_of_kernel(const struct advice_kernel *kernel, struct advice_list *list)
{
    struct advice_judging judging = {.list = list, .kernel = kernel};
    clear_list(list);
    judge_by_rules(&judging);
    for (size_t i = 0; i < list->count; i++)
        list->items[i].gain_ns = list->items[i].gain * advice_number(&judging, METRIC_time_ns, 0);
    sort_by_gain(list);
    set_state(&judging);
    list->use_pct = -1;
    list->unit = "";
    if (advice_has_judged(list))
        list->use_pct = advice_use_pct(&judging, &list->unit);
}

void advice_of_run(const struct advice_run *run, struct advice_list *list)
{
    struct advice_judging judging = {.list = list, .run = run};
    clear_list(list);
    if (run->overlap.any_busy_ns > 0)
        judge_by_rules(&judging);
    /* sums over several threads, streams or devices can exceed the elapsed time */
    for (size_t i = 0; i < list->count; i++)
        list->items[i].gain = fmin(list->items[i].gain, 1);
    sort_by_gain(list);
}

/* ---- lines of the source ---- */

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
        return (text[0] == 'D' && strchr("AMFS", text[1]) && text[1] != '\0') || strstr(text, ".f64");
    if (kind ==
        ADVICE_LINE_ATOMIC) /* in global memory: ATOM, ATOMG, RED, REDG; atom.add.u32, red.global.add.u32 */
        return (strncasecmp(text, "atom", 4) == 0 || strncasecmp(text, "red", 3) == 0) &&
               strncmp(text, "ATOMS", 5) != 0 && strncmp(text, "REDUX", 5) != 0 &&
               strncmp(text, "redux", 5) != 0 && !strstr(text, ".shared");
    bool load = (tolower((unsigned char)text[0]) == 'l' && tolower((unsigned char)text[1]) == 'd') ||
                strncmp(text, "cp.async", 8) == 0;
    bool store = tolower((unsigned char)text[0]) == 's' && tolower((unsigned char)text[1]) == 't';
    return kind == ADVICE_LINE_LOAD ? load : store;
}

/* The samples of one stall reason, or of all if `reason` is NULL. */
static double samples_of(const struct code_listing *listing, const struct code_place *place,
                         const char *reason)
{
    for (uint32_t i = 0; reason && i < listing->reason_count; i++)
        if (strcmp(listing->reasons[i], reason) == 0)
            return place->samples[i];
    return !reason ? place->costs[CODE_SAMPLES] : 0;
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
    snprintf(advice->where, sizeof advice->where, "%.60s:%u", !base ? found.file : base + 1, found.line);
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
