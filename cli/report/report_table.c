/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of a session, as nvprof printed it: kernels, copies and sets, API calls, overlap (a line over all
 * runs of a clock), then counters, the roofline and what was said meanwhile. 100 columns; a name takes what
 * the numbers leave and is shortened in its middle. With `wide` names are whole.
 */
#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/data/report_facts.h"
#include "cli/report/report.h"
#include "cli/report/report_parts.h"
#include "cli/report/report_reasons.h"
#include "cli/report/report_remedies.h"
#include "cli/report/report_runs.h"
#include "cli/report/report_sheets.h"
#include "core/analysis/run_times.h"
#include "core/base/run_params.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Over all trace runs on one clock; prints nothing if there was no work, or if it cannot be computed. */
static enum status report_overlap_table(const struct report_data *data, enum clock_kind clock, FILE *out,
                                        struct error *error)
{
    struct overlap all = {0};
    double weighted_streams = 0;
    for (size_t i = 0; i < data->run_count; i++) {
        const struct report_facts *facts;
        uint32_t traced = data->runs[i].runs[RUN_TRACE];
        if (traced == NONE || session_run(data->session, traced)->clock != clock)
            continue;
        enum status status = report_facts(data, &data->runs[i], &facts, error);
        if (status != STATUS_OK)
            return report_leave_out(out, "overlap", status, error);
        const struct overlap *one = &facts->overlap;
        all.span_ns = session_add_ns(all.span_ns, one->span_ns);
        all.copy_busy_ns = session_add_ns(all.copy_busy_ns, one->copy_busy_ns);
        all.copy_hidden_ns = session_add_ns(all.copy_hidden_ns, one->copy_hidden_ns);
        all.any_busy_ns = session_add_ns(all.any_busy_ns, one->any_busy_ns);
        weighted_streams += one->mean_active_streams * (double)one->any_busy_ns;
    }
    if (all.any_busy_ns <= 0)
        return STATUS_OK;
    fprintf(out, "\noverlap%s: %s %s, %s %s;", clock == CLOCK_MODEL ? ", modelled" : "",
            run_time_name(RUN_TIME_DEVICE), number_time(all.any_busy_ns).text, run_time_name(RUN_TIME_SPAN),
            number_time(all.span_ns).text);
    if (all.copy_busy_ns > 0) {
        fprintf(out, " %.0f %% of %s of copies hidden;",
                100.0 * (double)all.copy_hidden_ns / (double)all.copy_busy_ns,
                number_time(all.copy_busy_ns).text);
    }
    fprintf(out, " %.2f streams\n", weighted_streams / (double)all.any_busy_ns);
    return STATUS_OK;
}

#define COLUMNS 100
#define NAME_BYTES (4 * COLUMNS + 1)
#define OWN_NAME_LEAST 12 /* cells of a kernel's name beside its run's parameters */

struct table {
    const struct session *session;
    const struct report_data *data;
    FILE *out;
    bool wide;
};

/* The text with control characters made visible, in at most `cells` cells; `wide`: all of it. */
static void print_text(const struct table *table, const char *text, int cells)
{
    if (!table->wide) {
        char shortened[NAME_BYTES];
        text_shorten(text, cells, shortened, sizeof shortened);
        fputs(shortened, table->out);
        return;
    }
    text_print(text, table->out);
}

/* ---- counters ---- */
static const struct counter_column {
    const char *head[2];
    int cells;
    enum metric metric;
} columns[] = {
    {{"load", "sec/req"}, 7, METRIC_global_load_sectors_per_request},
    {{"store", "sec/req"}, 7, METRIC_global_store_sectors_per_request},
    {{"load", "conflicts"}, 9, METRIC_shared_load_conflicts},
    {{"store", "conflicts"}, 9, METRIC_shared_store_conflicts},
    {{"occu-", "pancy"}, 6, METRIC_achieved_occupancy_pct},
    {{"DRAM", "bandwidth"}, 9, METRIC_dram_bandwidth_bytes_per_second},
    {{"effective", "bandwidth"}, 9, METRIC_effective_bandwidth_bytes_per_second},
};
#define COUNTER_COLUMNS (sizeof columns / sizeof columns[0])

static int counter_name_cells(void)
{
    int cells = COLUMNS;
    for (size_t c = 0; c < COUNTER_COLUMNS; c++)
        cells -= columns[c].cells + 1;
    return cells - 1; /* for the mark */
}

