/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dominators and loops of random programs against their definitions: a dominates b when b cannot be reached
 * without a; a loop is what reaches the edge back to its header without passing the header.
 */
#include "simt/program/merge/merge_flow.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MOST 40

struct graph {
    struct program_instruction instructions[MOST];
    struct program program;
    struct ptx_function entry;
    uint32_t targets[MOST];
};

static uint32_t random_below(uint32_t below)
{
    return (uint32_t)rand() % below;
}

/* Branches with and without a predicate, tables of targets, calls, ends. */
static void graph_make(struct graph *graph, uint32_t count)
{
    memset(graph, 0, sizeof *graph);
    graph->entry.name = "kernel";
    graph->program = (struct program){.entry = &graph->entry,
                                      .instructions = graph->instructions,
                                      .instruction_count = count,
                                      .targets = graph->targets,
                                      .target_count = MOST};
    for (uint32_t i = 0; i < MOST; i++)
        graph->targets[i] = random_below(count);
    for (uint32_t i = 0; i < count; i++) {
        struct program_instruction *at = &graph->instructions[i];
        uint32_t kind = random_below(20);
        at->op = kind < 11   ? PROGRAM_LANES
                 : kind < 16 ? PROGRAM_BRA
                 : kind < 17 ? PROGRAM_BRX
                 : kind < 18 ? PROGRAM_CALL
                             : PROGRAM_RET;
        at->guard = random_below(2) ? 0 : PROGRAM_NO_SLOT;
        at->target = at->op == PROGRAM_BRX ? random_below(MOST - 3) : random_below(count);
        at->immediate = 1 + random_below(3);
        if (i == count - 1) {
            at->op = PROGRAM_RET;
            at->guard = PROGRAM_NO_SLOT;
        }
    }
}

/* May control go from one to the other in one step? */
static bool graph_leads(const struct graph *graph, uint32_t from, uint32_t to)
{
    const struct program_instruction *at = &graph->instructions[from];
    bool next = to == from + 1, guarded = at->guard != PROGRAM_NO_SLOT;
    switch (at->op) {
    case PROGRAM_BRA: return to == at->target || (guarded && next);
    case PROGRAM_BRX:
        for (uint32_t i = 0; i < at->immediate; i++)
            if (graph->targets[at->target + i] == to)
                return true;
        return guarded && next;
    case PROGRAM_RET: return guarded && next;
    default: return next;
    }
}

/* What is reached from the kernel's and all functions' first instructions, not going through `without`. */
static void graph_reach(const struct graph *graph, uint32_t without, bool reached[MOST])
{
    uint32_t count = graph->program.instruction_count;
    memset(reached, 0, MOST * sizeof *reached);
    reached[0] = without != 0;
    for (uint32_t i = 0; i < count; i++)
        if (graph->instructions[i].op == PROGRAM_CALL && graph->instructions[i].target != without)
            reached[graph->instructions[i].target] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; reached[i] && j < count; j++)
                if (j != without && !reached[j] && graph_leads(graph, i, j))
                    reached[j] = changed = true;
        }
    }
}

/* What is in the loops of a header: reaches an instruction that leads to it and that it dominates. */
static void graph_loop(const struct graph *graph, const bool dominates[MOST][MOST], const bool all[MOST],
                       uint32_t header, bool in[MOST])
{
    uint32_t count = graph->program.instruction_count;
    memset(in, 0, MOST * sizeof *in);
    for (uint32_t i = 0; i < count; i++)
        if (all[i] && graph_leads(graph, i, header) && dominates[header][i])
            in[i] = in[header] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t j = 0; j < count; j++) {
            for (uint32_t i = 0; in[j] && j != header && i < count; i++)
                if (all[i] && !in[i] && graph_leads(graph, i, j))
                    in[i] = changed = true;
        }
    }
}

static void check(const struct graph *graph, unsigned seed)
{
    static bool dominates[MOST][MOST], in[MOST][MOST];
    uint32_t count = graph->program.instruction_count;
    bool all[MOST], reached[MOST];
    struct flow flow;
    struct error error;
    cr_assert_eq(flow_init(&flow, &graph->program, &error), STATUS_OK);
    graph_reach(graph, FLOW_NONE, all);
    for (uint32_t a = 0; a < count; a++) {
        graph_reach(graph, a, reached);
        for (uint32_t b = 0; b < count; b++)
            dominates[a][b] = all[b] && !reached[b];
    }
    for (uint32_t header = 0; header < count; header++)
        graph_loop(graph, (const bool(*)[MOST])dominates, all, header, in[header]);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < count; b++) {
            if (!all[a] || !all[b])
                continue;
            cr_assert_eq(flow_dominates(&flow, a, b), dominates[a][b], "seed %u: %u over %u", seed, a, b);
            bool within = true;
            for (uint32_t header = 0; header < count; header++)
                within = within && (!in[header][a] || in[header][b]);
            cr_assert_eq(flow_loops_within(&flow, a, b), within, "seed %u: loops of %u and %u", seed, a, b);
        }
    }
    flow_fini(&flow);
}

Test(merge_flow, random_programs)
{
    static struct graph graph;
    for (unsigned seed = 0; seed < 800; seed++) {
        srand(seed);
        graph_make(&graph, 2 + random_below(MOST - 3));
        check(&graph, seed);
    }
}

Test(merge_flow, a_program_of_nothing)
{
    static const struct ptx_function entry = {.name = "kernel"};
    struct program program = {.entry = &entry};
    struct flow flow;
    cr_assert_eq(flow_init(&flow, &program, NULL), STATUS_OK);
    cr_assert_eq(flow.block_count, 0);
    flow_fini(&flow);
}
