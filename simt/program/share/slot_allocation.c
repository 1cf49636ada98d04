/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A linear scan over the text of the program. The span of a register reaches from the first to the last
 * instruction that names it or in front of which it lives: on some way through the blocks it is read later,
 * and no instruction without a guard writes it in between. Registers of one size whose spans are apart share
 * a slot; an instruction's results never share with its operands.
 *
 * Lanes of a warp may be at different instructions. Each has storage of its own in a slot, which is why sizes
 * are not mixed, and instructions write only the lanes that execute them, so that it is enough that a lane's
 * own registers do not live at the same time.
 *
 * A register that lives where the kernel begins may be read before it is written, and is 0 then: its slot is
 * among the first of the frame, with those of constants and special registers, which the engine fills.
 *
 * A warp that polls memory is compared with itself by all that is in its frame (simt/engine/warp,
 * warp_digest): registers named in a loop that polls share with no other.
 */
#include "simt/program/share/slot_allocation.h"

#include "simt/program/merge/merge_flow.h"

#include <stdlib.h>
#include <string.h>

#define LANES 32
#define LINE_BYTES 64
#define NONE UINT32_MAX
/* Steps from block to block, of all registers: some milliseconds. Registers after that live everywhere. */
#define STEPS_MOST 1000000

enum size { SIZE_PREDICATE, SIZE_32, SIZE_64, SIZE_128, SIZE_COUNT };

struct owner { /* of a slot: a register, constant or special register */
    uint32_t new_slot;
    uint32_t first, last; /* its span; first > last: no instruction names it */
    enum size size;
    bool initial;                          /* it has a value when a warp begins */
    uint32_t exposed, killed;              /* the first place at which it is read before it is written in the
                                              block, and at which it is written for all lanes; NONE */
    uint32_t exposed_block, killed_block;  /* of the last such place, or NONE */
    uint32_t next_first, next_last, freed; /* of the same first or last; the next with a free slot; NONE */
};

struct place {
    uint32_t block, next; /* NONE */
};

struct slot_allocation {
    struct program *program;
    struct flow flow;
    struct owner *owners;
    uint32_t owner_count;
    uint32_t *owner_of; /* by word of the frame; NONE */
    struct place *places;
    uint32_t place_count;
    uint32_t *lives, *kills; /* by block: the owner that was last found so, or NONE */
    uint32_t *stack;
    uint32_t *firsts, *lasts; /* by instruction: an owner whose span begins or ends there, or NONE */
    uint32_t free[SIZE_COUNT];
    uint32_t top, predicate_slot, predicates_left; /* the end of the new frame; the rest of a line */
};

/* ---- what can be shared ---- */
static bool instruction_is_usual(const struct program_instruction *instruction)
{
    switch ((enum program_op)instruction->op) {
    case PROGRAM_LD:
    case PROGRAM_ST: return instruction->space != PTX_PARAM || instruction->immediate == PROGRAM_NO_SLOT;
    case PROGRAM_LANES:
    case PROGRAM_ATOM:
    case PROGRAM_PREFETCH:
    case PROGRAM_TEX:
    case PROGRAM_CP_ASYNC:
    case PROGRAM_CP_ASYNC_COMMIT:
    case PROGRAM_CP_ASYNC_WAIT:
    case PROGRAM_SHFL:
    case PROGRAM_VOTE:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX:
    case PROGRAM_ELECT:
    case PROGRAM_ACTIVEMASK:
    case PROGRAM_SPECIAL:
    case PROGRAM_BAR_SYNC:
    case PROGRAM_BAR_ARRIVE:
    case PROGRAM_BAR_RED:
    case PROGRAM_BAR_WARP:
    case PROGRAM_FENCE:
    case PROGRAM_NANOSLEEP:
    case PROGRAM_BRA:
    case PROGRAM_BRX:
    case PROGRAM_RET:
    case PROGRAM_EXIT:
    case PROGRAM_TRAP: return true;
    default: return false;
    }
}

static bool program_is_usual(const struct program *program)
{
    for (uint32_t i = 0; i < program->instruction_count; i++)
        if (!instruction_is_usual(&program->instructions[i]))
            return false;
    return program->instruction_count > 0 && program->callable_count == 0 &&
           program->stack_slot == PROGRAM_NO_SLOT;
}

