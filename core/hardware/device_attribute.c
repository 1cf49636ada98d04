/* The driver's numbers (CUdevice_attribute) of the attributes, by ours. */
#include "core/hardware/device_attribute.h"

int device_attribute_number(enum device_attribute attribute)
{
#define DEVICE_ATTRIBUTE_NUMBER(id, number) [DEVICE_ATTRIBUTE_##id] = number,
    static const int numbers[] = {DEVICE_ATTRIBUTE_LIST(DEVICE_ATTRIBUTE_NUMBER)};
#undef DEVICE_ATTRIBUTE_NUMBER

    return numbers[attribute];
}
