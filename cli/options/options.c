/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words are read from left to right: options by the table, the others by the command. Conflicts between
 * options are checked when all are known: the rules in order, and the first that is broken gives the message.
 */
#include "core/base/append.h"
#include "core/base/name_distance.h"

#include "cli/options/options_table.h"

#include "workloads/selection.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status bad_value(const struct option_row *row, const char *value, struct error *error)
{
    char capabilities[ARCH_LIST_BYTES];

    if (strcmp(row->name, "cc") == 0) {
        arch_list(capabilities, sizeof capabilities);
        return error_set(error, STATUS_USAGE, "--cc does not take \"%.20s\": it takes %s.", value,
                         capabilities);
    }
    return error_set(error, STATUS_USAGE, "--%s does not take \"%.80s\": it takes %s: %s.", row->name, value,
                     row->argument, row->help);
}

#define NEAR_MOST 2 /* letters that differ */

static enum status refuse_option(const char *text, struct error *error)
{
    const char *word = text + strspn(text, "-"), *nearest = NULL;
    const struct option_row *row;
    size_t least = NEAR_MOST + 1;
    char name[80];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (size_t i = 0; (row = option_at(i)); i++)
        if (name_is_nearer(name, row->name, &least))
            nearest = row->name;
    return error_set(error, STATUS_USAGE,
                     nearest ? "There is no option %.80s: did you mean --%s?"
                             : "There is no option %.80s: see lanescope --help.",
                     text, nearest);
}

/* "--name", "--name=value" or "--name value"; moves *index past them. */
static enum status parse_option(struct options *options, int argc, char **argv, int *index, bool *used,
                                struct error *error)
{
    const char *word = argv[*index] + 2;
    const char *equals = strchrnul(word, '=');
    const struct option_row *row = option_find(word, (size_t)(equals - word));
    const char *value = *equals ? equals + 1 : NULL;

    if (!row)
        return refuse_option(argv[*index], error);
    if (!row->argument && value)
        return error_set(error, STATUS_USAGE, "--%s takes no value.", row->name);
    if (option_needs_value(row) && !value) {
        if (*index + 1 >= argc)
            return error_set(error, STATUS_USAGE, "--%s needs a value: %s.", row->name, row->argument);
        value = argv[++*index];
    }
    used[row - option_at(0)] = true;
    if (options->given_count < OPTIONS_GIVEN_MAX)
        options->given[options->given_count++] = (struct option_given){row->name, value};
    if (!value)
        value = "";
    return option_read(options, row, value) ? STATUS_OK : bad_value(row, value, error);
}

static const char *command_name(enum command command) /* "": none has it */
{
    const struct command_row *row;

    for (size_t i = 0; (row = command_at(i)); i++)
        if (row->command == command)
            return row->name;
    return "";
}

/* Of the names with commas, or |, between them, the first that is given or, if `given` is false, that is not; NULL: none. */
static const struct option_row *find_given(const bool *used, const char *names, bool given)
{
    for (size_t length; names && *names; names += length + (names[length] != '\0')) {
        length = strcspn(names, ",|");
        const struct option_row *row = option_find(names, length);

        if (used[row - option_at(0)] == given)
            return row;
    }
    return NULL;
}

/* The row's own conditions. */
static enum status check_row(const struct options *options, const struct option_row *row, const bool *used,
                             struct error *error)
{
    const struct option_row *other;

