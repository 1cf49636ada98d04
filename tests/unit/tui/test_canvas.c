/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/terminal/canvas.h"
#include "tui/terminal/text.h"
#include "tui/terminal/writer.h"
#include "tui/widgets/brief.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text from outside ---- */

static void expect_text(const char *bytes, size_t size_bytes, const char *wanted)
{
    struct text_reader reader;
    struct text_glyph glyph;
    char out[400];
    size_t at = 0;
    text_reader_init(&reader, bytes, size_bytes);
    while (text_next(&reader, &glyph) && at + 5 < sizeof out)
        at += text_encode(glyph.codepoint, out + at);
    out[at] = '\0';
    cr_assert_str_eq(out, wanted);
}

Test(text, makes_hostile_bytes_visible)
{
    static const struct {
        const char *bytes, *wanted;
    } cases[] = {
        {"plain name<int>", "plain name<int>"},
        {"\x1b[2J\x07", "\\x1b[2J\\x07"},
        {"tab\tnew\nline\r", "tab\\x09new\\x0aline\\x0d"},
        {"\x7f", "\\x7f"},
        {"\xc2\x9b"
         "1m",
         "\\u009b1m"}, /* CSI as one C1 character */
        {"a\xe2\x80\xae"
         "b",
         "a\\u202eb"},                                  /* right-to-left override */
        {"\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"}, /* isolates */
        {"\xe2\x80\x8b\xef\xbb\xbf", "\\u200b\\ufeff"}, /* invisible */
        {"\xff\xfe", "\\xff\\xfe"},                     /* not UTF-8 */
        {"\xc0\xaf", "\\xc0\\xaf"},                     /* overlong */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},            /* a surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},   /* past the last code point */
        {"\xe4\xb8", "\\xe4\\xb8"},                     /* cut short */
        {"\xe7\xbc\x96\xe7\xa0\x81", "\xe7\xbc\x96\xe7\xa0\x81"},
        {"e\xcc\x81", "e\xcc\x81"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_text(cases[i].bytes, strlen(cases[i].bytes), cases[i].wanted);
    expect_text("a\0b", 3, "a\\x00b");
}

/* Whatever the bytes, what comes out is printable and its widths add up. */
Test(text, any_bytes_come_out_printable)
{
    uint32_t random = 12345;
    for (int round = 0; round < 20000; round++) {
        char bytes[12];
        for (size_t i = 0; i < sizeof bytes; i++) {
            random = random * 1664525u + 1013904223u;
            bytes[i] = (char)(random >> 24);
        }
        struct text_reader reader;
        struct text_glyph glyph;
        int glyphs = 0;
        text_reader_init(&reader, bytes, sizeof bytes);
        while (text_next(&reader, &glyph)) {
            cr_assert(glyph.width >= 0 && glyph.width <= 2);
            cr_assert(glyph.codepoint >= 0x20 && glyph.codepoint != 0x7f &&
                      !(glyph.codepoint >= 0x80 && glyph.codepoint < 0xa0));
            cr_assert_leq(++glyphs, (int)sizeof bytes * 8);
        }
    }
}

Test(text, widths)
{
    cr_assert_eq(text_width("abc", 100), 3);
    cr_assert_eq(text_width("\xe7\xbc\x96\xe7\xa0\x81", 100), 4);
    cr_assert_eq(text_width("e\xcc\x81", 100), 1);
    cr_assert_eq(text_width("abcdef", 4), 4);
}

Test(text, shortens_in_the_middle)
{
    static const struct {
        const char *text;
        int cells;
        const char *wanted;
    } cases[] = {
        {"transpose", 9, "transpose"},
        {"transpose_naive", 9, "tr..naive"},
        {"abcdef", 4, "ab.."},
        {"abcdef", 3, "a.."},
        {"abcdef", 2, ".."},
        {"abcdef", 0, ""},
        {"abcdef", 5, "ab..f"},
        {"", 5, ""},
        {"DeviceRadixSortOnesweepKernel", 22, "Device..OnesweepKernel"},
        {"DeviceRadixSortHistogramKernel", 22, "D..SortHistogramKernel"},
        {"prefetch_smem_rolling_async_6", 20, "pre..rolling_async_6"},
        {"reduction_divergent", 14, "red..divergent"},
        {"vectorized_elementwise_kernel", 20, "vectorized_..kernel"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        text_shorten(cases[i].text, cases[i].cells, out, sizeof out);
        cr_assert_str_eq(out, cases[i].wanted);
    }
    for (int cells = 0; cells < 30; cells++) {
        text_shorten("\xe7\xbc\x96\xe7\xa0\x81\xe7\xbc\x96\xe7\xa0\x81\xe7\xbc\x96\xe7\xa0\x81 and more",
                     cells, out, sizeof out);
        cr_assert_leq(text_width(out, 100), cells);
        text_shorten("a long name of a kernel", cells, out, 8); /* a small buffer is cut, not overrun */
        cr_assert_lt(strlen(out), 8);
    }
}

/* Dots stand neither in a number nor beside one, and a number keeps its sign and its unit. */
Test(text, cuts_words_and_never_a_number)
{
    static const struct {
        const char *text;
        int cells;
        const char *cut, *shortened;
    } cases[] = {
        {"lanes=32", 8, "lanes=32", "lanes=32"},
        {"lanes=32", 7, "lanes..", "lanes.."},
        {"4-way n=8652800 streams=4", 20, "4-way n=8652800 st..", "4-way n..streams=4"},
        {"copies to the device", 17, "copies to the..", "co..to the device"},
        {"copies to the device", 10, "copies..", "co..device"},
        {"theoretical bandwidth", 12, "theoretica..", "t..bandwidth"},
        {"-17.7 TFLOP/s and more", 13, "..", "..and more"},
        {"moved 29.4 TFLOP/s more", 16, "moved..", "moved..more"},
        {"at 29.4 TB/s, more", 12, "at..", "at..more"},
        {"by -17.7 more", 9, "by..", "by..more"},
        {">=16.3M of them", 8, "..", "..them"},
        {"in 1.02e+10 operations", 12, "in..", "in..ons"},
        {"grid 128x64x1 and more", 13, "grid..", "gri..and more"},
        {"stride=1..32 words", 14, "stride..", "stride..words"},
        {"padded   ", 7, "padded", "padded"},
        {"NVIDIA H200", 8, "NVIDIA..", "NV..H200"},
        {"at 2,526,512,000 ns", 13, "at..", "at.."},
        {"1234", 3, "..", ".."},
        {"x 1234", 3, "x..", "x.."},
    };
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        text_cut(cases[i].text, cases[i].cells, out, sizeof out);
        cr_expect_str_eq(out, cases[i].cut, "'%s' in %d: '%s'", cases[i].text, cases[i].cells, out);
        text_shorten(cases[i].text, cases[i].cells, out, sizeof out);
        cr_expect_str_eq(out, cases[i].shortened, "'%s' in %d: '%s'", cases[i].text, cases[i].cells, out);
    }
}

Test(text, keeps_the_end_of_what_begins_alike)
{
    char out[64];
    text_cut_front("staged-pageable", 10, out, sizeof out);
    cr_assert_str_eq(out, "..pageable");
    text_cut_front("staged-pageable", 15, out, sizeof out);
    cr_assert_str_eq(out, "staged-pageable");
    text_cut_front("copies of 4096x4096", 11, out, sizeof out);
    cr_assert_str_eq(out, "..", "no part of a number: '%s'", out);
}

Test(text, has_short_words_for_long_ones)
{
    static const struct {
        const char *text;
        int cells;
        const char *wanted;
    } cases[] = {{"copies to the device", 20, "copies to the device"},
                 {"copies to the device", 19, "H2D"},
                 {"stream 13, context 1", 11, "stream 13/1"},
                 {"default stream", 13, "default"}};
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        brief_text(cases[i].text, cases[i].cells, out, sizeof out);
        cr_assert_str_eq(out, cases[i].wanted, "'%s'", out);
    }
    brief_metric(METRIC_theoretical_bandwidth_bytes_per_second, 21, out, sizeof out);
    cr_assert_str_eq(out, "theoretical bandwidth");
    brief_metric(METRIC_theoretical_bandwidth_bytes_per_second, 20, out, sizeof out);
    cr_assert_str_eq(out, "theo. BW");
}

