/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first screen is written as text in memory, its blocks in order, and then copied line by line: of the
 * empty lines between blocks as many as still fit. Each block knows how many lines it may take at most; the
 * sum of these without empty lines is what the screen has, or less.
 */
#include "cli/report/summary/report_summary.h"

#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report_reasons.h"
#include "cli/report/summary/report_findings.h"
#include "cli/report/summary/report_sweeps.h"
#include "cli/report/summary/report_time_bar.h"
#include "core/advice/verdict.h"
#include "core/analysis/run_times.h"
#include "core/base/append.h"
#include "core/session/stacks.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNELS_SHOWN 5 /* of a lower screen than SUMMARY_LINES 3 */
#define FINDINGS_SHOWN 3
#define TROUBLE_LINES 2
#define SWEEPS_LEAST 4 /* lines, with the heading */

struct summary {
    const struct report_data *data;
    const struct report_look *look;
    struct report_reasons reasons;
    struct report_findings findings;
    size_t advice_left;      /* pieces that are not shown */
    struct report_row *rows; /* on one clock */
    size_t row_count,
        modelled; /* modelled: number of runs that are not shown because there are runs on a GPU */
    enum clock_kind clock;
    FILE *out;
    size_t lines;               /* so far, without empty ones */
    char slow[STEPS_SLOW_TEXT]; /* of print_slow_steps */
    uint64_t *busy_ns;          /* of kernels_in_bar */
    pthread_t threads[2];       /* that find them, where `beside` */
    bool beside[2];
};

static void wait_for_beside(struct summary *summary, size_t which)
{
    if (summary->beside[which])
        pthread_join(summary->threads[which], NULL);
    summary->beside[which] = false;
}

/* A screen may have fewer lines than the report takes by itself. */
static size_t lines_of(const struct report_look *look)
{
    return look->lines > 0 && look->lines < SUMMARY_LINES ? look->lines : SUMMARY_LINES;
}

/* Lines that are left for the next block, if those after it take so many. */
static size_t lines_left(const struct summary *summary, size_t after)
{
    size_t taken = summary->lines + after, lines = lines_of(summary->look);
    return lines > taken ? lines - taken : 0;
}

static size_t kernels_shown(const struct summary *summary)
{
    return lines_of(summary->look) < SUMMARY_LINES ? 3 : KERNELS_SHOWN;
}

static FILE *begin_memory(char **text, size_t *size)
{
    FILE *memory = open_memstream(text, size);
    if (!memory)
        memory_end();
    return memory;
}

static void end_memory(FILE *memory)
{
    bool failed = ferror(memory) != 0;
    if (fclose(memory) != 0 || failed)
        memory_end();
}

/* A line of text from outside, cut after a word. */
static void print_line(struct summary *summary, const char *style, const char *text)
{
    char shown[2000];
    text_cut(text, summary->look->columns, shown, sizeof shown);
    if (summary->look->color && *style)
        fprintf(summary->out, "\x1b[%sm%s\x1b[0m\n", style, shown);
    else
        fprintf(summary->out, "%s\n", shown);
    summary->lines++;
}

/* A command is never cut: it is there to be copied. */
static void print_command(struct summary *summary, int indent, const char *text)
{
    fprintf(summary->out, "%*s$ ", indent, "");
    text_print(text, summary->out);
    putc('\n', summary->out);
    summary->lines++;
}

#define BOLD "1"
#define RED "1;31"
#define DIM "2"

/* ---- what ran ---- */
static void print_what_ran(struct summary *summary)
{
    const struct session *session = summary->data->session;
    const struct run_row *run = session_run(session, summary->rows[0].run);
    const struct process_row *process = session_process(session, run->process);
    size_t ours = 0, verified = 0,
           workloads = report_sweeps_lines(summary->data, summary->rows, summary->row_count) - 1;
    char line[1200];
    size_t used = 0;
    for (size_t i = 0; i < summary->data->run_count; i++) {
        ours += report_run_row(session, &summary->data->runs[i])->workload != 0;
        verified += report_verified(session, &summary->data->runs[i]) > 0;
    }
    if (summary->row_count == 1 && run->workload != 0) {
        report_run_name(session, summary->rows, 1, summary->rows[0].run, true, line, sizeof line);
        used = strlen(line);
    } else if (summary->row_count == 1) {
        uint32_t command = process ? atomic_load_explicit(&process->command, memory_order_acquire) : 0;
        int32_t exit_status =
            process ? atomic_load_explicit(&process->exit_status, memory_order_acquire) : -1;
        append_text(line, sizeof line, &used, "%.800s",
                    session_string(session, command ? command : run->program));
        if (exit_status > 0)
            append_text(line, sizeof line, &used, ", exit status %d", exit_status);
    } else {
        append_text(line, sizeof line, &used, "%s runs of %s",
                    number_exact((int64_t)summary->data->run_count).text,
                    workloads > 1 ? number_exact((int64_t)workloads).text
                                  : session_string(session, run->workload ? run->workload : run->program));
        if (workloads > 1)
            append_text(line, sizeof line, &used, ours > 0 ? " workloads" : " programs");
    }
    if (ours > 0)
        append_text(line, sizeof line, &used, ", %s of %s runs verified against the CPU reference",
                    number_exact((int64_t)verified).text, number_exact((int64_t)ours).text);
    print_line(summary, BOLD, line);
}

