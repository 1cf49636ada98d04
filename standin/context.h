/* Which contexts of the driver API there are, and which are current in a thread. Below all else of the room:
 * each call asks for it (standin.c). */
#ifndef STANDIN_CONTEXT_H
#define STANDIN_CONTEXT_H

#include "simt/device/device.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

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

#endif
