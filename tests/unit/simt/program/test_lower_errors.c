/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused, and in which words; the list of instructions. */
#include "simt/lanes/lanes.h"
#include "simt/program/lower/lower_internal.h"
#include "tests/shared/oracle/lower_dump.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *ptx, *sentence;
};

static void check(const char *functions, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[2048];
        struct error error = {0};
        enum status status = lower_dump(functions, rows[i].ptx, text, sizeof text, &error);
        size_t whole = strlen(error.text), wanted = strlen(rows[i].sentence);
        cr_assert_eq(status, STATUS_USAGE, "%s: %s", rows[i].ptx, text);
        cr_assert(whole > wanted && strcmp(error.text + whole - wanted, rows[i].sentence) == 0,
                  "%s\n  is %s\n not %s", rows[i].ptx, error.text, rows[i].sentence);
    }
}
#define CHECK(rows) check("", rows, sizeof(rows) / sizeof *(rows))

Test(lower_errors, place)
{
    static const struct row rows[] = {
        {".loc 1 14 3\nwgmma.mma_async %r1, %r2;",
         "kernel: 'wgmma.mma_async %r1, %r2' (kernel.cu:14, line 98 of the PTX): "
         "the model has no products of matrices in shared memory (wgmma)."},
        {"@!%p1 wgmma.mma_async %r1, {%f1, %f2}, [%rd1+-8], 0f3F800000, _, -7;",
         "'@!%p1 wgmma.mma_async %r1, {%f1, %f2}, [%rd1-8], 0f3F800000, _, -7' (line 97 of the PTX): the "
         "model has "
         "no products of matrices in shared memory (wgmma)."},
        {".loc 1 15 1\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 32;",
         "'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 32' (kernel.cu:15, line 98 of the "
         "PTX): the "
         "model has no tensor memory."},
        {".loc 1 16 1\ncp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
         "[%rd1, {%r1}], "
         "[s];",
         "(kernel.cu:16, line 98 of the PTX): the model has no tensor copies (TMA tensor maps)."},
        {".loc 1 17 1\ntensormap.replace.tile.rank.global.b1024.b32 [%rd1], 3;",
         "(kernel.cu:17, line 98 of the PTX): the model has no tensor copies (TMA tensor maps)."},
        {"wgmma.mma_async %r1|%p1, !%p2, s+4, [16];",
         "'wgmma.mma_async %r1|%p1, !%p2, s+4, [16]' (line 97 of the PTX): the model has no products of "
         "matrices in shared memory (wgmma)."},
    };
    struct error error = {0};
    char text[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(lower_dump("", rows[i].ptx, text, sizeof text, &error), STATUS_USAGE);
        cr_assert_not_null(strstr(error.text, rows[i].sentence), "%s", error.text);
    }
}

Test(lower_errors, opcodes)
{
    static const struct row rows[] = {
        {"frobnicate.u32 %r1;", ": there is no instruction frobnicate in PTX ISA 9.0."},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [g, {%f5, %f6}];",
         "its texture must be an object in a register."},
        {"tex.1d.v2.f32.f32 {%f1, %f2}, [%rd1, {%f5}];", ": the model supports only .v4 with .1d, .2d, .3d, "
                                                         ".a1d, .a2d, .cube and .acube, and tld4 with .2d."},
        {"suld.b.1d.b32.trap %r1, [g, {%r2}];", ": its texture must be an object in a register."},
        {"wgmma.fence.sync.aligned;", ": the model has no products of matrices in shared memory (wgmma)."},
        {"tcgen05.fence::before_thread_sync;", ": the model has no tensor memory."},
        {"mbarrier.frob.shared.b64 [s], 1;", ": the model does not know this operation on an mbarrier."},
        {"mbarrier.init.shared.b32 [s], 1;", ": an mbarrier is a .b64."},
        {"mbarrier.test_wait.shared::cluster.b64 %p1, [%r1], %rd1;",
         ": a thread can test only mbarriers of its own block."},
        {"mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];",
         ": an arrival at .shared::cluster has no result but '_'."},
        {"mbarrier.test_wait.shared.b64 %p1, [s], %rd1, 5;", ": it has 4 operands where it takes 3."},
        {"barrier.cluster.sync;", ": it needs .arrive or .wait."},
        {"getctarank.u16 %r1, %rd1;", ": there is no getctarank.u16."},
        {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;",
         ": the model does not cancel clusters that have not begun."},
        {"fence.proxy.tensormap::generic.release.gpu;", ": the model does not support this kind of fence."},
        {"alloca.u64 %rd1, 16;", ": the model has no dynamic stack."},
        {"stacksave.u64 %rd1;", ": the model has no dynamic stack."},
        {"vadd.s32.s32.s32 %r1, %r2, %r3;", ": the model has no video instructions."},
        {"multimem.red.global.add.u32 [%rd1], %r1;",
         ": the model has one device, and no memory shared by several."},
        {"tensormap.replace.x [%rd1], 0;", ": the model has no tensor copies (TMA tensor maps)."},
    };
    CHECK(rows);
}

