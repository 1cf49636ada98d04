/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/ptx.md against the program: the example of a row that says "yes" is made ready to run, that of one
 * that says "no" is refused with a sentence that names it; every opcode of simt/program/lower's list stands
 * in some row.
 */
#include "simt/lanes/program.h"
#include "simt/program/lower/lower_internal.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 4 /* instruction, done, notes, example */
#define CELL_BYTES 512

#define HEAD                                                                                             \
    ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 16 .b8 g[64];\n.const .align 16 .b8 " \
    "c[64];\n"                                                                                           \
    ".func f { ret; }\n.entry k(.param .u64 arg) {\n.reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .b16 "     \
    "%%rs<9>; "                                                                                          \
    ".reg .f32 %%f<9>; .reg .f64 %%fd<9>; .reg .pred %%p<9>; .reg .b128 %%q<3>;\n"                       \
    ".shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];\n"                                         \
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n%s;\nEND: ret; }\n"

struct row {
    char cells[CELLS][CELL_BYTES];
};

static FILE *open_doc(void)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/docs/ptx.md", "r");
    char line[2048];
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file))
        if (strcmp(line, "## Instructions\n") == 0)
            return file;
    cr_assert_fail("docs/ptx.md has no ## Instructions");
    return NULL;
}

/* The cell's text without blanks around it and backticks; \| is |. Returns what stands behind it. */
static const char *read_cell(const char *from, char *cell)
{
    size_t size = 0;
    while (*from == ' ')
        from++;
    for (; *from && *from != '|' && *from != '\n'; from++) {
        from += from[0] == '\\' && from[1] == '|';
        cr_assert_lt(size, CELL_BYTES - 1);
        if (*from != '`')
            cell[size++] = *from;
    }
    while (size > 0 && cell[size - 1] == ' ')
        size--;
    cell[size] = '\0';
    return *from == '|' ? from + 1 : from;
}

/* The next row that has an example; false at the end of the section. */
static bool next_row(FILE *file, struct row *row)
{
    char line[2048];
    while (fgets(line, sizeof line, file) && strncmp(line, "## ", 3) != 0) {
        if (line[0] != '|' || line[1] == '-' || strstr(line, "| Example |"))
            continue;
        const char *at = line + 1;
        for (int i = 0; i < CELLS; i++)
            at = read_cell(at, row->cells[i]);
        return true;
    }
    return false;
}

static bool place(void *loader, const struct ptx_variable *variable, uint64_t *address)
{
    (void)loader;
    (void)variable;
    *address = 512;
    return true;
}

static enum status make_ready(const char *example, struct error *error)
{
    char text[2048];
    struct ptx_module *module;
    struct program *program = NULL;
    struct program_placement placement = {.address = place};
    snprintf(text, sizeof text, HEAD, example);
    cr_assert_eq(ptx_parse(&module, "doc", text, strlen(text), error), STATUS_OK, "%s: %s", example,
                 error->text);
    enum status status = program_create(&program, module, ptx_function_find(module, "k"), &placement, error);
    program_destroy(program);
    ptx_destroy(module);
    return status;
}

Test(ptx_doc, examples)
{
    FILE *file = open_doc();
    struct row row;
    uint32_t rows = 0;
    uint32_t wrong = 0;
    for (; next_row(file, &row); rows++) {
        struct error error = {0};
        bool done = strcmp(row.cells[1], "yes") == 0;
        cr_assert(done || strcmp(row.cells[1], "no") == 0, "%s: %s", row.cells[0], row.cells[1]);
        enum status status = make_ready(row.cells[3], &error);
        char opcode[32];
        snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(row.cells[3], ". "), row.cells[3]);
        if (done ? status != STATUS_OK : status != STATUS_USAGE || !strstr(error.text, opcode)) {
            fprintf(stderr, "docs/ptx.md says '%s' of '%s': %s\n", row.cells[1], row.cells[3],
                    status == STATUS_OK ? "it is made ready to run" : error.text);
            wrong++;
        }
    }
    fclose(file);
    cr_assert_eq(wrong, 0);
    cr_assert_gt(rows, 50);
}

/* As nvcc 13 (the first four) and CUB write them; ptxas takes any order. */
Test(ptx_doc, modifiers_in_other_orders)
{
    static const char *const examples[] = {
        "atom.global.cta.add.u32 %r1, [%rd1], 1",
        "atom.global.sys.add.u32 %r1, [%rd1], 1",
        "atom.add.release.gpu.u32 %r1, [%rd1], 1",
        "red.add.noftz.f16x2 [%rd1], %r2",
        "vote.ballot.sync.b32 %r1, %p1, -1",
        "shfl.down.sync.b32 %r1|%p1, %r2, 1, 31, -1",
        "ld.gpu.relaxed.global.u32 %r1, [%rd1]",
        "ld.global.f32.nc %f1, [%rd1]",
        "match.sync.any.b32 %r1, %r2, -1",
        "prefetch.L1.global [%rd1]",
        "barrier.aligned.sync 0",
        "fence.gpu.acq_rel",
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct error error = {0};
        cr_assert_eq(make_ready(examples[i], &error), STATUS_OK, "%s: %s", examples[i], error.text);
    }
}

/* Whether a word of the text, up to a '.', is the opcode: "mad24" in "mul24, mad24". */
static bool has_word(const char *text, const char *opcode)
{
    size_t size = strlen(opcode);
    for (const char *at = strstr(text, opcode); at; at = strstr(at + 1, opcode)) {
        bool begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '.');
        if (begins && !isalnum((unsigned char)at[size]))
            return true;
    }
    return false;
}

Test(ptx_doc, all_opcodes)
{
    size_t count = 0;
    for (const struct lower_opcode *opcode; (opcode = lower_opcode_at(count)) != NULL; count++) {
        FILE *file = open_doc();
        struct row row;
        bool found = false;
        while (next_row(file, &row))
            found |= has_word(row.cells[0], opcode->opcode);
        fclose(file);
        cr_assert(found, "docs/ptx.md says nothing of %s", opcode->opcode);
    }
    cr_assert_gt(count, 100);
}
