/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk holds, for each register, the cycle at which its value is ready, and goes through
 * the basic blocks that the warps of the launch executed. `first` and `follows` are the cycles of a block
 * when it is entered and when it follows itself; the chain is their sum, weighted with the executions
 * that were counted.
 */
#include "simt/timing/chain.h"

#include "simt/lanes/matrix.h"
#include "simt/lanes/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what ptxas expands ---- */

/*
 * What ptxas makes of PTX instructions that are not one instruction of the GPU: divisions, remainders, roots,
 * functions. For simt/timing/chain: it changes times, no counts. Pure; any thread.
 *
 * The compiler's own figures: instructions counted in the machine code that ptxas 13.0.88 -arch=sm_90 -O3
 * makes of a kernel with this one instruction, on the way without denormals, infinities and the like. Other
 * GPUs take them over. Conversions from and to 64 bits, and counts of bits, are one instruction at the rate
 * of special functions (CUDA Programming Guide, 5.4.1).
 */

/* Machine instructions of one execution, by the unit that executes them; the way that ordinary operands
 * take. */
struct expand_row {
    const char *opcode, *type;                       /* type: a modifier that the instruction has */
    const char *with, *without;                      /* modifiers that it has, and does not have; or NULL */
    uint8_t integer, single, real, special, convert; /* single: of 32 bits, real: of 64 */
};

/* clang-format off: a table. The first row that fits is taken. */
static const struct expand_row rows[] = {
    /* opcode, type, with, without          integer, single, real, special, convert */
    {"div", "f32", "rn", NULL, 1, 6, 0, 1, 0},       {"div", "f32", "full", "ftz", 0, 7, 0, 1, 0},
    {"div", "f32", "approx", "ftz", 0, 4, 0, 1, 0},  {"rcp", "f32", "rn", NULL, 4, 3, 0, 1, 0},
    {"rcp", "f32", "approx", "ftz", 1, 6, 0, 1, 0},  {"sqrt", "f32", "rn", NULL, 3, 4, 0, 1, 0},
    {"div", "f32", "full", NULL, 0, 4, 0, 1, 0},     {"div", "f32", "approx", NULL, 0, 1, 0, 1, 0},
    {"sqrt", "f32", "approx", "ftz", 0, 3, 0, 1, 0}, {"rsqrt", "f32", "approx", "ftz", 0, 3, 0, 1, 0},
    {"ex2", "f32", "approx", "ftz", 0, 3, 0, 1, 0},  {"lg2", "f32", "approx", "ftz", 0, 3, 0, 1, 0},
    {"sin", "f32", "approx", NULL, 0, 1, 0, 1, 0},   {"cos", "f32", "approx", NULL, 0, 1, 0, 1, 0},
    {"div", "f64", NULL, NULL, 2, 3, 8, 1, 0},       {"rcp", "f64", "rn", NULL, 2, 1, 5, 1, 0},
    {"sqrt", "f64", NULL, NULL, 7, 0, 8, 1, 0},      {"div", "u32", NULL, NULL, 15, 0, 0, 1, 2},
    {"div", "s32", NULL, NULL, 22, 0, 0, 1, 2},      {"rem", "u32", NULL, NULL, 14, 0, 0, 1, 2},
    {"rem", "s32", NULL, NULL, 20, 0, 0, 1, 2},      {"div", "u64", NULL, NULL, 70, 0, 0, 1, 2},
    {"div", "s64", NULL, NULL, 86, 0, 0, 1, 2},      {"rem", "u64", NULL, NULL, 66, 0, 0, 1, 2},
    {"rem", "s64", NULL, NULL, 80, 0, 0, 1, 2},      {"mul", "s64", "lo", NULL, 4, 0, 0, 0, 0},
    {"mul", "u64", "lo", NULL, 4, 0, 0, 0, 0},       {"mad", "s64", "lo", NULL, 4, 0, 0, 0, 0},
    {"mad", "u64", "lo", NULL, 4, 0, 0, 0, 0},       {"cvt", "f64", NULL, NULL, 0, 0, 0, 1, 0},
    {"cvt", "f32", "s64", NULL, 0, 0, 0, 1, 0},      {"cvt", "f32", "u64", NULL, 0, 0, 0, 1, 0},
    {"popc", "b32", NULL, NULL, 0, 0, 0, 1, 0},      {"brev", "b32", NULL, NULL, 0, 0, 0, 1, 0},
    {"clz", "b32", NULL, NULL, 1, 0, 0, 1, 0},       {"bfind", "u32", NULL, NULL, 0, 0, 0, 1, 0},
    {"bfind", "s32", NULL, NULL, 0, 0, 0, 1, 0},
};
/* clang-format on */

