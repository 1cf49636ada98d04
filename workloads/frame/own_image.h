/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user's kernels in place of bundled ones: PTX that is found under the name of a bundled image, with what
 * is known of the kernels in it that are the user's. cli/own makes it of a .cu or .ptx file and writes it;
 * the process that runs the workload reads it.
 *
 * The file is PTX with comments before it:
 *     // lanescope's own image 1: copy_stride is copy_stride.cu@1a2b3c4d
 *     // kernel copy_stride 10 0 0 0        (registers, bytes of static shared memory, of spill stores,
 * loads) Owned by the caller; read-only after it was read.
 */
#ifndef WORKLOADS_FRAME_OWN_IMAGE_H
#define WORKLOADS_FRAME_OWN_IMAGE_H

#include "core/base/error.h"
#include "workloads/frame/image.h"

#include <stdio.h>

#define OWN_LABEL_BYTES 80
#define OWN_IMAGE_NAME_BYTES 64
#define OWN_KERNEL_NAME_BYTES 128
#define OWN_KERNELS_MAX 256

struct own_kernel_row {
    char name[OWN_KERNEL_NAME_BYTES];
    struct kernel_resources resources; /* registers 0: not known */
};

struct own_image {
    struct kernel_image image;       /* its PTX */
    char name[OWN_IMAGE_NAME_BYTES]; /* of the bundled image */
    char label[OWN_LABEL_BYTES];     /* the file and the hash of its text, in letters that run params take */
    struct own_kernel_row kernels[OWN_KERNELS_MAX]; /* the user's that have the name of a bundled one */
    size_t kernel_count;
    char *text; /* of the whole file */
};

/* "copy_stride.cu@1a2b3c4d" of a file's path and text; returns the hash that it ends with. */
uint32_t own_label_make(char label[OWN_LABEL_BYTES], const char *path, const char *text, size_t size_bytes);

/* FORMAT: another program's file. The caller destroys *own. */
enum status own_image_read(struct own_image **own, const char *path, struct error *error);
void own_image_destroy(struct own_image *own); /* NULL: nothing */
/* name, label and kernels, and PTX that follows them. */
enum status own_image_write(const struct own_image *own, const char *ptx, size_t size_bytes, const char *path,
                            struct error *error);

/* Is this kernel the user's? own NULL: no. */
bool own_image_has(const struct own_image *own, const char *kernel);

/* Finds own's PTX and rows under the bundled image's name from now on; NULL: the bundled ones again. Not
 * while another thread looks for images, nor while a device is open that has loaded them. */
void own_image_use(const struct own_image *own);

#endif
