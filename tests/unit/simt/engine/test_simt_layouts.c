/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random kernels, launched once as they are and once with every access looked at lane by lane: equal memory,
 * counts of each instruction, caches, costliest accesses, checks, modelled time and status. What differs
 * between the two is how the model finds where a warp's bytes lie, so the kernels are made of addresses: rows,
 * one place, strides, rows backwards, indices that wrap, indices from memory, of every width, in loops with
 * bounds that are the same or not in all lanes, behind branches and guards, in blocks of odd sizes.
 *
 * LAYOUT_PROGRAMS and LAYOUT_SEED: how many kernels, and the first one.
 */
#include "simt/count/cache.h"
#include "simt/timing/gpu.h"
#include "simt/timing/timing.h"
#include "tests/shared/made/run_model.h"
#include "tests/shared/oracle/ptx_values.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS 150
#define BUFFER_BYTES 65536u
#define SHARED_BYTES 8192
#define WORD_REGISTERS 24
#define DEPTH_MOST 3

static struct maker {
    struct values values;
    char text[65536];
    size_t used;
    uint32_t labels, fresh, left; /* names in use; statements that may still be written */
} maker;

static struct grid_machine machines[2]; /* as it is; lane by lane */
static uint8_t *buffers[2];             /* of the host: what is loaded, what is stored */
static uint64_t addresses[2];

static void layouts_open(void)
{
    struct error error;
    model_open();
    for (int i = 0; i < 2; i++) {
        machines[i] = model_machine;
        machines[i].pool = NULL;
        machines[i].by_lanes = i == 1;
        machines[i].l1_bytes = 16384;
        cr_assert_eq(grid_pool_create(&machines[i].pool, 1, &error), STATUS_OK, "%s", error.text);
        cr_assert_eq(cache_l2_create(&machines[i].l2, 1 << 18, &gpu_at(0)->l2, &error), STATUS_OK, "%s",
                     error.text);
        addresses[i] = model_allocate(BUFFER_BYTES, &buffers[i]);
    }
}

static void layouts_close(void)
{
    for (int i = 0; i < 2; i++) {
        grid_pool_destroy(machines[i].pool);
        cache_l2_destroy(machines[i].l2);
    }
    model_close();
}

TestSuite(layouts, .init = layouts_open, .fini = layouts_close);

/* ---- a kernel ---- */
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

static uint32_t any_word(void)
{
    return below(WORD_REGISTERS);
}

/* An index for elements of so many bytes into %i, below `count` of them unless the kernel is to fault. */
static void put_index(uint32_t count)
{
    static const char *const rows[] = {"%t", "%g", "%l"};
    const char *row = rows[below(3)];
    switch (below(12)) {
    case 0: put("mov.u32 %%i, %u;\n", below(count)); break;
    case 1: put("and.b32 %%i, %%n, %u;\n", count - 1); break;
    case 2: put("mad.lo.u32 %%i, %s, %u, %u;\n", row, 1 + below(5), below(8)); break;
    case 3: put("sub.u32 %%i, %u, %s;\n", count - 1, row); break;
    case 4: put("add.u32 %%i, %s, %u;\n", row, 0u - below(40)); break; /* wraps below 0 */
    case 5: put("mov.u32 %%i, %%r%u;\n", any_word()); break;
    case 6: put("add.u32 %%i, %s, %%n;\n", row); break;
    case 7: put("xor.b32 %%i, %s, %u;\n", row, below(32)); break;
    default: put("add.u32 %%i, %s, %u;\n", row, below(64)); break;
    }
    if (below(400))
        put("and.b32 %%i, %%i, %u;\n", count - 1);
}

/* Its address, as an operand. */
static const char *put_address(uint32_t width, bool store, bool *shared)
{
    static char operand[64];
    const uint32_t count = (*shared ? SHARED_BYTES / 2 : BUFFER_BYTES / 2) / width,
                   offset = below(3) ? 0 : width * below(count);
    put_index(count);
    if (*shared) {
        put("mad.lo.u32 %%sa, %%i, %u, %%sm;\n", width);
        if (below(6) == 0) { /* generic */
            put("cvt.u64.u32 %%a, %%sa;\ncvta.shared.u64 %%a, %%a;\n");
            snprintf(operand, sizeof operand, "[%%a+%u]", offset);
            *shared = false;
            return operand;
        }
        snprintf(operand, sizeof operand, "[%%sa+%u]", offset);
        return operand;
    }
    put(below(2) ? "mul.wide.u32 %%w, %%i, %u;\nadd.u64 %%a, %s, %%w;\n"
                 : "mul.wide.s32 %%w, %%i, %u;\nadd.s64 %%a, %%w, %s;\n",
        width, store ? "%out" : "%in");
    snprintf(operand, sizeof operand, "[%%a+%u]", offset);
    return operand;
}

