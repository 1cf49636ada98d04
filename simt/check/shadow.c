/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of a KiB, found by a hash table of their numbers. A page has lines of 128 bytes: most accesses are of
 * neighbouring lanes to all words of a line, which one cell holds. A line that was accessed otherwise is
 * split into sectors of 32 bytes, and a sector, in the same way, into a cell per word, or per byte once an
 * access was not of whole words. Cells of earlier launches are not cleared: their run says how old they are.
 */
#include "simt/check/shadow.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 10
#define PAGE_BYTES (1u << PAGE_SHIFT)
#define LINE_BYTES 128u
#define SECTOR_BYTES 32u
#define PLACES_FIRST 1024

struct shadow_cell {
    struct shadow_access write, reads[2]; /* reads by different threads, of different blocks if there are */
};

/* `all` of a sector, and of a line, that is not split: of word i by thread + (i >> spread). */
struct shadow_sector {
    struct shadow_cell all;
    struct shadow_cell *cells; /* NULL: not split */
    uint8_t shift;             /* log2 of the bytes of one of `cells`: 2 or 0 */
};

struct shadow_line {
    struct shadow_cell all;
    struct shadow_sector *sectors; /* NULL: not split */
};

struct shadow_page {
    uint64_t number;
    uint32_t last_run;
    struct shadow_line lines[PAGE_BYTES / LINE_BYTES];
};

/* Parts of one size, cut from slabs: there are millions of them, which are freed all at once. */
struct shadow_part {
    struct shadow_part *next;
};
struct shadow_store {
    struct shadow_part *slabs, *spare;
    uint8_t *next, *end; /* what is left of the last slab */
};
#define SLAB_BYTES 65536u

enum shadow_stored { STORED_PAGES, STORED_SECTORS, STORED_WORDS, STORED_BYTES, STORED_KINDS };

#define PAGES_FOUND 256
struct shadow {
    bool of_block; /* shared memory: accesses of other blocks are of no concern */
    uint64_t limit_bytes, used_bytes, unwatched;
    struct shadow_page **places;
    uint32_t place_count, page_count;
    struct shadow_page
        *found[PAGES_FOUND]; /* last, by a hash of 8 bits: the rows of a matrix are pages apart */
    struct shadow_store stores[STORED_KINDS];
};

#define SHADOW_SPREAD_SHIFT 6 /* in run_kind: log2 of the neighbouring words that one thread accesses */
#define SHADOW_SPREAD_MASK (UINT32_C(3) << SHADOW_SPREAD_SHIFT)

static uint32_t shadow_spread(const struct shadow_access *access)
{
    return (access->run_kind & SHADOW_SPREAD_MASK) >> SHADOW_SPREAD_SHIFT;
}

/* The cell of the word that is so many words further. */
static struct shadow_cell cell_further(struct shadow_cell cell, uint32_t words)
{
    cell.write.place += words >> shadow_spread(&cell.write);
    cell.reads[0].place += words >> shadow_spread(&cell.reads[0]);
    cell.reads[1].place += words >> shadow_spread(&cell.reads[1]);
    return cell;
}

/* ---- what the record is made of ---- */
static const size_t stored_bytes[STORED_KINDS] = {
    [STORED_PAGES] = sizeof(struct shadow_page),
    [STORED_SECTORS] = LINE_BYTES / SECTOR_BYTES * sizeof(struct shadow_sector),
    [STORED_WORDS] = SECTOR_BYTES / 4 * sizeof(struct shadow_cell),
    [STORED_BYTES] = SECTOR_BYTES * sizeof(struct shadow_cell)};

static enum shadow_stored stored_cells(uint8_t shift)
{
    return shift ? STORED_WORDS : STORED_BYTES;
}

/* Not cleared; NULL: no memory. */
static void *part_take(struct shadow *shadow, enum shadow_stored kind)
{
    struct shadow_store *store = &shadow->stores[kind];
    struct shadow_part *part = store->spare;
    if (part) {
        store->spare = part->next;
    } else {
        if ((size_t)(store->end - store->next) < stored_bytes[kind]) {
            struct shadow_part *slab = malloc(SLAB_BYTES);
            if (!slab)
                return NULL;
            slab->next = store->slabs;
            store->slabs = slab;
            store->next = (uint8_t *)slab + 16;
            store->end = (uint8_t *)slab + SLAB_BYTES;
        }
        part = (struct shadow_part *)(void *)store->next;
        store->next += stored_bytes[kind];
    }
    shadow->used_bytes += stored_bytes[kind];
    return part;
}

