/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sheets of advice. A kernel's list is made when it is printed, and kept while the session has few kernels.
 */
#include "cli/report/report.h"

#include "cli/report/report_sheets.h"

#include "cli/model/model_counts.h"
#include "cli/output/memory.h"
#include "cli/report/data/report_data.h"
#include "cli/report/data/report_facts.h"
#include "core/advice/advice.h"
#include "core/advice/session_advice.h"
#include "core/advice/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ADVISED_MOST 20000u /* kernels: so much advice is kept, about 1 kB each */

/* What is kept of a list: what is before its items, and those that it has. */
#define BEFORE_ITEMS offsetof(struct advice_list, items)

static void make_advice_of_kernel(const struct report_data *data, uint32_t kernel, struct advice_list *list)
{
    struct code_listing listing;
    struct tui_source source;
    session_advise_indexed(data->index, kernel, list);
    if (advice_wants_lines(list)) {
        memory_check(code_listing_make(data->session, kernel, &listing, NULL));
        memory_check(advice_name_lines(list, &listing));
        code_listing_fini(&listing);
    }
    if (data->ask_model && advice_wants_lines(list) &&
        line_costs_of_kernel(data->session, kernel, &source, NULL) == STATUS_OK) {
        memory_check(advice_name_lines(list, &source.listing));
        code_listing_fini(&source.listing);
    }
}

void report_advice_of_kernel(const struct report_data *data, uint32_t kernel, struct advice_list *list)
{
    bool kept = !data->ask_model && kernel_index_count(data->index) <= ADVISED_MOST;
    if (kept && data->advised[kernel]) {
        const char *bytes = data->advised[kernel];
        memcpy(list, bytes, BEFORE_ITEMS);
        memcpy(list->items, bytes + BEFORE_ITEMS, list->count * sizeof *list->items);
        return;
    }
    make_advice_of_kernel(data, kernel, list);
    if (kept) {
        size_t size_bytes = BEFORE_ITEMS + list->count * sizeof *list->items;
        data->advised[kernel] = memory_zeroed(1, size_bytes);
        memcpy(data->advised[kernel], list, size_bytes);
    }
}

