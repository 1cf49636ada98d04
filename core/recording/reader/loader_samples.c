/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters over time from a recording: series, of which those of a sampling stand together, and rows of up to
 * SAMPLES_PER_ROW samples. A row that does not fit is skipped.
 */
#include "core/recording/reader/loader_internal.h"

#include <math.h>
#include <string.h>

static uint32_t word_at(const void *bytes, size_t index)
{
    const uint8_t *at = (const uint8_t *)bytes + 4 * index;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ---- series ---- */
struct together { /* series of a sampling that were read, but not added yet */
    struct sampling_row row;
    uint32_t names[SAMPLING_SERIES_MAX];
};

static enum status add_sampling(struct loader *loader, const struct together *together, struct error *error)
{
    if (together->row.series == 0)
        return STATUS_OK;
    if (sampling_add(loader->session, &together->row, together->names) == NONE)
        return error_no_memory(error, "to load %s", loader->path);
    loader->limits.rows[REFERS_SERIES] += together->row.series;
    return STATUS_OK;
}

/* Takes the row if it continues the sampling or begins the next one. */
static const char *join_series(struct together *together, const struct series_record *record,
                               uint32_t samplings)
{
    const struct series_row *row = &record->row;
    struct sampling_row *own = &together->row;
    if (row->place != own->series)
        return "place";
    if (row->sampling != samplings)
        return "sampling";
    if (own->series > 0 &&
        (row->process != own->process || row->device != own->device || row->interval_ns != own->interval_ns ||
         row->clock != own->clock || row->flags != own->flags))
        return "sampling";
    *own = (struct sampling_row){.process = row->process,
                                 .device = row->device,
                                 .interval_ns = row->interval_ns,
                                 .clock = row->clock,
                                 .flags = row->flags,
                                 .series = (uint16_t)(own->series + 1)};
    together->names[row->place] = row->name;
    return NULL;
}

enum status loader_read_series(struct loader *loader, struct error *error)
{
    struct series_record record;
    struct together together = {0};
    sqlite3_stmt *select = loader->select[TABLE_SERIES];
    enum status status = STATUS_OK;
    int64_t wanted = loader->limits.rows[REFERS_SERIES];
    int result = sqlite3_bind_int64(select, 1, wanted - 1);
    while (status == STATUS_OK && (result = sqlite3_step(select)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(select, 0);
        const char *bad = row_read(select, recording_table(TABLE_SERIES), &loader->limits, &record);
        if (!bad && id != wanted++)
            bad = "id";
        if (!bad && record.row.place == 0) {
            status = add_sampling(loader, &together, error);
            together.row.series = 0;
        }
        if (!bad && status == STATUS_OK)
            bad = join_series(&together, &record, sampling_count(loader->session));
        if (bad)
            status = loader_damaged(loader, "series", id, bad, error);
    }
    if (status == STATUS_OK && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its series", error);
    sqlite3_reset(select);
    return status == STATUS_OK ? add_sampling(loader, &together, error) : status;
}

/* ---- samples ---- */
/* A row's samples, in order of time: numbers[i * series + place]. */
struct rows {
    struct sample_time times[SAMPLES_PER_ROW];
    float numbers[SAMPLES_PER_ROW * SAMPLING_SERIES_MAX];
};

static const char *read_times(const struct sample_time_record *record, struct sample_time *times)
{
    int64_t span_ns = record->end_ns - record->start_ns;
    if (record->times.bytes && record->times.size_bytes != record->count * sizeof *times)
        return "times";
    if (!record->times.bytes && (span_ns < record->count || span_ns / record->count > UINT32_MAX ||
                                 span_ns - span_ns / record->count > UINT32_MAX))
        return "end_ns";
    for (uint32_t i = 0; i < record->count; i++) {
        int64_t each_ns = span_ns / record->count;
        times[i] = !record->times.bytes
                       ? (struct sample_time){(uint32_t)(each_ns * i), (uint32_t)each_ns}
                       : (struct sample_time){word_at(record->times.bytes, 2 * (size_t)i),
                                              word_at(record->times.bytes, 2 * (size_t)i + 1)};
    }
    return NULL;
}

static const char *take_numbers(const struct sample_record *record, const struct sampling_row *sampling,
                                uint32_t place, uint32_t count, float *numbers)
{
    if (record->series != sampling->first_series + place)
        return "series";
    if (record->numbers.bytes && record->numbers.size_bytes != count * sizeof *numbers)
        return "numbers";
    for (uint32_t i = 0; i < count; i++) {
        float number = (float)record->number;
        if (record->numbers.bytes) {
            uint32_t bits = word_at(record->numbers.bytes, i);
            memcpy(&number, &bits, sizeof number);
        }
        numbers[i * sampling->series + place] = number;
    }
    return NULL;
}

/* The numbers for a row of times; those of a series without numbers, or with an invalid row, stay as they
 * are. */
static enum status read_numbers(struct loader *loader, const struct sample_time_record *times,
                                const struct sampling_row *sampling, float *numbers, struct error *error)
{
    struct sample_record record;
    sqlite3_stmt *select = loader->select[TABLE_SAMPLE];
    int64_t first = times->id * SAMPLING_SERIES_MAX;
    int result = sqlite3_bind_int64(select, 1, first - 1);
    enum status status = STATUS_OK;
    while (result == SQLITE_OK && (result = sqlite3_step(select)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(select, 0);
        if (id >= first + SAMPLING_SERIES_MAX)
            break;
        const char *bad = row_read(select, recording_table(TABLE_SAMPLE), &loader->limits, &record);
        if (!bad && id - first >= sampling->series)
            bad = "id";
        if (!bad)
            bad = take_numbers(&record, sampling, (uint32_t)(id - first), times->count, numbers);
        if (bad)
            loader_skip(loader, TABLE_SAMPLE, id, bad);
        result = SQLITE_OK;
    }
    if (result != SQLITE_OK && result != SQLITE_ROW && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its samples", error);
    sqlite3_reset(select);
    return status;
}

static enum status take_row(struct loader *loader, sqlite3_stmt *select, struct rows *rows,
                            struct error *error)
{
    struct sample_time_record record;
    const char *bad = row_read(select, recording_table(TABLE_SAMPLE_TIME), &loader->limits, &record);
    const struct sampling_row *sampling = bad ? NULL : sampling_at(loader->session, record.sampling);
    bool fits = true;
    if (!bad && !sampling)
        bad = "sampling";
    if (!bad)
        bad = read_times(&record, rows->times);
    if (bad) {
        loader_skip(loader, TABLE_SAMPLE_TIME, sqlite3_column_int64(select, 0), bad);
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < record.count * sampling->series; i++)
        rows->numbers[i] = NAN;
    enum status status = read_numbers(loader, &record, sampling, rows->numbers, error);
    for (uint32_t i = 0; i < record.count && status == STATUS_OK; i++)
        fits &= sample_add(loader->session, record.sampling, record.start_ns + rows->times[i].offset_ns,
                           rows->times[i].duration_ns,
                           rows->numbers + (size_t)i * sampling->series) == SAMPLE_ADDED;
    if (!fits)
        loader_skip(loader, TABLE_SAMPLE_TIME, record.id, "times");
    return status;
}

enum status loader_read_samples(struct loader *loader, size_t most, size_t *read, struct error *error)
{
    static _Thread_local struct rows rows;
    sqlite3_stmt *select = loader->select[TABLE_SAMPLE_TIME];
    enum status status = STATUS_OK;
    *read = 0;
    if (most == 0)
        return STATUS_OK;
    int result = sqlite3_bind_int64(select, 1, loader->last_id[TABLE_SAMPLE_TIME]);
    while (status == STATUS_OK && *read < most && (result = sqlite3_step(select)) == SQLITE_ROW) {
        loader->last_id[TABLE_SAMPLE_TIME] = sqlite3_column_int64(select, 0);
        status = take_row(loader, select, &rows, error);
        ++*read;
    }
    if (status == STATUS_OK && result != SQLITE_DONE && result != SQLITE_ROW)
        status = recording_error(loader->database, loader->path, "reading its samples", error);
    sqlite3_reset(select);
    return status;
}
