/*
 * A table of the cost of each source line of a kernel on the device model: lines of the CUDA source if the
 * PTX names them (nvcc -lineinfo), else of the PTX. One thread.
 */
#ifndef CLI_CHILDREN_KERNEL_LINES_H
#define CLI_CHILDREN_KERNEL_LINES_H

#include "simt/count/count.h"

#include <stdio.h>

/* ptx_path: the PTX file; sources are searched for relative to the current folder, then in that of the PTX.
 */
void kernel_lines_print(const struct counter *counter, const char *ptx_path, FILE *out);

#endif
