/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison as sheets: the pairs of kernels are numbered in their order. A row of changes has one metric of a
 * pair; where both sides have the same number there is none, unless `wide` asks for all, as the document of --json does.
 * The command opens both sides, matches their kernels, checks the limits, and writes the result last.
 */
#include "cli/diff/diff.h"
#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "cli/output/sheet_print.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/report_sheets.h"
#include "core/base/append.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
/* Readers have the pair as a heading. */
#define VALUE_COLUMNS                                                                                                   \
    {"pair", NULL, "number of the pair of kernels, from 0", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},                    \
    {"metric", "metric", "id of the metric (docs/metrics.md)", SHEET_TEXT, SHEET_NEITHER, 31, 0, false},                 \
    {"a", "A", "median over A's launches; null: not available", SHEET_NUMBER, SHEET_NEITHER, 13, 0, true},               \
    {"b", "B", "of B's", SHEET_NUMBER, SHEET_NEITHER, 13, 0, true},                                                      \
    {"unit", NULL, "unit of both", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},                                              \
    {"difference", "B - A", "B - A; null: not known", SHEET_NUMBER, SHEET_NEITHER, 10, 1, false},                        \
    {"ratio", "change", "B / A; null: not known", SHEET_RATIO, SHEET_NEITHER, 9, 0, false},                              \
    {"b_is", NULL, "worse, neither or better", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}
