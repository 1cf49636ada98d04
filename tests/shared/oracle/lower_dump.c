/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/oracle/lower_dump.h"

#include "simt/lanes/program.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                           ".file 1 \"kernel.cu\"\n"
                           ".global .align 4 .b8 g[64];\n.const .align 4 .b8 k[64];\n"
                           ".extern .shared .align 16 .b8 d[];\n.extern .func (.param .b32 r) missing();\n";
static const char body[] =
    ".visible .entry kernel(.param .u64 a, .param .u32 b, .param .align 8 .b8 c[16])\n{\n"
    ".reg .pred %p<10>; .reg .b16 %rs<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>;\n"
    ".reg .f32 %f<10>; .reg .f64 %fd<10>; .reg .u32 %u<10>; .reg .b128 %q<10>;\n"
    ".reg .v4 .f32 %v;\n"
    ".shared .align 4 .b8 s[256];\n.local .align 4 .b8 l[64];\n";

/* Kinds of registers, and how one is moved to itself, which shows its slot. */
static const struct {
    const char *prefix, *type;
} kinds[] = {{"p", "pred"}, {"rs", "b16"}, {"r", "b32"}, {"rd", "b64"},
             {"f", "f32"},  {"fd", "f64"}, {"u", "u32"}, {"q", "b128"}};
#define KINDS (sizeof kinds / sizeof *kinds)
#define REGISTERS (KINDS * 10)

struct text {
    char *at;
    size_t size_bytes, used;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text->at + text->used, text->size_bytes - text->used, format, arguments);
    va_end(arguments);
    cr_assert(wanted >= 0 && (size_t)wanted < text->size_bytes - text->used);
    text->used += (size_t)wanted;
}

static void put_slot(struct text *text, const struct program *program, uint32_t slot)
{
#define SPECIAL_NAME(id, text) text,
    static const char *const specials[] = {PROGRAM_SPECIAL_LIST(SPECIAL_NAME)};
#undef SPECIAL_NAME
    for (uint32_t i = 0; i < REGISTERS; i++) {
        if (program->instructions[i].destination[0] == slot) {
            put(text, "%%%s%u", kinds[i / 10].prefix, i % 10);
            return;
        }
        if (kinds[i / 10].prefix[0] == 'q' && program->instructions[i].destination[0] + 256 == slot) {
            put(text, "%%q%u'", i % 10);
            return;
        }
    }
    for (uint32_t i = 0; i < program->constant_count; i++) {
        if (program->constants[i].slot == slot) {
            put(text, "#%" PRIi64, (int64_t)program->constants[i].bits);
            return;
        }
    }
    for (uint32_t i = 0; i < program->special_count; i++) {
        if (program->specials[i].slot == slot) {
            put(text, "%s", specials[program->specials[i].special]);
            return;
        }
    }
    put(text, slot == PROGRAM_NO_SLOT ? "-" : "?");
}

static void put_slots(struct text *text, const struct program *program, const char *name,
                      const uint32_t *slots, uint32_t count)
{
    while (count > 0 && slots[count - 1] == PROGRAM_NO_SLOT)
        count--;
    for (uint32_t i = 0; i < count; i++) {
        put(text, i == 0 ? " %s=" : ",", name);
        put_slot(text, program, slots[i]);
    }
}

static void put_number(struct text *text, const char *name, int64_t value)
{
    if (value != 0)
        put(text, " %s=%" PRIi64, name, value);
}

static void put_place(struct text *text, const char *name, uint32_t instruction)
{
    if (instruction == PROGRAM_END)
        put(text, " %s=end", name);
    else
        put(text, " %s=%u", name, instruction - (uint32_t)REGISTERS);
}

