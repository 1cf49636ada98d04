/* Every kernels/NAME.cu is in the program: its image in the format it claims, and the PTX that is kept in
 * git. */
#include "workloads/image.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FATBIN_MAGIC 0xBA55ED50u

static void check_ptx_is_kept_file(const char *name)
{
    char path[512];
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

Test(image, unknown_names_are_not_found)
{
    cr_assert_null(kernel_image_find("no-such-kernel"));
    cr_assert_null(kernel_ptx_find("no-such-kernel"));
    cr_assert_null(kernel_image_find(""));
}
