/* SPDX-License-Identifier: Apache-2.0 */
/* The device ops of the model: what they refuse, what they tell, graphs, events, and that a run repeats. */
#include "tests/shared/made/model_log.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 4096

struct bench {
    struct model_log log;
    struct device *device;
    const struct device_ops *ops;
    struct error error;
    float host[WORDS];
    device_pointer in, out;
};

static void bench_open(struct bench *bench, const struct simt_options *options)
{
    memset(bench, 0, sizeof *bench);
    bench->device = model_log_device(&bench->log, options);
    bench->ops = bench->device->ops;
    for (size_t i = 0; i < WORDS; i++)
        bench->host[i] = (float)i;
    cr_assert_eq(bench->ops->memory_alloc(bench->device, sizeof bench->host, &bench->in, &bench->error),
                 STATUS_OK);
    cr_assert_eq(bench->ops->memory_alloc(bench->device, sizeof bench->host, &bench->out, &bench->error),
                 STATUS_OK);
    cr_assert_eq(bench->ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, bench->in,
                                  device_host_address(bench->host), sizeof bench->host, 0, false,
                                  &bench->error),
                 STATUS_OK);
}

static void bench_close(struct bench *bench)
{
    bench->device->ops->close(bench->device);
    model_log_check(&bench->log);
    model_log_fini(&bench->log);
}

/* out[i] = in[i], or fewer words */
static enum status copy_launch_of(struct bench *bench, uint32_t words, uint32_t block, uint64_t stream)
{
    uint32_t offset = 0;
    const struct device_launch launch = {.image = "copy_offset",
                                         .kernel = "copy_offset",
                                         .grid = {words / block, 1, 1},
                                         .block = {block, 1, 1},
                                         .arguments = (void *[]){&bench->out, &bench->in, &offset},
                                         .stream = stream};

    return bench->ops->launch(bench->device, &launch, &bench->error);
}

static enum status copy_launch(struct bench *bench, uint32_t words, uint64_t stream)
{
    return copy_launch_of(bench, words, 256, stream);
}

/* How many words of the output are the input's. */
static uint32_t words_copied(struct bench *bench)
{
    static float found[WORDS];
    uint32_t count = 0;

    cr_assert_eq(bench->ops->copy(bench->device, DEVICE_COPY_TO_HOST, device_host_address(found), bench->out,
                                  sizeof found, 0, false, &bench->error),
                 STATUS_OK);
    while (count < WORDS && (found[count] == (float)count && (count == 0 || found[count] != 0)))
        count++;
    return count;
}

static size_t count_of(const struct model_log *log, enum event_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < log->count; i++)
        count += log->events[i].kind == kind;
    return count;
}

static const struct event *last_of(const struct model_log *log, enum event_kind kind)
{
    const struct event *found = NULL;

    for (size_t i = 0; i < log->count; i++)
        found = log->events[i].kind == kind ? &log->events[i] : found;
    return found;
}

Test(simt_device, a_launch_is_told)
{
    struct bench bench;
    const struct event *e;

    bench_open(&bench, &(struct simt_options){.workers = 1, .epoch_ns = 5000000, .ordinal = 3});
    cr_assert_eq(copy_launch(&bench, WORDS, 0), STATUS_OK, "%s", bench.error.text);
    cr_assert_eq(bench.ops->sync(bench.device, &bench.error), STATUS_OK);
    cr_assert_eq(words_copied(&bench), WORDS);

    e = last_of(&bench.log, EVENT_KERNEL);
    cr_assert_not_null(e);
    cr_assert(e->device == 3 && e->kernel.start_ns > 5000000 && e->kernel.end_ns > e->kernel.start_ns);
    cr_assert_leq(e->kernel.end_ns, simt_device_now_ns(bench.device));
    cr_assert_float_eq((double)(e->kernel.end_ns - e->kernel.start_ns), bench.log.last_ns, 1);
    uint32_t correlation = e->kernel.correlation;
    e = last_of(&bench.log, EVENT_SHAPE);
    cr_assert_str_eq(bench.log.strings[e->shape.name - 1], "copy_offset");
    cr_assert(e->shape.grid[0] == WORDS / 256 && e->shape.block[0] == 256 &&
              e->shape.registers_per_thread > 0);
    e = last_of(&bench.log, EVENT_STREAM);
    cr_assert(e->flags == STREAM_DEFAULT);
    e = last_of(&bench.log, EVENT_CALL_BEGIN);
    cr_assert(e->call.correlation == correlation && e->call.category == CALL_LAUNCH && e->call.shape);
    cr_assert_str_eq(bench.log.strings[e->call.name - 1], "cuLaunchKernel");
    e = last_of(&bench.log, EVENT_SYNC);
    cr_assert(e->sync.sync_kind == SYNC_CONTEXT);
    e = last_of(&bench.log, EVENT_WATERMARK);
    cr_assert(e && e->watermark.time_ns >= last_of(&bench.log, EVENT_KERNEL)->kernel.end_ns);
    bench_close(&bench);
}

