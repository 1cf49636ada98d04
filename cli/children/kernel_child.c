/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One struct kernel_run holds the source, the arguments, the device and the reporter. Arrays are allocated on the
 * device before the launch and freed after the dump. RUN_BEGIN is sent before the launch, and RUN_END also
 * when the launch failed.
 *
 * The cost of each source line is printed as a table: lines of the CUDA source if the PTX names them (nvcc
 * -lineinfo), else of the PTX. Its rows are the lines of the counter, in the same order. Lines are requested
 * in ascending order, so a source file is read once, from its start.
 */
#include "cli/children/kernel_child.h"

#include "cli/children/kernel_source.h"
#include "cli/children/run_reporter.h"
#include "cli/children/workload_child.h"
#include "cli/machine/device_choice.h"
#include "cli/options/kernel_args.h"
#include "cli/process/source_reader.h"
#include "simt/count/count.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"
#include "workloads/frame/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_CELLS 60
#define SOURCE_LINE_BYTES 4096

/* ---- source text ---- */
struct source {
    uint32_t file; /* of the module; 0: none is read */
    uint32_t line; /* the last one taken */
    char *text, *next;
    size_t left; /* bytes from `next` on */
    char shown[SOURCE_LINE_BYTES];
};

/* The file under its own name, or a file of that name in the PTX's folder. */
static void source_read(struct source *source, const char *name, const char *ptx_path)
{
    const char *slash = strrchr(ptx_path, '/'), *base = strrchr(name, '/');
    char path[4096];
    bool there = source_reader_read(NULL, name, &source->text, &source->left);

    if (!there && name[0] != '/') {
        free(source->text);
        source->text = NULL;
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - ptx_path) + 1 : 0, ptx_path,
                 base ? base + 1 : name);
        there = source_reader_read(NULL, path, &source->text, &source->left);
    }
    source->left = there ? source->left : 0;
    source->next = source->text;
}

/* The text of a line; "" if the file is not here. Call it for the lines of a file in ascending order. */
static const char *source_text(struct source *source, const struct ptx_module *module, uint32_t file,
                               uint32_t line, const char *ptx_path)
{
    const char *name = ptx_file_name(module, file);

    if (source->file != file) {
        free(source->text);
        *source = (struct source){.file = file};
        if (name)
            source_read(source, name, ptx_path);
    }
    while (source->left > 0 && source->line < line) {
        const char *end = memchr(source->next, '\n', source->left);
        size_t length = end ? (size_t)(end - source->next) : source->left;

        snprintf(source->shown, sizeof source->shown, "%.*s",
                 (int)(length < sizeof source->shown ? length : sizeof source->shown - 1), source->next);
        source->next += length + (end != NULL);
        source->left -= length + (end != NULL);
        source->line++;
    }
    if (source->line != line)
        return "";
    source->shown[strcspn(source->shown, "\r")] = '\0';
    return source->shown + strspn(source->shown, " \t");
}

/* ---- rows ---- */
static void print_count(FILE *out, int cells, uint64_t number)
{
    fprintf(out, " %*s", cells, number ? number_short(number).text : "-");
}

/* transfers per request in one direction; "-" if there are none. */
static void print_per(FILE *out, int cells, const struct count_instruction *count)
{
    char text[32] = "-";

    if (count->requests > 0)
        snprintf(text, sizeof text, "%.2f", (double)count->transfers / (double)count->requests);
    fprintf(out, " %*s", cells, text);
}

static void print_heading(FILE *out, const char *what)
{
    fprintf(out, "\nmodelled, per %s\n%8s %6s %9s %7s %9s %7s %9s %7s %7s  %s\n", what, "warp", "lanes",
            "load", "sectors", "store", "sectors", "shared", "without", "parted", "");
    fprintf(out, "%8s %6s %9s %7s %9s %7s %9s %7s %7s  %s\n", "instr", "/instr", "sectors", "/req", "sectors",
            "/req", "wavefr", "confl", "warps", "line");
}

