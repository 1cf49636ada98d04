/* SPDX-License-Identifier: Apache-2.0 */
/* The case has its own workbench, which is freed together with the device when the case has run. */
#include "cli/model/model_counts.h"

#include "core/analysis/kernel_metrics.h"
#include "core/base/append.h"
#include "core/base/function_name.h"
#include "core/base/run_params.h"
#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"
#include "simt/device/tally.h"
#include "simt/engine/capture.h"
#include "tui/widgets/short_names.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status run_case(struct workload_case *c, bool small, struct device *device, struct error *error)
{
    struct workbench bench;
    struct workload_result result = {.verified = -1};

    c->info = device->ops->info(device);
    c->small = small;
    enum status status = c->workload->resolve(c, error);
    if (status)
        return status;
    workbench_init(&bench, device, 1, 1);
    bench.seed = workload_seed(c);
    status = c->workload->run(c, &bench, &result, error);
    workbench_fini(&bench);
    return status;
}

const char *model_case_text(const struct model_own *own, const char *path)
{
    const struct text_file *file = text_find(path);

    if (own && strcmp(own->path, path) == 0)
        return own->text;
    return file ? file->text : NULL;
}

enum status model_case_run(const char *spec, const struct model_own *own, struct simt_options *options,
                           struct error *error)
{
    return model_case_run_sized(spec, true, own, options, error);
}

enum status model_case_run_sized(const char *spec, bool small, const struct model_own *own,
                                 struct simt_options *options, struct error *error)
{
    struct workload_case *cases = NULL;
    struct device *device = NULL;
    size_t count;
    enum status status = workload_parse(spec, &cases, &count, error);

    if (own) /* else it is NULL, which another thread may be reading */
        own_image_use(own->image);
    if (status == STATUS_OK)
        status = workload_model_open(options, &device, error);
    if (status == STATUS_OK) {
        status = run_case(&cases[0], small, device, error);
        device->ops->close(device);
    }
    if (own)
        own_image_use(NULL);
    free(cases);
    return status;
}

/*
 * A listener of the device model adds up the cost of each instruction over the launches; the cost of a line
 * is the sum over its instructions.
 */

#define SPEC_BYTES 1000

#define TEXT_BYTES 120 /* bytes of an instruction's text, without its end */

struct counting {
    const char *kernel;
    const struct model_own *own;
    struct tui_source *source;
    struct error error;
};

/* ---- the lines ---- */

/* The source file of the kernel's lines. */
static enum status take_file(struct counting *counting, const char *path)
{
    struct tui_source *source = counting->source;
    const char *text = model_case_text(counting->own, path);

    if (!text)
        return error_set(&counting->error, STATUS_STATE,
                         "This lanescope does not contain the source of %.100s.", counting->kernel);
    /* the path given is the module's */
    source->path = text_find(path) ? text_find(path)->path : counting->own->path;
    source->text = text;
    if (counting->own && text == counting->own->text) {
        source->changed = counting->own->changed;
        source->line_count = counting->own->line_count;
    }
    return STATUS_OK;
}

static uint32_t line_of(struct counting *counting, const struct program *program, uint32_t instruction,
                        const char *file)
{
    uint32_t line = line_cost_line(program, instruction, file);

    return line > 0 && (counting->source->text || take_file(counting, file) == STATUS_OK) ? line : 0;
}

/* Adds places for the program's instructions, with their texts and lines. */
static enum status make_places(struct counting *counting, const struct program *program)
{
    struct code_listing *listing = &counting->source->listing;
    const char *file = line_cost_file(program);
    uint32_t count = program->instruction_count;

    listing->places = calloc((size_t)count + 1, sizeof *listing->places);
    listing->texts = calloc((size_t)count + 1, TEXT_BYTES);
    if (!listing->places || !listing->texts)
        return error_no_memory(&counting->error, "to read the source");
    listing->count = count;
    for (uint32_t i = 0; i < count && !counting->error.status; i++) {
        struct code_place *place = &listing->places[i];
        char *text = listing->texts + (size_t)i * TEXT_BYTES;

        program_instruction_text(program, i, text, TEXT_BYTES);
        place->pc_offset = i;
        place->line = line_of(counting, program, i, file);
        place->file = place->line > 0 && counting->source->path ? counting->source->path : "";
        place->function = counting->kernel;
        place->text = text;
    }
    return counting->error.status;
}

