/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that runs workloads: what it tells the collector, over the real wire, of cases that run on the
 * device of fixture_device.h; and how it ends.
 */
#include "cli/children/workload_child.h"

#include "core/wire/wire.h"
#include "tests/shared/fixture/fixture_device.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <inttypes.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS_MAX 20000
#define STRINGS_MAX 1000

static struct test_device d;

/* What the collector got. */
static struct {
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    struct wire_hello hello;
    int connection;
    struct error error;
    struct event events[EVENTS_MAX];
    size_t count;
    char *strings[STRINGS_MAX];
    struct device_info info;
} got;

static void *accept_one(void *unused)
{
    (void)unused;
    while (wire_listener_accept(got.listener, &got.consumer, &got.hello, &got.connection, &got.error))
        usleep(1000);
    return NULL;
}

static const char *text_of(uint32_t id)
{
    return id == 0 ? "" : id < STRINGS_MAX && got.strings[id] ? got.strings[id] : "(not announced)";
}

static int run_child(const struct workload_child_options *options, struct error *error)
{
    struct event event;
    const uint8_t *blob;
    pthread_t thread;

    memset(&got, 0, sizeof got);
    cr_assert_eq(wire_listener_create(&got.listener, &got.error), STATUS_OK, "%s", got.error.text);
    setenv(WIRE_SOCKET_VARIABLE, wire_listener_path(got.listener), 1);
    cr_assert_eq(pthread_create(&thread, NULL, accept_one, NULL), 0);
    int status = workload_child_run(options, &d.device, error);
    pthread_join(thread, NULL);
    while (wire_consumer_next(got.consumer, &event, &blob)) {
        if (event.kind == EVENT_BLOB && event.blob.type == BLOB_STRING) {
            cr_assert_lt(event.blob.id, STRINGS_MAX);
            got.strings[event.blob.id] = strndup((const char *)blob, event.blob.size_bytes);
        } else if (event.kind == EVENT_BLOB) {
            cr_assert_eq(event.blob.type, BLOB_DEVICE);
            cr_assert_eq(event.blob.size_bytes, sizeof got.info);
            memcpy(&got.info, blob, sizeof got.info);
        } else {
            cr_assert_lt(got.count, EVENTS_MAX);
            got.events[got.count++] = event;
        }
    }
    unsetenv(WIRE_SOCKET_VARIABLE);
    return status;
}

static void forget(void)
{
    for (size_t i = 0; i < STRINGS_MAX; i++)
        free(got.strings[i]);
    wire_consumer_destroy(got.consumer);
    wire_listener_destroy(got.listener);
    close(got.connection);
}

static struct workload_child_options options_of(char **texts, size_t count)
{
    return (struct workload_child_options){
        .mode = RUN_COUNTERS, .device = "cuda", .small = true, .texts = texts, .text_count = count};
}

/* Of 1024 words that were copied so far within an output that has room for an offset of 32. */
static const char *copied_digest(size_t offset)
{
    static char text[64];
    uint64_t digest = UINT64_C(14695981039346656037); /* as the FNV reference has it */

    for (size_t i = 0; i < 1024 + 32; i++) {
        float value = workbench_pattern_at(i);
        uint32_t word = WORKBENCH_POISON_WORD;
        if (i >= offset && i < offset + 1024)
            memcpy(&word, &value, sizeof word);
        digest = (digest ^ word) * UINT64_C(1099511628211);
    }
    snprintf(text, sizeof text, "output digest %016" PRIx64, digest);
    return text;
}

