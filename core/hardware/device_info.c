/* What follows from a device's facts, and how its compute capability is written. */
#include "core/hardware/device_info.h"

#include <stdio.h>

double device_info_peak_bandwidth(const struct device_info *info)
{
    return (double)info->memory_clock_khz * 1000.0 * 2.0 * (double)info->memory_bus_bits / 8.0;
}

struct capability_text capability_text(uint32_t compute_capability)
{
    struct capability_text written;
    snprintf(written.text, sizeof written.text, "%u.%u", compute_capability / 10, compute_capability % 10);
    return written;
}
