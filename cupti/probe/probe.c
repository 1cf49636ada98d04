/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings are a plain struct without pointers: the child fills it and writes it to a pipe as a whole,
 * and what the child did not reach stays empty. A child that ends without an answer, or takes longer than
 * TRY_S, is reported as such.
 *
 * The real tries keep no data. Counters: everything a counter run does before its first launch. A lines run:
 * it opens what such a run opens, with callbacks that drop everything, each in a process of its own, before
 * anything else of CUPTI's. Sampling over time: everything the sampler does, for TRY_NS. Each on a context
 * that is current.
 */
#include "cupti/probe/probe.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "cupti/load/load.h"
#include "cupti/profiler/pc.h"
#include "cupti/profiler/ranges.h"
#include "cupti/profiler/sass.h"
#include "cupti/sampler/sampler_pm.h"

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the tries: counters ---- */

/* STATUS_OK and *passes, or the first failure. counters: names separated by ','. */
static enum status probe_counters(const struct cupti *cupti, CUcontext context, const char *counters,
                                  uint32_t *passes, struct error *error)
{
    struct ranges *ranges;
    enum status status = ranges_open(&ranges, cupti, context, 0, counters, METRIC_SHARE_ALL, error);
    if (status != STATUS_OK)
        return status;
    *passes = (uint32_t)plan_passes(ranges_plan(ranges));
    status = ranges_begin(ranges, error); /* the hardware is taken here */
    if (status == STATUS_OK)
        ranges_abandon(ranges);
    ranges_close(ranges, true);
    return status;
}

/* ---- the tries: samples and instructions of a lines run ---- */

#define PERIOD 12u

static uint32_t no_string(void *user, const char *text)
{
    (void)user, (void)text;
    return 0;
}

static void no_samples(void *user, const CUpti_PCSamplingPCData *record, struct event *events, size_t count)
{
    (void)user, (void)record, (void)events, (void)count;
}

/* Sampling of program counters: STATUS_OK, or the first failure. */
static enum status probe_samples(const struct cupti *cupti, CUcontext context, struct error *error)
{
    const struct pc_options options = {
        .cupti = cupti, .context = context, .period = PERIOD, .string = no_string, .take = no_samples};
    struct pc_totals totals;
    struct pc *pc;
    enum status status = pc_open(&pc, &options, error);
    if (status == STATUS_OK)
        pc_close(pc, true, &totals);
    return status;
}

static void no_counts(void *user, const CUpti_SassMetrics_Data *record, struct event *events, size_t count)
{
    (void)user, (void)record, (void)events, (void)count;
}

/* Counts of single instructions: the same. */
static enum status probe_instructions(const struct cupti *cupti, const struct driver *driver,
                                      CUcontext context, struct error *error)
{
    const struct sass_options options = {.cupti = cupti,
                                         .context = context,
                                         .synchronize = driver->cuCtxSynchronize,
                                         .string = no_string,
                                         .take = no_counts};
    struct sass *sass;
    enum status status = sass_open(&sass, &options, error);
    if (status != STATUS_OK)
        return status;
    status = sass_begin(sass, error);
    sass_close(sass, true);
    return status;
}

/* ---- the tries: sampling over time ---- */

#define INTERVAL_NS 1000000u
#define TRY_NS 20000000
#define ROOM 64u

static void count_sample(void *context, const struct pm_sample *sample)
{
    (void)sample;
    ++*(unsigned *)context;
}

/* Samples must arrive: that the start succeeds is not enough. */
static enum status take_samples(struct pm *pm, struct error *error)
{
    struct pm_taken taken = {0};
    unsigned samples = 0;
    enum status status = pm_start(pm, error);
    if (status != STATUS_OK)
        return status;
    clock_pause(TRY_NS);
    status = pm_stop(pm, error);
    if (status == STATUS_OK)
        status = pm_take(pm, ROOM, count_sample, &samples, &taken, error);
    if (status == STATUS_OK && samples == 0)
        status = error_set(error, STATUS_DEVICE, "The GPU took no sample of its counters in %d ms.",
                           TRY_NS / 1000000);
    return status;
}

/* STATUS_OK and how many *counters are sampled together, or the first failure. */
static enum status probe_sampling(const struct cupti *cupti, uint32_t gpu, uint32_t *counters,
                                  struct error *error)
{
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = gpu};
    struct plan *plan = NULL;
    struct pm *pm = NULL;
    CUptiResult result = cupti->cuptiProfilerInitialize(&start);
    if (result == CUPTI_SUCCESS)
        result = cupti->cuptiDeviceGetChipName(&chip);
    if (result != CUPTI_SUCCESS)
        return cupti_error(cupti, result, "Starting CUPTI's profiler", error);
    enum status status = sampler_plan(&plan, cupti->path, chip.pChipName, NULL, error);
    if (status == STATUS_OK) {
        const struct pm_options options = {
            .cupti = cupti, .plan = plan, .gpu = gpu, .interval_ns = INTERVAL_NS, .room = ROOM};
        *counters = (uint32_t)plan_count(plan);
        status = pm_open(&pm, &options, error);
    }
    if (status == STATUS_OK)
        status = take_samples(pm, error);
    pm_close(pm);
    plan_destroy(plan);
    return status;
}

