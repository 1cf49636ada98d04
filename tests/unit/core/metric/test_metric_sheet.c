/*
 * docs/metrics.md is the catalogue written out: with LANESCOPE_WRITE_DOCS set in the environment the test
 * writes it anew.
 */
#include "core/metric/metric.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_sheet(FILE *out)
{
    fprintf(
        out,
        "# Metrics\n\n"
        "Written from the catalogue in core/metric/metric.c by tests/unit/core/metric/test_metric_sheet.c "
        "(set "
        "LANESCOPE_WRITE_DOCS to write it anew).\n\n"
        "A value is *measured* (counted by the GPU or taken from its timestamps), *modelled* or "
        "*expected*: worked out from the\n"
        "workload's access sites by the rules of the compute capability, or from the launch's "
        "shape. *Exact* means that the count\n"
        "equals the rules on the hardware; the others are rates and traffic with some noise. Counts "
        "are one launch's: the median of the launches\n"
        "measured. Counters are those of GH100; `smsp__sass_` ones are instrumented and have no "
        "noise. What goes through the tensor\n"
        "memory accelerator or feeds the tensor cores is not among the load and store counts.\n\n"
        "A kernel is replayed until all counters are taken, and CUPTI's replays leave lines in the L2 "
        "cache that the next pass writes back.\n"
        "What that would falsify is counted in a *memory run* of its own, in one pass, wherever the "
        "work is run more than once anyway: for bundled\n"
        "workloads, and for a program with `--runs trace,counters`. `--counters on` runs a program "
        "once and takes everything together.\n\n"
        "*Modelled* values are those of the device model on the CPU (`--device simt`). Requests, sectors, "
        "wavefronts and instructions are counted\n"
        "from every warp instruction it executes, by the same rules as expected ones (`--cc` takes another "
        "generation's); ideals are sums over\n"
        "instructions, where a GPU's counters only bracket them: where both ends do not meet, a measured "
        "ideal is shown as `<=`, its excess as `>=`. Hit rates and DRAM bytes come from modelled "
        "caches, times and achieved occupancy\n"
        "from an analytical model: they show what matters, not what a GPU would give to the per cent. In a "
        "recording a modelled value is named\n"
        "`model.` and the metric's id; it is never taken for a measured one. What the model does not say of "
        "a "
        "metric is derived by the formula\n"
        "below where its inputs are there.\n\n"
        "A kernel's time is that of its median launch. A run's time is its *device time*: the time in which "
        "at "
        "least one of its kernels,\n"
        "copies or sets ran on a device. What runs beside other work counts once; set-up before the first "
        "operation, tear-down after the last\n"
        "and idle time between are left out. It stands in the list of runs, `report`, `diff` and the chart, "
        "Amdahl's law and the gains of\n"
        "advice are shares of it, and the span of a run, set-up and all, stands beside it by that name.\n");
    enum metric_group group = METRIC_GROUP_COUNT;
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *info = metric_info((enum metric)i);
        const struct metric_counters counters = metric_counters((enum metric)i, "GH100");
        const char *const *names = counters.names;
        bool by_sites = info->group == METRIC_GROUP_GLOBAL || info->group == METRIC_GROUP_SHARED;
        static const char *const better[] = {"lower is better", "higher is better", "neither is better"};
        if (info->group != group) {
            group = info->group;
            char title[64];
            snprintf(title, sizeof title, "%s", metric_group_text(group));
            title[0] = (char)(title[0] >= 'a' && title[0] <= 'z' ? title[0] - 32 : title[0]);
            fprintf(out, "\n## %s\n", title);
        }
        fprintf(out, "\n### `%s`\n\n%s%s%s%s: %s.\n\n", info->id, info->title, info->unit[0] ? " [" : "",
                info->unit, info->unit[0] ? "]" : "", info->meaning);
        fprintf(out, "- formula: %s\n- %s%s; %s\n", info->formula, info->derived ? "derived" : "direct",
                info->exact ? ", exact" : "", better[info->better]);
        bool shape_only = i == METRIC_theoretical_occupancy_pct || i == METRIC_occupancy_limiter;
        bool peak = i == METRIC_peak_float_per_second || i == METRIC_peak_double_per_second;
        fprintf(out, "- provenance: %s\n",
                shape_only ? "expected, from the launch's shape"
                : peak     ? "expected, from the device"
                : by_sites ? "measured; modelled; expected, from the access sites"
                           : "measured; modelled");
        if (names[0]) {
            bool memory = metric_in_share((enum metric)i, "GH100", METRIC_SHARE_MEMORY);
            size_t inputs;
            metric_inputs((enum metric)i, &inputs);
            fprintf(out,
                    memory                              ? "- counters, of the memory run:"
                    : metric_when_asked((enum metric)i) ? "- counters, taken when asked (--counters +%s):"
                    : inputs > 0                        ? "- counters of the metrics it follows from:"
                                                        : "- counters:",
                    i == METRIC_tensor_instructions ? info->id : "stalls");
            for (size_t n = 0; names[n]; n++)
                fprintf(out, "%s\n  `%s`", n ? "," : "", names[n]);
            fprintf(out, "\n");
        }
        if (info->taught)
            fprintf(out, "- taught by: %s\n", info->taught);
    }
}

Test(metric, sheet_is_the_catalogue)
{
    char *made = NULL;
    size_t made_bytes = 0;
    FILE *memory = open_memstream(&made, &made_bytes);
    cr_assert_not_null(memory);
    write_sheet(memory);
    fclose(memory);
    if (getenv("LANESCOPE_WRITE_DOCS")) {
        FILE *file = fopen(TEST_SOURCE_DIR "/docs/metrics.md", "w");
        cr_assert_not_null(file);
        fwrite(made, 1, made_bytes, file);
        fclose(file);
    }
    FILE *file = fopen(TEST_SOURCE_DIR "/docs/metrics.md", "r");
    cr_assert_not_null(file, "docs/metrics.md is missing");
    char *kept = malloc(made_bytes + 2);
    size_t kept_bytes = fread(kept, 1, made_bytes + 1, file);
    fclose(file);
    cr_assert_eq(kept_bytes, made_bytes,
                 "docs/metrics.md is not the catalogue: run this test with LANESCOPE_WRITE_DOCS=1");
    cr_assert_eq(memcmp(kept, made, made_bytes), 0,
                 "docs/metrics.md is not the catalogue: run this test with LANESCOPE_WRITE_DOCS=1");
    free(kept);
    free(made);
}
