/*
 * The table of rules, which is the families' one after the other, and the judging by them: each rule in the
 * order of the table, so that one that is silent where others speak stands behind them. A value is fetched
 * when a rule first reads it and kept for the rules after it.
 */
#include "core/advice/advice_internal.h"

#include <math.h>
#include <string.h>

static const struct advice_family *const families[] = {&advice_access_rules, &advice_kernel_rules,
                                                       &advice_run_rules};

const struct advice_rule *advice_rule_at(size_t index)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (index < families[i]->count)
            return families[i]->rules[index];
        index -= families[i]->count;
    }
    return NULL;
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

/* ---- for the rules ---- */
static const struct value *read_value(struct advice_judging *judging, enum metric metric)
{
    const struct advice_kernel *kernel = judging->kernel;
    struct value *value = &judging->values[metric];
    if (!judging->read[metric])
        *value = kernel->read != NULL ? kernel->read(kernel->context, metric) : kernel->values[metric];
    judging->read[metric] = true;
    if (value->available && !metric_from_launch(metric)) {
        judging->by_values = true;
        if (value->provenance < judging->list->weakest)
            judging->list->weakest = value->provenance;
    }
    return value;
}

const struct value *advice_read(struct advice_judging *judging, enum metric metric)
{
    const struct value *value = read_value(judging, metric);
    return value->available && value->word == NULL ? value : NULL;
}

double advice_number(struct advice_judging *judging, enum metric metric, double otherwise)
{
    const struct value *value = advice_read(judging, metric);
    return value != NULL ? value->number : otherwise;
}

bool advice_beyond(const struct advice_judging *judging, size_t limit, double value)
{
    const struct advice_limit *at = &judging->rule->limits[limit];
    return at->below ? value < at->number : value > at->number;
}

struct advice *advice_add(struct advice_judging *judging)
{
    struct advice *advice = &judging->list->items[judging->list->count++];
    *advice = (struct advice){.rule = judging->rule, .provenance = PROVENANCE_MEASURED};
    return advice;
}

void advice_add_evidence(struct advice *advice, const char *id, const char *unit, struct value value)
{
    advice->evidence[advice->evidence_count++] = (struct advice_evidence){id, unit, value};
    if (value.provenance < advice->provenance)
        advice->provenance = value.provenance;
}

void advice_add_metric(struct advice *advice, struct advice_judging *judging, enum metric metric)
{
    const struct value *value = read_value(judging, metric);
    if (value->available)
        advice_add_evidence(advice, metric_info(metric)->id, metric_info(metric)->unit, *value);
}

/* ---- judging ---- */
static void clear_list(struct advice_list *list)
{
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

/* Of equal gains the rule earlier in the table stays first. */
static void sort_by_gain(struct advice_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        struct advice advice = list->items[i];
        size_t place = i;
        for (; place > 0 && list->items[place - 1].gain < advice.gain; place--)
            list->items[place] = list->items[place - 1];
        list->items[place] = advice;
    }
}

void advice_of_kernel(const struct advice_kernel *kernel, struct advice_list *list)
{
    struct advice_judging judging = {.list = list, .kernel = kernel};
    clear_list(list);
    judge_by_rules(&judging);
    for (size_t i = 0; i < list->count; i++)
        list->items[i].gain_ns = list->items[i].gain * advice_number(&judging, METRIC_time_ns, 0);
    sort_by_gain(list);
}

void advice_of_run(const struct advice_run *run, struct advice_list *list)
{
    struct advice_judging judging = {.list = list, .run = run};
    clear_list(list);
    if (run->overlap.any_busy_ns > 0)
        judge_by_rules(&judging);
    /* several threads, streams or devices add up to more than the time there was */
    for (size_t i = 0; i < list->count; i++)
        list->items[i].gain = fmin(list->items[i].gain, 1);
    sort_by_gain(list);
}
