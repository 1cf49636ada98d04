/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture has two lists of fixed size: the programs that it has seen, of which only the first launch is
 * recorded, and the accesses. An access is identified by kernel, instruction, space and execution. When a
 * list is full, later entries are dropped and `full` is set.
 */
#include "simt/engine/capture.h"

#define CAPTURE_PARTS 16 /* more than the parts of any instruction */

bool capture_begin(struct capture *capture, const struct program *program)
{
    for (uint32_t i = 0; i < capture->kernel_count; i++)
        if (capture->kernels[i] == program)
            return false;
    if (capture->kernel_count == CAPTURE_KERNELS) {
        capture->full = true;
        return false;
    }
    capture->kernels[capture->kernel_count++] = program;
    return true;
}

static uint32_t executions_of(const struct capture *capture, uint32_t kernel, uint32_t instruction,
                              enum ptx_space space)
{
    for (uint32_t i = capture->count; i-- > 0;) {
        const struct capture_access *kept = &capture->accesses[i];
        if (kept->kernel == kernel && kept->instruction == instruction && kept->space == space)
            return kept->execution + 1;
    }
    return 0;
}

static void keep_access(struct capture *capture, const struct capture_access *access)
{
    if (capture->count < CAPTURE_ACCESSES)
        capture->accesses[capture->count++] = *access;
    else
        capture->full = true;
}

/* The words of a lane in local memory are 128 bytes apart: each is recorded as an access. */
static void keep_words(struct capture *capture, const struct capture_access *access)
{
    struct capture_access word = *access;
    if (access->space != PTX_LOCAL || access->access.width_bytes <= 4) {
        keep_access(capture, access);
        return;
    }
    word.access.width_bytes = 4;
    for (uint32_t at = 0; at < access->access.width_bytes; at += 4) {
        keep_access(capture, &word);
        word.part += CAPTURE_PARTS;
        for (int lane = 0; lane < WARP_LANES; lane++)
            word.access.address[lane] += 128;
    }
}

void capture_add(struct capture *capture, uint32_t instruction, enum ptx_space space,
                 const struct warp_access *access, const struct count_instruction *before,
                 const struct count_instruction *after)
{
    uint32_t kernel = capture->kernel_count - 1;
    const struct program_instruction *of = &capture->kernels[kernel]->instructions[instruction];
    struct capture_access made = {.kernel = kernel,
                                  .instruction = instruction,
                                  .execution = executions_of(capture, kernel, instruction, space),
                                  .space = space,
                                  .atomic = of->op == PROGRAM_ATOM,
                                  .access = *access,
                                  .requests = after->requests - before->requests,
                                  .transfers = count_steps(after) - count_steps(before),
                                  .ideal_transfers = after->ideal_transfers - before->ideal_transfers};
    if (access->active == 0 || of->rewrite == REWRITE_FOLDED || made.execution >= CAPTURE_EXECUTIONS ||
        (space != PTX_GLOBAL && space != PTX_SHARED && space != PTX_LOCAL))
        return;
    made.whole = !made.atomic && of->part_count <= 1 && !(space == PTX_LOCAL && access->width_bytes > 4);
    if (of->rewrite != REWRITE_PARTS) {
        keep_words(capture, &made);
        return;
    }
    for (uint32_t i = 0; i < of->part_count; i++) {
        made.part = i;
        made.access.width_bytes = of->parts[i].bytes;
        made.whole = of->part_count == 1 && !(space == PTX_LOCAL && of->parts[i].bytes > 4);
        for (int lane = 0; lane < WARP_LANES; lane++)
            made.access.address[lane] = access->address[lane] + (uint64_t)(int64_t)of->parts[i].offset;
        keep_words(capture, &made);
    }
}
