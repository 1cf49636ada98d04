/*
 * What the files of device_sheet share: a sheet that is made, and its rows as people read them. Internal.
 */
#ifndef CORE_HARDWARE_DEVICE_SHEET_INTERNAL_H
#define CORE_HARDWARE_DEVICE_SHEET_INTERNAL_H

#include "core/hardware/arch.h"
#include "core/hardware/device_sheet.h"

#include <stdbool.h>
#include <stdint.h>

struct sheet {
    const struct device_description *device;
    const struct arch *arch; /* NULL: not known */
    bool model;
    struct sheet_row *rows;
    size_t count;
};

/* "6,016 bits". */
void sheet_format_count(uint64_t number, const char *unit, char *text, size_t size_bytes);

enum provenance sheet_provenance(const struct sheet *sheet); /* of what the device itself says */
/* A row that is not available yet. */
struct sheet_row *sheet_row_add(struct sheet *sheet, enum sheet_group group, const char *id,
                                const char *label, const char *unit, enum provenance provenance,
                                const char *from, const char *why);
/* Sets the row's value; the units "B", "kHz" and "B/s" are shown as KiB and GiB, MHz, GB/s. */
void sheet_row_number(struct sheet_row *row, double number);
__attribute__((format(printf, 2, 3))) void sheet_row_text(struct sheet_row *row, const char *format, ...);

#endif
