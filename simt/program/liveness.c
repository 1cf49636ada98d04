/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backward data flow over the basic blocks. It handles one slice of the registers at a time, to limit memory,
 * and adds up over the slices what is live after each instruction. After PASSES rounds the result of a slice
 * is used as it is: only PTX that no compiler writes needs more rounds.
 */
#include "simt/program/liveness.h"

#include "simt/program/cfg.h"
#include "simt/ptx/arena.h"
#include "simt/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* ---- uses ---- */

/*
 * Which registers each instruction of a function writes and reads, and which hold one value for all threads
 * of a block. Used only in simt/program/liveness.c. Its memory is in the caller's arena.
 *
 * The first operand of an instruction is written, except for instructions that write nothing. All other
 * names, the guard and names within an address are read. PTX ISA 9.0, 9 and 11.
 */

struct liveness_register {
    const struct ptx_variable *variable;
    uint32_t words; /* number of 32-bit registers; 0: a predicate */
    bool uniform;   /* computed by integer instructions from parameters, constants and the block index only */
};

struct liveness_use { /* registers_used[first ...]: first those written, then those read */
    uint32_t first, writes, reads;
};

struct liveness_uses {
    struct liveness_register *registers; /* sorted by name */
    uint32_t register_count;
    struct liveness_use *instructions;
    uint32_t *registers_used;
};

#define UNIFORM_PASSES \
    32 /* of the search for uniform registers; registers undecided after them count as varying */

static bool is_one_of(const char *text, const char *const list[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

#define IS_ONE_OF(text, list) is_one_of(text, list, sizeof list / sizeof *list)

static bool writes_nothing(const char *opcode)
{
    static const char *const opcodes[] = {"st",
                                          "red",
                                          "bra",
                                          "brx",
                                          "bar",
                                          "barrier",
                                          "membar",
                                          "fence",
                                          "exit",
                                          "ret",
                                          "trap",
                                          "brkpt",
                                          "cp",
                                          "sust",
                                          "sured",
                                          "nanosleep",
                                          "pmevent",
                                          "prefetch",
                                          "prefetchu",
                                          "discard",
                                          "applypriority",
                                          "setmaxnreg",
                                          "griddepcontrol",
                                          "stackrestore"};
    return IS_ONE_OF(opcode, opcodes);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct liveness_register *)a)->variable->name,
                  ((const struct liveness_register *)b)->variable->name);
}

/* Index of the register with this name, or of the vector register for an element (%v.x); PTX_NONE: no
 * register. */
static uint32_t find_register(const struct liveness_uses *uses, const char *name)
{
    size_t size = strcspn(name, ".");
    uint32_t low = 0;
    uint32_t high = uses->register_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const char *other = uses->registers[middle].variable->name;
        int order = strncmp(name, other, size);
        if (order == 0 && other[size] == '\0')
            return middle;
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return PTX_NONE;
}

static bool list_registers(struct liveness_uses *uses, const struct ptx_function *function,
                           struct arena *arena)
{
    const struct ptx_variable *lists[] = {function->variables, function->parameters, function->results};
    uint32_t counts[] = {function->variable_count, function->parameter_count, function->result_count};
    size_t room = (size_t)counts[0] + counts[1] + counts[2];
    uses->registers = arena_alloc(arena, room, sizeof *uses->registers);
    if (!uses->registers)
        return false;
    for (int i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < counts[i]; j++) {
            const struct ptx_variable *variable = &lists[i][j];
            if (variable->space != PTX_REG)
                continue;
            uint64_t words = (variable->size_bytes + 3) / 4;
            uses->registers[uses->register_count++] =
                (struct liveness_register){.variable = variable,
                                           .words = variable->type == PTX_PRED ? 0
                                                    : words < 255              ? (uint32_t)words
                                                                               : 255,
                                           .uniform = true};
        }
    }
    qsort(uses->registers, uses->register_count, sizeof *uses->registers, compare_names);
    return true;
}

/* Counts the names in an operand and in its parts. The recursion is as deep as the parser allows braces. */
static uint32_t count_names(const struct ptx_operand *operands, uint32_t count)
{
    uint32_t names = 0;
    for (uint32_t i = 0; i < count; i++)
        names += (operands[i].name != NULL) + count_names(operands[i].parts, operands[i].part_count);
    return names;
}