    if (!(row->commands & (1u << options->command)))
        return error_set(error, STATUS_USAGE, "--%s does not apply to this command: see lanescope %s%s.",
                         row->name, *command_name(options->command) ? "help " : "--help",
                         command_name(options->command));
    const bool any = row->needs && strchr(row->needs, '|') && find_given(used, row->needs, true);
    if (!any && (other = find_given(used, row->needs, false)))
        return error_set(error, STATUS_USAGE, "--%s needs --%s: give --%s%s%s too.", row->name, other->name,
                         other->name, option_needs_value(other) ? " " : "",
                         option_needs_value(other) ? other->argument : "");
    if ((other = find_given(used, row->excludes, true)))
        return error_set(error, STATUS_USAGE, "--%s and --%s exclude each other: give one of them.",
                         row->name, other->name);
    if (strcmp(row->name, "top") == 0 && !options->table && options->command != COMMAND_REPORT &&
        options->command != COMMAND_DIFF)
        return error_set(error, STATUS_USAGE,
                         "--top needs --table here: of whole documents report and diff have it.");
    if (row->of_program && !options->program)
        return error_set(
            error, STATUS_USAGE,
            "--%s is for a program: give one after --, as in lanescope --record run.lsr -- ./a.out.",
            row->name);
    return STATUS_OK;
}

/* ---- the configuration file ---- */
bool options_config_path(char *path, size_t size_bytes)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = -1;

    if (config && config[0] == '/')
        length = snprintf(path, size_bytes, "%s/lanescope/config", config);
    else if (home && home[0] == '/')
        length = snprintf(path, size_bytes, "%s/.config/lanescope/config", home);
    return length > 0 && (size_t)length < size_bytes && access(path, F_OK) == 0;
}

/* What a user likes on every screen; no option that changes what a gate or a script gets. */
static const char *const config_names[] = {"theme",       "model",    "memory", "no-color",
                                           "transparent", "no-mouse", "ascii"};

/* "NAME = VALUE" or "NAME", in place. Given on the command line: that counts. */
static enum status config_line(struct options *options, const bool *used, char *line, const char *where,
                               struct error *error)
{
    char *name = line + strspn(line, " \t"), *value = strchr(name, '=');
    bool known = false;

    if (value)
        *value++ = '\0';
    name[strcspn(name, " \t\r")] = '\0';
    if (value) {
        value += strspn(value, " \t");
        for (size_t end = strlen(value); end && strchr(" \t\r", value[end - 1]);)
            value[--end] = '\0';
    }
    if (!*name || *name == '#')
        return STATUS_OK;
    for (size_t i = 0; i < sizeof config_names / sizeof *config_names; i++)
        known |= strcmp(name, config_names[i]) == 0;
    if (!known)
        return error_set(
            error, STATUS_USAGE,
            "%.300s has \"%.40s\": it takes theme, model, memory, no-color, transparent, no-mouse and "
            "ascii, as the options of these names.",
            where, name);
    const struct option_row *row = option_find(name, strlen(name));
    if (used[row - option_at(0)] || !(row->commands & 1u << options->command) ||
        options->command == COMMAND_GATE)
        return STATUS_OK;
    if (option_needs_value(row) != (value && *value) || !option_read(options, row, value ? value : ""))
        return error_set(error, STATUS_USAGE, "%.300s: %s takes %s.", where, name,
                         row->argument ? row->argument : "no value");
    if (row->side == SIDE_MODEL && options->given_count < OPTIONS_GIVEN_MAX)
        options->given[options->given_count++] = (struct option_given){row->name, value};
    return STATUS_OK;
}

static enum status config_apply(struct options *options, const bool *used, struct error *error)
{
    static char text[4096]; /* options point into it */
    char path[4096], where[4200];
    unsigned number = 0;
    enum status status = STATUS_OK;
    FILE *file = options_config_path(path, sizeof path) ? fopen(path, "re") : NULL;

    if (!file)
        return STATUS_OK;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    for (char *rest = text, *line; status == STATUS_OK && (line = strsep(&rest, "\n"));) {
        snprintf(where, sizeof where, "%s:%u", path, ++number);
        status = config_line(options, used, line, where, error);
    }
    return status;
}

