/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the device sheet: properties and limits of the device shown, and its sensors. The tui's
 * thread.
 */
#ifndef TUI_VIEWS_VIEW_DEVICE_H
#define TUI_VIEWS_VIEW_DEVICE_H

#include "core/hardware/device_health.h"
#include "core/hardware/device_sheet.h"

#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

#define DEVICE_LINES_MAX \
    (SHEET_ROWS_MAX + SHEET_GROUP_COUNT + 1 + HEALTH_COUNT + HEALTH_WORD_COUNT + HEALTH_PROCESSES_MAX)

struct device_view {
    struct list list;
    int columns, column_height; /* in which the lines stand, one after the other */
    struct device_description device;
    struct sheet_row rows[SHEET_ROWS_MAX];
    size_t row_count;
    struct device_line {
        uint8_t kind, index; /* private: a heading, a property, a sensor, a process */
    } lines[DEVICE_LINES_MAX];
    int line_count;
    bool known; /* there is a device */
};

static inline struct device_view *device_state(const struct screen *screen)
{
    return screen->view_state[VIEW_DEVICE];
}

#endif
