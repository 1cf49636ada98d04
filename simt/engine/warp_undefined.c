/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bits of a result are undefined. An instruction that moves bits (mov, and, shl, selp, prmt, shfl, mma
 * ...) is executed again with other values in the undefined bits of its sources: the bits of the result that
 * change are undefined. For others, any undefined bit of a lane's sources makes the lane's result undefined.
 *
 * A mark other than 0 may be left where all bits of its slot are defined again; `slots` counts the marks, and
 * at 0 the warp runs as usual.
 */
#include "simt/engine/warp_undefined.h"

#include "simt/engine/warp_memory.h"
#include "simt/lanes/matrix.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES_MAX 512u /* 128 bits in 32 lanes */
#define NO_REGISTER 0xffu
#define SLOTS_MAX (4 * MATRIX_REGISTERS)

struct undefined_op { /* of an instruction: bytes per lane of its registers, 0: a predicate, NO_REGISTER */
    uint8_t to[PROGRAM_VECTOR], from[PROGRAM_SOURCES];
    bool moves, copies; /* each bit of the result depends on few bits; it is one of them */
    uint32_t marks[PROGRAM_VECTOR];
};

/* ---- the registers of instructions ---- */
static bool is_integer_type(const char *modifier)
{
    return strchr("sub", modifier[0]) && isdigit((unsigned char)modifier[1]);
}

static bool moves_bits(const struct program *program, const struct program_instruction *instruction,
                       bool *copies)
{
    static const char *const opcodes[] = {
        "and", "xor", "not", "lop3", "brev", "cnot", /* these compute */
        "mov", "or",  "shl", "shr",  "shf",  "bfe",  "bfi", "prmt", "selp", "cvta", "movmatrix"};
    enum { COMPUTE = 6 };
    const struct program_origin *origin = &program->origins[instruction->origin];
    if (!origin->function || origin->instruction >= origin->function->instruction_count)
        return false;
    const struct ptx_instruction *written = &origin->function->instructions[origin->instruction];
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
        if (strcmp(opcodes[i], written->opcode) == 0) {
            *copies = i >= COMPUTE;
            return true;
        }
    *copies = true;
    bool integers = strcmp(written->opcode, "cvt") == 0;
    for (uint32_t i = 0; i < written->modifier_count; i++)
        integers &= is_integer_type(written->modifiers[i]);
    return integers;
}

static uint8_t register_bytes(const uint8_t *sizes, const struct program *program, uint32_t name)
{
    return name == PROGRAM_NO_SLOT || name >= program->name_bytes ? NO_REGISTER : sizes[name / 4];
}

/* False: out of memory. Registers that the program does not list have 4 bytes. */
static bool ops_make(struct worker *worker)
{
    const struct program *program = worker->run->program;
    uint32_t count = program->instruction_count;
    uint8_t *sizes = malloc(program->name_bytes / 4 + 1);
    worker->undefined_ops = calloc(count, sizeof *worker->undefined_ops);
    if (!sizes || !worker->undefined_ops) {
        free(sizes);
        return false;
    }
    memset(sizes, 4, program->name_bytes / 4 + 1);
    for (uint32_t i = 0; i < program->slot_count; i++)
        if (program->slots[i].slot < program->name_bytes)
            sizes[program->slots[i].slot / 4] = (uint8_t)program->slots[i].size_bytes;
    for (uint32_t pc = 0; pc < count; pc++) {
        const struct program_instruction *instruction = &program->instructions[pc];
        const struct program_names names = program_names_at(program, pc);
        struct undefined_op *op = &worker->undefined_ops[pc];
        for (int i = 0; i < PROGRAM_VECTOR; i++)
            op->to[i] = instruction->destination[i] == PROGRAM_NO_SLOT
                            ? NO_REGISTER
                            : register_bytes(sizes, program, names.destination[i]);
        for (int i = 0; i < PROGRAM_SOURCES; i++)
            op->from[i] = instruction->source[i] == PROGRAM_NO_SLOT
                              ? NO_REGISTER
                              : register_bytes(sizes, program, names.source[i]);
        op->moves = instruction->op != PROGRAM_LANES || moves_bits(program, instruction, &op->copies);
    }
    free(sizes);
    return true;
}