/* ---- conditions ---- */
/* Options for runs that are not made would be ignored silently, so they are errors. */
static enum status check_runs(struct options *options, const bool *used, struct error *error)
{
    bool named = options->counters == COUNTERS_ON || options->counters == COUNTERS_LIST;
    bool counts =
        options->runs_given ? options->counter_run || options->line_run : named || !options->program;
    bool traces = options->runs_given ? options->trace_run : !named || !options->program;
    const char *sampling = options->burst_ns                             ? "burst"
                           : options->sample_given && options->sample_ns ? "sample"
                                                                         : NULL;
    const char *counting = options->kernel_glob                 ? "kernel"
                           : find_given(used, "launches", true) ? "launches"
                                                                : NULL;

    if (options->watch && options->sample_given && !options->sample_ns)
        return error_set(error, STATUS_USAGE, "lanescope watch samples, and --sample off forbids it.");
    if (options->watch || options->attached)
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
    return STATUS_OK;
}

/* No name of a kernel ends so. */
static bool is_own_file(const char *text)
{
    const char *end = strrchr(text, '.');

    return end && (strcmp(end, ".cu") == 0 || strcmp(end, ".ptx") == 0);
}

static bool parse_process(const char *text, int32_t *process)
{
    char *end;
    const long number = strtol(text, &end, 10);

    *process = number > 0 && number < INT32_MAX ? (int32_t)number : 0;
    return *text && !*end && *process > 0;
}

static enum status options_check(struct options *options, const bool *used, struct error *error)
{
    const struct option_row *row;

    if (options->command == COMMAND_HELP || options->command == COMMAND_VERSION ||
        options->command == COMMAND_MANUAL)
        return STATUS_OK;
    enum status status = config_apply(options, used, error);
    if (status != STATUS_OK)
        return status;
    if (options->command == COMMAND_GATE) {
        options->device = "simt";
        options->launches = 0;
        if (!options->program && !options->all && options->workload_count == 0)
            return error_set(error, STATUS_USAGE,
                             "Name what is counted: lanescope gate %.80s -- PROGRAM ARGS, or workloads.",
                             options->file);
    }
    if (options->command == COMMAND_GENERATIONS && options->workload_count != 1)
        return error_set(error, STATUS_USAGE, "Name one workload: lanescope generations transpose.");
    if (options->command == COMMAND_DEBUG) {
        options->device = "simt";
        if (!options->program && options->workload_count != 1)
            return error_set(
                error, STATUS_USAGE,
                "Name one workload, lanescope debug bank-stride:32,stride=2, or a program: lanescope "
                "debug -- ./a.out.");
    }
    if (options->record && options->command == COMMAND_SCREEN)
        options->command = COMMAND_RECORD;
    if (options->width && !options->snapshot)
        return error_set(error, STATUS_USAGE, "--size WxH needs --snapshot text, ansi or svg.");
    if (options->problem != PROBLEM_AUTO &&
        (options->command == COMMAND_VIEW || options->command == COMMAND_WATCH || options->program))
        return error_set(
            error, STATUS_USAGE,
            "--size small and default apply to workloads, and %s%s runs none: the size of a snapshot is WxH.",
            options->program ? "a program" : "lanescope ", command_name(options->command));
    if (options->kernel_glob && is_own_file(options->kernel_glob) && !options->program &&
        (options->command == COMMAND_SCREEN || options->command == COMMAND_RECORD ||
         options->command == COMMAND_DEBUG)) {
        options->own_file = options->kernel_glob;
        options->kernel_glob = NULL;
        if (options->workload_count == 0)
            return error_set(error, STATUS_USAGE,
                             "Name the workload that runs with the kernels of %.200s: lanescope --kernel "
                             "%.200s copy-stride. lanescope list lists them.",
                             options->own_file, options->own_file);
    }
    options->watch = options->command == COMMAND_WATCH;
    if (options->command == COMMAND_ATTACH && !parse_process(options->file, &options->attached))
        return error_set(
            error, STATUS_USAGE,
            "'%.80s' is no number of a process: lanescope attach 4711. The program is started as lanescope "
            "--dormant -- PROGRAM.",
            options->file);
    if (options->watch && find_given(used, "device", true))
        return error_set(
            error, STATUS_USAGE,
            "lanescope watch shows a GPU that any program may use; the device model runs only your own "
            "workloads: lanescope --device simt WORKLOAD draws the same charts.");
    for (size_t i = 0; (row = option_at(i)) && status == STATUS_OK; i++) {
        if (!used[i])
            continue;
        status = check_row(options, row, used, error);
        if (row->side == SIDE_GPU)
            options->gpu_option = row->name;
        if (row->side == SIDE_MODEL)
            options->model_option = row->name;
    }
    if (status != STATUS_OK)
        return status;
    if (options->kernel_glob && options->command != COMMAND_KERNEL && options->command != COMMAND_REPORT)
        options->gpu_option = "kernel";
    if (options->program && (options->workload_count || options->all))
        return error_set(error, STATUS_USAGE, "Name workloads or a program after --, not both.");
    if (options->all && options->workload_count)
        return error_set(error, STATUS_USAGE, "--all selects every workload: leave out --all or \"%.80s\".",
                         options->workloads[0]);
    if (options->program && options->model_option && strcmp(options->device, "simt") != 0 &&
        strcmp(options->device, "both") != 0)
        return error_set(error, STATUS_USAGE,
                         "--%s is for the device model: give --device simt, and the program runs on that, or "
                         "--device both.",
                         options->model_option);
    if (options->checked && !options->program)
        return error_set(error, STATUS_USAGE,
                         "--check=GLOB is for a program: lanescope --device simt --check -- ./a.out.");
    if (options->command == COMMAND_KERNEL && (!options->grid.size[0] || !options->block.size[0]))
        return error_set(error, STATUS_USAGE,
                         "lanescope kernel needs --grid X[,Y[,Z]] and --block X[,Y[,Z]]: the number of "
                         "blocks and the threads of each.");
    return check_runs(options, used, error);
}

