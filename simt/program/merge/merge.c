/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies the rules of simt/program/merge/merge.h to a decoded program. Accesses that can be merged are
 * collected in windows; window_parts alone decides which accesses replace those of a window.
 */
#include "simt/program/merge/merge.h"

#include "simt/lanes/matrix.h"
#include "simt/program/merge/merge_value.h"

#include <stdlib.h>
#include <string.h>

/* ---- atomics ---- */

/*
 * Decides how ptxas rewrites one atomic instruction (simt/program/merge/merge.h has the rules). Pure; any
 * thread.
 *
 * Has no data. The rules depend on the operation, the type and the space of one atomic instruction, on
 * whether its address is the same for all lanes, and on whether its result is used.
 */

static bool is_constant_1(const struct program *program, uint32_t slot)
{
    for (uint32_t i = 0; i < program->constant_count; i++)
        if (program->constants[i].slot == slot)
            return program->constants[i].bits == 1;
    return false;
}

static bool is_integer(enum ptx_type type)
{
    switch (type) {
    case PTX_B32:
    case PTX_U32:
    case PTX_S32:
    case PTX_B64:
    case PTX_U64:
    case PTX_S64: return true;
    default: return false;
    }
}

/* address: what is known about the instruction's address; wants_result: its destination is read. */
static enum program_rewrite merge_atomic(const struct program *program, uint32_t i,
                                         const struct value_address *address, bool wants_result)
{
    const struct program_instruction *instruction = &program->instructions[i];
    enum program_atomic operation = (enum program_atomic)instruction->sub;
    bool shared = instruction->space == PTX_SHARED, wide = instruction->width_bytes == 8;
    bool integer = is_integer((enum ptx_type)instruction->type);
    bool exchange = operation == ATOMIC_EXCH || operation == ATOMIC_CAS;
    if ((instruction->space != PTX_SHARED && instruction->space != PTX_GLOBAL) ||
        instruction->guard != PROGRAM_NO_SLOT)
        return REWRITE_NONE;
    if (shared && !exchange && (wide || !integer))
        return REWRITE_LOOP;
    if (shared && operation == ATOMIC_ADD && !wants_result && is_constant_1(program, instruction->source[1]))
        return REWRITE_COUNTED;
    if (!address->uniform || !integer)
        return REWRITE_NONE;
    switch (operation) {
    case ATOMIC_ADD:
        if (address->operand_uniform || (!wide && !wants_result))
            return REWRITE_ELECTED;
        return wide ? REWRITE_NONE : REWRITE_ELECTED_OF_32;
    case ATOMIC_MIN:
    case ATOMIC_MAX:
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR: return wide || wants_result ? REWRITE_NONE : REWRITE_ELECTED;
    default: return REWRITE_NONE;
    }
}

/* ---- windows ---- */

struct merge {
    struct program *program;
    struct flow flow;
    struct value_address *addresses;
    bool *read;                   /* by frame offset / 4: whether an instruction reads the slot */
    uint32_t *version;            /* per instruction: version of shared memory before it */
    uint32_t *entering, *leaving; /* per block */
};

static const struct program_instruction *instruction_at(const struct merge *merge, uint32_t i)
{
    return &merge->program->instructions[i];
}

/* ---- which slots are read ---- */
static void merge_find_read(struct merge *merge)
{
    const struct program *program = merge->program;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *instruction = instruction_at(merge, i);
        for (uint32_t s = 0; s < PROGRAM_SOURCES; s++)
            if (instruction->source[s] < program->frame_bytes)
                merge->read[instruction->source[s] / 4] = true;
        for (uint32_t name = MATRIX_A; instruction->op == PROGRAM_MATRIX && name <= MATRIX_C; name++)
            for (uint32_t r = 0; r < instruction->matrix->parts[name].registers; r++)
                merge->read[instruction->matrix->parts[name].slots[r] / 4] = true;
        if (instruction->guard < program->frame_bytes)
            merge->read[instruction->guard / 4] = true;
    }
}

