/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's listing is made, printed and freed before the next one's. */
#include "cli/report/report_parts.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"

#include "cli/model/line_costs.h"
#include "core/analysis/code_costs.h"
#include "core/analysis/kernel_metrics.h"
#include "tui/terminal/text.h"
#include "tui/views/source/source.h"
#include "tui/widgets/name_parts.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINES_SHOWN 10
#define TEXT_CELLS 44
#define REASON_CELLS 18
#define WIDE_CELLS 200

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
    CODE_COST_LIST(COST_COLUMN)
    {"provenance", NULL, "measured or modelled", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 16, 0, false}};
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

static void make_line_row(const struct session *session, uint32_t kernel, const struct code_listing *listing,
                          const struct code_lines *lines, const struct code_line *line, struct sheet_sink *to)
{
    struct sheet_cell cells[PLACE_CELLS + 1 + CODE_COST_COUNT + 2] = {0};
    (void)lines;
    fill_place(cells, kernel, line);
    cells[PLACE_CELLS].number = line->count;
    for (int cost = 0; cost < CODE_COST_COUNT; cost++)
        cells[PLACE_CELLS + 1 + cost].number = listing->has[cost] ? line->costs[cost] : (double)NAN;
    cells[PLACE_CELLS + 1 + CODE_COST_COUNT].text = provenance_text(listing->provenance);
    cells[PLACE_CELLS + 2 + CODE_COST_COUNT].text = kernel_full_name(session, kernel);
    sheet_row(to, cells);
}

static void make_stall_rows(const struct session *session, uint32_t kernel,
                            const struct code_listing *listing, const struct code_lines *lines,
                            const struct code_line *line, struct sheet_sink *to)
{
    struct code_reason reasons[CODE_REASONS_MAX];
    uint32_t found = code_reasons(listing, lines->places + line->first, line->count, reasons);
    (void)session;
    for (uint32_t i = 0; i < found; i++) {
        struct sheet_cell cells[PLACE_CELLS + 2] = {0};
        fill_place(cells, kernel, line);
        cells[PLACE_CELLS].number = reasons[i].samples;
        cells[PLACE_CELLS + 1].text = reasons[i].name;
        sheet_row(to, cells);
    }
}

/* The measured lines of each kernel that the report has. */
static enum status walk_lines(const struct report_data *data, struct sheet_sink *to,
                              void (*make)(const struct session *session, uint32_t kernel,
                                           const struct code_listing *listing, const struct code_lines *lines,
                                           const struct code_line *line, struct sheet_sink *to),
                              struct error *error)
{
    const struct session *session = data->session;
    for (size_t run = 0; run < data->run_count; run++) {
        REPORT_EACH_KERNEL (data, run, kernel) {
            struct code_listing listing = {0};
            struct code_lines lines = {0};
            if (kernel_on_model(session, kernel))
                continue;
            memory_check(code_listing_make(session, kernel, &listing, error));
            memory_check(code_lines_make(&listing, &lines, error));
            for (uint32_t i = 0; i < lines.count; i++)
                make(session, kernel, &listing, &lines, &lines.lines[i], to);
            code_lines_fini(&lines);
            code_listing_fini(&listing);
        }
    }
    return STATUS_OK;
}