static void launch_counted(void *context, const struct simt_launch *launch)
{
    struct counting *counting = context;
    struct code_listing *listing = &counting->source->listing;
    const struct counter *counter = &launch->result->counter;

    if (!counter->program || strcmp(launch->launch->kernel, counting->kernel) != 0 || counting->error.status)
        return;
    if (!listing->places && make_places(counting, counter->program) != STATUS_OK)
        return;
    for (uint32_t i = 0; i < listing->count && i < counter->program->instruction_count; i++)
        line_cost_add(listing->places[i].costs, counter, i);
}

/* ---- the case ---- */

/* Rebuilds the text that was typed from the run's texts, without the sizes that the device added. */
static void make_spec(const struct tui_source_query *query, const struct workload *workload,
                      char spec[SPEC_BYTES])
{
    size_t used = 0;
    append_text(spec, SPEC_BYTES, &used, "%.100s:%.100s", query->workload, query->variant);

    for (size_t i = 0; i < workload_value_count(workload); i++) {
        const struct workload_param *param = workload_param_at(workload, i);
        struct run_param value;

        if (workload_param_is_size(param))
            continue;
        if (run_param_find(query->params, param->name, &value))
            append_text(spec, SPEC_BYTES, &used, ",%s=%.*s", param->name, value.value_length, value.value);
    }
}

static const struct arch *rules_of(const char *params)
{
    struct run_param value;
    char text[16];

    if (!run_param_find(params, "cc", &value))
        return NULL;
    snprintf(text, sizeof text, "%.*s", value.value_length, value.value);
    return arch_parse(text);
}

enum status line_costs_make(const struct model_own *own, const struct tui_source_query *query,
                            const atomic_bool *cancel, struct tui_source *source, struct error *error)
{
    const struct gpu *gpu = query->gpu ? gpu_find(query->gpu) : NULL;
    const struct workload *workload = workload_find(query->workload);
    struct counting counting = {.kernel = query->kernel, .own = own, .source = source};
    struct run_param unmerged, label;
    struct simt_options options = {.gpu = gpu ? gpu : gpu_at(0),
                                   .rules = rules_of(query->params),
                                   .keep_ptx = run_param_find(query->params, "merge", &unmerged),
                                   .cancel = cancel,
                                   .sink = {.launched = launch_counted, .owner = &counting}};
    char spec[SPEC_BYTES];

    *source = (struct tui_source){0};
    if (!workload)
        return error_set(error, STATUS_STATE,
                         "This lanescope has no workload %.60s, and therefore not its source.",
                         query->workload);
    if (!own && run_param_find(query->params, RUN_PARAM_KERNEL, &label))
        return error_set(error, STATUS_STATE,
                         "This run's kernel was %.*s, which is not part of the recording: run it again with "
                         "--kernel to see its lines.",
                         label.value_length, label.value);
    make_spec(query, workload, spec);
    snprintf(source->model, sizeof source->model, "%.60s", options.gpu->info.name);
    enum status status = model_case_run(spec, own, &options, error);
    if (status == STATUS_OK && counting.error.status)
        status = error_set(error, counting.error.status, "%s", counting.error.text);
    if (status == STATUS_OK && !source->text)
        status = error_set(error, STATUS_STATE,
                           "On the model this case launches no kernel %.100s that has source lines.",
                           query->kernel);
    code_listing_of_model(&source->listing);
    code_listing_sum(&source->listing);
    if (status)
        code_listing_fini(&source->listing);
    return status;
}

enum status line_costs_of_kernel(const struct session *session, uint32_t kernel, struct tui_source *source,
                                 struct error *error)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = session_run(session, row->run);
    const struct tui_source_query query = {
        .workload = session_string(session, run->workload),
        .variant = session_string(session, run->variant),
        .params = session_string(session, run->params),
        .kernel = session_string(session, session_shape(session, row->shape)->name),
        .gpu = row->device < session_device_count(session) ? session_device(session, row->device)->info.name
                                                           : NULL};

    if (run->workload == 0)
        return error_set(error, STATUS_STATE, "%.100s is not a kernel of a bundled workload.", query.kernel);
    return line_costs_make(NULL, &query, NULL, source, error);
}

/*
 * The case runs while the accesses of one warp are captured. Programs are freed with the device, so the texts
 * of their instructions are copied before the device is closed.
 *
 * For the table's addresses the case is resolved as for a run at small size; each access site gives the first
 * of its executions by the warp. A site whose addresses depend on data is left out.
 */