static bool merge_is_read(const struct merge *merge, uint32_t slot)
{
    return slot < merge->program->frame_bytes && merge->read[slot / 4];
}

/* ---- versions of shared memory ---- */
static bool merge_writes_shared(const struct program_instruction *instruction)
{
    switch (instruction->op) {
    case PROGRAM_ST:
    case PROGRAM_ATOM: return instruction->space == PTX_SHARED || instruction->space == PTX_GENERIC;
    case PROGRAM_MATRIX_ST:
    case PROGRAM_CP_ASYNC:
    case PROGRAM_CP_ASYNC_WAIT:
    case PROGRAM_MBARRIER:
    case PROGRAM_MBARRIER_WAIT:
    case PROGRAM_BULK:
    case PROGRAM_BULK_WAIT:
    case PROGRAM_CLUSTER_ARRIVE:
    case PROGRAM_CLUSTER_WAIT:
    case PROGRAM_BAR_SYNC:
    case PROGRAM_BAR_ARRIVE:
    case PROGRAM_BAR_RED:
    case PROGRAM_BAR_WARP:
    case PROGRAM_FENCE:
    case PROGRAM_CALL: return true;
    default: return false;
    }
}

/* Instruction i makes version i + 1. instruction_count + 1 + b is the version at the start of block b if
 * several paths with different versions lead there. 0: not known yet. */
static uint32_t merge_entering(const struct merge *merge, uint32_t b)
{
    const struct flow_block *block = &merge->flow.blocks[b];
    uint32_t own = merge->program->instruction_count + 1 + b, version = 0;
    if (block->entry || merge->entering[b] == own)
        return own;
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        uint32_t before = merge->leaving[block->predecessors[i]];
        if (before && version && before != version)
            return own;
        version = before ? before : version;
    }
    return version;
}

static void merge_find_versions(struct merge *merge)
{
    const struct flow *flow = &merge->flow;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t o = 0; o < flow->order_count; o++) {
            uint32_t b = flow->order[o], version = merge_entering(merge, b);
            merge->entering[b] = version;
            for (uint32_t i = flow->blocks[b].first; i < flow->blocks[b].first + flow->blocks[b].count; i++) {
                merge->version[i] = version;
                version = merge_writes_shared(instruction_at(merge, i)) ? i + 1 : version;
            }
            changed = changed || merge->leaving[b] != version;
            merge->leaving[b] = version;
        }
    }
}

/* ---- windows ---- */
/* Bytes of an element for merging: vectors of bytes and half words of up to 4 bytes count as words. */
static uint32_t merge_element_bytes(const struct program_instruction *instruction)
{
    uint32_t element = instruction->width_bytes / (instruction->vector ? instruction->vector : 1u);
    if (element < 4 && instruction->vector > 1)
        return instruction->width_bytes;
    return element;
}

/* The accesses that replace those of a window: a load may also cover elements between the wanted ones; a
 * store covers only elements that are all written. `wanted` has one bit for each element of element_bytes;
 * offsets of the parts are from the start of the window. */
static uint32_t window_parts(uint32_t wanted, uint32_t element_bytes, uint32_t elements, bool load,
                             struct program_part parts[PROGRAM_PARTS])
{
    uint32_t all = (1u << elements) - 1, count = 0;
    if (wanted == all || (load && elements == 4 && __builtin_popcount(wanted) == 3)) {
        parts[0] = (struct program_part){0, (uint8_t)(elements * element_bytes)};
        return 1;
    }
    for (uint32_t e = 0; e < elements; e += 2) {
        uint32_t pair = wanted >> e & 3u;
        if (pair == 3 && elements > 1) {
            parts[count++] = (struct program_part){(int8_t)(e * element_bytes), (uint8_t)(2 * element_bytes)};
        } else if (pair) {
            uint32_t single = e + (pair == 2);
            parts[count++] = (struct program_part){(int8_t)(single * element_bytes), (uint8_t)element_bytes};
        }
    }
    return count;
}

