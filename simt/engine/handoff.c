/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two hash tables: the writes of each word, in order, with the number of handoffs that led to each; and how many of them
 * each block has looked past. A block that looks again found the change that it waited for in one of the writes since: it
 * is taken to be one handoff behind the first of them by another block, so that a chain is never longer than on a GPU. An
 * atomic continues what others did to the word: a counter at which blocks meet has the longest chain of all.
 */
#include "simt/engine/handoff.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_FIRST 256
#define PLACES_MAX (UINT32_C(1) << 20) /* more words are no flags */
#define WRITES_MAX 4096                /* of a word: then the older half is forgotten */

struct handoff_write {
    uint64_t block;
    uint32_t depth;
};

struct handoff_place {
    uint64_t address;             /* 0: free */
    uint64_t block;               /* that looks; of a word ANY_BLOCK */
    uint64_t count;               /* writes of the word; those that the block has looked past */
    struct handoff_write *writes; /* the last ones of them */
    uint32_t kept, room;
};
#define ANY_BLOCK UINT64_MAX

struct handoff_table {
    struct handoff_place *places;
    uint32_t count, room;
};

struct handoffs {
    struct handoff_table words, looks;
    uint32_t most;
};

static bool table_init(struct handoff_table *table)
{
    table->places = calloc(PLACES_FIRST, sizeof *table->places);
    table->room = table->places ? PLACES_FIRST : 0;
    return table->places != NULL;
}

static void table_fini(struct handoff_table *table)
{
    for (uint32_t i = 0; i < table->room; i++)
        free(table->places[i].writes);
    free(table->places);
}

struct handoffs *handoffs_create(void)
{
    struct handoffs *handoffs = calloc(1, sizeof *handoffs);
    if (handoffs && table_init(&handoffs->words) && table_init(&handoffs->looks))
        return handoffs;
    handoffs_destroy(handoffs);
    return NULL;
}

void handoffs_destroy(struct handoffs *handoffs)
{
    if (!handoffs)
        return;
    table_fini(&handoffs->words);
    table_fini(&handoffs->looks);
    free(handoffs);
}

uint32_t handoffs_most(const struct handoffs *handoffs)
{
    return handoffs ? handoffs->most : 0;
}

/* The place of a word, or of a block's looks at it; or the free place for it. */
static struct handoff_place *place_find(const struct handoff_table *table, uint64_t address, uint64_t block)
{
    uint32_t place =
        (uint32_t)(((address >> 2) + block * UINT64_C(0x100000001b3)) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
        (table->room - 1);
    while (table->places[place].address &&
           (table->places[place].address != address || table->places[place].block != block))
        place = (place + 1) & (table->room - 1);
    return &table->places[place];
}

static bool table_grow(struct handoff_table *table)
{
    struct handoff_table grown = {.count = table->count, .room = 2 * table->room};
    if (table->room >= PLACES_MAX || !(grown.places = calloc(grown.room, sizeof *grown.places)))
        return false;
    for (uint32_t i = 0; i < table->room; i++)
        if (table->places[i].address)
            *place_find(&grown, table->places[i].address, table->places[i].block) = table->places[i];
    free(table->places);
    *table = grown;
    return true;
}

/* Adds it if it is not there; NULL: no room. */
static struct handoff_place *place_take(struct handoff_table *table, uint64_t address, uint64_t block)
{
    struct handoff_place *place = place_find(table, address, block);
    if (place->address)
        return place;
    if (2 * (table->count + 1) > table->room) {
        if (!table_grow(table))
            return NULL;
        place = place_find(table, address, block);
    }
    table->count++;
    *place = (struct handoff_place){.address = address, .block = block};
    return place;
}

static void word_write(struct handoffs *handoffs, const struct block *block, uint64_t address, bool update)
{
    struct handoff_place *word = place_take(&handoffs->words, address, ANY_BLOCK);
    if (!word)
        return;
    if (word->kept == WRITES_MAX) {
        memmove(word->writes, word->writes + WRITES_MAX / 2, WRITES_MAX / 2 * sizeof *word->writes);
        word->kept = WRITES_MAX / 2;
    }
    if (word->kept == word->room && !array_grow(word->writes, word->room, word->kept, 1))
        return;
    const uint32_t before = update && word->kept ? word->writes[word->kept - 1].depth : 0;
    word->writes[word->kept++] = (struct handoff_write){
        .block = block->number, .depth = block->handoffs > before ? block->handoffs : before};
    word->count++;
}

static void word_read(struct handoffs *handoffs, struct block *block, uint64_t address)
{
    const struct handoff_place *word = place_find(&handoffs->words, address, ANY_BLOCK);
    struct handoff_place *look = place_take(&handoffs->looks, address, block->number);
    if (!look)
        return;
    uint64_t forgotten = word->count - word->kept, at = look->count > forgotten ? look->count - forgotten : 0;
    look->count = word->count;
    while (at < word->kept && word->writes[at].block == block->number)
        at++;
    if (at == word->kept || word->writes[at].depth < block->handoffs)
        return;
    block->handoffs = word->writes[at].depth + 1;
    if (block->handoffs > handoffs->most)
        handoffs->most = block->handoffs;
}

void handoff_access(struct worker *worker, const struct program_instruction *instruction, struct warp *warp,
                    uint32_t on, bool write)
{
    struct warp_access access;
    if (instruction->space != PTX_GLOBAL && instruction->space != PTX_GENERIC)
        return;
    warp_access_begin(&access, instruction, on, write);
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   &access);
    for (uint32_t left = on; left; left &= left - 1) {
        const uint64_t address = access.address[__builtin_ctz(left)];
        if (address >= MEMORY_SHARED_WINDOW)
            continue;
        if (write)
            word_write(worker->run->handoffs, &worker->block, address, false);
        else
            word_read(worker->run->handoffs, &worker->block, address);
    }
}

void handoff_atomic(struct worker *worker, uint64_t address, bool changed)
{
    if (changed)
        word_write(worker->run->handoffs, &worker->block, address, true);
    else
        word_read(worker->run->handoffs, &worker->block, address);
}
