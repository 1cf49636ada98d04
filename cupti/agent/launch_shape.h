/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape of a launch as CUPTI's kernel records have it, from the parameters of the driver's call, in a
 * form common to all launch calls (valid only in the call's callback), and, if the driver is available, the
 * kernel's attributes.
 *
 * struct shapes is the kernel shapes a process has announced: the same shape gets the same id. Any thread;
 * one lock, held for a table look-up.
 */
#ifndef CUPTI_AGENT_LAUNCH_SHAPE_H
#define CUPTI_AGENT_LAUNCH_SHAPE_H

#include "core/base/event.h"
#include "cupti/load/load.h"

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

struct launch_params {
    CUfunction function;
    CUstream stream;
    bool per_thread_stream; /* stream 0 of the call is the per-thread default stream */
    bool cooperative;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared_bytes;
};

/* id: of the driver's API. False: the call is not a kernel launch. */
bool launch_params_read(CUpti_CallbackId id, const void *call_params, struct launch_params *params);

/* name: string id of the mangled name. driver: NULL leaves the attributes 0. The event's id is 0. */
struct event launch_shape(const struct launch_params *params, uint32_t name, const struct driver *driver);

struct shapes;

/* Called once for each new shape, with its id set; false: it could not be announced, and the next caller
 * tries again. */
typedef bool shapes_announce(void *context, const struct event *shape);

struct shapes *shapes_create(shapes_announce *announce, void *context); /* NULL: no memory */
void shapes_destroy(struct shapes *shapes);

typedef uint32_t shapes_string(void *context, const char *text); /* its id; 0: not possible */
/* A module was loaded: its kernels' shapes are announced with what their code calls. cubin: an ELF file; others say
 * nothing. */
void shapes_module(struct shapes *shapes, const void *cubin, size_t size_bytes, shapes_string *string);

/* shape: an EVENT_SHAPE whose id is 0. Returns the id (from 1), or 0 if it could not be announced. */
uint32_t shapes_id(struct shapes *shapes, const struct event *shape);

#endif
