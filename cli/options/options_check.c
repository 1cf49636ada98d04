/*
 * Options that exclude each other, and options that a command needs: the rules are checked in order, and the
 * first that is broken gives the message.
 */
#include "cli/options/options_table.h"

#include <string.h>

#define BIT(option) (UINT64_C(1) << OPTION_##option)

static const char *command_name(enum command command) /* "": none has it */
{
    const struct command_row *row;

    for (size_t i = 0; (row = command_at(i)); i++)
        if (row->command == command)
            return row->name;
    return "";
}

/* Options for runs that are not made would be ignored silently, so they are errors. */
static enum status check_runs(struct options *options, uint64_t used, struct error *error)
{
    bool named = options->counters == COUNTERS_ON || options->counters == COUNTERS_LIST;
    bool counts =
        options->runs_given ? options->counter_run || options->line_run : named || !options->program;
    bool traces = options->runs_given ? options->trace_run : !named || !options->program;
    const char *sampling = options->burst_ns                             ? "burst"
                           : options->sample_given && options->sample_ns ? "sample"
                                                                         : NULL;
    const char *counting = used & BIT(KERNEL) ? "kernel" : used & BIT(LAUNCHES) ? "launches" : NULL;

    if (options->burst_ns && options->sample_given)
        return error_set(error, STATUS_USAGE,
                         "--burst samples in bursts and --sample samples continuously: give one of them.");
    if (options->watch && options->sample_given && !options->sample_ns)
        return error_set(error, STATUS_USAGE, "lanescope watch samples, and --sample off forbids it.");
    if (options->watch)
        options->command = options->record ? COMMAND_RECORD : COMMAND_SCREEN;
    if (options->runs_given && options->counters == COUNTERS_OFF && options->counter_run)
        return error_set(error, STATUS_USAGE, "--runs requests counters and --counters off forbids them.");
    if (options->runs_given && !options->counter_run && named)
        return error_set(
            error, STATUS_USAGE,
            "--counters needs a counter run, and --runs leaves it out: give --runs trace,counters.");
    if (sampling && !traces)
        return error_set(error, STATUS_USAGE,
                         "--%s needs a trace run, and there is none: give --runs trace,counters.", sampling);
    if (options->program && strcmp(options->device, "simt") != 0 && counting && !counts)
        return error_set(error, STATUS_USAGE,
                         "--%s selects what is counted, and nothing is counted: give --counters on, or "
                         "--runs with counters or lines.",
                         counting);
    if ((used & BIT(CAPTURE)) && !options->program)
        return error_set(error, STATUS_USAGE,
                         "--capture applies to a program after --: of workloads everything is captured.");
    return STATUS_OK;
}

/* No name of a kernel ends so. */
static bool is_own_file(const char *text)
{
    const char *end = strrchr(text, '.');

    return end && (strcmp(end, ".cu") == 0 || strcmp(end, ".ptx") == 0);
}

static bool runs_order(const struct options *options)
{
    static const char variant[] = "staged-overlap:order";

    for (size_t i = 0; i < options->workload_count; i++)
        if (strncmp(options->workloads[i], variant, sizeof variant - 1) == 0)
            return true;
    return false;
}

enum status options_check(struct options *options, uint64_t used, struct error *error)
{
    const struct option_row *row;

