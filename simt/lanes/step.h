/*
 * Straight code as a list of steps, one for each instruction, which simt/program/share/steps makes. A
 * step executes its instruction and calls the next step, so that no loop goes over the instructions, and
 * passes its result on in the host's vector registers: an instruction that needs the result of the one before
 * does not wait until it is stored and loaded. The result is stored, too: the frame is the same as without
 * steps, in the lanes of `active`.
 *
 * Frequent instructions have steps of their own; all others share one that calls their lane function.
 * Static tables, any thread.
 */
#ifndef SIMT_LANES_STEP_H
#define SIMT_LANES_STEP_H

#include "simt/lanes/program.h"

#define LANES_STEP_GROUP_LIST(X) X(integer) X(float) X(approx)
#define LANES_STEP_GROUPS 3

struct lanes_steps {
    lane_function *function;
    /* All sources are in the frame; the result of the step before is the first source, the second, the third.
     */
    step_function *functions[4];
    uint8_t source_count, destination_bytes, source_bytes[3]; /* of a lane */
};

struct lanes_step_set {                                  /* of a vector width */
    const struct lanes_steps *groups[LANES_STEP_GROUPS]; /* each ended by an entry without function */
    step_function *other, *last,
        *end;         /* an instruction without steps; ... which is the last; after the last */
    step_runner *run; /* executes the steps from this one on */
};

/* Of the vectors that are used (simt/lanes/lanes.h). */
const struct lanes_step_set *lanes_steps_chosen(void);

#endif
