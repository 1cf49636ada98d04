/* Names of the kinds of events and runs. */
#include "core/base/event.h"

#include <string.h>

#define EVENT_TEXT(name, text) [EVENT_##name] = text,
static const char *const event_texts[] = {EVENT_KIND_LIST(EVENT_TEXT)};

const char *event_kind_text(enum event_kind kind)
{
    return (unsigned)kind < EVENT_KIND_COUNT ? event_texts[kind] : "unknown";
}

#define RUN_MODE_TEXT(name, text) [RUN_##name] = text,
static const char *const run_mode_texts[] = {RUN_MODE_LIST(RUN_MODE_TEXT)};

const char *run_mode_text(enum run_mode mode)
{
    return (unsigned)mode < RUN_MODE_COUNT ? run_mode_texts[mode] : "unknown";
}

enum run_mode run_mode_find(const char *text)
{
    for (unsigned mode = 0; mode < RUN_MODE_COUNT; mode++)
        if (strcmp(run_mode_texts[mode], text) == 0)
            return (enum run_mode)mode;
    return RUN_MODE_COUNT;
}
