/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on the model's device: finds and runs them, estimates their time and schedules them. */
#include "simt/device/device_internal.h"

#include "core/base/function_name.h"
#include "core/base/progress.h"
#include "core/hardware/occupancy.h"
#include "simt/check/finding.h"
#include "simt/engine/capture.h"
#include "simt/program/features.h"
#include "simt/program/liveness.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 24 /* CUDA C++ Programming Guide, dynamic parallelism, maximum nesting depth */

/* The resources of a launch on a multiprocessor. */
struct fit {
    struct occupancy occupancy;
    uint32_t shared_config_bytes; /* carveout for shared memory */
    uint64_t l1_bytes;            /* the rest, which caches global memory */
};

/* PTX that the model cannot execute. A program's user did not write it, and the program may ignore an error
 * that only says that a launch has wrong sizes: it must not pass for one. */
static enum status status_of_code(const struct model *model, enum status status)
{
    return status == STATUS_USAGE && model->options.unified ? STATUS_UNSUPPORTED : status;
}

static enum status image_find(struct model *model, const char *name, uint32_t gpu, struct module **module,
                              struct error *error)
{
    size_t size_bytes = 0;

    for (size_t i = 0; i < model->image_count; i++) {
        if (model->images[i].gpu == gpu && strcmp(model->images[i].name, name) == 0) {
            *module = model->images[i].module;
            return STATUS_OK;
        }
    }
    const char *ptx = model->options.ptx ? model->options.ptx(name, &size_bytes) : NULL;
    if (!ptx)
        return error_set(error, STATUS_STATE,
                         "There is no PTX of the kernel image '%s' for the device model.", name);
    struct model_image *grown = model_grow(model->images, model->image_count, sizeof *grown);
    if (!grown)
        return model_no_memory(error);
    model->images = grown;
    struct model_image made = {.name = strdup(name), .gpu = gpu};
    if (!made.name)
        return model_no_memory(error);
    model_act(model, gpu);
    enum status status = module_load(&made.module, model->memory, name, ptx, size_bytes, error);
    model_act(model, model->selected);
    if (status) {
        free(made.name);
        return status_of_code(model, status);
    }
    if (model->options.stepper)
        module_keep_registers(made.module);
    model->images[model->image_count++] = made;
    *module = made.module;
    return STATUS_OK;
}

/* From ptxas, or an estimate. */
static enum status registers_of(const struct model *model, const struct device_launch *asked,
                                const struct program *program, uint32_t *registers, struct error *error)
{
    *registers = model->options.registers ? model->options.registers(asked->image, asked->kernel) : 0;
    return *registers ? STATUS_OK : liveness_registers(registers, program->module, program->entry, error);
}

static enum status kernel_find(struct model *model, struct module *module, const struct device_launch *asked,
                               struct model_kernel **kernel, struct error *error)
{
    const struct program *program;
    enum status status = module_program(module, asked->kernel, !model->options.keep_ptx, &program, error);

    if (status)
        return status_of_code(model, status);
    for (size_t i = 0; i < model->kernel_count; i++) {
        if (model->kernels[i]->program == program) {
            *kernel = model->kernels[i];
            return STATUS_OK;
        }
    }
    if ((status = features_check(program, &model->info, error)))
        return status;
    struct model_kernel **grown = model_grow(model->kernels, model->kernel_count, sizeof *grown);
    struct model_kernel *made = calloc(1, sizeof *made);
    if (grown)
        model->kernels = grown;
    if (!grown || !made) {
        free(made);
        return model_no_memory(error);
    }
    made->program = program;
    if ((status = registers_of(model, asked, program, &made->registers, error))) {
        free(made);
        return status;
    }
    if (model->options.spills)
        model->options.spills(asked->image, asked->kernel, made->spilled_bytes);
    if (model->options.sink.string)
        made->name = model->options.sink.string(model->options.sink.owner, asked->kernel);
    model->kernels[model->kernel_count++] = made;
    *kernel = made;
    return STATUS_OK;
}

