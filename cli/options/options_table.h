/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of options and commands. Internal to cli/options: the parser, --help, the manual page and
 * completion read only this table. Static data.
 */
#ifndef CLI_OPTIONS_OPTIONS_TABLE_H
#define CLI_OPTIONS_OPTIONS_TABLE_H

#include "cli/options/options.h"

/* On which devices an option has a meaning. */
enum option_side { SIDE_ANY, SIDE_GPU, SIDE_MODEL };

#define OPTIONS_WORDS_MAX 100000
#define OPTION_ROWS_MAX 96

/* Bits of enum command. */
#define FOR(command) (1u << COMMAND_##command)
#define FOR_RUNNING (FOR(SCREEN) | FOR(RECORD) | FOR(PRESENT))
#define FOR_ALL (~0u)

/* What the field of an option is, and how its text is read. */
enum option_kind {
    KIND_FLAG,      /* bool: true */
    KIND_ENUM,      /* becomes `least` */
    KIND_TEXT,      /* const char *, of at least so many letters */
    KIND_WORD,      /* const char *, a word of the argument: "auto|cuda" */
    KIND_TEXTS,     /* struct option_texts: can be given several times */
    KIND_WHOLE,     /* uint32_t within the bounds */
    KIND_MEGABYTES, /* uint64_t, in bytes: 0, or within the bounds */
    KIND_EXTENT,    /* struct option_extent */
    KIND_OWN        /* several fields, by `parse` */
};

struct option_row {
    const char *name;
    const char *argument; /* NULL: takes none; "[=GLOB]": may take one, as --name=VALUE */
    enum option_kind kind;
    double least, most;
    bool (*parse)(struct options *options, const char *text);
    size_t field;      /* its offset in struct options */
    unsigned commands; /* bits of enum command: the parser rejects the option with other commands */
    enum option_side side;
    const char *help;
    const char *needs, *excludes; /* names of options, with commas; `needs` with |: one of them; NULL: none */
    bool of_program;              /* it needs a program after -- */
    const char *heading; /* above the group of options that begins with this one; NULL: it begins none */
};

struct command_row {
    const char *name;
    enum command command;
    const char *file; /* what file it takes, "recording"; NULL: none */
    size_t files;     /* how many of them; 0: one, or none */
    bool runs;        /* after the file, if there is one, it takes workloads, or a program */
    size_t words;     /* it takes up to so many words as they are: no workloads; 0: that is not so */
    const char *usage, *help;
};

static inline bool option_needs_value(const struct option_row *row)
{
    return row->argument && row->argument[0] != '[';
}

const struct option_row *option_at(size_t index);                      /* NULL past the end */
const struct command_row *command_at(size_t index);                    /* NULL past the end */
const struct option_row *option_find(const char *name, size_t length); /* without its dashes; NULL: none */
/* Reads the text into the field of the option; false: it is no value of it. */
bool option_read(struct options *options, const struct option_row *row, const char *text);
/* A command line of the examples; NULL past the end. */
const char *option_example(size_t index);
const struct command_row *command_find(const char *name); /* NULL: none */

#endif