static void part_give(struct shadow *shadow, enum shadow_stored kind, void *given)
{
    struct shadow_part *part = given;
    part->next = shadow->stores[kind].spare;
    shadow->stores[kind].spare = part;
    shadow->used_bytes -= stored_bytes[kind];
}

static void sector_join(struct shadow *shadow, struct shadow_sector *sector)
{
    if (!sector->cells)
        return;
    part_give(shadow, stored_cells(sector->shift), sector->cells);
    sector->cells = NULL;
}

#define LINE_SECTORS (LINE_BYTES / SECTOR_BYTES)

static void line_join(struct shadow *shadow, struct shadow_line *line)
{
    if (!line->sectors)
        return;
    for (uint32_t i = 0; i < LINE_SECTORS; i++)
        sector_join(shadow, &line->sectors[i]);
    part_give(shadow, STORED_SECTORS, line->sectors);
    line->sectors = NULL;
}

static void page_destroy(struct shadow *shadow, struct shadow_page *page)
{
    for (uint32_t i = 0; i < PAGE_BYTES / LINE_BYTES; i++)
        line_join(shadow, &page->lines[i]);
    part_give(shadow, STORED_PAGES, page);
}

enum status shadow_create(struct shadow **shadow, bool of_block, uint64_t limit_bytes, struct error *error)
{
    struct shadow *made = calloc(1, sizeof *made);
    if (made)
        made->places = calloc(PLACES_FIRST, sizeof *made->places);
    if (!made || !made->places) {
        free(made);
        return error_no_memory(error, "to check memory for races");
    }
    made->of_block = of_block;
    made->limit_bytes = limit_bytes;
    made->place_count = PLACES_FIRST;
    *shadow = made;
    return STATUS_OK;
}

void shadow_destroy(struct shadow *shadow)
{
    if (!shadow)
        return;
    for (int kind = 0; kind < STORED_KINDS; kind++)
        for (struct shadow_part *slab = shadow->stores[kind].slabs, *next; slab; slab = next) {
            next = slab->next;
            free(slab);
        }
    free(shadow->places);
    free(shadow);
}

uint64_t shadow_unwatched(const struct shadow *shadow)
{
    return shadow->unwatched;
}

