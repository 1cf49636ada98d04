/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One workload on every modelled GPU, from the oldest on: what an ideal device of this bandwidth would need, what was
 * counted, and the modelled time. Of a case's kernels the one that its effective bandwidth is of, else the one with most
 * time; the last launch of it.
 */
#include "cli/options/commands.h"
#include "cli/output/sheet_print.h"
#include "workloads/frame/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct generation { /* a case on a GPU */
    const struct gpu *gpu;
    char variant[64], params[160], kernel[64], says[160];
    double ns, ideal_ns; /* NAN: not known */
    double transfers, ideal_transfers, dram_bytes;
};

struct generations {
    struct generation *list;
    size_t count;
    struct generation *now; /* that runs */
    const struct workload_case *c;
};

static void launch_take(void *owner, const struct simt_launch *launch)
{
    struct generations *generations = owner;
    struct generation *now = generations->now;
    const char *kernel = launch->launch->kernel, *wanted = generations->c->effective_kernel;
    if (!launch->timing || launch->uncounted)
        return;
    bool chosen = wanted && strcmp(kernel, wanted) == 0, before = wanted && strcmp(now->kernel, wanted) == 0;
    if (!chosen && (before || (!isnan(now->ns) && launch->timing->ns < now->ns)))
        return;
    struct count_totals totals;
    count_totals(&launch->result->counter, &totals);
    snprintf(now->kernel, sizeof now->kernel, "%s", kernel);
    now->ns = launch->timing->ns;
    now->transfers = (double)(totals.global[0].transfers + totals.global[1].transfers);
    now->ideal_transfers = (double)(totals.global[0].ideal_transfers + totals.global[1].ideal_transfers);
    now->dram_bytes =
        (double)(launch->result->caches.dram_read_bytes + launch->result->caches.dram_write_bytes);
}

static void mark_take(void *listener, enum workbench_tell what, const char *text)
{
    struct generations *generations = listener;
    if (what == WORKBENCH_MARK)
        snprintf(generations->now->says, sizeof generations->now->says, "%s", text);
}

static enum status case_run(struct generations *generations, struct workload_case *c, bool small,
                            struct error *error)
{
    struct generation *now = generations->now;
    struct simt_options options = {.gpu = now->gpu, .sink = {.launched = launch_take, .owner = generations}};
    struct workload_result result = {.verified = -1};
    struct device *device = NULL;
    struct workbench bench;
    if (c->workload->devices_needed > 1 || c->workload->gpus_modelled > 1)
        return error_set(error, STATUS_UNSUPPORTED, "needs several GPUs");
    enum status status = workload_model_open(&options, &device, error);
    if (status != STATUS_OK)
        return status;
    c->info = device->ops->info(device);
    c->small = small;
    generations->c = c;
    status = c->workload->resolve(c, error);
    if (status == STATUS_OK) {
        workbench_init(&bench, device, 1, 1);
        bench.tell = mark_take;
        bench.listener = generations;
        workload_params_text(c, now->params, sizeof now->params);
        status = c->workload->run(c, &bench, &result, error);
        workbench_fini(&bench);
    }
    if (status == STATUS_OK && result.verified == 0)
        snprintf(now->says, sizeof now->says, "wrong: %.140s", result.detail);
    double bandwidth = device_info_peak_bandwidth(c->info);
    if (status == STATUS_OK && c->effective_bytes > 0 && bandwidth > 0)
        now->ideal_ns = c->effective_bytes / bandwidth * 1e9;
    device->ops->close(device);
    return status;
}

/* The cases are parsed anew for each GPU, whose sizes they get. */
static enum status gpu_run(struct generations *generations, const struct gpu *gpu,
                           const struct options *options, struct error *error)
{
    struct workload_case *cases = NULL;
    size_t count = 0;
    enum status status = workload_parse(options->workloads[0], &cases, &count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct generation *grown =
            reallocarray(generations->list, generations->count + 1, sizeof *generations->list);
        struct error refused = {0};
        if (!grown) {
            status = error_no_memory(error, "for %zu cases", generations->count);
            break;
        }
        generations->list = grown;
        generations->now = &grown[generations->count++];
        *generations->now = (struct generation){.gpu = gpu,
                                                .ns = NAN,
                                                .ideal_ns = NAN,
                                                .transfers = NAN,
                                                .ideal_transfers = NAN,
                                                .dram_bytes = NAN};
        snprintf(generations->now->variant, sizeof generations->now->variant, "%s", cases[i].variant->name);
        if (case_run(generations, &cases[i], options->problem != PROBLEM_DEFAULT, &refused) != STATUS_OK)
            snprintf(generations->now->says, sizeof generations->now->says, "refused: %.140s", refused.text);
    }
    free(cases);
    return status;
}