/* A sentence over as many lines as it needs, at most `most`; those after the first are indented. Returns
 * their number. */
static size_t print_sentence(FILE *out, const struct report_look *look, const char *style, const char *text,
                             size_t most)
{
    size_t lines = 0;
    do {
        int room = look->columns - (lines > 0 ? 2 : 0);
        char line[2000];
        size_t end = strlen(text);
        snprintf(line, sizeof line, "%s", text);
        while (lines + 1 < most && text_width(line, look->columns + 1) > room && strrchr(line, ' '))
            *strrchr(line, ' ') = '\0';
        if (lines + 1 < most)
            end = strlen(line);
        char shown[2000];
        text_cut(line, room, shown, sizeof shown);
        if (look->color && *style)
            fprintf(out, "\x1b[%sm%s%s\x1b[0m\n", style, lines > 0 ? "  " : "", shown);
        else
            fprintf(out, "%s%s\n", lines > 0 ? "  " : "", shown);
        lines++;
        text += end;
        while (*text == ' ')
            text++;
    } while (*text);
    return lines;
}

static void print_where_it_ran(struct summary *summary)
{
    const struct session *session = summary->data->session;
    const struct run_row *run = session_run(session, summary->rows[0].run);
    const struct partition *shown = report_shown_time(summary->rows[0].facts);
    const struct device_row *device = session_device(session, shown ? shown->device : run->device);
    time_t seconds = (time_t)(session_start_ns(session) / 1000000000);
    char line[400], date[40] = "";
    struct tm tm;
    size_t used = 0;
    bool model = run->clock == CLOCK_MODEL;
    append_text(line, sizeof line, &used, "on %s%s", model ? "the device model of " : "",
                device ? device->info.name : "a device");
    size_t devices = summary->row_count == 1 ? summary->rows[0].facts->time.count : 1;
    if (devices > 1)
        append_text(line, sizeof line, &used, ", the longest in use of %zu devices", devices);
    if (model)
        append_text(line, sizeof line, &used, ": its numbers are modelled, not measured");
    else if (device && device->info.driver_version > 0)
        append_text(line, sizeof line, &used, ", driver of CUDA %u.%u", device->info.driver_version / 1000,
                    device->info.driver_version % 1000 / 10);
    if (seconds > 0 && gmtime_r(&seconds, &tm) && strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &tm) > 0)
        append_text(line, sizeof line, &used, ", %s", date);
    print_line(summary, "", line);
    if (*session_origin(session))
        summary->lines += print_sentence(summary->out, summary->look, DIM, session_origin(session), 2);
}

/* A program's kernels are weighed within its steps, if it has any: those of the warm-up do not matter. */
static bool in_steps(const struct summary *summary)
{
    return summary->row_count == 1 && summary->rows[0].facts->loops;
}

static int64_t copies_beside_ns(const struct report_facts *facts)
{
    return facts->time.count == 1
               ? partition_copies_beside_ns(&facts->time.items[0], &facts->steps_time.items[0])
               : 0;
}

/* The slow steps of a program, and what differs in them; "": there are none. */
static void find_slow_steps(const struct summary *summary, char text[STEPS_SLOW_TEXT])
{
    struct report_steps steps;
    text[0] = '\0';
    if (!in_steps(summary))
        return;
    if (report_steps_make(&steps, summary->data->session, summary->rows[0].facts, NULL) != STATUS_OK ||
        !report_steps_slow(&steps, text))
        text[0] = '\0';
    report_steps_fini(&steps);
}

static void print_slow_steps(struct summary *summary)
{
    wait_for_beside(summary, 0);
    if (summary->slow[0])
        print_line(summary, "", summary->slow);
}