Test(workload_child, tells_of_its_runs)
{
    char *texts[] = {(char *)"copy-offset,offset=1|8,n=1024", (char *)"transpose:tile,n=32"};
    struct workload_child_options options = options_of(texts, 2);
    struct error error = {0};
    uint32_t run = 0;
    size_t ended = 0, expected = 0;
    int64_t begin_ns = 0;

    test_device_init(&d);
    cr_assert_eq(run_child(&options, &error), 0, "%s", error.text);
    cr_assert_eq(got.hello.role, WIRE_ROLE_WORKLOAD);
    cr_assert_eq(got.hello.run_mode, RUN_COUNTERS);
    cr_assert_eq(got.hello.pid, getpid());
    cr_assert_eq(got.info.compute_capability, 90);
    for (size_t i = 0; i < got.count; i++) {
        const struct event *event = &got.events[i];
        switch (event->kind) {
        case EVENT_RUN_BEGIN:
            cr_assert_eq(event->run.id, ++run);
            cr_assert_eq(event->run.verified, -1);
            cr_assert_str_eq(text_of(event->run.workload), run < 3 ? "copy-offset" : "transpose");
            cr_assert_str_eq(text_of(event->run.variant), run < 3 ? "copy" : "tile");
            cr_assert_str_eq(text_of(event->run.params), run == 1   ? "offset=1,n=1024"
                                                         : run == 2 ? "offset=8,n=1024"
                                                                    : "n=32");
            cr_assert_str_eq(text_of(event->run.kernel), run < 3 ? "copy_offset" : "transpose_tile");
            cr_assert_float_eq(event->run.effective_bytes, 8192, 0);
            cr_assert_gt(event->run.time_ns, begin_ns);
            begin_ns = event->run.time_ns;
            break;
        case EVENT_EXPECTED:
            cr_assert_eq(event->expected.run, run);
            expected++;
            if (run == 1 && strcmp(text_of(event->expected.metric), "global_load_sectors") == 0)
                cr_assert_float_eq(event->expected.number, 160, 0);
            if (run == 3 && strcmp(text_of(event->expected.metric), "shared_load_conflicts") == 0)
                cr_assert_float_eq(event->expected.number, 32 * 31, 0);
            cr_assert_eq(isnan(event->expected.number) != 0, event->expected.why != 0);
            break;
        case EVENT_RUN_END:
            cr_assert_eq(event->run.id, run);
            cr_assert_eq(event->run.verified, 1);
            if (run < 3)
                cr_assert_str_eq(text_of(event->run.detail), copied_digest(run == 1 ? 1 : 8), "%s",
                                 text_of(event->run.detail));
            cr_assert_geq(event->run.time_ns, begin_ns);
            ended++;
            break;
        case EVENT_WATERMARK: cr_assert_eq(ended, run); break;
        case EVENT_GOODBYE: cr_assert_eq(i, got.count - 1); break;
        default: cr_assert_fail("an event of kind %s", event_kind_text(event->kind));
        }
    }
    cr_assert_eq(run, 3);
    cr_assert_eq(ended, 3);
    cr_assert_eq(expected, 3 * 25);
    cr_assert_eq(got.events[got.count - 1].kind, EVENT_GOODBYE);
    cr_assert_eq(d.launches, 3);
    forget();
}

static const struct event *nth_end(size_t n)
{
    for (size_t i = 0; i < got.count; i++)
        if (got.events[i].kind == EVENT_RUN_END && n-- == 0)
            return &got.events[i];
    cr_assert_fail("there is no such RUN_END");
    return NULL;
}

Test(workload_child, a_wrong_result_is_told_and_the_rest_runs)
{
    char *texts[] = {(char *)"copy-offset,offset=1|2", (char *)"matmul-ab:simple"};
    struct workload_child_options options = options_of(texts, 2);
    struct error error = {0};

    test_device_init(&d);
    d.damage = DAMAGE_MISSING_WORD;
    cr_assert_eq(run_child(&options, &error), 1);
    cr_assert(strstr(error.text, "copy-offset:copy computed a wrong result: out[64] was never written"), "%s",
              error.text);
    for (size_t n = 0; n < 3; n++) {
        cr_assert_eq(nth_end(n)->run.verified, 0);
        cr_assert(strstr(text_of(nth_end(n)->run.detail), "[64] was never written"));
    }
    forget();
}