/* ---- pages ---- */
static uint32_t page_place(struct shadow_page *const *places, uint32_t count, uint64_t number)
{
    uint32_t place = (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (count - 1);
    while (places[place] && places[place]->number != number)
        place = (place + 1) & (count - 1);
    return place;
}

static struct shadow_page *page_at(const struct shadow *shadow, uint64_t address)
{
    return shadow->places[page_place(shadow->places, shadow->place_count, address >> PAGE_SHIFT)];
}

static bool places_set(struct shadow *shadow, uint32_t count)
{
    struct shadow_page **grown = calloc(count, sizeof *grown);
    if (!grown)
        return false;
    for (uint32_t i = 0; i < shadow->place_count; i++)
        if (shadow->places[i])
            grown[page_place(grown, count, shadow->places[i]->number)] = shadow->places[i];
    free(shadow->places);
    shadow->places = grown;
    shadow->place_count = count;
    return true;
}

/* Frees the pages that hold only accesses before the launch. */
static void pages_reclaim(struct shadow *shadow, const struct order_launch *launch)
{
    for (uint32_t i = 0; i < shadow->place_count; i++) {
        struct shadow_page *page = shadow->places[i];
        if (page && order_run_before(launch, page->last_run)) {
            page_destroy(shadow, page);
            shadow->page_count--;
            shadow->places[i] = NULL;
        }
    }
    memset(shadow->found, 0, sizeof shadow->found);
    places_set(shadow, shadow->place_count); /* the chains of the table have gaps now */
}

/* launch NULL: nothing is given up for it. */
static bool has_room(struct shadow *shadow, const struct order_launch *launch, uint64_t size_bytes)
{
    if (shadow->used_bytes + size_bytes <= shadow->limit_bytes)
        return true;
    if (shadow->unwatched || !launch) /* it was tried in vain */
        return false;
    pages_reclaim(shadow, launch);
    return shadow->used_bytes + size_bytes <= shadow->limit_bytes;
}

static struct shadow_page *page_make(struct shadow *shadow, const struct order_launch *launch,
                                     uint64_t number)
{
    struct shadow_page *page = NULL;
    if (2 * (shadow->page_count + 1) > shadow->place_count && !places_set(shadow, 2 * shadow->place_count))
        return NULL;
    if (has_room(shadow, launch, sizeof *page))
        page = part_take(shadow, STORED_PAGES);
    if (!page)
        return NULL;
    memset(page, 0, sizeof *page);
    page->number = number;
    shadow->page_count++;
    shadow->places[page_place(shadow->places, shadow->place_count, number)] = page;
    return page;
}

/* The page of an access by the launch; NULL: it cannot be watched. */
static inline struct shadow_page *page_find(struct shadow *shadow, const struct order_launch *launch,
                                            uint64_t address)
{
    const uint64_t number = address >> PAGE_SHIFT;
    struct shadow_page **found = &shadow->found[number * UINT64_C(0x9e3779b97f4a7c15) >> 56], *page = *found;
    if (!page || page->number != number) {
        page = page_at(shadow, address);
        if (!page)
            page = page_make(shadow, launch, number);
        *found = page;
    }
    if (page)
        page->last_run = launch->run;
    return page;
}

static inline struct shadow_line *page_line(struct shadow_page *page, uint64_t address)
{
    return &page->lines[address % PAGE_BYTES / LINE_BYTES];
}

static bool line_split(struct shadow *shadow, const struct order_launch *launch, struct shadow_line *line)
{
    const uint64_t size_bytes = LINE_SECTORS * sizeof line->sectors[0];
    line->sectors = has_room(shadow, launch, size_bytes) ? part_take(shadow, STORED_SECTORS) : NULL;
    if (!line->sectors)
        return false;
    for (uint32_t i = 0; i < LINE_SECTORS; i++)
        line->sectors[i] = (struct shadow_sector){.all = cell_further(line->all, i * SECTOR_BYTES / 4)};
    return true;
}

/* The sector of an address of the line. NULL: there is no room for sectors. */
static inline struct shadow_sector *line_sector(struct shadow *shadow, const struct order_launch *launch,
                                                struct shadow_line *line, uint64_t address)
{
    if (!line->sectors && !line_split(shadow, launch, line))
        return NULL;
    return &line->sectors[address % LINE_BYTES / SECTOR_BYTES];
}

static struct shadow_cell sector_cell(const struct shadow_sector *sector, uint64_t address)
{
    uint32_t byte = address % SECTOR_BYTES;
    return sector->cells ? sector->cells[byte >> sector->shift] : cell_further(sector->all, byte / 4);
}

/* The cell of the word or byte at an address. */
static struct shadow_cell line_cell(const struct shadow_line *line, uint64_t address)
{
    return line->sectors ? sector_cell(&line->sectors[address % LINE_BYTES / SECTOR_BYTES], address)
                         : cell_further(line->all, address % LINE_BYTES / 4);
}

static bool sector_split(struct shadow *shadow, const struct order_launch *launch,
                         struct shadow_sector *sector, uint8_t shift)
{
    uint64_t size_bytes = (SECTOR_BYTES >> shift) * sizeof(struct shadow_cell);
    struct shadow_cell *cells =
        has_room(shadow, launch, size_bytes) ? part_take(shadow, stored_cells(shift)) : NULL;
    if (!cells)
        return false;
    for (uint32_t byte = 0; byte < SECTOR_BYTES; byte += 1u << shift)
        cells[byte >> shift] = sector_cell(sector, byte);
    sector_join(shadow, sector);
    sector->cells = cells;
    sector->shift = shift;
    return true;
}

/* The cells of the sector of an address, one per word, or per byte with shift 0 or if they are already.
 * NULL: there is no room. */
static inline struct shadow_cell *sector_cells(struct shadow *shadow, const struct order_launch *launch,
                                               struct shadow_sector *sector, uint8_t shift)
{
    bool split = sector && sector->cells && sector->shift <= shift;
    return split || (sector && sector_split(shadow, launch, sector, shift)) ? sector->cells : NULL;
}

static const struct shadow_cell no_access;

static void line_clear(struct shadow *shadow, struct shadow_line *line)
{
    line_join(shadow, line);
    line->all = no_access;
}

/* Bytes of a line, the last not included. */
static void line_forget(struct shadow *shadow, struct shadow_line *line, uint64_t address, uint64_t last)
{
    if (last - address == LINE_BYTES) {
        line_clear(shadow, line);
        return;
    }
    for (uint64_t end; address < last; address = end) {
        struct shadow_sector *sector = line_sector(shadow, NULL, line, address);
        struct shadow_cell *cells = sector_cells(shadow, NULL, sector, 2);
        end = (address / SECTOR_BYTES + 1) * SECTOR_BYTES;
        end = end < last ? end : last;
        if (!cells) { /* there is no room: more is forgotten */
            shadow->unwatched++;
            line_clear(shadow, line);
            return;
        }
        for (uint64_t at = address; at < end; at += 1u << sector->shift)
            cells[at % SECTOR_BYTES >> sector->shift] = no_access;
    }
}

void shadow_forget(struct shadow *shadow, uint64_t address, uint64_t size_bytes)
{
    uint64_t last = address + size_bytes;
    for (uint64_t at = address, end; at < last; at = end) {
        struct shadow_page *page = page_at(shadow, at);
        end = page ? (at / LINE_BYTES + 1) * LINE_BYTES : (at / PAGE_BYTES + 1) * PAGE_BYTES;
        end = end < last ? end : last;
        if (page)
            line_forget(shadow, page_line(page, at), at, end);
    }
}

/* ---- comparing ---- */
/* The accesses of a warp at an instruction, as they are recorded; `place` is without the lane. It is copied
 * to here since the compiler would read `order` again after every word that is recorded. */
struct shadow_warp {
    const struct shadow *shadow;
    const struct order *order;
    const uint32_t *clock;
    uint32_t synced, warp;
    bool of_block, alike; /* all lanes know the same */
    struct shadow_access access;
};

static inline struct shadow_warp warp_begin(const struct shadow *shadow, const struct order *order,
                                            uint32_t warp, const struct shadow_now *now)
{
    const struct order_warp *of = &order->warps[warp];
    return (struct shadow_warp){
        .shadow = shadow,
        .order = order,
        .clock = of->clock,
        .synced = of->synced,
        .warp = warp,
        .of_block = shadow->of_block,
        .alike = !of->acquired,
        .access = {.run_kind = order->launch->run << 8 | (now->kind & ~(uint32_t)SHADOW_ARRIVES),
                   .block = order->block,
                   .clock = of->clock[warp],
                   .place = now->instruction << 10 | warp * 32}};
}

/* Field by field: the processor waits when it reads at once what was written in parts. */
static inline void access_set(struct shadow_access *to, const struct shadow_warp *warp, uint32_t thread)
{
    to->run_kind = warp->access.run_kind;
    to->block = warp->access.block;
    to->clock = warp->access.clock;
    to->place = warp->access.place | thread % 32;
}

static inline bool is_of_launch(const struct shadow_warp *warp, const struct shadow_access *access)
{
    return (access->run_kind ^ warp->access.run_kind) >> 8 == 0 && access->block == warp->access.block;
}

/* Returns whether an access is ordered before the current access of the thread: in any case. */
static bool access_is_before_any(const struct shadow *shadow, const struct order *order,
                                 const struct shadow_access *access, uint32_t thread)
{
    uint32_t run = shadow_run(access), of = shadow_thread(access);
    const struct order_warp *warp = &order->warps[thread / 32];
    const bool before = warp->acquired && !(warp->acquired >> thread % 32 & 1);
    if (run != order->launch->run)
        return shadow->of_block || order_run_before(order->launch, run);
    if (access->block != order->block)
        return shadow->of_block || known_has(&order->launch->known, before ? warp->before.known : warp->known,
                                             access->block, of / 32, access->clock);
    if (shadow_kind(access) & SHADOW_COPY)
        return false;
    if (of == thread)
        return true;
    if (of / 32 != thread / 32)
        return access->clock <= (before ? warp->before.clock : warp->clock)[of / 32];
    return access->clock < (before ? warp->before.synced : warp->synced) ||
           (warp->parted && access->clock < warp->lanes[thread % 32][of % 32]);
}

/* The same, quick for most accesses: they are of the same block, and the warps have met since. */
static inline bool access_is_before(const struct shadow_warp *warp, const struct shadow_access *access,
                                    uint32_t thread)
{
    uint32_t of = shadow_thread(access);
    if (!is_of_launch(warp, access)) {
        if (warp->of_block)
            return true;
    } else if (warp->alike && !(access->run_kind & SHADOW_COPY)) {
        if (of / 32 != warp->warp)
            return access->clock <= warp->clock[of / 32];
        if (access->clock < warp->synced || of == thread)
            return true;
    }
    return access_is_before_any(warp->shadow, warp->order, access, thread);
}

/* Returns whether two accesses of which one writes must be ordered. */
static bool access_conflicts(const struct order *order, const struct shadow_access *access,
                             const struct shadow_now *now)
{
    uint32_t kind = shadow_kind(access), both = kind & now->kind;
    if (!(both & SHADOW_STRONG))
        return true;
    bool same_block = access->block == order->block && shadow_run(access) == order->launch->run;
    if (!same_block)
        return ((kind | now->kind) & SHADOW_NARROW) != 0;
    return both & SHADOW_VOLATILE && shadow_thread(access) / 32 == now->thread / 32;
}

static bool races_with(const struct shadow_warp *warp, const struct shadow_access *access,
                       const struct shadow_now *now)
{
    bool arrives = now->kind & SHADOW_ARRIVES && shadow_kind(access) & SHADOW_COPY &&
                   shadow_thread(access) == now->thread;
    return access->run_kind && !arrives && access_conflicts(warp->order, access, now) &&
           !access_is_before(warp, access, now->thread);
}

static bool writes_the_same(const struct shadow_access *write, const struct shadow_now *now)
{
    return now->new && !(now->kind & SHADOW_STRONG) &&
           !(shadow_kind(write) & (SHADOW_STRONG | SHADOW_COPY)) &&
           memcmp(now->old, now->new, now->size_bytes) == 0;
}

/* Of two readers one is of another block than the other, if there are such. */
static inline void cell_note_read(const struct shadow_warp *warp, struct shadow_cell *cell, uint32_t thread)
{
    struct shadow_access *reads = cell->reads;
    if (reads[1].run_kind && is_of_launch(warp, &reads[1]) && shadow_thread(&reads[1]) == thread) {
        access_set(&reads[1], warp, thread);
    } else if (!reads[0].run_kind || access_is_before(warp, &reads[0], thread)) {
        access_set(&reads[0], warp, thread);
    } else {
        bool both_of_another = reads[0].block == reads[1].block && reads[0].block != warp->access.block;
        if (!reads[1].run_kind || both_of_another || access_is_before(warp, &reads[1], thread))
            access_set(&reads[1], warp, thread);
    }
}

static bool cell_touch(const struct shadow_warp *warp, struct shadow_cell *cell, const struct shadow_now *now,
                       struct shadow_access *other)
{
    bool found = false, same = now->kind & SHADOW_WRITES && writes_the_same(&cell->write, now);
    bool races = races_with(warp, &cell->write, now);
    if (races && !same) {
        *other = cell->write;
        found = true;
    }
    if (!(now->kind & SHADOW_WRITES) && now->kind & SHADOW_ARRIVES) {
        for (int i = 0; i < 2; i++)
            if (shadow_kind(&cell->reads[i]) & SHADOW_COPY && shadow_thread(&cell->reads[i]) == now->thread)
                access_set(&cell->reads[i], warp, now->thread);
        return found;
    }
    if (!(now->kind & SHADOW_WRITES)) {
        cell_note_read(warp, cell, now->thread);
        return found;
    }
    for (int i = 0; i < 2 && !found; i++) {
        if (races_with(warp, &cell->reads[i], now)) {
            *other = cell->reads[i];
            found = true;
        }
    }
    if (!(races && same)) /* what one of them wrote stays: its thread may read it */
        access_set(&cell->write, warp, now->thread);
    return found;
}

/* A copy that may run at the same time as the launch. */
static bool claims_touch(const struct order_launch *launch, uint32_t kind, uint64_t address,
                         uint32_t size_bytes, struct shadow_access *other)
{
    for (uint32_t i = 0; i < launch->claim_count; i++) {
        const struct claim *claim = &launch->claims[i];
        if ((claim->write || kind & SHADOW_WRITES) && claim_touches(claim, address, size_bytes)) {
            *other = (struct shadow_access){.run_kind = claim->run << 8 | (claim->write ? SHADOW_WRITES : 0)};
            return true;
        }
    }
    return false;
}

bool shadow_touch(struct shadow *shadow, const struct order *order, const struct shadow_now *now,
                  struct shadow_access *other)
{
    const struct order_launch *launch = order->launch;
    const struct shadow_warp warp = warp_begin(shadow, order, now->thread / 32, now);
    struct shadow_access raced;
    bool found = launch->claim_count && !shadow->of_block &&
                 claims_touch(launch, now->kind, now->address, now->size_bytes, other);
    uint8_t shift = ((now->address | now->size_bytes) & 3) == 0 ? 2 : 0;
    for (uint64_t at = now->address, end = at + now->size_bytes; at < end;) {
        struct shadow_page *page = page_find(shadow, launch, at);
        struct shadow_sector *sector = page ? line_sector(shadow, launch, page_line(page, at), at) : NULL;
        struct shadow_cell *cells = sector_cells(shadow, launch, sector, shift);
        uint64_t sector_end = (at / SECTOR_BYTES + 1) * SECTOR_BYTES;
        uint64_t upto = sector_end < end ? sector_end : end;
        if (!cells) {
            shadow->unwatched++;
            at = upto;
            continue;
        }
        for (uint32_t step = 1u << sector->shift; at < upto; at += step) {
            if (cell_touch(&warp, &cells[at % SECTOR_BYTES >> sector->shift], now, &raced) && !found) {
                found = true;
                *other = raced;
            }
        }
    }
    return found;
}

/* Returns whether nothing has to be said of an earlier access: none, by the same thread, or ordered before.
 */
static inline bool access_is_quiet(const struct shadow_warp *warp, const struct shadow_access *access,
                                   uint32_t thread)
{
    return access->run_kind == 0 || access_is_before(warp, access, thread);
}

/* One word, if the access is the usual case; false: nothing was recorded. */
static inline bool word_touch(const struct shadow_warp *warp, struct shadow_cell *cell, uint32_t thread,
                              bool write)
{
    if (!access_is_quiet(warp, &cell->write, thread))
        return false;
    if (!write) {
        cell_note_read(warp, cell, thread);
        return true;
    }
    if (!access_is_quiet(warp, &cell->reads[0], thread) || !access_is_quiet(warp, &cell->reads[1], thread))
        return false;
    access_set(&cell->write, warp, thread);
    return true;
}

/* An access of this spread by the warp leaves an earlier one of another spread by the same thread in some
 * words and by another thread in others. */
static inline bool spreads_mix(const struct shadow_warp *warp, const struct shadow_access *access)
{
    return is_of_launch(warp, access) && shadow_thread(access) / 32 == warp->warp &&
           ((access->run_kind ^ warp->access.run_kind) & SHADOW_SPREAD_MASK) != 0;
}

/* All words of a sector or line that is not split, by neighbouring lanes, the first one's thread given, if
 * they are all alike; false: nothing was recorded. */
static inline bool all_touch(const struct shadow_warp *warp, struct shadow_cell *all, uint32_t thread,
                             bool write)
{
    return warp->alike && !spreads_mix(warp, &all->write) && !spreads_mix(warp, &all->reads[0]) &&
           !spreads_mix(warp, &all->reads[1]) && word_touch(warp, all, thread, write);
}

/* The lanes from this one on that access so many bytes, a sector or a line, each lane behind the one before;
 * 0: they do not. `row`: all lanes do so. */
static inline uint32_t lanes_of(const uint64_t address[32], uint32_t lanes, uint32_t lane,
                                uint32_t size_bytes, uint32_t bytes, bool row)
{
    uint32_t count = bytes / size_bytes, all = (uint32_t)((UINT64_C(1) << count) - 1) << lane;
    if (address[lane] % bytes || lane + count > 32 || all & ~lanes)
        return 0;
    for (uint32_t i = 1; i < count && !row; i++)
        if (address[lane + i] != address[lane] + i * size_bytes)
            return 0;
    return all;
}

uint32_t shadow_touch_lanes(struct shadow *shadow, const struct order *order, uint32_t warp,
                            const struct shadow_now *now, const uint64_t address[32], uint32_t lanes,
                            bool row)
{
    const struct order_launch *launch = order->launch;
    const struct shadow_warp of = warp_begin(shadow, order, warp, now);
    struct shadow_warp neighbours = of;
    struct shadow_page *page = NULL;
    bool write = now->kind & SHADOW_WRITES;
    uint32_t words = now->size_bytes / 4, rest = 0;
    for (uint32_t left = launch->claim_count && !shadow->of_block ? lanes : 0; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct shadow_access claim;
        rest |= (uint32_t)claims_touch(launch, now->kind, address[lane], now->size_bytes, &claim) << lane;
    }
    neighbours.alike &= !order->warps[warp].parted;
    neighbours.access.run_kind |= words / 2 << SHADOW_SPREAD_SHIFT;
    for (uint32_t left = lanes & ~rest; left;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), word = 0, thread = warp * 32 + lane;
        uint64_t at = address[lane];
        if (!page || page->number != at >> PAGE_SHIFT)
            page = page_find(shadow, launch, at);
        struct shadow_line *line = page ? page_line(page, at) : NULL;
        uint32_t together =
            line && !line->sectors ? lanes_of(address, left, lane, now->size_bytes, LINE_BYTES, row) : 0;
        if (together && all_touch(&neighbours, &line->all, thread, write)) {
            left &= ~together;
            continue;
        }
        /* An aligned access is in one sector. */
        struct shadow_sector *sector = line ? line_sector(shadow, launch, line, at) : NULL;
        together =
            sector && !sector->cells ? lanes_of(address, left, lane, now->size_bytes, SECTOR_BYTES, row) : 0;
        if (together && all_touch(&neighbours, &sector->all, thread, write)) {
            left &= ~together;
            continue;
        }
        struct shadow_cell *cells = sector_cells(shadow, launch, sector, 2);
        if (cells && sector->shift)
            while (word < words && word_touch(&of, &cells[at % SECTOR_BYTES / 4 + word], thread, write))
                word++;
        rest |= (uint32_t)(word < words) << lane;
        left &= left - 1;
    }
    return rest;
}

