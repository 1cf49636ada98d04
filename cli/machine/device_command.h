/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope device`: the sheet of the GPU, or of the GPU that the device model imitates, and its current
 * state.
 */
#ifndef CLI_MACHINE_DEVICE_COMMAND_H
#define CLI_MACHINE_DEVICE_COMMAND_H

#include "cli/options/options.h"
#include "cli/output/sheet_print.h"
#include "core/hardware/device_health.h"
#include "core/hardware/device_info.h"

/* Prints what --device, --gpu and --model select, as text or JSON (docs/device.schema.json).
 * STATUS_NO_DEVICE: a GPU was requested and there is none; STATUS_USAGE: there is no such model. */
enum status device_command(const struct options *options, FILE *out, struct error *error);

/* The parts of it. model_id: of a modelled device, else NULL. */
void device_print(FILE *out, const struct device_description *device, uint32_t ordinal, const char *model_id,
                  const struct device_health *health);

/* Devices and what is known of them, for their sheets and the JSON. */
struct looked_device {
    struct device_description device;
    uint32_t ordinal;
    const char *model_id; /* NULL: a GPU */
    struct device_health health;
};
struct looked_devices {
    struct looked_device *items;
    size_t count, room;
};
extern const struct sheet_document device_document; /* made from struct looked_devices */

#endif
