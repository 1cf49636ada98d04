#include "core/metric.h"

#include <string.h>

struct chosen {
    const char **names;
    size_t count, most;
};

static void choose(struct chosen *chosen, const char *name)
{
    for (size_t i = 0; i < chosen->count; i++) {
        if (strcmp(chosen->names[i], name) == 0)
            return;
    }
    if (chosen->count < chosen->most)
        chosen->names[chosen->count++] = name;
}

static void choose_metric(struct chosen *chosen, enum metric metric, const char *chip)
{
    for (const char *const *counter = metric_counters(metric, chip); *counter; counter++)
        choose(chosen, *counter);
}

size_t metric_choose_counters(char *choice, const char *chip, enum metric_share share, const char **names,
                              size_t most)
{
    struct chosen chosen = {.names = names, .most = most};
    bool everything = *choice == '\0';
    char *rest = choice;
    char *word;

    while ((word = strsep(&rest, ","))) {
        enum metric metric = metric_find(word);

        if (metric != METRIC_COUNT)
            choose_metric(&chosen, metric, chip);
        else if (*word)
            choose(&chosen, word);
    }
    for (int metric = 0; everything && metric < METRIC_COUNT; metric++) {
        if (metric_in_share((enum metric)metric, chip, share))
            choose_metric(&chosen, (enum metric)metric, chip);
    }
    return chosen.count;
}
