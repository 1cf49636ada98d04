/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison as text: how many kernels became slower or faster, which, by how much, and which of their
 * counts changed too; then the differences of each kernel, the limits, and what was not compared.
 *
 * A time has changed if the difference is certain or beyond the spread of the launches. The matches whose
 * time changed are sorted by the time lost, each with the counts that changed most. Constants limit how many
 * of both are printed.
 */
#include "cli/diff/diff.h"
#include "cli/output/memory.h"
#include "core/analysis/mann_whitney.h"
#include "tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>

#define CHANGED_MAX 12
#define CHANGES_MAX 3
#define NAME_CELLS 60

/* Counts that can explain a change of time, in the order of printing. */
static const enum metric changed_counts[] = {
    METRIC_global_load_sectors_per_request,
    METRIC_global_store_sectors_per_request,
    METRIC_shared_load_conflicts,
    METRIC_shared_store_conflicts,
    METRIC_local_load_sectors,
    METRIC_local_store_sectors,
    METRIC_active_threads_per_warp,
    METRIC_theoretical_occupancy_pct,
};

struct changed {
    const struct compare_match *match;
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

static void print_name(const struct diff *diff, int s, uint32_t kernel, FILE *out)
{
    char name[1024], run[400], text[1500], shown[1500];
    diff_kernel_name(diff, s, kernel, name, sizeof name);
    diff_side_run_name(&diff->sides[s], kernel, run, sizeof run);
    snprintf(text, sizeof text, "%s, %s", name, run);
    text_shorten(text, diff->wide ? (int)sizeof shown : NAME_CELLS, shown, sizeof shown);
    text_print(shown, out);
}

static void print_counts(const struct diff *diff, const struct compare_match *match, FILE *out)
{
    int printed = 0;
    for (size_t i = 0; i < sizeof changed_counts / sizeof changed_counts[0] && printed < CHANGES_MAX; i++) {
        struct compare_metric compared = diff_metric(diff, match, changed_counts[i]);
        char a[40], b[40];
        if (!is_sure(&compared))
            continue;
        metric_format(changed_counts[i], &compared.a.value, a, sizeof a);
        metric_format(changed_counts[i], &compared.b.value, b, sizeof b);
        fprintf(out, "%s%s %s -> %s", printed++ == 0 ? "      with " : ", ",
                metric_info(changed_counts[i])->title, a, b);
    }
    if (printed > 0)
        putc('\n', out);
}

static void print_changed(const struct diff *diff, const struct changed *changed, FILE *out)
{
    char a[40], b[40], faster[40];
    metric_format(METRIC_time_ns, &changed->time.a.value, a, sizeof a);
    metric_format(METRIC_time_ns, &changed->time.b.value, b, sizeof b);
    metric_format_faster(1 / changed->time.change.ratio, faster, sizeof faster);
    fprintf(out, "  %9s -> %9s  %14s  ", a, b, faster);
    print_name(diff, 1, changed->match->b, out);
    putc('\n', out);
    print_counts(diff, changed->match, out);
}

/* Is there more to say than that nothing changed? */
static bool run_changed(const struct compare_run *run)
{
    double factor = compare_run_factor(run);
    return !(factor > 1 / (1 + COMPARE_SLIGHT) && factor < 1 + COMPARE_SLIGHT);
}

static void print_run(const struct diff *diff, const struct diff_runs *runs, size_t i, FILE *out)
{
    char text[200], name[400];
    compare_run_text(&runs->rows[i], text, sizeof text);
    diff_side_run_name(&diff->sides[1], runs->kernels[1][i], name, sizeof name);
    fprintf(out, "  %-40s  ", text);
    text_print(name, out);
    putc('\n', out);
}

/* "the run's device time: 5.66 ms -> 2.95 ms (1.9x faster)"; if there are several runs, only those that
 * changed. */
static void print_runs(const struct diff *diff, const struct diff_runs *runs, FILE *out)
{
    size_t changed = 0, shown = 0;
    if (runs->count == 1) {
        char text[200];
        compare_run_text(&runs->rows[0], text, sizeof text);
        fprintf(out, "\nthe run's device time: %s\n", text);
        return;
    }
    for (size_t i = 0; i < runs->count; i++)
        changed += run_changed(&runs->rows[i]);
    if (runs->count > 0) {
        fprintf(out, "\nof %zu runs compared by their device time %zu took as long\n", runs->count,
                runs->count - changed);
    }
    for (size_t i = 0; i < runs->count && (diff->wide || shown < CHANGED_MAX); i++) {
        if (run_changed(&runs->rows[i])) {
            print_run(diff, runs, i, out);
            shown++;
        }
    }
    if (shown < changed)
        fprintf(out, "  ... %zu more (--wide shows all)\n", changed - shown);
}

/* The number of kernels whose times are of different work, or of the model on one side and a GPU on the
 * other. */
struct tally {
    size_t timed, other_work, other_clock;
};

static void print_head(const struct diff *diff, const struct changed *rows, size_t changed,
                       const struct tally *tally, FILE *out)
{
    size_t timed = tally->timed, apart = tally->other_work + tally->other_clock;
    size_t faster = 0;
    for (size_t i = 0; i < changed; i++)
        faster += rows[i].time.change.better > 0;
    fprintf(out, "\nof %zu kernel%s compared %zu became slower and %zu faster", diff->matches.count,
            diff->matches.count == 1 ? "" : "s", changed - faster, faster);
    if (timed > changed + apart) {
        fprintf(out, "; the times of %zu are the same, or within their launches' spread",
                timed - changed - apart);
    }
    if (tally->other_work > 0)
        fprintf(out, "; %zu did not do the same work", tally->other_work);
    if (tally->other_clock > 0)
        fprintf(out, "; of %zu one time is measured and one modelled", tally->other_clock);
    if (timed < diff->matches.count)
        fprintf(out, "; of %zu there are no two times", diff->matches.count - timed);
    putc('\n', out);
}

static void take_time(struct tally *tally, const struct diff *diff, const struct changed *row)
{
    struct compare_kernel a = diff_kernel(diff, row->match, 0), b = diff_kernel(diff, row->match, 1);
    bool timed = row->time.a.value.available && row->time.b.value.available;
    tally->timed += timed;
    if (timed && !row->time.alike)
        *(compare_work(&a, &b) == COMPARE_WORK_SAME ? &tally->other_clock : &tally->other_work) += 1;
}

/* Prints nothing if nothing was matched. STATUS_STATE: as diff_runs_make. */
static enum status diff_summary(const struct diff *diff, FILE *out, struct error *error)
{
    struct changed *rows = memory_zeroed(diff->matches.count + 1, sizeof *rows);
    size_t changed = 0;
    struct tally tally = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < diff->matches.count; i++) {
        struct changed *row = &rows[changed];
        row->match = &diff->matches.rows[i];
        row->time = diff_metric(diff, row->match, METRIC_time_ns);
        take_time(&tally, diff, row);
        changed += is_sure(&row->time);
    }
    if (diff->matches.count > 0) {
        qsort(rows, changed, sizeof *rows, compare_changes);
        struct diff_runs runs;
        status = diff_runs_make(&runs, diff, error);
        if (status == STATUS_OK) {
            print_runs(diff, &runs, out);
            print_head(diff, rows, changed, &tally, out);
        }
        diff_runs_fini(&runs);
    }
    /* of many, the worst and then the best */
    size_t half = diff->wide || changed <= CHANGED_MAX ? changed : CHANGED_MAX / 2;
    for (size_t i = 0; status == STATUS_OK && i < changed; i++) {
        if (i == half && changed > CHANGED_MAX && !diff->wide) {
            fprintf(out, "  ... %zu more (--wide shows all)\n", changed - CHANGED_MAX);
            i = changed - CHANGED_MAX / 2;
        }
        print_changed(diff, &rows[i], out);
    }
    free(rows);
    return status;
}

