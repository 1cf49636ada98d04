/*
 * For each sampling, how many of its samples are written. A row of times goes before its rows of numbers;
 * bytes are little-endian in the file.
 */
#include "core/recording/writer/recorder_samples.h"
#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const union {
    uint16_t number;
    uint8_t first;
} little = {1};

/* The file is little-endian. */
static void to_file(void *words, size_t count)
{
    uint32_t *word = words;
    if (little.first == 1)
        return;
    for (size_t i = 0; i < count; i++)
        word[i] = __builtin_bswap32(word[i]);
}

void recorder_samples_fini(struct recorder_samples *samples)
{
    free(samples->written);
    *samples = (struct recorder_samples){0};
}

static enum status out_of_memory(struct error *error)
{
    return error_no_memory(error, "to record");
}

static enum status write_series(struct recorder_samples *samples, struct recorder_sink *sink, uint32_t count,
                                struct error *error)
{
    enum status status = STATUS_OK;
    for (; samples->series < count && status == STATUS_OK; samples->series++) {
        struct series_record record = {.id = samples->series,
                                       .row = *session_series(sink->session, samples->series)};
        status = sink_put(sink, TABLE_SERIES, &record, error);
    }
    return status;
}

/* How many samples from `first` on fit into a row: their starts must lie within 32 bits. */
static uint32_t row_count(const struct session *session, uint32_t sampling, uint64_t first, uint64_t end)
{
    int64_t start_ns = sample_start_ns(session, sampling, first);
    uint32_t count = 1;
    while (count < SAMPLES_PER_ROW && first + count < end &&
           sample_start_ns(session, sampling, first + count) - start_ns <= UINT32_MAX)
        count++;
    return count;
}

static enum status write_times(struct recorder_samples *samples, struct recorder_sink *sink,
                               uint32_t sampling, uint64_t first, uint32_t count, struct error *error)
{
    struct sample_time times[SAMPLES_PER_ROW];
    struct sample_time_record record = {.id = samples->next_id,
                                        .sampling = sampling,
                                        .count = count,
                                        .start_ns = sample_start_ns(sink->session, sampling, first),
                                        .end_ns = sample_end_ns(sink->session, sampling, first + count - 1)};
    int64_t each_ns = (record.end_ns - record.start_ns) / count;
    bool equal = each_ns * count == record.end_ns - record.start_ns;
    for (uint32_t i = 0; i < count; i++) {
        int64_t start_ns = sample_start_ns(sink->session, sampling, first + i);
        times[i].offset_ns = (uint32_t)(start_ns - record.start_ns);
        times[i].duration_ns = (uint32_t)(sample_end_ns(sink->session, sampling, first + i) - start_ns);
        equal = equal && times[i].duration_ns == each_ns; /* then there is no room for a gap */
    }
    if (!equal) {
        to_file(times, 2 * (size_t)count);
        record.times = (struct blob){times, count * (uint32_t)sizeof *times};
    }
    return sink_put(sink, TABLE_SAMPLE_TIME, &record, error);
}

static enum status write_numbers(struct recorder_samples *samples, struct recorder_sink *sink,
                                 uint32_t series, uint64_t first, uint32_t count, struct error *error)
{
    float numbers[SAMPLES_PER_ROW];
    struct sample_record record = {.id = samples->next_id * SAMPLING_SERIES_MAX +
                                         session_series(sink->session, series)->place,
                                   .series = series};
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = sample_number(sink->session, series, first + i);
        same = same && memcmp(&numbers[i], &numbers[0], sizeof numbers[0]) == 0;
    }
    record.number = same ? (double)numbers[0] : NAN;
    if (!same) {
        to_file(numbers, count);
        record.numbers = (struct blob){numbers, count * (uint32_t)sizeof *numbers};
    }
    return sink_put(sink, TABLE_SAMPLE, &record, error);
}

static enum status write_row(struct recorder_samples *samples, struct recorder_sink *sink, uint32_t sampling,
                             uint64_t end, struct error *error)
{
    const struct sampling_row *row = sampling_at(sink->session, sampling);
    uint64_t first = samples->written[sampling];
    uint32_t count = row_count(sink->session, sampling, first, end);
    enum status status = write_times(samples, sink, sampling, first, count, error);
    for (uint32_t i = 0; i < row->series && status == STATUS_OK; i++)
        status = write_numbers(samples, sink, row->first_series + i, first, count, error);
    samples->next_id++;
    samples->written[sampling] += count;
    return status;
}

enum status recorder_samples_write(struct recorder_samples *samples, struct recorder_sink *sink, size_t most,
                                   bool *more, struct error *error)
{
    uint32_t count = sampling_count(sink->session);
    enum status status = STATUS_OK;
    *more = false;
    if (count == 0)
        return STATUS_OK;
    if (!array_grow(samples->written, samples->room, count, 0))
        return out_of_memory(error);
    for (; samples->samplings < count; samples->samplings++)
        samples->written[samples->samplings] = 0;
    samples->next_id = samples->next_id > 0 ? samples->next_id : 1;
    const struct sampling_row *last = sampling_at(sink->session, count - 1);
    status = write_series(samples, sink, last->first_series + last->series, error);
    for (uint32_t sampling = 0; sampling < count && status == STATUS_OK; sampling++) {
        uint64_t end = sample_count(sink->session, sampling);
        while (samples->written[sampling] < end && status == STATUS_OK && !*more) {
            *more = most == 0;
            if (most > 0)
                status = write_row(samples, sink, sampling, end, error);
            most -= most > 0;
        }
    }
    return status;
}

void recorder_samples_recorded(struct recorder_samples *samples, const struct session *session)
{
    for (uint32_t sampling = 0; sampling < samples->samplings; sampling++)
        session_set_samples_recorded(session, sampling, samples->written[sampling]);
}
