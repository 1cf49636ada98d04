/* The events that the sampler sends over the wire. */
#include "core/base/clock.h"

#include "cupti/sampler/sampler_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int64_t sampler_now_ns(void)
{
    return clock_real_ns();
}

void sampler_notice(const struct sampler *sampler, enum severity severity, const struct error *error)
{
    struct event event = {.kind = EVENT_NOTICE, .device = (uint16_t)sampler->options->gpu};
    event.notice.time_ns = sampler_now_ns();
    event.notice.text = wire_string(sampler->wire, error->text);
    event.notice.severity = (uint8_t)severity;
    event.notice.status = (uint8_t)error->status;
    wire_emit(sampler->wire, &event);
}

void sampler_tell(const struct sampler *sampler, const char *format, ...)
{
    struct error text = {.status = STATUS_OK};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text.text, sizeof text.text, format, arguments);
    va_end(arguments);
    sampler_notice(sampler, SEVERITY_WARNING, &text);
}

void sampler_tell_why(struct sampler *sampler, const char *why)
{
    struct event event = {
        .kind = EVENT_SERIES, .flags = SERIES_CANNOT, .device = (uint16_t)sampler->options->gpu};
    sampler_describe(sampler, "");
    event.series.id = sampler->next_series++;
    event.series.name = wire_string(sampler->wire, why);
    wire_emit(sampler->wire, &event);
}

void sampler_watermark(struct sampler *sampler, int64_t time_ns)
{
    struct event event = {.kind = EVENT_WATERMARK};
    if (time_ns <= sampler->watermark_ns)
        return;
    sampler->watermark_ns = time_ns;
    event.watermark.time_ns = time_ns;
    wire_emit(sampler->wire, &event);
}

static void announce_series(struct sampler *sampler)
{
    sampler->series = sampler->next_series;
    for (size_t i = 0; i < plan_count(sampler->plan); i++) {
        struct event event = {.kind = EVENT_SERIES,
                              .flags = sampler->options->bursts ? SERIES_BURST : 0,
                              .device = (uint16_t)sampler->options->gpu};
        event.series.id = sampler->next_series++;
        event.series.name = wire_string(sampler->wire, plan_name(sampler->plan, i));
        event.series.interval_ns = (uint32_t)sampler->interval_ns;
        wire_emit(sampler->wire, &event);
    }
}

void sampler_emit(void *context, const struct pm_sample *sample)
{
    struct sampler *sampler = context;
    size_t count = plan_count(sampler->plan);
    int64_t duration_ns = sample->end_ns - sample->start_ns;
    if (!sampler->series)
        announce_series(sampler);
    for (size_t first = 0; first < count; first += SAMPLE_NUMBERS) {
        struct event event = {.kind = EVENT_SAMPLE, .device = (uint16_t)sampler->options->gpu};
        bool any = false;
        event.sample.start_ns = sample->start_ns;
        event.sample.duration_ns = duration_ns < UINT32_MAX ? (uint32_t)duration_ns : UINT32_MAX;
        event.sample.first = sampler->series + (uint32_t)first;
        for (size_t i = 0; i < SAMPLE_NUMBERS; i++) {
            bool there = first + i < count && isfinite(sample->values[first + i]);
            event.sample.numbers[i] = there ? (float)sample->values[first + i] : NAN;
            any |= there;
        }
        if (any)
            wire_emit(sampler->wire, &event);
    }
}
