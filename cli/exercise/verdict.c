/*
 * A finding of the checks goes before a wrong result, which it often explains, and both before the counts: a
 * kernel that is wrong has no count worth talking about.
 */
#include "cli/exercise/verdict.h"

#include "core/analysis/kernel_metrics.h"
#include "core/base/append.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTCOME_ID(name, id, text) id,
#define OUTCOME_TEXT(name, id, text) text,

const char *outcome_id(enum outcome outcome)
{
    static const char *const ids[] = {OUTCOME_LIST(OUTCOME_ID)};
    return ids[outcome];
}

const char *outcome_text(enum outcome outcome)
{
    static const char *const texts[] = {OUTCOME_LIST(OUTCOME_TEXT)};
    return texts[outcome];
}

static bool goal_reached(const struct exercise_goal *goal, double figure, double growth)
{
    const double limit = exercise_limit(goal, growth);

    return goal->at_least ? figure >= limit : figure <= limit; /* NAN: no */
}

/* The run's own kernel; NONE: it was not launched. */
static uint32_t find_kernel(const struct session *session, uint32_t run)
{
    const char *own = session_string(session, session_run(session, run)->effective_kernel);

    for (uint32_t i = session_kernel_count(session); i-- > 0;) {
        const struct kernel_row *kernel = session_kernel(session, i);

        if (kernel->run == run &&
            strcmp(own, session_string(session, session_shape(session, kernel->shape)->name)) == 0)
            return i;
    }
    return NONE;
}

/* A figure of the whole run: a share of its copies, or of its span. */
static double run_figure(const struct session *session, uint32_t run, int figure)
{
    struct overlap overlap;

    if (overlap_compute(session, run, INT64_MIN, INT64_MAX, &overlap, NULL) != STATUS_OK ||
        overlap.copy_busy_ns <= 0)
        return NAN;
    if (figure == FIGURE_COPY_HIDDEN_PCT)
        return 100.0 * (double)overlap.copy_hidden_ns / (double)overlap.copy_busy_ns;
    return 100.0 * (double)overlap.serialised_ns[figure - FIGURE_COPY_HIDDEN_PCT - 1] /
           (double)overlap.span_ns;
}

static double figure_of_session(const struct session *session, uint32_t run, uint32_t kernel, int figure)
{
    struct value value;

    if (figure >= FIGURE_COPY_HIDDEN_PCT)
        return run_figure(session, run, figure);
    if (kernel == NONE)
        return NAN;
    value = kernel_statistic(session, kernel, (enum metric)figure, PROVENANCE_MODELLED).value;
    return value.available ? value.number : NAN;
}

/* The notice of the checks of a run that begins with the words of this kind; NULL: none. Runs of a process
 * follow each other, and a notice has the time at which its launch ended. */
static const char *find_finding(const struct session *session, const struct run_row *run,
                                enum check_kind kind)
{
    const char *words = check_kind_text(kind);
    const int64_t end_ns = atomic_load(&run->end_ns);

    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const struct notice_row *notice = session_notice(session, i);
        const char *text = session_string(session, notice->text);

        if (notice->process == run->process && notice->time_ns > run->start_ns &&
            (notice->time_ns <= end_ns || end_ns == INT64_MIN) && strncmp(text, words, strlen(words)) == 0 &&
            text[strlen(words)] == ':')
            return text;
    }
    return NULL;
}

/* "race in shared memory: in k, thread ... (/folder/of/ours/k.cu:24, st.shared ...) (seen 4 times)": the
 * folder is of no interest, and gone. */
static void set_finding(struct verdict *verdict, enum check_kind kind, const char *text)
{
    const char *place = strstr(text, "(/"), *colon = place ? strchr(place, ':') : NULL, *name = place;

    verdict->outcome = OUTCOME_FAULT;
    verdict->finding = check_kind_text(kind);
    verdict->line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    for (const char *at = place; at && at < colon; at++)
        name = *at == '/' ? at + 1 : name;
    if (colon)
        snprintf(verdict->sentence, sizeof verdict->sentence, "%.*s(%s", (int)(place - text), text, name);
    else
        snprintf(verdict->sentence, sizeof verdict->sentence, "%s", text);
    char *seen = strstr(verdict->sentence, " (seen ");

    if (seen)
        *seen = '\0';
}

static bool hint_fits(const struct exercise_hint *hint, const struct verdict *verdict,
                      const struct session *session, uint32_t run, uint32_t kernel, const char *code)
{
    double figure;

    if (hint->code && !strstr(code, hint->code))
        return false;
    switch (hint->sign) {
    case SIGN_FINDING:
        return find_finding(session, session_run(session, run), (enum check_kind)hint->what) != NULL;
    case SIGN_NOT_RUN: return verdict->outcome == OUTCOME_FAULT && !verdict->finding;
    case SIGN_WRONG: return verdict->outcome == OUTCOME_WRONG;
    case SIGN_FIGURE:
        figure = figure_of_session(session, run, kernel, hint->what);
        return verdict->outcome == OUTCOME_SHORT && figure >= hint->from && figure <= hint->to;
    default: return false;
    }
}