enum status simt_device_kernel(struct device *device, const char *image, const char *kernel,
                               struct simt_kernel *facts, struct error *error)
{
    struct model *model = model_of(device);
    const struct device_launch asked = {.image = image, .kernel = kernel};
    struct model_kernel *found;
    struct module *module;
    enum status status = image_find(model, image, model->selected, &module, error);

    if (status == STATUS_OK)
        status = kernel_find(model, module, &asked, &found, error);
    if (status != STATUS_OK)
        return status;
    const uint32_t *bounds = found->program->entry->max_threads; /* 0: no bound in this dimension */
    *facts = (struct simt_kernel){.registers = found->registers,
                                  .static_shared_bytes = (uint32_t)found->program->static_shared_bytes,
                                  .max_threads = bounds[0] ? bounds[0] * (bounds[1] ? bounds[1] : 1) *
                                                                 (bounds[2] ? bounds[2] : 1)
                                                           : model->info.max_threads_per_block,
                                  .local_bytes = found->program->local_bytes_per_thread,
                                  .constant_bytes = module_constants(module).size_bytes,
                                  .parameters = found->program->parameters,
                                  .parameter_count = found->program->parameter_count};
    return STATUS_OK;
}

void model_launch_fini(struct model_launch *launch)
{
    free((char *)launch->asked.image);
    free((char *)launch->asked.kernel);
    free(launch->parameters);
    *launch = (struct model_launch){0};
}

enum status model_launch_copy(struct model_launch *copy, const struct model_launch *launch,
                              struct error *error)
{
    size_t bytes = launch->kernel->program->parameter_bytes + 1;

    *copy = *launch;
    copy->asked.image = strdup(launch->asked.image);
    copy->asked.kernel = strdup(launch->asked.kernel);
    copy->parameters = malloc(bytes);
    if (!copy->asked.image || !copy->asked.kernel || !copy->parameters) {
        model_launch_fini(copy);
        return model_no_memory(error);
    }
    memcpy(copy->parameters, launch->parameters, bytes);
    return STATUS_OK;
}

enum status model_launch_make(struct model *model, const struct device_launch *asked,
                              struct model_launch *launch, struct error *error)
{
    const struct model_stream *stream = model_stream_find(model, asked->stream, NULL);
    const uint32_t gpu = stream ? stream->gpu : model->selected;
    enum status status;

    *launch = (struct model_launch){.asked = *asked};
    launch->asked.arguments = NULL;
    launch->asked.image = strdup(asked->image);
    launch->asked.kernel = strdup(asked->kernel);
    if (!launch->asked.image || !launch->asked.kernel) {
        status = model_no_memory(error);
        goto fail;
    }
    if ((status = image_find(model, asked->image, gpu, &launch->module, error)) ||
        (status = kernel_find(model, launch->module, asked, &launch->kernel, error)))
        goto fail;
    const struct program *program = launch->kernel->program;
    if (program->parameter_count && !asked->arguments) {
        status = error_set(error, STATUS_USAGE, "The kernel %s takes %u arguments, but none were given.",
                           asked->kernel, program->parameter_count);
        goto fail;
    }
    launch->parameters = calloc(1, program->parameter_bytes + 1);
    if (!launch->parameters) {
        status = model_no_memory(error);
        goto fail;
    }
    for (uint32_t i = 0; i < program->parameter_count; i++)
        memcpy(launch->parameters + program->parameters[i].offset, asked->arguments[i],
               program->parameters[i].size_bytes);
    return STATUS_OK;

fail:
    model_launch_fini(launch);
    return status;
}

/* --- how it fits ---------------------------------------------------------------------------------------- */

/* The smallest carveout of the driver that is large enough, else the largest. */
static uint32_t config_for(const struct arch *arch, uint64_t bytes)
{
    for (size_t i = 0; i < ARCH_SHARED_CONFIGURATIONS && arch->shared_configurations_kib[i]; i++)
        if (arch->shared_configurations_kib[i] * 1024u >= bytes)
            return arch->shared_configurations_kib[i] * 1024u;
    return arch->shared_bytes_per_multiprocessor;
}

