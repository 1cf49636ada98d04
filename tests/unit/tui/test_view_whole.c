/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every view at every width: what is left of a text on the screen has no part of a number.
 *
 * The functions that paint are wrapped by the linker. They note for each cell which call painted it last, and
 * of each call the whole text that the view asked for. Of what then stands on the screen, every number, with
 * its sign and unit, must be a whole number of that text; a number in a column of its own is there whole, or
 * is "#". So it does not matter who lost a digit: the column, the pane's edge, or another text above it.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tui/terminal/text.h"
#include "tui/widgets/field.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 400
#define CALLS_MAX 20000
#define TEXT_BYTES 500
#define CELL_TEXT_BYTES (SIDE_MAX + 1)

enum call_kind {
    CALL_TEXT,    /* words with numbers among them */
    CALL_WRAPPED, /* the same on several lines: a unit may stand on the next one */
    CALL_NUMBER,  /* a column's number */
    CALL_VALUE    /* a column's value of a metric */
};

static struct call {
    enum call_kind kind;
    enum metric metric;
    double number;
    char text[TEXT_BYTES];
} calls[CALLS_MAX];
static int call_count, depth;
static int painted[SIDE_MAX][SIDE_MAX]; /* 1 + the call that painted the cell last; 0: no text */

/* ---- what is noted ---- */

static int note_call(enum call_kind kind, const char *text)
{
    cr_assert_lt(call_count, CALLS_MAX);
    calls[call_count] = (struct call){.kind = kind, .metric = METRIC_COUNT};
    struct text_reader reader; /* as it is painted: escapes for what is no text */
    struct text_glyph glyph;
    size_t at = 0;
    text_reader_init(&reader, text, strlen(text));
    while (at + 5 < TEXT_BYTES && text_next(&reader, &glyph))
        calls[call_count].text[at++] = glyph.codepoint < 0x7f ? (char)glyph.codepoint : '?';
    return call_count++;
}

static void note_cells(int x, int y, int cells, int call)
{
    for (int i = 0; i < cells; i++)
        if (x + i >= 0 && x + i < SIDE_MAX && y >= 0 && y < SIDE_MAX)
            painted[y][x + i] = call + 1;
}

/* A character of its own takes a cell, unless it is the one that stands there: a cursor over a text. */
static void take_cell(int x, int y, uint32_t before)
{
    const struct cell *cell = canvas_cell(&canvas, x, y);
    if (cell != NULL && cell->codepoint != before)
        note_cells(x, y, 1, -1);
}

static uint32_t codepoint_at(int x, int y)
{
    const struct cell *cell = canvas_cell(&canvas, x, y);
    return cell != NULL ? cell->codepoint : 0;
}

/* ---- the wrapped functions ---- */

int __real_canvas_text(struct canvas *canvas, int x, int y, int width, struct style style, const char *text);
int __wrap_canvas_text(struct canvas *canvas, int x, int y, int width, struct style style, const char *text);
int __wrap_canvas_printf(struct canvas *canvas, int x, int y, int width, struct style style,
                         const char *format, ...) __attribute__((format(printf, 6, 7)));
int __real_canvas_wrap(struct canvas *canvas, struct rect area, struct style style, const char *text);
int __wrap_canvas_wrap(struct canvas *canvas, struct rect area, struct style style, const char *text);
void __real_canvas_frame(struct canvas *canvas, struct rect area, const char *title, bool focus);
void __wrap_canvas_frame(struct canvas *canvas, struct rect area, const char *title, bool focus);
void __real_canvas_put(struct canvas *canvas, int x, int y, uint32_t codepoint, struct style style);
void __wrap_canvas_put(struct canvas *canvas, int x, int y, uint32_t codepoint, struct style style);
void __real_canvas_glyph(struct canvas *canvas, int x, int y, enum glyph glyph, struct style style);
void __wrap_canvas_glyph(struct canvas *canvas, int x, int y, enum glyph glyph, struct style style);
void __real_canvas_fill(struct canvas *canvas, struct rect area, uint32_t codepoint, struct style style);
void __wrap_canvas_fill(struct canvas *canvas, struct rect area, uint32_t codepoint, struct style style);
void __real_canvas_clear(struct canvas *canvas);
void __wrap_canvas_clear(struct canvas *canvas);
void __real_field_number(struct canvas *canvas, int x, int y, int width, struct style style,
                         const char *text);
