/*
 * A teller without a wire accepts every event and sends none. Events of the device model arrive through the
 * model's sink and are sent unchanged.
 */
#include "cli/children/teller.h"

#include "core/base/clock.h"
#include "core/base/rank.h"
#include "core/wire/sampling_control.h"
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status teller_connect(struct teller *teller, enum run_mode mode, const char *kind, uint32_t ordinal,
                           struct error *error)
{
    const char *path = getenv(WIRE_SOCKET_VARIABLE);

    teller->mode = mode;
    teller->kind = kind;
    teller->on_model = strcmp(kind, "simt") == 0;
    teller->ordinal = ordinal;
    if (!path || !*path)
        return STATUS_OK;
    if (mode == RUN_TRACE && !teller->on_model)
        teller->sampling = sampling_control_open(path);
    const struct wire_hello hello = {.role = WIRE_ROLE_WORKLOAD,
                                     .start_ns = clock_real_ns(),
                                     .clock = teller->on_model ? CLOCK_MODEL : CLOCK_WALL,
                                     .run_mode = mode,
                                     .rank = rank_of_job()};
    return wire_producer_create(&teller->producer, path, &hello, 0, error);
}

void teller_close(struct teller *teller)
{
    if (!teller->producer)
        return;
    teller_emit(teller, EVENT_GOODBYE,
                (struct event){.goodbye = {.time_ns = teller->on_model ? 0 : clock_real_ns()}});
    wire_producer_destroy(teller->producer);
    teller->producer = NULL;
    sampling_control_close(teller->sampling);
    teller->sampling = NULL;
}

int64_t teller_now_ns(const struct teller *teller)
{
    if (!teller->on_model)
        return clock_real_ns();
    return teller->device ? simt_device_now_ns(teller->device) : 0;
}

uint32_t teller_string(const struct teller *teller, const char *text)
{
    return teller->producer && text && *text ? wire_string(teller->producer, text) : 0;
}

void teller_emit(const struct teller *teller, enum event_kind kind, struct event event)
{
    event.kind = (uint8_t)kind;
    event.device = (uint16_t)teller->ordinal;
    if (teller->producer)
        wire_emit(teller->producer, &event);
    if (teller->sampling && kind == EVENT_RUN_BEGIN)
        atomic_fetch_add(&teller->sampling->run, 1);
}

void teller_notice(const struct teller *teller, enum severity severity, enum status status, const char *text)
{
    teller_emit(teller, EVENT_NOTICE,
                (struct event){.notice = {.time_ns = teller_now_ns(teller),
                                          .text = teller_string(teller, text),
                                          .severity = (uint8_t)severity,
                                          .status = (uint8_t)status}});
}

bool teller_is_alone(const struct teller *teller)
{
    return teller->producer && wire_producer_orphaned(teller->producer);
}

/* ---- the device model ---- */
static void sink_emit(void *owner, const struct event *event)
{
    const struct teller *teller = owner;

    if (teller->producer)
        wire_emit(teller->producer, event);
}

static uint32_t sink_string(void *owner, const char *text)
{
    return teller_string(owner, text);
}

