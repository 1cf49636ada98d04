/* The rules of core/coalesce.h: the active lanes' byte ranges, sorted by address, are walked once. */
#include "core/coalesce.h"

/* The active lanes' addresses, ascending; returns how many. */
static uint32_t coalesce_sort(const struct warp_access *access, uint64_t *sorted)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (!(access->active >> lane & 1u)) {
            continue;
        }
        uint32_t at = count++;
        for (; at > 0 && sorted[at - 1] > access->address[lane]; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = access->address[lane];
    }
    return count;
}

/* One instruction: lanes of a width that an instruction can have. */
static struct coalesce_cost coalesce_instruction(const struct arch *arch, const struct warp_access *access)
{
    struct coalesce_cost cost = {0};
    uint64_t sorted[WARP_LANES];
    uint32_t count = coalesce_sort(access, sorted);
    uint64_t sector = arch->sector_bytes;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t last = sorted[i] + access->width_bytes - 1;
        uint64_t new_from = sorted[i]; /* the first byte that no earlier lane wants */
        uint64_t first_sector = sorted[i] / sector;
        if (i > 0) {
            uint64_t last_before = sorted[i - 1] + access->width_bytes - 1;
            if (new_from <= last_before) {
                new_from = last_before + 1;
            }
            if (first_sector <= last_before / sector) {
                first_sector = last_before / sector + 1;
            }
        }
        cost.bytes_wanted += (uint32_t)(last + 1 - new_from);
        cost.sectors += (uint32_t)(last / sector + 1 - first_sector);
    }
    cost.requests = count > 0;
    cost.ideal_sectors = (cost.bytes_wanted + arch->sector_bytes - 1) / arch->sector_bytes;
    return cost;
}

struct coalesce_cost coalesce_count(const struct arch *arch, const struct warp_access *access)
{
    struct coalesce_cost cost = {0};
    if (arch->rules != ACCESS_RULES_SECTORS) {
        return cost;
    }
    switch (access->width_bytes) {
    case 1:
    case 2:
    case 4:
    case 8:
    case 16: return coalesce_instruction(arch, access);
    case 12: break;
    default: return cost;
    }
    struct warp_access part = *access;
    part.width_bytes = 4;
    for (int i = 0; i < 3; i++) {
        struct coalesce_cost one = coalesce_instruction(arch, &part);
        cost.requests += one.requests;
        cost.sectors += one.sectors;
        cost.ideal_sectors += one.ideal_sectors;
        cost.bytes_wanted += one.bytes_wanted;
        for (int lane = 0; lane < WARP_LANES; lane++) {
            part.address[lane] += 4;
        }
    }
    return cost;
}