static bool has_modifier(const struct ptx_instruction *text, const char *modifier)
{
    for (uint32_t i = 0; i < text->modifier_count; i++)
        if (strcmp(text->modifiers[i], modifier) == 0)
            return true;
    return false;
}

/* NULL: one instruction, of the class that the program gives. */
static const struct expand_row *expand_find(const struct program *program, uint32_t instruction)
{
    const struct program_instruction *is = &program->instructions[instruction];
    const struct program_origin *origin = &program->origins[is->origin];
    const struct ptx_instruction *text = &origin->function->instructions[origin->instruction];

    if (is->op != PROGRAM_LANES)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (*text->opcode == *rows[i].opcode && strcmp(text->opcode, rows[i].opcode) == 0 &&
            has_modifier(text, rows[i].type) && (!rows[i].with || has_modifier(text, rows[i].with)) &&
            (!rows[i].without || !has_modifier(text, rows[i].without)))
            return &rows[i];
    return NULL;
}

/* ---- integer multiplications ---- */

/*
 * A register is a masked one if the one instruction that writes it is `and` with 0xffffff. PTX from nvcc
 * writes nearly all registers once; one that is written at several places is no masked one.
 */

#define BITS_24 0xffffffu
#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

struct search {
    const struct program *program;
    uint8_t *kinds;
    uint32_t
        *writer; /* by word of the frame, had each register its own slot: the instruction, NOBODY, SEVERAL */
};

static bool constant_of(const struct program *program, uint32_t slot, uint64_t *bits)
{
    for (uint32_t i = 0; i < program->constant_count; i++) {
        if (program->constants[i].slot == slot) {
            *bits = program->constants[i].bits;
            return true;
        }
    }
    return false;
}

static const struct ptx_instruction *text_of(const struct program *program, uint32_t at)
{
    const struct program_origin *origin = &program->origins[program->instructions[at].origin];

    return &origin->function->instructions[origin->instruction];
}

static void find_writers(struct search *search)
{
    const struct program *program = search->program;

    for (uint32_t i = 0; i <= program->name_bytes / 4; i++)
        search->writer[i] = NOBODY;
    for (uint32_t at = 0; at < program->instruction_count; at++) {
        const struct program_names names = program_names_at(program, at);
        for (int i = 0; i < PROGRAM_VECTOR; i++) {
            uint32_t slot = names.destination[i];
            if (slot != PROGRAM_NO_SLOT)
                search->writer[slot / 4] = search->writer[slot / 4] == NOBODY ? at : SEVERAL;
        }
    }
}

static bool is_mask(const struct search *search, uint32_t at)
{
    const struct program_instruction *is = &search->program->instructions[at];
    uint64_t bits;

    return is->op == PROGRAM_LANES && is->destination[0] != PROGRAM_NO_SLOT &&
           search->writer[program_names_at(search->program, at).destination[0] / 4] == at &&
           strcmp(text_of(search->program, at)->opcode, "and") == 0 &&
           ((is->source[0] != PROGRAM_NO_SLOT && constant_of(search->program, is->source[0], &bits) &&
             bits == BITS_24) ||
            (is->source[1] != PROGRAM_NO_SLOT && constant_of(search->program, is->source[1], &bits) &&
             bits == BITS_24));
}

