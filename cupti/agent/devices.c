/*
 * No data: devices_announce describes each GPU of the driver and sends it as a BLOB_DEVICE. Its callers
 * see to it that this happens once.
 */
#include "cupti/agent/agent.h"
#include "cupti/load/driver.h"

#include <string.h>

/* The chip's name is known only after the profiler interface was initialised, which only a counter run does.
 */
static void chip_name(size_t ordinal, struct device_info *info)
{
    if (!agent_counts())
        return;
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = ordinal};
    if (agent.cupti.cuptiProfilerInitialize(&start) == CUPTI_SUCCESS &&
        agent.cupti.cuptiDeviceGetChipName(&chip) == CUPTI_SUCCESS && chip.pChipName)
        memcpy(info->chip, chip.pChipName, strnlen(chip.pChipName, sizeof info->chip - 1));
}

void devices_announce(void)
{
    struct driver driver;
    int count = 0;
    if (!driver_find(&driver, false) || driver.cuDeviceGetCount(&count) != CUDA_SUCCESS)
        return;
    for (int ordinal = 0; ordinal < count && ordinal < 64; ordinal++) {
        struct device_info info;
        if (!driver_describe(&driver, ordinal, &info))
            continue;
        chip_name((size_t)ordinal, &info);
        wire_emit_blob(agent.wire, BLOB_DEVICE, (uint32_t)ordinal, &info, sizeof info);
    }
}
