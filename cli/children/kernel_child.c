/*
 * One struct child holds the source, the arguments, the device and the teller. Arrays are allocated on the
 * device before the launch and freed after the dump. RUN_BEGIN is sent before the launch, and RUN_END also
 * when the launch failed.
 */
#include "cli/children/kernel_child.h"

#include "cli/children/kernel_lines.h"
#include "cli/children/kernel_source.h"
#include "cli/children/teller.h"
#include "cli/children/workload_child.h"
#include "cli/machine/device_choice.h"
#include "cli/options/kernel_args.h"
#include "workloads/frame/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void kernel_child_words(const struct options *options, char **words)
{
    const struct {
        const char *name, *value;
    } single[] = {{"--kernel", options->kernel_glob},
                  {"--grid", options->grid_text},
                  {"--block", options->block_text},
                  {"--cluster", options->cluster_text},
                  {"--shared", options->shared_text}};
    size_t used = 0;

    words[used++] = (char *)"kernel";
    words[used++] = (char *)(uintptr_t)options->file;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        if (!single[i].value)
            continue;
        words[used++] = (char *)(uintptr_t)single[i].name;
        words[used++] = (char *)(uintptr_t)single[i].value;
    }
    for (size_t i = 0; i < options->arg_count; i++) {
        words[used++] = (char *)"--arg";
        words[used++] = (char *)(uintptr_t)options->args[i];
    }
    for (size_t i = 0; i < options->dump_count; i++) {
        words[used++] = (char *)"--dump-arg";
        words[used++] = (char *)(uintptr_t)options->dumps[i];
    }
    words[used] = NULL;
}

struct child {
    struct options options;
    enum run_mode mode;
    const char *kind; /* of device: cuda, simt */
    uint32_t gpu;
    struct kernel_source source;
    struct kernel_args args;
    device_pointer arrays[OPTIONS_ARGS_MAX];
    struct teller teller;
    struct device *device;
};

static enum status child_parse(struct child *child, int argc, char **argv, struct error *error)
{
    enum status status;

    if (argc < 4)
        return error_set(error, STATUS_USAGE, "--kernel-child takes MODE DEVICE GPU and what to run.");
    child->mode = run_mode_find(argv[0]);
    if (child->mode == RUN_MODE_COUNT)
        return error_set(error, STATUS_USAGE, "--kernel-child: there is no MODE '%.40s'.", argv[0]);
    child->kind = argv[1];
    child->gpu = (uint32_t)strtoul(argv[2], NULL, 10);
    status = options_parse(&child->options, argc - 2, argv + 2, error); /* argv[2] stands for the program */
    if (status == STATUS_OK && child->options.command != COMMAND_KERNEL)
        status = error_set(error, STATUS_USAGE, "--kernel-child runs a kernel and nothing else.");
    if (status == STATUS_OK)
        status = kernel_args_parse(&child->args, &child->options, error);
    if (status == STATUS_OK)
        status = kernel_source_open(&child->source, child->options.file, child->options.kernel_glob, error);
    if (status == STATUS_OK)
        status = kernel_args_check(&child->args, child->source.kernel, error);
    if (status == STATUS_OK && !kernel_image_add(&child->source.image))
        status = error_set(error, STATUS_USAGE,
                           "%.200s has the name of one of lanescope's own kernels: rename the file.",
                           child->source.image.name);
    return status;
}

/* ---- the launch ---- */
static void count_launch(void *context, const struct simt_launch *launch)
{
    const struct child *child = context;

    if (child->options.format == REPORT_JSON || !launch->result->counter.program)
        return; /* refused: nothing was run */
    kernel_lines_print(&launch->result->counter, child->options.file, stdout);
    if (!launch->timing)
        puts("The kernel was stopped, as a GPU would have stopped it: the counts end there.");
}

static enum status open_device(struct child *child, struct error *error)
{
    const struct options *options = &child->options;
    struct simt_options model = {.gpu = device_model(options->model, error),
                                 .rules = options->rules,
                                 .check = options->check,
                                 .keep_ptx = options->keep_ptx,
                                 .reverse = options->reverse};

    if (!model.gpu)
        return STATUS_USAGE;
    child->teller.launched = count_launch;
    child->teller.prints_to_stderr = options->format == REPORT_JSON;
    child->teller.context = child;
    return teller_open_device(&child->teller, &model, &child->device, error);
}

