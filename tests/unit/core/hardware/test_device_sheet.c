/* SPDX-License-Identifier: Apache-2.0 */
/* The sheet of a device: every fact has its row, nothing that is not known looks like a number, and what is
 * derived is what its formula gives. */
#include "cli/machine/device_command.h"
#include "cli/output/json.h"
#include "core/hardware/arch.h"
#include "core/hardware/device_sheet.h"
#include "simt/timing/gpu.h"
#include "tests/shared/fixture/golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct sheet_row *find(const struct sheet_row *rows, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].id, id) == 0)
            return &rows[i];
    cr_assert_fail("there is no row %s", id);
    return NULL;
}

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(random_state >> 33) % below;
}

/* A GPU whose driver knows each attribute or not. */
static struct device_description made_gpu(void)
{
    struct device_description device = {
        .info = {.name = "Made GPU",
                 .compute_capability = arch_at(random_below(20))->compute_capability,
                 .multiprocessors = random_below(200),
                 .max_threads_per_multiprocessor = 32 * random_below(65),
                 .memory_bus_bits = 64 * random_below(100),
                 .memory_clock_khz = 1000 * random_below(5000),
                 .copy_engines = random_below(4),
                 .ecc = random_below(2),
                 .memory_bytes = (uint64_t)random_below(1u << 20) << 20,
                 .driver_version = 13000},
        .asked = random_below(2)};
    for (int i = 0; i < DEVICE_ATTRIBUTE_COUNT; i++)
        device.attribute[i] = random_below(3) ? (int32_t)random_below(70000) : DEVICE_ATTRIBUTE_UNKNOWN;
    return device;
}

static void check_row(const struct sheet_row *row, const struct device_description *device)
{
    const struct value *value = &row->value;
    enum provenance own = device->info.is_model ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    cr_assert(row->id[0] && row->label[0] && memchr(row->text, '\0', sizeof row->text));
    cr_assert(value->provenance == own || value->provenance == PROVENANCE_EXPECTED, "%s", row->id);
    cr_assert_eq(value->available, strcmp(row->text, "n/a") != 0, "%s: %s", row->id, row->text);
    cr_assert_eq(value->available, value->why == NULL, "%s", row->id);
    if (value->derived)
        cr_assert(strpbrk(row->from, "x/"), "%s has no formula", row->id);
}

Test(device_sheet, says_all_that_is_known_and_nothing_else)
{
    struct sheet_row rows[SHEET_ROWS_MAX];
    for (int round = 0; round < 2000; round++) {
        struct device_description device = made_gpu();
        const struct device_info *info = &device.info;
        size_t count = device_sheet_make(&device, rows);
        cr_assert(count > 25 && count < SHEET_ROWS_MAX, "%zu rows", count);
        for (size_t i = 0; i < count; i++) {
            check_row(&rows[i], &device);
            cr_assert(i == 0 || rows[i].group >= rows[i - 1].group);
            for (size_t k = 0; k < i; k++)
                cr_assert_str_neq(rows[i].id, rows[k].id);
        }
        const struct sheet_row *row = find(rows, count, "multiprocessors");
        cr_assert_eq(row->value.available, info->multiprocessors > 0);
        cr_assert_eq(row->value.number, info->multiprocessors);
        row = find(rows, count, "copy_engines"); /* here 0 is an answer */
        cr_assert(row->value.available && row->value.number == info->copy_engines);
        row = find(rows, count, "ecc");
        cr_assert_str_eq(row->text, info->ecc ? "yes" : "no");
        row = find(rows, count, "theoretical_bandwidth_bytes_per_second");
        double bandwidth = info->memory_clock_khz * 1e3 * info->memory_bus_bits * 2 / 8;
        cr_assert_eq(row->value.available, bandwidth > 0);
        cr_assert(bandwidth == 0 || row->value.number == bandwidth);
        row = find(rows, count, "resident_threads");
        cr_assert_eq(row->value.number, (double)info->multiprocessors * info->max_threads_per_multiprocessor);
        row = find(rows, count, "warp_lanes");
        cr_assert_eq(row->value.number, arch_find(info->compute_capability)->warp_lanes);
        if (!device.asked) {
            cr_assert_not(find(rows, count, "more")->value.available);
            continue;
        }
        row = find(rows, count, "max_pitch_bytes");
        int32_t pitch = device.attribute[DEVICE_ATTRIBUTE_MAX_PITCH];
        cr_assert_eq(row->value.available, pitch != DEVICE_ATTRIBUTE_UNKNOWN);
        cr_assert(!row->value.available || row->value.number == pitch);
        row = find(rows, count, "cluster_launch");
        int32_t clusters = device.attribute[DEVICE_ATTRIBUTE_CLUSTER_LAUNCH];
        cr_assert_str_eq(row->text, clusters == DEVICE_ATTRIBUTE_UNKNOWN ? "n/a" : clusters ? "yes" : "no");
    }
}