static void put_guard(void)
{
    if (below(8) == 0)
        put("@%s%%p%u ", below(2) ? "!" : "", below(4));
}

static void put_access(void)
{
    static const struct form {
        const char *type, *values; /* w: a register of 32 bits, d: of 64, h: of 16 */
        uint32_t width;
    } forms[] = {{"u32", "w", 4}, {"b32", "w", 4},     {"s32", "w", 4},        {"u64", "d", 8},
                 {"b64", "d", 8}, {"u8", "w", 1},      {"s8", "w", 1},         {"u16", "w", 2},
                 {"s16", "h", 2}, {"v2.u32", "ww", 8}, {"v4.u32", "wwww", 16}, {"v2.u64", "dd", 16},
                 {"u32", "w", 4}, {"u32", "w", 4},     {"s32", "d", 4},        {"v2.u16", "hh", 4}};
    const struct form *form = &forms[below(sizeof forms / sizeof *forms)];
    bool store = below(3) == 0, shared = below(3) == 0, in_shared = shared;
    const char *address = put_address(form->width, store, &shared);
    const char *space = in_shared ? shared ? ".shared" : "" : below(6) ? ".global" : "";
    const char *how = store || in_shared ? "" : below(6) == 0 ? ".nc" : below(8) == 0 ? ".cg" : "";
    char registers[128] = "";
    if (*how == '.' && strcmp(space, ".global") != 0)
        how = "";
    if (strcmp(how, ".nc") == 0)
        space = ".global.nc", how = "";
    else if (*how == '.')
        space = ".cg.global";
    for (const char *letter = form->values; *letter; letter++) {
        uint32_t which = *letter == 'w' ? any_word() : below(8);
        if (!store && *letter == 'w' && letter > form->values) /* each element into another one */
            which = WORD_REGISTERS + (uint32_t)(letter - form->values);
        else if (!store && letter > form->values)
            which = 8 + (uint32_t)(letter - form->values);
        snprintf(registers + strlen(registers), sizeof registers - strlen(registers), "%s%%%c%u",
                 letter > form->values ? ", " : "", *letter == 'w' ? 'r' : *letter, which);
    }
    const char *open = form->values[1] ? "{" : "", *close = form->values[1] ? "}" : "";
    put_guard();
    if (store)
        put("st%s.%s %s, %s%s%s;\n", space, form->type, address, open, registers, close);
    else
        put("ld%s.%s %s%s%s, %s;\n", space, form->type, open, registers, close, address);
}

/* Neighbouring words, which ptxas makes one wide access of. */
static void put_neighbours(void)
{
    const bool shared = below(2);
    put_index(256);
    if (shared)
        put("mad.lo.u32 %%sa, %%i, 16, %%sm;\n");
    else
        put("mul.wide.u32 %%w, %%i, 16;\nadd.u64 %%a, %%in, %%w;\n");
    for (uint32_t i = 0; i < 4; i++)
        put("ld.%s.u32 %%r%u, [%%%s+%u];\n", shared ? "shared" : "global", i, shared ? "sa" : "a", 4 * i);
}

static void put_arithmetic(void)
{
    const uint32_t a = any_word(), b = any_word(), to = any_word();
    static const char *const sources[] = {"%t", "%n", "%l", "%g"};
    put_guard();
    switch (below(9)) {
    case 0: put("add.u32 %%r%u, %%r%u, %%r%u;\n", to, a, b); break;
    case 1: put("mad.lo.u32 %%r%u, %%r%u, %s, %%r%u;\n", to, a, sources[below(4)], b); break;
    case 2: put("shl.b32 %%r%u, %s, %u;\n", to, sources[below(4)], below(31)); break;
    case 3: put("mov.u32 %%r%u, %s;\n", to, sources[below(4)]); break;
    case 4: put("setp.lt.u32 %%p%u, %%r%u, %u;\n", below(4), a, below(1u << 20) << 12); break;
    case 5: put("setp.lt.u32 %%p%u, %s, %u;\n", below(4), sources[below(4)], below(48)); break;
    case 6: put("cvt.u64.u32 %%d%u, %%r%u;\n", below(8), a); break;
    case 7: put("add.u64 %%d%u, %%d%u, %%d%u;\n", below(8), below(8), below(8)); break;
    default: put("xor.b32 %%r%u, %%r%u, %u;\n", to, a, below(1024)); break;
    }
}