Test(lower_errors, lanes)
{
    static const struct row rows[] = {
        {"add.f33 %f1, %f2, %f3;", ": PTX has no such form of add, or the model does not support it: "
                                   "docs/ptx.md lists the supported forms."},
        {"cvt.f32.s32 %f1, %r1;", ": PTX has no such form of cvt, or the model does not support it: "
                                  "docs/ptx.md lists the supported forms."},
        {"add.s32 %r1, %r2;", ": it has too few operands: 2."},
        {"add.s32 %r1, %r2, %r3, %r4;", ": it has 4 operands where it takes 3."},
        {"add.s32 %r1, %rd2, %r3;", ": %rd2 is a .b64 register, where a .u32 is needed."},
        {"add.s32 %rd1, %r2, %r3;", ": %rd1 is a .b64 register, where a .u32 is needed."},
        {"add.u32 %r1, %f2, %r3;", ": %f2 is a .f32 register, where a .u32 is needed."},
        {"add.f32 %f1, %u2, %f3;", ": %u2 is a .u32 register, where a .f32 is needed."},
        {"add.f32 %f1, %f2, 1;", ": a constant does not have the type .f32."},
        {"add.s32 %r1, %r2, 1.0;", ": a constant does not have the type .u32."},
        {"add.s32 5, %r2, %r3;", ": its result must go to a register."},
        {"add.s32 %tid.x, %r2, %r3;", ": %tid.x is not a register that can be written."},
        {"add.s32 %r1, %r2, {%r3};", ": an operand is not a .u32 register or constant."},
        {"add.s32 %r1, %r2, [%r3];", ": an operand is not a .u32 register or constant."},
        {"add.s32 %r1, %r2, !%r3;", ": !%r3 is not allowed here."},
        {"add.s32 %r1, %r2, -%r3;", ": -%r3 is not allowed here."},
        {"add.s32 %r1, %r2, %clock;", ": %clock changes while a warp runs: read it with a mov of its size."},
        {"mov.u64 %rd1, %clock;", ": %clock has 32 bits."},
        {"mov.u32 %r1, %envreg3;", ": the model does not support the register %envreg3."},
        {"add.u16 %rs1, %rs2, s;", ": the address of s does not fit a .u16."},
        {"mov.u32 %r1, missing;", ": missing is a function: its address has 64 bits."},
        {"setp.lt.s32 %r1, %r2, %r3;", ": %r1 is a .b32 register, where a .pred is needed."},
        {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", ": its table must be a constant."},
        {"mov.b64 {%r1, %r2}, {%r3, %r4};", ": one of its operands must be a single register."},
        {"vsub.u32.u32.u32.sat %r1, %r2, %r3;", ": the model has no vsub with .sat."},
        {"vsub.u32.u16.u32 %r1, %r2, %r3;", ": the types of vsub are .u32 and .s32."},
        {"vsub.u32.u32.u32.add %r1, %r2, %r3;", ": it has 3 operands where it takes 4."},
        {"vsub.u32.u32.u32.add %r1, %r2, %r3, %r1;",
         ": the model has no vsub that adds the register of its result."},
        {"mov.v2.u32 {%r1, %r2}, {%r2, %r1};", ": the model does not exchange elements of a vector."},
        {"mov.v2.u32 {%r1, %r2}, {%r3};", ": it moves 2 elements."},
        {"mov.b64 {%r1, %r2, %r3}, %rd1;", ": PTX has no such form of mov, or the model does not support it: "
                                           "docs/ptx.md lists the supported forms."},
        {"mov %r1, %r2;", ": its type is missing."},
        {"mov.foo %r1, %r2;", ": .foo is not a type, but a type is expected."},
        {"mov.u32.u32 %r1, %r2;", ": .u32 is not a modifier of this instruction."},
        {"cvt.u32.u64 %r1;", ": it has 1 operands where it takes 2."},
        {"cvt.u64.u32 %r1, %r2;", ": %r1 is a .b32 register, where a .u64 is needed."},
        {"cvt.u32.u32 %q1, %r2;", ": a register of 128 bits cannot be converted."},
        {"@%r1 add.s32 %r1, %r2, %r3;", ": %r1 is not a predicate register."},
    };
    CHECK(rows);
}

Test(lower_errors, memory)
{
    static const struct row rows[] = {
        {"ld.global.f32 %f1, [%r1];", ": %r1 has 32 bits, but a global address has 64."},
        {"ld.f32 %f1, [%r1];", ": %r1 has 32 bits, but a generic address has 64."},
        {"ld.shared.f32 %f1, [%rs1];",
         ": %rs1 is a .b16 register: an address has 64 bits, or 32 in shared, local, const "
         "and param memory."},
        {"ld.global.f32 %f1, %rd1;", ": an address in brackets is expected."},
        {"ld.global.f32 %f1, [s];", ": s is not in the state space of this instruction."},
        {"ld.global.f32 %f1, [missing];", ": missing is not a register or a variable."},
        {"ld.global.f32 %fd1, [%rd1];", ": %fd1 is a .f64 register, where a .f32 is needed."},
        {"ld.global.u64 %r1, [%rd1];", ": %r1 is a .b32 register, where a .u64 is needed."},
        {"ld.global.f16 %rs1, [%rd1];", ": a .f16 cannot be loaded or stored: load or store its bits."},
        {"ld.global.v2.f32 %f1, [%rd1];", ": it moves 2 elements with 1 registers."},
        {"ld.global.v2.f32 {%f1, %f2, %f3}, [%rd1];", ": it moves 2 elements with 3 registers."},
        {"ld.global.v2.b32 {%r1, %rd2}, [%rd1];", ": it mixes registers of 64 bits with smaller ones."},
        {"ld.global.v4.f64 {%fd1, %fd2, %fd3, %fd4}, [%rd1];",
         ": it moves 32 bytes per lane in 4 elements: the device model supports at most 16 bytes in 4."},
        {"ld.global.v8.b16 {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}, [%rd1];",
         ": it moves 16 bytes per lane in 8 elements: the device model supports at most 16 bytes in 4."},
        {"ld.global.ca.cg.f32 %f1, [%rd1];", ": .cg contradicts a modifier before it."},
        {"ld.global.L3::hint.f32 %f1, [%rd1];", ": .L3::hint is not a modifier of this instruction."},
        {"ld.global.shared.f32 %f1, [%rd1];", ": .shared is not a modifier of this instruction."},
        {"ld.global %f1, [%rd1];", ": its type is missing."},
        {"ld.global.f32 %f1;", ": it has 1 operands where it takes 2."},
        {"ld.param::func.u32 %r1, [b];", ": its address is not a parameter of a device function."},
        {"{ .param .b32 p[2]; ld.param.b32 %r1, [p+8]; }", ": it reaches outside of p, which has 8 bytes."},
        {"{ .param .b32 p[2]; ld.param.b32 %r1, [p+-4]; }", ": it reaches outside of p, which has 8 bytes."},
        {"{ .param .b32 p[2]; mov.u64 %rd1, p; }",
         ": p has no address: it is a .param area, or not defined in this file."},
        {"st.const.f32 [k], %f1;", ": nothing can be stored in this state space."},
        {"st.param.u32 [b], %r1;", ": nothing can be stored in this state space."},
        {"st.global.f32 [%rd1], 1;", ": a constant does not have the type .f32."},
        {"prefetch.global [%rd1];", ": it needs .L1 or .L2."},
        {"createpolicy.fractional.L2::evict_last.b64;", ": its result is missing."},
        {"atom.global.add.f16 %rs1, [%rd1], %rs2;", ": there is no add of a .f16."},
        {"atom.global.add.noftz.u32 %r1, [%rd1], %r2;", ": there is no add.noftz of a .u32."},
        {"atom.global.cas.b128 %q1, [%rd1], %q2, %q3;", ": there is no cas of a .b128."},
        {"atom.global.frob.u32 %r1, [%rd1], %r2;",
         ": its operation is missing, or the model does not support it."},
        {"red.global.add.v2.f32 [%rd1], {%f1, %f2};", ": the model has no vector atomics."},
        {"red.async.relaxed.cluster.u32 [%rd1], %r1;", ": it needs .mbarrier::complete_tx::bytes."},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u16 [%r1], %rs1, [%r2];",
         ": it stores values of 4 or 8 bytes, at most 16 bytes."},
        {"st.bulk.weak.shared::cta [%r1], %rd1, 0;",
         ": the model does not fill shared memory in bulk (sm_100)."},
        {"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1, {%r1}], "
         "[s];",
         ": the model has no tensor copies (TMA tensor maps)."},
        {"cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {%r1}];",
         ": the model has no tensor copies (TMA tensor maps)."},
        {"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd1, {%r1}], [s];",
         ": the model has no tensor copies (TMA tensor maps)."},
        {"cp.async.bulk.shared::cluster.global [s], [%rd1], 16, [s];",
         ": it needs .mbarrier::complete_tx::bytes."},
        {"cp.async.bulk.global.shared::cta [%rd1], [s], 16;", ": it needs .bulk_group."},
        {"cp.async.bulk.global.global.bulk_group [%rd1], [%rd1], 16;",
         ": it copies between .global and .shared::cta or .shared::cluster, or from .shared::cta to "
         ".shared::cluster."},
        {"cp.reduce.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.add.u32 [s], [%rd1], 16, "
         "[s];",
         ": it reduces only what comes from shared memory."},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%rd1], [s], 16;",
         ": the model has no .min of a .f16 in a copy."},
        {"cp.async.cx.shared.global [s], [%rd1], 4;",
         ": it needs .ca, .cg, .commit_group, .wait_group or .wait_all."},
        {"cp.foo;", ": the model supports only cp.async and cp.reduce.async.bulk."},
        {"cp.async.cg.shared.global [s], [%rd1], 8;", ": cp.async.cg copies 16 bytes."},
        {"cp.async.ca.shared.global [s], [%rd1], 12;", ": cp.async.ca copies 4, 8 or 16 bytes."},
        {"cp.async.ca.global.shared [%rd1], [s], 4;", ": it copies only from .global to .shared."},
        {"cp.async.ca.shared.global [s], [%rd1], %r1;", ": the size must be a constant."},
        {"cp.async.wait_group %r1;", ": the number of groups must be a constant."},
    };
    CHECK(rows);
}

