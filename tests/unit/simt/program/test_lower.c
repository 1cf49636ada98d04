/* SPDX-License-Identifier: Apache-2.0 */
/* PTX texts -> decoded programs: all bundled kernels, tables of instructions and of every sentence. */
#include "simt/lanes/program.h"
#include "simt/program/lower/lower_internal.h"

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

static bool place(void *loader, const struct ptx_variable *variable, uint64_t *address)
{
    (void)loader;
    *address = variable->space == PTX_CONST ? 64 : UINT64_C(0x700001000);
    return !variable->external;
}
static const struct program_placement placement = {.address = place};

static void check_slot(const struct program *program, uint32_t slot, const char *path)
{
    cr_assert(slot == PROGRAM_NO_SLOT || (slot < program->frame_bytes && slot % 4 == 0), "%s: slot %u", path,
              slot);
}

/* What holds of every program. */
static void check_program(const struct program *program, const char *path)
{
    cr_assert_gt(program->instruction_count, 0);
    cr_assert_eq(program->frame_bytes % 64, 0);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *at = &program->instructions[i];
        cr_assert_lt(at->op, PROGRAM_OP_COUNT);
        cr_assert_eq(at->op == PROGRAM_LANES, at->lanes != NULL);
        cr_assert_lt(at->origin, program->origin_count);
        check_slot(program, at->guard, path);
        for (uint32_t k = 0; k < PROGRAM_VECTOR; k++)
            check_slot(program, at->destination[k], path);
        for (uint32_t k = 0; k < PROGRAM_SOURCES; k++)
            check_slot(program, at->source[k], path);
        cr_assert(at->target == PROGRAM_END || at->op == PROGRAM_BRX ||
                  at->target < program->instruction_count);
        cr_assert(at->meet == PROGRAM_END || at->meet < program->instruction_count);
    }
    const struct program_instruction *last = &program->instructions[program->instruction_count - 1];
    cr_assert(last->guard == PROGRAM_NO_SLOT && (last->op == PROGRAM_RET || last->op == PROGRAM_EXIT ||
                                                 last->op == PROGRAM_TRAP || last->op == PROGRAM_BRA));
}

Test(lower, kept_kernels)
{
    const char *folder = TEST_SOURCE_DIR "/workloads/ptx";
    DIR *entries = opendir(folder);
    cr_assert_not_null(entries);
    uint32_t kernels = 0;
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (!strstr(entry->d_name, ".ptx"))
            continue;
        char path[8192];
        size_t size;
        struct error error = {0};
        struct ptx_module *module;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char *text = read_file(path, &size);
        cr_assert_eq(ptx_parse(&module, entry->d_name, text, size, &error), STATUS_OK, "%s", error.text);
        free(text);
        for (uint32_t i = 0; i < module->function_count; i++) {
            struct program *program;
            if (!module->functions[i].entry)
                continue;
            enum status status = program_create(&program, module, &module->functions[i], &placement, &error);
            cr_assert_eq(status, STATUS_OK, "%s: %s", path, error.text);
            check_program(program, path);
            program_destroy(program);
            kernels++;
        }
        ptx_destroy(module);
    }
    closedir(entries);
    cr_assert_geq(kernels, 40);
}