static void print_totals(FILE *out, const struct count_totals *totals)
{
    uint64_t wavefronts =
        totals->shared[0].transfers + totals->shared[1].transfers + totals->shared_atomics.transfers;
    uint64_t ideal = totals->shared[0].ideal_transfers + totals->shared[1].ideal_transfers +
                     totals->shared_atomics.ideal_transfers;
    char lanes[32] = "-";

    if (totals->warp_instructions > 0)
        snprintf(lanes, sizeof lanes, "%.1f",
                 (double)totals->thread_instructions_on / (double)totals->warp_instructions);
    print_count(out, 7, totals->warp_instructions);
    fprintf(out, " %6s", lanes);
    print_count(out, 9, totals->global[0].transfers);
    print_per(out, 7, &totals->global[0]);
    print_count(out, 9, totals->global[1].transfers + totals->global_atomics.transfers);
    print_per(out, 7, &totals->global[1]);
    print_count(out, 9, wavefronts);
    print_count(out, 7, ideal);
    print_count(out, 7, totals->divergent_branches);
    fputs("  ", out);
}

static void print_place(FILE *out, const char *name, uint32_t line, const char *text)
{
    char shown[4 * TEXT_CELLS + 1];
    const char *base = name ? strrchr(name, '/') : NULL;

    text_shorten(base ? base + 1 : name ? name : "?", 24, shown, sizeof shown);
    fprintf(out, "%s:%u", shown, line);
    if (text[0]) {
        text_cut(text, TEXT_CELLS, shown, sizeof shown);
        fprintf(out, "  %s", shown);
    }
    putc('\n', out);
}

static void print_lines(const struct counter *counter, const struct count_line *lines, uint32_t count,
                        const char *ptx_path, FILE *out)
{
    const struct ptx_module *module = counter->program->module;
    struct source source = {0};

    print_heading(out, "source line");
    for (uint32_t i = 0; i < count; i++) {
        const struct count_line *line = &lines[i];

        if (line->totals.warp_instructions == 0)
            continue;
        print_totals(out, &line->totals);
        if (line->line == 0)
            fputs("(no line)\n", out);
        else
            print_place(out, ptx_file_name(module, line->file), line->line,
                        source_text(&source, module, line->file, line->line, ptx_path));
    }
    free(source.text);
}

/* Without line information: the instructions that access memory or diverge. */
static void print_instructions(const struct counter *counter, const char *ptx_path, FILE *out)
{
    const struct program *program = counter->program;

    print_heading(out, "PTX instruction (compile with -lineinfo to see the lines of the source)");
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct count_instruction *count = &counter->instructions[i];
        const struct program_origin *origin = &program->origins[program->instructions[i].origin];
        struct count_totals totals = {0};
        char text[200];

        if (count->requests == 0 && count->divergent == 0)
            continue;
        count_totals_add(&totals, counter, i);
        print_totals(out, &totals);
        program_instruction_text(program, i, text, sizeof text);
        print_place(out, ptx_path, origin->function->instructions[origin->instruction].ptx_line, text);
    }
}

/* ptx_path: the PTX file; sources are searched for relative to the current folder, then in that of the PTX.
 */
static void kernel_lines_print(const struct counter *counter, const char *ptx_path, FILE *out)
{
    struct count_line *lines = NULL;
    struct error error = {0};
    uint32_t count = 0;

    if (count_lines(counter, &lines, &count, &error) != STATUS_OK) {
        fprintf(out, "\nno counts per line: %s\n", error.text);
        return;
    }
    if (count == 0 || (count == 1 && lines[0].line == 0))
        print_instructions(counter, ptx_path, out);
    else
        print_lines(counter, lines, count, ptx_path, out);
    free(lines);
}