struct shadow_access shadow_last_write(const struct shadow *shadow, uint64_t address)
{
    struct shadow_page *page = page_at(shadow, address);
    return page ? line_cell(page_line(page, address), address).write : (struct shadow_access){0};
}

/* Returns whether the launch is ordered after all that was done in the cell. */
static bool cell_is_before(const struct shadow_cell *cell, const struct order_launch *launch)
{
    return order_run_before(launch, shadow_run(&cell->write)) &&
           order_run_before(launch, shadow_run(&cell->reads[0])) &&
           order_run_before(launch, shadow_run(&cell->reads[1]));
}

bool shadow_compare_claim(const struct shadow *shadow, const struct order_launch *launch,
                          const struct claim *claim, uint64_t *place, struct shadow_access *other)
{
    for (uint64_t at = claim->address, last = claim_end(claim); at < last; at = claim_next(claim, at)) {
        struct shadow_page *page = page_at(shadow, at);
        uint64_t end = (at / PAGE_BYTES + 1) * PAGE_BYTES;
        end = end < last ? end : last;
        if (!page || order_run_before(launch, page->last_run))
            at = end;
        for (; at < end; at++) {
            const struct shadow_line *line = page_line(page, at);
            if (!line->sectors && cell_is_before(&line->all, launch)) {
                at |= LINE_BYTES - 1;
                continue;
            }
            const struct shadow_cell cell = line_cell(line, at);
            const struct shadow_access *found[] = {&cell.write, &cell.reads[0], &cell.reads[1]};
            for (int i = 0; i < (claim->write ? 3 : 1); i++) {
                if (found[i]->run_kind && !order_run_before(launch, shadow_run(found[i])) &&
                    claim_touches(claim, at, 1)) {
                    *other = *found[i];
                    *place = at;
                    return true;
                }
            }
        }
    }
    return false;
}

