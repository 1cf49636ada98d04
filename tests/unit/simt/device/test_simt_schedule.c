/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's clock: schedules worked by hand, and random work whose times are held against the rules of
 * simt/device/schedule.h, each spelled out over all pairs.
 */
#include "simt/device/schedule.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK_MOST 64
#define K SCHEDULE_KERNEL
#define D SCHEDULE_ON_DEVICE
#define IN SCHEDULE_TO_DEVICE
#define OUT SCHEDULE_TO_HOST
#define HOST SCHEDULE_HOST
#define MARK SCHEDULE_MARK
#define NONE SCHEDULE_NONE
#define HALF (SCHEDULE_WHOLE / 2)
#define QUARTER (SCHEDULE_WHOLE / 4)

struct by_hand {
    struct schedule_work work;
    int64_t start_ns, end_ns;
};

struct schedule_case {
    const char *name;
    struct schedule_limits limits;
    uint32_t streams, non_blocking; /* created, as a mask over their numbers */
    struct by_hand work[20];
};

#define MODERN                                                 \
    {                                                          \
        .copy_engines = 2, .kernels = 128, .least_share = 7576 \
    }
#define WORK(kind_, stream_, issued, alone, share_, after_, start, end) \
    {                                                                   \
        {.kind = kind_,                                                 \
         .stream = stream_,                                             \
         .issued_ns = issued,                                           \
         .alone_ns = alone,                                             \
         .share = share_,                                               \
         .after = after_},                                              \
            start, end                                                  \
    }

