/* Names of the kinds of events. */
#include "core/event.h"

#define EVENT_TEXT(name, text) [EVENT_##name] = text,
static const char *const event_texts[] = {EVENT_KIND_LIST(EVENT_TEXT)};

const char *event_kind_text(enum event_kind kind)
{
    return (unsigned)kind < EVENT_KIND_COUNT ? event_texts[kind] : "unknown";
}
