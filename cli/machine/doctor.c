/* SPDX-License-Identifier: Apache-2.0 */
/* Each finding is written at once, within its group: a line of the table, or an object of the JSON. */
#include "cli/options/commands.h"

#include "cli/machine/device_choice.h"
#include "cli/machine/left.h"
#include "cli/machine/nvml.h"
#include "cli/output/json.h"
#include "cli/own/compile.h"
#include "cli/process/confined.h"
#include "cli/process/disassemble.h"
#include "cli/process/paths.h"
#include "cli/process/program_look.h"
#include "tui/terminal/direct_type.h"
#include "tui/terminal/text.h"
#include "workloads/frame/image.h"
#include "workloads/frame/workload.h"

#include "core/base/append.h"
#include "core/wire/standin_config.h"
#if LANESCOPE_CUDA
#include "core/metric/metric.h"
#include "cupti/probe/probe.h"
#endif

#include <ctype.h>
#include <langinfo.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SCHEMA 1

enum state { GOOD, LIMITED, MISSING, FACT };

/* The output of findings: a table for people, or JSON (docs/doctor.schema.json). */
struct findings {
    FILE *out;
    struct json json;
    bool as_json;
    const char *group;
};

static void begin_group(struct findings *findings, const char *group, const char *version)
{
    findings->group = group;
    if (!findings->as_json)
        fprintf(findings->out, "%s%s%s\n", group, *version ? " " : "", version);
}

/* A row's name in JSON: "live_sessions" for "live sessions". */
static void make_id(const char *what, char *id, size_t size_bytes)
{
    size_t length = 0;

    for (; what[length] && length + 1 < size_bytes; length++)
        id[length] =
            what[length] == ' ' || what[length] == '-' ? '_' : (char)tolower((unsigned char)what[length]);
    id[length] = '\0';
}

/* "  ok  what      text": the mark is a word, not only a colour. File names and values of the environment
 * come from outside. */
static void finding_add(struct findings *findings, enum state state, const char *what, const char *text)
{
    static const struct {
        const char *mark, *name;
    } states[] = {[GOOD] = {"ok", "ok"},
                  [LIMITED] = {"some", "limited"},
                  [MISSING] = {"no", "missing"},
                  [FACT] = {"", "fact"}};
    char id[32];

    if (!findings->as_json) {
        fprintf(findings->out, "  %-5s %-14s ", states[state].mark, what);
        text_print(text, findings->out);
        putc('\n', findings->out);
        return;
    }
    make_id(what, id, sizeof id);
    json_open(&findings->json, NULL, '{');
    json_string(&findings->json, "group", findings->group);
    json_string(&findings->json, "id", id);
    json_string(&findings->json, "state", states[state].name);
    json_string(&findings->json, "text", text);
    json_close(&findings->json, '}');
}

static void print_terminal(struct findings *findings)
{
    struct winsize size = {0};
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    struct direct_type direct;
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    char text[256];

    begin_group(findings, "terminal", "");
    finding_add(findings, FACT, "configuration",
                options_config_path(text, sizeof text) ? text : "none ($XDG_CONFIG_HOME/lanescope/config)");
    finding_add(findings, term && *term && strcmp(term, "dumb") != 0 ? GOOD : MISSING, "TERM",
                term && *term ? term : "not set: the screen cannot be drawn; reports and --snapshot work");
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col) {
        snprintf(text, sizeof text, "%ux%u%s", size.ws_col, size.ws_row,
                 size.ws_col < 80 || size.ws_row < 24 ? "; at 80x24 and more all panes fit" : "");
        finding_add(findings, size.ws_col < 80 || size.ws_row < 24 ? LIMITED : GOOD, "size", text);
    } else {
        finding_add(findings, FACT, "size", "standard output is not a terminal");
    }
    finding_add(findings, utf8 ? GOOD : LIMITED, "characters",
                utf8 ? "UTF-8" : "not UTF-8: the screen uses ASCII (set LC_ALL=C.UTF-8 for finer bars)");
    if (no_color && *no_color)
        finding_add(findings, FACT, "colours", "none: NO_COLOR is set");
    else if (direct_type_find(&direct))
        finding_add(findings, FACT, "colours", "24-bit");
    else if (direct.said) {
        snprintf(text, sizeof text,
                 "fewer than COLORTERM says: terminfo lacks %s (Debian's package ncurses-term has it)",
                 direct.name);
        finding_add(findings, LIMITED, "colours", text);
    } else {
        finding_add(findings, FACT, "colours", "as terminfo says; 24-bit where COLORTERM is truecolor");
    }
}

