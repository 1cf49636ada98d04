/*
 * Words are read from left to right: options by the table, the others by the command. Conflicts between
 * options are checked when all are known (options_check.c).
 */
#include "core/base/append.h"
#include "core/base/name_distance.h"

#include "cli/options/options_table.h"

#include "workloads/selection.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a time limit, and of the part of a program that is captured: a millisecond to 30 years. */
#define SHORTEST_NS 1e6
#define LONGEST_NS 1e18

static enum status bad_value(const struct option_row *row, const char *value, struct error *error)
{
    return error_set(error, STATUS_USAGE, "--%s does not take \"%.80s\": it takes %s: %s.", row->name, value,
                     row->argument, row->help ? row->help : "lanescope --help");
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

/* From 1 to `most`. */
static bool parse_few(const char *value, long most, unsigned *number)
{
    char *end;
    long count = strtol(value, &end, 10);

    *number = (unsigned)count;
    return end != value && !*end && count >= 1 && count <= most;
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
    options->trace_run = options->counter_run = options->line_run = false;
    while ((word = strsep(&rest, ",")))
        if (strcmp(word, "trace") == 0)
            options->trace_run = true;
        else if (strcmp(word, "counters") == 0)
            options->counter_run = true;
        else if (strcmp(word, "lines") == 0)
            options->line_run = true;
        else if (strncmp(word, "lines=", 6) == 0 && parse_few(word + 6, 16, &options->line_kernels))
            options->line_run = true;
        else
            return false;
    return true;
}

static bool parse_size(struct options *options, const char *value)
{
    char *end;
    long width, height;

    if (strcmp(value, "small") == 0 || strcmp(value, "default") == 0) {
        options->problem = value[0] == 's' ? PROBLEM_SMALL : PROBLEM_DEFAULT;
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

/* "X", "X,Y" or "X,Y,Z", also with x between them; each at least 1. */
static bool parse_dimensions(const char *text, uint32_t dimensions[3])
{
    dimensions[0] = dimensions[1] = dimensions[2] = 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long long number;

        errno = 0;
        number = strtoull(text, &end, 10);
        if (errno || end == text || *text < '0' || *text > '9' || number < 1 || number > INT32_MAX)
            return false;
        dimensions[i] = (uint32_t)number;
        if (!*end)
            return true;
        if (*end != ',' && *end != 'x')
            return false;
        text = end + 1;
    }
    return false;
}

static bool add_text(const char *texts[], size_t *count, const char *value)
{
    if (*count == OPTIONS_ARGS_MAX || !*value)
        return false;
    texts[(*count)++] = value;
    return true;
}

/* A time in [least_ns, most_ns], up to a comma or the end: "500us", "1ms", "0.5s", "2m", or "4": seconds.
 * *rest is what follows it. */
static bool parse_time(const char *text, double least_ns, double most_ns, uint64_t *time_ns,
                       const char **rest)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"", 1e9}};
    char *end;

    errno = 0;
    const double number = strtod(text, &end);
    if (errno || end == text)
        return false;
    const size_t length = strcspn(end, ",");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].unit) != length || strncmp(end, units[i].unit, length) != 0)
            continue;
        const double ns = round(number * units[i].ns);
        if (!(ns >= least_ns && ns <= most_ns))
            return false;
        *time_ns = (uint64_t)ns;
        *rest = end + length;
        return true;
    }
    return false;
}

static bool parse_sample(struct options *options, const char *value)
{
    const char *rest = "";

    options->sample_given = true;
    options->sample_ns = 0;
    return strcmp(value, "off") == 0 ||
           (parse_time(value, SAMPLE_LEAST_NS, SAMPLE_MOST_NS, &options->sample_ns, &rest) && !*rest);
}

static bool parse_burst(struct options *options, const char *value)
{
    const char *rest;

    if (!parse_time(value, BURST_LEAST_NS, BURST_MOST_NS, &options->burst_ns, &rest))
        return false;
    if (!*rest)
        return true;
    options->burst_kernel = rest + strlen(",kernel:");
    return strncmp(rest, ",kernel:", strlen(",kernel:")) == 0 && *options->burst_kernel &&
           strlen(options->burst_kernel) < 256;
}

static bool one_of(const char *value, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(value, *words) == 0)
            return true;
    return false;
}