/* ---- the findings ---- */

#define TRY_S 20

/* The child's findings, sent in one piece through a pipe; they fit the pipe's buffer, so the child never
 * waits. */
struct findings {
    struct error devices, tracing, counters, sampling, lines;
    uint32_t device_count, counter_passes, sampled;
    struct device_info device[PROBE_MAX_DEVICES];
};

static void read_line(const char *path, const char *prefix, char *line, size_t size_bytes)
{
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    if (!file)
        return;
    while (fgets(line, (int)size_bytes, file) && strncmp(line, prefix, strlen(prefix)) != 0)
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

static void copy_text(char *to, size_t size_bytes, const char *from)
{
    size_t length = from ? strnlen(from, size_bytes - 1) : 0;
    if (length)
        memcpy(to, from, length);
    to[length] = '\0';
}

static void look_at_files(struct probe_report *report)
{
    char line[256];
    read_line("/proc/driver/nvidia/version", "NVRM version", report->driver_text, sizeof report->driver_text);
    read_line("/proc/driver/nvidia/params", "RmProfilingAdminOnly", line, sizeof line);
    const char *colon = strchr(line, ':');
    if (colon)
        report->restriction = atoi(colon + 1) ? PROBE_RESTRICTION_ADMIN : PROBE_RESTRICTION_NONE;
    copy_text(report->injection, sizeof report->injection, getenv("CUDA_INJECTION64_PATH"));
    copy_text(report->nvtx_injection, sizeof report->nvtx_injection, getenv("NVTX_INJECTION64_PATH"));
}

/* ---- in the child ---- */

static enum status driver_error(const struct driver *driver, CUresult result, const char *what,
                                struct error *error)
{
    const char *text = NULL;
    if (driver->cuGetErrorString(result, &text) != CUDA_SUCCESS || !text)
        text = "unknown error";
    return error_set(error, STATUS_NO_DEVICE, "%s failed: %s (%d).", what, text, (int)result);
}

static enum status look_at_devices(const struct driver *driver, struct findings *findings)
{
    int count = 0;
    CUresult result = driver->cuInit(0);
    if (result != CUDA_SUCCESS)
        return driver_error(driver, result, "Starting CUDA (cuInit)", &findings->devices);
    result = driver->cuDeviceGetCount(&count);
    if (result != CUDA_SUCCESS)
        return driver_error(driver, result, "Counting the GPUs", &findings->devices);
    for (int i = 0; i < count && i < PROBE_MAX_DEVICES; i++)
        if (driver_describe(driver, i, &findings->device[i]))
            findings->device_count = (uint32_t)i + 1;
    if (findings->device_count == 0)
        return error_set(&findings->devices, STATUS_NO_DEVICE, "The driver shows no GPU to this process.");
    return STATUS_OK;
}

static void CUPTIAPI no_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void *data)
{
    (void)user, (void)domain, (void)id, (void)data;
}

static void look_at_tracing(const struct cupti *cupti, struct error *error)
{
    char other[128] = "";
    CUpti_SubscriberHandle subscriber;
    CUpti_SubscriberParams params = {.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                     .subscriberName = "lanescope doctor",
                                     .oldSubscriberName = other,
                                     .oldSubscriberSize = sizeof other};
    CUptiResult result = cupti->cuptiSubscribe_v2(&subscriber, no_callback, NULL, &params);
    other[sizeof other - 1] = '\0';
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && other[0])
        error_set(error, STATUS_STATE,
                  "%s uses CUPTI in every process started from here: end it, or unset the variable that "
                  "injects it.",
                  other);
    else if (result != CUPTI_SUCCESS)
        cupti_error(cupti, result, "Subscribing to CUPTI", error);
    else
        cupti->cuptiUnsubscribe(subscriber);
}

/* What a child is asked for. */
struct request {
    const char *cupti_path, *counters;
    void (*look)(const struct request *request, const struct driver *driver, struct findings *findings);
};

static enum status make_context(const struct driver *driver, CUcontext *context, struct error *error)
{
    CUdevice device;
    CUresult result = driver->cuInit(0);
    if (result == CUDA_SUCCESS)
        result = driver->cuDeviceGet(&device, 0);
    if (result == CUDA_SUCCESS)
        result = driver->cuDevicePrimaryCtxRetain(context, device);
    if (result == CUDA_SUCCESS)
        result = driver->cuCtxSetCurrent(*context);
    return result == CUDA_SUCCESS ? STATUS_OK
                                  : driver_error(driver, result, "Creating a context on GPU 0", error);
}