static void take_site(const struct workload_case *c, const struct kernel_sites *kernel,
                      const struct access_site *site, const struct tui_access_query *query,
                      struct tui_accesses *accesses)
{
    struct access_point at = {.block = {(uint32_t)(query->block % c->grid[0]),
                                        (uint32_t)(query->block / c->grid[0] % c->grid[1]),
                                        (uint32_t)(query->block / c->grid[0] / c->grid[1])},
                              .warp = query->warp};
    struct tui_access *item = &accesses->items[accesses->count];

    *item = (struct tui_access){.site = accesses->count,
                                .space = site->space == ACCESS_SHARED  ? TUI_SPACE_SHARED
                                         : site->space == ACCESS_LOCAL ? TUI_SPACE_LOCAL
                                                                       : TUI_SPACE_GLOBAL,
                                .atomic = site->atomic,
                                .by_rule = true};
    access_of_warp(c, site, &at, &item->access);
    if (item->access.active == 0)
        return;
    if (item->space == TUI_SPACE_SHARED) {
        struct bank_cost cost = bank_count(query->rules, &item->access);
        item->counted = cost.wavefronts;
        item->counted_ideal = cost.ideal_wavefronts;
    } else {
        struct coalesce_cost cost = coalesce_count(query->rules, &item->access);
        item->counted = site->atomic ? access_passes(&item->access) : cost.sectors;
        item->counted_ideal = cost.ideal_sectors;
    }
    snprintf(item->kernel, sizeof item->kernel, "%s", kernel->kernel);
    snprintf(item->text, sizeof item->text, "%s", site->name);
    accesses->count++;
}

/* Of the kernel that the case's parameters select, or of all. */
static enum status take_sites(const struct workload_case *c, const struct tui_access_query *query,
                              struct tui_accesses *accesses, struct error *error)
{
    const struct kernel_sites *kernels = c->kernel ? c->kernel : c->variant->kernels;
    size_t count = c->kernel ? 1 : c->variant->kernel_count, sites = 0;

    for (size_t i = 0; i < count; i++)
        sites += kernels[i].site_count;
    accesses->items = calloc(sites + 1, sizeof *accesses->items);
    if (!accesses->items)
        return error_no_memory(error, "for the addresses of a warp");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < kernels[i].site_count && !kernels[i].data_dependent; k++)
            if (kernels[i].sites[k].address && kernels[i].sites[k].count(c) > 0)
                take_site(c, &kernels[i], &kernels[i].sites[k], query, accesses);
    accesses->sites = accesses->count;
    accesses->blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    accesses->warps = (c->block[0] * c->block[1] * c->block[2] + WARP_LANES - 1) / WARP_LANES;
    if (accesses->count > 0)
        return STATUS_OK;
    free(accesses->items);
    accesses->items = NULL;
    return error_set(error, STATUS_STATE, "No address of %.200s is known before it runs.", query->spec);
}

enum status lane_sites_make(const struct gpu *model, const struct tui_access_query *query,
                            struct tui_accesses *accesses, struct error *error)
{
    const struct gpu *gpu = model ? model : gpu_at(0);
    struct workload_case *cases = NULL;
    size_t count;
    enum status status = workload_parse(query->spec, &cases, &count, error);

    *accesses = (struct tui_accesses){0};
    snprintf(accesses->model, sizeof accesses->model, "%.60s", gpu->info.name);
    if (status == STATUS_OK) {
        cases[0].info = &gpu->info;
        cases[0].small = true;
        status = cases[0].workload->resolve(&cases[0], error);
    }
    if (status == STATUS_OK)
        status = take_sites(&cases[0], query, accesses, error);
    free(cases);
    return status;
}

struct taking {
    const struct model_own *own;
    struct capture *capture;
    struct tui_accesses *accesses;
    struct tui_access *items; /* CAPTURE_ACCESSES */
};

/* ---- words ---- */

static void source_line_text(const char *at, uint32_t line, char *text, size_t size_bytes)
{
    for (; line > 1 && *at; line--) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    at += strspn(at, " \t");
    snprintf(text, size_bytes, "%.*s", (int)strcspn(at, "\n"), at);
}

static void name_access(struct tui_access *item, const struct model_own *own, const struct program *program,
                        uint32_t instruction)
{
    const char *path = line_cost_file(program), *slash = path ? strrchr(path, '/') : NULL;
    char *demangled = demangle(program->entry->name);

    short_names_print(NULL, demangled ? demangled : program->entry->name, SHORT_NAME_WHOLE, item->kernel,
                      sizeof item->kernel);
    free(demangled);
    program_instruction_text(program, instruction, item->instruction, sizeof item->instruction);
    item->line = line_cost_line(program, instruction, path);
    if (item->line == 0)
        return;
    snprintf(item->place, sizeof item->place, "%.36s:%u", slash ? slash + 1 : path, item->line);
    item->file_text = model_case_text(own, path);
    source_line_text(item->file_text ? item->file_text : "", item->line, item->text, sizeof item->text);
}

