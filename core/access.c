/* How many lanes meet at one address. */
#include "core/access.h"
#include "core/access_parts.h"

uint32_t access_contention(const struct warp_access *access)
{
    uint64_t storage[WARP_LANES], numbers[WARP_LANES];
    uint32_t lanes[WARP_LANES] = {0}, most = 0;
    const uint64_t *at;
    uint32_t count = access_gather(access, storage, &at);
    struct number_set addresses;
    int64_t step;

    if (count && access_step(at, count, &step)) {
        return step ? 1 : count;
    }
    number_set_init(&addresses, numbers);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t there = ++lanes[number_set_add(&addresses, at[i])];
        most = there > most ? there : most;
    }
    return most;
}
