/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times of kernels become spans in order and without overlap; a series is gone through once beside
 * them, from the first span on.
 */
#include "cli/report/report_runs.h"
#include "cli/report/report_sheets.h"

#include "cli/output/memory.h"
#include "core/session/samples.h"
#include "core/session/series.h"
#include "core/session/session_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- the sheet ---- */
/* clang-format off */
static const struct sheet_column columns[] = {
    {"run", "run", "number of the run in the sheet of runs; null: there are none", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"title", "counter over time", "what is sampled", SHEET_TEXT, SHEET_NEITHER, 36, 0, false},
    {"mean", "mean", "mean while kernels ran; of a session without runs over all samples", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"most", "most", "largest sample", SHEET_NUMBER, SHEET_NEITHER, 12, 0, false},
    {"per_second", NULL, "is it a rate", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"sampled_ns", "sampled", "time of kernels with samples", SHEET_TIME, SHEET_NEITHER, 9, 0, false},
    {"kernel_ns", "kernels", "time in which kernels ran; null: of a session without runs", SHEET_TIME, SHEET_NEITHER, 9, 2, false},
    {"name", NULL, "CUPTI's name of the counter", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

/* The series of a run; the full report has its name above the first. */
struct sampled {
    const struct report_data *data;
    struct sheet_sink *to;
    uint32_t run;              /* NONE: the session has no runs */
    const struct spans *spans; /* NULL: all the time */
    double number;             /* of the run; NAN */
    bool begun;
};

static void make_series(struct sampled *sampled, uint32_t series)
{
    const struct session *session = sampled->data->session;
    const struct series_row *row = session_series(session, series);
    const char *name = session_string(session, row->name);
    struct series_description about = series_describe(name);
    struct seen seen = samples_look(session, series, sampled->spans);
    char mean[40], most[40], run[1024];
    if (seen.ns == 0)
        return;
    if (!sampled->begun && sampled->data->is_full && sampled->run != NONE) {
        report_run_name(session, NULL, 0, sampled->run, true, run, sizeof run);
        sheet_group(sampled->to, run);
    }
    sampled->begun = true;
    series_format(about.unit, seen.sum / (double)seen.ns, mean, sizeof mean);
    series_format(about.unit, seen.most, most, sizeof most);
    const struct sheet_cell cells[] = {
        {.number = sampled->number},
        {.text = about.title},
        {.number = seen.sum / (double)seen.ns,
         .text = mean,
         .provenance = (int)series_provenance(row->clock)},
        {.number = seen.most, .text = most},
        {.number = about.unit == SERIES_PER_SECOND || about.unit == SERIES_BYTES_PER_SECOND},
        {.number = (double)seen.ns},
        {.number = sampled->spans ? (double)sampled->spans->total_ns : (double)NAN},
        {.text = name}};
    sheet_row(sampled->to, cells);
}

static enum status visit_run(const struct report_data *data, size_t run, void *to, struct error *error)
{
    const struct session *session = data->session;
    struct spans spans = {0};
    struct sampled sampled = {.data = data,
                              .to = to,
                              .run = data->runs[run].runs[RUN_TRACE],
                              .spans = &spans,
                              .number = (double)run};
    if (session_series_count(session) == 0)
        return STATUS_OK;
    enum status status = kernel_spans(session, sampled.run, &spans, error);
    for (uint32_t series = 0; status == STATUS_OK && series < session_series_count(session); series++)
        if (series_is_of_run(session, session_series(session, series), sampled.run))
            make_series(&sampled, series);
    free(spans.list);
    return status;
}

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    struct sampled all = {.data = data, .to = to, .run = NONE, .number = NAN};
    for (uint32_t i = 0; session_run_count(data->session) == 0 && i < session_series_count(data->session);
         i++)
        make_series(&all, i);
    return report_visit_traced(data, visit_run, to, error);
}

const struct sheet sheet_samples = {.id = "samples",
                                    .title = "Counters over time, while kernels ran",
                                    SHEET_COLUMNS(columns),
                                    .none = "samples: no counter was sampled over time",
                                    .rows = make_rows};
