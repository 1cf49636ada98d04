/*
 * What is said of a hand-in: whether it passed, its counts beside the goals, and the hint for what is short.
 * verdict_of_hand_in reads the recording of its run; what happened before there is one is set by the caller.
 * Plain data, owned by the caller; any thread, each with its own session.
 */
#ifndef CLI_EXERCISE_VERDICT_H
#define CLI_EXERCISE_VERDICT_H

#include "cli/exercise/exercises.h"
#include "cli/own/diagnostics.h"
#include "core/session/session.h"

#define OUTCOME_LIST(X)                             \
    X(PASSED, "passed", "passed")                   \
    X(SHORT, "short", "goal not reached")           \
    X(WRONG, "wrong", "wrong result")               \
    X(FAULT, "fault", "error")                      \
    X(NOT_COMPILED, "not_compiled", "not compiled") \
    X(LIMIT, "limit", "ended at a limit")           \
    X(UNREADABLE, "unreadable", "no hand-in")
#define OUTCOME_ENUM(name, id, text) OUTCOME_##name,
enum outcome { OUTCOME_LIST(OUTCOME_ENUM) OUTCOME_COUNT };
#undef OUTCOME_ENUM
const char *outcome_id(enum outcome outcome);
const char *outcome_text(enum outcome outcome);

#define VERDICT_SENTENCE_BYTES sizeof(((struct error *)NULL)->text)

struct verdict {
    const struct exercise *exercise; /* NULL: not known */
    enum outcome outcome;
    char sentence[VERDICT_SENTENCE_BYTES]; /* what happened; "" where the figures say it */
    char source[DIAGNOSTIC_SOURCE_BYTES];  /* NOT_COMPILED: the line and a caret below it; "": not known */
    const char *finding; /* FAULT: what the checks report, "out of bounds"; NULL: another error */
    unsigned line;       /* of the finding; 0: not known */
    const char *hint;    /* NULL: none fits */
    bool other;          /* it is about the second run, of another input: no number of that is told */
    /* Of the first run, if its result is right: the exercise's goals, then bounds that it does not keep. */
    struct verdict_goal {
        const struct exercise_goal *goal;
        double figure; /* NAN: not known */
        bool reached;
    } goals[EXERCISE_GOALS_MAX + EXERCISE_BOUNDS_MAX];
    size_t goal_count;
    double seconds;
};

/* verdict->exercise is set, and the run has ended; fills the rest but seconds. code: of the hand-in, as
 * hand_in_strip leaves it. */
void verdict_of_hand_in(struct verdict *verdict, const struct session *session, uint32_t run,
                        const char *code);
/* The same hand-in has passed, and this run of another input has ended, whose limits are `growth` times as
 * large: is it right there, too? */
void verdict_of_other_input(struct verdict *verdict, const struct session *session, uint32_t run,
                            double growth);

#endif
