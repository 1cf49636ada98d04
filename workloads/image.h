/*
 * The kernels' code, embedded in the program: per kernels/NAME.cu one image to load and the kept PTX that its
 * sm_90 code was assembled from (workloads/ptx/NAME.ptx), which the device model runs.
 *
 * All of it is constant and lives as long as the program; any thread may call.
 */
#ifndef LANESCOPE_WORKLOADS_IMAGE_H
#define LANESCOPE_WORKLOADS_IMAGE_H

#include <stddef.h>

struct kernel_image {
    const char *name; /* of the .cu file, without folder and suffix */
    const void *data; /* for cuModuleLoadData; PTX ends with a zero byte that size_bytes does not count */
    size_t size_bytes;
    const char *format; /* "fatbin", or "ptx" in a build without nvcc */
};

/* The image of kernels/NAME.cu, or NULL where there is no such file. */
const struct kernel_image *kernel_image_find(const char *name);

/* The kept PTX of kernels/NAME.cu (format "ptx"), or NULL where there is no such file. */
const struct kernel_image *kernel_ptx_find(const char *name);

#endif