static void print_times(struct summary *summary)
{
    const struct steps *steps = &summary->rows[0].facts->figures.steps;
    int64_t device_ns = 0, whole_ns = 0;
    char line[400];
    size_t used = 0;
    for (size_t i = 0; i < summary->row_count; i++) {
        device_ns = session_add_ns(device_ns, summary->rows[i].times.ns[RUN_TIME_DEVICE]);
        if (summary->rows[i].times.ended)
            whole_ns = session_add_ns(whole_ns, summary->rows[i].times.ns[RUN_TIME_WHOLE]);
    }
    append_text(line, sizeof line, &used, "%s %s", run_time_name(RUN_TIME_DEVICE),
                number_time(device_ns).text);
    if (whole_ns > 0)
        append_text(line, sizeof line, &used, ", %s%s %s", run_time_name(RUN_TIME_WHOLE),
                    summary->row_count > 1 ? "s" : "", number_time(whole_ns).text);
    if (in_steps(summary)) {
        char range[60] = "";
        if (steps->range != 0)
            partition_blame_name(summary->data->session,
                                 &(struct partition_blame){.name = steps->range, .alike = true}, range,
                                 sizeof range);
        if (steps->place != 0)
            session_stack_text(summary->data->session, steps->place - 1, range, sizeof range);
        append_text(line, sizeof line, &used, "; %s steps%s%s%s of %s, %s launch%s each",
                    number_exact((int64_t)steps->count).text,
                    !range[0]      ? ""
                    : steps->place ? " (from "
                                   : " (range ",
                    range, range[0] ? ")" : "",
                    number_time((steps->end_ns - steps->start_ns) / (int64_t)steps->count).text,
                    number_exact((int64_t)steps->launches).text, steps->launches == 1 ? "" : "es");
    }
    const struct partition *bar = summary->row_count == 1 ? report_shown_time(summary->rows[0].facts) : NULL;
    char set_up[PARTITION_SET_UP_TEXT];
    if (bar && !in_steps(summary) && partition_set_up_text(bar, set_up))
        append_text(line, sizeof line, &used, "; %s", set_up);
    print_line(summary, "", line);
    print_slow_steps(summary);
    int64_t beside_ns = in_steps(summary) ? copies_beside_ns(summary->rows[0].facts) : 0;
    if (beside_ns > 0) {
        snprintf(line, sizeof line, "Copies outside of the steps take %s: --table copies lists them.",
                 number_time(beside_ns).text);
        print_line(summary, "", line);
    }
}

/* Exact counts that differ from what the workloads' access sites give. */
static size_t wrong_counts(const struct report_data *data, uint32_t *first)
{
    struct value values[2];
    size_t wrong = 0;
    for (uint32_t kernel = 0; kernel < kernel_index_count(data->index); kernel++) {
        for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
            if (report_count_agrees(data, kernel, metric, PROVENANCE_EXPECTED, values) ==
                REPORT_COUNT_DIFFERENT) {
                *first = wrong == 0 ? kernel : *first;
                wrong++;
            }
        }
    }
    return wrong;
}

#define ERROR_SENTENCE_LINES 4
#define FIDELITY_LINES 6 /* at most: the others go first */
#define BAR_LINES 4

/* What was found in the run, a check's finding above all: the first, and how many there are. */
static void print_errors(struct summary *summary)
{
    const struct session *session = summary->data->session;
    const struct notice_row *first = NULL;
    char text[1400], count[64] = "";
    size_t errors = 0;
    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const struct notice_row *notice = session_notice(session, i);
        if (notice->severity != SEVERITY_ERROR)
            continue;
        first = first ? first : notice;
        errors++;
    }
    if (!first)
        return;
    if (errors > 1)
        snprintf(count, sizeof count, "the first of %zu errors: ", errors);
    snprintf(text, sizeof text, "%s%s", count, session_string(session, first->text));
    summary->lines += print_sentence(summary->out, summary->look, RED, text, ERROR_SENTENCE_LINES);
}

static void print_fidelity(struct summary *summary, size_t most)
{
    const struct session *session = summary->data->session;
    const char *text = report_fidelity(session, session_run(session, summary->rows[0].run));
    if (text && summary->row_count == 1)
        summary->lines += print_sentence(summary->out, summary->look, DIM, text,
                                         most < FIDELITY_LINES ? most : FIDELITY_LINES);
}

/* The notice that the recording's end is missing, NULL if there is none. */
static const char *cut_off(const struct session *session)
{
    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const struct notice_row *notice = session_notice(session, i);
        if (notice->status == STATUS_IO && notice->process == NONE)
            return session_string(session, notice->text);
    }
    return NULL;
}

/* Wrong results, a recording without its end, losses, and what was not verified: one line for the first of
 * each, with their number. */
