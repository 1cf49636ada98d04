/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, by one table that is also the help text. */
#include "options.h"

#include "core/wire/wire.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum value_kind {
    VALUE_FLAG,
    VALUE_U32,
    VALUE_U64,
    VALUE_I32,
    VALUE_I64,
    VALUE_DOUBLE,
    VALUE_TEXT,
    VALUE_ROLE,
    VALUE_MODE,
    VALUE_ENDING
};

struct option_row {
    const char *name, *value, *help;
    enum value_kind kind;
    size_t offset;
};

#define ROW(name, value, kind, field, help)                      \
    {                                                            \
        name, value, help, kind, offsetof(struct options, field) \
    }

static const struct option_row rows[] = {
    ROW("--socket", "PATH", VALUE_TEXT, socket, "connect there; without it to $" WIRE_SOCKET_VARIABLE),
    ROW("--rate", "N", VALUE_DOUBLE, rate,
        "records a second of all threads together; 0: as fast as it goes (10000)"),
    ROW("--events", "N", VALUE_U64, events, "end after N records"),
    ROW("--duration", "S", VALUE_DOUBLE, duration_s, "end after S seconds"),
    ROW("--until", "FILE", VALUE_TEXT, until, "end once FILE is there"),
    ROW("--seed", "N", VALUE_U64, seed, "the same seed gives the same events (1)"),
    ROW("--threads", "N", VALUE_U32, threads, "threads that emit (1)"),
    ROW("--devices", "N", VALUE_U32, devices, "devices (1)"),
    ROW("--contexts", "N", VALUE_U32, contexts, "contexts (1)"),
    ROW("--streams", "N", VALUE_U32, streams, "streams (4); every thread has at least one of its own"),
    ROW("--shapes", "N", VALUE_U32, shapes, "different kernels and launch shapes (8)"),
    ROW("--disorder", "N", VALUE_U32, disorder, "send each thread's records shuffled within N (0)"),
    ROW("--watermark", "MS", VALUE_U32, watermark_ms, "a WATERMARK every MS milliseconds (20)"),
    ROW("--long-every", "N", VALUE_U32, long_every,
        "one kernel of N runs long and is announced by CALL_BEGIN (0: none)"),
    ROW("--long-ms", "MS", VALUE_U32, long_ms, "and runs so long (300)"),
    ROW("--samples", "US", VALUE_U32, samples_us,
        "twelve counters over time, of known values, a sample every US microseconds; not with --base"),
    ROW("--numbered", NULL, VALUE_FLAG, numbered,
        "kernels only, one thread, correlation 1, 2, 3, ... without a gap; implies --wait"),
    ROW("--mode", "MODE", VALUE_MODE, mode,
        "trace, counters or memory: the last two send measurements with values in place of times (trace)"),
    ROW("--workload", "NAME", VALUE_TEXT, workload,
        "announce a run of this workload, with expected values; the role is then workload"),
    ROW("--role", "ROLE", VALUE_ROLE, role, "agent, workload, generator or sampler (generator)"),
    ROW("--rank", "N", VALUE_I32, rank, "rank in an MPI job (-1: none)"),
    ROW("--model", NULL, VALUE_FLAG, model,
        "as the device model does: clock `model`, --base 1000 unless given, and every kernel is measured"),
    ROW("--base", "NS", VALUE_I64, base_ns,
        "time of the first event; times are then the same every time, nothing waits for them, and the one "
        "watermark comes last"),
    ROW("--ring", "BYTES", VALUE_U64, ring_bytes, "size of the ring (64 MiB)"),
    ROW("--wait", NULL, VALUE_FLAG, wait, "wait when the ring is full, where an agent would drop"),
    ROW("--fork", "N", VALUE_U32, forks, "N forked children connect and do the same"),
    ROW("--hostile-names", NULL, VALUE_FLAG, hostile_names,
        "names with escape sequences, of 64 KiB, of invalid UTF-8, made to expand"),
    ROW("--malformed", "N", VALUE_U32, malformed_every,
        "one record of N is none (unknown kind, impossible blob, ...)"),
    ROW("--wrong-ids", "N", VALUE_U32, wrong_ids_every,
        "one record of N names strings, shapes, streams that do not exist"),
    ROW("--losses", "N", VALUE_U32, losses_every, "one record of N says that CUPTI lost something"),
    ROW("--torn", "N", VALUE_U32, torn,
        "at the end N records are reserved and not written, between others that are"),
    ROW("--end", "HOW", VALUE_ENDING, ending, "return, _exit, abort, segv, kill, hang (return)"),
    ROW("--no-goodbye", NULL, VALUE_FLAG, goodbye, "return without saying so on the wire"),
    ROW("--status", "N", VALUE_I32, exit_status, "exit status of return and _exit (0)"),
    ROW("--hold", "S", VALUE_DOUBLE, hold_s, "stay connected and silent for S seconds before the end"),
    ROW("--report", NULL, VALUE_FLAG, report, "print at the end: records sent, dropped; last number"),
};