/* Prepares the warp for its first undefined value; false: out of memory, and nothing is followed. */
static bool undefined_ready(struct worker *worker, struct warp *warp)
{
    struct warp_undefined *undefined = &warp->undefined;
    uint32_t room = worker->run->program->frame_bytes;
    if (!worker->undefined_ops && !ops_make(worker))
        return false;
    if (undefined->room >= room)
        return true;
    undefined_fini(warp);
    undefined->bits = aligned_alloc(64, (room + 63) / 64 * 64);
    undefined->marks = calloc(room / 4 + 1, sizeof *undefined->marks);
    if (!undefined->bits || !undefined->marks) {
        undefined_fini(warp);
        return false;
    }
    memset(undefined->bits, 0, (room + 63) / 64 * 64);
    undefined->room = room;
    return true;
}

void undefined_begin(struct warp *warp)
{
    struct warp_undefined *undefined = &warp->undefined;
    if (undefined->slots == 0)
        return;
    memset(undefined->bits, 0, undefined->room);
    memset(undefined->marks, 0, (undefined->room / 4 + 1) * sizeof *undefined->marks);
    undefined->slots = 0;
}

void undefined_fini(struct warp *warp)
{
    free(warp->undefined.bits);
    free(warp->undefined.marks);
    warp->undefined = (struct warp_undefined){0};
}

/* ---- slots ---- */
static uint32_t slot_bytes(uint8_t lane_bytes)
{
    return lane_bytes == 0 ? 4 : 32u * lane_bytes;
}

static uint32_t mark_of(const struct warp *warp, uint32_t slot)
{
    return slot == PROGRAM_NO_SLOT ? 0 : warp->undefined.marks[slot / 4];
}

static void mark_set(struct warp *warp, uint32_t slot, uint32_t mark)
{
    uint32_t *place = &warp->undefined.marks[slot / 4];
    warp->undefined.slots += mark != 0;
    warp->undefined.slots -= *place != 0;
    *place = mark;
}

/* The undefined bits of a lane, of at most 8 bytes; `half`: the upper half of 16. */
static uint64_t lane_bits(const uint8_t *bits, uint32_t slot, uint8_t bytes, uint32_t lane, uint32_t half)
{
    const uint8_t *at = bits + slot;
    if (bytes == 0)
        return *(const uint32_t *)(const void *)at >> lane & 1u;
    if (bytes == 4)
        return ((const uint32_t *)(const void *)at)[lane];
    return ((const uint64_t *)(const void *)(at + 256 * (size_t)half))[lane];
}

static void lane_set(uint8_t *bits, uint32_t slot, uint8_t bytes, uint32_t lane, uint32_t half,
                     uint64_t value)
{
    uint8_t *at = bits + slot;
    if (bytes == 0) {
        uint32_t *word = (uint32_t *)(void *)at;
        *word = (*word & ~(1u << lane)) | (uint32_t)(value != 0) << lane;
    } else if (bytes == 4) {
        ((uint32_t *)(void *)at)[lane] = (uint32_t)value;
    } else {
        ((uint64_t *)(void *)(at + 256 * (size_t)half))[lane] = value;
    }
}

/* The lanes in which a register has undefined bits. */
static uint32_t lanes_undefined(const struct warp *warp, uint32_t slot, uint8_t bytes)
{
    uint32_t lanes = 0;
    if (bytes == NO_REGISTER || !mark_of(warp, slot))
        return 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        bool any = lane_bits(warp->undefined.bits, slot, bytes, lane, 0) != 0 ||
                   (bytes == 16 && lane_bits(warp->undefined.bits, slot, bytes, lane, 1) != 0);
        lanes |= (uint32_t)any << lane;
    }
    return lanes;
}

/* The lanes `on` of a register get this value of bits; its mark is cleared if all bits are defined. */
static void slot_fill(struct warp *warp, uint32_t slot, uint8_t bytes, uint32_t on, uint64_t value,
                      uint32_t mark)
{
    if (bytes == NO_REGISTER || slot == PROGRAM_NO_SLOT || (value == 0 && !mark_of(warp, slot)))
        return;
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        lane_set(warp->undefined.bits, slot, bytes, lane, 0, value);
        if (bytes == 16)
            lane_set(warp->undefined.bits, slot, bytes, lane, 1, value);
    }
    if (value)
        mark_set(warp, slot, mark);
    else if (!lanes_undefined(warp, slot, bytes))
        mark_set(warp, slot, 0);
}