#define NAME_BYTES 1024
#define LISTED_MAX 8 /* the most kernels of a limit, or without a counterpart, that are named */

static void print_side(const struct diff *diff, int s, FILE *out)
{
    fprintf(out, "%c  ", 'A' + s);
    text_print(diff->sides[s].text, out);
    putc('\n', out);
}

static const struct shape_row *shape_of(const struct diff_side *side, uint32_t kernel)
{
    return session_shape(side->session, session_kernel(side->session, kernel)->shape);
}

static void print_kernel_name(const struct diff *diff, int s, uint32_t kernel, FILE *out)
{
    char name[NAME_BYTES];
    diff_kernel_name(diff, s, kernel, name, sizeof name);
    text_print(name, out);
}

typedef void side_text(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes);

static void shape_text(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct shape_row *shape = shape_of(side, kernel);
    snprintf(text, size_bytes, "%ux%ux%u blocks of %ux%ux%u", shape->grid[0], shape->grid[1], shape->grid[2],
             shape->block[0], shape->block[1], shape->block[2]);
}

/* "A's -> B's", or the value once if they are equal. */
static void print_both(const struct diff *diff, const struct compare_match *match, side_text *make, FILE *out)
{
    char text[2][NAME_BYTES];
    make(&diff->sides[0], match->a, text[0], sizeof text[0]);
    make(&diff->sides[1], match->b, text[1], sizeof text[1]);
    text_print(text[0], out);
    if (strcmp(text[0], text[1]) != 0) {
        fputs(" -> ", out);
        text_print(text[1], out);
    }
}

