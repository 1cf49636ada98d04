/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory instructions of the machine code of all kept PTX (tests/data/sass, read off its disassembly by
 * tests/tools/sass_list.py) against what the device model counts for it, per kernel, line, instruction and
 * width. ptxas also unrolls loops, which changes how often an instruction stands there but not how often it
 * is executed: in a loop only whether it is there is compared.
 */
#include "simt/program/merge/merge.h"
#include "simt/program/merge/merge_flow.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA TEST_SOURCE_DIR "/tests/data/sass"
#define ROWS_MAX 4096
#define KNOWN_MAX 64

struct row {
    char kernel[64], instruction[20];
    uint32_t line, bits;
    uint32_t model, machine;
    bool loop; /* the model's is in one */
};

static struct row rows[ROWS_MAX];
static uint32_t row_count;

static struct row *row_of(const char *kernel, uint32_t line, const char *instruction, uint32_t bits)
{
    for (uint32_t i = 0; i < row_count; i++) {
        struct row *row = &rows[i];
        if (row->line == line && row->bits == bits && strcmp(row->instruction, instruction) == 0 &&
            strcmp(row->kernel, kernel) == 0)
            return row;
    }
    cr_assert_lt(row_count, ROWS_MAX);
    struct row *row = &rows[row_count++];
    *row = (struct row){.line = line, .bits = bits};
    snprintf(row->kernel, sizeof row->kernel, "%s", kernel);
    snprintf(row->instruction, sizeof row->instruction, "%s", instruction);
    return row;
}

/* ---- the machine's ---- */
static uint64_t hash_of(const char *text, size_t size_bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a, as sass_list.py has it */
    for (size_t i = 0; i < size_bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* False, with a line: there is no list of this PTX's machine code yet. */
static bool read_machine(const char *path, uint64_t ptx_hash)
{
    char text[256], kernel[64], instruction[20];
    uint32_t line, bits, count;
    uint64_t hash;
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file) || sscanf(text, "# %*s %" SCNx64, &hash) != 1 ||
        hash != ptx_hash) {
        printf("%s is not of the PTX there is now: make it with tests/tools/sass_list.py\n", path);
        if (file)
            fclose(file);
        return false;
    }
    cr_assert_not_null(strstr(text, " by ptxas 13.0.88 "), "%s: %s", path, text);
    cr_assert_not_null(fgets(text, sizeof text, file));
    while (fgets(text, sizeof text, file)) {
        cr_assert_eq(sscanf(text, "%63[^,],%u,%19[^,],%u,%u", kernel, &line, instruction, &bits, &count), 5,
                     "%s: %s", path, text);
        row_of(kernel, line, instruction, bits)->machine = count;
    }
    fclose(file);
    return true;
}

/* ---- the model's ---- */
static bool has_result(const struct program *program, const struct program_instruction *atomic)
{
    bool always = atomic->sub == ATOMIC_CAS || atomic->sub == ATOMIC_EXCH;
    for (uint32_t i = 0; i < program->instruction_count && !always; i++) {
        for (uint32_t s = 0; s < PROGRAM_SOURCES; s++) {
            always = always || (atomic->destination[0] != PROGRAM_NO_SLOT &&
                                program->instructions[i].source[s] == atomic->destination[0]);
        }
    }
    return always;
}

/* By space: generic, register, constant, global, local, parameter, shared. */
static const char *name_of(const struct program *program, const struct program_instruction *at)
{
    static const char *const loads[] = {"LD", NULL, NULL, "LDG", "LDL", NULL, "LDS"};
    static const char *const stores[] = {"ST", NULL, NULL, "STG", "STL", NULL, "STS"};
    switch (at->op) {
    case PROGRAM_LD: return loads[at->space];
    case PROGRAM_ST: return stores[at->space];
    case PROGRAM_CP_ASYNC: return "LDGSTS";
    case PROGRAM_ATOM:
        if (at->space == PTX_SHARED) {
            return at->rewrite == REWRITE_COUNTED ? "ATOMS.POPC.INC"
                   : at->rewrite == REWRITE_LOOP  ? "ATOMS.CAST.SPIN"
                                                  : "ATOMS";
        }
        if (has_result(program, at))
            return at->space == PTX_GLOBAL ? "ATOMG" : "ATOM";
        return at->space == PTX_GLOBAL ? "REDG" : "RED";
    default: return NULL;
    }
}

static void add(const char *kernel, uint32_t line, const char *name, uint32_t bytes, bool loop)
{
    struct row *row = row_of(kernel, line, name, 8 * bytes);
    row->model++;
    row->loop = row->loop || loop;
}