/* ---- owners ---- */
static void owners_make(struct slot_allocation *slots)
{
    const struct program *program = slots->program;
    memset(slots->owner_of, 0xff, (program->frame_bytes / 4 + 1) * sizeof *slots->owner_of);
    for (uint32_t i = 0; i < program->slot_count; i++) {
        const struct program_area *slot = &program->slots[i];
        slots->owners[i] = (struct owner){.first = NONE,
                                          .size = slot->size_bytes == 0   ? SIZE_PREDICATE
                                                  : slot->size_bytes == 4 ? SIZE_32
                                                  : slot->size_bytes == 8 ? SIZE_64
                                                                          : SIZE_128,
                                          .exposed = NONE,
                                          .killed = NONE,
                                          .exposed_block = NONE,
                                          .killed_block = NONE};
        slots->owner_of[slot->slot / 4] = i;
    }
    slots->owner_count = program->slot_count;
}

static struct owner *owner_at(const struct slot_allocation *slots, uint32_t slot)
{
    const uint32_t at = slot < slots->program->frame_bytes ? slots->owner_of[slot / 4] : NONE;
    return at == NONE ? NULL : &slots->owners[at];
}

static void owner_span(struct owner *owner, uint32_t instruction)
{
    owner->first = owner->first < instruction ? owner->first : instruction;
    owner->last = owner->last > instruction ? owner->last : instruction;
}

/* It shares with no other. */
static void owner_pin(const struct slot_allocation *slots, struct owner *owner)
{
    owner->first = 0;
    owner->last = slots->program->instruction_count - 1;
}

static uint32_t place_add(struct slot_allocation *slots, uint32_t block, uint32_t next)
{
    slots->places[slots->place_count] = (struct place){block, next};
    return slots->place_count++;
}

static bool owner_read(struct slot_allocation *slots, uint32_t slot, uint32_t i)
{
    const uint32_t block = slots->flow.block_of[i];
    struct owner *const owner = slot == PROGRAM_NO_SLOT ? NULL : owner_at(slots, slot);
    if (!owner)
        return slot == PROGRAM_NO_SLOT;
    owner_span(owner, i);
    if (owner->killed_block != block && owner->exposed_block != block) {
        owner->exposed = place_add(slots, block, owner->exposed);
        owner->exposed_block = block;
    }
    return true;
}

static bool owner_write(struct slot_allocation *slots, uint32_t slot, uint32_t i, bool guarded)
{
    const uint32_t block = slots->flow.block_of[i];
    struct owner *const owner = slot == PROGRAM_NO_SLOT ? NULL : owner_at(slots, slot);
    if (!owner)
        return slot == PROGRAM_NO_SLOT;
    owner_span(owner, i);
    if (!guarded && owner->killed_block != block) {
        owner->killed = place_add(slots, block, owner->killed);
        owner->killed_block = block;
    }
    return true;
}

/* Blocks are in the order of the instructions. False: a slot has no owner. */
static bool owners_look(struct slot_allocation *slots)
{
    const struct program *program = slots->program;
    bool known = true;
    for (uint32_t i = 0; i < program->instruction_count && known; i++) {
        const struct program_instruction *at = &program->instructions[i];
        for (uint32_t s = 0; s < PROGRAM_SOURCES; s++)
            known = known && owner_read(slots, at->source[s], i);
        known = known && owner_read(slots, at->guard, i);
        for (uint32_t d = 0; d < PROGRAM_VECTOR; d++)
            known = known && owner_write(slots, at->destination[d], i, at->guard != PROGRAM_NO_SLOT);
    }
    return known;
}

/* ---- lives ---- */
static void block_enter(struct slot_allocation *slots, uint32_t which, uint32_t block, uint32_t *depth)
{
    if (slots->lives[block] == which)
        return;
    slots->lives[block] = which;
    slots->stack[(*depth)++] = block;
}

/* Extends the span of an owner to where it lives: from the blocks that read it first, against the flow, to
 * those that write it. */
static void owner_live(struct slot_allocation *slots, uint32_t which, uint32_t *steps)
{
    struct owner *const owner = &slots->owners[which];
    uint32_t depth = 0;
    for (uint32_t at = owner->killed; at != NONE; at = slots->places[at].next)
        slots->kills[slots->places[at].block] = which;
    for (uint32_t at = owner->exposed; at != NONE; at = slots->places[at].next)
        block_enter(slots, which, slots->places[at].block, &depth);
    while (depth) {
        const struct flow_block *const block = &slots->flow.blocks[slots->stack[--depth]];
        owner_span(owner, block->first);
        owner->initial |= block->entry;
        for (uint32_t i = 0; i < block->predecessor_count; i++) {
            const uint32_t before = block->predecessors[i];
            owner_span(owner, slots->flow.blocks[before].first + slots->flow.blocks[before].count - 1);
            if (slots->kills[before] != which)
                block_enter(slots, which, before, &depth);
        }
        *steps += block->predecessor_count;
        if (*steps > STEPS_MOST) {
            owner_pin(slots, owner);
            owner->initial = true;
            return;
        }
    }
}

