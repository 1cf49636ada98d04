#include "cli/diff_summary.h"

#include "tui/text.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_MAX 12
#define CHANGES_MAX 3
#define NAME_CELLS 60

/* What a change of time goes with, in the order in which it is told. */
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

/* What lost most time first, what won most last. */
static int compare_changes(const void *a, const void *b)
{
    double left = ((const struct changed *)a)->time.change.difference,
           right = ((const struct changed *)b)->time.change.difference;
    return left > right ? -1 : left < right;
}

static void print_name(const struct diff *diff, int s, uint32_t kernel, FILE *out)
{
    const struct session *session = diff->sides[s].session;
    char name[1024], run[400], text[1500], shown[1500];
    kernel_display_name(
        session_string(session, session_shape(session, session_kernel(session, kernel)->shape)->name),
        !diff->wide, name, sizeof name);
    diff_side_run_name(&diff->sides[s], kernel, run, sizeof run);
    snprintf(text, sizeof text, "%s, %s", name, run);
    text_shorten(text, diff->wide ? (int)sizeof shown : NAME_CELLS, shown, sizeof shown);
    text_print(shown, out);
}

static enum status print_counts(const struct diff *diff, const struct compare_match *match, FILE *out,
                                struct error *error)
{
    int printed = 0;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && printed < CHANGES_MAX; i++) {
        struct compare_metric compared;
        char a[40], b[40];
        enum status status = diff_metric(diff, match, counts[i], &compared, error);
        if (status != STATUS_OK) {
            return status;
        }
        if (!is_sure(&compared)) {
            continue;
        }
        metric_format(counts[i], &compared.a.value, a, sizeof a);
        metric_format(counts[i], &compared.b.value, b, sizeof b);
        fprintf(out, "%s%s %s -> %s", printed++ == 0 ? "      with " : ", ", metric_info(counts[i])->title, a,
                b);
    }
    if (printed > 0) {
        putc('\n', out);
    }
    return STATUS_OK;
}

static enum status print_changed(const struct diff *diff, const struct changed *changed, FILE *out,
                                 struct error *error)
{
    char a[40], b[40], ratio[40] = "n/a";
    metric_format(METRIC_time_ns, &changed->time.a.value, a, sizeof a);
    metric_format(METRIC_time_ns, &changed->time.b.value, b, sizeof b);
    if (changed->time.change.has_ratio) {
        metric_format_ratio(changed->time.change.ratio, 4, ratio, sizeof ratio);
    }
    fprintf(out, "  %9s -> %9s %9s %s  ", a, b, ratio, changed->time.change.better > 0 ? "faster" : "slower");
    print_name(diff, 1, changed->match->b, out);
    putc('\n', out);
    return print_counts(diff, changed->match, out, error);
}

static void print_head(const struct diff *diff, const struct changed *rows, size_t changed, size_t timed,
                       FILE *out)
{
    size_t faster = 0;
    for (size_t i = 0; i < changed; i++) {
        faster += rows[i].time.change.better > 0;
    }
    fprintf(out, "\nof %zu kernel%s compared %zu became slower and %zu faster", diff->matches.count,
            diff->matches.count == 1 ? "" : "s", changed - faster, faster);
    if (timed > changed) {
        fprintf(out, "; the times of %zu are the same, or within their launches' spread", timed - changed);
    }
    if (timed < diff->matches.count) {
        fprintf(out, "; of %zu there are no two times", diff->matches.count - timed);
    }
    putc('\n', out);
}

enum status diff_summary(const struct diff *diff, FILE *out, struct error *error)
{
    struct changed *rows = calloc(diff->matches.count + 1, sizeof *rows);
    size_t changed = 0, timed = 0;
    enum status status = STATUS_OK;
    if (!rows) {
        return error_set(error, STATUS_MEMORY, "There is not enough memory to sum up the comparison.");
    }
    for (size_t i = 0; status == STATUS_OK && i < diff->matches.count; i++) {
        struct changed *row = &rows[changed];
        row->match = &diff->matches.rows[i];
        status = diff_metric(diff, row->match, METRIC_time_ns, &row->time, error);
        if (status == STATUS_OK) {
            timed += row->time.a.value.available && row->time.b.value.available;
            changed += is_sure(&row->time);
        }
    }
    if (status == STATUS_OK && diff->matches.count > 0) {
        qsort(rows, changed, sizeof *rows, compare_changes);
        print_head(diff, rows, changed, timed, out);
    }
    /* of many the worst, and then the best */
    size_t half = diff->wide || changed <= LISTED_MAX ? changed : LISTED_MAX / 2;
    for (size_t i = 0; status == STATUS_OK && i < changed; i++) {
        if (i == half && changed > LISTED_MAX && !diff->wide) {
            fprintf(out, "  ... %zu more (--wide shows all)\n", changed - LISTED_MAX);
            i = changed - LISTED_MAX / 2;
        }
        status = print_changed(diff, &rows[i], out, error);
    }
    free(rows);
    return status;
}
