/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are put in order by their place, so that those of one place lie together, and added up. */
#include "core/analysis/launch_sites.h"

#include <stdlib.h>
#include <string.h>

/* The text of a row's own frame, without its callers. */
struct placed {
    uint32_t file, line, name;
    struct launch_site site;
};

static int compare_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_place(const void *a, const void *b)
{
    const struct placed *one = a, *other = b;
    int order = compare_number(one->file, other->file);
    order = order != 0 ? order : compare_number(one->line, other->line);
    order = order != 0 ? order : compare_number(one->name, other->name);
    order = order != 0 ? order : compare_number(other->site.total_ns, one->site.total_ns);
    return order != 0 ? order : compare_number(one->site.stack, other->site.stack);
}

static int compare_time(const void *a, const void *b)
{
    const struct launch_site *one = a, *other = b;
    int order = compare_number(other->total_ns, one->total_ns);
    return order != 0 ? order : compare_number(one->stack, other->stack);
}

static bool is_same_place(const struct placed *a, const struct placed *b)
{
    return a->file == b->file && a->line == b->line && a->name == b->name;
}

static uint64_t sum_of(uint64_t sum, uint64_t more)
{
    return (uint64_t)session_add_ns((int64_t)sum, (int64_t)more);
}

/* The rows of the run or kernel in question; NULL: no memory. */
static struct placed *place_rows(const struct session *session, uint32_t run, uint32_t kernel, size_t *count)
{
    uint32_t rows = session_launch_site_count(session);
    struct placed *placed = malloc((rows + (rows == 0)) * sizeof *placed);
    *count = 0;
    for (uint32_t i = 0; placed && i < rows; i++) {
        const struct launch_site_row *row = session_launch_site(session, i);
        if ((run != NONE && row->run != run) || (kernel != NONE && row->kernel != kernel))
            continue;
        uint32_t own = session_stack_own(session, row->stack);
        const struct stack_row *frame = session_stack(session, own);
        placed[(*count)++] =
            (struct placed){.file = frame->file,
                            .line = frame->line,
                            .name = frame->name,
                            .site = {.stack = own,
                                     .launches = atomic_load_explicit(&row->launches, memory_order_relaxed),
                                     .total_ns = atomic_load_explicit(&row->total_ns, memory_order_relaxed)}};
    }
    return placed;
}

enum status launch_sites_make(const struct session *session, uint32_t run, uint32_t kernel,
                              struct launch_sites *sites, struct error *error)
{
    size_t count;
    struct placed *placed = place_rows(session, run, kernel, &count);
    memset(sites, 0, sizeof *sites);
    sites->sites = !placed ? NULL : malloc((count + (count == 0)) * sizeof *sites->sites);
    if (!sites->sites) {
        free(placed);
        return error_no_memory(error, "to add up launches by their call paths");
    }
    qsort(placed, count, sizeof *placed, compare_place);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !is_same_place(&placed[i], &placed[i - 1]))
            sites->sites[sites->count++] = (struct launch_site){.stack = placed[i].site.stack};
        struct launch_site *site = &sites->sites[sites->count - 1];
        site->launches = sum_of(site->launches, placed[i].site.launches);
        site->total_ns = sum_of(site->total_ns, placed[i].site.total_ns);
        sites->launches = sum_of(sites->launches, placed[i].site.launches);
        sites->total_ns = sum_of(sites->total_ns, placed[i].site.total_ns);
    }
    qsort(sites->sites, sites->count, sizeof *sites->sites, compare_time);
    free(placed);
    return STATUS_OK;
}

bool launch_sites_alike(const struct session *session, uint32_t a, uint32_t b)
{
    const struct stack_row *one = session_stack(session, a), *other = session_stack(session, b);
    return a == b ||
           (one && other && one->file == other->file && one->line == other->line && one->name == other->name);
}

#define PLACES_SEVERAL UINT32_MAX

void launch_sites_of_kernels(const struct session *session, uint32_t kernels, uint32_t *places)
{
    const uint32_t rows = session_launch_site_count(session);
    for (uint32_t i = 0; i < rows; i++) {
        const struct launch_site_row *row = session_launch_site(session, i);
        if (row->kind != ITEM_LAUNCH || row->kernel >= kernels)
            continue;
        uint32_t *place = &places[row->kernel], own = session_stack_own(session, row->stack);
        if (*place == 0)
            *place = own + 1;
        else if (*place != PLACES_SEVERAL && !launch_sites_alike(session, *place - 1, own))
            *place = PLACES_SEVERAL;
    }
    for (uint32_t i = 0; i < kernels; i++)
        places[i] = places[i] == PLACES_SEVERAL ? 0 : places[i];
}

void launch_sites_fini(struct launch_sites *sites)
{
    free(sites->sites);
    memset(sites, 0, sizeof *sites);
}
