/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions -> decoded fields, group by group. */
#include "tests/shared/oracle/lower_dump.h"

#include <criterion/criterion.h>
#include <stdint.h>

struct row {
    const char *ptx, *dump;
};

static void check(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[2048];
        struct error error = {0};
        enum status status = lower_dump("", rows[i].ptx, text, sizeof text, &error);
        cr_assert_eq(status, STATUS_OK, "%s: %s", rows[i].ptx, error.text);
        cr_assert_str_eq(text, rows[i].dump, "%s\n  is %s\n not %s", rows[i].ptx, text, rows[i].dump);
    }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

Test(lower_rows, lanes)
{
    static const struct row rows[] = {
        {"add.s32 %r1, %r2, %r3;", "lanes d=%r1 s=%r2,%r3"},
        {"add.s32 %r1, %r2, -5;", "lanes d=%r1 s=%r2,#4294967291"},
        {"add.s64 %rd1, %rd2, -5;", "lanes d=%rd1 s=%rd2,#-5"},
        {"add.u16 %rs1, %rs2, 70000;", "lanes d=%rs1 s=%rs2,#4464"},
        {"add.f32 %f1, %f2, 0f3F800000;", "lanes d=%f1 s=%f2,#1065353216"},
        {"add.f32 %f1, %f2, 1.0;", "lanes d=%f1 s=%f2,#1065353216"},
        {"add.f64 %fd1, %fd2, 0f3F800000;", "lanes d=%fd1 s=%fd2,#4607182418800017408"},
        {"add.f64 %fd1, %fd2, 0d3FF0000000000000;", "lanes d=%fd1 s=%fd2,#4607182418800017408"},
        {"add.f32 %r1, %f2, %f3;", "lanes d=%r1 s=%f2,%f3"},
        {"@%p1 add.s32 %r1, %r2, %r3;", "lanes guard=%p1 d=%r1 s=%r2,%r3"},
        {"@!%p1 add.s32 %r1, %r2, %r3;", "lanes guard=!%p1 d=%r1 s=%r2,%r3"},
        {"setp.lt.s32 %p1, %r1, %r2;", "lanes d=%p1 s=%r1,%r2"},
        {"setp.lt.s32 %p1|%p2, %r1, %r2;", "lanes d=%p1,%p2 s=%r1,%r2"},
        {"setp.lt.s32 _|%p2, %r1, %r2;", "lanes d=?,%p2 s=%r1,%r2"},
        {"setp.lt.and.s32 %p1, %r1, %r2, %p3;", "lanes d=%p1 s=%r1,%r2,%p3"},
        {"setp.lt.and.s32 %p1, %r1, %r2, !%p3;", "lanes d=%p1 s=%r1,%r2,%p3"},
        {"setp.lt.and.s32 %p1, %r1, %r2, 1;", "lanes d=%p1 s=%r1,%r2,#1"},
        {"selp.b32 %r1, %r2, %r3, %p1;", "lanes d=%r1 s=%r2,%r3,%p1"},
        {"selp.b32 %r1, %r2, %r3, !%p1;", "lanes d=%r1 s=%r3,%r2,%p1"},
        {"and.pred %p1, %p2, !%p3;", "lanes d=? s=%p3 ; lanes d=%p1 s=%p2,?"},
        {"add.cc.u32 %r1, %r2, %r3;", "lanes d=%r1,? s=%r2,%r3"},
        {"addc.u32 %r1, %r2, 0;", "lanes d=%r1 s=%r2,#0,?"},
        {"vsub.u32.u32.u32.add %r1, %r2, %r3, %r4;", "lanes d=%r1 s=%r2,%r3 ; lanes d=%r1 s=%r1,%r4"},
        {"vsub.s32.u32.s32 %r1, %r2, 5;", "lanes d=%r1 s=%r2,#5"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 0x96;", "lanes d=%r1 s=%r2,%r3,%r4,#150"},
        {"lop3.or.b32 _|%p1, %r2, %r3, %r4, 0x96, %p2;", "lanes d=?,%p1 s=%r2,%r3,%r4,#150,%p2"},
        {"cvta.to.global.u64 %rd1, %rd2;", "lanes d=%rd1 s=%rd2"},
        {"cvta.shared.u64 %rd1, s;", "lanes d=%rd1 s=#0"},
        {"isspacep.shared %p1, %rd1;", "lanes d=%p1 s=%rd1"},
    };
    CHECK(rows);
}

Test(lower_rows, moves)
{
    static const struct row rows[] = {
        {"mov.u32 %r1, %tid.x;", "lanes d=%r1 s=%tid.x"},
        {"mov.u32 %r1, %lanemask_lt;", "lanes d=%r1 s=%lanemask_lt"},
        {"mov.u16 %rs1, %tid.x;", "lanes d=%rs1 s=%tid.x"},
        {"mov.u64 %rd1, %gridid;", "lanes d=%rd1 s=%gridid"},
        {"mov.u32 %r1, %clusterid.x;", "lanes d=%r1 s=%clusterid.x"},
        {"mov.u32 %r1, %cluster_nctarank;", "lanes d=%r1 s=%cluster_nctarank"},
        {"cvt.u64.u32 %rd1, %tid.x;", "lanes d=%rd1 s=%tid.x"},
        {"mov.pred %p1, %is_explicit_cluster;", "lanes d=%p1 s=%is_explicit_cluster"},
        {"mov.u32 %r1, %clock;", "mov special u32 d=%r1 sub=43"},
        {"mov.u64 %rd1, %clock64;", "mov special u64 d=%rd1 sub=45"},
        {"mov.u64 %rd1, %globaltimer;", "mov special u64 d=%rd1 sub=46"},
        {"mov.u64 %rd1, g;", "lanes d=%rd1 s=#30064775168"},
        {"mov.u64 %rd1, g+12;", "lanes d=%rd1 s=#30064775180"},
        {"mov.u64 %rd1, k;", "lanes d=%rd1 s=#64"},
        {"mov.u32 %r1, s;", "lanes d=%r1 s=#0"},
        {"mov.u32 %r1, d;", "lanes d=%r1 s=#0"},
        {"{ .reg .b32 x; mov.u32 x, s; mov.u32 %r1, d; }", "lanes d=? s=#0 ; lanes d=%r1 s=#256"},
        {"{ .reg .v2 .u32 x; mov.v2.u32 x, {%r1, 5}; }", "lanes d=? s=%r1 ; lanes d=? s=#5"},
        {"{ .reg .v2 .u32 x; mov.v2.u32 {%r1, %r2}, x; }", "lanes d=%r1 s=? ; lanes d=%r2 s=?"},
        {"mov.v2.u32 {%r1, %r2}, {%r1, %r2};", "lanes d=%r1 s=%r1 ; lanes d=%r2 s=%r2"},
        {"mov.u64 %rd1, l;", "lanes d=%rd1 s=#0"},
        {"mov.u64 %rd1, b;", "lanes d=%rd1 s=#8"},
        {"mov.pred %p1, 1;", "lanes d=%p1 s=#1"},
        {"mov.b32 %f1, 0f3F800000;", "lanes d=%f1 s=#1065353216"},
        {"mov.b64 %rd1, {%r1, %r2};", "lanes d=%rd1 s=%r1,%r2"},
        {"mov.b64 {%r1, %r2}, %rd1;", "lanes d=%r1,%r2 s=%rd1"},
        {"mov.b64 {_, %r2}, %rd1;", "lanes d=?,%r2 s=%rd1"},
        {"mov.b32 %r1, {%rs1, %rs2};", "lanes d=%r1 s=%rs1,%rs2"},
        {"mov.b128 %q1, {%rd1, %rd2};", "lanes d=%q1 s=%rd1,%rd2"},
        {"mov.f32 %v.y, %f1; mov.f32 %f2, %v.y;", "lanes d=? s=%f1 ; lanes d=%f2 s=?"},
    };
    CHECK(rows);
}

Test(lower_rows, conversions)
{
    static const struct row rows[] = {
        {"cvt.u32.u64 %r1, %rd1;", "lanes d=%r1 s=%rd1"},
        {"cvt.rn.f32.s32 %f1, %r1;", "lanes d=%f1 s=%r1"},
        {"cvt.s8.s32 %r1, %r2;", "lanes d=%r1 s=%r2"},
        {"cvt.u16.u32 %r1, %rd2;", "lanes d=%r1 s=%rd2"},
        {"cvt.rzi.s64.f64 %rd1, %fd1;", "lanes d=%rd1 s=%fd1"},
        {"cvt.rn.f16.f32 %rs1, %f1;", "lanes d=%rs1 s=%f1"},
        {"cvt.rn.f16x2.f32 %r1, %f1, %f2;", "lanes d=%r1 s=%f1,%f2"},
        {"cvt.rna.tf32.f32 %r1, %f1;", "lanes d=%r1 s=%f1"},
        {"cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;", "lanes d=%r1 s=%r2,%r3,%r4"},
    };
    CHECK(rows);
}

Test(lower_rows, loads)
{
    static const struct row rows[] = {
        {"ld.global.f32 %f1, [%rd1+8];", "ld f32 global d=%f1 s=%rd1 offset=8 width=4 register=4"},
        {"ld.f32 %f1, [%rd1];", "ld f32 generic d=%f1 s=%rd1 width=4 register=4"},
        {"ld.global.u8 %rs1, [%rd1+-4];", "ld u8 global d=%rs1 s=%rd1 offset=-4 width=1 register=2"},
        {"ld.global.s8 %r1, [%rd1];", "ld s8 global d=%r1 s=%rd1 width=1 register=4 signed=1"},
        {"ld.global.s16 %rs1, [%rd1];", "ld s16 global d=%rs1 s=%rd1 width=2 register=2"},
        {"ld.global.s32 %rd2, [%rd1];", "ld s32 global d=%rd2 s=%rd1 width=4 register=8 signed=1"},
        {"ld.global.u32 %rd2, [%rd1];", "ld u32 global d=%rd2 s=%rd1 width=4 register=8"},
        {"ld.global.v2.f32 {%f1, %f2}, [%rd1];",
         "ld f32 global d=%f1,%f2 s=%rd1 vector=2 width=8 register=4"},
        {"ld.global.v4.u32 {%r1, _, %r3, _}, [%rd1];",
         "ld u32 global d=%r1,-,%r3 s=%rd1 vector=4 width=16 register=4"},
        {"ld.global.v2.f64 {%fd1, %fd2}, [%rd1];",
         "ld f64 global d=%fd1,%fd2 s=%rd1 vector=2 width=16 register=8"},
        {"ld.global.v4.f32 %v, [%rd1];", "ld f32 global d=?,?,?,? s=%rd1 vector=4 width=16 register=4"},
        {"ld.global.b128 %q1, [%rd1];", "ld b64 global d=%q1,%q1' s=%rd1 vector=2 width=16 register=8"},
        {"ld.global.nc.f32 %f1, [%rd1];", "ld f32 global d=%f1 s=%rd1 cache=nc width=4 register=4"},
        {"ld.global.nc.L1::no_allocate.f32 %f1, [%rd1];",
         "ld f32 global d=%f1 s=%rd1 cache=no_allocate width=4 register=4"},
        {"ld.global.cg.f32 %f1, [%rd1];", "ld f32 global d=%f1 s=%rd1 cache=cg width=4 register=4"},
        {"ld.global.ca.L2::128B.f32 %f1, [%rd1];", "ld f32 global d=%f1 s=%rd1 width=4 register=4"},
        {"ld.volatile.global.f32 %f1, [%rd1];", "ld f32 global d=%f1 s=%rd1 cache=cv width=4 register=4"},
        {"ld.relaxed.gpu.global.f32 %f1, [%rd1];", "ld f32 global d=%f1 s=%rd1 cache=cg width=4 register=4"},
        {"ld.acquire.cta.global.f32 %f1, [%rd1];", "ld f32 global d=%f1 s=%rd1 width=4 register=4"},
        {"ld.global.L2::cache_hint.f32 %f1, [%rd1], %rd2;", "ld f32 global d=%f1 s=%rd1 width=4 register=4"},
        {"ld.shared.f32 %f1, [%r1];", "ld f32 shared d=%f1 s=%r1 width=4 register=4 32=1"},
        {"ld.shared.f32 %f1, [s+16];", "ld f32 shared d=%f1 offset=16 width=4 register=4"},
        {"ld.shared::cta.f32 %f1, [%rd1];", "ld f32 shared d=%f1 s=%rd1 width=4 register=4"},
        {"ld.f32 %f1, [s+16];", "ld f32 generic d=%f1 offset=123145302310928 width=4 register=4"},
        {"ld.local.u32 %r1, [l+4];", "ld u32 local d=%r1 offset=4 width=4 register=4"},
        {"ld.const.f32 %f1, [k+4];", "ld f32 const d=%f1 offset=68 width=4 register=4"},
        {"ld.global.f32 %f1, [g+4];", "ld f32 global d=%f1 offset=30064775172 width=4 register=4"},
        {"ld.global.f32 %f1, [4096];", "ld f32 global d=%f1 offset=4096 width=4 register=4"},
        {"ld.param.u64 %rd1, [a];", "ld u64 param d=%rd1 width=8 register=8 of=kernel"},
        {"ld.param.u32 %r1, [b];", "ld u32 param d=%r1 offset=8 width=4 register=4 of=kernel"},
        {"ld.param.u32 %r1, [c+4];", "ld u32 param d=%r1 offset=20 width=4 register=4 of=kernel"},
        {"ld.param.u32 %r1, [%rd1+4];", "ld u32 param d=%r1 s=%rd1 offset=4 width=4 register=4 of=kernel"},
        {"ldu.global.f32 %f1, [%rd1];", "ld f32 global d=%f1 s=%rd1 width=4 register=4"},
    };
    CHECK(rows);
}

Test(lower_rows, stores)
{
    static const struct row rows[] = {
        {"st.global.f32 [%rd1+8], %f1;", "st f32 global s=%rd1,%f1 offset=8 width=4 register=4"},
        {"st.global.u32 [%rd1], 5;", "st u32 global s=%rd1,#5 width=4 register=4"},
        {"st.global.u8 [%rd1], %rs1;", "st u8 global s=%rd1,%rs1 width=1 register=2"},
        {"st.global.u8 [%rd1], %r1;", "st u8 global s=%rd1,%r1 width=1 register=4"},
        {"st.global.u8 [%rd1], %rd2;", "st u8 global s=%rd1,%rd2 width=1 register=8"},
        {"st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};",
         "st f32 global s=%rd1,%f1,%f2,%f3,%f4 vector=4 width=16 register=4"},
        {"st.global.wt.u32 [%rd1], %r1;", "st u32 global s=%rd1,%r1 cache=cv width=4 register=4"},
        {"st.release.gpu.global.u32 [%rd1], %r1;", "st u32 global s=%rd1,%r1 cache=cg width=4 register=4"},
        {"st.shared.v2.u32 [s+8], {%r1, %r2};",
         "st u32 shared s=-,%r1,%r2 vector=2 offset=8 width=8 register=4"},
        {"st.local.u64 [%rd1], %rd2;", "st u64 local s=%rd1,%rd2 width=8 register=8"},
        {"st.global.b128 [%rd1], %q1;", "st b64 global s=%rd1,%q1,%q1' vector=2 width=16 register=8"},
        {"prefetch.global.L1 [%rd1];", "prefetch global s=%rd1 sub=1"},
        {"prefetch.L2 [%rd1+64];", "prefetch generic s=%rd1 sub=2 offset=64"},
        {"prefetchu.L1 [%rd1];", "prefetch generic s=%rd1 sub=1"},
        {"createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;", "lanes d=%rd1 s=#0"},
    };
    CHECK(rows);
}

Test(lower_rows, atomics)
{
    static const struct row rows[] = {
        {"atom.global.add.u32 %r1, [%rd1], %r2;", "atom u32 global d=%r1 s=%rd1,%r2 width=4 register=4"},
        {"atom.add.f32 %f1, [%rd1+4], %f2;", "atom f32 generic d=%f1 s=%rd1,%f2 offset=4 width=4 register=4"},
        {"atom.shared.add.u32 _, [s], 1;", "atom u32 shared s=-,#1 width=4 register=4"},
        {"atom.relaxed.gpu.global.max.s64 %rd1, [%rd2], %rd3;",
         "atom s64 global d=%rd1 s=%rd2,%rd3 sub=2 width=8 register=8"},
        {"atom.global.cas.b32 %r1, [%rd1], %r2, %r3;",
         "atom b32 global d=%r1 s=%rd1,%r2,%r3 sub=9 width=4 register=4"},
        {"atom.global.cas.b16 %rs1, [%rd1], %rs2, %rs3;",
         "atom b16 global d=%rs1 s=%rd1,%rs2,%rs3 sub=9 width=2 register=2"},
        {"atom.acq_rel.sys.global.exch.b64 %rd1, [%rd2], %rd3;",
         "atom b64 global d=%rd1 s=%rd2,%rd3 sub=8 width=8 register=8"},
        {"atom.global.inc.u32 %r1, [%rd1], %r2;",
         "atom u32 global d=%r1 s=%rd1,%r2 sub=3 width=4 register=4"},
        {"atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;",
         "atom f16x2 global d=%r1 s=%rd1,%r2 width=4 register=4"},
        {"red.global.add.f64 [%rd1], %fd1;", "atom f64 global s=%rd1,%fd1 width=8 register=8"},
        {"red.shared.or.b32 [%r1], %r2;", "atom b32 shared s=%r1,%r2 sub=6 width=4 register=4 32=1"},
        {"red.release.gpu.global.add.u32 [%rd1], 1;", "atom u32 global s=%rd1,#1 width=4 register=4"},
        {"cp.async.ca.shared.global [%r1], [%rd1], 4;", "cp.async s=%r1,%rd1 width=4 32=1"},
        {"cp.async.cg.shared.global.L2::128B [%r1+16], [%rd1+32], 16;",
         "cp.async s=%r1,%rd1 sub=1 cache=cg offset=16 offset2=32 width=16 32=1"},
        {"cp.async.ca.shared.global [s], [%rd1], 8, %r2;", "cp.async s=-,%rd1,%r2 width=8"},
        {"cp.async.ca.shared.global [s], [%rd1], 8, 0;", "cp.async s=-,%rd1,#0 width=8"},
        {"cp.async.ca.shared.global [%r1], [%rd1], 8, %p1;",
         "lanes d=? s=#0,#8,%p1 ; cp.async s=%r1,%rd1,? width=8 32=1"},
        {"cp.async.commit_group;", "cp.async.commit_group"},
        {"cp.async.wait_group 2;", "cp.async.wait immediate=2"},
        {"cp.async.wait_all;", "cp.async.wait immediate=-1"},
    };
    CHECK(rows);
}

Test(lower_rows, warps)
{
    static const struct row rows[] = {
        {"shfl.sync.up.b32 %r1, %r2, 1, 0, -1;", "shfl b32 d=%r1 s=%r2,#1,#0,#4294967295"},
        {"shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, %r4;", "shfl b32 d=%r1,%p1 s=%r2,%r3,#31,%r4 sub=3"},
        {"shfl.down.b32 %r1, %r2, 1, 31;", "shfl b32 d=%r1 s=%r2,#1,#31 sub=1"},
        {"vote.sync.all.pred %p1, %p2, -1;", "vote b32 d=%p1 s=%p2,#4294967295"},
        {"vote.sync.any.pred %p1, !%p2, -1;", "lanes d=? s=%p2 ; vote b32 d=%p1 s=?,#4294967295 sub=1"},
        {"vote.sync.ballot.b32 %r1, %p2, %r3;", "vote b32 d=%r1 s=%p2,%r3 sub=3"},
        {"match.any.sync.b64 %r1, %rd1, -1;", "match b64 d=%r1 s=%rd1,#4294967295"},
        {"match.all.sync.b32 %r1|%p1, %r2, -1;", "match b32 d=%r1,%p1 s=%r2,#4294967295 sub=1"},
        {"elect.sync %r1|%p1, -1;", "elect.sync b32 d=%r1,%p1 s=#4294967295"},
        {"redux.sync.add.s32 %r1, %r2, -1;", "redux s32 d=%r1 s=%r2,#4294967295"},
        {"redux.sync.xor.b32 %r1, %r2, %r3;", "redux b32 d=%r1 s=%r2,%r3 sub=7"},
        {"activemask.b32 %r1;", "activemask b32 d=%r1"},
        {"bar.sync 0;", "bar.sync s=#0"},
        {"bar.sync 1, 64;", "bar.sync s=#1,#64"},
        {"barrier.sync %r1;", "bar.sync s=%r1 unaligned=1"},
        {"barrier.cta.sync.aligned 0;", "bar.sync s=#0"},
        {"bar.arrive 1, %r2;", "bar.arrive s=#1,%r2"},
        {"bar.red.popc.u32 %r1, 0, %p1;", "bar.red d=%r1 s=#0,-,%p1 sub=4"},
        {"barrier.red.and.pred %p1, 0, 64, %p2;", "bar.red d=%p1 s=#0,#64,%p2 unaligned=1"},
        {"bar.red.or.pred %p1, 0, !%p2;", "lanes d=? s=%p2 ; bar.red d=%p1 s=#0,-,? sub=1"},
        {"bar.warp.sync -1;", "bar.warp.sync s=#4294967295"},
        {"membar.gl;", "membar"},
        {"fence.acq_rel.gpu;", "membar"},
        {"fence.sc.cta;", "membar"},
        {"fence.proxy.async;", "membar"},
        {"nanosleep.u32 100;", "nanosleep s=#100"},
        {"griddepcontrol.wait;", "membar"},
        {"setmaxnreg.inc.sync.aligned.u32 40;", "membar"},
        {"trap;", "trap"},
        {"exit;", "exit"},
    };
    CHECK(rows);
}

Test(lower_rows, branches)
{
    static const struct row rows[] = {
        {"@%p1 bra L; add.s32 %r1, %r1, 1; L: add.s32 %r2, %r2, 1;",
         "bra guard=%p1 target=2 meet=2 ; lanes d=%r1 s=%r1,#1 ; lanes d=%r2 s=%r2,#1"},
        {"L: @!%p1 bra L;",
         "bra guard=!%p1 target=0 meet=end"}, /* lanes that leave end: the others do not wait */
        {"L: @!%p1 bra L; add.s32 %r1, %r1, 1;", "bra guard=!%p1 target=0 meet=1 ; lanes d=%r1 s=%r1,#1"},
        {"bra.uni L; L: add.s32 %r1, %r1, 1;", "bra uniform=1 target=1 meet=1 ; lanes d=%r1 s=%r1,#1"},
        {"T: .branchtargets A, B; brx.idx %r1, T; A: add.s32 %r1, %r1, 1; B: add.s32 %r2, %r2, 1;",
         "brx.idx s=%r1 immediate=2 meet=2 targets=1 and=2 ; lanes d=%r1 s=%r1,#1 ; lanes d=%r2 s=%r2,#1"},
        /* A target behind what becomes two instructions. */
        {"@%p1 bra L; vote.sync.any.pred %p1, !%p2, -1; L: exit;",
         "bra guard=%p1 target=3 meet=end ; lanes d=? s=%p2 ; vote b32 d=%p1 s=?,#4294967295 sub=1 ; exit"},
    };
    CHECK(rows);
}

Test(lower_rows, calls)
{
    static const char *const functions =
        ".func (.param .b32 result) twice(.param .b32 x, .param .align 8 .b8 y[16])\n{\n.reg .b32 %a<3>;\n"
        "ld.param.b32 %a1, [x];\nadd.s32 %a2, %a1, %a1;\nst.param.b32 [result], %a2;\nret;\n}\n"
        ".func (.reg .b32 r) more(.reg .b32 x)\n{\nadd.s32 r, x, 1;\n}\n";
    static const struct row rows[] = {
        {"{ .param .b32 p; .param .align 8 .b8 z[16]; .param .b32 r; st.param.b32 [p], %r1;\n"
         "call.uni (r), twice, (p, z); ld.param.b32 %r2, [r]; } exit;",
         "st b32 param s=-,%r1 offset2=4 width=4 register=4 of=function ; call uniform=1 target=5 ; "
         "ld b32 param d=%r2 offset2=4 width=4 register=4 of=function ; exit"},
        {"call (%r1), more, (%r2); call (%r3), more, (7); exit;",
         "lanes d=? s=%r2 ; call target=8 ; lanes d=%r1 s=? ; lanes d=? s=#7 ; call target=8 ; "
         "lanes d=%r3 s=? ; exit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        struct error error = {0};
        cr_assert_eq(lower_dump(functions, rows[i].ptx, text, sizeof text, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_str_eq(text, rows[i].dump, "%s\n  is %s\n not %s", rows[i].ptx, text, rows[i].dump);
    }
}