static const struct schedule_case cases[] = {
    {"one stream: one after the other",
     MODERN,
     1,
     0,
     {WORK(IN, 1, 0, 100, 0, NONE, 0, 100), WORK(K, 1, 10, 50, SCHEDULE_WHOLE, NONE, 100, 150),
      WORK(OUT, 1, 20, 70, 0, NONE, 150, 220), WORK(OUT, 1, 500, 70, 0, NONE, 500, 570)}},
    {"three streams, an engine each: the textbook's three-way overlap",
     MODERN,
     3,
     0,
     {WORK(IN, 1, 0, 100, 0, NONE, 0, 100), WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200),
      WORK(OUT, 1, 0, 100, 0, NONE, 200, 300), WORK(IN, 2, 0, 100, 0, NONE, 100, 200),
      WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 200, 300), WORK(OUT, 2, 0, 100, 0, NONE, 300, 400),
      WORK(IN, 3, 0, 100, 0, NONE, 200, 300), WORK(K, 3, 0, 100, SCHEDULE_WHOLE, NONE, 300, 400),
      WORK(OUT, 3, 0, 100, 0, NONE, 400, 500)}},
    {"one copy engine, one queue, depth first: a copy out holds up the next copy in",
     {.copy_engines = 1, .kernels = 16, .one_queue_per_engine = true},
     2,
     0,
     {WORK(IN, 1, 0, 100, 0, NONE, 0, 100), WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200),
      WORK(OUT, 1, 0, 100, 0, NONE, 200, 300), WORK(IN, 2, 0, 100, 0, NONE, 300, 400),
      WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 400, 500), WORK(OUT, 2, 0, 100, 0, NONE, 500, 600)}},
    {"the same, breadth first: the copies in overlap",
     {.copy_engines = 1, .kernels = 16, .one_queue_per_engine = true},
     2,
     0,
     {WORK(IN, 1, 0, 100, 0, NONE, 0, 100), WORK(IN, 2, 0, 100, 0, NONE, 100, 200),
      WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200), WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 200, 300),
      WORK(OUT, 1, 0, 100, 0, NONE, 300, 400), WORK(OUT, 2, 0, 100, 0, NONE, 400, 500)}},
    {"the same on 1.x, which has no kernels side by side: the copies out, too",
     {.copy_engines = 1, .kernels = 1, .one_queue_per_engine = true},
     2,
     0,
     {WORK(IN, 1, 0, 100, 0, NONE, 0, 100), WORK(IN, 2, 0, 100, 0, NONE, 100, 200),
      WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200), WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 200, 300),
      WORK(OUT, 1, 0, 100, 0, NONE, 200, 300), WORK(OUT, 2, 0, 100, 0, NONE, 300, 400)}},
    {"two copy engines, one queue, depth first: copies go both ways beside the kernels",
     {.copy_engines = 2, .kernels = 16, .one_queue_per_engine = true},
     2,
     0,
     {WORK(IN, 1, 0, 100, 0, NONE, 0, 100), WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200),
      WORK(OUT, 1, 0, 100, 0, NONE, 200, 300), WORK(IN, 2, 0, 100, 0, NONE, 100, 200),
      WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 200, 300), WORK(OUT, 2, 0, 100, 0, NONE, 300, 400)}},
    {"the same, breadth first: the first kernel's end is told after the second one's",
     {.copy_engines = 2, .kernels = 16, .one_queue_per_engine = true, .handover_ns = 8},
     2,
     0,
     {WORK(IN, 1, 0, 92, 0, NONE, 0, 92), WORK(IN, 2, 0, 100, 0, NONE, 92, 192),
      WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200), WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 200, 300),
      WORK(OUT, 1, 0, 100, 0, NONE, 308, 408), WORK(OUT, 2, 0, 100, 0, NONE, 408, 508)}},
    {"a kernel that was issued too late to hold up the signal of the one before",
     {.copy_engines = 2, .kernels = 16, .one_queue_per_engine = true, .submit_ns = 5},
     2,
     0,
     {WORK(K, 1, 0, 95, SCHEDULE_WHOLE, NONE, 5, 100), WORK(K, 2, 96, 99, SCHEDULE_WHOLE, NONE, 101, 200),
      WORK(OUT, 1, 97, 10, 0, NONE, 102, 112)}},
    {"an event recorded between two kernels is a signal of its own",
     {.copy_engines = 2, .kernels = 16, .one_queue_per_engine = true},
     2,
     0,
     {WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 0, 100), WORK(MARK, 1, 0, 0, 0, NONE, 100, 100),
      WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200), WORK(OUT, 1, 0, 10, 0, NONE, 100, 110)}},
    {"no kernels side by side (1.x): nothing to tell late",
     {.copy_engines = 2, .kernels = 1, .one_queue_per_engine = true},
     2,
     0,
     {WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 0, 100), WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200),
      WORK(OUT, 1, 0, 100, 0, NONE, 100, 200)}},
    {"one copy engine, many queues: depth first does no harm",
     {.copy_engines = 1, .kernels = 32},
     2,
     0,
     {WORK(IN, 1, 0, 100, 0, NONE, 0, 100), WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 100, 200),
      WORK(OUT, 1, 0, 100, 0, NONE, 200, 300), WORK(IN, 2, 0, 100, 0, NONE, 100, 200),
      WORK(K, 2, 0, 100, SCHEDULE_WHOLE, NONE, 200, 300), WORK(OUT, 2, 0, 100, 0, NONE, 300, 400)}},
    {"no copy engine: copies have the device for themselves",
     {.copy_engines = 0, .kernels = 1, .one_queue_per_engine = true},
     2,
     0,
     {WORK(K, 1, 0, 100, QUARTER, NONE, 0, 100), WORK(IN, 2, 0, 50, 0, NONE, 100, 150)}},
    {"the legacy default stream between two blocking ones; a non-blocking one beside them",
     MODERN,
     3,
     1u << 3,
     {WORK(K, 1, 0, 100, QUARTER, NONE, 0, 100), WORK(K, 0, 0, 100, QUARTER, NONE, 100, 200),
      WORK(K, 2, 0, 100, QUARTER, NONE, 200, 300), WORK(K, 3, 0, 120, QUARTER, NONE, 0, 120)}},
    {"small kernels side by side",
     MODERN,
     5,
     0,
     {WORK(K, 1, 0, 100, QUARTER, NONE, 0, 100), WORK(K, 2, 0, 100, QUARTER, NONE, 0, 100),
      WORK(K, 3, 0, 100, QUARTER, NONE, 0, 100), WORK(K, 4, 0, 100, QUARTER, NONE, 0, 100),
      WORK(K, 5, 0, 100, QUARTER, NONE, 100, 200)}},
    {"as many as the device takes",
     {.copy_engines = 2, .kernels = 2},
     3,
     0,
     {WORK(K, 1, 0, 100, QUARTER, NONE, 0, 100), WORK(K, 2, 0, 150, QUARTER, NONE, 0, 150),
      WORK(K, 3, 0, 100, QUARTER, NONE, 100, 200)}},
    {"the second kernel has what the first leaves: half of what it could use, until that ends",
     MODERN,
     2,
     0,
     {WORK(K, 1, 0, 100, 3 * QUARTER, NONE, 0, 100), WORK(K, 2, 0, 100, HALF, NONE, 0, 150)}},
    {"a kernel that fills the device lets none beside it",
     MODERN,
     2,
     0,
     {WORK(K, 1, 0, 100, SCHEDULE_WHOLE, NONE, 0, 100), WORK(K, 2, 0, 30, 7576, NONE, 100, 130)}},
    {"a stream waits for another's event: what was issued before the record counts, not what came after",
     MODERN,
     2,
     0,
     {WORK(K, 1, 0, 100, QUARTER, NONE, 0, 100), WORK(MARK, 1, 0, 0, 0, NONE, 100, 100),
      WORK(K, 1, 0, 100, QUARTER, NONE, 100, 200), WORK(MARK, 2, 0, 0, 0, 1, 100, 100),
      WORK(K, 2, 0, 30, QUARTER, NONE, 100, 130)}},
    {"between engines lies the handover, also through an event; not in one engine",
     {.copy_engines = 2, .kernels = 128, .handover_ns = 8, .submit_ns = 3},
     2,
     0,
     {WORK(IN, 1, 0, 100, 0, NONE, 3, 103), WORK(MARK, 1, 0, 0, 0, NONE, 103, 103),
      WORK(K, 1, 0, 50, QUARTER, NONE, 111, 161), WORK(K, 1, 0, 50, QUARTER, NONE, 161, 211),
      WORK(MARK, 2, 0, 0, 0, 1, 103, 103), WORK(K, 2, 0, 10, QUARTER, NONE, 111, 121)}},
    {"ready at the same moment: the order of issue",
     MODERN,
     2,
     0,
     {WORK(IN, 2, 0, 100, 0, NONE, 0, 100), WORK(IN, 1, 0, 100, 0, NONE, 100, 200)}},
    {"a set takes the device, a function one thread of the host",
     MODERN,
     2,
     0,
     {WORK(D, 1, 0, 100, 0, NONE, 0, 100), WORK(HOST, 1, 0, 40, 0, NONE, 120, 160),
      WORK(HOST, 2, 0, 120, 0, NONE, 0, 120), WORK(K, 2, 0, 10, QUARTER, NONE, 120, 130)}},
};

