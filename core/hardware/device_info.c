/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from a device's facts, and how its compute capability is written. The two lists of the
 * header as an array of numbers and as the assignments of a
 * device's fields.
 */
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

int device_attribute_number(enum device_attribute attribute)
{
#define DEVICE_ATTRIBUTE_NUMBER(id, number) [DEVICE_ATTRIBUTE_##id] = number,
    static const int numbers[] = {DEVICE_ATTRIBUTE_LIST(DEVICE_ATTRIBUTE_NUMBER)};
#undef DEVICE_ATTRIBUTE_NUMBER

    return numbers[attribute];
}

void device_info_ask(struct device_info *info, uint32_t (*ask)(void *source, int number), void *source)
{
#define DEVICE_INFO_FIELD(field, name, number) info->field = ask(source, number);
    DEVICE_INFO_ATTRIBUTE_LIST(DEVICE_INFO_FIELD)
#undef DEVICE_INFO_FIELD
    info->compute_capability =
        10 * ask(source, DEVICE_COMPUTE_CAPABILITY_MAJOR) + ask(source, DEVICE_COMPUTE_CAPABILITY_MINOR);
}
