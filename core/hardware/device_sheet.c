/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are added group by group in the order in which they are printed. A row has one of three sources:
 * struct device_info, the driver's attributes (only when it was asked), or the compute capability; one that
 * no source knows says why. The
 * array of rows never overflows: the last row is overwritten when there are more than SHEET_ROWS_MAX.
 *
 * The rules are facts beyond core/hardware/arch that follow from the compute capability, for a device sheet
 * without data of the driver: the largest blocks, grids and textures, and abilities. They are sorted by the
 * first compute capability that they hold for; the last row not above the device's is used. Sources: CUDA C++
 * Programming Guide, features and technical specifications per compute capability (1.x and 2.x: edition 4.2);
 * the sizes of textures are those that drivers of each generation report.
 */
#include "core/hardware/device_sheet.h"

#include "core/base/append.h"
#include "core/hardware/arch.h"
#include "core/hardware/device_info.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sheet {
    const struct device_description *device;
    const struct arch *arch; /* NULL: not known */
    bool model;
    struct sheet_row *rows;
    size_t count;
};

/* ---- facts by compute capability ---- */

const uint32_t *device_limit_sizes(enum device_limit limit, uint32_t compute_capability)
{
    static const struct {
        enum device_limit limit;
        uint32_t since, sizes[DEVICE_LIMIT_SIZES];
    } rows[] = {
        {DEVICE_LIMIT_BLOCK, 10, {512, 512, 64}},
        {DEVICE_LIMIT_BLOCK, 20, {1024, 1024, 64}},
        {DEVICE_LIMIT_GRID, 10, {65535, 65535, 1}},
        {DEVICE_LIMIT_GRID, 20, {65535, 65535, 65535}},
        {DEVICE_LIMIT_GRID, 30, {2147483647, 65535, 65535}},
        {DEVICE_LIMIT_TEXTURE_1D, 10, {8192}},
        {DEVICE_LIMIT_TEXTURE_1D, 20, {65536}},
        {DEVICE_LIMIT_TEXTURE_1D, 60, {131072}},
        {DEVICE_LIMIT_TEXTURE_2D, 10, {65536, 32768}},
        {DEVICE_LIMIT_TEXTURE_2D, 20, {65536, 65535}},
        {DEVICE_LIMIT_TEXTURE_2D, 30, {65536, 65536}},
        {DEVICE_LIMIT_TEXTURE_2D, 60, {131072, 65536}},
        {DEVICE_LIMIT_TEXTURE_3D, 10, {2048, 2048, 2048}},
        {DEVICE_LIMIT_TEXTURE_3D, 30, {4096, 4096, 4096}},
        {DEVICE_LIMIT_TEXTURE_3D, 60, {16384, 16384, 16384}},
        {DEVICE_LIMIT_LAYERED_1D, 10, {8192, 512}},
        {DEVICE_LIMIT_LAYERED_1D, 20, {16384, 2048}},
        {DEVICE_LIMIT_LAYERED_1D, 60, {32768, 2048}},
        {DEVICE_LIMIT_LAYERED_2D, 10, {8192, 8192, 512}},
        {DEVICE_LIMIT_LAYERED_2D, 20, {16384, 16384, 2048}},
        {DEVICE_LIMIT_LAYERED_2D, 60, {32768, 32768, 2048}},
    };
    const uint32_t *found = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].limit == limit && (!found || rows[i].since <= compute_capability))
            found = rows[i].sizes;
    return found;
}

uint32_t device_ability_since(enum device_attribute ability)
{
    switch (ability) {
    case DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: return 12;
    case DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: return 20;
    case DEVICE_ATTRIBUTE_MANAGED_MEMORY: return 30;
    case DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED: return 35;
    case DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED: return 60;
    case DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: return 90;
    default: return 0;
    }
}

/* ---- rows ---- */

/* "6,016 bits". */
static void sheet_format_count(uint64_t number, const char *unit, char *text, size_t size_bytes)
{
    char plain[24], grouped[32];
    size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRIu64, number), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            grouped[at++] = ',';
        grouped[at++] = plain[i];
    }
    grouped[at] = '\0';
    snprintf(text, size_bytes, "%s%s%s", grouped, unit[0] ? " " : "", unit);
}

/* Capacities are powers of two: 232448 -> "227 KiB". In bytes if not a whole number of KiB; in GiB with one
 * decimal. */
