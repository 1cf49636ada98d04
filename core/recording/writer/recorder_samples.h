/*
 * Counters over time into the recording: the series, and their samples by up to SAMPLES_PER_ROW in a row with
 * a column of numbers for each series. The recorder's thread.
 */
#ifndef CORE_RECORDING_WRITER_RECORDER_SAMPLES_H
#define CORE_RECORDING_WRITER_RECORDER_SAMPLES_H

#include "core/recording/writer/recorder_sink.h"

struct recorder_samples {
    uint64_t *written;                /* by sampling: samples that are in the file */
    uint32_t samplings, room, series; /* samplings in `written`; its capacity; series that are in the file */
    int64_t next_id;
};

void recorder_samples_fini(struct recorder_samples *samples); /* a zeroed one is empty */

/* Writes at most `most` rows of times, with their numbers, and all series. *more: there are further rows.
 * Write the rows that these refer to, processes and devices, after this call. */
enum status recorder_samples_write(struct recorder_samples *samples, struct recorder_sink *sink, size_t most,
                                   bool *more, struct error *error);
/* The written samples are on disk: the session may evict them. */
void recorder_samples_recorded(struct recorder_samples *samples, const struct session *session);

#endif
