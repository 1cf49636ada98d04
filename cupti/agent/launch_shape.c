/*
 * No data. A launch names a CUfunction or, in programs on the runtime, a CUkernel; the driver says which.
 */
#include "cupti/agent/launch_shape.h"

#define LEAST_REGISTERS 16 /* bytes of stack per thread, as in CUPTI's kernel records */

/* A launch is given a CUfunction or, in programs that use the runtime, a CUkernel. */
static void fill_attributes(const struct driver *driver, CUfunction function, struct event *shape)
{
    int registers = 0, shared = 0, local = 0;
    CUfunction other;
    if (driver->cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function) != CUDA_SUCCESS) {
        if (driver->cuKernelGetFunction(&other, (CUkernel)function) != CUDA_SUCCESS)
            return;
        function = other;
        driver->cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    }
    driver->cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    driver->cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    shape->shape.registers_per_thread = (uint16_t)(registers < LEAST_REGISTERS ? LEAST_REGISTERS : registers);
    shape->shape.static_shared_bytes = (uint32_t)shared;
    shape->shape.local_bytes_per_thread = (uint32_t)local;
}

struct event launch_shape(const struct launch_params *params, uint32_t name, const struct driver *driver)
{
    struct event shape = {.kind = EVENT_SHAPE, .flags = params->cooperative ? SHAPE_COOPERATIVE : 0};
    shape.shape.name = name;
    for (int i = 0; i < 3; i++) {
        shape.shape.grid[i] = params->grid[i];
        shape.shape.block[i] = (uint16_t)params->block[i];
        shape.shape.cluster[i] = (uint16_t)params->cluster[i];
    }
    shape.shape.dynamic_shared_bytes = params->dynamic_shared_bytes;
    if (driver)
        fill_attributes(driver, params->function, &shape);
    return shape;
}