static struct schedule *schedule_of(const struct schedule_limits *limits, uint32_t streams,
                                    uint32_t non_blocking)
{
    struct schedule *s;
    uint32_t stream;

    cr_assert_eq(schedule_create(&s, limits, NULL), STATUS_OK);
    for (uint32_t i = 1; i <= streams; i++) {
        cr_assert_eq(schedule_stream_add(s, 0, non_blocking >> i & 1, &stream, NULL), STATUS_OK);
        cr_assert_eq(stream, i);
    }
    return s;
}

/* Takes all that has ended into a table by id; its order is that of the ends. */
static size_t take_all(struct schedule *s, struct schedule_ended *by_id)
{
    struct schedule_ended ended;
    int64_t last = 0;
    size_t count = 0;

    for (; schedule_take(s, &ended); count++) {
        cr_assert_geq(ended.end_ns, last);
        last = ended.end_ns;
        by_id[ended.id] = ended;
    }
    return count;
}

Test(simt_schedule, by_hand)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct schedule_case *c = &cases[i];
        struct schedule *s = schedule_of(&c->limits, c->streams, c->non_blocking);
        struct schedule_ended found[20];
        size_t count = 0;
        uint64_t id;
        int64_t last = 0;

        for (; count < 20 && c->work[count].end_ns; count++) {
            cr_assert_eq(schedule_add(s, &c->work[count].work, &id, NULL), STATUS_OK);
            cr_assert_eq(id, count);
            last = c->work[count].end_ns > last ? c->work[count].end_ns : last;
        }
        cr_assert_eq(schedule_wait_all(s), last, "%s", c->name);
        cr_assert_eq(take_all(s, found), count, "%s", c->name);
        for (size_t k = 0; k < count; k++)
            cr_assert(found[k].start_ns == c->work[k].start_ns && found[k].end_ns == c->work[k].end_ns,
                      "%s, work %zu: %lld ... %lld, not %lld ... %lld", c->name, k,
                      (long long)found[k].start_ns, (long long)found[k].end_ns,
                      (long long)c->work[k].start_ns, (long long)c->work[k].end_ns);
        schedule_destroy(s);
    }
}

