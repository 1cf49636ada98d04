#include "core/device_sheet.h"

#include "core/arch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CONSTANT_BYTES \
    65536 /* of every compute capability: CUDA C++ Programming Guide, technical specifications */
#define FROM_DRIVER "the driver"
#define FROM_MODEL "the table of modelled GPUs"
#define FROM_CAPABILITY "the compute capability"
#define WHY_UNKNOWN "the driver did not say it"
#define WHY_NOT_MODELLED "the device model says nothing of it"
#define WHY_NOT_ASKED "lanescope device asks the driver for it; recordings do not keep it"
#define WHY_NO_RULES "the limits of this compute capability are not known"

const char *sheet_group_text(enum sheet_group group)
{
#define SHEET_GROUP_TEXT(id, text) [SHEET_##id] = text,
    static const char *const texts[] = {SHEET_GROUP_LIST(SHEET_GROUP_TEXT)};
#undef SHEET_GROUP_TEXT

    return texts[group];
}

struct sheet {
    const struct device_description *device;
    const struct arch *arch; /* NULL: not known */
    bool model;
    struct sheet_row *rows;
    size_t count;
};

/* ---- numbers as people read them ---- */
static void format_count(uint64_t number, const char *unit, char *text, size_t size_bytes)
{
    char plain[24], grouped[32];
    size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRIu64, number), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            grouped[at++] = ',';
        }
        grouped[at++] = plain[i];
    }
    grouped[at] = '\0';
    snprintf(text, size_bytes, "%s%s%s", grouped, unit[0] ? " " : "", unit);
}

/* Capacities are powers of two: 232448 -> "227 KiB". What is no whole number of KiB is given in bytes; of
 * GiB, with one decimal. */