Test(lower_errors, warps)
{
    static const struct row rows[] = {
        {"shfl.sync.b32 %r1, %r2, 1, 0, -1;", ": it needs .up, .down, .bfly or .idx."},
        {"shfl.sync.up.b64 %rd1, %rd2, 1, 0, -1;", ": it moves only .b32."},
        {"shfl.sync.up.b32 %r1, %r2, 1, 0;", ": it has 4 operands where it takes 5."},
        {"vote.sync.most.pred %p1, %p2, -1;", ": it needs .all, .any, .uni or .ballot."},
        {"vote.sync.ballot.pred %p1, %p2, -1;", ": its result must be a .b32."},
        {"vote.sync.all.pred %p1|%p2, %p2, -1;", ": it has only one result."},
        {"match.any.b32 %r1, %r2, -1;", ": it needs .any.sync or .all.sync."},
        {"match.any.sync.u16 %r1, %rs2, -1;", ": it compares only .b32 or .b64."},
        {"match.any.sync.b32 %r1|%p1, %r2, -1;", ": it has only one result."},
        {"redux.add.u32 %r1, %r2, -1;", ": it needs .sync and .add, .min, .max, .and, .or or .xor."},
        {"redux.sync.add.f32 %f1, %f2, -1;", ": the device model has no .add of a .f32."},
        {"activemask.u32 %r1;", ": its result must be a .b32."},
        {"bar.go 0;", ": it needs .sync, .arrive or .red."},
        {"bar.arrive 0;", ": it has 1 operands where it takes 2."},
        {"bar.red.sum.u32 %r1, 0, %p1;", ": it needs .popc, .and or .or."},
        {"bar.red.popc.pred %p1, 0, %p2;", ": its result must be a .u32."},
        {"bar.warp.arrive -1;", ": it needs .sync and no other modifier."},
        {"fence.odd;", ": the model does not support this kind of fence."},
        {"nanosleep.u64 %rd1;", ": its time must be a .u32."},
    };
    CHECK(rows);
}