/* The carveout. By default, some GPUs take what the blocks use that the other limits admit; others take all
 * shared memory. The program's preference changes it, but at least one block must fit. */
static uint32_t config_of(const struct arch *arch, enum device_carveout wish, uint64_t block_bytes,
                          uint32_t blocks)
{
    switch (wish) {
    case DEVICE_CARVEOUT_L1: return config_for(arch, block_bytes);
    case DEVICE_CARVEOUT_EQUAL: {
        uint64_t half = arch->shared_bytes_per_multiprocessor / 2;
        return config_for(arch, half > block_bytes ? half : block_bytes);
    }
    case DEVICE_CARVEOUT_SHARED: return arch->shared_bytes_per_multiprocessor;
    default: return config_for(arch, arch->shared_fits_launch ? block_bytes * blocks : UINT64_MAX);
    }
}

/* The rules of the counts decide whether L1 keeps global loads (on 3.5 and 3.7 only those of -dlcm=ca), and
 * whether it brings whole lines; 1.x has no cache for them. */
static bool l1_holds_global(const struct model *model)
{
    switch (model->rules->global_rules) {
    case GLOBAL_RULES_1_0:
    case GLOBAL_RULES_1_2: return false;
    case GLOBAL_RULES_2_X: return true;
    case GLOBAL_RULES_3_X: return model->rules->global_l1_on;
    case GLOBAL_RULES_5_X: break;
    }
    return model->gpu->l1_holds_global;
}

static bool l1_fetches_lines(const struct model *model)
{
    return model->rules->global_rules == GLOBAL_RULES_2_X || model->rules->global_l1_on;
}

static bool has_no_cache(const struct model *model)
{
    return model->rules->global_rules == GLOBAL_RULES_1_0 || model->rules->global_rules == GLOBAL_RULES_1_2 ||
           !model->info.l2_bytes;
}

static struct fit fit_of(const struct model *model, const struct model_launch *launch)
{
    const struct arch *arch = model->arch;
    const struct program *program = launch->kernel->program;
    const uint32_t *block = launch->asked.block;
    uint64_t shared =
        program->dynamic_shared_offset > program->static_shared_bytes && launch->asked.dynamic_shared_bytes
            ? program->dynamic_shared_offset
            : program->static_shared_bytes;
    struct occupancy_input input = {.threads_per_block = block[0] * block[1] * block[2],
                                    .registers_per_thread = launch->kernel->registers};
    struct fit fit;

    shared += launch->asked.dynamic_shared_bytes;
    input.shared_bytes_per_block = (uint32_t)(shared < UINT32_MAX ? shared : UINT32_MAX);
    fit.occupancy = occupancy_compute(arch, &input);
    fit.shared_config_bytes = config_of(arch, launch->asked.carveout,
                                        shared + arch->shared_reserved_bytes_per_block, fit.occupancy.blocks);
    input.shared_bytes_available = fit.shared_config_bytes;
    fit.occupancy = occupancy_compute(arch, &input);
    fit.l1_bytes = model->gpu->l1_bytes_per_multiprocessor;
    if (!model->gpu->l1_apart)
        fit.l1_bytes -= fit.shared_config_bytes < fit.l1_bytes ? fit.shared_config_bytes : fit.l1_bytes;
    if (!l1_holds_global(model))
        fit.l1_bytes = 0;
    return fit;
}

/* --- events sent ---------------------------------------------------------------------------------------- */