/* --- random work ------------------------------------------------------------------------------------------
 */

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

struct random_case {
    struct schedule_limits limits;
    uint32_t streams, non_blocking;
    struct schedule_work work[WORK_MOST];
    size_t count;
};

static void random_case_make(struct random_case *c, uint64_t seed)
{
    uint64_t state = seed * 77 + 1;
    int64_t issued = 0;

    memset(c, 0, sizeof *c);
    c->limits = (struct schedule_limits){.copy_engines = (uint32_t)(random_next(&state) % 4),
                                         .kernels = 1 + (uint32_t)(random_next(&state) % 5),
                                         .least_share = 1 + (uint32_t)(random_next(&state) % 100000),
                                         .one_queue_per_engine = random_next(&state) % 2,
                                         .submit_ns = (int64_t)(random_next(&state) % 20),
                                         .handover_ns = (int64_t)(random_next(&state) % 20)};
    c->streams = 1 + (uint32_t)(random_next(&state) % 5);
    c->non_blocking = (uint32_t)(random_next(&state) & random_next(&state));
    c->count = 1 + random_next(&state) % WORK_MOST;
    for (size_t i = 0; i < c->count; i++) {
        issued += (int64_t)(random_next(&state) % 60);
        c->work[i] = (struct schedule_work){
            .kind = (enum schedule_kind)(random_next(&state) % 6),
            .stream = random_next(&state) % 8 ? 1 + (uint32_t)(random_next(&state) % c->streams) : 0,
            .issued_ns = issued,
            .alone_ns = 1 + (int64_t)(random_next(&state) % 200),
            .share = 1 + (uint32_t)(random_next(&state) % SCHEDULE_WHOLE),
            .after = i && random_next(&state) % 4 == 0 ? random_next(&state) % i : NONE};
        if (c->work[i].kind == MARK)
            c->work[i].alone_ns = 0;
    }
}

static bool is_on_device(const struct random_case *c, const struct schedule_work *w)
{
    return w->kind == K || w->kind == D || ((w->kind == IN || w->kind == OUT) && c->limits.copy_engines == 0);
}

/* Must b, issued later, wait for the end of a? */
static bool must_wait(const struct random_case *c, size_t a, size_t b)
{
    const struct schedule_work *x = &c->work[a], *y = &c->work[b];
    bool free_x = x->stream && c->non_blocking >> x->stream & 1;
    bool free_y = y->stream && c->non_blocking >> y->stream & 1;

    return x->stream == y->stream || y->after == a || (x->stream == 0 && !free_y) ||
           (y->stream == 0 && !free_x);
}

static bool is_one_engine(const struct random_case *c, const struct schedule_work *x,
                          const struct schedule_work *y)
{
    bool copies = (x->kind == IN || x->kind == OUT) && (y->kind == IN || y->kind == OUT);

    if (x->kind == HOST && y->kind == HOST)
        return true;
    if (c->limits.kernels == 1 && is_on_device(c, x) && is_on_device(c, y))
        return true;
    return copies && c->limits.copy_engines && (x->kind == y->kind || c->limits.copy_engines == 1);
}

static void check_pair(const struct random_case *c, const struct schedule_ended *t, size_t a, size_t b)
{
    if (must_wait(c, a, b))
        cr_assert_geq(t[b].start_ns, t[a].end_ns, "%zu waits for %zu", b, a);
    if (is_one_engine(c, &c->work[a], &c->work[b]))
        cr_assert(t[b].start_ns >= t[a].end_ns || t[a].start_ns >= t[b].end_ns, "%zu and %zu on one engine",
                  a, b);
    if (c->limits.one_queue_per_engine && is_one_engine(c, &c->work[a], &c->work[b]))
        cr_assert_geq(t[b].start_ns, t[a].start_ns, "%zu overtakes %zu", b, a);
}

/* Work on another engine right behind a kernel of its stream starts after the kernels issued right behind
 * that one, as far as they were there when it, or the one before, ended. */
