/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of a session, joined by their work, and what they have in common: checks, losses. Sums are made by
 * report_operations.c; of a session whose events were evicted there are none, and the caller says so.
 *
 * One text for a kernel: its run's workload, variant and parameters, and its own name; kernel NONE stands
 * for the run.
 */
#include "cli/report/data/report_data.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_facts.h"
#include "core/wire/standin_config.h"
#include "tui/terminal/text.h"
#include "tui/widgets/name_parts.h"
#include "tui/widgets/short_names.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_name_shorten(const struct report_data *data, const char *full, int cells, bool wide, char *text,
                         size_t size_bytes)
{
    if (wide)
        name_print_plain(full, text, size_bytes);
    else
        report_short_name(data->names, full, cells, text, size_bytes);
}

void report_kernel_shorten(const struct report_data *data, uint32_t kernel, int cells, bool wide, char *text,
                           size_t size_bytes)
{
    if (wide)
        name_print_plain(kernel_full_name(data->session, kernel), text, size_bytes);
    else if (!short_names_print_kernel(data->names, data->session, kernel, cells, text, size_bytes))
        memory_end();
}

void report_name_text(const struct report_data *data, const struct report_run *run, uint32_t kernel,
                      bool wide, char *text, size_t size_bytes)
{
    const struct session *session = data->session;
    const struct run_row *row = report_run_row(session, run);
    char name[512] = "";
    if (kernel != NONE)
        report_kernel_shorten(data, kernel, SHORT_NAME_WHOLE, wide, name, sizeof name);
    snprintf(text, size_bytes, "%.200s%s%.100s%s%.300s%s%s",
             session_string(session, row->workload ? row->workload : row->program), row->workload ? ":" : "",
             session_string(session, row->workload ? row->variant : 0), row->params ? " " : "",
             session_string(session, row->params), kernel == NONE ? ": the run" : " ", name);
}

/* ---- runs ---- */
/* Both on the model, or both on a GPU and in the same mode? */
static bool same_kind(const struct run_row *a, enum run_mode mode, enum clock_kind clock)
{
    return a->clock == clock && (a->mode == mode || clock == CLOCK_MODEL);
}

/* The n-th run of the group of `run` and of this kind; NONE if there are fewer. */
static uint32_t run_find(const struct session *session, const struct run_row *run, enum run_mode mode,
                         enum clock_kind clock, size_t n)
{
    uint32_t i = run->first_of_group;
    while (i != NONE && !(same_kind(session_run(session, i), mode, clock) && n-- == 0))
        i = session_next_of_group(session, i);
    return i;
}

/* How many earlier runs have the same group and kind. */
static size_t run_rank(const struct session *session, uint32_t run)
{
    const struct run_row *asked = session_run(session, run);
    size_t rank = 0;
    for (uint32_t i = asked->first_of_group; i != run; i = session_next_of_group(session, i))
        rank += same_kind(session_run(session, i), asked->mode, asked->clock);
    return rank;
}

static void collect_runs(struct report_data *data, const struct session *session)
{
    uint32_t count = session_run_count(session);
    data->runs = memory_zeroed(count, sizeof *data->runs);
    for (uint32_t i = 0; i < count; i++) {
        const struct run_row *run = session_run(session, i);
        if (run->clock == CLOCK_MODEL) {
            struct report_run *own = &data->runs[data->run_count++];
            for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++)
                own->runs[mode] = mode == RUN_TRACE ? i : NONE;
            continue;
        }
        size_t rank = run_rank(session, i);
        if (run->mode == RUN_LINES && rank > 0)
            continue; /* a work has several lines runs, one process for each kernel */
        struct report_run *work = &data->runs[data->run_count];
        bool leads = true;
        for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
            work->runs[mode] = mode == run->mode ? i : run_find(session, run, mode, CLOCK_WALL, rank);
            leads = leads && (mode >= run->mode || work->runs[mode] == NONE);
        }
        data->run_count += leads;
    }
}