static void put_exchange(void)
{
    switch (below(5)) {
    case 0:
        put("activemask.b32 %%m;\nshfl.sync.%s.b32 %%r%u, %%r%u, %u, 31, %%m;\n", below(2) ? "idx" : "bfly",
            any_word(), any_word(), below(32));
        break;
    case 1: put("activemask.b32 %%m;\nvote.sync.any.pred %%p%u, %%p%u, %%m;\n", below(4), below(4)); break;
    case 2:
        put("and.b32 %%i, %%r%u, 255;\nmul.wide.u32 %%w, %%i, 4;\nadd.u64 %%a, %%out, %%w;\n", any_word());
        put("%s.global.add.u32 %s[%%a], 3;\n", "red", "");
        break;
    case 3:
        put("and.b32 %%i, %%t, 63;\nmad.lo.u32 %%sa, %%i, 4, %%sm;\natom.shared.max.u32 %%r%u, [%%sa], %%r%u;\n",
            any_word(), any_word());
        break;
    default:
        put("{ .param .b32 q; .param .b32 a; st.param.b32 [q], %%r%u;\ncall.uni (a), twice, (q);\n"
            "ld.param.b32 %%r%u, [a]; }\n",
            any_word(), any_word());
        break;
    }
}

static void put_block(uint32_t depth);

static void put_loop(uint32_t depth)
{
    const uint32_t label = maker.labels++, counter = maker.fresh++;
    put("mov.u32 %%c%u, 0;\n", counter);
    if (below(3))
        put("mov.u32 %%b%u, %u;\n", counter, 1 + below(4));
    else
        put("and.b32 %%b%u, %%r%u, 3;\nadd.u32 %%b%u, %%b%u, 1;\n", counter, any_word(), counter, counter);
    put("L%u:\n", label);
    if (below(2))
        put("mov.u32 %%n, %%c%u;\n", counter);
    put_block(depth + 1);
    put("add.u32 %%c%u, %%c%u, 1;\nsetp.lt.u32 %%q, %%c%u, %%b%u;\n@%%q bra L%u;\n", counter, counter,
        counter, counter, label);
}

static void put_branch(uint32_t depth)
{
    const uint32_t label = maker.labels++;
    put("@%s%%p%u bra L%u;\n", below(2) ? "!" : "", below(4), label);
    put_block(depth + 1);
    put("L%u:\n", label);
}

static void put_block(uint32_t depth)
{
    for (uint32_t i = 3 + below(6); i > 0 && maker.left > 0; i--) {
        const uint32_t kind = below(20);
        maker.left--;
        if (kind < 2 && depth < DEPTH_MOST)
            put_loop(depth);
        else if (kind < 4 && depth < DEPTH_MOST)
            put_branch(depth);
        else if (kind < 12)
            put_access();
        else if (kind < 13)
            put_neighbours();
        else if (kind < 18)
            put_arithmetic();
        else if (kind < 19)
            put_exchange();
        else if (below(6) == 0)
            put("@%%p%u ret;\n", below(4));
    }
}

static void make_text(uint64_t seed)
{
    maker.values.state = seed;
    maker.used = 0;
    maker.labels = maker.fresh = 0;
    maker.left = 60;
    put(".version 9.0\n.target sm_90\n.address_size 64\n"
        ".func (.param .b32 result) twice(.param .b32 x)\n{ .reg .b32 %%v; .reg .pred %%e;\nld.param.b32 %%v, [x];\n"
        "setp.gt.u32 %%e, %%v, 77;\n@%%e add.u32 %%v, %%v, %%v;\nst.param.b32 [result], %%v;\nret; }\n"
        ".visible .entry kernel(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
        ".shared .align 16 .b8 memory[%d];\n"
        ".reg .b32 %%r<%d>, %%c<64>, %%b<64>, %%m, %%i, %%n, %%t, %%g, %%l, %%sa, %%sm; .reg .b16 %%h<12>;\n"
        ".reg .b64 %%d<12>, %%a, %%w, %%in, %%out; .reg .pred %%p<4>, %%q;\n"
        "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u32 %%n, [n];\n"
        "cvta.to.global.u64 %%in, %%in;\ncvta.to.global.u64 %%out, %%out;\nmov.u32 %%sm, memory;\n"
        "mov.u32 %%t, %%tid.x;\nmov.u32 %%l, %%laneid;\nmov.u32 %%r0, %%ntid.x;\nmov.u32 %%r1, %%ctaid.x;\n"
        "mad.lo.u32 %%g, %%r0, %%r1, %%t;\nmov.u32 %%r2, %%tid.y;\n",
        SHARED_BYTES, WORD_REGISTERS + 4);
    for (uint32_t i = 3; i < WORD_REGISTERS; i++)
        put("mad.lo.u32 %%r%u, %%%c, %u, %u;\n", i, "tgln"[i % 4], i % 3 ? 2654435761u : 1, i);
    for (uint32_t i = 0; i < 4; i++)
        put("setp.lt.u32 %%p%u, %%r%u, %u;\n", i, 3 + below(8), i == 3 ? 3000000000u : 1u << (4 + 9 * i));
    while (maker.left > 0)
        put_block(0);
    for (uint32_t i = 0; i < WORD_REGISTERS; i++)
        put("mad.lo.u32 %%i, %%g, %u, %u;\nand.b32 %%i, %%i, %u;\nmul.wide.u32 %%w, %%i, 4;\n"
            "add.u64 %%a, %%out, %%w;\nst.global.u32 [%%a], %%r%u;\n",
            WORD_REGISTERS, i, BUFFER_BYTES / 4 - 1, i);
    put("ret;\n}\n");
}

