/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of simt/count/count.h. count_access is called for every memory instruction a warp executes: it
 * looks up one row, asks the rules once, and adds.
 */
#include "simt/count/count.h"

#include "core/hardware/bank.h"

#include <stdlib.h>
#include <string.h>

/* ---- by source line ---- */

static int count_line_compare(const void *a, const void *b)
{
    const struct count_line *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* The kernel's own line that an instruction belongs to. */
static struct count_line count_line_of(const struct program *program, uint32_t instruction)
{
    struct ptx_location location = program_location(program, instruction);
    bool inlined = location.inlined_line != 0;
    return (struct count_line){.file = inlined ? location.inlined_file : location.file,
                               .line = inlined ? location.inlined_line : location.line};
}

enum status count_lines(const struct counter *counter, struct count_line **lines, uint32_t *line_count,
                        struct error *error)
{
    const struct program *program = counter->program;
    struct count_line *list = calloc(program->instruction_count + 1u, sizeof *list);
    uint32_t count = 0;
    if (!list)
        return error_no_memory(error, "for the lines of %s", program->entry->name);
    for (uint32_t i = 0; i < program->instruction_count; i++)
        list[i] = count_line_of(program, i);
    qsort(list, program->instruction_count, sizeof *list, count_line_compare);
    for (uint32_t i = 0; i < program->instruction_count; i++)
        if (count == 0 || count_line_compare(&list[count - 1], &list[i]) != 0)
            list[count++] = list[i];
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        struct count_line key = count_line_of(program, i);
        struct count_line *line = bsearch(&key, list, count, sizeof *list, count_line_compare);
        line->instructions++;
        count_totals_add(&line->totals, counter, i);
    }
    *lines = list;
    *line_count = count;
    return STATUS_OK;
}

/* ---- metrics ---- */

/*
 * Metrics of the catalogue that follow from what the device model counted in a kernel. Those of memory
 * accesses have the formulas of core/metric/metric; the others are a counter each.
 */

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

