/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks that two workers run see of each other: vectors that another block writes, whole or not at all.
 */
#include "simt/device/device.h"

#include <criterion/criterion.h>
#include <string.h>

#define TIMES "300000"

/* The first thread of block 0 writes vectors of equal elements, that of block 1 reads them meanwhile and
 * counts those that are not. The others are there so that both workers come. */
static const char text[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 16 .b8 cell[48];\n"
    ".visible .entry vectors(.param .u64 out) { .reg .pred %p<7>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"
    "mov.u32 %r10, %tid.x; setp.ne.u32 %p5, %r10, 0; @%p5 ret; ld.param.u64 %rd1, [out]; mov.u32 %r1, "
    "%ctaid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra READ;\n"
    "WRITE: add.u32 %r2, %r2, 1; cvt.u64.u32 %rd2, %r2;\n"
    "st.relaxed.gpu.global.v2.u64 [cell+16], {%rd2, %rd2};\n"
    "st.volatile.global.v4.u32 [cell+32], {%r2, %r2, %r2, %r2};\n"
    "st.relaxed.gpu.global.v2.u32 [cell], {%r2, %r2};\n"
    "setp.lt.u32 %p2, %r2, " TIMES "; @%p2 bra WRITE; ret;\n"
    "READ: ld.relaxed.gpu.global.v2.u32 {%r4, %r5}, [cell];\n"
    "ld.relaxed.gpu.global.v2.u64 {%rd3, %rd4}, [cell+16];\n"
    "ld.volatile.global.v4.u32 {%r6, %r7, %r8, %r9}, [cell+32];\n"
    "setp.ne.u32 %p3, %r4, %r5; @%p3 add.u32 %r3, %r3, 1;\n"
    "setp.ne.u64 %p3, %rd3, %rd4; @%p3 add.u32 %r3, %r3, 1;\n"
    "setp.ne.u32 %p3, %r6, %r7; @%p3 add.u32 %r3, %r3, 1;\n"
    "setp.ne.u32 %p3, %r6, %r8; @%p3 add.u32 %r3, %r3, 1;\n"
    "setp.ne.u32 %p3, %r6, %r9; @%p3 add.u32 %r3, %r3, 1;\n"
    "setp.lt.u32 %p4, %r4, " TIMES "; @%p4 bra READ;\n"
    "st.global.u32 [%rd1], %r3; ret; }\n";

static const char *ptx_of(const char *image, size_t *size_bytes)
{
    (void)image;
    *size_bytes = sizeof text - 1;
    return text;
}

Test(simt_workers, a_strong_vector_is_read_whole)
{
    struct simt_options options = {.workers = 2, .ptx = ptx_of};
    struct device *device;
    struct error error;
    device_pointer out;
    uint32_t torn = UINT32_MAX;
    cr_assert_eq(simt_device_open(&options, &device, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(device->ops->memory_alloc(device, sizeof torn, &out, &error), STATUS_OK);
    struct device_launch launch = {.image = "vectors",
                                   .kernel = "vectors",
                                   .grid = {2, 1, 1},
                                   .block = {1024, 1, 1},
                                   .arguments = (void *[]){&out}};
    cr_assert_eq(device->ops->launch(device, &launch, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(
        device->ops->copy(device, DEVICE_COPY_TO_HOST, (uintptr_t)&torn, out, sizeof torn, 0, false, &error),
        STATUS_OK);
    cr_assert_eq(torn, 0);
    device->ops->close(device);
}
