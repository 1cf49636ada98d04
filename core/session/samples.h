/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples: counters of a device over time. A *sampling* is what was sampled together: up to 64 series that
 * share their times. A sample is one number of each series over [start, start + duration); between samples
 * nothing is known and nothing is interpolated.
 *
 * Kept in the session, append-only: ONE writer (intake, or the loader) adds samplings and samples, any number
 * of readers see published counts and take no lock. The samples of a sampling are in order of time and never
 * overlap. A sample costs 4.5 bytes (12.5 where there are gaps) and 4 more for each series, with 1.6 bytes
 * each for the sums over them.
 *
 * Under the memory limit of a session the oldest samples are folded: up to 16 consecutive samples without a
 * gap become one *unit* with their sum, minimum and maximum, later 64, 256, 1,024 and 4,096. The extent of
 * sampling stays exact. Columns that end where units end keep their values, and a column that cuts a unit
 * takes a part of it in proportion to time. The samples of a unit keep their indices: readers get them spread
 * evenly over its time, each with the mean of the unit.
 *
 * Times are ns of the session, on the sampling's clock. Numbers are as they were sent; one that is not
 * finite is not there. The *value* of a sample is its number, or, of a series that counts
 * (core/session/series.h), its number per second: columns are of values.
 */
#ifndef CORE_SESSION_SAMPLES_H
#define CORE_SESSION_SAMPLES_H

#include "core/session/session.h"

#define SAMPLING_SERIES_MAX 64u

struct sampling_row {
    uint32_t process, device; /* device NONE: not known */
    uint32_t interval_ns;     /* asked for */
    uint32_t first_series;    /* session series [first_series, first_series + series) */
    uint16_t series;          /* 1...SAMPLING_SERIES_MAX */
    uint8_t clock, flags;     /* enum clock_kind, SERIES_ */
};

/* ---- writer ---- */
/* Adds the sampling and its series; row->first_series is ignored. NONE: rejected, or no memory (the session
 * counts it). */
uint32_t sampling_add(struct session *session, const struct sampling_row *row, const uint32_t *names);

enum sample_result {
    SAMPLE_ADDED,
    SAMPLE_CUT,  /* it began before the previous sample ended: its beginning was cut off */
    SAMPLE_LATE, /* it ended before the previous sample did: left out */
    SAMPLE_REFUSED,
    SAMPLE_NO_MEMORY
};
/* numbers: one for each series of the sampling. REFUSED: its duration is 0, or a time is out of range. All
 * results except ADDED are counted (samples_lost). */
enum sample_result sample_add(struct session *session, uint32_t sampling, int64_t start_ns,
                              uint32_t duration_ns, const float *numbers);

/* ---- readers ---- */
uint32_t sampling_count(const struct session *session);
const struct sampling_row *sampling_at(const struct session *session,
                                       uint32_t sampling); /* NULL past the count */

uint64_t sample_count(const struct session *session, uint32_t sampling); /* published */
/* The sample at index, which must be below a count that the caller has loaded. */
int64_t sample_start_ns(const struct session *session, uint32_t sampling, uint64_t index);
int64_t sample_end_ns(const struct session *session, uint32_t sampling, uint64_t index);
/* What memory still has: the sample itself, or the unit into which it was merged. count 0: there is no such
 * sample. */
struct sample_span {
    uint64_t first, count; /* samples */
    int64_t start_ns, end_ns;
};
struct sample_span sample_span(const struct session *session, uint32_t sampling, uint64_t index);
float sample_number(const struct session *session, uint32_t series, uint64_t index); /* NaN: not there */
float sample_value(const struct session *session, uint32_t series, uint64_t index);
/* The first sample that ends after time_ns; the count if there is none. O(log n). */
uint64_t sample_find(const struct session *session, uint32_t sampling, int64_t time_ns);

/* Is the series of this device (the process's own ordinal)? Two processes may use one GPU: its UUID decides.
 * The model has none. */
bool series_same_device(const struct session *session, const struct series_row *row, uint32_t device,
                        uint32_t process);
/* Is it of a device that the run uses, on the run's clock? The device may be another process's, if it is the
 * same GPU. */
bool series_is_of_run(const struct session *session, const struct series_row *row, uint32_t run);

struct samples_lost {
    uint64_t cut, late, refused;
};
void samples_lost(const struct session *session, struct samples_lost *lost);

/* ---- level of detail ---- */
/* The values of a series in a column: over the parts of samples within it. */
struct sample_column {
    double mean;           /* weighted by time; NaN: nothing is known */
    float least, most;     /* of the samples that touch it */
    int64_t covered_ns;    /* for which a number is there */
    uint64_t first, count; /* number of samples that touch it, also those without a value */
    uint32_t folded;       /* its oldest samples were merged, up to this many into one; 0: they were not */
};

/* The boundaries of `count` columns, cut as in lod_query: edges[0...count]. Compute them once for all series
 * of a sampling. */
void samples_cut(const struct session *session, uint32_t sampling, int64_t start_ns, int64_t end_ns,
                 uint64_t *edges, size_t count);
/* Fills the columns of one series. The cost grows with the columns, not with the samples. A column that no
 * sample touches is blank: covered_ns and count are 0. */
void samples_columns(const struct session *session, uint32_t series, int64_t start_ns, int64_t end_ns,
                     const uint64_t *edges, struct sample_column *columns, size_t count);
/* One range as one column. */
struct sample_column samples_over(const struct session *session, uint32_t series, int64_t start_ns,
                                  int64_t end_ns);

#endif
