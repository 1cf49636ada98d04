/* Vector clocks of a block's warps, and a record of each byte of its shared memory. */
#include "simt/memory/shadow.h"

#include <stdlib.h>
#include <string.h>

#define WARPS 32
#define KEYS 64 /* barriers in memory that are told apart */

struct shadow_access {
    uint32_t clock; /* of the thread's warp; 0: no access */
    uint16_t thread;
    uint16_t atomic;
};

struct shadow_byte {
    struct shadow_access write, reads[2]; /* two reads by different threads */
    uint64_t write_serial;
};

struct shadow {
    uint64_t size_bytes;
    struct shadow_byte *bytes;
    /* clocks[w][w] is the clock of warp w; clocks[w][v] is the last time of warp v that w is ordered after.
     * Clocks continue from block to block: times before `begin` belong to earlier blocks. */
    uint32_t clocks[WARPS][WARPS];
    uint32_t begin;
    uint32_t released[KEYS][WARPS]; /* by a barrier's key: the latest times of the warps that arrived there */
};

enum status shadow_create(struct shadow **shadow, uint64_t shared_bytes, struct error *error)
{
    struct shadow *made = calloc(1, sizeof *made);
    struct shadow_byte *bytes = calloc(shared_bytes + 1, sizeof *bytes);
    if (!made || !bytes) {
        free(made);
        free(bytes);
        return error_no_memory(error, "to check %llu bytes of shared memory for races",
                               (unsigned long long)shared_bytes);
    }
    made->size_bytes = shared_bytes;
    made->bytes = bytes;
    *shadow = made;
    return STATUS_OK;
}

void shadow_destroy(struct shadow *shadow)
{
    if (shadow) {
        free(shadow->bytes);
        free(shadow);
    }
}

void shadow_begin(struct shadow *shadow)
{
    uint32_t latest = 0;
    for (int warp = 0; warp < WARPS; warp++)
        latest = shadow->clocks[warp][warp] > latest ? shadow->clocks[warp][warp] : latest;
    if (latest >= UINT32_MAX / 2) { /* too many for a block to use up the rest */
        memset(shadow->bytes, 0, shadow->size_bytes * sizeof shadow->bytes[0]);
        latest = 0;
    }
    shadow->begin = latest + 1;
    memset(shadow->clocks, 0, sizeof shadow->clocks);
    memset(shadow->released, 0, sizeof shadow->released);
    for (int warp = 0; warp < WARPS; warp++)
        shadow->clocks[warp][warp] = shadow->begin;
}

void shadow_meet(struct shadow *shadow, uint32_t came, uint32_t went)
{
    uint32_t known[WARPS] = {0};
    for (uint32_t left = came; left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctz(left);
        for (int of = 0; of < WARPS; of++)
            known[of] = shadow->clocks[warp][of] > known[of] ? shadow->clocks[warp][of] : known[of];
    }
    for (uint32_t left = went; left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctz(left);
        for (int of = 0; of < WARPS; of++) {
            uint32_t *clock = &shadow->clocks[warp][of];
            *clock = known[of] > *clock ? known[of] : *clock;
        }
    }
    for (uint32_t left = came; left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctz(left);
        shadow->clocks[warp][warp]++;
    }
}

static void clocks_join(uint32_t *to, const uint32_t *from)
{
    for (int warp = 0; warp < WARPS; warp++)
        to[warp] = from[warp] > to[warp] ? from[warp] : to[warp];
}

void shadow_release(struct shadow *shadow, uint32_t warp, uint64_t key)
{
    clocks_join(shadow->released[key / 8 % KEYS], shadow->clocks[warp]);
    shadow->clocks[warp][warp]++;
}

void shadow_acquire(struct shadow *shadow, uint32_t warp, uint64_t key)
{
    uint32_t own = shadow->clocks[warp][warp];
    clocks_join(shadow->clocks[warp], shadow->released[key / 8 % KEYS]);
    shadow->clocks[warp][warp] =
        own + 1; /* its lanes are ordered too: those that arrived, before those that go on */
}

void shadow_meet_warp(struct shadow *shadow, uint32_t warp)
{
    shadow->clocks[warp][warp]++;
}

/* Returns whether an access is ordered before the current access of the thread: by the same thread, in an
 * earlier block, or before a barrier. */
static bool shadow_is_before(const struct shadow *shadow, const struct shadow_access *access, uint32_t thread)
{
    uint32_t warp = thread / 32, of = access->thread / 32u;
    if (access->clock < shadow->begin || access->thread == thread)
        return true;
    return of == warp ? access->clock < shadow->clocks[warp][warp]
                      : access->clock <= shadow->clocks[warp][of];
}

static void shadow_note_read(const struct shadow *shadow, struct shadow_byte *byte, struct shadow_access now)
{
    bool again = byte->reads[1].clock != 0 && byte->reads[1].thread == now.thread;
    if (!again && shadow_is_before(shadow, &byte->reads[0], now.thread))
        byte->reads[0] = now;
    else if (shadow_is_before(shadow, &byte->reads[1], now.thread))
        byte->reads[1] = now;
}

bool shadow_touch(struct shadow *shadow, uint64_t address, uint32_t thread, enum shadow_touch touch,
                  uint64_t serial, struct shadow_race *race)
{
    struct shadow_byte *byte = &shadow->bytes[address];
    struct shadow_access now = {.clock = shadow->clocks[thread / 32][thread / 32],
                                .thread = (uint16_t)thread};
    bool found = false;
    bool same_instruction = byte->write_serial == serial && byte->write.thread / 32u == thread / 32;
    bool harmless =
        (touch == SHADOW_ATOMIC && byte->write.atomic) || (touch == SHADOW_WRITE_SAME && same_instruction);
    if (!harmless && !shadow_is_before(shadow, &byte->write, thread)) {
        *race = (struct shadow_race){.thread = byte->write.thread, .write = true};
        found = true;
    }
    if (touch == SHADOW_READ) {
        shadow_note_read(shadow, byte, now);
        return found;
    }
    for (int i = 0; i < 2 && !found; i++) {
        if (!shadow_is_before(shadow, &byte->reads[i], thread)) {
            *race = (struct shadow_race){.thread = byte->reads[i].thread, .write = false};
            found = true;
        }
    }
    now.atomic = touch == SHADOW_ATOMIC;
    byte->write = now;
    byte->write_serial = serial;
    return found;
}
