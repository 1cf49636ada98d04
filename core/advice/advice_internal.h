/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions with which rules are written (advice_judging.c). Internal to core/advice.
 *
 * A rule's function names its limits by an enum that is the index into its row's `limits`, so a number and
 * its description are in the row only. It reads values with advice_read and advice_number, which record what
 * was read; no list of inputs has to be maintained.
 */
#ifndef CORE_ADVICE_ADVICE_INTERNAL_H
#define CORE_ADVICE_ADVICE_INTERNAL_H

#include "core/advice/advice.h"

struct advice_judging {
    struct advice_list *list;
    const struct advice_rule *rule;     /* the current rule */
    const struct advice_kernel *kernel; /* NULL: a run is judged */
    const struct advice_run *run;       /* NULL: a kernel is */
    struct value values[METRIC_COUNT];  /* valid where `read` is true */
    bool read[METRIC_COUNT];
    bool by_values; /* the current rule read a value that does not follow from the launch */
};

/* Rules of one kind, in order. */
struct advice_family {
    const struct advice_rule *const *rules;
    size_t count;
};
extern const struct advice_family advice_access_rules, advice_kernel_rules, advice_idle_rules,
    advice_busy_rules;

#define ADVICE_GUIDE "CUDA C++ Best Practices Guide, "
#define ADVICE_H200 "measured on an H200: "
#define ADVICE_CHOSEN "chosen: below it a change is rarely worth the work"

/* A metric of the kernel that is a number; NULL if it is not available. */
const struct value *advice_read(struct advice_judging *judging, enum metric metric);
double advice_number(struct advice_judging *judging, enum metric metric, double otherwise);
/* A metric that is a word; NULL if it is not available. */
const char *advice_word(struct advice_judging *judging, enum metric metric);

/* Is the value beyond this limit of the current rule? */
bool advice_beyond(const struct advice_judging *judging, size_t limit, double value);

/* The current rule fires: appends an advice to the list, for the rule to fill in. */
struct advice *advice_add(struct advice_judging *judging);
void advice_add_evidence(struct advice *advice, const char *id, const char *unit, struct value value);
void advice_add_metric(struct advice *advice, struct advice_judging *judging, enum metric metric);

/* Lowers the gain to what is left of the time after the work that the kernel must do at the device's limits:
 * its needed DRAM bytes at ADVICE_DRAM_ATTAINABLE of the peak, and its instructions. Only with values
 * measured on a GPU. */
#define ADVICE_DRAM_ATTAINABLE 0.9 /* the most measured on an H100 in the curriculum is 0.89 */
#define ADVICE_CAP \
    "no more than what the needed bytes at 90 % of DRAM's peak, and the instructions, leave of the time"
void advice_cap_gain(struct advice *advice, struct advice_judging *judging);
/* The share of the time that the needed DRAM bytes take at the attainable rate; 0: not measured. */
double advice_dram_needs(struct advice_judging *judging);
/* The share of the bytes of its L2 that the kernel moves, of the attainable ones, 0 to 1; 0: not known. */
double advice_l2_use(struct advice_judging *judging);
/* The highest use of a unit of the device by the kernel, in per cent, and its name, "DRAM's bandwidth";
 * negative: of none is it known. */
double advice_use_pct(struct advice_judging *judging, const char **unit);
/* Blocks that can be resident on the whole device; 0: not known. */
double advice_resident_blocks(const struct advice_kernel *kernel);
/* The share of the DRAM bytes that the kernel did not need; 0: none, or not measured. */
double advice_dram_excess(struct advice_judging *judging);
/* The share of the cycles between a warp's instructions in which it waits for global or local memory; 0: not
 * known. */
double advice_waiting_pct(struct advice_judging *judging);

/* ---- of a run ---- */
/* Adds a figure that was computed from the run's events. */
void advice_add_figure(struct advice *advice, const struct advice_run *run, const char *id, const char *unit,
                       double number);
bool advice_knows_partition(const struct advice_run *run);
/* Time of a class in the judged span. */
double advice_class_pct(const struct advice_run *run, enum partition_class part);
/* The span, as a part of a sentence: "the steps' time", "the run", "the time from the first kernel to the
 * last". */
const char *advice_span_text(const struct advice_run *run);

#define ADVICE_TIME_TEXT 32
const char *advice_time_text(double ns, char text[ADVICE_TIME_TEXT]); /* "12.3 us" */

#endif