/* Each block takes the driver's 1 KiB of shared memory, also one that uses none: what is set aside has room
 * for as many as the other limits let in, as on an H200 (tests/data/curriculum_h200.lsr has 32 KiB for blocks
 * of 64). */
Test(simt_device, blocks_without_shared_memory_all_fit)
{
    static const struct {
        uint32_t block, blocks;
    } wanted[] = {{32, 32}, {64, 32}, {128, 16}, {256, 8}, {1024, 2}};
    struct bench bench;

    bench_open(&bench, NULL);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        cr_assert_eq(copy_launch_of(&bench, WORDS, wanted[i].block, 0), STATUS_OK, "%s", bench.error.text);
        const struct event *e = last_of(&bench.log, EVENT_SHAPE);
        cr_assert_eq(e->shape.block[0], wanted[i].block);
        cr_assert_geq(e->shape.shared_config_bytes, wanted[i].blocks * 1024);
        cr_assert_leq(e->shape.shared_config_bytes, 32 * 1024);
    }
    bench_close(&bench);
}

Test(simt_device, values_of_a_launch)
{
    static const struct {
        enum metric metric;
        double number;
    } wanted[] = {
        {METRIC_global_load_requests, WORDS / 32},
        {METRIC_global_load_sectors, WORDS / 8},
        {METRIC_global_store_sectors, WORDS / 8},
        {METRIC_shared_load_instructions, 0},
        {METRIC_active_threads_per_warp, 32},
        {METRIC_dram_read_bytes, WORDS * 4},
        {METRIC_dram_write_bytes, 0}, /* still in L2 */
        {METRIC_l1_hit_pct, 0},
        {METRIC_l2_hit_pct, 50},
        {METRIC_l2_bytes, 2 * WORDS * 4}, /* loaded and stored */
    };
    struct bench bench;
    size_t found = 0;

    bench_open(&bench, NULL);
    cr_assert_eq(copy_launch(&bench, WORDS, 0), STATUS_OK, "%s", bench.error.text);
    cr_assert_eq(bench.ops->sync(bench.device, &bench.error), STATUS_OK);
    for (size_t i = 0; i < bench.log.count; i++) {
        const struct event *e = &bench.log.events[i];
        if (e->kind != EVENT_VALUE)
            continue;
        const char *id = bench.log.strings[e->value.counter - 1] + strlen(METRIC_MODEL_PREFIX);
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
            if (metric_find(id) == wanted[k].metric) {
                cr_assert_float_eq(e->value.number, wanted[k].number, 1e-9, "%s: %g", id, e->value.number);
                found++;
            }
        }
        if (metric_find(id) == METRIC_achieved_occupancy_pct)
            cr_assert_float_eq(e->value.number, bench.log.achieved_occupancy_pct, 1e-9);
    }
    cr_assert_eq(found, sizeof wanted / sizeof *wanted);
    bench_close(&bench);
}

