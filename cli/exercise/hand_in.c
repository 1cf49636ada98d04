/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is looked at by its descriptor: what was checked is what is read. A finding of the checks goes before
 * a wrong result, which it often explains, and both before the counts: a kernel that is wrong has no count worth
 * talking about.
 */
#include "cli/exercise/hand_in.h"

#include "core/analysis/kernel_metrics.h"
#include "core/base/append.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status check_kind_of_file(const struct stat *facts, struct error *error)
{
    if (S_ISDIR(facts->st_mode))
        return error_set(error, STATUS_FORMAT, "It is a folder.");
    if (!S_ISREG(facts->st_mode))
        return error_set(error, STATUS_FORMAT, "It is no regular file, but a pipe, a socket or a device.");
    if (facts->st_size > (off_t)HAND_IN_BYTES_MAX)
        return error_set(error, STATUS_FORMAT, "It has %lld bytes: a hand-in has at most %u.",
                         (long long)facts->st_size, HAND_IN_BYTES_MAX);
    return STATUS_OK;
}

/* At most `room` bytes, all of them if the file has not changed meanwhile. */
static size_t read_bytes(int file, char *text, size_t room)
{
    size_t used = 0;

    while (used < room) {
        ssize_t got = read(file, text + used, room - used);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    return used;
}

enum status hand_in_read(const char *path, char **text, struct error *error)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat facts;

    *text = NULL;
    if (file < 0 && errno == ELOOP)
        return error_set(error, STATUS_FORMAT, "It is a symbolic link: hand in the file itself.");
    if (file < 0)
        return error_set_errno(error, STATUS_IO, errno, "It could not be read");
    if (fstat(file, &facts) != 0) {
        close(file);
        return error_set_errno(error, STATUS_IO, errno, "It could not be read");
    }
    enum status status = check_kind_of_file(&facts, error);

    if (status == STATUS_OK && !(*text = malloc((size_t)facts.st_size + 1)))
        status = error_no_memory(error, "for a hand-in");
    if (status == STATUS_OK) {
        size_t used = read_bytes(file, *text, (size_t)facts.st_size);

        (*text)[used] = '\0';
        if (memchr(*text, '\0', used))
            status = error_set(error, STATUS_FORMAT, "It is no text: it has zero bytes.");
    }
    close(file);
    if (status != STATUS_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* The word behind "exercise:" in a line; "" if the line has none. */
static void exercise_word(const char *line, size_t length, char word[EXERCISE_NAME_BYTES])
{
    static const char mark[] = "exercise:";
    const char *at = memmem(line, length, mark, sizeof mark - 1);
    size_t used = 0;

    word[0] = '\0';
    if (!at || (size_t)(at - line) != strspn(line, " \t/*#"))
        return;
    at += sizeof mark - 1;
    while (at < line + length && *at == ' ')
        at++;
    while (at < line + length && used + 1 < EXERCISE_NAME_BYTES && ((*at >= 'a' && *at <= 'z') || *at == '-'))
        word[used++] = *at++;
    word[used] = '\0';
}

enum status hand_in_exercise(const char *text, const struct exercise **exercise, struct error *error)
{
    char word[EXERCISE_NAME_BYTES] = "";

    for (int i = 0; i < HAND_IN_HEAD_LINES && !*word && *text; i++) {
        size_t length = strcspn(text, "\n");

        exercise_word(text, length, word);
        text += length + (text[length] == '\n');
    }
    if (!*word)
        return error_set(
            error, STATUS_FORMAT,
            "It does not say which exercise it is: its first lines need \"// exercise: NAME\", or give "
            "--exercise NAME.");
    *exercise = exercise_find(word);
    if (!*exercise)
        return error_set(error, STATUS_FORMAT, "There is no exercise \"%s\": lanescope exercise lists them.",
                         word);
    return STATUS_OK;
}

void hand_in_strip(char *text)
{
    char *out = text;

    for (const char *at = text; *at;) {
        const char *end;

        if (strncmp(at, "//", 2) == 0)
            at += strcspn(at, "\n");
        else if (strncmp(at, "/*", 2) == 0)
            at = (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
        else if (strchr(" \t\r\n", *at))
            at++;
        else
            *out++ = *at++;
    }
    *out = '\0';
}

/* ---- the grade ---- */
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
    if (figure >= FIGURE_COPY_HIDDEN_PCT)
        return run_figure(session, run, figure);
    if (kernel == NONE)
        return NAN;
    struct value value = kernel_statistic(session, kernel, (enum metric)figure, PROVENANCE_MODELLED).value;
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
static void set_finding(struct grade *grade, enum check_kind kind, const char *text)
{
    const char *place = strstr(text, "(/"), *colon = place ? strchr(place, ':') : NULL, *name = place;

    grade->outcome = OUTCOME_FAULT;
    grade->finding = check_kind_text(kind);
    grade->line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    for (const char *at = place; at && at < colon; at++)
        name = *at == '/' ? at + 1 : name;
    if (colon)
        snprintf(grade->sentence, sizeof grade->sentence, "%.*s(%s", (int)(place - text), text, name);
    else
        snprintf(grade->sentence, sizeof grade->sentence, "%s", text);
    char *seen = strstr(grade->sentence, " (seen ");

    if (seen)
        *seen = '\0';
}

static bool hint_fits(const struct exercise_hint *hint, const struct grade *grade,
                      const struct session *session, uint32_t run, uint32_t kernel, const char *code)
{
    double figure;

    if (hint->code && !strstr(code, hint->code))
        return false;
    switch (hint->sign) {
    case SIGN_FINDING:
        return find_finding(session, session_run(session, run), (enum check_kind)hint->what) != NULL;
    case SIGN_NOT_RUN: return grade->outcome == OUTCOME_FAULT && !grade->finding;
    case SIGN_WRONG: return grade->outcome == OUTCOME_WRONG;
    case SIGN_FIGURE:
        figure = figure_of_session(session, run, kernel, hint->what);
        return grade->outcome == OUTCOME_SHORT && figure >= hint->from && figure <= hint->to;
    default: return false;
    }
}

/* Of several findings the one that has a hint is reported. */
static void choose_hint(struct grade *grade, const struct session *session, uint32_t run, uint32_t kernel,
                        const char *code)
{
    const struct exercise_hint *hints = grade->exercise->hints;

    for (size_t i = 0; i < EXERCISE_HINTS_MAX && !grade->hint && hints[i].sign != SIGN_NONE; i++) {
        if (!hint_fits(&hints[i], grade, session, run, kernel, code))
            continue;
        grade->hint = hints[i].text;
        if (hints[i].sign == SIGN_FINDING)
            set_finding(grade, (enum check_kind)hints[i].what,
                        find_finding(session, session_run(session, run), (enum check_kind)hints[i].what));
    }
}

static void judge_run(struct grade *grade, const struct session *session, const struct run_row *run)
{
    int8_t verified = atomic_load(&run->verified);

    if (verified != 1) {
        grade->outcome = verified == 0 ? OUTCOME_WRONG : OUTCOME_FAULT;
        snprintf(grade->sentence, sizeof grade->sentence, "%s",
                 session_string(session, atomic_load(&run->detail)));
    }
    for (enum check_kind kind = 0; kind < CHECK_KIND_COUNT; kind++) {
        const char *text = find_finding(session, run, kind);

        if (!text)
            continue;
        set_finding(grade, kind, text);
        return;
    }
}

/* The goals, and the bounds that are not kept. */
static void judge_counts(struct grade *grade, const struct session *session, uint32_t run, uint32_t kernel,
                         double growth)
{
    const struct exercise *exercise = grade->exercise;
    const size_t goals = exercise_goal_count(exercise), all = goals + exercise_bound_count(exercise);

    for (size_t i = 0; i < all; i++) {
        const struct exercise_goal *goal = i < goals ? &exercise->goals[i] : &exercise->bounds[i - goals];
        const double figure = figure_of_session(session, run, kernel, goal->figure);
        const bool reached = goal_reached(goal, figure, growth);

        if (i < goals || !reached)
            grade->goals[grade->goal_count++] =
                (struct grade_goal){.goal = goal, .figure = figure, .reached = reached};
        if (!reached)
            grade->outcome = OUTCOME_SHORT;
    }
}

static bool keeps_bounds(const struct grade *grade)
{
    return grade->goal_count <= exercise_goal_count(grade->exercise);
}

#define DETOUR_HINT                                                                                      \
    "The goal is a number of loads, stores or steps, and this one is small because the work is done in " \
    "another way, which does not count there. The exercise is about the way that its aim names."

void grade_of_hand_in(struct grade *grade, const struct session *session, uint32_t run, const char *code)
{
    uint32_t kernel = find_kernel(session, run);

    grade->outcome = OUTCOME_PASSED;
    judge_run(grade, session, session_run(session, run));
    if (grade->outcome == OUTCOME_PASSED)
        judge_counts(grade, session, run, kernel, 1);
    if (grade->outcome != OUTCOME_PASSED)
        choose_hint(grade, session, run, kernel, code);
    if (!grade->hint && !keeps_bounds(grade))
        grade->hint = DETOUR_HINT;
}

#define OTHER_HINT                                                                                   \
    "Each hand-in is run a second time, with other words and another size, where there is one also " \
    "another grid. Nothing of the first run may stand in the code: take sizes from the parameters, " \
    "gridDim and blockDim. docs/exercises.md says how to run one."

/* No number, no line: what is drawn stays unknown, whatever a hand-in does to learn it. */
static void tell_other(struct grade *grade, const struct grade *of_run)
{
    char *text = grade->sentence;
    size_t used = 0;

    grade->outcome = of_run->outcome;
    grade->other = true;
    grade->hint = OTHER_HINT;
    append_text(text, sizeof grade->sentence, &used, "With another input ");
    if (of_run->outcome == OUTCOME_WRONG)
        append_text(text, sizeof grade->sentence, &used, "the result is wrong.");
    else if (of_run->finding)
        append_text(text, sizeof grade->sentence, &used, "there is an error: %s.", of_run->finding);
    else if (of_run->outcome != OUTCOME_SHORT)
        append_text(text, sizeof grade->sentence, &used, "it ends with an error.");
    else
        append_text(text, sizeof grade->sentence, &used, "the goal is not reached");
    for (size_t i = 0, told = 0; of_run->outcome == OUTCOME_SHORT && i < of_run->goal_count; i++)
        if (!of_run->goals[i].reached)
            append_text(text, sizeof grade->sentence, &used, "%s%s", told++ ? ", " : ": ",
                        exercise_figure_title(of_run->goals[i].goal->figure));
    if (of_run->outcome == OUTCOME_SHORT)
        append_text(text, sizeof grade->sentence, &used, ".");
}

void grade_of_other_input(struct grade *grade, const struct session *session, uint32_t run, double growth)
{
    struct grade of_run = {.exercise = grade->exercise, .outcome = OUTCOME_PASSED};

    judge_run(&of_run, session, session_run(session, run));
    if (of_run.outcome == OUTCOME_PASSED)
        judge_counts(&of_run, session, run, find_kernel(session, run), growth);
    if (of_run.outcome != OUTCOME_PASSED)
        tell_other(grade, &of_run);
}
