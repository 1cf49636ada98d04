/*
 * The steps of simt/lanes/step.h that are no arithmetic of their own, and the list of tables of all others.
 */
#include "simt/lanes/lanes_step.h"

#define HELD_CLEAR(i, bytes) x##i = (held){0};
#define HELD_NOTHING(i, bytes) held x##i = {0};
#define HELD_UNUSED(i, bytes) (void)x##i;

/* An instruction that has no steps. */
STEP(step_other)
{
    step->instruction->lanes(step->instruction, frame, active);
    HELD_EACH(HELD_CLEAR, 0)
    STEP_NEXT;
}

/* ... and is the last. */
STEP(step_last)
{
    HELD_EACH(HELD_UNUSED, 0)
    step->instruction->lanes(step->instruction, frame, active);
}

STEP(step_end)
{
    (void)step;
    (void)frame;
    (void)active;
    HELD_EACH(HELD_UNUSED, 0)
}

static void steps_run(const struct program_step *step, uint8_t *frame, uint32_t active)
{
    HELD_EACH(HELD_NOTHING, 0)
    ((step_held *)step->run)(step, frame, active, HELD_PASSED);
}

#define DECLARE(group) extern const struct lanes_steps LANES_TABLE(group##_steps)[];
#define TABLE(group) LANES_TABLE(group##_steps),
LANES_STEP_GROUP_LIST(DECLARE)
const struct lanes_step_set LANES_TABLE(step_set) = {
    .groups = {LANES_STEP_GROUP_LIST(TABLE)},
    .other = (step_function *)step_other,
    .last = (step_function *)step_last,
    .end = (step_function *)step_end,
    .run = steps_run,
};