/* ---- executing again ---- */
struct register_at {
    uint32_t slot;
    uint8_t bytes;
};

struct registers { /* the registers of an instruction, each once */
    struct register_at at[SLOTS_MAX];
    uint32_t count, mark;
};

static void registers_add(struct registers *registers, struct warp *warp, uint32_t slot, uint8_t bytes)
{
    if (bytes == NO_REGISTER || slot == PROGRAM_NO_SLOT)
        return;
    if (!registers->mark && lanes_undefined(warp, slot, bytes))
        registers->mark = mark_of(warp, slot);
    for (uint32_t i = 0; i < registers->count; i++)
        if (registers->at[i].slot == slot)
            return;
    if (registers->count < SLOTS_MAX)
        registers->at[registers->count++] = (struct register_at){slot, bytes};
}

static void registers_copy(const struct registers *registers, uint8_t *store, uint8_t *frame, bool out)
{
    for (uint32_t i = 0; i < registers->count; i++, store += SLOT_BYTES_MAX) {
        uint8_t *there = frame + registers->at[i].slot;
        memcpy(out ? store : there, out ? there : store, slot_bytes(registers->at[i].bytes));
    }
}

/* Sets the undefined bits of register i as turn and i say: all or none, or at random in the last two turns.
 */
static void registers_vary(const struct registers *registers, uint8_t *frame, const uint8_t *bits,
                           uint32_t turn, uint32_t turns)
{
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15) * (turn + 1);
    for (uint32_t i = 0; i < registers->count; i++) {
        uint8_t *value = frame + registers->at[i].slot;
        const uint8_t *undefined = bits + registers->at[i].slot;
        uint8_t fill = turn >> i % 3 & 1 ? 0xff : 0;
        for (uint32_t at = 0; at < slot_bytes(registers->at[i].bytes); at++) {
            if (turn + 2 >= turns) {
                random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                fill = (uint8_t)(random >> 56);
            }
            value[at] = (uint8_t)((value[at] & ~undefined[at]) | (fill & undefined[at]));
        }
    }
}

/* Executes once as it is, and again with other values in the undefined bits: what changes is undefined. */
static void execute_varied(struct warp *warp, const struct registers *registers, undefined_execute *execute,
                           void *context)
{
    enum { TURNS = 10 };
    uint8_t before[SLOTS_MAX * SLOT_BYTES_MAX], after[SLOTS_MAX * SLOT_BYTES_MAX],
        differ[SLOTS_MAX * SLOT_BYTES_MAX];
    const size_t size = registers->count * SLOT_BYTES_MAX;
    memset(differ, 0, size);
    registers_copy(registers, before, warp->frame, true);
    execute(context);
    registers_copy(registers, after, warp->frame, true);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        registers_copy(registers, before, warp->frame, false);
        registers_vary(registers, warp->frame, warp->undefined.bits, turn, TURNS);
        execute(context);
        for (uint32_t i = 0; i < registers->count; i++) {
            const uint8_t *now = warp->frame + registers->at[i].slot, *then = after + i * SLOT_BYTES_MAX;
            for (uint32_t at = 0; at < slot_bytes(registers->at[i].bytes); at++)
                differ[i * SLOT_BYTES_MAX + at] |= now[at] ^ then[at];
        }
    }
    registers_copy(registers, after, warp->frame, false);
    registers_copy(registers, differ, warp->undefined.bits, false);
    for (uint32_t i = 0; i < registers->count; i++) {
        const struct register_at *at = &registers->at[i];
        uint32_t mark = mark_of(warp, at->slot);
        mark_set(warp, at->slot, mark ? mark : registers->mark);
        if (!lanes_undefined(warp, at->slot, at->bytes))
            mark_set(warp, at->slot, 0);
    }
}

struct lanes_call {
    const struct program_instruction *instruction;
    uint8_t *frame;
    uint32_t on;
};

static void execute_lanes(void *context)
{
    const struct lanes_call *call = context;
    call->instruction->lanes(call->instruction, call->frame, call->on);
}