/* The user's file is compiled from a copy: the sentence names the file alone. */
static void leave_out(char *text, const char *folder)
{
    const size_t length = folder ? strlen(folder) : 0;

    for (char *at; length > 0 && (at = strstr(text, folder)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
}

static void tell_report(struct teller *teller, const struct program *program,
                        const struct check_report *report)
{
    char text[1024];
    size_t length;

    check_text(program, report, text, sizeof text - 64);
    leave_out(text, teller->scratch);
    length = strlen(text);
    if (report->count > 1)
        snprintf(text + length, sizeof text - length, " (seen %llu times)",
                 (unsigned long long)report->count);
    const bool note = check_is_note(report);
    if (!note && teller->first.status == STATUS_OK)
        error_set(&teller->first, STATUS_CHECK, "%s", text);
    if (teller->reports++ < TELLER_REPORTS_MAX)
        teller_notice(teller, note ? SEVERITY_INFO : SEVERITY_ERROR, note ? STATUS_OK : STATUS_CHECK, text);
}

/* What a kernel prints is the program's own output. */
static void sink_printed(void *owner, bool asserted, const char *text, size_t size_bytes)
{
    const struct teller *teller = owner;
    FILE *file = asserted || teller->prints_to_stderr ? stderr : stdout;

    fwrite(text, 1, size_bytes, file);
    fflush(file);
}

static void sink_reported(void *owner, const struct program *program, const struct check_report *report)
{
    tell_report(owner, program, report);
}

static void sink_launched(void *owner, const struct simt_launch *launch)
{
    struct teller *teller = owner;
    const struct check_result *checks = &launch->result->checks;
    char limits[400];

    for (uint32_t i = 0; i < checks->report_count; i++)
        tell_report(teller, launch->program, &checks->reports[i]);
    if (!teller->limits_told && check_limits_text(launch->program, checks, limits, sizeof limits)) {
        teller->limits_told = true;
        teller_notice(teller, SEVERITY_WARNING, STATUS_OK, limits);
    }
    tally_add(teller->tally, launch);
    if (teller->launched)
        teller->launched(teller->context, launch);
}

static void sink_progress(void *owner, const char *kernel, const struct progress *progress)
{
    const struct teller *teller = owner;

    if (teller->producer)
        wire_progress(teller->producer, kernel, progress);
}

/* ---- devices and runs ---- */
void teller_tell_gpu(const struct teller *teller, uint32_t number)
{
    if (teller->producer)
        wire_emit_blob(teller->producer, BLOB_DEVICE, teller->ordinal + number,
                       teller->device->ops->info(teller->device), sizeof(struct device_info));
}

void teller_use_device(struct teller *teller, struct device *device)
{
    teller->device = device;
    teller_tell_gpu(teller, 0);
}

enum status teller_open_device(struct teller *teller, struct simt_options *model, struct device **device,
                               struct error *error)
{
    struct error own = {0}; /* reported even if the caller does not want the error */
    enum status status;

    model->ordinal = teller->ordinal;
    model->sink = (struct simt_sink){.emit = sink_emit,
                                     .string = sink_string,
                                     .launched = sink_launched,
                                     .reported = sink_reported,
                                     .printed = sink_printed,
                                     .progress = sink_progress,
                                     .owner = teller};
    status = teller->on_model ? workload_model_open(model, device, &own)
                              : workload_device_open(teller->kind, teller->ordinal, device, &own);
    if (status == STATUS_OK) {
        teller_use_device(teller, *device);
    } else {
        teller_notice(teller, SEVERITY_ERROR, status, own.text);
        if (error)
            *error = own;
    }
    return status;
}

struct event teller_run(const struct teller *teller, const char *workload, const char *variant,
                        const char *params, const struct arch *rules, bool keep_ptx)
{
    struct event event = {0};
    char all[440], rules_text[ARCH_TEXT_BYTES] = "", cc[sizeof "cc=" + ARCH_TEXT_BYTES] = "";

    if (teller->on_model && teller->device)
        simt_device_run_begin(teller->device);
    if (!teller->producer)
        return event;
    if (teller->on_model && rules) {
        arch_text(rules, rules_text);
        snprintf(cc, sizeof cc, "cc=%s", rules_text);
    }
    snprintf(all, sizeof all, "%.380s%s%s%s", params, *params && *cc ? "," : "", cc,
             teller->on_model && keep_ptx ? (*params || *cc ? ",merge=no" : "merge=no") : "");
    event.run.workload = teller_string(teller, workload);
    event.run.variant = teller_string(teller, variant);
    event.run.params = teller_string(teller, all);
    event.run.verified = -1;
    event.run.mode = (uint8_t)teller->mode;
    event.run.clock = teller->on_model ? CLOCK_MODEL : CLOCK_WALL;
    event.run.time_ns = teller_now_ns(teller);
    return event;
}
