/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of rows is that of --help. An option's row says where its value lies in struct options, which
 * values it takes, which commands know it and which options it goes with.
 */
#include "cli/options/options_table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define FOR_LAUNCHING (FOR_RUNNING | FOR(KERNEL))
#define FOR_STEPPING (FOR_LAUNCHING | FOR(DEBUG))
#define FOR_COUNTING (FOR_STEPPING | FOR(GATE))
#define FOR_DEVICES (FOR_STEPPING | FOR(DEVICE))
#define FOR_SCREENS (FOR(SCREEN) | FOR(VIEW) | FOR(WATCH) | FOR(ATTACH) | FOR(PRESENT) | FOR(DEBUG))
#define FOR_TABLES                                                                                  \
    (FOR(REPORT) | FOR(WHAT_IF) | FOR(DIFF) | FOR(GATE) | FOR(LIST) | FOR(DEVICE) | FOR(EXERCISE) | \
     FOR(GRADE) | FOR(COVERAGE) | FOR(GENERATIONS) | FOR(JUDGE))
#define FOR_SAMPLING (FOR_RUNNING | FOR(WATCH))
#define FOR_CAPTURING (FOR_SAMPLING | FOR(ATTACH))

/* Of a time limit, and of the part of a program that is captured: a millisecond to 30 years. */
#define SHORTEST_NS 1e6
#define LONGEST_NS 1e18

/* A number with at most a decimal point, in [minimum, maximum]. */
static bool parse_number(const char *text, double minimum, double maximum, double *number)
{
    char *end;

    errno = 0;
    *number = strtod(text, &end);
    return !errno && end != text && !*end && *number >= minimum && *number <= maximum;
}

