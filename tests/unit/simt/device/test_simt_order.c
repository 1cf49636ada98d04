/* SPDX-License-Identifier: Apache-2.0 */
/* Which operations of a checked device race: two kernels, copies and sets, on streams that are ordered or
 * not. */
#include "simt/device/device.h"
#include "simt/memory/texture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct device *device;
static struct error error;
static uint64_t words, streams[3], event;
static uint64_t array, picture; /* of 32 x 8 words, and its texture */
static uint32_t host_words[64];
static void *pinned; /* for 256 words */
static unsigned races;
static char said[400]; /* by the last report that is not of a launch */

/* w: words[t] = t; r: words[t + 64] = words[t]; R: words[t + 128] = words[t]; x: words[t + t / 8 * 8] = t, in
 * rows of eight words, 64 bytes apart; s: row 2 of the surface a: texel t = t; t: words[t + 192] = texel t of
 * row 2 of the texture q; T: fetches the same, and writes it to texel 31 - t */
#define KERNEL(name, body)                                                                \
    ".visible .entry " name "(.param .u64 p)\n{\n .reg .b32 %r<3>;\n .reg .b64 %rd<4>;\n" \
    " ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n"      \
    " add.s64 %rd3, %rd1, %rd2;\n" body " ret;\n}\n"
#define PICTURE(name, body)                                                          \
    ".visible .entry " name "(.param .u64 p, .param .u64 q, .param .u64 a)\n{\n"     \
    " .reg .b32 %r<4>;\n .reg .b64 %rd<4>;\n .reg .f32 %f<5>;\n"                     \
    " ld.param.u64 %rd1, [a];\n ld.param.u64 %rd2, [q];\n ld.param.u64 %rd3, [p];\n" \
    " mov.u32 %r1, %tid.x;\n shl.b32 %r2, %r1, 2;\n mov.u32 %r3, 2;\n" body " ret;\n}\n"
#define FETCH                                                                                 \
    " tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1, %r3}];\n cvt.u64.u32 %rd2, %r2;\n" \
    " add.s64 %rd3, %rd3, %rd2;\n"
