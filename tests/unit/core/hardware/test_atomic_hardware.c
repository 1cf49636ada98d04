/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/hardware/coalesce and core/hardware/bank against an H200: tests/data/atomic_h200.csv holds single
 * atomics of one warp, a line each (operation, bytes, lanes, 32 offsets), with the sectors that the GPU
 * counted on global memory and the wavefronts on shared memory (tests/gpu/patterns.py made it). All must be
 * equal.
 */
#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct pattern {
    char operation[16];
    struct warp_access access;
    uint32_t counted;
};

static bool read_pattern(FILE *file, struct pattern *pattern)
{
    *pattern = (struct pattern){.counted = 0};
    if (fscanf(file, "%15s %" SCNu32 " %" SCNx32, pattern->operation, &pattern->access.width_bytes,
               &pattern->access.active) != 3)
        return false;
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (fscanf(file, "%" SCNu64, &pattern->access.address[lane]) != 1)
            return false;
    return fscanf(file, "%" SCNu32, &pattern->counted) == 1;
}

Test(atomic_hardware, equals_what_an_h200_counted)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/data/atomic_h200.csv", "r");
    const struct arch *arch = arch_find(90);
    struct pattern pattern;
    unsigned count = 0, shared = 0, swaps = 0;

    cr_assert(file != NULL);
    while (read_pattern(file, &pattern)) {
        bool swap = strstr(pattern.operation, "cas") != NULL, on_shared = pattern.operation[0] == 's';
        uint32_t by_rule = on_shared ? bank_count_atomic(arch, &pattern.access, swap).wavefronts
                                     : coalesce_count_atomic(arch, &pattern.access, NULL, NULL).sectors;
        count++;
        shared += on_shared;
        swaps += swap;
        cr_assert_eq(by_rule, pattern.counted,
                     "line %u: %s of %u bytes, lanes %08x: %u by the rule, %u on the GPU", count,
                     pattern.operation, pattern.access.width_bytes, pattern.access.active, by_rule,
                     pattern.counted);
    }
    fclose(file);
    cr_assert(count > 2500 && shared > 1000 && swaps > 1000, "%u, %u, %u", count, shared, swaps);
}
