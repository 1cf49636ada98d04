/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's listing is made, printed and freed before the next one's. */
#include "cli/report/report.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"

#include "cli/model/model_counts.h"
#include "core/analysis/code_costs.h"
#include "core/analysis/kernel_metrics.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"
#include "tui/views/source/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_CELLS 54 /* of a line in the full report */
#define LINES_SHOWN 10  /* of a kernel in the full report */

/* ---- JSON ---- */
static void text_or_null(struct json *json, const char *key, const char *text)
{
    if (text[0] != '\0')
        json_string(json, key, text);
    else
        json_null(json, key);
}

static void write_line_number(struct json *json, uint32_t line)
{
    if (line > 0)
        json_integer(json, "line", line);
    else
        json_null(json, "line");
}

static void write_costs(struct json *json, const struct code_listing *listing,
                        const double costs[CODE_COST_COUNT], const uint32_t *places, uint32_t count)
{
    struct code_reason reasons[CODE_REASONS_MAX];
    uint32_t found = code_reasons(listing, places, count, reasons);
    json_open(json, "costs", '{');
    for (int cost = 0; cost < CODE_COST_COUNT; cost++)
        if (listing->has[cost])
            json_number(json, code_cost_info((enum code_cost)cost)->id, costs[cost]);
        else
            json_null(json, code_cost_info((enum code_cost)cost)->id);
    json_close(json, '}');
    json_open(json, "stalls", '{');
    for (uint32_t i = 0; i < found; i++)
        json_number(json, reasons[i].name, reasons[i].samples);
    json_close(json, '}');
}

static void write_instructions(struct json *json, uint32_t kernel, const struct code_listing *listing)
{
    for (uint32_t i = 0; i < listing->count; i++) {
        const struct code_place *place = &listing->places[i];
        json_open(json, NULL, '{');
        json_integer(json, "kernel", kernel);
        json_string(json, "function", place->function);
        json_integer(json, "pc_offset", place->pc_offset);
        text_or_null(json, "text", place->text);
        text_or_null(json, "file", place->file);
        write_line_number(json, place->line);
        write_costs(json, listing, place->costs, &i, 1);
        json_close(json, '}');
    }
}

void report_instructions_json(struct json *json, const struct session *session)
{
    struct code_listing listing;
    json_open(json, "instructions", '[');
    for (uint32_t kernel = 0; kernel < session_kernel_count(session) && session_function_count(session) > 0;
         kernel++) {
        if (kernel_on_model(session, kernel) || !kernel_leads(session, kernel))
            continue;
        memory_check(code_listing_make(session, kernel, &listing, NULL));
        write_instructions(json, kernel, &listing);
        code_listing_fini(&listing);
    }
    json_close(json, ']');
}

/* ---- the sheets ---- */
/* clang-format off */
#define PLACE_COLUMNS                                                                                       \
    {"kernel", NULL, "the kernel in the sheet of shapes", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},          \
    {"file", "file", "path of the source; null: not known", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},         \
    {"line", "line", "line in it; null: not known", SHEET_NUMBER, SHEET_NEITHER, 6, 0, false}
#define PLACE_CELLS 3
#define COST_COLUMN(name, id, title, meaning) {id, title, meaning, SHEET_COUNT, SHEET_LESS, 8, 2, false},
static const struct sheet_column line_columns[] = {
    PLACE_COLUMNS,
    {"instructions_of_line", NULL, "machine instructions", SHEET_COUNT, SHEET_LESS, 0, 0, false},
    {"share", "share", "of the kernel's samples; without samples of what its lines move, or of its instructions", SHEET_SHARE, SHEET_LESS, 8, 0, false},
    {"reason", "waits for", "what its warps mostly waited for, by ncu's name; null: not sampled", SHEET_TEXT, SHEET_NEITHER, 18, 1, false},
    CODE_COST_LIST(COST_COLUMN)
    {"provenance", NULL, "measured or modelled", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"source", "source", "the line's text; null: not known", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 16, 3, false}};
