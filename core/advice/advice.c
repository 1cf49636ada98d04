/*
 * The table of rules, made of the families' tables in order, and the evaluation of the rules. Rules are
 * evaluated in the order of the table, so a rule that fires only if others have not comes after them. A value
 * is fetched when a rule first reads it and kept for the rules after it.
 */
#include "core/advice/advice_internal.h"

#include "core/base/append.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

const struct advice_rule *advice_rule_find(const char *id)
{
    const struct advice_rule *rule;
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++)
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
    for (size_t i = 0; i < ADVICE_RULES_MAX && (judging->rule = advice_rule_at(i)) != NULL; i++) {
        const struct advice_rule *rule = judging->rule;
        bool (*judge)(struct advice_judging *) = judging->run != NULL ? rule->of_run : rule->of_kernel;
        judging->by_values = false;
        bool judged = judge != NULL && judge(judging);
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
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++)
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

void advice_of_kernel(const struct advice_kernel *kernel, struct advice_list *list)
{
    struct advice_judging judging = {.list = list, .kernel = kernel};
    clear_list(list);
    judge_by_rules(&judging);
    for (size_t i = 0; i < list->count; i++)
        list->items[i].gain_ns = list->items[i].gain * advice_number(&judging, METRIC_time_ns, 0);
    sort_by_gain(list);
    set_state(&judging);
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
