/*
 * Which slots need a value when a warp begins. Most of a kernel's registers do not: a lane that reads one has
 * written it before, in the same basic block. To fill them took a seventh of the time of a matrix product,
 * whose frames of 41 KB do not fit into the host's cache.
 *
 * One pass over the instructions; a basic block ends before each target of a branch. A frame is looked at in
 * lines of 64 bytes, at which slots begin; several predicates share a line. Programs whose instructions name
 * slots in other ways than by destination, source and guard have the whole frame filled.
 */
#include "simt/program/lower/lower_internal.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64
#define GAP_LINES 4 /* a shorter gap is filled, too */

enum { LINE_IS_SLOT = 1, LINE_IS_INITIAL = 2 };

struct frame_lines {
    uint8_t *marks;
    uint32_t
        *written; /* the basic block, from 1, in which the slot was last written for all lanes of a path */
    uint32_t block;
};

static void slot_mark(struct frame_lines *lines, uint32_t slot, uint8_t marks)
{
    if (slot == PROGRAM_NO_SLOT)
        return;
    if (slot % LINE_BYTES)
        marks |= LINE_IS_INITIAL;
    lines->marks[slot / LINE_BYTES] |= LINE_IS_SLOT | marks;
}

static void slot_read(struct frame_lines *lines, uint32_t slot)
{
    if (slot != PROGRAM_NO_SLOT)
        slot_mark(lines, slot, lines->written[slot / LINE_BYTES] == lines->block ? 0 : LINE_IS_INITIAL);
}

static void slot_write(struct frame_lines *lines, uint32_t slot, bool guarded)
{
    slot_mark(lines, slot, 0);
    if (slot != PROGRAM_NO_SLOT && !guarded)
        lines->written[slot / LINE_BYTES] = lines->block;
}

/* False: it may name slots in other ways. */
static bool instruction_look(struct frame_lines *lines, const struct program_instruction *instruction)
{
    bool guarded = instruction->guard != PROGRAM_NO_SLOT;

    switch ((enum program_op)instruction->op) {
    case PROGRAM_LD:
    case PROGRAM_ST:
        if (instruction->space == PTX_PARAM && instruction->immediate != PROGRAM_NO_SLOT)
            return false;
        break;
    case PROGRAM_LANES:
    case PROGRAM_BRA: break;
    /* Lanes may read what others have not written. */
    case PROGRAM_SHFL:
    case PROGRAM_VOTE:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX:
    case PROGRAM_ATOM:
    case PROGRAM_BAR_SYNC:
    case PROGRAM_BAR_RED:
    case PROGRAM_BAR_WARP:
    case PROGRAM_FENCE:
    case PROGRAM_RET:
    case PROGRAM_EXIT:
    case PROGRAM_TRAP:
        for (uint32_t i = 0; i < PROGRAM_SOURCES; i++)
            slot_mark(lines, instruction->source[i], LINE_IS_INITIAL);
        slot_mark(lines, instruction->guard, LINE_IS_INITIAL);
        guarded = true;
        break;
    default: return false;
    }
    for (uint32_t i = 0; i < PROGRAM_SOURCES; i++)
        slot_read(lines, instruction->source[i]);
    slot_read(lines, instruction->guard);
    for (uint32_t i = 0; i < PROGRAM_VECTOR; i++)
        slot_write(lines, instruction->destination[i], guarded);
    return true;
}

static bool program_look(struct frame_lines *lines, const struct program *program, const bool *targets)
{
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        lines->block += targets[i];
        if (!instruction_look(lines, &program->instructions[i]))
            return false;
    }
    for (uint32_t i = 0; i < program->constant_count; i++)
        slot_mark(lines, program->constants[i].slot, LINE_IS_INITIAL);
    for (uint32_t i = 0; i < program->special_count; i++)
        slot_mark(lines, program->specials[i].slot, LINE_IS_INITIAL);
    return true;
}

/* Lists the parts of the frame that are initial; returns their number. `parts` has room for one in GAP_LINES
 * lines and one more. */
static uint32_t list_parts(const struct frame_lines *lines, uint32_t line_count, struct program_bytes *parts)
{
    uint32_t count = 0, end = 0; /* of the last part, in lines */
    bool initial = true;

    for (uint32_t line = 0; line < line_count; line++) {
        if (lines->marks[line] & LINE_IS_SLOT)
            initial = lines->marks[line] & LINE_IS_INITIAL;
        if (!initial)
            continue;
        if (count == 0 || line - end >= GAP_LINES)
            parts[count++].from = line * LINE_BYTES;
        end = line + 1;
        parts[count - 1].count = end * LINE_BYTES - parts[count - 1].from;
    }
    return count;
}

bool lower_find_initial(struct program *program, struct arena *arena)
{
    const uint32_t line_count = program->frame_bytes / LINE_BYTES;
    struct program_bytes *parts = arena_alloc(arena, line_count / GAP_LINES + 2, sizeof *parts);
    struct frame_lines lines = {.marks = calloc(line_count + 1u, sizeof *lines.marks),
                                .written = calloc(line_count + 1u, sizeof *lines.written),
                                .block = 1};
    bool *targets = calloc(program->instruction_count + 1u, sizeof *targets);
    bool made = parts && lines.marks && lines.written && targets;

    for (uint32_t i = 0; made && i < program->instruction_count; i++)
        if (program->instructions[i].target < program->instruction_count)
            targets[program->instructions[i].target] = true;
    if (made && program_look(&lines, program, targets)) {
        program->initial = parts;
        program->initial_count = list_parts(&lines, line_count, parts);
    }
    free(lines.marks);
    free(lines.written);
    free(targets);
    return made;
}
