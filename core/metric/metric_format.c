/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text: three figures with a decimal prefix for times, bytes and rates; counts whole, with commas.
 */
#include "core/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 4021 of "ns" -> "4.02 us": in steps of 1000, with prefixes[0 ... count - 1]. */
static void format_scaled(double number, const char *const *units, size_t count, char *text,
                          size_t size_bytes)
{
    size_t step = 0;
    double size = fabs(number);
    /* 999.5 would be printed as 1000 */
    while (step + 1 < count && size >= 999.5) {
        size /= 1000;
        number /= 1000;
        step++;
    }
    bool whole = step == 0 && number == floor(number) && size < 1000;
    int decimals = whole ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    snprintf(text, size_bytes, "%.*f %s", decimals, number, units[step]);
}

/* 131072 -> "131,072"; a half (the median of two) keeps its ".5". */
static void format_count(double number, char *text, size_t size_bytes)
{
    if (fabs(number) >= 1e15) {
        snprintf(text, size_bytes, "%.3g", number);
        return;
    }
    char plain[32], grouped[48];
    bool whole = number == floor(number);
    snprintf(plain, sizeof plain, whole ? "%.0f" : "%.1f", fabs(number));
    size_t digits = strcspn(plain, "."), at = 0;
    if (number < 0)
        grouped[at++] = '-';
    for (size_t i = 0; plain[i]; i++) {
        if (i > 0 && i < digits && (digits - i) % 3 == 0)
            grouped[at++] = ',';
        grouped[at++] = plain[i];
    }
    grouped[at] = '\0';
    snprintf(text, size_bytes, "%s", grouped);
}

/* Three figures, at most `decimals` after the point. */
static void format_ratio(double number, int decimals, const char *unit, char *text, size_t size_bytes)
{
    double size = fabs(number);
    int some = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    snprintf(text, size_bytes, "%.*f%s", some < decimals ? some : decimals, number, unit);
}

static const char *const bound_signs[] = {
    [VALUE_EXACT] = "", [VALUE_AT_LEAST] = ">=", [VALUE_AT_MOST] = "<="};