/* The part of its window that a load or store accesses. */
struct want {
    uint32_t instruction, version, root;
    int64_t window;                   /* where the window begins */
    uint32_t element_bytes, elements; /* of the window */
    uint32_t wanted;                  /* one bit each */
    uint32_t place;                   /* its position in an order in which dominators come first */
    bool alone;                       /* is not merged with others: global memory */
};

#define WINDOW_STORES 4 /* maximum number of stores to one window that do not overlap */

static bool want_goes_with(const struct want *a, const struct want *b)
{
    return !a->alone && !b->alone && a->version == b->version && a->root == b->root &&
           a->window == b->window && a->element_bytes == b->element_bytes && a->elements == b->elements;
}

/* The window of an access: 16 bytes, 8, or its own size, depending on the alignment of its root; 8 or 4 for
 * half words. */
static struct want want_make(const struct merge *merge, uint32_t i, uint32_t element_bytes)
{
    const struct program_instruction *instruction = instruction_at(merge, i);
    const struct value_address *address = &merge->addresses[i];
    uint32_t most = element_bytes == 2 ? 8 : 16, bytes = most;
    while (bytes > instruction->width_bytes && address->zeros < (uint32_t)__builtin_ctz(bytes))
        bytes /= 2;
    bool known = address->zeros >= (uint32_t)__builtin_ctz(bytes);
    int64_t window = known ? address->constant & -(int64_t)bytes : address->constant;
    if (address->constant + instruction->width_bytes > window + (int64_t)bytes) {
        known = false; /* misaligned */
        window = address->constant;
        bytes = instruction->width_bytes;
    }
    uint32_t first = (uint32_t)(address->constant - window) / element_bytes;
    uint32_t count = instruction->width_bytes / element_bytes;
    return (struct want){.instruction = i,
                         .version = merge->version[i],
                         .root = address->root,
                         .window = window,
                         .element_bytes = element_bytes,
                         .elements = bytes / element_bytes,
                         .wanted = ((1u << count) - 1) << first,
                         .alone = instruction->space != PTX_SHARED};
}

/* Replaces the instruction by these parts of the window. */
static void merge_set_parts(struct merge *merge, const struct want *want, const struct program_part *parts,
                            uint32_t count)
{
    struct program_instruction *instruction = &merge->program->instructions[want->instruction];
    int64_t from = merge->addresses[want->instruction].constant - want->window;
    bool as_it_stands = count == 1 && parts[0].offset == from && parts[0].bytes == instruction->width_bytes;
    if (as_it_stands)
        return;
    instruction->rewrite = REWRITE_PARTS;
    instruction->part_count = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++)
        instruction->parts[i] = (struct program_part){(int8_t)(parts[i].offset - from), parts[i].bytes};
}

static uint32_t part_elements(const struct want *want, const struct program_part *part)
{
    uint32_t count = part->bytes / want->element_bytes;
    return ((1u << count) - 1) << ((uint32_t)part->offset / want->element_bytes);
}

/* ---- loads ---- */
static bool merge_is_open(const struct program_instruction *instruction)
{
    return instruction->guard == PROGRAM_NO_SLOT && instruction->cache != CACHE_VOLATILE;
}

/* One bit for each destination that is read. */
static uint32_t merge_read_elements(const struct merge *merge, const struct program_instruction *instruction)
{
    uint32_t read = 0;
    for (uint32_t d = 0; d < instruction->vector && d < PROGRAM_VECTOR; d++)
        read |= (uint32_t)merge_is_read(merge, instruction->destination[d]) << d;
    return read;
}

