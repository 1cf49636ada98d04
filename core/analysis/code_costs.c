/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A listing is filled in three steps: places from the instructions of the kernel's functions, then costs and
 * samples of the runs of its work by place, then totals. Places stand in order of function and pc, in which
 * they are found; what was measured at an instruction without a place is left out.
 *
 * Stall reasons are one table; a reason that is not in it has no description. The lines of the source are the
 * places of a listing, grouped by file and line.
 */
#include "core/analysis/code_costs.h"

#include "core/analysis/kernel_sources.h"
#include "core/base/array.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- stall reasons ---- */

/* clang-format off */ /* a table */
static const struct stall_reason stall_reasons[] = {
    {"selected", "issues", "was chosen and issued its instruction", "", true},
    {"not_selected", "ready", "was ready, but the scheduler chose another warp",
     "none: there are enough warps to hide latency", true},
    {"long_scoreboard", "global memory", "waits for a value from global, local or texture memory",
     "coalesce, reuse through shared memory or registers, load earlier, keep more warps resident", false},
    {"short_scoreboard", "shared memory", "waits for a value from shared memory or a special function",
     "remove bank conflicts; keep values in registers; fewer special functions", false},
    {"lg_throttle", "memory queue", "waits for room in the queue of global and local memory instructions",
     "fewer and wider accesses (float4); avoid spills", false},
    {"mio_throttle", "shared queue",
     "waits for room in the queue of shared memory, special functions and dynamic branches",
     "fewer and wider accesses to shared memory", false},
    {"tex_throttle", "texture queue", "waits for room in the queue of texture fetches",
     "fewer fetches; read through global memory instead", false},
    {"barrier", "barrier", "waits at a barrier for the block's other warps",
     "give all warps the same work between barriers; smaller blocks; fewer barriers", false},
    {"membar", "memory fence", "waits until its writes can be seen, at a fence", "fewer or narrower fences",
     false},
    {"wait", "fixed latency", "waits the fixed cycles between dependent instructions",
     "more independent work per thread (unroll), or more warps", false},
    {"math_pipe_throttle", "arithmetic unit", "waits for an arithmetic unit that other warps keep busy",
     "the unit is fully used: use another unit or a smaller type if the time matters", false},
    {"branch_resolving", "branch", "waits for the target of a branch",
     "fewer branches and jumps in hot loops", false},
    {"no_instructions", "instruction fetch", "waits for its next instructions to be fetched",
     "smaller hot loops (less unrolling): they no longer fit the instruction cache", false},
    {"no_instruction", "instruction fetch", "waits for its next instructions to be fetched",
     "smaller hot loops (less unrolling): they no longer fit the instruction cache", false},
    {"imc_miss", "constants", "waits for a constant that missed its cache",
     "let all lanes read the same constant; pass few parameters", false},
    {"dispatch_stall", "dispatcher", "was chosen, but the dispatcher did not issue it", "", false},
    {"drain", "drain", "has ended and waits for its last writes", "coalesce the last stores", false},
    {"sleeping", "sleeps", "sleeps (nanosleep)", "sleep for a shorter time, or less often", false},
    {"misc", "other", "waits for another reason", "", false},
    {"gmma", "tensor core", "waits for a tensor core's warpgroup operation",
     "keep more such operations in flight", false},
    {"warpgroup_arrive", "warpgroup", "waits for its warpgroup", "let its warps do the same work", false},
};
/* clang-format on */

const struct stall_reason *stall_reason_at(unsigned index)
{
    return index < sizeof stall_reasons / sizeof stall_reasons[0] ? &stall_reasons[index] : NULL;
}

const struct stall_reason *stall_reason_find(const char *name)
{
    for (unsigned i = 0; i < sizeof stall_reasons / sizeof stall_reasons[0]; i++)
        if (strcmp(stall_reasons[i].name, name) == 0)
            return &stall_reasons[i];
    return NULL;
}