static void format_bytes(uint64_t bytes, char *text, size_t size_bytes)
{
    if (bytes >= UINT64_C(1) << 30) {
        snprintf(text, size_bytes, "%.1f GiB (%.1f GB)", (double)bytes / (double)(UINT64_C(1) << 30),
                 (double)bytes / 1e9);
    } else if (bytes >= 1u << 20 && bytes % (1u << 20) == 0) {
        format_count(bytes >> 20, "MiB", text, size_bytes);
    } else if (bytes >= 1024 && bytes % 1024 == 0) {
        format_count(bytes >> 10, "KiB", text, size_bytes);
    } else {
        format_count(bytes, "B", text, size_bytes);
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

/* ---- rows ---- */
static enum provenance provenance_of(const struct sheet *sheet)
{
    return sheet->model ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
}

/* A row that is not available yet. */
static struct sheet_row *row_add(struct sheet *sheet, enum sheet_group group, const char *id,
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

static void row_number(struct sheet_row *row, uint64_t number)
{
    row->value.available = true;
    row->value.number = (double)number;
    row->value.why = NULL;
    if (strcmp(row->unit, "B") == 0) {
        format_bytes(number, row->text, sizeof row->text);
    } else if (strcmp(row->unit, "kHz") == 0) {
        format_count((number + 500) / 1000, "MHz", row->text, sizeof row->text);
    } else {
        format_count(number, row->unit, row->text, sizeof row->text);
    }
}

__attribute__((format(printf, 2, 3))) static void row_text(struct sheet_row *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->text, sizeof row->text, format, arguments);
    va_end(arguments);
    row->value.available = row->is_text = true;
    row->value.why = NULL;
}

/* A fact of struct device_info: 0 is not known. */
static void add_fact(struct sheet *sheet, enum sheet_group group, const char *id, const char *label,
                     const char *unit, uint64_t number)
{
    struct sheet_row *row =
        row_add(sheet, group, id, label, unit, provenance_of(sheet), sheet->model ? FROM_MODEL : FROM_DRIVER,
                sheet->model ? WHY_NOT_MODELLED : WHY_UNKNOWN);
    if (number > 0) {
        row_number(row, number);
    }
}

/* A fact that is there or not; `known`: the device said so. */
static void add_switch(struct sheet *sheet, const char *id, const char *label, bool known, bool on)
{
    struct sheet_row *row = row_add(sheet, SHEET_ABILITIES, id, label, "", provenance_of(sheet),
                                    sheet->model ? FROM_MODEL : FROM_DRIVER, WHY_UNKNOWN);
    if (known) {
        row_text(row, "%s", on ? "yes" : "no");
    }
}

/* What the compute capability implies: 0 is not known. */
static void add_rule(struct sheet *sheet, enum sheet_group group, const char *id, const char *label,
                     const char *unit, uint64_t number)
{
    struct sheet_row *row =
        row_add(sheet, group, id, label, unit, PROVENANCE_EXPECTED, FROM_CAPABILITY, WHY_NO_RULES);
    if (sheet->arch && number > 0) {
        row_number(row, number);
    }
}

static bool attribute_of(const struct sheet *sheet, enum device_attribute attribute, int32_t *value)
{
    *value = sheet->device->attribute[attribute];
    return sheet->device->asked && *value != DEVICE_ATTRIBUTE_UNKNOWN;
}

/* A row of what only a driver says; without one there is no row, but for the one that says so (add_unasked).
 */
static struct sheet_row *add_asked(struct sheet *sheet, enum sheet_group group, const char *id,
                                   const char *label, const char *unit)
{
    return sheet->device->asked
               ? row_add(sheet, group, id, label, unit, provenance_of(sheet), FROM_DRIVER, WHY_UNKNOWN)
               : NULL;
}

static void add_attribute(struct sheet *sheet, enum sheet_group group, const char *id, const char *label,
                          const char *unit, enum device_attribute attribute)
{
    struct sheet_row *row = add_asked(sheet, group, id, label, unit);
    int32_t value;
    if (row && attribute_of(sheet, attribute, &value) && value >= 0) {
        row_number(row, (uint64_t)value);
    }
}

static void add_ability(struct sheet *sheet, const char *id, const char *label,
                        enum device_attribute attribute)
{
    struct sheet_row *row = add_asked(sheet, SHEET_ABILITIES, id, label, "");
    int32_t value;
    if (row && attribute_of(sheet, attribute, &value)) {
        row_text(row, "%s", value ? "yes" : "no");
    }
}

static void add_unasked(struct sheet *sheet)
{
    if (!sheet->device->asked) {
        row_add(sheet, SHEET_ABILITIES, "more", "PCI, addressing, textures", "", provenance_of(sheet),
                FROM_DRIVER, sheet->model ? WHY_NOT_MODELLED : WHY_NOT_ASKED);
    }
}

/* Up to three sizes of the driver's, "1,024 x 1,024 x 64". */
static bool sizes_text(const struct sheet *sheet, const enum device_attribute *sizes, size_t count,
                       char *text, size_t size_bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t value;
        char number[32];
        if (!attribute_of(sheet, sizes[i], &value) || value < 0) {
            return false;
        }
        format_count((uint64_t)value, "", number, sizeof number);
        used += (size_t)snprintf(text + used, used < size_bytes ? size_bytes - used : 0, "%s%s",
                                 i > 0 ? " x " : "", number);
    }
    return true;
}

/* The limits of a grid and of a block in each direction: asked, or those of the CUDA C++ Programming Guide's
 * table of technical specifications (1.x and 2.x: edition 4.2). */
static void add_dimensions(struct sheet *sheet)
{
    static const enum device_attribute block[] = {DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                                                  DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                                  DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
                                       grid[] = {DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                                                 DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                                 DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
    uint32_t capability = sheet->arch ? sheet->arch->compute_capability : 0;
    const struct {
        const char *id, *label, *rule;
        const enum device_attribute *asked;
    } limits[] = {
        {"max_block_dimensions", "largest block, in each direction",
         capability < 20 ? "512 x 512 x 64" : "1,024 x 1,024 x 64", block},
        {"max_grid_dimensions", "largest grid, in each direction",
         capability < 20   ? "65,535 x 65,535 x 1"
         : capability < 30 ? "65,535 x 65,535 x 65,535"
                           : "2,147,483,647 x 65,535 x 65,535",
         grid},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        char text[80];
        bool asked = sizes_text(sheet, limits[i].asked, 3, text, sizeof text);
        struct sheet_row *row = row_add(sheet, SHEET_EXECUTION, limits[i].id, limits[i].label, "threads",
                                        asked ? provenance_of(sheet) : PROVENANCE_EXPECTED,
                                        asked ? FROM_DRIVER : FROM_CAPABILITY, WHY_NO_RULES);
        row->unit = i == 0 ? "threads" : "blocks";
        if (asked || sheet->arch) {
            row_text(row, "%s", asked ? text : limits[i].rule);
        }
    }
}

static void add_derived(struct sheet *sheet, enum sheet_group group, const char *id, const char *label,
                        const char *unit, double number, const char *formula)
{
    struct sheet_row *row = row_add(sheet, group, id, label, unit, provenance_of(sheet), formula,
                                    "one of its inputs is not known");
    row->value.derived = true;
    if (!(number > 0)) {
        return;
    }
    row_number(row, (uint64_t)number);
    row->value.number = number;
    if (strcmp(unit, "B/s") == 0) {
        format_rate(number, row->text, sizeof row->text);
    }
}

/* ---- groups ---- */
static void add_device(struct sheet *sheet)
{
    const struct device_info *info = &sheet->device->info;
    static const uint8_t no_uuid[sizeof info->uuid];
    const char *from = sheet->model ? FROM_MODEL : FROM_DRIVER;
    enum provenance own = provenance_of(sheet);
    int32_t domain, bus, device, mode;

    row_text(row_add(sheet, SHEET_DEVICE, "name", "name", "", own, from, WHY_UNKNOWN), "%.*s",
             (int)sizeof info->name - 1, info->name);
    struct sheet_row *row = row_add(sheet, SHEET_DEVICE, "chip", "chip", "", own,
                                    sheet->model ? from : "CUPTI", "CUPTI names it in a counter run");
    if (info->chip[0]) {
        row_text(row, "%.*s", (int)sizeof info->chip - 1, info->chip);
    }
    row =
        row_add(sheet, SHEET_DEVICE, "compute_capability", "compute capability", "", own, from, WHY_UNKNOWN);
    if (info->compute_capability) {
        row_text(row, "%u.%u%s%s", info->compute_capability / 10, info->compute_capability % 10,
                 sheet->arch ? ", " : "", sheet->arch ? sheet->arch->name : "");
    }
    row = row_add(sheet, SHEET_DEVICE, "uuid", "UUID", "", own, from,
                  sheet->model ? WHY_NOT_MODELLED : WHY_UNKNOWN);
    if (memcmp(info->uuid, no_uuid, sizeof no_uuid) != 0) {
        const uint8_t *u = info->uuid;
        row_text(row, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
                 u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
    }
    row = row_add(sheet, SHEET_DEVICE, "driver_version", "CUDA of the driver", "", own, from,
                  sheet->model ? WHY_NOT_MODELLED : WHY_UNKNOWN);
    if (info->driver_version) {
        row_text(row, "%u.%u", info->driver_version / 1000, info->driver_version % 1000 / 10);
    }
    row = add_asked(sheet, SHEET_DEVICE, "pci_address", "PCI address", "");
    if (row && attribute_of(sheet, DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &domain) &&
        attribute_of(sheet, DEVICE_ATTRIBUTE_PCI_BUS_ID, &bus) &&
        attribute_of(sheet, DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &device)) {
        row_text(row, "%04x:%02x:%02x.0", (unsigned)domain, (unsigned)bus, (unsigned)device);
    }
    row = add_asked(sheet, SHEET_DEVICE, "compute_mode", "compute mode", "");
    if (row && attribute_of(sheet, DEVICE_ATTRIBUTE_COMPUTE_MODE, &mode)) {
        row_text(row, "%s",
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
    add_dimensions(sheet);
    add_derived(sheet, SHEET_EXECUTION, "resident_threads", "threads resident at once", "",
                (double)info->multiprocessors * info->max_threads_per_multiprocessor,
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
    add_fact(sheet, SHEET_REGISTERS, "shared_bytes_per_block_optin", "... that a kernel may ask for", "B",
             info->shared_bytes_per_block_optin);
    add_fact(sheet, SHEET_REGISTERS, "shared_bytes_reserved_per_block", "... that the driver keeps of it",
             "B", info->shared_bytes_reserved_per_block);
    add_rule(sheet, SHEET_REGISTERS, "banks", "banks of shared memory", "", arch ? arch->banks : 0);
    add_rule(sheet, SHEET_REGISTERS, "bank_bytes", "width of a bank", "B", arch ? arch->bank_bytes : 0);
}

static void add_memory(struct sheet *sheet)
{
    const struct device_info *info = &sheet->device->info;
    const struct arch *arch = sheet->arch;
    add_fact(sheet, SHEET_MEMORY, "memory_bytes", "global memory", "B", info->memory_bytes);
    add_fact(sheet, SHEET_MEMORY, "memory_clock_khz", "memory clock", "kHz", info->memory_clock_khz);
    add_fact(sheet, SHEET_MEMORY, "memory_bus_bits", "memory bus", "bits", info->memory_bus_bits);
    add_derived(sheet, SHEET_MEMORY, "theoretical_bandwidth_bytes_per_second", "theoretical bandwidth", "B/s",
                device_info_peak_bandwidth(info), "memory clock x bus width x 2 / 8");
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
}

static void add_abilities(struct sheet *sheet)
{
    const struct device_info *info = &sheet->device->info;
    bool known = info->compute_capability != 0; /* a device that said anything said these, too */
    struct sheet_row *row =
        row_add(sheet, SHEET_ABILITIES, "copy_engines", "copy engines", "", provenance_of(sheet),
                sheet->model ? FROM_MODEL : FROM_DRIVER, WHY_UNKNOWN);
    if (known) {
        row_number(row, info->copy_engines);
    }
    add_switch(sheet, "concurrent_kernels", "kernels beside each other", known, info->concurrent_kernels);
    add_switch(sheet, "ecc", "ECC", known, info->ecc);
    add_ability(sheet, "unified_addressing", "one address space with the host",
                DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
    add_ability(sheet, "can_map_host_memory", "reads the host's pinned memory in place",
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
    add_ability(sheet, "cluster_launch", "clusters of blocks", DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
    add_ability(sheet, "compute_preemption", "kernels can be preempted",
                DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED);
    add_ability(sheet, "kernel_time_limit", "kernels have a time limit",
                DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
    add_ability(sheet, "integrated", "shares the host's memory chips", DEVICE_ATTRIBUTE_INTEGRATED);
    add_attribute(sheet, SHEET_ABILITIES, "single_to_double_ratio", "speed of single to double precision", "",
                  DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
}

static void add_textures(struct sheet *sheet)
{
    static const enum device_attribute flat[] = {DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
                                                 DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT},
                                       deep[] = {DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
                                                 DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
                                                 DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH};
    char text[80];
    add_attribute(sheet, SHEET_TEXTURES, "max_texture_1d", "largest 1D texture", "texels",
                  DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH);
    struct sheet_row *row =
        add_asked(sheet, SHEET_TEXTURES, "max_texture_2d", "largest 2D texture", "texels");
    if (row && sizes_text(sheet, flat, 2, text, sizeof text)) {
        row_text(row, "%s", text);
    }
    row = add_asked(sheet, SHEET_TEXTURES, "max_texture_3d", "largest 3D texture", "texels");
    if (row && sizes_text(sheet, deep, 3, text, sizeof text)) {
        row_text(row, "%s", text);
    }
    add_attribute(sheet, SHEET_TEXTURES, "texture_alignment", "alignment of textures", "B",
                  DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
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
