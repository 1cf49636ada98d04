/*
 * The one table of options and commands. Internal to cli/options: the parser, --help, the manual page and
 * completion read only this table. Static data.
 */
#ifndef CLI_OPTIONS_OPTIONS_TABLE_H
#define CLI_OPTIONS_OPTIONS_TABLE_H

#include "cli/options/options.h"

enum option_id {
    OPTION_RECORD,
    OPTION_ALL,
    OPTION_DEVICE,
    OPTION_GPU,
    OPTION_MODEL,
    OPTION_GPUS,
    OPTION_CC,
    OPTION_CHECK,
    OPTION_SUPPRESS,
    OPTION_REVERSE,
    OPTION_NO_MERGE,
    OPTION_COUNTERS,
    OPTION_RUNS,
    OPTION_BESIDE,
    OPTION_SAMPLE,
    OPTION_BURST,
    OPTION_STACKS,
    OPTION_NO_STACKS,
    OPTION_CAPTURE,
    OPTION_KERNEL,
    OPTION_ORDER,
    OPTION_LAUNCHES,
    OPTION_TIME_LIMIT,
    OPTION_MAX_SIZE,
    OPTION_MEMORY,
    OPTION_REPLACE_INJECTION,
    OPTION_GRID,
    OPTION_BLOCK,
    OPTION_CLUSTER,
    OPTION_ARG,
    OPTION_DUMP_ARG,
    OPTION_SHARED,
    OPTION_FAIL_ON,
    OPTION_UPDATE,
    OPTION_JUNIT,
    OPTION_MARKDOWN,
    OPTION_EXERCISE,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_CHROME,
    OPTION_OUT,
    OPTION_WIDE,
    OPTION_LINES,
    OPTION_FULL,
    OPTION_TABLE,
    OPTION_FORMAT,
    OPTION_TOP,
    OPTION_FIELDS,
    OPTION_SNAPSHOT,
    OPTION_SIZE,
    OPTION_KEYS,
    OPTION_WRITE_STEPS,
    OPTION_THEME,
    OPTION_NO_COLOR,
    OPTION_TRANSPARENT,
    OPTION_ASCII,
    OPTION_NO_MOUSE,
    OPTION_MANUAL,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_COUNT
};

/* On which devices an option has a meaning. */
enum option_side { SIDE_ANY, SIDE_GPU, SIDE_MODEL };

#define OPTIONS_WORDS_MAX 100000

struct option_row {
    enum option_id id;
    const char *name;
    const char *argument; /* NULL: takes none; "[=GLOB]": may take one, as --name=VALUE */
    unsigned commands;    /* bits of enum command: the parser rejects the option with other commands */
    enum option_side side;
    const char *help; /* NULL: not shown */
};

struct command_row {
    const char *name;
    enum command command;
    const char *file; /* what file it takes, "recording"; NULL: none */
    size_t files;     /* how many of them; 0: one, or none */
    bool runs;        /* after the file it takes workloads, or a program */
    size_t words;     /* it takes up to so many words as they are: no workloads; 0: that is not so */
    const char *usage, *help;
};

static inline bool option_needs_value(const struct option_row *row)
{
    return row->argument && row->argument[0] != '[';
}

const struct option_row *option_at(size_t index);   /* NULL past the end; in the order of the ids */
const struct command_row *command_at(size_t index); /* NULL past the end */
const struct option_row *option_find(const char *name, size_t length); /* without its dashes; NULL: none */
/* A command line of the examples; NULL past the end. */
const char *option_example(size_t index);
const struct command_row *command_find(const char *name); /* NULL: none */

/* Checks that the options fit together; `used` has a bit for each option that was given. */
enum status options_check(struct options *options, uint64_t used, struct error *error);

#endif