enum { LINE_COUNT = PLACE_CELLS, LINE_SHARE, LINE_REASON, LINE_COSTS, LINE_PROVENANCE = LINE_COSTS + CODE_COST_COUNT, LINE_SOURCE, LINE_NAME, LINE_CELLS };
static const struct sheet_column stall_columns[] = {
    PLACE_COLUMNS,
    {"samples", "samples", "samples of warps that waited for it", SHEET_COUNT, SHEET_LESS, 8, 0, false},
    {"reason", "reason", "ncu's name of the reason", SHEET_TEXT, SHEET_NEITHER, 30, 0, false}};
/* clang-format on */

static void fill_place(struct sheet_cell *cells, uint32_t kernel, const struct code_line *line)
{
    cells[0].number = kernel;
    cells[1].text = line->file[0] ? line->file : NULL;
    cells[2].number = line->line > 0 ? line->line : (double)NAN;
}

/* A kernel's lines; `host` NULL: they were measured. */
struct listed {
    const struct report_data *data;
    uint32_t kernel;
    const struct code_listing *listing;
    const struct code_lines *lines;
    const struct tui_source *host;
};

/* The order of lines: by samples, else by what they move, else by instructions. */
static double weight_of(const struct code_listing *listing, const double costs[CODE_COST_COUNT])
{
    return listing->totals[CODE_SAMPLES] > 0 ? costs[CODE_SAMPLES]
           : code_steps(listing->totals) > 0 ? code_steps(costs)
                                             : costs[CODE_INSTRUCTIONS];
}

struct weighed {
    const struct code_line *line;
    double weight;
};

static int compare_weights(const void *a, const void *b)
{
    const struct weighed *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    return (left->line > right->line) - (left->line < right->line);
}

/* The most frequent stall reason of the line's warps, by ncu's name; NULL if nothing was sampled or nothing
 * waited. */
static const char *find_reason(const struct code_listing *listing, const uint32_t *places, uint32_t count)
{
    struct code_reason reasons[CODE_REASONS_MAX];
    uint32_t found = code_reasons(listing, places, count, reasons);
    for (uint32_t i = 0; i < found; i++) {
        const struct stall_reason *known = stall_reason_find(reasons[i].name);
        if (!known || !known->works)
            return reasons[i].name;
    }
    return NULL;
}

/* Its text, without the blanks in front; "": not known. */
static void line_text(const struct listed *listed, const struct code_line *line, char *text,
                      size_t size_bytes)
{
    const char *at =
        listed->host ? listed->host->text : session_source_text(listed->data->session, line->file);
    *text = '\0';
    for (uint32_t i = 1; at && i < line->line; i++) {
        at = strchr(at, '\n');
        at = !at ? NULL : at + 1;
    }
    if (at && line->line > 0)
        source_text_line(at + strspn(at, " \t"), 0, text, size_bytes);
}

static void make_line_row(const struct listed *listed, const struct code_line *line, struct sheet_sink *to)
{
    const struct code_listing *listing = listed->listing;
    struct sheet_cell cells[LINE_CELLS] = {0};
    char text[400], place[700], shown[4 * SOURCE_CELLS + 1];
    const double all = weight_of(listing, listing->totals), own = weight_of(listing, line->costs);
    const char *reason = find_reason(listing, listed->lines->places + line->first, line->count);
    const struct stall_reason *known = reason ? stall_reason_find(reason) : NULL;
    const char *slash = strrchr(line->file, '/');
    line_text(listed, line, text, sizeof text);
    snprintf(place, sizeof place, "%.180s:%u  %s", !slash || listed->data->is_wide ? line->file : slash + 1,
             line->line, text);
    if (!listed->data->is_wide) {
        text_cut(place, SOURCE_CELLS, shown, sizeof shown);
        snprintf(place, sizeof place, "%s", shown);
    }
    fill_place(cells, listed->kernel, line);
    cells[LINE_COUNT].number = line->count;
    cells[LINE_SHARE].number = all > 0 ? own / all : (double)NAN;
    cells[LINE_REASON] = (struct sheet_cell){.text = known ? known->title : reason, .id = reason};
    for (int cost = 0; cost < CODE_COST_COUNT; cost++)
        cells[LINE_COSTS + cost].number = listing->has[cost] ? line->costs[cost] : (double)NAN;
    cells[LINE_PROVENANCE].text = provenance_text(listing->provenance);
    cells[LINE_SOURCE].text = !listed->data->is_full ? *text ? text : NULL
                              : line->line > 0       ? place
                                                     : "(no line)";
    cells[LINE_SOURCE].id = *text ? text : NULL;
    cells[LINE_NAME].text = kernel_full_name(listed->data->session, listed->kernel);
    sheet_row(to, cells);
}