static void format_bytes(uint64_t bytes, char *text, size_t size_bytes)
{
    if (bytes >= UINT64_C(1) << 30) {
        snprintf(text, size_bytes, "%.1f GiB (%.1f GB)", (double)bytes / (double)(UINT64_C(1) << 30),
                 (double)bytes / 1e9);
    } else if (bytes >= 1u << 20 && bytes % (1u << 20) == 0) {
        sheet_format_count(bytes >> 20, "MiB", text, size_bytes);
    } else if (bytes >= 1024 && bytes % 1024 == 0) {
        sheet_format_count(bytes >> 10, "KiB", text, size_bytes);
    } else {
        sheet_format_count(bytes, "B", text, size_bytes);
    }
}

static void format_rate(double bytes_per_second, char *text, size_t size_bytes)
{
    bool tera = bytes_per_second >= 999.5e9;
    double number = bytes_per_second / (tera ? 1e12 : 1e9);
    snprintf(text, size_bytes, "%.*f %s",
             number < 9.995   ? 2
             : number < 99.95 ? 1
                              : 0,
             number, tera ? "TB/s" : "GB/s");
}

/* of what the device itself says */
static enum provenance sheet_provenance(const struct sheet *sheet)
{
    return sheet->model ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
}

/* A row that is not available yet. */
static struct sheet_row *sheet_row_add(struct sheet *sheet, enum sheet_group group, const char *id,
                                       const char *label, const char *unit, enum provenance provenance,
                                       const char *from, const char *why)
{
    struct sheet_row *row = &sheet->rows[sheet->count];
    sheet->count += sheet->count + 1 < SHEET_ROWS_MAX;
    *row = (struct sheet_row){.group = group,
                              .id = id,
                              .label = label,
                              .unit = unit,
                              .value = {.provenance = provenance, .why = why},
                              .text = "n/a",
                              .from = from};
    return row;
}

/* Sets the row's value; the units "B", "kHz" and "B/s" are shown as KiB and GiB, MHz, GB/s. */
static void sheet_row_number(struct sheet_row *row, double number)
{
    row->value.available = true;
    uint64_t whole = (uint64_t)number;
    row->value.number = number;
    row->value.why = NULL;
    if (strcmp(row->unit, "B") == 0)
        format_bytes(whole, row->text, sizeof row->text);
    else if (strcmp(row->unit, "B/s") == 0)
        format_rate(number, row->text, sizeof row->text);
    else if (strcmp(row->unit, "kHz") == 0)
        sheet_format_count((whole + 500) / 1000, "MHz", row->text, sizeof row->text);
    else
        sheet_format_count(whole, row->unit, row->text, sizeof row->text);
}

__attribute__((format(printf, 2, 3))) static void sheet_row_text(struct sheet_row *row, const char *format,
                                                                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->text, sizeof row->text, format, arguments);
    va_end(arguments);
    row->value.available = row->is_text = true;
    row->value.why = NULL;
}

/* ---- the sheet ---- */

#define CONSTANT_BYTES \
    65536 /* for all compute capabilities: CUDA C++ Programming Guide, technical specifications */
#define FROM_DRIVER "the driver"
#define FROM_MODEL "the table of modelled GPUs"
#define FROM_CAPABILITY "the compute capability"
#define WHY_UNKNOWN "the driver did not report it"
#define WHY_NOT_MODELLED "the device model does not have it"
#define WHY_NOT_ASKED "lanescope device reads it from the driver; recordings do not keep it"
#define WHY_NO_RULES "the limits of this compute capability are not known"

const char *sheet_group_text(enum sheet_group group)
{
#define SHEET_GROUP_TEXT(id, text) [SHEET_##id] = text,
    static const char *const texts[] = {SHEET_GROUP_LIST(SHEET_GROUP_TEXT)};
#undef SHEET_GROUP_TEXT

    return texts[group];
}

/* A number from struct device_info; 0: not known. */
static void add_fact(struct sheet *sheet, enum sheet_group group, const char *id, const char *label,
                     const char *unit, uint64_t number)
{
    struct sheet_row *row =
        sheet_row_add(sheet, group, id, label, unit, sheet_provenance(sheet),
                      sheet->model ? FROM_MODEL : FROM_DRIVER, sheet->model ? WHY_NOT_MODELLED : WHY_UNKNOWN);
    if (number > 0)
        sheet_row_number(row, (double)number);
}