static void print_trouble(struct summary *summary)
{
    const struct session *session = summary->data->session;
    char line[1400], text[200];
    uint32_t kernel = NONE;
    size_t printed = 0, counts = wrong_counts(summary->data, &kernel);
    if (counts > 0) {
        report_name_shorten(summary->data, kernel_full_name(session, kernel), 40, false, text, sizeof text);
        snprintf(line, sizeof line, "%zu exact count%s not as expected, the first of %s; --full has each",
                 counts, counts > 1 ? "s are" : " is", text);
        print_line(summary, RED, line);
        printed++;
    }
    for (int wanted = 0; wanted >= -1; wanted--) {
        size_t found = 0;
        const struct report_run *first = NULL;
        for (size_t i = 0; i < summary->data->run_count; i++) {
            const struct report_run *run = &summary->data->runs[i];
            bool is = report_run_row(session, run)->workload != 0 && report_verified(session, run) == wanted;
            first = is && !first ? run : first;
            found += is;
        }
        if (found > 0 && printed++ < TROUBLE_LINES) {
            const struct run_row *row = report_run_row(session, first);
            const char *detail = report_detail(session, first);
            snprintf(line, sizeof line, "%zu %s: %.100s:%.60s %.100s%s: %.300s", found,
                     wanted == 0 ? found > 1 ? "WRONG RESULTS" : "WRONG RESULT" : "not verified",
                     session_string(session, row->workload), session_string(session, row->variant),
                     session_string(session, row->params), found > 1 ? " and others" : "",
                     *detail || wanted == 0 ? detail : "It ended before its result was checked.");
            print_line(summary, wanted == 0 ? RED : "", line);
        }
        const char *cut = wanted == 0 ? cut_off(session) : NULL;
        if (cut && printed++ < TROUBLE_LINES)
            print_line(summary, RED, cut);
        if (wanted == 0 && report_loss(session, 0, text, sizeof text) && printed++ < TROUBLE_LINES)
            print_line(summary, RED, text);
    }
}

/* ---- advice ---- */
#define ADVICE_COLUMN HELP_COLUMN

static void print_words(struct summary *summary, const char *text, size_t most)
{
    summary->lines += report_help_words(summary->out, summary->look->columns, text, most);
}

static size_t word_lines(const struct summary *summary, const char *text)
{
    int cells = summary->look->columns - ADVICE_COLUMN;
    return text_width(text, cells + 1) > cells ? 2 : 1;
}

/* "Copies from .. (staged-overlap:whole-pageable, and 6 more runs)", "chunk: The last of .." */
static void describe_finding(const struct summary *summary, const struct report_finding *finding, char *text,
                             size_t size_bytes)
{
    const struct session *session = summary->data->session;
    char name[600];
    size_t used = 0;
    if (finding->kernel != NONE) {
        uint32_t string = session_shape(session, session_kernel(session, finding->kernel)->shape)->name;
        report_name_shorten(summary->data, session_string(session, string), 40, false, name, sizeof name);
        append_text(text, size_bytes, &used, "%s: %s", name,
                    summary->clock == CLOCK_WALL && finding->advice.provenance == PROVENANCE_MODELLED
                        ? "modelled: "
                        : "");
    }
    append_text(text, size_bytes, &used, "%s", finding->advice.text);
    if (summary->row_count > 1 && finding->kernel == NONE) {
        report_run_name(session, summary->rows, summary->row_count, finding->run->runs[RUN_TRACE], false,
                        name, sizeof name);
        append_text(text, size_bytes, &used, " (%s", name);
        if (finding->others > 0)
            append_text(text, size_bytes, &used, ", and in %zu more run%s", finding->others,
                        finding->others > 1 ? "s" : "");
        append_text(text, size_bytes, &used, ")");
    }
}

#define SMALL_SHARE 0.02 /* chosen: a finding that gains less is left out for what to do about the first */

/* At most three, in at most `lines` lines: what is wrong, what to do, the next command. Without `every` only
 * the first has what to do, if there is room. */