/* Finds the elements that a load of shared or global memory needs, which may be fewer than it names. */
static bool want_make_load(struct merge *merge, uint32_t i, struct want *want)
{
    struct program_instruction *instruction = &merge->program->instructions[i];
    if (instruction->op != PROGRAM_LD || !merge_is_open(instruction) ||
        (instruction->space != PTX_SHARED && instruction->space != PTX_GLOBAL))
        return false;
    uint32_t read = merge_read_elements(merge, instruction), element_bytes = merge_element_bytes(instruction);
    if (!read) {
        instruction->rewrite = REWRITE_FOLDED;
        return false;
    }
    if (element_bytes < 4)
        return false;
    *want = want_make(merge, i, element_bytes);
    if (element_bytes * instruction->vector == instruction->width_bytes) { /* not a word made of bytes */
        uint32_t first = (uint32_t)__builtin_ctz(want->wanted);
        want->wanted &= read << first;
    }
    return true;
}

/* Returns whether the leader's load can also fetch the elements of `other`. */
static bool want_follows(const struct merge *merge, const struct want *leader, const struct want *other)
{
    return other->instruction != FLOW_NONE &&
           flow_dominates(&merge->flow, leader->instruction, other->instruction) &&
           flow_loops_within(&merge->flow, leader->instruction, other->instruction);
}

/* The first of wants[0 ... count - 1], all of one window, leads: it gets the parts that contain its elements.
 * Those whose elements are all in these parts are folded into it and marked with FLOW_NONE. */
static void merge_lead(struct merge *merge, struct want *wants, uint32_t count)
{
    struct want *leader = &wants[0];
    struct program_part parts[PROGRAM_PARTS], own[PROGRAM_PARTS];
    uint32_t own_count = 0, covered = 0, wanted = leader->wanted;
    for (uint32_t i = 1; i < count; i++)
        wanted |= want_follows(merge, leader, &wants[i]) ? wants[i].wanted : 0;
    uint32_t part_count = window_parts(wanted, leader->element_bytes, leader->elements, true, parts);
    for (uint32_t i = 0; i < part_count; i++) {
        if (part_elements(leader, &parts[i]) & leader->wanted) {
            covered |= part_elements(leader, &parts[i]);
            own[own_count++] = parts[i];
        }
    }
    merge_set_parts(merge, leader, own, own_count);
    for (uint32_t i = 1; i < count; i++) {
        if (!(wants[i].wanted & ~covered) && want_follows(merge, leader, &wants[i])) {
            merge->program->instructions[wants[i].instruction].rewrite = REWRITE_FOLDED;
            wants[i].instruction = FLOW_NONE;
        }
    }
}

static int want_compare(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    if (x->alone != y->alone)
        return x->alone ? 1 : -1;
    if (x->version != y->version)
        return x->version < y->version ? -1 : 1;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    if (x->window != y->window)
        return x->window < y->window ? -1 : 1;
    if (x->element_bytes != y->element_bytes)
        return x->element_bytes < y->element_bytes ? -1 : 1;
    if (x->elements != y->elements)
        return x->elements < y->elements ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void merge_loads(struct merge *merge, struct want *wants)
{
    const struct flow *flow = &merge->flow;
    uint32_t count = 0;
    for (uint32_t o = 0; o < flow->order_count; o++) {
        const struct flow_block *block = &flow->blocks[flow->order[o]];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            if (want_make_load(merge, i, &wants[count])) {
                wants[count].place = count;
                count++;
            }
        }
    }
    qsort(wants, count, sizeof *wants, want_compare);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && want_goes_with(&wants[first], &wants[end]); end++) {
        }
        for (uint32_t i = first; i < end; i++)
            if (wants[i].instruction != FLOW_NONE)
                merge_lead(merge, &wants[i], end - i);
    }
}

/* ---- stores ---- */
/* Stores to one window, one after the other. If the first one is a vector, narrower stores of its window are
 * not merged with each other either: `spoilt` is set until the window changes. */
struct run {
    struct want wants[WINDOW_STORES];
    uint32_t count, written, first_bytes;
    bool spoilt;
};

