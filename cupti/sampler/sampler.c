/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One `sampler` per process and one flag that the signal handler sets. The sampler's state in the shared
 * control block is written here alone. `pm` is not NULL while the hardware is ours, `running` says that it
 * samples all the time. Set-up goes from opening libcupti to a GPU whose counters are reserved.
 */
#include "cupti/sampler/sampler.h"

#include "core/base/clock.h"
#include "core/wire/sampling_control.h"
#include "core/wire/wire.h"
#include "cupti/load/load.h"
#include "cupti/sampler/sampler_pm.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples that the hardware's buffer must hold: SAMPLER_ROOM_NS of them, at least SAMPLER_ROOM_LEAST, since a
 * large buffer takes long to set up; for a burst, which ends after at most SAMPLER_BURST_SAMPLES, twice as
 * many, to cover the time until it is stopped. */
#define SAMPLER_ROOM_NS 800000000u
#define SAMPLER_ROOM_LEAST 512u
#define SAMPLER_BURST_ROOM 8192u
#define SAMPLER_BURST_SAMPLES 3000u

struct sampler {
    const struct sampler_options *options;
    struct cupti cupti;
    struct driver driver;
    struct wire_producer *wire;
    struct sampling_control *control;
    struct sampling_slot *slot;
    struct plan *plan;
    struct pm *pm; /* NULL: the GPU's counters are not taken */
    uint64_t interval_ns;
    uint32_t series, next_series; /* of the current sampling; 0: not announced yet */
    bool running;                 /* continuously while samples are wanted */
    bool told;                    /* that the counters cannot be had */
    bool told_gap;                /* that samples are missing */
    bool behind;                  /* decoding took most of the time, last time */
    bool described;               /* the GPU has been, to lanescope */
    uint32_t failures;            /* of CUPTI, since samples were taken */
    uint32_t overruns;            /* at this interval */
    int64_t retry_ns, retry_at_ns, taken_at_ns, last_end_ns, watermark_ns;
};

/* Announces which GPU it is, once; chip "": not known. */
static void sampler_describe(struct sampler *sampler, const char *chip);

/* ---- events over the wire ---- */

/* CLOCK_REALTIME */
static int64_t sampler_now_ns(void)
{
    return clock_real_ns();
}

static void sampler_notice(const struct sampler *sampler, enum severity severity, const struct error *error)
{
    struct event event = {.kind = EVENT_NOTICE, .device = (uint16_t)sampler->options->gpu};
    event.notice.time_ns = sampler_now_ns();
    event.notice.text = wire_string(sampler->wire, error->text);
    event.notice.severity = (uint8_t)severity;
    event.notice.status = (uint8_t)error->status;
    wire_emit(sampler->wire, &event);
}

__attribute__((format(printf, 2, 3))) static void sampler_tell(const struct sampler *sampler,
                                                               const char *format, ...)
{
    struct error text = {.status = STATUS_OK};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text.text, sizeof text.text, format, arguments);
    va_end(arguments);
    sampler_notice(sampler, SEVERITY_WARNING, &text);
}

/* The sentence that the timeline shows instead of charts. */
static void sampler_tell_why(struct sampler *sampler, const char *why)
{
    struct event event = {
        .kind = EVENT_SERIES, .flags = SERIES_CANNOT, .device = (uint16_t)sampler->options->gpu};
    sampler_describe(sampler, "");
    event.series.id = sampler->next_series++;
    event.series.name = wire_string(sampler->wire, why);
    wire_emit(sampler->wire, &event);
}

/* It never goes back. */
static void sampler_watermark(struct sampler *sampler, int64_t time_ns)
{
    struct event event = {.kind = EVENT_WATERMARK};
    if (time_ns <= sampler->watermark_ns)
        return;
    sampler->watermark_ns = time_ns;
    event.watermark.time_ns = time_ns;
    wire_emit(sampler->wire, &event);
}

static void announce_series(struct sampler *sampler)
{
    sampler->series = sampler->next_series;
    for (size_t i = 0; i < plan_count(sampler->plan); i++) {
        struct event event = {.kind = EVENT_SERIES,
                              .flags = sampler->options->bursts ? SERIES_BURST : 0,
                              .device = (uint16_t)sampler->options->gpu};
        event.series.id = sampler->next_series++;
        event.series.name = wire_string(sampler->wire, plan_name(sampler->plan, i));
        event.series.interval_ns = (uint32_t)sampler->interval_ns;
        wire_emit(sampler->wire, &event);
    }
}

