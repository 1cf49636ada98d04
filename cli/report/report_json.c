/*
 * The contract: docs/report.schema.json says what each field is. The report is written from one walk over the
 * runs; a part of a run is worked out before its key is written, so that it can be null instead.
 */
#include "cli/output/json.h"
#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"
#include "cli/report/report_advice.h"
#include "cli/report/report_amdahl.h"
#include "cli/report/report_json_time.h"
#include "cli/report/report_lines.h"
#include "cli/report/report_samples.h"
#include "cli/report/report_stacks.h"
#include "core/analysis/run_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_SCHEMA 1
#define LINES_DEPTH 6 /* one line per metric */
#define KERNEL_LINES_DEPTH 2

/* ---- devices: the rows of several processes that are one device ---- */
static bool same_device(const struct device_row *a, const struct device_row *b)
{
    static const uint8_t no_uuid[sizeof a->info.uuid];
    if (a->info.is_model != b->info.is_model || memcmp(a->info.uuid, b->info.uuid, sizeof a->info.uuid) != 0)
        return false;
    return memcmp(a->info.uuid, no_uuid, sizeof no_uuid) != 0 ||
           (a->ordinal == b->ordinal && strncmp(a->info.name, b->info.name, sizeof a->info.name) == 0);
}

/* The first row of the same device. */
static uint32_t first_of_device(const struct session *session, uint32_t device)
{
    uint32_t first = 0;
    while (first < device && !same_device(session_device(session, first), session_device(session, device)))
        first++;
    return first;
}

/* Its place in the report's list; -1 if not found. */
static int64_t device_index(const struct session *session, uint32_t device)
{
    if (device >= session_device_count(session))
        return -1;
    uint32_t first = first_of_device(session, device);
    int64_t index = 0;
    for (uint32_t i = 0; i < first; i++)
        index += first_of_device(session, i) == i;
    return index;
}

/* In a device's facts 0 means "not known". */
static void write_fact(struct json *json, const char *key, uint64_t number)
{
    if (number == 0)
        json_null(json, key);
    else
        json_integer(json, key, (int64_t)number);
}

static void write_device(struct json *json, const struct device_row *device)
{
    const struct device_info *info = &device->info;
    char name[sizeof info->name + 1] = {0}, chip[sizeof info->chip + 1] = {0},
                                  uuid[2 * sizeof info->uuid + 1];
    memcpy(name, info->name, sizeof info->name);
    memcpy(chip, info->chip, sizeof info->chip);
    for (size_t i = 0; i < sizeof info->uuid; i++)
        snprintf(uuid + 2 * i, 3, "%02x", info->uuid[i]);
    json_open(json, NULL, '{');
    json_string(json, "name", name);
    json_string(json, "chip", chip);
    if (strspn(uuid, "0") == sizeof uuid - 1)
        json_null(json, "uuid");
    else
        json_string(json, "uuid", uuid);
    json_bool(json, "is_model", info->is_model);
    json_integer(json, "ordinal", device->ordinal);
    json_string(json, "compute_capability", capability_text(info->compute_capability).text);
    write_fact(json, "multiprocessors", info->multiprocessors);
    write_fact(json, "memory_bytes", info->memory_bytes & INT64_MAX);
    write_fact(json, "l2_bytes", info->l2_bytes);
    write_fact(json, "core_clock_khz", info->core_clock_khz);
    write_fact(json, "memory_clock_khz", info->memory_clock_khz);
    write_fact(json, "memory_bus_bits", info->memory_bus_bits);
    write_fact(json, "driver_version", info->driver_version);
    json_close(json, '}');
}

/* ---- runs ---- */
/* A part whose events are not all in memory is null, since its numbers would be wrong; a notice says why
 * (report_json). */
static enum status leave_out(struct json *json, const char *key, enum status status)
{
    if (status != STATUS_STATE)
        return status;
    json_null(json, key);
    return STATUS_OK;
}

