/* One table of factors gives the columns; shares come from core/analysis/amdahl.h. */
#include "cli/report/report_amdahl.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"
#include "cli/report/report_sheets.h"
#include "core/analysis/amdahl.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <string.h>

#define TABLE_ROWS 5
#define NAME_CELLS 41

static const struct {
    const char *id;
    double factor; /* 0: no end to it */
} factors[] = {{"2x", 2}, {"10x", 10}, {"infinite", 0}};
#define FACTORS (sizeof factors / sizeof factors[0])

static double speedup_of(const struct amdahl_share *share, int64_t whole_ns, size_t which)
{
    double factor = factors[which].factor > 0 ? factors[which].factor : (double)INFINITY;
    return amdahl_speedup(share->alone_ns, whole_ns, factor);
}

/* ---- the sheet ---- */
/* clang-format off */
static const struct sheet_column columns[] = {
    {"run", "run", "row of the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"kernel", NULL, "the kernel in the sheet of shapes", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"of", "of the", "the whole that gets faster", SHEET_TEXT, SHEET_NEITHER, 13, 0, false},
    {"whole_ns", "whole", "its length", SHEET_TIME, SHEET_NEITHER, 9, 2, true},
    {"busy_ns", "busy", "time in which the kernel ran", SHEET_TIME, SHEET_LESS, 9, 3, true},
    {"alone_ns", "alone", "of that, the time in which nothing else ran", SHEET_TIME, SHEET_LESS, 9, 0, true},
    {"share", "p", "time alone by the whole", SHEET_SHARE, SHEET_LESS, 8, 0, false},
    {"gain_2x", "2x", "by how much the whole gets faster if the kernel does by 2", SHEET_RATIO, SHEET_MORE, 8, 0, false},
    {"gain_10x", "10x", "the same for 10", SHEET_RATIO, SHEET_MORE, 8, 0, false},
    {"gain_infinite", "infinite", "the same for a kernel that takes no time; null: no limit", SHEET_RATIO, SHEET_MORE, 8, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 12, 0, false}};
static const struct {
    const char *id;
    enum run_time time;
} wholes[] = {{"device_time", RUN_TIME_DEVICE}, {"run", RUN_TIME_WHOLE}, {"device_span", RUN_TIME_SPAN}};
/* clang-format on */

static void make_row(const struct report_data *data, double run, const struct amdahl *law,
                     const struct amdahl_share *share, size_t whole, struct sheet_sink *to)
{
    const int provenance =
        session_run(data->session, data->runs[(size_t)run].runs[RUN_TRACE])->clock == CLOCK_MODEL
            ? PROVENANCE_MODELLED
            : PROVENANCE_MEASURED;
    const int64_t whole_ns = law->times.ns[wholes[whole].time];
    const struct sheet_cell cells[] = {
        {.number = run},
        {.number = share->kernel},
        {.text = run_time_name(wholes[whole].time), .id = wholes[whole].id},
        {.number = (double)whole_ns, .provenance = provenance},
        {.number = (double)share->busy_ns, .provenance = provenance},
        {.number = (double)share->alone_ns, .provenance = provenance},
        {.number = whole_ns > 0 ? (double)share->alone_ns / (double)whole_ns : (double)NAN},
        {.number = speedup_of(share, whole_ns, 0)},
        {.number = speedup_of(share, whole_ns, 1)},
        {.number = speedup_of(share, whole_ns, 2)},
        {.text = kernel_full_name(data->session, share->kernel)}};
    sheet_row(to, cells);
}

static enum status visit_run(const struct report_data *data, size_t run, void *to, struct error *error)
{
    struct amdahl law;
    enum status status =
        memory_check(amdahl_compute(data->session, data->runs[run].runs[RUN_TRACE], &law, error));
    for (size_t whole = 0; status == STATUS_OK && whole < sizeof wholes / sizeof *wholes; whole++)
        for (size_t k = 0; k < law.count; k++)
            if (report_run_has(data, &data->runs[run], law.shares[k].kernel))
                make_row(data, (double)run, &law, &law.shares[k], whole, to);
    amdahl_fini(&law);
    return status;
}

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    enum status status = report_visit_traced(from, visit_run, to, error);
    sheet_note(to, "gain = " AMDAHL_FORMULA);
    return status;
}

const struct sheet sheet_amdahl = {.id = "amdahl",
                                   .title = "What each run gains if one kernel is faster (Amdahl's law)",
                                   SHEET_COLUMNS(columns),
                                   .none = "amdahl: no kernel was traced",
                                   .rows = make_rows};

/* ---- table ---- */
static void print_share(const struct report_data *data, const struct amdahl_share *share, int64_t device_ns,
                        FILE *out, bool wide)
{
    const struct kernel_row *kernel = session_kernel(data->session, share->kernel);
    const char *whole = session_string(data->session, session_shape(data->session, kernel->shape)->name);
    char shown[4 * NAME_CELLS + 1];
    fprintf(out, "%7.2f %% %9s %9s ", 100.0 * (double)share->alone_ns / (double)device_ns,
            number_time(share->busy_ns).text, number_time(share->alone_ns).text);
    for (size_t i = 0; i < FACTORS; i++) {
        double factor = speedup_of(share, device_ns, i);
        if (isfinite(factor))
            fprintf(out, "%7.2fx ", factor);
        else
            fprintf(out, "%8s ", "no limit");
    }
    putc(' ', out);
    if (wide) {
        text_print(whole, out);
    } else {
        report_kernel_shorten(data, share->kernel, NAME_CELLS, false, shown, sizeof shown);
        fputs(shown, out);
    }
    putc('\n', out);
}

static enum status print_run(const struct report_data *data, const struct report_run *run, FILE *out,
                             bool wide, struct error *error)
{
    uint32_t traced = run->runs[RUN_TRACE];
    struct amdahl law;
    if (traced == NONE || session_run(data->session, traced)->workload)
        return STATUS_OK;
    enum status status = memory_check(amdahl_compute(data->session, traced, &law, error));
    if (status == STATUS_OK && law.count > 0 && law.times.ns[RUN_TIME_DEVICE] > 0) {
        char program[4 * NAME_CELLS + 1];
        text_shorten(session_string(data->session, session_run(data->session, traced)->program), NAME_CELLS,
                     program, sizeof program);
        fprintf(out, "\nthe %s of %s, %s of a %s of %s, if one kernel were faster\n",
                run_time_name(RUN_TIME_DEVICE), program, number_time(law.times.ns[RUN_TIME_DEVICE]).text,
                run_time_name(RUN_TIME_WHOLE), number_time(law.times.ns[RUN_TIME_WHOLE]).text);
        fprintf(out, "%9s %9s %9s %8s %8s %8s  kernel\n", "p", "busy", "alone", "2x", "10x", "infinite");
        for (size_t i = 0; i < law.count && i < TABLE_ROWS; i++)
            print_share(data, &law.shares[i], law.times.ns[RUN_TIME_DEVICE], out, wide);
        fputs("  = " AMDAHL_FORMULA "\n", out);
    }
    amdahl_fini(&law);
    return status;
}

enum status report_amdahl_table(const struct report_data *data, FILE *out, bool wide, struct error *error)
{
    for (size_t i = 0; i < data->run_count; i++) {
        enum status status = print_run(data, &data->runs[i], out, wide, error);
        if (status != STATUS_OK)
            return report_leave_out(out, "the whole, if one kernel were faster", status, error);
    }
    return STATUS_OK;
}
