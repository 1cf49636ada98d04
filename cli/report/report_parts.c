/*
 * Each table is a list of columns and a function that gives its rows. Times of the device model are never in
 * one table with a GPU's: as text they follow under a line that says so, as CSV they have a column.
 */
#include "cli/report/report.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_name.h"
#include "cli/report/data/report_ranges.h"
#include "cli/report/data/report_steps.h"
#include "cli/report/report_columns.h"
#include "cli/report/report_runs.h"
#include "cli/report/report_stacks.h"
#include "core/analysis/launch_sites.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct printing {
    const struct report_data *data;
    struct columns columns;
    struct report_times operations[CLOCK_COUNT]; /* of the tables of copies and calls */
};

static const char *const clocks[CLOCK_COUNT] = {[CLOCK_WALL] = "wall", [CLOCK_MODEL] = "model"};

/* clang-format off */
#define SPREAD_COLUMNS                                                                        \
    {"total", "total_ns", COLUMN_TIME, 7}, {"calls", "count", COLUMN_COUNT, 7},               \
    {"mean", "mean_ns", COLUMN_TIME, 7}, {"median", "median_ns", COLUMN_TIME, 7},             \
    {"std dev", "deviation_ns", COLUMN_TIME, 7}, {"min", "min_ns", COLUMN_TIME, 7},           \
    {"max", "max_ns", COLUMN_TIME, 7}
/* clang-format on */
#define SPREAD_CELLS 7
#define CLOCK_COLUMN                \
    {                               \
        "", "clock", COLUMN_TEXT, 0 \
    }

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void fill_spread(struct cell *cells, const struct report_sum *sum, bool known)
{
    double count = (double)sum->count;
    const double numbers[SPREAD_CELLS] = {(double)sum->total_ns,
                                          count,
                                          count > 0 ? (double)sum->total_ns / count : NAN,
                                          known ? sum->median_ns : NAN,
                                          known ? sum->deviation_ns : NAN,
                                          (double)sum->min_ns,
                                          (double)sum->max_ns};
    for (int i = 0; i < SPREAD_CELLS; i++)
        cells[i].number = numbers[i];
}

/* Prints a heading before the first row of a clock. */
static void begin_clock(const struct printing *printing, enum clock_kind clock, bool *begun)
{
    if (*begun)
        return;
    *begun = true;
    if (printing->columns.csv)
        return;
    if (clock == CLOCK_MODEL)
        fputs("modelled:\n", printing->columns.out);
    columns_head(&printing->columns);
}

/* ---- kernels, copies, calls ---- */
static const struct column kernel_columns[] = {CLOCK_COLUMN,
                                               {"GPU time", "share", COLUMN_SHARE, 8},
                                               SPREAD_COLUMNS,
                                               {"kernel", "name", COLUMN_TEXT, 20}};

static void print_kernels(const struct printing *printing)
{
    const struct report_data *data = printing->data;
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++) {
        const struct report_times *times = &data->times[clock];
        bool begun = false;
        for (size_t i = 0; i < times->kernel_count; i++) {
            const struct report_named *kernel = &times->kernels[i];
            struct cell cells[COLUMNS_MAX] = {{.text = clocks[clock]}};
            struct report_sum launches;
            char name[400];
            if (!report_wants_name(data->names, data->session, kernel->name, data->kernels))
                continue;
            begin_clock(printing, clock, &begun);
            bool known = report_launches(data, kernel->name, clock, &launches);
            cells[1].number =
                share_of((double)kernel->sum.total_ns, data->evicted ? 0 : (double)times->gpu_ns);
            fill_spread(&cells[2], known ? &launches : &kernel->sum, known);
            cells[2 + SPREAD_CELLS].text = session_string(data->session, kernel->name);
            if (columns_left(&printing->columns) > 0 && !printing->columns.csv) {
                report_name_shorten(data, session_string(data->session, kernel->name),
                                    columns_left(&printing->columns), false, name, sizeof name);
                cells[2 + SPREAD_CELLS].text = name;
            }
            columns_row(&printing->columns, cells);
        }
    }
}

