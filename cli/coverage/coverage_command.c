/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands are run as a user would run them: lanescope is executed again with --record, into a folder of its
 * own, and the recording is read. Rows with the same command line share its run. A command line is kept until
 * all rows that need it are done; its session with it.
 */
#include "cli/coverage/coverage.h"

#include "cli/machine/device_choice.h"
#include "cli/output/memory.h"
#include "cli/output/sheet_print.h"
#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "core/analysis/kernel_metrics.h"
#include "core/analysis/overlap/overlap.h"
#include "core/analysis/run_times.h"
#include "core/base/append.h"
#include "core/base/clock.h"
#include "core/hardware/arch.h"
#include "core/hardware/device_sheet.h"
#include "core/hardware/occupancy.h"
#include "core/recording/recording.h"
#include "core/session/session_walk.h"
#include "simt/check/check.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LINE_BYTES 600
#define WORDS_MAX 60
#define SENTENCE_BYTES 400
#define SESSION_BYTES ((size_t)300000000)

/* A command line, run once. */
struct coverage_run {
    char line[LINE_BYTES];
    bool done, refused;
    double seconds;
    struct session *session; /* NULL: of `device`, or refused */
    struct sheet_row *properties;
    size_t property_count;
    const struct arch *arch;  /* of `device` */
    char why[SENTENCE_BYTES]; /* it was refused */
};

struct coverage_result { /* of one check; a row without checks has one */
    const struct coverage_row *row;
    const struct coverage_check *check; /* NULL: it has none */
    double ours;
    bool holds;
    char why[SENTENCE_BYTES]; /* `ours` is not known */
};

struct coverage {
    struct coverage_run *runs;
    size_t run_count, run_room;
    struct coverage_result *results;
    size_t result_count, result_room;
    char folder[64], recording[96];
};

/* ---- one command line ---- */
/* The words of a line, with quotes as a shell has them; `copy` holds them. */
static size_t split_words(const char *line, char copy[LINE_BYTES], char *words[WORDS_MAX])
{
    size_t count = 0;
    char *out = copy;

    while (*(line += strspn(line, " ")) && count < WORDS_MAX - 1) {
        bool quoted = false;

        words[count++] = out;
        for (; *line && (quoted || *line != ' '); line++)
            if (*line == '\'')
                quoted = !quoted;
            else
                *out++ = *line;
        *out++ = '\0';
    }
    words[count] = NULL;
    return count;
}

/* The command'th part of "a ; b", from 1. */
static bool command_line(const char *all, unsigned command, char line[LINE_BYTES])
{
    for (unsigned i = 1; *all; i++) {
        const char *end = strstr(all, " ; ");
        const size_t length = end ? (size_t)(end - all) : strlen(all);

        if (i == command && length < LINE_BYTES) {
            memcpy(line, all, length);
            line[length] = '\0';
            return true;
        }
        all += end ? length + 3 : length;
    }
    return false;
}

static void run_device(struct coverage_run *run, char *const *words)
{
    struct error error = {0};
    const struct gpu *gpu = words[1] ? device_model(words[2], &error) : device_model(NULL, &error);

    run->refused = !gpu;
    if (!gpu)
        return;
    run->properties = memory_zeroed(SHEET_ROWS_MAX, sizeof *run->properties);
    run->property_count = device_sheet_make(&(struct device_description){.info = gpu->info}, run->properties);
    run->arch = arch_find(gpu->info.compute_capability);
}

/* The last line of what a command wrote on standard error. */
static void read_sentence(int file, char text[SENTENCE_BYTES])
{
    char all[4096];
    const ssize_t got = pread(file, all, sizeof all - 1, 0);

    all[got > 0 ? got : 0] = '\0';
    for (size_t length = strlen(all); length > 0 && all[length - 1] == '\n';)
        all[--length] = '\0';
    const char *last = strrchr(all, '\n');

    snprintf(text, SENTENCE_BYTES, "%.390s", last ? last + 1 : all);
}