/* "offset=3,n=1024 copy_offset": distinguishes a row from others of its workload and variant. */
static void counter_label(const struct table *table, const struct run_row *run, uint32_t kernel, char *label,
                          size_t size_bytes)
{
    const struct session *session = table->session;
    const char *params = session_string(session, run->params);
    char name[512];
    report_kernel_shorten(table->data, kernel, SHORT_NAME_WHOLE, table->wide, name, sizeof name);
    if (!table->wide && text_width(params, COLUMNS) + text_width(name, COLUMNS) >= counter_name_cells()) {
        char shown[NAME_BYTES];
        int least = text_width(name, OWN_NAME_LEAST);
        run_params_within(params, counter_name_cells() - least - 1, shown, sizeof shown);
        report_kernel_shorten(table->data, kernel, counter_name_cells() - (int)strlen(shown) - 1, false, name,
                              sizeof name);
        snprintf(label, size_bytes, "%s%s%s", shown, *shown ? " " : "", name);
        return;
    }
    snprintf(label, size_bytes, "%s%s%s", params, *params ? " " : "", name);
}

/* A line "copy-offset:offset", or the program's name, above the rows of a workload's variant. */
static void print_group(const struct table *table, const struct run_row *run)
{
    char group[512];
    if (run->workload) {
        snprintf(group, sizeof group, "%s:%s", session_string(table->session, run->workload),
                 session_string(table->session, run->variant));
    } else {
        snprintf(group, sizeof group, "%s", session_string(table->session, run->program));
    }
    print_text(table, group, COLUMNS);
    putc('\n', table->out);
}

/* How many exact counts were also expected (or modelled), and how many of these differ. */
struct agreement {
    uint64_t compared, different;
};

/* One line below a kernel's row for each exact count that differs from the value of the weaker provenance. */
static void print_differences(const struct table *table, uint32_t kernel, enum provenance weaker,
                              struct agreement *agreement)
{
    struct value values[2];
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        enum report_count count = report_count_agrees(table->data, kernel, metric, weaker, values);
        agreement->compared += count != REPORT_COUNT_NONE;
        if (count == REPORT_COUNT_DIFFERENT) {
            char text[40], wanted[40];
            metric_format(metric, &values[0], text, sizeof text);
            metric_format(metric, &values[1], wanted, sizeof wanted);
            agreement->different++;
            fprintf(table->out, "    not as %s: %s, %s %s, %s %s\n", provenance_text(weaker),
                    metric_info(metric)->title, provenance_text(values[0].provenance), text,
                    provenance_text(weaker), wanted);
        }
    }
}

static void print_verdict(const struct table *table, const struct agreement *agreement,
                          enum provenance weaker)
{
    if (agreement->compared > 0) {
        fprintf(table->out, "%s of %s exact counts are as %s\n",
                number_exact((int64_t)(agreement->compared - agreement->different)).text,
                number_exact((int64_t)agreement->compared).text, provenance_text(weaker));
    }
}

/* The line below a kernel whose data arrived faster than device memory can deliver. */
static void print_above_theory(const struct table *table, uint32_t kernel)
{
    enum metric wanted = METRIC_effective_bandwidth_bytes_per_second;
    struct value effective = report_statistic(table->data, kernel, wanted).value;
    struct value peak =
        report_statistic(table->data, kernel, METRIC_theoretical_bandwidth_bytes_per_second).value;
    if (effective.available && peak.available && effective.number > peak.number) {
        fprintf(table->out,
                "    effective bandwidth is above the %s of device memory: caches served part of it\n",
                number_rate(peak.number).text);
    }
}

static void print_counter_row(const struct table *table, uint32_t kernel, const char *label)
{
    bool modelled = false;
    for (size_t c = 0; c < COUNTER_COLUMNS; c++) {
        char text[40] = "-";
        struct kernel_statistic statistic = report_statistic(table->data, kernel, columns[c].metric);
        /* values that the workload expects are not counters */
        if (statistic.value.available && statistic.value.provenance != PROVENANCE_EXPECTED) {
            metric_format_within(columns[c].metric, &statistic.value, (size_t)columns[c].cells, text,
                                 sizeof text);
            modelled |= statistic.value.provenance == PROVENANCE_MODELLED;
        }
        fprintf(table->out, "%*s ", columns[c].cells, text);
    }
    fputs(modelled ? "~" : " ", table->out);
    print_text(table, label, counter_name_cells());
    putc('\n', table->out);
    print_above_theory(table, kernel);
}

