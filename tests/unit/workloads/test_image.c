/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernels/NAME.cu is in the program: its image in the format it claims, and the PTX that is kept in
 * git. */
#include "simt/ptx/ptx.h"
#include "workloads/frame/image.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FATBIN_MAGIC 0xBA55ED50u

static void check_ptx_is_kept_file(const char *name)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/workloads/ptx/%s.ptx", TEST_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    const struct kernel_image *ptx = kernel_ptx_find(name);
    cr_assert_not_null(ptx, "%s", name);
    char *text = malloc(ptx->size_bytes + 1);
    cr_assert_not_null(text);
    cr_assert_eq(fread(text, 1, ptx->size_bytes + 1, file), ptx->size_bytes, "%s", path);
    cr_assert_eq(memcmp(text, ptx->data, ptx->size_bytes), 0, "%s", path);
    cr_assert_eq(((const char *)ptx->data)[ptx->size_bytes], 0, "%s", path);
    cr_assert_str_eq(ptx->format, "ptx");
    free(text);
    fclose(file);
}

static void check_image(const char *name)
{
    const struct kernel_image *image = kernel_image_find(name);
    cr_assert_not_null(image, "%s", name);
    cr_assert_str_eq(image->name, name);
    if (strcmp(image->format, "ptx") == 0) {
        cr_assert_eq(((const char *)image->data)[image->size_bytes], 0, "%s", name);
        cr_assert_not_null(strstr(image->data, ".target sm_90"), "%s", name);
        return;
    }
    unsigned magic;
    cr_assert_str_eq(image->format, "fatbin");
    cr_assert_gt(image->size_bytes, sizeof magic);
    memcpy(&magic, image->data, sizeof magic);
    cr_assert_eq(magic, FATBIN_MAGIC, "%s", name);
    cr_assert_eq((size_t)image->data % 64, 0, "%s", name);
}

Test(image, every_kernel_file_is_embedded)
{
    DIR *folder = opendir(TEST_SOURCE_DIR "/workloads/kernels");
    cr_assert_not_null(folder);
    int files = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[256];
        size_t length = strlen(entry->d_name);
        if (length < 4 || length >= sizeof name || strcmp(entry->d_name + length - 3, ".cu") != 0)
            continue;
        memcpy(name, entry->d_name, length - 3);
        name[length - 3] = 0;
        check_image(name);
        check_ptx_is_kept_file(name);
        files++;
    }
    closedir(folder);
    cr_assert_gt(files, 0);
}

/* Bytes of shared memory that the kernels of a file declare, in the order of the text. */
static uint64_t shared_bytes(const struct ptx_variable *variables, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (variables[i].space == PTX_SHARED && !variables[i].external) {
            bytes = (bytes + variables[i].align - 1) / variables[i].align * variables[i].align;
            bytes += variables[i].size_bytes;
        }
    }
    return bytes;
}

static uint32_t check_resources(const char *image, const struct ptx_module *module)
{
    uint32_t entries = 0;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *kernel = &module->functions[i];
        if (!kernel->entry)
            continue;
        const struct kernel_resources *resources = kernel_resources_find(image, kernel->name);
        cr_assert_not_null(resources, "%s %s: build the target ptx-refresh", image, kernel->name);
        cr_assert(resources->registers >= 8 && resources->registers <= 255, "%s", kernel->name);
        cr_assert_eq(kernel_registers(image, kernel->name), resources->registers);
        /* sm_90 keeps 1,024 bytes of a block's shared memory to itself; ptxas does not count them. The file's
         * own arrays are those of the kernels that use them. */
        uint64_t own = shared_bytes(kernel->variables, kernel->variable_count),
                 files = shared_bytes(module->variables, module->variable_count);
        cr_assert(resources->static_shared_bytes == own || resources->static_shared_bytes == own + files,
                  "%s", kernel->name);
        entries++;
    }
    return entries;
}

Test(image, every_kept_kernel_has_its_registers)
{
    DIR *folder = opendir(TEST_SOURCE_DIR "/workloads/ptx");
    cr_assert_not_null(folder);
    uint32_t entries = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[256];
        size_t length = strlen(entry->d_name);
        if (length < 5 || length >= sizeof name || strcmp(entry->d_name + length - 4, ".ptx") != 0)
            continue;
        memcpy(name, entry->d_name, length - 4);
        name[length - 4] = 0;
        const struct kernel_image *ptx = kernel_ptx_find(name);
        struct ptx_module *module;
        struct error error = {0};
        cr_assert_not_null(ptx, "%s", name);
        cr_assert_eq(ptx_parse(&module, name, ptx->data, ptx->size_bytes, &error), STATUS_OK, "%s",
                     error.text);
        entries += check_resources(name, module);
        ptx_destroy(module);
    }
    closedir(folder);
    cr_assert_gt(entries, 20);
}

Test(image, unknown_names_are_not_found)
{
    cr_assert_eq(kernel_registers("chunk", "no-such-kernel"), 0);
    cr_assert_eq(kernel_registers("no-such-image", "chunk"), 0);
    cr_assert_null(kernel_resources_find("", ""));
    cr_assert_null(kernel_image_find("no-such-kernel"));
    cr_assert_null(kernel_ptx_find("no-such-kernel"));
    cr_assert_null(kernel_image_find(""));
}

Test(image, one_more_can_be_added)
{
    static const struct kernel_image mine = {.name = "mine.ptx",
                                             .data = ".version 9.0",
                                             .size_bytes = 12,
                                             .format = "ptx"},
                                     taken = {.name = "copy_offset"}, second = {.name = "other.ptx"};

    cr_assert_not(kernel_image_add(&taken));
    cr_assert_null(kernel_image_find("mine.ptx"));
    cr_assert(kernel_image_add(&mine));
    cr_assert_eq(kernel_image_find("mine.ptx"), &mine);
    cr_assert_eq(kernel_ptx_find("mine.ptx"), &mine);
    cr_assert_not(kernel_image_add(&second));
    cr_assert_neq(kernel_image_find("copy_offset"), &taken);
}
