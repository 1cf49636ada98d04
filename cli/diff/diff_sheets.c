/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison as sheets: the pairs of kernels are numbered in their order. A row of changes has one metric of a
 * pair; where both sides have the same number there is none, unless `wide` asks for all, as the document of --json does.
 */
#include "cli/diff/diff.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/report_sheets.h"

#include <math.h>
#include <string.h>

#define TEXT_BYTES 2048

/* clang-format off */
#define PAIR_COLUMN {"pair", "pair", "number of the pair of kernels, from 0", SHEET_COUNT, SHEET_NEITHER, 4, 3, false}
#define SIDE_COLUMNS(side)                                                                                              \
    {side "_n", NULL, "launches behind the median of this side", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},               \
    {side "_min", NULL, "least of the launches", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},                              \
    {side "_max", NULL, "most of the launches", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},                               \
    {side "_bound", NULL, "exact, or which way the value is a bound", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},           \
    {side "_why", NULL, "why the value is not available; null: it is", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},          \
    {side "_sum", NULL, "over all launches of this side", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false}
static const struct sheet_column change_columns[] = {
    PAIR_COLUMN,
    {"metric", "metric", "id of the metric (docs/metrics.md)", SHEET_TEXT, SHEET_NEITHER, 32, 0, false},
    {"a", "A", "median over A's launches; null: not available", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"b", "B", "of B's", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"unit", NULL, "unit of both", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"difference", NULL, "B - A; null: not known", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"ratio", "B / A", "B / A; null: not known", SHEET_RATIO, SHEET_NEITHER, 8, 1, false},
    {"b_is", "B is", "worse, neither or better", SHEET_TEXT, SHEET_NEITHER, 7, 0, false},
    {"weight", "weight", "how sure the difference is", SHEET_TEXT, SHEET_NEITHER, 10, 2, false},
    {"chance", NULL, "probability of such a difference by chance", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel of B", "its whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false},
    SIDE_COLUMNS("a"),
    SIDE_COLUMNS("b"),
    {"sum_b_is", NULL, "as b_is, of the sums; null: the metric has none", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
static const struct sheet_column pair_columns[] = {
    PAIR_COLUMN,
    {"matched_by", "by", "what the two have in common", SHEET_TEXT, SHEET_NEITHER, 12, 1, false},
    {"work", "work", "is it the same work", SHEET_TEXT, SHEET_NEITHER, 8, 0, false},
    {"work_difference", NULL, "what differs in the work; null: nothing", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"same_clock", NULL, "are both measured, or both modelled", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"a_launches", "A", "launches of A", SHEET_COUNT, SHEET_NEITHER, 7, 2, false},
    {"b_launches", "B", "launches of B", SHEET_COUNT, SHEET_NEITHER, 7, 2, false},
    {"a_run", "run of A", "its run", SHEET_TEXT, SHEET_NEITHER, 24, 3, false},
    {"b_run", "run of B", "its run", SHEET_TEXT, SHEET_NEITHER, 24, 3, false},
    {"a_name", NULL, "A's kernel", SHEET_KERNEL, SHEET_NEITHER, 0, 0, false},
    {"b_name", "kernel of B", "B's kernel", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column run_columns[] = {
    {"a_ns", "A", "device time of A's run", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"b_ns", "B", "of B's", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"times_as_fast", "B is faster", "A's time / B's; null: of different work or clocks", SHEET_RATIO, SHEET_MORE, 11, 0, false},
    {"work", "work", "is it the same work", SHEET_TEXT, SHEET_NEITHER, 8, 1, false},
    {"same_clock", NULL, "are both measured, or both modelled", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"a", "run of A", "its run", SHEET_TEXT, SHEET_NEITHER, 24, 2, false},
    {"b", "run of B", "its run", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
static const struct sheet_column limit_columns[] = {
    {"limit", "limit", "as it was given", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},
    {"metric", NULL, "id of its metric (docs/metrics.md)", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"state", "state", "broken, kept, or unchecked, which fails too if it holds of all pairs", SHEET_TEXT, SHEET_NEITHER, 10, 0, false},
    {"pair", "pair", "number of the pair; null: all", SHEET_COUNT, SHEET_NEITHER, 4, 0, false}};
static const struct sheet_column kernel_columns[] = {
    {"side", "side", "a or b", SHEET_TEXT, SHEET_NEITHER, 4, 0, false},
    {"pair", "pair", "number of its pair; null: it has no counterpart", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"work", "work", "the workload, or the program", SHEET_TEXT, SHEET_NEITHER, 14, 1, false},
    {"variant", "variant", "of the workload", SHEET_TEXT, SHEET_NEITHER, 10, 2, false},
    {"params", "parameters", "of the run", SHEET_TEXT, SHEET_NEITHER, 16, 3, false},
    {"device", "device", "the GPU, or its model", SHEET_TEXT, SHEET_NEITHER, 12, 4, false},
    {"grid_x", NULL, "blocks", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"grid_y", NULL, "blocks", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"grid_z", NULL, "blocks", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"block_x", NULL, "threads", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"block_y", NULL, "threads", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"block_z", NULL, "threads", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"dynamic_shared_bytes", NULL, "shared memory of the launch", SHEET_BYTES, SHEET_NEITHER, 0, 0, false},
    {"short_name", NULL, "as readers see it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel", "its whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column result_columns[] = {
    {"result", "result", "fine is exit status 0, limits-failed and nothing-compared are 1", SHEET_TEXT, SHEET_NEITHER, 16, 0, false},
    {"a", "A", "as typed", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},
    {"b", "B", "as typed", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column only_columns[] = {
    {"side", "only in", "a or b", SHEET_TEXT, SHEET_NEITHER, 7, 0, false},
    {"run", "run", "its run", SHEET_TEXT, SHEET_NEITHER, 30, 1, false},
    {"name", "kernel", "its whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static const char *name_of(const struct diff *diff, int side, uint32_t kernel)
{
    return kernel_full_name(diff->sides[side].session, kernel);
}

static struct sheet_cell number_cell(bool known, double number)
{
    return (struct sheet_cell){.number = known ? number : (double)NAN};
}

/* The cells of SIDE_COLUMNS. */
#define SIDE_CELLS 6
static void fill_side(struct sheet_cell *cells, const struct kernel_statistic *statistic,
                      const struct compare_sums *sums, int side)
{
    const struct value *value = &statistic->value;
    const bool number = value->available && !value->word;
    cells[0].number = value->available ? statistic->n : 0;
    cells[1] = number_cell(number, statistic->min);
    cells[2] = number_cell(number, statistic->max);
    cells[3].text = value_bound_text(value->available ? value->bound : VALUE_EXACT);
    cells[4].text = value->available ? NULL : value->why ? value->why : "not known";
    cells[5] = number_cell(sums->change.known, sums->sums[side]);
}

static void make_change(const struct diff *diff, size_t pair, enum metric metric, struct sheet_sink *to)
{
    const struct compare_match *match = &diff->matches.rows[pair];
    struct compare_metric compared = diff_metric(diff, match, metric);
    const struct compare_change *change = &compared.change;
    char texts[2][40];
    if (!diff->wide && (!change->known || change->difference == 0))
        return;
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    struct compare_sums sums = compare_sums(&a, &b, metric);
    struct sheet_cell cells[sizeof change_columns / sizeof *change_columns] = {
        {.number = (double)pair},
        {.text = metric_info(metric)->id},
        report_metric_cell(metric, &compared.a.value, texts[0]),
        report_metric_cell(metric, &compared.b.value, texts[1]),
        {.text = metric_info(metric)->unit},
        number_cell(change->known, change->difference),
        number_cell(change->known && change->has_ratio, change->ratio),
        {.text = compare_change_text(change)},
        {.text = compare_weight_text(compared.weight)},
        {.number = compared.chance},
        {.text = name_of(diff, 1, match->b)}};
    fill_side(&cells[11], &compared.a, &sums, 0);
    fill_side(&cells[11 + SIDE_CELLS], &compared.b, &sums, 1);
    cells[11 + 2 * SIDE_CELLS].text = sums.change.known ? compare_change_text(&sums.change) : NULL;
    sheet_row(to, cells);
}

static enum status make_changes(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++)
        for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
            make_change(diff, i, metric, to);
    return STATUS_OK;
}

static enum status make_pairs(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++) {
        const struct compare_match *match = &diff->matches.rows[i];
        struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
        char runs[2][TEXT_BYTES], differs[300];
        compare_work_difference(&a, &b, differs, sizeof differs);
        diff_side_run_name(&diff->sides[0], match->a, runs[0], sizeof runs[0]);
        diff_side_run_name(&diff->sides[1], match->b, runs[1], sizeof runs[1]);
        const struct sheet_cell cells[] = {{.number = (double)i},
                                           {.text = compare_how_text(match->how)},
                                           {.text = compare_work_text(compare_work(&a, &b))},
                                           {.text = *differs ? differs : NULL},
                                           {.number = compare_same_clock(&a, &b)},
                                           {.number = (double)kernel_index_times(a.index, a.kernel).launches},
                                           {.number = (double)kernel_index_times(b.index, b.kernel).launches},
                                           {.text = runs[0]},
                                           {.text = runs[1]},
                                           {.text = name_of(diff, 0, match->a)},
                                           {.text = name_of(diff, 1, match->b)}};
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static enum status make_runs(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    struct diff_runs runs;
    enum status status = diff_runs_make(&runs, diff, error);
    for (size_t i = 0; status == STATUS_OK && i < runs.count; i++) {
        const struct compare_run *run = &runs.rows[i];
        const double factor = compare_run_factor(run);
        char names[2][TEXT_BYTES];
        for (int s = 0; s < 2; s++)
            diff_side_run_name(&diff->sides[s], runs.kernels[s][i], names[s], sizeof names[s]);
        sheet_row(to, (const struct sheet_cell[]){{.number = (double)run->device_ns[0]},
                                                  {.number = (double)run->device_ns[1]},
                                                  {.number = factor > 0 ? factor : (double)NAN},
                                                  {.text = compare_work_text(run->work)},
                                                  {.number = run->same_clock},
                                                  {.text = names[0]},
                                                  {.text = names[1]}});
    }
    diff_runs_fini(&runs);
    return status;
}

static enum status make_limits(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->limit_count; i++) {
        sheet_row(to, (const struct sheet_cell[]){{.text = diff->limits[i].text},
                                                  {.text = metric_info(diff->limits[i].metric)->id},
                                                  {.text = limit_state_text(diff_limit(diff, i))},
                                                  {.number = NAN}});
        for (size_t match = 0; match < diff->matches.count; match++)
            sheet_row(to, (const struct sheet_cell[]){{.text = diff->limits[i].text},
                                                      {.text = metric_info(diff->limits[i].metric)->id},
                                                      {.text = limit_state_text(diff_state(diff, i, match))},
                                                      {.number = (double)match}});
    }
    return STATUS_OK;
}

/* `pair` NAN: none. */
static void make_kernel(const struct diff *diff, int s, uint32_t kernel, double pair, struct sheet_sink *to)
{
    const struct diff_side *side = &diff->sides[s];
    const struct session *session = side->session;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = session_run(session, row->run);
    const struct shape_row *shape = session_shape(session, row->shape);
    char device[TEXT_BYTES], name[TEXT_BYTES];
    report_short_name(diff->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, name, sizeof name);
    diff_side_device(side, kernel, device, sizeof device);
    sheet_row(to, (const struct sheet_cell[]){
                      {.text = s ? "b" : "a"},
                      {.number = pair},
                      {.text = session_string(session, run->workload ? run->workload : run->program)},
                      {.text = session_string(session, run->variant)},
                      {.text = session_string(session, run->params)},
                      {.text = device},
                      {.number = shape->grid[0]},
                      {.number = shape->grid[1]},
                      {.number = shape->grid[2]},
                      {.number = shape->block[0]},
                      {.number = shape->block[1]},
                      {.number = shape->block[2]},
                      {.number = (double)shape->dynamic_shared_bytes},
                      {.text = name},
                      {.text = session_string(session, shape->name)}});
}

static enum status make_kernels(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++) {
        make_kernel(diff, 0, diff->matches.rows[i].a, (double)i, to);
        make_kernel(diff, 1, diff->matches.rows[i].b, (double)i, to);
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < diff->matches.only_count[s]; i++)
            make_kernel(diff, s, diff->matches.only[s][i], NAN, to);
    return STATUS_OK;
}

static enum status make_result(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    sheet_row(to, (const struct sheet_cell[]){{.text = diff->matches.count == 0 ? "nothing-compared"
                                                       : diff_is_fine(diff)     ? "fine"
                                                                                : "limits-failed"},
                                              {.text = diff->sides[0].text},
                                              {.text = diff->sides[1].text}});
    return STATUS_OK;
}

static enum status make_only(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < diff->matches.only_count[s]; i++) {
            const uint32_t kernel = diff->matches.only[s][i];
            char run[TEXT_BYTES];
            diff_side_run_name(&diff->sides[s], kernel, run, sizeof run);
            sheet_row(to, (const struct sheet_cell[]){
                              {.text = s ? "b" : "a"}, {.text = run}, {.text = name_of(diff, s, kernel)}});
        }
    }
    return STATUS_OK;
}

#define COMPARED(name, words, list, nothing, function)                                               \
    {                                                                                                \
        .id = name, .title = words, SHEET_COLUMNS(list), .none = name ": " nothing, .rows = function \
    }
static const struct sheet sheets[] = {
    COMPARED("result", "What was compared, and how it ended", result_columns, "none", make_result),
    COMPARED("changes", "Metrics that differ", change_columns, "nothing differs", make_changes),
    COMPARED("pairs", "Kernels that are compared", pair_columns, "no kernel is on both sides", make_pairs),
    COMPARED("runs", "Runs by their device time", run_columns, "no run is on both sides", make_runs),
    COMPARED("limits", "Limits of --fail-on", limit_columns, "none was given", make_limits),
    COMPARED("kernels", "Kernels of both sides", kernel_columns, "no kernels", make_kernels),
    COMPARED("only", "Kernels of one side alone", only_columns, "none", make_only)};

const struct sheet *diff_sheet_at(size_t index)
{
    return index < sizeof sheets / sizeof *sheets ? &sheets[index] : NULL;
}

const struct sheet_document diff_document = {
    .title = "lanescope diff --json",
    .description =
        "Two recordings, or two selections of one, compared. Times are ns, sizes bytes; null means: not known or not "
        "there, never 0. --table NAME --format json prints one of the sheets.",
    .version = 2,
    .list = diff_sheet_at};