static const struct column copy_columns[] = {CLOCK_COLUMN,
                                             {"", "kind", COLUMN_TEXT, 0},
                                             {"", "host_memory", COLUMN_TEXT, 0},
                                             {"bytes", "bytes", COLUMN_BYTES, 7},
                                             {"rate", "bytes_per_second", COLUMN_RATE, 9},
                                             SPREAD_COLUMNS,
                                             {"copies and sets", NULL, COLUMN_TEXT, 20}};

static void print_copies(const struct printing *printing)
{
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++) {
        const struct report_times *times = &printing->operations[clock];
        bool begun = false;
        for (size_t i = 0; i < times->copy_count; i++) {
            const struct report_copy *copy = &times->copies[i];
            const struct report_sum *sum = &copy->sum;
            struct cell cells[COLUMNS_MAX] = {{.text = clocks[clock]}};
            begin_clock(printing, clock, &begun);
            char text[80];
            snprintf(text, sizeof text, "%s%s%s", report_copy_text(copy->kind),
                     copy->host == COPY_HOST_NONE ? "" : ", ",
                     copy->host == COPY_HOST_NONE ? "" : copy_host_text(copy->host));
            cells[5 + SPREAD_CELLS].text = text;
            cells[1].text = report_copy_id(copy->kind);
            cells[2].text = copy_host_text(copy->host);
            cells[3].number = (double)sum->bytes;
            cells[4].number = copy->host == COPY_HOST_STAGED || sum->total_ns <= 0 /* times of a piece */
                                  ? NAN
                                  : (double)sum->bytes / ((double)sum->total_ns * 1e-9);
            fill_spread(&cells[5], sum, true);
            columns_row(&printing->columns, cells);
        }
    }
}

static const struct column call_columns[] = {
    CLOCK_COLUMN, {"API time", "share", COLUMN_SHARE, 8}, SPREAD_COLUMNS, {"call", "name", COLUMN_TEXT, 20}};

static void print_calls(const struct printing *printing)
{
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++) {
        const struct report_times *times = &printing->operations[clock];
        bool begun = false;
        for (size_t i = 0; i < times->call_count; i++) {
            const struct report_sum *sum = &times->calls[i].sum;
            struct cell cells[COLUMNS_MAX] = {{.text = clocks[clock]}};
            begin_clock(printing, clock, &begun);
            cells[1].number = share_of((double)sum->total_ns, (double)times->call_ns);
            fill_spread(&cells[2], sum, true);
            cells[2 + SPREAD_CELLS].text = session_string(printing->data->session, times->calls[i].name);
            columns_row(&printing->columns, cells);
        }
    }
}

/* ---- ranges ---- */
static const struct column range_columns[] = {{"GPU sum", "device_ns", COLUMN_TIME, 7},
                                              {"projected", "projected_ns", COLUMN_TIME, 9},
                                              {"GPU ops", "operations", COLUMN_COUNT, 7},
                                              SPREAD_COLUMNS,
                                              {"", "depth", COLUMN_COUNT, 0},
                                              {"range", "name", COLUMN_TEXT, 18}};

static enum status print_ranges(const struct printing *printing, struct error *error)
{
    struct report_ranges ranges;
    enum status status = report_ranges_make(&ranges, printing->data->session, NONE, error);
    if (status == STATUS_OK && !printing->columns.csv && ranges.count > 0)
        columns_head(&printing->columns);
    for (size_t i = 0; status == STATUS_OK && i < ranges.count; i++) {
        const struct report_range *range = &ranges.items[i];
        struct cell cells[COLUMNS_MAX] = {{.number = (double)range->device_ns},
                                          {.number = (double)range->projected_ns},
                                          {.number = (double)range->operations}};
        char name[600];
        int indent = printing->columns.csv ? 0 : 2 * (int)(range->depth < 10 ? range->depth : 10);
        snprintf(name, sizeof name, "%*s%s", indent, "", range->name);
        fill_spread(&cells[3], &range->sum, true);
        cells[3 + SPREAD_CELLS].number = range->depth;
        cells[4 + SPREAD_CELLS].text = name;
        columns_row(&printing->columns, cells);
    }
    report_ranges_fini(&ranges);
    return status;
}

