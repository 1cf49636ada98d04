/* SPDX-License-Identifier: Apache-2.0 */
/* Announcements, watermarks, and the threads' start and end. */
#include "load.h"

#include "faults.h"
#include "samples.h"

#include "core/hardware/device_info.h"
#include "core/wire/wire_ring.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t load_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t load_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u); /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void nap(int64_t ns)
{
    const struct timespec pause = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    nanosleep(&pause, NULL);
}

/* Is the ring so full that an event might be dropped? A dropped one would be counted, also if it is sent
 * again. */
static bool is_nearly_full(struct wire_producer *producer)
{
    uint64_t count;
    struct wire_ring *ring = wire_producer_ring(producer, &count);
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    return atomic_load_explicit(&ring->head, memory_order_relaxed) - tail > count - count / 8;
}

void load_send(struct load *load, const struct event *event)
{
    while (load->options->wait && is_nearly_full(load->producer)) {
        if (atomic_load_explicit(&load->stop, memory_order_relaxed))
            return;
        nap(100000);
    }
    if (wire_emit(load->producer, event))
        atomic_fetch_add_explicit(&load->sent, 1, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&load->dropped, 1, memory_order_relaxed);
}

void load_shape_name(const struct load *load, uint32_t shape, char *text, size_t size_bytes)
{
    static const char *const names[] = {
        "_Z6reduceIfLj256EEvPKT_PS0_i",
        "_Z15transpose_naivePKfPfi",
        "copy_offset",
        "_ZN4demo6matmulI6__halfLi16EEEvPKT_S4_PfNS_5shapeE",
        "_Z9histogramPKhjPj",
        "_Z4scanIjEvPT_j",
        "_ZN4demo7stencilEPKfPfiii",
        "spmv_csr",
    };
    const uint32_t known = sizeof names / sizeof names[0];
    if (load->options->hostile_names && shape % 2 == 1)
        snprintf(text, size_bytes, "%s", fault_name(shape / 2));
    else if (shape < known)
        snprintf(text, size_bytes, "%s", names[shape]);
    else
        snprintf(text, size_bytes, "_Z%zukernel_%uPfi",
                 strlen("kernel_") + (size_t)snprintf(NULL, 0, "%u", shape), shape);
}

const char *load_counter_name(const struct load *load, uint32_t index)
{
    static const char *const modelled[] = {
        "model.global_load_requests",   "model.global_load_sectors",      "model.global_store_requests",
        "model.global_store_sectors",   "model.shared_load_instructions", "model.shared_load_wavefronts",
        "model.achieved_occupancy_pct", "model.dram_read_bytes",
    };
    static const char *const names[] = {
        "smsp__sass_inst_executed_op_global_ld.sum",
        "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "smsp__sass_inst_executed_op_global_st.sum",
        "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
        "smsp__sass_inst_executed_op_shared_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "dram__bytes_read.sum",
    };
    _Static_assert(sizeof names == sizeof modelled, "the same counters by two names");
    if (index >= sizeof names / sizeof names[0])
        return NULL;
    return load->options->model ? modelled[index] : names[index];
}

double load_counter_number(uint32_t index, uint32_t shape)
{
    return index == 6 ? 37.5 + shape : 1024.0 * shape * (index + 1);
}

static void announce_device(struct load *load, uint32_t ordinal)
{
    struct device_info info = {
        .compute_capability = 90,
        .multiprocessors = 132,
        .max_threads_per_multiprocessor = 2048,
        .max_blocks_per_multiprocessor = 32,
        .max_threads_per_block = 1024,
        .registers_per_multiprocessor = 65536,
        .registers_per_block = 65536,
        .shared_bytes_per_multiprocessor = 233472,
        .shared_bytes_per_block = 49152,
        .shared_bytes_per_block_optin = 232448,
        .shared_bytes_reserved_per_block = 1024,
        .copy_engines = 3,
        .concurrent_kernels = 1,
        .is_model = load->options->model,
    };
    snprintf(info.name, sizeof info.name, "pretended device %u (lanescope-generator)", ordinal);
    wire_emit_blob(load->producer, BLOB_DEVICE, ordinal, &info, sizeof info);
}

static void announce_shape(struct load *load, uint32_t index, uint64_t *random)
{
    static char name[WIRE_BLOB_MAX_BYTES + 8192];
    load_shape_name(load, index, name, sizeof name);
    uint64_t bits = load_random(random);
    const struct event event = {
        .kind = EVENT_SHAPE,
        .shape =
            {
                .id = index + 1,
                .name = wire_string(load->producer, name),
                .grid = {1u + (uint32_t)(bits & 4095), 1u + (uint32_t)(bits >> 12 & 3), 1},
                .block = {(uint16_t)(32u << (bits >> 16 & 3)), 1, 1},
                .registers_per_thread = (uint16_t)(16 + (bits >> 20 & 63)),
                .static_shared_bytes = (uint32_t)(bits >> 26 & 15) * 1024,
                .shared_config_bytes = 102400,
                .cluster = {1, 1, 1},
            },
    };
    load_send(load, &event);
}

