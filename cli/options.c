/*
 * One table of options; the parser, --help and the manual page read it and nothing else.
 */
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
    OPTION_RECORD,
    OPTION_ALL,
    OPTION_DEVICE,
    OPTION_GPU,
    OPTION_COUNTERS,
    OPTION_RUNS,
    OPTION_CAPTURE,
    OPTION_KERNEL,
    OPTION_LAUNCHES,
    OPTION_TIME_LIMIT,
    OPTION_MAX_SIZE,
    OPTION_REPLACE_INJECTION,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_WIDE,
    OPTION_SNAPSHOT,
    OPTION_SIZE,
    OPTION_KEYS,
    OPTION_THEME,
    OPTION_NO_COLOR,
    OPTION_ASCII,
    OPTION_NO_MOUSE,
    OPTION_MANUAL,
    OPTION_HELP,
    OPTION_VERSION,
};

/* Which commands an option is for; the parser refuses it elsewhere. */
#define FOR(command) (1u << COMMAND_##command)
#define FOR_RUNNING (FOR(SCREEN) | FOR(RECORD))
#define FOR_SCREENS (FOR(SCREEN) | FOR(VIEW))
#define FOR_ALL (~0u)

struct option_row {
    enum option_id id;
    const char *name;
    const char *argument; /* NULL: takes none */
    unsigned commands;
    const char *help; /* NULL: not shown */
};

static const struct option_row option_rows[] = {
    {OPTION_RECORD, "record", "FILE", FOR_RUNNING,
     "run without a screen and record to FILE; %h %p %r become host, pid, rank"},
    {OPTION_ALL, "all", NULL, FOR_RUNNING, "every variant of every workload"},
    {OPTION_DEVICE, "device", "auto|cuda", FOR_RUNNING | FOR(LIST), "what workloads run on"},
    {OPTION_GPU, "gpu", "N", FOR_RUNNING, "which GPU, 0 the first"},
    {OPTION_COUNTERS, "counters", "on|off|LIST", FOR_RUNNING,
     "hardware counters: LIST is metric ids or CUPTI names, separated by commas"},
    {OPTION_RUNS, "runs", "trace,counters", FOR_RUNNING,
     "which runs of a program, one after the other; with both, a third counts DRAM bytes"},
    {OPTION_CAPTURE, "capture", "all|profiler-api|nvtx:NAME|delay:S[,for:S]", FOR_RUNNING,
     "which part of a program is captured"},
    {OPTION_KERNEL, "kernel", "GLOB", FOR_RUNNING, "count only kernels whose name matches"},
    {OPTION_LAUNCHES, "launches", "N", FOR_RUNNING,
     "count the first N launches of each kernel and shape (3; 0 all)"},
    {OPTION_TIME_LIMIT, "time-limit", "S", FOR_RUNNING, "end the program after S seconds, with status 124"},
    {OPTION_MAX_SIZE, "max-size", "MB", FOR_RUNNING, "bound the recording; it keeps the newest"},
    {OPTION_REPLACE_INJECTION, "replace-injection", NULL, FOR_RUNNING,
     "take the place of another tool that the environment injects"},
    {OPTION_JSON, "json", NULL, FOR(REPORT) | FOR(LIST), "as JSON"},
    {OPTION_CSV, "csv", NULL, FOR(REPORT), "as CSV"},
    {OPTION_WIDE, "wide", NULL, FOR(REPORT) | FOR(RECORD), "do not shorten names to fit 100 columns"},
    {OPTION_SNAPSHOT, "snapshot", "text|ansi|svg", FOR_SCREENS,
     "draw the screen once to standard output, without a terminal"},
    {OPTION_SIZE, "size", "WxH|small|default", FOR_SCREENS | FOR(RECORD),
     "size of a snapshot; or of the workloads' problems"},
    {OPTION_KEYS, "keys", "KEYS", FOR_SCREENS, "press these keys before the snapshot: \"Tab j + ?\""},
    {OPTION_THEME, "theme", "NAME", FOR_SCREENS, "colours: standard, projector, colorblind, mono"},
    {OPTION_NO_COLOR, "no-color", NULL, FOR_ALL, "no colours (also NO_COLOR in the environment)"},
    {OPTION_ASCII, "ascii", NULL, FOR_ALL, "ASCII only"},
    {OPTION_NO_MOUSE, "no-mouse", NULL, FOR_SCREENS, "leave the mouse to the terminal"},
    {OPTION_MANUAL, "manual", NULL, FOR_ALL, NULL},
    {OPTION_HELP, "help", NULL, FOR_ALL, "this text"},
    {OPTION_VERSION, "version", NULL, FOR_ALL, "the version"},
};