/* ---- the sheet ---- */
/* clang-format off */
static const struct sheet_column columns[] = {
    {"model", "GPU", "as --model takes it", SHEET_TEXT, SHEET_NEITHER, 8, 0, false},
    {"name", NULL, "the GPU's name", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"compute_capability", "cc", "its compute capability", SHEET_TEXT, SHEET_NEITHER, 4, 2, false},
    {"variant", "variant", "of the workload", SHEET_TEXT, SHEET_NEITHER, 12, 0, false},
    {"params", NULL, "its parameters, chosen for this GPU where they are not given", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"kernel", NULL, "that the numbers are of", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"ideal_ns", "ideal", "the bytes that must be moved, at the theoretical bandwidth; null: the case moves none", SHEET_TIME, SHEET_NEITHER, 8, 1, false},
    {"time_ns", "time", "modelled; null: it does not run on this GPU", SHEET_TIME, SHEET_LESS, 8, 0, false},
    {"ratio", "ratio", "time over ideal", SHEET_NUMBER, SHEET_LESS, 6, 1, false},
    {"transfers", "sectors", "counted, of loads and stores in global memory: 32 bytes each", SHEET_COUNT, SHEET_LESS, 9, 1, false},
    {"ideal_transfers", "least", "the sectors that the words would need if none were fetched in vain", SHEET_COUNT, SHEET_NEITHER, 9, 2, false},
    {"dram_bytes", "DRAM", "bytes that DRAM read and wrote", SHEET_BYTES, SHEET_LESS, 9, 3, false},
    {"says", "", "what the workload has measured itself, or why it does not run", SHEET_SENTENCE, SHEET_NEITHER, 22, 1, false}};
/* clang-format on */

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct generations *generations = from;
    (void)error;
    for (size_t i = 0; i < generations->count; i++) {
        const struct generation *row = &generations->list[i];
        const struct sheet_cell cells[] = {
            {.text = row->gpu->id},
            {.text = row->gpu->info.name},
            {.text = capability_text(row->gpu->info.compute_capability).text},
            {.text = row->variant},
            {.text = row->params},
            {.text = *row->kernel ? row->kernel : NULL},
            {.number = row->ideal_ns},
            {.number = row->ns},
            {.number = row->ns / row->ideal_ns},
            {.number = row->transfers},
            {.number = row->ideal_transfers},
            {.number = row->dram_bytes},
            {.text = row->says},
        };
        sheet_row(to, cells);
    }
    sheet_note(
        to,
        "All modelled, none measured. Sizes are chosen for each GPU unless they are given: n=N makes them equal. A small one "
        "takes hardly more than a launch: --size default.");
    return STATUS_OK;
}

static const struct sheet sheet_generations = {.id = "generations",
                                               .title = "One workload on every modelled GPU",
                                               SHEET_COLUMNS(columns),
                                               .none = "generations: nothing ran",
                                               .rows = make_rows};

static const struct sheet *generations_sheet_at(size_t index)
{
    return index == 0 ? &sheet_generations : NULL;
}

enum status generations_command(const struct options *options, FILE *out, struct error *error)
{
    struct generations generations = {0};
    struct options printed = *options;
    enum status status = STATUS_OK;
    if (!printed.table)
        printed.table = "generations";
    for (size_t i = 0; gpu_by_age(i) && status == STATUS_OK; i++)
        status = gpu_run(&generations, gpu_by_age(i), options, error);
    if (status == STATUS_OK)
        status = sheet_option_print(generations_sheet_at, &generations, &printed, out, error);
    free(generations.list);
    return status;
}