static void look_at_all(const struct request *request, const struct driver *driver, struct findings *findings)
{
    struct cupti cupti;
    CUcontext context;
    if (look_at_devices(driver, findings) != STATUS_OK) {
        findings->tracing = findings->counters = findings->sampling = findings->devices;
        return;
    }
    if (cupti_load(&cupti, request->cupti_path, &findings->tracing) != STATUS_OK) {
        findings->counters = findings->sampling = findings->tracing;
        return;
    }
    look_at_tracing(&cupti, &findings->tracing);
    probe_sampling(&cupti, 0, &findings->sampled, &findings->sampling); /* counters stay with who counts */
    if (make_context(driver, &context, &findings->counters) == STATUS_OK)
        probe_counters(&cupti, context, request->counters, &findings->counter_passes, &findings->counters);
}

static void look_at_samples(const struct request *request, const struct driver *driver,
                            struct findings *findings)
{
    struct cupti cupti;
    CUcontext context;
    if (make_context(driver, &context, &findings->lines) == STATUS_OK &&
        cupti_load(&cupti, request->cupti_path, &findings->lines) == STATUS_OK)
        probe_samples(&cupti, context, &findings->lines);
}

static void look_at_instructions(const struct request *request, const struct driver *driver,
                                 struct findings *findings)
{
    struct cupti cupti;
    CUcontext context;
    if (make_context(driver, &context, &findings->lines) == STATUS_OK &&
        cupti_load(&cupti, request->cupti_path, &findings->lines) == STATUS_OK)
        probe_instructions(&cupti, driver, context, &findings->lines);
}

static void run_request(const struct request *request, struct findings *findings)
{
    struct driver driver;
    if (driver_find(&driver, true)) {
        request->look(request, &driver, findings);
        return;
    }
    error_set(&findings->devices, STATUS_NO_DEVICE,
              "libcuda.so.1 was not found or is too old: install the NVIDIA driver (580 or newer).");
    findings->tracing = findings->counters = findings->sampling = findings->lines = findings->devices;
}

/* ---- in the caller ---- */

static bool read_all(int fd, void *to, size_t size_bytes)
{
    size_t done = 0;
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += TRY_S;
    while (done < size_bytes) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (now.tv_sec >= end.tv_sec || poll(&wait, 1, 1000 * (int)(end.tv_sec - now.tv_sec)) < 0)
            return false;
        if (!(wait.revents & (POLLIN | POLLHUP)))
            continue;
        ssize_t got = read(fd, (char *)to + done, size_bytes - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static void try_in_child(struct findings *findings, const struct request *request)
{
    int ends[2], status = 0;
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        close(ends[0]);
        unsetenv("CUDA_INJECTION64_PATH"); /* its value is reported elsewhere */
        memset(findings, 0, sizeof *findings);
        run_request(request, findings);
        _exit(write(ends[1], findings, sizeof *findings) == (ssize_t)sizeof *findings ? 0 : 1);
    }
    bool whole = false;
    if (child > 0) {
        close(ends[1]);
        whole = read_all(ends[0], findings, sizeof *findings);
        close(ends[0]);
        if (!whole)
            kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    if (whole)
        return;
    memset(findings, 0, sizeof *findings);
    if (child > 0 && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        error_set(&findings->devices, STATUS_DEVICE,
                  "A test of CUDA ended with signal %d: the driver is broken or has the wrong version.",
                  WTERMSIG(status));
    else
        error_set(&findings->devices, STATUS_DEVICE,
                  "A test of CUDA did not end within %d s: another process blocks the GPU.", TRY_S);
    findings->tracing = findings->counters = findings->sampling = findings->lines = findings->devices;
}

void probe_run(struct probe_report *report, const char *cupti_path, const char *counters)
{
    static struct findings findings; /* too large for the stack, and only one probe runs at a time */
    struct cupti cupti;
    memset(report, 0, sizeof *report);
    look_at_files(report);
    cupti_load(&cupti, cupti_path, &report->cupti);
    copy_text(report->cupti_path, sizeof report->cupti_path, cupti.path);
    report->cupti_version = cupti.version;
    struct request request = {.cupti_path = cupti_path, .counters = counters, .look = look_at_all};
    try_in_child(&findings, &request);
    report->devices = findings.devices;
    report->tracing = findings.tracing;
    report->counters = findings.counters;
    report->device_count = findings.device_count;
    report->counter_passes = findings.counter_passes;
    report->sampling = findings.sampling;
    report->sampled = findings.sampled;
    memcpy(report->device, findings.device, sizeof report->device);
    report->samples = report->instructions = findings.devices;
    if (findings.devices.status != STATUS_OK)
        return;
    request.look = look_at_samples;
    try_in_child(&findings, &request);
    report->samples = findings.lines;
    request.look = look_at_instructions;
    try_in_child(&findings, &request);
    report->instructions = findings.lines;
}