static uint32_t shape_of(struct model *model, const struct model_launch *launch, const struct fit *fit)
{
    const struct program *program = launch->kernel->program;
    const struct device_launch *asked = &launch->asked;
    struct event event;

    memset(&event, 0, sizeof event); /* shapes are compared as bytes */
    event.kind = EVENT_SHAPE;
    event.flags =
        (program->uses_runtime & (1u << PTX_RUNTIME_MALLOC | 1u << PTX_RUNTIME_FREE) ? SHAPE_ALLOCATES : 0) |
        (program->uses_runtime & 1u << PTX_RUNTIME_PRINTF ? SHAPE_PRINTS : 0);
    event.shape.name = launch->kernel->name;
    for (int i = 0; i < 3; i++) {
        event.shape.grid[i] = asked->grid[i];
        event.shape.block[i] = (uint16_t)asked->block[i];
        uint32_t blocks = program->entry->cluster[0] ? program->entry->cluster[i] : asked->cluster[i];
        event.shape.cluster[i] = (uint16_t)(blocks ? blocks : 1);
    }
    event.shape.registers_per_thread = (uint16_t)launch->kernel->registers;
    event.shape.static_shared_bytes = (uint32_t)program->static_shared_bytes;
    event.shape.dynamic_shared_bytes = asked->dynamic_shared_bytes;
    event.shape.local_bytes_per_thread = (uint32_t)program->local_bytes_per_thread;
    event.shape.shared_config_bytes = fit->shared_config_bytes;
    return model_shape(model, &event);
}

static void value_add(struct model_record *record, enum metric metric, double number)
{
    record->values[record->value_count++] = (struct model_value){metric, number};
}

#define L2_SECTOR_BYTES 32 /* of all models */

static void values_of_caches(const struct model *model, struct model_record *record,
                             const struct cache_counts *caches, double ns)
{
    double bytes = (double)(caches->dram_read_bytes + caches->dram_write_bytes);
    double most = device_info_peak_bandwidth(&model->info) * ns / 1e9;

    value_add(record, METRIC_dram_read_bytes, (double)caches->dram_read_bytes);
    value_add(record, METRIC_dram_write_bytes, (double)caches->dram_write_bytes);
    value_add(record, METRIC_dram_peak_pct, most > 0 ? 100 * bytes / most : 0);
    if (has_no_cache(model))
        return; /* textures alone have one, which is not told apart */
    if (caches->l1_lookups)
        value_add(record, METRIC_l1_hit_pct, 100.0 * (double)caches->l1_hits / (double)caches->l1_lookups);
    value_add(record, METRIC_l2_bytes, L2_SECTOR_BYTES * (double)caches->l2_lookups);
    if (caches->l2_lookups)
        value_add(record, METRIC_l2_hit_pct, 100.0 * (double)caches->l2_hits / (double)caches->l2_lookups);
}

/* Where a kernel spills is known to the compiler alone: PTX has no instructions for it, and nothing is
 * counted. */
static bool is_of_spills(enum metric metric)
{
    return metric == METRIC_local_load_sectors || metric == METRIC_local_store_sectors;
}

static void values_take(struct model_record *record, const struct count_totals *totals, bool spills,
                        const struct timing *timing)
{
    record->measured = true;
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        struct value value = count_value(totals, (enum metric)metric);
        if (value.available && !(spills && is_of_spills((enum metric)metric)))
            value_add(record, (enum metric)metric, value.number);
    }
    value_add(record, METRIC_achieved_occupancy_pct, timing->achieved_occupancy_pct);
    value_add(record, METRIC_atomic_busiest_pct, timing->atomic_busiest_pct);
    if (timing->cycles_per_issue > 0) {
        value_add(record, METRIC_cycles_per_issue, timing->cycles_per_issue);
        value_add(record, METRIC_stall_long_scoreboard, timing->memory_cycles_per_issue);
    }
}

/* --- run ------------------------------------------------------------------------------------------------ */

/* On a GPU without a cache every transaction goes to DRAM, with all its bytes; the modelled caches have each
 * sector of a request once. What they have of textures, which are cached on every GPU, is no less. */
