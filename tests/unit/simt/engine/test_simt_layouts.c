/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random kernels, launched once as they are and once with every register as 32 lanes, half of them with every
 * access looked at lane by lane, too: equal memory, counts of each instruction, caches, costliest accesses, checks,
 * modelled time and status, with each width of the host's vectors. What differs between the two is what is computed
 * once for a warp, and how the model finds where its bytes lie, so the kernels are made of addresses: rows, one place, strides, rows backwards, indices that wrap, indices from memory, of every
 * width, and of what indices and bounds are made of: registers of every width that are equal in all lanes, base +
 * stride x lane, or neither, in loops with bounds that are the same or not in all lanes, behind branches and guards,
 * in blocks of odd sizes.
 *
 * LAYOUT_PROGRAMS and LAYOUT_SEED: how many kernels for each width, and the first one.
 */
#include "core/wire/standin_config.h"
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

#ifdef SANITIZES_ADDRESSES
#define PROGRAMS 50
#else
#define PROGRAMS 150
#endif
#define CHECKED_EVERY 3
#define BUFFER_BYTES 65536u
#define SHARED_BYTES 8192
#define WORD_REGISTERS 24
#define LONG_REGISTERS 12
#define HALF_REGISTERS 8
#define FLOAT_REGISTERS 8
#define DOUBLE_REGISTERS 8
#define PREDICATES 8
#define THREAD_WORDS 64 /* of memory, for its registers at the end */
#define USUAL_FORMS 36  /* of put_arithmetic */
#define DEPTH_MOST 3

static struct maker {
    struct values values;
    char text[65536];
    size_t used;
    uint32_t labels, fresh, left; /* names in use; statements that may still be written */
} maker;

static struct grid_machine machines[2]; /* as it is; lane by lane, or without scalars */
static uint8_t *buffers[2];             /* of the host: what is loaded, what is stored */
static uint64_t addresses[2];

