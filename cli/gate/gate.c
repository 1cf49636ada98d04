/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each process of the run writes its counts into a folder (simt/device/tally.h); the session of the run is
 * not looked at. The recording that a live session makes is removed at the end.
 *
 * The result is a sheet, printed as text, as Markdown for a pull request, and a kernel at a time as the failures of JUnit's XML:
 * kernels that differ, each with its counts that changed and then those of its lines. Times are of this run: a baseline has none.
 */
#include "cli/options/commands.h"

#include "cli/gate/gate_compare.h"
#include "cli/machine/device_choice.h"
#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "cli/output/sheet_print.h"
#include "cli/process/paths.h"
#include "cli/run/live.h"
#include "cli/run/record.h"
#include "cli/run/signals.h"
#include "core/base/append.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/wire/standin_config.h"
#include "tui/terminal/text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct gate_report {
    const struct gate_result *result;
    const char *baseline; /* its path */
    const char *again;    /* the command line that writes the baseline anew */
    struct sheet_look look;
};

/* "src/saxpy.cu": its path from here, if the compiler was given one that leads there. */
static const char *file_text(const char *file)
{
    char here[PATH_BYTES];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;

    if (length && strncmp(file, here, length) == 0 && file[length] == '/')
        return file + length + 1;
    return *file == '/' ? gate_base_name(file) : file;
}

static const struct gate_kernel *kernel_of(const struct gate_pair *pair)
{
    return pair->after ? pair->after : pair->before;
}