/* ---- two launches ---- */
enum mode { COUNTED, UNCOUNTED, CHECKED, MODES };

struct outcome {
    enum status status;
    struct error error;
    struct grid_result result;
    uint8_t in[BUFFER_BYTES], out[BUFFER_BYTES];
};
static struct outcome outcomes[2];

static void launch(int which, enum mode mode, const uint32_t grid[3], const uint32_t block[3])
{
    struct grid_machine *machine = &machines[which];
    struct outcome *outcome = &outcomes[which];
    const struct {
        uint64_t in, out;
        uint32_t n, unused;
    } arguments = {addresses[0], addresses[1], 37, 0};
    struct grid_launch launch = {.module = model_module, .parameters = (const uint8_t *)&arguments};
    machine->uncounted = mode == UNCOUNTED;
    machine->check = mode == CHECKED;
    machine->costliest = mode != UNCOUNTED;
    memcpy(launch.grid, grid, sizeof launch.grid);
    memcpy(launch.block, block, sizeof launch.block);
    for (uint32_t i = 0; i < BUFFER_BYTES / 4; i++) {
        ((uint32_t *)(void *)buffers[0])[i] = i * 2654435761u >> (i % 7 ? 0 : 20);
        ((uint32_t *)(void *)buffers[1])[i] = 0;
    }
    cr_assert_eq(module_program(model_module, "kernel", true, &launch.program, &outcome->error), STATUS_OK,
                 "%s\n%s", outcome->error.text, maker.text);
    outcome->error.text[0] = '\0';
    outcome->status = grid_run(machine, &launch, &outcome->result, &outcome->error);
    memcpy(outcome->in, buffers[0], BUFFER_BYTES);
    memcpy(outcome->out, buffers[1], BUFFER_BYTES);
}

static void compare_costliest(const struct costliest *a, const struct costliest *b, uint64_t seed)
{
    cr_assert(a->count == b->count && a->full == b->full, "seed %llu", (unsigned long long)seed);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct costliest_access *x = &a->accesses[i], *y = &b->accesses[i];
        cr_assert(
            x->instruction == y->instruction && x->warp == y->warp && x->block == y->block &&
                x->space == y->space && x->access.active == y->access.active &&
                x->access.width_bytes == y->access.width_bytes && x->access.store == y->access.store &&
                x->access.local == y->access.local && x->access.l1 == y->access.l1 &&
                memcmp(&x->cost, &y->cost, sizeof x->cost) == 0,
            "seed %llu, access %u of instruction %u: warps %u, %u; blocks %u, %u; l1 %d, %d; steps %u, %u",
            (unsigned long long)seed, i, x->instruction, x->warp, y->warp, (unsigned)x->block,
            (unsigned)y->block, (int)x->access.l1, (int)y->access.l1, (unsigned)x->cost.transfers,
            (unsigned)y->cost.transfers);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            cr_assert(!(x->access.active >> lane & 1) || x->access.address[lane] == y->access.address[lane],
                      "seed %llu, access %u, lane %u", (unsigned long long)seed, i, lane);
    }
}

static void compare_checks(const struct program *program, const struct check_result *a,
                           const struct check_result *b, uint64_t seed)
{
    char one[1024], other[1024];
    cr_assert_eq(a->report_count, b->report_count, "seed %llu", (unsigned long long)seed);
    cr_assert_arr_eq(a->total, b->total, sizeof a->total, "seed %llu", (unsigned long long)seed);
    for (uint32_t i = 0; i < a->report_count; i++) {
        check_text(program, &a->reports[i], one, sizeof one);
        check_text(program, &b->reports[i], other, sizeof other);
        cr_assert_str_eq(one, other, "seed %llu", (unsigned long long)seed);
        cr_assert_eq(a->reports[i].count, b->reports[i].count, "seed %llu", (unsigned long long)seed);
    }
}