static void print_build(struct findings *findings)
{
    char path[PATH_BYTES], text[PATH_BYTES + 16];
    bool nvrtc;
    struct error error = {0};
    const struct kernel_image *image = kernel_image_find("copy_offset");

    begin_group(findings, "lanescope", LANESCOPE_VERSION);
    enum status status = path_of_agent(path, &error);
    finding_add(findings, status == STATUS_OK ? GOOD : MISSING, "agent",
                status == STATUS_OK ? path : error.text);
    finding_add(findings, image && strcmp(image->format, "fatbin") == 0 ? GOOD : LIMITED, "kernels",
                image && strcmp(image->format, "fatbin") == 0
                    ? "machine code for current GPUs is in the program"
                    : "PTX only (built without nvcc): the driver compiles it in the first run");
    status = path_of_ladder(path, &error);
    finding_add(findings, status == STATUS_OK ? GOOD : LIMITED, "CUB",
                status == STATUS_OK ? path : error.text);
    status = path_of_standin(path, &error);
    finding_add(findings, status == STATUS_OK ? GOOD : MISSING, "stand-in",
                status == STATUS_OK ? path : error.text);
    status = compile_find(path, &nvrtc, &error);
    snprintf(text, sizeof text, "%s%.4000s", nvrtc ? "NVRTC, " : "", path);
    finding_add(findings, status == STATUS_OK ? GOOD : LIMITED, "compiler",
                status == STATUS_OK ? text : error.text);
    status = path_of_cuobjdump(path, &error);
    finding_add(findings, status == STATUS_OK ? GOOD : LIMITED, "cuobjdump",
                status == STATUS_OK ? path : error.text);
}

/* ---- a program on the device model ---- */

static void targets_text(const struct program_targets *targets, char *text, size_t size_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < targets->count; i++)
        append_text(text, size_bytes, &used, "%s%s", i ? ", " : "",
                    capability_text(targets->capability[i]).text);
}

static void print_runtime(struct findings *findings, const struct program_look *look)
{
    char text[300];

    if (look->old) {
        snprintf(text, sizeof text,
                 "%.60s, of CUDA 11 or older: the device model has the runtimes of CUDA 12 and 13, build it "
                 "with one "
                 "of them",
                 look->runtime == PROGRAM_SHARED ? look->library : "static");
        finding_add(findings, MISSING, "runtime", text);
        return;
    }
    switch (look->runtime) {
    case PROGRAM_NO_RUNTIME:
        finding_add(findings, FACT, "runtime",
                    "none, and no kernels: this file makes no CUDA calls of its own");
        break;
    case PROGRAM_SHARED:
        snprintf(text, sizeof text, "shared (%.60s): with --device simt the device model's takes its place",
                 look->library);
        finding_add(findings, GOOD, "runtime", text);
        break;
    case PROGRAM_STATIC:
        finding_add(findings, GOOD, "runtime",
                    "static: with --device simt its functions are redirected in memory, by their names");
        break;
    case PROGRAM_STRIPPED:
        finding_add(
            findings, MISSING, "runtime",
            "static, and stripped of the names that lead to it: do not strip it, or build it with nvcc "
            "-cudart shared (NVCC_APPEND_FLAGS=-cudart=shared in the environment does so for any build)");
        break;
    }
}

