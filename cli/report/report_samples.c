/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times of kernels become spans in order and without overlap; a series is gone through once beside
 * them, from the first span on.
 */
#include "cli/report/report_parts.h"
#include "cli/report/report_sheets.h"

#include "cli/output/memory.h"
#include "core/session/samples.h"
#include "core/session/series.h"
#include "core/session/session_walk.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_RUNS 3
#define TITLE_CELLS 44

struct series_span {
    int64_t start_ns, end_ns;
};

/* The times with kernels, in order and without overlap. */
struct spans {
    struct series_span *list;
    size_t count, capacity;
    int64_t total_ns;
};

static int compare_spans(const void *a, const void *b)
{
    const struct series_span *left = a, *right = b;
    return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

static void merge_spans(struct spans *spans)
{
    size_t kept = 0;
    if (spans->count > 0)
        qsort(spans->list, spans->count, sizeof *spans->list, compare_spans);
    for (size_t i = 0; i < spans->count; i++) {
        const struct series_span *span = &spans->list[i];
        if (kept > 0 && span->start_ns <= spans->list[kept - 1].end_ns) {
            struct series_span *last = &spans->list[kept - 1];
            last->end_ns = span->end_ns > last->end_ns ? span->end_ns : last->end_ns;
        } else {
            spans->list[kept++] = *span;
        }
    }
    spans->count = kept;
    for (size_t i = 0; i < kept; i++)
        spans->total_ns = session_add_ns(spans->total_ns, spans->list[i].end_ns - spans->list[i].start_ns);
}

static bool span_take(void *context, const struct walk_event *event)
{
    struct spans *spans = context;
    memory_grow(spans->list, spans->capacity, spans->count, 1);
    spans->list[spans->count++] = (struct series_span){event->start_ns, event->end_ns};
    return true;
}

static enum status kernel_spans(const struct session *session, uint32_t run, struct spans *spans,
                                struct error *error)
{
    const struct walk launches = {.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(LAUNCH)};
    if (!session_walk(session, &launches, span_take, spans))
        return error_set(error, STATUS_STATE, "Not all launches fit in memory.");
    merge_spans(spans);
    return STATUS_OK;
}

/* ---- a series while these spans last ---- */
struct seen {
    double sum, most;
    int64_t ns;
};

/* spans NULL: all the time. */
static struct seen samples_look(const struct session *session, uint32_t series, const struct spans *spans)
{
    uint32_t sampling = session_series(session, series)->sampling;
    uint64_t count = sample_count(session, sampling), first = 0;
    struct seen seen = {.most = -INFINITY};
    size_t at = 0;
    if (spans)
        first = spans->count > 0 ? sample_find(session, sampling, spans->list[0].start_ns) : count;
    for (uint64_t i = first; i < count && (!spans || at < spans->count); i++) {
        int64_t start_ns = sample_start_ns(session, sampling, i),
                end_ns = sample_end_ns(session, sampling, i);
        double value = (double)sample_value(session, series, i);
        int64_t ns = !spans ? end_ns - start_ns : 0;
        while (spans && at < spans->count && spans->list[at].end_ns <= start_ns)
            at++;
        for (size_t s = at; spans && s < spans->count && spans->list[s].start_ns < end_ns; s++) {
            int64_t from_ns = spans->list[s].start_ns > start_ns ? spans->list[s].start_ns : start_ns;
            int64_t to_ns = spans->list[s].end_ns < end_ns ? spans->list[s].end_ns : end_ns;
            ns += to_ns - from_ns;
        }
        if (ns > 0 && !isnan(value)) {
            seen.sum += value * (double)ns;
            seen.ns += ns;
            seen.most = fmax(seen.most, value);
        }
    }
    return seen;
}

/* Are there samples of the run's time with kernels? */
static bool has_samples(const struct session *session, uint32_t run, const struct spans *spans)
{
    for (uint32_t series = 0; series < session_series_count(session); series++) {
        const struct series_row *row = session_series(session, series);
        if (spans->count == 0 || (run != NONE && !series_is_of_run(session, row, run)))
            continue;
        uint64_t first = sample_find(session, row->sampling, spans->list[0].start_ns);
        if (first < sample_count(session, row->sampling) &&
            sample_start_ns(session, row->sampling, first) < spans->list[spans->count - 1].end_ns)
            return true;
    }
    return false;
}

/* ---- the sheet ---- */
/* clang-format off */
static const struct sheet_column columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"title", "counter over time", "what is sampled", SHEET_TEXT, SHEET_NEITHER, 36, 0, false},
    {"mean", "mean", "mean while kernels ran", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"most", "most", "largest sample", SHEET_NUMBER, SHEET_NEITHER, 12, 0, false},
    {"per_second", NULL, "is it a rate", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"sampled_ns", "sampled", "time of kernels with samples", SHEET_TIME, SHEET_NEITHER, 9, 0, false},
    {"kernel_ns", "kernels", "time in which kernels ran", SHEET_TIME, SHEET_NEITHER, 9, 2, false},
    {"name", NULL, "CUPTI's name of the counter", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

static void make_series(const struct session *session, double run, uint32_t series, const struct spans *spans,
                        struct sheet_sink *to)
{
    const struct series_row *row = session_series(session, series);
    const char *name = session_string(session, row->name);
    struct series_description about = series_describe(name);
    struct seen seen = samples_look(session, series, spans);
    char mean[40], most[40];
    if (seen.ns == 0)
        return;
    series_format(about.unit, seen.sum / (double)seen.ns, mean, sizeof mean);
    series_format(about.unit, seen.most, most, sizeof most);
    const struct sheet_cell cells[] = {
        {.number = run},
        {.text = about.title},
        {.number = seen.sum / (double)seen.ns,
         .text = mean,
         .provenance = (int)series_provenance(row->clock)},
        {.number = seen.most, .text = most},
        {.number = about.unit == SERIES_PER_SECOND || about.unit == SERIES_BYTES_PER_SECOND},
        {.number = (double)seen.ns},
        {.number = (double)spans->total_ns},
        {.text = name}};
    sheet_row(to, cells);
}

static enum status visit_run(const struct report_data *data, size_t run, void *to, struct error *error)
{
    const struct session *session = data->session;
    const uint32_t traced = data->runs[run].runs[RUN_TRACE];
    struct spans spans = {0};
    if (session_series_count(session) == 0)
        return STATUS_OK;
    enum status status = kernel_spans(session, traced, &spans, error);
    for (uint32_t series = 0; status == STATUS_OK && series < session_series_count(session); series++)
        if (series_is_of_run(session, session_series(session, series), traced))
            make_series(session, (double)run, series, &spans, to);
    free(spans.list);
    return status;
}

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    return report_visit_traced(from, visit_run, to, error);
}

