/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parsed command line. One table of options (options_table.c) gives the parser,
 * --help and the manual.
 *
 * All texts point into argv. Plain data, owned by the caller.
 */
#ifndef CLI_OPTIONS_OPTIONS_H
#define CLI_OPTIONS_OPTIONS_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "core/hardware/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum command {
    COMMAND_SCREEN, /* opens the list of workloads, or runs the named ones, with the screen */
    COMMAND_RECORD, /* headless */
    COMMAND_VIEW,
    COMMAND_REPORT,
    COMMAND_WHAT_IF, /* replays a recording with edits */
    COMMAND_DIFF,
    COMMAND_EXPORT,
    COMMAND_KERNEL,      /* runs one kernel from its PTX */
    COMMAND_GATE,        /* compares counts with a file in git */
    COMMAND_GENERATIONS, /* one workload on every modelled GPU */
    COMMAND_DEBUG,       /* steps a launch on the model */
    COMMAND_GATHER,      /* digests of many ranks into one job */
    COMMAND_EXERCISE,
    COMMAND_GRADE,    /* checks hand-ins of exercises */
    COMMAND_COVERAGE, /* what the documents say, and what shows it */
    COMMAND_PRESENT,  /* the screen, with the steps of a lesson */
    COMMAND_FOLLOW,   /* ssh and view */
    COMMAND_WATCH,    /* watch the GPU: becomes SCREEN or RECORD after the words are checked */
    COMMAND_ATTACH,   /* capture a program that runs: becomes SCREEN or RECORD likewise */
    COMMAND_JUDGE,    /* checks a file of kernels against a reference */
    COMMAND_MCP,      /* answers an agent's questions, JSON-RPC on standard input and output */
    COMMAND_LIST,
    COMMAND_GLOSSARY,
    COMMAND_DEVICE,
    COMMAND_DOCTOR,
    COMMAND_RECOVER, /* recordings of killed sessions */
    COMMAND_CLEAN,
    COMMAND_COMPLETION,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_MANUAL /* the manual page's source, for the build */
};

/* Exit statuses of lanescope. The status of a profiled program is passed on instead, if there is one. */
enum exit_code {
    EXIT_FINE = 0,
    EXIT_CHECK = 1, /* a verification or comparison failed */
    EXIT_USAGE = 2,
    EXIT_NO_DEVICE = 3,
    EXIT_NO_PERMISSION = 4, /* for what was demanded */
    EXIT_TIME_LIMIT = 124,
    EXIT_FAILED = 125, /* lanescope itself failed */
    EXIT_CANNOT_RUN = 126,
    EXIT_NOT_FOUND = 127
};

enum report_format {
    REPORT_TABLE,
    REPORT_JSON,
    REPORT_CSV,
    REPORT_CHROME,
    REPORT_PERFETTO,
    REPORT_PPROF,
    REPORT_LSR
};
enum counters_choice { COUNTERS_DEFAULT, COUNTERS_ON, COUNTERS_OFF, COUNTERS_LIST };

enum problem { PROBLEM_AUTO, PROBLEM_DEFAULT, PROBLEM_SMALL }; /* size of the workloads' problems */

/* Counters over time: decoding a sample takes about 110 us, and a burst is decoded after its end. */
#define SAMPLE_DEFAULT_NS 1000000u
#define SAMPLE_LEAST_NS 200000u
#define SAMPLE_MOST_NS 1000000000u
#define BURST_LEAST_NS 2000u
#define BURST_MOST_NS 1000000u

#define OPTIONS_TEXTS_MAX 64
#define MEMORY_DEFAULT_BYTES ((size_t)1000000000)
#define MEMORY_LEAST_MB 16
#define OPTIONS_FILES_MAX 2

struct option_texts {
    const char *list[OPTIONS_TEXTS_MAX];
    size_t count;
};

#define OPTIONS_GIVEN_MAX 64 /* more are not kept */
struct option_given {
    const char *name, *value; /* value NULL: it has none */
};

struct option_extent { /* of a grid, block or cluster */
    uint32_t size[3];  /* 0: not given */
    const char *text;  /* as typed */
};

struct options {
    enum command command;
    enum command
        help_of; /* with COMMAND_HELP and COMMAND_MANUAL: the command to describe; COMMAND_HELP: all */

    const char *record;      /* --record FILE */
    const char *events;      /* --events FILE: also each event as a line of JSON; NULL: not given */
    const char *document;    /* --document NAME: list its steps; NULL: not given */
    const char *json_schema; /* --json-schema NAME; NULL: not given */
    bool digest;             /* --digest */
    bool anonymous;          /* --anonymous */
    const char *file;        /* view, report, kernel */
    const char *files[OPTIONS_FILES_MAX]; /* those of diff */
    char **workloads;                     /* texts as typed */
    size_t workload_count;
    bool all;
    char **program; /* after --, NULL-terminated; NULL none */

