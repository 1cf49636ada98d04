/*
 * The case is resolved as for a run at small size; each access site gives the first of its executions by the
 * warp. A site whose addresses depend on data is left out.
 */
#include "cli/model/lane_sites.h"

#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>

static void take_site(const struct workload_case *c, const struct kernel_sites *kernel,
                      const struct access_site *site, const struct tui_access_query *query,
                      struct tui_accesses *accesses)
{
    struct access_point at = {.block = {(uint32_t)(query->block % c->grid[0]),
                                        (uint32_t)(query->block / c->grid[0] % c->grid[1]),
                                        (uint32_t)(query->block / c->grid[0] / c->grid[1])},
                              .warp = query->warp};
    struct tui_access *item = &accesses->items[accesses->count];

    *item = (struct tui_access){.site = accesses->count,
                                .space = site->space == ACCESS_SHARED  ? TUI_SPACE_SHARED
                                         : site->space == ACCESS_LOCAL ? TUI_SPACE_LOCAL
                                                                       : TUI_SPACE_GLOBAL,
                                .atomic = site->atomic,
                                .by_rule = true};
    access_of_warp(c, site, &at, &item->access);
    if (item->access.active == 0)
        return;
    if (item->space == TUI_SPACE_SHARED) {
        struct bank_cost cost = bank_count(query->rules, &item->access);
        item->counted = cost.wavefronts;
        item->counted_ideal = cost.ideal_wavefronts;
    } else {
        struct coalesce_cost cost = coalesce_count(query->rules, &item->access);
        item->counted = site->atomic ? access_passes(&item->access) : cost.sectors;
        item->counted_ideal = cost.ideal_sectors;
    }
    snprintf(item->kernel, sizeof item->kernel, "%s", kernel->kernel);
    snprintf(item->text, sizeof item->text, "%s", site->name);
    accesses->count++;
}

/* Of the kernel that the case's parameters select, or of all. */
static enum status take_sites(const struct workload_case *c, const struct tui_access_query *query,
                              struct tui_accesses *accesses, struct error *error)
{
    const struct kernel_sites *kernels = c->kernel ? c->kernel : c->variant->kernels;
    size_t count = c->kernel ? 1 : c->variant->kernel_count, sites = 0;

    for (size_t i = 0; i < count; i++)
        sites += kernels[i].site_count;
    accesses->items = calloc(sites + 1, sizeof *accesses->items);
    if (!accesses->items)
        return error_no_memory(error, "for the addresses of a warp");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < kernels[i].site_count && !kernels[i].data_dependent; k++)
            if (kernels[i].sites[k].address && kernels[i].sites[k].count(c) > 0)
                take_site(c, &kernels[i], &kernels[i].sites[k], query, accesses);
    accesses->sites = accesses->count;
    accesses->blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    accesses->warps = (c->block[0] * c->block[1] * c->block[2] + WARP_LANES - 1) / WARP_LANES;
    if (accesses->count > 0)
        return STATUS_OK;
    free(accesses->items);
    accesses->items = NULL;
    return error_set(error, STATUS_STATE, "No address of %.200s is known before it runs.", query->spec);
}

enum status lane_sites_make(const struct gpu *model, const struct tui_access_query *query,
                            struct tui_accesses *accesses, struct error *error)
{
    const struct gpu *gpu = model ? model : gpu_at(0);
    struct workload_case *cases = NULL;
    size_t count;
    enum status status = workload_parse(query->spec, &cases, &count, error);

    *accesses = (struct tui_accesses){0};
    snprintf(accesses->model, sizeof accesses->model, "%.60s", gpu->info.name);
    if (status == STATUS_OK) {
        cases[0].info = &gpu->info;
        cases[0].small = true;
        status = cases[0].workload->resolve(&cases[0], error);
    }
    if (status == STATUS_OK)
        status = take_sites(&cases[0], query, accesses, error);
    free(cases);
    return status;
}