/* Sends a SAMPLE of struct sampler *context; before the first one of a sampling its SERIES. */
static void sampler_emit(void *context, const struct pm_sample *sample)
{
    struct sampler *sampler = context;
    size_t count = plan_count(sampler->plan);
    int64_t duration_ns = sample->end_ns - sample->start_ns;
    if (!sampler->series)
        announce_series(sampler);
    for (size_t first = 0; first < count; first += SAMPLE_NUMBERS) {
        struct event event = {.kind = EVENT_SAMPLE, .device = (uint16_t)sampler->options->gpu};
        bool any = false;
        event.sample.start_ns = sample->start_ns;
        event.sample.duration_ns = duration_ns < UINT32_MAX ? (uint32_t)duration_ns : UINT32_MAX;
        event.sample.first = sampler->series + (uint32_t)first;
        for (size_t i = 0; i < SAMPLE_NUMBERS; i++) {
            bool there = first + i < count && isfinite(sample->values[first + i]);
            event.sample.numbers[i] = there ? (float)sample->values[first + i] : NAN;
            any |= there;
        }
        if (any)
            wire_emit(sampler->wire, &event);
    }
}

/* ---- set-up ---- */

/* STATUS_NO_DEVICE: there is no such GPU, or no driver; then there is nothing to report. */
static enum status sampler_find_gpu(struct sampler *sampler, uint32_t *gpus, struct error *error)
{
    int count = 0;
    if (!driver_find(&sampler->driver, true))
        return error_set(error, STATUS_NO_DEVICE, "libcuda.so.1 was not found or is too old.");
    if (sampler->driver.cuInit(0) != CUDA_SUCCESS ||
        sampler->driver.cuDeviceGetCount(&count) != CUDA_SUCCESS || sampler->options->gpu >= (uint32_t)count)
        return error_set(error, STATUS_NO_DEVICE, "CUDA shows %d GPUs, and none with the number %u.", count,
                         sampler->options->gpu);
    *gpus = (uint32_t)count;
    return STATUS_OK;
}

/* The counters that the GPU allows now: *image, to be freed. Takes 0.15 to 0.3 s. */
static enum status ask_availability(const struct sampler *sampler, uint8_t **image, struct error *error)
{
    const struct cupti *cupti = &sampler->cupti;
    CUpti_PmSampling_GetCounterAvailability_Params params = {
        .structSize = CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE,
        .deviceIndex = sampler->options->gpu};
    CUptiResult result = cupti->cuptiPmSamplingGetCounterAvailability(&params);
    if (result == CUPTI_SUCCESS) {
        *image = calloc(1, params.counterAvailabilityImageSize + 1);
        if (!*image)
            return error_no_memory(error, "for the list of counters");
        params.pCounterAvailabilityImage = *image;
        result = cupti->cuptiPmSamplingGetCounterAvailability(&params);
    }
    return result == CUPTI_SUCCESS
               ? STATUS_OK
               : cupti_error(cupti, result, "Querying the counters that can be sampled", error);
}

static void sampler_describe(struct sampler *sampler, const char *chip)
{
    struct device_info info;
    if (sampler->described || !driver_describe(&sampler->driver, (int)sampler->options->gpu, &info))
        return;
    memcpy(info.chip, chip, strnlen(chip, sizeof info.chip - 1));
    wire_emit_blob(sampler->wire, BLOB_DEVICE, sampler->options->gpu, &info, sizeof info);
    sampler->described = true;
}

static enum status find_chip(struct sampler *sampler, const char **chip, struct error *error)
{
    const struct cupti *cupti = &sampler->cupti;
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params name = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = sampler->options->gpu};
    CUptiResult result = cupti->cuptiProfilerInitialize(&start); /* before the name: it crashes else */
    if (result == CUPTI_SUCCESS)
        result = cupti->cuptiDeviceGetChipName(&name);
    if (result != CUPTI_SUCCESS)
        return cupti_error(cupti, result, "Starting CUPTI's profiler", error);
    *chip = name.pChipName;
    sampler_describe(sampler, *chip);
    return STATUS_OK;
}