/* A yes or no; `known`: the device gave it. */
static void add_switch(struct sheet *sheet, const char *id, const char *label, bool known, bool on)
{
    struct sheet_row *row = sheet_row_add(sheet, SHEET_ABILITIES, id, label, "", sheet_provenance(sheet),
                                          sheet->model ? FROM_MODEL : FROM_DRIVER, WHY_UNKNOWN);
    if (known)
        sheet_row_text(row, "%s", on ? "yes" : "no");
}

/* A number that follows from the compute capability; 0: not known. */
static void add_rule(struct sheet *sheet, enum sheet_group group, const char *id, const char *label,
                     const char *unit, uint64_t number)
{
    struct sheet_row *row =
        sheet_row_add(sheet, group, id, label, unit, PROVENANCE_EXPECTED, FROM_CAPABILITY, WHY_NO_RULES);
    if (sheet->arch && number > 0)
        sheet_row_number(row, (double)number);
}

static bool attribute_of(const struct sheet *sheet, enum device_attribute attribute, int32_t *value)
{
    *value = sheet->device->attribute[attribute];
    return sheet->device->asked && *value != DEVICE_ATTRIBUTE_UNKNOWN;
}

/* A row that only a driver can give. Without a driver there is no such row, only one that says that they are
 * missing (add_unasked). */
static struct sheet_row *add_asked(struct sheet *sheet, enum sheet_group group, const char *id,
                                   const char *label, const char *unit)
{
    return sheet->device->asked ? sheet_row_add(sheet, group, id, label, unit, sheet_provenance(sheet),
                                                FROM_DRIVER, WHY_UNKNOWN)
                                : NULL;
}

static void add_attribute(struct sheet *sheet, enum sheet_group group, const char *id, const char *label,
                          const char *unit, enum device_attribute attribute)
{
    struct sheet_row *row = add_asked(sheet, group, id, label, unit);
    int32_t value;
    if (row && attribute_of(sheet, attribute, &value) && value >= 0)
        sheet_row_number(row, value);
}

static void add_ability(struct sheet *sheet, const char *id, const char *label,
                        enum device_attribute attribute)
{
    struct sheet_row *row = add_asked(sheet, SHEET_ABILITIES, id, label, "");
    uint32_t since = device_ability_since(attribute);
    int32_t value;
    if (row && attribute_of(sheet, attribute, &value)) {
        sheet_row_text(row, "%s", value ? "yes" : "no");
    } else if (!row && since > 0 && sheet->arch) {
        row =
            sheet_row_add(sheet, SHEET_ABILITIES, id, label, "", PROVENANCE_EXPECTED, FROM_CAPABILITY, NULL);
        sheet_row_text(row, "%s", sheet->arch->compute_capability >= since ? "yes" : "no");
    }
}

static void add_unasked(struct sheet *sheet)
{
    if (!sheet->device->asked) {
        sheet_row_add(sheet, SHEET_ABILITIES, "more", "PCI address, compute mode, pitch", "",
                      sheet_provenance(sheet), FROM_DRIVER, sheet->model ? WHY_NOT_MODELLED : WHY_NOT_ASKED);
    }
}

/* Sizes in each direction, "1,024 x 1,024 x 64", with layers "32,768, 2,048 layers"; a single one as a
 * number. */
static const struct limit {
    enum sheet_group group;
    const char *id, *label, *unit;
    enum device_limit rule;
    uint32_t sizes; /* including the layers, which are the last size */
    bool layered;
    enum device_attribute asked[DEVICE_LIMIT_SIZES];
} limits[] = {
    {SHEET_EXECUTION,
     "max_block_dimensions",
     "largest block, in each direction",
     "threads",
     DEVICE_LIMIT_BLOCK,
     3,
     false,
     {DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z}},
    {SHEET_EXECUTION,
     "max_grid_dimensions",
     "largest grid, in each direction",
     "blocks",
     DEVICE_LIMIT_GRID,
     3,
     false,
     {DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z}},
    {SHEET_TEXTURES,
     "max_texture_1d",
     "largest 1D texture",
     "texels",
     DEVICE_LIMIT_TEXTURE_1D,
     1,
     false,
     {DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH}},
    {SHEET_TEXTURES,
     "max_texture_2d",
     "largest 2D texture",
     "texels",
     DEVICE_LIMIT_TEXTURE_2D,
     2,
     false,
     {DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT}},
    {SHEET_TEXTURES,
     "max_texture_3d",
     "largest 3D texture",
     "texels",
     DEVICE_LIMIT_TEXTURE_3D,
     3,
     false,
     {DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
      DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH}},
    {SHEET_TEXTURES,
     "max_texture_1d_layered",
     "largest 1D texture in layers",
     "texels",
     DEVICE_LIMIT_LAYERED_1D,
     2,
     true,
     {DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH, DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS}},
    {SHEET_TEXTURES,
     "max_texture_2d_layered",
     "largest 2D texture in layers",
     "texels",
     DEVICE_LIMIT_LAYERED_2D,
     3,
     true,
     {DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH, DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
      DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS}},
};

