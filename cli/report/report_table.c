/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The full report: what ran, in sentences, then a list of sheets, each in the columns that fit 100. With `wide` names
 * are whole, and so is every sheet.
 */
#include "cli/output/out_file.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"
#include "cli/report/report_sheets.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    const struct session *session;
    const struct report_data *data;
    FILE *out;
    bool wide;
};

/* The text with control characters made visible, in at most `cells` cells; `wide`: all of it. */
static void print_text(const struct table *table, const char *text, int cells)
{
    char shortened[4 * REPORT_COLUMNS + 1];
    if (table->wide) {
        text_print(text, table->out);
        return;
    }
    text_shorten(text, cells, shortened, sizeof shortened);
    fputs(shortened, table->out);
}

/* ---- what ran ---- */
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
            print_text(table, info->name, REPORT_COLUMNS - 60);
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
            print_text(table, session_string(table->session, run->program), REPORT_COLUMNS - 50);
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

/* ---- the sheets ---- */
#define OF_ALL 8u /* not of --kernel */
#define LINES_COLUMNS 136

/* when: 0, OF_ALL, or an option of report.h, without which it is not printed */
static const struct part {
    const struct sheet *sheet;
    unsigned when;
    const char *heading; /* in place of an empty line */
    struct sheet_look look;
} parts[] = {
    {&sheet_runs,
     OF_ALL,
     "\n",
     {.fields = "device_time_ns,of_best,span_ns,copies_ns,copies_hidden,name", .below = "why", .most = 12}},
    {&sheet_time, OF_ALL, "\n", {.fields = "share,ns,class", .bar = "share"}},
    {&sheet_remedies, OF_ALL, "\n", {.fields = "gain,title", .below = "assumes,why,now"}},
    {&sheet_kernels,
     0,
     "\n",
     {.fields = "share,total_ns,count,median_ns,min_ns,max_ns,name", .below = "why"}},
    {&sheet_copies, OF_ALL, "\n", {0}},
    {&sheet_calls, OF_ALL, "\n", {0}},
    {&sheet_overlap,
     OF_ALL,
     "\noverlap: what ran side by side\n",
     {.fields = "span_ns,kernel_busy_ns,copy_busy_ns,copy_hidden_ns,mean_active_streams,name", .most = 5}},
    {&sheet_amdahl,
     OF_ALL,
     "\n",
     {.fields = "share,busy_ns,alone_ns,gain_2x,gain_10x,gain_infinite,name", .most = 5}},
    {&sheet_samples,
     OF_ALL,
     "\ncounters over time; of runs: while kernels ran\n",
     {.fields = "title,mean,most,sampled_ns,kernel_ns", .most_groups = 3, .one_head = true}},
    {&sheet_counters,
     0,
     "\ncounters: the median measured launch (~ modelled, >= a bound, - not counted)\n"
     "ld, st: loads, stores; req: request; DRAM includes wasted bytes, effective only the wanted ones\n",
     {.below = "differs", .one_head = true}},
    {&sheet_roofline, 0, "\nroofline: kernels that compute in floating point (modelled: ~)\n", {0}},
    {&sheet_advice,
     0,
     "\nadvice: the most that a change could gain of the kernel's or the run's time (modelled: ~)\n",
     {.fields = "gain_of_shown,text", .below = "how", .one_head = true}},
    {&sheet_rules, 0, "\n", {.fields = "id,now"}},
    {&sheet_lines,
     REPORT_LINES,
     "\ncost of source lines: samples of all launches, counts of one launch\n",
     {.fields = "share,reason,instructions,sectors,ideal_sectors,wavefronts,ideal_wavefronts,passes,source",
      .width = LINES_COLUMNS,
      .most = 10}},
    {&sheet_stacks,
     REPORT_STACKS,
     "\ncall paths: where kernels, copies and sets are called, by their time on the device\n",
     {.fields = "share,total_ns,count,called_at", .below = "callers", .most = 15}},
    {&sheet_notices, 0, "\n", {.fields = "severity,text"}},
};

static enum status print_part(const struct table *table, const struct part *part, bool asked,
                              struct error *error)
{
    struct sheet_look look = part->look;
    look.width = table->wide ? 0 : look.width > 0 ? look.width : REPORT_COLUMNS;
    look.most = table->wide ? 0 : look.most;
    look.most_groups = table->wide ? 0 : look.most_groups;
    look.rest = "--wide shows them";
    look.names = table->data->names;
    return sheet_print_part(part->heading, part->sheet, table->data, &look, asked, table->out, error);
}

void report_notices(const struct session *session, FILE *out)
{
    const struct report_data data = {.session = session};
    const struct table table = {.session = session, .data = &data, .out = out, .wide = true};
    const struct part part = {&sheet_notices, 0, "\n", {.fields = "severity,text"}};
    print_part(&table, &part, false, &(struct error){0});
}

enum status report_table(const struct session *session, const char *kernels, FILE *out, unsigned how,
                         struct error *error)
{
    struct report_data data;
    struct table table = {.session = session, .data = &data, .out = out, .wide = how & REPORT_WIDE};
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    data.ask_model = how & REPORT_LINES;
    data.is_full = true;
    data.is_wide = table.wide;
    print_models(&table);
    print_runs(&table, &data);
    const bool nothing = !data.evicted && data.times[CLOCK_WALL].gpu_ns == 0 &&
                         data.times[CLOCK_MODEL].gpu_ns == 0 &&
                         (session_run_count(session) > 0 || session_series_count(session) == 0);
    if (nothing) {
        fputs("no work on a GPU was traced\n", out);
        report_notices(session, out); /* they may say why */
    }
    for (size_t i = 0; status == STATUS_OK && i < sizeof parts / sizeof *parts; i++) {
        const unsigned when = parts[i].when;
        if (nothing && parts[i].sheet == &sheet_notices)
            continue;
        if (when == OF_ALL ? kernels != NULL : when != 0 && !(how & when))
            continue;
        status = print_part(&table, &parts[i], when != 0 && when != OF_ALL, error);
    }
    report_data_fini(&data);
    return status == STATUS_OK ? out_flush(out, error) : status;
}