Test(workload_child, a_failed_call_ends_its_case_only)
{
    char *texts[] = {(char *)"copy-offset,offset=1|2"};
    struct workload_child_options options = options_of(texts, 1);
    struct error error = {0};

    test_device_init(&d);
    d.failing_call = 5; /* of the first case */
    cr_assert_eq(run_child(&options, &error), 1);
    cr_assert_str_eq(error.text, "call 5 failed");
    cr_assert_eq(nth_end(0)->run.verified, -1);
    cr_assert_str_eq(text_of(nth_end(0)->run.detail), "call 5 failed");
    cr_assert_eq(nth_end(1)->run.verified, 1);
    forget();
}

Test(workload_child, runs_in_silence_without_a_collector)
{
    char *texts[] = {(char *)"transpose"};
    struct workload_child_options options = options_of(texts, 1);
    struct error error = {0};

    test_device_init(&d);
    unsetenv(WIRE_SOCKET_VARIABLE);
    cr_assert_eq(workload_child_run(&options, &d.device, &error), 0, "%s", error.text);
    cr_assert_eq(d.launches, 5);
}

/* On a GPU nobody else tells of it. */
Test(workload_child, tells_where_the_host_computed)
{
    char *texts[] = {(char *)"n-way:4-way,n=65536,rounds=1", (char *)"n-way:4-way+,n=65536,rounds=1"};
    struct workload_child_options options = options_of(texts, 2);
    struct error error = {0};
    struct event begin = {0};
    int64_t run_ns = 0;
    size_t runs = 0, ranges = 0;

    test_device_init(&d);
    options.mode = RUN_TRACE;
    cr_assert_eq(run_child(&options, &error), 0, "%s", error.text);
    for (size_t i = 0; i < got.count; i++) {
        const struct event *e = &got.events[i];

        if (e->kind == EVENT_RUN_BEGIN) {
            runs++;
            run_ns = e->run.time_ns;
        } else if (e->kind == EVENT_RANGE_BEGIN) {
            cr_assert_neq(e->range.id, begin.range.id);
            cr_assert_geq(e->range.time_ns, run_ns);
            begin = *e;
        } else if (e->kind == EVENT_RANGE_END) {
            cr_assert_eq(runs, 2, "only the second has a share for the host");
            cr_assert_eq(e->range.id, begin.range.id);
            cr_assert_eq(e->range.thread, (uint32_t)gettid());
            cr_assert_geq(e->range.time_ns, begin.range.time_ns);
            cr_assert_str_eq(text_of(e->range.name), "host function");
            ranges++;
        } else if (e->kind == EVENT_RUN_END) {
            cr_assert_geq(e->run.time_ns, begin.range.time_ns);
        }
    }
    cr_assert_eq(ranges, 3, "a range a round");
    forget();
}

/* What a replay saves and puts back is what is pinned; a single pass saves nothing. */
Test(workload_child, pins_nothing_where_launches_are_replayed)
{
    static const struct {
        enum run_mode mode;
        bool pins;
    } table[] = {{RUN_TRACE, true}, {RUN_COUNTERS, false}, {RUN_MEMORY, true}, {RUN_LINES, true}};
    char *texts[] = {(char *)"copy-offset,offset=1", (char *)"n-way:2-way,n=1024,rounds=1"};

    unsetenv(WIRE_SOCKET_VARIABLE);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct workload_child_options options = options_of(texts, 2);
        struct error error = {0};

        options.mode = table[i].mode;
        test_device_init(&d);
        cr_assert_eq(workload_child_run(&options, &d.device, &error), 0, "%s", error.text);
        cr_assert_eq(d.host_most[HOST_PINNED] > 0, table[i].pins, "mode %d", (int)table[i].mode);
        cr_assert_eq(d.live, 0);
    }
}

