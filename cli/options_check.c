#include "cli/options_table.h"

#include <string.h>

static const char *command_name(enum command command) /* "": none has it */
{
    const struct command_row *row;

    for (size_t i = 0; (row = command_at(i)); i++) {
        if (row->command == command)
            return row->name;
    }
    return "";
}

enum status options_check(struct options *options, uint64_t used, struct error *error)
{
    const struct option_row *row;

    if (options->command == COMMAND_HELP || options->command == COMMAND_VERSION ||
        options->command == COMMAND_MANUAL)
        return STATUS_OK;
    if (options->record && options->command == COMMAND_SCREEN)
        options->command = COMMAND_RECORD;
    if ((options->keys || options->width) && !options->snapshot)
        return error_set(error, STATUS_USAGE, "--%s is of a snapshot: say --snapshot text, ansi or svg, too.",
                         options->keys ? "keys" : "size WxH");
    if (options->problem != PROBLEM_AUTO && options->command == COMMAND_VIEW)
        return error_set(
            error, STATUS_USAGE,
            "--size small and default are of workloads, and lanescope view runs none: a snapshot's "
            "size is WxH.");
    options->watch = options->command == COMMAND_WATCH;
    for (size_t i = 0; (row = option_at(i)); i++) {
        if (!(used & (UINT64_C(1) << row->id)))
            continue;
        if (options->watch && row->id == OPTION_DEVICE)
            return error_set(
                error, STATUS_USAGE,
                "lanescope watch looks at a GPU, whoever uses it; on the device model nothing runs but "
                "what you run there: lanescope --device simt WORKLOAD draws the same charts.");
        if (!(row->commands & (1u << options->command)))
            return error_set(error, STATUS_USAGE, "--%s does not go with this command: see lanescope %s%s.",
                             row->name, *command_name(options->command) ? "help " : "--help",
                             command_name(options->command));
        if (row->side == SIDE_GPU || (row->id == OPTION_KERNEL && options->command != COMMAND_KERNEL &&
                                      options->command != COMMAND_REPORT))
            options->gpu_option = row->name;
        if (row->side == SIDE_MODEL)
            options->model_option = row->name;
    }
    if (options->program && (options->workload_count || options->all))
        return error_set(error, STATUS_USAGE, "Name workloads or a program after --, not both.");
    if (options->program && options->model_option)
        return error_set(error, STATUS_USAGE,
                         "--%s is of the device model, which runs the bundled workloads and PTX (lanescope "
                         "kernel), not programs.",
                         options->model_option);
    if (options->program && strcmp(options->device, "auto") != 0 && strcmp(options->device, "cuda") != 0)
        return error_set(error, STATUS_USAGE,
                         "A program runs on a GPU only: the device model runs the bundled workloads and PTX "
                         "(lanescope kernel).");
    if (options->command == COMMAND_KERNEL && (!options->grid[0] || !options->block[0]))
        return error_set(
            error, STATUS_USAGE,
            "lanescope kernel needs --grid X[,Y[,Z]] and --block X[,Y[,Z]]: how many blocks, of how "
            "many threads.");
    if (options->burst_ns && options->sample_given)
        return error_set(error, STATUS_USAGE,
                         "--burst samples in bursts and --sample all the time: say one of them.");
    if (options->watch && options->sample_given && !options->sample_ns)
        return error_set(error, STATUS_USAGE, "lanescope watch samples, and --sample off forbids it.");
    if (options->watch)
        options->command = options->record ? COMMAND_RECORD : COMMAND_SCREEN;
    if (options->runs_given && options->counters == COUNTERS_OFF && options->counter_run)
        return error_set(error, STATUS_USAGE, "--runs asks for counters and --counters off forbids them.");
    return STATUS_OK;
}