/* ---- the report of a race ---- */

/* The cause of a race is found by asking which of the rules that order two accesses failed last. */

static void index_split(uint32_t number, const uint32_t size[3], uint32_t index[3])
{
    index[0] = number % size[0];
    index[1] = number / size[0] % size[1];
    index[2] = number / size[0] / size[1];
}

/* Returns whether a write is of a kind that flags are made of, and not counters. */
static bool writes_flag(const struct program_instruction *instruction)
{
    return instruction->op == PROGRAM_ST ||
           (instruction->op == PROGRAM_ATOM &&
            (instruction->sub == ATOMIC_EXCH || instruction->sub == ATOMIC_CAS));
}

/* A write that the block has observed, and that the other thread's warp made after the access. Within a block
 * an addition is rather a counter than a flag. */
static const struct order_seen *seen_find(const struct order *order, const struct program *program,
                                          const struct shadow_access *access)
{
    uint32_t count = order->seen_count < ORDER_SEEN ? order->seen_count : ORDER_SEEN;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_seen *seen = &order->seen[i];
        if (seen->block == access->block && seen->warp == shadow_thread(access) / 32 &&
            seen->clock >= access->clock &&
            (access->block != order->block || writes_flag(&program->instructions[seen->instruction])))
            return seen;
    }
    return NULL;
}

