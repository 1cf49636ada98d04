/*
 * Rows of a sheet, and the formats of their numbers. The array of rows never overflows: the last row is
 * overwritten when there are more than SHEET_ROWS_MAX.
 */
#include "core/hardware/device_sheet_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sheet_format_count(uint64_t number, const char *unit, char *text, size_t size_bytes)
{
    char plain[24], grouped[32];
    size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRIu64, number), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            grouped[at++] = ',';
        grouped[at++] = plain[i];
    }
    grouped[at] = '\0';
    snprintf(text, size_bytes, "%s%s%s", grouped, unit[0] ? " " : "", unit);
}

/* Capacities are powers of two: 232448 -> "227 KiB". In bytes if not a whole number of KiB; in GiB with one
 * decimal. */
static void format_bytes(uint64_t bytes, char *text, size_t size_bytes)
{
    if (bytes >= UINT64_C(1) << 30) {
        snprintf(text, size_bytes, "%.1f GiB (%.1f GB)", (double)bytes / (double)(UINT64_C(1) << 30),
                 (double)bytes / 1e9);
    } else if (bytes >= 1u << 20 && bytes % (1u << 20) == 0) {
        sheet_format_count(bytes >> 20, "MiB", text, size_bytes);
    } else if (bytes >= 1024 && bytes % 1024 == 0) {
        sheet_format_count(bytes >> 10, "KiB", text, size_bytes);
    } else {
        sheet_format_count(bytes, "B", text, size_bytes);
    }
}

static void format_rate(double bytes_per_second, char *text, size_t size_bytes)
{
    bool tera = bytes_per_second >= 999.5e9;
    double number = bytes_per_second / (tera ? 1e12 : 1e9);
    snprintf(text, size_bytes, "%.*f %s",
             number < 9.995   ? 2
             : number < 99.95 ? 1
                              : 0,
             number, tera ? "TB/s" : "GB/s");
}

enum provenance sheet_provenance(const struct sheet *sheet)
{
    return sheet->model ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
}

struct sheet_row *sheet_row_add(struct sheet *sheet, enum sheet_group group, const char *id,
                                const char *label, const char *unit, enum provenance provenance,
                                const char *from, const char *why)
{
    struct sheet_row *row = &sheet->rows[sheet->count];
    sheet->count += sheet->count + 1 < SHEET_ROWS_MAX;
    *row = (struct sheet_row){.group = group,
                              .id = id,
                              .label = label,
                              .unit = unit,
                              .value = {.provenance = provenance, .why = why},
                              .text = "n/a",
                              .from = from};
    return row;
}

void sheet_row_number(struct sheet_row *row, double number)
{
    row->value.available = true;
    uint64_t whole = (uint64_t)number;
    row->value.number = number;
    row->value.why = NULL;
    if (strcmp(row->unit, "B") == 0)
        format_bytes(whole, row->text, sizeof row->text);
    else if (strcmp(row->unit, "B/s") == 0)
        format_rate(number, row->text, sizeof row->text);
    else if (strcmp(row->unit, "kHz") == 0)
        sheet_format_count((whole + 500) / 1000, "MHz", row->text, sizeof row->text);
    else
        sheet_format_count(whole, row->unit, row->text, sizeof row->text);
}

void sheet_row_text(struct sheet_row *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->text, sizeof row->text, format, arguments);
    va_end(arguments);
    row->value.available = row->is_text = true;
    row->value.why = NULL;
}
