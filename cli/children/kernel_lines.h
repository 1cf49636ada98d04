/*
 * What each source line of a kernel cost on the device model, as a table: the lines of the CUDA source where
 * the PTX names them (nvcc -lineinfo), else of the PTX. One thread.
 */
#ifndef CLI_CHILDREN_KERNEL_LINES_H
#define CLI_CHILDREN_KERNEL_LINES_H

#include "simt/count/count.h"

#include <stdio.h>

/* ptx_path: where the PTX was read; sources are looked for from here, then beside it. */
void kernel_lines_print(const struct counter *counter, const char *ptx_path, FILE *out);

#endif
