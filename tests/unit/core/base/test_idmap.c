/* SPDX-License-Identifier: Apache-2.0 */
/* The map of ids, against a plain array. */
#include "core/base/idmap.h"

#include <criterion/criterion.h>

#define IDS 600

Test(idmap, equals_a_plain_array)
{
    struct idmap map;
    uint32_t plain[IDS], count = 0;
    uint64_t state = 5;
    idmap_init(&map, 400, 12345);
    for (size_t i = 0; i < IDS; i++)
        plain[i] = IDMAP_NONE;
    for (uint32_t step = 0; step < 200000; step++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t i = (state >> 33) % IDS;
        uint64_t id = i << 32 | i; /* as context and stream make them */
        if ((state >> 20) % 3 == 0) {
            count -= plain[i] != IDMAP_NONE;
            plain[i] = IDMAP_NONE;
            idmap_remove(&map, id);
        } else {
            bool room = plain[i] != IDMAP_NONE || count < 400;
            cr_assert_eq(idmap_put(&map, id, step), room);
            count += room && plain[i] == IDMAP_NONE;
            plain[i] = room ? step : plain[i];
        }
        cr_assert_eq(map.count, count);
        uint64_t other = (state >> 13) % IDS;
        cr_assert_eq(idmap_find(&map, other << 32 | other), plain[other]);
    }
    for (uint64_t i = 0; i < IDS; i++)
        cr_assert_eq(idmap_find(&map, i << 32 | i), plain[i]);
    idmap_fini(&map);
}