void __wrap_field_number(struct canvas *canvas, int x, int y, int width, struct style style,
                         const char *text);
void __real_field_words(struct canvas *canvas, int x, int y, int width, struct style style, const char *text);
void __wrap_field_words(struct canvas *canvas, int x, int y, int width, struct style style, const char *text);
void __real_field_value(struct canvas *canvas, int x, int y, int width, struct style style,
                        enum metric metric, const struct value *value);
void __wrap_field_value(struct canvas *canvas, int x, int y, int width, struct style style,
                        enum metric metric, const struct value *value);
void __real_text_shorten(const char *text, int cells, char *out, size_t size_bytes);
void __wrap_text_shorten(const char *text, int cells, char *out, size_t size_bytes);
void __real_text_cut(const char *text, int cells, char *out, size_t size_bytes);
void __wrap_text_cut(const char *text, int cells, char *out, size_t size_bytes);

static int current = -1; /* the field that is painted */

int __wrap_canvas_text(struct canvas *to, int x, int y, int width, struct style style, const char *text)
{
    int call = depth > 0 ? current : note_call(CALL_TEXT, text);
    int taken = __real_canvas_text(to, x, y, width, style, text);
    note_cells(x, y, taken, call);
    return taken;
}

int __wrap_canvas_printf(struct canvas *to, int x, int y, int width, struct style style, const char *format,
                         ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return __wrap_canvas_text(to, x, y, width, style, text);
}

int __wrap_canvas_wrap(struct canvas *to, struct rect area, struct style style, const char *text)
{
    int call = note_call(CALL_WRAPPED, text), lines = __real_canvas_wrap(to, area, style, text);
    for (int i = 0; i < lines; i++)
        note_cells(area.x, area.y + i, area.width, call);
    return lines;
}

void __wrap_canvas_frame(struct canvas *to, struct rect area, const char *title, bool focus)
{
    int call = note_call(CALL_TEXT, title != NULL ? title : "");
    __real_canvas_frame(to, area, title, focus);
    note_cells(area.x, area.y, area.width, call);
    note_cells(area.x, area.y + area.height - 1, area.width, -1);
    for (int y = area.y; y < area.y + area.height; y++)
        note_cells(area.x, y, 1, -1), note_cells(area.x + area.width - 1, y, 1, -1);
}

void __wrap_canvas_put(struct canvas *to, int x, int y, uint32_t codepoint, struct style style)
{
    uint32_t before = codepoint_at(x, y);
    __real_canvas_put(to, x, y, codepoint, style);
    take_cell(x, y, before);
}

void __wrap_canvas_glyph(struct canvas *to, int x, int y, enum glyph glyph, struct style style)
{
    uint32_t before = codepoint_at(x, y);
    __real_canvas_glyph(to, x, y, glyph, style);
    take_cell(x, y, before);
}

void __wrap_canvas_fill(struct canvas *to, struct rect area, uint32_t codepoint, struct style style)
{
    __real_canvas_fill(to, area, codepoint, style);
    for (int y = area.y; y < area.y + area.height; y++)
        note_cells(area.x, y, area.width, -1);
}

void __wrap_canvas_clear(struct canvas *to)
{
    __real_canvas_clear(to);
    memset(painted, 0, sizeof painted);
    call_count = 0;
}

void __wrap_field_number(struct canvas *to, int x, int y, int width, struct style style, const char *text)
{
    if (depth == 0)
        current = note_call(CALL_NUMBER, text);
    depth++;
    __real_field_number(to, x, y, width, style, text);
    depth--;
}

void __wrap_field_words(struct canvas *to, int x, int y, int width, struct style style, const char *text)
{
    if (depth == 0)
        current = note_call(CALL_TEXT, text);
    depth++;
    __real_field_words(to, x, y, width, style, text);
    depth--;
}

void __wrap_field_value(struct canvas *to, int x, int y, int width, struct style style, enum metric metric,
                        const struct value *value)
{
    char text[NUMBER_SIZE];
    metric_format(metric, value, text, sizeof text);
    current = note_call(CALL_VALUE, text);
    calls[current].metric = metric;
    calls[current].number = value->available && value->word == NULL ? value->number : (double)NAN;
    depth++;
    __real_field_value(to, x, y, width, style, metric, value);
    depth--;
}

