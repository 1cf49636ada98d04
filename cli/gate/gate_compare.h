/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts of a run by kernel, shape and source line, and what differs between those of a baseline and
 * those of a run. They are read from the files of the run's processes (simt/device/tally.h) and from a
 * baseline, which has the same form, and written as a baseline. Sorted by name, shape, file and line, so that
 * the bytes of a baseline follow from the counts alone.
 *
 * Kernels are paired by name and shape; then a kernel with a new shape with the one that has gone of the same
 * name; then one that was renamed: the same shape, counts and counts of lines. Lines are paired by their
 * order and counts, never by their numbers, which a comment moves. Only the counts of kernels decide; lines
 * say where. One thread; owned by the caller.
 */
#ifndef CLI_GATE_GATE_COMPARE_H
#define CLI_GATE_GATE_COMPARE_H

#include "core/base/error.h"
#include "simt/device/tally.h"

#include <stdio.h>

struct gate_line {
    const char
        *file; /* as the compiler was given it; of a baseline its last part. "-": no line information */
    uint32_t line;
    uint64_t counts[TALLY_COUNTS];
};

struct gate_kernel {
    const char *name; /* demangled */
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t launches;
    double ns; /* modelled time of all launches; not in a baseline */
    uint64_t counts[TALLY_COUNTS];
    struct gate_line *lines; /* NULL: none */
    size_t line_count, line_room;
};

struct gate_counts {
    struct gate_kernel *kernels;
    size_t kernel_count, kernel_room;
    char device[120]; /* of a baseline: the words after "device" */
    char **texts;     /* of the files that were read: names lie in them */
    size_t text_count, text_room;
};

/* Adds what a file has. `path` is for sentences; `text`, from malloc, is taken over and changed.
 * STATUS_FORMAT: it is malformed, or the process that wrote it did not end. */
enum status gate_counts_read(struct gate_counts *counts, const char *path, char *text, struct error *error);
/* Sorts, and adds up what has the same name and shape, and the lines of one place. */
void gate_counts_settle(struct gate_counts *counts);
void gate_counts_write(const struct gate_counts *counts, const char *device, FILE *file);
void gate_counts_fini(struct gate_counts *counts);

int gate_kernel_compare_shapes(const struct gate_kernel *a, const struct gate_kernel *b);
/* "<<<40x1x1, 256x1x1, 0>>>" */
#define GATE_SHAPE_BYTES 100
void gate_kernel_shape(const struct gate_kernel *kernel, char text[GATE_SHAPE_BYTES]);
const char *gate_base_name(const char *path);

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