static void make_stall_rows(const struct listed *listed, const struct code_line *line, struct sheet_sink *to)
{
    struct code_reason reasons[CODE_REASONS_MAX];
    uint32_t found = code_reasons(listed->listing, listed->lines->places + line->first, line->count, reasons);
    for (uint32_t i = 0; i < found; i++) {
        struct sheet_cell cells[PLACE_CELLS + 2] = {0};
        fill_place(cells, listed->kernel, line);
        cells[PLACE_CELLS].number = reasons[i].samples;
        cells[PLACE_CELLS + 1].text = reasons[i].name;
        sheet_row(to, cells);
    }
}

/* The measured lines of each kernel that the report has. */
static enum status walk_lines(const struct report_data *data, struct sheet_sink *to,
                              void (*make)(const struct listed *listed, const struct code_line *line,
                                           struct sheet_sink *to),
                              struct error *error)
{
    const struct session *session = data->session;
    for (size_t run = 0; run < data->run_count; run++) {
        REPORT_EACH_KERNEL (data, run, kernel) {
            struct code_listing listing = {0};
            struct code_lines lines = {0};
            const struct listed listed = {data, kernel, &listing, &lines, NULL};
            if (kernel_on_model(session, kernel))
                continue;
            memory_check(code_listing_make(session, kernel, &listing, error));
            memory_check(code_lines_make(&listing, &lines, error));
            for (uint32_t i = 0; i < lines.count; i++)
                make(&listed, &lines.lines[i], to);
            code_lines_fini(&lines);
            code_listing_fini(&listing);
        }
    }
    return STATUS_OK;
}

/* ---- the lines of the full report: the costliest first, also as the model counts them ---- */
struct reasons_shown {
    const char *names[CODE_REASONS_MAX];
    uint32_t count;
};

static void note_reason(struct reasons_shown *shown_reasons, const char *reason)
{
    if (!reason || !stall_reason_find(reason) || shown_reasons->count == CODE_REASONS_MAX)
        return;
    for (uint32_t i = 0; i < shown_reasons->count; i++)
        if (strcmp(shown_reasons->names[i], reason) == 0)
            return;
    shown_reasons->names[shown_reasons->count++] = reason;
}

/* Our names of these reasons, and ncu's. */
static void note_ncu_names(const struct reasons_shown *shown_reasons, struct sheet_sink *to)
{
    char note[1600], text[STALL_REASON_TEXT_BYTES];
    size_t used = 0;
    for (uint32_t i = 0; i < shown_reasons->count; i++) {
        stall_reason_text(shown_reasons->names[i], text);
        append_text(note, sizeof note, &used, "%s%s", i == 0 ? "ncu's names: " : ", ", text);
    }
    if (shown_reasons->count > 0)
        sheet_note(to, note);
}