/* ---- numbers in texts ---- */

/* The number that begins at `text`, if one does: "-17.7 TFLOP/s". Its bytes, 0: none; of it without its unit,
 * *plain. */
static size_t number_at(const char *whole, const char *text, size_t *plain)
{
    static const char *const units[] = {
        "ns",     "us",      "ms",      "s",       "B",       "kB",      "MB",      "GB",   "TB",
        "PB",     "EB",      "B/s",     "kB/s",    "MB/s",    "GB/s",    "TB/s",    "PB/s", "EB/s",
        "FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s", "k",    "M",
        "G",      "T",       "P",       "E",       "%",       "pp",      "x"};
    const char *at = text + (*text == '-' || *text == '+');
    if (*at < '0' || *at > '9' || (text > whole && strchr("0123456789.,", text[-1]) != NULL && at == text))
        return 0;
    while ((*at >= '0' && *at <= '9') || ((*at == ',' || *at == '.') && at[1] >= '0' && at[1] <= '9'))
        at++;
    *plain = (size_t)(at - text);
    if (text > whole && ((text[-1] >= 'a' && text[-1] <= 'z') || (text[-1] >= 'A' && text[-1] <= 'Z')))
        return *plain; /* "L2 sectors": of a name, without a unit */
    const char *unit = at + (*at == ' ');
    size_t length = strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/%");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strlen(units[i]) == length && memcmp(units[i], unit, length) == 0)
            return (size_t)(unit - text) + length;
    return *plain;
}

/* Is the number one of the text's? */
static bool holds_number(const char *text, const char *number, size_t length, bool unit_matters)
{
    size_t plain;
    for (const char *at = text; *at != '\0'; at++) {
        size_t bytes = number_at(text, at, &plain);
        size_t compared = unit_matters ? bytes : plain;
        if (bytes > 0 && compared == length && memcmp(at, number, length) == 0)
            return true;
    }
    return false;
}

/* Every number in `shown` is one of `asked`, and no dots stand beside its digits. */
static bool shows_numbers_of(const char *shown, const char *asked, bool unit_matters)
{
    for (const char *at = shown; *at != '\0';) {
        size_t plain, length = number_at(shown, at, &plain);
        if (length == 0) {
            at++;
            continue;
        }
        if (!holds_number(asked, at, unit_matters ? length : plain, unit_matters))
            return false;
        bool range =
            at[length] == '.' && at[length + 1] == '.' && at[length + 2] >= '0' && at[length + 2] <= '9';
        if (length == plain && strncmp(at + length, "..", 2) == 0 && !range)
            return false; /* "n=86507..": who knows whether it is whole? */
        at += length;
    }
    return true;
}

static void check_shortened(const char *text, const char *out)
{
    static char visible[TEXT_BYTES];
    snprintf(visible, sizeof visible, "%s", calls[note_call(CALL_TEXT, text)].text);
    text = visible;
    call_count--;
    cr_expect(shows_numbers_of(out, text, true), "'%s' was shortened to '%s'", text, out);
}

void __wrap_text_shorten(const char *text, int cells, char *out, size_t size_bytes)
{
    __real_text_shorten(text, cells, out, size_bytes);
    check_shortened(text, out);
}

void __wrap_text_cut(const char *text, int cells, char *out, size_t size_bytes)
{
    __real_text_cut(text, cells, out, size_bytes);
    check_shortened(text, out);
}

/* ---- what stands on the screen ---- */

/* A column's number: all of it, with the blank before its unit, or "#". */
static bool is_whole(const char *shown, const char *asked)
{
    return strcmp(shown, "#") == 0 || strcmp(shown, asked) == 0 || strpbrk(shown, "0123456789") == NULL;
}