static void owners_live(struct slot_allocation *slots)
{
    const struct program *program = slots->program;
    uint32_t steps = 0;
    for (uint32_t b = 0; b < slots->flow.block_count; b++)
        slots->lives[b] = slots->kills[b] = NONE;
    for (uint32_t i = 0; i < slots->owner_count; i++) {
        owner_live(slots, i, &steps);
        if (slots->owners[i].size == SIZE_128)
            owner_pin(slots, &slots->owners[i]);
    }
    for (uint32_t i = 0; i < program->constant_count + program->special_count; i++) {
        struct owner *const owner = owner_at(
            slots, i < program->constant_count ? program->constants[i].slot
                                               : program->specials[i - program->constant_count].slot);
        owner_pin(slots, owner);
        owner->initial = true;
    }
}

/* ---- loops that poll ---- */
static bool instruction_polls(const struct program_instruction *instruction)
{
    return instruction->op == PROGRAM_ATOM || instruction->op == PROGRAM_NANOSLEEP ||
           (instruction->op == PROGRAM_LD && instruction->strong);
}

static void jump_note(int32_t *jumps, uint32_t from, uint32_t to)
{
    if (to <= from) {
        jumps[to]++;
        jumps[from + 1]--;
    }
}

static void instruction_pin(const struct slot_allocation *slots, uint32_t i)
{
    const struct program_instruction *const at = &slots->program->instructions[i];
    for (uint32_t s = 0; s < PROGRAM_SOURCES; s++)
        if (at->source[s] != PROGRAM_NO_SLOT)
            owner_pin(slots, owner_at(slots, at->source[s]));
    for (uint32_t d = 0; d < PROGRAM_VECTOR; d++)
        if (at->destination[d] != PROGRAM_NO_SLOT)
            owner_pin(slots, owner_at(slots, at->destination[d]));
    if (at->guard != PROGRAM_NO_SLOT)
        owner_pin(slots, owner_at(slots, at->guard));
}

/* Every cycle of the flow lies within a stretch of the text over all of whose instructions some jump leads
 * back. `jumps`: one more than instructions, all 0. */
static void loops_pin(const struct slot_allocation *slots, int32_t *jumps)
{
    const struct program *const program = slots->program;
    uint32_t first = 0;
    int32_t open = 0;
    bool polls = false;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *const at = &program->instructions[i];
        if (at->op == PROGRAM_BRA)
            jump_note(jumps, i, at->target);
        for (uint32_t k = 0; at->op == PROGRAM_BRX && k < at->immediate; k++)
            jump_note(jumps, i, program->targets[at->target + k]);
    }
    for (uint32_t i = 0; i <= program->instruction_count; i++) {
        open += jumps[i];
        if (open > 0) {
            polls |= instruction_polls(&program->instructions[i]);
            continue;
        }
        for (; polls && first < i; first++)
            instruction_pin(slots, first);
        first = i + 1;
        polls = false;
    }
}

/* ---- slots ---- */
static uint32_t slot_fresh(struct slot_allocation *slots, enum size size)
{
    static const uint32_t bytes[SIZE_COUNT] = {
        [SIZE_32] = LANES * 4, [SIZE_64] = LANES * 8, [SIZE_128] = LANES * 16};
    uint32_t slot = slots->top;
    if (size != SIZE_PREDICATE) {
        slots->top += bytes[size];
        return slot;
    }
    if (slots->predicates_left == 0) {
        slots->predicate_slot = slots->top;
        slots->predicates_left = LINE_BYTES / sizeof(uint32_t);
        slots->top += LINE_BYTES;
    }
    slot = slots->predicate_slot;
    slots->predicate_slot += (uint32_t)sizeof(uint32_t);
    slots->predicates_left--;
    return slot;
}

static void owner_place(struct slot_allocation *slots, struct owner *owner)
{
    const uint32_t freed = slots->free[owner->size];
    if (freed == NONE) {
        owner->new_slot = slot_fresh(slots, owner->size);
        return;
    }
    owner->new_slot = slots->owners[freed].new_slot;
    slots->free[owner->size] = slots->owners[freed].freed;
}