static struct cache_counts caches_of(const struct model *model, const struct grid_result *result,
                                     const struct count_totals *totals)
{
    struct cache_counts caches = result->caches;
    const uint64_t read = L2_SECTOR_BYTES * (totals->global[0].transfers + totals->local[0].transfers +
                                             totals->global_atomics.transfers),
                   written = L2_SECTOR_BYTES * (totals->global[1].transfers + totals->local[1].transfers +
                                                totals->global_atomics.transfers);

    if (!has_no_cache(model))
        return caches;
    if (read > caches.dram_read_bytes + caches.host_read_bytes)
        caches.dram_read_bytes = read - caches.host_read_bytes;
    if (written > caches.dram_write_bytes + caches.host_write_bytes)
        caches.dram_write_bytes = written - caches.host_write_bytes;
    return caches;
}

static enum status launch_time(struct model *model, const struct model_launch *launch, const struct fit *fit,
                               const struct grid_result *result, struct model_record *record,
                               struct timing *timing, struct error *error)
{
    const struct device_launch *asked = &launch->asked;
    struct count_totals totals;

    count_totals(&result->counter, &totals);
    const struct cache_counts caches = caches_of(model, result, &totals);
    const struct timing_input input = {
        .gpu = model->gpu,
        .counter = &result->counter,
        .totals = &totals,
        .caches = result->caches_failed ? NULL : &caches,
        .blocks = (uint64_t)asked->grid[0] * asked->grid[1] * asked->grid[2],
        .threads_per_block = asked->block[0] * asked->block[1] * asked->block[2],
        .spilled_bytes = {launch->kernel->spilled_bytes[0], launch->kernel->spilled_bytes[1]},
        .resident_blocks = fit->occupancy.blocks ? fit->occupancy.blocks : 1};
    enum status status = timing_estimate(&input, timing, error);

    if (status)
        return status;
    values_take(record, &totals, input.spilled_bytes[1] > 0, timing);
    record->load = model_load_of(model, &input, timing);
    if (input.caches)
        values_of_caches(model, record, input.caches, timing->ns);
    return STATUS_OK;
}

static enum status launch_enqueue(struct model *model, struct model_record *record,
                                  const struct timing *timing, const struct model_place *place,
                                  uint32_t shape, struct error *error)
{
    struct schedule_work work = {
        .kind = SCHEDULE_KERNEL,
        .alone_ns = llround(timing->ns),
        .share = (uint32_t)llround(timing->multiprocessor_share * SCHEDULE_WHOLE),
        .after = SCHEDULE_NONE,
    };

    record->event = (struct event){.kind = EVENT_KERNEL,
                                   .kernel = {.correlation = place->correlation,
                                              .shape = shape,
                                              .context = model_context(place->stream->gpu),
                                              .stream = place->stream->shown,
                                              .graph = place->graph,
                                              .graph_node = place->graph_node}};
    return model_enqueue(model, place->stream, &work, record, NULL, error);
}

static enum status child_move(struct model *model, const struct nested_move *move,
                              const struct model_place *place, struct error *error)
{
    const struct model_copy copy = {.direction = DEVICE_COPY_ON_DEVICE,
                                    .memory = HOST_PINNED,
                                    .destination = move->destination,
                                    .source = move->source,
                                    .bytes = move->size_bytes,
                                    .async = true};
    uint64_t id;

    return move->copy ? model_copy(model, &copy, place, &id, error)
                      : model_set(model,
                                  &(struct simt_fill){.destination = move->destination,
                                                      .value = (uint8_t)move->source,
                                                      .value_bytes = 1,
                                                      .row_bytes = move->size_bytes,
                                                      .rows = 1},
                                  place, error);
}

/* A thread that waited by %globaltimer has been there for so long. */
static void timing_reach(struct timing *timing, const struct gpu *gpu, uint64_t timer_ns)
{
    timing->ns = fmax(timing->ns, (double)(gpu->launch_ns + timer_ns));
}

/* Runs a kernel that this launch's kernel has launched: in the same stream, after it, as part of the same
 * call. */