static enum status run_record(const struct coverage *coverage, struct coverage_run *run, char *const *words,
                              size_t count, struct error *error)
{
    char program[PATH_BYTES];
    char *argv[WORDS_MAX + 8] = {program, (char *)"--record", (char *)(uintptr_t)coverage->recording,
                                 (char *)"--device", (char *)"simt"};
    const struct launch_variable variables[] = {{"XDG_STATE_HOME", coverage->folder}, {NULL, NULL}};
    struct kept_output output;
    struct launch *launch;
    int status = 0;

    memcpy(&argv[5], words, count * sizeof *words);
    if (path_of_program(program, error) != STATUS_OK || kept_output_open(&output, error) != STATUS_OK)
        return error->status;
    unlink(coverage->recording);
    if (launch_start(&launch,
                     &(struct launch_options){.argv = argv,
                                              .variables = variables,
                                              .output = -1,
                                              .errors = output.fd,
                                              .ends_with_us = true},
                     &status, error) != STATUS_OK) {
        kept_output_close(&output);
        return error->status;
    }
    status = launch_wait(launch, NULL);
    launch_destroy(launch);
    read_sentence(output.fd, run->why);
    kept_output_close(&output);
    run->refused = status != EXIT_FINE && status != EXIT_CHECK;
    if (access(coverage->recording, R_OK) == 0 &&
        recording_load_within(&run->session, coverage->recording, SESSION_BYTES, error) != STATUS_OK)
        run->session = NULL;
    return STATUS_OK;
}

static enum status run_command_line(struct coverage *coverage, struct coverage_run *run, struct error *error)
{
    char copy[LINE_BYTES], *words[WORDS_MAX];
    const size_t count = split_words(run->line, copy, words);
    const int64_t begun_ns = clock_monotonic_ns();
    enum status status = STATUS_OK;

    if (strcmp(words[0], "device") == 0)
        run_device(run, words);
    else
        status = run_record(coverage, run, words, count, error);
    run->seconds = (double)(clock_monotonic_ns() - begun_ns) / 1e9;
    run->done = true;
    return status;
}

static struct coverage_run *find_run(struct coverage *coverage, const char *line)
{
    for (size_t i = 0; i < coverage->run_count; i++)
        if (strcmp(coverage->runs[i].line, line) == 0)
            return &coverage->runs[i];
    return NULL;
}

/* ---- values ---- */
static bool text_is(const char *text, const char *word, size_t length)
{
    return strlen(text) == length && strncmp(text, word, length) == 0;
}

/* Is the word one of those between commas? */
static bool text_has(const char *list, const char *word, size_t length)
{
    while (*list) {
        const size_t item = strcspn(list, ",");

        if (item == length && strncmp(list, word, length) == 0)
            return true;
        list += item + (list[item] == ',');
    }
    return false;
}

static bool run_is_selected(const struct session *session, const struct run_row *run, const char *selector)
{
    const char *workload = session_string(session, run->workload),
               *variant = session_string(session, run->variant),
               *params = session_string(session, run->params);

    while (*selector) {
        const size_t length = strcspn(selector, ","), name = strlen(workload);
        const bool both = length > name && strncmp(selector, workload, name) == 0 && selector[name] == ':' &&
                          text_is(variant, selector + name + 1, length - name - 1);

        if (!both && !text_is(workload, selector, length) && !text_is(variant, selector, length) &&
            !text_has(params, selector, length))
            return false;
        selector += length + (selector[length] == ',');
    }
    return true;
}

/* NONE: not exactly one. */
static uint32_t select_run(const struct session *session, const char *selector, uint32_t *matches)
{
    uint32_t found = NONE;

    *matches = 0;
    for (uint32_t i = 0; i < session_run_count(session); i++)
        if (run_is_selected(session, session_run(session, i), selector)) {
            found = i;
            (*matches)++;
        }
    return *matches == 1 ? found : NONE;
}

