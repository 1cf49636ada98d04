/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A figure beside what was aimed at, on a line that begins with "=": tests/bench/timeline.sh gathers these
 * lines into one table.
 */
#ifndef TESTS_BENCH_FIGURE_H
#define TESTS_BENCH_FIGURE_H

#include <stdarg.h>
#include <stdio.h>

enum figure_aim { FIGURE_AT_MOST, FIGURE_AT_LEAST };

__attribute__((format(printf, 5, 6))) static inline void
figure_print(double value, const char *unit, enum figure_aim aim, double wanted, const char *format, ...)
{
    char what[120];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    printf("= %-62s %10.2f %-10s %s %-7g %s\n", what, value, unit,
           aim == FIGURE_AT_MOST ? "at most " : "at least", wanted,
           (aim == FIGURE_AT_MOST ? value <= wanted : value >= wanted) ? "yes" : "NO");
}

#endif