static void run_end(struct merge *merge, struct run *run)
{
    const struct want *first = &run->wants[0];
    struct program_part parts[PROGRAM_PARTS];
    uint32_t part_count =
        run->count ? window_parts(run->written, first->element_bytes, first->elements, false, parts) : 0;
    for (uint32_t p = 0; p < part_count; p++) {
        bool led = false;
        for (uint32_t i = 0; i < run->count; i++) {
            if (!(run->wants[i].wanted & part_elements(first, &parts[p])))
                continue;
            if (led)
                merge->program->instructions[run->wants[i].instruction].rewrite = REWRITE_FOLDED;
            else
                merge_set_parts(merge, &run->wants[i], &parts[p], 1);
            led = true;
        }
    }
    run->count = run->written = 0;
}

static void run_add(struct merge *merge, struct run *run, const struct want *want)
{
    uint32_t bytes = instruction_at(merge, want->instruction)->width_bytes;
    bool same = run->count && want_goes_with(&run->wants[0], want);
    bool narrower = same && bytes < run->first_bytes;
    if (!same || narrower || run->spoilt || (run->written & want->wanted)) {
        run_end(merge, run);
        run->spoilt = same && (narrower || run->spoilt);
    }
    if (run->count == 0)
        run->first_bytes = bytes;
    run->wants[run->count++] = *want;
    run->written |= want->wanted;
}

static void merge_stores(struct merge *merge)
{
    struct run run = {0};
    for (uint32_t b = 0; b < merge->flow.block_count; b++) {
        const struct flow_block *block = &merge->flow.blocks[b];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct program_instruction *instruction = instruction_at(merge, i);
            bool shared = instruction->space == PTX_SHARED || instruction->space == PTX_GENERIC;
            uint32_t element_bytes = merge_element_bytes(instruction);
            if (instruction->op == PROGRAM_ST && instruction->space == PTX_SHARED &&
                merge_is_open(instruction) && element_bytes > 1) {
                struct want want = want_make(merge, i, element_bytes);
                want.version = 0; /* each store changes it */
                run_add(merge, &run, &want);
            } else if (merge_writes_shared(instruction) ||
                       (instruction->op == PROGRAM_LD && shared && instruction->rewrite != REWRITE_FOLDED)) {
                run_end(merge, &run);
            }
        }
        run_end(merge, &run);
    }
}

/* ---- atomics ---- */
static void merge_atomics(struct merge *merge)
{
    for (uint32_t i = 0; i < merge->program->instruction_count; i++) {
        if (instruction_at(merge, i)->op == PROGRAM_ATOM) {
            merge->program->instructions[i].rewrite =
                (uint8_t)merge_atomic(merge->program, i, &merge->addresses[i],
                                      merge_is_read(merge, instruction_at(merge, i)->destination[0]));
        }
    }
}

enum status program_merge(struct program *program, struct error *error)
{
    struct merge merge = {.program = program};
    struct want *wants = NULL;
    size_t count = (size_t)program->instruction_count + 1;
    enum status status = flow_init(&merge.flow, program, error);
    if (status != STATUS_OK)
        return status;
    status = value_addresses(&merge.addresses, program, &merge.flow, error);
    if (status != STATUS_OK) {
        flow_fini(&merge.flow);
        return status;
    }
    merge.read = calloc(program->frame_bytes / 4 + 1, sizeof *merge.read);
    merge.version = calloc(count, sizeof *merge.version);
    merge.entering = calloc(count, sizeof *merge.entering);
    merge.leaving = calloc(count, sizeof *merge.leaving);
    wants = calloc(count, sizeof *wants);
    if (!merge.read || !merge.version || !merge.entering || !merge.leaving || !wants) {
        status = error_no_memory(error, "to merge the accesses of %s", program->entry->name);
    } else {
        merge_find_read(&merge);
        merge_find_versions(&merge);
        merge_loads(&merge, wants);
        merge_stores(&merge);
        merge_atomics(&merge);
    }
    free(merge.read);
    free(merge.version);
    free(merge.entering);
    free(merge.leaving);
    free(wants);
    free(merge.addresses);
    flow_fini(&merge.flow);
    return status;
}