static void check_signals(const struct random_case *c, const struct schedule_ended *t, size_t b)
{
    size_t a = b, last;
    bool other = c->work[b].kind == HOST ||
                 ((c->work[b].kind == IN || c->work[b].kind == OUT) && c->limits.copy_engines);

    while (a-- > 0 && c->work[a].stream != c->work[b].stream)
        continue;
    if (!other || a == SIZE_MAX || c->work[a].kind != K || !c->limits.one_queue_per_engine ||
        c->limits.kernels == 1)
        return;
    int64_t told = t[a].end_ns;
    for (last = a + 1; c->work[last].kind == K && c->work[last].issued_ns + c->limits.submit_ns <= told;
         last++)
        told = t[last].end_ns > told ? t[last].end_ns : told;
    cr_assert_geq(t[b].start_ns, told + c->limits.handover_ns, "%zu starts before %zu is told", b, a);
}

static size_t running_at(const struct random_case *c, const struct schedule_ended *t, int64_t at,
                         double *work)
{
    size_t running = 0;

    *work = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (is_on_device(c, &c->work[i]) && t[i].start_ns <= at && at < t[i].end_ns) {
            running++;
            *work += (double)c->work[i].alone_ns / (double)(t[i].end_ns - t[i].start_ns) *
                     (c->work[i].kind == K ? (double)c->work[i].share / SCHEDULE_WHOLE : 1);
        }
    }
    return running;
}

static void check_times(const struct random_case *c, const struct schedule_ended *t, int64_t total)
{
    int64_t critical = 0, path[WORK_MOST], serial = 0;

    for (size_t b = 0; b < c->count; b++) {
        const struct schedule_work *w = &c->work[b];
        int64_t took = t[b].end_ns - t[b].start_ns;
        double device;
        cr_assert_geq(t[b].start_ns, w->issued_ns + c->limits.submit_ns);
        cr_assert_geq(took, w->alone_ns);
        if (!is_on_device(c, w))
            cr_assert_eq(took, w->alone_ns);
        cr_assert_leq(running_at(c, t, t[b].start_ns, &device), c->limits.kernels);
        path[b] = w->issued_ns + c->limits.submit_ns;
        check_signals(c, t, b);
        for (size_t a = 0; a < b; a++) {
            check_pair(c, t, a, b);
            if (must_wait(c, a, b) && path[a] > path[b])
                path[b] = path[a];
        }
        path[b] += w->alone_ns;
        critical = path[b] > critical ? path[b] : critical;
        serial += w->alone_ns + c->limits.handover_ns + c->limits.submit_ns + 1;
    }
    cr_assert_geq(total, critical);
    cr_assert_leq(total, c->work[c->count - 1].issued_ns + serial);
}

/* Over all the time the kernels cannot have done more than a whole device does. */
static void check_device(const struct random_case *c, const struct schedule_ended *t)
{
    double done = 0;
    int64_t first = INT64_MAX, last = 0;

    for (size_t i = 0; i < c->count; i++) {
        if (!is_on_device(c, &c->work[i]))
            continue;
        done += (double)c->work[i].alone_ns *
                (c->work[i].kind == K ? (double)c->work[i].share / SCHEDULE_WHOLE : 1);
        first = t[i].start_ns < first ? t[i].start_ns : first;
        last = t[i].end_ns > last ? t[i].end_ns : last;
    }
    if (last)
        cr_assert_leq(done, (double)(last - first) + 1);
}

Test(simt_schedule, random_work_keeps_the_rules)
{
    for (uint64_t seed = 0; seed < 1500; seed++) {
        struct random_case c;
        struct schedule_ended at_once[WORK_MOST], stepwise[WORK_MOST];
        uint64_t id;
        size_t taken = 0;

        random_case_make(&c, seed);
        struct schedule *s = schedule_of(&c.limits, c.streams, c.non_blocking);
        for (size_t i = 0; i < c.count; i++)
            cr_assert_eq(schedule_add(s, &c.work[i], &id, NULL), STATUS_OK);
        int64_t total = schedule_wait_all(s);
        cr_assert_eq(take_all(s, at_once), c.count, "seed %llu", (unsigned long long)seed);
        check_times(&c, at_once, total);
        check_device(&c, at_once);
        schedule_destroy(s);

        /* The clock run up to the host's time whenever work is issued: the same times. */
        s = schedule_of(&c.limits, c.streams, c.non_blocking);
        for (size_t i = 0; i < c.count; i++) {
            schedule_advance(s, c.work[i].issued_ns);
            taken += take_all(s, stepwise);
            cr_assert_eq(schedule_add(s, &c.work[i], &id, NULL), STATUS_OK);
        }
        schedule_wait_all(s);
        cr_assert_eq(taken + take_all(s, stepwise), c.count);
        for (size_t i = 0; i < c.count; i++)
            cr_assert(stepwise[i].start_ns == at_once[i].start_ns && stepwise[i].end_ns == at_once[i].end_ns,
                      "seed %llu, work %zu", (unsigned long long)seed, i);
        schedule_destroy(s);
    }
}