static bool parse_capture(struct options *options, const char *value)
{
    const char *rest;

    options->capture = value;
    options->delay_ns = options->duration_ns = 0;
    if (strcmp(value, "all") == 0 || strcmp(value, "profiler-api") == 0)
        return true;
    if (strncmp(value, "nvtx:", 5) == 0)
        return value[5] != '\0' && strlen(value + 5) < 256;
    if (strncmp(value, "delay:", 6) != 0 || !parse_time(value + 6, 0, LONGEST_NS, &options->delay_ns, &rest))
        return false;
    return !*rest || (strncmp(rest, ",for:", 5) == 0 &&
                      parse_time(rest + 5, SHORTEST_NS, LONGEST_NS, &options->duration_ns, &rest) && !*rest);
}

static bool parse_time_limit(struct options *options, const char *value)
{
    uint64_t limit_ns;
    const char *rest;

    if (!parse_time(value, SHORTEST_NS, LONGEST_NS, &limit_ns, &rest) || *rest)
        return false;
    options->time_limit_s = (double)limit_ns / 1e9;
    return true;
}

static enum status parse_capability(struct options *options, const char *value, struct error *error)
{
    char list[ARCH_LIST_BYTES];

    options->rules = arch_parse(value);
    if (options->rules)
        return STATUS_OK;
    arch_list(list, sizeof list);
    return error_set(error, STATUS_USAGE, "--cc does not take \"%.20s\": it takes %s.", value, list);
}

static enum status set_format(struct options *options, enum report_format format, struct error *error)
{
    if (options->format != REPORT_TABLE && options->format != format)
        return error_set(error, STATUS_USAGE,
                         "--json, --csv and --chrome exclude each other: give one of them.");
    options->format = format;
    return STATUS_OK;
}