/* ---- canvas ---- */

static struct canvas canvas;

static void start(int width, int height, bool ascii)
{
    cr_assert_eq(canvas_init(&canvas, width, height, ascii, NULL), STATUS_OK);
}

static void expect_canvas(const char *wanted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    writer_text(&canvas, out);
    fclose(out);
    cr_assert_str_eq(text, wanted);
    free(text);
    canvas_fini(&canvas);
}

Test(canvas, clips_on_every_side)
{
    const struct style plain = STYLE(COLOR_TEXT, COLOR_NONE, 0);
    start(6, 2, false);
    canvas_put(&canvas, -1, 0, 'x', plain);
    canvas_put(&canvas, 6, 0, 'x', plain);
    canvas_put(&canvas, 0, 2, 'x', plain);
    cr_assert_eq(canvas_text(&canvas, 4, 0, 10, plain, "abc"), 2);
    cr_assert_eq(canvas_text(&canvas, 0, 1, 3, plain, "abcdef"), 3);
    field_number(&canvas, 3, 1, 3, plain, "12345");
    canvas_fill(&canvas, (struct rect){-5, -5, 6, 6}, '#', plain);
    expect_canvas("#   a\xe2\x80\xa6\nab\xe2\x80\xa6  #\n");
}

Test(canvas, a_sentence_that_is_cut_says_so)
{
    const struct style plain = STYLE(COLOR_TEXT, COLOR_NONE, 0);
    start(7, 4, false);
    cr_assert_eq(canvas_text(&canvas, 0, 0, 6, plain, "sixsix"), 6);
    cr_assert_eq(canvas_text(&canvas, 0, 1, 6, plain, "sixsix7"), 6);
    cr_assert_eq(canvas_text(&canvas, 4, 2, 9, plain, "edge"), 3);
    cr_assert_eq(canvas_printf(&canvas, 0, 3, 7, plain, "%s of %d", "three", 4), 6);
    expect_canvas("sixsix\nsixsi\xe2\x80\xa6\n    ed\xe2\x80\xa6\nthree\xe2\x80\xa6\n");
}

