/*
 * Findings are a plain struct without pointers: the child fills it and writes it to a pipe as a whole,
 * and what the child did not reach stays empty. A child that ends without an answer, or takes longer than
 * TRY_S, is reported as such.
 */
#include "cupti/probe/probe.h"

#include "cupti/load/driver.h"
#include "cupti/load/load.h"
#include "cupti/probe/probe_counters.h"
#include "cupti/probe/probe_lines.h"
#include "cupti/probe/probe_sampling.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
