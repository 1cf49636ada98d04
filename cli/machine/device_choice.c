/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `auto` selects a GPU only when the driver finds one and the agent can trace it; otherwise the note says why
 * the device model was selected. The child that asks the driver sends one struct finding through a pipe and
 * exits. If the driver hangs, the child is abandoned after LOOK_MS.
 */
#include "cli/machine/device_choice.h"

#include "cli/process/paths.h"
#include "core/base/append.h"
#include "workloads/cuda/cuda.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 20000 /* on a machine with many GPUs the driver takes seconds to start */

/* What the child has to say. */
struct finding {
    uint32_t count, described;
    char text[480];
    struct device_description gpus[GPU_LOOK_MAX];
};

static void child_look(struct finding *finding, bool describe)
{
    struct error error = {0};

    if (cuda_count_devices(CUDA_LIBRARY, &finding->count, &error) != STATUS_OK)
        snprintf(finding->text, sizeof finding->text, "%.*s", (int)sizeof finding->text - 1, error.text);
    while (describe && finding->described < finding->count && finding->described < GPU_LOOK_MAX &&
           cuda_describe(CUDA_LIBRARY, finding->described, &finding->gpus[finding->described], &error) ==
               STATUS_OK)
        finding->described++;
}

static _Noreturn void look_and_tell(int fd, struct finding *finding, bool describe)
{
    const char *bytes = (const char *)finding;
    size_t told = 0;

    child_look(finding, describe);
    while (told < sizeof *finding) {
        ssize_t wrote = write(fd, bytes + told, sizeof *finding - told);
        if (wrote <= 0)
            _exit(1);
        told += (size_t)wrote;
    }
    _exit(0);
}

/* All of it, or false. */
static bool findings_read(int fd, struct finding *finding)
{
    struct pollfd answer = {.fd = fd, .events = POLLIN};
    char *bytes = (char *)finding;
    size_t heard = 0;

    while (heard < sizeof *finding) {
        ssize_t got = poll(&answer, 1, LOOK_MS) == 1 ? read(fd, bytes + heard, sizeof *finding - heard) : -1;
        if (got <= 0)
            return false;
        heard += (size_t)got;
    }
    return true;
}

/* In a child, into `finding`. */
static bool child_run(struct finding *finding, bool describe)
{
    int ends[2];

    if (pipe(ends) < 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        look_and_tell(ends[1], finding, describe);
    close(ends[1]);
    bool heard = child > 0 && findings_read(ends[0], finding);
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return heard;
}

uint32_t gpu_look(struct device_description *gpus, size_t most, char *why, size_t why_bytes)
{
    struct finding *finding = calloc(1, sizeof *finding);
    uint32_t count = 0;

    if (!finding || !child_run(finding, most > 0)) {
        snprintf(why, why_bytes, "The CUDA driver could not be queried for GPUs.");
    } else {
        finding->text[sizeof finding->text - 1] = '\0';
        snprintf(why, why_bytes, "%s", finding->text[0] ? finding->text : "The CUDA driver sees no GPU.");
        count = finding->count;
        for (size_t i = 0; i < most && i < count; i++)
            gpus[i] = i < finding->described ? finding->gpus[i] : (struct device_description){0};
    }
    free(finding);
    return count;
}

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

/* Is there a GPU that can be profiled? */
static bool usable_gpu(struct device_choice *choice, uint32_t ordinal)
{
    char path[PATH_BYTES];
    struct error error = {0};
    struct device_description gpus[GPU_LOOK_MAX];

    choice->gpus = gpu_look(gpus, GPU_LOOK_MAX, choice->why, sizeof choice->why);
    if (choice->gpus == 0) {
        keep_first_sentence(choice->why);
        return false;
    }
    choice->looked = ordinal < GPU_LOOK_MAX ? gpus[ordinal] : (struct device_description){0};
    if (path_of_agent(path, &error) != STATUS_OK) {
        snprintf(choice->why, sizeof choice->why,
                 "There is a GPU, but its counters cannot be sampled: %.400s", error.text);
        return false;
    }
    return true;
}

/* Beside a GPU that the driver describes: its own model, so that both run the same kernels in the same shapes. */
static const struct gpu *model_beside(struct device_choice *choice, uint32_t ordinal)
{
    usable_gpu(choice, ordinal);
    return choice->gpus ? gpu_like(&choice->looked.info) : NULL;
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
    return !options->watch && !options->attached &&
           (!options->program || strcmp(options->device, "simt") == 0 ||
            strcmp(options->device, "both") == 0);
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
    if (both && !options->model)
        choice->model = model_beside(choice, options->gpu);
    choice->why[0] = choice->gpu ? '\0' : choice->why[0];
    if (model && !choice->model) {
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
