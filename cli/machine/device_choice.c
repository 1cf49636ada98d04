/*
 * `auto` selects a GPU only when the driver finds one and the agent can trace it; otherwise the note says why
 * the device model was selected.
 */
#include "core/base/append.h"

#include "cli/machine/device_choice.h"

#include "cli/machine/gpu_look.h"
#include "cli/process/paths.h"

#include <stdio.h>
#include <string.h>

const struct gpu *device_model(const char *id, struct error *error)
{
    const struct gpu *gpu = id ? gpu_find(id) : gpu_at(0);
    char list[512] = "";
    size_t used = 0;

    for (size_t i = 0; !gpu && gpu_at(i); i++)
        append_text(list, sizeof list, &used, "%s%s", i ? ", " : "", gpu_at(i)->id);
    if (!gpu)
        error_set(error, STATUS_USAGE, "There is no model of a GPU '%.40s'. There are: %s.", id, list);
    return gpu;
}

/* Advice on a missing GPU does not help someone who runs on the model. */
static void keep_first_sentence(char *text)
{
    char *end = strstr(text, ". ");

    if (end)
        end[1] = '\0';
}

/* auto: is there a GPU that can be profiled? */
static bool usable_gpu(struct device_choice *choice, uint32_t ordinal)
{
    char path[PATH_BYTES];
    struct error error = {0};
    struct device_description gpus[GPU_LOOK_MAX];

    if (gpu_look(gpus, GPU_LOOK_MAX, choice->why, sizeof choice->why) == 0) {
        keep_first_sentence(choice->why);
        return false;
    }
    if (path_of_agent(path, &error) != STATUS_OK) {
        snprintf(choice->why, sizeof choice->why,
                 "There is a GPU, but its counters cannot be sampled: %.400s", error.text);
        return false;
    }
    choice->looked = ordinal < GPU_LOOK_MAX ? gpus[ordinal] : (struct device_description){0};
    return true;
}

static void make_note(struct device_choice *choice, const struct options *options)
{
    char rules[96] = "", merge[64] = "", capability[ARCH_TEXT_BYTES];

    if (options->rules) {
        arch_text(options->rules, capability);
        snprintf(rules, sizeof rules, " Counted by the rules of compute capability %s.", capability);
    }
    if (options->keep_ptx)
        snprintf(merge, sizeof merge, " Memory instructions are not merged: they are those of the PTX.");
    size_t used = 0;
    append_text(choice->note, sizeof choice->note, &used,
                "Device model of %.60s: its numbers are modelled, not measured.%s%s%s",
                choice->model->info.name,
                choice->small && options->command != COMMAND_KERNEL
                    ? " Problem sizes are small; --size default selects the full sizes."
                    : "",
                rules, merge);
}

enum status device_check(const struct options *options, bool gpu, bool model, struct error *error)
{
    if (!gpu && options->gpu_option)
        return error_set(error, STATUS_USAGE,
                         "--%s is for a GPU, and this run uses the device model, which counts every launch "
                         "in its only run: leave it out, or give --device both.",
                         options->gpu_option);
    if (!model && options->model_option)
        return error_set(error, STATUS_USAGE, "--%s is for the device model: give --device simt.",
                         options->model_option);
    return STATUS_OK;
}

bool device_is_chosen(const struct options *options)
{
    return !options->watch && (!options->program || strcmp(options->device, "simt") == 0);
}

enum status device_choose(const struct options *options, struct device_choice *choice, struct error *error)
{
    bool any = strcmp(options->device, "auto") == 0, both = strcmp(options->device, "both") == 0;
    bool model = both || strcmp(options->device, "simt") == 0 || (any && options->model_option);
    const char *lost = options->gpu_option; /* was requested, but the model does not have it */

    *choice = (struct device_choice){0};
    if (any && !model && !usable_gpu(choice, options->gpu)) {
        model = true;
        if (lost)
            return error_set(error, STATUS_NO_DEVICE,
                             "--%s is for a GPU. %.300s Leave it out: workloads then run on the device "
                             "model, which counts everything in its only run.",
                             lost, choice->why);
    } else {
        choice->why[0] = '\0';
    }
    choice->gpu = both || !model;
    if (device_check(options, choice->gpu, model, error) != STATUS_OK)
        return STATUS_USAGE;
    if (model) {
        choice->model = device_model(options->model, error);
        if (!choice->model)
            return STATUS_USAGE;
    }
    choice->small = !options->program &&
                    (options->problem == PROBLEM_SMALL || (model && options->problem == PROBLEM_AUTO));
    if (model)
        make_note(choice, options);
    return STATUS_OK;
}
