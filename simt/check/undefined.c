/* SPDX-License-Identifier: Apache-2.0 */
/* Origins are few: one for each instruction of a program. Words are found by a hash of their keys. */
#include "simt/check/undefined.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_FIRST 256u
#define PLACES_MAX (1u << 22)
#define ORIGINS_MAX (1u << 20)
#define FORGOTTEN 1u      /* a mark without an origin: the place is not free, but says nothing */
#define ALIGNMENT_MAX 16u /* of a member of a struct */

enum status undefined_create(struct undefined **undefined, struct error *error)
{
    *undefined = calloc(1, sizeof **undefined);
    return *undefined ? STATUS_OK : error_no_memory(error, "to check for uninitialised memory");
}

void undefined_destroy(struct undefined *undefined)
{
    if (!undefined)
        return;
    free(undefined->origins);
    free(undefined->memory.places);
    free(undefined->block.places);
    free(undefined);
}

uint32_t undefined_mark(struct undefined *undefined, const struct program *program, uint32_t instruction,
                        uint8_t element)
{
    for (uint32_t i = 0; i < undefined->count; i++)
        if (undefined->origins[i].program == program && undefined->origins[i].instruction == instruction &&
            undefined->origins[i].element == element)
            return (i + 1) << UNDEFINED_ORIGIN_SHIFT;
    if (undefined->count == ORIGINS_MAX ||
        (undefined->count == undefined->room &&
         !array_grow(undefined->origins, undefined->room, undefined->count, 1)))
        return 0;
    undefined->origins[undefined->count++] =
        (struct undefined_origin){.program = program, .instruction = instruction, .element = element};
    return undefined->count << UNDEFINED_ORIGIN_SHIFT;
}

/* ---- places ---- */
static struct undefined_map *map_of(struct undefined *undefined, uint64_t key)
{
    return key >> 62 ? &undefined->block : &undefined->memory;
}

/* The place of a key, or the free place for it. */
static struct undefined_place *map_place(const struct undefined_map *map, uint64_t key)
{
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->room - 1);
    while (map->places[at].mark && map->places[at].key != key)
        at = (at + 1) & (map->room - 1);
    return &map->places[at];
}

static bool map_grow(struct undefined_map *map)
{
    struct undefined_map grown = {.count = map->count, .room = map->room ? 2 * map->room : PLACES_FIRST};
    if (grown.room > PLACES_MAX || !(grown.places = calloc(grown.room, sizeof *grown.places)))
        return false;
    for (uint32_t i = 0; i < map->room; i++)
        if (map->places[i].mark)
            *map_place(&grown, map->places[i].key) = map->places[i];
    free(map->places);
    *map = grown;
    return true;
}

void undefined_note(struct undefined *undefined, const struct undefined_place *place)
{
    struct undefined_map *map = map_of(undefined, place->key);
    if (2 * (map->count + 1) > map->room && !map_grow(map))
        return;
    struct undefined_place *to = map_place(map, place->key);
    map->count += to->mark == 0;
    *to = *place;
}

const struct undefined_place *undefined_find(const struct undefined *undefined, uint64_t key)
{
    const struct undefined_map *map = key >> 62 ? &undefined->block : &undefined->memory;
    const struct undefined_place *place = map->count ? map_place(map, key) : NULL;
    return place && place->mark >> UNDEFINED_ORIGIN_SHIFT ? place : NULL;
}

void undefined_launch_begins(struct undefined *undefined)
{
    struct undefined_map *map = &undefined->block;
    if (map->count)
        memset(map->places, 0, map->room * sizeof map->places[0]);
    map->count = 0;
}

static void place_forget(struct undefined_place *place)
{
    place->mark = place->mark ? FORGOTTEN : 0;
}

void undefined_forget(struct undefined *undefined, uint64_t address, uint64_t size_bytes)
{
    struct undefined_map *map = &undefined->memory;
    uint64_t first = address >> 2, last = (address + size_bytes + 3) >> 2;
    if (map->count == 0)
        return;
    for (uint64_t key = first; key < last && last - first < map->room; key++)
        place_forget(map_place(map, key));
    for (uint32_t i = 0; i < map->room && last - first >= map->room; i++)
        if (map->places[i].key >= first && map->places[i].key < last)
            place_forget(&map->places[i]);
}

/* ---- reports ---- */
static void thread_index(uint32_t number, const uint32_t size[3], uint32_t index[3])
{
    index[0] = number % size[0];
    index[1] = number / size[0] % size[1];
    index[2] = number / size[0] / size[1];
}

