/* The state of contexts, under the lock of standin.c but for what is a thread's own. */
#include "standin/context.h"

__thread struct driver_contexts driver_contexts;
bool driver_initialised;
struct driver_held driver_held[SIMT_GPUS_MAX];

cudaError_t driver_opens(bool needs_context, int gpu)
{
    if (!driver_initialised || !needs_context)
        return driver_initialised ? cudaSuccess : cudaErrorInitializationError;
    if (driver_contexts.depth == 0)
        return cudaErrorDeviceUninitialized;
    return driver_held[gpu].held + driver_held[gpu].created ? cudaSuccess : cudaErrorContextIsDestroyed;
}

cudaError_t driver_takes_runtime(bool binds, int gpu)
{
    driver_initialised = true;
    if (binds && driver_contexts.depth == 0)
        driver_contexts.stack[driver_contexts.depth++] = driver_context(gpu);
    if (binds && driver_held[gpu].held + driver_held[gpu].created == 0)
        driver_held[gpu].held = 1;
    return cudaSuccess;
}

unsigned driver_flags(int gpu)
{
    return driver_held[gpu].flags;
}

void driver_flags_set(int gpu, unsigned flags)
{
    driver_held[gpu].flags = flags;
}