/* Why nothing is called better or worse. */
static void print_work(const struct diff *diff, const struct compare_match *match, FILE *out)
{
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    char text[300];
    compare_work_difference(&a, &b, text, sizeof text);
    if (*text)
        fprintf(out, "  not the same work: %s\n", text);
    else if (!compare_same_clock(&a, &b))
        fputs("  measured beside modelled: times and rates are not compared\n", out);
}

static void print_match(const struct diff *diff, const struct compare_match *match, FILE *out)
{
    const char *names[] = {session_string(diff->sides[0].session, shape_of(&diff->sides[0], match->a)->name),
                           session_string(diff->sides[1].session, shape_of(&diff->sides[1], match->b)->name)};
    putc('\n', out);
    print_kernel_name(diff, 0, match->a, out);
    if (strcmp(names[0], names[1]) != 0) {
        fputs(" -> ", out);
        print_kernel_name(diff, 1, match->b, out);
    }
    fputs("  ", out);
    print_both(diff, match, shape_text, out);
    if (match->how != COMPARE_BY_SHAPE)
        fprintf(out, "  (matched: %s)", compare_how_text(match->how));
    fputs("\n  ", out);
    print_both(diff, match, diff_side_run_name, out);
    fputs(", ", out);
    print_both(diff, match, diff_side_device, out);
    putc('\n', out);
    print_work(diff, match, out);
}

/* Was it expected from rules or from the launch alone, on both sides? */
static bool is_expected(const struct compare_metric *compared)
{
    return compared->a.value.provenance == PROVENANCE_EXPECTED &&
           compared->b.value.provenance == PROVENANCE_EXPECTED;
}

/* "better", and how sure that is. */
static void print_judgement(const struct compare_metric *compared, FILE *out)
{
    int better = compared->change.better;
    const char *word = better > 0 ? "better" : better < 0 ? "worse" : "";
    const char *comma = better ? ", " : "";
    if (!compared->alike)
        return;
    switch (compared->weight) {
    case COMPARE_CERTAIN: fputs(word, out); break;
    case COMPARE_BEYOND:
        fprintf(out, "%s%sbeyond the launches' spread (p %.2g)", word, comma, compared->chance);
        break;
    case COMPARE_WITHIN: fprintf(out, "within the launches' spread (p %.2g)", compared->chance); break;
    case COMPARE_TOO_FEW:
        fprintf(out, "%s%s%u and %u launches are too few to tell", word, better ? "? " : "", compared->a.n,
                compared->b.n);
        break;
    case COMPARE_UNKNOWN:
    case COMPARE_EQUAL:
    case COMPARE_WEIGHT_COUNT: break;
    }
}

