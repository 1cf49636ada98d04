/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs with and without shared slots: equal memory, counts and modelled times. Branches lead
 * forwards and, a limited number of times, back, by predicates that differ between lanes, so that lanes part
 * at any point of any loop; writes have guards; registers are read before they were written; lanes shuffle.
 */
#include "simt/program/merge/merge.h"
#include "simt/program/share/slot_allocation.h"
#include "simt/timing/chain.h"
#include "tests/shared/made/run_model.h"
#include "tests/shared/oracle/ptx_values.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROGRAMS 60
#define STEPS 120
#define THREADS 96
#define WORDS 32  /* of memory that a thread has */
#define NARROW 60 /* registers */
#define WIDE 30
#define PREDICATES 30
#define LATEST 4
#define BACK 6 /* branches back */

TestSuite(share, .init = model_open, .fini = model_close);

enum file { FILE_NARROW, FILE_WIDE, FILE_PREDICATE, FILE_COUNT };

struct maker {
    struct values values;
    char text[32768];
    size_t used;
    bool atomics;
    uint32_t back;
    uint32_t latest[FILE_COUNT][LATEST]; /* registers that were written */
};

static struct maker maker;

static uint32_t below(uint32_t count)
{
    return (uint32_t)(values_next(&maker.values) >> 20) % count;
}

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(maker.text + maker.used, sizeof maker.text - maker.used, format, arguments);
    va_end(arguments);
    cr_assert(wanted >= 0 && (size_t)wanted < sizeof maker.text - maker.used);
    maker.used += (size_t)wanted;
}

static uint32_t any_of(enum file file)
{
    static const uint32_t counts[FILE_COUNT] = {NARROW, WIDE, PREDICATES};
    return below(counts[file]);
}

/* Mostly a register that was written a short time ago: others live long. */
static uint32_t source_of(enum file file)
{
    return below(24) ? maker.latest[file][below(LATEST)] : any_of(file);
}

static uint32_t destination_of(enum file file)
{
    return maker.latest[file][below(LATEST)] = any_of(file);
}

/* R, D, P: a register of 32 or 64 bits, a predicate, that is written; r, d, p: that is read; O: a place in
 * the thread's memory; I: a number. */
static void put_form(const char *form)
{
    static const char letters[] = "RDPrdp";
    for (; *form; form++) {
        const char *letter =
            form[1] == ',' || form[1] == '}' || form[1] == '\0' ? strchr(letters, *form) : NULL;
        if (letter && letter < letters + FILE_COUNT)
            put("%%%c%u", letter[FILE_COUNT], destination_of((enum file)(letter - letters)));
        else if (letter)
            put("%%%c%u", *letter, source_of((enum file)(letter - letters - FILE_COUNT)));
        else if (*form == 'O')
            put("[%%own+%u]", 8 * below(WORDS / 2));
        else if (*form == 'I')
            put("%u", below(31));
        else
            put("%c", *form);
    }
    put(";\n");
}

static void put_step(uint32_t step)
{
    static const char *const forms[] = {
        "add.u32 R, r, r",         "mad.lo.u32 R, r, r, r",
        "xor.b32 R, r, r",         "sub.u32 R, r, %tid.x",
        "selp.b32 R, r, r, p",     "shl.b32 R, r, I",
        "mul.wide.u32 D, r, r",    "add.u64 D, d, d",
        "mad.wide.u32 D, r, r, d", "shr.u64 D, d, I",
        "cvt.u32.u64 R, d",        "mov.b64 D, {r, r}",
        "mov.b64 {R, R}, d",       "setp.lt.u32 P, r, r",
        "setp.gt.s64 P, d, d",     "setp.eq.and.u32 P, r, r, p",
        "not.pred P, p",           "setp.lt.u32 P, r, 99",
        "ld.global.u32 R, O",      "ld.global.v2.u32 {R, R}, O",
        "ld.global.u64 D, O",      "st.global.u32 O, r",
        "st.global.u64 O, d",      "st.global.u32 O, r",
    };
    uint32_t kind = below(20);
    put("L%u:\n", step);
    if (kind < 3) { /* forwards */
        put("@%%p%u bra L%u;\n", source_of(FILE_PREDICATE),
            step + 1 + below(STEPS - step < 9 ? STEPS - step : 9));
    } else if (kind == 3 && maker.back < BACK && step > 2) {
        put("add.u32 %%c%u, %%c%u, 1;\nsetp.lt.u32 %%q, %%c%u, %u;\n", maker.back, maker.back, maker.back,
            2 + below(2));
        put("@%%q bra L%u;\n", step - 1 - below(step < 12 ? step - 1 : 12));
        maker.back++;
    } else if (kind == 4) {
        put("activemask.b32 %%m;\nshfl.sync.idx.b32 %%r%u|%%p%u, %%r%u, %u, 31, %%m;\n",
            destination_of(FILE_NARROW), destination_of(FILE_PREDICATE), source_of(FILE_NARROW), below(32));
    } else if (kind == 5 && maker.atomics) {
        put_form(below(2) ? "atom.global.max.u32 R, O, r" : "red.global.add.u32 O, r");
    } else {
        if (below(4) == 0)
            put("@%s%%p%u ", below(2) ? "!" : "", source_of(FILE_PREDICATE));
        put_form(forms[below(sizeof forms / sizeof *forms)]);
    }
}