enum status options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    bool used[OPTION_ROWS_MAX] = {false}; /* which rows were given */
    const struct command_row *command = NULL;
    size_t words = 0;

    *options = (struct options){.device = "auto",
                                .launches = 3,
                                .sample_ns = SAMPLE_DEFAULT_NS,
                                .memory_bytes = MEMORY_DEFAULT_BYTES};
    options->workloads = argv; /* moves words to the front, over those already read */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            if (!argv[i + 1])
                return error_set(error, STATUS_USAGE, "After --, give the program to run and its arguments.");
            options->program = argv + i + 1;
            break;
        }
        if (!argv[i][0])
            return error_set(error, STATUS_USAGE, "An argument is empty: see lanescope --help.");
        if (strcmp(argv[i], "-h") == 0 || (argv[i][0] == '-' && argv[i][1] == '?')) {
            options->command = COMMAND_HELP;
        } else if (i == 1 && strcmp(argv[i], "help") == 0) {
            options->command = COMMAND_HELP;
            command = argc > 2 ? command_find(argv[2]) : NULL;
            if (argc > 2 && !command && strcmp(argv[2], "help") != 0)
                return error_set(error, STATUS_USAGE, "There is no command %.80s: see lanescope --help.",
                                 argv[2]);
            if (argc > 3)
                return error_set(error, STATUS_USAGE, "Give one command at a time: lanescope help %.80s.",
                                 argv[2]);
            break;
        } else if ((argv[i][0] == '-' && argv[i][1] == '-') || strcmp(argv[i], "-o") == 0) {
            static char out[] = "--out";
            if (argv[i][1] == 'o')
                argv[i] = out;
            enum status status = parse_option(options, argc, argv, &i, used, error);

            if (status != STATUS_OK)
                return status;
        } else if (strcmp(argv[i], "-") == 0 && command && command->file) {
            return error_set(error, STATUS_USAGE,
                             "lanescope %s does not read standard input (-): name the %s.", command->name,
                             command->file);
        } else if (argv[i][0] == '-') {
            return refuse_option(argv[i], error);
        } else if (words == 0 && !command && command_find(argv[i])) {
            command = command_find(argv[i]);
            if (options->command == COMMAND_SCREEN)
                options->command = command->command;
        } else {
            options->workloads[words++] = argv[i];
        }
    }
    options->workload_count = words;
    options->help_of = command ? command->command : COMMAND_HELP;
    if (options->json_schema) /* of whichever command: no file is read */
        return options_check(options, used, error);
    if (command && options->command == command->command) {
        if (command->runs) {
            if (!command->file)
                return options_check(options, used, error);
            if (words == 0)
                return error_set(error, STATUS_USAGE, "Name the %s: lanescope %s.", command->file,
                                 command->usage);
            options->file = *options->workloads++;
            options->workload_count = words - 1;
            return options_check(options, used, error);
        }
        if (command->words) {
            if (command->file && words == 0)
                return error_set(error, STATUS_USAGE, "Name the %s: lanescope %s.", command->file,
                                 command->usage);
            if (words > command->words)
                return error_set(error, STATUS_USAGE, "lanescope %s takes at most %zu words: lanescope %s.",
                                 command->name, command->words, command->usage);
            if (options->program)
                return error_set(error, STATUS_USAGE, "lanescope %s runs no program.", command->name);
            return options_check(options, used, error);
        }
        if (command->file) {
            if (command->files ? words != command->files : words > 1)
                return error_set(error, STATUS_USAGE,
                                 command->files > 1 ? "Name two %s: lanescope %s."
                                 : words            ? "Name only one %s: lanescope %s."
                                                    : "Name the %s: lanescope %s.",
                                 command->file, command->usage);
            options->file = words ? options->workloads[0] : NULL;
            for (size_t i = 0; i < words && i < OPTIONS_FILES_MAX; i++)
                options->files[i] = options->workloads[i];
        } else if (words) {
            return error_set(error, STATUS_USAGE, "lanescope %s takes no \"%.80s\".", command->name,
                             options->workloads[0]);
        }
        options->workload_count = 0;
        if (options->program)
            return error_set(error, STATUS_USAGE, "lanescope %s runs no program.", command->name);
    }
    return options_check(options, used, error);
}