static void print_row(enum metric metric, const char *title, const struct compare_metric *compared, FILE *out)
{
    char a[40], b[40], difference[42] = "n/a", ratio[24] = "n/a";
    const struct compare_change *change = &compared->change;
    metric_format(metric, &compared->a.value, a, sizeof a);
    metric_format(metric, &compared->b.value, b, sizeof b);
    if (change->known) {
        metric_format_change(metric, change->difference, 13, difference, sizeof difference);
        if (change->has_ratio)
            metric_format_relative(change->ratio, ratio, sizeof ratio);
    }
    fprintf(out, "  %-36s %14s %14s %13s %9s  ", title, a, b, difference, ratio);
    print_judgement(compared, out);
    if (is_expected(compared))
        fputs(" (expected)", out);
    putc('\n', out);
}

static bool match_differs(const struct diff *diff, const struct compare_match *match)
{
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        if (metric_info(metric)->group == METRIC_GROUP_OLD)
            continue;
        struct compare_metric compared = diff_metric(diff, match, metric);
        if (compare_differs(&compared))
            return true;
    }
    return false;
}

/* The comparison for different launches: all of them together. */
static void print_sums(const struct diff *diff, const struct compare_match *match, FILE *out)
{
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    bool any = false;
    for (enum metric metric = 0; metric < METRIC_COUNT && compare_work(&a, &b) != COMPARE_WORK_SAME;
         metric++) {
        struct compare_sums sums = compare_sums(&a, &b, metric);
        struct compare_metric row = {
            .a.value = {.available = true, .number = sums.sums[0], .provenance = compare_own(&a)},
            .b.value = {.available = true, .number = sums.sums[1], .provenance = compare_own(&b)},
            .change = sums.change,
            .weight = COMPARE_CERTAIN,
            .alike = true};
        if (!sums.change.known || (sums.change.difference == 0 && !diff->wide && metric != METRIC_time_ns))
            continue;
        fputs(any ? "" : "  all launches together\n", out);
        any = true;
        print_row(metric, metric == METRIC_time_ns ? "time, summed" : metric_info(metric)->title, &row, out);
    }
}

static void print_metrics(const struct diff *diff, const struct compare_match *match, FILE *out)
{
    struct compare_metric compared[METRIC_COUNT];
    enum metric order[METRIC_COUNT];
    unsigned equal = 0;
    int differing;
    fprintf(out, "  %-36s %14s %14s %13s %9s\n", "",
            provenance_text(compare_own(&(struct compare_kernel){diff->sides[0].index, match->a})),
            provenance_text(compare_own(&(struct compare_kernel){diff->sides[1].index, match->b})), "B - A",
            "change");
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        compared[metric] = diff_metric(diff, match, metric);
    int count = compare_order(compared, NULL, order, &differing);
    for (int i = 0; i < count; i++) {
        enum metric metric = order[i];
        if (metric_info(metric)->group == METRIC_GROUP_OLD && !diff->wide)
            continue; /* the same again by other names */
        if (i < differing || diff->wide)
            print_row(metric, metric_info(metric)->title, &compared[metric], out);
        else
            equal += !compare_bounded_alike(&compared[metric]);
    }
    if (equal > 0)
        fprintf(out, "  %u more %s the same (--wide shows them)\n", equal, equal == 1 ? "is" : "are");
    print_sums(diff, match, out);
}

/* ---- limits ---- */
static void print_limit_values(const struct diff *diff, size_t limit, size_t match, FILE *out)
{
    const struct compare_match *row = &diff->matches.rows[match];
    enum metric metric = diff->limits[limit].metric;
    struct compare_metric compared = diff_metric(diff, row, metric);
    char a[40], b[40];
    fputs("    ", out);
    print_kernel_name(diff, 1, row->b, out);
    fputs(", ", out);
    print_both(diff, row, diff_side_run_name, out);
    metric_format(metric, &compared.a.value, a, sizeof a);
    metric_format(metric, &compared.b.value, b, sizeof b);
    fprintf(out, ": %s, was %s%s\n", b, a, is_expected(&compared) ? " (expected)" : "");
}