static enum check_missing race_missing(const struct order *order, const struct program *program,
                                       const struct shadow_now *now, const struct shadow_access *other,
                                       uint32_t *flag)
{
    const struct known_table *table = &order->launch->known;
    const struct order_warp *warp = &order->warps[now->thread / 32];
    uint32_t of = shadow_thread(other) / 32;
    bool same_block = other->block == order->block;
    if (shadow_run(other) != order->launch->run)
        return MISSING_LAUNCH_ORDER;
    if (same_block && of == now->thread / 32)
        return MISSING_WARP_BARRIER;
    if (warp->acquired && (same_block ? other->clock <= warp->clock[of]
                                      : known_has(table, warp->known, other->block, of, other->clock)))
        return MISSING_LANE;
    if (shadow_kind(other) & now->kind & SHADOW_STRONG)
        return MISSING_ATOMIC_SCOPE;
    if (known_has(table, warp->pending[0], other->block, of, other->clock) ||
        known_has(table, warp->pending[1], other->block, of, other->clock))
        return MISSING_ACQUIRE;
    if (known_has(table, order->narrow, other->block, of, other->clock))
        return MISSING_FENCE_SCOPE;
    bool strong = (shadow_kind(other) | now->kind) & SHADOW_STRONG;
    const struct order_seen *seen = strong ? NULL : seen_find(order, program, other);
    if (seen) {
        *flag = seen->instruction;
        return MISSING_RELEASE;
    }
    return same_block ? MISSING_BARRIER : MISSING_ORDER;
}