/* Once for each device that has one. */
static void print_theoretical(const struct table *table)
{
    for (uint32_t i = 0; i < session_device_count(table->session); i++) {
        const struct device_info *info = &session_device(table->session, i)->info;
        double peak = device_info_peak_bandwidth(info);
        bool said = !(peak > 0);
        for (uint32_t k = 0; k < i && !said; k++) {
            const struct device_info *other = &session_device(table->session, k)->info;
            said = device_info_peak_bandwidth(other) == peak && strcmp(other->name, info->name) == 0;
        }
        if (!said) {
            print_text(table, info->name, COLUMNS - 60);
            fprintf(table->out, ": %s in theory, memory clock x bus width x 2 / 8\n", number_rate(peak).text);
        }
    }
}

static void print_counter_heading(const struct table *table)
{
    fputs("\ncounters: the median measured launch (~ modelled, >= a bound, - not counted)\nDRAM bandwidth "
          "includes wasted bytes; effective bandwidth has only the bytes that the kernel wanted\n",
          table->out);
    print_theoretical(table);
    for (int line = 0; line < 2; line++) {
        for (size_t c = 0; c < COUNTER_COLUMNS; c++)
            fprintf(table->out, "%s%*s", c ? " " : "", columns[c].cells, columns[c].head[line]);
        fputs(line ? "  kernel\n" : "\n", table->out);
    }
}

static bool same_group(const struct run_row *a, const struct run_row *b)
{
    return a && a->workload == b->workload && a->variant == b->variant && a->program == b->program;
}

/* Prints every kernel of every run that has counters, in the order of the runs. */
static void print_counters(const struct table *table, const struct report_data *data)
{
    struct agreement verdicts[PROVENANCE_MEASURED] = {0}; /* by what it was compared with */
    const struct run_row *group = NULL;
    for (size_t i = 0; i < data->run_count; i++) {
        const struct run_row *run = report_run_row(table->session, &data->runs[i]);
        REPORT_EACH_KERNEL (data, i, kernel) {
            if (!report_has_counters(data, kernel))
                continue;
            if (!group)
                print_counter_heading(table);
            if (!same_group(group, run)) {
                print_group(table, run);
                group = run;
            }
            char label[1024];
            counter_label(table, run, kernel, label, sizeof label);
            print_counter_row(table, kernel, label);
            for (enum provenance weaker = 0; weaker < PROVENANCE_MEASURED; weaker++)
                print_differences(table, kernel, weaker, &verdicts[weaker]);
        }
    }
    for (enum provenance weaker = 0; weaker < PROVENANCE_MEASURED; weaker++)
        print_verdict(table, &verdicts[weaker], weaker);
}

/* ---- runs and notices ---- */
/* Comes before all numbers: says which are modelled. */
static void print_models(const struct table *table)
{
    for (uint32_t i = 0; i < session_device_count(table->session); i++) {
        const struct device_info *info = &session_device(table->session, i)->info;
        bool said = !info->is_model;
        for (uint32_t k = 0; k < i && !said; k++) {
            const struct device_info *other = &session_device(table->session, k)->info;
            said = other->is_model && strcmp(other->name, info->name) == 0;
        }
        if (!said) {
            fputs("device model of ", table->out);
            print_text(table, info->name, COLUMNS - 60);
            fputs(": its numbers are modelled, not measured\n", table->out);
        }
    }
}

static void print_runs(const struct table *table, const struct report_data *data)
{
    size_t ours = 0, verified = 0;
    for (size_t i = 0; i < data->run_count; i++) {
        const struct run_row *run = report_run_row(table->session, &data->runs[i]);
        int result = report_verified(table->session, &data->runs[i]);
        if (run->workload == 0) {
            const struct process_row *process = session_process(table->session, run->process);
            int32_t exit_status =
                process ? atomic_load_explicit(&process->exit_status, memory_order_acquire) : -1;
            fputs("program ", table->out);
            print_text(table, session_string(table->session, run->program), COLUMNS - 50);
            if (process)
                fprintf(table->out, ", process %d", process->pid);
            if (exit_status >= 0)
                fprintf(table->out, ", exit status %d", exit_status);
            bool traced = data->runs[i].runs[RUN_TRACE] != NONE, lines = run->mode == RUN_LINES;
            fputs(traced  ? "\n"
                  : lines ? " (lines only: the screen shows the cost of instructions, key v on a kernel)\n"
                          : " (counters only: kernels were serialised)\n",
                  table->out);
            continue;
        }
        ours++;
        verified += result > 0;
        if (result <= 0) {
            char label[1024];
            const char *detail = report_detail(table->session, &data->runs[i]);
            snprintf(label, sizeof label, "%s:%s %s: %s%s", session_string(table->session, run->workload),
                     session_string(table->session, run->variant),
                     session_string(table->session, run->params),
                     result == 0 ? "WRONG RESULT. " : "not verified. ",
                     *detail || result == 0 ? detail : "It ended before its result was checked.");
            text_print(label, table->out); /* a sentence is never cut */
            putc('\n', table->out);
        }
    }
    if (ours > 0) {
        fprintf(table->out, "%s of %s runs verified against the CPU reference\n",
                number_exact((int64_t)verified).text, number_exact((int64_t)ours).text);
    }
}

