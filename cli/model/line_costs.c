/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A listener of the device model adds up the cost of each instruction over the launches; the cost of a line
 * is the sum over its instructions.
 */
#include "cli/model/line_costs.h"

#include "cli/model/model_case.h"
#include "core/base/append.h"
#include "core/base/run_params.h"
#include "simt/device/tally.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum status line_costs_make(const struct gpu *model, const struct model_own *own,
                            const struct tui_source_query *query, const atomic_bool *cancel,
                            struct tui_source *source, struct error *error)
{
    const struct workload *workload = workload_find(query->workload);
    struct counting counting = {.kernel = query->kernel, .own = own, .source = source};
    struct run_param unmerged, label;
    struct simt_options options = {.gpu = model ? model : gpu_at(0),
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
        .kernel = session_string(session, session_shape(session, row->shape)->name)};

    if (run->workload == 0)
        return error_set(error, STATUS_STATE, "%.100s is not a kernel of a bundled workload.", query.kernel);
    return line_costs_make(NULL, NULL, &query, NULL, source, error);
}
