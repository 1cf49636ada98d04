/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that fences add: docs/rules.md, "Fences". Each kernel and its counts as an H100 counted them
 * (2026-11-28). */
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(simt_fences, .init = model_open, .fini = model_close);

/* 32 warps store a word, execute the body, store another. %rd1: the thread's word, with room behind it; %r1:
 * its number. */
static const struct {
    const char *body;
    uint64_t store_requests, store_sectors;
} rows[] = {
    {"", 64, 256},
    {"membar.cta;", 64, 256},
    {"membar.gl;", 64, 256},
    {"membar.sys;", 96, 256},
    {"membar.sys; st.global.u32 [%rd1+8192], 7; membar.sys;", 160, 384},
    {"and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0; @%p1 bra L; membar.sys; L:", 96, 256},
    {"and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra M; st.global.u32 [%rd1+12288], 2; membar.sys; "
     "bra.uni L; M: membar.sys; st.global.u32 [%rd1+8192], 1; L:",
     192, 512},
    {"fence.acq_rel.sys;", 96, 256},
    {"fence.sc.sys;", 96, 256},
    {"fence.acq_rel.gpu;", 64, 256},
    {"fence.sc.gpu;", 64, 256},
    {"fence.acq_rel.cta;", 64, 256},
    {"st.release.sys.global.u32 [%rd1+8192], %r1;", 128, 384},
    {"st.release.gpu.global.u32 [%rd1+8192], %r1;", 96, 384},
    {"ld.acquire.sys.global.u32 %r2, [%rd1+8192]; st.global.u32 [%rd1+12288], %r2;", 96, 384},
    {"ld.acquire.gpu.global.u32 %r2, [%rd1+8192]; st.global.u32 [%rd1+12288], %r2;", 96, 384},
    {"atom.acq_rel.sys.global.add.u32 %r2, [%rd1+8192], 1; st.global.u32 [%rd1+12288], %r2;", 128, 384},
    {"atom.acq_rel.gpu.global.add.u32 %r2, [%rd1+8192], 1; st.global.u32 [%rd1+12288], %r2;", 96, 384},
    {"red.sys.global.add.u32 [%rd1+8192], 1;", 64, 256},
};

Test(simt_fences, those_of_the_system_are_store_requests)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static char text[4096];
        uint8_t *words;
        struct count_totals totals;
        const int size = snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
            ".reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred %%p<3>;\n"
            "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r3, %%tid.x; "
            "mad.lo.u32 %%r1, %%r1, 256, %%r3; mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd1, %%rd1, %%rd2;\n"
            "st.global.u32 [%%rd1], %%r1;\n%s\nst.global.u32 [%%rd1+4096], %%r1;\nret;\n}\n",
            rows[i].body);
        cr_assert_lt((size_t)size, sizeof text);
        const uint64_t at = model_allocate(16384, &words);
        memset(words, 0, 16384);
        model_load_text("fences", text, (size_t)size);
        model_launch("k", SHAPE(4, 1, 1), SHAPE(256, 1, 1), 0, &at, &totals);
        cr_assert_eq(totals.global[1].requests, rows[i].store_requests, "%s: %lu requests", rows[i].body,
                     (unsigned long)totals.global[1].requests);
        cr_assert_eq(totals.global[1].transfers, rows[i].store_sectors, "%s: %lu sectors", rows[i].body,
                     (unsigned long)totals.global[1].transfers);
    }
}
