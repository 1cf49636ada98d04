/* Values of the catalogue that follow from counts alone, as core/metric_evaluate.c has them of counters. */
#include "simt/count.h"

#define WHY_NOT_A_COUNT "the device model does not get this from counts"

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

static struct value value_ratio(enum metric metric, uint64_t number, uint64_t of, const char *why)
{
    if (of == 0) {
        return value_none(why);
    }
    struct value value = value_modelled(metric, 0);
    value.number = (double)number / (double)of;
    return value;
}

/* What a GPU counts as instructions of shared memory: those that name it. */
static uint64_t shared_instructions(const struct count_totals *totals, bool store)
{
    return totals->shared[store].requests - totals->generic_requests[store];
}

struct value count_value(const struct count_totals *totals, enum metric metric)
{
    const struct count_instruction *load = &totals->global[0], *store = &totals->global[1];
    const struct count_instruction *shared_load = &totals->shared[0], *shared_store = &totals->shared[1];
    static const char reads_none[] = "the kernel reads no global memory",
                      writes_none[] = "the kernel writes no global memory";
    switch (metric) {
    case METRIC_global_load_requests: return value_modelled(metric, load->requests);
    case METRIC_global_load_sectors: return value_modelled(metric, load->transfers);
    case METRIC_global_load_ideal_sectors: return value_modelled(metric, load->ideal_transfers);
    case METRIC_global_load_excess_sectors:
        return value_modelled(metric, load->transfers - load->ideal_transfers);
    case METRIC_global_load_sectors_per_request:
        return value_ratio(metric, load->transfers, load->requests, reads_none);
    case METRIC_global_load_bytes_wanted_per_byte_moved:
        return value_ratio(metric, load->bytes_wanted, load->bytes_moved, reads_none);
    case METRIC_global_store_requests: return value_modelled(metric, store->requests);
    case METRIC_global_store_sectors: return value_modelled(metric, store->transfers);
    case METRIC_global_store_ideal_sectors: return value_modelled(metric, store->ideal_transfers);
    case METRIC_global_store_excess_sectors:
        return value_modelled(metric, store->transfers - store->ideal_transfers);
    case METRIC_global_store_sectors_per_request:
        return value_ratio(metric, store->transfers, store->requests, writes_none);
    case METRIC_global_store_bytes_wanted_per_byte_moved:
        return value_ratio(metric, store->bytes_wanted, store->bytes_moved, writes_none);
    case METRIC_shared_load_instructions: return value_modelled(metric, shared_instructions(totals, false));
    case METRIC_shared_load_wavefronts: return value_modelled(metric, shared_load->transfers);
    case METRIC_shared_load_ideal_wavefronts: return value_modelled(metric, shared_load->ideal_transfers);
    case METRIC_shared_load_conflicts:
        return value_modelled(metric, shared_load->transfers - shared_load->ideal_transfers);
    case METRIC_shared_store_instructions: return value_modelled(metric, shared_instructions(totals, true));
    case METRIC_shared_store_wavefronts: return value_modelled(metric, shared_store->transfers);
    case METRIC_shared_store_ideal_wavefronts: return value_modelled(metric, shared_store->ideal_transfers);
    case METRIC_shared_store_conflicts:
        return value_modelled(metric, shared_store->transfers - shared_store->ideal_transfers);
    case METRIC_active_threads_per_warp:
        return value_ratio(metric, totals->thread_instructions, totals->warp_instructions,
                           "no instruction was executed");
    case METRIC_working_threads_per_warp:
        return value_ratio(metric, totals->thread_instructions_on, totals->warp_instructions,
                           "no instruction was executed");
    case METRIC_gld_coherent: return value_modelled(metric, load->coherent);
    case METRIC_gld_incoherent: return value_modelled(metric, load->incoherent);
    case METRIC_gst_coherent: return value_modelled(metric, store->coherent);
    case METRIC_gst_incoherent: return value_modelled(metric, store->incoherent);
    case METRIC_branch: return value_modelled(metric, totals->branches);
    case METRIC_divergent_branch: return value_modelled(metric, totals->divergent_branches);
    case METRIC_instructions: return value_modelled(metric, totals->warp_instructions);
    case METRIC_atomic_passes: return value_modelled(metric, totals->global_atomic_passes);
    case METRIC_local_load_sectors: return value_modelled(metric, totals->local[0].transfers);
    case METRIC_local_store_sectors: return value_modelled(metric, totals->local[1].transfers);
    case METRIC_wide_memory_instructions: return value_modelled(metric, totals->wide);
    case METRIC_float_operations: return value_modelled(metric, totals->operations[CLASS_FLOAT]);
    case METRIC_double_operations: return value_modelled(metric, totals->operations[CLASS_DOUBLE]);
    case METRIC_half_operations: return value_modelled(metric, totals->operations[CLASS_HALF]);
    default: return value_none(WHY_NOT_A_COUNT);
    }
}