static void print_findings(struct summary *summary, size_t lines, bool every)
{
    int cells = summary->look->columns - ADVICE_COLUMN;
    const struct report_findings *findings = &summary->findings;
    size_t shown = findings->count < FINDINGS_SHOWN ? findings->count : FINDINGS_SHOWN;
    const size_t least = every ? 3 : 2;
    lines = lines < least ? least : lines;
    while (shown > 1 && lines < least * shown)
        shown--;
    if (!every && lines < 2 * shown + 3 && shown > 1 &&
        findings->items[shown - 1].gain_ns < SMALL_SHARE * findings->whole_ns)
        shown--;
    summary->advice_left = findings->count - shown;
    bool first = every || lines > 2 * shown;
    for (size_t i = 0; i < shown; i++) {
        const struct report_finding *finding = &findings->items[i];
        bool todo = every || (first && i == 0);
        size_t left = lines - least * (shown - i - 1); /* of this one */
        char text[1400], next[1500];
        describe_finding(summary, finding, text, sizeof text);
        report_finding_next(finding, summary->data, summary->look->file, cells, next, sizeof next);
        double share = findings->whole_ns > 0 ? finding->gain_ns / findings->whole_ns : 0;
        if (summary->look->color)
            fputs("\x1b[1;33m", summary->out);
        fprintf(summary->out, " <= %3.0f %% ", share < 1 ? 100 * share : 100);
        if (summary->look->color)
            fputs("\x1b[0m", summary->out);
        size_t before = summary->lines, most = word_lines(summary, text);
        size_t others = todo ? 2 : 1; /* least number of lines after "what is wrong" */
        print_words(summary, text, most + others <= left ? most : left - others);
        if (todo) {
            const struct advice *advice = &finding->advice;
            snprintf(text, sizeof text, "do: %s", advice_now(advice));
            most = word_lines(summary, text);
            fprintf(summary->out, "%*s", ADVICE_COLUMN, "");
            print_words(summary, text, most + 1 <= left - (summary->lines - before) ? most : 1);
        }
        print_command(summary, ADVICE_COLUMN - 2, next);
        lines -= summary->lines - before;
    }
}

#define HEADING_BYTES 160

/* Does the replay rank what would help? Of several runs, and where it claims nothing, the rules rank. */
static bool is_replayed(const struct summary *summary)
{
    return summary->row_count == 1 && !report_remedies(summary->data, summary->rows[0].of)->why[0];
}

/* Why they do, of a run whose findings the rules rank. */
static void print_why_rules(struct summary *summary)
{
    char line[REMEDY_WHY_BYTES + 80];
    if (summary->row_count != 1)
        return;
    snprintf(line, sizeof line, "(ranked by the rules' bounds: no replay. %s)",
             report_remedies(summary->data, summary->rows[0].of)->why);
    print_line(summary, DIM, line);
}

/* What their shares are of. */
static const char *heading_of(const struct summary *summary, char line[HEADING_BYTES])
{
    if (session_run(summary->data->session, summary->rows[0].run)->workload != 0) {
        snprintf(line, HEADING_BYTES,
                 "what to do first, and what it gains at most, of %s without set-up copies",
                 number_time((int64_t)summary->findings.whole_ns).text);
        return line;
    }
    if (in_steps(summary))
        return "what to do first, and what it gains at most, of the steps' time";
    return "what to do first, and what it gains at most, of the time above";
}

/* "lanescope --record counted.lsr --runs trace,counters -- python3 train.py" */
static void print_counting(struct summary *summary)
{
    const struct session *session = summary->data->session;
    const struct run_row *run = session_run(session, summary->rows[0].run);
    const struct process_row *process = session_process(session, run->process);
    uint32_t command = process ? atomic_load_explicit(&process->command, memory_order_acquire) : 0;
    bool ours = run->workload != 0;
    char line[1400];
    const char *counting = session_counting(session);
    snprintf(line, sizeof line, "%s%s %s%.900s", *counting ? counting : "lanescope --record counted.lsr ",
             *counting ? "" : session_counting_options(session), ours || *counting ? "" : "-- ",
             ours      ? session_string(session, run->workload)
             : command ? session_string(session, command)
                       : "PROGRAM");
    print_command(summary, 2, line);
}

/* If no rule fires: what most of the time without kernels is, or that counting could tell more. */
static void print_no_findings(struct summary *summary)
{
    const struct session *session = summary->data->session;
    const struct partition *time = report_shown_time(summary->rows[0].facts);
    bool ours = session_run(session, summary->rows[0].run)->workload != 0;
    enum partition_class most = summary->row_count == 1 && time ? partition_mostly(time) : PARTITION_KERNEL;
    const char *table = ours                           ? NULL /* what says more of it */
                        : most >= PARTITION_IDLE_FIRST ? "idle"
                        : most == PARTITION_COPY       ? "copies"
                                                       : NULL;
    char line[1400];
    if (most != PARTITION_KERNEL && (table || summary->findings.uncounted_ns == 0)) {
        snprintf(line, sizeof line,
                 "No rule finds %d %% of a run's time to gain; %.0f %% of the time is %s%s",
                 VERDICT_LEAST_PCT, 100 * (double)time->ns[most] / (double)partition_sum_ns(time),
                 partition_class_brief(most), table ? ":" : "");
        print_line(summary, "", line);
        if (table) {
            report_table_next(summary->look->file, table, line, sizeof line);
            print_command(summary, 2, line);
        }
    } else if (summary->findings.uncounted_ns > 0 && summary->clock == CLOCK_WALL) {
        snprintf(
            line, sizeof line,
            "No rule finds %d %% of a run's time to gain; kernels of %.0f %% of the time were not counted:",
            VERDICT_LEAST_PCT, 100 * summary->findings.uncounted_ns / summary->findings.whole_ns);
        print_line(summary, "", line);
        print_counting(summary);
    } else {
        snprintf(line, sizeof line, "No rule finds %d %% of a run's time to gain", VERDICT_LEAST_PCT);
        print_line(summary, "", line);
    }
}