/* The run's effective kernel, else the one with most time; NONE: no kernel was launched. */
static uint32_t find_kernel(const struct session *session, uint32_t run)
{
    const char *effective = session_string(session, session_run(session, run)->effective_kernel);
    uint32_t found = NONE;
    uint64_t most_ns = 0;

    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);

        if (kernel->run != run)
            continue;
        if (*effective &&
            strcmp(effective, session_string(session, session_shape(session, kernel->shape)->name)) == 0)
            return i;
        if (found == NONE || kernel->total_ns > most_ns) {
            found = i;
            most_ns = kernel->total_ns;
        }
    }
    return found;
}

struct event_search {
    const struct session *session;
    double number;
};

static bool visit_copy(void *context, const struct walk_event *event)
{
    struct event_search *search = context;

    if (event->end_ns > event->start_ns && event->item.a != COPY_DTOD)
        search->number = (double)event->item.copy.size_bytes / (double)(event->end_ns - event->start_ns);
    return isnan(search->number);
}

/* "events: 167.1 us": the first number in it. */
static bool visit_mark(void *context, const struct walk_event *event)
{
    struct event_search *search = context;
    const char *text = session_string(search->session, event->item.range.name);

    if (event->end_ns == event->start_ns && text[strcspn(text, "0123456789")])
        search->number = strtod(text + strcspn(text, "0123456789"), NULL);
    return isnan(search->number);
}

static bool visit_range(void *context, const struct walk_event *event)
{
    struct event_search *search = context;

    if (event->end_ns > event->start_ns)
        search->number = (double)(event->end_ns - event->start_ns);
    return isnan(search->number);
}

static double find_event(const struct session *session, uint32_t run, unsigned tracks, unsigned items,
                         walk_visitor *visit)
{
    struct event_search search = {session, NAN};

    session_walk(session, &(struct walk){.run = run, .tracks = tracks, .items = items}, visit, &search);
    return search.number;
}

static double count_findings(const struct session *session)
{
    double count = 0;

    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const char *text = session_string(session, session_notice(session, i)->text);

        for (enum check_kind kind = 0; kind < CHECK_KIND_COUNT; kind++)
            count += strncmp(text, check_kind_text(kind), strlen(check_kind_text(kind))) == 0;
    }
    return count;
}

/* What belongs to a run as a whole; false: the name is none of these. */
static bool value_of_run(const struct session *session, uint32_t run, const char *name, double *number)
{
    struct overlap overlap;
    struct run_times times;

    *number = NAN;
    if (strcmp(name, "copy") == 0)
        *number = find_event(session, run, WALK_TRACK(STREAM), WALK_ITEM(COPY), visit_copy);
    else if (strcmp(name, "mark") == 0)
        *number = find_event(session, run, ~0u, WALK_ITEM(RANGE), visit_mark);
    else if (strcmp(name, "range") == 0)
        *number = find_event(session, run, ~0u, WALK_ITEM(RANGE), visit_range);
    else if (strcmp(name, "span") == 0)
        *number =
            run_times_of(session, run, &times, NULL) == STATUS_OK ? (double)times.ns[RUN_TIME_SPAN] : NAN;
    else if (strcmp(name, "kernels") != 0 && strcmp(name, "copies") != 0 && strcmp(name, "hidden") != 0)
        return false;
    else if (overlap_compute(session, run, INT64_MIN, INT64_MAX, &overlap, NULL) == STATUS_OK)
        *number = strcmp(name, "kernels") == 0 ? (double)overlap.kernel_busy_ns
                  : strcmp(name, "copies") == 0
                      ? (double)overlap.copy_busy_ns
                      : (double)overlap.copy_hidden_ns / (double)overlap.copy_busy_ns;
    return true;
}