Test(lower_errors, control)
{
    static const char *const functions =
        ".func again(.reg .b32 x)\n{\ncall again, (x);\nret;\n}\n.func (.param .b32 r) one(.param .b32 "
        "x)\n{\nret;\n}\n"
        ".func two(.param .b32 x)\n{\nret;\n}\n.func taken(.reg .b32 x)\n{\nret;\n}\n"
        ".func first();\n.func second()\n{\ncall first;\nret;\n}\n.func first()\n{\ncall second;\nret;\n}\n";
    static const struct row rows[] = {
        {"call again, (%r1);", ": x is not a .param area: the model needs one for a call by address or of a "
                               "function that calls itself."},
        {"call missing;", ": missing has no body in this file: the model needs all functions in one."},
        {"call kernel;", ": there is no device function of that name."},
        {"call s;", ": there is no device function of that name."},
        {"call %rd1, (%r1);", ": a call through a register needs a .callprototype or .calltargets."},
        {"call one, (%r1);", ": one has 1 results, but the call gives 0."},
        {"call (%r1), one;", ": one has 1 parameters, but the call gives 0."},
        {"call (%r1), one, (%r2);", ": x of one takes a .param area."},
        {"{ .param .b64 p; call two, (p); }", ": p has 8 bytes, x of two has 4."},
        {"{ .param .b32 p; .param .b32 q; call (q), one, (p); call two, (p); }",
         ": p is already used for something else: give each call .param variables of its own."},
        {"call two, (b);",
         ": b is already used for something else: give each call .param variables of its own."},
        {"{ .param .b32 p; call taken, (p); }", ": p is a .param area, but x is a register."},
        {"call.odd second;", ": .odd is not a modifier of this instruction."},
        {"brx.idx %r1;",
         ": a branch to a constant, which is not a label of kernel."}, /* simt/program/cfg's sentence */
        {"ret 5;", ": it has 1 operands where it takes 0."},
        {"bra.never L; L:", ": .never is not a modifier of this instruction."},
    };
    check(functions, rows, sizeof rows / sizeof *rows);
}