/* Writes a whole number within the range that JSON readers keep exact. */
static bool whole_number(const char *text, size_t length)
{
    size_t digits = length - (text[0] == '-');
    const char *first = text + (text[0] == '-');
    return digits > 0 && digits <= 15 && strspn(first, "0123456789") >= digits &&
           (first[0] != '0' || digits == 1);
}

/* "offset=3,n=1024" -> {"offset": 3, "n": 1024} */
static void write_params(struct json *json, const char *params)
{
    char *copy = memory_copy_text(params), *rest = copy;
    json_open(json, "params", '{');
    for (char *pair = strsep(&rest, ","); pair; pair = strsep(&rest, ",")) {
        char *value = pair;
        char *key = strsep(&value, "=");
        if (!value)
            continue;
        if (whole_number(value, strlen(value)))
            json_integer(json, key, strtoll(value, NULL, 10));
        else
            json_string(json, key, value);
    }
    json_close(json, '}');
    free(copy);
}

static void write_process(struct json *json, const struct session *session, uint32_t index)
{
    const struct process_row *process = session_process(session, index);
    if (!process) {
        json_null(json, "process");
        return;
    }
    json_open(json, "process", '{');
    json_integer(json, "pid", process->pid);
    json_string(json, "host", session_string(session, process->host));
    int32_t exit_status = atomic_load_explicit(&process->exit_status, memory_order_acquire);
    if (process->rank < 0)
        json_null(json, "rank");
    else
        json_integer(json, "rank", process->rank);
    if (exit_status < 0)
        json_null(json, "exit_status");
    else
        json_integer(json, "exit_status", exit_status);
    json_close(json, '}');
}

static void write_metric(struct json *json, const struct report_data *data, uint32_t kernel,
                         enum metric metric)
{
    const struct metric_info *info = metric_info(metric);
    struct kernel_statistic shown = report_statistic(data, kernel, metric);
    struct kernel_statistic expected =
        kernel_index_statistic(data->index, kernel, metric, PROVENANCE_EXPECTED);
    struct kernel_statistic modelled =
        kernel_index_statistic(data->index, kernel, metric, PROVENANCE_MODELLED);
    const struct value *value = &shown.value;
    bool number = value->available && !value->word;
    json_open(json, info->id, '{');
    if (value->available && value->word)
        json_string(json, "value", value->word);
    else
        json_known_number(json, "value", number, value->number);
    json_string(json, "unit", info->unit);
    json_string(json, "provenance", provenance_text(value->provenance));
    json_bool(json, "derived", value->available ? value->derived : info->derived);
    json_string(json, "bound", value_bound_text(value->available ? value->bound : VALUE_EXACT));
    json_integer(json, "n", value->available ? shown.n : 0);
    json_known_number(json, "min", number, shown.min);
    json_known_number(json, "max", number, shown.max);
    if (expected.value.available && expected.value.word)
        json_string(json, "expected", expected.value.word);
    else
        json_known_number(json, "expected", expected.value.available, expected.value.number);
    if (modelled.value.available && modelled.value.word)
        json_string(json, "modelled", modelled.value.word);
    else
        json_known_number(json, "modelled", modelled.value.available, modelled.value.number);
    if (value->available)
        json_null(json, "why");
    else
        json_string(json, "why", value->why ? value->why : "not known");
    json_close(json, '}');
}

static void write_dimensions(struct json *json, const char *key, uint32_t x, uint32_t y, uint32_t z)
{
    /* on one line, as one thing */
    int lines = json->lines_depth;
    json_open(json, key, '[');
    json->lines_depth = 0;
    json_integer(json, NULL, x);
    json_integer(json, NULL, y);
    json_integer(json, NULL, z);
    json_close(json, ']');
    json->lines_depth = lines;
}

