/*
 * Short names of what is always called the same: a row's name where the long one has no room, rather than
 * the half of it. A metric's stands beside its title (core/metric/metric.h). Static data, any thread.
 */
#ifndef TUI_WIDGETS_BRIEF_H
#define TUI_WIDGETS_BRIEF_H

#include "core/metric/metric.h"

#include <stddef.h>

/* In so many cells: the text, or with short words in place of long ones, or that cut as text_cut does. */
void brief_text(const char *text, int cells, char *out, size_t size_bytes);

/* The same of a metric's title. */
void brief_metric(enum metric metric, int cells, char *out, size_t size_bytes);

#endif
