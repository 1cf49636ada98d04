#include "cli/line_costs.h"

#include "cli/model_case.h"
#include "tui/run_params.h"
#include "workloads/texts.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC_BYTES 1000

struct counting {
    const char *kernel;
    struct tui_source *source;
    struct error error;
};

/* ---- the lines ---- */

static uint32_t lines_of(const char *text)
{
    uint32_t count = 0;

    for (; *text; count++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return count;
}

/* The file that the kernel's lines lie in. */
static enum status take_file(struct counting *counting, const char *path)
{
    struct tui_source *source = counting->source;
    const struct text_file *file = text_find(path);

    if (!file)
        return error_set(&counting->error, STATUS_STATE, "The source of %.100s is not kept in the program.",
                         counting->kernel);
    source->path = file->path; /* the one given is the module's */
    source->text = file->text;
    source->line_count = lines_of(source->text);
    source->lines = calloc((size_t)source->line_count + 1, sizeof *source->lines);
    if (!source->lines)
        return error_set(&counting->error, STATUS_MEMORY, "Out of memory while the source was read.");
    return STATUS_OK;
}

static void add(struct tui_source_line *line, const struct count_totals *totals)
{
    line->instructions += totals->warp_instructions;
    line->sectors += totals->global[0].transfers + totals->global[1].transfers + totals->local[0].transfers +
                     totals->local[1].transfers + totals->global_atomics.transfers +
                     totals->textures.transfers;
    line->wavefronts += totals->shared[0].transfers + totals->shared[1].transfers +
                        totals->shared_atomics.transfers + totals->shared_fills.transfers;
}

/* Code that was inlined costs where it is written, if that is in the kernel's own file; what comes from
 * elsewhere costs where the kernel calls it. */
static uint32_t line_of(struct counting *counting, const struct program *program, uint32_t instruction)
{
    struct ptx_location place = program_location(program, instruction);
    bool inlined = place.inlined_line != 0;
    const char *own = ptx_file_name(program->module, inlined ? place.inlined_file : place.file);
    const char *inner = ptx_file_name(program->module, place.file);

    if (!own || place.line == 0 || (!counting->source->text && take_file(counting, own)))
        return 0;
    if (inner && strcmp(inner, counting->source->path) == 0)
        return place.line;
    return strcmp(own, counting->source->path) == 0 && inlined ? place.inlined_line : 0;
}

static void launched(void *context, const struct simt_launch *launch)
{
    struct counting *counting = context;
    const struct counter *counter = &launch->result->counter;

    if (!counter->program || strcmp(launch->launch->kernel, counting->kernel) != 0)
        return;
    for (uint32_t i = 0; i < counter->program->instruction_count && !counting->error.status; i++) {
        uint32_t line = line_of(counting, counter->program, i);
        struct count_totals totals = {0};

        if (line == 0 || counting->error.status || line > counting->source->line_count)
            continue;
        count_totals_add(&totals, counter, i);
        add(&counting->source->lines[line - 1], &totals);
    }
}

/* ---- the case ---- */

/* Back from the run's texts to what was typed; the sizes that the device put in stay out. */
static void make_spec(const struct tui_source_query *query, const struct workload *workload,
                      char spec[SPEC_BYTES])
{
    size_t used = (size_t)snprintf(spec, SPEC_BYTES, "%.100s:%.100s", query->workload, query->variant);

    for (size_t i = 0; i < workload->param_count; i++) {
        const struct workload_param *param = &workload->params[i];
        struct run_param value;

        if (param->standard == WORKLOAD_SIZE_AUTO && param->minimum == WORKLOAD_SIZE_AUTO &&
            param->maximum > 1024)
            continue;
        if (run_param_find(query->params, param->name, &value) && used < SPEC_BYTES)
            used += (size_t)snprintf(spec + used, SPEC_BYTES - used, ",%s=%.*s", param->name,
                                     value.value_length, value.value);
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

enum status line_costs_make(const struct gpu *model, const struct tui_source_query *query,
                            struct tui_source *source, struct error *error)
{
    const struct workload *workload = workload_find(query->workload);
    struct counting counting = {.kernel = query->kernel, .source = source};
    struct run_param unmerged;
    struct simt_options options = {.gpu = model ? model : gpu_at(0),
                                   .rules = rules_of(query->params),
                                   .keep_ptx = run_param_find(query->params, "merge", &unmerged),
                                   .sink = {.launched = launched, .owner = &counting}};
    char spec[SPEC_BYTES];
    enum status status;

    *source = (struct tui_source){0};
    if (!workload)
        return error_set(error, STATUS_STATE, "This lanescope has no workload %.60s, and so not its source.",
                         query->workload);
    make_spec(query, workload, spec);
    snprintf(source->model, sizeof source->model, "%.60s", options.gpu->info.name);
    status = model_case_run(spec, &options, error);
    if (status == STATUS_OK && counting.error.status)
        status = error_set(error, counting.error.status, "%s", counting.error.text);
    if (status == STATUS_OK && !source->text)
        status = error_set(error, STATUS_STATE,
                           "On the model this case launches no kernel %.100s with lines of its source.",
                           query->kernel);
    if (status)
        free(source->lines);
    return status;
}
