/*
 * A step finds the result of the one before in the host's registers, unless lanes can come to it from
 * elsewhere.
 */
#include "simt/program/share/steps.h"

#include "simt/lanes/step.h"

#include <stdlib.h>

static const struct lanes_steps *steps_find(const struct lanes_step_set *set, lane_function *function)
{
    for (size_t i = 0; i < LANES_STEP_GROUPS; i++)
        for (const struct lanes_steps *at = set->groups[i]; at->function; at++)
            if (at->function == function)
                return at;
    return NULL;
}

struct held { /* the result of the step before; PROGRAM_NO_SLOT: none */
    uint32_t slot, bytes;
};

/* Which of the functions executes a step that finds `held` in registers. */
static step_function *steps_function(const struct lanes_steps *steps, const uint32_t *source,
                                     const struct held *held)
{
    uint32_t which = 0;
    for (uint32_t i = 0; i < steps->source_count; i++)
        if (source[i] == held->slot && steps->source_bytes[i] == held->bytes)
            which = i + 1;
    return steps->functions[which];
}

static void step_make(struct program_step *step, const struct program_instruction *instruction,
                      const struct lanes_step_set *set, struct held *held)
{
    const struct lanes_steps *const steps = steps_find(set, instruction->lanes);
    *step = (struct program_step){.run = instruction->straight == 1 ? set->last : set->other,
                                  .instruction = instruction};
    if (!steps) {
        held->slot = PROGRAM_NO_SLOT;
        return;
    }
    for (uint32_t i = 0; i < steps->source_count; i++)
        step->source[i] = instruction->source[i];
    step->destination = instruction->destination[0];
    step->run = steps_function(steps, step->source, held);
    *held = (struct held){step->destination, steps->destination_bytes};
}

/* Marks the instructions that branches lead to. */
static void mark_targets(const struct program *program, bool *targets)
{
    for (uint32_t i = 0; i < program->instruction_count; i++)
        if (program->instructions[i].target < program->instruction_count)
            targets[program->instructions[i].target] = true;
    for (uint32_t i = 0; i < program->target_count; i++)
        if (program->targets[i] < program->instruction_count)
            targets[program->targets[i]] = true;
}

enum status program_make_steps(struct program *program, struct error *error)
{
    const struct lanes_step_set *const set = lanes_steps_chosen();
    const uint32_t count = program->instruction_count;
    struct program_step *const steps = calloc(2 * (size_t)count + 1, sizeof *steps);
    bool *const targets = calloc(count + 1u, sizeof *targets);
    struct held held = {PROGRAM_NO_SLOT, 0};
    uint32_t made = 0;

    if (!steps || !targets) {
        free(steps);
        free(targets);
        return error_no_memory(error, "to prepare %s", program->entry->name);
    }
    mark_targets(program, targets);
    for (uint32_t i = 0; i < count; i++) {
        struct program_instruction *const instruction = &program->instructions[i];
        if (instruction->op != PROGRAM_LANES || !instruction->straight)
            continue;
        if (targets[i])
            held.slot = PROGRAM_NO_SLOT;
        instruction->step = made;
        step_make(&steps[made++], instruction, set, &held);
        if (instruction->straight == 1) {
            steps[made++].run = set->end;
            held.slot = PROGRAM_NO_SLOT;
        }
    }
    free(targets);
    program->steps = steps;
    program->run_steps = set->run;
    return STATUS_OK;
}