/* Sizes of a limit that the driver gave; false: not all of them. */
static bool limit_asked(const struct sheet *sheet, const struct limit *limit,
                        uint32_t sizes[DEVICE_LIMIT_SIZES])
{
    for (uint32_t i = 0; i < limit->sizes; i++) {
        int32_t value;
        if (!attribute_of(sheet, limit->asked[i], &value) || value < 0)
            return false;
        sizes[i] = (uint32_t)value;
    }
    return true;
}

static void row_sizes(struct sheet_row *row, const struct limit *limit, const uint32_t *sizes)
{
    char text[sizeof row->text];
    size_t used = 0;
    for (uint32_t i = 0; i < limit->sizes; i++) {
        bool layers = limit->layered && i + 1 == limit->sizes;
        char number[48];
        sheet_format_count(sizes[i], layers ? "layers" : "", number, sizeof number);
        append_text(text, sizeof text, &used, "%s%s", i == 0 ? "" : layers ? ", " : " x ", number);
    }
    sheet_row_text(row, "%s", text);
}

static void add_limits(struct sheet *sheet, enum sheet_group group)
{
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const struct limit *limit = &limits[i];
        uint32_t asked[DEVICE_LIMIT_SIZES];
        if (limit->group != group)
            continue;
        bool said = limit_asked(sheet, limit, asked);
        struct sheet_row *row = sheet_row_add(sheet, group, limit->id, limit->label, limit->unit,
                                              said ? sheet_provenance(sheet) : PROVENANCE_EXPECTED,
                                              said ? FROM_DRIVER : FROM_CAPABILITY, WHY_NO_RULES);
        const uint32_t *sizes = said ? asked
                                : sheet->arch
                                    ? device_limit_sizes(limit->rule, sheet->arch->compute_capability)
                                    : NULL;
        if (sizes && limit->sizes == 1)
            sheet_row_number(row, sizes[0]);
        else if (sizes)
            row_sizes(row, limit, sizes);
    }
}

static void add_derived(struct sheet *sheet, enum sheet_group group, const char *id, const char *label,
                        const char *unit, enum provenance provenance, double number, const char *formula)
{
    struct sheet_row *row =
        sheet_row_add(sheet, group, id, label, unit, provenance, formula, "one of its inputs is not known");
    row->value.derived = true;
    if (number > 0)
        sheet_row_number(row, number);
}