/* ---- steps ---- */
static const struct column step_columns[] = {
    {"step", "step", COLUMN_COUNT, 6},
    {"start", "start_ns", COLUMN_TIME, 9},
    {"time", "time_ns", COLUMN_TIME, 9},
    {"kernels", "kernels_ns", COLUMN_TIME, 9},
    {"copies", "copies_ns", COLUMN_TIME, 9},
    {"idle", "idle_ns", COLUMN_TIME, 9},
    {"", "differs_ns", COLUMN_TIME, 0},
    {"outliers: what differs from a mean step", "differs_in", COLUMN_TEXT, 20}};

static void print_step(const struct printing *printing, const struct report_step *step, size_t index)
{
    char text[200] = "";
    int64_t idle_ns = 0;
    for (int part = PARTITION_IDLE_FIRST; part < PARTITION_COUNT; part++)
        idle_ns += step->ns[part];
    if (step->outlier && printing->columns.csv)
        snprintf(text, sizeof text, "%s", partition_class_id(step->differs_in));
    else if (step->outlier && step->known)
        snprintf(text, sizeof text, "%s%s: %s", step->differs_ns < 0 ? "-" : "+",
                 number_time(llabs(step->differs_ns)).text, partition_class_text(step->differs_in));
    else if (step->outlier)
        snprintf(text, sizeof text, "outlier");
    const struct cell cells[] = {
        {.number = (double)index},
        {.number = (double)step->start_ns},
        {.number = (double)step->time_ns},
        {.number =
             step->known ? (double)step->ns[PARTITION_KERNEL] + (double)step->ns[PARTITION_COLLECTIVE] : NAN},
        {.number = step->known ? (double)step->ns[PARTITION_COPY] : NAN},
        {.number = step->known ? (double)idle_ns : NAN},
        {.number = step->outlier && step->known ? (double)step->differs_ns : NAN},
        {.text = text}};
    columns_row(&printing->columns, cells);
}

static enum status print_steps(const struct printing *printing, struct error *error)
{
    const struct report_data *data = printing->data;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < data->run_count; i++) {
        const struct report_facts *facts;
        struct report_steps steps;
        if (data->runs[i].runs[RUN_TRACE] == NONE)
            continue;
        status = report_facts(data, &data->runs[i], &facts, error);
        if (status == STATUS_OK)
            status = report_steps_make(&steps, data->session, facts, error);
        if (status != STATUS_OK || steps.count == 0)
            continue;
        if (!printing->columns.csv) {
            size_t outliers = 0;
            for (size_t k = 0; k < steps.count; k++)
                outliers += steps.items[k].outlier;
            report_name_print(data, &data->runs[i], NONE, printing->columns.out, false);
            fprintf(printing->columns.out, "\n%s steps of %s launches, %zu outlier%s\n",
                    number_exact((int64_t)steps.count).text,
                    number_exact((int64_t)facts->figures.steps.launches).text, outliers,
                    outliers == 1 ? "" : "s");
            fprintf(printing->columns.out, "median %s, mean %s, std dev %s, min %s, max %s\n",
                    number_time((int64_t)steps.sum.median_ns).text,
                    number_time(steps.sum.total_ns / (int64_t)steps.count).text,
                    number_time((int64_t)steps.sum.deviation_ns).text, number_time(steps.sum.min_ns).text,
                    number_time(steps.sum.max_ns).text);
            columns_head(&printing->columns);
        }
        for (size_t k = 0; k < steps.count; k++)
            print_step(printing, &steps.items[k], k);
        report_steps_fini(&steps);
    }
    return status;
}

/* ---- idle time ---- */
struct idle {
    enum partition_class part;
    char name[400];
    int64_t ns;
    uint64_t times;
};

struct idles {
    struct idle *items;
    size_t count, capacity;
    int64_t span_ns;
};