/* The mask that wrote this source, or NOBODY; kinds say which are masks. */
static uint32_t mask_of(const struct search *search, uint32_t at, int source)
{
    const uint32_t slot = program_names_at(search->program, at).source[source];
    const uint32_t writer = slot == PROGRAM_NO_SLOT ? NOBODY : search->writer[slot / 4];

    return writer < SEVERAL && search->kinds[writer] == MULTIPLY_MASK ? writer : NOBODY;
}

static bool is_24_bits(const struct search *search, uint32_t at, int source)
{
    const uint32_t slot = search->program->instructions[at].source[source];
    uint64_t bits;

    return mask_of(search, at, source) != NOBODY ||
           (slot != PROGRAM_NO_SLOT && constant_of(search->program, slot, &bits) && bits <= BITS_24);
}

static bool is_power_of_two(const struct search *search, uint32_t slot)
{
    uint64_t bits;

    return slot != PROGRAM_NO_SLOT && constant_of(search->program, slot, &bits) && (bits & (bits - 1)) == 0;
}

static enum multiply_kind kind_of(const struct search *search, uint32_t at)
{
    const struct program_instruction *is = &search->program->instructions[at];
    const struct ptx_instruction *text = text_of(search->program, at);

    if (is->op != PROGRAM_LANES)
        return MULTIPLY_NONE;
    if (strcmp(text->opcode, "mul24") == 0 || strcmp(text->opcode, "mad24") == 0)
        return MULTIPLY_24;
    if ((strcmp(text->opcode, "mul") != 0 && strcmp(text->opcode, "mad") != 0) ||
        !(has_modifier(text, "u32") || has_modifier(text, "s32")) || is_power_of_two(search, is->source[0]) ||
        is_power_of_two(search, is->source[1]))
        return MULTIPLY_NONE;
    return has_modifier(text, "lo") && is_24_bits(search, at, 0) && is_24_bits(search, at, 1) ? MULTIPLY_24
                                                                                              : MULTIPLY_32;
}

/* Masks whose result is used elsewhere too remain instructions. */
static void find_other_uses(const struct search *search)
{
    const struct program *program = search->program;

    for (uint32_t at = 0; at < program->instruction_count; at++) {
        for (int i = search->kinds[at] == MULTIPLY_24 ? 2 : 0; i < PROGRAM_SOURCES; i++) {
            uint32_t mask = mask_of(search, at, i);
            if (mask != NOBODY)
                search->kinds[mask] = MULTIPLY_NONE;
        }
    }
}

enum status multiply_find(const struct program *program, uint8_t *kinds, struct error *error)
{
    struct search search = {.program = program, .kinds = kinds};

    search.writer = malloc((program->name_bytes / 4 + 1) * sizeof *search.writer);
    if (!search.writer)
        return error_no_memory(error, "to estimate the time of %s", program->entry->name);
    find_writers(&search);
    for (uint32_t at = 0; at < program->instruction_count; at++)
        kinds[at] = is_mask(&search, at) ? MULTIPLY_MASK : MULTIPLY_NONE;
    for (uint32_t at = 0; at < program->instruction_count; at++)
        if (kinds[at] != MULTIPLY_MASK)
            kinds[at] = (uint8_t)kind_of(&search, at);
    find_other_uses(&search);
    free(search.writer);
    return STATUS_OK;
}

/* ---- the walk ---- */

#define STEPS_MOST 2000000 /* of all walks together: after that loops are taken as they are entered */

/* A branch over as many instructions is none in machine code: they get its predicate (CUDA C Programming
 * Guide 4.2, 5.4.2). */
#define PREDICATED_MOST 7
#define MOVE_LOOKBACK 256 /* instructions of a block before a move */
#define ITERATIONS_BEFORE 16
#define ITERATIONS_TAKEN 4
#define GROUPS 16 /* of cp.async that are remembered */

enum order { ORDER_GLOBAL, ORDER_SHARED, ORDER_LOCAL, ORDER_COUNT };

