/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/made_lines.h"

#include "core/session/code.h"

#include <stdio.h>
#include <string.h>

/* The load waits for its address, the store for room in the queue; the store moves 8 times the sectors it
 * needs. */
static const struct made_instruction {
    const char *text;
    uint32_t line; /* from the first */
    uint64_t executed, sectors, ideal_sectors, wavefronts, ideal_wavefronts;
    uint64_t long_scoreboard, lg_throttle, wait, selected;
} made[] = {
    {"MOV R1, c[0x0][0x28] ;", 0, 512, 0, 0, 0, 0, 0, 0, 4, 2},
    {"S2R R0, SR_TID.X ;", 0, 512, 0, 0, 0, 0, 0, 0, 6, 2},
    {"IMAD R2, R0, c[0x0][0x170], R3 ;", 1, 512, 0, 0, 0, 0, 0, 0, 20, 3},
    {"LDG.E R4, [R2.64] ;", 1, 512, 2048, 2048, 0, 0, 5, 30, 0, 8},
    {"STS [R5], R4 ;", 1, 512, 0, 0, 1024, 512, 250, 0, 3, 8},
    {"LDS R6, [R7] ;", 2, 512, 0, 0, 512, 512, 0, 0, 10, 8},
    {"STG.E [R8.64], R6 ;", 2, 512, 16384, 2048, 0, 0, 120, 500, 0, 9},
    {"EXIT ;", 3, 512, 0, 0, 0, 0, 0, 0, 10, 2},
};

static uint32_t string(struct session *session, const char *text)
{
    return session_add_string(session, text, strlen(text));
}

static void add_samples(struct session *session, const struct stall_row *key, const char *reason,
                        uint64_t samples)
{
    char name[128];
    struct stall_row row = {.run = key->run,
                            .kernel = key->kernel,
                            .instruction = key->instruction,
                            .period_cycles = 2048,
                            .samples = samples};
    snprintf(name, sizeof name, "smsp__pcsamp_warps_issue_stalled_%s", reason);
    row.reason = string(session, name);
    if (samples > 0)
        session_add_stall(session, &row);
    snprintf(name, sizeof name, "smsp__pcsamp_warps_issue_stalled_%s_not_issued", reason);
    row.reason = string(session, name);
    if (samples > 1 && strcmp(reason, "selected") != 0)
        session_add_stall(session, &row);
}

static void add_count(struct session *session, const struct stall_row *key, const char *counter,
                      uint64_t number)
{
    const struct tally_row row = {.run = key->run,
                                  .kernel = key->kernel,
                                  .instruction = key->instruction,
                                  .counter = string(session, counter),
                                  .launches = 1,
                                  .number = number};
    session_add_tally(session, &row);
    session_add_tally(session, &row); /* a second launch, of the same */
}

void made_lines_add(struct session *session, uint32_t kernel, const char *file, uint32_t line,
                    const char *text)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = session_shape(session, row->shape);
    const struct run_row *run = session_run(session, row->run);
    struct run_row lines = {.process = run->process,
                            .device = run->device,
                            .group = run->group,
                            .workload = run->workload,
                            .variant = run->variant,
                            .params = run->params,
                            .program = run->program,
                            .mode = RUN_COUNTERS,
                            .clock = CLOCK_WALL,
                            .start_ns = run->start_ns,
                            .end_ns = run->start_ns,
                            .verified = 1};
    struct function_row function = {.module = 42,
                                    .mangled = shape->mangled,
                                    .name = shape->name,
                                    .size_bytes = 16 * sizeof made / sizeof made[0]};
    struct stall_row key = {.run = session_add_run(session, &lines)};
    key.kernel = session_add_kernel(session, key.run, row->shape, row->device);
    uint32_t of = session_add_function(session, &function), name = file == NULL ? 0 : string(session, file);
    if (text != NULL)
        session_add_source(session, name, text, strlen(text));
    for (uint32_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        const struct made_instruction *one = &made[i];
        key.instruction = session_add_instruction(session, of, 16 * i);
        session_set_instruction(session, key.instruction, string(session, one->text), name,
                                name == 0 ? 0 : line + one->line);
        add_samples(session, &key, "long_scoreboard", one->long_scoreboard);
        add_samples(session, &key, "lg_throttle", one->lg_throttle);
        add_samples(session, &key, "wait", one->wait);
        add_samples(session, &key, "selected", one->selected);
        add_count(session, &key, "smsp__sass_inst_executed", one->executed);
        add_count(session, &key, "smsp__sass_sectors_mem_global", one->sectors);
        add_count(session, &key, "smsp__sass_sectors_mem_global_ideal", one->ideal_sectors);
        add_count(session, &key, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", one->wavefronts);
        add_count(session, &key, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
                  one->ideal_wavefronts);
    }
}