    const char *device; /* auto, cuda, simt, both */
    uint32_t gpu;
    bool gpu_given;
    const char *model;                     /* --model ID; NULL: the default */
    uint32_t gpus;                         /* --gpus; 0: one */
    const struct arch *rules;              /* --cc; NULL: the device's own */
    const char *checked, *known;           /* --check=GLOB, --suppress; NULL: not given */
    uint32_t at_line;                      /* --at; 0: none */
    bool check, keep_ptx, reverse;         /* --check, --no-merge, --reverse */
    const char *gpu_option, *model_option; /* an option was given that has a use only on a GPU, or only on the
                                              model; NULL: none */
    enum counters_choice counters;
    const char *counter_list;
    bool runs_given, trace_run, counter_run, line_run; /* --runs */
    unsigned line_kernels;    /* --runs lines=N; 0: as many as have most of the time */
    unsigned beside;          /* --beside; 0: as many as memory allows */
    uint64_t sample_ns;       /* --sample: interval of counters over time; 0: none */
    bool sample_given;        /* by --sample */
    uint64_t burst_ns;        /* --burst: in bursts of this interval; 0: all the time */
    const char *burst_kernel; /* pattern of the kernels that start a burst; NULL: all */
    bool dormant;             /* --dormant: the program waits to be attached to */
    int32_t attached;         /* lanescope attach: the process; 0: none */
    double for_s;             /* --for: how long it is captured; 0: to its end */
    bool watch;               /* lanescope watch: no program, only what happens on the GPU */
    bool stacks;              /* --stacks: also call paths of native code; with report: print them */
    bool no_stacks;           /* --no-stacks: none */
    const char *capture;
    uint64_t delay_ns, duration_ns; /* of --capture delay; duration 0: to the end */
    const char *kernel_glob;
    const char
        *own_file; /* --kernel FILE.cu or FILE.ptx, with workloads: kernels in place of the bundled ones */
    uint32_t launches;
    double time_limit_s;   /* 0: none */
    uint64_t max_bytes;    /* 0: none */
    uint64_t memory_bytes; /* limit for the session; 0: none */
    enum problem problem;  /* --size */
    bool replace_injection;

    struct option_extent grid, block, cluster; /* of lanescope kernel */
    uint32_t shared_bytes;
    const char *shared_text; /* as typed */
    struct option_texts args, dumps;

    struct option_given given[OPTIONS_GIVEN_MAX]; /* as typed, in their order */
    size_t given_count;

    bool update;                  /* --update, of gate */
    const char *junit, *markdown; /* files that it writes; NULL: none */
    const char *tables;           /* export: the folder of tables; NULL: none */

    struct option_texts limits; /* --fail-on */

    const char *edits;     /* --edit, of what-if; NULL: the best in order of gain */
    const char *reference; /* --reference, of judge; NULL: not given */
    const char *exercise;  /* --exercise, of grade; NULL: each hand-in names its own */

    enum report_format format;
    const char *out; /* --out; NULL: standard output */
    bool wide, lines, full, summary;
    bool cuda_profile;                 /* --cuda-profile, of report */
    const char *table;                 /* --table: the only table to print; NULL: all */
    const char *table_format, *fields; /* of that table; NULL: not given */
    uint32_t top;                      /* its rows; 0: all */
    uint32_t line_cells;               /* of its lines, in cells; 0: the terminal's, or 100 */

    bool bug_report; /* --bug-report, of doctor */
    bool no_color, transparent, ascii, no_mouse;
    const char *theme;
    const char *snapshot; /* text, ansi, svg */
    int width, height;    /* --size WxH of a snapshot */
    const char *keys;
    const char *write_steps; /* --write-steps FILE */
};

/* STATUS_USAGE with a sentence that names the word and what is valid. */
enum status options_parse(struct options *options, int argc, char **argv, struct error *error);

/* The configuration file ($XDG_CONFIG_HOME/lanescope/config, ~/.config/lanescope/config): lines NAME = VALUE of some options, which
 * options_parse reads for what the command line does not give. False: there is none. */
bool options_config_path(char *path, size_t size_bytes);

/* The command that a mistyped word is closest to, closer than to any workload; NULL: none. */
const char *options_near_command(const char *word);

/* The request in one line, for the recording: "copy-offset transpose" or "-- ./a.out 12"; shortened to fit.
 */
void options_text(const struct options *options, char *text, size_t size_bytes);

/* The options that say how a run of workloads is made, as they were typed: " --device simt --cc 8.0"; not which
 * workloads, of which size, with whose kernels and into what file. */
void options_run_text(const struct options *options, char *text, size_t size_bytes);

/* Help on one command, or for COMMAND_HELP on all; in lines of `columns`, limited to these two bounds. */
#define HELP_COLUMNS_LEAST 60
#define HELP_COLUMNS_MOST 110
void options_print_help(FILE *out, enum command command, int columns);
void options_print_manual(FILE *out); /* roff */
void options_print_command_manual(FILE *out, enum command command);

#endif