static size_t samples_in_buffer(const struct sampler *sampler)
{
    const size_t room = (size_t)(SAMPLER_ROOM_NS / sampler->interval_ns);
    if (sampler->options->bursts)
        return SAMPLER_BURST_ROOM;
    return room > SAMPLER_ROOM_LEAST ? room : SAMPLER_ROOM_LEAST;
}

/* Sets up the hardware, with the plan and the current interval. */
static enum status sampler_open_hardware(struct sampler *sampler, struct error *error)
{
    const struct pm_options options = {.cupti = &sampler->cupti,
                                       .plan = sampler->plan,
                                       .gpu = sampler->options->gpu,
                                       .interval_ns = sampler->interval_ns,
                                       .room = samples_in_buffer(sampler)};
    return pm_open(&sampler->pm, &options, error);
}

/* Sets up CUPTI, the plan, and the hardware if it is free. */
static enum status sampler_set_up(struct sampler *sampler, struct error *error)
{
    const char *chip = NULL;
    uint8_t *availability = NULL;
    enum status status = cupti_load(&sampler->cupti, sampler->options->cupti_path, error);
    if (status == STATUS_OK)
        status = find_chip(sampler, &chip, error);
    if (status == STATUS_OK)
        status = sampler_plan(&sampler->plan, sampler->cupti.path, chip, NULL, error);
    if (status == STATUS_OK)
        status = sampler_open_hardware(sampler, error);
    if (status == STATUS_STATE) /* another profiler uses the counters now: the sampler tries again */
        return STATUS_OK;
    if (status != STATUS_DEVICE)
        return status;
    /* Handles a GPU that does not allow all counters of its chip. */
    status = ask_availability(sampler, &availability, error);
    if (status == STATUS_OK) {
        plan_destroy(sampler->plan);
        status = sampler_plan(&sampler->plan, sampler->cupti.path, chip, availability, error);
    }
    if (status == STATUS_OK)
        status = sampler_open_hardware(sampler, error);
    free(availability);
    return status;
}

/* ---- sampling ---- */

#define RING_BYTES (4u << 20)
/* Decoding takes 0.3 ms, plus 60 us per sample, plus 5 us per slot of the image, which is cleared first. */
#define DECODE_SAMPLES 80u
/* The least number of samples in an image: decoding can be delayed while another process creates its context
 * or loads code, and samples without a slot are lost. */
#define EXPECTED_LEAST 200u
#define LOAD_MOST 0.5 /* the share of the time that decoding may take */
#define OVERRUNS_MAX 3u
#define DECODE_LEAST_NS 20000000
#define DECODE_MOST_NS 100000000
#define IDLE_NS 100000000
#define BUSY_LEAST_NS 1000000000 /* a try costs 0.1 s of CPU time */
#define BUSY_MOST_NS 30000000000
#define FAILED_RETRY_NS 100000000
#define FAILURES_MAX 3u

static volatile sig_atomic_t asked_to_end;

static void ask_to_end(int signal_number)
{
    (void)signal_number;
    asked_to_end = 1;
}

static void set_state(struct sampler *sampler, enum sampling_state state)
{
    if (atomic_exchange(&sampler->slot->state, state) != (uint32_t)state)
        sampling_control_tell(sampler->slot);
}

/* ---- the hardware ---- */

static void hardware_close(struct sampler *sampler)
{
    pm_close(sampler->pm);
    sampler->pm = NULL;
    sampler->running = false;
}

/* Another profiler uses the counters, which ends some day, so it is reported once; or CUPTI failed, and a few
 * more tries are made. */
static void hardware_failed(struct sampler *sampler, const struct error *error)
{
    bool busy = error->status == STATUS_STATE;
    hardware_close(sampler);
    sampler->retry_ns = !busy                               ? FAILED_RETRY_NS
                        : sampler->retry_ns < BUSY_LEAST_NS ? BUSY_LEAST_NS
                                                            : 2 * sampler->retry_ns;
    if (sampler->retry_ns > BUSY_MOST_NS)
        sampler->retry_ns = BUSY_MOST_NS;
    sampler->retry_at_ns = sampler_now_ns() + sampler->retry_ns;
    sampler->failures += !busy;
    if (sampler->failures == FAILURES_MAX || !sampler->told)
        sampler_tell_why(sampler, error->text);
    if (sampler->failures == FAILURES_MAX)
        sampler_tell(sampler,
                     "%s This was the third time: from here on there are no counters over time of GPU %u.",
                     error->text, sampler->options->gpu);
    else if (!sampler->told)
        sampler_tell(sampler,
                     "%s Until then there are no counters over time of GPU %u; lanescope tries again.",
                     error->text, sampler->options->gpu);
    sampler->told = true;
    set_state(sampler, SAMPLING_BUSY);
}

