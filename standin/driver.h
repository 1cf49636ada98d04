/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA's driver API over the runtime functions of this room: what the files driver_*.c share. Handles of
 * streams, events, pools, arrays and kernels are the same in both APIs, as in CUDA. Each GPU has one context,
 * its primary one; calls work also where a thread has made none current.
 */
#ifndef STANDIN_DRIVER_H
#define STANDIN_DRIVER_H

#include "simt/device/device.h"
#include "standin/standin.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

/* ---- contexts ---- */

/* Which contexts of the driver API there are, and which are current in a thread. Below all else of the room:
 * each call asks for it (called.c). */

#define CONTEXTS_MAX 64 /* most contexts on a thread's stack */

/* The context of a GPU: its number, plus 1. */
static inline CUcontext driver_context(int gpu)
{
    return (CUcontext)(uintptr_t)(gpu + 1);
}

struct driver_contexts {
    CUcontext stack[CONTEXTS_MAX];
    unsigned depth;
};
extern __thread struct driver_contexts driver_contexts; /* of the thread; the uppermost is current */
extern bool driver_initialised;
/* Of each GPU's context: cuDevicePrimaryCtxRetain and not released, cuCtxCreate and not destroyed, and flags.
 */
struct driver_held {
    unsigned held, created, flags;
};
extern struct driver_held driver_held[SIMT_GPUS_MAX];

/* gpu: the thread's. cudaErrorInitializationError before cuInit; cudaErrorDeviceUninitialized where the
 * thread has no context, cudaErrorContextIsDestroyed where it is gone. */
cudaError_t driver_opens(bool needs_context, int gpu);
/* A call of the runtime API initialises the driver; binds: it makes the GPU's context current where the
 * thread has none. Returns cudaSuccess. */
cudaError_t driver_takes_runtime(bool binds, int gpu);
/* Of the GPU's context: cuDevicePrimaryCtxSetFlags, cudaSetDeviceFlags. */
unsigned driver_flags(int gpu);
void driver_flags_set(int gpu, unsigned flags);

/* ---- handles ---- */

static inline int driver_gpu(CUcontext context)
{
    return (int)(uintptr_t)context - 1;
}

/* The driver's code for the runtime's: equal but for those that only the runtime has. */
CUresult driver_result(cudaError_t code);

bool driver_unloaded(const void *function); /* its module was unloaded (driver_module.c) */

static inline void *driver_pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

#endif