static void print_ptx(struct findings *findings, const struct program_look *look)
{
    const uint32_t model = gpu_at(0)->info.compute_capability;
    uint32_t oldest = UINT32_MAX;
    char ptx[128], machine[128], text[400];

    if (look->beside) {
        finding_add(findings, GOOD, "PTX", "in the file beside it, or the one that LANESCOPE_PTX names");
        return;
    }
    if (look->bare) {
        finding_add(findings, FACT, "PTX", "none, and no kernels: the program calls those of its libraries");
        return;
    }
    if (look->unknown.status != STATUS_OK) {
        finding_add(findings, MISSING, "PTX", look->unknown.text);
        return;
    }
    for (size_t i = 0; i < look->ptx.count; i++)
        oldest = look->ptx.capability[i] < oldest ? look->ptx.capability[i] : oldest;
    targets_text(&look->ptx, ptx, sizeof ptx);
    targets_text(&look->machine, machine, sizeof machine);
    if (!look->ptx.count)
        snprintf(text, sizeof text,
                 "none%s%s: add -gencode arch=compute_90,code=compute_90 (CMake: CUDA_ARCHITECTURES 90)",
                 *machine ? ", machine code alone, for " : "", machine);
    else if (oldest > model)
        snprintf(text, sizeof text,
                 "for compute capability %s: it runs on the model of a GPU that takes it, not on that of the "
                 "default "
                 "one (%s)",
                 ptx, capability_text(model).text);
    else
        snprintf(text, sizeof text, "for compute capability %s", ptx);
    finding_add(findings, !look->ptx.count ? MISSING : oldest > model ? FACT : GOOD, "PTX", text);
}

/* Returns whether the device model can run the program's kernels. A program without kernels may open a
 * library that has some. */
static bool print_program(struct findings *findings, const char *path, const struct program_look *look)
{
    char text[700];
    const bool runs =
        !look->old && look->runtime != PROGRAM_STRIPPED &&
        (look->bare || look->beside || (look->unknown.status == STATUS_OK && look->ptx.count > 0));

    begin_group(findings, "program", path);
    print_runtime(findings, look);
    if (look->runtime == PROGRAM_NO_RUNTIME)
        return true;
    print_ptx(findings, look);
    snprintf(text, sizeof text, "it needs %.500s: " CLOSED_REASON, look->closed);
    if (look->closed[0])
        finding_add(findings, MISSING, "libraries", text);
    snprintf(text, sizeof text,
             "lanescope's own runs in the place of %.100s: docs/standin.md has what it does", look->own);
    if (look->own[0])
        finding_add(findings, GOOD, "libraries", text);
    snprintf(text, sizeof text, "lanescope --device simt -- %.600s%s", path,
             look->closed[0] ? " runs its own kernels" : "");
    finding_add(findings,
                !runs             ? MISSING
                : look->closed[0] ? LIMITED
                                  : GOOD,
                "without a GPU", runs ? text : "the device model cannot run it: change what is marked above");
    return runs;
}

static void print_leftovers(struct findings *findings)
{
    char text[2048];
    struct error error = {0};
    enum status status = left_text(text, sizeof text, &error);

    finding_add(findings, status == STATUS_OK ? GOOD : MISSING, "live sessions",
                status == STATUS_OK ? text : error.text);
}

#if LANESCOPE_CUDA
/* The counters of the whole catalogue as one text, for the probe to try. */
static void all_counters(char *text, size_t size_bytes)
{
    char nothing[] = "";
    const char *names[256];
    size_t count =
        metric_choose_counters(nothing, NULL, METRIC_SHARE_ALL, names, sizeof names / sizeof *names);
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && used + strlen(names[i]) + 2 < size_bytes; i++)
        append_text(text, size_bytes, &used, "%s%s", i ? "," : "", names[i]);
}

static void print_device(struct findings *findings, uint32_t index, const struct device_info *info)
{
    char text[256], what[32];

    snprintf(what, sizeof what, "GPU %u", index);
    snprintf(text, sizeof text, "%.90s, compute capability %s, %u multiprocessors, %.0f GB", info->name,
             capability_text(info->compute_capability).text, info->multiprocessors,
             (double)info->memory_bytes / 1e9);
    finding_add(findings, GOOD, what, text);
}

static void print_disassembler(struct findings *findings)
{
    char path[PATH_BYTES];
    struct error error;
    enum status status = disassembler_find(path, &error);

    finding_add(findings, status == STATUS_OK ? GOOD : LIMITED, "machine code",
                status == STATUS_OK ? path : error.text);
}