void metric_format(enum metric metric, const struct value *value, char *text, size_t size_bytes)
{
    static const char *const times[] = {"ns", "us", "ms", "s"};
    static const char *const bytes[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    static const char *const rates[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"};
    static const char *const speeds[] = {"FLOP/s",  "kFLOP/s", "MFLOP/s", "GFLOP/s",
                                         "TFLOP/s", "PFLOP/s", "EFLOP/s"};
    const struct metric_info *info = metric_info(metric);
    if (size_bytes == 0)
        return;
    if (!info || !value->available || (!value->word && !isfinite(value->number))) {
        snprintf(text, size_bytes, "n/a");
        return;
    }
    if (value->word) {
        snprintf(text, size_bytes, "%s", value->word);
        return;
    }
    size_t used = (size_t)snprintf(text, size_bytes, "%s", bound_signs[value->bound]);
    used = used < size_bytes ? used : size_bytes - 1;
    text += used;
    size_bytes -= used;
    if (strcmp(info->unit, "ns") == 0)
        format_scaled(value->number, times, sizeof times / sizeof times[0], text, size_bytes);
    else if (strcmp(info->unit, "B") == 0)
        format_scaled(value->number, bytes, sizeof bytes / sizeof bytes[0], text, size_bytes);
    else if (strcmp(info->unit, "B/s") == 0)
        format_scaled(value->number, rates, sizeof rates / sizeof rates[0], text, size_bytes);
    else if (strcmp(info->unit, "FLOP/s") == 0)
        format_scaled(value->number, speeds, sizeof speeds / sizeof speeds[0], text, size_bytes);
    else if (strcmp(info->unit, "FLOP/B") == 0)
        if (fabs(value->number) >= 999.5)
            format_count(round(value->number), text, size_bytes);
        else
            snprintf(text, size_bytes, "%.3g", value->number);
    else if (strcmp(info->unit, "%") == 0)
        format_ratio(value->number, 1, " %", text, size_bytes);
    else if (strcmp(info->unit, "ratio") == 0)
        snprintf(text, size_bytes, "%.3f", value->number);
    else if (strcmp(info->unit, "us") == 0)
        snprintf(text, size_bytes, "%.3f us", value->number);
    else if (strcmp(info->unit, "threads") == 0 || strcmp(info->unit, "cycles") == 0 ||
             strcmp(info->unit, "sectors/request") == 0)
        format_ratio(value->number, 2, "", text, size_bytes);
    else
        format_count(value->number, text, size_bytes);
}

/* Three figures and a prefix, "29.4 T"; the row shows the unit. */
static void format_prefixed(const struct value *value, char *text, size_t size_bytes)
{
    static const char *const steps[] = {"", "k", "M", "G", "T", "P", "E"};
    char number[40];
    format_scaled(value->number, steps, sizeof steps / sizeof steps[0], number, sizeof number);
    snprintf(text, size_bytes, "%s%s", bound_signs[value->bound], number);
}

void metric_format_within(enum metric metric, const struct value *value, size_t cells, char *text,
                          size_t size_bytes)
{
    const struct metric_info *info = metric_info(metric);
    metric_format(metric, value, text, size_bytes);
    if (strlen(text) <= cells || !info || value->word || !value->available || !isfinite(value->number))
        return;
    bool counts = text[strlen(text) - 1] >= '0' && text[strlen(text) - 1] <= '9';
    if ((counts && fabs(value->number) >= 999.5) || strcmp(info->unit, "FLOP/s") == 0)
        format_prefixed(value, text, size_bytes);
}

void metric_format_change(enum metric metric, double difference, size_t cells, char *text, size_t size_bytes)
{
    const struct metric_info *info = metric_info(metric);
    const struct value size = {.available = true, .number = fabs(difference)};
    char number[48];
    if (difference == 0) {
        snprintf(text, size_bytes, "=");
        return;
    }
    if (info && strcmp(info->unit, "%") == 0)
        format_ratio(size.number, 2, " pp", number, sizeof number);
    else
        metric_format_within(metric, &size, cells > 0 ? cells - 1 : 0, number, sizeof number);
    bool nothing = !strpbrk(number, "123456789");
    if (nothing) /* "0.00 pp" -> "<0.01 pp": it is not zero */
        number[strspn(number, "0.") - 1] = '1';
    snprintf(text, size_bytes, "%c%s%s", difference < 0 ? '-' : '+', nothing ? "<" : "", number);
}

void metric_format_ratio(double ratio, int figures, char *text, size_t size_bytes)
{
    char number[48];
    if (fabs(ratio) < 10)
        snprintf(number, sizeof number, "%.*f", figures - 1, ratio);
    else if (fabs(ratio) < 999.5)
        snprintf(number, sizeof number, "%.*g", figures, ratio);
    else
        format_count(round(ratio), number, sizeof number);
    snprintf(text, size_bytes, "%sx", number);
}

void metric_format_relative(double ratio, char *text, size_t size_bytes)
{
    double percent = 100 * (ratio - 1), size = fabs(percent);
    char sign = percent < 0 ? '-' : '+';
    if (ratio < 0 || !isfinite(ratio)) {
        snprintf(text, size_bytes, "n/a");
    } else if (ratio == 1) {
        snprintf(text, size_bytes, "=");
    } else if (ratio >= 1.995) {
        metric_format_ratio(ratio, 3, text, size_bytes);
    } else if (size < 0.005) {
        snprintf(text, size_bytes, "%c<0.01 %%", sign);
    } else if (ratio > 0 && size >= 99.995) { /* never all of it */
        snprintf(text, size_bytes, ">-100 %%");
    } else {
        int decimals = size < 0.095 || (ratio > 0 && size >= 99.95) ? 2
                       : size < 9.95 || (ratio > 0 && size >= 99.5) ? 1
                                                                    : 0;
        snprintf(text, size_bytes, "%c%.*f %%", sign, decimals, size);
    }
}

void metric_format_faster(double factor, char *text, size_t size_bytes)
{
    double more = factor >= 1 ? factor : 1 / factor;
    const char *word = factor >= 1 ? "faster" : "slower";
    char number[40];
    if (!(factor > 0) || !isfinite(factor)) {
        snprintf(text, size_bytes, "n/a");
    } else if (more < 1.01) {
        snprintf(text, size_bytes, "as fast");
    } else if (more < 1.095) {
        snprintf(text, size_bytes, "%.1f %% %s", 100 * (more - 1), word);
    } else if (more < 99.95) {
        snprintf(text, size_bytes, "%.1fx %s", more, word);
    } else {
        format_count(round(more), number, sizeof number);
        snprintf(text, size_bytes, "%sx %s", number, word);
    }
}