static const struct command_row {
    const char *name;
    enum command command;
    bool takes_file;
    const char *usage, *help;
} command_rows[] = {
    {"view", COMMAND_VIEW, true, "view FILE", "open a recording, also one that still grows"},
    {"report", COMMAND_REPORT, true, "report FILE [--json|--csv]", "print a recording's tables"},
    {"list", COMMAND_LIST, false, "list [--json]", "the bundled workloads"},
    {"doctor", COMMAND_DOCTOR, false, "doctor", "what works here, and what to do about what does not"},
};

static const char *const usage_lines[][2] = {
    {"lanescope", "open the screen with the list of workloads"},
    {"lanescope WORKLOAD[:variant][,param=value]...", "run workloads, live"},
    {"lanescope -- PROGRAM ARGS", "run any CUDA program, live"},
    {"lanescope --record FILE [WORKLOAD...]", "run workloads (none: all of them) and record them"},
    {"lanescope --record FILE -- PROGRAM ARGS", "run a program and record it"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void options_print_help(FILE *out)
{
    fputs("lanescope shows what the 32 lanes of a warp really do: a terminal profiler for CUDA.\n\n", out);
    for (size_t i = 0; i < COUNT(usage_lines); i++)
        fprintf(out, "  %-48s %s\n", usage_lines[i][0], usage_lines[i][1]);
    for (size_t i = 0; i < COUNT(command_rows); i++)
        fprintf(out, "  lanescope %-38s %s\n", command_rows[i].usage, command_rows[i].help);
    fputs("\noptions\n", out);
    for (size_t i = 0; i < COUNT(option_rows); i++) {
        const struct option_row *row = &option_rows[i];
        char left[64];

        if (!row->help)
            continue;
        snprintf(left, sizeof left, "--%s%s%s", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        if (strlen(left) > 26)
            fprintf(out, "  %s\n  %-26s %s\n", left, "", row->help);
        else
            fprintf(out, "  %-26s %s\n", left, row->help);
    }
    fputs("\nexit status: a profiled program's own; 124 time limit, 125 lanescope failed, 126 and 127 as the "
          "shell.\n"
          "Otherwise 0 fine, 1 a check failed, 2 wrong command line, 3 no usable device, 4 no permission.\n",
          out);
}

static void print_roff(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

void options_print_manual(FILE *out)
{
    fputs(".SH SYNOPSIS\n", out);
    for (size_t i = 0; i < COUNT(usage_lines); i++) {
        fputs(".TP\n.B ", out);
        print_roff(out, usage_lines[i][0]);
        fputc('\n', out);
        print_roff(out, usage_lines[i][1]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < COUNT(command_rows); i++) {
        fputs(".TP\n.B lanescope ", out);
        print_roff(out, command_rows[i].usage);
        fputc('\n', out);
        print_roff(out, command_rows[i].help);
        fputc('\n', out);
    }
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < COUNT(option_rows); i++) {
        const struct option_row *row = &option_rows[i];

        if (!row->help)
            continue;
        fputs(".TP\n.B \\-\\-", out);
        print_roff(out, row->name);
        if (row->argument) {
            fputc(' ', out);
            print_roff(out, row->argument);
        }
        fputc('\n', out);
        print_roff(out, row->help);
        fputc('\n', out);
    }
}

static const struct option_row *find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(option_rows); i++) {
        if (strlen(option_rows[i].name) == length && strncmp(option_rows[i].name, name, length) == 0)
            return &option_rows[i];
    }
    return NULL;
}

static enum status bad_value(const struct option_row *row, const char *value, struct error *error)
{
    return error_set(error, STATUS_USAGE, "--%s does not take \"%.80s\": it takes %s.", row->name, value,
                     row->argument);
}

/* A number with at most a decimal point, in [minimum, maximum]. */
static bool parse_number(const char *text, double minimum, double maximum, double *number)
{
    char *end;

    errno = 0;
    *number = strtod(text, &end);
    return !errno && end != text && !*end && *number >= minimum && *number <= maximum;
}

static bool parse_whole(const char *text, double maximum, uint32_t *number)
{
    double parsed;

    if (!parse_number(text, 0, maximum, &parsed) || parsed != (double)(uint32_t)parsed)
        return false;
    *number = (uint32_t)parsed;
    return true;
}

static bool parse_runs(struct options *options, const char *value)
{
    char copy[64];
    char *rest = copy;
    char *word;

    if (strlen(value) >= sizeof copy || !*value)
        return false;
    memcpy(copy, value, strlen(value) + 1);
    options->runs_given = true;
    options->trace_run = options->counter_run = false;
    while ((word = strsep(&rest, ","))) {
        if (strcmp(word, "trace") == 0)
            options->trace_run = true;
        else if (strcmp(word, "counters") == 0)
            options->counter_run = true;
        else
            return false;
    }
    return true;
}

static bool parse_size(struct options *options, const char *value)
{
    char *end;
    long width, height;

    if (strcmp(value, "small") == 0 || strcmp(value, "default") == 0) {
        options->small = value[0] == 's';
        return true;
    }
    width = strtol(value, &end, 10);
    if (end == value || *end != 'x')
        return false;
    value = end + 1;
    height = strtol(value, &end, 10);
    if (end == value || *end || width < 1 || width > 1000 || height < 1 || height > 1000)
        return false;
    options->width = (int)width;
    options->height = (int)height;
    return true;
}

static bool one_of(const char *value, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(value, *words) == 0)
            return true;
    }
    return false;
}

