/* PTX texts -> modules: tables of what each construct becomes, and of every sentence about what is refused. */
#include "simt/ptx.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    cr_assert_not_null(text);
    cr_assert_eq(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

static struct ptx_module *parse(const char *text)
{
    struct ptx_module *module;
    struct error error = {0};
    enum status status = ptx_parse(&module, "t.ptx", text, strlen(text), &error);
    cr_assert_eq(status, STATUS_OK, "%s\n%s", error.text, text);
    return module;
}

/* Instructions in a text that has one on each line that ends in ';' and begins with no directive. */
static uint32_t count_instructions(const char *text)
{
    uint32_t count = 0;
    while (*text) {
        size_t size = strcspn(text, "\n");
        const char *first = text + strspn(text, " \t");
        const char *last = text + size;
        while (last > first && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        count += last > first && last[-1] == ';' && *first != '.' && *first != '/';
        text += size + (text[size] == '\n');
    }
    return count;
}

Test(ptx_parse, kept_kernels)
{
    const char *folder = TEST_SOURCE_DIR "/workloads/ptx";
    DIR *entries = opendir(folder);
    cr_assert_not_null(entries);
    uint32_t files = 0;
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (!strstr(entry->d_name, ".ptx"))
            continue;
        char path[1024];
        size_t size;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char *text = read_file(path, &size);
        struct ptx_module *module = parse(text);
        uint32_t instructions = 0;
        for (uint32_t i = 0; i < module->function_count; i++) {
            cr_assert(module->functions[i].entry);
            instructions += module->functions[i].instruction_count;
        }
        cr_assert_eq(instructions, count_instructions(text), "%s", path);
        cr_assert_str_eq(module->target, "sm_90");
        cr_assert_not_null(ptx_file_name(module, 1));
        ptx_destroy(module);
        free(text);
        files++;
    }
    closedir(entries);
    cr_assert_geq(files, 6);
}
