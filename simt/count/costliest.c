/* A list of fixed size, and for each instruction and space the place of its access in it. When the list is
 * full, other instructions get none, and `full` is set. */
#include "simt/count/costliest.h"

#include <stdlib.h>

#define COSTLIEST_SPACES 3

enum status costliest_init(struct costliest *costliest, const struct program *program, struct error *error)
{
    *costliest = (struct costliest){
        .accesses = calloc(COSTLIEST_ACCESSES, sizeof *costliest->accesses),
        .index = calloc((size_t)program->instruction_count * COSTLIEST_SPACES, sizeof *costliest->index)};
    if (costliest->accesses && costliest->index)
        return STATUS_OK;
    costliest_fini(costliest);
    return error_no_memory(error, "for the addresses of %s", program->entry->name);
}

void costliest_fini(struct costliest *costliest)
{
    free(costliest->accesses);
    free(costliest->index);
    *costliest = (struct costliest){0};
}

static uint64_t excess_of(const struct costliest_access *access)
{
    return access->cost.transfers > access->cost.ideal_transfers
               ? access->cost.transfers - access->cost.ideal_transfers
               : 0;
}

static bool costs_more(const struct costliest_access *one, const struct costliest_access *kept)
{
    uint64_t excess = excess_of(one), kept_excess = excess_of(kept);
    if (excess != kept_excess)
        return excess > kept_excess;
    if (one->cost.transfers != kept->cost.transfers)
        return one->cost.transfers > kept->cost.transfers;
    return one->block < kept->block;
}

void costliest_add(struct costliest *costliest, const struct costliest_access *access)
{
    uint32_t space = access->space == PTX_GLOBAL ? 0 : access->space == PTX_SHARED ? 1 : 2;
    uint32_t *index = &costliest->index[(size_t)access->instruction * COSTLIEST_SPACES + space];
    if (access->access.active == 0 ||
        (access->space != PTX_GLOBAL && access->space != PTX_SHARED && access->space != PTX_LOCAL))
        return;
    if (*index == 0 && costliest->count == COSTLIEST_ACCESSES) {
        costliest->full = true;
        return;
    }
    if (*index == 0)
        *index = ++costliest->count;
    else if (!costs_more(access, &costliest->accesses[*index - 1]))
        return;
    costliest->accesses[*index - 1] = *access;
}

void costliest_merge(struct costliest *to, const struct costliest *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        costliest_add(to, &from->accesses[i]);
    to->full |= from->full;
}

static int accesses_compare(const void *a, const void *b)
{
    const struct costliest_access *one = a, *other = b;
    if (one->instruction != other->instruction)
        return one->instruction < other->instruction ? -1 : 1;
    return (one->space > other->space) - (one->space < other->space);
}

void costliest_sort(struct costliest *costliest)
{
    if (costliest->count > 0)
        qsort(costliest->accesses, costliest->count, sizeof *costliest->accesses, accesses_compare);
}
