/*
 * The order of rows is that of --help. An option's row says where its value lies in struct options, which
 * values it takes and which commands know it.
 */
#include "cli/options/options_table.h"

#include <string.h>

#define FOR(command) (1u << COMMAND_##command)
#define FOR_RUNNING (FOR(SCREEN) | FOR(RECORD) | FOR(PRESENT))
#define FOR_LAUNCHING (FOR_RUNNING | FOR(KERNEL))
#define FOR_COUNTING (FOR_LAUNCHING | FOR(GATE))
#define FOR_DEVICES (FOR_LAUNCHING | FOR(DEVICE))
#define FOR_SCREENS (FOR(SCREEN) | FOR(VIEW) | FOR(WATCH) | FOR(PRESENT))
#define FOR_SAMPLING (FOR_RUNNING | FOR(WATCH))
#define FOR_ALL (~0u)

static const struct option_row option_rows[OPTION_COUNT] = {
    {OPTION_RECORD, "record", "FILE", FOR_SAMPLING, SIDE_ANY,
     "run without a screen and record to FILE; replaces a recording of that name; %h %p %r become host, pid, "
     "rank"},
    {OPTION_ALL, "all", NULL, FOR_RUNNING | FOR(GATE), SIDE_ANY, "every variant of every workload"},
    {OPTION_DEVICE, "device", "auto|cuda|simt|both", FOR_DEVICES | FOR(EXPORT), SIDE_ANY,
     "the device that workloads run on: a GPU, the device model on the CPU, or both in turn; auto: the GPU "
     "if there is one, else the model; with export: the device whose events are exported"},
    {OPTION_GPU, "gpu", "N", FOR_DEVICES | FOR(WATCH), SIDE_GPU, "the number of the GPU, from 0"},
    {OPTION_MODEL, "model", "ID", FOR_DEVICES | FOR(GATE), SIDE_MODEL,
     "the GPU that the device model imitates (lanescope list names them)"},
    {OPTION_GPUS, "gpus", "N", FOR_RUNNING, SIDE_MODEL,
     "how many modelled GPUs a program sees (1; up to 8), with access to each other's memory"},
    {OPTION_CC, "cc", "X.Y", FOR_COUNTING, SIDE_MODEL,
     "count by the rules of this compute capability, 1.0 to 12.1, instead of the modelled GPU's; 2.0-no-l1: "
     "with L1 off, 3.5-l1: with L1 for global loads, 3.5-64-bit: with banks of 64 bits"},
    {OPTION_CHECK, "check", "[=GLOB]", FOR_LAUNCHING, SIDE_MODEL,
     "check for races, reads of memory never written and barriers in divergent code; status 1 if there are "
     "any (accesses out of bounds or misaligned end a kernel on the model also without it); =GLOB: only in a "
     "program's "
     "kernels of these names, the others run at full speed"},
    {OPTION_SUPPRESS, "suppress", "FILE", FOR_RUNNING, SIDE_MODEL,
     "findings of --check in a program that are known: a line KERNEL | FILE:LINE | KIND | REASON each, with "
     "patterns; "
     "report --table checks --format known prints them"},
    {OPTION_REVERSE, "reverse", NULL, FOR_LAUNCHING, SIDE_MODEL,
     "run blocks and warps from the last to the first: with --check, races on paths that depend on the "
     "order"},
    {OPTION_NO_MERGE, "no-merge", NULL, FOR_COUNTING, SIDE_MODEL,
     "keep the memory instructions of the PTX, where ptxas would merge or rewrite them"},
    {OPTION_COUNTERS, "counters", "on|off|LIST", FOR_RUNNING, SIDE_GPU,
     "hardware counters: LIST is metric ids, groups (stalls) or CUPTI names, separated by commas; +LIST: in "
     "addition to the default ones"},
    {OPTION_RUNS, "runs", "trace,counters,lines", FOR_RUNNING, SIDE_GPU,
     "the runs of a program, one after the other; with trace and counters, a further run counts DRAM bytes; "
     "lines: the cost of source lines and instructions, by samples and by counts, in one process per kernel; "
     "of a program those with 80 % of its time, at most 4; lines=N: N of them (1 to 16)"},
    {OPTION_BESIDE, "beside", "N", FOR_RUNNING, SIDE_GPU,
     "with --runs lines: at most N processes count at a time (1 to 8; else as many as fit into memory and "
     "have "
     "two processor cores); 1 for a program that cannot run beside itself, since it writes a file or opens a "
     "port"},
    {OPTION_SAMPLE, "sample", "off|INTERVAL", FOR_SAMPLING, SIDE_GPU,
     "sample the GPU's counters in trace runs, every INTERVAL (1ms; at least 200us), or not"},
    {OPTION_BURST, "burst", "INTERVAL[,kernel:GLOB]", FOR_SAMPLING, SIDE_GPU,
     "sample in bursts of INTERVAL (2us to 1ms) instead of continuously, one at the first launch of each "
     "kernel and shape whose name matches; delays these launches"},
    {OPTION_STACKS, "stacks", NULL, FOR_RUNNING | FOR(REPORT), SIDE_GPU,
     "record also which functions of native code launch kernels and copies (a few us each); with report: "
     "print where they are called"},
    {OPTION_NO_STACKS, "no-stacks", NULL, FOR_RUNNING, SIDE_GPU,
     "do not record which lines of Python launch kernels and copies"},
    {OPTION_CAPTURE, "capture", "all|profiler-api|nvtx:NAME|delay:TIME[,for:TIME]", FOR_RUNNING, SIDE_GPU,
     "the part of a program that is captured; TIME as with --time-limit"},
    {OPTION_KERNEL, "kernel", "GLOB|FILE.cu|FILE.ptx", FOR_LAUNCHING | FOR(REPORT), SIDE_ANY,
     "count, or report, only kernels whose name matches, as it is shown or whole; with lanescope kernel: the "
     "kernel to run, as a name, a pattern or a prefix that matches one; FILE with workloads: run them with "
     "your kernels of the same names in place of the bundled ones (a .cu file is compiled by nvcc)"},
    {OPTION_ORDER, "order", "FILE", FOR_RUNNING, SIDE_ANY,
     "with staged-overlap:order: the order of its copies and kernels (docs/exercises.md)"},
    {OPTION_LAUNCHES, "launches", "N", FOR_RUNNING, SIDE_ANY,
     "count the first N launches of each kernel and shape (3; 0: all); of a program on the device model the "
     "others "
     "run, uncounted and faster"},
    {OPTION_TIME_LIMIT, "time-limit", "TIME", FOR_COUNTING | FOR(WATCH) | FOR(EXERCISE) | FOR(GRADE),
     SIDE_ANY,
     "end the program after TIME (4, 4s, 500ms or 2m; without a unit: seconds), with status 124; with grade: "
     "each hand-in (20)"},
    {OPTION_MAX_SIZE, "max-size", "MB", FOR_SAMPLING, SIDE_ANY,
     "limit the size of the recording; it keeps the newest data"},
    {OPTION_MEMORY, "memory", "MB", FOR_SAMPLING | FOR(VIEW), SIDE_ANY,
     "limit the memory for events (1000; from 16, or 0: no limit): the oldest events and samples are "
     "evicted, their sums are kept; the recording has them all"},
    {OPTION_REPLACE_INJECTION, "replace-injection", NULL, FOR_LAUNCHING, SIDE_GPU,
     "replace another tool that the environment injects"},
    {OPTION_GRID, "grid", "X[,Y[,Z]]", FOR(KERNEL), SIDE_ANY, "blocks of the launch"},
    {OPTION_BLOCK, "block", "X[,Y[,Z]]", FOR(KERNEL), SIDE_ANY, "threads of a block"},
    {OPTION_CLUSTER, "cluster", "X[,Y[,Z]]", FOR(KERNEL), SIDE_ANY,
     "launch in clusters of so many blocks, from compute capability 9.0 on; without it as the kernel was "
     "compiled"},
    {OPTION_ARG, "arg", "TYPE=V|TYPE[N]=FILL", FOR(KERNEL), SIDE_ANY,
     "the arguments of the kernel, in order: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; an array's FILL is ramp, "
     "random, zero or a file of raw little-endian numbers"},
    {OPTION_DUMP_ARG, "dump-arg", "I=FILE", FOR(KERNEL), SIDE_ANY,
     "write array argument I (0 the first) to FILE, raw little-endian, after the launch"},
    {OPTION_SHARED, "shared", "BYTES", FOR(KERNEL), SIDE_ANY, "dynamic shared memory of the launch"},
    {OPTION_FAIL_ON, "fail-on", "'METRIC > LIMIT'", FOR(DIFF), SIDE_ANY,
     "exit with status 1 when a kernel of B exceeds LIMIT; also >=, < and <=; LIMIT is a number, or a ratio "
     "to A with an x: 'time_ns > 1.05x'; can be given several times"},
    {OPTION_UPDATE, "update", NULL, FOR(GATE), SIDE_ANY,
     "write the baseline anew, with the counts of this run"},
    {OPTION_JUNIT, "junit", "FILE", FOR(GATE), SIDE_ANY,
     "write the result as JUnit XML, a test per kernel and shape"},
    {OPTION_MARKDOWN, "markdown", "FILE", FOR(GATE), SIDE_ANY,
     "write the result as Markdown, for a pull request"},
    {OPTION_EXERCISE, "exercise", "NAME", FOR(GRADE), SIDE_ANY,
     "the exercise of all hand-ins, whatever their first lines say"},
    {OPTION_JSON, "json", NULL,
     FOR(EXERCISE) | FOR(GRADE) | FOR(REPORT) | FOR(DIFF) | FOR(EXPORT) | FOR(LIST) | FOR(KERNEL) |
         FOR(DEVICE) | FOR(DOCTOR),
     SIDE_ANY, "as JSON"},
    {OPTION_CSV, "csv", NULL, FOR(REPORT) | FOR(EXPORT), SIDE_ANY, "as CSV"},
    {OPTION_CHROME, "chrome", NULL, FOR(EXPORT), SIDE_ANY, "a trace for the viewers of Perfetto and Chrome"},
    {OPTION_OUT, "out", "FILE", FOR(EXPORT), SIDE_ANY,
     "write to FILE instead of standard output, compressed when its name ends in .gz"},
    {OPTION_WIDE, "wide", NULL, FOR(REPORT) | FOR(RECORD) | FOR(DIFF), SIDE_ANY,
     "do not shorten names to fit 100 columns; with diff also equal values, with --lines all lines"},
    {OPTION_LINES, "lines", NULL, FOR(REPORT), SIDE_ANY,
     "also the costliest lines of each kernel: samples and their stall reasons, instructions, sectors, "
     "wavefronts"},
    {OPTION_FULL, "full", NULL, FOR(REPORT) | FOR(RECORD) | FOR(GRADE), SIDE_ANY,
     "print all tables of the report, not only its first screen of 25 lines; so do --wide, --lines and, with "
     "report, --kernel; with grade: also the hints"},
    {OPTION_TABLE, "table", "NAME", FOR(REPORT), SIDE_ANY,
     "print this table alone (--table list names them); --kernel limits those with kernels"},
    {OPTION_FORMAT, "format", "text|csv|json|markdown|schema|sarif|github|known", FOR(REPORT), SIDE_ANY,
     "with --table: its form; schema: the JSON schema of its JSON"},
    {OPTION_TOP, "top", "N", FOR(REPORT), SIDE_ANY, "with --table: only the first N rows of each group"},
    {OPTION_FIELDS, "fields", "ID,ID", FOR(REPORT), SIDE_ANY,
     "with --table: only these columns, in this order, by the names that they have in CSV"},
    {OPTION_SNAPSHOT, "snapshot", "text|ansi|svg", FOR_SCREENS, SIDE_ANY,
     "draw the screen once to standard output, without a terminal"},
    {OPTION_SIZE, "size", "WxH|small|default", FOR_SCREENS | FOR(RECORD), SIDE_ANY,
     "size of a snapshot, or of the problems of workloads (small on the device model)"},
    {OPTION_KEYS, "keys", "KEYS", FOR_SCREENS, SIDE_ANY,
     "press these keys before the snapshot: \"Tab j + ?\""},
    {OPTION_WRITE_STEPS, "write-steps", "FILE.lesson", FOR(SCREEN), SIDE_ANY,
     "write the keys of this session as the steps of a lesson; $ ends a step (docs/present.md)"},
    {OPTION_THEME, "theme", "NAME", FOR_SCREENS, SIDE_ANY, "colours: standard, projector, colorblind, mono"},
    {OPTION_NO_COLOR, "no-color", NULL, FOR_ALL, SIDE_ANY, "no colours (also NO_COLOR in the environment)"},
    {OPTION_TRANSPARENT, "transparent", NULL, FOR_SCREENS, SIDE_ANY,
     "keep the background of the terminal instead of the theme's; without --theme, a light one gets "
     "projector"},
    {OPTION_ASCII, "ascii", NULL, FOR_ALL, SIDE_ANY, "ASCII only"},
    {OPTION_NO_MOUSE, "no-mouse", NULL, FOR_SCREENS, SIDE_ANY, "leave the mouse to the terminal"},
    {OPTION_MANUAL, "manual", NULL, FOR_ALL, SIDE_ANY, "the manual page: lanescope --manual | man -l -"},
    {OPTION_HELP, "help", NULL, FOR_ALL, SIDE_ANY, "this text (also -h), or the text of a command"},
    {OPTION_VERSION, "version", NULL, FOR_ALL, SIDE_ANY, "the version"},
};