static double time_of(const struct grid_result *result, const uint32_t grid[3], const uint32_t block[3])
{
    struct count_totals totals;
    struct timing timing = {0};
    count_totals(&result->counter, &totals);
    const struct timing_input input = {.gpu = gpu_at(0),
                                       .counter = &result->counter,
                                       .totals = &totals,
                                       .caches = &result->caches,
                                       .blocks = (uint64_t)grid[0] * grid[1] * grid[2],
                                       .threads_per_block = block[0] * block[1] * block[2],
                                       .resident_blocks = 2};
    cr_assert_eq(timing_estimate(&input, &timing, NULL), STATUS_OK);
    return timing.ns;
}

static void compare(uint64_t seed, enum mode mode, const uint32_t grid[3], const uint32_t block[3])
{
    const struct outcome *a = &outcomes[0], *b = &outcomes[1];
    const struct counter *x = &a->result.counter, *y = &b->result.counter;
    const char *what = mode == COUNTED ? "counted" : mode == UNCOUNTED ? "uncounted" : "checked";
    cr_assert_eq(a->status, b->status, "seed %llu, %s: %s, not %s", (unsigned long long)seed, what,
                 a->error.text, b->error.text);
    cr_assert_str_eq(a->error.text, b->error.text, "seed %llu, %s", (unsigned long long)seed, what);
    cr_assert(memcmp(a->in, b->in, BUFFER_BYTES) == 0 && memcmp(a->out, b->out, BUFFER_BYTES) == 0,
              "seed %llu, %s: memory differs\n%s", (unsigned long long)seed, what, maker.text);
    for (uint32_t i = 0; i < y->program->instruction_count; i++) {
        char text[128];
        program_instruction_text(y->program, i, text, sizeof text);
        cr_assert(memcmp(&x->instructions[i], &y->instructions[i], sizeof x->instructions[i]) == 0,
                  "seed %llu, %s: the counts of %s (%u) differ\n%s", (unsigned long long)seed, what, text, i,
                  maker.text);
    }
    cr_assert_eq(x->elsewhere_count, y->elsewhere_count);
    cr_assert(memcmp(x->elsewhere, y->elsewhere, x->elsewhere_count * sizeof *x->elsewhere) == 0,
              "seed %llu, %s: generic accesses", (unsigned long long)seed, what);
    cr_assert(memcmp(x->atomic_passes, y->atomic_passes, sizeof x->atomic_passes) == 0 &&
              x->polls == y->polls && x->barriers == y->barriers);
    cr_assert(memcmp(&a->result.caches, &b->result.caches, sizeof a->result.caches) == 0,
              "seed %llu, %s: caches", (unsigned long long)seed, what);
    compare_costliest(&a->result.costliest, &b->result.costliest, seed);
    compare_checks(y->program, &a->result.checks, &b->result.checks, seed);
    if (mode == COUNTED)
        cr_assert(memcmp(&(double){time_of(&a->result, grid, block)},
                         &(double){time_of(&b->result, grid, block)}, sizeof(double)) == 0,
                  "seed %llu: times", (unsigned long long)seed);
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

Test(layouts, equal_those_found_lane_by_lane, .timeout = 0)
{
    static const uint32_t blocks[][3] = {{32, 1, 1}, {64, 1, 1}, {33, 1, 1}, {40, 2, 1},
                                         {8, 8, 1},  {16, 3, 1}, {7, 1, 1},  {32, 2, 1}};
    const uint64_t first = number_of("LAYOUT_SEED", 1), count = number_of("LAYOUT_PROGRAMS", PROGRAMS);
    uint64_t ended = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        make_text(seed);
        model_load_text("layouts.ptx", maker.text, maker.used);
        const uint32_t *block = blocks[below(sizeof blocks / sizeof *blocks)], grid[3] = {1 + below(3), 1, 1};
        for (int mode = 0; mode < MODES; mode++) {
            for (int which = 0; which < 2; which++)
                launch(which, (enum mode)mode, grid, block);
            compare(seed, (enum mode)mode, grid, block);
            ended += outcomes[0].status == STATUS_OK;
            for (int which = 0; which < 2; which++)
                grid_result_fini(&outcomes[which].result);
        }
    }
    cr_assert_gt(ended, count * MODES / 2, "most must run to their end: %llu", (unsigned long long)ended);
}