/* Times are cycles since the warp's first instruction. */
struct walk {
    const struct counter *counter;
    const struct chain_latencies *latencies;
    double *ready;           /* by word of the frame, had each register its own slot: when it is ready */
    double *first, *follows; /* by instruction that begins a block: its cycles; follows -1: no loop */
    double *scratch;
    bool *begins;
    uint8_t *multiplies;               /* per instruction: enum multiply_kind */
    const struct expand_row **expands; /* per instruction; NULL: it is one in machine code */
    bool *waits;                       /* by instruction: a move that remains an instruction */
    double start, end, floor;          /* of the block; nothing in it starts before floor */
    double issued;                     /* in the block */
    double stored[ORDER_COUNT];        /* when the last store to a space started */
    double fetched[2]; /* when prefetched data are ready: in this iteration of a loop, in the last one */
    double open;       /* cp.async: when the uncommitted copies are complete */
    double committed[GROUPS]; /* and the groups before it, each including those before it */
    uint32_t groups;
    double bulk; /* when all copies in bulk are complete */
    uint64_t steps;
};

/* Is the instruction one for which ptxas emits nothing: a move, a conversion of an address, a parameter? */
static bool chain_is_free(const struct program *program, uint32_t instruction)
{
    static const char *const free_opcodes[] = {"mov", "cvta"};
    const struct program_instruction *is = &program->instructions[instruction];
    const struct program_origin *origin = &program->origins[is->origin];
    const char *opcode = origin->function->instructions[origin->instruction].opcode;

    if (is->rewrite == REWRITE_FOLDED || (is->op == PROGRAM_LD && is->space == PTX_PARAM))
        return true;
    for (size_t i = 0; i < sizeof free_opcodes / sizeof *free_opcodes; i++)
        if (is->op == PROGRAM_LANES && strcmp(opcode, free_opcodes[i]) == 0)
            return true;
    return false;
}

/* On the GPU at hand, that is. */
static bool is_free(const struct walk *walk, uint32_t at)
{
    return chain_is_free(walk->counter->program, at) ||
           (walk->latencies->multiply_24 && walk->multiplies[at] == MULTIPLY_MASK);
}

static bool is_multiply(const struct walk *walk, uint32_t at)
{
    return walk->multiplies[at] == MULTIPLY_32 ||
           (walk->multiplies[at] == MULTIPLY_24 && !walk->latencies->multiply_24);
}

static double shared_latency(const struct walk *walk, uint32_t at)
{
    const struct count_instruction *count = &walk->counter->instructions[at];
    double passes = count->requests ? (double)count->transfers / (double)count->requests : 1;

    return walk->latencies->shared + (passes > 1 ? passes - 1 : 0);
}

/* A generic access takes the time of the space in which its addresses were. */
static double generic_latency(const struct walk *walk, uint32_t at, double far)
{
    const struct counter *counter = walk->counter;
    double shared = (double)count_so_far(counter, at, PTX_SHARED)->requests,
           other = (double)(count_so_far(counter, at, PTX_GLOBAL)->requests +
                            count_so_far(counter, at, PTX_LOCAL)->requests);

    return shared > 0 ? (shared * walk->latencies->shared + other * far) / (shared + other) : far;
}

/* The time that a load waits in addition to its latency, for words that the previous iteration prefetched,
 * which is the shortest distance of a prefetch. */
static double prefetch_wait(const struct walk *walk, const struct program_instruction *is, double time)
{
    bool far = is->op == PROGRAM_LD && (is->space == PTX_GLOBAL || is->space == PTX_GENERIC);

    return far ? fmax(walk->fetched[1] - time, 0) : 0;
}

static double load_latency(const struct walk *walk, const struct program_instruction *is, uint32_t at)
{
    const struct chain_latencies *l = walk->latencies;

    switch ((enum ptx_space)is->space) {
    case PTX_SHARED: return shared_latency(walk, at);
    case PTX_CONST:
    case PTX_PARAM: return l->constant;
    case PTX_LOCAL: return l->local;
    case PTX_GENERIC: return generic_latency(walk, at, l->global);
    default: return l->global;
    }
}

/* How many products m16n8k16 of halves take as long; 1 for other instructions. Per product: TF32 twice as
 * long, doubles eight times, bytes and less half as long (H100 white paper). */