static const struct command_row command_rows[] = {
    {"view", COMMAND_VIEW, "recording", 1, false, 0, "view FILE",
     "open a recording, also one that is still being written"},
    {"report", COMMAND_REPORT, "recording", 1, false, 0, "report FILE [--full|--table T|--json|--csv]",
     "print a recording: one screen of what matters, all tables, or one"},
    {"diff", COMMAND_DIFF, "recordings", 2, false, 0, "diff A[:WORKLOAD...] B [--fail-on ...]",
     "compare two recordings, or two runs (FILE:WORKLOAD:variant,param=value)"},
    {.name = "gate",
     .command = COMMAND_GATE,
     .file = "baseline",
     .runs = true,
     .usage = "gate BASELINE -- PROGRAM ARGS",
     .help = "count a program, or WORKLOAD..., on the device model and compare the counts with a file kept "
             "in git; "
             "writes the file if it is not there"},
    {.name = "exercise",
     .command = COMMAND_EXERCISE,
     .words = 2,
     .usage = "exercise [NAME [FILE]]",
     .help = "list the exercises, write one to this folder, or check your FILE of it on the device model"},
    {.name = "grade",
     .command = COMMAND_GRADE,
     .file = "hand-ins, or their folder",
     .words = OPTIONS_WORDS_MAX,
     .usage = "grade FILE...|FOLDER [--json]",
     .help =
         "check many hand-ins of exercises, each in a process of its own with limits; status 1 if one does "
         "not pass"},
    {"export", COMMAND_EXPORT, "recording", 1, false, 0, "export FILE --chrome|--csv|--json [--out F]",
     "write the events of a recording for other programs"},
    {"kernel", COMMAND_KERNEL, "PTX file", 1, false, 0, "kernel FILE.ptx --grid G --block B",
     "run a kernel of yours from its PTX, on the device model or a GPU"},
    {"present", COMMAND_PRESENT, "lesson", 1, false, 0, "present FILE.lesson",
     "show the steps of a lesson on the screen, one key forward and one back (docs/present.md)"},
    {"follow", COMMAND_FOLLOW, "recording", 1, false, 0, "follow HOST:FILE",
     "open a recording on another machine, by ssh; lanescope must be on its PATH"},
    {"watch", COMMAND_WATCH, NULL, 0, false, 0, "watch [--gpu N]",
     "show the use of the GPU by all programs: counters over time, without starting or changing a program"},
    {"list", COMMAND_LIST, NULL, 0, false, 0, "list [--json]",
     "list the bundled workloads and the devices that they run on"},
    {.name = "glossary",
     .command = COMMAND_GLOSSARY,
     .words = 1,
     .usage = "glossary [WORD]",
     .help = "explain the terms of screens, reports and lessons, or those with WORD"},
    {"device", COMMAND_DEVICE, NULL, 0, false, 0, "device [--json]",
     "print the properties, limits and health of the GPU, or of --model"},
    {"doctor", COMMAND_DOCTOR, "program", 0, false, 0, "doctor [PROGRAM] [--json]",
     "show what works on this machine, and how to fix what does not; of a CUDA program whether the device "
     "model "
     "can run it"},
    {"completion", COMMAND_COMPLETION, "shell", 1, false, 0, "completion bash|zsh",
     "print the completion for the start-up file of the shell: eval \"$(lanescope completion bash)\""},
};

