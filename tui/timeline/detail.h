/*
 * Detail that has left memory: asks for that of the time that is looked at
 * (core/recording/readback/readback.h), and says in words where it is. The tui's thread.
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
    uint64_t changes;   /* of the read-back: what was made of events is made anew when it grows */
    struct window told; /* when it was last said that it could not be read */
};

/* Before the timeline's cells are made: what has been read is put back, and what is shown is read next. */
void detail_look(struct screen *screen);
/* Where events of the time looked at are, one by one: "they are ... ": "being read from the recording". */
const char *detail_where(const struct screen *screen);
/* For the status line, in short; "": nothing has left memory, or all that is looked at is back. True: it
 * cannot be read. */
bool detail_status(const struct screen *screen, char *text, size_t size_bytes);

#endif
