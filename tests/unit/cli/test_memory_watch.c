/* SPDX-License-Identifier: Apache-2.0 */
/* How many processes of a program fit beside each other. */
#include "cli/run/memory_watch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

Test(memory_watch, how_many_fit_beside_each_other)
{
    static const struct {
        struct memory_use use;
        unsigned most, fit;
    } rows[] = {
        {{100, 0, 0}, 4, 4},                               /* it took nothing */
        {{100, 10, 50}, 4, 2},                             /* 80 of 90 are free, 40 a process */
        {{100, 10, 90}, 4, 1},     {{100, 50, 100}, 4, 1}, /* less than one is free: it has run alone */
        {{100, 95, 100}, 4, 1},    {{1000, 100, 200}, 8, 8},
        {{1000, 100, 200}, 16, 8}, {{UINT64_MAX, 0, 1}, 8, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(memory_use_fits(&rows[i].use, rows[i].most), rows[i].fit, "row %zu", i);
}

/* Without NVML it is not known what a program takes of a GPU. */
Test(memory_watch, one_where_the_use_is_not_known)
{
    const char *why = "";
    setenv("LD_LIBRARY_PATH", "", 1);
    if (access("/dev/nvidiactl", F_OK) == 0)
        return;
    cr_assert_eq(memory_watch_stop(memory_watch_start(), 4, &why), 1);
    cr_assert_str_eq(why, "the memory that the program takes is not known");
}
