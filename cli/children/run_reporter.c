/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reporter without a wire accepts every event and sends none. Events of the device model arrive through the
 * model's sink and are sent unchanged.
 */
#include "cli/children/run_reporter.h"

#include "core/base/clock.h"
#include "core/base/rank.h"
#include "core/wire/sampling_control.h"
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status reporter_connect(struct run_reporter *reporter, enum run_mode mode, const char *kind,
                             uint32_t ordinal, struct error *error)
{
    const char *path = getenv(WIRE_SOCKET_VARIABLE);

    reporter->mode = mode;
    reporter->kind = kind;
    reporter->on_model = strcmp(kind, "simt") == 0;
    reporter->ordinal = ordinal;
    if (!path || !*path)
        return STATUS_OK;
    if (mode == RUN_TRACE && !reporter->on_model)
        reporter->sampling = sampling_control_open(path);
    const struct wire_hello hello = {.role = WIRE_ROLE_WORKLOAD,
                                     .start_ns = clock_real_ns(),
                                     .clock = reporter->on_model ? CLOCK_MODEL : CLOCK_WALL,
                                     .run_mode = mode,
                                     .rank = rank_of_job()};
    return wire_producer_create(&reporter->producer, path, &hello, 0, error);
}

void reporter_close_device(struct run_reporter *reporter, struct device *device)
{
    char text[500];

    if (reporter->checked) {
        checked_text(reporter->checked, text, sizeof text);
        reporter_notice(reporter, SEVERITY_INFO, STATUS_OK, text);
        checked_close(reporter->checked);
        reporter->checked = NULL;
    }
    device->ops->close(device);
    reporter->device = NULL;
}

void reporter_close(struct run_reporter *reporter)
{
    checked_close(reporter->checked); /* of a device that did not open */
    reporter->checked = NULL;
    if (!reporter->producer)
        return;
    reporter_emit(reporter, EVENT_GOODBYE,
                  (struct event){.goodbye = {.time_ns = reporter->on_model ? 0 : clock_real_ns()}});
    wire_producer_destroy(reporter->producer);
    reporter->producer = NULL;
    sampling_control_close(reporter->sampling);
    reporter->sampling = NULL;
}

int64_t reporter_now_ns(const struct run_reporter *reporter)
{
    if (!reporter->on_model)
        return clock_real_ns();
    return reporter->device ? simt_device_now_ns(reporter->device) : 0;
}

uint32_t reporter_string(const struct run_reporter *reporter, const char *text)
{
    return reporter->producer && text && *text ? wire_string(reporter->producer, text) : 0;
}

void reporter_emit(const struct run_reporter *reporter, enum event_kind kind, struct event event)
{
    event.kind = (uint8_t)kind;
    event.device = (uint16_t)reporter->ordinal;
    if (reporter->producer)
        wire_emit(reporter->producer, &event);
    if (reporter->sampling && kind == EVENT_RUN_BEGIN)
        atomic_fetch_add(&reporter->sampling->run, 1);
}

void reporter_notice(const struct run_reporter *reporter, enum severity severity, enum status status,
                     const char *text)
{
    reporter_emit(reporter, EVENT_NOTICE,
                  (struct event){.notice = {.time_ns = reporter_now_ns(reporter),
                                            .text = reporter_string(reporter, text),
                                            .severity = (uint8_t)severity,
                                            .status = (uint8_t)status}});
}

bool reporter_is_alone(const struct run_reporter *reporter)
{
    return reporter->producer && wire_producer_orphaned(reporter->producer);
}

/* ---- the device model ---- */
static void sink_emit(void *owner, const struct event *event)
{
    const struct run_reporter *reporter = owner;

    if (reporter->producer)
        wire_emit(reporter->producer, event);
}

static uint32_t sink_string(void *owner, const char *text)
{
    return reporter_string(owner, text);
}

/* The user's file is compiled from a copy: the sentence names the file alone. */
static void leave_out(char *text, const char *folder)
{
    const size_t length = folder ? strlen(folder) : 0;

    for (char *at; length > 0 && (at = strstr(text, folder));)
        memmove(at, at + length, strlen(at + length) + 1);
}

static void tell_report(struct run_reporter *reporter, const struct program *program,
                        const struct check_report *report)
{
    char text[1024];

    check_text(program, report, text, sizeof text);
    leave_out(text, reporter->scratch);
    const bool note = check_is_note(report);
    if (!note && reporter->first.status == STATUS_OK)
        error_set(&reporter->first, STATUS_CHECK, "%s", text);
    if (reporter->reports++ < TELLER_REPORTS_MAX)
        reporter_notice(reporter, note ? SEVERITY_INFO : SEVERITY_ERROR, note ? STATUS_OK : STATUS_CHECK,
                        text);
}

