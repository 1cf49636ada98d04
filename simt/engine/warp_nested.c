/* The two functions of the device's runtime that launch kernels (simt/engine/nested), lane by lane. */
#include "simt/engine/nested.h"
#include "simt/engine/warp_memory.h"

#include <string.h>

/* A lane's words of a .param area. */
static uint8_t *parameter_area(struct warp *warp, uint32_t slot, uint32_t lane, size_t bytes)
{
    return warp->frame + slot + lane * bytes;
}

static void buffer_make(struct nested *nested, struct warp *warp,
                        const struct program_instruction *instruction, uint32_t lane)
{
    uint64_t kernel, address;
    uint32_t grid[3], block[3], shared_bytes;

    memcpy(&kernel, parameter_area(warp, instruction->source[0], lane, sizeof kernel), sizeof kernel);
    memcpy(grid, parameter_area(warp, instruction->source[1], lane, sizeof grid), sizeof grid);
    memcpy(block, parameter_area(warp, instruction->source[2], lane, sizeof block), sizeof block);
    memcpy(&shared_bytes, parameter_area(warp, instruction->source[3], lane, sizeof shared_bytes),
           sizeof shared_bytes);
    address = nested_buffer(nested, kernel, grid, block, shared_bytes);
    memcpy(parameter_area(warp, instruction->destination[0], lane, sizeof address), &address, sizeof address);
}

static void nested_start(struct worker *worker, struct warp *warp,
                         const struct program_instruction *instruction, uint32_t lane)
{
    uint64_t address;
    uint32_t error;

    memcpy(&address, parameter_area(warp, instruction->source[0], lane, sizeof address), sizeof address);
    error = nested_launch(worker->run->nested, address, worker->block.number);
    memcpy(parameter_area(warp, instruction->destination[0], lane, sizeof error), &error, sizeof error);
}

void warp_nested(struct worker *worker, struct warp *warp, const struct program_instruction *instruction,
                 uint32_t on)
{
    for (; on; on &= on - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(on);

        if (instruction->sub == PROGRAM_NESTED_BUFFER)
            buffer_make(worker->run->nested, warp, instruction, lane);
        else
            nested_start(worker, warp, instruction, lane);
    }
}
