/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters over time in memory: what a sample takes, and a night of them under a memory limit: what is held,
 * how fine what is left is, whether sums over time are those of all samples, and how long the columns of all
 * charts of a screen take at any zoom.
 *
 *     bench_samples [HOURS] [LIMIT MB]      (12, 1000: ten numbers every millisecond)
 */
#include "core/session/samples.h"
#include "tests/bench/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SERIES 10u
#define SAMPLE_NS INT64_C(1000000)
#define PER_HOUR UINT64_C(3600000)
#define COLUMNS 180u
#define FRAMES 300

static uint64_t state = 20261121;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* Of this thread's work: what else the machine does is not asked. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct session *session_make(size_t limit, uint32_t *sampling)
{
    static const char *const names[SERIES] = {"a.pct", "b.pct", "c.pct", "d.pct", "e.sum",
                                              "f.sum", "g.sum", "h.sum", "i.sum", "j.pct"};
    struct session *session;
    struct error error;
    uint32_t strings[SERIES];
    if (session_create(&session, 0, &error) != STATUS_OK) {
        fprintf(stderr, "session: %s\n", error.text);
        exit(1);
    }
    session_set_memory_limit(session, limit, false);
    for (uint32_t i = 0; i < SERIES; i++)
        strings[i] = session_add_string(session, names[i], strlen(names[i]));
    struct sampling_row row = {.series = SERIES, .interval_ns = (uint32_t)SAMPLE_NS, .device = NONE};
    *sampling = sampling_add(session, &row, strings);
    return session;
}

/* Now and then the counter of occupancy has no number, and a second is missing. Gives the sum of the second
 * series' value x ns, and its ns. */
static double fill(struct session *session, uint32_t sampling, uint64_t samples, int64_t *covered_ns)
{
    int64_t at_ns = 0;
    double sum = 0;
    *covered_ns = 0;
    for (uint64_t i = 0; i < samples; i++) {
        float numbers[SERIES] = {i % 7 == 0 ? NAN : 50};
        for (uint32_t s = 1; s < SERIES; s++)
            numbers[s] = (float)draw(100);
        if (i % 3000000 == 2999999)
            at_ns += 1000000000;
        if (sample_add(session, sampling, at_ns, (uint32_t)SAMPLE_NS, numbers) != SAMPLE_ADDED)
            exit(1);
        sum += (double)numbers[1] * (double)SAMPLE_NS;
        *covered_ns += SAMPLE_NS;
        at_ns += SAMPLE_NS;
    }
    return sum;
}

/* All charts of a screen, at a random place and zoom. */
static double frame(const struct session *session, uint32_t sampling, int64_t end_ns)
{
    static struct sample_column columns[COLUMNS];
    static uint64_t edges[COLUMNS + 1];
    int64_t span_ns = end_ns >> draw(24);
    int64_t from_ns = (int64_t)draw((uint64_t)(end_ns - span_ns) / 1000 + 1) * 1000;
    double before = seconds();
    samples_cut(session, sampling, from_ns, from_ns + span_ns, edges, COLUMNS);
    for (uint32_t s = 0; s < SERIES; s++)
        samples_columns(session, s, from_ns, from_ns + span_ns, edges, columns, COLUMNS);
    return (seconds() - before) * 1e3;
}

/* Of a chunk its longest sum: a gap makes shorter ones. */
static uint64_t longest_of(const struct session *session, uint32_t sampling, uint64_t at)
{
    uint64_t longest = 0;
    for (uint64_t end = at + 4096; at < end && at < sample_count(session, sampling);) {
        struct sample_span span = sample_span(session, sampling, at);
        longest = span.count > longest ? span.count : longest;
        at = span.first + span.count;
    }
    return longest;
}

static void print_ages(const struct session *session, uint32_t sampling)
{
    uint64_t count = sample_count(session, sampling), before = 0, first = 0;
    printf("%-24s %14s %14s\n", "what is left is", "from, hours", "hours of it");
    for (uint64_t i = 0; i <= count; i += 4096) {
        uint64_t at = i < count ? i : count;
        uint64_t now = at < count ? longest_of(session, sampling, at) : 0;
        if (before != 0 && now != before) {
            printf("sums of %-16lu %14.2f %14.2f\n", (unsigned long)before, (double)first / (double)PER_HOUR,
                   (double)(at - first) / (double)PER_HOUR);
            first = at;
        }
        before = now;
        if (at == count)
            break;
        if (i + 4096 > count)
            i = count - 4096;
    }
}

int main(int argc, char **argv)
{
    uint64_t hours = argc > 1 ? strtoull(argv[1], NULL, 10) : 12;
    size_t limit_mb = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    uint64_t samples = hours * PER_HOUR;
    double times_ms[FRAMES];
    uint32_t sampling;
    int64_t covered_ns;
    struct session *session = session_make(0, &sampling);
    size_t empty = session_memory_bytes(session);
    fill(session, sampling, 100000, &covered_ns);
    double each = (double)(session_memory_bytes(session) - empty) / 100000;
    session_destroy(session);

    session = session_make(limit_mb * 1000000, &sampling);
    double before = seconds(), sum = fill(session, sampling, samples, &covered_ns), took = seconds() - before,
           held_mb = (double)session_memory_bytes(session) / 1e6;
    int64_t end_ns = sample_end_ns(session, sampling, samples - 1);
    struct sample_column all = samples_over(session, 1, 0, end_ns);
    bool whole = all.covered_ns == covered_ns && fabs(all.mean * (double)covered_ns - sum) <= 1e-9 * sum;
    for (int i = 0; i < FRAMES; i++)
        times_ms[i] = frame(session, sampling, end_ns);
    qsort(times_ms, FRAMES, sizeof times_ms[0], by_size);
    printf("%lu h of %u numbers every ms, %lu samples, in %.1f s: %.0f MB held, sums over all: %s\n",
           (unsigned long)hours, SERIES, (unsigned long)samples, took, held_mb,
           whole ? "those of all samples" : "NOT THOSE OF ALL");
    print_ages(session, sampling);
    figure_print(each, "bytes", FIGURE_AT_MOST, 70, "a sample of ten numbers in memory");
    figure_print(held_mb, "MB", FIGURE_AT_MOST, (double)limit_mb * 17 / 16,
                 "%lu h of ten numbers at 1 ms under a limit of %lu MB", (unsigned long)hours,
                 (unsigned long)limit_mb);
    figure_print(times_ms[FRAMES / 2], "ms", FIGURE_AT_MOST, 2, "columns of ten charts of them, median");
    figure_print(times_ms[FRAMES * 99 / 100], "ms", FIGURE_AT_MOST, 8,
                 "columns of ten charts of them, 99 %%");
    figure_print((double)samples / took / 1e6, "M/s", FIGURE_AT_LEAST, 0.1, "samples into the session");
    session_destroy(session);
    return whole ? 0 : 1;
}