static bool parse_capture(const char *value)
{
    double number;
    char seconds[64];
    const char *comma;

    if (strcmp(value, "all") == 0 || strcmp(value, "profiler-api") == 0)
        return true;
    if (strncmp(value, "nvtx:", 5) == 0)
        return value[5] != '\0' && strlen(value + 5) < 256;
    if (strncmp(value, "delay:", 6) != 0)
        return false;
    value += 6;
    comma = strchrnul(value, ',');
    if ((size_t)(comma - value) >= sizeof seconds)
        return false;
    memcpy(seconds, value, (size_t)(comma - value));
    seconds[comma - value] = '\0';
    if (!parse_number(seconds, 0, 1e9, &number))
        return false;
    return !*comma || (strncmp(comma, ",for:", 5) == 0 && parse_number(comma + 5, 1e-3, 1e9, &number));
}

static enum status set_option(struct options *options, const struct option_row *row, const char *value,
                              struct error *error)
{
    static const char *const devices[] = {"auto", "cuda", NULL};
    static const char *const snapshots[] = {"text", "ansi", "svg", NULL};
    bool good = true;
    double number = 0;

    switch (row->id) {
    case OPTION_RECORD:
        options->record = value;
        good = *value != '\0';
        break;
    case OPTION_ALL: options->all = true; break;
    case OPTION_DEVICE:
        options->device = value;
        good = one_of(value, devices);
        break;
    case OPTION_GPU: good = parse_whole(value, 1023, &options->gpu); break;
    case OPTION_COUNTERS:
        options->counters = strcmp(value, "on") == 0    ? COUNTERS_ON
                            : strcmp(value, "off") == 0 ? COUNTERS_OFF
                                                        : COUNTERS_LIST;
        options->counter_list = options->counters == COUNTERS_LIST ? value : NULL;
        good = *value != '\0';
        break;
    case OPTION_RUNS: good = parse_runs(options, value); break;
    case OPTION_CAPTURE:
        options->capture = value;
        good = parse_capture(value);
        break;
    case OPTION_KERNEL:
        options->kernel_glob = value;
        good = *value != '\0' && strlen(value) < 256;
        break;
    case OPTION_LAUNCHES: good = parse_whole(value, 4e9, &options->launches); break;
    case OPTION_TIME_LIMIT: good = parse_number(value, 1e-3, 1e9, &options->time_limit_s); break;
    case OPTION_MAX_SIZE:
        good = parse_number(value, 1, 1e9, &number);
        if (good)
            options->max_bytes = (uint64_t)(number * 1e6);
        break;
    case OPTION_REPLACE_INJECTION: options->replace_injection = true; break;
    case OPTION_JSON: options->format = REPORT_JSON; break;
    case OPTION_CSV: options->format = REPORT_CSV; break;
    case OPTION_WIDE: options->wide = true; break;
    case OPTION_SNAPSHOT:
        options->snapshot = value;
        good = one_of(value, snapshots);
        break;
    case OPTION_SIZE: good = parse_size(options, value); break;
    case OPTION_KEYS: options->keys = value; break;
    case OPTION_THEME: options->theme = value; break;
    case OPTION_NO_COLOR: options->no_color = true; break;
    case OPTION_ASCII: options->ascii = true; break;
    case OPTION_NO_MOUSE: options->no_mouse = true; break;
    case OPTION_MANUAL: options->command = COMMAND_MANUAL; break;
    case OPTION_HELP: options->command = COMMAND_HELP; break;
    case OPTION_VERSION: options->command = COMMAND_VERSION; break;
    }
    return good ? STATUS_OK : bad_value(row, value, error);
}

