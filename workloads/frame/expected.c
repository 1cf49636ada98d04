/* SPDX-License-Identifier: Apache-2.0 */
/* The expected values: core's rules over the access sites of a kernel, summed over its grid. */
#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"
#include "workloads/frame/tables.h"

#include <string.h>

/* How many of 0..extent-1 are congruent to `first` modulo `period`. */
static uint64_t launch_repeats(uint64_t extent, uint64_t period, uint64_t first)
{
    return (extent - first - 1) / period + 1;
}

/* If no period is claimed, or it exceeds the extent, it is the whole extent. */
static uint64_t period_within(uint64_t claimed, uint64_t extent)
{
    return claimed && claimed < extent ? claimed : extent;
}

void access_of_warp(const struct workload_case *c, const struct access_site *site, struct access_point *at,
                    struct warp_access *access)
{
    uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];

    *access = (struct warp_access){.width_bytes = site->width_bytes,
                                   .store = site->op == ACCESS_STORE,
                                   .local = site->space == ACCESS_LOCAL,
                                   .l1 = site->past_l1 ? ACCESS_L1_OFF : ACCESS_L1_DEFAULT};
    for (at->lane = 0; at->lane < WARP_LANES && access_thread(at) < threads; at->lane++) {
        uint64_t address = site->address(c, at);
        if (address != SITE_ACTIVE_NONE) {
            access->active |= 1u << at->lane;
            access->address[at->lane] = address;
        }
    }
}

static void warp_add(const struct workload_case *c, const struct access_site *site, const struct arch *arch,
                     struct access_point *at, uint64_t weight, struct access_counts *sum)
{
    struct warp_access access;

    if (site->system_fence) {
        sum->requests += weight;
        return;
    }
    access_of_warp(c, site, at, &access);
    if (site->space != ACCESS_SHARED) {
        struct coalesce_cost cost = coalesce_count(arch, &access);
        sum->requests += weight * cost.requests;
        sum->transfers += weight * cost.sectors;
        sum->ideal_transfers += weight * cost.ideal_sectors;
        sum->bytes_wanted += weight * cost.bytes_wanted;
        sum->bytes_moved += weight * 32 * cost.sectors;
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
                     const struct arch *arch, struct access_counts *sum)
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
            weight *= launch_repeats(extent[d], period[d], at[d]);
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
        struct access_counts *sum = &totals->of[site->space][site->op];
        if (site->atomic)
            continue;
        if ((!site->address && !site->system_fence) ||
            (site->any_words && arch->shared_rules == SHARED_RULES_1_X))
            sum->data_dependent = true;
        else
            site_add(c, blocks, site, arch, sum);
    }
}

static struct value expected_none(const char *why)
{
    return (struct value){.provenance = PROVENANCE_EXPECTED, .why = why};
}

struct value workload_expected(const struct workload_case *c, const struct kernel_sites *kernel,
                               enum metric metric, const struct arch *arch)
{
    struct access_totals totals;

    if (kernel->data_dependent)
        return expected_none("its accesses depend on the data");
    if (!arch)
        return expected_none("the rules of this compute capability are not known");
    access_totals_count(c, kernel, arch, &totals);
    return metric_of_accesses(metric, &totals, PROVENANCE_EXPECTED);
}
