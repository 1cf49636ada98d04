/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/model_log.h"

#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void emit(void *owner, const struct event *event)
{
    struct model_log *log = owner;

    if (log->count == log->capacity) {
        log->capacity = log->capacity ? log->capacity * 2 : 256;
        log->events = realloc(log->events, log->capacity * sizeof *log->events);
        cr_assert_not_null(log->events);
    }
    log->events[log->count++] = *event;
}

static uint32_t string(void *owner, const char *text)
{
    struct model_log *log = owner;

    for (size_t i = 0; i < log->string_count; i++)
        if (strcmp(log->strings[i], text) == 0)
            return (uint32_t)i + 1;
    log->strings = realloc(log->strings, (log->string_count + 1) * sizeof *log->strings);
    cr_assert_not_null(log->strings);
    log->strings[log->string_count] = strdup(text);
    return (uint32_t)++log->string_count;
}

static void launched(void *owner, const struct simt_launch *launch)
{
    struct model_log *log = owner;

    log->launches++;
    log->last_ns = launch->timing ? launch->timing->ns : NAN;
    log->achieved_occupancy_pct = launch->timing ? launch->timing->achieved_occupancy_pct : NAN;
}

void model_log_fini(struct model_log *log)
{
    for (size_t i = 0; i < log->string_count; i++)
        free(log->strings[i]);
    free(log->strings);
    free(log->events);
    *log = (struct model_log){0};
}

struct device *model_log_device(struct model_log *log, const struct simt_options *options)
{
    struct simt_options own = options ? *options : (struct simt_options){.workers = 1};
    struct device *device;
    struct error error;

    own.sink = (struct simt_sink){.emit = emit, .string = string, .launched = launched, .owner = log};
    cr_assert_eq(workload_model_open(&own, &device, &error), STATUS_OK, "%s", error.text);
    return device;
}

static void case_run(struct device *device, struct device *peer, struct workload_case *c)
{
    struct workload_result result = {0};
    struct workbench bench;
    struct error error;
    char params[256];

    workbench_init(&bench, device, 1, 1);
    bench.peer = peer;
    bench.seed = workload_seed(c);
    c->info = device->ops->info(device);
    cr_assert_eq(c->workload->resolve(c, &error), STATUS_OK, "%s", error.text);
    workload_params_text(c, params, sizeof params);
    cr_assert_eq(c->workload->run(c, &bench, &result, &error), STATUS_OK, "%s:%s,%s: %s", c->workload->name,
                 c->variant->name, params, error.text);
    /* The model has no links between its devices, and none of CUDA's libraries: those variants say so. */
    cr_assert(result.verified == 1 || c->variant->library ||
                  (peer && strstr(result.detail, "do not reach each other's memory")),
              "%s:%s,%s: %s", c->workload->name, c->variant->name, params, result.detail);
    workbench_fini(&bench);
}

void model_log_run(struct device *device, struct device *peer, const char *text, bool small)
{
    struct workload_case *cases;
    struct error error;
    size_t count;

    cr_assert_eq(workload_parse(text, &cases, &count, &error), STATUS_OK, "%s", error.text);
    for (size_t i = 0; i < count; i++) {
        cases[i].small = small;
        case_run(device, peer, &cases[i]);
    }
    free(cases);
}

/* --- what holds of every log -------------------------------------------------------------------------------
 */

#define IDS_MAX 4096

struct checker {
    const struct model_log *log;
    bool shapes[IDS_MAX], streams[IDS_MAX];
    int64_t stream_end[IDS_MAX], call_end, watermark;
    uint32_t values_left, measurement;
    uint64_t kernels, measured, running;
    uint32_t called; /* the newest correlation of a call that has begun or ended */
};

static void see_work(struct checker *c, uint32_t stream, int64_t start_ns, int64_t end_ns)
{
    cr_assert(stream < IDS_MAX && c->streams[stream], "stream %u is not announced", stream);
    cr_assert_lt(start_ns, end_ns);
    cr_assert_geq(start_ns, c->stream_end[stream], "work of stream %u overlaps", stream);
    cr_assert_geq(end_ns, c->watermark);
    c->stream_end[stream] = end_ns;
}

static void see_text(const struct checker *c, uint32_t id)
{
    cr_assert(id >= 1 && id <= c->log->string_count, "string %u is not announced", id);
}

static void see_value(struct checker *c, const struct event *e)
{
    cr_assert(c->values_left > 0 && e->value.measurement == c->measurement);
    c->values_left--;
    see_text(c, e->value.counter);
    const char *name = c->log->strings[e->value.counter - 1];
    cr_assert_eq(strncmp(name, METRIC_MODEL_PREFIX, strlen(METRIC_MODEL_PREFIX)), 0, "%s", name);
    cr_assert_neq(metric_find(name + strlen(METRIC_MODEL_PREFIX)), METRIC_COUNT, "%s", name);
    cr_assert(isfinite(e->value.number) && e->value.number >= 0, "%s", name);
}