static double value_of_kernel(const struct session *session, uint32_t kernel, const char *name)
{
    const struct kernel_times times = kernel_times(session, kernel, true);
    const bool gigabytes = strcmp(name, "bandwidth") == 0;
    const enum metric metric = metric_find(gigabytes ? "effective_bandwidth_bytes_per_second" : name);

    if (strcmp(name, "time") == 0)
        return times.median_ns > 0 ? (double)times.median_ns : NAN;
    if (strcmp(name, "call") == 0)
        return times.calls > 0 ? (double)times.call_median_ns : NAN;
    if (strcmp(name, "launches") == 0)
        return (double)times.launches;
    if (metric == METRIC_COUNT)
        return NAN;
    for (int i = PROVENANCE_MODELLED; i >= PROVENANCE_EXPECTED; i--) {
        const struct value value = kernel_statistic(session, kernel, metric, (enum provenance)i).value;

        if (value.available && !value.word)
            return value.number * (gigabytes ? 1e-9 : 1);
    }
    return NAN;
}

static double value_of_session(const struct session *session, const char *name, const char *selector,
                               struct error *error)
{
    uint32_t matches;
    const uint32_t run = select_run(session, selector, &matches);
    double number;

    if (run == NONE) {
        error_set(error, STATUS_FORMAT, "\"%s(%s)\": %u runs are meant in place of one.", name, selector,
                  matches);
        return NAN;
    }
    if (!value_of_run(session, run, name, &number)) {
        const uint32_t kernel = find_kernel(session, run);

        number = kernel == NONE ? NAN : value_of_kernel(session, kernel, name);
    }
    if (isnan(number))
        error_set(error, STATUS_FORMAT, "\"%s(%s)\" has no value.", name, selector);
    return number;
}

/* "block=128,registers=12": what the calculator (key C) has for them. */
static double value_of_calculator(const struct coverage_run *run, const char *selector)
{
    struct occupancy_input input = {0};

    sscanf(selector, "block=%" SCNu32 ",registers=%" SCNu32, &input.threads_per_block,
           &input.registers_per_thread);
    return run->arch && input.threads_per_block > 0 ? occupancy_compute(run->arch, &input).percent : NAN;
}

static double value_of_property(const struct coverage_run *run, const char *name, const char *selector,
                                struct error *error)
{
    if (strcmp(name, "occupancy") == 0)
        return value_of_calculator(run, selector);
    for (size_t i = 0; i < run->property_count; i++) {
        const struct value *value = &run->properties[i].value;

        if (strcmp(run->properties[i].id, name) != 0 || !value->available)
            continue;
        return value->word || run->properties[i].is_text ? strcmp(run->properties[i].text, "yes") == 0
                                                         : value->number;
    }
    error_set(error, STATUS_FORMAT, "The device has no property \"%s\".", name);
    return NAN;
}

/* Before it began, or, of a workload that the model's GPU cannot run, at its launch. */
static double run_is_refused(const struct coverage_run *run)
{
    bool refused = run->refused;

    for (uint32_t i = 0; run->session && i < session_run_count(run->session); i++)
        refused |= atomic_load(&session_run(run->session, i)->verified) < 0;
    return refused;
}

struct row_source {
    struct coverage_source source;
    struct coverage *coverage;
    const struct coverage_row *row;
};

static double value_of_row(const struct coverage_source *source, const char *name, unsigned command,
                           const char *selector, struct error *error)
{
    const struct row_source *from = (const struct row_source *)source;
    char line[LINE_BYTES];
    const struct coverage_run *run =
        command_line(from->row->run, command, line) ? find_run(from->coverage, line) : NULL;

    if (run && strcmp(name, "refused") == 0)
        return run_is_refused(run);
    if (run && run->properties)
        return value_of_property(run, name, selector, error);
    if (!run || !run->session) {
        error_set(error, STATUS_FORMAT, "%s", run ? run->why : "There is no such command.");
        return NAN;
    }
    return strcmp(name, "findings") == 0 ? count_findings(run->session)
                                         : value_of_session(run->session, name, selector, error);
}

/* ---- the rows ---- */
static bool words_choose(const struct options *options, const struct coverage_row *row)
{
    bool chosen = false, named = false, quick = false;

    for (size_t i = 0; i < options->workload_count; i++) {
        const char *word = options->workloads[i];
        const char *at = strstr(row->documents, word);

        if (strcmp(word, "quick") == 0) {
            quick = true;
            continue;
        }
        named = true;
        chosen |= strcasecmp(word, row->id) == 0 ||
                  (strlen(word) == 1 && toupper((unsigned char)*word) == *row->id) ||
                  (strlen(word) > 3 && at && !isalpha((unsigned char)at[strlen(word)]));
    }
    return (chosen || !named) && !(quick && row->slow);
}