static enum status child_run(struct model *model, const struct model_launch *parent,
                             const struct grid_child *child, const struct model_place *place,
                             struct model_call call, struct error *error)
{
    struct model_launch launch = {.asked = {.image = parent->asked.image,
                                            .kernel = child->kernel,
                                            .dynamic_shared_bytes = child->dynamic_shared_bytes,
                                            .stream = parent->asked.stream},
                                  .module = parent->module,
                                  .parameters = child->parameters,
                                  .depth = parent->depth + 1};

    if (!child->kernel)
        return child_move(model, &child->move, place, error);
    if (launch.depth > DEPTH_MAX)
        return error_set(error, STATUS_CHECK,
                         "%s: kernels launch kernels more than %d levels deep, which GPUs do not support: "
                         "launch some of them from the host.",
                         child->kernel, DEPTH_MAX);
    memcpy(launch.asked.grid, child->grid, sizeof child->grid);
    memcpy(launch.asked.block, child->block, sizeof child->block);
    enum status status = kernel_find(model, launch.module, &launch.asked, &launch.kernel, error);
    return status ? status : model_launch_run(model, &launch, place, &call, error);
}

static struct capture *capture_of(const struct model *model, const struct program *program)
{
    struct capture *capture = model->options.capture;
    return capture && capture_begin(capture, program) ? capture : NULL;
}

static bool launch_counts(const struct model *model, uint32_t shape)
{
    return !shape || !model->options.launches || model->shapes[shape - 1].counted < model->options.launches;
}

/* After a counted launch: stores its time for launches that are not counted. Otherwise returns the time of
 * the last counted launch. */
static void launch_remember(struct model *model, uint32_t shape, bool counted, struct model_record *record,
                            struct timing *timing)
{
    struct model_shape *known = &model->shapes[shape - 1];

    if (counted) {
        known->counted++;
        known->timing = *timing;
        known->load = record->load;
    } else {
        *timing = known->timing;
        record->load = known->load;
    }
}

/* Is this one of the kernels that are checked? The others write without a record. */
static bool launch_checks(struct model *model, struct model_kernel *kernel)
{
    const char *pattern = model->options.checked, *name = kernel->program->entry->name;
    char plain[FINDING_KERNEL_BYTES] = "";

    if (!model->options.check || !pattern)
        return model->options.check;
    if (kernel->checked == CHECKED_UNKNOWN) {
        char *demangled = demangle(name);
        if (demangled)
            progress_kernel_name(demangled, plain, sizeof plain);
        free(demangled);
        kernel->checked = fnmatch(pattern, name, 0) == 0 || (*plain && fnmatch(pattern, plain, 0) == 0)
                              ? CHECKED_YES
                              : CHECKED_NO;
    }
    memory_share_all(model->memory, kernel->checked == CHECKED_YES);
    return kernel->checked == CHECKED_YES;
}

