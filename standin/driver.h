/*
 * CUDA's driver API over the runtime functions of this room: what the files driver_*.c share. Handles of
 * streams, events, pools, arrays and kernels are the same in both APIs, as in CUDA. Each GPU has one context,
 * its primary one; calls work also where a thread has made none current.
 */
#ifndef STANDIN_DRIVER_H
#define STANDIN_DRIVER_H

#include "standin/context.h"
#include "standin/standin.h"

#include <cuda.h>

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