/* ---- groups ---- */
static void add_device(struct sheet *sheet)
{
    const struct device_info *info = &sheet->device->info;
    static const uint8_t no_uuid[sizeof info->uuid];
    const char *from = sheet->model ? FROM_MODEL : FROM_DRIVER;
    enum provenance own = sheet_provenance(sheet);
    int32_t domain, bus, device, mode;

    sheet_row_text(sheet_row_add(sheet, SHEET_DEVICE, "name", "name", "", own, from, WHY_UNKNOWN), "%.*s",
                   (int)sizeof info->name - 1, info->name);
    struct sheet_row *row = sheet_row_add(sheet, SHEET_DEVICE, "chip", "chip", "", own,
                                          sheet->model ? from : "CUPTI", "CUPTI reports it in a counter run");
    if (info->chip[0])
        sheet_row_text(row, "%.*s", (int)sizeof info->chip - 1, info->chip);
    row = sheet_row_add(sheet, SHEET_DEVICE, "compute_capability", "compute capability", "", own, from,
                        WHY_UNKNOWN);
    if (info->compute_capability) {
        sheet_row_text(row, "%s%s%s", capability_text(info->compute_capability).text, sheet->arch ? ", " : "",
                       sheet->arch ? sheet->arch->name : "");
    }
    row = sheet_row_add(sheet, SHEET_DEVICE, "uuid", "UUID", "", own, from,
                        sheet->model ? WHY_NOT_MODELLED : WHY_UNKNOWN);
    if (memcmp(info->uuid, no_uuid, sizeof no_uuid) != 0) {
        const uint8_t *u = info->uuid;
        sheet_row_text(row, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0],
                       u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
                       u[14], u[15]);
    }
    row = sheet_row_add(sheet, SHEET_DEVICE, "driver_version", "CUDA of the driver", "", own, from,
                        sheet->model ? WHY_NOT_MODELLED : WHY_UNKNOWN);
    if (info->driver_version)
        sheet_row_text(row, "%u.%u", info->driver_version / 1000, info->driver_version % 1000 / 10);
    row = add_asked(sheet, SHEET_DEVICE, "pci_address", "PCI address", "");
    if (row && attribute_of(sheet, DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &domain) &&
        attribute_of(sheet, DEVICE_ATTRIBUTE_PCI_BUS_ID, &bus) &&
        attribute_of(sheet, DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &device))
        sheet_row_text(row, "%04x:%02x:%02x.0", (unsigned)domain, (unsigned)bus, (unsigned)device);
    row = add_asked(sheet, SHEET_DEVICE, "compute_mode", "compute mode", "");
    if (row && attribute_of(sheet, DEVICE_ATTRIBUTE_COMPUTE_MODE, &mode)) {
        sheet_row_text(row, "%s",
                       mode == 0   ? "default: many processes may use it"
                       : mode == 2 ? "prohibited: no process may use it"
                                   : "exclusive: one process at a time");
    }
}

static void add_execution(struct sheet *sheet)
{
    const struct device_info *info = &sheet->device->info;
    const struct arch *arch = sheet->arch;
    add_fact(sheet, SHEET_EXECUTION, "multiprocessors", "multiprocessors", "", info->multiprocessors);
    add_rule(sheet, SHEET_EXECUTION, "float_lanes", "... CUDA cores of each", "",
             arch ? arch->float_lanes : 0);
    add_derived(sheet, SHEET_EXECUTION, "cuda_cores", "CUDA cores", "", PROVENANCE_EXPECTED,
                (double)info->multiprocessors * (arch ? arch->float_lanes : 0),
                "multiprocessors x CUDA cores of each");
    add_fact(sheet, SHEET_EXECUTION, "core_clock_khz", "core clock, at most", "kHz", info->core_clock_khz);
    add_rule(sheet, SHEET_EXECUTION, "warp_lanes", "lanes of a warp", "", arch ? arch->warp_lanes : 0);
    add_fact(sheet, SHEET_EXECUTION, "max_threads_per_multiprocessor", "threads per multiprocessor", "",
             info->max_threads_per_multiprocessor);
    add_rule(sheet, SHEET_EXECUTION, "max_warps_per_multiprocessor", "warps per multiprocessor", "",
             arch ? arch->max_warps_per_multiprocessor : 0);
    add_fact(sheet, SHEET_EXECUTION, "max_blocks_per_multiprocessor", "blocks per multiprocessor", "",
             info->max_blocks_per_multiprocessor);
    add_fact(sheet, SHEET_EXECUTION, "max_threads_per_block", "threads per block", "",
             info->max_threads_per_block);
    add_limits(sheet, SHEET_EXECUTION);
    add_derived(sheet, SHEET_EXECUTION, "resident_threads", "threads resident at once", "",
                sheet_provenance(sheet), (double)info->multiprocessors * info->max_threads_per_multiprocessor,
                "multiprocessors x threads per multiprocessor");
}