static void take_idle(struct idles *idles, const struct session *session, const struct partition *partition)
{
    idles->span_ns = session_add_ns(idles->span_ns, partition_span_ns(partition));
    for (uint32_t i = 0; i < partition->blame_count; i++) {
        const struct partition_blame *blame = &partition->blames[i];
        struct idle idle = {.part = (enum partition_class)blame->part};
        size_t at = 0;
        partition_blame_name(session, blame, idle.name, sizeof idle.name);
        while (at < idles->count &&
               (idles->items[at].part != idle.part || strcmp(idles->items[at].name, idle.name) != 0))
            at++;
        if (at == idles->count) {
            memory_grow(idles->items, idles->capacity, idles->count, 1);
            idles->items[idles->count++] = idle;
        }
        idles->items[at].ns = session_add_ns(idles->items[at].ns, blame->ns);
        idles->items[at].times += blame->times;
    }
}

static int compare_idles(const void *a, const void *b)
{
    const struct idle *left = a, *right = b;
    return (left->ns < right->ns) - (left->ns > right->ns);
}

static const struct column idle_columns[] = {{"", "of", COLUMN_TEXT, 0},
                                             {"share", "share", COLUMN_SHARE, 8},
                                             {"total", "total_ns", COLUMN_TIME, 9},
                                             {"times", "times", COLUMN_COUNT, 7},
                                             {"mean", "mean_ns", COLUMN_TIME, 9},
                                             {"what the host did", "class", COLUMN_TEXT, 36},
                                             {"call, code or range", "name", COLUMN_TEXT, 24}};

static void print_idles(const struct printing *printing, struct idles *idles, const char *of)
{
    if (idles->count > 1)
        qsort(idles->items, idles->count, sizeof *idles->items, compare_idles);
    if (!printing->columns.csv && idles->count > 0) {
        fprintf(printing->columns.out, "idle time of %s, %s:\n", of, number_time(idles->span_ns).text);
        columns_head(&printing->columns);
    }
    for (size_t i = 0; i < idles->count; i++) {
        const struct idle *idle = &idles->items[i];
        const char *text = partition_class_text(idle->part);
        const struct cell cells[] = {
            {.text = of},
            {.number = share_of((double)idle->ns, (double)idles->span_ns)},
            {.number = (double)idle->ns},
            {.number = (double)idle->times},
            {.number = idle->times > 0 ? (double)idle->ns / (double)idle->times : NAN},
            {.text = printing->columns.csv             ? partition_class_id(idle->part)
                     : strncmp(text, "idle: ", 6) == 0 ? text + 6
                                                       : text},
            {.text = printing->columns.csv || idle->name[0] ? idle->name : "-"}};
        columns_row(&printing->columns, cells);
    }
    free(idles->items);
}

/* First the runs with steps, over their steps, then whole runs, from the first operation to the last. */
static enum status print_idle(const struct printing *printing, struct error *error)
{
    const struct report_data *data = printing->data;
    struct idles of_steps = {0}, of_runs = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < data->run_count; i++) {
        const struct report_facts *facts;
        if (data->runs[i].runs[RUN_TRACE] == NONE)
            continue;
        status = report_facts(data, &data->runs[i], &facts, error);
        for (size_t k = 0; status == STATUS_OK && k < facts->time.count; k++)
            take_idle(&of_runs, data->session, &facts->time.items[k]);
        for (size_t k = 0; status == STATUS_OK && k < facts->steps_time.count; k++)
            take_idle(&of_steps, data->session, &facts->steps_time.items[k]);
    }
    print_idles(printing, &of_steps, "steps");
    if (!printing->columns.csv && of_steps.span_ns > 0)
        putc('\n', printing->columns.out);
    print_idles(printing, &of_runs, "runs");
    return status;
}

static const struct column stack_columns[] = {{"total", "total_ns", COLUMN_TIME, 9},
                                              {"count", "count", COLUMN_COUNT, 9},
                                              {"called at", "called_at", COLUMN_TEXT, 60},
                                              {"", "callers", COLUMN_TEXT, 0}};