static bool hardware_open(struct sampler *sampler)
{
    struct error error;
    if (sampler->pm)
        return true;
    if (sampler_now_ns() < sampler->retry_at_ns)
        return false;
    if (sampler_open_hardware(sampler, &error) == STATUS_OK)
        return true;
    hardware_failed(sampler, &error);
    return false;
}

static bool hardware_start(struct sampler *sampler)
{
    struct error error;
    if (!hardware_open(sampler))
        return false;
    sampler->taken_at_ns = sampler_now_ns();
    if (pm_start(sampler->pm, &error) != STATUS_OK) {
        hardware_failed(sampler, &error);
        return false;
    }
    if (sampler->told)
        sampler_tell(sampler, "The counters of GPU %u are free again: from here on they are sampled.",
                     sampler->options->gpu);
    sampler->told = false;
    sampler->retry_ns = 0;
    return true;
}

enum taking {
    TAKEN_ALL,
    TAKEN_NOT_ALL, /* some are missing */
    TAKEN_OVERRUN, /* likewise, and no more will arrive: the hardware's buffer was full */
    TAKEN_NOTHING
};

/* Decodes what has arrived since the last time, and sends it. */
static enum taking samples_take(struct sampler *sampler)
{
    struct pm_taken taken = {.last_end_ns = sampler->last_end_ns};
    struct error error;
    int64_t now_ns = sampler_now_ns(), span_ns = now_ns - sampler->taken_at_ns;
    size_t most = (size_t)((uint64_t)span_ns / sampler->interval_ns), expected = most + most / 8 + 8;
    sampler->taken_at_ns = now_ns;
    if (pm_take(sampler->pm, expected > EXPECTED_LEAST ? expected : EXPECTED_LEAST, sampler_emit, sampler,
                &taken, &error) != STATUS_OK) {
        hardware_failed(sampler, &error);
        return TAKEN_NOTHING;
    }
    sampler->last_end_ns = taken.last_end_ns;
    sampler->failures = 0;
    sampler->behind = span_ns > 0 && (double)(sampler_now_ns() - now_ns) > LOAD_MOST * (double)span_ns;
    return taken.overflow ? TAKEN_OVERRUN : taken.lost ? TAKEN_NOT_ALL : TAKEN_ALL;
}

static bool sampler_over(const struct sampler *sampler)
{
    return asked_to_end || sampler->failures >= FAILURES_MAX || wire_producer_orphaned(sampler->wire);
}

/* ---- all the time ---- */

/* Once: the charts show where. */
static void tell_gap(struct sampler *sampler)
{
    struct error text;
    if (sampler->told_gap)
        return;
    sampler->told_gap = true;
    error_set(&text, STATUS_OK,
              "Decoding the counters of GPU %u was held up: the charts have gaps where samples are missing.",
              sampler->options->gpu);
    sampler_notice(sampler, SEVERITY_INFO, &text);
}

/* Starts the same GPU again: what its buffer could not hold is lost. Uses a longer interval if decoding takes
 * too much of the time, or if this happens repeatedly; an object keeps its first interval. */
static void sampler_restart(struct sampler *sampler)
{
    uint64_t before_ns = sampler->interval_ns;
    struct error text;
    if (sampler->behind || ++sampler->overruns == OVERRUNS_MAX) {
        sampler->overruns = 0;
        sampler->interval_ns = 2 * before_ns < SAMPLER_MOST_NS ? 2 * before_ns : SAMPLER_MOST_NS;
        error_set(&text, STATUS_OK,
                  "The counters of GPU %u cannot be decoded as often: from here on there is one sample every "
                  "%.4g ms instead of %.4g ms.",
                  sampler->options->gpu, (double)sampler->interval_ns / 1e6, (double)before_ns / 1e6);
        sampler_notice(sampler, SEVERITY_INFO, &text);
        sampler->series = 0;
    } else {
        tell_gap(sampler);
    }
    hardware_close(sampler);
    sampler->running = hardware_start(sampler);
}

