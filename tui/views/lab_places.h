/*
 * Where the parts of the lab are. Pure geometry over the state of the lab; the tui's thread.
 */
#ifndef TUI_VIEWS_LAB_PLACES_H
#define TUI_VIEWS_LAB_PLACES_H

#include "tui/frame/screen.h"
#include "tui/views/lab.h"

struct lab_places {
    struct rect part[LAB_PART_COUNT]; /* width 0: not shown */
    struct rect map;                  /* the lane map; in place of the values, or beside them */
};

#define LAB_FORM_TAIL 4 /* lines below the form's values: the meaning of the selected one, the last run */

struct lab_places lab_places_of(const struct screen *screen, struct rect area);
/* Is there something that the timeline can show? */
bool lab_has_timeline(const struct lab *lab);
/* Is the lesson about copies, streams and overlap? The timeline is then more important than counters. */
bool lab_is_of_transfers(const struct lab *lab);

#endif