static enum status run_row(struct coverage *coverage, const struct coverage_row *row, struct error *error)
{
    char line[LINE_BYTES];

    for (unsigned command = 1; row->run && row->checks[0].what && command_line(row->run, command, line);
         command++) {
        struct coverage_run *run = find_run(coverage, line);

        if (run)
            continue;
        memory_grow(coverage->runs, coverage->run_room, coverage->run_count, 1);
        run = &coverage->runs[coverage->run_count++];
        *run = (struct coverage_run){0};
        snprintf(run->line, sizeof run->line, "%s", line);
        if (run_command_line(coverage, run, error) != STATUS_OK)
            return error->status;
    }
    return STATUS_OK;
}

/* A wrong result shows nothing, whatever its time. */
static bool results_are_verified(const struct coverage *coverage, const struct coverage_row *row,
                                 char why[SENTENCE_BYTES])
{
    char line[LINE_BYTES];

    for (unsigned command = 1; command_line(row->run, command, line); command++) {
        const struct coverage_run *run = find_run((struct coverage *)(uintptr_t)coverage, line);

        for (uint32_t i = 0; run && run->session && i < session_run_count(run->session); i++)
            if (atomic_load(&session_run(run->session, i)->verified) == 0) {
                snprintf(why, SENTENCE_BYTES, "The result of %s:%s is wrong.",
                         session_string(run->session, session_run(run->session, i)->workload),
                         session_string(run->session, session_run(run->session, i)->variant));
                return false;
            }
    }
    return true;
}

static void judge_row(struct coverage *coverage, const struct coverage_row *row)
{
    const struct row_source source = {{value_of_row}, coverage, row};

    for (int i = 0; i < COVERAGE_CHECKS_MAX && (i == 0 || row->checks[i].what); i++) {
        const struct coverage_check *check = row->checks[i].what ? &row->checks[i] : NULL;

        memory_grow(coverage->results, coverage->result_room, coverage->result_count, 1);
        struct coverage_result *result = &coverage->results[coverage->result_count++];

        *result = (struct coverage_result){.row = row, .check = check, .ours = NAN, .holds = true};
        if (!check)
            return;
        struct error error = {0};

        if (coverage_evaluate(check->what, &source.source, &result->ours, &error) != STATUS_OK)
            snprintf(result->why, sizeof result->why, "%.390s", error.text);
        result->holds = result->ours >= check->least && result->ours <= check->most &&
                        results_are_verified(coverage, row, result->why);
    }
}

/* Of all checks of the row. */
static bool row_holds(const struct coverage *coverage, const struct coverage_row *row)
{
    bool holds = true;

    for (size_t i = 0; i < coverage->result_count; i++)
        holds &= coverage->results[i].row != row || coverage->results[i].holds;
    return holds;
}

/* ---- the sheet ---- */
/* clang-format off */
static const struct sheet_column columns[] = {
    {"row", "row", "the point (docs/coverage.md)", SHEET_TEXT, SHEET_NEITHER, 4, 0, false},
    {"documents", "document", "the documents that make the point", SHEET_TEXT, SHEET_NEITHER, 13, 3, false},
    {"place", NULL, "where the sentence stands in the first of them", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"state", "state", "shown: every check holds; told: a page or a screen says it, no run checks it; not shown: the model does not show it", SHEET_TEXT, SHEET_NEITHER, 9, 0, false},
    {"as_stated", NULL, "is the state what the table says", SHEET_YES, SHEET_MORE, 0, 0, false},
    {"number", "theirs", "the document's number; null: it has a direction only", SHEET_TEXT, SHEET_NEITHER, 8, 1, false},
    {"ours", "ours", "the number of the model", SHEET_TEXT, SHEET_NEITHER, 8, 0, false},
    {"deviation", "off", "ours from the document's, as a share of the document's", SHEET_TEXT, SHEET_NEITHER, 7, 1, false},
    {"least", NULL, "the check holds from here", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"most", NULL, "to here", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"bounds", "holds in", "the bounds of the check", SHEET_TEXT, SHEET_NEITHER, 14, 2, false},
    {"check", NULL, "the expression over values of the run", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"command", NULL, "command lines of lanescope, with ; between", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"seconds", NULL, "seconds that the row's commands took", SHEET_NUMBER, SHEET_LESS, 0, 0, false},
    {"says", "what the document says", "the sentence, shortened; of a failed check why", SHEET_SENTENCE, SHEET_NEITHER, 24, 0, false}};
