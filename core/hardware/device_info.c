/* The peak bandwidth: memory transfers on both edges of its clock. */
#include "core/hardware/device_info.h"

double device_info_peak_bandwidth(const struct device_info *info)
{
    return (double)info->memory_clock_khz * 1000.0 * 2.0 * (double)info->memory_bus_bits / 8.0;
}
