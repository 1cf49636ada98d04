#include "cli/doctor.h"

#include "cli/device_choice.h"
#include "cli/disassemble.h"
#include "cli/nvml.h"
#include "cli/paths.h"
#include "workloads/image.h"
#include "workloads/workload.h"

#if LANESCOPE_CUDA
#include "core/metric.h"
#include "cupti/probe.h"
#endif

#include <dirent.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum finding { GOOD, LIMITED, MISSING, FACT };

/* "  ok  what      text": the mark is a word, never a colour alone. */
static void print_finding(FILE *out, enum finding finding, const char *what, const char *text)
{
    static const char *const marks[] = {[GOOD] = "ok", [LIMITED] = "some", [MISSING] = "no", [FACT] = ""};

    fprintf(out, "  %-5s %-14s %s\n", marks[finding], what, text);
}

static void print_terminal(FILE *out)
{
    struct winsize size = {0};
    const char *term = getenv("TERM");
    const char *depth = getenv("COLORTERM");
    const char *no_color = getenv("NO_COLOR");
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    char text[256];

    fputs("terminal\n", out);
    print_finding(out, term && *term && strcmp(term, "dumb") != 0 ? GOOD : MISSING, "TERM",
                  term && *term ? term : "not set: the screen cannot be drawn; reports and --snapshot can");
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col) {
        snprintf(text, sizeof text, "%ux%u%s", size.ws_col, size.ws_row,
                 size.ws_col < 80 || size.ws_row < 24 ? "; at 80x24 and more all panes fit" : "");
        print_finding(out, size.ws_col < 80 || size.ws_row < 24 ? LIMITED : GOOD, "size", text);
    } else {
        print_finding(out, FACT, "size", "standard output is no terminal");
    }
    print_finding(out, utf8 ? GOOD : LIMITED, "characters",
                  utf8 ? "UTF-8" : "not UTF-8: the screen uses ASCII (set LC_ALL=C.UTF-8 for finer bars)");
    print_finding(out, FACT, "colours",
                  no_color && *no_color ? "none: NO_COLOR is set"
                  : depth && (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0)
                      ? "24-bit"
                      : "as terminfo says");
}

static void print_build(FILE *out)
{
    char path[PATH_BYTES];
    struct error error = {0};
    const struct kernel_image *image = kernel_image_find("copy_offset");
    enum status status;

    fputs("lanescope " LANESCOPE_VERSION "\n", out);
    status = path_of_agent(path, &error);
    print_finding(out, status == STATUS_OK ? GOOD : MISSING, "agent",
                  status == STATUS_OK ? path : error.text);
    print_finding(out, image && strcmp(image->format, "fatbin") == 0 ? GOOD : LIMITED, "kernels",
                  image && strcmp(image->format, "fatbin") == 0
                      ? "machine code for the GPUs of today is in the program"
                      : "PTX only (built without nvcc): the driver compiles it at the first run");
    status = path_of_ladder(path, &error);
    print_finding(out, status == STATUS_OK ? GOOD : LIMITED, "CUB", status == STATUS_OK ? path : error.text);
}

/* Live recordings of sessions that did not end in order. */
static void print_leftovers(FILE *out)
{
    char path[PATH_BYTES], text[PATH_BYTES + 128];
    struct error error = {0};
    DIR *folder;
    struct dirent *entry;
    unsigned count = 0;

    if (path_of_live_recording(path, &error) != STATUS_OK) {
        print_finding(out, MISSING, "live sessions", error.text);
        return;
    }
    *strrchr(path, '/') = '\0';
    folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        size_t length = strlen(entry->d_name);

        count += length > 4 && strcmp(entry->d_name + length - 4, ".lsr") == 0;
    }
    if (folder)
        closedir(folder);
    snprintf(text, sizeof text,
             count ? "%.3000s holds %u of sessions that run or were cut off: lanescope view opens them"
                   : "%.3000s",
             path, count);
    print_finding(out, GOOD, "live sessions", text);
}

#if LANESCOPE_CUDA
/* The counters of the whole catalogue as one text, for the probe's try. */
static void all_counters(char *text, size_t size_bytes)
{
    char nothing[] = "";
    const char *names[256];
    size_t count =
        metric_choose_counters(nothing, NULL, METRIC_SHARE_ALL, names, sizeof names / sizeof *names);
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && used + strlen(names[i]) + 2 < size_bytes; i++)
        used += (size_t)snprintf(text + used, size_bytes - used, "%s%s", i ? "," : "", names[i]);
}

static void print_device(FILE *out, uint32_t index, const struct device_info *info)
{
    char text[256], what[32];

    snprintf(what, sizeof what, "GPU %u", index);
    snprintf(text, sizeof text, "%.90s, compute capability %u.%u, %u multiprocessors, %.0f GB", info->name,
             info->compute_capability / 10, info->compute_capability % 10, info->multiprocessors,
             (double)info->memory_bytes / 1e9);
    print_finding(out, GOOD, what, text);
}

static void print_disassembler(FILE *out)
{
    char path[PATH_BYTES];
    struct error error;
    enum status status = disassembler_find(path, &error);

    print_finding(out, status == STATUS_OK ? GOOD : LIMITED, "machine code",
                  status == STATUS_OK ? path : error.text);
}

