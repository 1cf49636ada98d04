/* SPDX-License-Identifier: Apache-2.0 */
/* Lines are words of one sentence each; who prints them breaks them. */
#include "cli/report/report_remedies.h"

#include "cli/report/report_sheets.h"
#include "core/base/append.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <string.h>

/* ---- lines ---- */

double report_remedy_gain(const struct remedies *remedies, size_t step)
{
    const struct what_if_step *of = &remedies->gains.steps[step];
    double measured_ns = (double)remedies->gains.facts.measured_ns;
    return measured_ns > 0 ? (double)(of->before_ns - of->after_ns) / measured_ns : 0;
}

void report_remedies_head(const struct remedies *remedies, char text[REMEDY_TEXT])
{
    const struct replay_facts *facts = &remedies->gains.facts;
    char error[40] = "error below 0.1 %";
    size_t used = 0;
    if (fabs(facts->error) >= 5e-4)
        snprintf(error, sizeof error, "error %+.1f %%", 100 * facts->error);
    append_text(text, REMEDY_TEXT, &used, "what would help, by replaying ");
    if (remedies->steps > 0)
        append_text(text, REMEDY_TEXT, &used, "%s steps of %s", number_exact((int64_t)remedies->steps).text,
                    number_time(remedies_one_ns(remedies, facts->measured_ns)).text);
    else
        append_text(text, REMEDY_TEXT, &used, "%s from the first call to the last end",
                    number_time(facts->measured_ns).text);
    if (facts->set_up_ns > 0)
        append_text(text, REMEDY_TEXT, &used, ", after %s of set-up that loads code",
                    number_time(facts->set_up_ns).text);
    append_text(text, REMEDY_TEXT, &used, " (%s)", error);
}

void report_remedy_text(const struct remedies *remedies, size_t step, char text[REMEDY_TEXT])
{
    const struct what_if_step *of = &remedies->gains.steps[step];
    char title[WHAT_IF_TITLE];
    snprintf(text, REMEDY_TEXT, "%s: %s become %s%s", what_if_title(of, title),
             number_time(remedies_one_ns(remedies, of->before_ns)).text,
             number_time(remedies_one_ns(remedies, of->after_ns)).text, remedies->steps > 0 ? " a step" : "");
}

void report_remedy_if(const struct remedies *remedies, size_t step, char text[REMEDY_TEXT])
{
    const struct what_if_step *of = &remedies->gains.steps[step];
    size_t length = strcspn(of->edit->assumes, ".");
    snprintf(text, REMEDY_TEXT, "%s%.*s", of->assumed ? "only if " : "if ", (int)length, of->edit->assumes);
}

const char *report_remedy_now(const struct remedies *remedies, const struct verdict *verdict, size_t step)
{
    const struct run_finding *finding = remedy_finding(remedies, verdict, step);
    return finding ? advice_now(&finding->advice)
                   : what_if_now(&remedies->gains.steps[step], &remedies->gains.facts);
}

void report_remedies_left(const struct remedies *remedies, char text[REMEDY_TEXT])
{
    const struct replay_facts *facts = &remedies->gains.facts;
    int64_t left_ns = facts->measured_ns;
    size_t used = 0;
    for (size_t i = 0; i < remedies->gains.count; i++)
        if (!remedies->gains.steps[i].assumed)
            left_ns = remedies->gains.steps[i].after_ns;
    if (left_ns == facts->measured_ns)
        append_text(text, REMEDY_TEXT, &used, "no edit that the trace supports gains %.0f %%",
                    100 * WHAT_IF_LEAST);
    else
        append_text(text, REMEDY_TEXT, &used, "then %s%s are left, %.3gx as fast",
                    number_time(remedies_one_ns(remedies, left_ns)).text,
                    remedies->steps > 0 ? " a step" : "",
                    left_ns > 0 ? (double)facts->measured_ns / (double)left_ns : (double)INFINITY);
    if (remedies->limit[0] && (left_ns == facts->measured_ns || remedies->limit_leads))
        append_text(text, REMEDY_TEXT, &used, ". %s", remedies->limit);
}

/* ---- the sheet ---- */

