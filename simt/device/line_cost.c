/* Reads a launch's counters by instruction, and a program's lines. */
#include "simt/device/line_cost.h"

#include <string.h>

static const char *outer_file(const struct program *program, const struct ptx_location *place)
{
    return ptx_file_name(program->module, place->inlined_line != 0 ? place->inlined_file : place->file);
}

const char *line_cost_file(const struct program *program)
{
    const char *file = NULL;
    for (uint32_t i = 0; i < program->instruction_count && !file; i++) {
        struct ptx_location place = program_location(program, i);
        file = place.line > 0 ? outer_file(program, &place) : NULL;
    }
    return file;
}

uint32_t line_cost_line(const struct program *program, uint32_t instruction, const char *file)
{
    struct ptx_location place = program_location(program, instruction);
    const char *inner = ptx_file_name(program->module, place.file), *outer = outer_file(program, &place);
    if (place.line == 0 || !file)
        return 0;
    if (inner && strcmp(inner, file) == 0)
        return place.line;
    return place.inlined_line != 0 && outer && strcmp(outer, file) == 0 ? place.inlined_line : 0;
}

void line_cost_add(double costs[CODE_COST_COUNT], const struct counter *counter, uint32_t instruction)
{
    struct count_totals totals = {0};
    count_totals_add(&totals, counter, instruction);
    const struct count_instruction *const global[] = {&totals.global[0], &totals.global[1],
                                                      &totals.global_atomics};
    const struct count_instruction *const shared[] = {&totals.shared[0],      &totals.shared[1],
                                                      &totals.shared_atomics, &totals.shared_fills,
                                                      &totals.matrices[0],    &totals.matrices[1]};
    costs[CODE_INSTRUCTIONS] += (double)totals.warp_instructions;
    costs[CODE_THREADS] += (double)totals.thread_instructions;
    for (size_t i = 0; i < sizeof global / sizeof global[0]; i++) {
        costs[CODE_SECTORS] += (double)global[i]->transfers;
        costs[CODE_IDEAL_SECTORS] += (double)global[i]->ideal_transfers;
    }
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        costs[CODE_WAVEFRONTS] += (double)shared[i]->transfers;
        costs[CODE_IDEAL_WAVEFRONTS] += (double)shared[i]->ideal_transfers;
    }
    costs[CODE_LOCAL_SECTORS] += (double)(totals.local[0].transfers + totals.local[1].transfers);
    costs[CODE_TEXTURE_SECTORS] += (double)totals.textures.transfers;
    costs[CODE_PASSES] += (double)totals.global_atomics.passes;
    costs[CODE_ATOMIC_SECTORS] += (double)totals.global_atomics.transfers;
    costs[CODE_DIVERGENT] += (double)totals.divergent_branches;
}
