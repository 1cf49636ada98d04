/* SPDX-License-Identifier: Apache-2.0 */
/* A step's argv points into its own buffers, so a step does not move once it is made. */
#include "cli/run/steps.h"

#include "cli/children/kernel_child.h"
#include "core/wire/standin_config.h"
#include "core/wire/wire.h"
#include "tui/widgets/name_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void choose_modes(const struct options *options, bool own, bool chosen[RUN_MODE_COUNT])
{
    bool *trace = &chosen[RUN_TRACE], *counters = &chosen[RUN_COUNTERS];

    if (options->runs_given) {
        *trace = options->trace_run;
        *counters = options->counter_run;
        chosen[RUN_LINES] = options->line_run;
    } else if (own) {
        *trace = true;
        *counters = options->counters != COUNTERS_OFF;
    } else {
        *counters = options->counters == COUNTERS_ON || options->counters == COUNTERS_LIST;
        *trace = !*counters;
    }
    /* A user who asks for one run of a program gets one run, and named counters are measured together. */
    bool catalogue = !options->counter_list || options->counter_list[0] == '+';
    chosen[RUN_MEMORY] = *counters && (own || *trace) && catalogue;
}

/* Launches to measure for each kernel and shape of a case: enough for all of most schedules; a case of a
 * thousand equal launches would take a minute. */
#define OWN_LAUNCHES 8

size_t steps_plan(const struct options *options, const struct device_choice *choice, bool own,
                  struct step_plan plan[STEPS_MAX])
{
    bool chosen[RUN_MODE_COUNT] = {false};
    size_t count = 0;

    choose_modes(options, own, chosen);
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT && choice->gpu; mode++)
        if (chosen[mode])
            plan[count++] = (struct step_plan){.mode = mode};
    if (choice->model)
        plan[count++] = (struct step_plan){.mode = RUN_TRACE, .model = true};
    return count;
}

static void set_capture(struct agent_config *config, const struct options *options)
{
    const char *capture = options->capture;

    if (!capture || strcmp(capture, "all") == 0)
        return;
    if (strcmp(capture, "profiler-api") == 0) {
        config->capture = AGENT_CAPTURE_PROFILER_API;
    } else if (strncmp(capture, "nvtx:", 5) == 0) {
        config->capture = AGENT_CAPTURE_NVTX;
        snprintf(config->capture_range, sizeof config->capture_range, "%s", capture + 5);
    } else {
        config->capture = AGENT_CAPTURE_DELAY;
        config->delay_ns = (int64_t)options->delay_ns;
        config->duration_ns = (int64_t)options->duration_ns;
    }
}

static enum status make_config(struct step *step, const struct options *options, struct error *error)
{
    struct agent_config config;
    char cupti[PATH_BYTES];
    bool chosen[RUN_MODE_COUNT] = {false};

    choose_modes(options, step->own, chosen);
    agent_config_init(&config);
    config.mode = step->plan.mode;
    config.memory_apart = chosen[RUN_MEMORY];
    /* Our own child runs many cases with the same kernel and shape, and synchronises after each. */
    config.launches = step->own ? OWN_LAUNCHES : options->launches;
    config.launches_per_sync = step->own;
    /* Our own kernels do not wait for each other; a program's may, and would wait for ever if run one at a
     * time. */
    config.serialize = step->own;
    set_capture(&config, options);
    if (options->kernel_glob && strlen(options->kernel_glob) >= sizeof config.kernel_glob)
        return error_set(error, STATUS_USAGE,
                         "The name after --kernel is longer than %zu bytes: give a pattern of a part of it.",
                         sizeof config.kernel_glob - 1);
    if (options->kernel_glob &&
        !name_print_pattern(options->kernel_glob, true, config.kernel_glob, sizeof config.kernel_glob))
        snprintf(config.kernel_glob, sizeof config.kernel_glob, "%s", options->kernel_glob);
    config.period = step->plan.period;
    if (step->plan.kernel) {
        config.instructions = true;
        config.launches = 1;
        config.launches_per_sync = false;
        snprintf(config.kernel_glob, sizeof config.kernel_glob, "%s", step->plan.kernel);
    }
    config.bursts = options->burst_ns != 0;
    config.stacks = options->stacks      ? AGENT_STACKS_NATIVE
                    : options->no_stacks ? AGENT_STACKS_NONE
                                         : AGENT_STACKS_PYTHON;
    if (options->burst_kernel)
        snprintf(config.burst_kernel, sizeof config.burst_kernel, "%s", options->burst_kernel);
    if (options->counter_list) {
        if (strlen(options->counter_list) >= sizeof config.counters)
            return error_set(error, STATUS_USAGE, "The list of counters is longer than %zu bytes.",
                             sizeof config.counters - 1);
        memcpy(config.counters, options->counter_list, strlen(options->counter_list) + 1);
    }
    if (path_of_libcupti(cupti, NULL) == STATUS_OK && strlen(cupti) < sizeof config.cupti_path)
        memcpy(config.cupti_path, cupti, strlen(cupti) + 1);
    return agent_config_format(&config, step->config, sizeof step->config, error);
}

