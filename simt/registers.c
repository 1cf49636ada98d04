/*
 * Each slot of the frame that instructions write is alive from its first to its last mention, and through a
 * loop it enters. Its size is the distance to the next slot.
 */
#include "simt/registers.h"

#include <stdlib.h>

#define LANES 32
#define BESIDE 4 /* addresses, the stack pointer, what scheduling keeps alive longer */
#define LEAST 16 /* the least a GPU of today sets aside */

struct slot {
    uint32_t at; /* byte offset in the frame */
    uint32_t first, last;
    bool written;
};

static int compare(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* Appends the slots an instruction names. */
static size_t mentions(const struct program_instruction *is, uint32_t at, struct slot *slots)
{
    size_t count = 0;

    for (int i = 0; i < PROGRAM_VECTOR; i++) {
        if (is->destination[i] != PROGRAM_NO_SLOT)
            slots[count++] = (struct slot){is->destination[i], at, at, true};
    }
    for (int i = 0; i < PROGRAM_SOURCES; i++) {
        if (is->source[i] != PROGRAM_NO_SLOT)
            slots[count++] = (struct slot){is->source[i], at, at, false};
    }
    return count;
}

/* Sorted mentions become one entry a slot. */
static size_t merge(struct slot *slots, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct slot *to = kept ? &slots[kept - 1] : NULL;
        if (!to || to->at != slots[i].at) {
            slots[kept++] = slots[i];
            continue;
        }
        to->first = slots[i].first < to->first ? slots[i].first : to->first;
        to->last = slots[i].last > to->last ? slots[i].last : to->last;
        to->written |= slots[i].written;
    }
    return kept;
}

/* 32-bit registers of a slot: none for predicates, which have their own. */
static uint32_t words_of(const struct slot *slots, size_t count, size_t i, uint32_t frame_bytes)
{
    uint32_t end = i + 1 < count ? slots[i + 1].at : frame_bytes;
    uint32_t bytes = end > slots[i].at ? end - slots[i].at : 0;

    return bytes >= 8 * LANES
               ? 2
               : bytes / (4 * LANES); /* 128-bit values are rare; the last slot's end is not known */
}

static void live_through_loops(const struct program *program, struct slot *slots, size_t count)
{
    for (uint32_t at = 0; at < program->instruction_count; at++) {
        const struct program_instruction *is = &program->instructions[at];
        if (is->op != PROGRAM_BRA || is->target > at)
            continue;
        for (size_t i = 0; i < count; i++) {
            if (slots[i].first < is->target && slots[i].last >= is->target && slots[i].last < at)
                slots[i].last = at;
        }
    }
}

enum status registers_estimate(const struct program *program, const struct arch *arch, uint32_t *registers,
                               struct error *error)
{
    size_t most = (size_t)program->instruction_count * (PROGRAM_VECTOR + PROGRAM_SOURCES), count = 0;
    struct slot *slots = calloc(most + 1, sizeof *slots);
    int64_t *change = calloc((size_t)program->instruction_count + 2, sizeof *change), alive = 0, highest = 0;

    if (!slots || !change) {
        free(slots);
        free(change);
        return error_set(error, STATUS_MEMORY,
                         "There is no memory to estimate the registers of %s: close other programs.",
                         program->entry->name);
    }
    for (uint32_t at = 0; at < program->instruction_count; at++)
        count += mentions(&program->instructions[at], at, slots + count);
    qsort(slots, count, sizeof *slots, compare);
    count = merge(slots, count);
    live_through_loops(program, slots, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t words = slots[i].written ? words_of(slots, count, i, program->frame_bytes) : 0;
        change[slots[i].first] += words;
        change[slots[i].last] -= words; /* its register is free for what its last reader makes */
    }
    for (uint32_t at = 0; at < program->instruction_count; at++) {
        alive += change[at];
        highest = alive > highest ? alive : highest;
    }
    highest += BESIDE;
    highest = highest < LEAST ? LEAST : highest;
    *registers =
        highest > arch->max_registers_per_thread ? arch->max_registers_per_thread : (uint32_t)highest;
    free(slots);
    free(change);
    return STATUS_OK;
}