static double matrix_weight(const struct program_instruction *is)
{
    if (is->op != PROGRAM_MATRIX)
        return 1;
    double halves = is->operations / 128.0;
    switch (is->matrix->parts[MATRIX_A].type) {
    case MATRIX_F16:
    case MATRIX_BF16: return halves;
    case MATRIX_TF32: return halves * 2;
    case MATRIX_F64: return halves * 8;
    default: return halves / 2;
    }
}

/* Each waits for the one before it. */
static double expanded_latency(const struct chain_latencies *l, const struct expand_row *row)
{
    return (row->integer + row->single) * l->arithmetic + row->real * l->double_precision +
           (row->special + row->convert) * l->special;
}

static double expanded_issues(const struct walk *walk, uint32_t at)
{
    const struct expand_row *row = walk->expands[at];

    return row ? row->integer + row->single + row->real + row->special + row->convert : 1;
}

static double latency_of(const struct walk *walk, const struct program_instruction *is, uint32_t at)
{
    const struct chain_latencies *l = walk->latencies;

    switch ((enum program_op)is->op) {
    case PROGRAM_LD: return load_latency(walk, is, at);
    case PROGRAM_MATRIX: return l->matrix;
    case PROGRAM_MATRIX_LD: return shared_latency(walk, at);
    case PROGRAM_TEX:
    case PROGRAM_SURFACE: return l->global;
    case PROGRAM_ATOM:
        return is->space == PTX_SHARED    ? shared_latency(walk, at)
               : is->space == PTX_GENERIC ? generic_latency(walk, at, l->atomic)
                                          : l->atomic;
    case PROGRAM_SHFL:
    case PROGRAM_VOTE:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX: return l->shuffle;
    case PROGRAM_MBARRIER_WAIT: return l->shared;
    case PROGRAM_CLUSTER_WAIT:
    case PROGRAM_BAR_SYNC:
    case PROGRAM_BAR_RED: return l->barrier;
    default: break;
    }
    if (is_multiply(walk, at))
        return l->multiply;
    if (walk->expands[at])
        return expanded_latency(l, walk->expands[at]);
    switch ((enum program_class)is->class) {
    case CLASS_DOUBLE: return l->double_precision;
    case CLASS_SPECIAL_FUNCTION:
    case CLASS_CONVERT: return l->special;
    default: return l->arithmetic;
    }
}

static double operands_ready(const struct walk *walk, const struct program_names *names)
{
    double ready = 0;

    for (int i = 0; i < PROGRAM_SOURCES; i++)
        if (names->source[i] != PROGRAM_NO_SLOT)
            ready = fmax(ready, walk->ready[names->source[i] / 4]);
    return names->guard == PROGRAM_NO_SLOT ? ready : fmax(ready, walk->ready[names->guard / 4]);
}

static void results_at(struct walk *walk, const struct program_names *names, double time)
{
    for (int i = 0; i < PROGRAM_VECTOR; i++)
        if (names->destination[i] != PROGRAM_NO_SLOT)
            walk->ready[names->destination[i] / 4] = time;
}

/* The spaces whose stores an access may not overtake, as first and last of the enum's order. */
static void orders_of(const struct program_instruction *is, int *first, int *last)
{
    *first = *last = is->space == PTX_SHARED  ? ORDER_SHARED
                     : is->space == PTX_LOCAL ? ORDER_LOCAL
                                              : ORDER_GLOBAL;
    if (is->space == PTX_GENERIC)
        *last = ORDER_LOCAL;
}

/* The earliest start of a memory access with respect to those before it. */
static double order_floor(struct walk *walk, const struct program_instruction *is)
{
    double floor = 0;
    int first, last;

    if (is->op != PROGRAM_LD && is->op != PROGRAM_ST && is->op != PROGRAM_ATOM &&
        is->op != PROGRAM_MATRIX_LD && is->op != PROGRAM_MATRIX_ST)
        return 0;
    if (is->space == PTX_CONST || is->space == PTX_PARAM ||
        (is->op == PROGRAM_LD && is->cache == CACHE_READ_ONLY))
        return 0;
    orders_of(is, &first, &last);
    for (int i = first; i <= last; i++)
        floor = fmax(floor, walk->stored[i]);
    return floor;
}