const char *options_near_command(const char *word)
{
    const struct command_row *row;
    const struct workload *workload;
    const char *nearest = NULL;
    size_t least = SIZE_MAX;

    for (size_t i = 0; (workload = workload_at(i)); i++)
        name_is_nearer(word, workload->name, &least);
    for (size_t i = 0; (row = command_at(i)); i++)
        if (name_is_nearer(word, row->name, &least))
            nearest = row->name;
    return nearest;
}

void options_text(const struct options *options, char *text, size_t size_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    if (options->watch)
        append_text(text, size_bytes, &used, "watch");
    if (options->attached)
        append_text(text, size_bytes, &used, "attach %d", (int)options->attached);
    for (size_t i = 0; i < options->workload_count; i++)
        append_text(text, size_bytes, &used, "%s%s", i ? " " : "", options->workloads[i]);
    for (size_t i = 0; options->program && options->program[i]; i++)
        append_text(text, size_bytes, &used, "%s%s", i ? " " : "-- ", options->program[i]);
}

/* Does it say how runs of workloads are made, with a screen and without? */
static bool option_is_of_runs(const struct option_row *row)
{
    static const char *const others[] = {"record", "all", "size"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(row->name, others[i]) == 0)
            return false;
    return (row->commands & FOR_RUNNING) == FOR_RUNNING && row->commands != FOR_ALL && !row->of_program;
}

void options_run_text(const struct options *options, char *text, size_t size_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < options->given_count; i++) {
        const struct option_given *given = &options->given[i];

        if (!option_is_of_runs(option_find(given->name, strlen(given->name))) ||
            (options->own_file && given->value == options->own_file))
            continue;
        append_text(text, size_bytes, &used, " --%s", given->name);
        if (given->value)
            append_shell_word(text, size_bytes, &used, given->value);
    }
}
