/* PTX texts -> decoded programs: all bundled kernels, tables of instructions and of every sentence, and
 * straight code as steps. */
#include "core/base/append.h"
#include "core/wire/standin_config.h"
#include "simt/lanes/program.h"
#include "simt/lanes/step.h"
#include "simt/program/lower/lower_internal.h"
#include "simt/program/share/steps.h"
#include "tests/shared/oracle/ptx_values.h"

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

/* ---- straight code as steps: the same bits in the frame as instruction by instruction ---- */
#define STEP_PROGRAMS 12
#define STEP_INSTRUCTIONS 600 /* more than one chain of steps */
#define STEP_REGISTERS 5
#define STEP_LABEL 40
#define STEP_RUNS 4

/* The kinds of destination and sources: f %f, d %d, r %r, l %rd. Those at the end have no steps. */
static const char *const step_forms[][2] = {
    {"add.rn.f32", "fff"},      {"sub.rn.f32", "fff"},   {"mul.rn.f32", "fff"},  {"fma.rn.f32", "ffff"},
    {"rsqrt.approx.f32", "ff"}, {"add.s32", "rrr"},      {"mad.lo.s32", "rrrr"}, {"add.s64", "lll"},
    {"mul.wide.u32", "lrr"},    {"mul.wide.s32", "lrr"}, {"add.ftz.f32", "fff"}, {"fma.rn.f64", "dddd"},
    {"mul.lo.s32", "rrr"},      {"shl.b64", "llr"},      {"cvt.u64.u32", "lr"},  {"cvt.u32.u64", "rl"},
    {"min.f32", "fff"},         {"mov.b32", "rf"},       {"mov.b32", "fr"},      {"mov.b64", "dl"}};
#define STEP_FORMS (sizeof step_forms / sizeof step_forms[0])

/* Instructions of which each often reads what the one before has written, with places in between to which a
 * branch leads. */
static void write_straight(char *text, size_t size, struct values *values)
{
    size_t used = 0;
    char last_kind = 'f';
    uint32_t last = 0;
    append_text(
        text, size, &used,
        HEAD ".visible .entry k()\n{.reg .f32 %%f<5>; .reg .f64 %%d<5>; .reg .b32 %%r<5>; .reg .b64 %%l<5>; "
             ".reg .pred %%p;\n");
    for (uint32_t i = 0; i < STEP_INSTRUCTIONS; i++) {
        const char *const *const form = step_forms[values_next(values) % STEP_FORMS];
        const uint32_t to = (uint32_t)(values_next(values) % STEP_REGISTERS);
        if (i % STEP_LABEL == STEP_LABEL / 2)
            append_text(text, size, &used, "L%u:\n", i / STEP_LABEL);
        append_text(text, size, &used, "%s %%%c%u", form[0], form[1][0], to);
        for (const char *kind = form[1] + 1; *kind; kind++) {
            const uint64_t random = values_next(values);
            append_text(text, size, &used, ", %%%c%u", *kind,
                        *kind == last_kind && random % 3 ? last : (uint32_t)(random >> 8) % STEP_REGISTERS);
        }
        append_text(text, size, &used, ";\n");
        last_kind = form[1][0];
        last = to;
    }
    for (uint32_t i = 0; i < STEP_INSTRUCTIONS / STEP_LABEL; i++)
        append_text(text, size, &used, "@%%p bra L%u;\n", i);
    cr_assert(append_text(text, size, &used, "ret;}\n"));
}

/* Whether the step takes a source from registers. */
static bool step_is_fused(const struct program_step *step)
{
    for (size_t i = 0; i < LANES_STEP_GROUPS; i++)
        for (const struct lanes_steps *at = lanes_steps_chosen()->groups[i]; at->function; at++)
            if (at->function == step->instruction->lanes)
                return step->run != at->functions[0];
    return false;
}

static void check_steps(const struct program *program, uint32_t first, struct values *values)
{
    const struct program_instruction *const code = program->instructions;
    const uint32_t active = values_next(values) % 2 ? UINT32_MAX : (uint32_t)values_next(values) | 1;
    uint8_t *const frames = aligned_alloc(64, 2 * (size_t)program->frame_bytes), *const expected =
                                                                                     frames +
                                                                                     program->frame_bytes;
    cr_assert_not_null(frames);
    for (uint32_t at = 0; at < program->frame_bytes; at += 8) {
        const bool wide = values_next(values) % 2;
        const uint64_t low = values_of(values, wide ? PTX_F64 : PTX_F32, 0);
        const uint64_t bits = wide ? low : low | values_of(values, PTX_F32, low) << 32;
        memcpy(frames + at, &bits, sizeof bits);
    }
    memcpy(expected, frames, program->frame_bytes);
    for (uint32_t i = first; i < first + code[first].straight; i++)
        code[i].lanes(&code[i], expected, active);
    program->run_steps(&program->steps[code[first].step], frames, active);
    for (uint32_t at = 0; at < program->frame_bytes; at += 4)
        cr_assert_arr_eq(frames + at, expected + at, 4,
                         "from instruction %u, lanes %#x: byte %u of the frame", first, active, at);
    free(frames);
}

/* Whether the loop of a warp may begin with this instruction: it is the first after others, or a branch leads
 * to it. */
static bool is_entered(const struct program *program, uint32_t at)
{
    bool entered = at == 0 || program->instructions[at - 1].straight == 1;
    for (uint32_t i = 0; i < program->instruction_count; i++)
        entered |= program->instructions[i].op == PROGRAM_BRA && program->instructions[i].target == at;
    return entered;
}

static void check_straight(const char *vectors)
{
    static char text[STEP_INSTRUCTIONS * 64];
    struct values values = {.state = 17};
    uint32_t fused = 0;
    setenv(MODEL_VECTORS_VARIABLE, vectors, 1);
    for (int i = 0; i < STEP_PROGRAMS; i++) {
        struct ptx_module *module;
        struct program *program;
        struct error error = {0};
        write_straight(text, sizeof text, &values);
        cr_assert_eq(ptx_parse(&module, "steps.ptx", text, strlen(text), &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(program_create(&program, module, &module->functions[0], &placement, &error), STATUS_OK,
                     "%s", error.text);
        cr_assert_eq(program_make_steps(program, &error), STATUS_OK);
        for (uint32_t at = 0; program->instructions[at].op == PROGRAM_LANES; at++) {
            fused += step_is_fused(&program->steps[program->instructions[at].step]);
            for (int run = 0; run < STEP_RUNS && is_entered(program, at); run++)
                check_steps(program, at, &values);
        }
        program_destroy(program);
        ptx_destroy(module);
    }
    cr_assert_gt(fused, STEP_PROGRAMS * STEP_INSTRUCTIONS / 20, "%u", fused);
}

Test(steps, equal_instructions_baseline)
{
    check_straight("baseline");
}

Test(steps, equal_instructions_avx2)
{
    check_straight("avx2");
}

Test(steps, equal_instructions_avx512)
{
    check_straight("avx512");
}