/* Of several findings the one that has a hint is told. */
static void choose_hint(struct verdict *verdict, const struct session *session, uint32_t run, uint32_t kernel,
                        const char *code)
{
    const struct exercise_hint *hints = verdict->exercise->hints;

    for (size_t i = 0; i < EXERCISE_HINTS_MAX && !verdict->hint && hints[i].sign != SIGN_NONE; i++) {
        if (!hint_fits(&hints[i], verdict, session, run, kernel, code))
            continue;
        verdict->hint = hints[i].text;
        if (hints[i].sign == SIGN_FINDING)
            set_finding(verdict, (enum check_kind)hints[i].what,
                        find_finding(session, session_run(session, run), (enum check_kind)hints[i].what));
    }
}

static void judge_run(struct verdict *verdict, const struct session *session, const struct run_row *run)
{
    int8_t verified = atomic_load(&run->verified);

    if (verified != 1) {
        verdict->outcome = verified == 0 ? OUTCOME_WRONG : OUTCOME_FAULT;
        snprintf(verdict->sentence, sizeof verdict->sentence, "%s",
                 session_string(session, atomic_load(&run->detail)));
    }
    for (enum check_kind kind = 0; kind < CHECK_KIND_COUNT; kind++) {
        const char *text = find_finding(session, run, kind);

        if (!text)
            continue;
        set_finding(verdict, kind, text);
        return;
    }
}

/* The goals, and the bounds that are not kept. */
static void judge_counts(struct verdict *verdict, const struct session *session, uint32_t run,
                         uint32_t kernel, double growth)
{
    const struct exercise *exercise = verdict->exercise;
    const size_t goals = exercise_goal_count(exercise), all = goals + exercise_bound_count(exercise);

    for (size_t i = 0; i < all; i++) {
        const struct exercise_goal *goal = i < goals ? &exercise->goals[i] : &exercise->bounds[i - goals];
        const double figure = figure_of_session(session, run, kernel, goal->figure);
        const bool reached = goal_reached(goal, figure, growth);

        if (i < goals || !reached)
            verdict->goals[verdict->goal_count++] =
                (struct verdict_goal){.goal = goal, .figure = figure, .reached = reached};
        if (!reached)
            verdict->outcome = OUTCOME_SHORT;
    }
}

static bool keeps_bounds(const struct verdict *verdict)
{
    return verdict->goal_count <= exercise_goal_count(verdict->exercise);
}

#define DETOUR_HINT                                                                                      \
    "The goal is a number of loads, stores or steps, and this one is small because the work is done in " \
    "another way, which does not count there. The exercise is about the way that its aim names."

void verdict_of_hand_in(struct verdict *verdict, const struct session *session, uint32_t run,
                        const char *code)
{
    uint32_t kernel = find_kernel(session, run);

    verdict->outcome = OUTCOME_PASSED;
    judge_run(verdict, session, session_run(session, run));
    if (verdict->outcome == OUTCOME_PASSED)
        judge_counts(verdict, session, run, kernel, 1);
    if (verdict->outcome != OUTCOME_PASSED)
        choose_hint(verdict, session, run, kernel, code);
    if (!verdict->hint && !keeps_bounds(verdict))
        verdict->hint = DETOUR_HINT;
}

#define OTHER_HINT                                                                                   \
    "Each hand-in is run a second time, with other words and another size, where there is one also " \
    "another grid. Nothing of the first run may stand in the code: take sizes from the parameters, " \
    "gridDim and blockDim. docs/exercises.md says how to run one."

/* No number, no line: what is drawn stays unknown, whatever a hand-in does to learn it. */
static void tell_other(struct verdict *verdict, const struct verdict *of_run)
{
    char *text = verdict->sentence;
    size_t used = 0;

    verdict->outcome = of_run->outcome;
    verdict->other = true;
    verdict->hint = OTHER_HINT;
    append_text(text, sizeof verdict->sentence, &used, "With another input ");
    if (of_run->outcome == OUTCOME_WRONG)
        append_text(text, sizeof verdict->sentence, &used, "the result is wrong.");
    else if (of_run->finding)
        append_text(text, sizeof verdict->sentence, &used, "there is an error: %s.", of_run->finding);
    else if (of_run->outcome != OUTCOME_SHORT)
        append_text(text, sizeof verdict->sentence, &used, "it ends with an error.");
    else
        append_text(text, sizeof verdict->sentence, &used, "the goal is not reached");
    for (size_t i = 0, told = 0; of_run->outcome == OUTCOME_SHORT && i < of_run->goal_count; i++)
        if (!of_run->goals[i].reached)
            append_text(text, sizeof verdict->sentence, &used, "%s%s", told++ ? ", " : ": ",
                        exercise_figure_title(of_run->goals[i].goal->figure));
    if (of_run->outcome == OUTCOME_SHORT)
        append_text(text, sizeof verdict->sentence, &used, ".");
}

void verdict_of_other_input(struct verdict *verdict, const struct session *session, uint32_t run,
                            double growth)
{
    struct verdict of_run = {.exercise = verdict->exercise, .outcome = OUTCOME_PASSED};

    judge_run(&of_run, session, session_run(session, run));
    if (of_run.outcome == OUTCOME_PASSED)
        judge_counts(&of_run, session, run, find_kernel(session, run), growth);
    if (of_run.outcome != OUTCOME_PASSED)
        tell_other(verdict, &of_run);
}
