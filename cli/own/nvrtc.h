/*
 * NVIDIA's compiler as a library, NVRTC, opened at run time: it needs neither nvcc nor a host compiler. It
 * compiles in a process of its own, lanescope executed again as
 *     lanescope --nvrtc compute_NN INCLUDE PTX SOURCE
 * which ends as nvcc does: messages on standard error, and a status.
 */
#ifndef CLI_OWN_NVRTC_H
#define CLI_OWN_NVRTC_H

#include "core/base/error.h"

#define NVRTC_OPTION "--nvrtc"

/* The file of the library, in PATH_BYTES; UNSUPPORTED: it is not on the loader's path and in no toolkit. */
enum status nvrtc_find(char *path, struct error *error);

/* argv after "--nvrtc". Returns the exit status. */
int nvrtc_main(int argc, char **argv, struct error *error);

#endif
