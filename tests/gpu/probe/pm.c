/* SPDX-License-Identifier: Apache-2.0 */
/* pm: the probe of PM sampling. Runs no kernels; something else shall use the GPU meanwhile.
 *   pm life                          every call once, with its time; starting again, another interval,
 * enabling again pm lag                           1 ms: how old the newest sample is when it can be decoded
 *   pm cost                          what decoding and evaluating cost, by metrics, by slots of the image
 *   pm size METRICS INTERVAL_NS      bytes of the hardware buffer that a sample takes
 *   pm burst INTERVAL_NS MS COUNT    bursts after one another, Start and Stop on one object
 *   pm ring                          is room that was decoded used again? a buffer of 1 MB, either mode
 *   pm hold S                        sample for S seconds (with a second pm: who is told what)
 */
#include "cupti/load/load.h"
#include "cupti/profiler/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const all[] = {"sm__warps_active.avg.pct_of_peak_sustained_active",
                                  "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                                  "dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
                                  "dram__write_throughput.avg.pct_of_peak_sustained_elapsed",
                                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                                  "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                  "lts__t_sectors.sum",
                                  "pcie__read_bytes.sum",
                                  "pcie__write_bytes.sum",
                                  "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
                                  "gr__cycles_active.avg.pct_of_peak_sustained_elapsed",
                                  "tpc__warps_active_shader_cs_realtime.avg"};
#define ALL (sizeof all / sizeof *all)

static struct cupti c;
static CUpti_PmSampling_Object *object;
static struct plan *plan;
static uint8_t *image;
static size_t image_bytes;

