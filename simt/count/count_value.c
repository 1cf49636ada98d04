/*
 * Metrics of the catalogue that follow from what the device model counted in a kernel. Those of memory
 * accesses have the formulas of core/metric/metric; the others are a counter each.
 */
#include "simt/count/count.h"

#define WHY_NOT_A_COUNT "the device model cannot compute this from counts"

static struct value value_none(const char *why)
{
    return (struct value){.provenance = PROVENANCE_MODELLED, .why = why};
}

static struct value value_modelled(enum metric metric, uint64_t number)
{
    return (struct value){.available = true,
                          .derived = metric_info(metric)->derived,
                          .provenance = PROVENANCE_MODELLED,
                          .number = (double)number};
}

static struct value value_per_instruction(enum metric metric, uint64_t number,
                                          const struct count_totals *totals)
{
    if (totals->warp_instructions == 0)
        return value_none("no instruction was executed");
    struct value value = value_modelled(metric, 0);
    value.number = (double)number / (double)totals->warp_instructions;
    return value;
}

static struct access_counts counts_of(const struct count_instruction *instruction)
{
    return (struct access_counts){.requests = instruction->requests,
                                  .transfers = instruction->transfers,
                                  .ideal_transfers = instruction->ideal_transfers,
                                  .bytes_wanted = instruction->bytes_wanted,
                                  .bytes_moved = instruction->bytes_moved,
                                  .coherent = instruction->coherent,
                                  .incoherent = instruction->incoherent};
}

static struct value accesses_value(const struct count_totals *totals, enum metric metric)
{
    struct access_totals accesses = {0};
    for (int store = 0; store < 2; store++) {
        accesses.of[ACCESS_GLOBAL][store] = counts_of(&totals->global[store]);
        accesses.of[ACCESS_SHARED][store] = counts_of(&totals->shared[store]);
        accesses.of[ACCESS_LOCAL][store] = counts_of(&totals->local[store]);
        /* Like a GPU, counts as shared-memory instructions only those that name this space. */
        accesses.of[ACCESS_SHARED][store].requests -= totals->generic_requests[store];
    }
    return metric_of_accesses(metric, &accesses, PROVENANCE_MODELLED);
}

struct value count_value(const struct count_totals *totals, enum metric metric)
{
    const struct metric_info *info = metric_info(metric);
    if (info->how == HOW_ACCESSES && info->accesses.loads != LOADS_AND_STORES)
        return accesses_value(totals, metric);
    switch (metric) {
    case METRIC_active_threads_per_warp:
        return value_per_instruction(metric, totals->thread_instructions, totals);
    case METRIC_working_threads_per_warp:
        return value_per_instruction(metric, totals->thread_instructions_on, totals);
    case METRIC_branch: return value_modelled(metric, totals->branches);
    case METRIC_divergent_branch: return value_modelled(metric, totals->divergent_branches);
    case METRIC_instructions: return value_modelled(metric, totals->warp_instructions);
    case METRIC_atomic_passes: return value_modelled(metric, totals->global_atomics.passes);
    case METRIC_wide_memory_instructions: return value_modelled(metric, totals->wide);
    case METRIC_float_operations: return value_modelled(metric, totals->operations[CLASS_FLOAT]);
    case METRIC_double_operations: return value_modelled(metric, totals->operations[CLASS_DOUBLE]);
    case METRIC_half_operations: return value_modelled(metric, totals->operations[CLASS_HALF]);
    case METRIC_cluster_access_requests: return value_modelled(metric, totals->cluster.requests);
    case METRIC_cluster_access_sectors: return value_modelled(metric, totals->cluster.transfers);
    case METRIC_bulk_read_sectors: return value_modelled(metric, totals->bulk[0].transfers);
    case METRIC_bulk_written_sectors: return value_modelled(metric, totals->bulk[1].transfers);
    case METRIC_tensor_operations: return value_modelled(metric, totals->operations[CLASS_MATRIX]);
    case METRIC_matrix_access_instructions:
        return value_modelled(metric, totals->matrices[0].requests + totals->matrices[1].requests);
    case METRIC_matrix_access_wavefronts:
        return value_modelled(metric, totals->matrices[0].transfers + totals->matrices[1].transfers);
    case METRIC_matrix_access_conflicts:
        return value_modelled(metric, totals->matrices[0].transfers - totals->matrices[0].ideal_transfers +
                                          totals->matrices[1].transfers -
                                          totals->matrices[1].ideal_transfers);
    case METRIC_shared_atomic_instructions: return value_modelled(metric, totals->shared_atomics.requests);
    case METRIC_lane_exchanges: return value_modelled(metric, totals->lane_exchanges);
    case METRIC_tensor_instructions:
        return value_modelled(metric, totals->class_warp_instructions[CLASS_MATRIX]);
    default: return value_none(WHY_NOT_A_COUNT);
    }
}
