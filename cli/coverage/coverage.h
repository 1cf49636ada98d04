/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the five documents say, point by point, and what shows it: a row has the document's sentence, a command
 * on the GPU and at the size that show it, and checks, expressions over the values of the command's runs with
 * the bounds that hold if the document is right. A row without checks only tells. docs/coverage.md is made of
 * the rows; `lanescope coverage` runs them.
 *
 * An expression has numbers, + - * / and parentheses, and values: NAME(SELECTOR), or NAME where the command
 * has one run. A selector is words separated by commas: workload, variant, workload:variant, parameter=value; the one run
 * that has them all. NAME@2 is of the row's second command. Names:
 *
 *   time        median time of the kernel, ns: of the one that the effective bandwidth is of, else of the one with most time
 *   call        median time of the call that launches it, ns
 *   bandwidth   effective bandwidth, GB/s
 *   span        from the first to the last work on the device, ns
 *   kernels, copies   time with kernels, and with copies and sets, ns
 *   hidden      share of the time with copies beside which kernels ran
 *   copy        the first copy between host and device, GB/s
 *   range, mark the first range's time, ns; the number in the name of the first mark
 *   findings    reports of --check in all runs of the command
 *   refused     1: the command is refused or does not finish
 *   or the id of a metric (docs/metrics.md), of the same kernel. Of `device --model X`: the id of a property, or
 *   occupancy(block=B,registers=R), what the calculator (key C) has, in per cent.
 *
 * Static data; the command is the main thread's.
 */
#ifndef CLI_COVERAGE_COVERAGE_H
#define CLI_COVERAGE_COVERAGE_H

#include "cli/options/options.h"
#include "core/base/error.h"
#include "core/sheet/sheet.h"

#include <stdbool.h>

#define COVERAGE_CHECKS_MAX 6
#define COVERAGE_COMMANDS_MAX 4

struct coverage_check {
    const char *what;   /* an expression */
    double number;      /* the document's; NAN: it has none, only a direction */
    double least, most; /* the bounds of ours */
};

struct coverage_row {
    const char *id;        /* "C5" */
    const char *documents; /* "guide", or "guide, course": the sentence is the first one's */
    const char *place;     /* where it stands: a heading, figure or slide */
    const char *says;      /* the sentence, shortened, in English */
    const char *run;       /* command lines without "lanescope", " ; " between; NULL: none */
    const char *see;       /* where else, Markdown of docs/; NULL: nowhere */
    struct coverage_check checks[COVERAGE_CHECKS_MAX]; /* ends with no expression */
    const char *falls_short; /* why the model does not show it, though the checks were made; NULL: it does */
    bool slow;               /* left out of `lanescope coverage quick` */
};

const struct coverage_row *coverage_at(size_t index); /* NULL past the end */
const char *coverage_chapter(char letter);            /* "Global memory" */
enum coverage_state { COVERAGE_SHOWN, COVERAGE_TOLD, COVERAGE_NOT_SHOWN };
enum coverage_state coverage_state(const struct coverage_row *row);
const char *coverage_state_text(enum coverage_state state);

/* The number of an expression. `value` looks one up; it returns NAN and sets the error if there is none.
 * STATUS_FORMAT: the expression is malformed. */
struct coverage_source {
    double (*value)(const struct coverage_source *source, const char *name, unsigned command,
                    const char *selector, struct error *error);
};
enum status coverage_evaluate(const char *what, const struct coverage_source *source, double *number,
                              struct error *error);

/* `lanescope coverage [WORD...]`: rows by id, chapter or document; `quick`: all but the slow ones. EXIT_CHECK: a check
 * does not hold, or one holds that the table says does not. */
enum status coverage_command(const struct options *options, FILE *out, int *exit_status, struct error *error);

#endif
