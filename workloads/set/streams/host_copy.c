/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host-copy: copies between host and device, from pageable, pinned and registered memory, in one piece or in
 * many. There is no kernel.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <string.h>

enum { PARAM_KIB, PARAM_PIECES };
enum { TAG_OUT = 1, TAG_KIND = 4 }; /* tag: direction + TAG_KIND x enum host_memory */

static const struct workload_param params[] = {
    [PARAM_KIB] = {.name = "kib",
                   .meaning = "size of the copy",
                   .unit = "KiB",
                   .minimum = 1,
                   .maximum = 256 * 1024,
                   .standard = 16 * 1024},
    [PARAM_PIECES] = {.name = "pieces",
                      .meaning = "calls that the copy is divided into",
                      .unit = "copies",
                      .minimum = 1,
                      .maximum = 4096,
                      .standard = 1},
};

#define VARIANT(text, kind, direction, what)                                  \
    {                                                                         \
        .name = text, .meaning = what, .tag = (direction) + TAG_KIND * (kind) \
    }
static const struct workload_variant variants[] = {
    VARIANT("pageable-in", HOST_PAGEABLE, 0, "to the device, from memory that may be paged out"),
    VARIANT("pageable-out", HOST_PAGEABLE, TAG_OUT, "to the host, into memory that may be paged out"),
    VARIANT("pinned-in", HOST_PINNED, 0, "to the device, from memory allocated pinned"),
    VARIANT("pinned-out", HOST_PINNED, TAG_OUT, "to the host, into memory allocated pinned"),
    VARIANT("registered-in", HOST_REGISTERED, 0, "to the device, from memory pinned afterwards"),
    VARIANT("registered-out", HOST_REGISTERED, TAG_OUT, "to the host, into memory pinned afterwards"),
};

static enum status host_copy_resolve(struct workload_case *c, struct error *error)
{
    int64_t kib = c->params.value[PARAM_KIB], pieces = c->params.value[PARAM_PIECES];

    if (kib * 256 % pieces)
        return error_set(
            error, STATUS_USAGE,
            "host-copy: %lld KiB cannot be cut into %lld equal pieces of whole words. Give a power of two.",
            (long long)kib, (long long)pieces);
    for (int i = 0; i < 3; i++)
        c->grid[i] = c->block[i] = 1;
    return STATUS_OK;
}

static enum status pieces_copy(const struct workload_case *c, struct workbench *bench, device_pointer there,
                               uint8_t *here, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    bool out = c->variant->tag & TAG_OUT;
    size_t pieces = (size_t)c->params.value[PARAM_PIECES],
           bytes = (size_t)c->params.value[PARAM_KIB] * 1024 / pieces;
    enum status status = STATUS_OK;

    for (size_t k = 0; k < pieces && status == STATUS_OK; k++) {
        uint64_t host = device_host_address(here + k * bytes), device = there + k * bytes;

        status =
            ops->copy(bench->device, out ? DEVICE_COPY_TO_HOST : DEVICE_COPY_TO_DEVICE, out ? host : device,
                      out ? device : host, bytes, DEVICE_STREAM_DEFAULT, true, error);
    }
    enum status ended = ops->sync(bench->device, status ? NULL : error);
    return status ? status : ended;
}

/* One direction is measured; the copy back, once and in one piece, is only for the comparison. */
static enum status host_copy_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    bool out = c->variant->tag & TAG_OUT;
    size_t bytes = (size_t)c->params.value[PARAM_KIB] * 1024, words = bytes / sizeof(float);
    enum host_memory kind = (enum host_memory)(c->variant->tag / TAG_KIND);
    device_pointer there;
    const float *pattern;
    void *here;
    enum status status;

    if ((status = workbench_pattern(bench, words, &pattern, error)) ||
        (status = workbench_output(bench, 0, words, &there, error)) ||
        (status = workbench_host_buffer(bench, 1, kind, bytes, &here, error)))
        return status;
    if (out)
        status = ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, there, device_host_address(pattern), bytes,
                           DEVICE_STREAM_DEFAULT, false, error);
    if (out)
        memset(here, WORKBENCH_POISON, bytes);
    else
        memcpy(here, pattern, bytes);
    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++)
        status = pieces_copy(c, bench, there, here, error);
    const float *back = here;
    if (status == STATUS_OK && !out)
        status = workbench_fetch(bench, 0, words, &back, error);
    else if (status == STATUS_OK)
        workbench_digest(bench, back, words);
    if (status == STATUS_OK)
        result->verified = verify_words(out ? "host" : "device", 0, back, pattern, words, result);
    return status;
}

const struct workload workload_host_copy = {
    .name = "host-copy",
    .chapter = CHAPTER_STREAMS,
    .title = "Copies to and from the GPU: pageable, pinned, in pieces",
    .words =
        "cudaMemcpy memcpy pinned page-locked pageable H2D D2H PCIe transfer cudaMallocHost cudaHostRegister",
    .meaning = "Only pinned memory comes near the bandwidth of the bus, and many small copies cost more than "
               "one large one",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = host_copy_resolve,
    .run = host_copy_run,
    .sweeps =
        {
            "host-copy,kib=1|4|16|64|256|1024|4096|16384|65536",
            "host-copy:pinned-in,kib=1024,pieces=16|256|1024",
        },
};
