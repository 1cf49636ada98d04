/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler as lanescope starts it, with doubles of the driver and of CUPTI in place of a GPU's: this test
 * is the session that it finds, steers it and reads what it sends.
 */
#include "core/wire/sampling_control.h"
#include "core/wire/wire.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef TEST_AGENT
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI part, and therefore no sampler");
    fflush(stdout);
    _exit(77);
}
#else

#define DOUBLES TEST_BUILD_DIR "/tests/sampling_doubles"
#define METRICS 10u
#define MOST_SERIES 64u
#define MOST_SAMPLES 1000000u
#define PATIENCE_MS 60000

struct bench {
    struct wire_listener *listener;
    struct wire_consumer *consumer; /* NULL: it has not come */
    struct sampling_control *control;
    struct sampling_slot *slot;
    pid_t sampler;
    int connection, control_fd;
    char folder[64], file[128];
    /* What it has sent. */
    struct event series[MOST_SERIES];
    struct event *samples;
    uint32_t series_count, sample_count;
    char texts[256][256]; /* by string id */
    char notices[4096];
    int64_t watermark_ns;
    bool goodbye, device;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void open_bench(struct bench *bench)
{
    struct error error = {0};
    *bench = (struct bench){.connection = -1, .watermark_ns = INT64_MIN};
    cr_assert_eq(wire_listener_create(&bench->listener, &error), STATUS_OK, "%s", error.text);
    bench->control = sampling_control_create(wire_listener_path(bench->listener), &bench->control_fd, &error);
    cr_assert(bench->control, "%s", error.text);
    bench->slot = &bench->control->gpu[0];
    bench->samples = calloc(MOST_SAMPLES, sizeof *bench->samples);
    strcpy(bench->folder, "/tmp/lanescope-sampler-XXXXXX");
    cr_assert(mkdtemp(bench->folder));
    snprintf(bench->file, sizeof bench->file, "%s/file", bench->folder);
}

/* variables: NAME, VALUE, ..., NULL. */
static void start(struct bench *bench, const char *interval_ns, const char *mode,
                  const char *const *variables)
{
    bench->slot->state = SAMPLING_STARTING;
    bench->sampler = fork();
    if (bench->sampler == 0) {
        setenv(WIRE_SOCKET_VARIABLE, wire_listener_path(bench->listener), 1);
        setenv("LD_LIBRARY_PATH", DOUBLES, 1);
        for (; variables && variables[0]; variables += 2)
            setenv(variables[0], variables[1], 1);
        execl(TEST_LANESCOPE, TEST_LANESCOPE, "--sampler", "0", interval_ns, mode, (char *)NULL);
        _exit(127);
    }
    cr_assert_gt(bench->sampler, 0);
}

static void take_event(struct bench *bench, const struct event *event, const uint8_t *blob)
{
    switch (event->kind) {
    case EVENT_BLOB:
        if (event->blob.type == BLOB_STRING && event->blob.id < 256)
            snprintf(bench->texts[event->blob.id], sizeof bench->texts[0], "%.*s",
                     (int)event->blob.size_bytes, (const char *)blob);
        bench->device |= event->blob.type == BLOB_DEVICE;
        break;
    case EVENT_SERIES:
        cr_assert_lt(bench->series_count, MOST_SERIES);
        cr_assert_eq(event->series.id, bench->series_count + 1);
        bench->series[bench->series_count++] = *event;
        break;
    case EVENT_SAMPLE:
        cr_assert_lt(bench->sample_count, MOST_SAMPLES);
        cr_assert_leq(event->sample.first, bench->series_count,
                      "a sample of a series that was not announced");
        bench->samples[bench->sample_count++] = *event;
        break;
    case EVENT_WATERMARK:
        cr_assert_geq(event->watermark.time_ns, bench->watermark_ns);
        bench->watermark_ns = event->watermark.time_ns;
        break;
    case EVENT_NOTICE: {
        size_t used = strlen(bench->notices);
        snprintf(bench->notices + used, sizeof bench->notices - used, "%.200s\n",
                 bench->texts[event->notice.text < 256 ? event->notice.text : 0]);
        break;
    }
    case EVENT_GOODBYE: bench->goodbye = true; break;
    default: cr_assert_fail("a sampler sends no %s", event_kind_text(event->kind));
    }
}

/* What has come until now. */
static void read_events(struct bench *bench)
{
    struct event event;
    const uint8_t *blob;
    struct pollfd door = {.fd = wire_listener_fd(bench->listener), .events = POLLIN};
    struct wire_hello hello;
    struct error error;
    if (!bench->consumer && poll(&door, 1, 0) == 1) {
        cr_assert_eq(
            wire_listener_accept(bench->listener, &bench->consumer, &hello, &bench->connection, &error),
            STATUS_OK, "%s", error.text);
        cr_assert_eq(hello.role, WIRE_ROLE_SAMPLER);
    }
    while (bench->consumer && wire_consumer_next(bench->consumer, &event, &blob))
        take_event(bench, &event, blob);
}

/* Reads until the condition holds, at most PATIENCE_MS. */
#define EXPECT(bench, condition)                                                                       \
    do {                                                                                               \
        int64_t until_ = now_ns() + (int64_t)PATIENCE_MS * 1000000;                                    \
        read_events(bench);                                                                            \
        while (!(condition)) {                                                                         \
            cr_assert_lt(now_ns(), until_, "not in time: %s; said: %s", #condition, (bench)->notices); \
            nap_ms(2);                                                                                 \
            read_events(bench);                                                                        \
        }                                                                                              \
    } while (0)

static void want(struct bench *bench, bool wanted)
{
    atomic_store(&bench->slot->wanted, wanted);
    sampling_control_tell(bench->slot);
}

/* Ends it in order and gives its exit status. */
static int end_sampler(struct bench *bench)
{
    int status = -1;
    kill(bench->sampler, SIGTERM);
    cr_assert_eq(waitpid(bench->sampler, &status, 0), bench->sampler);
    read_events(bench);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void close_bench(struct bench *bench)
{
    unlink(bench->file);
    rmdir(bench->folder);
    wire_consumer_destroy(bench->consumer);
    if (bench->connection >= 0)
        close(bench->connection);
    sampling_control_close(bench->control);
    close(bench->control_fd);
    wire_listener_destroy(bench->listener);
    free(bench->samples);
}

/* Every sample has the double's numbers; those of one sampling follow each other unless `gaps`. */
static void check_samples(const struct bench *bench, uint64_t interval_ns, bool gaps)
{
    for (uint32_t i = 0; i < bench->sample_count; i++) {
        const struct event *sample = &bench->samples[i];
        uint64_t k = (uint64_t)sample->sample.start_ns / interval_ns;
        cr_assert_eq(sample->sample.duration_ns, interval_ns,
                     "sample %u: the first of a start is to be dropped", i);
        if (i > 0 && !gaps)
            cr_assert_eq(sample->sample.start_ns, sample[-1].sample.start_ns + (int64_t)interval_ns);
        for (uint32_t m = 0; m < METRICS; m++)
            if (m == 2 && k % 10 == 0)
                cr_assert(isnan(sample->sample.numbers[m]));
            else
                cr_assert_float_eq(sample->sample.numbers[m], 100.0f * (float)m + (float)(k % 100), 1e-3);
    }
}

Test(sampler, samples_while_they_are_wanted)
{
    struct bench bench;
    open_bench(&bench);
    start(&bench, "1000000", "on", NULL);
    EXPECT(&bench, bench.slot->state == SAMPLING_READY);
    nap_ms(30);
    read_events(&bench);
    cr_assert_eq(bench.sample_count, 0, "nobody wants samples yet");
    cr_assert(bench.device);
    cr_assert_eq(bench.slot->gpus, 1);
    want(&bench, true);
    EXPECT(&bench, bench.slot->state == SAMPLING_RUNNING);
    EXPECT(&bench, bench.sample_count >= 100);
    want(&bench, false);
    EXPECT(&bench, bench.slot->state == SAMPLING_READY);
    read_events(&bench);
    uint32_t count = bench.sample_count;
    int64_t age_ns = now_ns() - bench.samples[count - 1].sample.start_ns;
    cr_assert_lt(age_ns, 60000000000);
    check_samples(&bench, 1000000, false);
    cr_assert_eq(bench.series_count, METRICS);
    cr_assert_str_eq(bench.texts[bench.series[0].series.name],
                     "sm__warps_active.avg.pct_of_peak_sustained_active");
    for (uint32_t i = 0; i < METRICS; i++) {
        cr_assert_eq(bench.series[i].series.interval_ns, 1000000);
        cr_assert_eq(bench.series[i].flags, 0);
    }
    nap_ms(60);
    read_events(&bench);
    cr_assert_eq(bench.sample_count, count, "nobody wants samples any more");
    want(&bench, true);
    EXPECT(&bench, bench.sample_count > count + 20);
    cr_assert_eq(end_sampler(&bench), 0);
    cr_assert(bench.goodbye);
    cr_assert_eq(bench.series_count, METRICS, "announced once");
    check_samples(&bench, 1000000, true);
    cr_assert_str_eq(bench.notices, "");
    close_bench(&bench);
}

Test(sampler, loses_nothing_when_it_was_held_up)
{
    struct bench bench;
    open_bench(&bench);
    start(&bench, "1000000", "on", NULL);
    want(&bench, true);
    EXPECT(&bench, bench.sample_count >= 50);
    kill(bench.sampler, SIGSTOP);
    nap_ms(150);
    kill(bench.sampler, SIGCONT);
    uint32_t count = bench.sample_count;
    EXPECT(&bench, bench.sample_count >= count + 300);
    check_samples(&bench, 1000000, false);
    cr_assert_str_eq(bench.notices, "");
    cr_assert_eq(end_sampler(&bench), 0);
    close_bench(&bench);
}

static void check_held(const char *held_ms, bool gap)
{
    struct bench bench;
    open_bench(&bench);
    start(&bench, "4000000", "on", (const char *const[]){"LANESCOPE_DOUBLE_HELD_MS", held_ms, NULL});
    want(&bench, true);
    EXPECT(&bench, bench.sample_count >= 250);
    check_samples(&bench, 4000000, gap);
    cr_assert_eq(bench.series_count, METRICS, "not slower, and not begun anew");
    if (gap)
        cr_assert_str_eq(bench.notices, "Decoding the counters of GPU 0 was held up: the charts have gaps "
                                        "where samples are missing.\n");
    else
        cr_assert_str_eq(bench.notices, "");
    cr_assert_eq(end_sampler(&bench), 0);
    close_bench(&bench);
}

/* As a decode is while another process creates its context: the interval is not to blame. */
Test(sampler, goes_on_when_a_decode_was_held_up)
{
    check_held("200", false);
    check_held("2000", true);
}

Test(sampler, restarts_slower_when_decoding_falls_behind)
{
    struct bench bench;
    open_bench(&bench);
    /* 200 us a sample come, 500 us each costs: 400 us are not enough, 800 us are. */
    start(&bench, "200000", "on",
          (const char *const[]){"LANESCOPE_DOUBLE_DECODE_US", "500", "LANESCOPE_DOUBLE_ROOM", "1000", NULL});
    want(&bench, true);
    EXPECT(&bench, bench.series_count >= 3 * METRICS);
    cr_assert_eq(bench.series[METRICS].series.interval_ns, 400000);
    cr_assert_eq(bench.series[2 * METRICS].series.interval_ns, 800000);
    /* It stays where decoding keeps up; where the machine keeps it from decoding it goes on to the next. */
    uint32_t series, count;
    do {
        series = bench.series_count;
        count = bench.sample_count;
        EXPECT(&bench, bench.sample_count > count + 200);
    } while (bench.series_count > series);
    cr_assert(strstr(bench.notices, "every 0.4 ms instead of 0.2 ms"), "%s", bench.notices);
    cr_assert(strstr(bench.notices, "every 0.8 ms instead of 0.4 ms"), "%s", bench.notices);
    cr_assert_eq(end_sampler(&bench), 0);
    close_bench(&bench);
}

Test(sampler, says_once_that_another_profiler_counts_and_tries_again)
{
    struct bench bench;
    open_bench(&bench);
    close(open(bench.file, O_CREAT | O_WRONLY, 0600));
    start(&bench, "1000000", "on", (const char *const[]){"LANESCOPE_DOUBLE_BUSY", bench.file, NULL});
    want(&bench, true);
    EXPECT(&bench, strstr(bench.notices, "another profiler holds the GPU's counters"));
    cr_assert_eq(bench.slot->state, SAMPLING_BUSY);
    nap_ms(100);
    unlink(bench.file);
    EXPECT(&bench, bench.sample_count > 10);
    cr_assert(strstr(bench.notices, "are free again"), "%s", bench.notices);
    size_t lines = 0;
    for (const char *p = bench.notices; (p = strchr(p, '\n')); p++)
        lines++;
    cr_assert_eq(lines, 2, "%s", bench.notices);
    cr_assert_eq(end_sampler(&bench), 0);
    close_bench(&bench);
}

Test(sampler, gives_up_when_cupti_fails_again_and_again)
{
    struct bench bench;
    int status;
    open_bench(&bench);
    start(&bench, "1000000", "on", (const char *const[]){"LANESCOPE_DOUBLE_BROKEN", "1", NULL});
    want(&bench, true);
    EXPECT(&bench, strstr(bench.notices, "This was the third time"));
    cr_assert_eq(waitpid(bench.sampler, &status, 0), bench.sampler);
    read_events(&bench);
    cr_assert(bench.goodbye && bench.slot->state == SAMPLING_ENDED);
    close_bench(&bench);
}

Test(sampler, says_why_it_cannot)
{
    static const struct {
        const char *variable, *value, *says;
        int status;
    } cases[] = {
        {"LANESCOPE_DOUBLE_CHIP", "GA100", "by its own clock", 1},
        {"LANESCOPE_DOUBLE_CHIP", "TU102", "by its own clock", 1},
        {"LANESCOPE_DOUBLE_FORBIDDEN", "1", "may not read the GPU's counters", 1},
        {"LANESCOPE_DOUBLE_GPUS", "0", "",
         3}, /* no GPU: nothing to say to a session, which has none either */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        int status;
        open_bench(&bench);
        start(&bench, "1000000", "on", (const char *const[]){cases[i].variable, cases[i].value, NULL});
        EXPECT(&bench, bench.slot->state == SAMPLING_ENDED);
        cr_assert_eq(waitpid(bench.sampler, &status, 0), bench.sampler);
        read_events(&bench);
        cr_assert_eq(WEXITSTATUS(status), cases[i].status, "%s", cases[i].value);
        cr_assert(strstr(bench.notices, cases[i].says), "%s: %s", cases[i].value, bench.notices);
        cr_assert_eq(bench.sample_count, 0);
        cr_assert_eq(bench.series_count, cases[i].says[0] ? 1 : 0, "%s", cases[i].value);
        if (bench.series_count > 0) { /* which the timeline shows below the GPU */
            cr_assert(bench.device);
            cr_assert_eq(bench.series[0].flags, SERIES_CANNOT);
            cr_assert(strstr(bench.texts[bench.series[0].series.name], cases[i].says));
        }
        close_bench(&bench);
    }
}

Test(sampler, ends_with_its_session)
{
    struct bench bench;
    int status;
    open_bench(&bench);
    start(&bench, "1000000", "on", NULL);
    want(&bench, true);
    EXPECT(&bench, bench.sample_count > 10);
    close(bench.connection);
    bench.connection = -1;
    cr_assert_eq(waitpid(bench.sampler, &status, 0), bench.sampler);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_bench(&bench);
}

/* ---- bursts ---- */

#define BURST_WAIT_NS 60000000000 /* a busy machine */
#define BURST_MOST_NS 30000000    /* then it ends by itself */

Test(sampler, a_burst_lasts_until_it_is_enough)
{
    struct bench bench;
    open_bench(&bench);
    start(&bench, "10000", "burst", NULL);
    want(&bench, true);
    EXPECT(&bench, bench.slot->state == SAMPLING_RUNNING);
    int64_t gap_ns = 0;
    for (uint32_t turn = 1; turn <= 3; turn++) {
        uint32_t before = bench.sample_count;
        int64_t asked_ns = now_ns();
        cr_assert_eq(sampling_burst_ask(bench.slot, BURST_WAIT_NS), turn);
        int64_t begun_ns = now_ns();
        nap_ms(5);
        int64_t enough_ns = now_ns();
        bool in_time = enough_ns - asked_ns < BURST_MOST_NS;
        sampling_burst_enough(bench.slot, turn);
        EXPECT(&bench, bench.slot->ended == turn);
        int64_t ended_ns = now_ns();
        read_events(&bench);
        cr_assert_gt(bench.sample_count, before + 400, "%u samples", bench.sample_count - before);
        const struct event *first = &bench.samples[before], *last = &bench.samples[bench.sample_count - 1];
        cr_assert(first->sample.start_ns >= asked_ns && first->sample.start_ns <= begun_ns + 1000000);
        cr_assert(last->sample.start_ns <= ended_ns);
        cr_assert(!in_time || last->sample.start_ns >= enough_ns - 100000);
        gap_ns = before ? first->sample.start_ns - first[-1].sample.start_ns : 0;
        nap_ms(20);
    }
    cr_assert_gt(gap_ns, 20000000, "nothing between bursts");
    check_samples(&bench, 10000, true);
    for (uint32_t i = 0; i < METRICS; i++)
        cr_assert_eq(bench.series[i].flags, SERIES_BURST);
    cr_assert_eq(end_sampler(&bench), 0);
    cr_assert_eq(bench.series_count, METRICS);
    close_bench(&bench);
}

Test(sampler, a_burst_ends_by_itself_before_its_buffer_is_full)
{
    struct bench bench;
    open_bench(&bench);
    start(&bench, "10000", "burst", (const char *const[]){"LANESCOPE_DOUBLE_ROOM", "10000000", NULL});
    want(&bench, true);
    EXPECT(&bench, bench.slot->state == SAMPLING_RUNNING);
    /* The asker dies: it never says that it is enough. */
    pid_t asker = fork();
    if (asker == 0)
        _exit(sampling_burst_ask(bench.slot, BURST_WAIT_NS) == 1 ? 0 : 1);
    int status;
    waitpid(asker, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(&bench, bench.slot->ended == 1);
    read_events(&bench);
    cr_assert_geq(bench.sample_count, 2900);
    cr_assert_eq(sampling_burst_ask(bench.slot, BURST_WAIT_NS), 2, "the next one comes in");
    sampling_burst_enough(bench.slot, 2);
    cr_assert_eq(end_sampler(&bench), 0);
    close_bench(&bench);
}

Test(sampler, who_asks_for_a_burst_waits_a_bounded_time)
{
    struct bench bench;
    int64_t since_ns;
    open_bench(&bench);
    since_ns = now_ns();
    bench.slot->state = SAMPLING_RUNNING;
    cr_assert_eq(sampling_burst_ask(bench.slot, 50000000), 0, "there is no sampler");
    cr_assert_lt(now_ns() - since_ns, 60000000000);
    /* One comes: what was given up is passed over, at once. */
    start(&bench, "10000", "burst", NULL);
    want(&bench, true);
    EXPECT(&bench, bench.slot->ended == 1);
    read_events(&bench);
    cr_assert_eq(bench.sample_count, 0);
    cr_assert_eq(sampling_burst_ask(bench.slot, BURST_WAIT_NS), 2);
    /* Killed in the middle of a burst: lanescope says so in the slot, and nobody waits for it any more. */
    kill(bench.sampler, SIGKILL);
    waitpid(bench.sampler, NULL, 0);
    atomic_store(&bench.slot->state, SAMPLING_ENDED);
    since_ns = now_ns();
    cr_assert_eq(sampling_burst_ask(bench.slot, 200000000000), 0);
    cr_assert_lt(now_ns() - since_ns, 100000000000);
    close_bench(&bench);
}

Test(sampler, a_burst_that_was_too_long_is_said)
{
    struct bench bench;
    open_bench(&bench);
    start(&bench, "10000", "burst", (const char *const[]){"LANESCOPE_DOUBLE_ROOM", "50", NULL});
    want(&bench, true);
    EXPECT(&bench, bench.slot->state == SAMPLING_RUNNING);
    cr_assert_eq(sampling_burst_ask(bench.slot, BURST_WAIT_NS), 1);
    nap_ms(5);
    sampling_burst_enough(bench.slot, 1);
    EXPECT(&bench, strstr(bench.notices, "longer than its buffer"));
    EXPECT(&bench, bench.slot->ended == 1 && bench.slot->state == SAMPLING_RUNNING);
    cr_assert_eq(sampling_burst_ask(bench.slot, BURST_WAIT_NS), 2);
    cr_assert_eq(end_sampler(&bench), 0);
    close_bench(&bench);
}

#endif
