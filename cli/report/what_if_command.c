/* SPDX-License-Identifier: Apache-2.0 */
/* A run that cannot be replayed (nothing ran on a device, or events were evicted) has a row that says why. */
#include "cli/options/commands.h"

#include "cli/output/memory.h"
#include "cli/output/sheet_print.h"

#include "core/advice/remedies.h"
#include "core/base/append.h"
#include "core/recording/recording.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct asking {
    const struct session *session;
    const struct options *options;
    const struct replay_edit *edits[REPLAY_EDITS_MAX];
    size_t edit_count;
    struct kernel_index *index;
    struct what_if_run *runs;
    size_t run_count, run_room;
    size_t traced;
};

/* ---- the edits that are asked for ---- */

static enum status refuse_edit(const char *id, size_t length, struct error *error)
{
    char known[400] = "";
    size_t used = 0;
    for (size_t i = 0; replay_edit_at(i); i++)
        append_text(known, sizeof known, &used, "%s%s", i > 0 ? ", " : "", replay_edit_at(i)->id);
    return error_set(error, STATUS_USAGE, "There is no edit \"%.*s\": there are %s.",
                     length < 60 ? (int)length : 60, id, known);
}

static enum status parse_edits(struct asking *asking, const char *text, struct error *error)
{
    while (text) {
        size_t length = strcspn(text, ",");
        const struct replay_edit *edit = replay_edit_find(text, length);
        if (!edit)
            return refuse_edit(text, length, error);
        if (asking->edit_count < REPLAY_EDITS_MAX)
            asking->edits[asking->edit_count++] = edit;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return STATUS_OK;
}

/* ---- runs: the words of the command line are the recording, and patterns of names ---- */

static void name_run(const struct session *session, const struct run_row *run, char *name, size_t size_bytes)
{
    const char *params = session_string(session, run->params);
    if (run->workload)
        snprintf(name, size_bytes, "%s:%s%s%s", session_string(session, run->workload),
                 session_string(session, run->variant), *params ? "," : "", params);
    else
        snprintf(name, size_bytes, "%s", session_string(session, run->program));
}

static bool wants_run(const struct options *options, const char *name)
{
    for (size_t i = 1; i < options->workload_count; i++) {
        const char *pattern = options->workloads[i];
        size_t length = strlen(pattern);
        bool begins = strncmp(name, pattern, length) == 0 && strchr(":,", name[length]);
        if (begins || fnmatch(pattern, name, 0) == 0)
            return true;
    }
    return options->workload_count == 1;
}

static void take_run(struct asking *asking, uint32_t run)
{
    struct what_if_run made = {.run = run};
    struct remedies remedies;
    name_run(asking->session, session_run(asking->session, run), made.name, sizeof made.name);
    asking->traced++;
    if (!wants_run(asking->options, made.name))
        return;
    memory_check(
        remedies_replay(asking->index, run, NULL, asking->edits, asking->edit_count, &remedies, NULL));
    remedies_row(&remedies, &made);
    memory_grow(asking->runs, asking->run_room, asking->run_count, 1);
    asking->runs[asking->run_count++] = made;
}

static enum status take_runs(struct asking *asking, struct error *error)
{
    for (uint32_t run = 0; run < session_run_count(asking->session); run++)
        if (run_is_traced(session_run(asking->session, run)))
            take_run(asking, run);
    if (asking->run_count == 0 && asking->traced > 0)
        return error_set(error, STATUS_USAGE,
                         "No run's name begins with \"%.80s\" or matches it: lanescope report %.200s --table "
                         "runs lists the runs.",
                         asking->options->workloads[1], asking->options->workloads[0]);
    return STATUS_OK;
}

/* ---- the command ---- */

static const struct sheet *what_if_sheet_at(size_t index)
{
    static const struct sheet *const sheets[] = {&sheet_gains, &sheet_edits};
    return index < sizeof sheets / sizeof *sheets ? sheets[index] : NULL;
}

enum status what_if_command(const struct options *options, FILE *out, struct error *error)
{
    struct session *session;
    struct asking asking = {.options = options};
    struct options shown = *options;
    enum status status = parse_edits(&asking, options->edits, error);
    if (status == STATUS_OK)
        status = memory_check(recording_load(&session, options->workloads[0], error));
    if (status != STATUS_OK)
        return status;
    asking.session = session;
    memory_check(kernel_index_create(&asking.index, session, NULL));
    status = take_runs(&asking, error);
    if (!shown.table)
        shown.table = sheet_gains.id;
    const struct what_if_runs runs = {asking.runs, asking.run_count};
    if (status == STATUS_OK)
        status = sheet_option_print(what_if_sheet_at, &runs, &shown, out, error);
    free(asking.runs);
    kernel_index_destroy(asking.index);
    session_destroy(session);
    return status;
}