void undefined_describe(const struct undefined_origin *origin, uint64_t block_number, uint32_t warp,
                        uint32_t lane, struct check_report *report)
{
    bool own = origin->block_number == block_number && origin->warp == warp && origin->lanes >> lane & 1u;
    uint32_t reader = own ? lane : (uint32_t)__builtin_ctz(origin->lanes);
    const struct program_instruction *instruction = &origin->program->instructions[origin->instruction];
    bool shuffle = instruction->op == PROGRAM_SHFL;
    *report = (struct check_report){.kind = shuffle ? CHECK_RETURNED_LANE : CHECK_UNINITIALISED,
                                    .space = origin->space,
                                    .instruction = origin->instruction,
                                    .own_program = origin->program,
                                    .address = origin->address[reader],
                                    .width_bytes = origin->size_bytes,
                                    .has_other = !own,
                                    .count = 1};
    memcpy(report->block, origin->block, sizeof report->block);
    thread_index(origin->warp * 32 + reader, origin->block_size, report->thread);
    if (shuffle) {
        uint32_t other = origin->warp * 32 + (uint32_t)origin->address[reader];
        uint32_t threads = origin->block_size[0] * origin->block_size[1] * origin->block_size[2];
        report->barrier_threads = other < threads ? 0 : threads;
        thread_index(other, origin->block_size, report->other_thread);
    }
}

/* ---- copies ---- */
static bool byte_is_written(const struct memory_range *range, uint64_t at)
{
    return range->initialised[at / 8] >> at % 8 & 1u;
}

/* The first byte from `at` on that was not written. */
static uint64_t next_unwritten(const struct memory_range *range, uint64_t at, uint64_t end)
{
    while (at < end && byte_is_written(range, at))
        at += at % 8 == 0 && range->initialised[at / 8] == 0xff ? 8 : 1;
    return at < end ? at : end;
}

/* Returns whether the bytes `at` ... `end` - 1 of a copy can be padding: they end where a member of a larger
 * alignment begins, and other bytes of the same struct were written. */
static bool can_be_padding(const struct memory_range *range, uint64_t from, uint64_t at, uint64_t end)
{
    uint64_t size_bytes = end - at;
    for (uint64_t alignment = 2; alignment <= ALIGNMENT_MAX; alignment *= 2)
        if (size_bytes < alignment && (range->address + end) % alignment == 0)
            return at > from && byte_is_written(range, at - 1);
    return false;
}

static bool is_padding(const struct undefined *undefined, const struct undefined_place *place,
                       const struct memory_range *range, uint64_t from, uint64_t at, uint64_t end)
{
    const struct undefined_origin *origin = undefined_origin_of(undefined, place->mark);
    bool may = !origin->defined || place->mark & UNDEFINED_PART || origin->size_bytes == 1;
    return !(place->mark & UNDEFINED_COMPUTED) && may && can_be_padding(range, from, at, end);
}

void undefined_to_host(struct undefined *undefined, const struct memory_range *range, uint64_t from,
                       uint64_t size_bytes, undefined_tell *tell, void *owner)
{
    uint64_t end = from + size_bytes;
    if (!range->initialised || undefined->memory.count == 0)
        return;
    for (uint64_t at = next_unwritten(range, from, end), upto; at < end;
         at = next_unwritten(range, upto, end)) {
        for (upto = at; upto < end && !byte_is_written(range, upto);)
            upto++;
        for (uint64_t word = at; word < upto; word = (word / 4 + 1) * 4) {
            const struct undefined_place *place = undefined_find(undefined, (range->address + word) >> 2);
            if (!place || is_padding(undefined, place, range, from, at, upto))
                continue;
            struct undefined_origin *origin = undefined_origin_of(undefined, place->mark);
            struct check_report report;
            if (origin->told)
                continue;
            origin->told = true;
            undefined_describe(origin, UINT64_MAX, 0, 0, &report);
            report.use = CHECK_USE_HOST;
            report.other_program = place->program;
            report.other_instruction = place->instruction;
            tell(owner, origin->program, &report);
        }
    }
}

bool undefined_is_all(const struct undefined *undefined, const struct memory_range *range, uint64_t from,
                      uint64_t size_bytes)
{
    uint64_t end = from + size_bytes;
    if (!range->initialised || size_bytes == 0 ||
        (undefined && undefined_find(undefined, (range->address + from) >> 2)))
        return false;
    for (uint64_t at = from; at < end; at += at % 8 == 0 && range->initialised[at / 8] == 0 ? 8 : 1)
        if (byte_is_written(range, at))
            return false;
    return true;
}

static void byte_forget(const struct memory_range *range, uint64_t at)
{
    range->initialised[at / 8] &= (uint8_t) ~(1u << at % 8);
}

/* The key of a byte that lies `further` from the start of a side. */
static uint64_t side_key(const struct undefined_side *side, uint64_t further)
{
    return side->key + ((side->range->address + side->at) % 4 + further) / 4;
}

void undefined_copy(struct undefined *undefined, const struct undefined_side *from,
                    const struct undefined_side *to, uint64_t size_bytes)
{
    const struct memory_range *source = from->range;
    if (!to->range->initialised || !source->initialised)
        return;
    uint64_t end = from->at + size_bytes;
    for (uint64_t at = next_unwritten(source, from->at, end); at < end;
         at = next_unwritten(source, at + 1, end)) {
        uint64_t further = at - from->at;
        const struct undefined_place *place = undefined_find(undefined, side_key(from, further));
        byte_forget(to->range, to->at + further);
        if (place) {
            struct undefined_place copied = *place;
            copied.key = side_key(to, further);
            undefined_note(undefined, &copied);
        }
    }
}