void undefined_lanes(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const struct undefined_op *op = &worker->undefined_ops[pc];
    uint32_t lanes = 0, mark = 0;
    for (int i = 0; i < PROGRAM_SOURCES; i++) {
        uint32_t some = lanes_undefined(warp, instruction->source[i], op->from[i]) & on;
        if (some && !mark)
            mark = mark_of(warp, instruction->source[i]);
        lanes |= some;
    }
    if (lanes && op->moves) {
        struct lanes_call call = {instruction, warp->frame, on};
        struct registers registers = {.mark = mark};
        for (int i = 0; i < PROGRAM_SOURCES; i++)
            registers_add(&registers, warp, instruction->source[i], op->from[i]);
        for (int i = 0; i < PROGRAM_VECTOR; i++)
            registers_add(&registers, warp, instruction->destination[i], op->to[i]);
        execute_varied(warp, &registers, execute_lanes, &call);
        for (int i = 0; i < PROGRAM_VECTOR; i++)
            if (mark_of(warp, instruction->destination[i]))
                mark_set(warp, instruction->destination[i], op->copies ? mark : mark | UNDEFINED_COMPUTED);
        return;
    }
    instruction->lanes(instruction, warp->frame, on);
    for (int i = 0; i < PROGRAM_VECTOR; i++) {
        slot_fill(warp, instruction->destination[i], op->to[i], on & ~lanes, 0, 0);
        if (lanes)
            slot_fill(warp, instruction->destination[i], op->to[i], lanes, UINT64_MAX,
                      mark | UNDEFINED_COMPUTED);
    }
}

void undefined_exchange(struct worker *worker, struct warp *warp, const uint32_t *pcs, uint32_t count,
                        undefined_execute *execute, void *context)
{
    struct registers registers = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct program_instruction *instruction = &worker->run->program->instructions[pcs[i]];
        const struct undefined_op *op = &worker->undefined_ops[pcs[i]];
        if (instruction->op == PROGRAM_MATRIX) {
            for (int name = 0; name < MATRIX_NAMES; name++)
                for (uint32_t r = 0; r < matrix_registers(instruction->matrix, (enum matrix_name)name); r++)
                    registers_add(&registers, warp, instruction->matrix->parts[name].slots[r],
                                  instruction->matrix->parts[name].type == MATRIX_F64 ? 8 : 4);
            continue;
        }
        for (int j = 0; j < PROGRAM_SOURCES; j++)
            registers_add(&registers, warp, instruction->source[j], op->from[j]);
        for (int j = 0; j < PROGRAM_VECTOR; j++)
            registers_add(&registers, warp, instruction->destination[j], op->to[j]);
    }
    if (registers.mark)
        execute_varied(warp, &registers, execute, context);
    else
        execute(context);
}

/* ---- origins ---- */
/* The mark of a load or shuffle by a lane. */
static uint32_t origin_mark(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                            uint32_t size_bytes, uint32_t lane, uint32_t k, uint64_t address)
{
    struct undefined *undefined = worker->run->undefined;
    uint32_t *mark = &worker->undefined_ops[pc].marks[k];
    const uint32_t *block = worker->block.index, *size = worker->run->launch->block;
    if (!*mark)
        *mark = undefined_mark(undefined, worker->run->program, pc, (uint8_t)k);
    if (!*mark)
        return 0;
    struct undefined_origin *origin = undefined_origin_of(undefined, *mark);
    if (origin->block_number != worker->block.number || origin->warp != warp->index)
        origin->lanes = 0;
    origin->space = space;
    origin->size_bytes = (uint8_t)size_bytes;
    origin->block_number = worker->block.number;
    origin->warp = warp->index;
    origin->lanes |= 1u << lane;
    origin->address[lane] = address;
    memcpy(origin->block, block, sizeof origin->block);
    memcpy(origin->block_size, size, sizeof origin->block_size);
    return *mark;
}

void undefined_finish(struct worker *worker)
{
    struct undefined *undefined = worker->run->undefined;
    for (uint32_t pc = 0; worker->undefined_ops && pc < worker->run->program->instruction_count; pc++)
        for (uint32_t k = 0; k < PROGRAM_VECTOR; k++)
            if (worker->undefined_ops[pc].marks[k])
                undefined_origin_of(undefined, worker->undefined_ops[pc].marks[k])->defined |=
                    worker->defined[pc] >> k & 1u;
    free(worker->undefined_ops);
    free(worker->defined);
    worker->undefined_ops = NULL;
    worker->defined = NULL;
}