void stall_reason_text(const char *name, char text[STALL_REASON_TEXT_BYTES])
{
    const struct stall_reason *known = stall_reason_find(name);
    if (!known || strcmp(known->title, name) == 0)
        snprintf(text, STALL_REASON_TEXT_BYTES, "%s", name);
    else
        snprintf(text, STALL_REASON_TEXT_BYTES, "%s (%s)", known->title, name);
}

/* ---- listings ---- */

#define REASON_PREFIX "smsp__pcsamp_warps_issue_stalled_"
#define NOT_ISSUED "_not_issued"

#define COST_INFO(name, id, title, meaning) [CODE_##name] = {id, title, meaning},
static const struct code_cost_info infos[CODE_COST_COUNT] = {CODE_COST_LIST(COST_INFO)};
#undef COST_INFO

const struct code_cost_info *code_cost_info(enum code_cost cost)
{
    return &infos[cost];
}

enum code_cost code_cost_of_counter(const char *counter)
{
    static const struct {
        const char *name;
        enum code_cost cost;
    } counters[] = {
        {"smsp__sass_inst_executed", CODE_INSTRUCTIONS},
        {"smsp__sass_thread_inst_executed", CODE_THREADS},
        {"smsp__sass_sectors_mem_global", CODE_SECTORS},
        {"smsp__sass_sectors_mem_global_ideal", CODE_IDEAL_SECTORS},
        {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", CODE_WAVEFRONTS},
        {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", CODE_IDEAL_WAVEFRONTS},
        {"smsp__sass_sectors_mem_local", CODE_LOCAL_SECTORS},
        {"smsp__sass_branch_targets_threads_divergent", CODE_DIVERGENT},
    };
    size_t prefix = strlen(CODE_COST_OF_MODEL), length = strcspn(counter, ".");
    for (int cost = 0; strncmp(counter, CODE_COST_OF_MODEL, prefix) == 0 && cost < CODE_COST_COUNT; cost++)
        if (strcmp(infos[cost].id, counter + prefix) == 0)
            return (enum code_cost)cost;
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        if (strlen(counters[i].name) == length && strncmp(counters[i].name, counter, length) == 0)
            return counters[i].cost;
    return CODE_COST_COUNT;
}

/* ---- which rows are the kernel's ---- */
struct making {
    const struct session *session;
    struct code_listing *listing;
    uint32_t kernel, group, mangled;
    uint32_t kernel_count, function_count, instruction_count;
    uint8_t *same;     /* by kernel row: 1 the same work, 2 another */
    uint8_t *taken;    /* by function: it belongs to the listing */
    uint32_t *places;  /* by instruction: its place in the listing, or NONE */
    uint32_t *tallies; /* the rows that are the kernel's, since most of a session's can be of other kernels */
    size_t tally_count, tally_capacity;
    bool no_memory;
};

static bool is_same_work(struct making *making, uint32_t kernel)
{
    if (kernel >= making->kernel_count)
        return false;
    if (making->same[kernel] == 0)
        making->same[kernel] = kernel_is_whole(making->session, kernel) &&
                                       kernel_compare_work(making->session, making->kernel, kernel) == 0
                                   ? 1
                                   : 2;
    return making->same[kernel] == 1;
}

/* Does a measurement of this instruction belong to the kernel? */
static bool is_ours(struct making *making, uint32_t run, uint32_t kernel, uint32_t instruction)
{
    if (instruction >= making->instruction_count)
        return false;
    if (kernel != NONE)
        return is_same_work(making, kernel);
    const struct instruction_row *row = session_instruction(making->session, instruction);
    const struct run_row *of = session_run(making->session, run);
    return row->function < making->function_count &&
           session_function(making->session, row->function)->mangled == making->mangled &&
           (!of || of->group == making->group);
}

/* Adds the instruction's function to the listing if the measurement belongs to the kernel. Returns whether it
 * does. */
static bool take_function(struct making *making, uint32_t run, uint32_t kernel, uint32_t instruction)
{
    if (!is_ours(making, run, kernel, instruction))
        return false;
    uint32_t function = session_instruction(making->session, instruction)->function;
    if (function < making->function_count)
        making->taken[function] = true;
    return true;
}

static void keep_tally(struct making *making, uint32_t tally)
{
    if (array_grow(making->tallies, making->tally_capacity, making->tally_count, 1))
        making->tallies[making->tally_count++] = tally;
    else
        making->no_memory = true;
}

/* Returns false if nothing was measured of this kernel. */
static bool take_functions(struct making *making)
{
    const struct session *session = making->session;
    bool any = false;
    for (uint32_t i = 0; i < session_stall_count(session); i++) {
        const struct stall_row *row = session_stall(session, i);
        any |= take_function(making, row->run, row->kernel, row->instruction);
    }
    const uint32_t tallies = session_tally_count(session);
    for (uint32_t i = 0; i < tallies; i++) {
        const struct tally_row *row = session_tally(session, i);
        if (take_function(making, row->run, row->kernel, row->instruction))
            keep_tally(making, i);
    }
    return any || making->tally_count > 0;
}

/* ---- places ---- */
struct sorted {
    uint32_t instruction, function, pc_offset;
    bool own;
    const char *name;
};

static int compare_sorted(const void *a, const void *b)
{
    const struct sorted *left = a, *right = b;
    if (left->own != right->own)
        return left->own ? -1 : 1;
    int order = strcmp(left->name, right->name);
    if (order != 0)
        return order;
    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    return (left->pc_offset > right->pc_offset) - (left->pc_offset < right->pc_offset);
}

static enum status take_places(struct making *making)
{
    const struct session *session = making->session;
    uint32_t count = 0;
    struct sorted *sorted = malloc((making->instruction_count + 1) * sizeof *sorted);
    if (!sorted)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < making->instruction_count; i++) {
        const struct instruction_row *row = session_instruction(session, i);
        making->places[i] = NONE;
        if (row->function >= making->function_count || !making->taken[row->function])
            continue;
        const struct function_row *function = session_function(session, row->function);
        sorted[count++] = (struct sorted){.instruction = i,
                                          .function = row->function,
                                          .pc_offset = row->pc_offset,
                                          .own = function->mangled == making->mangled,
                                          .name = session_string(session, function->name)};
    }
    qsort(sorted, count, sizeof *sorted, compare_sorted);
    count = count < CODE_PLACES_MAX ? count : CODE_PLACES_MAX;
    making->listing->places = calloc(count + 1, sizeof *making->listing->places);
    making->listing->count = !making->listing->places ? 0 : count;
    for (uint32_t i = 0; i < making->listing->count; i++) {
        const struct instruction_row *row = session_instruction(session, sorted[i].instruction);
        if (!row)
            continue;
        making->places[sorted[i].instruction] = i;
        making->listing->places[i] = (struct code_place){
            .function = sorted[i].name,
            .pc_offset = row->pc_offset,
            .text = session_string(session, atomic_load_explicit(&row->text, memory_order_acquire)),
            .file = session_string(session, atomic_load_explicit(&row->file, memory_order_acquire)),
            .line = atomic_load_explicit(&row->line, memory_order_relaxed)};
    }
    free(sorted);
    return !making->listing->places ? STATUS_MEMORY : STATUS_OK;
}

/* ---- costs ---- */
/* The reason's place among the listing's reasons; CODE_REASONS_MAX: not a stall reason, or no room for one
 * more. */
static uint32_t reason_of(struct code_listing *listing, const char *text)
{
    size_t length = strlen(text), tail = strlen(NOT_ISSUED);
    if (length >= tail && strcmp(text + length - tail, NOT_ISSUED) == 0)
        return CODE_REASONS_MAX;
    if (strncmp(text, REASON_PREFIX, strlen(REASON_PREFIX)) == 0)
        text += strlen(REASON_PREFIX);
    for (uint32_t i = 0; i < listing->reason_count; i++)
        if (strcmp(listing->reasons[i], text) == 0)
            return i;
    if (listing->reason_count == CODE_REASONS_MAX)
        return CODE_REASONS_MAX;
    listing->reasons[listing->reason_count] = text;
    return listing->reason_count++;
}

static void take_stalls(struct making *making)
{
    const struct stall_row *row;
    for (uint32_t i = 0; (row = session_stall(making->session, i)); i++) {
        double samples = (double)atomic_load_explicit(&row->samples, memory_order_relaxed);
        if (!is_ours(making, row->run, row->kernel, row->instruction) ||
            making->places[row->instruction] == NONE)
            continue;
        uint32_t reason = reason_of(making->listing, session_string(making->session, row->reason));
        if (reason == CODE_REASONS_MAX)
            continue;
        struct code_place *place = &making->listing->places[making->places[row->instruction]];
        place->samples[reason] += samples;
        place->costs[CODE_SAMPLES] += samples;
        making->listing->has[CODE_SAMPLES] = true;
    }
}

/* A launch that never reached an instruction may have no row for it, so the number of counted launches is the
 * largest of any row. */
static void take_tallies(struct making *making)
{
    uint32_t launches[CODE_COST_COUNT] = {0};
    for (int adding = 0; adding < 2; adding++)
        for (size_t i = 0; i < making->tally_count; i++) {
            const struct tally_row *row = session_tally(making->session, making->tallies[i]);
            if (making->places[row->instruction] == NONE)
                continue;
            uint32_t own = atomic_load_explicit(&row->launches, memory_order_relaxed);
            enum code_cost cost = code_cost_of_counter(session_string(making->session, row->counter));
            if (cost == CODE_COST_COUNT)
                continue;
            if (adding == 0 && own > launches[cost])
                launches[cost] = own;
            if (adding == 0 || launches[cost] == 0)
                continue;
            making->listing->has[cost] = true;
            making->listing->places[making->places[row->instruction]].costs[cost] +=
                (double)atomic_load_explicit(&row->number, memory_order_relaxed) / launches[cost];
        }
}

void code_listing_of_model(struct code_listing *listing)
{
    listing->provenance = PROVENANCE_MODELLED;
    for (int cost = 0; cost < CODE_COST_COUNT; cost++)
        listing->has[cost] = cost != CODE_SAMPLES;
}

void code_listing_sum(struct code_listing *listing)
{
    for (int cost = 0; cost < CODE_COST_COUNT; cost++) {
        listing->totals[cost] = 0;
        for (uint32_t i = 0; i < listing->count; i++)
            listing->totals[cost] += listing->places[i].costs[cost];
    }
}

enum status code_listing_make(const struct session *session, uint32_t kernel, struct code_listing *listing,
                              struct error *error)
{
    struct making making = {.session = session, .listing = listing, .kernel = kernel};
    enum status status = STATUS_OK;
    *listing = (struct code_listing){.provenance = PROVENANCE_MEASURED};
    if (session_function_count(session) == 0 || kernel >= session_kernel_count(session) ||
        !kernel_is_whole(session, kernel))
        return STATUS_OK;
    const struct kernel_row *row = session_kernel(session, kernel);
    making.group = session_run(session, row->run)->group;
    making.mangled = session_shape(session, row->shape)->mangled;
    /* Read the counts of tables that refer to others first: the rows that they refer to are published by
     * then. */
    making.instruction_count = session_instruction_count(session);
    making.kernel_count = session_kernel_count(session);
    making.function_count = session_function_count(session);
    making.same = calloc(making.kernel_count + 1, 1);
    making.taken = calloc(making.function_count + 1, 1);
    making.places = malloc((making.instruction_count + 1) * sizeof *making.places);
    if (!making.same || !making.taken || !making.places)
        status = STATUS_MEMORY;
    bool any = status == STATUS_OK && take_functions(&making);
    if (making.no_memory)
        status = STATUS_MEMORY;
    if (any && status == STATUS_OK)
        status = take_places(&making);
    if (any && status == STATUS_OK) {
        take_stalls(&making);
        take_tallies(&making);
        if (kernel_on_model(session, kernel)) /* counts all costs; what is 0 is not sent */
            code_listing_of_model(listing);
        code_listing_sum(listing);
    }
    free(making.same);
    free(making.taken);
    free(making.places);
    free(making.tallies);
    if (status == STATUS_OK)
        return STATUS_OK;
    code_listing_fini(listing);
    return error_set(error, status, "Out of memory while listing the instructions of the kernel.");
}

void code_listing_fini(struct code_listing *listing)
{
    free(listing->places);
    free(listing->texts);
    *listing = (struct code_listing){0};
}

double code_excess(const double costs[CODE_COST_COUNT], enum code_cost cost)
{
    double ideal = cost == CODE_SECTORS      ? costs[CODE_IDEAL_SECTORS]
                   : cost == CODE_WAVEFRONTS ? costs[CODE_IDEAL_WAVEFRONTS]
                                             : 0;
    return costs[cost] > ideal ? costs[cost] - ideal : 0;
}

double code_steps(const double costs[CODE_COST_COUNT])
{
    double more = costs[CODE_PASSES] - costs[CODE_ATOMIC_SECTORS]; /* before 2.0 there can be more sectors */
    return costs[CODE_SECTORS] + costs[CODE_LOCAL_SECTORS] + costs[CODE_TEXTURE_SECTORS] +
           costs[CODE_WAVEFRONTS] + (more > 0 ? more : 0);
}

static int compare_reasons(const void *a, const void *b)
{
    const struct code_reason *left = a, *right = b;
    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    return strcmp(left->name, right->name);
}

uint32_t code_reasons(const struct code_listing *listing, const uint32_t *places, uint32_t count,
                      struct code_reason reasons[CODE_REASONS_MAX])
{
    uint32_t found = 0;
    for (uint32_t reason = 0; reason < listing->reason_count; reason++) {
        struct code_reason sum = {.name = listing->reasons[reason]};
        for (uint32_t i = 0; i < count; i++)
            sum.samples += listing->places[places[i]].samples[reason];
        if (sum.samples > 0)
            reasons[found++] = sum;
    }
    qsort(reasons, found, sizeof *reasons, compare_reasons);
    return found;
}

/* ---- lines of the source ---- */

static int compare_places(const void *a, const void *b, void *context)
{
    const struct code_place *places = context;
    const struct code_place *left = &places[*(const uint32_t *)a], *right = &places[*(const uint32_t *)b];
    int order = strcmp(left->file, right->file);
    if (order != 0)
        return order;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static void line_add(struct code_line *line, const struct code_place *place)
{
    line->count++;
    for (int cost = 0; cost < CODE_COST_COUNT; cost++)
        line->costs[cost] += place->costs[cost];
}

enum status code_lines_make(const struct code_listing *listing, struct code_lines *lines, struct error *error)
{
    uint32_t count = listing->count;
    *lines = (struct code_lines){.lines = calloc(count + 1, sizeof *lines->lines),
                                 .places = malloc((count + 1) * sizeof *lines->places)};
    if (!lines->lines || !lines->places) {
        code_lines_fini(lines);
        return error_no_memory(error, "for the lines of the source");
    }
    for (uint32_t i = 0; i < count; i++)
        lines->places[i] = i;
    if (count > 0)
        qsort_r(lines->places, count, sizeof *lines->places, compare_places, listing->places);
    for (uint32_t i = 0; i < count; i++) {
        const struct code_place *place = &listing->places[lines->places[i]];
        struct code_line *last = lines->count == 0 ? NULL : &lines->lines[lines->count - 1];
        if (!last || strcmp(last->file, place->file) != 0 || last->line != place->line) {
            last = &lines->lines[lines->count++];
            *last = (struct code_line){.file = place->file, .line = place->line, .first = i};
        }
        line_add(last, place);
    }
    return STATUS_OK;
}

void code_lines_fini(struct code_lines *lines)
{
    free(lines->lines);
    free(lines->places);
    *lines = (struct code_lines){0};
}
