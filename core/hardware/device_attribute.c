/* The two lists of core/hardware/device_attribute.h, as an array of numbers and as the assignments of a
 * device's fields. */
#include "core/hardware/device_attribute.h"

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