Test(workload_child, exit_statuses)
{
    static const struct {
        const char *text;
        int status;
        const char *part;
    } table[] = {
        {"copy-offzet", 2, "Did you mean 'copy-offset'"},
        {"copy-offset,offset=33", 2, "0..32"},
        {"copy-offset,n=1000", 2, "Give n=1024"},
        {"copy-offset,offset=3", 0, ""},
    };

    unsetenv(WIRE_SOCKET_VARIABLE);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *texts[] = {(char *)table[i].text};
        struct workload_child_options options = options_of(texts, 1);
        struct error error = {0};

        test_device_init(&d);
        cr_assert_eq(workload_child_run(&options, &d.device, &error), table[i].status, "%s: %s",
                     table[i].text, error.text);
        cr_assert(strstr(error.text, table[i].part), "%s: %s", table[i].text, error.text);
    }
}

Test(workload_child, without_a_device_it_ends_with_3)
{
    struct workload_child_options options = options_of(NULL, 0);
    struct error error = {0};

    options.gpu = 4096;
    cr_assert_eq(workload_child_main(&options, &error), 3, "%s", error.text);
    setenv(WIRE_SOCKET_VARIABLE, "/nowhere/socket", 1);
    test_device_init(&d);
    cr_assert_eq(workload_child_run(&options, &d.device, &error), 125, "%s", error.text);
    unsetenv(WIRE_SOCKET_VARIABLE);
}

Test(workload_child, words_are_parsed)
{
    char *good[] = {(char *)"counters", (char *)"cuda",      (char *)"2",
                    (char *)"small",    (char *)"transpose", (char *)"n-way"};
    static const struct {
        const char *word[6];
        int count;
        const char *part;
    } bad[] = {
        {{"trace", "cuda", "0", NULL}, 3, "got 3 words"},
        {{"fast", "cuda", "0", "small"}, 4, "not 'fast'"},
        {{"", "cuda", "0", "small"}, 4, "not ''"},
        {{"trace", "cuda", "-1", "small"}, 4, "not '-1'"},
        {{"trace", "cuda", "0x", "small"}, 4, "not '0x'"},
        {{"trace", "cuda", "", "small"}, 4, "not ''"},
        {{"trace", "cuda", "65536", "small"}, 4, "not '65536'"},
        {{"trace", "cuda", "0", "large"}, 4, "not 'large'"},
        {{"trace", "simt", "0", "small", "--cc", "4.2"}, 6, "there are no rules '4.2'"},
        {{"trace", "simt", "0", "small", "--cc"}, 5, "there are no rules ''"},
        {{"trace", "simt", "0", "small", "--model", "tpu"}, 6, "'tpu'"},
    };
    char *model[] = {(char *)"trace",      (char *)"simt",    (char *)"0",    (char *)"small",
                     (char *)"--model",    (char *)"a100",    (char *)"--cc", (char *)"1.0",
                     (char *)"--no-merge", (char *)"--check", (char *)"--all"};
    struct workload_child_options options;
    struct error error = {0};

    cr_assert_eq(workload_child_parse(6, good, &options, &error), STATUS_OK);
    cr_assert(options.mode == RUN_COUNTERS && options.gpu == 2 && options.small && options.text_count == 2);
    cr_assert_str_eq(options.device, "cuda");
    cr_assert_str_eq(options.texts[1], "n-way");
    cr_assert(!options.model && !options.rules && !options.check && !options.keep_ptx);
    cr_assert_eq(workload_child_parse(11, model, &options, &error), STATUS_OK, "%s", error.text);
    cr_assert_str_eq(options.model->id, "a100");
    cr_assert(options.rules->compute_capability == 10 && options.check && options.keep_ptx);
    cr_assert(options.text_count == 1 && strcmp(options.texts[0], "--all") == 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *words[6];
        for (size_t k = 0; k < 6; k++)
            words[k] = (char *)bad[i].word[k];
        cr_assert_eq(workload_child_parse(bad[i].count, words, &options, &error), STATUS_USAGE);
        cr_assert(strstr(error.text, bad[i].part), "%s", error.text);
    }
}