/* The work's run in this mode, or NULL. */
static const struct run_row *run_in_mode(const struct session *session, const struct report_run *run,
                                         enum run_mode mode)
{
    return run->runs[mode] == NONE ? NULL : session_run(session, run->runs[mode]);
}

const struct run_row *report_run_row(const struct session *session, const struct report_run *run)
{
    const struct run_row *row = NULL;
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT && !row; mode++)
        row = run_in_mode(session, run, mode);
    return row;
}

bool report_run_has(const struct report_data *data, const struct report_run *run, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(data->session, kernel);
    bool its_own = false;
    for (int mode = 0; mode < RUN_MODE_COUNT; mode++)
        its_own = its_own || (run->runs[mode] != NONE && row->run == run->runs[mode]);
    return its_own && session_shape(data->session, row->shape) && kernel_index_leads(data->index, kernel) &&
           report_wants(data->names, data->session, row, data->kernels);
}

/* A row of a run is in one piece of work. */
static void collect_kernels(struct report_data *data)
{
    const uint32_t runs = session_run_count(data->session), kernels = kernel_index_count(data->index);
    uint32_t *last = memory_zeroed(data->run_count, sizeof *last), *of = memory_zeroed(runs, sizeof *of);
    data->first_kernel = memory_zeroed(data->run_count, sizeof *data->first_kernel);
    data->next_kernel = memory_zeroed(kernels, sizeof *data->next_kernel);
    data->advised = memory_zeroed(kernels, sizeof *data->advised);
    memset(of, 0xff, runs * sizeof *of);
    for (uint32_t i = 0; i < data->run_count; i++) {
        data->first_kernel[i] = last[i] = NONE;
        for (int mode = 0; mode < RUN_MODE_COUNT; mode++)
            if (data->runs[i].runs[mode] < runs)
                of[data->runs[i].runs[mode]] = i;
    }
    for (uint32_t kernel = 0; kernel < kernels; kernel++) {
        const uint32_t row = session_kernel(data->session, kernel)->run, run = row < runs ? of[row] : NONE;
        data->next_kernel[kernel] = NONE;
        if (run == NONE)
            continue;
        *(last[run] == NONE ? &data->first_kernel[run] : &data->next_kernel[last[run]]) = kernel;
        last[run] = kernel;
    }
    free(last);
    free(of);
}

uint32_t report_next_kernel(const struct report_data *data, size_t run, uint32_t kernel)
{
    do
        kernel = kernel == NONE ? data->first_kernel[run] : data->next_kernel[kernel];
    while (kernel != NONE && !report_run_has(data, &data->runs[run], kernel));
    return kernel;
}

int report_verified(const struct session *session, const struct report_run *run)
{
    int result = -1;
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
        const struct run_row *row = run_in_mode(session, run, mode);
        int verified = row ? atomic_load_explicit(&row->verified, memory_order_acquire) : -1;
        if (verified == 0 || (verified > 0 && result < 0))
            result = verified > 0;
    }
    return result;
}

const char *report_detail(const struct session *session, const struct report_run *run)
{
    const char *detail = "";
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
        const struct run_row *row = run_in_mode(session, run, mode);
        uint32_t text = row ? atomic_load_explicit(&row->detail, memory_order_acquire) : 0;
        if (text && (!*detail || atomic_load_explicit(&row->verified, memory_order_acquire) == 0))
            detail = session_string(session, text);
    }
    return detail;
}

static const char *notice_of_run(const struct session *session, const struct run_row *run, const char *begin)
{
    for (uint32_t i = session_notice_count(session); run->clock == CLOCK_MODEL && i-- > 0;) {
        const struct notice_row *notice = session_notice(session, i);
        const char *text = session_string(session, notice->text);
        if (notice->process == run->process && strncmp(text, begin, strlen(begin)) == 0)
            return text;
    }
    return NULL;
}

const char *report_fidelity(const struct session *session, const struct run_row *run)
{
    return notice_of_run(session, run, STANDIN_FIDELITY);
}