static const char *const usage_lines[][2] = {
    {"lanescope", "open the screen with the list of workloads"},
    {"lanescope WORKLOAD[:variant][,param=value]...", "run workloads, live"},
    {"lanescope -- PROGRAM ARGS", "run any CUDA program, live"},
    {"lanescope --record FILE [WORKLOAD...]", "run workloads (none: all of them) and record them"},
    {"lanescope --record FILE -- PROGRAM ARGS", "run a program and record it"},
};

static const char *const examples[][2] = {
    {"lanescope transpose", "run the variants of a matrix transpose and see what each costs"},
    {"lanescope copy-stride,stride=1..32", "sweep a parameter; p shows the curve"},
    {"lanescope --device simt --check transpose:tile", "look for races on the device model, without a GPU"},
    {"lanescope --record run.lsr -- ./program 1000", "record a program; lanescope view run.lsr shows it"},
    {"lanescope report run.lsr", "print what matters in the recording"},
    {"lanescope diff a.lsr b.lsr --fail-on 'time_ns>1.1x'", "fail if a kernel has become slower"},
    {"lanescope gate counts.csv transpose", "keep the counts in git, and fail where they change"},
};

const char *option_example(size_t index)
{
    return index < sizeof examples / sizeof *examples ? examples[index][0] : NULL;
}

