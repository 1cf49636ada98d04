/*
 * Entries are placed in columns, one column after the other. Addresses are relative to the 128-byte line of
 * the lowest one, like the rows of the picture; in shared memory they are the block's own.
 */
#include "tui/views/lanes/lane_table.h"

#include "core/hardware/access.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE_BYTES 128
#define SECTOR_BYTES 32
#define ENTRY_CELLS 27
#define ENTRY_GAP 2

static uint64_t lowest_line(const struct warp_access *access)
{
    uint64_t lowest = UINT64_MAX;
    for (uint32_t lanes = access->active; lanes; lanes &= lanes - 1) {
        uint64_t address = access->address[__builtin_ctz(lanes)];
        lowest = address < lowest ? address : lowest;
    }
    return lowest / LINE_BYTES * LINE_BYTES;
}

static void print_entry(const struct arch *rules, const struct tui_access *access, uint32_t lane, char *text,
                        size_t size_bytes)
{
    const struct warp_access *of = &access->access;
    if ((of->active >> lane & 1) == 0) {
        snprintf(text, size_bytes, "%2" PRIu32 "  not active", lane);
        return;
    }
    uint64_t at = of->address[lane];
    if (access->space == TUI_SPACE_SHARED) {
        snprintf(text, size_bytes, "%2" PRIu32 "  byte %-6" PRIu64 " bank %" PRIu32, lane, at,
                 lane_picture_bank(rules, at));
        return;
    }
    at -= lowest_line(of);
    snprintf(text, size_bytes, "%2" PRIu32 "  +%-8" PRIu64 " sector %" PRIu64, lane, at, at / SECTOR_BYTES);
}

int lane_table_draw(struct canvas *canvas, struct rect area, const struct arch *rules,
                    const struct tui_access *access)
{
    int columns = (area.width + ENTRY_GAP) / (ENTRY_CELLS + ENTRY_GAP);
    int lines = columns > 0 ? (WARP_LANES + columns - 1) / columns : WARP_LANES;
    if (columns == 0 || lines > area.height)
        return 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        char text[64];
        print_entry(rules, access, (uint32_t)lane, text, sizeof text);
        canvas_text(canvas, area.x + lane / lines * (ENTRY_CELLS + ENTRY_GAP), area.y + lane % lines,
                    ENTRY_CELLS, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    }
    return lines + 1;
}