static bool parse_whole(const char *text, double least, double most, uint32_t *number)
{
    double parsed;

    if (!parse_number(text, least, most, &parsed) || parsed != floor(parsed))
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
    options->trace_run = options->counter_run = options->line_run = false;
    while ((word = strsep(&rest, ",")))
        if (strcmp(word, "trace") == 0)
            options->trace_run = true;
        else if (strcmp(word, "counters") == 0)
            options->counter_run = true;
        else if (strcmp(word, "lines") == 0)
            options->line_run = true;
        else if (strncmp(word, "lines=", 6) == 0 && parse_whole(word + 6, 1, 16, &options->line_kernels))
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
static bool parse_extent(const char *text, struct option_extent *extent)
{
    *extent = (struct option_extent){{1, 1, 1}, text};
    for (int i = 0; i < 3; i++) {
        char *end;

        errno = 0;
        const unsigned long long number = strtoull(text, &end, 10);
        if (errno || end == text || *text < '0' || *text > '9' || number < 1 || number > INT32_MAX)
            return false;
        extent->size[i] = (uint32_t)number;
        if (!*end)
            return true;
        if (*end != ',' && *end != 'x')
            return false;
        text = end + 1;
    }
    return false;
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

static bool parse_for(struct options *options, const char *value)
{
    uint64_t for_ns;
    const char *rest;

    if (!parse_time(value, SHORTEST_NS, LONGEST_NS, &for_ns, &rest) || *rest)
        return false;
    options->for_s = (double)for_ns / 1e9;
    return true;
}

static bool parse_gpu(struct options *options, const char *value)
{
    options->gpu_given = true;
    return parse_whole(value, 0, 1023, &options->gpu);
}

static bool parse_shared(struct options *options, const char *value)
{
    options->shared_text = value;
    return parse_whole(value, 0, 1 << 30, &options->shared_bytes);
}

static bool parse_check(struct options *options, const char *value)
{
    options->check = true;
    options->checked = *value ? value : NULL;
    return true;
}

static bool parse_counters(struct options *options, const char *value)
{
    options->counters = strcmp(value, "on") == 0    ? COUNTERS_ON
                        : strcmp(value, "off") == 0 ? COUNTERS_OFF
                                                    : COUNTERS_LIST;
    options->counter_list = options->counters == COUNTERS_LIST ? value : NULL;
    return *value != '\0';
}

static bool parse_capability(struct options *options, const char *value)
{
    options->rules = arch_parse(value);
    return options->rules != NULL;
}

/* Kind, bounds and field of a row. */
#define FIELD(kind_of, field_of) .kind = KIND_##kind_of, .field = offsetof(struct options, field_of)
#define ENUM(field, value) .least = value, FIELD(ENUM, field)
#define TEXT(field) .least = 1, FIELD(TEXT, field)
#define WHOLE(field, from, to) .least = from, .most = to, FIELD(WHOLE, field)
#define MEGABYTES(field, from) .least = from, .most = 1e9, FIELD(MEGABYTES, field)
#define OWN(name) .kind = KIND_OWN, .parse = parse_##name, .field = 0

static const struct option_row option_rows[] = {
    {"record", "FILE", TEXT(record), FOR_CAPTURING, SIDE_ANY,
     "run without a screen and record to FILE; replaces a recording of that name; %h %p %r become host, "
     "pid, rank",
     .heading = "what runs, and on which device"},
    {"digest", NULL, FIELD(FLAG, digest), FOR(RECORD) | FOR(ATTACH), SIDE_ANY,
     "write the digest of the recording beside it (NAME.lsd), for lanescope gather: small, whatever the length of the run",
     .needs = "record"},
    {"anonymous", NULL, FIELD(FLAG, anonymous), FOR_RUNNING | FOR(ATTACH) | FOR(EXPORT), SIDE_ANY,
     "leave out what names the machine or its user: host, command lines, folders, UUIDs of GPUs, texts of sources"},
    {"events", "FILE", TEXT(events), FOR(RECORD) | FOR(ATTACH), SIDE_ANY,
     "also write each event to FILE as it comes, a line of JSON each (docs/export.md); a named pipe or /dev/fd/3 serves as well",
     .needs = "record"},
    {"all", NULL, FIELD(FLAG, all), FOR_RUNNING | FOR(GATE), SIDE_ANY, "every variant of every workload"},
    {"device", "auto|cuda|simt|both", FIELD(WORD, device), FOR_DEVICES | FOR(EXPORT), SIDE_ANY,
     "the device that workloads run on: a GPU, the device model on the CPU, or both in turn; auto: the "
     "GPU if there is one, else the model; of a program, both: times of the GPU beside the model's counts, where "
     "counters are not permitted; with export: the device whose events are exported"},
    {"gpu", "N", OWN(gpu), FOR_DEVICES | FOR(WATCH), SIDE_GPU, "the number of the GPU, from 0"},
    {"model", "ID", TEXT(model), FOR_DEVICES | FOR(GATE), SIDE_MODEL,
     "the GPU that the device model imitates (lanescope list names them)"},
    {"gpus", "N", WHOLE(gpus, 1, 8), FOR_RUNNING, SIDE_MODEL,
     "how many modelled GPUs a program sees (1; up to 8), with access to each other's memory",
     .of_program = true},
    {"cc", "X.Y", OWN(capability), FOR_COUNTING, SIDE_MODEL,
     "count by the rules of this compute capability, 1.0 to 12.1, instead of the modelled GPU's; "
     "2.0-no-l1: with L1 off, 3.5-l1: with L1 for global loads, 3.5-64-bit: with banks of 64 bits"},
    {"check", "[=GLOB]", OWN(check), FOR_STEPPING, SIDE_MODEL,
     "check for races, reads of memory never written and barriers in divergent code; status 1 if there "
     "are any (accesses out of bounds or misaligned end a kernel on the model also without it); =GLOB: "
     "only in a program's kernels of these names, the others run at full speed"},
    {"suppress", "FILE", TEXT(known), FOR_RUNNING, SIDE_MODEL,
     "findings of --check in a program that are known: a line KERNEL | FILE:LINE | KIND | REASON each, "
     "with patterns; report --table checks --format known prints them",
     .needs = "check", .of_program = true},
    {"reverse", NULL, FIELD(FLAG, reverse), FOR_STEPPING, SIDE_MODEL,
     "run blocks and warps from the last to the first: with --check, races on paths that depend on the "
     "order"},
    {"at", "LINE", WHOLE(at_line, 1, 9999999), FOR(DEBUG), SIDE_MODEL,
     "begin where a warp first comes to this line of the kernel's source"},
    {"no-merge", NULL, FIELD(FLAG, keep_ptx), FOR_COUNTING, SIDE_MODEL,
     "keep the memory instructions of the PTX, where ptxas would merge or rewrite them"},
    {"counters", "on|off|LIST", OWN(counters), FOR_RUNNING, SIDE_GPU,
     "hardware counters: LIST is metric ids, groups (stalls) or CUPTI names, separated by commas; +LIST: "
     "in addition to the default ones",
     .heading = "what is measured"},
    {"runs", "trace,counters,lines", OWN(runs), FOR_RUNNING, SIDE_GPU,
     "the runs of a program, one after the other; with trace and counters, a further run counts DRAM "
     "bytes; lines: the cost of source lines and instructions, by samples and by counts, in one process "
     "per kernel; of a program those with 80 % of its time, at most 4; lines=N: N of them (1 to 16)"},
    {"beside", "N", WHOLE(beside, 1, 8), FOR_RUNNING, SIDE_GPU,
     "with --runs lines: at most N processes count at a time (1 to 8; else as many as fit into memory and "
     "have two processor cores); 1 for a program that cannot run beside itself, since it writes a file or "
     "opens a port"},
    {"sample", "off|INTERVAL", OWN(sample), FOR_SAMPLING, SIDE_GPU,
     "sample the GPU's counters in trace runs, every INTERVAL (1ms; at least 200us), or not"},
    {"burst", "INTERVAL[,kernel:GLOB]", OWN(burst), FOR_SAMPLING, SIDE_GPU,
     "sample in bursts of INTERVAL (2us to 1ms) instead of continuously, one at the first launch of each "
     "kernel and shape whose name matches; delays these launches",
     .excludes = "sample"},
    {"stacks", NULL, FIELD(FLAG, stacks), FOR_RUNNING | FOR(ATTACH) | FOR(REPORT), SIDE_GPU,
     "record also which functions of native code launch kernels and copies (a few us each); with report: "
     "print where they are called"},
    {"no-stacks", NULL, FIELD(FLAG, no_stacks), FOR_RUNNING | FOR(ATTACH), SIDE_GPU,
     "do not record which lines of Python launch kernels and copies"},
    {"capture", "all|profiler-api|nvtx:NAME|delay:TIME[,for:TIME]", OWN(capture), FOR_RUNNING, SIDE_GPU,
     "the part of a program that is captured; TIME as with --time-limit", .of_program = true},
    {"dormant", NULL, FIELD(FLAG, dormant), FOR(SCREEN), SIDE_ANY,
     "start the program so that lanescope attach can capture it later, as often as wanted: until then it runs as without "
     "lanescope, which makes room for it",
     .of_program = true},
    {"for", "TIME", OWN(for), FOR(ATTACH), SIDE_ANY, "with attach: capture for TIME (5s), not to the end of the process"},
    {"kernel", "GLOB|FILE.cu|FILE.ptx", TEXT(kernel_glob), FOR_STEPPING | FOR(REPORT), SIDE_ANY,
     "count, or report, only kernels whose name matches, as it is shown or whole; with lanescope kernel: "
     "the kernel to run, as a name, a pattern or a prefix that matches one; FILE with workloads: run them "
     "with your kernels of the same names in place of the bundled ones (a .cu file is compiled by nvcc)"},
    {"launches", "N", WHOLE(launches, 0, 4e9), FOR_RUNNING, SIDE_ANY,
     "count the first N launches of each kernel and shape (3; 0: all); of a program on the device model "
     "the others run, uncounted and faster"},
    {"time-limit", "TIME", OWN(time_limit), FOR_COUNTING | FOR(WATCH) | FOR(EXERCISE) | FOR(GRADE), SIDE_ANY,
     "end the program after TIME (4, 4s, 500ms or 2m; without a unit: seconds), with status 124; with "
     "grade: each hand-in (20)",
     .heading = "limits"},
    {"max-size", "MB", MEGABYTES(max_bytes, 1), FOR_CAPTURING, SIDE_ANY,
     "limit the size of the recording, which keeps the newest data (from 1; 0: no limit)"},
    {"memory", "MB", MEGABYTES(memory_bytes, MEMORY_LEAST_MB), FOR_CAPTURING | FOR(VIEW), SIDE_ANY,
     "limit the memory for events (1000; from 16, or 0: no limit): the oldest events and samples are "
     "evicted, their sums are kept; the recording has them all"},
    {"replace-injection", NULL, FIELD(FLAG, replace_injection), FOR_LAUNCHING, SIDE_GPU,
     "replace another tool that the environment injects"},
    {"grid", "X[,Y[,Z]]", FIELD(EXTENT, grid), FOR(KERNEL), SIDE_ANY, "blocks of the launch",
     .heading = "the launch of a kernel of yours"},
    {"block", "X[,Y[,Z]]", FIELD(EXTENT, block), FOR(KERNEL), SIDE_ANY, "threads of a block"},
    {"cluster", "X[,Y[,Z]]", FIELD(EXTENT, cluster), FOR(KERNEL), SIDE_ANY,
     "launch in clusters of so many blocks, from compute capability 9.0 on; without it as the kernel was "
     "compiled"},
    {"arg", "TYPE=V|TYPE[N]=FILL", FIELD(TEXTS, args), FOR(KERNEL), SIDE_ANY,
     "the arguments of the kernel, in order: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; an array's FILL is "
     "ramp, random, zero or a file of raw little-endian numbers"},
    {"dump-arg", "I=FILE", FIELD(TEXTS, dumps), FOR(KERNEL), SIDE_ANY,
     "write array argument I (0 the first) to FILE, raw little-endian, after the launch"},
    {"shared", "BYTES", OWN(shared), FOR(KERNEL), SIDE_ANY, "dynamic shared memory of the launch"},
    {"fail-on", "'METRIC > LIMIT'", FIELD(TEXTS, limits), FOR(DIFF), SIDE_ANY,
     "exit with status 1 when a kernel of B exceeds LIMIT; also >=, < and <=; LIMIT is a number, or a "
     "ratio to A with an x: 'time_ns > 1.05x'; can be given several times",
     .heading = "comparisons and gates"},
    {"update", NULL, FIELD(FLAG, update), FOR(GATE), SIDE_ANY,
     "write the baseline anew, with the counts of this run"},
    {"junit", "FILE", TEXT(junit), FOR(GATE), SIDE_ANY,
     "write the result as JUnit XML, a test per kernel and shape"},
    {"markdown", "FILE", TEXT(markdown), FOR(GATE), SIDE_ANY,
     "write the result as Markdown, for a pull request"},
    {"edit", "ID,ID", TEXT(edits), FOR(WHAT_IF), SIDE_ANY,
     "these edits, each on top of those before it, instead of the best in order of gain (--table edits lists "
     "them)"},
    {"exercise", "NAME", TEXT(exercise), FOR(GRADE), SIDE_ANY,
     "the exercise of all hand-ins, whatever their first lines say"},
    {"reference", "R.cu", TEXT(reference), FOR(JUDGE), SIDE_ANY,
     "what is right: void reference(...) on the host, and its table of arguments"},
    {"json", NULL, ENUM(format, REPORT_JSON),
     FOR(JUDGE) | FOR(EXERCISE) | FOR(GRADE) | FOR(REPORT) | FOR(WHAT_IF) | FOR(DIFF) | FOR(EXPORT) |
         FOR(LIST) | FOR(KERNEL) | FOR(DEVICE) | FOR(DOCTOR) | FOR(COVERAGE) | FOR(GENERATIONS),
     SIDE_ANY, "as JSON", .excludes = "csv,chrome,perfetto,pprof,lsr", .heading = "what is printed"},
    {"csv", NULL, ENUM(format, REPORT_CSV),
     FOR(REPORT) | FOR(WHAT_IF) | FOR(EXPORT) | FOR(COVERAGE) | FOR(GENERATIONS), SIDE_ANY, "as CSV",
     .excludes = "chrome,perfetto,pprof,lsr"},
    {"chrome", NULL, ENUM(format, REPORT_CHROME), FOR(EXPORT), SIDE_ANY,
     "a trace for the viewers of Perfetto and Chrome, and for programs that read PyTorch's",
     .excludes = "perfetto,pprof,lsr"},
    {"perfetto", NULL, ENUM(format, REPORT_PERFETTO), FOR(EXPORT), SIDE_ANY,
     "a trace in Perfetto's own format (.pftrace): smaller, and its times are whole ns",
     .excludes = "pprof,lsr"},
    {"pprof", NULL, ENUM(format, REPORT_PPROF), FOR(EXPORT), SIDE_ANY,
     "a profile of pprof: operations and their time by call path, samples by source line", .excludes = "lsr"},
    {"lsr", NULL, ENUM(format, REPORT_LSR), FOR(EXPORT), SIDE_ANY,
     "a recording of lanescope, of another tool's trace: opens at once, and keeps notes"},
    {"tables", "DIR", TEXT(tables), FOR(EXPORT), SIDE_ANY,
     "every table of the report as DIR/TABLE.csv, for duckdb and the like; of a job's ranks and collectives, too",
     .excludes = "json,csv,chrome,perfetto,pprof,lsr"},
    {"bug-report", NULL, FIELD(FLAG, bug_report), FOR(DOCTOR), SIDE_ANY,
     "what an issue needs, to paste as it is: version, system and findings, without the names of user, host and home",
     .excludes = "json"},
    {"out", "FILE", TEXT(out), FOR(EXPORT) | FOR(GATHER), SIDE_ANY,
     "write to FILE (also -o FILE) instead of standard output, compressed when its name ends in .gz; of gather: the job"},
    {"wide", NULL, FIELD(FLAG, wide),
     FOR(REPORT) | FOR(WHAT_IF) | FOR(RECORD) | FOR(DIFF) | FOR(COVERAGE) | FOR(GENERATIONS), SIDE_ANY,
     "do not shorten names to fit 100 columns; with diff also equal values, with --lines all lines"},
    {"lines", NULL, FIELD(FLAG, lines), FOR(REPORT), SIDE_ANY,
     "also the costliest lines of each kernel: samples and their stall reasons, instructions, sectors, "
     "wavefronts",
     .excludes = "csv"},
    {"full", NULL, FIELD(FLAG, full), FOR(REPORT) | FOR(RECORD) | FOR(GRADE), SIDE_ANY,
     "print all tables of the report, not only its first screen of 25 lines; so do --wide, --lines and, "
     "with report, --kernel; with grade: also the hints"},
    {"summary", NULL, FIELD(FLAG, summary), FOR(REPORT), SIDE_ANY,
     "with --json: only the first screen, the partition of the time, what would help and the top kernels, in at most 8 KB",
     .needs = "json", .excludes = "table,full,lines,wide,kernel,stacks"},
    {"cuda-profile", NULL, FIELD(FLAG, cuda_profile), FOR(REPORT), SIDE_ANY,
     "print the copies and kernels as CUDA's old command-line profiler did: method=[ ] gputime=[ ] cputime=[ ] "
     "occupancy=[ ]",
     .excludes = "json,csv,table,full,lines"},
    {"table", "NAME", TEXT(table), FOR_TABLES, SIDE_ANY,
     "print this table alone (--table list names them); with report --kernel limits those with kernels",
     .excludes = "full,lines"},
    {"format", "text|csv|json|compact|markdown|schema|sarif|github|known", FIELD(WORD, table_format),
     FOR_TABLES, SIDE_ANY,
     "with --table: its form; compact: JSON that names each field once; schema: the JSON schema of its JSON; the last "
     "three: of report's checks",
     .needs = "table", .excludes = "csv,json"},
    {"top", "N", WHOLE(top, 1, 4e9), FOR_TABLES, SIDE_ANY,
     "with --table, and with --json of report and diff: only the first N rows of each group",
     .needs = "table|json"},
    {"width", "N", WHOLE(line_cells, 20, 1000), FOR_TABLES, SIDE_ANY,
     "with --table: lines of N cells, in place of the terminal's width or 100", .needs = "table",
     .excludes = "wide"},
    {"fields", "ID,ID", TEXT(fields), FOR_TABLES, SIDE_ANY,
     "with --table: only these columns, in this order, by the names that they have in CSV", .needs = "table"},
    {"document", "guide|fermi|course|slides|article", TEXT(document), FOR(LIST), SIDE_ANY,
     "list the steps of a document in its own order, with the lesson and the run of each",
     .excludes = "table"},
    {"json-schema", "NAME", TEXT(json_schema), FOR_ALL, SIDE_ANY,
     "print the JSON schema of a document: report, summary, device, diff, grade, job or list; of a table: --table NAME "
     "--format schema"},
    {"snapshot", "text|ansi|svg", FIELD(WORD, snapshot), FOR_SCREENS, SIDE_ANY,
     "draw the screen once to standard output, without a terminal", .heading = "the screen"},
    {"size", "WxH|small|default", OWN(size), FOR_SCREENS | FOR(RECORD) | FOR(GENERATIONS), SIDE_ANY,
     "size of a snapshot, or of the problems of workloads (small on the device model)"},
    {"keys", "KEYS", FIELD(TEXT, keys), FOR_SCREENS, SIDE_ANY,
     "press these keys before the snapshot: \"Tab j + ?\"", .needs = "snapshot"},
    {"write-steps", "FILE.lesson", TEXT(write_steps), FOR(SCREEN), SIDE_ANY,
     "write the keys of this session as the steps of a lesson; $ ends a step (docs/present.md)"},
    {"theme", "NAME", TEXT(theme), FOR_SCREENS, SIDE_ANY, "colours: standard, projector, colorblind, mono"},
    {"no-color", NULL, FIELD(FLAG, no_color), FOR_ALL, SIDE_ANY,
     "no colours (also NO_COLOR in the environment)"},
    {"transparent", NULL, FIELD(FLAG, transparent), FOR_SCREENS, SIDE_ANY,
     "keep the background of the terminal instead of the theme's; without --theme, a light one gets "
     "projector"},
    {"ascii", NULL, FIELD(FLAG, ascii), FOR_ALL, SIDE_ANY, "ASCII only"},
    {"no-mouse", NULL, FIELD(FLAG, no_mouse), FOR_SCREENS, SIDE_ANY, "leave the mouse to the terminal"},
    {"manual", NULL, ENUM(command, COMMAND_MANUAL), FOR_ALL, SIDE_ANY,
     "the manual page: lanescope --manual | man -l -; of a command: lanescope COMMAND --manual",
     .heading = "about lanescope"},
    {"help", NULL, ENUM(command, COMMAND_HELP), FOR_ALL, SIDE_ANY,
     "this text (also -h), or the text of a command"},
    {"version", NULL, ENUM(command, COMMAND_VERSION), FOR_ALL, SIDE_ANY, "the version"},
};

static const struct command_row command_rows[] = {
    {"view", COMMAND_VIEW, "recording", 1, false, 0, "view FILE",
     "open a recording, also one that is still being written"},
    {"report", COMMAND_REPORT, "recording", 1, false, 0, "report FILE [--full|--table T|--json|--csv]",
     "print a recording: one screen of what matters, all tables, or one"},
    {.name = "what-if",
     .command = COMMAND_WHAT_IF,
     .file = "recording",
     .words = OPTIONS_WORDS_MAX,
     .usage = "what-if FILE [RUN...] [--edit ID,ID]",
     .help =
         "replay the runs of a recording with edits (no waits, no gaps, pinned copies ...) and print what "
         "each would gain, the best first"},
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
    {.name = "generations",
     .command = COMMAND_GENERATIONS,
     .runs = true,
     .usage = "generations WORKLOAD [--size default]",
     .help =
         "one workload on every modelled GPU, from compute capability 1.0 on: ideal, counted, modelled time"},
    {.name = "debug",
     .command = COMMAND_DEBUG,
     .runs = true,
     .usage = "debug WORKLOAD | debug -- PROGRAM ARGS",
     .help =
         "step a kernel on the device model, warp instruction by warp instruction, forward and back: lanes, "
         "registers, memory, who wrote a word (docs/debug.md)"},
    {.name = "gather",
     .command = COMMAND_GATHER,
     .file = "files of the ranks, or their folder",
     .words = OPTIONS_WORDS_MAX,
     .usage = "gather FILE...|FOLDER --out JOB.lsj",
     .help = "gather the ranks of a job from recordings, digests, jobs and traces of other tools; report and "
             "view name the rank that holds the others up"},
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
    {"export", COMMAND_EXPORT, "recording", 1, false, 0, "export FILE --chrome|--csv|--json|...",
     "write the events of a recording for other programs"},
    {"kernel", COMMAND_KERNEL, "PTX file", 1, false, 0, "kernel FILE.ptx --grid G --block B",
     "run a kernel of yours from its PTX, on the device model or a GPU"},
    {"present", COMMAND_PRESENT, "lesson", 1, false, 0, "present FILE.lesson|SYLLABUS",
     "show the steps of a lesson on the screen, one key forward and one back (docs/present.md), or of a document: "
     "guide, fermi, course, slides, article"},
    {"follow", COMMAND_FOLLOW, "recording", 1, false, 0, "follow HOST:FILE",
     "open a recording on another machine, by ssh; lanescope must be on its PATH"},
    {"watch", COMMAND_WATCH, NULL, 0, false, 0, "watch [--gpu N]",
     "show the use of the GPU by all programs: counters over time, without starting or changing a program"},
    {"attach", COMMAND_ATTACH, "process", 1, false, 0, "attach PID [--for 5s]",
     "capture a program that runs, started as lanescope --dormant -- PROGRAM: live, or with --record into a file; it runs "
     "on afterwards (docs/attach.md)"},
    {"judge", COMMAND_JUDGE, "file", 1, false, 0, "judge FILE.cu|FILE.ptx --reference R.cu [--json]",
     "check kernels and their launch(stream, ...) against a reference, with sizes and values drawn afterwards, on the device model: "
     "right, all of the work done, and what it costs (docs/judge.md); status 1 if it does not pass"},
    {"mcp", COMMAND_MCP, NULL, 0, false, 0, "mcp",
     "answer the questions of an agent about recordings, over the Model Context Protocol on standard input and output (docs/mcp.md)"},
    {"list", COMMAND_LIST, NULL, 0, false, 0, "list [--json|--document NAME]",
     "list the bundled workloads and the devices that they run on"},
    {.name = "coverage",
     .command = COMMAND_COVERAGE,
     .words = 64,
     .usage = "coverage [POINT|CHAPTER|DOCUMENT...]",
     .help =
         "check on the device model what the five documents say, point by point: their number, the model's, "
         "the deviation; quick: all but the slow points"},
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
    {"recover", COMMAND_RECOVER, NULL, 0, false, 0, "recover",
     "move the recordings of killed sessions to this folder, each as one file that view and report open"},
    {"clean", COMMAND_CLEAN, NULL, 0, false, 0, "clean",
     "delete the recordings of killed sessions (doctor lists them with their ages and sizes)"},
    {"completion", COMMAND_COMPLETION, "shell", 1, false, 0, "completion bash|zsh|fish",
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
    {"lanescope what-if run.lsr", "print what would help the program, and how much"},
    {"lanescope diff a.lsr b.lsr --fail-on 'time_ns>1.1x'", "fail if a kernel has become slower"},
    {"lanescope gate counts.csv transpose", "keep the counts in git, and fail where they change"},
};

const char *option_example(size_t index)
{
    return index < COUNT(examples) ? examples[index][0] : NULL;
}

static const char exit_statuses[] =
    "that of a profiled program; 124 time limit, 125 lanescope failed, 126 and 127 as in the shell. "
    "Otherwise 0 success, 1 a check failed, 2 wrong command line, 3 no usable device, 4 counters not "
    "permitted, 125 lanescope failed.";

/* One of the words between these characters. */
static bool has_word(const char *words, const char *between, const char *word)
{
    for (size_t length; *words; words += length + (words[length] != '\0')) {
        length = strcspn(words, between);
        if (strlen(word) == length && strncmp(words, word, length) == 0)
            return true;
    }
    return false;
}

bool option_read(struct options *options, const struct option_row *row, const char *text)
{
    void *field = (char *)options + row->field;
    struct option_texts *texts = field;
    double number;

    switch (row->kind) {
    case KIND_FLAG: *(bool *)field = true; return true;
    case KIND_ENUM: *(unsigned *)field = (unsigned)row->least; return true;
    case KIND_TEXT: *(const char **)field = text; return strlen(text) >= (size_t)row->least;
    case KIND_WORD: *(const char **)field = text; return has_word(row->argument, "|", text);
    case KIND_TEXTS:
        if (texts->count == OPTIONS_TEXTS_MAX || !*text)
            return false;
        texts->list[texts->count++] = text;
        return true;
    case KIND_WHOLE: return parse_whole(text, row->least, row->most, field);
    case KIND_MEGABYTES:
        if (!parse_number(text, 0, row->most, &number) || (number > 0 && number < row->least))
            return false;
        *(uint64_t *)field = (uint64_t)(number * 1e6);
        return true;
    case KIND_EXTENT: return parse_extent(text, field);
    case KIND_OWN: break;
    }
    return row->parse(options, text);
}

const struct option_row *option_at(size_t index)
{
    return index < COUNT(option_rows) ? &option_rows[index] : NULL;
}

const struct command_row *command_at(size_t index)
{
    return index < COUNT(command_rows) ? &command_rows[index] : NULL;
}

_Static_assert(COUNT(option_rows) <= OPTION_ROWS_MAX, "the parser has a flag for each");

const struct option_row *option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(option_rows); i++)
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
    const size_t room = (size_t)columns - 2;
    if (strlen(left) > room) { /* words between bars, of which the last ones have the next line */
        size_t length = room;
        while (length > 1 && left[length - 1] != '|')
            length--;
        fprintf(out, "  %.*s\n", (int)length, left);
        left += length;
    }
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
    char left[96];

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

/* All options of lanescope under headings, or those of a command. */
static void print_options(FILE *out, enum command command, int columns)
{
    if (command != COMMAND_HELP)
        fputs("\noptions of it\n", out);
    for (size_t i = 0; i < COUNT(option_rows); i++) {
        const struct option_row *row = &option_rows[i];

        if (row->heading && command == COMMAND_HELP)
            fprintf(out, "\noptions: %s\n", row->heading);
        if (command == COMMAND_HELP || row->commands & (1u << command))
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

static void print_manual_option(FILE *out, const struct option_row *row)
{
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

void options_print_command_manual(FILE *out, enum command command)
{
    const struct command_row *about = command_rows;

    while (about->command != command)
        about++;
    fputs(".TH LANESCOPE\\-", out);
    for (const char *letter = about->name; *letter; letter++)
        fputc(*letter == '-' ? '-' : toupper((unsigned char)*letter), out);
    fprintf(out, " 1\n.SH NAME\nlanescope\\-%s \\- ", about->name);
    print_roff(out, about->help);
    fputs("\n.SH SYNOPSIS\n.B lanescope ", out);
    print_roff(out, about->usage);
    fputs("\n.SH OPTIONS\n", out);
    for (size_t i = 0; i < COUNT(option_rows); i++)
        if (option_rows[i].commands & 1u << command)
            print_manual_option(out, &option_rows[i]);
    fputs(".SH EXIT STATUS\n", out);
    print_roff(out, exit_statuses);
    fputs("\n.SH SEE ALSO\n.BR lanescope (1)\n", out);
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

        if (row->heading) {
            fputs(".SS ", out);
            print_roff(out, row->heading);
            fputc('\n', out);
        }
        print_manual_option(out, row);
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
