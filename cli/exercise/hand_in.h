/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hand-in: the text of a file that a student wrote. Nothing in it is trusted: it is read only if it is a
 * regular file of limited size, never through a symbolic link, and without blocking.
 *
 * Its grade: whether it passed, its counts beside the goals, and the hint for what is short. grade_of_hand_in
 * reads the recording of its run; what happened before there is one is set by the caller. Plain data, owned by
 * the caller; any thread, each with its own session.
 */
#ifndef CLI_EXERCISE_HAND_IN_H
#define CLI_EXERCISE_HAND_IN_H

#include "cli/exercise/exercises.h"
#include "cli/own/diagnostics.h"
#include "cli/process/confined.h"
#include "core/base/error.h"
#include "core/session/session.h"

#define HAND_IN_BYTES_MAX (256u << 10)
#define HAND_IN_HEAD_LINES 20 /* the exercise is named in one of them */

/* *text: zero-terminated, freed by the caller. STATUS_IO, STATUS_FORMAT with a sentence that does not name
 * the file. */
enum status hand_in_read(const char *path, char **text, struct error *error);

/* The exercise that a line "// exercise: NAME" at the head of the text names. STATUS_FORMAT: there is no such
 * line, or no such exercise. */
enum status hand_in_exercise(const char *text, const struct exercise **exercise, struct error *error);

/* Leaves of a hand-in its code, without comments and blanks. */
void hand_in_strip(char *text);

/* ---- the grade ---- */
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

#define GRADE_SENTENCE_BYTES sizeof(((struct error *)NULL)->text)

struct grade {
    const struct exercise *exercise; /* NULL: not known */
    enum outcome outcome;
    char sentence[GRADE_SENTENCE_BYTES];  /* what happened; "" where the figures say it */
    char source[DIAGNOSTIC_SOURCE_BYTES]; /* NOT_COMPILED: the line and a caret below it; "": not known */
    const char *finding; /* FAULT: what the checks report, "out of bounds"; NULL: another error */
    unsigned line;       /* of the finding; 0: not known */
    const char *hint;    /* NULL: none fits */
    bool other;          /* it is about the second run, of another input: none of its numbers is shown */
    /* Of the first run, if its result is right: the exercise's goals, then bounds that it does not keep. */
    struct grade_goal {
        const struct exercise_goal *goal;
        double figure; /* NAN: not known */
        bool reached;
    } goals[EXERCISE_GOALS_MAX + EXERCISE_BOUNDS_MAX];
    size_t goal_count;
    double seconds;
};

/* grade->exercise is set, and the run has ended; fills the rest but seconds. code: of the hand-in, as
 * hand_in_strip leaves it. */
void grade_of_hand_in(struct grade *grade, const struct session *session, uint32_t run, const char *code);
/* The same hand-in has passed, and this run of another input has ended, whose limits are `growth` times as
 * large: is it right there, too? */
void grade_of_other_input(struct grade *grade, const struct session *session, uint32_t run, double growth);

/*
 * Hand-ins judged: each is run by a lanescope of its own under limits (cli/process/limited.h), in a folder of
 * its own that is removed afterwards, as many beside each other as there are processors. The kernels are
 * compiled and run on the device model; host code in a hand-in is never linked, loaded or run.
 */
#define GRADE_SECONDS 20.0 /* for a hand-in, compiler included */

struct grade_job {
    const char *path;                /* the caller's */
    const struct exercise *exercise; /* NULL: the one that its head names */
    struct grade grade;              /* set by grade_run, and */
    struct exercise_draw other;      /* its second run; text "": none was drawn */
};

/* Is a hand-in of this name compiled? PTX is not. */
bool grade_needs_compiler(const char *path);

/* Judges all of them; grades are set whatever happens. A signal that ends lanescope does so when the
 * folders are gone. *how: how the compilers were confined; where one finds what it needs in no better way,
 * they were not. STATUS_IO, STATUS_MEMORY, STATUS_USAGE: it could not be done at all. The main thread. */
enum status grade_run(struct grade_job *jobs, size_t count, double time_limit_s, enum confinement *how,
                      struct error *error);

#endif