static void print_limit(const struct diff *diff, size_t limit, FILE *out)
{
    size_t counts[LIMIT_STATE_COUNT] = {0}, listed = 0;
    for (size_t match = 0; match < diff->matches.count; match++)
        counts[diff_state(diff, limit, match)]++;
    fputs("  ", out);
    text_print(diff->limits[limit].text, out);
    fprintf(out, "  %s: %s by %zu of %zu", diff_limit(diff, limit) == LIMIT_KEPT ? "ok" : "FAILED",
            counts[LIMIT_BROKEN] > 0 ? "broken" : "kept",
            counts[LIMIT_BROKEN] > 0 ? counts[LIMIT_BROKEN] : counts[LIMIT_KEPT], diff->matches.count);
    if (counts[LIMIT_UNCHECKED] > 0)
        fprintf(out, ", could not be checked for %zu", counts[LIMIT_UNCHECKED]);
    putc('\n', out);
    for (size_t match = 0; match < diff->matches.count && listed <= LISTED_MAX; match++) {
        if (diff_state(diff, limit, match) != LIMIT_BROKEN)
            continue;
        if (listed++ < LISTED_MAX)
            print_limit_values(diff, limit, match, out);
        else
            fputs("    ...\n", out);
    }
}

/* ---- what was not compared ---- */
static void print_only(const struct diff *diff, int s, FILE *out)
{
    size_t count = diff->matches.only_count[s];
    if (count == 0)
        return;
    fprintf(out, "\nonly in %c: %zu %s\n", 'A' + s, count, count == 1 ? "kernel" : "kernels");
    for (size_t i = 0; i < count && (diff->wide || i < LISTED_MAX); i++) {
        char run[NAME_BYTES];
        fputs("  ", out);
        print_kernel_name(diff, s, diff->matches.only[s][i], out);
        diff_side_run_name(&diff->sides[s], diff->matches.only[s][i], run, sizeof run);
        fputs(", ", out);
        text_print(run, out);
        putc('\n', out);
    }
    if (!diff->wide && count > LISTED_MAX)
        fputs("  ... (--wide shows all)\n", out);
}

static void print_nothing(const struct diff *diff, FILE *out)
{
    fputs("\nNothing could be compared: no kernel of A has a counterpart in B.\n", out);
    for (int s = 0; s < 2; s++) {
        char works[400];
        diff_side_works(&diff->sides[s], works, sizeof works);
        fprintf(out, "  %c's recording has: ", 'A' + s);
        text_print(*works ? works : "no runs", out);
        putc('\n', out);
    }
}

enum status diff_table(const struct diff *diff, FILE *out, struct error *error)
{
    print_side(diff, 0, out);
    print_side(diff, 1, out);
    size_t same = 0;
    enum status status = diff_summary(diff, out, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < diff->matches.count; i++) {
        const struct compare_match *match = &diff->matches.rows[i];
        bool shown = diff->wide || match_differs(diff, match);
        same += !shown;
        if (shown) {
            print_match(diff, match, out);
            print_metrics(diff, match, out);
        }
    }
    if (same > 0) {
        fprintf(out, "\n%zu kernel%s the same in all that was counted and timed (--wide shows %s)\n", same,
                same == 1 ? " is" : "s are", same == 1 ? "it" : "them");
    }
    print_only(diff, 0, out);
    print_only(diff, 1, out);
    if (diff->matches.count == 0)
        print_nothing(diff, out);
    if (diff->limit_count > 0 && diff->matches.count > 0) {
        fputs("\nlimits\n", out);
        for (size_t i = 0; i < diff->limit_count; i++)
            print_limit(diff, i, out);
    }
    return STATUS_OK;
}