#define COUNTING_LINES 2
/* After the first findings: kernels that take more time than these gain, and were not counted. */
static bool wants_counting(const struct summary *summary)
{
    return summary->findings.uncounted_ns > 0 && summary->clock == CLOCK_WALL &&
           summary->findings.count < FINDINGS_SHOWN;
}

static void print_uncounted(struct summary *summary)
{
    char line[200];
    snprintf(line, sizeof line,
             "%*s%.0f %% of the time are kernels that were not counted, which could tell more:",
             ADVICE_COLUMN, "", 100 * summary->findings.uncounted_ns / summary->findings.whole_ns);
    print_line(summary, "", line);
    print_counting(summary);
}

/* ---- kernels ---- */
#define KERNEL_NAME_LEAST 28

static void narrow_to_steps(struct summary *summary, struct report_data *data)
{
    const struct steps *steps = &summary->rows[0].facts->figures.steps;
    report_times_narrow(&data->times[summary->clock], data->session, summary->rows[0].run, steps->start_ns,
                        steps->end_ns);
}

/* In how much of the time of the bar each of the kernels named in `times` ran, as in the list of the screen:
 * launches that overlap count once. NULL: several runs or devices; the shares are of the GPU time. Owned by
 * the caller. */
static uint64_t *kernels_in_bar(const struct summary *summary, const struct report_times *times)
{
    const struct session *session = summary->data->session;
    const struct report_facts *facts = summary->rows[0].facts;
    uint32_t count = kernel_index_count(summary->data->index);
    if (summary->row_count != 1 || facts->time.count != 1 || !report_shown_time(facts) ||
        summary->data->evicted)
        return NULL;
    uint32_t *groups = memory_zeroed(count + 1, sizeof *groups);
    uint64_t *busy_ns = memory_zeroed(count + 1, sizeof *busy_ns);
    for (uint32_t kernel = 0; kernel < count; kernel++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
        groups[kernel] = NONE;
        for (size_t i = 0; shape && i < times->kernel_count && i < KERNELS_SHOWN; i++)
            if (times->kernels[i].name == shape->name)
                groups[kernel] = (uint32_t)i;
    }
    memory_check(run_kernels_busy(
        session, summary->rows[0].run, facts->loops ? facts->figures.steps.start_ns : INT64_MIN,
        facts->loops ? facts->figures.steps.end_ns : INT64_MAX, groups, count, busy_ns, NULL));
    free(groups);
    return busy_ns;
}

static void *make_slow_steps(void *context)
{
    struct summary *summary = context;
    find_slow_steps(summary, summary->slow);
    return NULL;
}

static void *make_kernels_in_bar(void *context)
{
    struct summary *summary = context;
    summary->busy_ns = kernels_in_bar(summary, &summary->data->times[summary->clock]);
    return NULL;
}

/* What blocks need of two more walks over the run. */
static void begin_beside(struct summary *summary)
{
    static void *(*const makers[])(void *) = {make_slow_steps, make_kernels_in_bar};
    bool many = session_event_count(summary->data->session) >= REPORT_BESIDE_LEAST;
    for (size_t i = 0; i < 2; i++) {
        summary->beside[i] = many && pthread_create(&summary->threads[i], NULL, makers[i], summary) == 0;
        if (!summary->beside[i])
            makers[i](summary);
    }
}

/* Has the device model taken some of the kernel's launches to be as long as the first ones, which alone were
 * counted (--launches)? */
static bool is_estimated(const struct summary *summary, uint32_t name)
{
    const struct session *session = summary->data->session;
    for (uint32_t i = 0; summary->clock == CLOCK_MODEL && i < kernel_index_count(summary->data->index); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        const struct shape_row *shape = session_shape(session, kernel->shape);
        uint64_t launches = atomic_load_explicit(&kernel->launches, memory_order_relaxed);
        if (shape && shape->name == name && kernel_index_measured(summary->data->index, i) < launches)
            return true;
    }
    return false;
}