static void see_event(struct checker *c, const struct event *e)
{
    switch (e->kind) {
    case EVENT_SHAPE:
        cr_assert(e->shape.id < IDS_MAX && !c->shapes[e->shape.id]);
        see_text(c, e->shape.name);
        c->shapes[e->shape.id] = true;
        break;
    case EVENT_STREAM: c->streams[e->stream.stream] = true; break;
    case EVENT_KERNEL:
        cr_assert(c->shapes[e->kernel.shape]);
        cr_assert(e->kernel.correlation && e->kernel.correlation <= c->called);
        see_work(c, e->kernel.stream, e->kernel.start_ns, e->kernel.end_ns);
        c->kernels++;
        break;
    case EVENT_COPY: see_work(c, e->copy.stream, e->copy.start_ns, e->copy.end_ns); break;
    case EVENT_SET: see_work(c, e->set.stream, e->set.start_ns, e->set.end_ns); break;
    case EVENT_CALL_BEGIN: c->running++; /* fall through */
    case EVENT_CALL:
        see_text(c, e->call.name);
        cr_assert_geq(e->call.start_ns, c->call_end);
        c->called = e->call.correlation > c->called ? e->call.correlation : c->called;
        if (e->kind == EVENT_CALL) {
            cr_assert_geq(e->call.end_ns, e->call.start_ns);
            c->call_end = e->call.end_ns;
        }
        break;
    case EVENT_MEASUREMENT:
        cr_assert_eq(c->values_left, 0);
        cr_assert(c->shapes[e->measurement.shape]);
        c->measurement = e->measurement.id;
        c->values_left = e->measurement.values;
        c->measured++;
        break;
    case EVENT_VALUE: see_value(c, e); break;
    case EVENT_WATERMARK:
        cr_assert_geq(e->watermark.time_ns, c->watermark);
        c->watermark = e->watermark.time_ns;
        break;
    default: break;
    }
}

void model_log_check(const struct model_log *log)
{
    struct checker *c = calloc(1, sizeof *c);

    cr_assert_not_null(c);
    c->log = log;
    for (size_t i = 0; i < log->count; i++)
        see_event(c, &log->events[i]);
    cr_assert_eq(c->values_left, 0);
    cr_assert_eq(c->measured, c->kernels, "each launch is measured");
    cr_assert_eq(c->running, c->kernels, "each launch is said to run");
    free(c);
}

/* --- overlap
 * ------------------------------------------------------------------------------------------------ */

static bool span_of(const struct event *e, uint8_t kind, uint8_t copy_kind, int64_t *start_ns,
                    int64_t *end_ns)
{
    if (e->kind != kind || (kind == EVENT_COPY && e->copy.copy_kind != copy_kind))
        return false;
    *start_ns = kind == EVENT_COPY ? e->copy.start_ns : e->kernel.start_ns;
    *end_ns = kind == EVENT_COPY ? e->copy.end_ns : e->kernel.end_ns;
    return true;
}

/* Is one of them running then? */
static bool runs_at(const struct model_log *log, size_t from, uint8_t kind, uint8_t copy_kind, int64_t at)
{
    int64_t start, end;

    for (size_t i = from; i < log->count; i++)
        if (span_of(&log->events[i], kind, copy_kind, &start, &end) && start <= at && at < end)
            return true;
    return false;
}

/* Sums the times between neighbouring edges of the first that lie within the second. */
static int64_t both(const struct model_log *log, size_t from, const uint8_t first[2], const uint8_t second[2])
{
    int64_t sum = 0, start, end, other_start, other_end;

    for (size_t i = from; i < log->count; i++) {
        if (!span_of(&log->events[i], first[0], first[1], &start, &end))
            continue;
        for (int64_t at = start; at < end;) {
            int64_t next = end;
            for (size_t k = from; k < log->count; k++) {
                if (!span_of(&log->events[k], second[0], second[1], &other_start, &other_end))
                    continue;
                if (other_start > at && other_start < next)
                    next = other_start;
                if (other_end > at && other_end < next)
                    next = other_end;
            }
            if (runs_at(log, from, second[0], second[1], at))
                sum += next - at;
            at = next;
        }
    }
    return sum;
}

int64_t model_log_busy(const struct model_log *log, size_t from, uint8_t kind, uint8_t copy_kind)
{
    int64_t sum = 0, start, end;

    for (size_t i = from; i < log->count; i++)
        if (span_of(&log->events[i], kind, copy_kind, &start, &end))
            sum += end - start;
    return sum;
}

int64_t model_log_overlap(const struct model_log *log, size_t from, const uint8_t first[2],
                          const uint8_t second[2])
{
    return both(log, from, first, second);
}

int64_t model_log_span(const struct model_log *log, size_t from)
{
    int64_t first = INT64_MAX, last = 0;

    for (size_t i = from; i < log->count; i++) {
        const struct event *e = &log->events[i];
        if (e->kind != EVENT_KERNEL && e->kind != EVENT_COPY)
            continue;
        int64_t start = e->kind == EVENT_COPY ? e->copy.start_ns : e->kernel.start_ns;
        int64_t end = e->kind == EVENT_COPY ? e->copy.end_ns : e->kernel.end_ns;
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    return last > first ? last - first : 0;
}