/* ---- the sheets ---- */
/* clang-format off */
static const struct sheet_column gate_columns[] = {
    {"kernel", "kernel", "the kernel's name", SHEET_KERNEL, SHEET_NEITHER, 24, 0, false},
    {"shape", "shape", "grid, block and bytes of shared memory", SHEET_TEXT, SHEET_NEITHER, 24, 2, false},
    {"change", "change", "what differs from the baseline", SHEET_TEXT, SHEET_NEITHER, 18, 0, false},
    {"alarm", "alarm", "does the gate fail for it", SHEET_YES, SHEET_NEITHER, 5, 1, false},
    {"before", "baseline", "the count in the baseline; null: the kernel is not there", SHEET_COUNT, SHEET_NEITHER, 11, 0, false},
    {"after", "this run", "the count of this run; null: it is not launched any more", SHEET_COUNT, SHEET_LESS, 11, 0, false},
    {"count", "count", "id of the count; launches: how often", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column change_columns[] = {
    {"kernel", NULL, "the kernel's name", SHEET_KERNEL, SHEET_NEITHER, 0, 0, false},
    {"shape", NULL, "grid, block and bytes of shared memory", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"change", NULL, "what differs from the baseline", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"count", "count", "id of the count; launches: how often", SHEET_TEXT, SHEET_NEITHER, 19, 0, false},
    {"before", "baseline", "the count in the baseline; null: it is not there", SHEET_NUMBER, SHEET_NEITHER, 11, 0, false},
    {"after", "this run", "the count of this run; null: it is not there any more", SHEET_NUMBER, SHEET_LESS, 11, 0, false},
    {"difference", "difference", "this run - baseline", SHEET_NUMBER, SHEET_LESS, 10, 1, false},
    {"ratio", "ratio", "this run / baseline; null: one of them is 0 or not there", SHEET_RATIO, SHEET_LESS, 8, 0, false},
    {"line", "line", "of the source, in this run; null: all of the kernel", SHEET_NUMBER, SHEET_NEITHER, 5, 0, false},
    {"line_before", NULL, "the same line in the baseline", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"file", "file", "the source; null: all of the kernel", SHEET_TEXT, SHEET_NEITHER, 10, 0, false}};
/* clang-format on */

static void make_count(const struct gate_pair *pair, const char *shape, const char *id, double before,
                       double after, struct sheet_sink *to)
{
    sheet_row(to, (const struct sheet_cell[]){{.text = kernel_of(pair)->name},
                                              {.text = shape},
                                              {.text = gate_change_text(pair->change)},
                                              {.number = gate_change_alarms(pair->change)},
                                              {.number = before},
                                              {.number = after},
                                              {.text = id}});
}

/* Of each kernel its launches and the counts that differ. */
static enum status make_gate(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct gate_result *result = from;
    (void)error;
    for (size_t i = 0; i < result->pair_count; i++) {
        const struct gate_pair *pair = &result->pairs[i];
        const struct gate_kernel *before = pair->before, *after = pair->after;
        char shape[GATE_SHAPE_BYTES];
        gate_kernel_shape(kernel_of(pair), shape);
        make_count(pair, shape, "launches", before ? (double)before->launches : (double)NAN,
                   after ? (double)after->launches : (double)NAN, to);
        for (int k = 0; k < TALLY_COUNTS; k++)
            if (!before || !after || before->counts[k] != after->counts[k])
                make_count(pair, shape, tally_count_id((enum tally_count)k),
                           before ? (double)before->counts[k] : (double)NAN,
                           after ? (double)after->counts[k] : (double)NAN, to);
    }
    return STATUS_OK;
}

/* `at` NULL: a count of the whole kernel. */
static void make_change(const struct gate_pair *pair, const struct gate_line_pair *at, const char *id,
                        double before, double after, struct sheet_sink *to)
{
    const struct gate_line *line = !at ? NULL : at->after ? at->after : at->before;
    char shape[GATE_SHAPE_BYTES], difference[40] = "-";
    if (before == after)
        return;
    gate_kernel_shape(kernel_of(pair), shape);
    if (!isnan(after - before))
        snprintf(difference, sizeof difference, "%+.0f", after - before);
    sheet_row(to, (const struct sheet_cell[]){
                      {.text = kernel_of(pair)->name},
                      {.text = shape},
                      {.text = gate_change_text(pair->change)},
                      {.text = id},
                      {.number = before},
                      {.number = after},
                      {.number = after - before, .text = difference},
                      {.number = before > 0 && after > 0 ? after / before : (double)NAN},
                      {.number = at && at->after && line->line ? line->line : (double)NAN},
                      {.number = at && at->before && at->before->line ? at->before->line : (double)NAN},
                      {.text = line ? file_text(line->file) : NULL}});
}

static void make_changes_of(const struct gate_pair *pair, const struct gate_line_pair *at,
                            const uint64_t *before, const uint64_t *after, struct sheet_sink *to)
{
    for (int i = 0; i < TALLY_COUNTS; i++) {
        /* a line that is on one side alone has counts there alone */
        const bool counted = (before && before[i]) || (after && after[i]);
        if (counted)
            make_change(pair, at, tally_count_id((enum tally_count)i),
                        before ? (double)before[i] : (double)NAN, after ? (double)after[i] : (double)NAN, to);
    }
}

/* The sentences over a kernel's counts. */
static void make_change_head(const struct gate_pair *pair, struct sheet_sink *to)
{
    char shape[GATE_SHAPE_BYTES], text[2400];
    size_t used = 0;
    gate_kernel_shape(kernel_of(pair), shape);
    append_text(text, sizeof text, &used, "%.1600s %s: %s", kernel_of(pair)->name, shape,
                gate_change_text(pair->change));
    if (pair->change == GATE_RENAMED)
        append_text(text, sizeof text, &used, " (it was %.500s; its counts are the same)",
                    pair->before->name);
    if (pair->after && pair->change != GATE_RENAMED)
        append_text(text, sizeof text, &used, " (modelled time %.1f us, not gated)", pair->after->ns / 1e3);
    if (pair->change == GATE_SHAPE) {
        gate_kernel_shape(pair->before, shape);
        append_text(text, sizeof text, &used, "\nin the baseline it is launched %s", shape);
    }
    if (gate_change_alarms(pair->change) && pair->before && pair->after && pair->line_count == 0)
        append_text(text, sizeof text, &used, "\nno source lines: compile with -lineinfo");
    sheet_group(to, text);
}

/* Of each kernel that differs the counts of all of it, then those of its lines. */
static enum status make_changes(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct gate_result *result = from;
    (void)error;
    for (size_t i = 0; i < result->pair_count; i++) {
        const struct gate_pair *pair = &result->pairs[i];
        const struct gate_kernel *before = pair->before, *after = pair->after;
        if (pair->change == GATE_EQUAL)
            continue;
        make_change_head(pair, to);
        if (pair->change == GATE_RENAMED)
            continue;
        make_change(pair, NULL, "launches", before ? (double)before->launches : (double)NAN,
                    after ? (double)after->launches : (double)NAN, to);
        if (!before || !after)
            continue;
        make_changes_of(pair, NULL, before->counts, after->counts, to);
        for (size_t k = 0; k < pair->line_count; k++)
            make_changes_of(pair, &pair->lines[k],
                            pair->lines[k].before ? pair->lines[k].before->counts : NULL,
                            pair->lines[k].after ? pair->lines[k].after->counts : NULL, to);
    }
    return STATUS_OK;
}

static const struct sheet sheets[] = {{.id = "gate",
                                       .title = "Counts beside the baseline",
                                       SHEET_COLUMNS(gate_columns),
                                       .none = "gate: no kernel",
                                       .rows = make_gate},
                                      {.id = "changes",
                                       .title = "Counts that differ from the baseline, and at which lines",
                                       SHEET_COLUMNS(change_columns),
                                       .none = "no count differs",
                                       .rows = make_changes}};

static const struct sheet *gate_sheet_at(size_t index)
{
    return index < sizeof sheets / sizeof *sheets ? &sheets[index] : NULL;
}

/* ---- what is written ---- */
#define ROWS_SHOWN 60 /* of a kernel: some twenty lines */

static size_t count_kernels(const struct gate_result *result)
{
    size_t count = 0;

    for (size_t i = 0; i < result->pair_count; i++)
        count += result->pairs[i].after != NULL;
    return count;
}

static void print_verdict(const struct gate_report *report, FILE *out)
{
    if (report->result->alarms == 0)
        fputs("gate: the counts are those of ", out);
    else
        fprintf(out, "gate: %zu of %zu kernels (by shape) differ from ", report->result->alarms,
                report->result->pair_count);
    text_print(report->baseline, out);
    if (report->result->alarms == 0)
        fprintf(out, " (kernels by shape: %zu)", count_kernels(report->result));
    fputc('\n', out);
}

static enum status print_changes(const struct gate_report *report, struct sheet_look look, FILE *out,
                                 struct error *error)
{
    look.most = ROWS_SHOWN;
    look.rest = "lanescope gate --table changes has all";
    print_verdict(report, out);
    enum status status = sheet_print_part("\n", &sheets[1], report->result, &look, false, out, error);
    if (status == STATUS_OK && report->result->alarms > 0) {
        fputs("\nIf this is meant, write the baseline anew: ", out);
        text_print(report->again, out);
        fputc('\n', out);
    }
    return status;
}

static enum status gate_print_text(const struct gate_report *report, FILE *out, struct error *error)
{
    return print_changes(report, report->look, out, error);
}

static enum status gate_print_markdown(const struct gate_report *report, FILE *out, struct error *error)
{
    fprintf(out, "### %s lanescope gate\n\n", report->result->alarms ? ":x:" : ":white_check_mark:");
    return print_changes(report, (struct sheet_look){.form = SHEET_FORM_MARKDOWN}, out, error);
}

static void write_xml(const char *text, FILE *out)
{
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: putc((unsigned char)*text < ' ' && *text != '\n' ? ' ' : *text, out);
        }
    }
}

