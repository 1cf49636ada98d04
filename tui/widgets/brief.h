/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short names for fixed texts: used where the long name does not fit, instead of cutting it. Short names of
 * metrics are beside their titles (core/metric/metric.h). Static data, any thread.
 */
#ifndef TUI_WIDGETS_BRIEF_H
#define TUI_WIDGETS_BRIEF_H

#include "core/metric/metric.h"

#include <stddef.h>

/* The text in `cells` cells: unchanged, or with short words instead of long ones, or cut as by text_cut. */
void brief_text(const char *text, int cells, char *out, size_t size_bytes);

/* The short name of a text that is in the table as a whole; else the text. */
const char *brief_of(const char *text);

/* The same for a metric's title. */
void brief_metric(enum metric metric, int cells, char *out, size_t size_bytes);

#endif