/* A metric's value: read back, it is that but for rounding. */
static bool is_value(const char *shown, const struct call *call)
{
    static const char prefixes[] = "kMGTPE";
    char plain[80];
    size_t at = 0;
    if (is_whole(shown, call->text))
        return true;
    const char *unit = strpbrk(shown, "kMGTPEFnum%"); /* "16.3 M", never "16.3M" */
    if (unit != NULL && unit > shown && unit[-1] != ' ')
        return false;
    const char *from = shown + strspn(shown, "<>=");
    for (; *from != '\0' && strchr("+-0123456789.,", *from) != NULL; from++)
        if (*from != ',' && at + 1 < sizeof plain)
            plain[at++] = *from;
    plain[at] = '\0';
    from += *from == ' ';
    const char *prefix = *from != '\0' ? strchr(prefixes, *from) : NULL;
    double number = strtod(plain, NULL) * (prefix != NULL ? pow(1000, (double)(prefix - prefixes) + 1) : 1);
    return fabs(number - call->number) <= 0.0051 * fabs(call->number);
}

static void check_run(const struct call *call, const char *shown, int x, int y, const char *keys)
{
    bool good = call->kind == CALL_NUMBER  ? is_whole(shown, call->text)
                : call->kind == CALL_VALUE ? is_value(shown, call)
                                           : shows_numbers_of(shown, call->text, call->kind == CALL_TEXT);
    cr_expect(good, "keys '%s', %dx%d, column %d, line %d: '%s' is shown of '%s'", keys, canvas.width,
              canvas.height, x, y, shown, call->text);
}

/* Returns how many texts were looked at. */
static int check_screen(const char *keys)
{
    int looked = 0;
    for (int y = 0; y < canvas.height; y++) {
        for (int x = 0; x < canvas.width;) {
            char shown[CELL_TEXT_BYTES];
            int from = x, call = painted[y][x], at = 0;
            for (; x < canvas.width && painted[y][x] == call; x++) {
                uint32_t c = canvas_cell(&canvas, x, y)->codepoint;
                shown[at++] = c >= 0x20 && c < 0x7f ? (char)c : '?';
            }
            shown[at] = '\0';
            if (call == 0)
                continue;
            check_run(&calls[call - 1], shown, from, y, keys);
            looked++;
        }
    }
    return looked;
}

static int check_widths(enum fixture_content content, const char *keys, int first, int step)
{
    int looked = 0;
    start(content, 120, 40);
    press(keys);
    for (int width = 20 + first % step; width <= 300; width += step) {
        int height = 8 + (width * 7) % 53;
        cr_assert_eq(canvas_resize(&canvas, width, height, NULL), STATUS_OK);
        screen_update(&screen, width, height);
        while (screen_work(&screen))
            ;
        screen_draw(&screen, &canvas);
        looked += check_screen(keys);
    }
    stop();
    return looked;
}

static const char *const views[] = {
    "",
    "TAB",
    "ENTER",
    "ENTER PgDn PgDn",
    "r",
    "r g j j j",
    "X",
    "p",
    "p j",
    "p s",
    "R",
    "C",
    "C j j",
    "a",
    "T",
    "o",
    "d",
    "d G",
    "e",
    "e TAB",
    "e TAB TAB",
    "m",
    "A",
    "w",
    "v",
    "?",
    "TAB TAB O c + + n",
    "s",
    "s s",
    "/ 1",
};

#ifdef SANITIZES_ADDRESSES
#define WIDTH_STEP 13
#define TEXTS 12000
#else
#define WIDTH_STEP 3
#define TEXTS 50000
#endif

Test(view_whole, no_view_shows_a_part_of_a_number)
{
    int looked = 0;
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        for (enum fixture_content content = 0; content < FIXTURE_CONTENTS; content++)
            looked += check_widths(content, views[i], (int)i + (int)content,
                                   content == FIXTURE_EXTREMES ? WIDTH_STEP : 29);
    cr_assert_gt(looked, TEXTS, "only %d texts were looked at", looked);
}

/* Each metric of a chart has values of its own. */
Test(view_whole, no_chart_shows_a_part_of_a_number)
{
    char keys[2 * METRIC_COUNT + 8] = "p";
    int looked = 0;
    for (int i = 0; i < METRIC_COUNT; i++) {
        looked += check_widths(FIXTURE_EXTREMES, keys, i, 61);
        strcat(keys, " j");
    }
    cr_assert_gt(looked, 5000, "only %d texts were looked at", looked);
}
