/* Parses --counters: metrics, groups and CUPTI names become a list of counters without repetitions. */
#include "core/metric/metric.h"

#include <string.h>

struct chosen {
    const char **names;
    size_t count, most;
};

static void choose_counter(struct chosen *chosen, const char *name)
{
    for (size_t i = 0; i < chosen->count; i++)
        if (strcmp(chosen->names[i], name) == 0)
            return;
    if (chosen->count < chosen->most)
        chosen->names[chosen->count++] = name;
}

static void choose_metric(struct chosen *chosen, enum metric metric, const char *chip)
{
    const struct metric_counters counters = metric_counters(metric, chip);
    for (const char *const *counter = counters.names; *counter; counter++)
        choose_counter(chosen, *counter);
}

static void choose_group(struct chosen *chosen, enum metric_group group, const char *chip)
{
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        if (metric_info(metric)->group == group)
            choose_metric(chosen, metric, chip);
}

static bool share_takes_words(bool catalogue, enum metric_share share)
{
    return !catalogue || share != METRIC_SHARE_MEMORY;
}

size_t metric_choose_counters(char *choice, const char *chip, enum metric_share share, const char **names,
                              size_t most)
{
    struct chosen chosen = {.names = names, .most = most};
    bool catalogue = *choice == '\0' || *choice == '+';
    char *rest = choice;
    char *word;

    for (int metric = 0; catalogue && metric < METRIC_COUNT; metric++)
        if (metric_in_share((enum metric)metric, chip, share))
            choose_metric(&chosen, (enum metric)metric, chip);
    /* DRAM bytes are measured in one pass of their own; extra counters go with the other counters. */
    while (share_takes_words(catalogue, share) && (word = strsep(&rest, ","))) {
        word += *word == '+';
        enum metric metric = metric_find(word);
        enum metric_group group = metric_group_find(word);

        if (metric != METRIC_COUNT)
            choose_metric(&chosen, metric, chip);
        else if (group != METRIC_GROUP_COUNT)
            choose_group(&chosen, group, chip);
        else if (*word)
            choose_counter(&chosen, word);
    }
    return chosen.count;
}