static const char exit_statuses[] =
    "that of a profiled program; 124 time limit, 125 lanescope failed, 126 and 127 as in the shell. "
    "Otherwise 0 success, 1 a check failed, 2 wrong command line, 3 no usable device, 4 counters not "
    "permitted, 125 lanescope failed.";

#define COUNT(array) (sizeof(array) / sizeof *(array))

const struct option_row *option_at(size_t index)
{
    return index < OPTION_COUNT ? &option_rows[index] : NULL;
}

const struct command_row *command_at(size_t index)
{
    return index < COUNT(command_rows) ? &command_rows[index] : NULL;
}

const struct option_row *option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(option_rows[i].name) == length && strncmp(option_rows[i].name, name, length) == 0)
            return &option_rows[i];
    return NULL;
}

const struct command_row *command_find(const char *name)
{
    for (size_t i = 0; i < COUNT(command_rows); i++)
        if (strcmp(command_rows[i].name, name) == 0)
            return &command_rows[i];
    return NULL;
}

#define HELP_COLUMN 29
#define USAGE_COLUMN 51

/* Prints the text from `column` on, broken at blanks before `columns`; the cursor is at the first line's
 * column already. */
static void print_wrapped(FILE *out, const char *text, int column, int columns)
{
    const size_t room = (size_t)(columns - column);

    while (strlen(text) > room) {
        size_t length = room;

        while (length > 0 && text[length] != ' ')
            length--;
        if (length == 0)
            length = strcspn(text, " ");
        if (!text[length])
            break;
        fprintf(out, "%.*s\n%*s", (int)length, text, column, "");
        text += length + 1;
    }
    fprintf(out, "%s\n", text);
}

