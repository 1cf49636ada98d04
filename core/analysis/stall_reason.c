/* One table; a reason that is not in it has no description. */
#include "core/analysis/stall_reason.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */ /* a table */
static const struct stall_reason reasons[] = {
    {"selected", "issues", "was chosen and issued its instruction", "", true},
    {"not_selected", "ready", "was ready, but the scheduler chose another warp",
     "none: there are enough warps to hide latency", true},
    {"long_scoreboard", "global memory", "waits for a value from global, local or texture memory",
     "coalesce, reuse through shared memory or registers, load earlier, keep more warps resident", false},
    {"short_scoreboard", "shared memory", "waits for a value from shared memory or a special function",
     "remove bank conflicts; keep values in registers; fewer special functions", false},
    {"lg_throttle", "memory queue", "waits for room in the queue of global and local memory instructions",
     "fewer and wider accesses (float4); avoid spills", false},
    {"mio_throttle", "shared queue",
     "waits for room in the queue of shared memory, special functions and dynamic branches",
     "fewer and wider accesses to shared memory", false},
    {"tex_throttle", "texture queue", "waits for room in the queue of texture fetches",
     "fewer fetches; read through global memory instead", false},
    {"barrier", "barrier", "waits at a barrier for the block's other warps",
     "give all warps the same work between barriers; smaller blocks; fewer barriers", false},
    {"membar", "memory fence", "waits until its writes can be seen, at a fence", "fewer or narrower fences",
     false},
    {"wait", "fixed latency", "waits the fixed cycles between dependent instructions",
     "more independent work per thread (unroll), or more warps", false},
    {"math_pipe_throttle", "arithmetic unit", "waits for an arithmetic unit that other warps keep busy",
     "the unit is fully used: use another unit or a smaller type if the time matters", false},
    {"branch_resolving", "branch", "waits for the target of a branch",
     "fewer branches and jumps in hot loops", false},
    {"no_instructions", "instruction fetch", "waits for its next instructions to be fetched",
     "smaller hot loops (less unrolling): they no longer fit the instruction cache", false},
    {"no_instruction", "instruction fetch", "waits for its next instructions to be fetched",
     "smaller hot loops (less unrolling): they no longer fit the instruction cache", false},
    {"imc_miss", "constants", "waits for a constant that missed its cache",
     "let all lanes read the same constant; pass few parameters", false},
    {"dispatch_stall", "dispatcher", "was chosen, but the dispatcher did not issue it", "", false},
    {"drain", "drain", "has ended and waits for its last writes", "coalesce the last stores", false},
    {"sleeping", "sleeps", "sleeps (nanosleep)", "sleep for a shorter time, or less often", false},
    {"misc", "other", "waits for another reason", "", false},
    {"gmma", "tensor core", "waits for a tensor core's warpgroup operation",
     "keep more such operations in flight", false},
    {"warpgroup_arrive", "warpgroup", "waits for its warpgroup", "let its warps do the same work", false},
};
/* clang-format on */

const struct stall_reason *stall_reason_at(unsigned index)
{
    return index < sizeof reasons / sizeof reasons[0] ? &reasons[index] : NULL;
}

const struct stall_reason *stall_reason_find(const char *name)
{
    for (unsigned i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strcmp(reasons[i].name, name) == 0)
            return &reasons[i];
    return NULL;
}

void stall_reason_text(const char *name, char text[STALL_REASON_TEXT_BYTES])
{
    const struct stall_reason *known = stall_reason_find(name);
    if (known == NULL || strcmp(known->title, name) == 0)
        snprintf(text, STALL_REASON_TEXT_BYTES, "%s", name);
    else
        snprintf(text, STALL_REASON_TEXT_BYTES, "%s (%s)", known->title, name);
}
