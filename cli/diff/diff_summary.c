/*
 * The matches whose time changed, sorted by the time lost, each with the counts that changed most. Constants
 * limit how many of both are printed.
 */
#include "cli/diff/diff_summary.h"

#include "cli/output/memory.h"
#include "tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_MAX 12
#define CHANGES_MAX 3
#define NAME_CELLS 60

/* Counts that can explain a change of time, in the order of printing. */
static const enum metric counts[] = {
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
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && printed < CHANGES_MAX; i++) {
        struct compare_metric compared = diff_metric(diff, match, counts[i]);
        char a[40], b[40];
        if (!is_sure(&compared))
            continue;
        metric_format(counts[i], &compared.a.value, a, sizeof a);
        metric_format(counts[i], &compared.b.value, b, sizeof b);
        fprintf(out, "%s%s %s -> %s", printed++ == 0 ? "      with " : ", ", metric_info(counts[i])->title, a,
                b);
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
    for (size_t i = 0; i < runs->count && (diff->wide || shown < LISTED_MAX); i++) {
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

enum status diff_summary(const struct diff *diff, FILE *out, struct error *error)
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
    size_t half = diff->wide || changed <= LISTED_MAX ? changed : LISTED_MAX / 2;
    for (size_t i = 0; status == STATUS_OK && i < changed; i++) {
        if (i == half && changed > LISTED_MAX && !diff->wide) {
            fprintf(out, "  ... %zu more (--wide shows all)\n", changed - LISTED_MAX);
            i = changed - LISTED_MAX / 2;
        }
        print_changed(diff, &rows[i], out);
    }
    free(rows);
    return status;
}