/* What a kernel prints is the program's own output. */
static void sink_printed(void *owner, bool asserted, const char *text, size_t size_bytes)
{
    const struct run_reporter *reporter = owner;
    FILE *file = asserted || reporter->prints_to_stderr ? stderr : stdout;

    fwrite(text, 1, size_bytes, file);
    fflush(file);
}

static void sink_reported(void *owner, const struct program *program, const struct check_report *report)
{
    tell_report(owner, program, report);
}

static void sink_launched(void *owner, const struct simt_launch *launch)
{
    struct run_reporter *reporter = owner;
    const struct check_result *checks = &launch->result->checks;
    char limits[400];

    for (uint32_t i = 0; i < checks->report_count; i++)
        tell_report(reporter, launch->program, &checks->reports[i]);
    if (!reporter->limits_told && check_limits_text(launch->program, checks, limits, sizeof limits)) {
        reporter->limits_told = true;
        reporter_notice(reporter, SEVERITY_WARNING, STATUS_OK, limits);
    }
    tally_add(reporter->tally, launch);
    checked_add(reporter->checked, launch);
    if (reporter->launched)
        reporter->launched(reporter->context, launch);
}

static void sink_progress(void *owner, const char *kernel, const struct progress *progress)
{
    const struct run_reporter *reporter = owner;

    if (reporter->producer)
        wire_progress(reporter->producer, kernel, progress);
}

/* ---- devices and runs ---- */
void reporter_tell_gpu(const struct run_reporter *reporter, uint32_t number)
{
    if (reporter->producer)
        wire_emit_blob(reporter->producer, BLOB_DEVICE, reporter->ordinal + number,
                       reporter->device->ops->info(reporter->device), sizeof(struct device_info));
}

void reporter_use_device(struct run_reporter *reporter, struct device *device)
{
    reporter->device = device;
    reporter_tell_gpu(reporter, 0);
}

enum status reporter_open_device(struct run_reporter *reporter, struct simt_options *model,
                                 struct device **device, struct error *error)
{
    struct error own = {0}; /* reported even if the caller does not want the error */

    model->ordinal = reporter->ordinal;
    if (model->check && reporter->on_model && !reporter->checked)
        reporter->checked = checked_open();
    model->sink = (struct simt_sink){.emit = sink_emit,
                                     .string = sink_string,
                                     .launched = sink_launched,
                                     .reported = sink_reported,
                                     .printed = sink_printed,
                                     .progress = sink_progress,
                                     .owner = reporter};
    enum status status = reporter->on_model
                             ? workload_model_open(model, device, &own)
                             : workload_device_open(reporter->kind, reporter->ordinal, device, &own);
    if (status == STATUS_OK) {
        reporter_use_device(reporter, *device);
    } else {
        reporter_notice(reporter, SEVERITY_ERROR, status, own.text);
        if (error)
            *error = own;
    }
    return status;
}

struct event reporter_run(const struct run_reporter *reporter, const char *workload, const char *variant,
                          const char *params, const struct arch *rules, bool keep_ptx)
{
    struct event event = {0};
    char all[440], rules_text[ARCH_TEXT_BYTES] = "", cc[sizeof "cc=" + ARCH_TEXT_BYTES] = "";

    if (reporter->on_model && reporter->device)
        simt_device_run_begin(reporter->device);
    if (!reporter->producer)
        return event;
    if (reporter->on_model && rules) {
        arch_text(rules, rules_text);
        snprintf(cc, sizeof cc, "cc=%s", rules_text);
    }
    snprintf(all, sizeof all, "%.380s%s%s%s", params, *params && *cc ? "," : "", cc,
             reporter->on_model && keep_ptx ? (*params || *cc ? ",merge=no" : "merge=no") : "");
    event.run.workload = reporter_string(reporter, workload);
    event.run.variant = reporter_string(reporter, variant);
    event.run.params = reporter_string(reporter, all);
    event.run.verified = -1;
    event.run.mode = (uint8_t)reporter->mode;
    event.run.clock = reporter->on_model ? CLOCK_MODEL : CLOCK_WALL;
    event.run.time_ns = reporter_now_ns(reporter);
    return event;
}
