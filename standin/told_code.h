/* The costs of source lines on the wire (told_code.c). Under the lock of standin.c. */
#ifndef STANDIN_TOLD_CODE_H
#define STANDIN_TOLD_CODE_H

#include "core/wire/wire.h"
#include "simt/device/device.h"

void told_code(struct wire_producer *producer, const struct simt_launch *launch);

#endif
