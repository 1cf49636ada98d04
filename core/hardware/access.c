/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the lanes that have the same address, overall and per sector; addresses as text. */
#include "core/hardware/access.h"
#include "core/hardware/access_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECTOR_BYTES 32

uint32_t access_contention(const struct warp_access *access)
{
    uint64_t storage[WARP_LANES], numbers[WARP_LANES];
    uint32_t lanes[WARP_LANES] = {0}, most = 0;
    const uint64_t *at;
    uint32_t count = access_gather(access, storage, &at);
    struct number_set addresses;
    int64_t step;

    if (count && access_step(at, count, &step))
        return step ? 1 : count;
    number_set_init(&addresses, numbers);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t there = ++lanes[number_set_add(&addresses, at[i])];
        most = there > most ? there : most;
    }
    return most;
}

/* If the addresses are one step apart, none occurs twice, and lanes with the same sector are neighbours. */
static uint32_t meetings_of_steps(const uint64_t *at, uint32_t count, uint64_t sectors[], uint32_t lanes[])
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!found || sectors[found - 1] != at[i] / SECTOR_BYTES) {
            sectors[found] = at[i] / SECTOR_BYTES;
            lanes[found++] = 1;
        }
    }
    return found;
}

uint32_t access_meetings(const struct warp_access *access, uint64_t sectors[WARP_LANES],
                         uint32_t lanes[WARP_LANES], uint32_t *count)
{
    uint64_t storage[WARP_LANES], numbers[WARP_LANES];
    uint32_t there[WARP_LANES] = {0}, most = 0;
    const uint64_t *at;
    uint32_t active = access_gather(access, storage, &at);
    struct number_set addresses, set;
    int64_t step;

    *count = active > 0;
    if (active && access_step(at, active, &step)) {
        if (step) {
            *count = meetings_of_steps(at, active, sectors, lanes);
            return 1;
        }
        sectors[0] = at[0] / SECTOR_BYTES;
        lanes[0] = active;
        return active;
    }
    number_set_init(&addresses, numbers);
    number_set_init(&set, sectors);
    for (uint32_t i = 0; i < active; i++) {
        uint32_t meet = ++there[number_set_add(&addresses, at[i])], before = set.count;
        uint32_t sector = number_set_add(&set, at[i] / SECTOR_BYTES);
        lanes[sector] = sector == before || meet > lanes[sector] ? meet : lanes[sector];
        most = meet > most ? meet : most;
    }
    *count = set.count;
    return most;
}

uint32_t access_passes(const struct warp_access *access)
{
    uint64_t sectors[WARP_LANES];
    uint32_t lanes[WARP_LANES], count, passes = 0;
    access_meetings(access, sectors, lanes, &count);
    for (uint32_t i = 0; i < count; i++)
        passes += lanes[i];
    return passes;
}

/* ---- text ---- */
void access_print(const struct warp_access *access, char text[ACCESS_TEXT_BYTES])
{
    size_t at = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        const char *blank = lane > 0 ? " " : "";
        if (access->active >> lane & 1)
            at += (size_t)snprintf(text + at, ACCESS_TEXT_BYTES - at, "%s%" PRIx64, blank,
                                   access->address[lane]);
        else
            at += (size_t)snprintf(text + at, ACCESS_TEXT_BYTES - at, "%s-", blank);
    }
}

/* NULL: there is no number of at most 16 digits. */
static const char *digits_parse(const char *at, uint64_t *number)
{
    static const char digits[] = "0123456789abcdef";
    const char *begin = at, *found;
    for (*number = 0; *at != '\0' && at - begin < 16 && (found = strchr(digits, *at)); at++)
        *number = *number << 4 | (uint64_t)(found - digits);
    return at > begin ? at : NULL;
}

bool access_width_valid(uint32_t width_bytes)
{
    return access_is_instruction(width_bytes) || width_bytes == 12;
}

bool access_parse(const char *text, struct warp_access *access)
{
    access->active = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        access->address[lane] = 0;
        if (*text == '-') {
            text++;
        } else {
            text = digits_parse(text, &access->address[lane]);
            if (!text || access->address[lane] > UINT64_MAX - (access->width_bytes - 1))
                return false;
            access->active |= 1u << lane;
        }
        if (lane + 1 < WARP_LANES && *text++ != ' ')
            return false;
    }
    return *text == '\0' && access->active != 0;
}