/* clang-format off */
static const struct sheet_column remedy_columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"step", NULL, "0: the loop as it was measured; else the place of the edit, which stands on those before it, but an assumption on no other", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"edit", "edit", "id of the edit (lanescope what-if FILE --table edits)", SHEET_TEXT, SHEET_NEITHER, 15, 0, false},
    {"gain", "gain", "of the loop's measured time, by this edit on top of those that it stands on; null: no gain is claimed", SHEET_SHARE, SHEET_MORE, 8, 0, false},
    {"before_ns", "before", "time of the loop before it", SHEET_TIME, SHEET_LESS, 9, 1, false},
    {"after_ns", "after", "time of the loop with it; of step 0 the time of the replay without edits", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"error", NULL, "of the replay: the second half of the loop, replayed with delays learnt from the first, by its measured time, minus 1; null: none could be told", SHEET_SHARE, SHEET_NEITHER, 0, 0, false},
    {"steps", NULL, "steps of the run that the loop is; 0: all of the run, or of a bundled workload from its first kernel to its last", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"assumption", NULL, "the trace does not show whether the program allows it, and the run has no sign that it does", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"title", "what is done", "what is done; of step 0: why no gain is claimed, else at what limit the loop is; null: not known", SHEET_SENTENCE, SHEET_NEITHER, 36, 0, false},
    {"assumes", NULL, "what must hold for it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"why", NULL, "the advice that explains it; null: none", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"now", NULL, "what to do", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

static void make_loop_row(double run, const struct remedies *remedies, struct sheet_sink *to)
{
    const struct replay_facts *facts = &remedies->gains.facts;
    bool failed = facts->operations == 0;
    const struct sheet_cell cells[] = {{.number = run},
                                       {.number = 0},
                                       {.text = "as measured", .id = "none"},
                                       {.number = NAN},
                                       {.number = failed ? (double)NAN : (double)facts->measured_ns},
                                       {.number = failed ? (double)NAN : (double)facts->replayed_ns},
                                       {.number = facts->error},
                                       {.number = (double)remedies->steps},
                                       {.number = 0},
                                       {.text = remedies->why[0]     ? remedies->why
                                                : remedies->limit[0] ? remedies->limit
                                                                     : NULL},
                                       {.text = NULL},
                                       {.text = NULL},
                                       {.text = NULL}};
    sheet_row(to, cells);
}

/* In the full report the times are those of one step, and stand in the title. */
static void make_remedy_row(const struct report_data *data, double run, const struct remedies *remedies,
                            const struct verdict *verdict, size_t step, struct sheet_sink *to)
{
    const struct what_if_step *of = &remedies->gains.steps[step];
    const struct run_finding *finding = remedy_finding(remedies, verdict, step);
    char title[WHAT_IF_TITLE], times[REMEDY_TEXT], condition[REMEDY_TEXT], why[REMEDY_TEXT] = "",
                                                                           now[REMEDY_TEXT];
    report_remedy_text(remedies, step, times);
    what_if_title(of, title);
    report_remedy_if(remedies, step, condition);
    if (finding)
        snprintf(why, sizeof why, "why: %s", finding->advice.text);
    snprintf(now, sizeof now, "do: %s", report_remedy_now(remedies, verdict, step));
    const struct sheet_cell cells[] = {
        {.number = run},
        {.number = (double)(step + 1)},
        {.text = of->edit->id},
        {.number = report_remedy_gain(remedies, step)},
        {.number = (double)of->before_ns},
        {.number = (double)of->after_ns},
        {.number = remedies->gains.facts.error},
        {.number = (double)remedies->steps},
        {.number = of->assumed},
        {.text = data->is_full ? times : title, .id = title},
        {.text = condition, .id = of->edit->assumes},
        {.text = finding ? why : NULL, .id = finding ? finding->advice.text : NULL},
        {.text = now, .id = report_remedy_now(remedies, verdict, step)}};
    sheet_row(to, cells);
}

static void note_words(struct sheet_sink *to, const char *head, const char *text)
{
    char note[REMEDY_TEXT + 20];
    snprintf(note, sizeof note, "%s%s", head, text);
    sheet_note(to, note);
}

/* What the full report says around the rows. */
static void say_remedies(const struct remedies *remedies, const struct verdict *verdict,
                         struct sheet_sink *to)
{
    char text[REMEDY_TEXT];
    if (remedies->why[0]) {
        sheet_group(to, "what would help: by the rules alone, since the replay claims nothing");
        sheet_note(to, remedies->why);
        return;
    }
    report_remedies_head(remedies, text);
    sheet_group(to, text);
    report_remedies_left(remedies, text);
    sheet_note(to, text);
    for (size_t i = 0; i < verdict->count; i++)
        if (remedies->of[i] == SIZE_MAX && !verdict->findings[i].advice.fine)
            note_words(to, "also seen: ", verdict->findings[i].advice.text);
}

static enum status make_remedies(const struct report_data *data, size_t run, void *context,
                                 struct error *error)
{
    struct sheet_sink *to = context;
    const struct report_facts *facts;
    enum status status = report_facts(data, &data->runs[run], &facts, error);
    if (status != STATUS_OK)
        return status;
    const struct remedies *remedies = report_remedies(data, &data->runs[run]);
    const struct verdict *verdict = report_verdict(data, &data->runs[run]);
    if (data->is_full && (facts->time.count == 0 || !report_only_run(data)))
        return STATUS_OK; /* of several runs, or of one that used no device, there is nothing to say */
    if (data->is_full)
        say_remedies(remedies, verdict, to);
    else
        make_loop_row((double)run, remedies, to);
    for (size_t i = 0; i < remedies->gains.count; i++)
        make_remedy_row(data, (double)run, remedies, verdict, i, to);
    return STATUS_OK;
}

static enum status make_all_remedies(const void *from, struct sheet_sink *to, struct error *error)
{
    return report_visit_traced(from, make_remedies, to, error);
}

const struct sheet sheet_remedies = {.id = "remedies",
                                     .title = "What would help, and how much: each run replayed with edits",
                                     SHEET_COLUMNS(remedy_columns),
                                     .none = "remedies: no run was traced",
                                     .rows = make_all_remedies};
