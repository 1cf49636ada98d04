/*
 * From a time to an event of a lane: time is cut into buckets of equal width, and for each one it is kept
 * which event is the first to start in it or later. The width is a power of two that leaves some twenty to
 * sixty events in a bucket. When time outruns the buckets, a table with wider or more of them takes the
 * place of the old one, which is kept, since a reader may be in it.
 */
#include "core/session/lane.h"

#include <stdlib.h>

#define TIMES_FROM 1024u /* events; a shorter lane is searched without this index */
#define EVENTS_PER_ROW 16u

struct lane_times {
    struct lane_times *older;
    int64_t zero_ns;
    uint32_t shift; /* a bucket is 1 << shift ns wide */
    uint32_t capacity;
    _Atomic uint32_t count;
    uint32_t first[]; /* first event that starts in the bucket or later */
};

static uint64_t bucket_of(const struct lane_times *times, int64_t time_ns)
{
    return ((uint64_t)time_ns - (uint64_t)times->zero_ns) >> times->shift;
}

/* Writer: adds an event whose bucket is below the capacity. */
static void times_add(struct lane_times *times, uint64_t index, int64_t start_ns)
{
    uint64_t bucket = bucket_of(times, start_ns);
    uint32_t count = atomic_load_explicit(&times->count, memory_order_relaxed);

    if (bucket < count)
        return;
    while (count <= bucket)
        times->first[count++] = (uint32_t)index;
    atomic_store_explicit(&times->count, count, memory_order_release);
}

/* Evicted events are rarely looked for: all together have this many rows at most. */
#define EVICTED_ROWS 1024u
static uint64_t evicted_rows(uint64_t events)
{
    uint64_t rows = events / EVENTS_PER_ROW;
    return rows < EVICTED_ROWS ? rows : EVICTED_ROWS;
}

/* Makes a table of the events before `index`, half full with them. */
static struct lane_times *times_make(const struct lane *lane, uint64_t index, int64_t start_ns,
                                     _Atomic size_t *memory_bytes)
{
    uint64_t evicted = lane_chunk_first(lane->folded) * LANE_BLOCK;
    uint32_t capacity = (uint32_t)((index - evicted) / EVENTS_PER_ROW + evicted_rows(evicted));
    size_t bytes = sizeof(struct lane_times) + capacity * sizeof(uint32_t);
    struct lane_times *times = malloc(bytes);

    if (!times)
        return NULL;
    times->zero_ns = lane_kept_start_ns(lane, 0);
    times->capacity = capacity;
    times->shift = 0;
    atomic_init(&times->count, 0);
    while (bucket_of(times, start_ns) >= capacity / 2)
        times->shift++;
    for (uint64_t i = 0; i < index; i++) {
        uint64_t next = i % LANE_BLOCK == 0 ? i + LANE_BLOCK : index;
        if (next < index && bucket_of(times, lane_head_at(lane, next / LANE_BLOCK).start_ns) < times->count)
            i = next - 1; /* nothing new in this block */
        else
            times_add(times, i, lane_kept_start_ns(lane, i));
    }
    atomic_fetch_add_explicit(memory_bytes, bytes, memory_order_relaxed);
    return times;
}

bool lane_times_add(struct lane *lane, uint64_t index, int64_t start_ns, _Atomic size_t *memory_bytes)
{
    struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_relaxed);

    if (index < TIMES_FROM)
        return true;
    if (index >= UINT32_MAX)
        return false;
    if (!times || bucket_of(times, start_ns) >= times->capacity) {
        struct lane_times *older = times;
        times = times_make(lane, index, start_ns, memory_bytes);
        if (!times)
            return false;
        times->older = older;
        atomic_store_explicit(&lane->times, times, memory_order_release);
    }
    times_add(times, index, start_ns);
    return true;
}

bool lane_times_has_older(const struct lane *lane)
{
    const struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_relaxed);
    return times != NULL && times->older != NULL;
}

void *lane_times_take_older(struct lane *lane, size_t *bytes)
{
    struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_relaxed);
    struct lane_times *older = times->older;
    times->older = older->older;
    *bytes = sizeof *older + older->capacity * sizeof older->first[0];
    return older;
}

void lane_times_free(struct lane *lane)
{
    struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_relaxed);

    while (times) {
        struct lane_times *older = times->older;
        free(times);
        times = older;
    }
}

void lane_expect_far(const struct lane *lane, int64_t time_ns)
{
    const struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_acquire);

    if (!times || time_ns < times->zero_ns)
        return;
    uint64_t bucket = bucket_of(times, time_ns);
    if (bucket < times->capacity)
        __builtin_prefetch(&times->first[bucket]);
}

void lane_times_find(const struct lane *lane, uint64_t count, int64_t time_ns, uint64_t *low, uint64_t *high,
                     uint64_t *guess)
{
    const struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_acquire);

    *low = 0;
    *high = count;
    *guess = count / 2;
    if (!times)
        return;
    if (time_ns < times->zero_ns) {
        *high = *guess = 0;
        return;
    }
    uint64_t bucket = bucket_of(times, time_ns);
    uint32_t known = atomic_load_explicit(&times->count, memory_order_acquire);
    *low = bucket < known ? times->first[bucket] : count;
    *high = bucket + 1 < known ? times->first[bucket + 1] : count;
    *low = *low < count ? *low : count; /* the table may be newer than the count that the caller read */
    *high = *high < count ? *high : count;
    uint64_t into = (uint64_t)time_ns - (uint64_t)times->zero_ns - (bucket << times->shift);
    uint64_t part = times->shift > 16 ? into >> (times->shift - 16) : into << (16 - times->shift);
    uint64_t inside = *high - *low;
    *guess = *low + (inside < UINT32_MAX ? inside * part >> 16 : inside / 2);
}
