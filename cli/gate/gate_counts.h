/*
 * The counts of a run by kernel, shape and source line: read from the files of its processes
 * (simt/device/tally.h) and from a baseline, which has the same form, and written as a baseline. Sorted by
 * name, shape, file and line, so that the bytes of a baseline follow from the counts alone. One thread; owned
 * by the caller.
 */
#ifndef CLI_GATE_GATE_COUNTS_H
#define CLI_GATE_GATE_COUNTS_H

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

#endif
