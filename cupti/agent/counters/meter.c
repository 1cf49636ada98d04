/*
 * A meter has either ranges or sass, as the run's mode says. `spent`: sass measures one launch in the
 * life of a process, and it has been measured.
 */
#include "cupti/agent/counters/meter.h"

#include "core/base/append.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/lines/source.h"
#include "cupti/profiler/ranges.h"
#include "cupti/profiler/sass.h"

#include <stdio.h>
#include <stdlib.h>

struct meter {
    struct ranges *ranges; /* one of the two */
    struct sass *sass;
    const struct event *measurement; /* correlation of the launch whose instructions are being sent */
    bool spent;
};

/* ---- the range profiler ---- */

static enum metric_share share_of_mode(void)
{
    if (agent.config.mode == RUN_MEMORY)
        return METRIC_SHARE_MEMORY;
    return agent.config.memory_apart ? METRIC_SHARE_COUNTERS : METRIC_SHARE_ALL;
}

static void tell_left_out(const struct plan *plan)
{
    char names[512] = "";
    size_t used = 0, count = plan_left_out_count(plan);
    bool whole = true;
    for (size_t i = 0; i < count && whole; i++)
        whole = append_text(names, sizeof names, &used, "%s%s", i ? ", " : "", plan_left_out(plan, i));
    if (count > 0)
        agent_notice(SEVERITY_INFO, STATUS_OK, "This GPU does not have %zu of the counters asked for: %s%s.",
                     count, names, whole ? "" : " ...");
}

static void send_values(const struct meter *meter, struct event *measurement, const double *values)
{
    static uint32_t measurements; /* under the user's lock */
    const struct plan *plan = ranges_plan(meter->ranges);
    measurement->measurement.end_ns = agent_now_ns();
    measurement->measurement.id = ++measurements;
    measurement->measurement.passes = (uint32_t)plan_passes(plan);
    measurement->measurement.values = (uint32_t)plan_count(plan);
    wire_emit(agent.wire, measurement);
    for (size_t i = 0; i < plan_count(plan); i++) {
        struct event value = {.kind = EVENT_VALUE, .device = measurement->device};
        value.value.measurement = measurement->measurement.id;
        value.value.counter = wire_string(agent.wire, plan_name(plan, i));
        value.value.number = values[i];
        wire_emit(agent.wire, &value);
    }
}

/* ---- SASS metrics ---- */

static uint32_t string_id(void *user, const char *text)
{
    (void)user;
    return wire_string(agent.wire, text);
}

static void counts_arrived(void *user, const CUpti_SassMetrics_Data *record, struct event *events,
                           size_t count)
{
    const struct meter *meter = user;
    uint32_t function = source_function(record->cubinCrc, record->functionName);
    for (size_t i = 0; function && i < count; i++) {
        events[i].device = meter->measurement->device;
        events[i].instruction_count.function = function;
        events[i].instruction_count.correlation = meter->measurement->measurement.correlation;
        events[i].instruction_count.shape = meter->measurement->measurement.shape;
        wire_emit(agent.wire, &events[i]);
    }
}

/* The events of instructions refer to the launch's call, which has the time. */
static void send_call(const struct event *measurement)
{
    struct event call = {.kind = EVENT_CALL, .device = measurement->device};
    call.call.start_ns = measurement->measurement.start_ns;
    call.call.end_ns = agent_now_ns();
    call.call.correlation = measurement->measurement.correlation;
    call.call.name = wire_string(agent.wire, "cuLaunchKernel");
    call.call.domain = API_DRIVER;
    call.call.category = CALL_LAUNCH;
    call.call.shape = measurement->measurement.shape;
    call.call.context = measurement->measurement.context;
    call.call.stream = measurement->measurement.stream;
    wire_emit(agent.wire, &call);
}

/* ---- both ---- */

enum status meter_open(struct meter **meter, CUcontext context, uint32_t device, const struct driver *driver,
                       struct error *error)
{
    enum status status;
    struct meter *made = calloc(1, sizeof *made);
    if (!made)
        return error_set(error, STATUS_MEMORY, "There is no memory for the counters.");
    if (agent.config.mode == RUN_LINES && driver) {
        const struct sass_options options = {.cupti = &agent.cupti,
                                             .context = context,
                                             .device = device,
                                             .synchronize = driver->cuCtxSynchronize,
                                             .string = string_id,
                                             .take = counts_arrived,
                                             .user = made};
        status = sass_open(&made->sass, &options, error);
    } else if (agent.config.mode == RUN_LINES) {
        status = error_set(error, STATUS_UNSUPPORTED,
                           "The CUDA driver is older than lanescope knows: instructions cannot be counted.");
    } else {
        status = ranges_open(&made->ranges, &agent.cupti, context, device, agent.config.counters,
                             share_of_mode(), error);
    }
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    if (made->ranges)
        tell_left_out(ranges_plan(made->ranges));
    *meter = made;
    return STATUS_OK;
}

void meter_close(struct meter *meter, bool detach)
{
    if (!meter)
        return;
    ranges_close(meter->ranges, detach);
    sass_close(meter->sass, detach);
    free(meter);
}

enum status meter_begin(struct meter *meter, struct error *error)
{
    return meter->ranges ? ranges_begin(meter->ranges, error) : sass_begin(meter->sass, error);
}

enum status meter_end(struct meter *meter, struct event *measurement, struct error *error)
{
    double values[PLAN_MAX_METRICS];
    enum status status;
    if (meter->ranges) {
        status = ranges_end(meter->ranges, values, error);
        if (status == STATUS_OK)
            send_values(meter, measurement, values);
        return status;
    }
    meter->spent = true;
    send_call(measurement);
    meter->measurement = measurement;
    return sass_end(meter->sass, error);
}

bool meter_is_spent(const struct meter *meter)
{
    return meter->spent;
}
