/*
 * The compiler's own figures: instructions counted in the machine code that ptxas 13.0.88 -arch=sm_90 -O3
 * makes of a kernel with this one instruction, on the way without denormals, infinities and the like. Other
 * GPUs take them over. Conversions from and to 64 bits, and counts of bits, are one instruction at the rate
 * of special functions (CUDA Programming Guide, 5.4.1).
 */
#include "simt/timing/expand.h"

#include <string.h>

/* clang-format off: a table. The first row that fits is taken. */
static const struct expand_row rows[] = {
    /* opcode, type, with, without          integer, single, real, special, convert */
    {"div", "f32", "rn", NULL, 1, 6, 0, 1, 0},       {"div", "f32", "full", "ftz", 0, 7, 0, 1, 0},
    {"div", "f32", "approx", "ftz", 0, 4, 0, 1, 0},  {"rcp", "f32", "rn", NULL, 4, 3, 0, 1, 0},
    {"rcp", "f32", "approx", "ftz", 1, 6, 0, 1, 0},  {"sqrt", "f32", "rn", NULL, 3, 4, 0, 1, 0},
    {"div", "f32", "full", NULL, 0, 4, 0, 1, 0},     {"div", "f32", "approx", NULL, 0, 1, 0, 1, 0},
    {"sqrt", "f32", "approx", "ftz", 0, 3, 0, 1, 0}, {"rsqrt", "f32", "approx", "ftz", 0, 3, 0, 1, 0},
    {"ex2", "f32", "approx", "ftz", 0, 3, 0, 1, 0},  {"lg2", "f32", "approx", "ftz", 0, 3, 0, 1, 0},
    {"sin", "f32", "approx", NULL, 0, 1, 0, 1, 0},   {"cos", "f32", "approx", NULL, 0, 1, 0, 1, 0},
    {"div", "f64", NULL, NULL, 2, 3, 8, 1, 0},       {"rcp", "f64", "rn", NULL, 2, 1, 5, 1, 0},
    {"sqrt", "f64", NULL, NULL, 7, 0, 8, 1, 0},      {"div", "u32", NULL, NULL, 15, 0, 0, 1, 2},
    {"div", "s32", NULL, NULL, 22, 0, 0, 1, 2},      {"rem", "u32", NULL, NULL, 14, 0, 0, 1, 2},
    {"rem", "s32", NULL, NULL, 20, 0, 0, 1, 2},      {"div", "u64", NULL, NULL, 70, 0, 0, 1, 2},
    {"div", "s64", NULL, NULL, 86, 0, 0, 1, 2},      {"rem", "u64", NULL, NULL, 66, 0, 0, 1, 2},
    {"rem", "s64", NULL, NULL, 80, 0, 0, 1, 2},      {"mul", "s64", "lo", NULL, 4, 0, 0, 0, 0},
    {"mul", "u64", "lo", NULL, 4, 0, 0, 0, 0},       {"mad", "s64", "lo", NULL, 4, 0, 0, 0, 0},
    {"mad", "u64", "lo", NULL, 4, 0, 0, 0, 0},       {"cvt", "f64", NULL, NULL, 0, 0, 0, 1, 0},
    {"cvt", "f32", "s64", NULL, 0, 0, 0, 1, 0},      {"cvt", "f32", "u64", NULL, 0, 0, 0, 1, 0},
    {"popc", "b32", NULL, NULL, 0, 0, 0, 1, 0},      {"brev", "b32", NULL, NULL, 0, 0, 0, 1, 0},
    {"clz", "b32", NULL, NULL, 1, 0, 0, 1, 0},       {"bfind", "u32", NULL, NULL, 0, 0, 0, 1, 0},
    {"bfind", "s32", NULL, NULL, 0, 0, 0, 1, 0},
};
/* clang-format on */

static bool has_modifier(const struct ptx_instruction *text, const char *modifier)
{
    for (uint32_t i = 0; i < text->modifier_count; i++)
        if (strcmp(text->modifiers[i], modifier) == 0)
            return true;
    return false;
}

const struct expand_row *expand_find(const struct program *program, uint32_t instruction)
{
    const struct program_instruction *is = &program->instructions[instruction];
    const struct program_origin *origin = &program->origins[is->origin];
    const struct ptx_instruction *text = &origin->function->instructions[origin->instruction];

    if (is->op != PROGRAM_LANES)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(text->opcode, rows[i].opcode) == 0 && has_modifier(text, rows[i].type) &&
            (!rows[i].with || has_modifier(text, rows[i].with)) &&
            (!rows[i].without || !has_modifier(text, rows[i].without)))
            return &rows[i];
    return NULL;
}