/* A metric of loads or of stores to one space: of the others nothing is read. */
static struct value accesses_value(const struct count_totals *totals, enum metric metric)
{
    const struct metric_accesses *of = &metric_info(metric)->accesses;
    const int store = of->loads == STORES;
    struct access_totals accesses = {0};
    struct access_counts *counts = &accesses.of[of->space][store];
    switch (of->space) {
    case ACCESS_SHARED:
        *counts = counts_of(&totals->shared[store]);
        /* Like a GPU, counts as shared-memory instructions only those that name this space. */
        counts->requests -= totals->generic_requests[store];
        break;
    case ACCESS_LOCAL: *counts = counts_of(&totals->local[store]); break;
    default: *counts = counts_of(&totals->global[store]); break;
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

/* ---- the costliest accesses ---- */

/*
 * A list of fixed size, and for each instruction and space the place of its access in it. When the list is
 * full, other instructions get none, and `full` is set.
 */

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

static uint64_t excess_of(const struct count_instruction *cost)
{
    return cost->transfers > cost->ideal_transfers ? cost->transfers - cost->ideal_transfers : 0;
}

static bool costs_more(const struct count_instruction *cost, uint64_t block,
                       const struct costliest_access *kept)
{
    uint64_t excess = excess_of(cost), kept_excess = excess_of(&kept->cost);
    if (excess != kept_excess)
        return excess > kept_excess;
    if (cost->transfers != kept->cost.transfers)
        return cost->transfers > kept->cost.transfers;
    return block < kept->block;
}

/* Its place in `index`. */
static size_t costliest_place(uint32_t instruction, enum ptx_space space)
{
    return (size_t)instruction * COSTLIEST_SPACES + (space == PTX_GLOBAL ? 0 : space == PTX_SHARED ? 1 : 2);
}

bool costliest_wants(const struct costliest *costliest, uint32_t instruction, enum ptx_space space,
                     const struct count_instruction *cost, uint64_t block)
{
    const uint32_t index = costliest->index[costliest_place(instruction, space)];
    return index == 0 ? !costliest->full : costs_more(cost, block, &costliest->accesses[index - 1]);
}

void costliest_add(struct costliest *costliest, const struct costliest_access *access)
{
    uint32_t *index = &costliest->index[costliest_place(access->instruction, access->space)];
    if (access->access.active == 0 ||
        (access->space != PTX_GLOBAL && access->space != PTX_SHARED && access->space != PTX_LOCAL))
        return;
    if (*index == 0 && costliest->count == COSTLIEST_ACCESSES) {
        costliest->full = true;
        return;
    }
    if (*index == 0)
        *index = ++costliest->count;
    else if (!costs_more(&access->cost, access->block, &costliest->accesses[*index - 1]))
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

/* ---- counting ---- */

static bool count_has_elsewhere(const struct program_instruction *instruction)
{
    switch (instruction->op) {
    case PROGRAM_LD:
    case PROGRAM_ST: return instruction->space == PTX_GENERIC || instruction->cluster;
    case PROGRAM_ATOM:
        return instruction->space == PTX_GENERIC || instruction->cluster ||
               instruction->rewrite == REWRITE_LOOP;
    case PROGRAM_CP_ASYNC: return true;
    case PROGRAM_BULK: return instruction->bulk->way == BULK_STORE;
    default: return false;
    }
}

enum status counter_init(struct counter *counter, const struct program *program, const struct arch *arch,
                         struct error *error)
{
    *counter = (struct counter){.program = program, .arch = arch};
    for (uint32_t i = 0; i < program->instruction_count; i++)
        counter->elsewhere_count += count_has_elsewhere(&program->instructions[i]);
    counter->instructions = calloc(program->instruction_count + 1u, sizeof *counter->instructions);
    counter->elsewhere = calloc(counter->elsewhere_count + 1u, sizeof *counter->elsewhere);
    counter->stretches = calloc(program->instruction_count + 1u, sizeof *counter->stretches);
    if (!counter->instructions || !counter->elsewhere || !counter->stretches) {
        counter_fini(counter);
        return error_no_memory(error, "to count the %u instructions of %s", program->instruction_count,
                               program->entry->name);
    }
    for (uint32_t i = 0, at = 0; i < program->instruction_count; i++)
        if (count_has_elsewhere(&program->instructions[i]))
            counter->elsewhere[at++].instruction = i;
    return STATUS_OK;
}

void counter_take(struct counter *to, struct counter *from)
{
    *to = *from;
    from->program = NULL;
    from->instructions = NULL;
    from->elsewhere = NULL;
    from->stretches = NULL;
}

void counter_fini(struct counter *counter)
{
    if (!counter->program)
        return;
    free(counter->instructions);
    free(counter->elsewhere);
    free(counter->stretches);
    *counter = (struct counter){0};
}

/* ---- usual accesses ---- */
bool count_knows_usual(const struct arch *arch)
{
    return arch->global_rules == GLOBAL_RULES_5_X && arch->shared_rules == SHARED_RULES_5_X;
}

struct count_instruction count_usual_cost(const struct counter *counter, uint32_t instruction,
                                          enum count_layout layout)
{
    const struct program_instruction *const of = &counter->program->instructions[instruction];
    const uint64_t lanes = layout == COUNT_SAME ? 1 : WARP_LANES, bytes = lanes * of->width_bytes;
    uint64_t ideal = (bytes + 31) / 32, transfers = count_layout_sectors(layout, of->width_bytes);
    if (of->space == PTX_CONST)
        return (struct count_instruction){.requests = 1,
                                          .transfers = lanes,
                                          .ideal_transfers = 1,
                                          .bytes_wanted = bytes,
                                          .bytes_moved = bytes};
    if (of->space == PTX_SHARED) {
        transfers = of->width_bytes > 4 ? of->width_bytes / 4u : 1;
        if (layout == COUNT_SAME && of->op == PROGRAM_LD && transfers > 1)
            transfers /= 2; /* two groups of lanes share one */
        return (struct count_instruction){.requests = 1,
                                          .transfers = transfers,
                                          .ideal_transfers = transfers,
                                          .bytes_wanted = UINT64_C(1) * WARP_LANES * of->width_bytes,
                                          .bytes_moved =
                                              transfers * counter->arch->banks * counter->arch->bank_bytes};
    }
    return (struct count_instruction){.requests = 1,
                                      .transfers = transfers,
                                      .ideal_transfers = ideal,
                                      .bytes_wanted = bytes,
                                      .bytes_moved = 32 * transfers,
                                      .coherent = transfers <= ideal,
                                      .incoherent = transfers > ideal};
}

static void count_add_times(struct count_instruction *to, const struct count_instruction *cost,
                            uint64_t times)
{
    to->requests += times * cost->requests;
    to->transfers += times * cost->transfers;
    to->ideal_transfers += times * cost->ideal_transfers;
    to->bytes_wanted += times * cost->bytes_wanted;
    to->bytes_moved += times * cost->bytes_moved;
    to->coherent += times * cost->coherent;
    to->incoherent += times * cost->incoherent;
}

struct count_instruction count_spread_cost(const struct counter *counter, uint32_t instruction,
                                           uint32_t sectors)
{
    const uint32_t ideal = counter->program->instructions[instruction].width_bytes;
    return (struct count_instruction){.requests = 1,
                                      .transfers = sectors,
                                      .ideal_transfers = ideal,
                                      .bytes_wanted = UINT64_C(32) * ideal,
                                      .bytes_moved = UINT64_C(32) * sectors,
                                      .coherent = sectors <= ideal,
                                      .incoherent = sectors > ideal};
}

void count_cost(struct counter *counter, uint32_t instruction, const struct count_instruction *cost)
{
    count_add_times(&counter->instructions[instruction], cost, 1);
}

static void count_settle_usual(struct counter *counter, uint32_t instruction)
{
    for (uint32_t layout = 0; layout < COUNT_LAYOUTS; layout++) {
        const uint64_t times = counter->stretches[instruction].usual[layout];
        if (times == 0)
            continue;
        const struct count_instruction cost =
            count_usual_cost(counter, instruction, (enum count_layout)layout);
        count_add_times(&counter->instructions[instruction], &cost, times);
    }
}

void counter_settle(struct counter *counter)
{
    struct count_stretch now = {0};
    for (uint32_t i = 0; i < counter->program->instruction_count; i++) {
        now.warps += counter->stretches[i].warps;
        now.threads += counter->stretches[i].threads;
        counter->instructions[i].warp_instructions += now.warps;
        counter->instructions[i].thread_instructions += now.threads;
        counter->instructions[i].thread_instructions_on += now.threads;
        count_settle_usual(counter, i);
    }
    memset(counter->stretches, 0, (counter->program->instruction_count + 1u) * sizeof *counter->stretches);
}

static void count_add(struct count_instruction *to, const struct count_instruction *from)
{
    to->warp_instructions += from->warp_instructions;
    to->thread_instructions += from->thread_instructions;
    to->thread_instructions_on += from->thread_instructions_on;
    to->requests += from->requests;
    to->transfers += from->transfers;
    to->ideal_transfers += from->ideal_transfers;
    to->bytes_wanted += from->bytes_wanted;
    to->bytes_moved += from->bytes_moved;
    to->coherent += from->coherent;
    to->incoherent += from->incoherent;
    to->divergent += from->divergent;
    to->contention += from->contention;
    to->passes += from->passes;
}

void counter_add(struct counter *to, const struct counter *from)
{
    for (uint32_t i = 0; i < to->program->instruction_count; i++)
        count_add(&to->instructions[i], &from->instructions[i]);
    for (uint32_t i = 0; i < to->elsewhere_count; i++) {
        count_add(&to->elsewhere[i].global, &from->elsewhere[i].global);
        count_add(&to->elsewhere[i].shared, &from->elsewhere[i].shared);
        count_add(&to->elsewhere[i].local, &from->elsewhere[i].local);
        count_add(&to->elsewhere[i].cluster, &from->elsewhere[i].cluster);
    }
    to->warps += from->warps;
    to->blocks += from->blocks;
    to->barriers += from->barriers;
    to->polls += from->polls;
    to->handoffs += from->handoffs;
    for (uint32_t i = 0; i < COUNT_PLACES; i++)
        to->atomic_passes[i] += from->atomic_passes[i];
    for (uint32_t i = 0; i < COUNT_FLOAT_SECTORS; i++)
        to->float_passes[i] += from->float_passes[i];
}

static void counter_clear(struct counter *counter, uint32_t first, uint32_t end)
{
    memset(counter->instructions + first, 0, (end - first) * sizeof *counter->instructions);
    memset(counter->stretches + first, 0, (end - first + 1u) * sizeof *counter->stretches);
    for (uint32_t i = 0; i < counter->elsewhere_count; i++)
        if (counter->elsewhere[i].instruction >= first && counter->elsewhere[i].instruction < end)
            counter->elsewhere[i] =
                (struct count_elsewhere){.instruction = counter->elsewhere[i].instruction};
    memset(counter->atomic_passes, 0, sizeof counter->atomic_passes);
    memset(counter->float_passes, 0, sizeof counter->float_passes);
    counter->warps = counter->blocks = counter->barriers = counter->polls = counter->handoffs = 0;
}

void counter_move(struct counter *to, struct counter *from)
{
    const uint32_t count = from->program->instruction_count;
    for (uint32_t i = 0; i <= count; i++) {
        to->stretches[i].warps += from->stretches[i].warps;
        to->stretches[i].threads += from->stretches[i].threads;
        for (uint32_t layout = 0; layout < COUNT_LAYOUTS; layout++)
            to->stretches[i].usual[layout] += from->stretches[i].usual[layout];
    }
    counter_add(to, from);
    counter_clear(from, 0, count);
}

void counter_drop(struct counter *counter)
{
    const uint32_t count = counter->program->instruction_count;
    uint32_t first = 0, end = count;
    while (first < count && !counter->stretches[first].warps)
        first++;
    while (end > first && !counter->stretches[end].warps)
        end--;
    counter_clear(counter, first, end);
}

/* The row of `elsewhere`, which exists: counter_init made one for each instruction that can need it. */
static struct count_elsewhere *count_elsewhere_find(const struct counter *counter, uint32_t instruction)
{
    uint32_t low = 0, high = counter->elsewhere_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (counter->elsewhere[middle].instruction < instruction)
            low = middle + 1;
        else
            high = middle;
    }
    return &counter->elsewhere[low];
}

/* The row to which the cost of this instruction's access to `space` is added. */
static struct count_instruction *count_row(const struct counter *counter, uint32_t instruction,
                                           enum ptx_space space)
{
    const struct program_instruction *of = &counter->program->instructions[instruction];
    bool fill = of->op == PROGRAM_CP_ASYNC && space == PTX_SHARED;
    if (!fill && (of->op == PROGRAM_CP_ASYNC || of->space != PTX_GENERIC))
        return &counter->instructions[instruction];
    struct count_elsewhere *row = count_elsewhere_find(counter, instruction);
    return space == PTX_SHARED ? &row->shared : space == PTX_LOCAL ? &row->local : &row->global;
}

/* A local access of 8 or 16 bytes: one word of each lane at a time; these words are 128 bytes apart. One
 * request; a sector that lanes reach by different words counts once. */
static struct coalesce_cost count_local_words(const struct arch *arch, const struct warp_access *access,
                                              uint64_t *sectors, uint32_t *sector_count)
{
    struct warp_access word = *access;
    struct coalesce_cost cost = {0};
    uint32_t count = 0;
    word.width_bytes = 4;
    for (uint32_t at = 0; at < access->width_bytes; at += 4) {
        uint64_t touched[COUNT_SECTORS_MAX];
        uint32_t touched_count;
        struct coalesce_cost one = coalesce_count_sectors(arch, &word, touched, &touched_count);
        for (uint32_t i = 0; i < touched_count; i++) {
            uint32_t j = 0;
            while (j < count && sectors[j] != touched[i])
                j++;
            if (j == count)
                sectors[count++] = touched[i];
        }
        cost.requests = one.requests;
        cost.ideal_sectors += one.ideal_sectors;
        cost.bytes_wanted += one.bytes_wanted;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            word.address[lane] += 128;
    }
    cost.sectors = count;
    *sector_count = count;
    return cost;
}

static void count_add_sectors(struct count_instruction *row, const struct coalesce_cost *cost)
{
    row->requests += cost->requests;
    row->transfers += cost->sectors;
    row->ideal_transfers += cost->ideal_sectors;
    row->bytes_wanted += cost->bytes_wanted;
    row->bytes_moved += UINT64_C(32) * cost->sectors;
    row->coherent += cost->coherent;
    row->incoherent += cost->incoherent;
}

static void count_add_wavefronts(struct count_instruction *row, const struct arch *arch,
                                 const struct warp_access *access, const struct bank_cost *cost)
{
    row->requests += cost->instructions;
    row->transfers += cost->wavefronts;
    row->ideal_transfers += cost->ideal_wavefronts;
    row->bytes_wanted += (uint32_t)__builtin_popcount(access->active) * access->width_bytes;
    row->bytes_moved += UINT64_C(1) * cost->wavefronts * arch->banks * arch->bank_bytes;
}

/* Constant memory serves one address at a time: lanes with the same address share one transfer. */
static void count_add_constants(struct count_instruction *row, const struct warp_access *access)
{
    uint64_t distinct[WARP_LANES];
    uint32_t count = 0;
    for (uint32_t left = access->active; left; left &= left - 1) {
        uint64_t address = access->address[__builtin_ctz(left)];
        uint32_t i = 0;
        while (i < count && distinct[i] != address)
            i++;
        if (i == count)
            distinct[count++] = address;
    }
    row->requests++;
    row->transfers += count;
    row->ideal_transfers++;
    row->bytes_wanted += count * access->width_bytes;
    row->bytes_moved += count * access->width_bytes;
}

/* One memory instruction of the machine: adds its cost to row; *count gets its number of sectors. */
static void count_served(const struct arch *arch, struct count_instruction *row, enum ptx_space space,
                         const struct warp_access *access, enum access_shape shape, uint64_t *sectors,
                         uint32_t *count)
{
    *count = 0;
    if (space == PTX_SHARED) {
        struct bank_cost cost = bank_count_shape(arch, access, shape);
        count_add_wavefronts(row, arch, access, &cost);
    } else if (space == PTX_CONST || space == PTX_PARAM) {
        count_add_constants(row, access);
    } else {
        bool words = space == PTX_LOCAL && access->width_bytes > 4;
        struct coalesce_cost cost = words ? count_local_words(arch, access, sectors, count)
                                          : coalesce_count_shape(arch, access, shape, sectors, count);
        count_add_sectors(row, &cost);
    }
}

/* The machine instructions that ptxas made of one PTX instruction. */
static void count_parts(const struct counter *counter, const struct program_instruction *of,
                        struct count_instruction *row, enum ptx_space space, const struct warp_access *access,
                        enum access_shape shape, uint64_t *sectors, uint32_t *count)
{
    const enum access_shape of_part = shape == ACCESS_SAME ? ACCESS_SAME : ACCESS_ANY;
    for (uint32_t i = 0; i < of->part_count; i++) {
        struct warp_access part = *access;
        uint32_t more;
        part.width_bytes = of->parts[i].bytes;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            part.address[lane] += (uint64_t)(int64_t)of->parts[i].offset;
        count_served(counter->arch, row, space, &part, of_part, sectors + *count, &more);
        *count += more;
    }
}

const struct count_instruction *count_so_far(const struct counter *counter, uint32_t instruction,
                                             enum ptx_space space)
{
    return count_row(counter, instruction, space);
}

void count_access(struct counter *counter, uint32_t instruction, enum ptx_space space,
                  const struct warp_access *access, uint64_t sectors[], uint32_t *sector_count)
{
    count_access_shape(counter, instruction, space, access, ACCESS_ANY, sectors, sector_count);
}

void count_access_shape(struct counter *counter, uint32_t instruction, enum ptx_space space,
                        const struct warp_access *access, enum access_shape shape, uint64_t sectors[],
                        uint32_t *sector_count)
{
    const struct program_instruction *of = &counter->program->instructions[instruction];
    uint64_t storage[COUNT_SECTORS_MAX];
    uint32_t count = 0;
    if (!sectors)
        sectors = storage;
    if (access->active && of->rewrite != REWRITE_FOLDED) {
        struct count_instruction *row = count_row(counter, instruction, space);
        if (of->rewrite == REWRITE_PARTS)
            count_parts(counter, of, row, space, access, shape, sectors, &count);
        else
            count_served(counter->arch, row, space, access, shape, sectors, &count);
    }
    if (sector_count)
        *sector_count = count;
}

/* LDS, the operation, ATOMS.CAST.SPIN, and again for the lanes that were not served. The loads count as
 * loads. */
static void count_loop(const struct counter *counter, uint32_t instruction, const struct warp_access *access,
                       struct count_instruction *row)
{
    struct count_instruction *loads = &count_elsewhere_find(counter, instruction)->shared;
    struct warp_access round = *access;
    round.store = false;
    while (round.active) {
        struct bank_cost cost = bank_count(counter->arch, &round);
        count_add_wavefronts(loads, counter->arch, &round, &cost);
        uint32_t done = bank_count_spin(counter->arch, &round, &cost);
        count_add_wavefronts(row, counter->arch, &round, &cost);
        round.active &= ~done;
    }
}

static bool adds_floats(const struct program_instruction *of)
{
    switch ((enum ptx_type)of->type) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
    case PTX_F32:
    case PTX_F64: return of->sub == ATOMIC_ADD;
    default: return false;
    }
}

/* The passes of a global atomic: for each sector as many as lanes have the same address in it. Returns the
 * largest. */
static uint32_t count_passes(struct counter *counter, const struct program_instruction *of,
                             struct count_instruction *row, const struct warp_access *access)
{
    uint64_t sectors[WARP_LANES];
    uint32_t lanes[WARP_LANES], count, most = access_meetings(access, sectors, lanes, &count);
    bool floats = adds_floats(of);
    for (uint32_t i = 0; i < count; i++) {
        row->passes += lanes[i];
        counter->atomic_passes[count_place(sectors[i])] += lanes[i];
        if (floats) {
            uint64_t mixed = sectors[i] ^ sectors[i] / COUNT_FLOAT_SECTORS;
            counter->float_passes[mixed % COUNT_FLOAT_SECTORS] += lanes[i];
        }
    }
    return most;
}

void count_atomic(struct counter *counter, uint32_t instruction, enum ptx_space space,
                  const struct warp_access *access, uint64_t sectors[], uint32_t *sector_count)
{
    const struct program_instruction *of = &counter->program->instructions[instruction];
    uint32_t count = 0;
    if (access->active && of->rewrite != REWRITE_FOLDED) {
        struct count_instruction *row = count_row(counter, instruction, space);
        struct warp_access elected = *access;
        if (of->rewrite == REWRITE_ELECTED ||
            (of->rewrite == REWRITE_ELECTED_OF_32 && access->active == UINT32_MAX))
            elected.active &= -elected.active;
        row->contention +=
            space == PTX_SHARED ? access_contention(&elected) : count_passes(counter, of, row, &elected);
        if (of->rewrite == REWRITE_LOOP) {
            count_loop(counter, instruction, access, row);
        } else if (space == PTX_SHARED) {
            struct bank_cost cost = of->rewrite == REWRITE_COUNTED
                                        ? bank_count(counter->arch, access)
                                        : bank_count_atomic(counter->arch, &elected, of->sub == ATOMIC_CAS);
            count_add_wavefronts(row, counter->arch, &elected, &cost);
        } else {
            struct coalesce_cost cost = coalesce_count_atomic(counter->arch, &elected, sectors, &count);
            count_add_sectors(row, &cost);
        }
    }
    if (sector_count)
        *sector_count = count;
}

void count_cluster(struct counter *counter, uint32_t instruction, const struct warp_access *access)
{
    if (!access->active || !count_has_elsewhere(&counter->program->instructions[instruction]))
        return;
    uint64_t sectors[COUNT_SECTORS_MAX];
    uint32_t count;
    struct coalesce_cost cost = coalesce_count_sectors(counter->arch, access, sectors, &count);
    count_add_sectors(&count_elsewhere_find(counter, instruction)->cluster, &cost);
}

void count_bulk(struct counter *counter, uint32_t instruction, uint64_t address, uint64_t shared_address,
                uint64_t bytes, uint32_t blocks)
{
    struct count_instruction *at = &counter->instructions[instruction];
    uint64_t sectors = 0, piece;
    for (uint64_t done = 0; done < bytes; done += piece) {
        piece = count_bulk_piece(shared_address + done, bytes - done);
        sectors += (address + done + piece + 31) / 32 - (address + done) / 32;
    }
    at->requests++;
    at->transfers += sectors * blocks;
    at->ideal_transfers += (bytes + 31) / 32 * blocks;
    at->bytes_wanted += bytes * blocks;
    at->bytes_moved += UINT64_C(32) * sectors * blocks;
}

/* ---- sums ---- */
static void count_add_access(struct count_totals *totals, const struct program_instruction *of,
                             enum ptx_space space, const struct count_instruction *row)
{
    bool store = of->op == PROGRAM_ST, atomic = of->op == PROGRAM_ATOM;
    switch (space) {
    case PTX_GENERIC:
    case PTX_GLOBAL: count_add(atomic ? &totals->global_atomics : &totals->global[store], row); break;
    case PTX_SHARED: count_add(atomic ? &totals->shared_atomics : &totals->shared[store], row); break;
    case PTX_LOCAL: count_add(&totals->local[store], row); break;
    case PTX_CONST: count_add(&totals->constant, row); break;
    default: break;
    }
}

/* How many of the machine's memory instructions for this one access 8 bytes per lane, or 16. */
static uint32_t count_wide(const struct program_instruction *of)
{
    bool memory =
        of->op == PROGRAM_LD || of->op == PROGRAM_ST || of->op == PROGRAM_ATOM || of->op == PROGRAM_CP_ASYNC;
    if (!memory || of->space == PTX_PARAM || of->space == PTX_CONST || of->rewrite == REWRITE_FOLDED)
        return 0;
    if (of->rewrite != REWRITE_PARTS)
        return of->width_bytes >= 8;
    uint32_t wide = 0;
    for (uint32_t i = 0; i < of->part_count; i++)
        wide += of->parts[i].bytes >= 8;
    return wide;
}

void count_totals_add(struct count_totals *totals, const struct counter *counter, uint32_t instruction)
{
    const struct program_instruction *of = &counter->program->instructions[instruction];
    const struct count_instruction *row = &counter->instructions[instruction];
    uint64_t executed = of->rewrite == REWRITE_FOLDED ? 0 : of->rewrite == REWRITE_PARTS ? of->part_count : 1;
    totals->warp_instructions += row->warp_instructions * executed;
    totals->thread_instructions += row->thread_instructions * executed;
    totals->thread_instructions_on += row->thread_instructions_on * executed;
    totals->divergent_branches += row->divergent;
    totals->class_warp_instructions[of->class] += row->warp_instructions * executed;
    totals->operations[of->class] += row->thread_instructions_on * of->operations;
    totals->wide += row->warp_instructions * count_wide(of);
    if ((of->sync & (SYNC_SYSTEM | SYNC_RELEASE)) == (SYNC_SYSTEM | SYNC_RELEASE))
        totals->global[ACCESS_STORE].requests += row->warp_instructions; /* docs/rules.md, "Fences" */
    switch (of->op) {
    case PROGRAM_BRA:
    case PROGRAM_BRX: totals->branches += row->warp_instructions; break;
    case PROGRAM_BAR_SYNC:
    case PROGRAM_BAR_ARRIVE:
    case PROGRAM_BAR_RED: totals->barriers += row->warp_instructions; break;
    case PROGRAM_LD:
    case PROGRAM_ST:
    case PROGRAM_ATOM: count_add_access(totals, of, of->space, row); break;
    case PROGRAM_CP_ASYNC: count_add_access(totals, of, PTX_GLOBAL, row); break;
    case PROGRAM_TEX:
    case PROGRAM_SURFACE: count_add(&totals->textures, row); break;
    case PROGRAM_MATRIX_LD:
    case PROGRAM_MATRIX_ST: count_add(&totals->matrices[of->op == PROGRAM_MATRIX_ST], row); break;
    case PROGRAM_SHFL:
    case PROGRAM_VOTE:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX: totals->lane_exchanges += row->thread_instructions_on; break;
    case PROGRAM_BULK: count_add(&totals->bulk[of->bulk->way == BULK_TO_GLOBAL], row); break;
    default: break;
    }
    if (!count_has_elsewhere(of))
        return;
    const struct count_elsewhere *elsewhere = count_elsewhere_find(counter, instruction);
    if (of->op == PROGRAM_CP_ASYNC || of->rewrite == REWRITE_LOOP) {
        bool loads = of->rewrite == REWRITE_LOOP;
        count_add(loads ? &totals->shared[0] : &totals->shared_fills, &elsewhere->shared);
        return;
    }
    count_add(&totals->cluster, &elsewhere->cluster);
    count_add_access(totals, of, PTX_GLOBAL, &elsewhere->global);
    count_add_access(totals, of, PTX_SHARED, &elsewhere->shared);
    count_add_access(totals, of, PTX_LOCAL, &elsewhere->local);
    if (of->op != PROGRAM_ATOM)
        totals->generic_requests[of->op == PROGRAM_ST] += elsewhere->shared.requests;
}

void count_totals(const struct counter *counter, struct count_totals *totals)
{
    *totals = (struct count_totals){0};
    for (uint32_t i = 0; i < counter->program->instruction_count; i++)
        count_totals_add(totals, counter, i);
}