static void order_note(struct walk *walk, const struct program_instruction *is, double time)
{
    int first, last;

    if (is->op != PROGRAM_ST && is->op != PROGRAM_ATOM && is->op != PROGRAM_MATRIX_ST)
        return;
    orders_of(is, &first, &last);
    for (int i = first; i <= last; i++)
        walk->stored[i] = fmax(walk->stored[i], time);
}

static void copies_commit(struct walk *walk)
{
    double before = walk->groups ? walk->committed[(walk->groups - 1) % GROUPS] : 0;

    walk->committed[walk->groups++ % GROUPS] = fmax(before, walk->open);
    walk->open = 0;
}

/* When all groups except the last `open` ones are complete; UINT32_MAX: also uncommitted copies. */
static double copies_ready(const struct walk *walk, uint32_t open)
{
    if (open == UINT32_MAX)
        return fmax(walk->open, copies_ready(walk, 0));
    return walk->groups > open ? walk->committed[(walk->groups - 1 - open) % GROUPS] : 0;
}

/* ptxas turns loops over, so that a pass has one branch, the one with a condition. */
static bool stays_a_branch(const struct program_instruction *is, uint32_t at)
{
    return is->guard != PROGRAM_NO_SLOT && (is->target <= at || is->target > at + 1 + PREDICATED_MOST);
}

static void instruction_step(struct walk *walk, uint32_t at)
{
    const struct program_instruction *is = &walk->counter->program->instructions[at];
    const struct program_names names = program_names_at(walk->counter->program, at);
    double time = fmax(operands_ready(walk, &names), walk->floor);

    walk->steps++;
    if (is_free(walk, at)) {
        results_at(walk, &names, time);
        if (walk->waits[at]) {
            walk->floor = time;
            walk->end = fmax(walk->end, time);
        }
        return;
    }
    time = fmax(time, fmax(walk->start, order_floor(walk, is)));
    switch ((enum program_op)is->op) {
    case PROGRAM_PREFETCH: walk->fetched[0] = fmax(walk->fetched[0], time + walk->latencies->prefetch); break;
    case PROGRAM_CP_ASYNC: walk->open = fmax(walk->open, time + walk->latencies->global); break;
    case PROGRAM_CP_ASYNC_COMMIT: copies_commit(walk); break;
    case PROGRAM_CP_ASYNC_WAIT: walk->floor = time = fmax(time, copies_ready(walk, is->immediate)); break;
    case PROGRAM_BULK: walk->bulk = fmax(walk->bulk, time + walk->latencies->global); break;
    case PROGRAM_MBARRIER_WAIT:
    case PROGRAM_BULK_WAIT: walk->floor = time = fmax(time, fmax(walk->bulk, walk->open)); break;
    case PROGRAM_CLUSTER_WAIT:
    case PROGRAM_BAR_SYNC:
    case PROGRAM_BAR_RED:
    case PROGRAM_BAR_WARP:
    case PROGRAM_FENCE:
        time = fmax(time, walk->end);
        walk->floor = time + (is->op == PROGRAM_BAR_WARP ? 1 : latency_of(walk, is, at));
        break;
    case PROGRAM_BRA:
        if (stays_a_branch(is, at))
            walk->floor = fmax(walk->floor, time + walk->latencies->branch);
        break;
    default: break;
    }
    order_note(walk, is, time);
    results_at(walk, &names, time + prefetch_wait(walk, is, time) + latency_of(walk, is, at));
    walk->end = fmax(walk->end, fmax(time + 1, walk->floor));
    walk->issued += expanded_issues(walk, at);
}

static void block_begin(struct walk *walk)
{
    walk->start = walk->floor = walk->end;
    walk->issued = 0;
}

static double block_cycles(struct walk *walk)
{
    walk->end = fmax(walk->end, walk->start + walk->issued);
    return walk->end - walk->start;
}

