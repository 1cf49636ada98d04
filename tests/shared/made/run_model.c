/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/run_model.h"

#include "simt/timing/gpu.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 2

struct memory *model_memory;
struct module *model_module;
struct grid_machine model_machine;
struct print_text model_printed, model_asserted;
static struct error error;

void model_open(void)
{
    const struct gpu *gpu = gpu_at(0);
    cr_assert_eq(memory_create(&model_memory, 1 << 28, true, &error), STATUS_OK, "%s", error.text);
    model_machine = (struct grid_machine){
        .memory = model_memory, .info = &gpu->info, .rules = arch_find(90), .check = true};
    cr_assert_eq(grid_pool_create(&model_machine.pool, WORKERS, &error), STATUS_OK, "%s", error.text);
}

void model_unload(void)
{
    module_unload(model_module);
    model_module = NULL;
}

/* The texts of a result, or none, in the place of those before. */
static void keep_printed(struct grid_result *result)
{
    free(model_printed.bytes);
    free(model_asserted.bytes);
    model_printed = result ? result->printed : (struct print_text){0};
    model_asserted = result ? result->asserted : (struct print_text){0};
    if (result)
        result->printed = result->asserted = (struct print_text){0};
}

void model_close(void)
{
    model_unload();
    keep_printed(NULL);
    grid_pool_destroy(model_machine.pool);
    memory_destroy(model_memory);
}

void model_load_text(const char *name, const char *text, size_t size_bytes)
{
    model_unload();
    cr_assert_eq(module_load(&model_module, model_memory, name, text, size_bytes, &error), STATUS_OK, "%s",
                 error.text);
}

void model_load(const char *path)
{
    static char text[1 << 20];
    char full[8192];
    snprintf(full, sizeof full, "%s/%s.ptx", TEST_SOURCE_DIR, path);
    FILE *file = fopen(full, "rb");
    cr_assert_not_null(file, "%s", full);
    size_t size = fread(text, 1, sizeof text, file);
    cr_assert(size > 0 && size < sizeof text, "%s", full);
    fclose(file);
    model_load_text(path, text, size);
}

uint64_t model_allocate(uint64_t size_bytes, uint8_t **bytes)
{
    uint64_t address;
    cr_assert_eq(memory_alloc(model_memory, size_bytes, &address, &error), STATUS_OK, "%s", error.text);
    if (bytes)
        cr_assert_eq(memory_access(model_memory, address, size_bytes, true, bytes, &error), STATUS_OK);
    return address;
}

static void fail_with_report(const struct program *program, const struct grid_result *result)
{
    char text[512];
    check_text(program, &result->checks.reports[0], text, sizeof text);
    cr_assert_fail("%s", text);
}

static enum status run_any(const char *kernel, bool merge, struct grid_launch *launch,
                           const uint64_t *arguments, struct grid_result *result)
{
    uint8_t parameters[256] = {0};
    launch->module = model_module;
    launch->parameters = parameters;
    enum status status = module_program(model_module, kernel, merge, &launch->program, &error);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    for (uint32_t i = 0; i < launch->program->parameter_count; i++) {
        const struct program_parameter *parameter = &launch->program->parameters[i];
        cr_assert(parameter->offset + 8 <= sizeof parameters && parameter->size_bytes <= 8);
        memcpy(parameters + parameter->offset, &arguments[i], parameter->size_bytes);
    }
    status = grid_run(&model_machine, launch, result, &error);
    keep_printed(result);
    return status;
}

static void run(const char *kernel, bool merge, struct grid_launch *launch, const uint64_t *arguments,
                struct grid_result *result)
{
    enum status status = run_any(kernel, merge, launch, arguments, result);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    if (result->checks.report_count)
        fail_with_report(launch->program, result);
}

void model_launch(const char *kernel, const uint32_t grid[3], const uint32_t block[3], uint32_t shared_bytes,
                  const uint64_t *arguments, struct count_totals *totals)
{
    struct grid_launch launch = {.dynamic_shared_bytes = shared_bytes};
    struct grid_result result;
    memcpy(launch.grid, grid, sizeof launch.grid);
    memcpy(launch.block, block, sizeof launch.block);
    run(kernel, true, &launch, arguments, &result);
    if (totals)
        count_totals(&result.counter, totals);
    grid_result_fini(&result);
}

static enum check_kind first_report(enum status status, const char *kernel, const uint32_t grid[3],
                                    const uint32_t block[3], const uint64_t *arguments)
{
    struct grid_launch launch = {0};
    struct grid_result result;
    memcpy(launch.grid, grid, sizeof launch.grid);
    memcpy(launch.block, block, sizeof launch.block);
    cr_assert_eq(run_any(kernel, true, &launch, arguments, &result), status);
    enum check_kind kind = result.checks.report_count ? result.checks.reports[0].kind : CHECK_KIND_COUNT;
    grid_result_fini(&result);
    return kind;
}

enum check_kind model_stopped(const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                              const uint64_t *arguments, struct error *sentence)
{
    enum check_kind kind = first_report(STATUS_CHECK, kernel, grid, block, arguments);
    *sentence = error;
    return kind;
}

enum check_kind model_reported(const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                               const uint64_t *arguments)
{
    return first_report(STATUS_OK, kernel, grid, block, arguments);
}

void model_launch_counted(const char *kernel, bool merge, const uint32_t grid[3], const uint32_t block[3],
                          uint32_t shared_bytes, const uint64_t *arguments, model_counted *counted)
{
    struct grid_launch launch = {.dynamic_shared_bytes = shared_bytes};
    struct grid_result result;
    memcpy(launch.grid, grid, sizeof launch.grid);
    memcpy(launch.block, block, sizeof launch.block);
    run(kernel, merge, &launch, arguments, &result);
    if (counted)
        counted(launch.program, &result.counter);
    grid_result_fini(&result);
}