/* clang-format on */

static void number_text(double number, char text[32])
{
    if (isinf(number))
        snprintf(text, 32, "any");
    else
        snprintf(text, 32, fabs(number) >= 1000 ? "%.0f" : "%.4g", number);
}

static double seconds_of_row(const struct coverage *coverage, const struct coverage_row *row)
{
    char line[LINE_BYTES];
    double seconds = 0;

    for (unsigned command = 1; row->run && command_line(row->run, command, line); command++) {
        const struct coverage_run *run = find_run((struct coverage *)(uintptr_t)coverage, line);

        seconds += run ? run->seconds : 0;
    }
    return seconds;
}

static void print_result(const struct coverage *coverage, const struct coverage_result *result,
                         struct sheet_sink *to)
{
    const struct coverage_row *row = result->row;
    const struct coverage_check *check = result->check;
    const bool first = result == coverage->results || result[-1].row != row;
    const bool holds = row_holds(coverage, row), stated = coverage_state(row) != COVERAGE_NOT_SHOWN;
    const enum coverage_state state = !check ? COVERAGE_TOLD : holds ? COVERAGE_SHOWN : COVERAGE_NOT_SHOWN;
    const double deviation = check && check->number != 0 ? result->ours / check->number - 1 : NAN;
    char number[32] = "-", ours[32] = "-", share[32] = "-", bounds[70] = "-", least[32], most[32],
         says[SENTENCE_BYTES + 400];

    if (check) {
        number_text(check->least, least);
        number_text(check->most, most);
        if (check->least == check->most)
            snprintf(bounds, sizeof bounds, "%s", least);
        else if (isinf(check->most))
            snprintf(bounds, sizeof bounds, "at least %s", least);
        else if (check->least == 0)
            snprintf(bounds, sizeof bounds, "at most %s", most);
        else
            snprintf(bounds, sizeof bounds, "%s to %s", least, most);
        if (!isnan(check->number))
            number_text(check->number, number);
        if (!isnan(result->ours))
            number_text(result->ours, ours);
        if (!isnan(deviation))
            snprintf(share, sizeof share, "%+.1f %%", 100 * deviation);
    }
    snprintf(says, sizeof says, "%s%s%s%s%s", check && !first ? check->what : row->says,
             !result->holds ? " [does not hold: " : "", !result->holds ? check->what : "",
             *result->why ? ": " : "", !result->holds ? result->why : "");
    if (!result->holds)
        strncat(says, "]", sizeof says - strlen(says) - 1);
    sheet_row(to, (const struct sheet_cell[]){
                      {.text = row->id},
                      {.text = row->documents},
                      {.text = row->place},
                      {.text = coverage_state_text(state)},
                      {.number = !check || holds == stated},
                      {.text = number},
                      {.text = ours},
                      {.text = share},
                      {.number = check ? check->least : NAN},
                      {.number = check && !isinf(check->most) ? check->most : NAN},
                      {.text = bounds},
                      {.text = check ? check->what : NULL},
                      {.text = row->run},
                      {.number = seconds_of_row(coverage, row)},
                      {.text = says},
                  });
}

