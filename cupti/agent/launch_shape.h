/*
 * The shape of a launch as CUPTI's kernel records have it, from the parameters of the call and, if the driver
 * is available, the kernel's attributes. Any thread.
 */
#ifndef CUPTI_AGENT_LAUNCH_SHAPE_H
#define CUPTI_AGENT_LAUNCH_SHAPE_H

#include "core/base/event.h"
#include "cupti/agent/launch_params.h"
#include "cupti/load/driver.h"

/* name: string id of the mangled name. driver: NULL leaves the attributes 0. The event's id is 0. */
struct event launch_shape(const struct launch_params *params, uint32_t name, const struct driver *driver);

#endif