enum status step_prepare_attach(struct step *step, const struct options *options, struct error *error)
{
    step->plan = (struct step_plan){.mode = RUN_TRACE};
    step->own = false;
    return make_config(step, options, error);
}

/* Another tool's injection would be lost silently. On the model there is none but NVTX's. */
static enum status check_injection(const struct options *options, const char *agent, bool model,
                                   struct error *error)
{
    static const char *const names[] = {"NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH"};

    for (size_t i = 0; i < (model ? 1 : 2); i++) {
        const char *value = getenv(names[i]);

        if (value && *value && strcmp(value, agent) != 0 && !options->replace_injection)
            return error_set(error, STATUS_STATE,
                             "%s already names %.200s: another tool is to be injected. Unset the variable%s.",
                             names[i], value, model ? "" : ", or give --replace-injection");
    }
    return STATUS_OK;
}

void step_add_variable(struct step *step, const char *name, const char *value)
{
    size_t count = 0;

    while (step->variables[count].name)
        count++;
    step->variables[count] = (struct launch_variable){name, value};
    step->variables[count + 1] = (struct launch_variable){NULL, NULL};
}

/* The dynamic linker splits and expands the paths of its variables at these. */
#define LINKER_SPLITS " \t\n:;$"

/* Another path of the file where its own would be split: by this process's descriptor of the folder, which
 * stays open as long as lanescope runs. */
static enum status path_unsplit(char *path, struct error *error)
{
    char *name = strrchr(path, '/'), folder[PATH_BYTES];
    if (!name || !strpbrk(path, LINKER_SPLITS))
        return STATUS_OK;
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot open the folder %.300s", folder);
    snprintf(folder, sizeof folder, "%.200s", name + 1);
    if (snprintf(path, PATH_BYTES, "/proc/%ld/fd/%d/%s", (long)getpid(), at, folder) < PATH_BYTES &&
        !strpbrk(path, LINKER_SPLITS) && access(path, R_OK) == 0)
        return STATUS_OK;
    close(at);
    return error_set(
        error, STATUS_STATE,
        "The dynamic linker splits paths at blanks and colons, so %.200s cannot be loaded into a "
        "program from where it is: move lanescope's files to a folder without them.",
        folder);
}

#ifndef STANDIN_BEFORE
#define STANDIN_BEFORE "" /* in a build with a sanitizer its runtime, which the program does not have */
#endif

/* A program on the device model: the stand-in replaces CUDA's runtime in it. */
static enum status prepare_standin(struct step *step, const struct options *options, struct error *error)
{
    const char *before = getenv("LD_PRELOAD");
    char path[PATH_BYTES], links[PATH_BYTES];
    enum status status = path_of_standin(path, error);

    if (status == STATUS_OK)
        status = path_unsplit(path, error);
    if (status == STATUS_OK)
        status = path_of_standin_links(path, links, error);
    if (status == STATUS_OK) /* the folder itself, as a file in it */
        status = path_unsplit(strcat(links, "/."), error);
    if (status == STATUS_OK)
        status = check_injection(options, path, true, error);
    if (status != STATUS_OK)
        return status;
    snprintf(step->config, sizeof step->config, STANDIN_BEFORE "%s%s%s", path, before && *before ? ":" : "",
             before ? before : "");
    step_add_variable(step, "LD_PRELOAD", step->config);
    snprintf(step->agent, sizeof step->agent, "%s", path);
    step_add_variable(step, "NVTX_INJECTION64_PATH", step->agent);
    /* For programs that open the driver by its name, libcuda.so.1; then the libraries beside the stand-in. */
    *strrchr(path, '.') = '\0';
    before = getenv("LD_LIBRARY_PATH");
    snprintf(step->libraries, sizeof step->libraries, "%s:%s%s%s", links, path, before && *before ? ":" : "",
             before ? before : "");
    step_add_variable(step, "LD_LIBRARY_PATH", step->libraries);
    /* CuPy: kernels as PTX, not machine code; sums without its library cub.so, which holds machine code. */
    if (!getenv("CUPY_COMPILE_WITH_PTX"))
        step_add_variable(step, "CUPY_COMPILE_WITH_PTX", "1");
    if (!getenv("CUPY_ACCELERATORS"))
        step_add_variable(step, "CUPY_ACCELERATORS", "");
    if (options->model)
        step_add_variable(step, STANDIN_MODEL_VARIABLE, options->model);
    if (options->gpus) {
        snprintf(step->gpus, sizeof step->gpus, "%u", options->gpus);
        step_add_variable(step, STANDIN_GPUS_VARIABLE, step->gpus);
        snprintf(step->visible, sizeof step->visible, "%.*s", 2 * (int)options->gpus - 1, "0,1,2,3,4,5,6,7");
        if (strcmp(options->device, "both") ==
            0) /* the GPUs that the program saw are those that are modelled */
            step_add_variable(step, "CUDA_VISIBLE_DEVICES", step->visible);
    }
    if (options->rules) {
        arch_text(options->rules, step->rules);
        step_add_variable(step, STANDIN_RULES_VARIABLE, step->rules);
    }
    snprintf(step->launches, sizeof step->launches, "%u", options->launches);
    step_add_variable(step, STANDIN_LAUNCHES_VARIABLE, step->launches);
    if (options->check)
        step_add_variable(step, STANDIN_CHECK_VARIABLE, options->checked ? options->checked : "*");
    if (options->known)
        step_add_variable(step, STANDIN_KNOWN_VARIABLE, options->known);
    if (options->keep_ptx)
        step_add_variable(step, STANDIN_KEEP_VARIABLE, "1");
    if (options->reverse)
        step_add_variable(step, STANDIN_REVERSE_VARIABLE, "1");
    if (options->command == COMMAND_RECORD || options->command == COMMAND_GATE)
        step_add_variable(step, STANDIN_WAITING_VARIABLE, "10");
    step->toolless = (struct error){0};
    if (path_of_cuobjdump(step->program, &step->toolless) == STATUS_OK)
        step_add_variable(step, STANDIN_CUOBJDUMP_VARIABLE, step->program);
    else
        step_add_variable(step, STANDIN_TOOLLESS_VARIABLE, step->toolless.text);
    return STATUS_OK;
}