/* ---- effects ---- */
/* Of the calls that a lane is in, those around the function of an instruction: it has executed that there, or in a
 * function that has called the present one. */
static void returns_of_caller(const struct program *program, const struct check_report *here,
                              uint32_t instruction, uint32_t returns[CHECK_CALLS])
{
    const struct ptx_function *function = program_function(program, instruction);
    uint32_t around = 0;
    if (program_function(program, here->instruction) != function) {
        while (around < CHECK_CALLS && here->returns[around] &&
               program_function(program, here->returns[around] - 1) != function)
            around++;
        around++;
    }
    for (uint32_t i = 0; around + i < CHECK_CALLS; i++)
        returns[i] = here->returns[around + i];
}

static void use_report(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lanes,
                       uint32_t mark, enum check_use use)
{
    const struct undefined_origin *origin = undefined_origin_of(worker->run->undefined, mark);
    struct check_report report;
    undefined_describe(origin, worker->block.number, warp->index, (uint32_t)__builtin_ctz(lanes), &report);
    const struct program *program = worker->run->program;
    report.use = use;
    report.other_program = program;
    report.other_instruction = pc;
    if (!report.own_program || report.own_program == program) {
        const struct check_report here =
            worker_report(worker, warp, CHECK_UNINITIALISED, pc, (uint32_t)__builtin_ctz(lanes));
        returns_of_caller(program, &here, report.instruction, report.returns);
    }
    report.count = (uint64_t)__builtin_popcount(lanes);
    check_add(&worker->checks, &report);
}

/* The value has an effect; it is reported, and counts as defined from then on. */
static void slot_use(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t slot, uint8_t bytes,
                     uint32_t on, enum check_use use)
{
    uint32_t lanes = lanes_undefined(warp, slot, bytes) & on;
    if (!lanes)
        return;
    use_report(worker, warp, pc, lanes, mark_of(warp, slot), use);
    slot_fill(warp, slot, bytes, lanes, 0, 0);
}

/* The sources of an instruction that are no data, one bit each. */
static uint32_t effective_sources(const struct program_instruction *instruction)
{
    switch ((enum program_op)instruction->op) {
    case PROGRAM_LD:
    case PROGRAM_ST: return instruction->space == PTX_PARAM ? 0 : 1;
    case PROGRAM_ATOM:
    case PROGRAM_MATRIX_LD:
    case PROGRAM_MATRIX_ST:
    case PROGRAM_BRX:
    case PROGRAM_CALL:
    case PROGRAM_ELECT:
    case PROGRAM_BAR_WARP: return 1;
    case PROGRAM_SHFL: return 1 << 3;
    case PROGRAM_VOTE:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX: return 1 << 1;
    case PROGRAM_MATRIX:
    case PROGRAM_RUNTIME: return 0;
    case PROGRAM_SURFACE: return instruction->sub & SURFACE_STORE ? 1 << 4 | 1 << 5 : 0x3f;
    case PROGRAM_BULK: return instruction->bulk->way == BULK_STORE ? 1 | 1 << 5 : 0x3f;
    default: return 0x3f;
    }
}

void undefined_before(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const struct undefined_op *op = &worker->undefined_ops[pc];
    bool memory =
        instruction->op == PROGRAM_LD || instruction->op == PROGRAM_ST || instruction->op == PROGRAM_ATOM;
    uint32_t sources = effective_sources(instruction);
    for (int i = 0; i < PROGRAM_SOURCES; i++)
        if (sources >> i & 1u)
            slot_use(worker, warp, pc, instruction->source[i], op->from[i], on,
                     memory ? CHECK_USE_ADDRESS : CHECK_USE_OPERAND);
    switch ((enum program_op)instruction->op) {
    case PROGRAM_SHFL:
    case PROGRAM_VOTE:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX:
    case PROGRAM_MATRIX:
    case PROGRAM_RUNTIME:
    case PROGRAM_CALL: return;
    default: break;
    }
    for (int i = 0; i < PROGRAM_VECTOR; i++)
        slot_fill(warp, instruction->destination[i], op->to[i], on, 0, 0);
}

void undefined_guard(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t active)
{
    slot_use(worker, warp, pc, worker->run->program->instructions[pc].guard, 0, active, CHECK_USE_BRANCH);
}

