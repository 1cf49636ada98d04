/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices against an H200: tests/data/matrix_h200.txt has a line for each product: its number,
 * its name, and the hashes of its first 8 groups of 64 tiles. tests/gpu/probe/matrix made it; the tiles are
 * described in tests/shared/oracle/matrix_tile.h.
 */
#include "tests/shared/oracle/matrix_hash.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GROUPS 8
#define GROUP_TILES 64

static void check_line(char *line)
{
    uint32_t config;
    char name[128];
    int used = 0;
    cr_assert_eq(sscanf(line, "%" SCNu32 " %127s%n", &config, name, &used), 2, "%s", line);
    struct matrix_case *const of = matrix_case_create(name, config);
    cr_assert_not_null(of, "%s", name);
    const char *rest = line + used;
    for (uint32_t group = 0; group < GROUPS; group++) {
        uint64_t wanted;
        cr_assert_eq(sscanf(rest, " %" SCNx64 "%n", &wanted, &used), 1, "%s: group %u", name, group);
        rest += used;
        cr_assert_eq(matrix_case_hash(of, group * GROUP_TILES, GROUP_TILES, NULL), wanted,
                     "%s: tiles from %u on", name, group * GROUP_TILES);
    }
    matrix_case_destroy(of);
}

Test(matrix_h200, bits_are_equal)
{
    char line[1024];
    uint32_t count = 0;
    FILE *const file = fopen(TEST_SOURCE_DIR "/tests/data/matrix_h200.txt", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#')
            continue;
        check_line(line);
        count++;
    }
    fclose(file);
    cr_assert_eq(count, 113);
}