Test(canvas, wide_glyphs_take_two_cells)
{
    const struct style plain = STYLE(COLOR_TEXT, COLOR_NONE, 0);
    start(5, 3, false);
    canvas_text(&canvas, 0, 0, 5, plain, "\xe7\xbc\x96\xe7\xa0\x81\xe7\xbc\x96"); /* of which one is left */
    canvas_text(&canvas, 0, 1, 5, plain, "\xe7\xbc\x96\xe7\xa0\x81");
    canvas_put(&canvas, 1, 1, 'x', plain); /* breaks the first */
    canvas_text(&canvas, 0, 2, 5, plain, "e\xcc\x81\xcc\x82\xcc\x83!");
    cr_assert_eq(canvas_cell(&canvas, 1, 0)->codepoint, 0);
    expect_canvas("\xe7\xbc\x96\xe7\xa0\x81\xe2\x80\xa6\n x\xe7\xa0\x81\ne\xcc\x81\xcc\x82!\n");
}

Test(canvas, ascii_is_ascii)
{
    start(12, 4, true);
    canvas_frame(&canvas, (struct rect){0, 0, 12, 4}, "t", true);
    canvas_text(&canvas, 1, 1, 10, STYLE(COLOR_TEXT, COLOR_NONE, 0), "\xe7\xbc\x96 e\xcc\x81");
    for (int g = 0; g < GLYPH_COUNT; g++)
        cr_assert_lt(glyph_codepoint((enum glyph)g, true), 0x7f);
    for (int n = -1; n < 10; n++) {
        cr_assert(glyph_left_eighths(n, true) < 0x7f && glyph_lower_eighths(n, true) < 0x7f);
        for (int m = -1; m < 6; m++)
            cr_assert_lt(glyph_bars(n, m, true), 0x7f);
    }
    expect_canvas("+->t ------+\n|?? e      |\n|          |\n+----------+\n");
}

Test(canvas, eighths_and_bars)
{
    cr_assert_eq(glyph_left_eighths(0, false), ' ');
    cr_assert_eq(glyph_left_eighths(1, false), 0x258f);
    cr_assert_eq(glyph_left_eighths(8, false), 0x2588);
    cr_assert_eq(glyph_lower_eighths(1, false), 0x2581);
    cr_assert_eq(glyph_lower_eighths(8, false), 0x2588);
    cr_assert_eq(glyph_bars(4, 4, false), 0x28ff);
    cr_assert_eq(glyph_bars(1, 0, false), 0x2840);
    cr_assert_eq(glyph_bars(0, 1, false), 0x2880);
    cr_assert_eq(glyph_bars(0, 0, false), ' ');
}

Test(canvas, wraps_at_blanks)
{
    start(10, 5, false);
    cr_assert_eq(canvas_wrap(&canvas, (struct rect){0, 0, 10, 5}, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                             "one two three incomprehensibilities x"),
                 5);
    expect_canvas("one two\nthree\nincomprehe\nnsibilitie\ns x\n"); /* a word too wide is broken */
}

