/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/told_samples.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t told_sampling(struct session *session, uint16_t series)
{
    uint32_t names[SAMPLING_SERIES_MAX];
    for (uint32_t i = 0; i < series; i++) {
        const char *name = i == TOLD_COUNTS ? "lts__t_sectors.sum" : "x";
        names[i] = session_add_string(session, name, strlen(name));
    }
    struct sampling_row row = {.series = series, .interval_ns = 1000, .device = NONE};
    return sampling_add(session, &row, names);
}

struct told_samples told_make(struct session *session, uint16_t series, uint64_t room, int64_t now_ns)
{
    struct told_samples told = {.session = session,
                                .series = series,
                                .room = room,
                                .now_ns = now_ns,
                                .start_ns = malloc(room * sizeof(int64_t)),
                                .end_ns = malloc(room * sizeof(int64_t)),
                                .numbers = malloc(room * series * sizeof(float))};
    cr_assert(told.start_ns && told.end_ns && told.numbers);
    told_sampling(session, 1); /* so that nothing begins at 0 by chance */
    told.sampling = told_sampling(session, series);
    told.first = sampling_at(session, told.sampling)->first_series;
    return told;
}

void told_free(struct told_samples *told)
{
    session_destroy(told->session);
    free(told->start_ns);
    free(told->end_ns);
    free(told->numbers);
}

void told_add(struct told_samples *told, int64_t pause_ns, uint32_t duration_ns, const float *numbers)
{
    uint64_t at = told->count++;
    cr_assert_lt(at, told->room);
    memcpy(told->numbers + at * told->series, numbers, told->series * sizeof *numbers);
    told->start_ns[at] = told->now_ns + pause_ns;
    told->end_ns[at] = told->now_ns = told->start_ns[at] + duration_ns;
    cr_assert_eq(sample_add(told->session, told->sampling, told->start_ns[at], duration_ns, numbers),
                 SAMPLE_ADDED);
}

/* The first sample that ends after a time. */
static uint64_t first_after(const struct told_samples *told, int64_t time_ns)
{
    uint64_t low = 0, high = told->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (told->end_ns[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct told_column told_walk(const struct told_samples *told, uint32_t series, int64_t from_ns, int64_t to_ns)
{
    struct told_column column = {.least = INFINITY, .most = -INFINITY};
    for (uint64_t i = first_after(told, from_ns); i < told->count && told->start_ns[i] < to_ns; i++) {
        int64_t start_ns = told->start_ns[i] > from_ns ? told->start_ns[i] : from_ns;
        int64_t end_ns = told->end_ns[i] < to_ns ? told->end_ns[i] : to_ns;
        float number = told->numbers[i * told->series + series];
        if (series == TOLD_COUNTS)
            number = (float)((double)number * 1e9 / (double)(told->end_ns[i] - told->start_ns[i]));
        if (start_ns >= end_ns)
            continue;
        column.first = column.count++ == 0 ? i : column.first;
        column.sampled_ns += end_ns - start_ns;
        if (isnan(number))
            continue;
        column.sum += (double)number * (double)(end_ns - start_ns);
        column.covered_ns += end_ns - start_ns;
        column.least = fminf(column.least, number);
        column.most = fmaxf(column.most, number);
    }
    return column;
}
