/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sheet of a device: its properties and limits, one row each, in groups, with unit and source. Values
 * come from the driver or a recording (MEASURED), from the table of modelled GPUs (MODELLED), or follow from
 * the compute capability (EXPECTED); a derived row has its formula. With data of the driver, the sheet has
 * all that the toolkit's deviceQuery prints, except the version of the CUDA runtime, which lanescope does not
 * use, and the driver's mode on Windows. Pure functions; any thread.
 */
#ifndef CORE_HARDWARE_DEVICE_SHEET_H
#define CORE_HARDWARE_DEVICE_SHEET_H

#include "core/base/value.h"
#include "core/hardware/device_info.h"

#include <stddef.h>

#define SHEET_GROUP_LIST(X)                     \
    X(DEVICE, "device")                         \
    X(EXECUTION, "multiprocessors and threads") \
    X(REGISTERS, "registers and shared memory") \
    X(MEMORY, "memory")                         \
    X(ABILITIES, "engines and abilities")       \
    X(TEXTURES, "textures and pitch")
#define SHEET_GROUP_ENUM(id, text) SHEET_##id,
enum sheet_group { SHEET_GROUP_LIST(SHEET_GROUP_ENUM) SHEET_GROUP_COUNT };
#undef SHEET_GROUP_ENUM
const char *sheet_group_text(enum sheet_group group); /* "memory" */

struct sheet_row {
    enum sheet_group group;
    const char *id;     /* "memory_bus_bits"; static */
    const char *label;  /* "memory bus"; static */
    const char *unit;   /* "bits"; "" for words; static */
    struct value value; /* word: NULL if the value is a number, or a text below */
    bool is_text;       /* the text is the value; there is no number */
    char text[100];     /* in readable form: "6,016 bits", "4.81 TB/s", "n/a"; terminated */
    const char *from;   /* the value's source or formula, static; "" if the provenance says it all */
};

/* ---- facts by compute capability, 90 for 9.0 ---- */
enum device_limit {
    DEVICE_LIMIT_BLOCK,      /* threads in each direction */
    DEVICE_LIMIT_GRID,       /* blocks in each direction */
    DEVICE_LIMIT_TEXTURE_1D, /* texels */
    DEVICE_LIMIT_TEXTURE_2D,
    DEVICE_LIMIT_TEXTURE_3D,
    DEVICE_LIMIT_LAYERED_1D, /* texels; the last size is the number of layers */
    DEVICE_LIMIT_LAYERED_2D
};
#define DEVICE_LIMIT_SIZES 3
/* The sizes, as many as the limit has; the rest are 0. */
const uint32_t *device_limit_sizes(enum device_limit limit, uint32_t compute_capability);

/* The first compute capability with this ability; 0: it does not follow from the compute capability. */
uint32_t device_ability_since(enum device_attribute ability);

/* ---- the sheet ---- */
#define SHEET_ROWS_MAX 80

/* Fills the rows, in the order of the groups; returns their count, at most SHEET_ROWS_MAX. */
size_t device_sheet_make(const struct device_description *device, struct sheet_row rows[SHEET_ROWS_MAX]);

#endif