/* ---- what was captured ---- */

static enum tui_space space_of(enum ptx_space space)
{
    return space == PTX_SHARED ? TUI_SPACE_SHARED : space == PTX_LOCAL ? TUI_SPACE_LOCAL : TUI_SPACE_GLOBAL;
}

/* Instructions are numbered in the order of the program, kernels in that of the launches. */
static int rows_compare(const void *a, const void *b)
{
    const struct capture_access *one = a, *other = b;
    const uint32_t keys[][2] = {{one->kernel, other->kernel},
                                {one->instruction, other->instruction},
                                {one->space, other->space},
                                {one->part, other->part},
                                {one->execution, other->execution}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static bool same_site(const struct capture_access *a, const struct capture_access *b)
{
    return a->kernel == b->kernel && a->instruction == b->instruction && a->space == b->space &&
           a->part == b->part;
}

static void access_take(struct tui_access *item, const struct model_own *own,
                        const struct capture_access *from, const struct program *program)
{
    const struct program_instruction *of = &program->instructions[from->instruction];

    *item = (struct tui_access){.execution = from->execution,
                                .space = space_of(from->space),
                                .atomic = from->atomic,
                                .compare_and_swap = from->atomic && of->sub == ATOMIC_CAS,
                                .by_rule = from->whole,
                                .access = from->access,
                                .counted = (uint32_t)from->transfers,
                                .counted_ideal = (uint32_t)from->ideal_transfers};
    name_access(item, own, program, from->instruction);
}

/* The program's texts must be copied now: programs are freed with the device. */
static void launch_taken(void *context, const struct simt_launch *launch)
{
    struct taking *taking = context;
    const struct capture *capture = taking->capture;
    struct tui_accesses *accesses = taking->accesses;
    const struct device_launch *asked = launch->launch;
    uint64_t blocks = (uint64_t)asked->grid[0] * asked->grid[1] * asked->grid[2];

    if (blocks > accesses->blocks) {
        accesses->blocks = blocks;
        accesses->warps = (asked->block[0] * asked->block[1] * asked->block[2] + WARP_LANES - 1) / WARP_LANES;
    }
    qsort(taking->capture->accesses + accesses->count, capture->count - accesses->count,
          sizeof capture->accesses[0], rows_compare);
    for (uint32_t i = accesses->count; i < capture->count; i++) {
        const struct capture_access *from = &capture->accesses[i];

        access_take(&taking->items[i], taking->own, from, capture->kernels[from->kernel]);
        accesses->sites += i == 0 || !same_site(from, from - 1);
        taking->items[i].site = accesses->sites - 1;
    }
    accesses->count = capture->count;
    accesses->cut = capture->full;
}

enum status lane_accesses_make(const struct gpu *model, const struct model_own *own,
                               const struct tui_access_query *query, const atomic_bool *cancel,
                               struct tui_accesses *accesses, struct error *error)
{
    struct taking taking = {.own = own,
                            .capture = calloc(1, sizeof *taking.capture),
                            .accesses = accesses,
                            .items = calloc(CAPTURE_ACCESSES, sizeof *taking.items)};
    struct simt_options options = {.gpu = model ? model : gpu_at(0),
                                   .rules = query->rules,
                                   .capture = taking.capture,
                                   .cancel = cancel,
                                   .sink = {.launched = launch_taken, .owner = &taking}};
    enum status status;

    *accesses = (struct tui_accesses){0};
    snprintf(accesses->model, sizeof accesses->model, "%.60s", options.gpu->info.name);
    if (!taking.capture || !taking.items) {
        status = error_no_memory(error, "for the addresses of a warp");
    } else {
        taking.capture->block = query->block;
        taking.capture->warp = query->warp;
        status = model_case_run(query->spec, own, &options, error);
    }
    if (status == STATUS_OK && accesses->count == 0)
        status = error_set(error, STATUS_STATE,
                           "Warp %u of block %llu makes no memory access in %.200s on the model.",
                           query->warp, (unsigned long long)query->block, query->spec);
    free(taking.capture);
    if (status) {
        free(taking.items);
        return status;
    }
    accesses->items = taking.items;
    return STATUS_OK;
}
