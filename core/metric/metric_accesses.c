/*
 * Metrics that follow from the accesses to memory alone, by one formula for the counts of rules (expected)
 * and of the device model (modelled).
 */
#include "core/metric/metric.h"

#include "core/metric/metric_counted.h"

const char *metric_no_accesses(const struct metric_accesses *accesses)
{
    return accesses->loads == LOADS ? "the kernel reads no global memory"
                                    : "the kernel writes no global memory";
}

bool metric_follows_from_accesses(enum metric metric)
{
    const struct metric_info *info = metric_info(metric);
    return info->how == HOW_ACCESSES || (info->how == HOW_SCALED && metric_follows_from_accesses(info->of));
}

static double counts_quantity(const struct access_counts *counts, enum access_quantity quantity)
{
    switch (quantity) {
    case QUANTITY_REQUESTS: return (double)counts->requests;
    case QUANTITY_TRANSFERS: return (double)counts->transfers;
    case QUANTITY_IDEAL: return (double)counts->ideal_transfers;
    case QUANTITY_EXCESS: return (double)(counts->transfers - counts->ideal_transfers);
    case QUANTITY_PER_REQUEST: return (double)counts->transfers / (double)counts->requests;
    case QUANTITY_BYTES_RATIO: return (double)counts->bytes_wanted / (double)counts->bytes_moved;
    case QUANTITY_COHERENT: return (double)counts->coherent;
    case QUANTITY_INCOHERENT: return (double)counts->incoherent;
    }
    return 0;
}

/* Is the denominator of a ratio zero? */
static bool counts_divide_by_zero(const struct access_counts *counts, enum access_quantity quantity)
{
    return (quantity == QUANTITY_PER_REQUEST && counts->requests == 0) ||
           (quantity == QUANTITY_BYTES_RATIO && counts->bytes_moved == 0);
}

struct value metric_of_accesses(enum metric metric, const struct access_totals *totals,
                                enum provenance provenance)
{
    const struct metric_info *info = metric_info(metric);
    struct value value = {.provenance = provenance};
    if (info->how == HOW_SCALED && metric_follows_from_accesses(info->of)) {
        value = metric_of_accesses(info->of, totals, provenance);
        value.number *= info->factor;
        value.derived = value.available;
        return value;
    }
    if (info->how != HOW_ACCESSES) {
        value.why = "no rule gives an expected value";
        return value;
    }
    const struct metric_accesses *accesses = &info->accesses;
    for (int store = 0; store < 2; store++) {
        const struct access_counts *counts = &totals->of[accesses->space][store];
        if (accesses->loads != LOADS_AND_STORES && (accesses->loads == STORES) != (store == 1))
            continue;
        if (counts->data_dependent || counts_divide_by_zero(counts, accesses->quantity)) {
            value.why =
                counts->data_dependent ? "its accesses depend on the data" : metric_no_accesses(accesses);
            return value;
        }
        value.number += counts_quantity(counts, accesses->quantity);
    }
    value.available = true;
    value.derived = info->derived;
    return value;
}
