/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that launch kernels on the device model: in which order they run, what they are told as, and what
 * is refused. PTX as nvcc 13 makes it of <<< >>> in a kernel.
 */
#include "simt/device/device.h"
#include "simt/engine/grid.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define BLOCKS 96
#define DIGITS 3

static const char *text;
static uint32_t launched_count;
static char launched[8][32]; /* the first kernels that ran */
static struct error error;

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define DECLARED                                                                                        \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 a, .param .align 4 .b8 " \
    "b[12], "                                                                                           \
    ".param .align 4 .b8 c[12], .param .b32 d);\n"                                                      \
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b64 b);\n"
#define REGISTERS ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>;\n"

/* *out = 10 * *out + digit */
#define NOTE                                                                            \
    ".visible .entry note(.param .u64 out, .param .u32 digit)\n{\n" REGISTERS           \
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [digit]; ld.global.u32 %r2, [%rd1];\n" \
    "mad.lo.u32 %r2, %r2, 10, %r1; st.global.u32 [%rd1], %r2; ret;\n}\n"

/* %rd2 = the buffer for a launch of a kernel with one block of one thread. */
#define BUFFER(kernel)                                                                                  \
    "{ .param .b64 p0; .param .align 4 .b8 p1[12]; .param .align 4 .b8 p2[12]; .param .b32 p3; "        \
    ".param .b64 q;\nmov.u64 %rd3, " kernel "; st.param.b64 [p0+0], %rd3;\n"                            \
    "st.param.b32 [p1+0], 1; st.param.b32 [p1+4], 1; st.param.b32 [p1+8], 1;\n"                         \
    "st.param.b32 [p2+0], 1; st.param.b32 [p2+4], 1; st.param.b32 [p2+8], 1; st.param.b32 [p3+0], 0;\n" \
    "call.uni (q), __cudaCDP2GetParameterBufferV2, (p0, p1, p2, p3); ld.param.b64 %rd2, [q+0]; }\n"
/* %r4 = what launching it gave */
#define LAUNCH                                                                     \
    "{ .param .b64 p0; .param .b64 p1; .param .b32 q; st.param.b64 [p0+0], %rd2; " \
    "st.param.b64 [p1+0], 0;\n"                                                    \
    "call.uni (q), __cudaCDP2LaunchDeviceV2, (p0, p1); ld.param.b32 %r4, [q+0]; }\n"
#define FILL "st.u64 [%rd2], %rd1; st.u32 [%rd2+8], %r1;\n"

/* ROOT(out): thread t of block b launches KERNEL(out, 2 b + t + 1). */
#define ROOT(kernel)                                                                              \
    ".visible .entry root(.param .u64 out)\n{\n" REGISTERS "ld.param.u64 %rd1, [out];\n"          \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 2, %r1; add.u32 %r1, %r1, " \
    "1;\n" BUFFER(kernel) FILL LAUNCH "ret;\n}\n"

static const char *ptx_of(const char *image, size_t *size_bytes)
{
    (void)image;
    *size_bytes = strlen(text);
    return text;
}

static void note_launch(void *owner, const struct simt_launch *launch)
{
    (void)owner;
    if (launched_count < sizeof launched / sizeof *launched)
        snprintf(launched[launched_count], sizeof launched[0], "%s", launch->program->entry->name);
    launched_count++;
}

/* Launches root(out) with so many blocks of `threads`; *word: what *out was left as. */
static enum status run(uint32_t workers, uint32_t blocks, uint32_t threads, uint32_t *word)
{
    struct simt_options options = {
        .workers = workers, .check = true, .ptx = ptx_of, .sink = {.launched = note_launch}};
    struct device *device = NULL;
    uint64_t out = 0;
    struct device_launch launch = {.image = "nested",
                                   .kernel = "root",
                                   .grid = {blocks, 1, 1},
                                   .block = {threads, 1, 1},
                                   .arguments = (void *[]){&out}};