static void add_registers(struct sheet *sheet)
{
    const struct device_info *info = &sheet->device->info;
    const struct arch *arch = sheet->arch;
    add_fact(sheet, SHEET_REGISTERS, "registers_per_multiprocessor", "32-bit registers per multiprocessor",
             "", info->registers_per_multiprocessor);
    add_fact(sheet, SHEET_REGISTERS, "registers_per_block", "registers per block", "",
             info->registers_per_block);
    add_rule(sheet, SHEET_REGISTERS, "max_registers_per_thread", "registers per thread", "",
             arch ? arch->max_registers_per_thread : 0);
    add_fact(sheet, SHEET_REGISTERS, "shared_bytes_per_multiprocessor", "shared memory per multiprocessor",
             "B", info->shared_bytes_per_multiprocessor);
    add_fact(sheet, SHEET_REGISTERS, "shared_bytes_per_block", "shared memory per block", "B",
             info->shared_bytes_per_block);
    add_fact(sheet, SHEET_REGISTERS, "shared_bytes_per_block_optin", "... that a kernel may request", "B",
             info->shared_bytes_per_block_optin);
    add_fact(sheet, SHEET_REGISTERS, "shared_bytes_reserved_per_block", "... that the driver reserves of it",
             "B", info->shared_bytes_reserved_per_block);
    add_rule(sheet, SHEET_REGISTERS, "banks", "banks of shared memory", "", arch ? arch->banks : 0);
    add_rule(sheet, SHEET_REGISTERS, "bank_bytes", "width of a bank", "B", arch ? arch->bank_bytes : 0);
}

/* CUDA C++ Programming Guide, technical specifications per compute capability: editions 4.2 and 13. */
static uint32_t local_bytes_per_thread(const struct arch *arch)
{
    return arch->compute_capability < 20 ? 16u << 10 : 512u << 10;
}

static uint32_t constant_cache_bytes(const struct arch *arch)
{
    return arch->compute_capability == 60 ? 4u << 10 : 8u << 10;
}

