/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is compared. `states` has a row for each match, with the state of each limit. A side's argument is split in place: the text behind the
 * colon becomes the compare_pick. The whole session is loaded before its index is made. A run has many kernels: its device
 * time is looked up once for each pair of runs.
 */
#include "cli/diff/diff.h"
#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "core/base/append.h"
#include "core/recording/recording.h"
#include "tui/widgets/name_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t traced_run(const struct compare_kernel *side)
{
    uint32_t traced = kernel_index_in_mode(side->index, side->kernel, RUN_TRACE);
    return traced == NONE ? NONE : session_kernel(kernel_index_session(side->index), traced)->run;
}

static struct compare_run *find_pair(const struct diff_runs *runs, uint32_t a, uint32_t b)
{
    for (size_t i = runs->count; i-- > 0;) /* the kernels of a run are neighbours */
        if (runs->rows[i].run[0] == a && runs->rows[i].run[1] == b)
            return &runs->rows[i];
    return NULL;
}

enum status diff_runs_make(struct diff_runs *runs, const struct diff *diff, struct error *error)
{
    enum status status = STATUS_OK;
    *runs = (struct diff_runs){.rows = memory_zeroed(diff->matches.count, sizeof *runs->rows)};
    for (int s = 0; s < 2; s++)
        runs->kernels[s] = memory_zeroed(diff->matches.count, sizeof **runs->kernels);
    for (size_t i = 0; status == STATUS_OK && i < diff->matches.count; i++) {
        struct compare_kernel a = diff_kernel(diff, &diff->matches.rows[i], 0),
                              b = diff_kernel(diff, &diff->matches.rows[i], 1);
        uint32_t run_a = traced_run(&a), run_b = traced_run(&b);
        if (run_a == NONE || run_b == NONE)
            continue;
        struct compare_run *pair = find_pair(runs, run_a, run_b);
        if (pair) {
            pair->work = compare_work(&a, &b) == COMPARE_WORK_OTHER ? COMPARE_WORK_OTHER : pair->work;
            continue;
        }
        runs->kernels[0][runs->count] = a.kernel;
        runs->kernels[1][runs->count] = b.kernel;
        status = memory_check(compare_run_of(&runs->rows[runs->count++], &a, &b, error));
    }
    return status;
}

void diff_runs_fini(struct diff_runs *runs)
{
    free(runs->rows);
    free(runs->kernels[0]);
    free(runs->kernels[1]);
    *runs = (struct diff_runs){0};
}

/* Where the selection begins: after the first colon at which a file's name can end; NULL: all of it is the
 * file's name. */
static char *find_selection(char *text)
{
    if (access(text, F_OK) == 0)
        return NULL;
    for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        bool there = access(text, F_OK) == 0;
        if (there)
            return colon + 1;
        *colon = ':';
    }
    return NULL;
}

static enum status parse_device(struct compare_pick *pick, const char *value, struct error *error)
{
    pick->device = strcmp(value, "simt") == 0   ? COMPARE_MODEL
                   : strcmp(value, "cuda") == 0 ? COMPARE_GPU
                                                : COMPARE_ANY_DEVICE;
    return pick->device != COMPARE_ANY_DEVICE
               ? STATUS_OK
               : error_set(error, STATUS_USAGE,
                           "device=%.40s: give device=cuda (a GPU) or device=simt (the device model).",
                           value);
}

/* Splits "WORKLOAD:variant,param=value,device=simt" into the pick. Moves the parameters together, without the
 * device. */
static enum status parse_selection(struct diff_side *side, char *selection, struct error *error)
{
    struct compare_pick *pick = &side->pick;
    char *rest = strchr(selection, ','), *param, *params = NULL, *end = NULL;
    if (!rest && strchr(selection, '=')) {
        rest = selection; /* nothing but a parameter */
    } else if (rest && memchr(selection, '=', (size_t)(rest - selection))) {
        rest = selection;
    } else {
        if (rest)
            *rest++ = '\0';
        char *colon = strchr(selection, ':');
        if (colon) {
            *colon = '\0';
            pick->variant = colon + 1;
        }
        pick->work = selection;
    }
    while ((param = strsep(&rest, ","))) {
        size_t length = strlen(param);
        if (!strchr(param, '=') || *param == '=') {
            return error_set(error, STATUS_USAGE,
                             "\"%.60s\" in %.120s is not a parameter: after a recording, give "
                             ":WORKLOAD[:variant][,param=value]...",
                             param, side->text);
        }
        if (strncmp(param, "device=", 7) == 0) {
            enum status status = parse_device(pick, param + 7, error);
            if (status != STATUS_OK)
                return status;
            continue;
        }
        if (!params)
            params = end = param;
        else
            *end++ = ',';
        memmove(end, param, length + 1);
        end += length;
    }
    pick->params = params;
    return STATUS_OK;
}