static void print_gpu(FILE *out)
{
    static struct probe_report report;
    char cupti[PATH_BYTES], counters[8192], text[2048];

    all_counters(counters, sizeof counters);
    path_of_libcupti(cupti, NULL);
    probe_run(&report, cupti, counters);
    fputs("GPU\n", out);
    print_finding(out, report.driver_text[0] ? GOOD : MISSING, "driver",
                  report.driver_text[0]
                      ? report.driver_text
                      : "no NVIDIA driver is loaded: workloads run on the device model here");
    if (report.devices.status != STATUS_OK)
        print_finding(out, MISSING, "CUDA", report.devices.text);
    for (uint32_t i = 0; i < report.device_count && i < PROBE_MAX_DEVICES; i++)
        print_device(out, i, &report.device[i]);
    snprintf(text, sizeof text, "%.1000s (%u)", report.cupti_path, report.cupti_version);
    print_finding(out, report.cupti.status == STATUS_OK ? GOOD : MISSING, "libcupti",
                  report.cupti.status == STATUS_OK ? text : report.cupti.text);
    if (report.device_count) {
        print_finding(out, report.tracing.status == STATUS_OK ? GOOD : MISSING, "tracing",
                      report.tracing.status == STATUS_OK ? "timeline, copies, API calls, NVTX"
                                                         : report.tracing.text);
        snprintf(text, sizeof text, "the whole catalogue, in %u passes", report.counter_passes);
        print_finding(out, report.counters.status == STATUS_OK ? GOOD : MISSING, "counters",
                      report.counters.status == STATUS_OK ? text : report.counters.text);
        snprintf(text, sizeof text, "%u counters over time, every 1 ms and in bursts down to 2 us",
                 report.sampled);
        print_finding(out, report.sampling.status == STATUS_OK ? GOOD : MISSING, "sampling",
                      report.sampling.status == STATUS_OK ? text : report.sampling.text);
        print_finding(out, report.samples.status == STATUS_OK ? GOOD : MISSING, "lines",
                      report.samples.status == STATUS_OK
                          ? "program counters are sampled: time and what it was waited for, by source line"
                          : report.samples.text);
        print_finding(
            out, report.instructions.status == STATUS_OK ? GOOD : MISSING, "instructions",
            report.instructions.status == STATUS_OK
                ? "each instruction's executions, sectors and wavefronts are counted, a process per kernel"
                : report.instructions.text);
        print_disassembler(out);
    }
    if (report.restriction == PROBE_RESTRICTION_ADMIN)
        print_finding(out, FACT, "",
                      "the driver gives counters to administrators only (RmProfilingAdminOnly: 1)");
    if (report.injection[0] || report.nvtx_injection[0]) {
        snprintf(text, sizeof text, "the environment injects %.900s: unset it or say --replace-injection",
                 report.injection[0] ? report.injection : report.nvtx_injection);
        print_finding(out, LIMITED, "injection", text);
    }
}
#else
static void print_gpu(FILE *out)
{
    fputs("GPU\n", out);
    print_finding(out, MISSING, "CUPTI",
                  "this build has no CUPTI part: build it where a CUDA 13 toolkit is (./bootstrap cuda)");
}
#endif

/* The first GPU's line, or why there is none. */
static void print_sensors(FILE *out)
{
    static const uint8_t first[16];
    struct nvml *nvml = NULL;
    struct error error = {0};
    struct device_health health;
    char text[400];

    if (nvml_open(&nvml, NVML_LIBRARY, &error) == STATUS_OK)
        nvml_health(nvml, first, 0, &health);
    else
        device_health_none(&health, error.text);
    nvml_close(nvml);
    device_health_line(&health, text, sizeof text);
    print_finding(out, health.available ? GOOD : MISSING, "sensors", text);
}

/* The model is opened and given a little work. */
static void print_model(FILE *out)
{
    struct error error = {0};
    struct device *device = NULL;
    device_pointer pointer = 0;
    enum status status = workload_device_open("simt", 0, &device, &error);
    char text[256];
    size_t count = 0;

    if (status == STATUS_OK)
        status = device->ops->memory_alloc(device, 4096, &pointer, &error);
    if (status == STATUS_OK)
        status = device->ops->set(device, pointer, 0, 4096, 0, &error);
    if (device)
        device->ops->close(device);
    while (gpu_at(count))
        count++;
    fputs("device model\n", out);
    snprintf(text, sizeof text, "%.90s unless --model says otherwise; %zu GPUs in its table",
             gpu_at(0)->info.name, count);
    print_finding(out, status == STATUS_OK ? GOOD : MISSING, "model",
                  status == STATUS_OK ? text : error.text);
    snprintf(text, sizeof text, "%ld, one per processor", sysconf(_SC_NPROCESSORS_ONLN));
    print_finding(out, FACT, "workers", text);
}

void doctor_run(FILE *out)
{
    print_build(out);
    print_leftovers(out);
    print_gpu(out);
    print_sensors(out);
    print_model(out);
    print_terminal(out);
}
