/* The rules of core/bank.h: the lanes that go together, and in each such group the bank with the most
 * distinct words. */
#include "core/bank.h"

/* The most words one group can touch: 32 lanes, each at most two 4-byte words (a misaligned access of 4
 * bytes), 16 of 3, 8 of 5. */
#define GROUP_WORDS_MAX 64

/* Wavefronts of the lanes of `group`: the most distinct words that lie in one bank. */
static uint32_t bank_group(const struct arch *arch, const struct warp_access *access, uint32_t group)
{
    uint64_t words[GROUP_WORDS_MAX];
    uint32_t word_count = 0, most = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (!(group >> lane & 1u)) {
            continue;
        }
        uint64_t first = access->address[lane] / arch->bank_bytes;
        uint64_t last = (access->address[lane] + access->width_bytes - 1) / arch->bank_bytes;
        for (uint64_t word = first; word <= last; word++) {
            uint32_t in_bank = 1;
            bool seen = false;
            for (uint32_t i = 0; i < word_count && !seen; i++) {
                seen = words[i] == word;
                in_bank += words[i] % arch->banks == word % arch->banks;
            }
            if (!seen && word_count < GROUP_WORDS_MAX) {
                words[word_count++] = word;
                most = in_bank > most ? in_bank : most;
            }
        }
    }
    return most;
}

/* Do the lanes of the group that differ in this bit of their number have one address? A lane whose partner is
 * off agrees. */
static bool bank_pairs_agree(const struct warp_access *access, uint32_t group, uint32_t bit)
{
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t partner = lane ^ bit;
        if ((group >> lane & 1u) && (group >> partner & 1u) &&
            access->address[lane] != access->address[partner]) {
            return false;
        }
    }
    return true;
}

/* May a wide load's two neighbouring groups go in one wavefront? Seen on an H200: when in both neighbours, or
 * lanes two apart, want the same, and all of it comes without a conflict. Stores never do. */
static bool bank_groups_merge(const struct arch *arch, const struct warp_access *access, uint32_t both)
{
    return !access->store && (bank_pairs_agree(access, both, 1) || bank_pairs_agree(access, both, 2)) &&
           bank_group(arch, access, both) <= 1;
}

static void bank_add_group(const struct arch *arch, const struct warp_access *access, uint32_t group,
                           struct bank_cost *cost)
{
    uint32_t degree = bank_group(arch, access, group);
    cost->wavefronts += degree;
    cost->degree = degree > cost->degree ? degree : cost->degree;
}

static void bank_instruction(const struct arch *arch, const struct warp_access *access,
                             struct bank_cost *cost)
{
    uint32_t row_bytes = arch->banks * arch->bank_bytes;
    uint32_t bytes = (uint32_t)__builtin_popcount(access->active) * access->width_bytes;
    uint32_t ideal = (bytes + row_bytes - 1) / row_bytes, before = cost->wavefronts;
    if (access->width_bytes <= arch->bank_bytes) {
        bank_add_group(arch, access, access->active, cost);
    } else {
        uint32_t lanes_together = WARP_LANES * arch->bank_bytes / access->width_bytes;
        uint32_t mask = (1u << lanes_together) - 1u;
        for (uint32_t first = 0; first < WARP_LANES; first += 2 * lanes_together) {
            uint32_t low = access->active & mask << first,
                     high = access->active & mask << (first + lanes_together);
            if (bank_groups_merge(arch, access, low | high)) {
                bank_add_group(arch, access, low | high, cost);
            } else {
                bank_add_group(arch, access, low, cost);
                bank_add_group(arch, access, high, cost);
            }
        }
    }
    uint32_t wavefronts = cost->wavefronts - before;
    cost->ideal_wavefronts += ideal < wavefronts ? ideal : wavefronts;
    cost->instructions += access->active != 0;
}

struct bank_cost bank_count(const struct arch *arch, const struct warp_access *access)
{
    struct bank_cost cost = {0};
    if (arch->rules != ACCESS_RULES_SECTORS) {
        return cost;
    }
    struct warp_access part = *access;
    switch (access->width_bytes) {
    case 1:
    case 2:
    case 4:
    case 8:
    case 16: bank_instruction(arch, access, &cost); break;
    case 12:
        part.width_bytes = 4;
        for (int i = 0; i < 3; i++) {
            bank_instruction(arch, &part, &cost);
            for (int lane = 0; lane < WARP_LANES; lane++) {
                part.address[lane] += 4;
            }
        }
        break;
    default: break;
    }
    return cost;
}
