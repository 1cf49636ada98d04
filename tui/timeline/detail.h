/*
 * Evicted events: requests those of the visible time (core/recording/readback/readback.h), and describes
 * their state in words. The tui's thread.
 */
#ifndef TUI_TIMELINE_DETAIL_H
#define TUI_TIMELINE_DETAIL_H

#include "core/recording/readback/readback.h"

#include "tui/widgets/axis.h"

#include <stdbool.h>
#include <stddef.h>

struct screen;

struct detail {
    struct readback_state state;
    uint64_t changes;   /* of the read-back: when it grows, everything made from events is made again */
    struct window told; /* the range for which the failure to read was last shown */
};

/* Call before the timeline's cells are made: restores the events that were read, and requests those of the
 * visible time. */
void detail_look(struct screen *screen);
/* The place of the single events of the visible time, as words that follow "are": "being read from the
 * recording". */
const char *detail_where(const struct screen *screen);
/* A short text for the status line; "": nothing was evicted, or all visible events are in memory. True: they
 * cannot be read. */
bool detail_status(const struct screen *screen, char *text, size_t size_bytes);

#endif