Test(device_sheet, reads_as_people_read)
{
    struct sheet_row rows[SHEET_ROWS_MAX];
    struct device_description device = {.info = gpu_find("h200")->info, .asked = true};
    static const struct {
        const char *id, *text;
    } wanted[] = {{"theoretical_bandwidth_bytes_per_second", "4.81 TB/s"},
                  {"shared_bytes_per_block_optin", "227 KiB"},
                  {"l2_bytes", "60 MiB"},
                  {"core_clock_khz", "1,980 MHz"},
                  {"memory_bus_bits", "6,016 bits"},
                  {"compute_capability", "9.0, Hopper"},
                  {"resident_threads", "270,336"},
                  {"pci_address", "0001:2a:00.0"},
                  {"max_block_dimensions", "1,024 x 1,024 x 64"},
                  {"uuid", "GPU-00112233-4455-6677-8899-aabbccddeeff"},
                  {"driver_version", "13.0"}};
    device.info.is_model = 0;
    device.info.driver_version = 13000;
    for (unsigned i = 0; i < 16; i++)
        device.info.uuid[i] = (uint8_t)(0x11 * i);
    device.attribute[DEVICE_ATTRIBUTE_PCI_DOMAIN_ID] = 1;
    device.attribute[DEVICE_ATTRIBUTE_PCI_BUS_ID] = 42;
    device.attribute[DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X] = device.attribute[DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y] =
        1024;
    device.attribute[DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z] = 64;
    size_t count = device_sheet_make(&device, rows);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        cr_assert_str_eq(find(rows, count, wanted[i].id)->text, wanted[i].text);
}