static void collect_operands(struct liveness_uses *uses, const struct ptx_operand *operands, uint32_t count,
                             uint32_t *used)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = operands[i].name ? find_register(uses, operands[i].name) : PTX_NONE;
        if (found != PTX_NONE)
            uses->registers_used[(*used)++] = found;
        collect_operands(uses, operands[i].parts, operands[i].part_count, used);
    }
}

static void collect_instruction(struct liveness_uses *uses, const struct ptx_instruction *instruction,
                                struct liveness_use *use, uint32_t *used)
{
    const struct ptx_operand *operands = instruction->operands;
    uint32_t writes = instruction->operand_count > 0 && operands[0].kind != PTX_OPERAND_ADDRESS &&
                      !writes_nothing(instruction->opcode);
    if (strcmp(instruction->opcode, "call") == 0)
        writes = instruction->operand_count > 0 && operands[0].kind == PTX_OPERAND_LIST;
    use->first = *used;
    collect_operands(uses, operands, writes, used);
    use->writes = *used - use->first;
    if (instruction->operand_count > writes)
        collect_operands(uses, operands + writes, instruction->operand_count - writes, used);
    uint32_t guard = instruction->guard ? find_register(uses, instruction->guard) : PTX_NONE;
    if (guard != PTX_NONE)
        uses->registers_used[(*used)++] = guard;
    use->reads = *used - use->first - use->writes;
}

static bool has_modifier(const struct ptx_instruction *instruction, const char *text)
{
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        if (strcmp(instruction->modifiers[i], text) == 0)
            return true;
    return false;
}

static bool names_thread(const struct ptx_operand *operands, uint32_t count)
{
    static const char *const prefixes[] = {"%tid",    "%laneid", "%lanemask",
                                           "%warpid", "%clock",  "%globaltimer"};
    for (uint32_t i = 0; i < count; i++) {
        for (size_t j = 0; operands[i].name && j < sizeof prefixes / sizeof *prefixes; j++)
            if (strncmp(operands[i].name, prefixes[j], strlen(prefixes[j])) == 0)
                return true;
    }
    return false;
}

/* Whether its result is the same in all threads if its sources are. */
static bool keeps_uniform(const struct ptx_instruction *instruction)
{
    static const char *const opcodes[] = {"mov", "add", "sub", "mul", "mad", "shl",  "shr",  "and",
                                          "or",  "xor", "not", "neg", "min", "max",  "setp", "selp",
                                          "cvt", "bfe", "bfi", "shf", "abs", "cvta", "lop3", "prmt"};
    if (strcmp(instruction->opcode, "ld") == 0)
        return has_modifier(instruction, "param");
    bool arithmetic = strcmp(instruction->opcode, "mov") != 0; /* uniform registers have no floating point */
    return IS_ONE_OF(instruction->opcode, opcodes) &&
           !(arithmetic && (has_modifier(instruction, "f32") || has_modifier(instruction, "f64"))) &&
           !names_thread(instruction->operands, instruction->operand_count);
}

static bool spread_varying(struct liveness_uses *uses, const struct ptx_function *function)
{
    bool changed = false;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct liveness_use *use = &uses->instructions[i];
        const uint32_t *used = uses->registers_used + use->first;
        bool uniform = keeps_uniform(&function->instructions[i]);
        for (uint32_t j = 0; j < use->reads; j++)
            uniform &= uses->registers[used[use->writes + j]].uniform;
        for (uint32_t j = 0; j < use->writes && !uniform; j++) {
            changed |= uses->registers[used[j]].uniform;
            uses->registers[used[j]].uniform = false;
        }
    }
    return changed;
}

/* False: out of memory. */
static bool liveness_uses_find(struct liveness_uses *uses, const struct ptx_function *function,
                               struct arena *arena)
{
    *uses = (struct liveness_uses){0};
    size_t names = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < function->instruction_count; i++)
        names += 1 + count_names(function->instructions[i].operands, function->instructions[i].operand_count);
    uses->instructions = arena_alloc(arena, function->instruction_count, sizeof *uses->instructions);
    uses->registers_used =
        names < UINT32_MAX ? arena_alloc(arena, names, sizeof *uses->registers_used) : NULL;
    if (!uses->instructions || !uses->registers_used || !list_registers(uses, function, arena))
        return false;
    for (uint32_t i = 0; i < function->instruction_count; i++)
        collect_instruction(uses, &function->instructions[i], &uses->instructions[i], &used);
    int passes = 0;
    while (spread_varying(uses, function) && ++passes < UNIFORM_PASSES)
        ;
    for (uint32_t i = 0; i < uses->register_count && passes == UNIFORM_PASSES; i++)
        uses->registers[i].uniform = false;
    return true;
}

