/* Calls with a frame (simt/lanes/program.h): finds the called function, and the lanes that call it. */
#include "simt/engine/worker.h"

static const struct program_callable *callable_at(const struct program *program,
                                                  const struct program_call *call, uint64_t address)
{
    if (call->callable != PROGRAM_END)
        return &program->callables[call->callable];
    for (uint32_t i = 0; i < program->callable_count; i++)
        if (program->callables[i].address == address)
            return &program->callables[i];
    return NULL;
}

static bool call_fits(const struct program_call *call, const struct program_callable *callee)
{
    if (callee->parameter_count != call->parameter_count || callee->result_count != call->result_count)
        return false;
    for (uint32_t i = 0; i < call->parameter_count + call->result_count; i++)
        if (callee->areas[i].size_bytes != call->areas[i].size_bytes)
            return false;
    return true;
}

static enum warp_stop call_fault(struct worker *worker, const struct warp *warp, enum check_kind kind,
                                 uint32_t pc, uint32_t on, uint64_t address)
{
    worker->fault = worker_report(worker, warp, kind, pc, (uint32_t)__builtin_ctz(on));
    worker->fault.address = address;
    worker->fault.width_bytes = worker->run->stack_bytes;
    return WARP_FAILS;
}

/* All lanes `on` call the same function. */
static enum warp_stop call_one(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                               uint32_t on, uint64_t address)
{
    const struct program *program = worker->run->program;
    const struct program_call *call = &program->calls[program->instructions[pc].immediate - 1];
    const struct program_callable *callee = callable_at(program, call, address);
    uint32_t stack_bytes = warp->paths[path].stack_bytes + call->stack_bytes;
    if (!callee || !call_fits(call, callee))
        return call_fault(worker, warp, CHECK_NO_FUNCTION, pc, on, address);
    if (stack_bytes > worker->run->stack_bytes)
        return call_fault(worker, warp, CHECK_STACK, pc, on, address);
    struct warp_frame *frame = warp_frame_enter(warp, call, callee, program->stack_slot, on);
    if (!frame)
        return WARP_NO_MEMORY;
    warp->paths[path].frame = frame;
    if (!warp_call(warp, path, on, callee->first, pc + 1))
        return WARP_NO_MEMORY;
    warp->paths[warp->next_path].stack_bytes = stack_bytes;
    return WARP_GOES_ON;
}

enum warp_stop warp_call_framed(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                                uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct count_instruction *count = &worker->counter.instructions[pc];
    uint64_t address = 0;
    uint32_t group = on;
    if (instruction->source[0] != PROGRAM_NO_SLOT) {
        const uint64_t *addresses = (const void *)(warp->frame + instruction->source[0]);
        address = addresses[__builtin_ctz(on)];
        for (uint32_t left = on; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            group &= ~((uint32_t)(addresses[lane] != address) << lane);
        }
    }
    if (group == on)
        return call_one(worker, warp, path, pc, on, address);
    /* The other lanes will execute this instruction again, as a path of their own: removes their share from
     * the counts. */
    uint32_t others = warp->paths[path].mask & ~group;
    count->thread_instructions -= (uint32_t)__builtin_popcount(others);
    count->thread_instructions_on -= (uint32_t)__builtin_popcount(on & ~group);
    count->divergent++;
    if (!warp_part(warp, path, others, pc, pc, pc + 1))
        return WARP_NO_MEMORY;
    return call_one(worker, warp, warp->next_path, pc, group, address);
}