/* Instructions first ... last; adds the cycles of each block to `cycles`, if it is not NULL. */
static void walk_range(struct walk *walk, uint32_t first, uint32_t last, double *cycles)
{
    uint32_t block = first;

    block_begin(walk);
    for (uint32_t at = first; at <= last; at++) {
        if (at > first && walk->begins[at]) {
            double took = block_cycles(walk);
            if (cycles)
                cycles[block] += took;
            block = at;
            block_begin(walk);
        }
        if (walk->counter->instructions[at].warp_instructions)
            instruction_step(walk, at);
    }
    double took = block_cycles(walk);
    if (cycles)
        cycles[block] += took;
}

static void find_blocks(struct walk *walk)
{
    const struct program *program = walk->counter->program;

    walk->begins[0] = true;
    for (uint32_t at = 0; at < program->instruction_count; at++) {
        const struct program_instruction *is = &program->instructions[at];
        bool jumps = is->op == PROGRAM_BRA || is->op == PROGRAM_BRX || is->op == PROGRAM_CALL ||
                     is->op == PROGRAM_RET || is->op == PROGRAM_EXIT || is->op == PROGRAM_TRAP;
        if (jumps && at + 1 < program->instruction_count)
            walk->begins[at + 1] = true;
        if ((is->op == PROGRAM_BRA || is->op == PROGRAM_CALL) && is->target != PROGRAM_END)
            walk->begins[is->target] = true;
    }
    for (uint32_t i = 0; i < program->callable_count; i++)
        walk->begins[program->callables[i].first] = true;
    for (uint32_t i = 0; i < program->target_count; i++)
        if (program->targets[i] != PROGRAM_END)
            walk->begins[program->targets[i]] = true;
}

static bool slots_name(const uint32_t *slots, int count, uint32_t slot)
{
    for (int i = 0; i < count; i++)
        if (slots[i] != PROGRAM_NO_SLOT && slots[i] / 4 == slot / 4)
            return true;
    return false;
}

/* A move costs nothing if both names can share a register. They cannot if the overwritten value was still
 * read while the source was ready already: then the move waits, for example for the value of a load. */
static bool stays_a_move(const struct walk *walk, uint32_t at)
{
    const struct program *program = walk->counter->program;
    const struct program_names names = program_names_at(program, at);

    if (program->instructions[at].op != PROGRAM_LANES || !chain_is_free(program, at) ||
        names.source[0] == PROGRAM_NO_SLOT || names.destination[0] == PROGRAM_NO_SLOT)
        return false;
    for (uint32_t back = 1; back <= at && back <= MOVE_LOOKBACK && !walk->begins[at - back + 1]; back++) {
        const struct program_names before = program_names_at(program, at - back);
        if (slots_name(before.destination, PROGRAM_VECTOR, names.source[0]) ||
            slots_name(before.destination, PROGRAM_VECTOR, names.destination[0]))
            return false;
        if (slots_name(before.source, PROGRAM_SOURCES, names.destination[0]))
            return true;
    }
    return false;
}

static void find_moves(struct walk *walk)
{
    for (uint32_t at = 0; at < walk->counter->program->instruction_count; at++)
        walk->waits[at] = stays_a_move(walk, at);
}

/* A loop after its first pass: some iterations until its results arrive at a steady pace, then the mean of
 * some. The blocks of inner loops are done already. */
static void walk_loop(struct walk *walk, uint32_t first, uint32_t last)
{
    memset(walk->scratch + first, 0, (last - first + 1) * sizeof *walk->scratch);
    for (int i = 0; i < ITERATIONS_BEFORE + ITERATIONS_TAKEN; i++) {
        walk->fetched[1] = walk->fetched[0];
        walk_range(walk, first, last, i < ITERATIONS_BEFORE ? NULL : walk->scratch);
    }
    for (uint32_t at = first; at <= last; at++)
        if (walk->begins[at] && walk->follows[at] < 0)
            walk->follows[at] = walk->scratch[at] / ITERATIONS_TAKEN;
}