/* The changes of one kernel as the text of its failure. */
static enum status print_failure(const struct gate_pair *pair, FILE *out, struct error *error)
{
    const struct gate_result one = {.pairs = (struct gate_pair *)pair, .pair_count = 1};
    const struct sheet_look look = {.most = ROWS_SHOWN, .width = 100};
    char *text = NULL;
    size_t size_bytes;
    FILE *memory = open_memstream(&text, &size_bytes);

    memory_check(memory ? STATUS_OK : STATUS_MEMORY);
    enum status status = sheet_print(&sheets[1], &one, &look, memory, error);
    memory_check(fclose(memory) == 0 && text ? STATUS_OK : STATUS_MEMORY);
    fprintf(out, "\">\n    <failure message=\"%s\">\n", gate_change_text(pair->change));
    write_xml(text, out);
    fputs("    </failure>\n  </testcase>\n", out);
    free(text);
    return status;
}

static enum status gate_print_junit(const struct gate_report *report, FILE *out, struct error *error)
{
    enum status status = STATUS_OK;

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"lanescope gate\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
            report->result->pair_count, report->result->alarms);
    for (size_t i = 0; status == STATUS_OK && i < report->result->pair_count; i++) {
        const struct gate_pair *pair = &report->result->pairs[i];
        char shape[GATE_SHAPE_BYTES];

        fputs("  <testcase classname=\"", out);
        write_xml(kernel_of(pair)->name, out);
        gate_kernel_shape(kernel_of(pair), shape);
        fputs("\" name=\"", out);
        write_xml(shape, out);
        if (gate_change_alarms(pair->change))
            status = print_failure(pair, out, error);
        else
            fputs("\"/>\n", out);
    }
    fputs("</testsuite>\n", out);
    return status;
}

#define AGAIN_BYTES 2000
#define COUNTS_BYTES_MAX ((size_t)256 << 20)

/* ---- the run ---- */
static enum status wait_for_end(struct live *live, const struct options *options, int *exit_status,
                                struct error *error)
{
    struct error failure;