Test(simt_device, the_same_run_tells_the_same)
{
    struct model_log logs[2] = {0};

    for (uint32_t i = 0; i < 2; i++) {
        struct device *device = model_log_device(&logs[i], &(struct simt_options){.workers = 1 + 2 * i});
        model_log_run(device, NULL, "n-way:4-way,n=65536,rounds=16", true);
        model_log_run(device, NULL, "transpose:naive", true);
        device->ops->close(device);
    }
    cr_assert_eq(logs[0].count, logs[1].count);
    for (size_t i = 0; i < logs[0].count; i++)
        cr_assert_eq(memcmp(&logs[0].events[i], &logs[1].events[i], sizeof(struct event)), 0, "event %zu", i);
    model_log_fini(&logs[0]);
    model_log_fini(&logs[1]);
}

Test(simt_device, time_between_events)
{
    struct bench bench;
    uint64_t start, end, never, stream;
    double ns;

    bench_open(&bench, NULL);
    cr_assert_eq(bench.ops->stream_create(bench.device, true, &stream, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->event_create(bench.device, &start, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->event_create(bench.device, &end, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->event_create(bench.device, &never, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->event_record(bench.device, start, stream, &bench.error), STATUS_OK);
    cr_assert_eq(copy_launch(&bench, WORDS, stream), STATUS_OK);
    cr_assert_eq(bench.ops->event_record(bench.device, end, stream, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->event_elapsed(bench.device, start, end, &ns, &bench.error), STATUS_OK);
    cr_assert(ns >= bench.log.last_ns - 1 && ns < bench.log.last_ns + 20000, "%g ns for a kernel of %g", ns,
              bench.log.last_ns);
    cr_assert_eq(bench.ops->event_elapsed(bench.device, start, never, &ns, &bench.error), STATUS_STATE);
    cr_assert_eq(bench.ops->event_wait(bench.device, stream, never, &bench.error), STATUS_OK,
                 "as CUDA has it");
    cr_assert_eq(bench.ops->event_destroy(bench.device, end, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->event_record(bench.device, end, stream, &bench.error), STATUS_STATE);
    bench_close(&bench);
}

/* A program that never destroys what it creates: one more costs the same as the first (the limit of time is what fails). */
Test(simt_device, many_streams_and_events, .timeout = 20)
{
    enum { MANY = 200000 };
    struct bench bench;
    uint64_t stream = 0, event = 0, again, before = 0;

    bench_open(&bench, NULL);
    for (int i = 0; i < MANY; i++) {
        cr_assert_eq(bench.ops->stream_create(bench.device, i % 2 == 0, &stream, &bench.error), STATUS_OK);
        cr_assert_gt(stream, before, "no two of them have one handle");
        before = stream;
        cr_assert_eq(bench.ops->event_create(bench.device, &event, &bench.error), STATUS_OK);
        cr_assert_eq(event, (uint64_t)i + 1);
        if (i % 1000 == 0)
            cr_assert_eq(bench.ops->event_record(bench.device, event, stream, &bench.error), STATUS_OK);
    }
    cr_assert_eq(bench.ops->event_destroy(bench.device, 7, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->event_record(bench.device, 7, stream, &bench.error), STATUS_STATE);
    cr_assert_eq(bench.ops->event_create(bench.device, &again, &bench.error), STATUS_OK);
    cr_assert_eq(again, 7, "what is destroyed makes room");
    cr_assert_eq(bench.ops->event_create(bench.device, &again, &bench.error), STATUS_OK);
    cr_assert_eq(again, MANY + 1);
    cr_assert_eq(bench.ops->stream_destroy(bench.device, 100, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->stream_create(bench.device, true, &again, &bench.error), STATUS_OK);
    cr_assert_eq(again, 100);
    cr_assert_eq(bench.ops->stream_create(bench.device, true, &again, &bench.error), STATUS_OK);
    cr_assert_eq(again, before + 1);
    bench_close(&bench);
}

Test(simt_device, a_graph_runs_when_it_is_launched)
{
    struct bench bench;
    uint64_t stream, graph;

    bench_open(&bench, NULL);
    cr_assert_eq(bench.ops->stream_create(bench.device, false, &stream, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->graph_begin(bench.device, stream, &bench.error), STATUS_OK);
    cr_assert_eq(copy_launch(&bench, WORDS / 2, stream), STATUS_OK);
    cr_assert_eq(copy_launch(&bench, WORDS, stream), STATUS_OK);
    cr_assert_eq(bench.ops->graph_end(bench.device, stream, &graph, &bench.error), STATUS_OK);
    cr_assert_eq(words_copied(&bench), 1, "nothing has run: zeros");
    cr_assert_eq(bench.log.launches, 0);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(bench.ops->graph_launch(bench.device, graph, stream, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->stream_sync(bench.device, stream, &bench.error), STATUS_OK);
    cr_assert_eq(words_copied(&bench), WORDS);
    cr_assert_eq(count_of(&bench.log, EVENT_KERNEL), 6);
    cr_assert_neq(last_of(&bench.log, EVENT_KERNEL)->kernel.graph, 0);
    cr_assert_eq(last_of(&bench.log, EVENT_KERNEL)->kernel.graph_node, 2);
    cr_assert_eq(bench.ops->graph_destroy(bench.device, graph, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->graph_launch(bench.device, graph, stream, &bench.error), STATUS_STATE);
    bench_close(&bench);
}

Test(simt_device, the_default_stream_of_no_gpu_is_captured)
{
    struct bench bench;
    uint64_t graph;

    bench_open(&bench, &(struct simt_options){.workers = 1, .gpus = 2});
    cr_assert_eq(simt_device_graph_create(bench.device, &graph, &bench.error), STATUS_OK);
    for (uint32_t gpu = 0; gpu < 2; gpu++) {
        simt_device_select(bench.device, gpu);
        cr_expect_eq(simt_device_graph_capture(bench.device, graph, DEVICE_STREAM_DEFAULT, &bench.error),
                     STATUS_USAGE, "GPU %u", gpu);
    }
    bench_close(&bench);
}

Test(simt_device, the_host_waits_when_the_queue_is_full)
{
    struct bench bench;
    int64_t before;

    bench_open(&bench, NULL);
    before = simt_device_now_ns(bench.device);
    for (int i = 0; i < 1100; i++)
        cr_assert_eq(bench.ops->set(bench.device, bench.out, 0, sizeof bench.host, 0, &bench.error),
                     STATUS_OK);
    cr_assert_eq(bench.ops->sync(bench.device, &bench.error), STATUS_OK);
    cr_assert_eq(count_of(&bench.log, EVENT_SET), 1100);
    cr_assert_gt(simt_device_now_ns(bench.device), before);
    bench_close(&bench);
}

static void host_work(void *argument)
{
    *(int *)argument += 1;
}

Test(simt_device, refusals_are_sentences)
{
    struct bench bench;
    device_pointer pointer;
    uint64_t handle = 0;
    int calls = 0;
    double ns;
    void *host;

    bench_open(&bench, NULL);
    struct device *d = bench.device;
    const struct device_ops *ops = bench.ops;
    struct error *e = &bench.error;
    const struct device_launch unknown_image = {
        .image = "none", .kernel = "none", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    const struct device_launch unknown_kernel = {
        .image = "copy_offset", .kernel = "none", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    const struct {
        enum status status, found;
    } cases[] = {
        {STATUS_MEMORY, ops->memory_alloc(d, SIZE_MAX / 4, &pointer, e)},
        {STATUS_STATE, ops->stream_sync(d, 77, e)},
        {STATUS_STATE, ops->stream_destroy(d, 1, e)},
        {STATUS_USAGE, ops->stream_destroy(d, 0, e)},
        {STATUS_STATE, ops->event_record(d, 5, 0, e)},
        {STATUS_STATE, ops->event_elapsed(d, 1, 2, &ns, e)},
        {STATUS_STATE, ops->launch(d, &unknown_image, e)},
        {STATUS_STATE, ops->graph_end(d, DEVICE_STREAM_PER_THREAD, &handle, e)},
        {STATUS_USAGE, ops->graph_begin(d, 0, e)},
        {STATUS_STATE, ops->host_pointer(d, &calls, &pointer, e)},
        {STATUS_STATE, ops->symbol(d, "copy_offset", "none", &pointer, NULL, e)},
        {STATUS_USAGE, ops->texture_create(d, &(struct device_texture){.width = 1}, &handle, e)},
        {STATUS_STATE, ops->texture_destroy(d, 12345, e)},
        {STATUS_UNSUPPORTED, ops->peer_enable(d, d, true, e)},
        {STATUS_STATE, ops->host_free(d, HOST_PINNED, &calls, e)},
        {STATUS_CHECK, ops->set(d, bench.in, 0, sizeof bench.host + 1, 0, e)},
        {STATUS_CHECK, ops->copy(d, DEVICE_COPY_ON_DEVICE, bench.in, bench.in - 4096, 16, 0, false, e)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(cases[i].found, cases[i].status, "case %zu: %d", i, cases[i].found);
    const struct device_launch no_arguments = {
        .image = "copy_offset", .kernel = "copy_offset", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    cr_assert_eq(ops->launch(d, &no_arguments, e), STATUS_USAGE);
    cr_assert_neq(ops->launch(d, &unknown_kernel, e), STATUS_OK);
    cr_assert_not_null(strstr(e->text, "none"), "%s", e->text);

    /* And goes on to work. */
    cr_assert_eq(ops->host_function(d, 0, host_work, &calls, e), STATUS_OK);
    cr_assert_eq(calls, 1);
    cr_assert_eq(ops->host_alloc(d, 100, HOST_MAPPED, &host, e), STATUS_OK);
    cr_assert_eq(ops->host_pointer(d, (char *)host + 4, &pointer, e), STATUS_OK);
    cr_assert_eq(ops->host_free(d, HOST_MAPPED, host, e), STATUS_OK);
    cr_assert_eq(ops->host_alloc(d, 100, HOST_REGISTERED, &host, e), STATUS_OK); /* close frees it */
    cr_assert_eq(copy_launch(&bench, WORDS, DEVICE_STREAM_PER_THREAD), STATUS_OK, "%s", e->text);
    bench_close(&bench);
}

/* Host time of a copy of pageable memory to the device, behind a copy that takes 77 us. */
static int64_t copy_call_ns(struct bench *bench, device_pointer to, const void *pinned, const void *pageable,
                            size_t bytes)
{
    const struct device_ops *ops = bench->ops;

    cr_assert_eq(ops->sync(bench->device, &bench->error), STATUS_OK);
    cr_assert_eq(ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, to, device_host_address(pinned), 4 << 20, 0,
                           true, &bench->error),
                 STATUS_OK);
    int64_t begin_ns = simt_device_now_ns(bench->device);
    cr_assert_eq(ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, to, device_host_address(pageable), bytes, 0,
                           true, &bench->error),
                 STATUS_OK);
    return simt_device_now_ns(bench->device) - begin_ns;
}

Test(simt_device, small_copies_of_pageable_memory_do_not_wait)
{
    struct bench bench;
    device_pointer to;
    void *pinned, *pageable = calloc(1, 4 << 20);

    bench_open(&bench, NULL);
    cr_assert_eq(bench.ops->memory_alloc(bench.device, 4 << 20, &to, &bench.error), STATUS_OK);
    cr_assert_eq(bench.ops->host_alloc(bench.device, 4 << 20, HOST_PINNED, &pinned, &bench.error), STATUS_OK);
    memset(pinned, 0, 4 << 20);
    int64_t small = copy_call_ns(&bench, to, pinned, pageable, 64 << 10);
    int64_t staged = copy_call_ns(&bench, to, pinned, pageable, 256 << 10);
    int64_t large = copy_call_ns(&bench, to, pinned, pageable, 4 << 20);
    cr_expect_lt(small, 10000, "%lld ns", (long long)small);
    cr_expect(staged > 70000 && staged < 110000, "%lld ns",
              (long long)staged);                             /* the copy before, and staging */
    cr_expect_gt(large, 300000, "%lld ns", (long long)large); /* and its own end */
    cr_assert_eq(bench.ops->host_free(bench.device, HOST_PINNED, pinned, &bench.error), STATUS_OK);
    free(pageable);
    bench_close(&bench);
}

/* As an H100 took (driver 580); the mean of 20 in a row, and one large one. */
Test(simt_device, memory_costs_what_it_took_on_a_gpu)
{
    static const struct {
        size_t bytes, count;
        double alloc_us, free_us;
    } rows[] = {{4, 20, 7.6, 5.8},
                {4, 1, 41, 37},
                {1 << 20, 1, 22, 17},
                {(size_t)16 << 20, 1, 39, 40},
                {(size_t)256 << 20, 1, 53, 117},
                {(size_t)1 << 30, 1, 110, 371}};
    struct model_log log = {0};
    struct error error;
    struct device *device = model_log_device(&log, NULL);
    device_pointer pointers[20];

    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        int64_t begin_ns = simt_device_now_ns(device);
        for (size_t i = 0; i < rows[row].count; i++)
            cr_assert_eq(device->ops->memory_alloc(device, rows[row].bytes, &pointers[i], &error), STATUS_OK);
        int64_t between_ns = simt_device_now_ns(device);
        for (size_t i = 0; i < rows[row].count; i++)
            cr_assert_eq(device->ops->memory_free(device, pointers[i], &error), STATUS_OK);
        double count = 1000.0 * (double)rows[row].count;
        cr_expect_float_eq((double)(between_ns - begin_ns) / count, rows[row].alloc_us, 0.1, "%zu", row);
        cr_expect_float_eq((double)(simt_device_now_ns(device) - between_ns) / count, rows[row].free_us, 0.1,
                           "%zu", row);
    }
    device->ops->close(device);
    model_log_fini(&log);
}

Test(simt_device, a_pool_reuses_its_memory)
{
    struct bench bench;
    const struct device_ops *ops;
    device_pointer pointer;
    int64_t call_ns[3];

    bench_open(&bench, NULL);
    ops = bench.ops;
    struct simt_live before = simt_device_live(bench.device);
    for (size_t i = 0; i < 3; i++) {
        int64_t begin_ns = simt_device_now_ns(bench.device);
        cr_assert_eq(ops->memory_alloc_async(bench.device, (size_t)4096 << i / 2, 0, &pointer, &bench.error),
                     STATUS_OK);
        call_ns[i] = simt_device_now_ns(bench.device) - begin_ns;
        cr_assert_eq(ops->memory_free_async(bench.device, pointer, 0, &bench.error), STATUS_OK);
    }
    cr_expect_lt(call_ns[1] * 10, call_ns[0]); /* the second fits into what the first freed */
    cr_expect_eq(call_ns[2], call_ns[0]);      /* the third is larger */
    cr_expect_eq(simt_device_live(bench.device).bytes, before.bytes);
    cr_expect_eq(ops->memory_free_async(bench.device, pointer, 0, &bench.error), STATUS_CHECK);
    cr_expect_eq(ops->memory_alloc_async(bench.device, 16, 77, &pointer, &bench.error), STATUS_STATE);
    bench_close(&bench);
}

Test(simt_device, an_access_outside_stops_the_kernel)
{
    struct bench bench;
    uint32_t offset = 1u << 20;

    bench_open(&bench, NULL);
    const struct device_launch launch = {.image = "copy_offset",
                                         .kernel = "copy_offset",
                                         .grid = {1, 1, 1},
                                         .block = {32, 1, 1},
                                         .arguments = (void *[]){&bench.out, &bench.in, &offset}};
    cr_assert_eq(bench.ops->launch(bench.device, &launch, &bench.error), STATUS_CHECK);
    cr_assert_not_null(strstr(bench.error.text, "out of bounds"), "%s", bench.error.text);
    cr_assert(isnan(bench.log.last_ns));
    cr_assert_eq(bench.log.launches, 1);
    cr_assert_eq(count_of(&bench.log, EVENT_KERNEL), 0);
    bench.device->ops->close(bench.device);
    model_log_fini(&bench.log);
}
