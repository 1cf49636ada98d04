/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates a CUPTI activity record into an event. A pure function: all other data come from its `names`. It
 * reads the record types of cupti/load/load.h; later 13.x releases append fields, so the agent checks its
 * first kernel.
 */
#ifndef CUPTI_AGENT_TRANSLATE_H
#define CUPTI_AGENT_TRANSLATE_H

#include "core/base/event.h"
#include "cupti/load/load.h"

#include <stdbool.h>
#include <stdint.h>

/* Functions that return the ids of texts and shapes, and announce new ones. Id 0: it could not be announced.
 */
struct translate_names {
    void *user;
    uint32_t (*string)(void *user, const char *text);
    uint32_t (*shape)(void *user, const struct event *shape); /* shape.id is still 0 */
    /* Plain name (string id) and category of an API call; false: this call is not recorded. */
    bool (*call)(void *user, enum api_domain domain, uint32_t callback_id, uint32_t *name, uint8_t *category);
};

enum translate_result {
    TRANSLATE_EVENT,   /* *event is to be sent */
    TRANSLATE_TWO,     /* event[0] and event[1] are */
    TRANSLATE_NOTHING, /* a record that lanescope does not use */
    TRANSLATE_NO_TIME, /* CUPTI had no timestamp: start or end is 0 */
    TRANSLATE_UNKNOWN  /* a kind that was not asked for */
};

/* events: room for two. */
enum translate_result translate(const CUpti_Activity *record, const struct translate_names *names,
                                struct event *events);

/* The kind of event a record becomes, for counting drops; EVENT_NONE when unknown. */
enum event_kind translate_kind(CUpti_ActivityKind kind);

#endif