static void announce_run(struct load *load)
{
    const struct options *options = load->options;
    load->run = 1;
    const struct event begin = {
        .kind = EVENT_RUN_BEGIN,
        .run =
            {
                .time_ns = load->base_ns,
                .id = load->run,
                .workload = wire_string(load->producer, options->workload),
                .variant = wire_string(load->producer, "generated"),
                .params = wire_string(load->producer, "n=1024"),
                .verified = -1,
                .mode = (uint8_t)options->mode,
                .clock = options->model ? CLOCK_MODEL : CLOCK_WALL,
                .effective_bytes = 8388608,
                .kernel = wire_string(load->producer, "copy_offset"),
            },
    };
    load_send(load, &begin);
    const struct event expected = {
        .kind = EVENT_EXPECTED,
        .expected =
            {
                .run = load->run,
                .kernel = wire_string(load->producer, "copy_offset"),
                .metric = wire_string(load->producer, "global_load_sectors_per_request"),
                .number = 4,
            },
    };
    load_send(load, &expected);
}

void load_announce(struct load *load)
{
    const struct options *options = load->options;
    uint64_t random = options->seed;
    load->names.launch = wire_string(load->producer, "cudaLaunchKernel");
    load->names.copy = wire_string(load->producer, "cudaMemcpyAsync");
    load->names.set = wire_string(load->producer, "cudaMemsetAsync");
    load->names.sync = wire_string(load->producer, "cudaStreamSynchronize");
    load->names.alloc = wire_string(load->producer, "cudaMalloc");
    load->names.domain = wire_string(load->producer, "generator");
    load->names.overhead = wire_string(load->producer, "resource");
    for (uint32_t i = 0; i < options->devices; i++)
        announce_device(load, i);
    for (uint32_t i = 0; i < options->contexts; i++) {
        const struct event event = {
            .kind = EVENT_CONTEXT, .device = (uint16_t)(i % options->devices), .context = {.context = i + 1}};
        load_send(load, &event);
    }
    uint32_t streams = options->streams > options->threads ? options->streams : options->threads;
    for (uint32_t i = 0; i < streams; i++) {
        const struct event event = {
            .kind = EVENT_STREAM,
            .flags = STREAM_NON_BLOCKING,
            .stream = {.context = 1 + (LOAD_FIRST_STREAM + i) % options->contexts,
                       .stream = LOAD_FIRST_STREAM + i,
                       .priority = -(int32_t)(i % 3)},
        };
        load_send(load, &event);
    }
    for (uint32_t i = 0; i < options->shapes; i++)
        announce_shape(load, i, &random);
    if (options->workload)
        announce_run(load);
    samples_announce(load);
}

static int64_t done_ns(const struct load *load)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < load->options->threads; i++) {
        int64_t its = load_thread_done_ns(load_thread_at(load->threads, i));
        if (its < least)
            least = its;
    }
    return least;
}

static void send_watermark(struct load *load)
{
    load->done_ns = done_ns(load);
    const struct event event = {.kind = EVENT_WATERMARK, .watermark = {.time_ns = load->done_ns}};
    load_send(load, &event);
}

bool load_run(struct load *load)
{
    const struct options *options = load->options;
    pthread_t threads[256];
    uint32_t started = 0;
    bool listening = true;
    load->threads = load_threads_create(load);
    if (!load->threads) {
        fputs("lanescope-generator: out of memory.\n", stderr);
        return true;
    }
    atomic_store(&load->running, options->threads);
    while (started < options->threads && pthread_create(&threads[started], NULL, load_thread_run,
                                                        load_thread_at(load->threads, started)) == 0)
        started++;
    atomic_fetch_sub(&load->running, options->threads - started);

    int64_t begin_ns = load_clock_ns();
    int64_t next_ns = begin_ns;
    while (atomic_load(&load->running) > 0 && listening) {
        nap(1000000);
        int64_t now_ns = load_clock_ns();
        if (options->duration_s > 0 && (double)(now_ns - begin_ns) >= options->duration_s * 1e9)
            atomic_store(&load->stop, true);
        if (now_ns < next_ns)
            continue;
        if (options->until && access(options->until, F_OK) == 0)
            atomic_store(&load->stop, true);
        next_ns = now_ns + (int64_t)options->watermark_ms * 1000000;
        samples_send(load, now_ns);
        if (options->base_ns == 0) /* its place among the events would differ from run to run */
            send_watermark(load);
        listening = !wire_producer_orphaned(load->producer);
    }
    atomic_store(&load->stop, true);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    samples_send(load, load_clock_ns());
    send_watermark(load);
    load_threads_destroy(load->threads, options->threads);
    load->threads = NULL;
    return listening;
}

int64_t load_end_ns(const struct load *load)
{
    return load->options->base_ns ? load->done_ns : load_clock_ns();
}

void load_conclude(struct load *load)
{
    if (!load->options->workload)
        return;
    const struct event end = {
        .kind = EVENT_RUN_END,
        .run = {.time_ns = load_end_ns(load), .id = load->run, .verified = 1},
    };
    load_send(load, &end);
}