Test(canvas, refuses_absurd_sizes)
{
    struct error error;
    struct canvas big = {0};
    cr_assert_eq(canvas_init(&big, 0, 5, false, &error), STATUS_USAGE);
    cr_assert_eq(canvas_init(&big, 5, CANVAS_SIDE_MAX + 1, false, &error), STATUS_USAGE);
    cr_assert(strstr(error.text, "cannot be drawn") != NULL);
    canvas_fini(&big);
}

/* ---- numbers ---- */

Test(number, are_short_and_carry_units)
{
    cr_assert_str_eq(number_exact(0).text, "0");
    cr_assert_str_eq(number_exact(1234567).text, "1,234,567");
    cr_assert_str_eq(number_exact(-123456).text, "-123,456");
    cr_assert_str_eq(number_exact(INT64_MIN).text, "-9,223,372,036,854,775,808");
    cr_assert_str_eq(number_time(999).text, "999 ns");
    cr_assert_str_eq(number_time(9994).text, "9.99 us");
    cr_assert_str_eq(number_time(9996).text, "10.0 us");
    cr_assert_str_eq(number_time(999960).text, "1.00 ms");
    cr_assert_str_eq(number_time(412000).text, "412 us");
    cr_assert_str_eq(number_time(-5).text, "-");
    cr_assert_str_eq(number_percent(0, 1).text, "0.0");
    cr_assert_str_eq(number_percent(1e-9, 1).text, "<0.1");
    cr_assert_str_eq(number_percent(0.0499, 1).text, "<0.1");
    cr_assert_str_eq(number_percent(0.0501, 1).text, "0.1");
    cr_assert_str_eq(number_percent(0.004, 2).text, "<0.01");
    cr_assert_str_eq(number_percent(0.4, 0).text, "<1");
    cr_assert_str_eq(number_percent(100, 1).text, "100.0");
    cr_assert_str_eq(number_gain(0.884).text, "88 %");
    cr_assert_str_eq(number_gain(0.9989).text, "99.9 %");
    cr_assert_str_eq(number_gain(1).text, "100 %");
    cr_assert_str_eq(number_bytes(67108864).text, "67.1 MB");
    cr_assert_str_eq(number_rate(4.8e12).text, "4.80 TB/s");
    cr_assert_str_eq(number_short(99999).text, "99,999");
    cr_assert_str_eq(number_short(10000000).text, "10.0 M");
}

Test(number, ticks_say_what_the_step_needs)
{
    cr_assert_str_eq(number_tick(0, 200000000).text, "0 ms");
    cr_assert_str_eq(number_tick(1200000000, 200000000).text, "1.2 s");
    cr_assert_str_eq(number_tick(1234500000, 10000).text, "1,234.50 ms");
    cr_assert_str_eq(number_tick(123456, 1).text, "123.456 us");
    cr_assert_str_eq(number_tick(50, 10).text, "50 ns");
    cr_assert_str_eq(number_tick(-2000000, 1000000).text, "-2 ms");
    cr_assert_str_eq(number_since(3001940123, 3000000000, 10000).text, "+1.94 ms");
    cr_assert_str_eq(number_since(3001940123, 3000000000, 1).text, "+1,940,123 ns");
    cr_assert_str_eq(number_since(2999980000, 3000000000, 1000).text, "-20 us");
    cr_assert_str_eq(number_since(3001940123, 0, 1).text, "3,001,940,123 ns");
}

Test(text, a_title_ends_with_a_clause)
{
    static const struct {
        const char *text;
        int cells;
        const char *shown;
    } cases[] = {
        {"Kernels  175  z unfolds, measured times", 39, "Kernels  175  z unfolds, measured times"},
        {"Kernels  175  z unfolds, measured times", 38, "Kernels  175  z unfolds"},
        {"Lab  A matrix transpose: coalesced, then more", 40, "Lab  A matrix transpose: coalesced"},
        {"Lab  A matrix transpose: coalesced, then more", 30, "Lab  A matrix transpose"},
        {"Lab  A matrix transpose: coalesced, then more", 20, "Lab  A matrix.."}, /* "Lab" says too little */
        {"one_word_that_does_not_end_anywhere", 12, "one_word_t.."},
        {"", 10, ""},
    };
    char out[80];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        text_clauses(cases[i].text, cases[i].cells, out, sizeof out);
        cr_expect_str_eq(out, cases[i].shown, "%zu: '%s'", i, out);
    }
    text_clauses("a title, and more of it", 14, out, 5); /* a small buffer is cut, not overrun */
    cr_expect_lt(strlen(out), 5);
}