/* "copy-stride:strided stride=8 copy_stride, modelled at small size on NVIDIA H200" */
static void begin_listing(const struct listed *listed, struct sheet_sink *to)
{
    const struct session *session = listed->data->session;
    const struct run_row *run = session_run(session, session_kernel(session, listed->kernel)->run);
    char name[512], text[1200];
    size_t used = 0;
    report_kernel_shorten(listed->data, listed->kernel, SHORT_NAME_WHOLE, listed->data->is_wide, name,
                          sizeof name);
    if (run->workload != 0)
        append_text(text, sizeof text, &used, "%.200s:%.100s %.300s ", session_string(session, run->workload),
                    session_string(session, run->variant), session_string(session, run->params));
    append_text(text, sizeof text, &used, "%s, %s%s%s", name, provenance_text(listed->listing->provenance),
                listed->host ? " at small size on " : "", listed->host ? listed->host->model : "");
    sheet_group(to, text);
}

/* Those that cost something. */
static void make_listing(const struct report_data *data, uint32_t kernel, const struct code_listing *listing,
                         const struct tui_source *host, struct reasons_shown *reasons, struct sheet_sink *to)
{
    struct code_lines lines;
    const struct listed listed = {data, kernel, listing, &lines, host};
    memory_check(code_lines_make(listing, &lines, NULL));
    struct weighed *order = memory_zeroed(lines.count, sizeof *order);
    for (uint32_t i = 0; i < lines.count; i++)
        order[i] = (struct weighed){&lines.lines[i], weight_of(listing, lines.lines[i].costs)};
    qsort(order, lines.count, sizeof *order, compare_weights);
    begin_listing(&listed, to);
    for (uint32_t i = 0; i < lines.count && order[i].weight > 0; i++) {
        if (data->is_wide || i < LINES_SHOWN)
            note_reason(reasons,
                        find_reason(listing, lines.places + order[i].line->first, order[i].line->count));
        make_line_row(&listed, order[i].line, to);
    }
    free(order);
    code_lines_fini(&lines);
}

/* As the model counts it; not if it cannot, for example if this computer is too small for the case. */
static void make_modelled(const struct report_data *data, uint32_t kernel, struct reasons_shown *reasons,
                          struct sheet_sink *to)
{
    struct tui_source source;
    if (line_costs_of_kernel(data->session, kernel, &source, NULL) != STATUS_OK)
        return;
    make_listing(data, kernel, &source.listing, &source, reasons, to);
    code_listing_fini(&source.listing);
}

/* A run on the model of work that a GPU ran too: its costs would be the same. */
static bool is_twin(const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    uint32_t group = session_run(session, row->run)->group, name = session_shape(session, row->shape)->name;
    for (uint32_t i = 0; i < session_kernel_count(session) && kernel_on_model(session, kernel); i++) {
        const struct kernel_row *other = session_kernel(session, i);
        const struct run_row *run = session_run(session, other->run);
        const struct shape_row *shape = session_shape(session, other->shape);
        if (run && shape && run->group == group && run->clock == CLOCK_WALL && shape->name == name)
            return true;
    }
    return false;
}

/* A case takes the model a while, and a sweep has hundreds of the same code: of a variant's runs the one with the
 * longest launch is counted, and of equal kernels of a workload's variants again that one. */
struct candidate {
    uint32_t kernel, run, workload, variant, name;
    uint64_t longest_ns; /* of the kernel's launches */
};

static int compare_numbers(uint64_t one, uint64_t other)
{
    return (one > other) - (one < other);
}

static int compare_candidates(const struct candidate *one, const struct candidate *other, bool by_name)
{
    int order = compare_numbers(one->workload, other->workload);
    if (order == 0)
        order =
            by_name ? compare_numbers(one->name, other->name) : compare_numbers(one->variant, other->variant);
    if (order == 0)
        order = compare_numbers(other->longest_ns, one->longest_ns);
    return order != 0 ? order : compare_numbers(one->kernel, other->kernel);
}

static int compare_by_variant(const void *one, const void *other)
{
    return compare_candidates(one, other, false);
}

static int compare_by_name(const void *one, const void *other)
{
    return compare_candidates(one, other, true);
}