static void program_text(uint64_t seed)
{
    maker = (struct maker){.values = {.state = seed}, .atomics = seed % 4 == 0};
    put(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 out)\n{\n"
        ".reg .b32 %%r<%d>, %%c<%d>, %%m; .reg .b64 %%d<%d>, %%own; .reg .pred %%p<%d>, %%q;\n"
        "ld.param.u64 %%own, [out];\nmov.u32 %%r0, %%tid.x;\nmad.wide.u32 %%own, %%r0, %d, %%own;\n"
        "mul.lo.u32 %%r1, %%r0, 2654435761;\nsetp.lt.u32 %%p0, %%r1, 1000000000;\n",
        NARROW, BACK, WIDE, PREDICATES, 4 * WORDS);
    for (uint32_t step = 0; step < STEPS; step++)
        put_step(step);
    put("L%d:\n", STEPS);
    for (uint32_t i = 0; i < 4; i++)
        put_form("st.global.u32 O, r");
    put("ret;\n}\n");
}

static bool place(void *loader, const struct ptx_variable *variable, uint64_t *address)
{
    (void)loader;
    (void)variable;
    (void)address;
    return false;
}

static void run(const struct program *program, uint64_t out, uint8_t *bytes, struct grid_result *result)
{
    const struct grid_launch launch = {.module = model_module,
                                       .program = program,
                                       .grid = {1, 1, 1},
                                       .block = {THREADS, 1, 1},
                                       .parameters = (const uint8_t *)&out};
    struct error error;
    for (uint32_t i = 0; i < THREADS * WORDS; i++)
        ((uint32_t *)(void *)bytes)[i] = i * 2654435761u;
    cr_assert_eq(grid_run(&model_machine, &launch, result, &error), STATUS_OK, "%s", error.text);
}

static void compare_results(const struct grid_result *shared, const struct grid_result *plain, uint64_t seed)
{
    static const struct chain_latencies latencies = {.arithmetic = 4,
                                                     .special = 20,
                                                     .shuffle = 23,
                                                     .global = 400,
                                                     .constant = 30,
                                                     .atomic = 500,
                                                     .branch = 8,
                                                     .multiply = 11};
    struct chain chains[2];
    const uint32_t count = plain->counter.program->instruction_count;
    cr_assert_arr_eq(shared->counter.instructions, plain->counter.instructions,
                     count * sizeof *plain->counter.instructions, "seed %llu", (unsigned long long)seed);
    cr_assert_eq(chain_estimate(&shared->counter, &latencies, &chains[0], NULL), STATUS_OK);
    cr_assert_eq(chain_estimate(&plain->counter, &latencies, &chains[1], NULL), STATUS_OK);
    cr_assert_arr_eq(&chains[0], &chains[1], sizeof chains[0], "seed %llu: %f cycles, not %f",
                     (unsigned long long)seed, chains[0].cycles, chains[1].cycles);
}

Test(share, random_programs)
{
    static const struct program_placement placement = {.address = place};
    static uint8_t expected[4 * THREADS * WORDS];
    uint64_t before = 0, after = 0;
    uint8_t *bytes;
    const uint64_t out = model_allocate(sizeof expected, &bytes);
    model_machine.check = false;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct ptx_module *module;
        struct program *plain;
        const struct program *shared;
        struct grid_result results[2];
        struct error error;
        program_text(seed);
        model_load_text("random.ptx", maker.text, maker.used);
        cr_assert_eq(ptx_parse(&module, "random.ptx", maker.text, maker.used, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(program_create(&plain, module, &module->functions[0], &placement, &error), STATUS_OK,
                     "%s", error.text);
        cr_assert_eq(program_merge(plain, &error), STATUS_OK, "%s", error.text);
        cr_assert_eq(module_program(model_module, "kernel", true, &shared, &error), STATUS_OK, "%s",
                     error.text);
        run(plain, out, bytes, &results[0]);
        memcpy(expected, bytes, sizeof expected);
        run(shared, out, bytes, &results[1]);
        cr_assert_arr_eq(bytes, expected, sizeof expected, "seed %llu:\n%s", (unsigned long long)seed,
                         maker.text);
        compare_results(&results[1], &results[0], seed);
        before += plain->frame_bytes;
        after += shared->frame_bytes;
        grid_result_fini(&results[0]);
        grid_result_fini(&results[1]);
        program_destroy(plain);
        ptx_destroy(module);
    }
    cr_assert_lt(after, before - before / 10, "%llu bytes of %llu", (unsigned long long)after,
                 (unsigned long long)before);
}