static void write_kernel(struct json *json, const struct report_data *data, uint32_t kernel)
{
    const struct session *session = data->session;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = session_shape(session, row->shape);
    struct kernel_statistic time = report_statistic(data, kernel, METRIC_time_ns);
    json_open(json, NULL, '{');
    char name[2048];
    report_short_name(data->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, name, sizeof name);
    json_string(json, "name", session_string(session, shape->name));
    json_string(json, "short_name", name);
    json_string(json, "mangled", session_string(session, shape->mangled ? shape->mangled : shape->name));
    write_dimensions(json, "grid", shape->grid[0], shape->grid[1], shape->grid[2]);
    write_dimensions(json, "block", shape->block[0], shape->block[1], shape->block[2]);
    json_integer(json, "registers", shape->registers_per_thread);
    json_integer(json, "dynamic_shared_bytes", shape->dynamic_shared_bytes);
    json_integer(json, "launches", (int64_t)kernel_times(session, kernel, false).launches);
    json_integer(json, "measured_launches", (int64_t)kernel_index_measured(data->index, kernel));
    json_open(json, "time_ns", '{');
    json_known_number(json, "min", time.value.available, time.min);
    json_known_number(json, "median", time.value.available, time.value.number);
    json_known_number(json, "max", time.value.available, time.max);
    struct kernel_times sums = kernel_index_times(data->index, kernel);
    json_known_number(json, "mean", sums.launches > 0,
                      (double)sums.total_ns / (double)(sums.launches + !sums.launches));
    json_known_number(json, "total", sums.launches > 0, (double)sums.total_ns);
    json_close(json, '}');
    json_open(json, "metrics", '{');
    for (unsigned metric = 0; metric < METRIC_COUNT; metric++)
        write_metric(json, data, kernel, (enum metric)metric);
    json_close(json, '}');
    report_advice_kernel_json(json, data, kernel);
    report_lines_json(json, session, kernel);
    report_stacks_kernel_json(json, session, kernel);
    json_close(json, '}');
}

/* The run's time, and its span including set-up. */
static enum status write_run_times(struct json *json, const struct session *session, uint32_t run,
                                   struct error *error)
{
    if (run == NONE) {
        json_null(json, "device_time_ns");
        json_null(json, "first_to_last_ns");
        json_null(json, "span_ns");
        return STATUS_OK;
    }
    const struct run_row *row = session_run(session, run);
    struct run_times times;
    enum status status = memory_check(run_times_of(session, run, &times, error));
    if (status == STATUS_OK) {
        json_integer(json, "device_time_ns", times.ns[RUN_TIME_DEVICE]);
        json_integer(json, "first_to_last_ns", times.ns[RUN_TIME_SPAN]);
    } else {
        json_null(json, "first_to_last_ns");
    }
    status = leave_out(json, "device_time_ns", status);
    if (atomic_load_explicit(&row->end_ns, memory_order_acquire) == INT64_MIN)
        json_null(json, "span_ns");
    else
        json_integer(json, "span_ns", run_whole_ns(session, run));
    return status;
}

static enum status write_run(struct json *json, const struct report_data *data, const struct report_run *run,
                             struct error *error)
{
    const struct session *session = data->session;
    const struct run_row *row = report_run_row(session, run);
    int verified = report_verified(session, run);
    json_open(json, NULL, '{');
    if (row->workload) {
        json_string(json, "workload", session_string(session, row->workload));
        json_string(json, "variant", session_string(session, row->variant));
        write_params(json, session_string(session, row->params));
    } else {
        json_string(json, "program", session_string(session, row->program));
        json_null(json, "variant");
        json_open(json, "params", '{');
        json_close(json, '}');
    }
    if (verified < 0 || !row->workload) /* only ours are checked */
        json_null(json, "verified");
    else
        json_bool(json, "verified", verified > 0);
    const char *digest = report_digest(session, run);
    if (digest)
        json_string(json, "output_digest", digest);
    else
        json_null(json, "output_digest");
    json_string(json, "clock", row->clock == CLOCK_MODEL ? "model" : "wall");
    const char *fidelity = report_fidelity(session, row);
    if (fidelity)
        json_string(json, "fidelity", fidelity);
    int64_t device = device_index(session, row->device);
    if (device < 0)
        json_null(json, "device");
    else
        json_integer(json, "device", device);
    write_process(json, session, row->process);
    enum status status = write_run_times(json, session, run->runs[RUN_TRACE], error);
    json_open(json, "kernels", '[');
    for (uint32_t kernel = 0; kernel < kernel_index_count(data->index); kernel++)
        if (report_run_has(data, run, kernel))
            write_kernel(json, data, kernel);
    json_close(json, ']');
    if (status == STATUS_OK)
        status = report_time_json(json, data, run, error);
    if (status == STATUS_OK)
        status = leave_out(json, "amdahl", report_amdahl_json(json, data, run, error));
    if (status == STATUS_OK)
        status = leave_out(json, "advice", report_advice_run_json(json, data, run, error));
    if (status == STATUS_OK)
        status = leave_out(json, "verdict", report_verdict_json(json, data, run, error));
    if (status == STATUS_OK)
        status = leave_out(json, "counters_over_time", report_samples_json(json, data, run, error));
    if (status == STATUS_OK && run->runs[RUN_TRACE] != NONE)
        report_stacks_run_json(json, session, run->runs[RUN_TRACE]);
    json_close(json, '}');
    return status;
}