/* Copies an array to the device, or with `back` from the device to its file. */
static enum status move_array(struct child *child, size_t index, bool back, struct error *error)
{
    const struct kernel_arg *arg = &child->args.list[index];
    const struct device_ops *ops = child->device->ops;
    uint64_t bytes = kernel_arg_bytes(arg);
    uint8_t *host = malloc(bytes);
    enum status status = STATUS_OK;

    if (!host)
        return error_set(error, STATUS_MEMORY, "No memory for argument %zu of %" PRIu64 " bytes.", index,
                         bytes);
    if (!back) {
        status = kernel_arg_fill(arg, index, host, error);
        if (status == STATUS_OK)
            status = ops->memory_alloc(child->device, bytes, &child->arrays[index], error);
        if (status == STATUS_OK)
            status = ops->copy(child->device, DEVICE_COPY_TO_DEVICE, child->arrays[index],
                               device_host_address(host), bytes, 0, false, error);
    } else {
        status = ops->copy(child->device, DEVICE_COPY_TO_HOST, device_host_address(host),
                           child->arrays[index], bytes, 0, false, error);
        if (status == STATUS_OK)
            status = kernel_arg_dump(arg, host, error);
    }
    free(host);
    return status;
}

static enum status child_run(struct child *child, struct error *error)
{
    struct kernel_args *args = &child->args;
    void *values[OPTIONS_ARGS_MAX] = {0};
    struct device_launch launch = {.image = child->source.image.name,
                                   .kernel = child->source.kernel->name,
                                   .dynamic_shared_bytes = child->options.shared_bytes,
                                   .arguments = values};
    enum status status = STATUS_OK;

    memcpy(launch.grid, child->options.grid, sizeof launch.grid);
    memcpy(launch.block, child->options.block, sizeof launch.block);
    memcpy(launch.cluster, child->options.cluster, sizeof launch.cluster);
    for (size_t i = 0; i < args->count && status == STATUS_OK; i++) {
        values[i] = args->list[i].array ? (void *)&child->arrays[i] : (void *)args->list[i].value;
        if (args->list[i].array)
            status = move_array(child, i, false, error);
    }
    if (status == STATUS_OK)
        status = child->device->ops->launch(child->device, &launch, error);
    if (status == STATUS_OK)
        status = child->device->ops->sync(child->device, error);
    for (size_t i = 0; i < args->count && status == STATUS_OK && child->mode == RUN_TRACE; i++)
        if (args->list[i].dump)
            status = move_array(child, i, true, error);
    return status;
}

/* Called between the begin and the end of the run. */
static enum status run_told(struct child *child, struct error *error)
{
    const struct options *options = &child->options;
    const struct teller *teller = &child->teller;
    struct error own = {0};
    char params[160];
    enum status status;

    int used =
        snprintf(params, sizeof params, "grid=%ux%ux%u,block=%ux%ux%u", options->grid[0], options->grid[1],
                 options->grid[2], options->block[0], options->block[1], options->block[2]);
    if (options->cluster[0])
        snprintf(params + used, sizeof params - (size_t)used, ",cluster=%ux%ux%u", options->cluster[0],
                 options->cluster[1], options->cluster[2]);
    struct event event = teller_run(teller, child->source.image.name, child->source.kernel->name, params,
                                    options->rules, options->keep_ptx);
    event.run.id = 1;
    teller_emit(teller, EVENT_RUN_BEGIN, event);
    status = child_run(child, &own);
    event.run.time_ns = teller_now_ns(teller);
    event.run.detail = teller_string(teller, own.text);
    teller_emit(teller, EVENT_RUN_END, event);
    teller_emit(teller, EVENT_WATERMARK, (struct event){.watermark = {.time_ns = event.run.time_ns}});
    if (status == STATUS_OK && teller->first.status) {
        own = teller->first;
        status = STATUS_CHECK;
    } else if (status != STATUS_OK && status != STATUS_CHECK) {
        teller_notice(teller, SEVERITY_ERROR, status, own.text);
    }
    if (error && status != STATUS_OK)
        *error = own;
    return status;
}

int kernel_child_main(int argc, char **argv, struct error *error)
{
    static struct child child;
    enum status status = child_parse(&child, argc, argv, error);

    if (status == STATUS_OK)
        status = teller_connect(&child.teller, child.mode, child.kind, child.gpu, error);
    if (status == STATUS_OK)
        status = open_device(&child, error);
    if (status == STATUS_OK)
        status = run_told(&child, error);
    if (child.device)
        child.device->ops->close(child.device);
    teller_close(&child.teller);
    kernel_source_close(&child.source);
    return child_exit_status(status);
}