void kernel_child_words(const struct options *options, char **words)
{
    const struct {
        const char *name, *value;
    } single[] = {{"--kernel", options->kernel_glob},
                  {"--grid", options->grid.text},
                  {"--block", options->block.text},
                  {"--cluster", options->cluster.text},
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
    for (size_t i = 0; i < options->args.count; i++) {
        words[used++] = (char *)"--arg";
        words[used++] = (char *)(uintptr_t)options->args.list[i];
    }
    for (size_t i = 0; i < options->dumps.count; i++) {
        words[used++] = (char *)"--dump-arg";
        words[used++] = (char *)(uintptr_t)options->dumps.list[i];
    }
    words[used] = NULL;
}

struct kernel_run {
    struct options options;
    enum run_mode mode;
    const char *kind; /* of device: cuda, simt */
    uint32_t gpu;
    struct kernel_source source;
    struct kernel_args args;
    device_pointer arrays[OPTIONS_TEXTS_MAX];
    struct run_reporter reporter;
    struct device *device;
};

static enum status child_parse(struct kernel_run *child, int argc, char **argv, struct error *error)
{
    if (argc < 4)
        return error_set(error, STATUS_USAGE, "--kernel-child takes MODE DEVICE GPU and what to run.");
    child->mode = run_mode_find(argv[0]);
    if (child->mode == RUN_MODE_COUNT)
        return error_set(error, STATUS_USAGE, "--kernel-child: there is no MODE '%.40s'.", argv[0]);
    child->kind = argv[1];
    child->gpu = (uint32_t)strtoul(argv[2], NULL, 10);
    enum status status =
        options_parse(&child->options, argc - 2, argv + 2, error); /* argv[2] stands for the program */
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
    const struct kernel_run *child = context;

    if (child->options.format == REPORT_JSON || !launch->result->counter.program)
        return; /* refused: nothing was run */
    kernel_lines_print(&launch->result->counter, child->options.file, stdout);
    if (!launch->timing)
        puts("The kernel was stopped, as a GPU would have stopped it: the counts end there.");
}

static enum status open_device(struct kernel_run *child, struct error *error)
{
    const struct options *options = &child->options;
    struct simt_options model = {.gpu = device_model(options->model, error),
                                 .rules = options->rules,
                                 .check = options->check,
                                 .keep_ptx = options->keep_ptx,
                                 .reverse = options->reverse};

    if (!model.gpu)
        return STATUS_USAGE;
    child->reporter.launched = count_launch;
    child->reporter.prints_to_stderr = options->format == REPORT_JSON;
    child->reporter.context = child;
    return reporter_open_device(&child->reporter, &model, &child->device, error);
}

/* Copies an array to the device, or with `back` from the device to its file. */
static enum status move_array(struct kernel_run *child, size_t index, bool back, struct error *error)
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

static enum status child_run(struct kernel_run *child, struct error *error)
{
    struct kernel_args *args = &child->args;
    void *values[OPTIONS_TEXTS_MAX] = {0};
    struct device_launch launch = {.image = child->source.image.name,
                                   .kernel = child->source.kernel->name,
                                   .dynamic_shared_bytes = child->options.shared_bytes,
                                   .arguments = values};
    enum status status = STATUS_OK;

    memcpy(launch.grid, child->options.grid.size, sizeof launch.grid);
    memcpy(launch.block, child->options.block.size, sizeof launch.block);
    memcpy(launch.cluster, child->options.cluster.size, sizeof launch.cluster);
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
static enum status run_told(struct kernel_run *child, struct error *error)
{
    const struct options *options = &child->options;
    const struct run_reporter *reporter = &child->reporter;
    struct error own = {0};
    char params[160];

    int used = snprintf(params, sizeof params, "grid=%ux%ux%u,block=%ux%ux%u", options->grid.size[0],
                        options->grid.size[1], options->grid.size[2], options->block.size[0],
                        options->block.size[1], options->block.size[2]);
    if (options->cluster.size[0])
        snprintf(params + used, sizeof params - (size_t)used, ",cluster=%ux%ux%u", options->cluster.size[0],
                 options->cluster.size[1], options->cluster.size[2]);
    struct event event = reporter_run(reporter, child->source.image.name, child->source.kernel->name, params,
                                      options->rules, options->keep_ptx);
    event.run.id = 1;
    reporter_emit(reporter, EVENT_RUN_BEGIN, event);
    enum status status = child_run(child, &own);
    event.run.time_ns = reporter_now_ns(reporter);
    event.run.detail = reporter_string(reporter, own.text);
    reporter_emit(reporter, EVENT_RUN_END, event);
    reporter_emit(reporter, EVENT_WATERMARK, (struct event){.watermark = {.time_ns = event.run.time_ns}});
    if (status == STATUS_OK && reporter->first.status) {
        own = reporter->first;
        status = STATUS_CHECK;
    } else if (status != STATUS_OK && status != STATUS_CHECK) {
        reporter_notice(reporter, SEVERITY_ERROR, status, own.text);
    }
    if (error && status != STATUS_OK)
        *error = own;
    return status;
}

int kernel_child_main(int argc, char **argv, struct error *error)
{
    static struct kernel_run child;
    enum status status = child_parse(&child, argc, argv, error);

    if (status == STATUS_OK)
        status = reporter_connect(&child.reporter, child.mode, child.kind, child.gpu, error);
    if (status == STATUS_OK)
        status = open_device(&child, error);
    if (status == STATUS_OK)
        status = run_told(&child, error);
    if (child.device)
        reporter_close_device(&child.reporter, child.device);
    reporter_close(&child.reporter);
    kernel_source_close(&child.source);
    return child_exit_status(status);
}