static enum status make_lines(const void *from, struct sheet_sink *to, struct error *error)
{
    return walk_lines(from, to, make_line_row, error);
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

/* ---- the table ---- */
/* The costs in the table, in its order. */
static const enum code_cost shown[] = {CODE_INSTRUCTIONS, CODE_SECTORS,          CODE_IDEAL_SECTORS,
                                       CODE_WAVEFRONTS,   CODE_IDEAL_WAVEFRONTS, CODE_PASSES};
#define SHOWN (sizeof shown / sizeof shown[0])

/* Passes of atomics have a column in tables of kernels that have atomics. */
static bool is_shown(const struct code_listing *listing, enum code_cost cost)
{
    return cost != CODE_PASSES || listing->totals[CODE_PASSES] > 0;
}

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

static void print_number(FILE *out, bool known, double number)
{
    fprintf(out, " %8s", known ? number_short((uint64_t)(number + 0.5)).text : "-");
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

/* An unknown reason is a text from outside, of any length. */
static void print_reason(FILE *out, const char *reason, bool wide)
{
    char cells[4 * WIDE_CELLS + 1];
    const struct stall_reason *known = reason ? stall_reason_find(reason) : NULL;
    text_shorten(known    ? known->title
                 : reason ? reason
                          : "",
                 wide ? WIDE_CELLS : REASON_CELLS, cells, sizeof cells);
    int width = text_width(cells, REASON_CELLS);
    fprintf(out, " %s%*s", cells, REASON_CELLS - width, "");
}

static void print_place(FILE *out, const struct code_line *line, const char *text, bool wide)
{
    char cells[4 * WIDE_CELLS + 1];
    const char *base = strrchr(line->file, '/');
    if (line->line == 0) {
        fputs("  (no line)\n", out);
        return;
    }
    fputs("  ", out);
    text_print(!base || wide ? line->file : base + 1, out);
    fprintf(out, ":%u", line->line);
    for (uint32_t i = 1; text && i < line->line; i++) {
        text = strchr(text, '\n');
        text = !text ? NULL : text + 1;
    }
    if (text) {
        char own[400];
        text += strspn(text, " \t");
        source_text_line(text, 0, own, sizeof own);
        text_cut(own, wide ? WIDE_CELLS : TEXT_CELLS, cells, sizeof cells);
        fprintf(out, "  %s", cells);
    }
    putc('\n', out);
}

static void print_heading(const struct session *session, struct short_names *names, uint32_t kernel,
                          const struct code_listing *listing, const char *model, FILE *out, bool wide)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = session_run(session, row->run);
    char name[512];
    if (wide)
        name_print_plain(kernel_full_name(session, kernel), name, sizeof name);
    else
        short_names_print_kernel(names, session, kernel, SHORT_NAME_WHOLE, name, sizeof name);
    putc('\n', out);
    if (run->workload != 0) {
        text_print(session_string(session, run->workload), out);
        putc(':', out);
        text_print(session_string(session, run->variant), out);
        putc(' ', out);
        text_print(session_string(session, run->params), out);
        putc(' ', out);
    }
    text_print(name, out);
    fprintf(out, ", %s%s%s\n", provenance_text(listing->provenance), model ? " at small size on " : "",
            model ? model : "");
    fputs(listing->has[CODE_SAMPLES] ? "  samples mostly waits for  " : "     cost                   ", out);
    for (size_t i = 0; i < SHOWN; i++)
        if (is_shown(listing, shown[i]))
            fprintf(out, " %8s", code_cost_info(shown[i])->title);
    fputs("  line\n", out);
}

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

/* Below the lines: our names of these reasons, and ncu's. */
static void print_ncu_names(const struct reasons_shown *shown_reasons, FILE *out)
{
    char text[STALL_REASON_TEXT_BYTES];
    for (uint32_t i = 0; i < shown_reasons->count; i++) {
        stall_reason_text(shown_reasons->names[i], text);
        fprintf(out, "%s%s", i == 0 ? "  ncu's names: " : ", ", text);
    }
    if (shown_reasons->count > 0)
        putc('\n', out);
}

static void print_lines(const struct session *session, const struct code_listing *listing,
                        const struct code_lines *lines, const struct weighed *order, const char *host_text,
                        FILE *out, bool wide)
{
    double all = weight_of(listing, listing->totals);
    struct reasons_shown reasons = {0};
    for (uint32_t i = 0; i < lines->count && (wide || i < LINES_SHOWN) && order[i].weight > 0; i++) {
        const struct code_line *line = order[i].line;
        const char *text = host_text ? host_text : session_source_text(session, line->file);
        fprintf(out, "  %5s %%", number_percent(100 * order[i].weight / all, 1).text);
        const char *reason = find_reason(listing, lines->places + line->first, line->count);
        print_reason(out, reason, wide);
        note_reason(&reasons, reason);
        for (size_t cost = 0; cost < SHOWN; cost++)
            if (is_shown(listing, shown[cost]))
                print_number(out, listing->has[shown[cost]], line->costs[shown[cost]]);
        print_place(out, line, text, wide);
    }
    print_ncu_names(&reasons, out);
}

static void print_listing(const struct session *session, struct short_names *names, uint32_t kernel,
                          const struct code_listing *listing, const struct tui_source *host, FILE *out,
                          bool wide)
{
    struct code_lines lines;
    memory_check(code_lines_make(listing, &lines, NULL));
    struct weighed *order = memory_zeroed(lines.count, sizeof *order);
    for (uint32_t i = 0; i < lines.count; i++)
        order[i] = (struct weighed){&lines.lines[i], weight_of(listing, lines.lines[i].costs)};
    qsort(order, lines.count, sizeof *order, compare_weights);
    print_heading(session, names, kernel, listing, host ? host->model : NULL, out, wide);
    print_lines(session, listing, &lines, order, host ? host->text : NULL, out, wide);
    free(order);
    code_lines_fini(&lines);
}

/* As the model counts it; false: the model cannot, for example if this computer is too small for the case. */
static bool print_modelled(const struct session *session, struct short_names *names, uint32_t kernel,
                           FILE *out, bool wide)
{
    struct tui_source source;
    if (line_costs_of_kernel(session, kernel, &source, NULL) != STATUS_OK)
        return false;
    print_listing(session, names, kernel, &source.listing, &source, out, wide);
    code_listing_fini(&source.listing);
    return true;
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

enum status report_lines_table(const struct session *session, struct short_names *names, const char *kernels,
                               FILE *out, bool wide, struct error *error)
{
    bool printed = false;
    uint32_t left = 0;
    bool *counted = !kernels ? cases_to_count(session, names) : NULL;
    fputs("\ncost of source lines: samples of all launches, counts of one launch\n", out);
    for (uint32_t kernel = 0; kernel < session_kernel_count(session); kernel++) {
        struct code_listing listing;
        if (!is_listed(session, names, kernel, kernels))
            continue;
        memory_check(code_listing_make(session, kernel, &listing, NULL));
        if (listing.count > 0)
            print_listing(session, names, kernel, &listing, NULL, out, wide);
        else if (counted && !counted[kernel])
            left++;
        else
            printed |= print_modelled(session, names, kernel, out, wide);
        printed |= listing.count > 0;
        code_listing_fini(&listing);
    }
    free(counted);
    if (left > 0)
        fprintf(
            out,
            "%u more cases are not counted here: of each variant and kernel the case with the longest launch is. --kernel NAME counts all cases of a kernel.\n",
            left);
    if (!printed)
        fputs("none: record with --runs lines to sample and count instructions\n", out);
    if (fflush(out) != 0 || ferror(out))
        return error_set(error, STATUS_IO,
                         "The report could not be written: is the disk full, or has its reader exited?");
    return STATUS_OK;
}
