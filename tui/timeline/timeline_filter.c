/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For each name the result of the match is kept by the id of kernel or string, 0 until it is needed; a new
 * filter clears all results.
 */
#include "tui/timeline/timeline.h"

#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include <stdlib.h>
#include <string.h>

/* ---- the typed text ---- */

/* "10us": a number with a unit of time. */
static bool read_time(const char *text, int64_t *time_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end = NULL;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (end != text && strcmp(end, units[i].unit) == 0 && number >= 0 && number * units[i].ns < 1e18) {
            *time_ns = (int64_t)(number * units[i].ns);
            return true;
        }
    }
    return false;
}

static bool read_stream(const char *text, uint32_t *stream)
{
    char *end = NULL;
    unsigned long number = strtoul(text, &end, 10);
    *stream = (uint32_t)number;
    return end != text && *end == '\0' && text[0] != '-' && number < NONE;
}

/* Parses one word into the filter; false: the word cannot be parsed. */
static bool take_word(struct timeline_filter *filter, const char *word, struct error *error)
{
    if (word[0] == '>') {
        if (read_time(word + 1, &filter->least_ns))
            return true;
        error_set(error, STATUS_USAGE, "'%s' is not a duration: give one such as >500ns, >10us, >2ms.", word);
        return false;
    }
    if (strncmp(word, "stream=", 7) == 0) {
        if (read_stream(word + 7, &filter->stream))
            return true;
        error_set(error, STATUS_USAGE, "'%s' is not a stream: give its number, such as stream=13.", word);
        return false;
    }
    if (strncmp(word, "counter=", 8) == 0) {
        snprintf(filter->counter, sizeof filter->counter, "%s", word + 8);
        return true;
    }
    size_t length = strlen(filter->name);
    snprintf(filter->name + length, sizeof filter->name - length, "%s%s", length > 0 ? " " : "", word);
    return true;
}

static void forget_answers(struct timeline_filter *filter)
{
    if (filter->kernels)
        memset(filter->kernels, 0, filter->kernel_capacity);
    if (filter->strings)
        memset(filter->strings, 0, filter->string_capacity);
}

bool timeline_filter_set(struct timeline_filter *filter, const char *text, struct error *error)
{
    struct timeline_filter read = *filter;
    char words[FILTER_SIZE], *rest = words;
    read.name[0] = read.counter[0] = '\0';
    read.least_ns = 0;
    read.stream = NONE;
    snprintf(words, sizeof words, "%s", text);
    snprintf(read.text, sizeof read.text, "%s", text + strspn(text, " "));
    for (char *word; (word = strsep(&rest, " "));)
        if (word[0] != '\0' && !take_word(&read, word, error))
            return false;
    *filter = read;
    forget_answers(filter);
    return true;
}

void timeline_filter_fini(struct timeline_filter *filter)
{
    free(filter->kernels);
    free(filter->strings);
    *filter = (struct timeline_filter){.stream = NONE};
}

/* ---- what is shown ---- */

bool timeline_filter_keeps_track(const struct timeline_filter *filter, const struct track_row *track)
{
    bool has_stream = track->kind == TRACK_STREAM || track->kind == TRACK_MEASUREMENTS;
    return filter->stream == NONE || !has_stream || track->stream == filter->stream;
}

bool timeline_filter_keeps_chart(const struct timeline_filter *filter, const char *title)
{
    return strcasestr(title, filter->counter) != NULL;
}

/* The place of the result for `id`; NULL: out of memory, the result is computed each time. */
static uint8_t *answer_of(uint8_t **answers, size_t *capacity, uint32_t id)
{
    size_t before = *capacity;
    if (!array_grow(*answers, *capacity, id, 1))
        return NULL;
    memset(*answers + before, 0, *capacity - before);
    return *answers + id;
}

static bool holds_part(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

static bool keeps_string(const struct screen *screen, struct timeline_filter *filter, uint32_t string)
{
    uint8_t *known = answer_of(&filter->strings, &filter->string_capacity, string);
    if (known && *known != 0)
        return *known == 2;
    bool kept = holds_part(session_string(screen->session, string), filter->name);
    if (known)
        *known = kept ? 2 : 1;
    return kept;
}

static bool keeps_kernel(const struct screen *screen, struct timeline_filter *filter, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(screen->session, kernel);
    const struct shape_row *shape = !row ? NULL : session_shape(screen->session, row->shape);
    if (!shape)
        return false;
    uint8_t *known = answer_of(&filter->kernels, &filter->kernel_capacity, kernel);
    if (known && *known != 0)
        return *known == 2;
    char text[300];
    short_names_print_kernel(screen->naming.names, screen->session, kernel, SHORT_NAME_WHOLE, text,
                             sizeof text);
    bool kept = holds_part(text, filter->name) ||
                holds_part(session_string(screen->session, shape->name), filter->name);
    if (known)
        *known = kept ? 2 : 1;
    return kept;
}

bool timeline_filter_keeps(const struct screen *screen, struct timeline_filter *filter,
                           const struct item *item, int64_t duration_ns)
{
    const struct measurement_row *measurement;
    char text[160];
    if (filter->text[0] == '\0')
        return true;
    if (duration_ns < filter->least_ns)
        return false;
    if (filter->name[0] == '\0')
        return true;
    switch ((enum item_kind)item->kind) {
    case ITEM_LAUNCH: return keeps_kernel(screen, filter, item->launch.kernel);
    case ITEM_CALL: return keeps_string(screen, filter, item->call.name);
    case ITEM_RANGE: return keeps_string(screen, filter, item->range.name);
    case ITEM_OVERHEAD: return keeps_string(screen, filter, item->overhead.name);
    case ITEM_MEASUREMENT:
        measurement = session_measurement(screen->session, item->measurement.measurement);
        return measurement && keeps_kernel(screen, filter, measurement->kernel);
    case ITEM_COPY:
    case ITEM_SET:
    case ITEM_SYNC: break;
    }
    timeline_item_text(screen, item, 0, text, sizeof text);
    return holds_part(text, filter->name);
}

bool timeline_keeps(struct screen *screen, const struct item *item, int64_t duration_ns)
{
    return timeline_filter_keeps(screen, &timeline_state(screen)->filter, item, duration_ns);
}
