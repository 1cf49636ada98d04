/* Which operations of a checked device race: two kernels, copies and sets, on streams that are ordered or
 * not. */
#include "simt/device/device.h"

#include <criterion/criterion.h>
#include <string.h>

static struct device *device;
static struct error error;
static uint64_t words, streams[3], event;
static uint32_t host_words[64];
static void *pinned; /* for 64 words */
static unsigned races;

/* w: words[t] = t; r: words[t + 64] = words[t]; R: words[t + 128] = words[t]; x: words[t + t / 8 * 8] = t, in
 * rows of eight words, 64 bytes apart */
#define KERNEL(name, body)                                                                \
    ".visible .entry " name "(.param .u64 p)\n{\n .reg .b32 %r<3>;\n .reg .b64 %rd<4>;\n" \
    " ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n"      \
    " add.s64 %rd3, %rd1, %rd2;\n" body " ret;\n}\n"
static const char ptx[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n" KERNEL("w", " st.global.u32 [%rd3], %r1;\n")
        KERNEL("r", " ld.global.u32 %r2, [%rd3];\n st.global.u32 [%rd3+256], %r2;\n")
            KERNEL("R", " ld.global.u32 %r2, [%rd3];\n st.global.u32 [%rd3+512], %r2;\n")
                KERNEL("x", " and.b32 %r2, %r1, 56;\n mul.wide.u32 %rd2, %r2, 4;\n"
                            " add.s64 %rd3, %rd3, %rd2;\n st.global.u32 [%rd3], %r1;\n");

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
    cr_assert_not_null(strstr(text, "a copy or a set of the host"), "%s", text);
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
    cr_assert_eq(device->ops->host_alloc(device, sizeof host_words, HOST_PINNED, &pinned, &error), STATUS_OK);
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

static enum status run_step(char what, uint64_t stream)
{
    const struct device_ops *ops = device->ops;
    const char kernel[] = {what, '\0'};
    void *arguments[] = {&words};
    const struct device_launch launch = {.image = "image",
                                         .kernel = kernel,
                                         .grid = {1, 1, 1},
                                         .block = {64, 1, 1},
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
 * I: a copy to the rows of x; H, O, F: a copy to the rows between them, from there, a set there. */
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
