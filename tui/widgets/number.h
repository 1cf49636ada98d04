/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as text: exact ones with thousands separators, rounded ones with three digits and a unit. ASCII.
 * Any thread.
 */
#ifndef TUI_WIDGETS_NUMBER_H
#define TUI_WIDGETS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_SIZE 64

struct number {
    char text[NUMBER_SIZE];
};

struct number number_exact(int64_t value);          /* "1,234,567" */
struct number number_short(uint64_t value);         /* "1.23 M" */
struct number number_time(int64_t ns);              /* "12.3 us", "-" when negative */
struct number number_bytes(uint64_t bytes);         /* "64.0 MB" (powers of ten) */
struct number number_rate(double bytes_per_second); /* "1.34 TB/s" */
/* Per cent of a whole, without the sign: "12.3". What is there is never a zero: "<0.1". */
struct number number_percent(double percent, int decimals);
/* The bound of a gain, a share of 0 to 1: "88 %", "99.9 %"; "100 %" only if it is all. */
struct number number_gain(double share);

/* A time of the axis or the cursor, rounded to a step of 1, 2 or 5 times a power of ten ns: "1.25 s", "300
 * us". */
struct number number_tick(int64_t ns, int64_t step_ns);
/* A time relative to a zero: "+1.94 ms", "-20 us"; exact if the step is 1: "+1,940,123 ns". No "+" if zero_ns
 * is 0. */
struct number number_since(int64_t ns, int64_t zero_ns, int64_t step_ns);
/* The same in ns of a span below 1 ms, in us below 1 s, else in ms: "+938 us" of 3 ms. */
struct number number_since_within(int64_t ns, int64_t zero_ns, int64_t span_ns);

#endif
