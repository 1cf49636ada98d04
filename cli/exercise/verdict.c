/*
 * A finding of the checks goes before a wrong result, which it often explains, and both before the counts: a
 * kernel that is wrong has no count worth talking about.
 */
#include "cli/exercise/verdict.h"

#include "core/analysis/kernel_metrics.h"

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

bool goal_reached(const struct exercise_goal *goal, double figure)
{
    return goal->at_least ? figure >= goal->limit : figure <= goal->limit; /* NAN: no */
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

/* The notice of the checks of a run's process that begins with the words of this kind; NULL: none. */
static const char *find_finding(const struct session *session, uint32_t process, enum check_kind kind)
{
    const char *words = check_kind_text(kind);

    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const struct notice_row *notice = session_notice(session, i);
        const char *text = session_string(session, notice->text);

        if (notice->process == process && strncmp(text, words, strlen(words)) == 0 &&
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
    const uint32_t process = session_run(session, run)->process;
    double figure;

    if (hint->code && !strstr(code, hint->code))
        return false;
    switch (hint->sign) {
    case SIGN_FINDING: return find_finding(session, process, (enum check_kind)hint->what) != NULL;
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
    const uint32_t process = session_run(session, run)->process;
    const struct exercise_hint *hints = verdict->exercise->hints;

    for (size_t i = 0; i < EXERCISE_HINTS_MAX && !verdict->hint && hints[i].sign != SIGN_NONE; i++) {
        if (!hint_fits(&hints[i], verdict, session, run, kernel, code))
            continue;
        verdict->hint = hints[i].text;
        if (hints[i].sign == SIGN_FINDING)
            set_finding(verdict, (enum check_kind)hints[i].what,
                        find_finding(session, process, (enum check_kind)hints[i].what));
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
        const char *text = find_finding(session, run->process, kind);

        if (!text)
            continue;
        set_finding(verdict, kind, text);
        return;
    }
}

void verdict_of_hand_in(struct verdict *verdict, const struct session *session, uint32_t run,
                        const char *code)
{
    const struct run_row *row = session_run(session, run);
    uint32_t kernel = find_kernel(session, run);

    verdict->outcome = OUTCOME_PASSED;
    judge_run(verdict, session, row);
    verdict->counted = verdict->outcome == OUTCOME_PASSED;
    for (size_t i = 0; verdict->counted && i < exercise_goal_count(verdict->exercise); i++) {
        const struct exercise_goal *goal = &verdict->exercise->goals[i];

        verdict->figures[i] = figure_of_session(session, run, kernel, goal->figure);
        if (!goal_reached(goal, verdict->figures[i]))
            verdict->outcome = OUTCOME_SHORT;
    }
    if (verdict->outcome != OUTCOME_PASSED)
        choose_hint(verdict, session, run, kernel, code);
}
