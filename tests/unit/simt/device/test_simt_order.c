/* Which operations of a checked device race: two kernels, copies and sets, on streams that are ordered or
 * not. */
#include "simt/device/device.h"

#include <criterion/criterion.h>
#include <string.h>

static struct device *device;
static struct error error;
static uint64_t words, streams[3], event;
static uint32_t host_words[64];
static unsigned races;

/* w: words[t] = t; r: words[t + 64] = words[t]; R: words[t + 128] = words[t] */
#define KERNEL(name, body)                                                                \
    ".visible .entry " name "(.param .u64 p)\n{\n .reg .b32 %r<3>;\n .reg .b64 %rd<4>;\n" \
    " ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n"      \
    " add.s64 %rd3, %rd1, %rd2;\n" body " ret;\n}\n"
static const char ptx[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n" KERNEL("w", " st.global.u32 [%rd3], %r1;\n")
        KERNEL("r", " ld.global.u32 %r2, [%rd3];\n st.global.u32 [%rd3+256], %r2;\n")
            KERNEL("R", " ld.global.u32 %r2, [%rd3];\n st.global.u32 [%rd3+512], %r2;\n");

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
    default: return ops->launch(device, &launch, &error);
    }
}

/* Pairs of a step and its stream: w, r, R: a kernel; D: a copy to the host; Z: a set; E, W, S: the event is
 * recorded, the stream waits for it, the host for the stream; A, Q: the host waits for all, asks the event.
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
