/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels' code, embedded in the program: per kernels/NAME.cu one image to load and the kept PTX that its
 * sm_90 code was assembled from (workloads/ptx/NAME.ptx), which the device model runs.
 *
 * All of it is constant and lives as long as the program; any thread may call, but for kernel_image_add and
 * kernel_image_replace.
 */
#ifndef WORKLOADS_FRAME_IMAGE_H
#define WORKLOADS_FRAME_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_image {
    const char *name; /* name of the .cu file, without folder and suffix */
    const void *data; /* for cuModuleLoadData; PTX ends with a zero byte that is not in size_bytes */
    size_t size_bytes;
    const char *format; /* "fatbin", or "ptx" in a build without nvcc */
};

/* The image of kernels/NAME.cu, or NULL if there is no such file. */
const struct kernel_image *kernel_image_find(const char *name);

/* The kept PTX of kernels/NAME.cu (format "ptx"), or NULL if there is no such file. */
const struct kernel_image *kernel_ptx_find(const char *name);

/* Adds an image that both functions above then find: PTX that was not built in (format "ptx", terminated by a
 * zero byte). The caller owns the image and what it points to, which must outlive every device. False: the
 * name is taken, or one was added already. Call it before any thread looks for images. */
bool kernel_image_add(const struct kernel_image *image);

/* The registers that ptxas gave a kernel of the kept PTX on sm_90 (workloads/ptx/registers.txt). */
struct kernel_resources {
    const char *image, *kernel; /* names of the .cu file, and of the kernel in it */
    uint32_t registers;         /* per thread */
    uint32_t static_shared_bytes;
    uint32_t spilled_bytes[2]; /* per thread, of all instructions that load and store what has no register */
};

/* Finds this image instead of the bundled one of its name, and these rows for kernels in it (0 registers: not
 * known; kernels without a row keep theirs); NULL: no more. Everything is the caller's. See
 * workloads/frame/own_image.h. */
void kernel_image_replace(const struct kernel_image *image, const struct kernel_resources *rows,
                          size_t count);

/* NULL if there is no such kernel. */
const struct kernel_resources *kernel_resources_find(const char *image, const char *kernel);

/* The bundled image that has a kernel of this name, of which there is one in all; NULL: none has. */
const char *kernel_image_of(const char *kernel);

/* Registers per thread; 0 if there is no such kernel. */
uint32_t kernel_registers(const char *image, const char *kernel);
/* [0] loads, [1] stores. */
void kernel_spills(const char *image, const char *kernel, uint32_t spilled_bytes[2]);

#endif