enum status model_launch_run(struct model *model, const struct model_launch *launch,
                             const struct model_place *place, struct model_call *call, struct error *error)
{
    const struct device_launch *asked = &launch->asked;
    const struct fit fit = fit_of(model, launch);
    uint32_t shape = shape_of(model, launch, &fit);
    bool counted = launch_counts(model, shape);
    enum status status = model_heap_make(model, launch->kernel->program, error);
    const struct grid_machine machine = {
        .pool = model->pool,
        .memory = model->memory,
        .heap = model->heap,
        .stack_bytes = (uint32_t)simt_device_limit(&model->device, SIMT_LIMIT_STACK),
        .info = &model->info,
        .rules = model->rules,
        .l2 = counted ? model->l2[place->stream->gpu] : NULL,
        .uncounted = !counted,
        .costliest = model->options.costliest && counted && shape && model->shapes[shape - 1].counted == 0,
        .l1_bytes = fit.l1_bytes,
        .l1_lines = l1_fetches_lines(model),
        .check = launch_checks(model, launch->kernel),
        .reverse = model->options.reverse,
        .cancel = model->options.cancel,
        .watch = model->options.sink.progress ? &model->watch : NULL,
        .capture = capture_of(model, launch->kernel->program),
        .stepper = model->options.stepper};
    struct grid_launch grid = {
        .module = launch->module,
        .program = launch->kernel->program,
        .grid = {asked->grid[0], asked->grid[1], asked->grid[2]},
        .block = {asked->block[0], asked->block[1], asked->block[2]},
        .cluster = {asked->cluster[0], asked->cluster[1], asked->cluster[2]},
        .dynamic_shared_bytes = asked->dynamic_shared_bytes,
        .parameters = launch->parameters,
        .cooperative = asked->cooperative,
        .blocks_begin_ns = model->wall_ns + model_start_ns(model, place->stream) + model->gpu->launch_ns,
        .resident_blocks = (uint64_t)fit.occupancy.blocks * model->info.multiprocessors};
    struct model_record record = {.event.kind = EVENT_NONE};
    struct simt_launch told = {
        .launch = asked, .program = launch->kernel->program, .uncounted = !counted, .checked = machine.check};
    struct grid_result result;
    struct timing timing;

    if (!shape)
        return model_no_memory(error);
    if (status)
        return status;
    call->shape = told.shape = shape;
    model_tell_stream(model, place->stream);
    model_tell_running(model, call);
    model_order_launch(model, place->stream, launch->kernel->program, &grid);
    launch->kernel->launches++;
    model->running = launch->kernel;
    model_act(model, place->stream->gpu);
    status = grid_run(&machine, &grid, &result, error);
    model_act(model, model->selected);
    if (status == STATUS_OK && counted)
        status = launch_time(model, launch, &fit, &result, &record, &timing, error);
    if (status == STATUS_OK)
        launch_remember(model, shape, counted, &record, &timing);
    if (status == STATUS_OK)
        timing_reach(&timing, model->gpu, result.timer_ns);
    told.result = &result;
    told.timing = status ? NULL : &timing;
    model_tell_printed(model, &result);
    if (model->options.sink.launched)
        model->options.sink.launched(model->options.sink.owner, &told);
    if (status == STATUS_OK)
        status = launch_enqueue(model, &record, &timing, place, shape, error);
    for (uint32_t i = 0; i < result.child_count && status == STATUS_OK; i++)
        status = child_run(model, launch, &result.children[i], place, *call, error);
    grid_result_fini(&result);
    return status;
}

enum status simt_device_launch(struct device *device, const struct device_launch *asked, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, asked->stream, error);
    struct model_node node = {.kind = NODE_LAUNCH};

    if (!stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuLaunchKernel", CALL_LAUNCH, stream);
    const struct model_place place = {.stream = stream, .correlation = call.correlation};
    enum status status = model_launch_make(model, asked, &node.launch, error);
    model->now += model->gpu->host.launch_ns;
    if (status == STATUS_OK && stream->capture) {
        status = model_capture(model, stream, &node, error); /* the graph owns it now */
        if (status)
            model_launch_fini(&node.launch);
    } else if (status == STATUS_OK) {
        status = model_launch_run(model, &node.launch, &place, &call, error);
        model_launch_fini(&node.launch);
    }
    return model_call_end(model, &call, 0, status);
}

enum status simt_device_symbol(struct device *device, const char *image, const char *name,
                               device_pointer *pointer, size_t *bytes, struct error *error)
{
    struct model *model = model_of(device);
    struct module *module;
    uint64_t address, size_bytes;
    enum status status = image_find(model, image, model->selected, &module, error);

    if (status)
        return status;
    if (!module_variable(module, name, &address, &size_bytes))
        return error_set(error, STATUS_STATE, "There is no variable '%s' in the kernel image '%s'.", name,
                         image);
    *pointer = address;
    if (bytes)
        *bytes = (size_t)size_bytes;
    return STATUS_OK;
}
