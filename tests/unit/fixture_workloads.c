#include "tests/unit/fixture_workloads.h"

#include <math.h>
#include <stddef.h>

static const struct tui_variant offset_variants[] = {{"offset", "every word, from `offset` on"}},
                                stride_variants[] = {{"strided", "every `stride`-th word"}},
                                bank_variants[] = {{"32-bit", "words of 4 bytes"},
                                                   {"64-bit", "words of 8 bytes"}},
                                transpose_variants[] = {{"copy", "no transpose: the bound"},
                                                        {"naive", "rows in, columns out"},
                                                        {"tile", "through shared memory"},
                                                        {"pad", "a tile with a word of padding"},
                                                        {"swizzle", "a tile with its columns turned"}},
                                way_variants[] = {{"serial", "one after the other"},
                                                  {"two", "in two streams"}};
#define PARAM(id, text, of, low, high, at)                                                       \
    {                                                                                            \
        .name = id, .meaning = text, .unit = of, .minimum = low, .maximum = high, .standard = at \
    }
static const struct tui_param offset_params[] = {PARAM("offset", "words before the first one", "words", 0, 32,
                                                       1),
                                                 PARAM("n", "words copied, 0: by the device", "words", 0,
                                                       1 << 28, 0)},
                              stride_params[] = {PARAM("stride", "distance of two lanes", "words", 1, 32, 2),
                                                 PARAM("n", "words touched, 0: by the device", "words", 0,
                                                       1 << 28, 0)},
                              bank_params[] = {PARAM("stride", "distance of two lanes", "words", 1, 33, 2)},
                              transpose_params[] = {PARAM("n", "rows and columns", "", 1024, 16384, 8192)};
static const char lesson[] =
    "# copy-stride: lanes that stand apart\n\n    lanescope copy-stride,stride=1..32\n\n"
    "Lane i of a warp takes word `i x stride`. The words between are moved too, since\n"
    "memory comes in sectors of 8 words.\n\n"
    "| stride | sectors per request |\n|---|---|\n| 1 | 4 |\n| 8 and more | 32 |\n\n"
    "**Look at** effective bandwidth over the stride:\n- it falls,\n- and from 8 on it\n  stays.\n";

static const struct tui_figure_point offset_points[] = {{.x = 0, .y = 141000}, {.x = 3, .y = 282000}},
                                     level_points[] = {{.x = (double)NAN, .y = 70500}},
                                     transpose_points[] = {{.variant = "naive", .y = 1},
                                                           {.variant = "pad", .y = 2}};
static const struct tui_figure offset_figures[] = {{"document", "an old GPU", "a guide: twice the time at 3",
                                                    "offset", "time_ns", offset_points, 2},
                                                   {"bound", "an old GPU", "a guide: not below this",
                                                    "offset", "time_ns", level_points, 1}},
                               transpose_figures[] = {{"document", "an old GPU", "a course: twice as fast",
                                                       NULL, TUI_FIGURE_SPEEDUP, transpose_points, 2}};

#define FIGURES(of) of##_figures, sizeof of##_figures / sizeof of##_figures[0]
#define VARIANTS(of) of##_variants, sizeof of##_variants / sizeof of##_variants[0]
#define PARAMS(of) of##_params, sizeof of##_params / sizeof of##_params[0]
const struct tui_workload fixture_workloads[FIXTURE_WORKLOAD_COUNT] = {
    {"copy-offset", "A", "Copy with an offset",
     "A warp that starts off a sector's edge moves one sector more.", VARIANTS(offset), PARAMS(offset), NULL,
     FIGURES(offset)},
    {"copy-stride", "A", "Copy with a stride", "The wider the stride, the more bytes move that nobody wants.",
     VARIANTS(stride), PARAMS(stride), lesson, NULL, 0},
    {"bank-stride", "B", "Shared memory with a stride", "Lanes that want one bank take turns.",
     VARIANTS(bank), PARAMS(bank), NULL, NULL, 0},
    {"transpose", "B", "Transpose a matrix", "Coalesced both ways through shared memory, without conflicts.",
     VARIANTS(transpose), PARAMS(transpose), NULL, FIGURES(transpose)},
    {"n-way", "C", "Copies and kernels at once", "What overlaps, and what does not.", VARIANTS(way), NULL, 0,
     NULL, NULL, 0},
};