/* The lines of the toolkit's deviceQuery, but the runtime's version. */
Test(device_sheet, has_all_that_device_query_prints)
{
    static const struct {
        const char *line, *id;
    } lines[] = {{"Device", "name"},
                 {"CUDA Driver Version", "driver_version"},
                 {"CUDA Capability Major/Minor version number", "compute_capability"},
                 {"Total amount of global memory", "memory_bytes"},
                 {"Multiprocessors", "multiprocessors"},
                 {"CUDA Cores/MP", "float_lanes"},
                 {"CUDA Cores", "cuda_cores"},
                 {"GPU Max Clock rate", "core_clock_khz"},
                 {"Memory Clock rate", "memory_clock_khz"},
                 {"Memory Bus Width", "memory_bus_bits"},
                 {"L2 Cache Size", "l2_bytes"},
                 {"Maximum Texture Dimension Size, 1D", "max_texture_1d"},
                 {"2D", "max_texture_2d"},
                 {"3D", "max_texture_3d"},
                 {"Maximum Layered 1D Texture Size, (num) layers", "max_texture_1d_layered"},
                 {"Maximum Layered 2D Texture Size, (num) layers", "max_texture_2d_layered"},
                 {"Total amount of constant memory", "constant_bytes"},
                 {"Total amount of shared memory per block", "shared_bytes_per_block"},
                 {"Total shared memory per multiprocessor", "shared_bytes_per_multiprocessor"},
                 {"Total number of registers available per block", "registers_per_block"},
                 {"Warp size", "warp_lanes"},
                 {"Maximum number of threads per multiprocessor", "max_threads_per_multiprocessor"},
                 {"Maximum number of threads per block", "max_threads_per_block"},
                 {"Max dimension size of a thread block", "max_block_dimensions"},
                 {"Max dimension size of a grid size", "max_grid_dimensions"},
                 {"Maximum memory pitch", "max_pitch_bytes"},
                 {"Texture alignment", "texture_alignment"},
                 {"Concurrent copy and kernel execution", "copy_engines"},
                 {"Run time limit on kernels", "kernel_time_limit"},
                 {"Integrated GPU sharing Host Memory", "integrated"},
                 {"Support host page-locked memory mapping", "can_map_host_memory"},
                 {"Alignment requirement for Surfaces", "surface_alignment"},
                 {"Device has ECC support", "ecc"},
                 {"Device supports Unified Addressing (UVA)", "unified_addressing"},
                 {"Device supports Managed Memory", "managed_memory"},
                 {"Device supports Compute Preemption", "compute_preemption"},
                 {"Supports Cooperative Kernel Launch", "cooperative_launch"},
                 {"Supports MultiDevice Co-op Kernel Launch", "cooperative_multi_device_launch"},
                 {"Device PCI Domain ID / Bus ID / location ID", "pci_address"},
                 {"Compute Mode", "compute_mode"},
                 {"Peer access", "peers"}};
    struct sheet_row rows[SHEET_ROWS_MAX];
    struct device_description device = {
        .info = gpu_find("h200")->info, .asked = true, .others = 3, .peers = 0xc};
    device.info.is_model = 0;
    device.info.driver_version = 13000;
    for (int i = 0; i < DEVICE_ATTRIBUTE_COUNT; i++)
        device.attribute[i] = 1 + i;
    size_t count = device_sheet_make(&device, rows);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        cr_assert(find(rows, count, lines[i].id)->value.available, "%s", lines[i].line);
    cr_assert_eq(find(rows, count, "cuda_cores")->value.number, 132 * 128);
    cr_assert_str_eq(find(rows, count, "peers")->text, "2, 3");
    device.peers = 0;
    count = device_sheet_make(&device, rows);
    cr_assert_str_eq(find(rows, count, "peers")->text, "none");
}

/* What follows from the compute capability is said where no driver was asked, and what the driver says goes
 * before. */
Test(device_sheet, limits_and_abilities_of_a_generation)
{
    static const struct {
        const char *gpu, *id, *text;
    } wanted[] = {{"8800gtx", "max_texture_1d", "8,192 texels"},
                  {"8800gtx", "unified_addressing", "no"},
                  {"8800gtx", "max_texture_2d_layered", "8,192 x 8,192, 512 layers"},
                  {"8800gtx", "cuda_cores", "128"},
                  {"gtx280", "can_map_host_memory", "yes"},
                  {"gtx280", "single_to_double_ratio", "8"},
                  {"m2090", "max_texture_3d", "2,048 x 2,048 x 2,048"},
                  {"m2090", "unified_addressing", "yes"},
                  {"m2090", "managed_memory", "no"},
                  {"m2090", "cuda_cores", "512"},
                  {"k20x", "max_grid_dimensions", "2,147,483,647 x 65,535 x 65,535"},
                  {"k20x", "managed_memory", "yes"},
                  {"gtx1080", "cooperative_launch", "yes"},
                  {"a100", "max_texture_1d_layered", "32,768, 2,048 layers"},
                  {"a100", "cluster_launch", "no"},
                  {"a100", "cuda_cores", "6,912"},
                  {"h200", "cluster_launch", "yes"},
                  {"h200", "single_to_double_ratio", "2"}};
    struct sheet_row rows[SHEET_ROWS_MAX];
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct device_description device = {.info = gpu_find(wanted[i].gpu)->info};
        size_t count = device_sheet_make(&device, rows);
        const struct sheet_row *row = find(rows, count, wanted[i].id);
        cr_assert_str_eq(row->text, wanted[i].text, "%s of %s: %s", wanted[i].id, wanted[i].gpu, row->text);
        cr_assert_eq(row->value.provenance, PROVENANCE_EXPECTED);
    }
    struct device_description asked = {.info = gpu_find("h200")->info, .asked = true};
    asked.attribute[DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH] = 7;
    size_t count = device_sheet_make(&asked, rows);
    cr_assert_str_eq(find(rows, count, "max_texture_1d")->text, "7 texels");
    cr_assert_str_eq(find(rows, count, "cluster_launch")->text, "no");
}