/* The mark of a function's area is that of what was stored there last. */
void undefined_parameters(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on, bool store)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const struct undefined_op *op = &worker->undefined_ops[pc];
    uint32_t mark = 0;
    if (!store && !mark_of(warp, instruction->immediate))
        return;
    for (uint32_t k = 0; store && k < instruction->vector; k++)
        if (!mark && lanes_undefined(warp, instruction->source[1 + k], op->from[1 + k]) & on)
            mark = mark_of(warp, instruction->source[1 + k]);
    if (store && !mark && !mark_of(warp, instruction->immediate))
        return;
    warp_move_area(warp->undefined.bits, instruction, on, store);
    if (mark)
        mark_set(warp, instruction->immediate, mark);
    for (uint32_t k = 0; !store && k < instruction->vector; k++) {
        uint32_t slot = instruction->destination[k];
        if (slot == PROGRAM_NO_SLOT)
            continue;
        mark_set(warp, slot, mark_of(warp, instruction->immediate));
        if (!lanes_undefined(warp, slot, op->to[k]))
            mark_set(warp, slot, 0);
    }
}

/* ---- memory ---- */
static uint32_t unwritten_bytes(const struct undefined_element *element)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < element->size_bytes; i++) {
        uint64_t at = element->at + i;
        bytes |= (uint32_t)(~element->bits[at / 8] >> at % 8 & 1) << i;
    }
    return bytes;
}

/* A bit per byte to eight. */
static uint64_t bits_of_bytes(uint32_t bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)(bytes >> i & 1u ? 0xff : 0) << 8 * i;
    return bits;
}

static uint32_t bytes_of_bits(uint64_t bits)
{
    uint32_t bytes = 0;
    for (int i = 0; i < 8; i++)
        bytes |= (uint32_t)((bits >> 8 * i & 0xff) != 0) << i;
    return bytes;
}

/* The mark of unwritten bytes of an element: of the store that left them, else of this instruction. */
static uint32_t element_mark(struct worker *worker, const struct warp *warp, uint32_t pc,
                             const struct undefined_element *element, uint32_t bytes)
{
    uint32_t first = (uint32_t)__builtin_ctz(bytes);
    const struct undefined_place *place =
        undefined_find(worker->run->undefined, element->key + (element->address % 4 + first) / 4);
    if (place)
        return place->mark;
    uint32_t mark = origin_mark(worker, warp, pc, element->space, element->size_bytes, element->lane,
                                element->k, element->address);
    return mark && bytes != (1u << element->size_bytes) - 1 ? mark | UNDEFINED_PART : mark;
}

void undefined_load(struct worker *worker, struct warp *warp, uint32_t pc,
                    const struct undefined_element *element)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t slot = instruction->destination[element->k], bytes = unwritten_bytes(element);
    if (slot == PROGRAM_NO_SLOT || bytes == 0 || !undefined_ready(worker, warp))
        return;
    uint32_t mark = element_mark(worker, warp, pc, element, bytes);
    uint8_t wide = element->size_bytes == 16                                         ? 16
                   : element->size_bytes == 8 || instruction->destination_bytes == 8 ? 8
                                                                                     : 4;
    uint64_t bits = bits_of_bytes(bytes);
    if (!mark)
        return;
    if (instruction->sign_extended && bytes >> (element->size_bytes - 1) & 1u)
        bits |= UINT64_MAX << (8 * element->size_bytes - 1);
    if (instruction->destination_bytes == 2)
        bits &= 0xffff;
    lane_set(warp->undefined.bits, slot, wide, element->lane, 0, bits);
    if (wide == 16)
        lane_set(warp->undefined.bits, slot, wide, element->lane, 1, bits_of_bytes(bytes >> 8));
    mark_set(warp, slot, mark);
}

static void element_note(struct worker *worker, uint32_t pc, const struct undefined_element *element,
                         uint32_t bytes, uint32_t mark)
{
    for (uint32_t i = 0; i < element->size_bytes; i++) {
        uint64_t at = element->at + i;
        if (!(bytes >> i & 1u))
            continue;
        element->bits[at / 8] &= (uint8_t) ~(1u << at % 8);
        if (i == 0 || (element->address + i) % 4 == 0 || !(bytes >> (i - 1) & 1u))
            undefined_note(worker->run->undefined,
                           &(struct undefined_place){.key = element->key + (element->address % 4 + i) / 4,
                                                     .mark = mark,
                                                     .instruction = pc,
                                                     .program = worker->run->program});
    }
}