/* The cache of textures, as the same tables have it: from 5.0 on it is the L1 cache's memory. */
static const char *texture_cache_text(const struct arch *arch)
{
    uint32_t cc = arch->compute_capability;
    static const struct {
        uint32_t until;
        const char *text;
    } rows[] = {{19, "6 to 8 KiB"},    {29, "12 KiB"},        {59, "12 to 48 KiB"},  {69, "24 to 48 KiB"},
                {74, "32 to 128 KiB"}, {79, "32 or 64 KiB"},  {80, "28 to 192 KiB"}, {86, "28 to 128 KiB"},
                {87, "28 to 192 KiB"}, {89, "28 to 128 KiB"}, {119, "28 to 256 KiB"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cc <= rows[i].until)
            return rows[i].text;
    return "28 to 128 KiB";
}

static void add_memory(struct sheet *sheet)
{
    const struct device_info *info = &sheet->device->info;
    const struct arch *arch = sheet->arch;
    add_fact(sheet, SHEET_MEMORY, "memory_bytes", "global memory", "B", info->memory_bytes);
    add_fact(sheet, SHEET_MEMORY, "memory_clock_khz", "memory clock", "kHz", info->memory_clock_khz);
    add_fact(sheet, SHEET_MEMORY, "memory_bus_bits", "memory bus", "bits", info->memory_bus_bits);
    add_derived(sheet, SHEET_MEMORY, "theoretical_bandwidth_bytes_per_second", "theoretical bandwidth", "B/s",
                sheet_provenance(sheet), device_info_peak_bandwidth(info),
                "memory clock x bus width x 2 / 8");
    add_fact(sheet, SHEET_MEMORY, "l2_bytes", "L2 cache", "B", info->l2_bytes);
    add_attribute(sheet, SHEET_MEMORY, "l2_persisting_bytes", "... that can be set aside to persist", "B",
                  DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
    add_rule(sheet, SHEET_MEMORY, "line_bytes", "cache line", "B", arch ? arch->line_bytes : 0);
    add_rule(sheet, SHEET_MEMORY, "sector_bytes", "sector", "B", arch ? arch->sector_bytes : 0);
    if (sheet->device->asked) {
        add_attribute(sheet, SHEET_MEMORY, "constant_bytes", "constant memory", "B",
                      DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    } else {
        add_rule(sheet, SHEET_MEMORY, "constant_bytes", "constant memory", "B", CONSTANT_BYTES);
    }
    add_rule(sheet, SHEET_MEMORY, "constant_cache_bytes", "... cached per multiprocessor", "B",
             arch ? constant_cache_bytes(arch) : 0);
    struct sheet_row *textures = sheet_row_add(sheet, SHEET_MEMORY, "texture_cache", "cache of textures", "",
                                               PROVENANCE_EXPECTED, FROM_CAPABILITY, WHY_NO_RULES);
    if (arch)
        sheet_row_text(textures, "%s", texture_cache_text(arch));
    add_rule(sheet, SHEET_MEMORY, "local_bytes_per_thread", "local memory of a thread, at most", "B",
             arch ? local_bytes_per_thread(arch) : 0);
}

/* If there are other GPUs: those whose memory this one accesses without a copy through the host. */
static void add_peers(struct sheet *sheet)
{
    struct sheet_row *row = sheet->device->others > 0
                                ? add_asked(sheet, SHEET_ABILITIES, "peers", "reads the memory of GPUs", "")
                                : NULL;
    char text[sizeof row->text] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < 32; i++)
        if (sheet->device->peers >> i & 1)
            append_text(text, sizeof text, &used, "%s%u", used > 0 ? ", " : "", i);
    if (row)
        sheet_row_text(row, "%s", used > 0 ? text : "none");
}

static void add_abilities(struct sheet *sheet)
{
    const struct device_info *info = &sheet->device->info;
    bool known = info->compute_capability != 0; /* reported with the other attributes */
    struct sheet_row *row =
        sheet_row_add(sheet, SHEET_ABILITIES, "copy_engines", "copy engines", "", sheet_provenance(sheet),
                      sheet->model ? FROM_MODEL : FROM_DRIVER, WHY_UNKNOWN);
    if (known)
        sheet_row_number(row, info->copy_engines);
    add_switch(sheet, "concurrent_kernels", "concurrent kernels", known, info->concurrent_kernels);
    add_switch(sheet, "ecc", "ECC", known, info->ecc);
    add_ability(sheet, "unified_addressing", "one address space with the host",
                DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
    add_ability(sheet, "can_map_host_memory", "reads pinned host memory in place",
                DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
    add_ability(sheet, "managed_memory", "managed memory", DEVICE_ATTRIBUTE_MANAGED_MEMORY);
    add_ability(sheet, "concurrent_managed_access", "... used with the host at once",
                DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
    add_ability(sheet, "pageable_memory_access", "reads pageable memory",
                DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
    add_ability(sheet, "memory_pools", "memory pools", DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
    add_ability(sheet, "stream_priorities", "stream priorities",
                DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
    add_ability(sheet, "cooperative_launch", "cooperative launches", DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
    add_ability(sheet, "cooperative_multi_device_launch", "... of several GPUs",
                DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH);
    add_ability(sheet, "cluster_launch", "clusters of blocks", DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
    add_ability(sheet, "compute_preemption", "kernels can be preempted",
                DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED);
    add_ability(sheet, "kernel_time_limit", "kernels have a time limit",
                DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
    add_ability(sheet, "integrated", "shares the host's memory chips", DEVICE_ATTRIBUTE_INTEGRATED);
    add_peers(sheet);
    if (sheet->device->asked) {
        add_attribute(sheet, SHEET_ABILITIES, "single_to_double_ratio", "speed of single to double precision",
                      "", DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
    } else if (sheet->arch && sheet->arch->double_lanes > 0) {
        add_rule(sheet, SHEET_ABILITIES, "single_to_double_ratio", "speed of single to double precision", "",
                 sheet->arch->float_lanes / sheet->arch->double_lanes);
    }
}

static void add_textures(struct sheet *sheet)
{
    add_limits(sheet, SHEET_TEXTURES);
    add_attribute(sheet, SHEET_TEXTURES, "texture_alignment", "alignment of textures", "B",
                  DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    add_attribute(sheet, SHEET_TEXTURES, "surface_alignment", "alignment of surfaces", "B",
                  DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT);
    add_attribute(sheet, SHEET_TEXTURES, "max_pitch_bytes", "largest pitch of a copy", "B",
                  DEVICE_ATTRIBUTE_MAX_PITCH);
}

size_t device_sheet_make(const struct device_description *device, struct sheet_row rows[SHEET_ROWS_MAX])
{
    struct sheet sheet = {.device = device,
                          .arch = arch_find(device->info.compute_capability),
                          .model = device->info.is_model != 0,
                          .rows = rows};
    add_device(&sheet);
    add_execution(&sheet);
    add_registers(&sheet);
    add_memory(&sheet);
    add_abilities(&sheet);
    add_unasked(&sheet);
    add_textures(&sheet);
    return sheet.count;
}
