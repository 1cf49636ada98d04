/*
 * A listing is filled in three steps: places from the instructions of the kernel's functions, then costs and
 * samples of the runs of its work by place, then totals. Places stand in order of function and pc, in which
 * they are found; what was measured at an instruction without a place is left out.
 */
#include "core/analysis/code_costs.h"

#include "core/analysis/kernel_sources.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

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
           (of == NULL || of->group == making->group);
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
    if (sorted == NULL)
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
    making->listing->count = making->listing->places == NULL ? 0 : count;
    for (uint32_t i = 0; i < making->listing->count; i++) {
        const struct instruction_row *row = session_instruction(session, sorted[i].instruction);
        if (row == NULL)
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
    return making->listing->places == NULL ? STATUS_MEMORY : STATUS_OK;
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
    for (uint32_t i = 0; (row = session_stall(making->session, i)) != NULL; i++) {
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
    if (making.same == NULL || making.taken == NULL || making.places == NULL)
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