static enum status set_option(struct options *options, const struct option_row *row, const char *value,
                              struct error *error)
{
    static const char *const devices[] = {"auto", "cuda", "simt", "both", NULL};
    static const char *const snapshots[] = {"text", "ansi", "svg", NULL};
    static const char *const forms[] = {"text",  "csv",    "json",  "markdown", "schema",
                                        "sarif", "github", "known", NULL};
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
    case OPTION_MODEL:
        options->model = value;
        good = *value != '\0';
        break;
    case OPTION_CC: return parse_capability(options, value, error);
    case OPTION_CHECK:
        options->check = true;
        options->checked = value && *value ? value : NULL;
        break;
    case OPTION_SUPPRESS:
        options->known = value;
        good = *value != '\0';
        break;
    case OPTION_REVERSE: options->reverse = true; break;
    case OPTION_NO_MERGE: options->keep_ptx = true; break;
    case OPTION_GRID:
        options->grid_text = value;
        good = parse_dimensions(value, options->grid);
        break;
    case OPTION_BLOCK:
        options->block_text = value;
        good = parse_dimensions(value, options->block);
        break;
    case OPTION_CLUSTER:
        options->cluster_text = value;
        good = parse_dimensions(value, options->cluster);
        break;
    case OPTION_ARG: good = add_text(options->args, &options->arg_count, value); break;
    case OPTION_DUMP_ARG: good = add_text(options->dumps, &options->dump_count, value); break;
    case OPTION_SHARED:
        options->shared_text = value;
        good = parse_whole(value, 1 << 30, &options->shared_bytes);
        break;
    case OPTION_GPU:
        options->gpu_given = true;
        good = parse_whole(value, 1023, &options->gpu);
        break;
    case OPTION_SAMPLE: good = parse_sample(options, value); break;
    case OPTION_STACKS: options->stacks = true; break;
    case OPTION_NO_STACKS: options->no_stacks = true; break;
    case OPTION_BURST: good = parse_burst(options, value); break;
    case OPTION_COUNTERS:
        options->counters = strcmp(value, "on") == 0    ? COUNTERS_ON
                            : strcmp(value, "off") == 0 ? COUNTERS_OFF
                                                        : COUNTERS_LIST;
        options->counter_list = options->counters == COUNTERS_LIST ? value : NULL;
        good = *value != '\0';
        break;
    case OPTION_RUNS: good = parse_runs(options, value); break;
    case OPTION_BESIDE: good = parse_few(value, 8, &options->beside); break;
    case OPTION_CAPTURE: good = parse_capture(options, value); break;
    case OPTION_KERNEL:
        options->kernel_glob = value;
        good = *value != '\0';
        break;
    case OPTION_GPUS: good = parse_whole(value, 8, &options->gpus) && options->gpus; break;
    case OPTION_LAUNCHES: good = parse_whole(value, 4e9, &options->launches); break;
    case OPTION_TIME_LIMIT: good = parse_time_limit(options, value); break;
    case OPTION_MAX_SIZE:
        good = parse_number(value, 1, 1e9, &number);
        if (good)
            options->max_bytes = (uint64_t)(number * 1e6);
        break;
    case OPTION_MEMORY:
        good = parse_number(value, 0, 1e9, &number) && (number == 0 || number >= MEMORY_LEAST_MB);
        if (good)
            options->memory_bytes = (size_t)(number * 1e6);
        break;
    case OPTION_REPLACE_INJECTION: options->replace_injection = true; break;
    case OPTION_FAIL_ON:
        good = options->limit_count < OPTIONS_LIMITS_MAX && *value;
        if (good)
            options->limits[options->limit_count++] = value;
        break;
    case OPTION_UPDATE: options->update = true; break;
    case OPTION_JUNIT:
        options->junit = value;
        good = *value != '\0';
        break;
    case OPTION_MARKDOWN:
        options->markdown = value;
        good = *value != '\0';
        break;
    case OPTION_ORDER:
        options->order = value;
        good = *value != '\0';
        break;
    case OPTION_EXERCISE:
        options->exercise = value;
        good = *value != '\0';
        break;
    case OPTION_JSON: return set_format(options, REPORT_JSON, error);
    case OPTION_CSV: return set_format(options, REPORT_CSV, error);
    case OPTION_CHROME: return set_format(options, REPORT_CHROME, error);
    case OPTION_OUT:
        options->out = strcmp(value, "-") == 0 ? NULL : value;
        good = *value != '\0';
        break;
    case OPTION_WIDE: options->wide = true; break;
    case OPTION_LINES: options->lines = true; break;
    case OPTION_FULL: options->full = true; break;
    case OPTION_TABLE: options->table = value; break;
    case OPTION_FORMAT:
        options->table_format = value;
        good = one_of(value, forms);
        break;
    case OPTION_TOP:
        good = parse_number(value, 1, 1e9, &number);
        options->top = (size_t)number;
        break;
    case OPTION_FIELDS: options->fields = value; break;
    case OPTION_SNAPSHOT:
        options->snapshot = value;
        good = one_of(value, snapshots);
        break;
    case OPTION_SIZE: good = parse_size(options, value); break;
    case OPTION_KEYS: options->keys = value; break;
    case OPTION_WRITE_STEPS: options->write_steps = value; break;
    case OPTION_THEME: options->theme = value; break;
    case OPTION_NO_COLOR: options->no_color = true; break;
    case OPTION_TRANSPARENT: options->transparent = true; break;
    case OPTION_ASCII: options->ascii = true; break;
    case OPTION_NO_MOUSE: options->no_mouse = true; break;
    case OPTION_MANUAL: options->command = COMMAND_MANUAL; break;
    case OPTION_HELP: options->command = COMMAND_HELP; break;
    case OPTION_VERSION: options->command = COMMAND_VERSION; break;
    case OPTION_COUNT: break;
    }
    return good ? STATUS_OK : bad_value(row, value, error);
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
static enum status parse_option(struct options *options, int argc, char **argv, int *index, uint64_t *used,
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
    *used |= UINT64_C(1) << row->id;
    return set_option(options, row, value ? value : "", error);
}

enum status options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    uint64_t used = 0;
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
        } else if (argv[i][0] == '-' && argv[i][1] == '-') {
            enum status status = parse_option(options, argc, argv, &i, &used, error);

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
    if (command && options->command == command->command) {
        if (command->runs) {
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
    for (size_t i = 0; i < options->workload_count; i++)
        append_text(text, size_bytes, &used, "%s%s", i ? " " : "", options->workloads[i]);
    for (size_t i = 0; options->program && options->program[i]; i++)
        append_text(text, size_bytes, &used, "%s%s", i ? " " : "-- ", options->program[i]);
}
