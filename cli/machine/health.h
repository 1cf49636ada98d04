/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the GPU on the screen, read once a second on its own thread, so that a slow driver never
 * delays the screen. The thread starts at the first request.
 *
 * The owner creates it, reads from one thread, and destroys it; readers get a copy.
 */
#ifndef CLI_MACHINE_HEALTH_H
#define CLI_MACHINE_HEALTH_H

#include "core/base/error.h"
#include "core/hardware/device_health.h"

struct health;

#define HEALTH_PERIOD_MS 1000

/* library: the one of cli/machine/nvml.h, opened on the thread. NULL if memory ran out: health_ask then says
 * so. */
struct health *health_create(const char *library);
/* Waits at most a second for the thread; a thread that hangs in the driver is left behind. NULL is allowed.
 */
void health_destroy(struct health *health);

/* The newest reading of the GPU with this UUID (all zeros: the first one); never waits. Before the first
 * reading no value is available, with a reason. Returns the number of readings: if it changes, there is
 * something new. */
uint64_t health_ask(struct health *health, const uint8_t uuid[16], struct device_health *reading);

/* The number of readings; never waits, never starts the thread. */
uint64_t health_readings(struct health *health);

#endif