static void owners_place(struct slot_allocation *slots)
{
    const uint32_t count = slots->program->instruction_count;
    for (uint32_t i = 0; i < count; i++)
        slots->firsts[i] = slots->lasts[i] = NONE;
    for (uint32_t i = 0; i < SIZE_COUNT; i++)
        slots->free[i] = NONE;
    for (uint32_t i = 0; i < slots->owner_count; i++)
        if (slots->owners[i].initial)
            slots->owners[i].new_slot = slot_fresh(slots, slots->owners[i].size);
    slots->program->initial_bytes = slots->top;
    for (uint32_t i = slots->owner_count; i-- > 0;) {
        struct owner *const owner = &slots->owners[i];
        if (owner->first == NONE)
            continue;
        owner->next_first = slots->firsts[owner->first];
        owner->next_last = slots->lasts[owner->last];
        slots->firsts[owner->first] = slots->lasts[owner->last] = i;
    }
    for (uint32_t at = 0; at < count; at++) {
        for (uint32_t i = slots->firsts[at]; i != NONE; i = slots->owners[i].next_first)
            if (!slots->owners[i].initial)
                owner_place(slots, &slots->owners[i]);
        for (uint32_t i = slots->lasts[at]; i != NONE; i = slots->owners[i].next_last) {
            slots->owners[i].freed = slots->free[slots->owners[i].size];
            slots->free[slots->owners[i].size] = i;
        }
    }
    slots->program->frame_bytes = slots->top;
}

static void slot_replace(const struct slot_allocation *slots, uint32_t old_frame_bytes, uint32_t *slot)
{
    if (*slot < old_frame_bytes)
        *slot = slots->owners[slots->owner_of[*slot / 4]].new_slot;
}

static void slots_replace(const struct slot_allocation *slots, uint32_t old_frame_bytes,
                          struct program_names *names)
{
    struct program *const program = slots->program;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        struct program_instruction *const at = &program->instructions[i];
        names[i] = program_names_at(program, i);
        for (uint32_t s = 0; s < PROGRAM_SOURCES; s++)
            slot_replace(slots, old_frame_bytes, &at->source[s]);
        for (uint32_t d = 0; d < PROGRAM_VECTOR; d++)
            slot_replace(slots, old_frame_bytes, &at->destination[d]);
        slot_replace(slots, old_frame_bytes, &at->guard);
    }
    for (uint32_t i = 0; i < program->constant_count; i++)
        slot_replace(slots, old_frame_bytes, &program->constants[i].slot);
    for (uint32_t i = 0; i < program->special_count; i++)
        slot_replace(slots, old_frame_bytes, &program->specials[i].slot);
    program->names = names;
}

/* ---- the program ---- */
static bool share_init(struct slot_allocation *slots, int32_t **jumps, struct program_names **names)
{
    const struct program *const program = slots->program;
    const size_t count = program->instruction_count, blocks = slots->flow.block_count;
    slots->owners = malloc((program->slot_count + 1) * sizeof *slots->owners);
    slots->owner_of = malloc((program->frame_bytes / 4 + 1) * sizeof *slots->owner_of);
    slots->places = malloc(count * (PROGRAM_SOURCES + 1 + PROGRAM_VECTOR) * sizeof *slots->places);
    slots->lives = malloc(blocks * sizeof *slots->lives);
    slots->kills = malloc(blocks * sizeof *slots->kills);
    slots->stack = malloc(blocks * sizeof *slots->stack);
    slots->firsts = malloc(count * sizeof *slots->firsts);
    slots->lasts = malloc(count * sizeof *slots->lasts);
    *jumps = calloc(count + 1, sizeof **jumps);
    *names = malloc(count * sizeof **names);
    return slots->owners && slots->owner_of && slots->places && slots->lives && slots->kills &&
           slots->stack && slots->firsts && slots->lasts && *jumps && *names;
}

static void share_fini(struct slot_allocation *slots)
{
    flow_fini(&slots->flow);
    free(slots->owners);
    free(slots->owner_of);
    free(slots->places);
    free(slots->lives);
    free(slots->kills);
    free(slots->stack);
    free(slots->firsts);
    free(slots->lasts);
}

enum status program_allocate_slots(struct program *program, struct error *error)
{
    struct slot_allocation slots = {.program = program};
    struct program_names *names;
    int32_t *jumps;
    if (!program_is_usual(program))
        return STATUS_OK;
    enum status status = flow_init(&slots.flow, program, error);
    if (status != STATUS_OK)
        return status;
    if (!share_init(&slots, &jumps, &names)) {
        status = error_no_memory(error, "for the registers of %s", program->entry->name);
    } else {
        owners_make(&slots);
        if (owners_look(&slots)) {
            const uint32_t old_frame_bytes = program->frame_bytes;
            owners_live(&slots);
            loops_pin(&slots, jumps);
            owners_place(&slots);
            slots_replace(&slots, old_frame_bytes, names);
            names = NULL; /* the program's */
        }
    }
    free(jumps);
    free(names);
    share_fini(&slots);
    return status;
}