/* Sets counted[kernel] of those of the candidates that are to be counted. */
static void choose_cases(const struct session *session, struct candidate *candidates, size_t count,
                         bool *counted)
{
    bool *runs = memory_zeroed(session_run_count(session), sizeof *runs);
    size_t kept = 0;
    qsort(candidates, count, sizeof *candidates, compare_by_variant);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || candidates[i].workload != candidates[i - 1].workload ||
            candidates[i].variant != candidates[i - 1].variant)
            runs[candidates[i].run] = true;
    for (size_t i = 0; i < count; i++)
        if (runs[candidates[i].run])
            candidates[kept++] = candidates[i];
    qsort(candidates, kept, sizeof *candidates, compare_by_name);
    for (size_t i = 0; i < kept; i++)
        if (i == 0 || candidates[i].workload != candidates[i - 1].workload ||
            candidates[i].name != candidates[i - 1].name)
            counted[candidates[i].kernel] = true;
    free(runs);
}

static bool is_listed(const struct session *session, struct short_names *names, uint32_t kernel,
                      const char *kernels)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    return session_shape(session, row->shape) && session_run(session, row->run) &&
           kernel_leads(session, kernel) && !is_twin(session, kernel) &&
           report_wants(names, session, row, kernels);
}

/* Which kernels without measured lines are counted; the caller frees them. */
static bool *cases_to_count(const struct session *session, struct short_names *names)
{
    const uint32_t count = session_kernel_count(session);
    struct candidate *candidates = memory_zeroed(count, sizeof *candidates);
    bool *counted = memory_zeroed(count, sizeof *counted);
    size_t found = 0;
    for (uint32_t kernel = 0; kernel < count; kernel++) {
        const struct kernel_row *row = session_kernel(session, kernel);
        if (!is_listed(session, names, kernel, NULL))
            continue;
        const struct run_row *run = session_run(session, row->run);
        candidates[found++] =
            (struct candidate){.kernel = kernel,
                               .run = row->run,
                               .workload = run->workload,
                               .variant = run->variant,
                               .name = session_shape(session, row->shape)->name,
                               .longest_ns = atomic_load_explicit(&row->max_ns, memory_order_relaxed)};
    }
    choose_cases(session, candidates, found, counted);
    free(candidates);
    return counted;
}

static void make_full_lines(const struct report_data *data, struct sheet_sink *to)
{
    const struct session *session = data->session;
    struct reasons_shown reasons = {0};
    uint32_t left = 0;
    bool *counted = !data->kernels ? cases_to_count(session, data->names) : NULL;
    for (uint32_t kernel = 0; kernel < session_kernel_count(session); kernel++) {
        struct code_listing listing;
        if (!is_listed(session, data->names, kernel, data->kernels))
            continue;
        memory_check(code_listing_make(session, kernel, &listing, NULL));
        if (listing.count > 0)
            make_listing(data, kernel, &listing, NULL, &reasons, to);
        else if (counted && !counted[kernel])
            left++;
        else
            make_modelled(data, kernel, &reasons, to);
        code_listing_fini(&listing);
    }
    free(counted);
    note_ncu_names(&reasons, to);
    if (left > 0) {
        char note[240];
        snprintf(
            note, sizeof note,
            "%u more cases are not counted here: of each variant and kernel the case with the longest launch is. "
            "--kernel NAME counts all cases of a kernel.",
            left);
        sheet_note(to, note);
    }
}

static enum status make_lines(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    if (!data->is_full)
        return walk_lines(from, to, make_line_row, error);
    make_full_lines(data, to);
    return STATUS_OK;
}

static enum status make_stalls(const void *from, struct sheet_sink *to, struct error *error)
{
    return walk_lines(from, to, make_stall_rows, error);
}

const struct sheet sheet_lines = {.id = "lines",
                                  .title = "Measured cost of source lines",
                                  SHEET_COLUMNS(line_columns),
                                  .none = "lines: none was measured; record with --runs lines",
                                  .rows = make_lines};
const struct sheet sheet_stalls = {.id = "stalls",
                                   .title = "What the warps of each source line waited for",
                                   SHEET_COLUMNS(stall_columns),
                                   .none = "stalls: none was sampled; record with --runs lines",
                                   .rows = make_stalls};