#define PROGRAM_ROWS 5
/* A sheet below its heading, as `part` says what of it; nothing if it has no rows. */
static enum status print_sheet(const struct table *table, const struct sheet *sheet, const char *heading,
                               const struct sheet_look *part, struct error *error)
{
    struct sheet_look look = *part;
    char *text = NULL;
    size_t size_bytes = 0, none = strlen(sheet->none);
    FILE *memory = open_memstream(&text, &size_bytes);
    look.form = SHEET_FORM_TEXT;
    look.width = table->wide ? 0 : REPORT_COLUMNS;
    look.most = table->wide ? 0 : part->most;
    look.names = table->data->names;
    enum status status = memory ? sheet_print(sheet, table->data, &look, memory, error) : STATUS_MEMORY;
    if (!memory || fclose(memory) != 0 || !text)
        memory_end();
    if (status == STATUS_OK && strncmp(text, sheet->none, none) != 0)
        fprintf(table->out, "%s%s", heading, text);
    free(text);
    return status;
}

static const struct sheet_look whole = {0},
                               of_kernels = {.fields = "share,total_ns,count,median_ns,min_ns,max_ns,name",
                                             .below = "why"},
                               of_amdahl = {.fields =
                                                "share,busy_ns,alone_ns,gain_2x,gain_10x,gain_infinite,name",
                                            .most = PROGRAM_ROWS};

enum status report_table(const struct session *session, const char *kernels, FILE *out, unsigned how,
                         struct error *error)
{
    bool wide = how & REPORT_WIDE;
    struct report_data data;
    struct table table = {.session = session, .data = &data, .out = out, .wide = wide};
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    data.ask_model = how & REPORT_LINES;
    data.is_full = true;
    print_models(&table);
    print_runs(&table, &data);
    if (!kernels) {
        status = report_runs_table(&data, out, wide, error);
        status = status == STATUS_OK ? status : report_leave_out(out, "runs", status, error);
        report_remedies_table(&data, out);
    }
    if (status == STATUS_OK)
        status = print_sheet(&table, &sheet_kernels, "\n", &of_kernels, error);
    if (!kernels && !data.evicted && status == STATUS_OK)
        status = print_sheet(&table, &sheet_copies, "\n", &whole, error);
    if (!kernels && !data.evicted && status == STATUS_OK)
        status = print_sheet(&table, &sheet_calls, "\n", &whole, error);
    if (!kernels && data.evicted)
        fputs("\ncopies, sets and API calls: left out. Not all of them fit in memory.\n", out);
    if (!data.evicted && data.times[CLOCK_WALL].gpu_ns == 0 && data.times[CLOCK_MODEL].gpu_ns == 0 &&
        (session_run_count(session) > 0 || session_series_count(session) == 0))
        fputs("no work on a GPU was traced\n", out);
    for (enum clock_kind clock = 0; !kernels && status == STATUS_OK && clock < CLOCK_COUNT; clock++)
        status = report_overlap_table(&data, clock, out, error);
    if (!kernels && status == STATUS_OK) {
        status = print_sheet(&table, &sheet_amdahl, "\n", &of_amdahl, error);
        status = status == STATUS_OK
                     ? status
                     : report_leave_out(out, "the whole, if one kernel were faster", status, error);
    }
    if (status == STATUS_OK && !kernels) {
        status = report_samples_table(&data, out, wide, error);
        status = status == STATUS_OK ? status : report_leave_out(out, "counters over time", status, error);
    }
    print_counters(&table, &data);
    if (status == STATUS_OK)
        status =
            print_sheet(&table, &sheet_roofline,
                        "\nroofline: kernels that compute in floating point (modelled: ~)\n", &whole, error);
    if (status == STATUS_OK) {
        status = report_advice_table(&data, out, wide, error);
        status = status == STATUS_OK ? status : report_leave_out(out, "advice on runs", status, error);
    }
    if (status == STATUS_OK && (how & REPORT_LINES))
        status = report_lines_table(session, data.names, kernels, out, wide, error);
    if (how & REPORT_STACKS)
        report_stacks_table(&data, out, wide);
    report_notices(session, out);
    report_data_fini(&data);
    return status == STATUS_OK ? report_flush(out, error) : status;
}