/* What the course's table of limits says per compute capability is on the sheet of a modelled GPU of it. */
Test(device_sheet, limits_of_every_modelled_gpu)
{
    struct sheet_row rows[SHEET_ROWS_MAX];
    for (size_t i = 0; gpu_at(i); i++) {
        struct device_description device = {.info = gpu_at(i)->info};
        size_t count = device_sheet_make(&device, rows);
        uint32_t capability = device.info.compute_capability;
        for (size_t k = 0; k < count; k++)
            check_row(&rows[k], &device);
        cr_assert_eq(find(rows, count, "max_threads_per_block")->value.number, capability < 20 ? 512 : 1024);
        cr_assert_eq(find(rows, count, "max_registers_per_thread")->value.number,
                     capability < 20                       ? 128
                     : capability < 30 || capability == 30 ? 63
                                                           : 255);
        cr_assert_eq(find(rows, count, "banks")->value.number, capability < 20 ? 16 : 32);
        cr_assert_eq(find(rows, count, "constant_bytes")->value.number, 65536);
        cr_assert_eq(find(rows, count, "name")->value.provenance, PROVENANCE_MODELLED);
    }
}

static char *printed(const char *model_id, const struct device_description *device,
                     const struct device_health *health)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    device_print(out, device, 0, model_id, health);
    fclose(out);
    return text;
}

static struct device_health made_health(void)
{
    struct device_health health;
    device_health_none(&health, "");
    health.available = health.processes_known = true;
    health.gpu_use_pct = 43;
    health.power_mw = 411600;
    health.power_limit_mw = 700000;
    health.temperature_c = 61;
    health.performance_state = 0;
    health.persistence_mode = 1;
    snprintf(health.vbios_version, sizeof health.vbios_version, "96.00\x1b[31m");
    health.process_count = 2;
    health.processes[0] = (struct health_process){4711, 512000000, "train\x1b[31m"};
    health.processes[1] = (struct health_process){4712, HEALTH_UNKNOWN, ""};
    return health;
}

Test(device_sheet, prints_the_golden_sheets)
{
    struct device_health none, health = made_health();
    struct device_description gpu = {.info = gpu_find("h200")->info, .asked = true};
    device_health_modelled(&none, &gpu_find("m2090")->info);
    char *model = printed("m2090", &(struct device_description){.info = gpu_find("m2090")->info}, &none);
    gpu.info.is_model = 0;
    for (int i = 0; i < DEVICE_ATTRIBUTE_COUNT; i++)
        gpu.attribute[i] = i % 7 == 0 ? DEVICE_ATTRIBUTE_UNKNOWN : i;
    char *real = printed(NULL, &gpu, &health);
    cr_assert(golden_equals("device_model.txt", model, NULL));
    cr_assert(golden_equals("device_gpu.txt", real, NULL));
    cr_assert_null(strchr(real, '\x1b'));
    free(model);
    free(real);
}

Test(device_sheet, json_is_as_its_schema_says, .timeout = 280)
{
    struct device_health none, health = made_health();
    char path[] = "/tmp/lanescope-device-XXXXXX", command[8192], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct looked_device items[100];
    struct looked_devices devices = {.items = items};
    device_health_modelled(&none, &gpu_find("h200")->info);
    for (size_t i = 0; gpu_at(i); i++)
        items[devices.count++] = (struct looked_device){
            .device = {.info = gpu_at(i)->info}, .model_id = gpu_at(i)->id, .health = none};
    for (uint32_t i = 0; i < 20; i++)
        items[devices.count++] =
            (struct looked_device){.device = made_gpu(), .ordinal = i, .health = i % 2 ? health : none};
    cr_assert_eq(sheet_document_print(&device_document, &devices, &(struct sheet_look){0}, out, NULL),
                 STATUS_OK);
    fclose(out);
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    golden_write(path, text);
    snprintf(command, sizeof command,
             "python3 '%s/tests/tools/check_json.py' '%s/docs/device.schema.json' '%s' >&2", TEST_SOURCE_DIR,
             TEST_SOURCE_DIR, path);
    int status = system(command);
    unlink(path);
    free(text);
    cr_assert_eq(status, 0);
}