/* "--name", "--name=value" or "--name value"; *index moves past what was taken. */
static enum status parse_option(struct options *options, int argc, char **argv, int *index, unsigned *used,
                                struct error *error)
{
    const char *word = argv[*index] + 2;
    const char *equals = strchrnul(word, '=');
    const struct option_row *row = find_option(word, (size_t)(equals - word));
    const char *value = *equals ? equals + 1 : NULL;

    if (!row)
        return error_set(error, STATUS_USAGE, "There is no option %.80s: see lanescope --help.",
                         argv[*index]);
    if (!row->argument && value)
        return error_set(error, STATUS_USAGE, "--%s takes no value.", row->name);
    if (row->argument && !value) {
        if (*index + 1 >= argc)
            return error_set(error, STATUS_USAGE, "--%s needs a value: %s.", row->name, row->argument);
        value = argv[++*index];
    }
    *used |= 1u << row->id;
    return set_option(options, row, value ? value : "", error);
}

/* What the words say together. */
static enum status check(struct options *options, unsigned used, struct error *error)
{
    if (options->command == COMMAND_HELP || options->command == COMMAND_VERSION ||
        options->command == COMMAND_MANUAL)
        return STATUS_OK;
    if (options->record && options->command == COMMAND_SCREEN)
        options->command = COMMAND_RECORD;
    for (size_t i = 0; i < COUNT(option_rows); i++) {
        if ((used & (1u << option_rows[i].id)) && !(option_rows[i].commands & (1u << options->command)))
            return error_set(error, STATUS_USAGE, "--%s does not go with this command: see lanescope --help.",
                             option_rows[i].name);
    }
    if (options->program && (options->workload_count || options->all))
        return error_set(error, STATUS_USAGE, "Name workloads or a program after --, not both.");
    if (options->runs_given && options->counters == COUNTERS_OFF && options->counter_run)
        return error_set(error, STATUS_USAGE, "--runs asks for counters and --counters off forbids them.");
    return STATUS_OK;
}

enum status options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    unsigned used = 0;
    const struct command_row *command = NULL;
    size_t words = 0;

    *options = (struct options){.device = "auto", .launches = 3, .width = 0, .height = 0};
    options->workloads = argv; /* words are moved to the front, over what was read */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            options->program = argv + i + 1;
            if (!*options->program)
                return error_set(error, STATUS_USAGE, "After -- comes the program to run and its arguments.");
            break;
        }
        if (strcmp(argv[i], "-h") == 0 || (argv[i][0] == '-' && argv[i][1] == '?')) {
            options->command = COMMAND_HELP;
        } else if (argv[i][0] == '-' && argv[i][1] == '-') {
            enum status status = parse_option(options, argc, argv, &i, &used, error);

            if (status != STATUS_OK)
                return status;
        } else if (argv[i][0] == '-') {
            return error_set(error, STATUS_USAGE, "There is no option %.80s: see lanescope --help.", argv[i]);
        } else if (words == 0 && !command && options->command == COMMAND_SCREEN && !options->record) {
            for (size_t k = 0; k < COUNT(command_rows) && !command; k++)
                command = strcmp(argv[i], command_rows[k].name) == 0 ? &command_rows[k] : NULL;
            if (command)
                options->command = command->command;
            else
                options->workloads[words++] = argv[i];
        } else {
            options->workloads[words++] = argv[i];
        }
    }
    options->workload_count = words;
    if (command && options->command == command->command) {
        if (command->takes_file) {
            if (words != 1)
                return error_set(error, STATUS_USAGE,
                                 words ? "One recording at a time: lanescope %s."
                                       : "Name the recording: lanescope %s.",
                                 command->usage);
            options->file = options->workloads[0];
        } else if (words) {
            return error_set(error, STATUS_USAGE, "lanescope %s takes no \"%.80s\".", command->name,
                             options->workloads[0]);
        }
        options->workload_count = 0;
        if (options->program)
            return error_set(error, STATUS_USAGE, "lanescope %s runs no program.", command->name);
    }
    return check(options, used, error);
}

void options_text(const struct options *options, char *text, size_t size_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < options->workload_count && used < size_bytes; i++)
        used += (size_t)snprintf(text + used, size_bytes - used, "%s%s", i ? " " : "", options->workloads[i]);
    for (size_t i = 0; options->program && options->program[i] && used < size_bytes; i++)
        used +=
            (size_t)snprintf(text + used, size_bytes - used, "%s%s", i ? " " : "-- ", options->program[i]);
}