static int64_t clock_of(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double ms_since(int64_t since)
{
    return (double)(clock_of(CLOCK_MONOTONIC) - since) / 1e6;
}

static void sleep_ms(double ms)
{
    const struct timespec t = {.tv_sec = (time_t)(ms / 1e3), .tv_nsec = (long)(fmod(ms, 1e3) * 1e6)};
    nanosleep(&t, NULL);
}

/* A call, its time and what it said. */
#define CALL(what, call)                                                                       \
    ({                                                                                         \
        int64_t since_ = clock_of(CLOCK_MONOTONIC);                                            \
        CUptiResult result_ = (call);                                                          \
        if (!quiet || result_)                                                                 \
            printf("  %-28s %9.3f ms  %s\n", what, ms_since(since_), cupti_text(&c, result_)); \
        result_;                                                                               \
    })
static int quiet;

/* Without asking which counters are available: that takes 0.15 to 0.3 s. */
static void open_plan(size_t metrics)
{
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    struct error error;
    static int initialised;
    if (!initialised)
        CALL("ProfilerInitialize", c.cuptiProfilerInitialize(&start));
    initialised = 1;
    CALL("GetChipName", c.cuptiDeviceGetChipName(&chip));
    struct plan_request request = {
        .cupti_path = c.path, .chip = chip.pChipName, .names = all, .count = metrics, .sampling = true};
    int64_t since = clock_of(CLOCK_MONOTONIC);
    if (plan_create(&plan, &request, &error)) {
        printf("no plan: %s\n", error.text);
        exit(1);
    }
    if (!quiet)
        printf("  plan: %zu metrics, %zu passes, %.3f ms\n", plan_count(plan), plan_passes(plan),
               ms_since(since));
}

static CUptiResult enable(void)
{
    CUpti_PmSampling_Enable_Params params = {.structSize = CUpti_PmSampling_Enable_Params_STRUCT_SIZE};
    CUptiResult result = CALL("Enable", c.cuptiPmSamplingEnable(&params));
    object = params.pPmSamplingObject;
    return result;
}

static CUptiResult configure(size_t buffer, uint64_t interval, int oldest)
{
    CUpti_PmSampling_SetConfig_Params params = {
        .structSize = CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE,
        .pPmSamplingObject = object,
        .hardwareBufferSize = buffer,
        .samplingInterval = interval,
        .triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL,
        .hwBufferAppendMode = oldest ? CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST
                                     : CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_LATEST};
    params.pConfig = plan_config(plan, &params.configSize);
    return CALL("SetConfig", c.cuptiPmSamplingSetConfig(&params));
}

static CUptiResult clear_image(void)
{
    CUpti_PmSampling_CounterDataImage_Initialize_Params params = {
        .structSize = CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pPmSamplingObject = object,
        .counterDataSize = image_bytes,
        .pCounterData = image};
    return c.cuptiPmSamplingCounterDataImageInitialize(&params);
}

static CUptiResult make_image(uint32_t slots)
{
    CUpti_PmSampling_GetCounterDataSize_Params params = {
        .structSize = CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE,
        .pPmSamplingObject = object,
        .pMetricNames = plan_names(plan),
        .numMetrics = plan_count(plan),
        .maxSamples = slots};
    CUptiResult result = CALL("GetCounterDataSize", c.cuptiPmSamplingGetCounterDataSize(&params));
    free(image);
    image_bytes = params.counterDataSize;
    image = malloc(image_bytes + 1);
    if (!quiet)
        printf("  image of %u slots: %zu bytes, %zu a slot\n", slots, image_bytes, image_bytes / slots);
    return result ? result : CALL("ImageInitialize", clear_image());
}

static CUptiResult start(void)
{
    CUpti_PmSampling_Start_Params params = {.structSize = CUpti_PmSampling_Start_Params_STRUCT_SIZE,
                                            .pPmSamplingObject = object};
    return CALL("Start", c.cuptiPmSamplingStart(&params));
}

static CUptiResult stop(void)
{
    CUpti_PmSampling_Stop_Params params = {.structSize = CUpti_PmSampling_Stop_Params_STRUCT_SIZE,
                                           .pPmSamplingObject = object};
    return CALL("Stop", c.cuptiPmSamplingStop(&params));
}

static CUptiResult disable(void)
{
    CUpti_PmSampling_Disable_Params params = {.structSize = CUpti_PmSampling_Disable_Params_STRUCT_SIZE,
                                              .pPmSamplingObject = object};
    return CALL("Disable", c.cuptiPmSamplingDisable(&params));
}

struct taken {
    size_t samples, rounds, empty;
    double decode_us, evaluate_us, clear_us;
    int64_t first_start, first_end, second_start, last_start, last_end;
    int64_t shortest, longest; /* but the first */
    double lag_ms_least, lag_ms_most, lag_ms_sum;
    int overflow, reason;
    CUptiResult result;
};

/* One decode into a fresh image; its samples are evaluated when `evaluate`, one in `evaluate`. */
static size_t take(struct taken *t, int evaluate, int show)
{
    CUpti_PmSampling_DecodeData_Params decode = {.structSize = CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE,
                                                 .pPmSamplingObject = object,
                                                 .pCounterDataImage = image,
                                                 .counterDataImageSize = image_bytes};
    CUpti_PmSampling_GetCounterDataInfo_Params info = {
        .structSize = CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = image,
        .counterDataImageSize = image_bytes};
    double values[ALL];
    struct error error;
    int64_t since = clock_of(CLOCK_MONOTONIC);
    clear_image();
    t->clear_us += ms_since(since) * 1e3;
    since = clock_of(CLOCK_MONOTONIC);
    t->result = c.cuptiPmSamplingDecodeData(&decode);
    t->decode_us += ms_since(since) * 1e3;
    t->rounds++;
    t->overflow |= decode.overflow;
    t->reason = (int)decode.decodeStopReason;
    if (t->result)
        return 0;
    c.cuptiPmSamplingGetCounterDataInfo(&info);
    t->empty += info.numCompletedSamples == 0;
    for (size_t i = 0; i < info.numCompletedSamples; i++) {
        CUpti_PmSampling_CounterData_GetSampleInfo_Params at = {
            .structSize = CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE,
            .pPmSamplingObject = object,
            .pCounterDataImage = image,
            .counterDataImageSize = image_bytes,
            .sampleIndex = i};
        c.cuptiPmSamplingCounterDataGetSampleInfo(&at);
        int64_t start_ns = (int64_t)at.startTimestamp, end_ns = (int64_t)at.endTimestamp;
        if (t->samples == 0)
            t->first_start = start_ns, t->first_end = end_ns;
        else {
            if (t->samples == 1)
                t->second_start = start_ns;
            if (end_ns - start_ns < t->shortest)
                t->shortest = end_ns - start_ns;
            if (end_ns - start_ns > t->longest)
                t->longest = end_ns - start_ns;
        }
        t->last_start = start_ns;
        t->last_end = end_ns;
        if (evaluate && t->samples % (size_t)evaluate == 0) {
            since = clock_of(CLOCK_MONOTONIC);
            plan_evaluate(plan, image, image_bytes, i, values, &error);
            t->evaluate_us += ms_since(since) * 1e3;
            if (show > 0 && t->samples < (size_t)show) {
                printf("    %6zu %+10lld ns %8lld:", t->samples, (long long)(start_ns - t->first_end),
                       (long long)(end_ns - start_ns));
                for (size_t k = 0; k < plan_count(plan); k++)
                    printf(" %.4g", values[k]);
                printf("\n");
            }
        }
        t->samples++;
    }
    if (info.numCompletedSamples > 0) {
        double lag = (double)(clock_of(CLOCK_REALTIME) - t->last_end) / 1e6;
        t->lag_ms_least = lag < t->lag_ms_least ? lag : t->lag_ms_least;
        t->lag_ms_most = lag > t->lag_ms_most ? lag : t->lag_ms_most;
        t->lag_ms_sum += lag;
    }
    return info.numCompletedSamples;
}

static void begin(struct taken *t)
{
    *t = (struct taken){.shortest = INT64_MAX, .lag_ms_least = 1e9};
}

static void tell(const char *what, const struct taken *t)
{
    double n = t->samples ? (double)t->samples : 1, rounds = t->rounds ? (double)t->rounds : 1;
    printf("%s: %zu samples in %zu decodes (%zu empty), reason %d, overflow %d, %s\n", what, t->samples,
           t->rounds, t->empty, t->reason, t->overflow, cupti_text(&c, t->result));
    printf("   us a sample: decode %.1f evaluate %.1f; image init %.1f us each; lengths %lld to %lld ns, the "
           "first %lld ns\n",
           t->decode_us / n, t->evaluate_us / n, t->clear_us / rounds,
           (long long)(t->samples > 1 ? t->shortest : 0), (long long)t->longest,
           (long long)(t->first_end - t->first_start));
}

/* Sample for `ms`, decoding every `period_ms`. */
static void run_for(struct taken *t, double ms, double period_ms, int evaluate)
{
    int64_t since = clock_of(CLOCK_MONOTONIC);
    while (ms_since(since) < ms) {
        sleep_ms(period_ms);
        while (take(t, evaluate, 0) > 0 && t->reason == 1)
            ;
        if (t->result)
            break;
    }
}

static void life(void)
{
    struct taken t;
    open_plan(ALL);
    enable();
    configure(64u << 20, 1000000, 0);
    make_image(64);
    for (int i = 0; i < 3; i++) {
        int64_t before = clock_of(CLOCK_REALTIME);
        start();
        int64_t started = clock_of(CLOCK_REALTIME);
        begin(&t);
        run_for(&t, 60, 5, 1);
        int64_t stopping = clock_of(CLOCK_REALTIME);
        stop();
        while (take(&t, 1, 0) > 0)
            ;
        tell("1 ms", &t);
        printf("   first sample ends %.3f ms after Start was called, %.3f after it returned; last ends %.3f "
               "ms before Stop\n",
               (double)(t.first_end - before) / 1e6, (double)(t.first_end - started) / 1e6,
               (double)(stopping - t.last_end) / 1e6);
    }
    printf("another interval on the same object\n");
    configure(64u << 20, 2000000, 0);
    make_image(64);
    start();
    begin(&t);
    run_for(&t, 60, 5, 1);
    stop();
    while (take(&t, 1, 0) > 0)
        ;
    tell("2 ms", &t);
    disable();
}

static void lag(void)
{
    struct taken t;
    quiet = 1;
    open_plan(ALL);
    enable();
    configure(64u << 20, 1000000, 0);
    make_image(64);
    static const double periods[] = {1, 5, 20};
    for (int i = 0; i < 3; i++) {
        start();
        begin(&t);
        run_for(&t, 500, periods[i], 1);
        stop();
        printf("decode every %.0f ms: newest sample %.3f to %.3f ms old, mean %.3f\n", periods[i],
               t.lag_ms_least, t.lag_ms_most,
               t.lag_ms_sum / (double)(t.rounds - t.empty ? t.rounds - t.empty : 1));
        tell("  ", &t);
        while (take(&t, 0, 0) > 0)
            ;
    }
    disable();
}

static void cost(void)
{
    static const size_t metrics[] = {1, 2, 4, 6, 8, 10, 12};
    static const uint32_t slots[] = {8, 64, 512};
    struct taken t;
    quiet = 1;
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        open_plan(metrics[m]);
        enable();
        configure(128u << 20, 200000, 0);
        for (size_t s = 0; s < 3; s++) {
            char what[64];
            make_image(slots[s]);
            start();
            begin(&t);
            int64_t cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
            run_for(&t, 200, 20, 1);
            snprintf(what, sizeof what, "%zu metrics, %u slots of %zu bytes, CPU %.1f us a sample",
                     metrics[m], slots[s], image_bytes / slots[s],
                     (double)(clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e3 /
                         (double)(t.samples ? t.samples : 1));
            stop();
            tell(what, &t);
            while (take(&t, 0, 0) > 0)
                ;
        }
        disable();
        plan_destroy(plan);
    }
}

/* How many samples a buffer of this size holds: it is let fill, and what can be decoded is counted. */
static void size(size_t metrics, uint64_t interval)
{
    static const size_t buffers[] = {1u << 20, 4u << 20};
    quiet = 1;
    open_plan(metrics);
    for (int b = 0; b < 2; b++) {
        double least = 64, most = 20000; /* bytes a sample: holds at `least` never, at `most` surely */
        for (int turn = 0; turn < 7; turn++) {
            struct taken t;
            double guess = sqrt(least * most), samples = (double)buffers[b] / guess;
            enable();
            if (configure(buffers[b], interval, 1))
                return;
            make_image(4096);
            start();
            sleep_ms(samples * (double)interval / 1e6);
            stop();
            begin(&t);
            while (take(&t, 0, 0) > 0)
                ;
            printf("buffer %zu, %.0f samples asked (%.0f bytes each): %zu decoded, overflow %d, %s\n",
                   buffers[b], samples, guess, t.samples, t.overflow, cupti_text(&c, t.result));
            if (t.result || t.overflow)
                least = guess;
            else
                most = guess;
            disable();
        }
    }
}

static void burst(uint64_t interval, double ms, int count)
{
    struct taken t;
    quiet = 1;
    open_plan(ALL);
    enable();
    configure(256u << 20, interval, 1);
    make_image((uint32_t)(ms * 1.5e6 / (double)interval) + 64);
    quiet = 0;
    for (int i = 0; i < count; i++) {
        int64_t before = clock_of(CLOCK_REALTIME);
        start();
        int64_t started = clock_of(CLOCK_REALTIME);
        sleep_ms(ms);
        int64_t stopping = clock_of(CLOCK_REALTIME);
        stop();
        int64_t stopped = clock_of(CLOCK_REALTIME);
        begin(&t);
        int64_t decoding = clock_of(CLOCK_MONOTONIC);
        while (take(&t, 1, i == count - 1 ? 400 : 2) > 0)
            ;
        tell("burst", &t);
        printf("   Start %.3f ms, Stop %.3f ms, all decoded in %.1f ms; first sample ends %+.3f ms and "
               "second starts "
               "%+.3f ms after Start returned; last ends %+.3f ms after Stop was called\n",
               (double)(started - before) / 1e6, (double)(stopped - stopping) / 1e6, ms_since(decoding),
               (double)(t.first_end - started) / 1e6, (double)(t.second_start - started) / 1e6,
               (double)(t.last_end - stopping) / 1e6);
    }
    disable();
}

static void ring(void)
{
    struct taken t;
    open_plan(ALL);
    for (int oldest = 0; oldest < 2; oldest++) {
        if (enable() || configure(1u << 20, 200000, oldest) || make_image(64) || start())
            return;
        begin(&t);
        run_for(&t, 400, 5, 1);
        stop();
        tell(oldest ? "keep oldest, decoded every 5 ms" : "keep latest, decoded every 5 ms", &t);
        begin(&t);
        start();
        sleep_ms(400);
        stop();
        while (take(&t, 1, 0) > 0)
            ;
        tell(oldest ? "keep oldest, decoded at the end" : "keep latest, decoded at the end", &t);
        disable();
    }
}

static void hold(double seconds)
{
    struct taken t;
    open_plan(ALL);
    if (enable() || configure(64u << 20, 1000000, 0) || make_image(64) || start())
        return;
    begin(&t);
    run_for(&t, seconds * 1e3, 5, 1);
    stop();
    tell("held", &t);
    disable();
}

int main(int argc, char **argv)
{
    struct driver driver;
    struct error error;
    const char *what = argc > 1 ? argv[1] : "life";
    int64_t since = clock_of(CLOCK_MONOTONIC);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!driver_find(&driver, true) || driver.cuInit(0) != CUDA_SUCCESS) {
        puts("skipped: no GPU");
        return 77;
    }
    printf("cuInit %.3f ms\n", ms_since(since));
    if (cupti_load(&c, getenv("LANESCOPE_CUPTI"), &error)) {
        puts(error.text);
        return 1;
    }
    if (strcmp(what, "life") == 0)
        life();
    else if (strcmp(what, "lag") == 0)
        lag();
    else if (strcmp(what, "cost") == 0)
        cost();
    else if (strcmp(what, "size") == 0 && argc > 3)
        size((size_t)atoi(argv[2]), (uint64_t)atol(argv[3]));
    else if (strcmp(what, "burst") == 0 && argc > 4)
        burst((uint64_t)atol(argv[2]), atof(argv[3]), atoi(argv[4]));
    else if (strcmp(what, "ring") == 0)
        ring();
    else if (strcmp(what, "hold") == 0 && argc > 2)
        hold(atof(argv[2]));
    else
        return 2;
    printf("user and system time %.3f s\n", (double)clock_of(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
    return 0;
}