static void print_gpu(struct findings *findings)
{
    static struct probe_report report;
    char cupti[PATH_BYTES], counters[8192], text[2048];

    all_counters(counters, sizeof counters);
    path_of_libcupti(cupti, NULL);
    probe_run(&report, cupti, counters);
    begin_group(findings, "GPU", "");
    finding_add(findings, report.driver_text[0] ? GOOD : MISSING, "driver",
                report.driver_text[0] ? report.driver_text
                                      : "no NVIDIA driver is loaded: workloads run on the device model here");
    if (report.devices.status != STATUS_OK)
        finding_add(findings, MISSING, "CUDA", report.devices.text);
    for (uint32_t i = 0; i < report.device_count && i < PROBE_MAX_DEVICES; i++)
        print_device(findings, i, &report.device[i]);
    snprintf(text, sizeof text, "%.1000s (%u)", report.cupti_path, report.cupti_version);
    finding_add(findings, report.cupti.status == STATUS_OK ? GOOD : MISSING, "libcupti",
                report.cupti.status == STATUS_OK ? text : report.cupti.text);
    if (report.device_count) {
        finding_add(findings, report.tracing.status == STATUS_OK ? GOOD : MISSING, "tracing",
                    report.tracing.status == STATUS_OK ? "timeline, copies, API calls, NVTX"
                                                       : report.tracing.text);
        snprintf(text, sizeof text, "all metrics, in %u passes", report.counter_passes);
        finding_add(findings, report.counters.status == STATUS_OK ? GOOD : MISSING, "counters",
                    report.counters.status == STATUS_OK ? text : report.counters.text);
        snprintf(text, sizeof text, "%u counters over time, every 1 ms and in bursts down to 2 us",
                 report.sampled);
        finding_add(findings, report.sampling.status == STATUS_OK ? GOOD : MISSING, "sampling",
                    report.sampling.status == STATUS_OK ? text : report.sampling.text);
        finding_add(findings, report.samples.status == STATUS_OK ? GOOD : MISSING, "lines",
                    report.samples.status == STATUS_OK
                        ? "program counters are sampled: time and stall reasons by source line"
                        : report.samples.text);
        finding_add(
            findings, report.instructions.status == STATUS_OK ? GOOD : MISSING, "instructions",
            report.instructions.status == STATUS_OK
                ? "executions, sectors and wavefronts of each instruction are counted, one process per kernel"
                : report.instructions.text);
        print_disassembler(findings);
        if (report.counters.status == STATUS_PERMISSION)
            finding_add(
                findings, LIMITED, "model counts",
                "lanescope --device both -- PROGRAM traces the program and runs it again on the device model, "
                "from its PTX: modelled counts beside measured times");
    }
    if (report.restriction == PROBE_RESTRICTION_ADMIN)
        finding_add(findings, FACT, "permission",
                    "the driver permits counters to administrators only (RmProfilingAdminOnly: 1); "
                    "NVreg_RestrictProfilingToAdminUsers=0 for the module nvidia permits them");
    if (report.injection[0] || report.nvtx_injection[0]) {
        snprintf(text, sizeof text, "the environment injects %.900s: unset it or give --replace-injection",
                 report.injection[0] ? report.injection : report.nvtx_injection);
        finding_add(findings, LIMITED, "injection", text);
    }
}
#else
static void print_gpu(struct findings *findings)
{
    begin_group(findings, "GPU", "");
    finding_add(findings, MISSING, "CUPTI",
                "this build has no CUPTI part: build lanescope with a CUDA 13 toolkit (./bootstrap cuda)");
}
#endif

/* The first GPU's line, or the reason why there is none. */
static void print_sensors(struct findings *findings)
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
    finding_add(findings, health.available ? GOOD : MISSING, "sensors", text);
}

/* Opens the model and gives it a little work. */
static void print_model(struct findings *findings)
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
    begin_group(findings, "device model", "");
    snprintf(text, sizeof text, "%.90s unless --model names another; %zu GPUs in its table",
             gpu_at(0)->info.name, count);
    finding_add(findings, status == STATUS_OK ? GOOD : MISSING, "model",
                status == STATUS_OK ? text : error.text);
    finding_add(
        findings, FACT, "programs",
        "run from their PTX: PyTorch's own kernels and most of NVIDIA's libraries hold none and need a "
        "GPU (docs/standin.md)");
    const enum confinement how = confinement_find(CONFINED_NAMESPACE);

    snprintf(text, sizeof text, "their compiler is %s", confinement_text(how));
    finding_add(findings, how == CONFINED_NAMESPACE ? GOOD : LIMITED, "hand-ins", text);
    snprintf(text, sizeof text, "%ld, one per processor", sysconf(_SC_NPROCESSORS_ONLN));
    finding_add(findings, FACT, "workers", text);
}

