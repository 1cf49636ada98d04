/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/hardware/bank against an H200: tests/data/bank_h200.csv holds single shared-memory instructions of one
 * warp, a line each, with the wavefronts that the GPU counted (tests/gpu/patterns.py made it). All must be
 * equal, but for 16-byte loads by a part of the warp's lanes: there the GPU merges quarter-warps by more than
 * the rule knows, and both differ by at most one in at most a fifth of them.
 */
#include "core/hardware/bank.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pattern {
    struct warp_access access;
    uint32_t wavefronts;
};

static bool read_pattern(FILE *file, struct pattern *pattern)
{
    char operation[8];

    *pattern = (struct pattern){0};
    if (fscanf(file, "%7s %" SCNu32 " %" SCNx32, operation, &pattern->access.width_bytes,
               &pattern->access.active) != 3)
        return false;
    pattern->access.store = strcmp(operation, "store") == 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (fscanf(file, "%" SCNu64, &pattern->access.address[lane]) != 1)
            return false;
    return fscanf(file, "%" SCNu32, &pattern->wavefronts) == 1;
}

Test(bank_hardware, equals_what_an_h200_counted)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/data/bank_h200.csv", "r");
    const struct arch *arch = arch_find(90);
    struct pattern pattern;
    unsigned count = 0, partial = 0, off_by_one = 0;

    cr_assert(file != NULL);
    while (read_pattern(file, &pattern)) {
        uint32_t wavefronts = bank_count(arch, &pattern.access).wavefronts;
        bool known_gap =
            pattern.access.width_bytes == 16 && !pattern.access.store && pattern.access.active != UINT32_MAX;

        count++;
        partial += known_gap;
        off_by_one += known_gap && wavefronts != pattern.wavefronts;
        cr_assert(wavefronts == pattern.wavefronts ||
                      (known_gap && abs((int)wavefronts - (int)pattern.wavefronts) == 1),
                  "line %u: %s of %u bytes, lanes %08x: %u wavefronts by the rule, %u on the GPU", count,
                  pattern.access.store ? "store" : "load", pattern.access.width_bytes, pattern.access.active,
                  wavefronts, pattern.wavefronts);
    }
    fclose(file);
    cr_assert(count > 4000 && partial > 400);
    cr_assert(off_by_one * 5 <= partial, "%u of %u", off_by_one, partial);
}