void race_describe(const struct order *order, const struct shadow_now *now, bool shared,
                   const struct shadow_access *other, const struct program *program, const uint32_t grid[3],
                   const uint32_t block[3], struct check_report *report)
{
    const struct order_launch *launch = order->launch;
    uint32_t run = shadow_run(other);
    report->kind = shadow_kind(other) & SHADOW_COPY ? CHECK_EARLY_READ
                   : shared                         ? CHECK_RACE
                                                    : CHECK_GLOBAL_RACE;
    report->has_other = true;
    report->other_write = shadow_kind(other) & SHADOW_WRITES;
    report->other_instruction = shadow_instruction(other);
    report->missing = race_missing(order, program, now, other, &report->flag_instruction);
    report->other_program = program;
    const struct program_instruction *at = &program->instructions[now->instruction],
                                     *before = &program->instructions[report->other_instruction];
    report->guess =
        run == launch->run &&
        ((at->op == PROGRAM_LD && !at->strong && before->op == PROGRAM_ATOM && before->sub == ATOMIC_CAS) ||
         (before->op == PROGRAM_LD && !before->strong && at->op == PROGRAM_ATOM && at->sub == ATOMIC_CAS));
    if (run != launch->run) {
        const struct order_past *past = &launch->past[run - launch->first];
        report->other_program = past->program;
        grid = past->grid;
        block = past->block;
        report->other_copy = past->copy;
        report->other_stream = past->stream;
        if (!past->program)
            return;
    }
    index_split(shadow_thread(other), block, report->other_thread);
    index_split(other->block, grid, report->other_block);
}