static void put_instruction(struct text *text, const struct program *program,
                            const struct program_instruction *at)
{
#define OP_TEXT(id, text) text,
    static const char *const ops[] = {PROGRAM_OP_LIST(OP_TEXT)};
#undef OP_TEXT
    static const char *const spaces[] = {"generic", "reg", "const", "global", "local", "param", "shared"};
    static const char *const caches[] = {NULL, "cg", "cs", "lu", "cv", "no_allocate", "nc"};
    bool memory =
        at->op == PROGRAM_LD || at->op == PROGRAM_ST || at->op == PROGRAM_ATOM || at->op == PROGRAM_PREFETCH;
    bool parameter = at->space == PTX_PARAM && memory;
    put(text, "%s", ops[at->op]);
    if (at->type != PTX_NO_TYPE)
        put(text, " %s", ptx_type_text((enum ptx_type)at->type));
    if (memory)
        put(text, " %s", spaces[at->space]);
    if (at->guard != PROGRAM_NO_SLOT) {
        put(text, " guard=%s", at->guard_negated ? "!" : "");
        put_slot(text, program, at->guard);
    }
    put_slots(text, program, "d", at->destination, PROGRAM_VECTOR);
    put_slots(text, program, "s", at->source, PROGRAM_SOURCES);
    put_number(text, "vector", at->vector > 1 ? at->vector : 0);
    put_number(text, "sub", at->sub);
    if (caches[at->cache])
        put(text, " cache=%s", caches[at->cache]);
    put_number(text, "offset", at->offset);
    put_number(text, "offset2", at->offset2);
    put_number(text, "width", at->width_bytes);
    put_number(text, "register", at->destination_bytes);
    put_number(text, "32", at->address_is_32_bits);
    put_number(text, "signed", at->sign_extended);
    put_number(text, "unaligned", at->unaligned);
    put_number(text, "uniform", at->uniform);
    if (parameter)
        put(text, at->immediate == PROGRAM_NO_SLOT ? " of=kernel" : " of=function");
    else if (at->op != PROGRAM_LANES && !memory)
        put_number(text, "immediate", (int32_t)at->immediate);
    if (at->op == PROGRAM_BRA || at->op == PROGRAM_CALL)
        put_place(text, "target", at->target);
    if (at->op == PROGRAM_BRA || at->op == PROGRAM_BRX)
        put_place(text, "meet", at->meet);
    for (uint32_t i = 0; at->op == PROGRAM_BRX && i < at->immediate; i++)
        put_place(text, i == 0 ? "targets" : "and", program->targets[at->target + i]);
}

static bool place(void *loader, const struct ptx_variable *variable, uint64_t *address)
{
    (void)loader;
    *address = variable->space == PTX_CONST ? 64 : UINT64_C(0x700001000);
    return true;
}

static char *make_source(const char *functions, const char *instructions)
{
    size_t size = sizeof head + sizeof body + strlen(functions) + strlen(instructions) + 64 * REGISTERS;
    struct text text = {.at = malloc(size), .size_bytes = size};
    cr_assert_not_null(text.at);
    put(&text, "%s%s\n%s", head, functions, body);
    for (uint32_t i = 0; i < REGISTERS; i++)
        put(&text, "mov.%s %%%s%u, %%%s%u;\n", kinds[i / 10].type, kinds[i / 10].prefix, i % 10,
            kinds[i / 10].prefix, i % 10);
    put(&text, "%s\nret;\n}\n", instructions);
    return text.at;
}

enum status lower_dump(const char *functions, const char *instructions, char *text, size_t size_bytes,
                       struct error *error)
{
    const struct program_placement placement = {.address = place};
    struct text dump = {.at = text, .size_bytes = size_bytes};
    struct ptx_module *module;
    struct program *program;
    char *source = make_source(functions, instructions);
    enum status status = ptx_parse(&module, "t.ptx", source, strlen(source), error);
    cr_assert_eq(status, STATUS_OK, "%s\n%s", error->text, instructions);
    free(source);
    text[0] = '\0';
    status = program_create(&program, module, ptx_function_find(module, "kernel"), &placement, error);
    if (status == STATUS_OK) {
        /* All but the moves at the beginning and the ret at the end. */
        for (uint32_t i = REGISTERS; i < program->instruction_count; i++) {
            if (program->instructions[i].op == PROGRAM_RET &&
                program->origins[program->instructions[i].origin].function->entry)
                break;
            put(&dump, "%s", i == REGISTERS ? "" : " ; ");
            put_instruction(&dump, program, &program->instructions[i]);
        }
        program_destroy(program);
    }
    ptx_destroy(module);
    return status;
}
