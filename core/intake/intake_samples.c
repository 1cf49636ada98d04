/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters over time. Series that are announced one after the other, with consecutive ids and alike but for
 * their names, are one sampling; which series these are is settled when the first sample of one of them
 * comes. A sampling of more series than a SAMPLE holds comes in several, of the same time: they are put
 * together here.
 */
#include "core/intake/intake_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t series_find(const struct intake *intake, uint32_t id)
{
    return idmap_find(&intake->series_ids, id);
}

static bool sampling_settle(struct intake *intake, uint32_t id);

static bool series_put(struct intake *intake, uint32_t id, const struct intake_series *series)
{
    if (intake->series_count == INTAKE_SERIES_MAX ||
        !array_grow(intake->series, intake->series_capacity, intake->series_count, 1) ||
        !idmap_put(&intake->series_ids, id, intake->series_count))
        return false;
    intake->series[intake->series_count++] = *series;
    return true;
}

void intake_series(struct intake *intake, const struct event *event)
{
    struct intake_series own = {.name = intake_string(intake, event->series.name),
                                .device = intake_device(intake, event->device),
                                .interval_ns = event->series.interval_ns,
                                .flags = event->flags & (SERIES_BURST | SERIES_CANNOT),
                                .sampling = NONE};
    uint32_t known = series_find(intake, event->series.id);
    if (event->series.id == 0 || own.name == 0) {
        intake->stats.malformed++;
        return;
    }
    if (known != IDMAP_NONE) { /* announced again: if something has changed, it begins a new sampling */
        struct intake_series *old = &intake->series[known];
        if (old->name != own.name || old->device != own.device || old->interval_ns != own.interval_ns ||
            old->flags != own.flags)
            *old = own;
        else
            return;
    } else if (!series_put(intake, event->series.id, &own)) {
        intake->stats.malformed++;
        return;
    }
    /* It is all there is to come of it. */
    if ((own.flags & SERIES_CANNOT) != 0 && !sampling_settle(intake, event->series.id))
        intake->stats.malformed++;
}

/* ---- samplings ---- */
static bool series_alike(const struct intake_series *a, const struct intake_series *b)
{
    return b->sampling == NONE && a->device == b->device && a->interval_ns == b->interval_ns &&
           a->flags == b->flags;
}

/* The sampling that the series of this id begins or belongs to, together with its neighbours. False: no room.
 */
static bool sampling_settle(struct intake *intake, uint32_t id)
{
    const struct intake_series *own = &intake->series[series_find(intake, id)];
    uint32_t first = id, count = 1, names[SAMPLING_SERIES_MAX];
    while (count < SAMPLING_SERIES_MAX && first > 1 && series_find(intake, first - 1) != IDMAP_NONE &&
           series_alike(own, &intake->series[series_find(intake, first - 1)])) {
        first--;
        count++;
    }
    while (count < SAMPLING_SERIES_MAX && first + count > first &&
           series_find(intake, first + count) != IDMAP_NONE &&
           series_alike(own, &intake->series[series_find(intake, first + count)]))
        count++;
    for (uint32_t i = 0; i < count; i++)
        names[i] = intake->series[series_find(intake, first + i)].name;
    struct sampling_row row = {.process = intake->process,
                               .device = own->device,
                               .interval_ns = own->interval_ns,
                               .series = (uint16_t)count,
                               .clock = intake->clock,
                               .flags = own->flags};
    if (intake->sampling_count == INTAKE_SAMPLINGS_MAX ||
        !array_grow(intake->samplings, intake->sampling_capacity, intake->sampling_count, 1))
        return false;
    uint32_t sampling = sampling_add(intake->session, &row, names);
    if (sampling == NONE)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct intake_series *series = &intake->series[series_find(intake, first + i)];
        series->sampling = intake->sampling_count;
        series->place = i;
    }
    intake->samplings[intake->sampling_count++] =
        (struct intake_sampling){.sampling = sampling, .series = count};
    return true;
}

/* The series of the i-th number of a SAMPLE; IDMAP_NONE: no series. */
static uint32_t series_of(const struct intake *intake, const struct event *event, uint32_t i)
{
    uint32_t id = event->sample.first + i;
    return id < event->sample.first ? IDMAP_NONE : series_find(intake, id);
}

bool intake_sample(struct intake *intake, struct event *event, int64_t *end_ns)
{
    *end_ns = event->sample.start_ns;
    bool sound = event->sample.duration_ns > 0 && series_of(intake, event, 0) != IDMAP_NONE &&
                 !__builtin_add_overflow(*end_ns, (int64_t)event->sample.duration_ns, end_ns) &&
                 intake_times(intake, &event->sample.start_ns, end_ns);
    for (uint32_t i = 1; i < SAMPLE_NUMBERS && sound; i++) /* no number of no series */
        sound = isnan(event->sample.numbers[i]) || series_of(intake, event, i) != IDMAP_NONE;
    for (uint32_t i = 0; i < SAMPLE_NUMBERS && sound; i++)
        if ((i == 0 || !isnan(event->sample.numbers[i])) &&
            intake->series[series_of(intake, event, i)].sampling == NONE)
            sound = sampling_settle(intake, event->sample.first + i);
    return sound;
}

/* ---- their samples ---- */
static void sampling_flush(struct intake *intake, struct intake_sampling *sampling)
{
    if (sampling->come != 0)
        sample_add(intake->session, sampling->sampling, sampling->start_ns, sampling->duration_ns,
                   sampling->numbers);
    sampling->come = 0;
}

static void sampling_put(struct intake *intake, struct intake_sampling *sampling, uint32_t place,
                         const struct event *event, float number)
{
    uint64_t bit = (uint64_t)1 << place;
    if (sampling->start_ns != event->sample.start_ns || sampling->duration_ns != event->sample.duration_ns ||
        (sampling->come & bit) != 0)
        sampling_flush(intake, sampling);
    if (sampling->come == 0) {
        sampling->start_ns = event->sample.start_ns;
        sampling->duration_ns = event->sample.duration_ns;
        for (uint32_t i = 0; i < sampling->series; i++)
            sampling->numbers[i] = NAN;
    }
    sampling->numbers[place] = number;
    sampling->come |= bit;
    if (sampling->come == UINT64_MAX >> (SAMPLING_SERIES_MAX - sampling->series))
        sampling_flush(intake, sampling);
}

void intake_publish_sample(struct intake *intake, const struct event *event)
{
    uint32_t leader = intake->series[series_of(intake, event, 0)].sampling;
    for (uint32_t i = 0; i < SAMPLE_NUMBERS; i++) {
        uint32_t known = series_of(intake, event, i);
        float number = event->sample.numbers[i];
        if (known == IDMAP_NONE || intake->series[known].sampling == NONE)
            continue;
        /* A NaN for a series of a later sampling means only that this SAMPLE is not about it. */
        const struct intake_series *series = &intake->series[known];
        if (!isnan(number) || series->sampling == leader)
            sampling_put(intake, &intake->samplings[series->sampling], series->place, event, number);
    }
}

void intake_flush_samples(struct intake *intake)
{
    for (uint32_t i = 0; i < intake->sampling_count; i++)
        sampling_flush(intake, &intake->samplings[i]);
}