/* Returns how many are left out. */
static size_t print_kernels(struct summary *summary)
{
    const struct report_times *times = &summary->data->times[summary->clock];
    const struct report_main_kernels of = {summary->data, &summary->reasons, summary->rows,
                                           summary->row_count, summary->clock};
    size_t shown =
        times->kernel_count < kernels_shown(summary) ? times->kernel_count : kernels_shown(summary);
    if (shown == 0)
        return 0;
    wait_for_beside(summary, 1);
    const uint64_t *busy_ns = summary->busy_ns;
    const struct partition *bar = busy_ns ? report_shown_time(summary->rows[0].facts) : NULL;
    char heading[120];
    bool estimated = false;
    for (size_t i = 0; i < shown; i++)
        estimated |= is_estimated(summary, times->kernels[i].name);
    snprintf(heading, sizeof heading, "%8s     total    calls  the kernels that matter%s, and why%s",
             !busy_ns            ? summary->clock == CLOCK_MODEL ? "modelled" : "GPU time"
             : in_steps(summary) ? "step %"
                                 : "run %",
             in_steps(summary) ? " in the steps" : "", estimated ? " (~ by first launches)" : "");
    print_line(summary, BOLD, heading);
    for (size_t i = 0; i < shown; i++) {
        const struct report_named *kernel = &times->kernels[i];
        char name[400], why[400], line[1000];
        report_kernel_reason(&of, kernel->name, why, sizeof why);
        int cells = summary->look->columns - 33, reason = text_width(why, cells);
        int room = cells - reason - 2 > KERNEL_NAME_LEAST ? cells - reason - 2 : KERNEL_NAME_LEAST;
        report_name_shorten(summary->data, session_string(summary->data->session, kernel->name), room, false,
                            name, sizeof name);
        double share = times->gpu_ns > 0 && !summary->data->evicted
                           ? 100 * (double)kernel->sum.total_ns / (double)times->gpu_ns
                           : 0;
        if (bar)
            share = 100 * (double)busy_ns[i] / (double)partition_span_ns(bar);
        char number[24];
        snprintf(number, sizeof number, "%s%.20s", is_estimated(summary, kernel->name) ? "~" : "",
                 number_percent(share, 1).text);
        snprintf(line, sizeof line, "%6s %% %9s %8s  %s: %s", number, number_time(kernel->sum.total_ns).text,
                 number_short(kernel->sum.count).text, name, why);
        print_line(summary, "", line);
    }
    return times->kernel_count - shown;
}

/* ---- all of it ---- */
static void print_footer(struct summary *summary, size_t kernels, size_t workloads)
{
    const struct session *session = summary->data->session;
    size_t findings = summary->advice_left;
    const struct {
        size_t count;
        const char *one, *many;
    } left[] = {{findings, "piece of advice", "pieces of advice"},
                {kernels, "kernel", "kernels"},
                {workloads, "workload", "workloads"},
                {summary->modelled, "modelled run", "modelled runs"},
                {session_notice_count(session), "notice", "notices"}};
    char line[1000];
    size_t used = 0;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i].count > 0)
            append_text(line, sizeof line, &used, "%s%zu %s%s", used > 0 ? ", " : "", left[i].count,
                        i + 1 == sizeof left / sizeof *left ? "" : "more ",
                        left[i].count == 1 ? left[i].one : left[i].many);
    append_text(line, sizeof line, &used, "%s--full shows all", used > 0 ? "; " : "");
    print_line(summary, DIM, line);
}

static void print_blank(struct summary *summary)
{
    putc('\n', summary->out);
}

/* For a session in which nothing was traced on a device: counts, or samples of a GPU that others use. */
static enum status print_untraced(const struct session *session, const struct report_look *look, FILE *out,
                                  struct error *error)
{
    char *text = NULL;
    size_t size = 0, lines = 0, left = 0;
    FILE *memory = begin_memory(&text, &size);
    enum status status = report_table(session, NULL, memory, 0, error);
    end_memory(memory);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (lines + 1 < lines_of(look) || (lines + 1 == lines_of(look) && !strchr(end + 1, '\n'))) {
            bool sentence = strncmp(line, "error: ", 7) == 0 || strncmp(line, "warning: ", 9) == 0;
            lines += print_sentence(out, look, "", line, sentence ? ERROR_SENTENCE_LINES : 1);
        } else {
            left++;
        }
    }
    if (left > 0)
        fprintf(out, "%zu more lines: --full shows all\n", left);
    free(text);
    return status;
}

/* The rows of the runs on a GPU, or else on the model: their times are not added up. */
static void keep_one_clock(struct summary *summary)
{
    size_t kept = 0;
    summary->clock = CLOCK_MODEL;
    for (size_t i = 0; i < summary->row_count; i++)
        if (session_run(summary->data->session, summary->rows[i].run)->clock == CLOCK_WALL)
            summary->clock = CLOCK_WALL;
    for (size_t i = 0; i < summary->row_count; i++)
        if (session_run(summary->data->session, summary->rows[i].run)->clock == summary->clock)
            summary->rows[kept++] = summary->rows[i];
    summary->modelled = summary->row_count - kept;
    summary->row_count = kept;
}

