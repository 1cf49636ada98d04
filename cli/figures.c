#include "cli/figures.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BANDWIDTH "effective_bandwidth_bytes_per_second"

/* "About 130 GB/s at offsets 0 and 32, about 4/5 of it between." */
static const struct tui_figure_point offset_points[] = {
    {.x = 0, .y = 130e9}, {.x = 1, .y = 104e9}, {.x = 31, .y = 104e9}, {.x = 32, .y = 130e9}};
static const struct tui_figure offset_figures[] = {{
    .name = "document",
    .gpu = "M2090 with ECC",
    .source = "CUDA C Best Practices Guide: about 130 GB/s at offsets 0 and 32, about 4/5 of it between",
    .param = "offset",
    .metric = BANDWIDTH,
    .points = offset_points,
    .point_count = COUNT(offset_points),
}};

static const struct tui_figure_point matmul_points[] = {{.variant = "simple", .y = 6.6e9},
                                                        {.variant = "a-tile", .y = 7.8e9},
                                                        {.variant = "ab-tiles", .y = 14.9e9}};
static const struct tui_figure matmul_figures[] = {{
    .name = "document",
    .gpu = "K20X",
    .source = "CUDA C Best Practices Guide: 6.6, 7.8 and 14.9 GB/s effective",
    .metric = BANDWIDTH,
    .points = matmul_points,
    .point_count = COUNT(matmul_points),
}};

/* The course's figure has no numbers that it names: it says what to look at. */
static const struct tui_figure occupancy_figures[] = {{
    .name = "document",
    .source = "course: occupancy against the dynamic shared memory of a block",
    .param = "kib",
    .metric = "achieved_occupancy_pct",
}};

/* The article's gains are over its loop without prefetching. */
#define ARTICLE "GPU memory prefetching (article): "
static const struct tui_figure_point async_points[] = {{.x = 6, .y = 1.6}},
                                     scalar_points[] = {{.x = NAN, .y = 0.4}},
                                     least_points[] = {{.x = NAN, .y = 1.2}},
                                     most_points[] = {{.x = NAN, .y = 1.3}};
static const struct tui_figure prefetch_figures[] = {
    {.name = "smem rolling async, padded",
     .gpu = "the article's A100",
     .source = ARTICLE "about 60 % faster at distance 6",
     .param = "distance",
     .metric = TUI_FIGURE_SPEEDUP,
     .points = async_points,
     .point_count = COUNT(async_points)},
    {.name = "scalar rolling",
     .gpu = "the article's A100",
     .source = ARTICLE "scalar rolling alone loses about 60 %",
     .param = "distance",
     .metric = TUI_FIGURE_SPEEDUP,
     .points = scalar_points,
     .point_count = COUNT(scalar_points)},
    {.name = "the others, least",
     .gpu = "the article's A100",
     .source = ARTICLE "the others gain 20 to 30 %",
     .param = "distance",
     .metric = TUI_FIGURE_SPEEDUP,
     .points = least_points,
     .point_count = COUNT(least_points)},
    {.name = "the others, most",
     .gpu = "the article's A100",
     .source = ARTICLE "the others gain 20 to 30 %",
     .param = "distance",
     .metric = TUI_FIGURE_SPEEDUP,
     .points = most_points,
     .point_count = COUNT(most_points)},
};

static const struct {
    const char *workload;
    const struct tui_figure *figures;
    size_t count;
} table[] = {
    {"copy-offset", offset_figures, COUNT(offset_figures)},
    {"matmul-ab", matmul_figures, COUNT(matmul_figures)},
    {"occupancy-smem", occupancy_figures, COUNT(occupancy_figures)},
    {"prefetch", prefetch_figures, COUNT(prefetch_figures)},
};

const struct tui_figure *figures_of(const char *workload, size_t *count)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        if (strcmp(table[i].workload, workload) == 0) {
            *count = table[i].count;
            return table[i].figures;
        }
    }
    *count = 0;
    return NULL;
}
