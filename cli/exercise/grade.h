/*
 * Hand-ins judged: each is run by a lanescope of its own under limits (cli/process/limited.h), in a folder of
 * its own that is removed afterwards, as many beside each other as there are processors. The kernels are
 * compiled and run on the device model; host code in a hand-in is never linked, loaded or run.
 */
#ifndef CLI_EXERCISE_GRADE_H
#define CLI_EXERCISE_GRADE_H

#include "cli/exercise/verdict.h"
#include "cli/process/confined.h"
#include "core/base/error.h"

#define GRADE_SECONDS 20.0 /* for a hand-in, compiler included */

struct grade_job {
    const char *path;                /* the caller's */
    const struct exercise *exercise; /* NULL: the one that its head names */
    struct verdict verdict;          /* set by grade_run, and */
    struct exercise_draw other;      /* its second run; text "": none was drawn */
};

/* Is a hand-in of this name compiled? PTX is not. */
bool grade_needs_compiler(const char *path);

/* Judges all of them; verdicts are set whatever happens. A signal that ends lanescope does so when the
 * folders are gone. *how: how the compilers were confined; where one finds what it needs in no better way,
 * they were not. STATUS_IO, STATUS_MEMORY, STATUS_USAGE: it could not be done at all. The main thread. */
enum status grade_run(struct grade_job *jobs, size_t count, double time_limit_s, enum confinement *how,
                      struct error *error);

#endif