static void print_help(FILE *out)
{
    fputs("lanescope-generator: speaks the wire as an agent would, at chosen rates and with chosen faults.\n"
          "usage: lanescope -- lanescope-generator [OPTION...]\n\n",
          out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char left[32];
        snprintf(left, sizeof left, "%s %s", rows[i].name, rows[i].value ? rows[i].value : "");
        fprintf(out, "  %-18s %s\n", left, rows[i].help);
    }
    fputs("\nA number may end in k, M or G (1000s). Exit status: --status, 2 wrong usage, 3 nobody listens, "
          "4 lanescope went away.\n",
          out);
}

static bool parse_number(const char *text, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    if (end == text || errno != 0 || !isfinite(*number))
        return false;
    static const char units[] = "kMG";
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        *number *= pow(1000, (double)(unit - units + 1));
        end++;
    }
    return *end == '\0';
}

static bool parse_word(const char *text, const char *const *words, uint32_t count, uint32_t *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(text, words[*index]) == 0)
            return true;
    return false;
}

static bool parse_value(struct options *options, const struct option_row *row, const char *text)
{
    static const char *const roles[] = {"", "agent", "workload", "generator", "sampler"};
    static const char *const endings[] = {"return", "_exit", "abort", "segv", "kill", "hang"};
    char *field = (char *)options + row->offset;
    double number = 0;
    uint32_t word = 0;
    if (row->kind >= VALUE_U32 && row->kind <= VALUE_DOUBLE && !parse_number(text, &number))
        return false;
    switch (row->kind) {
    case VALUE_FLAG: *(bool *)field = strncmp(row->name, "--no-", 5) != 0; return true;
    case VALUE_U32: *(uint32_t *)(void *)field = (uint32_t)number; return number >= 0 && number <= UINT32_MAX;
    case VALUE_U64: *(uint64_t *)(void *)field = (uint64_t)number; return number >= 0 && number < 1e18;
    case VALUE_I32: *(int32_t *)(void *)field = (int32_t)number; return fabs(number) <= INT32_MAX;
    case VALUE_I64: /* more digits than a double has */
        *(int64_t *)(void *)field = strtoll(text, NULL, 10);
        return fabs(number) < 9e18;
    case VALUE_DOUBLE: *(double *)(void *)field = number; return number >= 0;
    case VALUE_TEXT: *(const char **)(void *)field = text; return true;
    case VALUE_ROLE:
        if (!parse_word(text, roles, 5, &word) || word == 0)
            return false;
        options->role = word;
        return true;
    case VALUE_MODE: return (options->mode = run_mode_find(text)) != RUN_MODE_COUNT;
    case VALUE_ENDING:
        if (!parse_word(text, endings, 6, &word))
            return false;
        options->ending = (enum ending)word;
        return true;
    }
    return false;
}

/* What does not go together, or would be nothing. */
static const char *find_contradiction(struct options *options)
{
    if (options->numbered) {
        options->wait = true;
        if (options->threads != 1 || options->mode != RUN_TRACE || options->disorder ||
            options->malformed_every || options->wrong_ids_every)
            return "--numbered is for one thread, without faults in its records";
    }
    if (!options->threads || !options->contexts || !options->streams || !options->shapes || !options->devices)
        return "threads, contexts, streams, shapes and devices are at least 1";
    if (options->threads > 256 || options->contexts > 1024 || options->streams > 65536 ||
        options->shapes > 65536 || options->devices > 64)
        return "at most 256 threads, 1024 contexts, 65536 streams, 65536 shapes, 64 devices";
    if (options->disorder > 65536)
        return "--disorder is at most 65536";
    return NULL;
}

int options_parse(struct options *options, int argc, char **argv)
{
    *options = (struct options){
        .socket = getenv(WIRE_SOCKET_VARIABLE),
        .seed = 1,
        .rate = 10000,
        .threads = 1,
        .devices = 1,
        .contexts = 1,
        .streams = 4,
        .shapes = 8,
        .watermark_ms = 20,
        .long_ms = 300,
        .role = WIRE_ROLE_GENERATOR,
        .rank = -1,
        .goodbye = true,
    };
    for (int i = 1; i < argc; i++) {
        const struct option_row *row = NULL;
        if (strcmp(argv[i], "--help") == 0) {
            print_help(stdout);
            return 1;
        }
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
            if (strcmp(argv[i], rows[r].name) == 0)
                row = &rows[r];
        if (!row || (row->value && i + 1 == argc) ||
            !parse_value(options, row, row->value ? argv[++i] : "")) {
            fprintf(stderr, "lanescope-generator: \"%s\" is not understood; try --help.\n", argv[i]);
            return 2;
        }
    }
    if (options->model && options->base_ns == 0)
        options->base_ns = 1000;
    if (options->workload && options->role == WIRE_ROLE_GENERATOR)
        options->role = WIRE_ROLE_WORKLOAD;
    const char *contradiction = find_contradiction(options);
    if (contradiction) {
        fprintf(stderr, "lanescope-generator: %s.\n", contradiction);
        return 2;
    }
    return 0;
}
