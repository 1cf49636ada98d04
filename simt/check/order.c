/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A release is a struct known: the times of the warp that has executed the fence, and what it knows. A fence
 * gives it to the warp, a strong write after it to the word (the flag), a strong read of the word to the
 * reading warp, where it is pending until a fence. A barrier of the block counts as that fence, and passes on
 * what its threads have released before: programs rely on both.
 */
#include "simt/check/order.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a copy reads or writes ---- */

/* An array's texels are at no address that a linear copy can name, so the two kinds never overlap. */

static uint64_t lesser_address(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t greater_address(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t last_row(const struct claim *claim)
{
    return claim->rows > 1 ? claim->rows - 1 : 0;
}

uint64_t claim_end(const struct claim *claim)
{
    return claim->address + last_row(claim) * claim->pitch + claim->size_bytes;
}

bool claim_touches(const struct claim *claim, uint64_t address, uint64_t size_bytes)
{
    uint64_t end = address + size_bytes, last = last_row(claim);
    if (end <= claim->address || address >= claim_end(claim))
        return false;
    if (claim->box.depth) {
        while (address < end && !texture_box_has(&claim->array, &claim->box, address))
            address++;
        return address < end;
    }
    if (last == 0 || address <= claim->address)
        return true;
    uint64_t row = (address - claim->address) / claim->pitch, start = claim->address + row * claim->pitch;
    return address < start + claim->size_bytes || (row < last && end > start + claim->pitch);
}

uint64_t claim_next(const struct claim *claim, uint64_t address)
{
    if (last_row(claim) == 0 || address <= claim->address)
        return address;
    uint64_t row = (address - claim->address) / claim->pitch, start = claim->address + row * claim->pitch;
    return address < start + claim->size_bytes ? address : start + claim->pitch;
}

/* Whether two ranges of texels have one in common; *at: the first, *count: how many. */
static bool sides_overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size, uint32_t *at,
                          uint32_t *count)
{
    uint64_t end = lesser_address((uint64_t)a + a_size, (uint64_t)b + b_size);
    *at = a > b ? a : b;
    *count = end > *at ? (uint32_t)(end - *at) : 0;
    return *count > 0;
}

static bool boxes_overlap(const struct claim *a, const struct claim *b, uint64_t *address,
                          uint64_t *size_bytes)
{
    const struct texture_box *p = &a->box, *q = &b->box;
    uint64_t texel = (uint64_t)a->array.shape.channels * a->array.shape.channel_bytes;
    struct texture_box both;
    if (a->address != b->address || !sides_overlap(p->x, p->width, q->x, q->width, &both.x, &both.width) ||
        !sides_overlap(p->y, p->height, q->y, q->height, &both.y, &both.height) ||
        !sides_overlap(p->z, p->depth, q->z, q->depth, &both.z, &both.depth))
        return false;
    *address = texture_place(&a->array, both.x * texel, both.y, both.z);
    *size_bytes = both.width * texel;
    return true;
}

bool claims_overlap(const struct claim *a, const struct claim *b, uint64_t *address, uint64_t *size_bytes)
{
    if (a->box.depth || b->box.depth)
        return a->box.depth && b->box.depth && boxes_overlap(a, b, address, size_bytes);
    if (a->address >= claim_end(b) || b->address >= claim_end(a))
        return false;
    if (last_row(a) > last_row(b)) {
        const struct claim *more = a;
        a = b;
        b = more;
    }
    for (uint64_t row = 0; row <= last_row(a); row++) {
        uint64_t start = a->address + row * a->pitch, end = start + a->size_bytes;
        if (!claim_touches(b, start, a->size_bytes))
            continue;
        uint64_t first = claim_next(b, greater_address(start, b->address)), from = first - b->address;
        uint64_t b_end = first + b->size_bytes - (last_row(b) ? from % b->pitch : from);
        *address = first;
        *size_bytes = lesser_address(end, b_end) - first;
        return true;
    }
    return false;
}

/* ---- what a warp knows of other blocks ---- */

/*
 * Spans are in ascending order of blocks and do not overlap. Two lists are merged in one pass over the blocks
 * at which either begins or ends a span.
 */

#define ROW_ALL UINT32_MAX
#define ROWS_MAX (UINT32_C(1) << 19) /* 64 MiB */
#define PLACES_FIRST 256

struct known_span {
    uint32_t first, last, row; /* blocks first ... last */
};

struct known {
    uint32_t references, count;
    struct known_span spans[];
};

/* The end of time for all warps. */
#define ALL_8 UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX
static const uint32_t times_all[KNOWN_WARPS] = {ALL_8, ALL_8, ALL_8, ALL_8};

static struct known everything; /* all times of all blocks; not counted */

/* all struct known must be released before */
static void known_table_clear(struct known_table *table)
{
    table->count = 0;
    table->widened = false;
    if (table->places)
        memset(table->places, 0, table->place_count * sizeof table->places[0]);
}

static void known_table_fini(struct known_table *table)
{
    free(table->rows);
    free(table->places);
    *table = (struct known_table){0};
}

static uint32_t row_hash(const uint32_t times[KNOWN_WARPS])
{
    uint64_t hash = 1;
    for (int warp = 0; warp < KNOWN_WARPS; warp++) {
        hash = (hash ^ times[warp]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (uint32_t)hash;
}

/* The place of a row in the hash table, or the free place for it. */
static uint32_t row_place(const struct known_table *table, const uint32_t times[KNOWN_WARPS])
{
    uint32_t place = row_hash(times) & (table->place_count - 1);
    while (table->places[place] &&
           memcmp(table->rows[table->places[place] - 1], times, sizeof table->rows[0]) != 0)
        place = (place + 1) & (table->place_count - 1);
    return place;
}

static bool places_grow(struct known_table *table)
{
    uint32_t count = table->place_count ? 2 * table->place_count : PLACES_FIRST;
    uint32_t *grown = calloc(count, sizeof *grown);
    if (!grown)
        return false;
    free(table->places);
    table->places = grown;
    table->place_count = count;
    for (uint32_t row = 0; row < table->count; row++)
        table->places[row_place(table, table->rows[row])] = row + 1;
    return true;
}

static uint32_t row_find(struct known_table *table, const uint32_t times[KNOWN_WARPS])
{
    if (2 * (table->count + 1) > table->place_count && !places_grow(table)) {
        table->widened = true;
        return ROW_ALL;
    }
    uint32_t place = row_place(table, times);
    if (table->places[place])
        return table->places[place] - 1;
    if (table->count == ROWS_MAX ||
        (table->count == table->capacity && !array_grow(table->rows, table->capacity, table->count, 1))) {
        table->widened = true;
        return ROW_ALL;
    }
    memcpy(table->rows[table->count], times, sizeof table->rows[0]);
    table->places[place] = ++table->count;
    return table->count - 1;
}

static const uint32_t *row_times(const struct known_table *table, uint32_t row)
{
    return row == ROW_ALL ? times_all : table->rows[row];
}

static uint32_t row_merge(struct known_table *table, uint32_t a, uint32_t b)
{
    uint32_t times[KNOWN_WARPS];
    if (a == b || a == ROW_ALL || b == ROW_ALL)
        return a == b ? a : ROW_ALL;
    const uint32_t *of_a = row_times(table, a), *of_b = row_times(table, b);
    for (int warp = 0; warp < KNOWN_WARPS; warp++)
        times[warp] = of_a[warp] > of_b[warp] ? of_a[warp] : of_b[warp];
    return row_find(table, times);
}

static struct known *known_all(struct known_table *table)
{
    table->widened = true;
    return &everything;
}

static bool known_is_all(const struct known *known)
{
    return known == &everything;
}

static struct known *known_make(struct known_table *table, const struct known_span *spans, uint32_t count)
{
    struct known *made = malloc(sizeof *made + count * sizeof spans[0]);
    if (!made)
        return known_all(table);
    made->references = 1;
    made->count = count;
    memcpy(made->spans, spans, count * sizeof spans[0]);
    return made;
}

/* Each of these returns a reference that the caller releases. */
static struct known *known_one(struct known_table *table, uint32_t block, const uint32_t times[KNOWN_WARPS])
{
    const struct known_span span = {block, block, row_find(table, times)};
    return known_make(table, &span, 1);
}

static struct known *known_hold(struct known *known)
{
    if (known && !known_is_all(known))
        known->references++;
    return known;
}

static void known_release(struct known *known)
{
    if (known && !known_is_all(known) && --known->references == 0)
        free(known);
}

static void span_add(struct known_span *spans, uint32_t *count, struct known_span span)
{
    struct known_span *before = *count ? &spans[*count - 1] : NULL;
    if (before && before->row == span.row && before->last + 1 == span.first)
        before->last = span.last;
    else
        spans[(*count)++] = span;
}

/* The parts of both lists in order. Each step takes the blocks up to the next border of either list. */
static uint32_t spans_merge(struct known_table *table, const struct known *a, const struct known *b,
                            struct known_span *spans)
{
    uint32_t count = 0, i = 0, j = 0, at = 0;
    while (i < a->count || j < b->count) {
        const struct known_span *x = i < a->count ? &a->spans[i] : NULL,
                                *y = j < b->count ? &b->spans[j] : NULL;
        uint32_t x_first = x ? (x->first > at ? x->first : at) : UINT32_MAX,
                 y_first = y ? (y->first > at ? y->first : at) : UINT32_MAX;
        struct known_span span;
        span.first = x_first < y_first ? x_first : y_first;
        bool of_x = x && x_first == span.first, of_y = y && y_first == span.first;
        span.last = of_x ? x->last : y->last;
        if (of_y && y->last < span.last)
            span.last = y->last;
        if (!of_x && x && x->first - 1 < span.last)
            span.last = x->first - 1;
        if (!of_y && y && y->first - 1 < span.last)
            span.last = y->first - 1;
        span.row = of_x && of_y ? row_merge(table, x->row, y->row) : of_x ? x->row : y->row;
        span_add(spans, &count, span);
        at = span.last + 1;
        i += x && x->last == span.last;
        j += y && y->last == span.last;
    }
    return count;
}

static bool known_equals(const struct known *known, const struct known_span *spans, uint32_t count)
{
    return known->count == count && memcmp(known->spans, spans, count * sizeof spans[0]) == 0;
}

static struct known *known_merge(struct known_table *table, struct known *a, struct known *b)
{
    struct known_span few[16], *spans = few;
    if (!a || !b || a == b)
        return known_hold(a ? a : b);
    if (known_is_all(a) || known_is_all(b))
        return known_all(table);
    uint32_t most = 2 * (a->count + b->count);
    if (most > sizeof few / sizeof few[0] && !(spans = malloc(most * sizeof *spans)))
        return known_all(table);
    uint32_t count = spans_merge(table, a, b, spans);
    struct known *made = known_equals(a, spans, count)   ? known_hold(a)
                         : known_equals(b, spans, count) ? known_hold(b)
                         : count > KNOWN_SPANS_MAX       ? known_all(table)
                                                         : known_make(table, spans, count);
    if (spans != few)
        free(spans);
    return made;
}

void known_add(struct known_table *table, struct known **to, struct known *from)
{
    if (!from || *to == from)
        return;
    struct known *merged = known_merge(table, *to, from);
    known_release(*to);
    *to = merged;
}

/* The times of a block; NULL: nothing is known of it. */
static const uint32_t *known_times(const struct known_table *table, const struct known *known, uint32_t block)
{
    uint32_t low = 0, high = known ? known->count : 0;
    if (known && known_is_all(known))
        return times_all;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (known->spans[middle].last < block)
            low = middle + 1;
        else
            high = middle;
    }
    if (!known || low == known->count || known->spans[low].first > block)
        return NULL;
    return row_times(table, known->spans[low].row);
}

bool known_has(const struct known_table *table, const struct known *known, uint32_t block, uint32_t warp,
               uint32_t time)
{
    const uint32_t *times = known_times(table, known, block);
    return times && time <= times[warp];
}

/* ---- order ---- */

#define FLAGS_FIRST 64

struct order_flag {
    uint64_t address;
    uint32_t block; /* that wrote it last */
    bool used;
    struct known *to[2]; /* released to that block, and to the device */
};

/* ---- the launch ---- */
static void flags_clear(struct order_flags *flags)
{
    if (flags->count == 0)
        return;
    for (uint32_t i = 0; i < flags->room; i++) {
        known_release(flags->places[i].to[0]);
        known_release(flags->places[i].to[1]);
    }
    memset(flags->places, 0, flags->room * sizeof flags->places[0]);
    flags->count = 0;
}

static void flags_fini(struct order_flags *flags)
{
    flags_clear(flags);
    free(flags->places);
    *flags = (struct order_flags){0};
}

void order_launch_begin(struct order_launch *launch)
{
    flags_clear(&launch->flags);
    known_table_clear(&launch->known);
}

void order_launch_fini(struct order_launch *launch)
{
    flags_fini(&launch->flags);
    known_table_fini(&launch->known);
    *launch = (struct order_launch){0};
}

/* The place of a flag in the hash table, or the free place for it. */
static struct order_flag *flag_place(const struct order_flags *flags, uint64_t address)
{
    uint32_t place = (uint32_t)((address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (flags->room - 1);
    while (flags->places[place].used && flags->places[place].address != address)
        place = (place + 1) & (flags->room - 1);
    return &flags->places[place];
}

static struct order_flag *flag_find(const struct order_flags *flags, uint64_t address)
{
    if (flags->count == 0)
        return NULL;
    struct order_flag *flag = flag_place(flags, address);
    return flag->used ? flag : NULL;
}

static bool flags_grow(struct order_flags *flags)
{
    struct order_flags grown = {.count = flags->count, .room = flags->room ? 2 * flags->room : FLAGS_FIRST};
    grown.places = calloc(grown.room, sizeof *grown.places);
    if (!grown.places)
        return false;
    for (uint32_t i = 0; i < flags->room; i++)
        if (flags->places[i].used)
            *flag_place(&grown, flags->places[i].address) = flags->places[i];
    free(flags->places);
    *flags = grown;
    return true;
}

/* NULL: no memory. */
static struct order_flag *flag_make(struct order_flags *flags, uint64_t address)
{
    if (2 * (flags->count + 1) > flags->room && !flags_grow(flags))
        return NULL;
    struct order_flag *flag = flag_place(flags, address);
    flags->count += !flag->used;
    flag->used = true;
    flag->address = address;
    return flag;
}

/* ---- the block ---- */
enum status order_create(struct order **order, struct error *error)
{
    *order = calloc(1, sizeof **order);
    return *order ? STATUS_OK : error_no_memory(error, "to check a block for races");
}

static void known_drop(struct known **known)
{
    known_release(*known);
    *known = NULL;
}

static void warp_drop(struct order_warp *warp)
{
    known_drop(&warp->known);
    known_drop(&warp->before.known);
    warp->acquired = warp->observed = 0;
    for (int i = 0; i < 2; i++) {
        known_drop(&warp->released[i]);
        known_drop(&warp->pending[i]);
    }
}

void order_end(struct order *order)
{
    for (int warp = 0; warp < ORDER_WARPS; warp++)
        warp_drop(&order->warps[warp]);
    flags_clear(&order->flags);
    known_drop(&order->narrow);
    order->seen_count = 0;
}

void order_destroy(struct order *order)
{
    if (!order)
        return;
    order_end(order);
    for (int warp = 0; warp < ORDER_WARPS; warp++)
        free(order->warps[warp].lanes);
    flags_fini(&order->flags);
    free(order);
}

void order_begin(struct order *order, struct order_launch *launch, uint32_t block)
{
    order_end(order);
    order->launch = launch;
    order->block = block;
    for (int i = 0; i < ORDER_WARPS; i++) {
        struct order_warp *warp = &order->warps[i];
        memset(warp->clock, 0, sizeof warp->clock);
        warp->clock[i] = 1;
        warp->synced = 0;
        warp->parted = false;
        warp->same_count = 0;
        order->proxied[i] = 0;
    }
}

static void known_replace(struct known **to, struct known *from)
{
    if (*to == from)
        return;
    known_hold(from);
    known_release(*to);
    *to = from;
}

/* The warp is ordered after all that is in `from`. */
static void warp_learn(struct order *order, uint32_t at, struct known *from)
{
    struct order_warp *warp = &order->warps[at];
    const uint32_t *times = known_times(&order->launch->known, from, order->block);
    for (uint32_t of = 0; times && of < ORDER_WARPS; of++)
        if (of == at)
            warp->synced = times[of] >= warp->synced ? times[of] + 1 : warp->synced;
        else
            warp->clock[of] = times[of] > warp->clock[of] ? times[of] : warp->clock[of];
    known_add(&order->launch->known, &warp->known, from);
}

/* What any lane knows all lanes know. */
static void warp_unite(struct order_warp *warp)
{
    known_drop(&warp->before.known);
    warp->acquired = 0;
}

/* These lanes are about to learn something. */
static void warp_part(struct order_warp *warp, uint32_t lanes)
{
    if (!warp->acquired) {
        memcpy(warp->before.clock, warp->clock, sizeof warp->clock);
        warp->before.synced = warp->synced;
        known_replace(&warp->before.known, warp->known);
    }
    warp->acquired |= lanes;
    if (~warp->acquired == 0)
        warp_unite(warp);
}

static void warp_acquire(struct order *order, uint32_t at, bool wide)
{
    struct order_warp *warp = &order->warps[at];
    if (warp->pending[0] || (wide && warp->pending[1]))
        warp_part(warp, warp->observed);
    for (int i = 0; i < (wide ? 2 : 1); i++) {
        if (warp->pending[i]) {
            warp_learn(order, at, warp->pending[i]);
            known_drop(&warp->pending[i]);
        }
    }
    if (!warp->pending[1])
        warp->observed = 0;
}

static void warp_release(struct order *order, uint32_t at, bool wide)
{
    struct known_table *table = &order->launch->known;
    struct order_warp *warp = &order->warps[at];
    struct known *own = known_one(table, order->block, warp->clock);
    known_add(table, &own, warp->known);
    known_replace(&warp->released[0], own);
    if (wide)
        known_replace(&warp->released[1], own);
    known_release(own);
    warp->clock[at]++;
}

void order_fence(struct order *order, uint32_t warp, uint32_t sync)
{
    if (sync & SYNC_ACQUIRE)
        warp_acquire(order, warp, sync & SYNC_WIDE);
    if (sync & SYNC_RELEASE)
        warp_release(order, warp, sync & SYNC_WIDE);
    if (sync & SYNC_PROXY) {
        uint32_t *clock = order->warps[warp].clock;
        for (int of = 0; of < ORDER_WARPS; of++)
            order->proxied[of] = clock[of] > order->proxied[of] ? clock[of] : order->proxied[of];
        clock[warp]++;
    }
}

/* ---- barriers ---- */
/* One of a warp's lists that a barrier joins. */
static struct known **warp_list(struct order_warp *warp, int which)
{
    return which < 2 ? &warp->released[which] : &warp->known;
}

static void meet_list(struct order *order, uint32_t came, uint32_t went, int which)
{
    struct known *joined = NULL;
    for (uint32_t left = came; left; left &= left - 1)
        known_add(&order->launch->known, &joined, *warp_list(&order->warps[__builtin_ctz(left)], which));
    for (uint32_t left = joined ? went : 0; left; left &= left - 1)
        known_replace(warp_list(&order->warps[__builtin_ctz(left)], which), joined);
    known_release(joined);
}

/* All lanes of the warp have met. */
static void warp_meet(struct order_warp *warp, uint32_t clock)
{
    warp->synced = clock;
    warp->parted = false;
}

/* False: no memory. */
static bool warp_part_lanes(struct order_warp *warp)
{
    if (!warp->lanes && !(warp->lanes = malloc(32 * sizeof warp->lanes[0])))
        return false;
    if (!warp->parted)
        memset(warp->lanes, 0, 32 * sizeof warp->lanes[0]);
    warp->parted = true;
    return true;
}

void order_meet(struct order *order, uint32_t came, uint32_t went)
{
    uint32_t latest[ORDER_WARPS] = {0};
    for (uint32_t left = came; left; left &= left - 1)
        warp_acquire(order, (uint32_t)__builtin_ctz(left), true);
    for (uint32_t left = came; left; left &= left - 1) {
        const uint32_t *clock = order->warps[__builtin_ctz(left)].clock;
        for (int of = 0; of < ORDER_WARPS; of++)
            latest[of] = clock[of] > latest[of] ? clock[of] : latest[of];
    }
    for (uint32_t left = went; left; left &= left - 1) {
        uint32_t *clock = order->warps[__builtin_ctz(left)].clock;
        for (int of = 0; of < ORDER_WARPS; of++)
            clock[of] = latest[of] > clock[of] ? latest[of] : clock[of];
    }
    for (uint32_t left = came; left; left &= left - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(left);
        order->warps[at].clock[at]++;
        warp_unite(&order->warps[at]);
    }
    for (uint32_t left = went; left; left &= left - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(left);
        warp_meet(&order->warps[at], order->warps[at].clock[at]);
    }
    for (int which = 0; which < 3; which++)
        meet_list(order, came, went, which);
}

/* Lanes that know of each other's times: each of them knows what any of them knew. */
static void lanes_meet(uint32_t (*table)[32], uint32_t lanes, uint32_t clock)
{
    uint32_t latest[32] = {0};
    for (uint32_t left = lanes; left; left &= left - 1)
        for (int of = 0; of < 32; of++) {
            uint32_t time = table[__builtin_ctz(left)][of];
            latest[of] = time > latest[of] ? time : latest[of];
        }
    for (uint32_t left = lanes; left; left &= left - 1)
        latest[__builtin_ctz(left)] = clock;
    for (uint32_t left = lanes; left; left &= left - 1)
        memcpy(table[__builtin_ctz(left)], latest, sizeof latest);
}

void order_meet_warp(struct order *order, uint32_t at, uint32_t lanes, uint32_t alive)
{
    struct order_warp *warp = &order->warps[at];
    uint32_t clock = ++warp->clock[at];
    bool all = (alive & ~lanes) == 0;
    if (!all && !warp_part_lanes(warp)) {
        order->launch->known.widened = true;
        all = true;
    }
    if (warp->observed & lanes)
        warp->observed |= lanes;
    if (warp->acquired & lanes)
        warp->acquired |= lanes;
    if (all || ~warp->acquired == 0)
        warp_unite(warp);
    if (all)
        warp_meet(warp, clock);
    else
        lanes_meet(warp->lanes, lanes, clock);
}

/* ---- flags ---- */
static struct order_flags *order_flags(struct order *order, bool shared)
{
    return shared ? &order->flags : &order->launch->flags;
}

void order_observe(struct order *order, uint32_t at, uint32_t lanes, bool shared, uint64_t address,
                   uint32_t sync)
{
    struct known_table *table = &order->launch->known;
    const struct order_flag *flag = flag_find(order_flags(order, shared), address);
    struct order_warp *warp = &order->warps[at];
    if (flag)
        warp->observed |= lanes;
    if (flag && flag->block == order->block)
        known_add(table, &warp->pending[0], flag->to[0]);
    if (flag && sync & SYNC_WIDE)
        known_add(table, &warp->pending[1], flag->to[1]);
    if (flag && flag->block != order->block)
        known_add(table, &order->narrow, flag->to[sync & SYNC_WIDE ? 0 : 1]);
    if (sync & SYNC_ACQUIRE)
        warp_acquire(order, at, sync & SYNC_WIDE);
}

void order_publish(struct order *order, uint32_t at, bool shared, uint64_t address, uint32_t sync,
                   bool update)
{
    struct order_flags *flags = order_flags(order, shared);
    struct known_table *table = &order->launch->known;
    struct order_warp *warp = &order->warps[at];
    if (sync & SYNC_RELEASE)
        warp_release(order, at, sync & SYNC_WIDE);
    bool nothing = !warp->released[0];
    struct order_flag *flag = nothing ? flag_find(flags, address) : flag_make(flags, address);
    table->widened |= !nothing && !flag;
    if (!flag || (nothing && update))
        return;
    struct known *wide = sync & SYNC_WIDE ? warp->released[1] : NULL;
    if (update && flag->block == order->block)
        known_add(table, &flag->to[0], warp->released[0]);
    else
        known_replace(&flag->to[0], warp->released[0]);
    if (update)
        known_add(table, &flag->to[1], wide);
    else
        known_replace(&flag->to[1], wide);
    flag->block = order->block;
}

void order_see(struct order *order, const struct order_seen *seen)
{
    const struct order_seen *last = &order->seen[(order->seen_count + ORDER_SEEN - 1) % ORDER_SEEN];
    if (order->seen_count == 0 || memcmp(last, seen, sizeof *seen) != 0)
        order->seen[order->seen_count++ % ORDER_SEEN] = *seen;
}
