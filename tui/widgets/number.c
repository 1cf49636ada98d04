/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as text. From 999.5 on a number goes to the next unit, so that it has three digits after rounding.
 */
#include "tui/widgets/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct number number_exact(int64_t value)
{
    struct number number;
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)value), at = 0;
    size_t sign = value < 0;
    for (size_t i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0)
            number.text[at++] = ',';
        number.text[at++] = digits[i];
    }
    number.text[at] = '\0';
    return number;
}

/* Three digits: 9.99, 99.9, 999. */
static struct number scale_number(double value, const char *const *unit, double step)
{
    struct number number;
    while (value >= step * 0.9995 && unit[1]) {
        value /= step;
        unit++;
    }
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(number.text, sizeof number.text, "%.*f %s", decimals, value, *unit);
    return number;
}

struct number number_short(uint64_t value)
{
    static const char *const units[] = {"k", "M", "G", "T", "P", "E", NULL};
    if (value < 100000)
        return number_exact((int64_t)value);
    struct number number = scale_number((double)value / 1000, units, 1000);
    return number;
}

struct number number_time(int64_t ns)
{
    static const char *const units[] = {"us", "ms", "s", NULL};
    struct number number;
    if (ns < 0)
        snprintf(number.text, sizeof number.text, "-");
    else if (ns < 1000)
        snprintf(number.text, sizeof number.text, "%d ns", (int)ns);
    else
        number = scale_number((double)ns / 1000, units, 1000);
    return number;
}

struct number number_bytes(uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB", NULL};
    struct number number;
    if (bytes < 1000)
        snprintf(number.text, sizeof number.text, "%d B", (int)bytes);
    else
        number = scale_number((double)bytes / 1000, units, 1000);
    return number;
}

struct number number_rate(double bytes_per_second)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s", NULL};
    return scale_number(bytes_per_second, units, 1000);
}

struct number number_percent(double percent, int decimals)
{
    struct number number;
    double least = pow(10, -decimals);
    if (percent > 0 && percent < least / 2)
        snprintf(number.text, sizeof number.text, "<%.*f", decimals, least);
    else
        snprintf(number.text, sizeof number.text, "%.*f", decimals, percent);
    return number;
}

struct number number_gain(double share)
{
    struct number number;
    double percent = 100 * share;
    snprintf(number.text, sizeof number.text, "%.60s %%",
             number_percent(percent, percent < 99.5 || percent >= 99.95 ? 0 : 1).text);
    return number;
}

struct number number_tick(int64_t ns, int64_t step_ns)
{
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    struct number number;
    int64_t size = ns < 0 ? -ns : ns;
    size_t u = 0;
    /* The largest unit in which neither the time nor the step needs more than three decimals. */
    while (u < 3 && (step_ns < units[u].ns / 1000 || (size < units[u].ns && step_ns < units[u].ns)))
        u++;
    int decimals = 0;
    for (int64_t unit = units[u].ns; step_ns % unit != 0 && unit >= 10 && decimals < 3; unit /= 10)
        decimals++;
    struct number grouped = number_exact(size / units[u].ns);
    int64_t scale = units[u].ns;
    for (int i = 0; i < decimals; i++)
        scale /= 10;
    int64_t rest = size % units[u].ns / scale;
    if (decimals > 0)
        snprintf(number.text, sizeof number.text, "%s%.30s.%0*lld %s", ns < 0 ? "-" : "", grouped.text,
                 decimals, (long long)rest, units[u].name);
    else
        snprintf(number.text, sizeof number.text, "%s%.30s %s", ns < 0 ? "-" : "", grouped.text,
                 units[u].name);
    return number;
}

struct number number_since(int64_t ns, int64_t zero_ns, int64_t step_ns)
{
    struct number at = step_ns > 1 ? number_tick(ns - zero_ns, step_ns) : number_exact(ns - zero_ns);
    struct number number;
    snprintf(number.text, sizeof number.text, "%s%.58s%s", zero_ns != 0 && ns >= zero_ns ? "+" : "", at.text,
             step_ns > 1 ? "" : " ns");
    return number;
}

struct number number_since_within(int64_t ns, int64_t zero_ns, int64_t span_ns)
{
    int64_t step_ns = 1;
    while (step_ns <= span_ns / 1000000)
        step_ns *= 1000;
    int64_t since_ns = ns - zero_ns, half_ns = since_ns < 0 ? -step_ns / 2 : step_ns / 2;
    return number_since(zero_ns + (since_ns + half_ns) / step_ns * step_ns, zero_ns, step_ns);
}