    while (live_busy(live)) {
        clock_pause(2 * NS_PER_MS);
        if (signals_asked_to_end())
            live_stop_children(live);
    }
    *exit_status = live_exit_status(live);
    live_settle(live);
    if (!options->program)
        *exit_status = exit_status_of_session(live_session(live), options, *exit_status);
    live_error(live, &failure);
    if (failure.status != STATUS_OK)
        return error_set(error, failure.status, "%s", failure.text);
    if (*exit_status != EXIT_FINE)
        return error_set(
            error, STATUS_STATE,
            "The run ended with status %d: its counts are not compared, and no baseline is written.",
            *exit_status);
    return STATUS_OK;
}

static enum status run_counted(const struct options *options, const struct device_choice *choice,
                               struct error *error)
{
    char recording[PATH_BYTES];
    int exit_status;
    struct live *live = NULL;
    struct live_options live_options = {
        .options = options, .choice = choice, .recording = recording, .overwrite = true, .foreground = true};
    enum status status = path_of_live_recording(recording, error);

    if (status == STATUS_OK)
        status = live_start(&live, &live_options, error);
    if (status != STATUS_OK)
        return status;
    signals_forward_to(live);
    if (options->program)
        status = live_run_program(live, options->program, error);
    else
        status = live_run_workloads(live, options->workloads, options->all ? 0 : options->workload_count,
                                    choice->small, error);
    if (status == STATUS_OK)
        status = wait_for_end(live, options, &exit_status, error);
    signals_forward_to(NULL);
    live_finish(live, NULL, NULL, NULL);
    unlink(recording);
    return status;
}

/* ---- files ---- */
static enum status read_counts(struct gate_counts *counts, const char *path, struct error *error)
{
    char *text;
    size_t size_bytes;
    enum status status = file_read(path, COUNTS_BYTES_MAX, &text, &size_bytes, error);

    if (status != STATUS_OK)
        return status;
    if (memchr(text, '\0', size_bytes)) {
        free(text);
        return error_set(error, STATUS_USAGE, "%.300s has a byte 0, so it is no file of counts.", path);
    }
    return gate_counts_read(counts, path, text, error);
}

/* Reads the counts of all processes, and removes the folder with them. */
static enum status collect_counts(struct gate_counts *counts, const char *folder, struct error *error)
{
    DIR *directory = opendir(folder);
    enum status status = STATUS_OK;
    struct dirent *entry;
    char path[PATH_BYTES];

    while (directory && (entry = readdir(directory))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%.3000s/%.255s", folder, entry->d_name);
        if (status == STATUS_OK)
            status = read_counts(counts, path, error);
        unlink(path);
    }
    if (directory)
        closedir(directory);
    rmdir(folder);
    gate_counts_settle(counts);
    return status;
}

static enum status write_file(const char *path, const struct gate_report *report,
                              enum status (*print)(const struct gate_report *report, FILE *out,
                                                   struct error *error),
                              struct error *error)
{
    struct out_file file;
    enum status status = path ? out_file_open(&file, path, report->baseline, error) : STATUS_OK;

    if (!path || status != STATUS_OK)
        return status;
    status = print(report, file.stream, error);
    const enum status closed = out_file_close(&file, status == STATUS_OK, status == STATUS_OK ? error : NULL);
    return status == STATUS_OK ? closed : status;
}

/* Writes beside it and renames, so that a full disk leaves the old one. A link stays one: what it names is
 * replaced. */
static enum status write_baseline(const struct gate_counts *counts, const char *device, const char *path,
                                  struct error *error)
{
    char beside[PATH_BYTES], *named = realpath(path, NULL);
    const char *target = named ? named : path;
    struct stat facts;
    FILE *file = NULL;

    beside[0] = '\0';
    if (!named && lstat(path, &facts) == 0)
        errno = ENOENT;
    else if (snprintf(beside, sizeof beside, "%s.%ld.new", target, (long)getpid()) < (int)sizeof beside)
        file = fopen(beside, "wxe");
    else
        errno = ENAMETOOLONG;
    if (file) {
        gate_counts_write(counts, device, file);
        bool failed = ferror(file) != 0;
        if (fclose(file) == 0 && !failed && rename(beside, target) == 0) {
            free(named);
            return STATUS_OK;
        }
    }
    int failure = errno;
    if (file)
        unlink(beside);
    free(named);
    return error_set_errno(error, STATUS_IO, failure, "The baseline %.300s could not be written", path);
}

/* ---- the command ---- */
/* What counts depend on besides the program: "h200, rules of 9.0". */
static void device_words(const struct options *options, const struct device_choice *choice, char *text,
                         size_t size_bytes)
{
    char rules[ARCH_TEXT_BYTES];
    size_t used = 0;

    append_text(text, size_bytes, &used, "%s", choice->model->id);
    if (options->rules) {
        arch_text(options->rules, rules);
        append_text(text, size_bytes, &used, " --cc %s", rules);
    }
    if (options->keep_ptx)
        append_text(text, size_bytes, &used, " --no-merge");
}