/* A chain of calls, each function calling the next. */
Test(lower_errors, deep_calls)
{
    static char functions[32768];
    char text[256];
    struct error error = {0};
    size_t used = (size_t)snprintf(functions, sizeof functions, ".func f200()\n{\nret;\n}\n");
    for (int i = 199; i >= 0; i--)
        used += (size_t)snprintf(functions + used, sizeof functions - used,
                                 ".func f%d()\n{\ncall f%d;\nret;\n}\n", i, i + 1);
    cr_assert_lt(used, sizeof functions);
    cr_assert_eq(lower_dump(functions, "call f0;", text, sizeof text, &error), STATUS_USAGE);
    cr_assert_not_null(strstr(error.text, "calls are nested more than 128 deep."), "%s", error.text);
}

/* The list is sorted, which searching in it needs, and says of each opcode either who lowers it or why not.
 */
Test(lower_errors, list)
{
    size_t count = 0;
    for (; lower_opcode_at(count); count++) {
        const struct lower_opcode *at = lower_opcode_at(count);
        cr_assert(count == 0 || strcmp(lower_opcode_at(count - 1)->opcode, at->opcode) < 0, "%s", at->opcode);
        cr_assert((at->rule != NULL) != (at->refusal != NULL), "%s", at->opcode);
        cr_assert_eq(lower_opcode_find(at->opcode), at);
        bool has_forms = false;
        for (size_t i = 0; lanes_entry_at(i); i++) {
            size_t size = strlen(at->opcode);
            const char *form = lanes_entry_at(i)->form;
            has_forms |= strncmp(form, at->opcode, size) == 0 && (form[size] == '.' || form[size] == '[');
            has_forms |= form[0] == '[' && strstr(form, at->opcode) != NULL; /* [fma|mad] */
        }
        bool lanes = at->rule == lower_lanes || at->rule == lower_mov || at->rule == lower_cvt ||
                     at->rule == lower_mapa || at->rule == lower_getctarank;
        cr_assert_eq(lanes, has_forms, "%s", at->opcode);
    }
    cr_assert_gt(count, 130);
    cr_assert_null(lower_opcode_find(""));
}