Test(simt_schedule, waits_play_no_further_than_they_must)
{
    const struct schedule_limits limits = MODERN;
    struct schedule *s = schedule_of(&limits, 2, 0);
    struct schedule_ended ended;
    uint64_t first, second, third;

    cr_assert_eq(schedule_add(s, &(struct schedule_work){K, 1, 0, 100, QUARTER, NONE, 7}, &first, NULL), 0);
    cr_assert_eq(schedule_add(s, &(struct schedule_work){K, 2, 0, 300, QUARTER, NONE, 8}, &second, NULL), 0);
    cr_assert_eq(schedule_wait_stream(s, 1), 100);
    cr_assert(schedule_take(s, &ended));
    cr_assert(ended.id == first && ended.tag == 7);
    cr_assert_not(schedule_take(s, &ended));
    /* What is issued after the wait still gets beside what runs. */
    cr_assert_eq(schedule_add(s, &(struct schedule_work){K, 1, 110, 50, QUARTER, second, 9}, &third, NULL),
                 0);
    cr_assert_eq(schedule_wait_next(s), 300);
    cr_assert_eq(schedule_wait(s, third), 350);
    cr_assert_eq(schedule_wait(s, third), 350);
    cr_assert_eq(schedule_wait_next(s), 0);
    cr_assert_eq(schedule_wait_all(s), 350);
    schedule_destroy(s);
}

/* Each has its own multiprocessors and default stream; work of one waits for work of the other only if it is
 * told to. */
Test(simt_schedule, gpus_work_side_by_side)
{
    struct schedule_limits limits = {.gpus = 2, .copy_engines = 2, .kernels = 8};
    struct schedule *s;
    uint64_t id;
    uint32_t stream;

    cr_assert_eq(schedule_create(&s, &limits, NULL), 0);
    cr_assert_eq(schedule_stream_add(s, 1, false, &stream, NULL), 0);
    cr_assert_eq(stream, 2);
    cr_assert_eq(schedule_add(s, &(struct schedule_work){K, 0, 0, 100, SCHEDULE_WHOLE, NONE, 0}, &id, NULL),
                 0);
    cr_assert_eq(
        schedule_add(s, &(struct schedule_work){K, stream, 0, 40, SCHEDULE_WHOLE, NONE, 0}, &id, NULL), 0);
    cr_assert_eq(schedule_wait(s, id), 40, "it does not wait for the other GPU's default stream");
    cr_assert_eq(schedule_add(s, &(struct schedule_work){K, 1, 40, 10, SCHEDULE_WHOLE, NONE, 0}, &id, NULL),
                 0);
    cr_assert_eq(schedule_wait_gpu(s, 1), 50);
    cr_assert_eq(schedule_add(s, &(struct schedule_work){K, stream, 50, 7, SCHEDULE_WHOLE, 0, 0}, &id, NULL),
                 0);
    cr_assert_eq(schedule_wait(s, id), 107, "after the other GPU's kernel");
    cr_assert_eq(schedule_wait_gpu(s, 0), 100);
    schedule_destroy(s);
}

Test(simt_schedule, a_long_program_keeps_little)
{
    const struct schedule_limits limits = MODERN;
    struct schedule *s = schedule_of(&limits, 1, 0);
    struct schedule_ended ended;
    uint64_t id;
    uint32_t stream;

    for (int64_t i = 0; i < 20000; i++) {
        cr_assert_eq(
            schedule_add(s, &(struct schedule_work){K, 1, i * 10, 5, HALF, NONE, (uint64_t)i}, &id, NULL), 0);
        schedule_advance(s, i * 10);
        while (schedule_take(s, &ended))
            cr_assert_eq(ended.start_ns, (int64_t)ended.id * 10);
    }
    cr_assert_eq(id, 19999);
    cr_assert_eq(schedule_wait_all(s), 199995);
    schedule_stream_remove(s, 1);
    cr_assert_eq(schedule_stream_add(s, 0, true, &stream, NULL), 0);
    cr_assert_eq(stream, 1);
    schedule_destroy(s);
}