/* Ends sampling, and sends the last samples. */
static void sampler_stop(struct sampler *sampler)
{
    struct error error;
    if (!sampler->running)
        return;
    sampler->running = false;
    if (pm_stop(sampler->pm, &error) == STATUS_OK)
        samples_take(sampler);
    else
        hardware_failed(sampler, &error);
}

/* Samples are not wanted: somebody else may want the counters. "Ready" means that they are free; until then
 * takes 50 ms, for which nobody waits who wants only the samples. */
static void sampler_rest(struct sampler *sampler)
{
    sampler_stop(sampler);
    if (sampler->pm) {
        sampler_watermark(sampler, sampler_now_ns());
        set_state(sampler, SAMPLING_CLOSING);
    }
    hardware_close(sampler);
    set_state(sampler, SAMPLING_READY);
}

static void sample_on(struct sampler *sampler)
{
    if (sampler->running) {
        enum taking taking = samples_take(sampler);
        if (taking == TAKEN_OVERRUN)
            sampler_restart(sampler);
        else if (taking == TAKEN_NOT_ALL)
            tell_gap(sampler);
        return;
    }
    sampler->running = hardware_start(sampler);
    if (sampler->running)
        set_state(sampler, SAMPLING_RUNNING);
}

/* ---- bursts ---- */

/* Waits until the burst may end, or the buffer is as full as allowed. */
static void wait_for_enough(const struct sampler *sampler, uint32_t number)
{
    int64_t until_ns = sampler_now_ns() + (int64_t)(SAMPLER_BURST_SAMPLES * sampler->interval_ns);
    for (int64_t left_ns; (left_ns = until_ns - sampler_now_ns()) > 0 && !sampler_over(sampler);) {
        uint32_t changes = atomic_load(&sampler->slot->changes);
        if ((int32_t)(atomic_load(&sampler->slot->enough) - number) >= 0 ||
            !atomic_load(&sampler->slot->wanted))
            break;
        sampling_control_wait(sampler->slot, changes, left_ns < IDLE_NS ? left_ns : IDLE_NS);
    }
}

static void sampler_burst(struct sampler *sampler, uint32_t number)
{
    struct sampling_slot *slot = sampler->slot;
    struct error error;
    bool late = (int32_t)(atomic_load(&slot->enough) - number) >= 0; /* the asker has given up */
    enum taking taking = TAKEN_ALL;
    if (!late && hardware_start(sampler)) {
        set_state(sampler, SAMPLING_RUNNING);
        atomic_store(&slot->begun, number);
        sampling_control_tell(slot);
        wait_for_enough(sampler, number);
        if (pm_stop(sampler->pm, &error) != STATUS_OK)
            hardware_failed(sampler, &error);
        else
            taking = samples_take(sampler);
        if (taking == TAKEN_NOT_ALL || taking == TAKEN_OVERRUN) {
            sampler_tell(sampler,
                         "A burst of samples of GPU %u was longer than its buffer: its end is missing.",
                         sampler->options->gpu);
            hardware_close(sampler);
        }
    }
    atomic_store(&slot->ended, number);
    sampling_control_tell(slot);
}

static void sample_bursts(struct sampler *sampler)
{
    uint32_t asked = atomic_load(&sampler->slot->asked);
    if (asked != atomic_load(&sampler->slot->ended))
        sampler_burst(sampler, asked);
    if (hardware_open(sampler))
        set_state(sampler, SAMPLING_RUNNING);
}

/* ---- life ---- */

static int64_t pause_ns(const struct sampler *sampler)
{
    int64_t batch_ns = (int64_t)(DECODE_SAMPLES * sampler->interval_ns);
    if (!sampler->running)
        return IDLE_NS;
    return batch_ns < DECODE_LEAST_NS  ? DECODE_LEAST_NS
           : batch_ns < DECODE_MOST_NS ? batch_ns
                                       : DECODE_MOST_NS;
}

static void sampler_loop(struct sampler *sampler)
{
    while (!sampler_over(sampler)) {
        uint32_t changes = atomic_load(&sampler->slot->changes);
        if (!atomic_load(&sampler->slot->wanted))
            sampler_rest(sampler);
        else if (sampler->options->bursts)
            sample_bursts(sampler);
        else
            sample_on(sampler);
        sampler_watermark(sampler, sampler->running ? sampler->last_end_ns : sampler_now_ns());
        sampling_control_wait(sampler->slot, changes, pause_ns(sampler));
    }
    sampler_stop(sampler);
}