enum status diff_side_open(struct diff_side *side, const char *text, struct error *error)
{
    *side = (struct diff_side){.text = text, .words = memory_copy_text(text)};
    char *selection = find_selection(side->words);
    side->file = side->words;
    enum status status = selection && *selection ? parse_selection(side, selection, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    if (memory_check(recording_load(&side->session, side->file, error)) != STATUS_OK) {
        if (error)
            error->status = STATUS_USAGE; /* the text names no recording that can be read */
        return STATUS_USAGE;
    }
    memory_check(kernel_index_create(&side->index, side->session, error));
    return STATUS_OK;
}

void diff_side_close(struct diff_side *side)
{
    kernel_index_destroy(side->index);
    if (side->session)
        session_destroy(side->session);
    free(side->words);
    *side = (struct diff_side){0};
}

static void run_name(const struct session *session, const struct run_row *run, bool params, char *text,
                     size_t size_bytes)
{
    const char *variant = session_string(session, run->variant),
               *given = session_string(session, run->params);
    snprintf(text, size_bytes, "%s%s%s%s%s",
             session_string(session, run->workload ? run->workload : run->program), *variant ? ":" : "",
             variant, params && *given ? " " : "", params ? given : "");
}

void diff_side_run_name(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct kernel_row *row = session_kernel(side->session, kernel);
    run_name(side->session, session_run(side->session, row->run), true, text, size_bytes);
}

void diff_side_device(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct device_row *device =
        session_device(side->session, session_kernel(side->session, kernel)->device);
    bool model = kernel_on_model(side->session, kernel);
    snprintf(text, size_bytes, "%s%.*s", model ? "device model of " : "",
             device ? (int)sizeof device->info.name : 9, device ? device->info.name : "a device");
}

void diff_side_works(const struct diff_side *side, char *text, size_t size_bytes)
{
    size_t length = 0;
    char name[200], last[200] = "";
    text[0] = '\0';
    for (uint32_t i = 0; i < session_run_count(side->session); i++) {
        run_name(side->session, session_run(side->session, i), false, name, sizeof name);
        if (strcmp(name, last) == 0) /* a sweep, or the run's other modes */
            continue;
        if (length + strlen(name) + 8 > size_bytes) {
            snprintf(text + length, size_bytes - length, ", ...");
            return;
        }
        append_text(text, size_bytes, &length, "%s%s", length ? ", " : "", name);
        memcpy(last, name, sizeof last);
    }
}

struct compare_kernel diff_kernel(const struct diff *diff, const struct compare_match *match, int side)
{
    return (struct compare_kernel){diff->sides[side].index, side == 0 ? match->a : match->b};
}

struct compare_metric diff_metric(const struct diff *diff, const struct compare_match *match,
                                  enum metric metric)
{
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    struct compare_metric result;
    memory_check(compare_metric(&a, &b, metric, &result, NULL));
    return result;
}

enum limit_state diff_state(const struct diff *diff, size_t limit, size_t match)
{
    return (enum limit_state)diff->states[limit * diff->matches.count + match];
}

enum limit_state diff_limit(const struct diff *diff, size_t limit)
{
    enum limit_state worst = LIMIT_UNCHECKED;
    for (size_t match = 0; match < diff->matches.count; match++) {
        enum limit_state state = diff_state(diff, limit, match);
        worst = state > worst ? state : worst;
    }
    return worst;
}

bool diff_is_fine(const struct diff *diff)
{
    bool fine = diff->matches.count > 0;
    for (size_t i = 0; i < diff->limit_count; i++)
        fine = fine && diff_limit(diff, i) == LIMIT_KEPT;
    return fine;
}

void diff_kernel_name(const struct diff *diff, int side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct session *session = diff->sides[side].session;
    if (diff->wide)
        name_print_plain(kernel_full_name(session, kernel), text, size_bytes);
    else
        report_short_name(diff->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, text, size_bytes);
}