const char *report_checked(const struct session *session, const struct run_row *run)
{
    return notice_of_run(session, run, CHECKED_TEXT);
}

bool report_checked_kernels(const struct session *session, unsigned long *checked, unsigned long *launched)
{
    bool known = false;
    *checked = *launched = 0;
    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        unsigned long some, all;
        if (sscanf(session_string(session, session_notice(session, i)->text), CHECKED_TEXT "%lu of %lu",
                   &some, &all) != 2)
            continue;
        *checked += some;
        *launched += all;
        known = true;
    }
    return known;
}

const char *report_digest(const struct session *session, const struct report_run *run)
{
    static const enum run_mode once_first[] = {RUN_COUNTERS, RUN_MEMORY, RUN_TRACE};
    for (size_t i = 0; i < sizeof once_first / sizeof once_first[0]; i++) {
        const struct run_row *row = run_in_mode(session, run, once_first[i]);
        if (row && atomic_load_explicit(&row->verified, memory_order_acquire) > 0) {
            const char *detail =
                session_string(session, atomic_load_explicit(&row->detail, memory_order_acquire));
            if (strncmp(detail, RUN_DIGEST_TEXT, strlen(RUN_DIGEST_TEXT)) == 0)
                return detail + strlen(RUN_DIGEST_TEXT);
        }
    }
    return NULL;
}

struct kernel_statistic report_statistic(const struct report_data *data, uint32_t kernel, enum metric metric)
{
    const enum provenance own =
        kernel_on_model(data->session, kernel) ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    struct kernel_statistic statistic = kernel_index_statistic(data->index, kernel, metric, own);
    if (!statistic.value.available && !(metric_info(metric)->runs & METRIC_OF_TRACE) &&
        kernel_index_lender(data->index, kernel) != NONE)
        statistic = kernel_index_statistic(data->index, kernel, metric, PROVENANCE_MODELLED);
    struct kernel_statistic expected =
        kernel_index_statistic(data->index, kernel, metric, PROVENANCE_EXPECTED);
    return statistic.value.available || !expected.value.available ? statistic : expected;
}

/* ---- losses ---- */
bool report_loss(const struct session *session, size_t index, char *text, size_t size_bytes)
{
    static const char *const reasons[DROP_REASON_COUNT] = {
        [DROP_RING_FULL] = "the program sent events faster than lanescope read them",
        [DROP_CUPTI] = "CUPTI dropped them",
        [DROP_NO_TIMESTAMP] = "CUPTI gave no times for them",
        [DROP_UNKNOWN_RECORD] = "this version does not know their kind",
        [DROP_MEMORY] = "the program ran out of memory",
        [DROP_REFUSED] = "their times or contents are impossible",
        [DROP_NO_ROOM] =
            "lanescope had no memory for them, or the process has more than 16,384 streams or threads"};
    for (uint32_t kind = 0; kind < EVENT_KIND_COUNT; kind++) {
        for (uint32_t reason = 0; reason < DROP_REASON_COUNT; reason++) {
            uint64_t lost = 0;
            for (uint32_t i = 0; i < session_drop_count(session); i++) {
                const struct drop_row *drop = session_drop(session, i);
                lost += drop->kind == kind && drop->reason == reason ? drop->count : 0;
            }
            if (lost > 0 && index-- == 0) {
                snprintf(text, size_bytes, "%" PRIu64 " events of kind %s were lost: %s.", lost,
                         event_kind_text((enum event_kind)kind), reasons[reason]);
                return true;
            }
        }
    }
    return false;
}

/* ---- all of it ---- */
static void *make_times(void *context)
{
    struct report_data *data = context;
    data->evicted = !report_times_make(data->session, data->times);
    return NULL;
}

void report_data_start(struct report_data *data, const struct session *session)
{
    *data = (struct report_data){.session = session};
    collect_runs(data, session);
    report_facts_begin(data);
}