/* ---- the sheets ---- */
/* clang-format off */
static const struct sheet_column advice_columns[] = {
    {"advice", NULL, "number of the row; the sheet of evidence refers to it", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"of", "of", "verdict: of all of the run, most to gain first; run: its own advice; kernel: a kernel's", SHEET_TEXT, SHEET_NEITHER, 7, 0, false},
    {"kernel", NULL, "the kernel in the sheet of shapes; null: the run", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"gain_of_shown", "to gain", "upper bound, as the report says it: of a kernel a share of its time, else of the time that is judged", SHEET_SHARE, SHEET_LESS, 8, 0, true},
    {"gain_at_most", NULL, "upper bound of the rule, as a share of the kernel's or the run's time on the device", SHEET_SHARE, SHEET_LESS, 0, 0, true},
    {"gain_at_most_ns", NULL, "the same as a time; null: not known", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"gain_formula", NULL, "how the bound is computed", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"id", NULL, "id of the rule (docs/advice.md)", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"fine", NULL, "nothing is wrong: it is at its limit", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"where", "where", "source line; null: not known", SHEET_TEXT, SHEET_NEITHER, 16, 3, false},
    {"how", NULL, "what would improve it, in numbers; null: what `now` says", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"now", NULL, "what to do", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"taught", NULL, "the workload that teaches it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"priority", NULL, "that of NVIDIA's guide; null: not in its list", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"step", NULL, "of a verdict: the step in the sheet of remedies that it explains; null: none", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel", "the kernel's whole name; null: the run", SHEET_KERNEL, SHEET_NEITHER, 20, 2, false},
    {"text", "what is wrong", "the finding in one sentence", SHEET_SENTENCE, SHEET_NEITHER, 40, 0, false}};
static const struct sheet_column evidence_columns[] = {
    {"advice", "advice", "row of the sheet of advice", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"id", "value", "id of a metric, or a figure of the run", SHEET_TEXT, SHEET_NEITHER, 40, 0, false},
    {"value", "number", "its number", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"bound", "bound", "exact, at-least or at-most", SHEET_TEXT, SHEET_NEITHER, 8, 1, false},
    {"unit", "unit", "its unit", SHEET_TEXT, SHEET_NEITHER, 10, 0, false}};
/* clang-format on */

/* What a row of advice is about. */
struct about {
    double run;
    const char *of;
    uint32_t kernel;                  /* NONE: the run */
    const struct report_facts *facts; /* of the run; NULL: the advice is a kernel's own */
    double step;                      /* of the remedies, from 1; NAN: none */
};

static void make_advice_row(const struct report_data *data, struct about about, size_t number,
                            const struct advice *advice, struct sheet_sink *to)
{
    const struct advice_rule *rule = advice->rule;
    const bool of_run = about.kernel == NONE;
    char how[sizeof advice->how + 4], fine[sizeof advice->text + 6];
    snprintf(how, sizeof how, "do: %s", advice->how);
    snprintf(fine, sizeof fine, "fine: %s", advice->text);
    const struct sheet_cell cells[] = {
        {.number = (double)number},
        {.number = about.run},
        {.text = about.of},
        {.number = of_run ? (double)NAN : about.kernel},
        {.number = about.facts ? report_gain(data->session, about.facts, advice) : advice->gain,
         .provenance = (int)advice->provenance},
        {.number = advice->gain, .provenance = (int)advice->provenance},
        {.number = advice->gain_ns > 0 ? advice->gain_ns : (double)NAN},
        {.text = rule->gain},
        {.text = rule->id},
        {.number = advice->fine},
        {.text = advice->where[0] ? advice->where : NULL},
        {.text = advice->how[0] ? how : NULL, .id = advice->how[0] ? advice->how : NULL},
        {.text = rule->now},
        {.text = rule->taught},
        {.text = rule->priority ? advice_priority_text(rule->priority) : NULL},
        {.number = about.step},
        {.text = of_run ? NULL : kernel_full_name(data->session, about.kernel)},
        {.text = advice->fine ? fine : advice->text, .id = advice->text}};
    sheet_row(to, cells);
}

static void make_evidence_rows(const struct report_data *data, struct about about, size_t number,
                               const struct advice *advice, struct sheet_sink *to)
{
    (void)data, (void)about;
    for (size_t i = 0; i < advice->evidence_count; i++) {
        const struct advice_evidence *evidence = &advice->evidence[i];
        const struct sheet_cell cells[] = {
            {.number = (double)number},
            {.text = evidence->id},
            {.number = evidence->value.number, .provenance = (int)evidence->value.provenance},
            {.text = value_bound_text(evidence->value.bound)},
            {.text = evidence->unit}};
        sheet_row(to, cells);
    }
}

typedef void make_of_advice(const struct report_data *data, struct about about, size_t number,
                            const struct advice *advice, struct sheet_sink *to);

/* The full report has a heading above what is advised of a run or a kernel. */
static void begin_advice(const struct report_data *data, size_t run, uint32_t kernel, size_t count,
                         struct sheet_sink *to)
{
    char name[1400];
    if (!data->is_full || count == 0)
        return;
    report_name_text(data, &data->runs[run], kernel, data->is_wide, name, sizeof name);
    sheet_group(to, name);
}

/* Each run's verdict, its own advice, then its kernels': every row gets the next number. The full report has the verdict
 * elsewhere. */
static enum status walk_advice(const struct report_data *data, make_of_advice *make, struct sheet_sink *to,
                               struct error *error)
{
    enum status status = STATUS_OK, left = STATUS_OK;
    size_t number = 0;
    for (size_t i = 0; status == STATUS_OK && i < data->run_count; i++) {
        const struct report_facts *facts = NULL;
        if (data->runs[i].runs[RUN_TRACE] != NONE)
            status = report_facts(data, &data->runs[i], &facts, error);
        if (report_run_is_left_out(&status, &left))
            facts = NULL;
        if (status != STATUS_OK)
            break;
        const struct remedies *remedies = facts ? report_remedies(data, &data->runs[i]) : NULL;
        const struct verdict *verdict = facts ? report_verdict(data, &data->runs[i]) : NULL;
        for (size_t k = 0; remedies && !data->is_full && k < verdict->count; k++) {
            double step = remedies->of[k] == SIZE_MAX ? (double)NAN : (double)remedies->of[k] + 1;
            make(data, (struct about){(double)i, "verdict", verdict->findings[k].kernel, facts, step},
                 number++, &verdict->findings[k].advice, to);
        }
        begin_advice(data, i, NONE, facts && !data->kernels ? facts->advice_count : 0, to);
        for (size_t k = 0; facts && !(data->is_full && data->kernels) && k < facts->advice_count; k++)
            make(data, (struct about){(double)i, "run", NONE, facts, NAN}, number++, &facts->advice[k], to);
        REPORT_EACH_KERNEL (data, i, kernel) {
            struct advice_list list;
            report_advice_of_kernel(data, kernel, &list);
            begin_advice(data, i, kernel, list.count, to);
            for (size_t k = 0; k < list.count; k++)
                make(data, (struct about){(double)i, "kernel", kernel, NULL, NAN}, number++, &list.items[k],
                     to);
        }
    }
    return status == STATUS_OK ? left : status;
}

static enum status make_advice(const void *from, struct sheet_sink *to, struct error *error)
{
    return walk_advice(from, make_advice_row, to, error);
}

static enum status make_evidence(const void *from, struct sheet_sink *to, struct error *error)
{
    return walk_advice(from, make_evidence_rows, to, error);
}

/* ---- what to do, once for each rule ---- */
/* clang-format off */
static const struct sheet_column rule_columns[] = {
    {"id", "rule", "id of the rule (docs/advice.md)", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"times", "times", "rows of advice by it", SHEET_COUNT, SHEET_LESS, 5, 0, false},
    {"now", "what to do now", "what to do", SHEET_SENTENCE, SHEET_NEITHER, 40, 0, false},
    {"taught", NULL, "the workload that teaches it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"priority", NULL, "that of NVIDIA's guide; null: not in its list", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

/* How often each rule fired: rows of the sheet of advice, without those of verdicts, which are among them. */
struct fired {
    struct sheet_sink sink;
    size_t times[ADVICE_RULES_MAX];
};

static void count_rule(const struct report_data *data, struct about about, size_t number,
                       const struct advice *advice, struct sheet_sink *sink)
{
    struct fired *fired = (struct fired *)sink;
    (void)data, (void)number;
    for (size_t i = 0; strcmp(about.of, "verdict") != 0 && advice_rule_at(i); i++)
        fired->times[i] += advice_rule_at(i) == advice->rule;
}

static enum status make_rules(const void *from, struct sheet_sink *to, struct error *error)
{
    struct fired fired = {.times = {0}};
    enum status status = walk_advice(from, count_rule, &fired.sink, error);
    for (size_t i = 0; advice_rule_at(i); i++) {
        const struct advice_rule *rule = advice_rule_at(i);
        char taught[ADVICE_TAUGHT_TEXT], text[600];
        if (fired.times[i] == 0)
            continue;
        snprintf(text, sizeof text, "%s (%s)", rule->now, advice_taught_text(rule, taught));
        const struct sheet_cell cells[] = {
            {.text = rule->id},
            {.number = (double)fired.times[i]},
            {.text = text, .id = rule->now},
            {.text = rule->taught},
            {.text = rule->priority ? advice_priority_text(rule->priority) : NULL}};
        sheet_row(to, cells);
    }
    return status;
}

const struct sheet sheet_rules = {.id = "rules",
                                  .title = "What to do, once for each rule that is among the advice",
                                  SHEET_COLUMNS(rule_columns),
                                  .none = "rules: none",
                                  .rows = make_rules};
const struct sheet sheet_advice = {.id = "advice",
                                   .title = "What is wrong, with an upper bound of what mending it gains",
                                   SHEET_COLUMNS(advice_columns),
                                   .none = "advice: none",
                                   .rows = make_advice};
const struct sheet sheet_evidence = {.id = "evidence",
                                     .title = "The values behind each row of advice",
                                     SHEET_COLUMNS(evidence_columns),
                                     .none = "evidence: none",
                                     .rows = make_evidence};