static void catch_signals(void)
{
    static const int ignored[] = {SIGINT, SIGHUP, SIGPIPE, SIGTSTP}; /* the terminal's are for lanescope */
    struct sigaction action = {.sa_handler = ask_to_end};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &action, NULL);
}

static bool parse_number(const char *text, uint64_t most, uint64_t *number)
{
    char *rest;
    errno = 0;
    *number = strtoull(text, &rest, 10);
    return !errno && rest != text && !*rest && *text != '-' && *number <= most;
}

enum status sampler_parse(int argc, char **argv, struct sampler_options *options, struct error *error)
{
    uint64_t gpu = 0, interval_ns = 0;
    bool bursts = argc > 2 && strcmp(argv[2], "burst") == 0;
    bool good = (argc == 3 || argc == 4) && (bursts || strcmp(argv[2], "on") == 0) &&
                parse_number(argv[0], SAMPLING_GPUS_MAX - 1, &gpu) &&
                parse_number(argv[1], SAMPLER_MOST_NS, &interval_ns) && interval_ns >= SAMPLER_LEAST_NS;
    if (!good)
        return error_set(error, STATUS_USAGE, "--sampler takes GPU INTERVAL_NS on|burst [LIBCUPTI].");
    *options = (struct sampler_options){.gpu = (uint32_t)gpu,
                                        .interval_ns = interval_ns,
                                        .bursts = bursts,
                                        .cupti_path = argc == 4 ? argv[3] : NULL};
    return STATUS_OK;
}

/* The exit status of a sampler whose GPU exists. */
static int sampler_serve(struct sampler *sampler, struct error *error)
{
    struct error why = {0};
    struct event event = {.kind = EVENT_GOODBYE};
    set_state(sampler, SAMPLING_STARTING);
    enum status status = sampler_set_up(sampler, &why);
    if (status == STATUS_OK) {
        sampler_loop(sampler);
    } else {
        struct error told;
        error_set(&told, STATUS_UNSUPPORTED, "There are no counters over time of GPU %u. %s",
                  sampler->options->gpu, why.text);
        sampler_notice(sampler, SEVERITY_INFO, &told);
        sampler_tell_why(sampler, why.text);
    }
    event.goodbye.time_ns = sampler_now_ns();
    sampler_watermark(sampler, event.goodbye.time_ns);
    wire_emit(sampler->wire, &event);
    set_state(sampler, SAMPLING_ENDED); /* nobody waits for what is left */
    hardware_close(sampler);
    if (status == STATUS_OK)
        return SAMPLER_FINE;
    *error = why;
    return SAMPLER_CANNOT;
}

int sampler_main(const struct sampler_options *options, struct error *error)
{
    const char *socket = getenv(WIRE_SOCKET_VARIABLE);
    struct wire_hello hello = {.role = WIRE_ROLE_SAMPLER,
                               .start_ns = sampler_now_ns(),
                               .clock = CLOCK_WALL,
                               .run_mode = RUN_TRACE,
                               .rank = -1};
    struct sampler sampler = {.options = options, .interval_ns = options->interval_ns, .next_series = 1};
    uint32_t gpus = 0;
    int exit_status = SAMPLER_FAILED;
    catch_signals();
    sampler.control = socket && *socket ? sampling_control_open(socket) : NULL;
    if (!sampler.control) {
        error_set(error, STATUS_USAGE, "lanescope starts the sampler; it does not run alone.");
        return SAMPLER_FAILED;
    }
    sampler.slot = &sampler.control->gpu[options->gpu];
    if (sampler_find_gpu(&sampler, &gpus, error) != STATUS_OK) {
        exit_status = SAMPLER_NO_GPU;
    } else if (wire_producer_create(&sampler.wire, socket, &hello, RING_BYTES, error) == STATUS_OK) {
        atomic_store(&sampler.slot->gpus, gpus);
        exit_status = sampler_serve(&sampler, error);
        wire_producer_destroy(sampler.wire);
    }
    set_state(&sampler, SAMPLING_ENDED);
    sampling_control_close(sampler.control);
    plan_destroy(sampler.plan);
    return exit_status;
}
