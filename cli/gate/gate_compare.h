/*
 * What differs between the counts of a baseline and those of a run. Kernels are paired by name and shape;
 * then a kernel with a new shape with the one that has gone of the same name; then one that was renamed: the
 * same shape, counts and counts of lines. Lines are paired by their order and counts, never by their numbers,
 * which a comment moves. Only the counts of kernels decide; lines say where. One thread; owned by the caller.
 */
#ifndef CLI_GATE_GATE_COMPARE_H
#define CLI_GATE_GATE_COMPARE_H

#include "cli/gate/gate_counts.h"

/* id, is it an alarm, words */
#define GATE_CHANGE_LIST(X)                       \
    X(EQUAL, false, "equal")                      \
    X(RENAMED, false, "renamed")                  \
    X(COUNTS, true, "counts changed")             \
    X(SHAPE, true, "launched with another shape") \
    X(NEW, true, "not in the baseline")           \
    X(GONE, true, "not launched any more")
#define GATE_CHANGE_ENUM(id, alarm, words) GATE_##id,
enum gate_change { GATE_CHANGE_LIST(GATE_CHANGE_ENUM) GATE_CHANGES };
#undef GATE_CHANGE_ENUM
const char *gate_change_text(enum gate_change change);
bool gate_change_alarms(enum gate_change change);

struct gate_line_pair {                     /* lines whose counts differ */
    const struct gate_line *before, *after; /* NULL: none */
};

struct gate_pair {
    const struct gate_kernel *before, *after; /* NULL: none */
    enum gate_change change;
    struct gate_line_pair *lines; /* of COUNTS and SHAPE; empty where a side has no line information */
    size_t line_count;
};

struct gate_result { /* the kernels of the run in their order, then those that have gone */
    struct gate_pair *pairs;
    size_t pair_count;
    size_t alarms;
};

/* Both are settled, and outlive the result. */
void gate_compare(const struct gate_counts *before, const struct gate_counts *after,
                  struct gate_result *result);
void gate_result_fini(struct gate_result *result);

#endif