static const struct sheet_column change_columns[] = {
    VALUE_COLUMNS,
    {"weight", NULL, "how sure the difference is", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"chance", NULL, "probability of such a difference by chance", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"name", NULL, "the whole name of B's kernel", SHEET_KERNEL, SHEET_NEITHER, 0, 0, false},
    SIDE_COLUMNS("a"),
    SIDE_COLUMNS("b"),
    {"sum_b_is", NULL, "as b_is, of the sums; null: the metric has none", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {NULL, "B is", "", SHEET_TEXT, SHEET_NEITHER, 17, 0, false}};
static const struct sheet_column sum_columns[] = {
    VALUE_COLUMNS,
    {NULL, "B is", "", SHEET_TEXT, SHEET_NEITHER, 10, 0, false}};
static const struct sheet_column time_columns[] = {
    {"pair", NULL, "number of the pair of kernels, from 0", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"a_ns", "A", "median time of A's launches", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"b_ns", "B", "of B's", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"times_as_fast", "B is", "A's time / B's", SHEET_RATIO, SHEET_MORE, 14, 0, false},
    {"run", "run of B", "its run", SHEET_TEXT, SHEET_NEITHER, 36, 1, false},
    {"with", NULL, "counts that changed too and can explain it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel of B", "its whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column side_columns[] = {
    {"side", "", "A or B", SHEET_TEXT, SHEET_NEITHER, 1, 0, false},
    {"recording", "recording", "as typed", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},
    {"has", "has", "the workloads and programs of the recording", SHEET_SENTENCE, SHEET_NEITHER, 30, 0, false}};
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
    {"limit", NULL, "as it was given", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"metric", NULL, "id of its metric (docs/metrics.md)", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"state", "state", "broken, kept, or unchecked, which fails too if it holds of all pairs", SHEET_TEXT, SHEET_NEITHER, 10, 0, false},
    {"pair", NULL, "number of the pair; null: all", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"b", "B", "B's value", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"a", "A", "A's value", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"run", "run", "of the pair", SHEET_TEXT, SHEET_NEITHER, 30, 1, false},
    {"name", "kernel of B", "its whole name; null: all kernels", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
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
    {"side", NULL, "a or b", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
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

/* "A's -> B's", or the text once if they are equal. */
static void append_both(char *text, size_t size_bytes, size_t *used, const char *const both[2])
{
    append_text(text, size_bytes, used, "%.400s", both[0]);
    if (strcmp(both[0], both[1]) != 0)
        append_text(text, size_bytes, used, " -> %.400s", both[1]);
}

static const struct shape_row *shape_of(const struct diff_side *side, uint32_t kernel)
{
    return session_shape(side->session, session_kernel(side->session, kernel)->shape);
}

static void head_pair(const struct diff *diff, const struct compare_match *match, struct sheet_sink *to)
{
    const uint32_t kernels[2] = {match->a, match->b};
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    char texts[4][2][TEXT_BYTES], head[4 * TEXT_BYTES], differs[300];
    size_t used = 0;
    for (int s = 0; s < 2; s++) {
        const struct shape_row *shape = shape_of(&diff->sides[s], kernels[s]);
        diff_kernel_name(diff, s, kernels[s], texts[0][s], TEXT_BYTES);
        snprintf(texts[1][s], TEXT_BYTES, "%ux%ux%u blocks of %ux%ux%u", shape->grid[0], shape->grid[1],
                 shape->grid[2], shape->block[0], shape->block[1], shape->block[2]);
        diff_side_run_name(&diff->sides[s], kernels[s], texts[2][s], TEXT_BYTES);
        diff_side_device(&diff->sides[s], kernels[s], texts[3][s], TEXT_BYTES);
    }
    for (int i = 0; i < 4; i++) {
        append_both(head, sizeof head, &used, (const char *const[]){texts[i][0], texts[i][1]});
        if (i == 1 && match->how != COMPARE_BY_SHAPE)
            append_text(head, sizeof head, &used, "  (matched: %s)", compare_how_text(match->how));
        append_text(head, sizeof head, &used, "%s", i == 0 ? "  " : i == 1 ? "\n" : i == 2 ? ", " : "");
    }
    compare_work_difference(&a, &b, differs, sizeof differs);
    if (*differs)
        append_text(head, sizeof head, &used, "\nnot the same work: %s", differs);
    else if (!compare_same_clock(&a, &b))
        append_text(head, sizeof head, &used, "\nmeasured beside modelled: times and rates are not compared");
    sheet_group(to, head);
}

/* "better (p 0.003)": how sure that is; the note of the sheet explains it. */
static void judgement_text(const struct compare_metric *compared, char *text, size_t size_bytes)
{
    const int better = compared->change.better;
    const char *word = better > 0 ? "better" : better < 0 ? "worse" : "";
    size_t used = 0;
    text[0] = '\0';
    if (compared->alike && compared->weight == COMPARE_CERTAIN)
        append_text(text, size_bytes, &used, "%s", word);
    else if (compared->alike && compared->weight == COMPARE_BEYOND)
        append_text(text, size_bytes, &used, "%s (p %.1g)", better ? word : "other", compared->chance);
    else if (compared->alike && compared->weight == COMPARE_WITHIN)
        append_text(text, size_bytes, &used, "alike (p %.1g)", compared->chance);
    else if (compared->alike && compared->weight == COMPARE_TOO_FEW)
        append_text(text, size_bytes, &used, "%s? (%u, %u)", word, compared->a.n, compared->b.n);
    if (compared->a.value.provenance == PROVENANCE_EXPECTED &&
        compared->b.value.provenance == PROVENANCE_EXPECTED)
        append_text(text, size_bytes, &used, "%s(expected)", used > 0 ? " " : "");
}

/* The cells of VALUE_COLUMNS. `texts` holds them. */
#define VALUE_CELLS 8
static void fill_values(struct sheet_cell *cells, size_t pair, enum metric metric, const char *title,
                        const struct value values[2], const struct compare_change *change, char texts[4][40])
{
    metric_format_change(metric, change->difference, 10, texts[2], sizeof texts[2]);
    metric_format_relative(change->ratio, texts[3], sizeof texts[3]);
    cells[0] = (struct sheet_cell){.number = (double)pair};
    cells[1] = (struct sheet_cell){.text = title, .id = metric_info(metric)->id};
    cells[2] = report_metric_cell(metric, &values[0], texts[0]);
    cells[3] = report_metric_cell(metric, &values[1], texts[1]);
    cells[4] = (struct sheet_cell){.text = metric_info(metric)->unit};
    cells[5] = number_cell(change->known, change->difference);
    cells[5].text = change->known ? texts[2] : NULL;
    cells[6] = number_cell(change->known && change->has_ratio, change->ratio);
    cells[6].text = change->known && change->has_ratio ? texts[3] : NULL;
    cells[7] = (struct sheet_cell){.text = compare_change_text(change)};
}

static void make_change(const struct diff *diff, size_t pair, enum metric metric,
                        const struct compare_metric *compared, struct sheet_sink *to)
{
    const struct compare_match *match = &diff->matches.rows[pair];
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    struct compare_sums sums = compare_sums(&a, &b, metric);
    struct sheet_cell cells[sizeof change_columns / sizeof *change_columns] = {0};
    char texts[4][40], judgement[120];
    fill_values(cells, pair, metric, metric_info(metric)->title,
                (const struct value[]){compared->a.value, compared->b.value}, &compared->change, texts);
    judgement_text(compared, judgement, sizeof judgement);
    struct sheet_cell *more = cells + VALUE_CELLS;
    more[0].text = compare_weight_text(compared->weight);
    more[1].number = compared->chance;
    more[2].text = name_of(diff, 1, match->b);
    fill_side(&more[3], &compared->a, &sums, 0);
    fill_side(&more[3 + SIDE_CELLS], &compared->b, &sums, 1);
    more[3 + 2 * SIDE_CELLS].text = sums.change.known ? compare_change_text(&sums.change) : NULL;
    more[4 + 2 * SIDE_CELLS].text = judgement;
    sheet_row(to, cells);
}

static enum status make_changes(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    size_t same = 0, equal = 0;
    bool unsure = false;
    char note[200];
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++) {
        const struct compare_match *match = &diff->matches.rows[i];
        struct compare_metric compared[METRIC_COUNT];
        enum metric order[METRIC_COUNT];
        int differing;
        bool any = false;
        for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
            compared[metric] = diff_metric(diff, match, metric);
        const int count = compare_order(compared, NULL, order, &differing);
        for (int k = 0; k < count; k++) {
            if ((k >= differing || metric_info(order[k])->group == METRIC_GROUP_OLD) && !diff->wide) {
                equal += metric_info(order[k])->group != METRIC_GROUP_OLD &&
                         !compare_bounded_alike(&compared[order[k]]);
                continue;
            }
            if (!any)
                head_pair(diff, match, to);
            any = true;
            unsure = unsure || compared[order[k]].weight == COMPARE_BEYOND ||
                     compared[order[k]].weight == COMPARE_WITHIN ||
                     compared[order[k]].weight == COMPARE_TOO_FEW;
            make_change(diff, i, order[k], &compared[order[k]], to);
        }
        same += !any;
    }
    if (unsure)
        sheet_note(
            to,
            "p: how often launches that are alike differ so much by chance; ? (1, 1): so many launches of A and of B "
            "are too few to tell");
    if (same > 0) {
        snprintf(note, sizeof note,
                 "%zu kernel%s the same in all that was counted and timed (--wide shows %s)", same,
                 same == 1 ? " is" : "s are", same == 1 ? "it" : "them");
        sheet_note(to, note);
    } else if (equal > 0 && diff->matches.count == 1) {
        snprintf(note, sizeof note, "%zu more %s the same (--wide shows them)", equal,
                 equal == 1 ? "is" : "are");
        sheet_note(to, note);
    }
    return STATUS_OK;
}

/* Where the launches are not the same work: what all of them together did. */
static enum status make_sums(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++) {
        const struct compare_match *match = &diff->matches.rows[i];
        struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
        bool any = false;
        for (enum metric metric = 0; metric < METRIC_COUNT && compare_work(&a, &b) != COMPARE_WORK_SAME;
             metric++) {
            struct compare_sums sums = compare_sums(&a, &b, metric);
            struct sheet_cell cells[sizeof sum_columns / sizeof *sum_columns] = {0};
            char texts[4][40];
            if (!sums.change.known ||
                (sums.change.difference == 0 && !diff->wide && metric != METRIC_time_ns))
                continue;
            if (!any)
                head_pair(diff, match, to);
            any = true;
            fill_values(cells, i, metric,
                        metric == METRIC_time_ns ? "time, summed" : metric_info(metric)->title,
                        (const struct value[]){
                            {.available = true, .number = sums.sums[0], .provenance = compare_own(&a)},
                            {.available = true, .number = sums.sums[1], .provenance = compare_own(&b)}},
                        &sums.change, texts);
            cells[VALUE_CELLS].text = sums.change.better ? compare_change_text(&sums.change) : "";
            sheet_row(to, cells);
        }
    }
    return STATUS_OK;
}

/* Counts that can explain a change of time, in the order of printing, and how many of them are named. */
static const enum metric explaining[] = {METRIC_global_load_sectors_per_request,
                                         METRIC_global_store_sectors_per_request,
                                         METRIC_shared_load_conflicts,
                                         METRIC_shared_store_conflicts,
                                         METRIC_local_load_sectors,
                                         METRIC_local_store_sectors,
                                         METRIC_active_threads_per_warp,
                                         METRIC_theoretical_occupancy_pct};
#define EXPLAINING_MAX 3

struct changed {
    size_t pair;
    struct compare_metric time;
};

static bool is_sure(const struct compare_metric *compared)
{
    return compared->change.better != 0 &&
           (compared->weight == COMPARE_CERTAIN || compared->weight == COMPARE_BEYOND);
}

/* Sorts: what lost most time first, what gained most last. */
static int compare_changes(const void *a, const void *b)
{
    double left = ((const struct changed *)a)->time.change.difference,
           right = ((const struct changed *)b)->time.change.difference;
    return left > right ? -1 : left < right;
}

static void make_time(const struct diff *diff, const struct changed *row, struct sheet_sink *to)
{
    const struct compare_match *match = &diff->matches.rows[row->pair];
    char faster[40], run[TEXT_BYTES], with[600];
    size_t used = 0, named = 0;
    with[0] = '\0';
    metric_format_faster(1 / row->time.change.ratio, faster, sizeof faster);
    diff_side_run_name(&diff->sides[1], match->b, run, sizeof run);
    for (size_t i = 0; i < sizeof explaining / sizeof *explaining && named < EXPLAINING_MAX; i++) {
        struct compare_metric compared = diff_metric(diff, match, explaining[i]);
        char a[40], b[40];
        if (!is_sure(&compared))
            continue;
        metric_format(explaining[i], &compared.a.value, a, sizeof a);
        metric_format(explaining[i], &compared.b.value, b, sizeof b);
        append_text(with, sizeof with, &used, "%s%s %s -> %s", named++ == 0 ? "with " : ", ",
                    metric_info(explaining[i])->title, a, b);
    }
    sheet_row(to, (const struct sheet_cell[]){{.number = (double)row->pair},
                                              {.number = row->time.a.value.number},
                                              {.number = row->time.b.value.number},
                                              {.number = 1 / row->time.change.ratio, .text = faster},
                                              {.text = run},
                                              {.text = named > 0 ? with : NULL},
                                              {.text = name_of(diff, 1, match->b)}});
}

/* The number of kernels whose times are of different work, or of the model on one side and a GPU on the
 * other. */
struct tally {
    size_t timed, other_work, other_clock;
};

static void take_time(struct tally *tally, const struct diff *diff, const struct changed *row)
{
    const struct compare_match *match = &diff->matches.rows[row->pair];
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    bool timed = row->time.a.value.available && row->time.b.value.available;
    tally->timed += timed;
    if (timed && !row->time.alike)
        *(compare_work(&a, &b) == COMPARE_WORK_SAME ? &tally->other_clock : &tally->other_work) += 1;
}

static void head_times(const struct diff *diff, size_t changed, size_t faster, const struct tally *tally,
                       struct sheet_sink *to)
{
    const size_t timed = tally->timed, apart = tally->other_work + tally->other_clock,
                 pairs = diff->matches.count;
    char text[600];
    size_t used = 0;
    append_text(text, sizeof text, &used, "of %zu kernel%s compared %zu became slower and %zu faster", pairs,
                pairs == 1 ? "" : "s", changed - faster, faster);
    if (timed > changed + apart)
        append_text(text, sizeof text, &used,
                    "; the times of %zu are the same, or within their launches' spread",
                    timed - changed - apart);
    if (tally->other_work > 0)
        append_text(text, sizeof text, &used, "; %zu did not do the same work", tally->other_work);
    if (tally->other_clock > 0)
        append_text(text, sizeof text, &used, "; of %zu one time is measured and one modelled",
                    tally->other_clock);
    if (timed < pairs)
        append_text(text, sizeof text, &used, "; of %zu there are no two times", pairs - timed);
    sheet_group(to, text);
}

static enum status make_times(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    struct changed *rows = memory_zeroed(diff->matches.count + 1, sizeof *rows);
    size_t changed = 0, slower = 0;
    struct tally tally = {0};
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++) {
        struct changed *row = &rows[changed];
        *row = (struct changed){i, diff_metric(diff, &diff->matches.rows[i], METRIC_time_ns)};
        take_time(&tally, diff, row);
        changed += is_sure(&row->time);
    }
    qsort(rows, changed, sizeof *rows, compare_changes);
    while (slower < changed && rows[slower].time.change.better < 0)
        slower++;
    if (diff->matches.count > 0)
        head_times(diff, changed, changed - slower, &tally, to);
    for (size_t i = 0; i < slower; i++)
        make_time(diff, &rows[i], to);
    if (slower > 0 && slower < changed)
        sheet_group(to, "faster, by the time gained");
    for (size_t i = changed; i-- > slower;)
        make_time(diff, &rows[i], to);
    free(rows);
    return STATUS_OK;
}

static enum status make_sides(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (int s = 0; s < 2; s++) {
        char works[400];
        diff_side_works(&diff->sides[s], works, sizeof works);
        sheet_row(to, (const struct sheet_cell[]){{.text = s ? "B" : "A"},
                                                  {.text = diff->sides[s].text},
                                                  {.text = *works ? works : "no runs"}});
    }
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
    size_t alike = 0;
    char note[200];
    enum status status = diff_runs_make(&runs, diff, error);
    for (size_t i = 0; status == STATUS_OK && i < runs.count; i++) {
        const struct compare_run *run = &runs.rows[i];
        const double factor = compare_run_factor(run);
        const bool same = factor > 1 / (1 + COMPARE_SLIGHT) && factor < 1 + COMPARE_SLIGHT;
        char names[2][TEXT_BYTES];
        alike += same;
        if (same && !diff->wide && runs.count > 1)
            continue;
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
    if (status == STATUS_OK && alike > 0 && runs.count > 1) {
        snprintf(note, sizeof note, "of %zu runs compared by their device time %zu took as long", runs.count,
                 alike);
        sheet_note(to, note);
    }
    diff_runs_fini(&runs);
    return status;
}

static void make_limit(const struct diff *diff, size_t limit, size_t match, struct sheet_sink *to)
{
    const struct compare_match *pair = &diff->matches.rows[match];
    const enum metric metric = diff->limits[limit].metric;
    struct compare_metric compared = diff_metric(diff, pair, metric);
    char texts[2][40], run[TEXT_BYTES];
    diff_side_run_name(&diff->sides[1], pair->b, run, sizeof run);
    sheet_row(to, (const struct sheet_cell[]){{.text = diff->limits[limit].text},
                                              {.text = metric_info(metric)->id},
                                              {.text = limit_state_text(diff_state(diff, limit, match))},
                                              {.number = (double)match},
                                              report_metric_cell(metric, &compared.b.value, texts[0]),
                                              report_metric_cell(metric, &compared.a.value, texts[1]),
                                              {.text = run},
                                              {.text = name_of(diff, 1, pair->b)}});
}

/* Of each limit a row for all kernels, and those of the kernels that break it. */
static enum status make_limits(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->limit_count; i++) {
        size_t counts[LIMIT_STATE_COUNT] = {0}, used = 0;
        char head[400];
        for (size_t match = 0; match < diff->matches.count; match++)
            counts[diff_state(diff, i, match)]++;
        const enum limit_state worst = counts[LIMIT_BROKEN] > 0 ? LIMIT_BROKEN : LIMIT_KEPT;
        append_text(head, sizeof head, &used, "%.200s  %s: %s by %zu of %zu", diff->limits[i].text,
                    diff_limit(diff, i) == LIMIT_KEPT ? "ok" : "FAILED", limit_state_text(worst),
                    counts[worst], diff->matches.count);
        if (counts[LIMIT_UNCHECKED] > 0)
            append_text(head, sizeof head, &used, ", could not be checked for %zu", counts[LIMIT_UNCHECKED]);
        sheet_group(to, head);
        sheet_row(to, (const struct sheet_cell[]){{.text = diff->limits[i].text},
                                                  {.text = metric_info(diff->limits[i].metric)->id},
                                                  {.text = limit_state_text(diff_limit(diff, i))},
                                                  {.number = NAN},
                                                  {.number = NAN},
                                                  {.number = NAN},
                                                  {.text = NULL},
                                                  {.text = NULL}});
        for (size_t match = 0; match < diff->matches.count; match++)
            if (diff->wide || diff_state(diff, i, match) == LIMIT_BROKEN)
                make_limit(diff, i, match, to);
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
        char head[80];
        snprintf(head, sizeof head, "only in %c: %zu %s", 'A' + s, diff->matches.only_count[s],
                 diff->matches.only_count[s] == 1 ? "kernel" : "kernels");
        if (diff->matches.only_count[s] > 0)
            sheet_group(to, head);
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
    COMPARED("sides", "What is compared", side_columns, "none", make_sides),
    COMPARED("times", "Kernels whose time changed", time_columns, "no time changed", make_times),
    COMPARED("changes", "Metrics that differ", change_columns, "nothing differs", make_changes),
    COMPARED("sums", "All launches together, of kernels that did not do the same work", sum_columns,
             "all kernels did the same work", make_sums),
    COMPARED("pairs", "Kernels that are compared", pair_columns, "no kernel is on both sides", make_pairs),
    COMPARED("runs", "Runs by their device time", run_columns, "none took another time", make_runs),
    COMPARED("limits", "Limits of --fail-on", limit_columns, "none was given", make_limits),
    COMPARED("kernels", "Kernels of both sides", kernel_columns, "no kernels", make_kernels),
    COMPARED("only", "Kernels of one side alone", only_columns, "none", make_only)};

/* ---- the text ---- */
static const struct sheet *sheet_find(const char *id)
{
    size_t i = 0;
    while (strcmp(sheets[i].id, id) != 0)
        i++;
    return &sheets[i];
}

enum status diff_print(const struct diff *diff, struct sheet_look look, FILE *out, struct error *error)
{
    static const struct {
        const char *id, *heading;
        size_t most; /* rows of a group, if not all are asked for */
    } parts[] = {
        {"runs", "\nThe runs, by their device time\n", 12}, {"times", "\n", 6}, {"changes", "\n", 0},
        {"sums", "\nAll launches together\n", 0},           {"only", "\n", 8},  {"limits", "\nlimits\n", 9}};
    const bool nothing = diff->matches.count == 0;
    struct sheet_look part = look;
    part.fields = nothing ? "side,recording,has" : "side,recording";
    enum status status = sheet_print(sheet_find("sides"), diff, &part, out, error);
    if (nothing)
        fputs("\nNothing could be compared: no kernel of A has a counterpart in B.\n", out);
    for (size_t i = 0; status == STATUS_OK && i < sizeof parts / sizeof *parts; i++) {
        if (nothing && strcmp(parts[i].id, "only") != 0)
            continue;
        part = look;
        part.rest = "--wide shows them";
        part.below = "with";
        part.most = diff->wide ? 0 : parts[i].most;
        status = sheet_print_part(parts[i].heading, sheet_find(parts[i].id), diff, &part, !nothing && i < 3,
                                  out, error);
    }
    return status;
}

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

/* ---- the command ---- */
/* A limit must not be met by values that do not come from the run: those expected by the rules do not count.
 * Values that follow from the launch (theoretical occupancy) do. */
static enum limit_state check_limit(const struct limit *limit, const struct compare_metric *compared)
{
    bool expected = compared->a.value.provenance == PROVENANCE_EXPECTED ||
                    compared->b.value.provenance == PROVENANCE_EXPECTED;
    return expected && !metric_from_launch(limit->metric)
               ? LIMIT_UNCHECKED
               : limit_check(limit, &compared->a.value, &compared->b.value);
}

static void check_limits(struct diff *diff)
{
    diff->states = memory_zeroed(diff->limit_count * diff->matches.count, sizeof *diff->states);
    for (size_t i = 0; i < diff->limit_count; i++) {
        for (size_t match = 0; match < diff->matches.count; match++) {
            struct compare_metric result =
                diff_metric(diff, &diff->matches.rows[match], diff->limits[i].metric);
            diff->states[i * diff->matches.count + match] = (uint8_t)check_limit(&diff->limits[i], &result);
        }
    }
}

static enum status write_out(const struct diff *diff, const struct options *options, FILE *out,
                             struct error *error)
{
    if (options->table)
        return sheet_option_print(diff_sheet_at, diff, options, out, error);
    const struct sheet_look look = {.form = SHEET_FORM_JSON, .most = options->top};
    struct diff whole = *diff;
    whole.wide = true;
    enum status status = options->format == REPORT_JSON
                             ? sheet_document_print(&diff_document, &whole, &look, out, error)
                             : diff_print(diff, sheet_option_look(options), out, error);
    return status == STATUS_OK ? out_flush(out, error) : status;
}

enum status diff_command(const struct options *options, FILE *out, int *exit_status, struct error *error)
{
    struct limit limits[OPTIONS_TEXTS_MAX];
    struct diff diff = {.limits = limits, .limit_count = options->limits.count, .wide = options->wide};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < options->limits.count; i++)
        status = limit_parse(&limits[i], options->limits.list[i], error);
    for (size_t s = 0; status == STATUS_OK && s < 2; s++)
        status = diff_side_open(&diff.sides[s], options->files[s], error);
    if (status == STATUS_OK) {
        memory_check(compare_match(&diff.matches, diff.sides[0].index, &diff.sides[0].pick,
                                   diff.sides[1].index, &diff.sides[1].pick, error));
        diff.names = report_names_of(diff.sides[0].session, diff.sides[1].session);
        check_limits(&diff);
        status = write_out(&diff, options, out, error);
    }
    if (status == STATUS_OK && !diff_is_fine(&diff))
        *exit_status = EXIT_CHECK;
    free(diff.states);
    short_names_destroy(diff.names);
    compare_matches_fini(&diff.matches);
    diff_side_close(&diff.sides[0]);
    diff_side_close(&diff.sides[1]);
    return status;
}
