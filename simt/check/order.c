/*
 * A release is a struct known: the times of the warp that has executed the fence, and what it knows. A fence
 * gives it to the warp, a strong write after it to the word (the flag), a strong read of the word to the
 * reading warp, where it is pending until a fence. A barrier of the block counts as that fence, and passes on
 * what its threads have released before: programs rely on both.
 */
#include "simt/check/order.h"

#include <stdlib.h>
#include <string.h>

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
    if (order == NULL)
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