static void print_blocks(struct summary *summary)
{
    bool many = summary->row_count > 1;
    print_what_ran(summary);
    print_where_it_ran(summary);
    print_times(summary);
    print_trouble(summary);
    print_errors(summary);
    size_t kernels = summary->data->times[summary->clock].kernel_count;
    size_t after = 1 + (kernels < kernels_shown(summary) ? kernels : kernels_shown(summary)) +
                   (kernels > 0); /* with the last */
    size_t findings = summary->findings.count < FINDINGS_SHOWN ? summary->findings.count : FINDINGS_SHOWN;
    size_t others = summary->lines + BAR_LINES + 3 * findings + after;
    print_fidelity(summary, others < lines_of(summary->look) ? lines_of(summary->look) - others : 1);
    print_blank(summary);
    summary->lines += report_time_bar_print(summary->data->session, summary->rows, summary->row_count,
                                            many ? 3 : BAR_LINES, summary->look, summary->out);
    print_blank(summary);
    if (is_replayed(summary)) {
        size_t counting = wants_counting(summary) ? COUNTING_LINES : 0;
        summary->lines +=
            report_help_print(summary->data, &summary->rows[0], summary->look,
                              lines_left(summary, after + counting), &summary->advice_left, summary->out);
        if (counting > 0)
            print_uncounted(summary);
    } else if (summary->findings.count > 0) {
        size_t least = (many ? 2 : 3) * findings;
        char heading[HEADING_BYTES];
        if (lines_left(summary, after + (many ? SWEEPS_LEAST : 0)) > least)
            print_line(summary, BOLD, heading_of(summary, heading));
        if (lines_left(summary, after) > least)
            print_why_rules(summary);
        size_t counting = wants_counting(summary) ? COUNTING_LINES : 0;
        print_findings(summary, lines_left(summary, after + (many ? SWEEPS_LEAST : 0) + counting), !many);
        if (counting > 0)
            print_uncounted(summary);
    } else {
        print_no_findings(summary);
        print_why_rules(summary);
    }
    print_blank(summary);
    size_t kernels_left = print_kernels(summary), workloads_left = 0;
    if (many) {
        size_t most = lines_left(summary, 1);
        size_t could = report_sweeps_lines(summary->data, summary->rows, summary->row_count);
        print_blank(summary);
        workloads_left = report_sweeps_print(summary->data, summary->rows, summary->row_count, most,
                                             summary->look->columns, summary->out);
        summary->lines += could < most ? could : most;
    }
    print_footer(summary, kernels_left, workloads_left);
}

/* Copies the lines, with as many of the empty ones as fit. */
static void copy_lines(const char *text, size_t lines, size_t most, FILE *out)
{
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        if (end == line && lines++ >= most)
            continue;
        fwrite(line, 1, (size_t)(end + 1 - line), out);
    }
}

enum status report_summary(const struct session *session, const struct report_look *look, FILE *out,
                           struct error *error)
{
    struct report_data data;
    struct summary summary = {.data = &data, .look = look};
    char *text = NULL;
    size_t size = 0;
    report_data_start(&data, session);
    if (data.run_count == 1) /* else no replay is on the first screen */
        report_prepare(&data, &data.runs[0]);
    report_data_finish(&data);
    enum status status = report_rows(&data, &summary.rows, &summary.row_count, error);
    if (status != STATUS_OK || summary.row_count == 0) {
        free(summary.rows);
        report_data_fini(&data);
        return status == STATUS_OK || status == STATUS_STATE ? print_untraced(session, look, out, error)
                                                             : status;
    }
    keep_one_clock(&summary);
    if (in_steps(&summary))
        narrow_to_steps(&summary, &data);
    begin_beside(&summary);
    report_reasons_make(&summary.reasons, &data);
    if (summary.row_count == 1) /* puts the verdict's findings in its order */
        report_remedies(&data, summary.rows[0].of);
    report_findings_make(&summary.findings, &data, summary.rows, summary.row_count);
    summary.out = begin_memory(&text, &size);
    print_blocks(&summary);
    end_memory(summary.out);
    wait_for_beside(&summary, 0);
    wait_for_beside(&summary, 1);
    free(summary.busy_ns);
    copy_lines(text, summary.lines, lines_of(look), out);
    free(text);
    report_findings_fini(&summary.findings);
    report_reasons_fini(&summary.reasons);
    free(summary.rows);
    report_data_fini(&data);
    return out_flush(out, error);
}
