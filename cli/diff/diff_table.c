/* The comparison as text: the differences of each kernel, then the limits, then what was not compared. */
#include "cli/diff/diff.h"
#include "cli/diff/diff_summary.h"

#include "core/base/mann_whitney.h"
#include "tui/terminal/text.h"

#include <string.h>

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