static void write_notice(struct json *json, int64_t time_ns, const char *severity, const char *text,
                         const struct process_row *process)
{
    json_open(json, NULL, '{');
    json_integer(json, "time_ns", time_ns);
    json_string(json, "severity", severity);
    json_string(json, "text", text);
    if (process)
        json_integer(json, "pid", process->pid);
    else
        json_null(json, "pid");
    json_close(json, '}');
}

static void write_notices(struct json *json, const struct session *session, const struct error *left_out)
{
    static const char *const severities[] = {
        [SEVERITY_INFO] = "info", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};
    int64_t now_ns = session_now_ns(session, CLOCK_WALL);
    char text[sizeof left_out->text + 80];
    json_open(json, "notices", '[');
    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const struct notice_row *notice = session_notice(session, i);
        write_notice(json, notice->time_ns,
                     severities[notice->severity <= SEVERITY_ERROR ? notice->severity : SEVERITY_ERROR],
                     session_string(session, notice->text), session_process(session, notice->process));
    }
    for (size_t i = 0; report_loss(session, i, text, sizeof text); i++)
        write_notice(json, now_ns, "warning", text, NULL);
    if (left_out->text[0] != '\0') {
        snprintf(text, sizeof text, "A part of this report is left out (null): %s", left_out->text);
        write_notice(json, now_ns, "warning", text, NULL);
    }
    json_close(json, ']');
}

enum status report_json_kernel(const struct session *session, uint32_t kernel, FILE *out, struct error *error)
{
    struct report_data data;
    struct json json;
    report_data_init(&data, session);
    json_init(&json, out, KERNEL_LINES_DEPTH);
    write_kernel(&json, &data, kernel);
    putc('\n', out);
    report_data_fini(&data);
    return report_flush(out, error);
}

enum status report_json(const struct session *session, const char *kernels, FILE *out, struct error *error)
{
    struct report_data data;
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    struct error failure = {0}; /* from the report, or else from a part that is left out */
    struct json json;
    json_init(&json, out, LINES_DEPTH);
    json_open(&json, NULL, '{');
    json_integer(&json, "schema", REPORT_SCHEMA);
    json_open(&json, "devices", '[');
    for (uint32_t i = 0; i < session_device_count(session); i++)
        if (first_of_device(session, i) == i)
            write_device(&json, session_device(session, i));
    json_close(&json, ']');
    json_open(&json, "runs", '[');
    for (size_t i = 0; status == STATUS_OK && i < data.run_count; i++)
        status = write_run(&json, &data, &data.runs[i], &failure);
    json_close(&json, ']');
    write_notices(&json, session, &failure);
    json_close(&json, '}');
    report_data_fini(&data);
    return status == STATUS_OK ? report_flush(out, error) : error_set(error, status, "%s", failure.text);
}
