/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a kernel's launch is that runs now, for example on the device model. Plain data; any thread.
 */
#ifndef CORE_BASE_PROGRESS_H
#define CORE_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    uint64_t launch;        /* number of this kernel's launch in its run, from 1; 0: not known */
    uint64_t blocks, ended; /* of the launch; of them, those that have ended */
    uint64_t executed;      /* warp instructions so far */
    int64_t elapsed_ns;     /* of the host's time, since the launch began */
    bool over;              /* the launch has ended */
};

/* Percent of the blocks that have ended, rounded down. */
unsigned progress_percent(const struct progress *progress);
/* What is left if the rest takes as long per block; -1: not known, as long as no block has ended. */
int64_t progress_left_ns(const struct progress *progress);
/* "about 8 s left", from seconds to hours; "" if it is not known. */
#define PROGRESS_LEFT_BYTES 40
void progress_left_text(const struct progress *progress, char text[PROGRESS_LEFT_BYTES]);
/* "kernel X, launch 12: 34 % of its 512 blocks, 21 M warp instructions/s, about 8 s left". */
void progress_text(const struct progress *progress, const char *kernel, char *text, size_t size_bytes);
/* Copies the plain name in a demangled one: "fill" of "void a::fill<float>(float*)". */
void progress_kernel_name(const char *name, char *plain, size_t size_bytes);

#endif
