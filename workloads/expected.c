/* The expected values: core's rules over the access sites of a kernel, summed over its grid. */
#include "core/bank.h"
#include "core/coalesce.h"
#include "workloads/tables.h"

#include <string.h>

/* How many of 0..extent-1 are congruent to `first` modulo `period`. */
static uint64_t repeats(uint64_t extent, uint64_t period, uint64_t first)
{
    return (extent - first - 1) / period + 1;
}

/* A period not claimed, or longer than what it repeats over, is the whole extent. */
static uint64_t period_within(uint64_t claimed, uint64_t extent)
{
    return claimed && claimed < extent ? claimed : extent;
}

static void warp_add(const struct workload_case *c, const struct access_site *site, const struct arch *arch,
                     struct access_point *at, uint64_t weight, struct access_sum *sum)
{
    struct warp_access access = {.width_bytes = site->width_bytes,
                                 .store = site->op == ACCESS_STORE,
                                 .local = site->space == ACCESS_LOCAL,
                                 .l1 = site->past_l1 ? ACCESS_L1_OFF : ACCESS_L1_DEFAULT};
    uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];

    for (at->lane = 0; at->lane < WARP_LANES && access_thread(at) < threads; at->lane++) {
        uint64_t address = site->address(c, at);
        if (address != SITE_ACTIVE_NONE) {
            access.active |= 1u << at->lane;
            access.address[at->lane] = address;
        }
    }
    if (site->space != ACCESS_SHARED) {
        struct coalesce_cost cost = coalesce_count(arch, &access);
        sum->requests += weight * cost.requests;
        sum->transfers += weight * cost.sectors;
        sum->ideal_transfers += weight * cost.ideal_sectors;
        sum->bytes_wanted += weight * cost.bytes_wanted;
        sum->coherent += weight * cost.coherent;
        sum->incoherent += weight * cost.incoherent;
    } else {
        struct bank_cost cost = bank_count(arch, &access);
        sum->requests += weight * cost.instructions;
        sum->transfers += weight * cost.wavefronts;
        sum->ideal_transfers += weight * cost.ideal_wavefronts;
    }
}

static void site_add(const struct workload_case *c, uint32_t blocks, const struct access_site *site,
                     const struct arch *arch, struct access_sum *sum)
{
    uint64_t warps = ((uint64_t)c->block[0] * c->block[1] * c->block[2] + WARP_LANES - 1) / WARP_LANES;
    uint64_t count = site->count(c);
    uint64_t extent[5] = {blocks, c->grid[1], c->grid[2], warps, count};
    uint64_t claimed[5] = {site->block_period[0], site->block_period[1], site->block_period[2],
                           site->warp_period, site->i_period};
    uint64_t period[5], at[5], points = 1;

    for (int d = 0; d < 5; d++) {
        period[d] = period_within(claimed[d], extent[d]);
        points *= period[d];
    }
    for (uint64_t k = 0; k < points; k++) {
        uint64_t rest = k, weight = 1;
        for (int d = 0; d < 5; d++) {
            at[d] = rest % period[d];
            rest /= period[d];
            weight *= repeats(extent[d], period[d], at[d]);
        }
        struct access_point point = {.block = {(uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]},
                                     .warp = (uint32_t)at[3],
                                     .i = at[4]};
        warp_add(c, site, arch, &point, weight, sum);
    }
}

void access_totals_count(const struct workload_case *c, const struct kernel_sites *kernel,
                         const struct arch *arch, struct access_totals *totals)
{
    uint32_t blocks = kernel->blocks ? kernel->blocks(c) : c->grid[0];

    memset(totals, 0, sizeof *totals);
    for (size_t i = 0; i < kernel->site_count; i++) {
        const struct access_site *site = &kernel->sites[i];
        struct access_sum *sum = &totals->sum[site->space][site->op];
        if (!site->address || (site->any_words && arch->shared_rules == SHARED_RULES_1_X))
            sum->data_dependent = true;
        else
            site_add(c, blocks, site, arch, sum);
    }
}

static struct value number(double n, bool derived)
{
    return (struct value){
        .available = true, .derived = derived, .provenance = PROVENANCE_EXPECTED, .number = n};
}

static struct value none(const char *why)
{
    return (struct value){.provenance = PROVENANCE_EXPECTED, .why = why};
}

static struct value none_by_data(void)
{
    return none("its accesses depend on the data");
}

static struct value ratio(double above, double below, const char *why)
{
    return below > 0 ? number(above / below, true) : none(why);
}