static const char ptx[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n" KERNEL("w", " st.global.u32 [%rd3], %r1;\n")
        KERNEL("r", " ld.global.u32 %r2, [%rd3];\n st.global.u32 [%rd3+256], %r2;\n")
            KERNEL("R", " ld.global.u32 %r2, [%rd3];\n st.global.u32 [%rd3+512], %r2;\n")
                KERNEL("x", " and.b32 %r2, %r1, 56;\n mul.wide.u32 %rd2, %r2, 4;\n"
                            " add.s64 %rd3, %rd3, %rd2;\n st.global.u32 [%rd3], %r1;\n")
                    PICTURE("s", " sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r1};\n")
                        PICTURE("t", FETCH " st.global.f32 [%rd3+768], %f1;\n")
                            PICTURE("T", FETCH " xor.b32 %r2, %r2, 124;\n cvt.rzi.u32.f32 %r1, %f1;\n"
                                               " sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r1};\n");

static const char *ptx_of(const char *image, size_t *size_bytes)
{
    (void)image;
    *size_bytes = sizeof ptx - 1;
    return ptx;
}

static void note_launch(void *owner, const struct simt_launch *launch)
{
    (void)owner;
    races += launch->result->checks.total[CHECK_GLOBAL_RACE] > 0;
}

static void note_report(void *owner, const struct program *program, const struct check_report *report)
{
    char text[400];
    (void)owner;
    check_text(program, report, text, sizeof text);
    cr_assert_not_null(strstr(text, "; no stream, event or synchronisation orders the two"), "%s", text);
    memcpy(said, text, sizeof said);
    races++;
}

static void open_device(void)
{
    const struct simt_options options = {.workers = 1,
                                         .check = true,
                                         .ptx = ptx_of,
                                         .sink = {.launched = note_launch, .reported = note_report}};
    cr_assert_eq(simt_device_open(&options, &device, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(device->ops->memory_alloc(device, 1024, &words, &error), STATUS_OK);
    cr_assert_eq(device->ops->set(device, words, 0, 1024, 0, &error), STATUS_OK);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(device->ops->stream_create(device, i == 2, &streams[i], &error), STATUS_OK);
    cr_assert_eq(device->ops->event_create(device, &event, &error), STATUS_OK);
    cr_assert_eq(device->ops->host_alloc(device, 1024, HOST_PINNED, &pinned, &error), STATUS_OK);
    const struct texture_shape shape = {32, 8, 1, TEXTURE_2D, 1, 4, TEXTURE_FLOAT};
    cr_assert_eq(simt_device_array_create(device, &shape, &array, &error), STATUS_OK);
    const struct texture_view view = {.shape = shape, .texels = array};
    cr_assert_eq(simt_device_texture_create(device, &view, &picture, &error), STATUS_OK);
}

static void close_device(void)
{
    device->ops->close(device);
}

TestSuite(simt_order, .init = open_device, .fini = close_device);

/* a, b: blocking streams; n: a non-blocking one; 0: the default stream */
static uint64_t stream_of(char name)
{
    return name == 'a' ? streams[0] : name == 'b' ? streams[1] : name == 'n' ? streams[2] : 0;
}

/* Eight rows of eight words, 64 bytes apart, that begin there. */
static enum status copy_rows(enum device_copy direction, uint64_t there, uint64_t stream)
{
    const uint64_t host = device_host_address(pinned);
    const bool in = direction == DEVICE_COPY_TO_DEVICE;
    const struct simt_rows asked = {.direction = direction,
                                    .destination = in ? there : host,
                                    .source = in ? host : there,
                                    .row_bytes = 32,
                                    .rows = 8,
                                    .destination_pitch = in ? 64 : 32,
                                    .source_pitch = in ? 32 : 64};
    return simt_device_copy_rows(device, &asked, stream, true, &error);
}

/* 24 texels of a row of the array, from the eighth on. */
static enum status copy_texels(uint32_t row, bool to_array, uint64_t stream)
{
    const struct simt_array_copy asked = {.array = array,
                                          .linear = device_host_address(pinned),
                                          .pitch_bytes = 96,
                                          .slice_bytes = 96,
                                          .x = 8,
                                          .y = row,
                                          .width = 24,
                                          .height = 1,
                                          .depth = 1,
                                          .to_array = to_array,
                                          .async = true};
    return simt_device_array_copy(device, &asked, stream, &error);
}

static enum status copy_linear(enum device_copy direction, uint64_t from, uint64_t to, uint64_t stream)
{
    return device->ops->copy(device, direction, to, from, 256, stream, true, &error);
}

static enum status run_step(char what, uint64_t stream)
{
    const struct device_ops *ops = device->ops;
    const uint64_t host = device_host_address(pinned);
    const char kernel[] = {what, '\0'};
    void *arguments[] = {&words, &picture, &array};
    const struct device_launch launch = {.image = "image",
                                         .kernel = kernel,
                                         .grid = {1, 1, 1},
                                         .block = {strchr("stT", what) ? 32 : 64, 1, 1},
                                         .stream = stream,
                                         .arguments = arguments};
    switch (what) {
    case 'E': return ops->event_record(device, event, stream, &error);
    case 'W': return ops->event_wait(device, stream, event, &error);
    case 'S': return ops->stream_sync(device, stream, &error);
    case 'A': return ops->sync(device, &error);
    case 'Q': simt_device_event_over(device, event); return STATUS_OK;
    case 'D':
        return ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(host_words), words, 256, stream,
                         true, &error);
    case 'C': return copy_linear(DEVICE_COPY_TO_DEVICE, host, words, stream);
    case 'P': return copy_linear(DEVICE_COPY_TO_HOST, words, host, stream);
    case 'B': return copy_linear(DEVICE_COPY_ON_DEVICE, words, words + 512, stream);
    case '2':
    case '3': return copy_texels((uint32_t)(what - '0'), true, stream);
    case 'l': return copy_texels(2, false, stream);
    case 'Z': return ops->set(device, words, 1, 256, stream, &error);
    case 'I': return copy_rows(DEVICE_COPY_TO_DEVICE, words, stream);
    case 'H': return copy_rows(DEVICE_COPY_TO_DEVICE, words + 32, stream);
    case 'O': return copy_rows(DEVICE_COPY_TO_HOST, words + 32, stream);
    case 'F':
        return simt_device_fill(device, &(struct simt_fill){words + 32, 1, 4, 32, 8, 64}, stream, &error);
    default: return ops->launch(device, &launch, &error);
    }
}

/* Pairs of a step and its stream: w, r, R: a kernel; D: a copy to the host; Z: a set; E, W, S: the event is
 * recorded, the stream waits for it, the host for the stream; A, Q: the host waits for all, asks the event.
 * I: a copy to the rows of x; H, O, F: a copy to the rows between them, from there, a set there. C, P, B: a
 * copy to the words, from there, from there to words[t + 128]; 2, 3: to row 2, 3 of the array; l: from row 2.
 */
static const struct {
    const char *steps;
    bool races;
} sequences[] = {
    {"wara", false}, /* one stream */
    {"warb", true},
    {"waEaWbrb", false},
    {"EawaWbrb", true}, /* the event comes too early */
    {"waSarb", false},
    {"waSbrb", true},
    {"waA0rb", false},
    {"waEaQ0rb", false},
    {"waEaWbrbEbWnrn", false}, /* the order is passed on */
    {"waEaWbRn", true},
    {"w0rb", false},
    {"wbr0", false},
    {"w0rn", true},
    {"raRb", false}, /* both only read what they share */
    {"warara", false},
    {"raZb", true},
    {"raZa", false},
    {"Zarb", true},
    {"ZaEaWbrb", false},
    {"ZarawaA0Zbrb", false},
    {"xaIb", true}, /* the same rows */
    {"Ibxa", true},
    {"xaHb", false}, /* between them */
    {"Hbxa", false},
    {"xaIa", false},
    {"waHb", true}, /* rows in what the kernel writes without a gap */
    {"Hbwa", true},
    {"xaOb", false},
    {"Obxa", false},
    {"waOb", true},
    {"Obwa", true},
    {"waEaWbOb", false},
    {"xaFb", false},
    {"Fbxa", false},
    {"waFb", true},
    {"Fbwa", true},
    {"CaZb", true}, /* copies and sets with each other */
    {"ZaCb", true},
    {"ZaZb", true},
    {"CaPb", true},
    {"PaCb", true},
    {"PaPb", false}, /* both only read */
    {"CaPa", false},
    {"CaEaWbPb", false},
    {"CaSaPb", false},
    {"CaP0", false},
    {"CnP0", true},
    {"CaBb", true},
    {"BaPb", false},
    {"BaBb", true},
    {"BaRb", true},
    {"IaIb", true},
    {"IaHb", false}, /* rows between each other's */
    {"HaIb", false},
    {"HaOb", true},
    {"IaOb", false},
    {"IaFb", false},
    {"HaFb", true},
    {"CaHb", true},
    {"OaCb", true},
    {"satb", true}, /* a surface and a texture of one array */
    {"tasb", true},
    {"sata", false},
    {"saEaWbtb", false},
    {"sa2b", true}, /* and copies of a part of a row */
    {"2asb", true},
    {"ta2b", true},
    {"2atb", true},
    {"talb", false},
    {"salb", true},
    {"sa3b", false}, /* of another row */
    {"3asb", false},
    {"ta3b", false},
    {"3atb", false},
    {"2a3b", false},
    {"2a2b", true},
    {"2alb", true},
    {"3alb", false},
    {"lalb", false},
    {"2aEaWblb", false},
    {"Ta", true}, /* writes a texel that another thread has fetched, in one launch */
};

Test(simt_order, streams_events_and_the_host)
{
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        const char *steps = sequences[i].steps;
        cr_assert_eq(device->ops->sync(device, &error), STATUS_OK);
        races = 0;
        for (; steps[0]; steps += 2)
            cr_assert_eq(run_step(steps[0], stream_of(steps[1])), STATUS_OK, "%s: %s", steps, error.text);
        cr_expect_eq(races > 0, sequences[i].races, "%s: %u races", sequences[i].steps, races);
    }
}

Test(simt_order, a_race_of_two_copies_names_both_and_the_first_common_byte)
{
    char wanted[200];
    cr_assert_eq(run_step('F', streams[0]), STATUS_OK);
    cr_assert_eq(run_step('C', streams[1]), STATUS_OK);
    snprintf(wanted, sizeof wanted, "writes 32 bytes at global 0x%llx, which a set in stream ",
             (unsigned long long)words + 32);
    cr_expect(strstr(said, "race in global memory: a copy to the device in stream ") &&
                  strstr(said, wanted) && strstr(said, " writes; no stream, event"),
              "%s", said);
    cr_assert_eq(device->ops->sync(device, &error), STATUS_OK);
    cr_assert_eq(run_step('l', streams[0]), STATUS_OK);
    cr_assert_eq(run_step('2', streams[1]), STATUS_OK);
    cr_expect(strstr(said, "writes 96 bytes at global 0x") && strstr(said, "copy to the host in stream "),
              "%s", said);
}

Test(simt_order, memory_freed_in_a_stream)
{
    const struct device_ops *ops = device->ops;
    for (int ordered = 0; ordered < 2; ordered++) {
        uint64_t own = words;
        cr_assert_eq(ops->sync(device, &error), STATUS_OK);
        cr_assert_eq(ops->memory_alloc_async(device, 1024, streams[0], &words, &error), STATUS_OK);
        cr_assert_eq(run_step('w', streams[0]), STATUS_OK);
        races = 0;
        if (ordered)
            cr_assert(run_step('E', streams[0]) == STATUS_OK && run_step('W', streams[1]) == STATUS_OK);
        cr_assert_eq(ops->memory_free_async(device, words, streams[1], &error), STATUS_OK);
        cr_expect_eq(races, ordered ? 0u : 1u);
        cr_expect(ordered || strstr(said, "which a free in stream "), "%s", said);
        /* The memory is another's now. */
        races = 0;
        cr_assert_eq(ops->memory_alloc_async(device, 1024, streams[2], &words, &error), STATUS_OK);
        cr_assert_eq(run_step('w', streams[2]), STATUS_OK);
        cr_assert_eq(run_step('C', streams[2]), STATUS_OK);
        cr_expect_eq(races, 0u);
        cr_assert_eq(ops->memory_free_async(device, words, streams[2], &error), STATUS_OK);
        words = own;
    }
}