void report_data_finish(struct report_data *data)
{
    const struct session *session = data->session;
    pthread_t times;
    bool beside = session_event_count(session) >= REPORT_BESIDE_LEAST &&
                  pthread_create(&times, NULL, make_times, data) == 0;
    memory_check(kernel_index_create(&data->index, session, NULL));
    data->names = report_names_of(session, NULL);
    collect_kernels(data);
    if (beside)
        pthread_join(times, NULL);
    else
        make_times(data);
}

void report_data_init(struct report_data *data, const struct session *session)
{
    report_data_start(data, session);
    report_data_finish(data);
}

enum status report_data_of(struct report_data *data, const struct session *session, const char *kernels,
                           struct error *error)
{
    struct short_names *names = report_names_of(session, NULL);
    char pattern[sizeof data->pattern];
    enum status status = report_choice_check(names, session, kernels, error);
    bool cut = status != STATUS_OK && name_print_pattern(kernels, false, pattern, sizeof pattern) &&
               report_choice_check(names, session, pattern, &(struct error){0}) == STATUS_OK;
    short_names_destroy(names);
    if (status != STATUS_OK && !cut)
        return status;
    report_data_init(data, session);
    snprintf(data->pattern, sizeof data->pattern, "%s", cut ? pattern : "");
    data->kernels = cut ? data->pattern : kernels;
    return STATUS_OK;
}

void report_data_fini(struct report_data *data)
{
    report_facts_free(data);
    for (uint32_t i = 0; i < kernel_index_count(data->index); i++)
        free(data->advised[i]);
    free(data->advised);
    kernel_index_destroy(data->index);
    short_names_destroy(data->names);
    free(data->runs);
    free(data->first_kernel);
    free(data->next_kernel);
    for (size_t clock = 0; clock < CLOCK_COUNT; clock++)
        report_times_fini(&data->times[clock]);
    *data = (struct report_data){0};
}

enum report_count report_count_agrees(const struct report_data *data, uint32_t kernel, enum metric metric,
                                      enum provenance weaker, struct value values[2])
{
    enum provenance own = kernel_on_model(data->session, kernel) ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    if (weaker >= own || !metric_info(metric)->exact)
        return REPORT_COUNT_NONE;
    /* The weaker one first: most kernels have none for most metrics, and it is found in less time. */
    values[1] = kernel_index_statistic(data->index, kernel, metric, weaker).value;
    if (!values[1].available)
        return REPORT_COUNT_NONE;
    values[0] = kernel_index_statistic(data->index, kernel, metric, own).value;
    if (!values[0].available)
        return REPORT_COUNT_NONE;
    switch (value_compare(&values[0], &values[1])) {
    case VALUE_DIFFERENT: return REPORT_COUNT_DIFFERENT;
    case VALUE_WITHIN: return REPORT_COUNT_NONE;
    default: return REPORT_COUNT_SAME;
    }
}

bool report_run_is_left_out(enum status *status, enum status *left)
{
    if (*status != STATUS_STATE)
        return false;
    *left = STATUS_STATE;
    *status = STATUS_OK;
    return true;
}

enum status report_visit_traced(const struct report_data *data, report_visit *visit, void *context,
                                struct error *error)
{
    enum status status = STATUS_OK, left = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < data->run_count; i++) {
        if (data->runs[i].runs[RUN_TRACE] != NONE)
            status = visit(data, i, context, error);
        report_run_is_left_out(&status, &left);
    }
    return status == STATUS_OK ? left : status;
}

const struct report_run *report_only_run(const struct report_data *data)
{
    const struct report_run *only = NULL;
    for (size_t i = 0; i < data->run_count; i++) {
        if (data->runs[i].runs[RUN_TRACE] == NONE)
            continue;
        if (only)
            return NULL;
        only = &data->runs[i];
    }
    return only;
}

const char *report_idle_text(enum partition_class part)
{
    const char *text = partition_class_text(part);
    return strncmp(text, "idle: ", 6) == 0 ? text + 6 : text;
}
