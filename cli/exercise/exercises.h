/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of exercises: a row each, in the order in which they are listed. A row says what a hand-in is run
 * with, once as the student knows it and once with an input that is drawn, what its counts must be, and which
 * hint fits which typical mistake. The broken kernels are files,
 * workloads/exercises/NAME.cu, and part of the program. Static data, any thread.
 */
#ifndef CLI_EXERCISE_EXERCISES_H
#define CLI_EXERCISE_EXERCISES_H

#include "core/analysis/overlap/overlap.h"
#include "core/base/error.h"
#include "core/metric/metric.h"
#include "simt/check/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXERCISE_GOALS_MAX 4
#define EXERCISE_BOUNDS_MAX 12
#define EXERCISE_HINTS_MAX 9
#define EXERCISE_NAME_BYTES 24

/* What is counted of a hand-in: a metric of its kernel, or one of these of its run. */
#define FIGURE_COPY_HIDDEN_PCT \
    ((int)METRIC_COUNT) /* share of the time of copies beside which kernels ran \
                         */

/* Share of the run in which only one stream worked, for this reason (core/analysis/overlap/overlap.h). */
#define FIGURE_SERIAL_PCT(reason) ((int)METRIC_COUNT + 1 + SERIAL_##reason)

struct exercise_goal {
    int figure;    /* enum metric, or FIGURE_... */
    bool at_least; /* else at most */
    double limit;
    const char *note; /* what the limit means; NULL: nothing to add */
};

enum exercise_sign {
    SIGN_NONE,    /* past the end */
    SIGN_FINDING, /* --check reports this */
    SIGN_NOT_RUN, /* it was refused with a sentence */
    SIGN_WRONG,   /* the result differs from the reference */
    SIGN_FIGURE   /* the figure is within these bounds */
};

/* The first that fits a hand-in which has not reached its goal is printed. */
struct exercise_hint {
    enum exercise_sign sign;
    int what; /* enum check_kind, or the figure */
    double from, to;
    const char *code; /* that its code must have, too, without blanks: "__syncwarp("; NULL: any code */
    const char *text;
};

struct exercise {
    const char *name;
    unsigned minutes;
    const char *aim;      /* one sentence */
    const char *workload; /* that a hand-in is run with, as on the command line */
    const char *others;   /* cases of it, as a sweep: a second run has one of them, and a seed */
    const char *sizes;    /* the parameters with whose product counts grow, a letter each: "nn" */
    struct exercise_goal
        goals[EXERCISE_GOALS_MAX]; /* beside a right result; ends with a limit of 0 and no note */
    /* Ways around the goals, reported only of a hand-in that takes one; ends likewise. */
    struct exercise_goal bounds[EXERCISE_BOUNDS_MAX];
    struct exercise_hint hints[EXERCISE_HINTS_MAX];
};

const struct exercise *exercise_at(size_t index);       /* NULL past the end */
const struct exercise *exercise_find(const char *name); /* NULL: none */
size_t exercise_goal_count(const struct exercise *exercise);
size_t exercise_bound_count(const struct exercise *exercise);

/* The case of a second run, chosen by random numbers: as on the command line, and what limits of counts are
 * multiplied by. */
struct exercise_draw {
    char text[160];
    double growth;
};
enum status exercise_draw(const struct exercise *exercise, const uint64_t random[2],
                          struct exercise_draw *draw, struct error *error);
/* A limit for a case that is `growth` times as large. */
double exercise_limit(const struct exercise_goal *goal, double growth);

/* The text of the broken file, from its comment on. */
const char *exercise_text(const struct exercise *exercise);

/* Its file as the user gets it: a head with aim, goal and commands, then the text. NULL: no memory. Free it.
 */
char *exercise_file_text(const struct exercise *exercise);

/* "load sectors", "16,384": of a figure. */
const char *exercise_figure_title(int figure);
const char *exercise_figure_id(int figure);
void exercise_figure_text(int figure, double number, char *text, size_t size_bytes);
/* "load sectors: at most 2,048 (4 for a request of 32 words)" */
void exercise_goal_text(const struct exercise_goal *goal, char *text, size_t size_bytes);

#endif