static void list_model(const struct program *program)
{
    const char *kernel = program->entry->name;
    struct flow flow;
    cr_assert_eq(flow_init(&flow, program, NULL), STATUS_OK);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *at = &program->instructions[i];
        const char *name = name_of(program, at);
        uint32_t line = program_location(program, i).line;
        bool loop = flow.blocks[flow.block_of[i]].loop != FLOW_NONE;
        if (!name || at->rewrite == REWRITE_FOLDED)
            continue;
        for (uint32_t p = 0; at->rewrite == REWRITE_PARTS && p < at->part_count; p++)
            add(kernel, line, name, at->parts[p].bytes, loop);
        if (at->rewrite != REWRITE_PARTS)
            add(kernel, line, name, at->width_bytes, loop);
        if (at->rewrite == REWRITE_LOOP)
            add(kernel, line, "LDS", at->width_bytes, loop);
        if (at->rewrite == REWRITE_ELECTED_OF_32) /* the one lane's, and that of some lanes */
            add(kernel, line, name, at->width_bytes, loop);
    }
    flow_fini(&flow);
}

static bool place(void *loader, const struct ptx_variable *variable, uint64_t *address)
{
    (void)loader;
    (void)variable;
    *address = UINT64_C(0x700001000);
    return true;
}

static void read_model(const char *name, const char *text, size_t size)
{
    static const struct program_placement placement = {.address = place};
    struct ptx_module *module;
    struct error error = {0};
    cr_assert_eq(ptx_parse(&module, name, text, size, &error), STATUS_OK, "%s", error.text);
    for (uint32_t i = 0; i < module->function_count; i++) {
        struct program *program;
        if (!module->functions[i].entry)
            continue;
        cr_assert_eq(program_create(&program, module, &module->functions[i], &placement, &error), STATUS_OK,
                     "%s", error.text);
        cr_assert_eq(program_merge(program, &error), STATUS_OK, "%s", error.text);
        list_model(program);
        program_destroy(program);
    }
    ptx_destroy(module);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size);
    cr_assert(text && fread(text, 1, *size, file) == *size);
    fclose(file);
    return text;
}

/* ---- what is known to differ ---- */
struct known {
    char kernel[64], instruction[20];
    bool needed;
};

static uint32_t read_known(struct known known[KNOWN_MAX])
{
    char text[256];
    uint32_t count = 0;
    FILE *file = fopen(DATA "/known.txt", "r");
    cr_assert_not_null(file);
    while (fgets(text, sizeof text, file)) {
        if (text[0] != '#') {
            cr_assert_lt(count, KNOWN_MAX);
            cr_assert_eq(sscanf(text, "%63s %19s", known[count].kernel, known[count].instruction), 2, "%s",
                         text);
            known[count++].needed = false;
        }
    }
    fclose(file);
    return count;
}

static bool is_known(struct known *known, uint32_t count, const struct row *row)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(known[i].kernel, row->kernel) == 0 &&
            strcmp(known[i].instruction, row->instruction) == 0) {
            known[i].needed = true;
            return true;
        }
    }
    return false;
}

/* All files of a folder of PTX; returns how many are listed. */
static uint32_t compare_folder(const char *folder, struct known *known, uint32_t known_count,
                               uint32_t *differences)
{
    uint32_t files = 0;
    DIR *entries = opendir(folder);
    cr_assert_not_null(entries, "%s", folder);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        char path[8192], data[8192];
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".ptx") != 0)
            continue;
        size_t size;
        row_count = 0;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(data, sizeof data, "%s/%.*s.csv", DATA, (int)length - 4, entry->d_name);
        char *text = read_file(path, &size);
        bool listed = read_machine(data, hash_of(text, size));
        if (listed)
            read_model(entry->d_name, text, size);
        free(text);
        for (uint32_t i = 0; i < row_count; i++) {
            const struct row *row = &rows[i];
            bool unrolled = row->loop && row->model && row->machine;
            if (row->model != row->machine && !unrolled && !is_known(known, known_count, row)) {
                printf("%s, line %u of %s: %u x %s of %u bits in the machine code, %u in the model\n",
                       row->kernel, row->line, entry->d_name, row->machine, row->instruction, row->bits,
                       row->model);
                ++*differences;
            }
        }
        files += listed;
    }
    closedir(entries);
    return files;
}

Test(sass, the_model_has_the_memory_instructions_of_the_machine_code)
{
    struct known known[KNOWN_MAX];
    uint32_t known_count = read_known(known), differences = 0;
    cr_assert_geq(compare_folder(TEST_SOURCE_DIR "/workloads/ptx", known, known_count, &differences), 24);
    cr_assert_geq(compare_folder(TEST_SOURCE_DIR "/tests/gpu/parity/ptx", known, known_count, &differences),
                  1);
    for (uint32_t i = 0; i < known_count; i++) {
        if (!known[i].needed) {
            printf("%s %s no longer differs: take it out of tests/data/sass/known.txt\n", known[i].kernel,
                   known[i].instruction);
            differences++;
        }
    }
    cr_assert_eq(differences, 0, "%u differences, above", differences);
}