/* Prints the words on the left and the text beside them, or below if there is no room. */
static void print_entry(FILE *out, const char *left, const char *text, int column, int columns)
{
    if ((int)strlen(left) > column - 3)
        fprintf(out, "  %s\n%*s", left, column, "");
    else
        fprintf(out, "  %-*s", column - 2, left);
    print_wrapped(out, text, column, columns);
}

static void print_usage(FILE *out, const char *usage, const char *help, int columns)
{
    bool beside = columns >= HELP_COLUMNS_MOST;

    if (beside) {
        print_entry(out, usage, help, USAGE_COLUMN, columns);
        return;
    }
    fprintf(out, "  %s\n%6s", usage, "");
    print_wrapped(out, help, 6, columns);
}

static void print_option(FILE *out, const struct option_row *row, int columns)
{
    char left[64];

    snprintf(left, sizeof left, "--%s%s%s", row->name, option_needs_value(row) ? " " : "",
             row->argument ? row->argument : "");
    print_entry(out, left, row->help, HELP_COLUMN, columns);
}

static void print_usages(FILE *out, enum command command, int columns)
{
    char usage[80];

    for (size_t i = 0; i < COUNT(usage_lines) && command == COMMAND_HELP; i++)
        print_usage(out, usage_lines[i][0], usage_lines[i][1], columns);
    for (size_t i = 0; i < COUNT(command_rows); i++) {
        if (command != COMMAND_HELP && command_rows[i].command != command)
            continue;
        snprintf(usage, sizeof usage, "lanescope %s", command_rows[i].usage);
        print_usage(out, usage, command_rows[i].help, columns);
    }
}