/* The undefined bytes of element k of a store or atomic. */
static uint32_t source_bytes(const struct warp *warp, uint32_t slot, uint32_t size_bytes, bool wide,
                             uint32_t lane)
{
    uint8_t bytes = size_bytes == 16 ? 16 : size_bytes == 8 || wide ? 8 : 4;
    uint32_t of = bytes_of_bits(lane_bits(warp->undefined.bits, slot, bytes, lane, 0));
    if (bytes == 16)
        of |= bytes_of_bits(lane_bits(warp->undefined.bits, slot, bytes, lane, 1)) << 8;
    return of & ((1u << size_bytes) - 1);
}

bool undefined_stores(const struct warp *warp, const struct program_instruction *instruction)
{
    bool any = false;
    for (uint32_t k = 0; warp->undefined.slots && k < instruction->vector; k++)
        any |= mark_of(warp, instruction->source[1 + k]) != 0;
    return any;
}

void undefined_store(struct worker *worker, struct warp *warp, uint32_t pc,
                     const struct undefined_element *element)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t slot = instruction->source[1 + element->k], mark = mark_of(warp, slot);
    if (!mark)
        return;
    uint32_t bytes =
        source_bytes(warp, slot, element->size_bytes, instruction->destination_bytes == 8, element->lane);
    if (bytes)
        element_note(worker, pc, element, bytes, mark);
}

struct undefined_kept undefined_atomic(struct worker *worker, struct warp *warp, uint32_t pc,
                                       const struct undefined_element *element)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t old = unwritten_bytes(element), value = 0, value_mark = 0, lane = element->lane;
    uint32_t slot = instruction->source[1 + element->k], to = instruction->destination[element->k];
    struct undefined_kept kept = {0};
    if ((old == 0 && !warp->undefined.slots) || !undefined_ready(worker, warp))
        return kept;
    if (mark_of(warp, slot)) {
        value = source_bytes(warp, slot, element->size_bytes, false, lane);
        value_mark = mark_of(warp, slot);
    }
    kept.mark = old ? element_mark(worker, warp, pc, element, old) : value_mark;
    uint64_t operand = element->size_bytes == 8
                           ? ((const uint64_t *)(const void *)(warp->frame + slot))[lane]
                           : ((const uint32_t *)(const void *)(warp->frame + slot))[lane];
    /* An and clears bits, an or sets them: these are known then. */
    uint32_t sets = instruction->sub == ATOMIC_AND  ? bytes_of_bits(~operand)
                    : instruction->sub == ATOMIC_OR ? bytes_of_bits(operand)
                                                    : 0;
    kept.bytes = instruction->sub == ATOMIC_EXCH ? value : (old | value) & ~sets;
    if (instruction->sub == ATOMIC_EXCH)
        kept.mark = value ? value_mark : kept.mark;
    else if (instruction->sub != ATOMIC_CAS && kept.mark)
        kept.mark |= UNDEFINED_COMPUTED;
    if (to != PROGRAM_NO_SLOT && old && kept.mark) {
        lane_set(warp->undefined.bits, to, element->size_bytes == 8 ? 8 : 4, lane, 0, bits_of_bytes(old));
        mark_set(warp, to, element_mark(worker, warp, pc, element, old));
    }
    return kept;
}

void undefined_keep(struct worker *worker, uint32_t pc, const struct undefined_element *element,
                    struct undefined_kept kept)
{
    uint32_t bytes = kept.bytes & ((1u << element->size_bytes) - 1);
    if (bytes && kept.mark)
        element_note(worker, pc, element, bytes, kept.mark);
}

void undefined_returned(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t lanes,
                        const uint8_t of[32])
{
    uint32_t slot = worker->run->program->instructions[pc].destination[0];
    if (slot == PROGRAM_NO_SLOT || !undefined_ready(worker, warp))
        return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t mark = origin_mark(worker, warp, pc, PTX_REG, 4, lane, 0, of[lane]);
        if (mark)
            slot_fill(warp, slot, 4, 1u << lane, UINT32_MAX, mark | UNDEFINED_COMPUTED);
    }
}