/* Text has one line per caller, which columns cannot show. */
static void print_stacks(const struct printing *printing)
{
    const struct report_data *data = printing->data;
    struct launch_sites sites;
    if (!printing->columns.csv) {
        report_stacks_table(data, printing->columns.out, printing->columns.width == 0);
        ++*printing->columns.rows; /* it says itself if there are none */
        return;
    }
    memory_check(launch_sites_make(data->session, NONE, NONE, &sites, NULL));
    for (size_t i = 0; i < sites.count; i++) {
        const struct launch_site *site = &sites.sites[i];
        char place[2600], callers[8000] = "", caller[2600];
        size_t used = 0;
        session_stack_text(data->session, site->stack, place, sizeof place);
        for (uint32_t at = session_stack(data->session, site->stack)->caller; at != NONE;
             at = session_stack(data->session, at)->caller) {
            session_stack_text(data->session, at, caller, sizeof caller);
            append_text(callers, sizeof callers, &used, "%s%s", used > 0 ? " < " : "", caller);
        }
        const struct cell cells[] = {{.number = (double)site->total_ns},
                                     {.number = (double)site->launches},
                                     {.text = place},
                                     {.text = callers}};
        columns_row(&printing->columns, cells);
    }
    launch_sites_fini(&sites);
}

/* ---- all of them ---- */
static const struct {
    const char *id;
    const struct column *columns;
    int count;
} parts[] = {
#define PART(name, id, list) \
    [REPORT_PART_##name] = {id, list##_columns, (int)(sizeof list##_columns / sizeof *list##_columns)}
    PART(KERNELS, "kernels", kernel), PART(COPIES, "copies", copy), PART(CALLS, "calls", call),
    PART(RANGES, "ranges", range),    PART(STEPS, "steps", step),   PART(IDLE, "idle", idle),
    PART(STACKS, "stacks", stack),
};

bool report_part_find(const char *id, enum report_part *part)
{
    for (int i = 0; i < REPORT_PART_COUNT; i++) {
        if (strcmp(parts[i].id, id) == 0) {
            *part = (enum report_part)i;
            return true;
        }
    }
    return false;
}

enum status report_part_print(const struct session *session, const char *kernels, enum report_part part,
                              bool csv, int columns, FILE *out, struct error *error)
{
    struct report_data data;
    size_t rows = 0;
    struct printing printing = {.data = &data,
                                .columns = {.items = parts[part].columns,
                                            .count = parts[part].count,
                                            .width = columns,
                                            .csv = csv,
                                            .out = out,
                                            .rows = &rows}};
    if (kernels && part != REPORT_PART_KERNELS)
        return error_set(error, STATUS_USAGE,
                         "--kernel limits --table kernels; the table of %s has no kernels.", parts[part].id);
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    if (part == REPORT_PART_COPIES || part == REPORT_PART_CALLS)
        status = report_operations(session, NONE, printing.operations, error);
    if (status == STATUS_OK && csv)
        columns_head(&printing.columns);
    if (status == STATUS_OK) {
        switch (part) {
        case REPORT_PART_KERNELS: print_kernels(&printing); break;
        case REPORT_PART_COPIES: print_copies(&printing); break;
        case REPORT_PART_CALLS: print_calls(&printing); break;
        case REPORT_PART_RANGES: status = print_ranges(&printing, error); break;
        case REPORT_PART_STEPS: status = print_steps(&printing, error); break;
        case REPORT_PART_IDLE: status = print_idle(&printing, error); break;
        case REPORT_PART_STACKS: print_stacks(&printing); break;
        case REPORT_PART_COUNT: break;
        }
    }
    if (status == STATUS_OK && rows == 0 && !csv)
        fprintf(out, "%s: none in this recording\n", parts[part].id);
    for (size_t clock = 0; clock < CLOCK_COUNT; clock++)
        report_times_fini(&printing.operations[clock]);
    report_data_fini(&data);
    return status == STATUS_OK ? report_flush(out, error) : status;
}