/* The heading above the group of options that begins with this one; NULL: it begins none. */
static const char *heading_of(enum option_id id)
{
    static const struct {
        enum option_id first;
        const char *text;
    } headings[] = {
        {OPTION_RECORD, "what runs, and on which device"},
        {OPTION_COUNTERS, "what is measured"},
        {OPTION_TIME_LIMIT, "limits"},
        {OPTION_GRID, "the launch of a kernel of yours"},
        {OPTION_FAIL_ON, "comparisons and gates"},
        {OPTION_JSON, "what is printed"},
        {OPTION_SNAPSHOT, "the screen"},
        {OPTION_MANUAL, "about lanescope"},
    };
    for (size_t i = 0; i < COUNT(headings); i++)
        if (headings[i].first == id)
            return headings[i].text;
    return NULL;
}

/* All options of lanescope under headings, or those of a command. */
static void print_options(FILE *out, enum command command, int columns)
{
    if (command != COMMAND_HELP)
        fputs("\noptions of it\n", out);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        const char *heading = heading_of(row->id);

        if (heading && command == COMMAND_HELP)
            fprintf(out, "\noptions: %s\n", heading);
        if (row->help && (command == COMMAND_HELP || row->commands & (1u << command)))
            print_option(out, row, columns);
    }
}

void options_print_help(FILE *out, enum command command, int columns)
{
    columns = columns < HELP_COLUMNS_LEAST  ? HELP_COLUMNS_LEAST
              : columns > HELP_COLUMNS_MOST ? HELP_COLUMNS_MOST
                                            : columns;
    if (command == COMMAND_HELP)
        print_wrapped(out, "lanescope shows what the 32 lanes of a warp do: a terminal profiler for CUDA.\n",
                      0, columns);
    print_usages(out, command, columns);
    print_options(out, command, columns);
    if (command != COMMAND_HELP) {
        fputs("\nlanescope --help lists all commands and options.\n", out);
        return;
    }
    fputs("\nexamples\n", out);
    for (size_t i = 0; i < COUNT(examples); i++)
        print_usage(out, examples[i][0], examples[i][1], columns);
    fputc('\n', out);
    print_wrapped(
        out,
        "lanescope help COMMAND shows one command with its options. docs/glossary.md explains the terms.", 0,
        columns);
    fputs("exit status: ", out);
    print_wrapped(out, exit_statuses, (int)strlen("exit status: "), columns);
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
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];

        if (heading_of(row->id)) {
            fputs(".SS ", out);
            print_roff(out, heading_of(row->id));
            fputc('\n', out);
        }
        if (!row->help)
            continue;
        fputs(".TP\n.B \\-\\-", out);
        print_roff(out, row->name);
        if (option_needs_value(row))
            fputc(' ', out);
        if (row->argument)
            print_roff(out, row->argument);
        fputc('\n', out);
        print_roff(out, row->help);
        fputc('\n', out);
    }
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < COUNT(examples); i++) {
        fputs(".TP\n.B ", out);
        print_roff(out, examples[i][0]);
        fputc('\n', out);
        print_roff(out, examples[i][1]);
        fputc('\n', out);
    }
    fputs(".SH EXIT STATUS\n", out);
    print_roff(out, exit_statuses);
    fputc('\n', out);
}
