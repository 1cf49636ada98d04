/*
 * What a part cannot be made of, since events were evicted from memory, is null; the error has why, for a
 * notice.
 */
#include "cli/report/report_json_time.h"

#include "cli/report/data/report_ranges.h"
#include "cli/report/data/report_steps.h"
#include "cli/report/report_partition.h"

/* Statistics of the durations, the same as nsys has. */
static void write_spread(struct json *json, const struct report_sum *sum)
{
    json_integer(json, "count", (int64_t)sum->count);
    json_integer(json, "time_ns", sum->total_ns);
    json_number(json, "mean_ns", (double)sum->total_ns / (double)sum->count);
    json_number(json, "median_ns", sum->median_ns);
    json_number(json, "deviation_ns", sum->deviation_ns);
    json_integer(json, "min_ns", sum->min_ns);
    json_integer(json, "max_ns", sum->max_ns);
}

static void write_copies(struct json *json, const struct report_times *times)
{
    json_open(json, "copies", '[');
    for (size_t i = 0; i < times->copy_count; i++) {
        json_open(json, NULL, '{');
        json_string(json, "kind", report_copy_id(times->copies[i].kind));
        json_string(json, "host_memory", copy_host_text(times->copies[i].host));
        json_integer(json, "bytes", (int64_t)(times->copies[i].sum.bytes & INT64_MAX));
        write_spread(json, &times->copies[i].sum);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_calls(struct json *json, const struct session *session, const struct report_times *times)
{
    json_open(json, "calls", '[');
    for (size_t i = 0; i < times->call_count; i++) {
        json_open(json, NULL, '{');
        json_string(json, "name", session_string(session, times->calls[i].name));
        write_spread(json, &times->calls[i].sum);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* "copies" and "calls"; none without a run, null if not all are in memory. */
static enum status write_operations(struct json *json, const struct session *session, uint32_t run,
                                    struct error *error)
{
    struct report_times times[CLOCK_COUNT] = {0};
    const struct run_row *row = session_run(session, run);
    enum status status = row ? report_operations(session, run, times, error) : STATUS_OK;
    if (status == STATUS_OK) {
        write_copies(json, &times[row ? row->clock : 0]);
        write_calls(json, session, &times[row ? row->clock : 0]);
    } else if (status == STATUS_STATE) {
        json_null(json, "copies");
        json_null(json, "calls");
    }
    for (size_t clock = 0; clock < CLOCK_COUNT; clock++)
        report_times_fini(&times[clock]);
    return status == STATUS_STATE ? STATUS_OK : status;
}

/* A counter run serialises everything, so its overlap has no meaning. */
static void write_overlap(struct json *json, const struct report_facts *facts)
{
    if (facts == NULL) {
        json_null(json, "overlap");
        return;
    }
    const struct overlap *overlap = &facts->overlap;
    json_open(json, "overlap", '{');
    json_integer(json, "span_ns", overlap->span_ns);
    json_integer(json, "kernel_busy_ns", overlap->kernel_busy_ns);
    json_integer(json, "copy_busy_ns", overlap->copy_busy_ns);
    json_integer(json, "copy_hidden_ns", overlap->copy_hidden_ns);
    json_number(json, "mean_active_streams", overlap->mean_active_streams);
    json_open(json, "serialised", '[');
    for (int reason = 0; reason < SERIAL_COUNT; reason++) {
        if (overlap->serialised_ns[reason] > 0) {
            json_open(json, NULL, '{');
            json_string(json, "reason", serial_reason_id((enum serial_reason)reason));
            json_integer(json, "ns", overlap->serialised_ns[reason]);
            json_close(json, '}');
        }
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* "ranges": nested ranges as a list; each has the index of the one around it. */
static enum status write_ranges(struct json *json, const struct session *session, uint32_t run,
                                struct error *error)
{
    struct report_ranges ranges = {0};
    enum status status = run == NONE ? STATUS_OK : report_ranges_make(&ranges, session, run, error);
    if (status == STATUS_OK) {
        json_open(json, "ranges", '[');
        for (size_t i = 0; i < ranges.count; i++) {
            const struct report_range *range = &ranges.items[i];
            json_open(json, NULL, '{');
            json_string(json, "name", range->name);
            if (range->parent == NONE)
                json_null(json, "parent");
            else
                json_integer(json, "parent", range->parent);
            write_spread(json, &range->sum);
            json_integer(json, "operations", (int64_t)range->operations);
            json_integer(json, "device_ns", range->device_ns);
            json_integer(json, "projected_ns", range->projected_ns);
            json_close(json, '}');
        }
        json_close(json, ']');
    } else if (status == STATUS_STATE) {
        json_null(json, "ranges");
    }
    report_ranges_fini(&ranges);
    return status == STATUS_STATE ? STATUS_OK : status;
}

static void write_steps(struct json *json, const struct report_data *data, const struct report_facts *facts,
                        const struct report_steps *steps)
{
    json_open(json, "steps", '{');
    report_steps_json(json, data->session, facts);
    write_spread(json, &steps->sum);
    json_open(json, "times_ns", '[');
    for (size_t i = 0; i < steps->count; i++)
        json_integer(json, NULL, steps->items[i].time_ns);
    json_close(json, ']');
    json_open(json, "outliers", '[');
    for (size_t i = 0; i < steps->count; i++) {
        const struct report_step *step = &steps->items[i];
        if (!step->outlier)
            continue;
        json_open(json, NULL, '{');
        json_integer(json, "step", (int64_t)i);
        json_integer(json, "time_ns", step->time_ns);
        if (step->known)
            json_string(json, "differs_in", partition_class_id(step->differs_in));
        else
            json_null(json, "differs_in");
        if (step->known)
            json_integer(json, "differs_ns", step->differs_ns);
        else
            json_null(json, "differs_ns");
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* "time", "steps" and "overlap"; null if there is no trace run, or if its events are not all in memory. */
static enum status write_facts(struct json *json, const struct report_data *data,
                               const struct report_run *run, struct error *error)
{
    const struct report_facts *facts = NULL;
    struct report_steps steps = {0};
    enum status status = STATUS_OK;
    if (run->runs[RUN_TRACE] != NONE) {
        status = report_facts(data, run, &facts, error);
        if (status == STATUS_OK)
            status = report_steps_make(&steps, data->session, facts, error);
    }
    if (status != STATUS_OK)
        facts = NULL;
    report_partition_json(json, data->session, facts);
    if (facts != NULL && steps.count > 0)
        write_steps(json, data, facts, &steps);
    else
        json_null(json, "steps");
    write_overlap(json, facts);
    report_steps_fini(&steps);
    return status == STATUS_STATE ? STATUS_OK : status;
}

enum status report_time_json(struct json *json, const struct report_data *data, const struct report_run *run,
                             struct error *error)
{
    uint32_t traced = run->runs[RUN_TRACE];
    enum status status = write_operations(json, data->session, traced, error);
    if (status == STATUS_OK)
        status = write_ranges(json, data->session, traced, error);
    if (status == STATUS_OK)
        status = write_facts(json, data, run, error);
    return status;
}