    launched_count = 0;
    memset(launched, 0, sizeof launched);
    cr_assert_eq(simt_device_open(&options, &device, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(device->ops->memory_alloc(device, 4096, &out, &error), STATUS_OK);
    cr_assert_eq(device->ops->set(device, out, 0, 4096, 0, &error), STATUS_OK);
    enum status status = device->ops->launch(device, &launch, &error);
    if (status == STATUS_OK)
        cr_assert_eq(device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(word), out,
                                       sizeof *word, DEVICE_STREAM_DEFAULT, false, &error),
                     STATUS_OK);
    device->ops->close(device);
    return status;
}

Test(simt_nested, launches_come_by_block_and_call)
{
    uint32_t word, wanted = 0;

    text = HEAD DECLARED NOTE ROOT("note");
    cr_assert_eq(run(1, 2, 2, &word), STATUS_OK, "%s", error.text);
    cr_assert_eq(word, 1234);
    cr_assert_eq(launched_count, 5);
    cr_assert_str_eq(launched[0], "root");
    cr_assert_str_eq(launched[4], "note");

    for (uint32_t digit = 1; digit <= 2 * BLOCKS; digit++)
        wanted = 10 * wanted + digit;
    for (uint32_t workers = 1; workers <= 4; workers += 3) {
        cr_assert_eq(run(workers, BLOCKS, 2, &word), STATUS_OK, "%s", error.text);
        cr_assert_eq(word, wanted, "%u workers: %u", workers, word);
    }
}

/* What a launched kernel launches runs before what comes behind it. */
Test(simt_nested, kernels_of_kernels)
{
    uint32_t word;

    text =
        HEAD DECLARED NOTE ".visible .entry middle(.param .u64 out, .param .u32 digit)\n{\n" REGISTERS
                           "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [digit];\n" BUFFER("note") FILL LAUNCH
        "add.u32 %r1, %r1, 4;\n" BUFFER("note") FILL LAUNCH "ret;\n}\n" ROOT("middle");
    cr_assert_eq(run(1, 1, 2, &word), STATUS_OK, "%s", error.text);
    cr_assert_eq(word, 1526);
    cr_assert_str_eq(launched[1], "middle");
    cr_assert_str_eq(launched[3], "note");
    cr_assert_str_eq(launched[4], "middle");
}

/* A kernel without end: each launches the next. */
Test(simt_nested, depth_is_bounded)
{
    uint32_t word;

    text = HEAD DECLARED ".visible .entry root(.param .u64 out)\n{\n" REGISTERS
                         "ld.param.u64 %rd1, [out];\n" BUFFER("root") "st.u64 [%rd2], %rd1;\n" LAUNCH
                                                                      "ret;\n}\n";
    cr_assert_eq(run(1, 1, 1, &word), STATUS_CHECK);
    cr_assert_not_null(strstr(error.text, "24 levels deep"), "%s", error.text);
    cr_assert_eq(launched_count, 25);
}

/* What the runtime's functions answer, digit by digit: launched twice, no buffer, no kernel. */
Test(simt_nested, what_cannot_be_launched)
{
    uint32_t word;

#define ANSWER "mad.lo.u32 %r5, %r5, 10, %r4;\n"
    text = HEAD DECLARED NOTE ".visible .entry root(.param .u64 out)\n{\n" REGISTERS
                              "ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; mov.u32 %r5, 7;\n" BUFFER("note")
                                  FILL LAUNCH ANSWER LAUNCH ANSWER
        "add.u64 %rd2, %rd2, 8;\n" LAUNCH ANSWER "mov.u64 %rd2, 0;\n" LAUNCH ANSWER
        "st.global.u32 [%rd1], %r5;\n" BUFFER(
            "12345") "setp.ne.u64 %p1, %rd2, 0; @%p1 st.global.u32 [%rd1], 1; ret;\n}\n";
    cr_assert_eq(run(1, 1, 1, &word), STATUS_OK, "%s", error.text);
    cr_assert_eq(word, 701110);
    cr_assert_eq(launched_count, 2);
}

/* 2,048 launches of one grid; then there are no buffers. */
Test(simt_nested, launches_are_bounded)
{
    uint32_t word;

    text = HEAD DECLARED NOTE
        ".visible .entry root(.param .u64 out)\n{\n" REGISTERS "ld.param.u64 %rd1, [out];\n" BUFFER(
            "note") "setp.ne.u64 %p1, %rd2, 0; @%p1 bra $end;\n"
                    "mov.u32 %r1, 1; atom.global.add.u32 %r2, [%rd1], %r1;\n$end: ret;\n}\n";
    cr_assert_eq(run(4, 1030, 2, &word), STATUS_OK, "%s", error.text);
    cr_assert_eq(word, 2060 - 2048);
    cr_assert_eq(launched_count, 1, "buffers alone are no launches");
}

Test(simt_nested, other_declarations_are_refused)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {HEAD
         ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b32 b);\n"
         ".visible .entry root(.param .u64 out)\n{\n" REGISTERS
         "{ .param .b64 p0; .param .b32 p1; .param .b32 q; st.param.b64 [p0+0], 0; st.param.b32 [p1+0], 0;\n"
         "call.uni (q), __cudaCDP2LaunchDeviceV2, (p0, p1); }\nret;\n}\n",
         "is declared differently than in CUDA 13"},
        {HEAD ".func f()\n{ ret; }\n.visible .entry root(.param .u64 out)\n{\n" REGISTERS
              "mov.u32 %r1, f; ret;\n}\n",
         "f is a function"},
    };
    uint32_t word;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text = rows[i].text;
        cr_assert_eq(run(1, 1, 1, &word), STATUS_USAGE);
        cr_assert_not_null(strstr(error.text, rows[i].sentence), "%s", error.text);
    }
}

/* A shape that a device refuses ends with the launched kernel's sentence. */
Test(simt_nested, a_launched_kernel_that_fails_ends_the_launch)
{
    uint32_t word;

    text = HEAD DECLARED ".visible .entry bad(.param .u64 out, .param .u32 digit)\n{\n" REGISTERS
                         "mov.u64 %rd1, 64; ld.global.u32 %r1, [%rd1]; ret;\n}\n" ROOT("bad");
    cr_assert_eq(run(1, 1, 1, &word), STATUS_CHECK);
    cr_assert_not_null(strstr(error.text, "bad"), "%s", error.text);
}