enum status step_prepare(struct step *step, const struct options *options, const struct step_plan *plan,
                         bool own, const char *socket_path, struct error *error)
{
    size_t count = 0;

    step->plan = *plan;
    step->own = own;
    step->untraced.status = STATUS_OK;
    step->variables[count++] = (struct launch_variable){WIRE_SOCKET_VARIABLE, socket_path};
    step->variables[count] = (struct launch_variable){NULL, NULL};
    if (plan->model && !own)
        return prepare_standin(step, options, error);
    if (plan->model || path_of_agent(step->agent, &step->untraced) != STATUS_OK)
        return STATUS_OK;
    enum status status = check_injection(options, step->agent, false, error);
    if (status == STATUS_OK)
        status = make_config(step, options, error);
    if (status != STATUS_OK)
        return status;
    step->variables[count++] = (struct launch_variable){AGENT_CONFIG_VARIABLE, step->config};
    step->variables[count++] = (struct launch_variable){"CUDA_INJECTION64_PATH", step->agent};
    step->variables[count++] = (struct launch_variable){"NVTX_INJECTION64_PATH", step->agent};
    if (!getenv("NCCL_PROFILER_PLUGIN")) /* the user's own stays */
        step->variables[count++] = (struct launch_variable){"NCCL_PROFILER_PLUGIN", step->agent};
    step->variables[count] = (struct launch_variable){NULL, NULL};
    return STATUS_OK;
}

/* Options of the device model alone. */
static size_t model_words(struct step *step, const struct options *options, const struct gpu *model,
                          char **words)
{
    size_t used = 0;

    words[used++] = (char *)"--model";
    words[used++] = (char *)(uintptr_t)model->id;
    if (options->rules) {
        arch_text(options->rules, step->rules);
        words[used++] = (char *)"--cc";
        words[used++] = step->rules;
    }
    if (options->check || step->plan.own) /* a student's mistakes, found wherever that is possible */
        words[used++] = (char *)"--check";
    if (options->keep_ptx)
        words[used++] = (char *)"--no-merge";
    if (options->reverse)
        words[used++] = (char *)"--reverse";
    return used;
}

char **step_own_argv(struct step *step, const struct options *options, const struct device_choice *choice,
                     char *const *texts, size_t count, struct error *error)
{
    char **argv = calloc(count + KERNEL_CHILD_WORDS_MAX, sizeof *argv);
    size_t used = 0;

    if (!argv) {
        error_no_memory(error, "to prepare a run");
        return NULL;
    }
    if (path_of_program(step->program, error) != STATUS_OK) {
        free(argv);
        return NULL;
    }
    snprintf(step->gpu, sizeof step->gpu, "%u", options->gpu);
    argv[used++] = step->program;
    argv[used++] = (char *)(texts ? "--workload-child" : "--kernel-child");
    argv[used++] = (char *)(uintptr_t)run_mode_text(step->plan.mode);
    argv[used++] = (char *)(step->plan.model ? "simt" : "cuda");
    argv[used++] = step->gpu;
    if (texts)
        argv[used++] = (char *)(choice->small ? "small" : "default");
    if (texts && step->plan.own) {
        argv[used++] = (char *)"--own";
        argv[used++] = (char *)(uintptr_t)step->plan.own;
    }
    if (step->plan.model)
        used += model_words(step, options, choice->model, argv + used);
    if (!texts) {
        kernel_child_words(options, argv + used);
        return argv;
    }
    for (size_t i = 0; i < count; i++)
        argv[used++] = texts[i];
    if (count == 0)
        argv[used++] = (char *)"--all";
    return argv;
}