enum status doctor_run(FILE *out, const char *program, bool as_json, struct error *error)
{
    struct findings findings = {.out = out, .as_json = as_json};
    struct program_look look;

    if (program && program_look_at(program, &look, error) != STATUS_OK)
        return error->status;
    if (as_json) {
        json_init(&findings.json, out, 2); /* a line for each finding */
        json_open(&findings.json, NULL, '{');
        json_integer(&findings.json, "schema", SCHEMA);
        json_string(&findings.json, "lanescope", LANESCOPE_VERSION);
        json_open(&findings.json, "findings", '[');
    }
    bool runs = !program || print_program(&findings, program, &look);
    print_build(&findings);
    print_leftovers(&findings);
    print_gpu(&findings);
    print_sensors(&findings);
    print_model(&findings);
    print_terminal(&findings);
    if (as_json) {
        json_close(&findings.json, ']');
        json_close(&findings.json, '}');
    }
    return runs ? STATUS_OK
                : error_set(error, STATUS_UNSUPPORTED,
                            "The device model cannot run %.300s: the first lines say what to change.",
                            program);
}

/* ---- the report of a defect ---- */
/* Prints the text with `with` in place of each `name` that is no part of a longer word. */
static char *name_replace(char *text, const char *name, const char *with)
{
    const size_t length = strlen(name);
    char *made = NULL, *from = text;
    size_t size = 0;
    FILE *out = length >= 2 ? open_memstream(&made, &size) : NULL;

    if (!out)
        return text;
    for (char *at; (at = strstr(from, name)); from = at + length) {
        const bool word = (at > text && isalnum((unsigned char)at[-1])) || isalnum((unsigned char)at[length]);

        fprintf(out, "%.*s%s", (int)(at - from), from, word ? name : with);
    }
    fputs(from, out);
    if (fclose(out) != 0 || !made) {
        free(made);
        return text;
    }
    free(text);
    return made;
}

/* The names that say who and where: the folder first, which has the user's name in it. */
static char *names_remove(char *text)
{
    const struct passwd *user = getpwuid(getuid());
    const char *home = getenv("HOME");
    struct utsname system = {0};

    if (home && home[0] == '/' && home[1])
        text = name_replace(text, home, "~");
    if (user && user->pw_dir && user->pw_dir[0] == '/' && user->pw_dir[1])
        text = name_replace(text, user->pw_dir, "~");
    if (user && strcmp(user->pw_name, "root") != 0)
        text = name_replace(text, user->pw_name, "USER");
    if (uname(&system) == 0 && strcmp(system.nodename, "localhost") != 0)
        text = name_replace(text, system.nodename, "HOST");
    return text;
}

/* The line of /etc/os-release that people know. */
static void print_system(FILE *out)
{
    struct utsname system = {0};
    char line[256];
    FILE *release = fopen("/etc/os-release", "re");

    if (uname(&system) == 0)
        fprintf(out, "system %s %s %s\n", system.sysname, system.release, system.machine);
    while (release && fgets(line, sizeof line, release))
        if (strncmp(line, "PRETTY_NAME=", 12) == 0)
            fprintf(out, "distribution %s", line + 12);
    if (release)
        fclose(release);
}

enum status bug_report(FILE *out, void (*print_version)(FILE *out), const char *program, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        return error_no_memory(error, "for the report");
    print_version(memory);
    print_system(memory);
    putc('\n', memory);
    enum status status = doctor_run(memory, program, false, error);
    if (fclose(memory) != 0 || !text) {
        free(text);
        return error_no_memory(error, "for the report");
    }
    text = names_remove(text);
    fprintf(out, "<!-- What happened, what you expected, and the command: -->\n\n```\n%s```\n", text);
    free(text);
    return status;
}