    if (options->command == COMMAND_HELP || options->command == COMMAND_VERSION ||
        options->command == COMMAND_MANUAL)
        return STATUS_OK;
    if (options->command == COMMAND_GATE) {
        options->device = "simt";
        options->launches = 0;
        if (!options->program && !options->all && options->workload_count == 0)
            return error_set(error, STATUS_USAGE,
                             "Name what is counted: lanescope gate %.80s -- PROGRAM ARGS, or workloads.",
                             options->file);
    }
    if (options->record && options->command == COMMAND_SCREEN)
        options->command = COMMAND_RECORD;
    if ((options->keys || options->width) && !options->snapshot)
        return error_set(error, STATUS_USAGE, "--%s needs --snapshot text, ansi or svg.",
                         options->keys ? "keys" : "size WxH");
    if (options->problem != PROBLEM_AUTO &&
        (options->command == COMMAND_VIEW || options->command == COMMAND_WATCH || options->program))
        return error_set(
            error, STATUS_USAGE,
            "--size small and default apply to workloads, and %s%s runs none: the size of a snapshot is WxH.",
            options->program ? "a program" : "lanescope ", command_name(options->command));
    if (options->kernel_glob && is_own_file(options->kernel_glob) && !options->program &&
        (options->command == COMMAND_SCREEN || options->command == COMMAND_RECORD)) {
        options->own_file = options->kernel_glob;
        options->kernel_glob = NULL;
        used &= ~BIT(KERNEL);
        if (options->workload_count == 0)
            return error_set(error, STATUS_USAGE,
                             "Name the workload that runs with the kernels of %.200s: lanescope --kernel "
                             "%.200s copy-stride. lanescope list lists them.",
                             options->own_file, options->own_file);
    }
    options->watch = options->command == COMMAND_WATCH;
    for (size_t i = 0; (row = option_at(i)); i++) {
        if (!(used & (UINT64_C(1) << row->id)))
            continue;
        if (options->watch && row->id == OPTION_DEVICE)
            return error_set(
                error, STATUS_USAGE,
                "lanescope watch shows a GPU that any program may use; the device model runs only your own "
                "workloads: lanescope --device simt WORKLOAD draws the same charts.");
        if (!(row->commands & (1u << options->command)))
            return error_set(error, STATUS_USAGE, "--%s does not apply to this command: see lanescope %s%s.",
                             row->name, *command_name(options->command) ? "help " : "--help",
                             command_name(options->command));
        if (row->side == SIDE_GPU || (row->id == OPTION_KERNEL && options->command != COMMAND_KERNEL &&
                                      options->command != COMMAND_REPORT))
            options->gpu_option = row->name;
        if (row->side == SIDE_MODEL)
            options->model_option = row->name;
    }
    if (options->order && !runs_order(options))
        return error_set(
            error, STATUS_USAGE,
            "--order is for staged-overlap:order: lanescope --order %.200s staged-overlap:order.",
            options->order);
    if (options->program && (options->workload_count || options->all))
        return error_set(error, STATUS_USAGE, "Name workloads or a program after --, not both.");
    if (options->all && options->workload_count)
        return error_set(error, STATUS_USAGE, "--all selects every workload: leave out --all or \"%.80s\".",
                         options->workloads[0]);
    if (options->table && (options->full || options->lines))
        return error_set(error, STATUS_USAGE,
                         "--table prints one table: give it without --full and --lines.");
    if (!options->table && (options->table_format || options->top > 0 || options->fields))
        return error_set(error, STATUS_USAGE,
                         "--format, --top and --fields are of one table: give --table NAME too.");
    if (options->table_format && options->format != REPORT_TABLE)
        return error_set(error, STATUS_USAGE, "--format says the form: leave out --csv and --json.");
    if (options->lines && options->format == REPORT_CSV)
        return error_set(error, STATUS_USAGE,
                         "--csv has one row per metric and no source lines: use --lines with the table; "
                         "--json always has the lines.");
    if (options->program && strcmp(options->device, "both") == 0)
        return error_set(
            error, STATUS_USAGE,
            "A program runs on a GPU or on the device model, not on both in one run: record twice, with "
            "--device cuda and --device simt; lanescope diff compares the two.");
    if (options->program && options->model_option && strcmp(options->device, "simt") != 0)
        return error_set(error, STATUS_USAGE,
                         "--%s is for the device model: give --device simt, and the program runs on that.",
                         options->model_option);
    if ((options->checked || options->known) && !options->program)
        return error_set(error, STATUS_USAGE,
                         "--%s is for a program: lanescope --device simt --check -- ./a.out.",
                         options->known ? "suppress FILE" : "check=GLOB");
    if (options->known && !options->check)
        return error_set(error, STATUS_USAGE, "--suppress is for what --check finds: give --check, too.");
    if (options->gpus && !options->program)
        return error_set(error, STATUS_USAGE,
                         "--gpus is for a program: lanescope --device simt --gpus 2 -- ./a.out.");
    if (options->command == COMMAND_KERNEL && (!options->grid[0] || !options->block[0]))
        return error_set(error, STATUS_USAGE,
                         "lanescope kernel needs --grid X[,Y[,Z]] and --block X[,Y[,Z]]: the number of "
                         "blocks and the threads of each.");
    return check_runs(options, used, error);
}