/* The whole program once in the order of its text, then its loops, inner ones first. */
static void walk_program(struct walk *walk)
{
    const struct program *program = walk->counter->program;

    walk_range(walk, 0, program->instruction_count - 1, walk->first);
    for (uint32_t at = 0; at < program->instruction_count && walk->steps < STEPS_MOST; at++) {
        const struct program_instruction *is = &program->instructions[at];
        if (is->op == PROGRAM_BRA && is->target <= at && walk->counter->instructions[at].warp_instructions)
            walk_loop(walk, is->target, at);
    }
}

static void issues_add(const struct walk *walk, uint32_t at, struct chain *chain)
{
    const struct program_instruction *is = &walk->counter->program->instructions[at];
    const struct expand_row *row = walk->expands[at];
    double executions = (double)walk->counter->instructions[at].warp_instructions;

    chain->issued += executions * expanded_issues(walk, at);
    chain->different += executions > 0 ? expanded_issues(walk, at) : 0;
    chain->multiplies += is_multiply(walk, at) ? executions : 0;
    if (!row) {
        chain->class_issued[is->class] += executions * matrix_weight(is);
        return;
    }
    chain->class_issued[CLASS_INTEGER] += executions * row->integer;
    chain->class_issued[CLASS_FLOAT] += executions * row->single;
    chain->class_issued[CLASS_DOUBLE] += executions * row->real;
    chain->class_issued[CLASS_SPECIAL_FUNCTION] += executions * row->special;
    chain->class_issued[CLASS_CONVERT] += executions * row->convert;
}

static void blocks_sum(const struct walk *walk, struct chain *chain)
{
    const struct program *program = walk->counter->program;
    double warps = walk->counter->warps ? (double)walk->counter->warps : 1;

    for (uint32_t at = 0; at < program->instruction_count; at++) {
        double executions = (double)walk->counter->instructions[at].warp_instructions;
        if (walk->begins[at]) {
            double mean = executions / warps, once = fmin(mean, 1);
            double follows = walk->follows[at] < 0 ? walk->first[at] : walk->follows[at];
            chain->cycles += once * walk->first[at] + (mean - once) * follows;
        }
        if (!is_free(walk, at))
            issues_add(walk, at, chain);
    }
}

enum status chain_estimate(const struct counter *counter, const struct chain_latencies *latencies,
                           struct chain *chain, struct error *error)
{
    size_t count = counter->program->instruction_count;
    struct walk walk = {.counter = counter, .latencies = latencies};
    enum status status = STATUS_OK;

    *chain = (struct chain){0};
    if (count == 0)
        return STATUS_OK;
    walk.ready = calloc(counter->program->name_bytes / 4 + 1, sizeof *walk.ready);
    walk.first = calloc(count, sizeof *walk.first);
    walk.scratch = calloc(count, sizeof *walk.scratch);
    walk.follows = malloc(count * sizeof *walk.follows);
    walk.begins = calloc(count, sizeof *walk.begins);
    walk.waits = calloc(count, sizeof *walk.waits);
    walk.multiplies = calloc(count, sizeof *walk.multiplies);
    walk.expands = calloc(count, sizeof *walk.expands);
    if (walk.ready && walk.first && walk.scratch && walk.follows && walk.begins && walk.waits &&
        walk.multiplies && walk.expands) {
        if (latencies->multiply > 0)
            status = multiply_find(counter->program, walk.multiplies, error);
        for (size_t i = 0; i < count; i++)
            walk.follows[i] = -1;
        for (uint32_t i = 0; i < count; i++)
            walk.expands[i] = expand_find(counter->program, i);
        find_blocks(&walk);
        find_moves(&walk);
        walk_program(&walk);
        blocks_sum(&walk, chain);
    } else {
        status = error_no_memory(error, "to estimate the time of %s", counter->program->entry->name);
    }
    free(walk.ready);
    free(walk.first);
    free(walk.scratch);
    free(walk.follows);
    free(walk.begins);
    free(walk.waits);
    free(walk.multiplies);
    free(walk.expands);
    return status;
}