static enum status make_results(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct coverage *coverage = from;
    size_t rows = 0, of_state[3] = {0}, checks = 0;
    double seconds = 0;
    char note[300], chapter = '\0';

    (void)error;
    for (size_t i = 0; i < coverage->result_count; i++) {
        const struct coverage_result *result = &coverage->results[i];
        const bool first = i == 0 || result[-1].row != result->row;

        if (*result->row->id != chapter)
            sheet_group(to, coverage_chapter(*result->row->id));
        chapter = *result->row->id;
        rows += first;
        checks += result->check != NULL;
        if (first)
            of_state[!result->check                     ? COVERAGE_TOLD
                     : row_holds(coverage, result->row) ? COVERAGE_SHOWN
                                                        : COVERAGE_NOT_SHOWN]++;
        print_result(coverage, result, to);
    }
    for (size_t i = 0; i < coverage->run_count; i++)
        seconds += coverage->runs[i].seconds;
    snprintf(
        note, sizeof note,
        "%zu points: %zu shown by %zu checks, %zu told, %zu not shown. %zu commands, %.1f s on the device model.",
        rows, of_state[COVERAGE_SHOWN], checks, of_state[COVERAGE_TOLD], of_state[COVERAGE_NOT_SHOWN],
        coverage->run_count, seconds);
    sheet_note(to, note);
    return STATUS_OK;
}

static const struct sheet sheet_coverage = {.id = "coverage",
                                            .title = "What the documents say, and what shows it",
                                            SHEET_COLUMNS(columns),
                                            .none = "coverage: no point has this name",
                                            .rows = make_results};

static const struct sheet *coverage_sheet_at(size_t index)
{
    return index == 0 ? &sheet_coverage : NULL;
}

/* ---- the command ---- */
static void coverage_fini(struct coverage *coverage)
{
    char line[160];

    for (size_t i = 0; i < coverage->run_count; i++) {
        if (coverage->runs[i].session)
            session_destroy(coverage->runs[i].session);
        free(coverage->runs[i].properties);
    }
    free(coverage->runs);
    free(coverage->results);
    unlink(coverage->recording);
    snprintf(line, sizeof line, "%s/lanescope", coverage->folder);
    rmdir(line);
    rmdir(coverage->folder);
}

static enum status run_rows(struct coverage *coverage, const struct options *options, struct error *error)
{
    const struct coverage_row *row;

    for (size_t i = 0; (row = coverage_at(i)); i++) {
        if (!words_choose(options, row))
            continue;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%-5s", row->id);
        if (run_row(coverage, row, error) != STATUS_OK)
            return error->status;
        judge_row(coverage, row);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r     \r", stderr);
    return STATUS_OK;
}

enum status coverage_command(const struct options *options, FILE *out, int *exit_status, struct error *error)
{
    struct coverage coverage = {.folder = "/tmp/lanescope-coverage-XXXXXX"};
    struct options printed = *options;

    if (!printed.table)
        printed.table = "coverage";
    if (!mkdtemp(coverage.folder))
        return error_set_errno(error, STATUS_IO, errno, "There is no room for recordings in /tmp");
    snprintf(coverage.recording, sizeof coverage.recording, "%s/run.lsr", coverage.folder);
    enum status status = strcmp(printed.table, "list") == 0 ? STATUS_OK : run_rows(&coverage, options, error);

    if (status == STATUS_OK && coverage.result_count == 0 && strcmp(printed.table, "list") != 0)
        status = error_set(error, STATUS_USAGE,
                           "No point, chapter or document has this name: docs/coverage.md has them.");
    if (status == STATUS_OK)
        status = sheet_option_print(coverage_sheet_at, &coverage, &printed, out, error);
    for (size_t i = 0; status == STATUS_OK && i < coverage.result_count; i++) {
        const struct coverage_row *row = coverage.results[i].row;

        if (coverage.results[i].check &&
            row_holds(&coverage, row) != (coverage_state(row) != COVERAGE_NOT_SHOWN))
            *exit_status = EXIT_CHECK;
    }
    coverage_fini(&coverage);
    return status;
}