static struct value global_value(const struct access_sum *sum, enum metric metric, enum metric requests,
                                 const char *why)
{
    if (sum->data_dependent)
        return none_by_data();
    /* The loads' and the stores' metrics stand in the same order. */
    switch (metric - requests) {
    case 0: return number((double)sum->requests, false);
    case 1: return number((double)sum->transfers, false);
    case 2: return number((double)sum->ideal_transfers, false);
    case 3: return number((double)(sum->transfers - sum->ideal_transfers), true);
    case 4: return ratio((double)sum->transfers, (double)sum->requests, why);
    default: return ratio((double)sum->bytes_wanted, 32.0 * (double)sum->transfers, why);
    }
}

static struct value shared_value(const struct access_sum *sum, enum metric metric, enum metric instructions)
{
    if (sum->data_dependent)
        return none_by_data();
    switch (metric - instructions) {
    case 0: return number((double)sum->requests, false);
    case 1: return number((double)sum->transfers, false);
    case 2: return number((double)sum->ideal_transfers, false);
    default: return number((double)(sum->transfers - sum->ideal_transfers), true);
    }
}

/* The old profiler's counters that accesses decide. */
static struct value old_value(const struct access_totals *totals, enum metric metric)
{
    const struct access_sum *global = totals->sum[ACCESS_GLOBAL], *shared = totals->sum[ACCESS_SHARED];
    bool of_shared = metric == METRIC_warp_serialize;
    bool of_stores = metric == METRIC_gst_coherent || metric == METRIC_gst_incoherent;

    if (of_shared ? shared[ACCESS_LOAD].data_dependent || shared[ACCESS_STORE].data_dependent
                  : global[of_stores ? ACCESS_STORE : ACCESS_LOAD].data_dependent)
        return none_by_data();
    switch (metric) {
    case METRIC_gld_coherent: return number((double)global[ACCESS_LOAD].coherent, true);
    case METRIC_gld_incoherent: return number((double)global[ACCESS_LOAD].incoherent, true);
    case METRIC_gst_coherent: return number((double)global[ACCESS_STORE].coherent, true);
    case METRIC_gst_incoherent: return number((double)global[ACCESS_STORE].incoherent, true);
    case METRIC_warp_serialize:
        return number((double)(shared[ACCESS_LOAD].transfers - shared[ACCESS_LOAD].ideal_transfers +
                               shared[ACCESS_STORE].transfers - shared[ACCESS_STORE].ideal_transfers),
                      true);
    default: return none("no rule says what it should be");
    }
}

struct value access_totals_value(const struct access_totals *totals, enum metric metric)
{
    if (metric >= METRIC_global_load_requests && metric <= METRIC_global_load_bytes_wanted_per_byte_moved)
        return global_value(&totals->sum[ACCESS_GLOBAL][ACCESS_LOAD], metric, METRIC_global_load_requests,
                            "the kernel reads no global memory");
    if (metric >= METRIC_global_store_requests && metric <= METRIC_global_store_bytes_wanted_per_byte_moved)
        return global_value(&totals->sum[ACCESS_GLOBAL][ACCESS_STORE], metric, METRIC_global_store_requests,
                            "the kernel writes no global memory");
    if (metric >= METRIC_shared_load_instructions && metric <= METRIC_shared_load_conflicts)
        return shared_value(&totals->sum[ACCESS_SHARED][ACCESS_LOAD], metric,
                            METRIC_shared_load_instructions);
    if (metric >= METRIC_shared_store_instructions && metric <= METRIC_shared_store_conflicts)
        return shared_value(&totals->sum[ACCESS_SHARED][ACCESS_STORE], metric,
                            METRIC_shared_store_instructions);
    if (metric == METRIC_local_load_sectors || metric == METRIC_local_load)
        return number((double)totals->sum[ACCESS_LOCAL][ACCESS_LOAD].transfers, metric == METRIC_local_load);
    if (metric == METRIC_local_store_sectors || metric == METRIC_local_store)
        return number((double)totals->sum[ACCESS_LOCAL][ACCESS_STORE].transfers,
                      metric == METRIC_local_store);
    return old_value(totals, metric);
}

struct value workload_expected(const struct workload_case *c, const struct kernel_sites *kernel,
                               enum metric metric, const struct arch *arch)
{
    struct access_totals totals;

    if (kernel->data_dependent)
        return none_by_data();
    if (!arch)
        return none("the rules of this compute capability are not known");
    access_totals_count(c, kernel, arch, &totals);
    return access_totals_value(&totals, metric);
}
