/*
 * The functions with which rules write their conditions: values of the kernel (read once and marked as read),
 * figures of the run, the limits of the current rule, and the advice that it gives.
 */
#include "core/advice/advice_internal.h"

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

void advice_add_figure(struct advice *advice, const struct advice_run *run, const char *id, const char *unit,
                       double number)
{
    advice_add_evidence(
        advice, id, unit,
        (struct value){.available = true, .derived = true, .provenance = run->provenance, .number = number});
}

const char *advice_time_text(double ns, char text[ADVICE_TIME_TEXT])
{
    metric_format(METRIC_time_ns, &(struct value){.available = true, .number = ns}, text, ADVICE_TIME_TEXT);
    return text;
}

double advice_class_pct(const struct advice_run *run, enum partition_class part)
{
    return 100 * (double)run->partition.ns[part] / (double)partition_span_ns(&run->partition);
}

bool advice_knows_partition(const struct advice_run *run)
{
    return run->partition.operations > 0 && partition_span_ns(&run->partition) > 0;
}

const char *advice_span_text(const struct advice_run *run)
{
    return run->steps.count > 0 ? "the steps' time" : "the run";
}