static void again_words(const struct options *options, char text[AGAIN_BYTES])
{
    size_t used = 0;

    append_text(text, AGAIN_BYTES, &used, "lanescope gate --update %s%s", options->file,
                options->all       ? " --all"
                : options->program ? " --"
                                   : "");
    for (size_t i = 0; i < options->workload_count; i++)
        append_text(text, AGAIN_BYTES, &used, " %s", options->workloads[i]);
    for (size_t i = 0; options->program && options->program[i]; i++)
        append_text(text, AGAIN_BYTES, &used, " %s", options->program[i]);
}

static enum status compare_counts(const struct options *options, const struct gate_counts *before,
                                  const struct gate_counts *after, int *exit_status, struct error *error)
{
    struct gate_result result;
    char again[AGAIN_BYTES];
    struct gate_report report = {
        .result = &result, .baseline = options->file, .again = again, .look = sheet_option_look(options)};

    again_words(options, again);
    gate_compare(before, after, &result);
    *exit_status = result.alarms ? EXIT_CHECK : EXIT_FINE;
    enum status status = STATUS_OK;
    if (options->table)
        status = sheet_option_print(gate_sheet_at, &result, options, stdout, error);
    else
        status = gate_print_text(&report, stdout, error);
    if (status == STATUS_OK)
        status = write_file(options->junit, &report, gate_print_junit, error);
    if (status == STATUS_OK)
        status = write_file(options->markdown, &report, gate_print_markdown, error);
    gate_result_fini(&result);
    return status;
}

/* A baseline that is there is read before the run: a mistake in it is said at once. */
static enum status read_baseline(struct gate_counts *before, const struct options *options,
                                 const char *device, bool *there, struct error *error)
{
    *there = access(options->file, F_OK) == 0;
    if (!*there || options->update)
        return STATUS_OK;
    enum status status = read_counts(before, options->file, error);

    if (status != STATUS_OK) {
        error->status = STATUS_USAGE;
        return STATUS_USAGE;
    }
    if (strcmp(before->device, device) != 0)
        return error_set(
            error, STATUS_USAGE,
            "%.300s has the counts of device %s, and this run is on %s: give the same --model, --cc "
            "and --no-merge, or write it again with --update.",
            options->file, before->device, device);
    gate_counts_settle(before);
    return STATUS_OK;
}

static enum status count_run(const struct options *options, const struct device_choice *choice,
                             struct gate_counts *after, struct error *error)
{
    char folder[PATH_BYTES];
    int lock = folder_make("lanescope-gate", folder, sizeof folder);

    if (lock < 0 || setenv(TALLY_FOLDER_VARIABLE, folder, 1) != 0)
        return error_set_errno(error, STATUS_IO, errno, "A folder for the counts could not be made in %.300s",
                               folder);
    enum status ran = run_counted(options, choice, error);
    enum status status = collect_counts(after, folder, ran == STATUS_OK ? error : NULL);

    close(lock);
    status = ran != STATUS_OK ? ran : status;
    if (status == STATUS_OK && after->kernel_count == 0)
        return error_set(error, STATUS_STATE,
                         "No launch was counted: the run launched no kernel, or a process of it ended by "
                         "_exit. There is nothing to compare.");
    return status;
}

enum status gate_command(const struct options *options, int *exit_status, struct error *error)
{
    struct device_choice choice;
    struct gate_counts before = {0}, after = {0};
    char device[100] = "";
    bool there = false;
    enum status status = live_check_workloads(options->workloads, options->workload_count, error);

    if (status == STATUS_OK)
        status = device_choose(options, &choice, error);
    if (status == STATUS_OK) {
        device_words(options, &choice, device, sizeof device);
        status = read_baseline(&before, options, device, &there, error);
    }
    if (status == STATUS_OK)
        status = count_run(options, &choice, &after, error);
    if (status == STATUS_OK && there && !options->update) {
        status = compare_counts(options, &before, &after, exit_status, error);
    } else if (status == STATUS_OK) {
        status = write_baseline(&after, device, options->file, error);
        if (status == STATUS_OK)
            printf("gate: %s %s (kernels by shape: %zu): keep it in git\n",
                   there ? "wrote anew" : "there was no baseline: wrote", options->file, after.kernel_count);
    }
    gate_counts_fini(&before);
    gate_counts_fini(&after);
    return status;
}
