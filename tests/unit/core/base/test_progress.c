/* SPDX-License-Identifier: Apache-2.0 */
/* Shares, estimates and sentences of a launch that runs. */
#include "core/base/progress.h"

#include <criterion/criterion.h>

#define S INT64_C(1000000000)

Test(progress, estimates_what_is_left)
{
    static const struct {
        struct progress progress;
        unsigned percent;
        int64_t left_ns;
        const char *left;
    } rows[] = {
        {{.blocks = 64, .ended = 0, .elapsed_ns = 9 * S}, 0, -1, ""},
        {{.blocks = 0, .ended = 0, .elapsed_ns = S}, 0, -1, ""},
        {{.blocks = 200, .ended = 100, .elapsed_ns = 4 * S}, 50, 4 * S, "about 4 s left"},
        {{.blocks = 200, .ended = 199, .elapsed_ns = 4 * S}, 99, 4 * S / 199, "about 1 s left"},
        {{.blocks = 200, .ended = 200, .elapsed_ns = 4 * S}, 100, 0, "about 1 s left"},
        {{.blocks = 3, .ended = 1, .elapsed_ns = 60 * S}, 33, 120 * S, "about 120 s left"},
        {{.blocks = 4, .ended = 1, .elapsed_ns = 60 * S}, 25, 180 * S, "about 3 min left"},
        {{.blocks = 5, .ended = 1, .elapsed_ns = 3600 * S}, 20, 14400 * S, "about 4 h left"},
        {{.blocks = UINT64_MAX, .ended = 1, .elapsed_ns = 3600 * S}, 0, -1, ""},
    };
    char left[PROGRESS_LEFT_BYTES];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(progress_percent(&rows[i].progress), rows[i].percent, "row %zu", i);
        cr_assert_eq(progress_left_ns(&rows[i].progress), rows[i].left_ns, "row %zu", i);
        progress_left_text(&rows[i].progress, left);
        cr_assert_str_eq(left, rows[i].left, "row %zu", i);
    }
}

Test(progress, is_one_sentence)
{
    static const struct {
        struct progress progress;
        const char *text;
    } rows[] = {
        {{.launch = 12, .blocks = 500, .ended = 170, .executed = 84000000, .elapsed_ns = 4 * S},
         "kernel fill, launch 12: 34 %, about 8 s left (500 blocks, 21 M warp instructions/s)"},
        {{.launch = 1, .blocks = 1, .executed = 5000000, .elapsed_ns = 2 * S},
         "kernel fill, launch 1: 0 % (1 block, 2.5 M warp instructions/s)"},
        {{.launch = 1, .blocks = 2, .ended = 1, .executed = 100, .elapsed_ns = S},
         "kernel fill, launch 1: 50 %, about 1 s left (2 blocks, 100 warp instructions/s)"},
    };
    char text[300];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        progress_text(&rows[i].progress, "fill", text, sizeof text);
        cr_assert_str_eq(text, rows[i].text);
    }
}

Test(progress, names_kernels_plainly)
{
    static const char *const rows[][2] = {
        {"fill", "fill"},
        {"fill(unsigned int*)", "fill"},
        {"void work::churn<unsigned int>(unsigned int*, unsigned int)", "churn"},
        {"void a::b::scan<a::c<int> >(int)", "scan"},
        {"(anonymous namespace)::step(int)", "(anonymous namespace)::step(int)"},
        {"", ""},
    };
    char plain[80];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        progress_kernel_name(rows[i][0], plain, sizeof plain);
        cr_assert_str_eq(plain, rows[i][1]);
    }
    progress_kernel_name("void work::churn<int>(int)", plain, 4);
    cr_assert_str_eq(plain, "chu");
}