static void layouts_open(void)
{
    struct error error;
    model_open();
    for (int i = 0; i < 2; i++) {
        machines[i] = model_machine;
        machines[i].pool = NULL;
        machines[i].scalars_after = 1;
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

/*
 * A quarter of the registers of a kind begins equal in all lanes, and a quarter as base + stride x lane; most statements
 * keep to registers of one quarter, so that these stay what they are until a branch, a guard or a statement of any
 * registers changes them.
 */
enum pool { EQUAL, AFFINE, ANY };

static enum pool any_pool(void)
{
    return (enum pool)(below(4) % 3);
}

/* A register of a kind with so many: of the pool, seldom of any. */
static uint32_t any_register(uint32_t count, enum pool pool, bool source)
{
    if (pool == AFFINE && source && below(2))
        pool = EQUAL;
    if (pool == ANY || below(24) == 0)
        return below(count);
    return (pool == AFFINE ? count / 4 : 0) + below(count / 4);
}

static uint32_t any_word(void)
{
    return any_register(WORD_REGISTERS, any_pool(), true);
}

static const char *any_predicate(void)
{
    static char text[16];
    snprintf(text, sizeof text, "%s%%p%u", below(2) ? "!" : "", below(PREDICATES));
    return text;
}

static void put_guard(void)
{
    if (below(8) == 0)
        put("@%s ", any_predicate());
}

/* A constant of 32 bits: small, at the ends of the range, or any. */
static uint32_t any_constant(void)
{
    static const uint32_t ends[] = {0,          1,       0x7fffffff, 0x80000000, 0xffffffff,
                                    0xffffffe0, 0x10000, 0xffff,     0x55555555};
    return below(2)   ? below(64)
           : below(2) ? ends[below(sizeof ends / sizeof *ends)]
                      : (uint32_t)values_next(&maker.values);
}

static void put_operand(char letter, enum pool pool, bool source)
{
    static const char *const equal[] = {"%%ctaid.x", "%%n", "%%ntid.x", "%%nctaid.x"},
                             *const rows[] = {"%%t", "%%g", "%%l", "%%tid.x"},
                             *const others[] = {"%%tid.y", "%%tid.z", "%%lanemask_lt", "%%ctaid.y"};
    switch (letter) {
    case 'w': /* a source of 32 bits may be a constant or a special register */
        if (source && below(6) == 0)
            put("%u", any_constant());
        else
            put("%%r%u", any_register(WORD_REGISTERS, pool, source));
        break;
    case 'x': put("%s", (pool == EQUAL ? equal : below(3) ? rows : others)[below(4)] + 1); break;
    case 'r': put("%%r%u", any_register(WORD_REGISTERS, pool, source)); break;
    case 'd': put("%%d%u", any_register(LONG_REGISTERS, pool, source)); break;
    case 'h': put("%%h%u", any_register(HALF_REGISTERS, pool, source)); break;
    case 'f': put("%%f%u", any_register(FLOAT_REGISTERS, pool, source)); break;
    case 'e': put("%%e%u", any_register(DOUBLE_REGISTERS, pool, source)); break;
    case 'p': put("%%p%u", any_register(PREDICATES, pool, source)); break;
    case 's': put("%u", below(5) ? below(32) : below(70)); break;
    case 'k': put("%u", any_constant()); break;
    case 'b': put("%u", below(256)); break;
    default: cr_assert_fail("no operand %c", letter);
    }
}

/* Writes a statement: "add.u32 $w,$w,$w" with registers of one pool; the first one is the destination. */
static void put_statement(const char *form, enum pool pool)
{
    uint32_t operands = 0;
    put_guard();
    for (const char *at = form; *at; at++)
        if (*at == '$')
            put_operand(*++at, pool, operands++ > 0);
        else
            put("%c", *at);
    put(";\n");
}

static void put_arithmetic(void)
{
    static const char *const forms[] = {
        /* what indices and bounds are made of, the most frequent ones */
        "add.u32 $r,$r,$w", "add.s32 $r,$r,$w", "sub.s32 $r,$r,$w", "mad.lo.s32 $r,$r,$w,$w",
        "mad.lo.u32 $r,$x,$r,$r", "mul.lo.s32 $r,$r,$w", "shl.b32 $r,$r,$s", "mov.u32 $r,$x", "mov.u32 $r,$k",
        "mov.b32 $r,$r", "mul.wide.u32 $d,$r,$w", "mul.wide.s32 $d,$r,$w", "add.s64 $d,$d,$d",
        "sub.u64 $d,$d,$d", "shl.b64 $d,$d,$s", "cvt.u64.u32 $d,$r", "cvt.s64.s32 $d,$r", "cvt.u32.u64 $r,$d",
        "mad.wide.s32 $d,$r,$w,$d", "mad.wide.u32 $d,$r,$w,$d", "setp.lt.s32 $p,$r,$w",
        "setp.ge.u32 $p,$r,$w", "setp.ne.s32 $p,$r,$w", "setp.eq.u32 $p,$x,$b", "setp.gt.u32 $p,$x,$b",
        "selp.b32 $r,$r,$w,$p", "and.b32 $r,$r,$w", "neg.s32 $r,$r",
        /* pairs: an address of an index, whose row may wrap */
        "mul.wide.u32 %w,$r,4;\nadd.u64 $d,$d,%w", "mul.wide.s32 %w,$r,8;\nadd.s64 $d,$d,%w",
        "cvt.u64.u32 %w,$r;\nshl.b64 %w,%w,2;\nadd.s64 $d,%w,$d", "mul.wide.u32 %w,$r,$b;\nadd.s64 $d,%in,%w",
        "mul.lo.s32 %i,$r,$r;\nadd.s32 $r,%i,$r", "setp.lt.s32 %q,$r,$w;\nselp.b32 $r,$r,$r,%q",
        "add.s32 %i,$r,$w;\nmul.wide.s32 $d,%i,4", "add.u32 %i,$x,$w;\nmul.wide.u32 $d,%i,4",
        /* the rest of 32 bits */
        "or.b32 $r,$r,$w", "xor.b32 $r,$r,$w", "not.b32 $r,$r", "shr.u32 $r,$r,$s", "shr.s32 $r,$r,$s",
        "shl.b32 $r,$r,$r", "shr.u32 $r,$r,$r", "min.s32 $r,$r,$w", "max.u32 $r,$r,$w", "abs.s32 $r,$r",
        "mul.hi.u32 $r,$r,$w", "mul.hi.s32 $r,$r,$w", "mul24.lo.u32 $r,$r,$r", "mad.hi.s32 $r,$r,$r,$r",
        "div.u32 $r,$r,$w", "rem.u32 $r,$r,$w", "div.s32 $r,$r,$r", "rem.s32 $r,$r,$r", "sad.u32 $r,$r,$r,$r",
        "popc.b32 $r,$r", "clz.b32 $r,$r", "brev.b32 $r,$r", "bfind.u32 $r,$r", "bfe.u32 $r,$r,$r,$r",
        "bfe.s32 $r,$r,$s,$s", "bfi.b32 $r,$r,$r,$s,$s", "prmt.b32 $r,$r,$r,$w", "lop3.b32 $r,$r,$r,$r,$b",
        "shf.l.wrap.b32 $r,$r,$r,$w", "shf.r.clamp.b32 $r,$r,$r,$w", "slct.s32.s32 $r,$r,$r,$r",
        "dp4a.u32.s32 $r,$r,$r,$r", "set.lt.u32.s32 $r,$r,$w", "add.sat.s32 $r,$r,$r", "sub.cc.u32 $r,$r,$r",
        "subc.u32 $r,$r,$r", "add.cc.u32 $r,$r,$r", "addc.cc.u32 $r,$r,$r", "madc.lo.u32 $r,$r,$r,$r",
        /* 64, 16 and 8 bits */
        "mul.lo.s64 $d,$d,$d", "mul.hi.u64 $d,$d,$d", "mad.lo.s64 $d,$d,$d,$d", "and.b64 $d,$d,$d",
        "xor.b64 $d,$d,$d", "shr.u64 $d,$d,$s", "shr.s64 $d,$d,$r", "min.u64 $d,$d,$d", "max.s64 $d,$d,$d",
        "neg.s64 $d,$d", "not.b64 $d,$d", "div.u64 $d,$d,$d", "rem.s64 $d,$d,$d", "popc.b64 $r,$d",
        "clz.b64 $r,$d", "selp.b64 $d,$d,$d,$p", "setp.lt.u64 $p,$d,$d", "setp.le.s64 $p,$d,$d",
        "mov.b64 $d,{$r,$r}", "mov.b64 {$r,$r},$d", "mov.b64 $d,$d", "add.s16 $h,$h,$h",
        "mul.lo.u16 $h,$h,$h", "mul.wide.s16 $r,$h,$h", "shr.s16 $h,$h,$s", "and.b16 $h,$h,$h",
        "min.u16 $h,$h,$h", "setp.lt.s16 $p,$h,$h", "selp.b16 $h,$h,$h,$p", "cvt.u16.u32 $h,$r",
        "cvt.u32.u16 $r,$h", "cvt.s32.s16 $r,$h", "cvt.s32.s8 $r,$r", "cvt.u32.u8 $r,$r", "cvt.s64.s16 $d,$h",
        "cvt.u16.u64 $h,$d", "mov.b32 $r,{$h,$h}", "mov.b32 {$h,$h},$r", "cvt.sat.s8.s32 $r,$r",
        "cvt.sat.u16.s32 $h,$r",
        /* floats and predicates */
        "add.f32 $f,$f,$f", "sub.rz.f32 $f,$f,$f", "mul.ftz.f32 $f,$f,$f", "fma.rn.f32 $f,$f,$f,$f",
        "div.rn.f32 $f,$f,$f", "min.f32 $f,$f,$f", "max.NaN.f32 $f,$f,$f", "sqrt.rn.f32 $f,$f",
        "rcp.approx.f32 $f,$f", "ex2.approx.f32 $f,$f", "abs.f32 $f,$f", "neg.f32 $f,$f",
        "add.sat.f32 $f,$f,$f", "setp.lt.f32 $p,$f,$f", "setp.neu.f32 $p,$f,$f", "selp.f32 $f,$f,$f,$p",
        "cvt.rn.f32.s32 $f,$r", "cvt.rn.f32.u32 $f,$r", "cvt.rzi.s32.f32 $r,$f", "cvt.rni.u32.f32 $r,$f",
        "mov.b32 $r,$f", "mov.b32 $f,$r", "mov.f32 $f,0f3F800000", "add.f64 $e,$e,$e", "mul.f64 $e,$e,$e",
        "fma.rn.f64 $e,$e,$e,$e", "div.rn.f64 $e,$e,$e", "cvt.f64.f32 $e,$f", "cvt.rn.f32.f64 $f,$e",
        "cvt.rn.f64.s64 $e,$d", "cvt.rzi.s64.f64 $d,$e", "mov.b64 $d,$e", "mov.b64 $e,$d",
        "setp.gt.f64 $p,$e,$e", "cvt.rn.f16.f32 $h,$f", "cvt.f32.f16 $f,$h", "fma.rn.f16 $h,$h,$h,$h",
        "fma.rn.f16x2 $r,$r,$r,$r", "setp.lt.and.s32 $p,$r,$r,$p", "setp.gt.or.u32 $p,$r,$w,!$p",
        "setp.ne.xor.b32 $p|%q,$r,$r,$p", "and.pred $p,$p,$p", "xor.pred $p,$p,$p", "not.pred $p,$p",
        "mov.pred $p,$p"};
    const uint32_t count = sizeof forms / sizeof *forms;
    put_statement(forms[below(3) ? below(USUAL_FORMS) : below(count)], any_pool());
}

/* An index for elements of so many bytes into %i, below `count` of them unless the kernel is to fault. */
static void put_index(uint32_t count)
{
    static const char *const rows[] = {"%t", "%g", "%l"};
    const char *row = rows[below(3)];
    bool small = false; /* without a mask: as programs write it */
    switch (below(14)) {
    case 0: put("mov.u32 %%i, %u;\n", below(count)); break;
    case 1: put("and.b32 %%i, %%n, %u;\n", count - 1); break;
    case 2: put("mad.lo.u32 %%i, %s, %u, %u;\n", row, 1 + below(5), below(8)), small = true; break;
    case 3: put("sub.u32 %%i, %u, %s;\n", count - 1, row), small = true; break;
    case 4: put("add.u32 %%i, %s, %u;\n", row, 0u - below(40)); break; /* wraps below 0 */
    case 5:
    case 6: put("mov.u32 %%i, %%r%u;\n", any_word()); break;
    case 7: put("add.u32 %%i, %s, %%n;\n", row), small = true; break;
    case 8: put("xor.b32 %%i, %s, %u;\n", row, below(32)), small = true; break;
    case 9: put("and.b32 %%i, %%r%u, 15;\nadd.s32 %%i, %%i, %s;\n", any_word(), row), small = true; break;
    case 10:
        put("mov.u32 %%i, %%tid.y;\nmad.lo.u32 %%i, %%i, %u, %%tid.x;\n", 8 * below(6)), small = true;
        break;
    default: put("add.u32 %%i, %s, %u;\n", row, below(64)), small = true; break;
    }
    if (!(small && below(3)) && below(400))
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

static void put_access(void)
{
    static const struct form {
        const char *type, *values; /* w: a register of 32 bits, d: of 64, h: of 16 */
        uint32_t width;
    } forms[] = {{"u32", "w", 4}, {"b32", "w", 4},     {"s32", "w", 4},        {"u64", "d", 8},
                 {"b64", "d", 8}, {"u8", "w", 1},      {"s8", "w", 1},         {"u16", "w", 2},
                 {"s16", "h", 2}, {"v2.u32", "ww", 8}, {"v4.u32", "wwww", 16}, {"v2.u64", "dd", 16},
                 {"u32", "w", 4}, {"u32", "w", 4},     {"s32", "d", 4},        {"v2.u16", "hh", 4},
                 {"f32", "f", 4}, {"f32", "f", 4}};
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
        uint32_t which = *letter == 'w'   ? any_word()
                         : *letter == 'd' ? below(LONG_REGISTERS)
                         : *letter == 'f' ? below(FLOAT_REGISTERS)
                                          : below(HALF_REGISTERS);
        if (!store && *letter == 'w' && letter > form->values) /* each element into another one */
            which = WORD_REGISTERS + (uint32_t)(letter - form->values);
        else if (!store && letter > form->values)
            which = (*letter == 'h' ? HALF_REGISTERS : LONG_REGISTERS) + (uint32_t)(letter - form->values);
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

/* The array of a thread, at one place for all lanes or at a place for each. */
static void put_local(void)
{
    put("and.b32 %%i, %%%s, 7;\nmad.lo.u32 %%i, %%i, 4, %%lm;\n", below(2) ? "n" : "t");
    if (below(2))
        put_guard(), put("st.local.u32 [%%i], %%r%u;\n", any_word());
    else
        put_guard(), put("ld.local.u32 %%r%u, [%%i];\n", any_word());
}

static void put_exchange(void)
{
    static const char *const shuffles[] = {"idx", "bfly", "up", "down"};
    static const char *const votes[] = {"any", "all", "uni"};
    const uint32_t to = any_register(WORD_REGISTERS, any_pool(), false), from = any_word();
    switch (below(12)) {
    case 0:
    case 1: {
        const uint32_t how = below(4);
        put("activemask.b32 %%m;\nshfl.sync.%s.b32 %%r%u", shuffles[how], to);
        if (below(2))
            put("|%%p%u", below(PREDICATES));
        put(", %%r%u, ", from);
        if (below(3))
            put("%u", below(32));
        else
            put("%%r%u", any_word());
        put(", %u, %%m;\n", how == 2 ? 0 : below(2) ? 31 : 0x181f);
        break;
    }
    case 2: {
        const uint32_t how = below(3), vote = below(PREDICATES);
        put("activemask.b32 %%m;\nvote.sync.%s.pred %%p%u, %%p%u, %%m;\n", votes[how], vote,
            below(PREDICATES));
        break;
    }
    case 3:
        put("activemask.b32 %%m;\nvote.sync.ballot.b32 %%r%u, %%p%u, %%m;\n", to, below(PREDICATES));
        break;
    case 4:
        put("and.b32 %%i, %%r%u, 255;\nmul.wide.u32 %%w, %%i, 4;\nadd.u64 %%a, %%out, %%w;\n", from);
        put("%s.global.add.u32 %s[%%a], 3;\n", "red", "");
        break;
    case 5:
        put("and.b32 %%i, %%t, 63;\nmad.lo.u32 %%sa, %%i, 4, %%sm;\natom.shared.max.u32 %%r%u, [%%sa], %%r%u;\n",
            to, from);
        break;
    case 6: put("activemask.b32 %%m;\nmatch.any.sync.b32 %%r%u, %%r%u, %%m;\n", to, from); break;
    case 7:
        put("activemask.b32 %%m;\nredux.sync.%s.u32 %%r%u, %%r%u, %%m;\n", below(2) ? "add" : "max", to,
            from);
        break;
    case 8:
        put("mov.u32 %%i, %%r%u;\nand.b32 %%i, %%i, 31;\nmul.wide.u32 %%w, %%i, 4;\nadd.u64 %%a, %%out, %%w;\n"
            "atom.global.add.u32 %%r%u, [%%a], %%r%u;\n",
            any_register(WORD_REGISTERS, EQUAL, true), to, from);
        break;
    case 9: put_local(); break;
    default:
        put("{ .param .b32 q; .param .b32 a; st.param.b32 [q], %%r%u;\ncall.uni (a), twice, (q);\n"
            "ld.param.b32 %%r%u, [a]; }\n",
            from, to);
        break;
    }
}

static void put_block(uint32_t depth);

/* Up to four turns: upwards, downwards, and past the largest number. */
static void put_loop(uint32_t depth)
{
    static const char *const steps[] = {"1", "-1", "1"}, *const ends[] = {"lt.u32 %q, %c", "ge.s32 %q, %c",
                                                                          "ne.u32 %q, %c"};
    const uint32_t label = maker.labels++, counter = maker.fresh++, how = below(3), leave = below(4);
    if (below(3))
        put("mov.u32 %%b%u, %u;\n", counter, 1 + below(4));
    else
        put("and.b32 %%b%u, %%r%u, 3;\nadd.u32 %%b%u, %%b%u, 1;\n", counter, any_word(), counter, counter);
    if (how == 0)
        put("mov.u32 %%c%u, 0;\n", counter);
    else if (how == 1)
        put("sub.u32 %%c%u, %%b%u, 1;\nmov.u32 %%b%u, 0;\n", counter, counter, counter);
    else
        put("sub.u32 %%c%u, 1, %%b%u;\nmov.u32 %%b%u, 1;\n", counter, counter, counter);
    put("L%u:\n", label);
    if (below(2))
        put("mov.u32 %%n, %%c%u;\n", counter);
    put_block(depth + 1);
    if (leave == 0)
        put("@%s bra M%u;\n", any_predicate(), label);
    if (leave == 1)
        put_block(depth + 1);
    put("add.s32 %%c%u, %%c%u, %s;\nsetp.%s%u, %%b%u;\n@%%q bra L%u;\nM%u:\n", counter, counter, steps[how],
        ends[how], counter, counter, label, label);
}

static void put_branch(uint32_t depth)
{
    const uint32_t label = maker.labels++, kind = below(5);
    if (kind == 0) {
        put("and.b32 %%i, %%r%u, 1;\nT%u: .branchtargets L%u, K%u;\nbrx.idx %%i, T%u;\nL%u:\n", any_word(),
            label, label, label, label, label);
        put_block(depth + 1);
        put("K%u:\n", label);
    } else if (kind < 3) {
        put("@%s bra L%u;\n", any_predicate(), label);
        put_block(depth + 1);
        put("bra K%u;\nL%u:\n", label, label);
        put_block(depth + 1);
        put("K%u:\n", label);
    } else {
        put("@%s bra L%u;\n", any_predicate(), label);
        put_block(depth + 1);
        put("L%u:\n", label);
    }
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
        else if (kind < 9)
            put_access();
        else if (kind < 10)
            put_neighbours();
        else if (kind < 17)
            put_arithmetic();
        else if (kind < 18)
            put_exchange();
        else if (kind < 19 && depth == 0)
            put("bar.sync 0;\n");
        else if (below(6) == 0)
            put("@%%p%u ret;\n", below(PREDICATES));
    }
}

static void put_store(uint32_t place, const char *form, uint32_t which)
{
    put("mad.lo.u32 %%i, %%g, %u, %u;\nmul.wide.u32 %%w, %%i, 4;\nadd.u64 %%a, %%out, %%w;\nst.global.%s%u;\n",
        THREAD_WORDS, place, form, which);
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
        ".shared .align 16 .b8 memory[%d];\n.local .align 16 .b8 array[32];\n"
        ".reg .b32 %%r<%d>, %%c<64>, %%b<64>, %%m, %%i, %%n, %%t, %%g, %%l, %%sa, %%sm, %%lm; .reg .b16 %%h<%d>;\n"
        ".reg .b64 %%d<%d>, %%a, %%w, %%in, %%out; .reg .f32 %%f<%d>; .reg .f64 %%e<%d>; .reg .pred %%p<%d>, %%q;\n"
        "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u32 %%n, [n];\n"
        "cvta.to.global.u64 %%in, %%in;\ncvta.to.global.u64 %%out, %%out;\nmov.u32 %%sm, memory;\nmov.u32 %%lm, array;\n"
        "mov.u32 %%t, %%tid.x;\nmov.u32 %%l, %%tid.y;\nmov.u32 %%c0, %%ntid.x;\nmov.u32 %%c1, %%ntid.y;\n"
        "mov.u32 %%b0, %%ctaid.x;\nmad.lo.u32 %%b0, %%b0, %%c1, %%l;\nmad.lo.u32 %%g, %%b0, %%c0, %%t;\n"
        "mov.u32 %%l, %%laneid;\n",
        SHARED_BYTES, WORD_REGISTERS + 4, HALF_REGISTERS + 4, LONG_REGISTERS + 4, FLOAT_REGISTERS,
        DOUBLE_REGISTERS, PREDICATES);
    for (uint32_t i = 0; i < WORD_REGISTERS; i++)
        if (i < WORD_REGISTERS / 4)
            put(i % 2 ? "add.u32 %%r%u, %%n, %u;\n" : "mov.u32 %%r%u, %u;\n", i, any_constant());
        else if (i < WORD_REGISTERS / 2)
            put("mad.lo.u32 %%r%u, %%%c, %u, %u;\n", i, "tgl"[i % 3],
                below(2) ? 1 + below(8) : any_constant(), any_constant());
        else
            put("mad.lo.u32 %%r%u, %%%c, 2654435761, %u;\nxor.b32 %%r%u, %%r%u, %u;\n", i, "tgln"[i % 4], i,
                i, i, 1 + below(99));
    for (uint32_t i = 0; i < LONG_REGISTERS; i++)
        put("mul.wide.s32 %%d%u, %%r%u, %u;\n", i, i * WORD_REGISTERS / LONG_REGISTERS, 1 + below(16));
    for (uint32_t i = 0; i < HALF_REGISTERS; i++)
        put("cvt.u16.u32 %%h%u, %%r%u;\n", i, i * WORD_REGISTERS / HALF_REGISTERS);
    for (uint32_t i = 0; i < FLOAT_REGISTERS; i++)
        put("cvt.rn.f32.s32 %%f%u, %%r%u;\ncvt.f64.f32 %%e%u, %%f%u;\n", i,
            i * WORD_REGISTERS / FLOAT_REGISTERS, i, i);
    for (uint32_t i = 0; i < PREDICATES; i++)
        put("setp.lt.u32 %%p%u, %%r%u, %u;\n", i, i * WORD_REGISTERS / PREDICATES + 1, any_constant());
    while (maker.left > 0)
        put_block(0);
    for (uint32_t i = 0; i < DOUBLE_REGISTERS; i++)
        put("mov.b64 %%w, %%e%u;\nxor.b64 %%d%u, %%d%u, %%w;\n", i, i, i);
    for (uint32_t i = 0; i < PREDICATES; i++)
        put("@%%p%u xor.b16 %%h%u, %%h%u, 21845;\n", i, i % HALF_REGISTERS, i % HALF_REGISTERS);
    for (uint32_t i = 0; i < WORD_REGISTERS; i++)
        put_store(i, "u32 [%a], %r", i);
    for (uint32_t i = 0; i < LONG_REGISTERS; i++)
        put_store(WORD_REGISTERS + 2 * i, "u64 [%a], %d", i);
    for (uint32_t i = 0; i < FLOAT_REGISTERS; i++)
        put_store(WORD_REGISTERS + 2 * LONG_REGISTERS + i, "f32 [%a], %f", i);
    for (uint32_t i = 0; i < HALF_REGISTERS; i++)
        put_store(WORD_REGISTERS + 2 * LONG_REGISTERS + FLOAT_REGISTERS + i, "u16 [%a], %h", i);
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

static void launch(int which, enum mode mode, bool by_lanes, const uint32_t grid[3], const uint32_t block[3])
{
    struct grid_machine *machine = &machines[which];
    struct outcome *outcome = &outcomes[which];
    const struct {
        uint64_t in, out;
        uint32_t n, unused;
    } arguments = {addresses[0], addresses[1], 37, 0};
    struct grid_launch launch = {.module = model_module, .parameters = (const uint8_t *)&arguments};
    if (which == 1) { /* what it is compared with: each access lane by lane, or only the registers so */
        machine->by_lanes = by_lanes;
        machine->by_vectors = true;
    }
    machine->uncounted = mode == UNCOUNTED;
    machine->check = mode == CHECKED;
    machine->costliest = mode != UNCOUNTED;
    memcpy(launch.grid, grid, sizeof launch.grid);
    memcpy(launch.block, block, sizeof launch.block);
    for (int i = 0; i < 2; i++) /* all of it is written: a checked launch may have stored undefined bytes */
        cr_assert_eq(
            memory_access(model_memory, addresses[i], BUFFER_BYTES, true, &buffers[i], &outcome->error),
            STATUS_OK);
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

static void compare_programs(void)
{
    static const uint32_t blocks[][3] = {{32, 1, 1}, {64, 1, 1}, {33, 1, 1}, {40, 2, 1},
                                         {8, 8, 1},  {16, 3, 1}, {7, 1, 1},  {32, 2, 1},
                                         {96, 1, 1}, {4, 4, 4},  {1, 1, 1},  {64, 2, 1}};
    const uint64_t first = number_of("LAYOUT_SEED", 1), count = number_of("LAYOUT_PROGRAMS", PROGRAMS);
    uint64_t ended = 0, launches = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        make_text(seed);
        model_load_text("layouts.ptx", maker.text, maker.used);
        const uint32_t *block = blocks[below(sizeof blocks / sizeof *blocks)],
                       grid[3] = {1 + below(block[0] * block[1] > 80 ? 2 : 3), 1, 1};
        for (int mode = 0; mode < MODES; mode++) {
            if (mode == CHECKED && seed % CHECKED_EVERY)
                continue;
            for (int which = 0; which < 2; which++)
                launch(which, (enum mode)mode, seed % 2, grid, block);
            compare(seed, (enum mode)mode, grid, block);
            launches++;
            ended += outcomes[0].status == STATUS_OK;
            for (int which = 0; which < 2; which++)
                grid_result_fini(&outcomes[which].result);
        }
    }
    cr_assert_gt(ended, launches / 2, "most must run to their end: %llu", (unsigned long long)ended);
}

/* The widest vectors are chosen once in a process, and each test is one: with the narrowest, in between, and this processor's. */
static void use_vectors(const char *most)
{
    if (most)
        setenv(MODEL_VECTORS_VARIABLE, most, 1);
    else
        unsetenv(MODEL_VECTORS_VARIABLE);
    layouts_open();
    compare_programs();
    layouts_close();
}

Test(layouts, equal_those_found_lane_by_lane, .timeout = 0)
{
    use_vectors(NULL);
}

Test(layouts, are_equal_with_narrower_vectors, .timeout = 0)
{
    use_vectors("avx2");
}

Test(layouts, are_equal_with_the_narrowest_vectors, .timeout = 0)
{
    use_vectors("baseline");
}
