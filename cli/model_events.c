#include "cli/model_events.h"

#include <stdio.h>
#include <string.h>

static void emit(void *owner, const struct event *event)
{
    const struct model_events *events = owner;

    if (events->producer)
        wire_emit(events->producer, event);
}

static uint32_t string(void *owner, const char *text)
{
    const struct model_events *events = owner;

    return events->producer && text && *text ? wire_string(events->producer, text) : 0;
}

static void tell(struct model_events *events, const char *text)
{
    const struct event notice = {
        .kind = EVENT_NOTICE,
        .notice = {.time_ns = events->device ? simt_device_now_ns(events->device) : 0,
                   .text = string(events, text), .severity = SEVERITY_ERROR, .status = STATUS_CHECK}};

    if (events->first.status == STATUS_OK)
        error_set(&events->first, STATUS_CHECK, "%.900s", text);
    if (events->told++ < MODEL_NOTICES_MAX)
        emit(events, &notice);
}

static void launched(void *owner, const struct simt_launch *launch)
{
    struct model_events *events = owner;
    const struct check_result *checks = &launch->result->checks;

    for (uint32_t i = 0; i < checks->report_count; i++) {
        char text[1024], times[64] = "";
        size_t length;

        check_text(launch->program, &checks->reports[i], text, sizeof text - sizeof times);
        if (checks->reports[i].count > 1)
            snprintf(times, sizeof times, " (seen %llu times)", (unsigned long long)checks->reports[i].count);
        length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s", times);
        tell(events, text);
    }
    if (events->launched)
        events->launched(events->context, launch);
}

struct simt_sink model_events_sink(struct model_events *events, struct wire_producer *producer)
{
    events->producer = producer;
    return (struct simt_sink){.emit = emit, .string = string, .launched = launched, .owner = events};
}

void model_params_append(char *params, size_t size_bytes, const struct arch *rules, bool keep_ptx)
{
    size_t used = strlen(params);

    if (rules)
        used += (size_t)snprintf(params + used, size_bytes - used, "%scc=%u.%u", used ? "," : "",
                                 rules->compute_capability / 10, rules->compute_capability % 10);
    if (keep_ptx && used < size_bytes)
        snprintf(params + used, size_bytes - used, "%smerge=no", used ? "," : "");
}