/* ---- live registers ---- */

#define WORDS 8 /* of 64 registers; together one slice */
#define SLICE (WORDS * 64u)
#define PASSES 64

struct slice {
    uint64_t words[WORDS];
};

struct flow {
    const struct liveness_uses *uses;
    const struct cfg *cfg;
    const struct ptx_function *function;
    struct slice *in;      /* per block: live at its start */
    uint32_t first;        /* the first register of the slice */
    struct liveness *live; /* per instruction, summed over the slices */
};

static void slice_set(struct slice *slice, uint32_t first, uint32_t index, bool on)
{
    uint32_t bit = index - first;
    if (bit >= SLICE)
        return;
    if (on)
        slice->words[bit / 64] |= UINT64_C(1) << bit % 64;
    else
        slice->words[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

static void slice_merge(struct slice *to, const struct slice *from)
{
    for (int i = 0; i < WORDS; i++)
        to->words[i] |= from->words[i];
}

/* Turns the registers live after the instruction into those live before it. A guarded write keeps the old
 * value of some lanes. */
static void step_back(const struct flow *flow, uint32_t instruction, struct slice *live)
{
    const struct liveness_use *use = &flow->uses->instructions[instruction];
    const uint32_t *registers = flow->uses->registers_used + use->first;
    bool kills = !flow->function->instructions[instruction].guard;
    for (uint32_t i = 0; i < use->writes && kills; i++)
        slice_set(live, flow->first, registers[i], false);
    for (uint32_t i = 0; i < use->reads; i++)
        slice_set(live, flow->first, registers[use->writes + i], true);
}

static struct slice live_behind(const struct flow *flow, const struct cfg_block *block)
{
    struct slice live = {0};
    for (uint32_t i = 0; i < block->successor_count; i++)
        slice_merge(&live, &flow->in[block->successors[i]]);
    return live;
}

static bool pass_blocks(struct flow *flow)
{
    bool changed = false;
    for (uint32_t i = flow->cfg->block_count; i-- > 0;) {
        const struct cfg_block *block = &flow->cfg->blocks[i];
        struct slice live = live_behind(flow, block);
        for (uint32_t j = block->count; j-- > 0;)
            step_back(flow, block->first + j, &live);
        changed |= memcmp(&live, &flow->in[i], sizeof live) != 0;
        flow->in[i] = live;
    }
    return changed;
}

static void add_live(const struct flow *flow, uint32_t instruction, struct slice live)
{
    const struct liveness_use *use = &flow->uses->instructions[instruction];
    for (uint32_t i = 0; i < use->writes; i++)
        slice_set(&live, flow->first, flow->uses->registers_used[use->first + i], true);
    for (int word = 0; word < WORDS; word++) {
        for (uint64_t bits = live.words[word]; bits; bits &= bits - 1) {
            uint32_t index = flow->first + (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(bits);
            const struct liveness_register *reg = &flow->uses->registers[index];
            flow->live[instruction].all += reg->words;
            flow->live[instruction].varying += reg->uniform ? 0 : reg->words;
        }
    }
}

static void add_slice(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->cfg->block_count; i++) {
        const struct cfg_block *block = &flow->cfg->blocks[i];
        struct slice live = live_behind(flow, block);
        for (uint32_t j = block->count; j-- > 0;) {
            add_live(flow, block->first + j, live);
            step_back(flow, block->first + j, &live);
        }
    }
}

static void find_most(struct flow *flow, struct liveness *most)
{
    for (flow->first = 0; flow->first < flow->uses->register_count; flow->first += SLICE) {
        memset(flow->in, 0, flow->cfg->block_count * sizeof *flow->in);
        for (int i = 0; i < PASSES && pass_blocks(flow); i++)
            ;
        add_slice(flow);
    }
    *most = (struct liveness){0};
    for (uint32_t i = 0; i < flow->function->instruction_count; i++) {
        const struct liveness *live = &flow->live[i];
        most->all = live->all > most->all ? live->all : most->all;
        most->varying = live->varying > most->varying ? live->varying : most->varying;
    }
}

enum status liveness_find(struct liveness *liveness, const struct ptx_function *function, struct error *error)
{
    struct cfg *cfg;
    struct arena arena = {0};
    enum status status = cfg_create(&cfg, function, error);
    if (status != STATUS_OK)
        return status;
    struct liveness_uses uses;
    struct flow flow = {.uses = &uses,
                        .cfg = cfg,
                        .function = function,
                        .in = arena_alloc(&arena, cfg->block_count, sizeof *flow.in),
                        .live = arena_alloc(&arena, function->instruction_count, sizeof *flow.live)};
    if (flow.in && flow.live && liveness_uses_find(&uses, function, &arena))
        find_most(&flow, liveness);
    else
        status = error_no_memory(error, "to estimate the registers of %s", function->name);
    arena_fini(&arena);
    cfg_destroy(cfg);
    return status;
}

static uint32_t extents_product(const uint32_t extents[3])
{
    uint64_t threads = (uint64_t)extents[0] * extents[1];
    threads = threads > 1024 ? 1024 : threads * extents[2];
    return threads > 1024 ? 1024 : (uint32_t)threads;
}

/* The registers that the performance directives allow, in ptxas's steps of 8. */
static uint32_t register_limit(const struct ptx_function *kernel)
{
    uint32_t limit = kernel->max_registers && kernel->max_registers < 255 ? kernel->max_registers : 255;
    uint32_t threads = extents_product(kernel->required_threads);
    if (threads == 0)
        threads = extents_product(kernel->max_threads);
    uint64_t resident = (uint64_t)threads * (kernel->minimum_blocks ? kernel->minimum_blocks : 1);
    if (resident > 0) {
        uint64_t share = 65536 / resident / 8 * 8;
        limit = share < limit ? (uint32_t)share : limit;
    }
    return limit < 8 ? 8 : limit;
}

struct calls { /* the reached functions, each once */
    const struct ptx_module *module;
    bool *seen;      /* by function of the module */
    uint32_t *queue; /* their indices */
    uint32_t count;
};

static void function_reach(struct calls *calls, const char *name)
{
    const struct ptx_function *function = name ? ptx_function_find(calls->module, name) : NULL;
    if (!function || function->declared || calls->seen[function - calls->module->functions])
        return;
    calls->seen[function - calls->module->functions] = true;
    calls->queue[calls->count++] = (uint32_t)(function - calls->module->functions);
}

static void reach_callees(struct calls *calls, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        if (strcmp(instruction->opcode, "call") != 0)
            continue;
        for (uint32_t j = 0; j < instruction->operand_count; j++)
            function_reach(calls, instruction->operands[j].name);
    }
}

enum status liveness_registers(uint32_t *registers, const struct ptx_module *module,
                               const struct ptx_function *kernel, struct error *error)
{
    struct arena arena = {0};
    struct calls calls = {.module = module,
                          .seen = arena_alloc(&arena, module->function_count, sizeof *calls.seen),
                          .queue = arena_alloc(&arena, module->function_count, sizeof *calls.queue)};
    enum status status = STATUS_OK;
    uint32_t most = 0;
    if (!calls.seen || !calls.queue)
        status = error_no_memory(error, "to estimate the registers of %s", kernel->name);
    else
        function_reach(&calls, kernel->name);
    for (uint32_t i = 0; i < calls.count && status == STATUS_OK; i++) {
        const struct ptx_function *function = &module->functions[calls.queue[i]];
        struct liveness liveness;
        status = liveness_find(&liveness, function, error);
        if (status != STATUS_OK)
            break;
        most = liveness.varying > most ? liveness.varying : most;
        reach_callees(&calls, function);
    }
    arena_fini(&arena);
    if (status != STATUS_OK)
        return status;
    uint32_t limit = register_limit(kernel);
    most = (most + LIVENESS_OVERHEAD + 1) / 2 * 2;
    *registers = most < limit ? most : limit;
    return STATUS_OK;
}