const struct sheet sheet_samples = {.id = "samples",
                                    .title = "Counters over time, while kernels ran",
                                    SHEET_COLUMNS(columns),
                                    .none = "samples: no counter was sampled over time",
                                    .rows = make_rows};

/* ---- table ---- */
static void print_series(const struct session *session, FILE *out, uint32_t series, const struct spans *spans)
{
    const struct series_row *row = session_series(session, series);
    struct series_description about = series_describe(session_string(session, row->name));
    struct seen seen = samples_look(session, series, spans);
    char title[4 * TITLE_CELLS + 1], mean[40], most[40];
    if (seen.ns == 0)
        return;
    text_shorten(about.title, TITLE_CELLS, title, sizeof title);
    series_format(about.unit, seen.sum / (double)seen.ns, mean, sizeof mean);
    series_format(about.unit, seen.most, most, sizeof most);
    fprintf(out, "  %s%*s%12s %12s", title, TITLE_CELLS - text_width(title, TITLE_CELLS), "", mean, most);
    if (spans)
        fprintf(out, " %9.1f %%", 100.0 * (double)seen.ns / (double)spans->total_ns);
    else
        fprintf(out, " %11s", number_time(seen.ns).text);
    fprintf(out, "  %s\n", provenance_text(series_provenance(row->clock)));
}

static void print_heading(FILE *out, const char *what, const char *sampled)
{
    fprintf(out, "\n%-*s%12s %12s %11s\n", TITLE_CELLS + 2, what, "mean", "most", sampled);
}

static void print_run(const struct session *session, FILE *out, bool wide, uint32_t run,
                      const struct spans *spans)
{
    const struct run_row *row = session_run(session, run);
    char label[1024], shown[400];
    snprintf(label, sizeof label, "%.300s%s%.200s%s%.400s",
             session_string(session, row->workload ? row->workload : row->program), row->variant ? ":" : "",
             session_string(session, row->variant), row->params ? " " : "",
             session_string(session, row->params));
    if (wide) {
        text_print(label, out);
    } else {
        text_shorten(label, 98, shown, sizeof shown);
        fputs(shown, out);
    }
    putc('\n', out);
    for (uint32_t series = 0; series < session_series_count(session); series++)
        if (series_is_of_run(session, session_series(session, series), run))
            print_series(session, out, series, spans);
}

enum status report_samples_table(const struct report_data *data, FILE *out, bool wide, struct error *error)
{
    const struct session *session = data->session;
    size_t printed = 0, left_out = 0;
    if (session_run_count(session) == 0 && session_series_count(session) > 0) {
        print_heading(out, "counters over time", "sampled");
        for (uint32_t series = 0; series < session_series_count(session); series++)
            print_series(session, out, series, NULL);
    }
    for (size_t i = 0; i < data->run_count && session_series_count(session) > 0; i++) {
        uint32_t run = data->runs[i].runs[RUN_TRACE];
        struct spans spans = {0};
        enum status status = run == NONE ? STATUS_OK : kernel_spans(session, run, &spans, error);
        if (status == STATUS_OK && has_samples(session, run, &spans)) {
            if (printed == TABLE_RUNS && !wide) {
                left_out++;
            } else {
                if (printed++ == 0)
                    print_heading(out, "counters over time, while kernels ran", "sampled");
                print_run(session, out, wide, run, &spans);
            }
        }
        free(spans.list);
        if (status != STATUS_OK)
            return status;
    }
    if (left_out > 0)
        fprintf(out, "... and of %s more runs: --wide shows them\n", number_exact((int64_t)left_out).text);
    return STATUS_OK;
}
