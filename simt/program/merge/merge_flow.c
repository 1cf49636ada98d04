/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks end at branches and before branch targets. Loops are natural loops: an edge leads back to a block that
 * dominates its source. */
#include "simt/program/merge/merge_flow.h"

#include "simt/program/cfg.h"

#include <stdlib.h>

/* Used while a flow is made. */
struct flow_work {
    const struct program *program;
    struct flow *flow;
    bool *leader;     /* per instruction: a block begins here */
    bool *entry;      /* per instruction: entry of the kernel or of a function */
    uint32_t *number; /* per block: position in the order, FLOW_NONE: not reached */
    uint32_t *stack, *next;
};

/* The successors of instruction i, for `at` = 0, 1 ...; PROGRAM_END: no more, or the end. */
static uint32_t flow_leads_to(const struct program *program, uint32_t i, uint32_t at)
{
    const struct program_instruction *instruction = &program->instructions[i];
    bool guarded = instruction->guard != PROGRAM_NO_SLOT;
    uint32_t target_count = 0;
    switch (instruction->op) {
    case PROGRAM_BRA:
        if (at == 0)
            return instruction->target;
        target_count = 1;
        break;
    case PROGRAM_BRX:
        if (at < instruction->immediate)
            return program->targets[instruction->target + at];
        target_count = instruction->immediate;
        break;
    case PROGRAM_RET:
    case PROGRAM_EXIT:
    case PROGRAM_TRAP: break;
    default: guarded = true; break; /* the next instruction is always a successor */
    }
    return guarded && at == target_count && i + 1 < program->instruction_count ? i + 1 : PROGRAM_END;
}

static uint32_t flow_leads_count(const struct program *program, uint32_t i)
{
    const struct program_instruction *instruction = &program->instructions[i];
    return (instruction->op == PROGRAM_BRX ? instruction->immediate : 1) + 1;
}

static bool flow_ends_block(const struct program_instruction *instruction)
{
    switch (instruction->op) {
    case PROGRAM_BRA:
    case PROGRAM_BRX:
    case PROGRAM_CALL:
    case PROGRAM_RET:
    case PROGRAM_EXIT:
    case PROGRAM_TRAP: return true;
    default: return false;
    }
}

static void flow_find_leaders(struct flow_work *work)
{
    const struct program *program = work->program;
    work->leader[0] = true;
    work->entry[0] = true;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *instruction = &program->instructions[i];
        if (!flow_ends_block(instruction))
            continue;
        if (i + 1 < program->instruction_count)
            work->leader[i + 1] = true;
        for (uint32_t at = 0; at < flow_leads_count(program, i); at++) {
            uint32_t to = flow_leads_to(program, i, at);
            if (to < program->instruction_count)
                work->leader[to] = true;
        }
        if (instruction->op == PROGRAM_CALL && instruction->target < program->instruction_count) {
            work->leader[instruction->target] = true;
            work->entry[instruction->target] = true;
        }
    }
}

static void flow_find_callables(struct flow_work *work)
{
    for (uint32_t i = 0; i < work->program->callable_count; i++) {
        work->leader[work->program->callables[i].first] = true;
        work->entry[work->program->callables[i].first] = true;
    }
}

static void flow_make_blocks(struct flow_work *work)
{
    struct flow *flow = work->flow;
    for (uint32_t i = 0; i < work->program->instruction_count; i++) {
        if (work->leader[i]) {
            flow->blocks[flow->block_count++] = (struct flow_block){
                .first = i, .dominator = FLOW_NONE, .loop = FLOW_NONE, .entry = work->entry[i]};
        }
        flow->blocks[flow->block_count - 1].count++;
        flow->block_of[i] = flow->block_count - 1;
    }
}

/* Called twice: to count the edges, then to fill them in. */
static void flow_connect(struct flow_work *work, bool fill)
{
    struct flow *flow = work->flow;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        struct flow_block *block = &flow->blocks[b];
        uint32_t last = block->first + block->count - 1;
        for (uint32_t at = 0; at < flow_leads_count(work->program, last); at++) {
            uint32_t to = flow_leads_to(work->program, last, at);
            if (to >= work->program->instruction_count)
                continue;
            struct flow_block *target = &flow->blocks[flow->block_of[to]];
            if (fill) {
                block->successors[block->successor_count] = flow->block_of[to];
                target->predecessors[target->predecessor_count] = b;
            }
            block->successor_count++;
            target->predecessor_count++;
        }
    }
}

static enum status flow_make_edges(struct flow_work *work)
{
    struct flow *flow = work->flow;
    size_t count = 0;
    flow_connect(work, false);
    for (uint32_t b = 0; b < flow->block_count; b++)
        count += flow->blocks[b].successor_count + flow->blocks[b].predecessor_count;
    flow->edges = calloc(count + 1, sizeof *flow->edges);
    if (!flow->edges)
        return STATUS_MEMORY;
    uint32_t *edge = flow->edges;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        struct flow_block *block = &flow->blocks[b];
        block->successors = edge;
        edge += block->successor_count;
        block->predecessors = edge;
        edge += block->predecessor_count;
        block->successor_count = block->predecessor_count = 0;
    }
    flow_connect(work, true);
    return STATUS_OK;
}

/* Postorder from one entry; blocks are placed from the end of the order. */
static void flow_walk(struct flow_work *work, uint32_t entry, uint32_t *left)
{
    struct flow *flow = work->flow;
    uint32_t depth = 0;
    work->stack[depth++] = entry;
    work->number[entry] = 0; /* visited; gets its position after all blocks behind it */
    while (depth) {
        uint32_t b = work->stack[depth - 1];
        if (work->next[b] < flow->blocks[b].successor_count) {
            uint32_t to = flow->blocks[b].successors[work->next[b]++];
            if (work->number[to] == FLOW_NONE) {
                work->number[to] = 0;
                work->stack[depth++] = to;
            }
        } else {
            flow->order[--*left] = b;
            depth--;
        }
    }
}

static void flow_make_order(struct flow_work *work)
{
    struct flow *flow = work->flow;
    uint32_t left = flow->block_count;
    for (uint32_t b = 0; b < flow->block_count; b++)
        work->number[b] = FLOW_NONE;
    for (uint32_t b = flow->block_count; b-- > 0;)
        if (flow->blocks[b].entry && work->number[b] == FLOW_NONE)
            flow_walk(work, b, &left);
    flow->order_count = flow->block_count - left;
    for (uint32_t i = 0; i < flow->order_count; i++) {
        flow->order[i] = flow->order[left + i];
        work->number[flow->order[i]] = i;
    }
}

/* From a node that leads to all entries. False: out of memory. */
static bool flow_find_dominators(struct flow_work *work)
{
    struct flow *flow = work->flow;
    const uint32_t root = flow->block_count;
    size_t edges = root;
    for (uint32_t b = 0; b < root; b++)
        edges += flow->blocks[b].successor_count;
    uint32_t *first = calloc((size_t)root + 2, sizeof *first);
    uint32_t *to = calloc(edges + 1, sizeof *to);
    uint32_t *dominator = calloc((size_t)root + 1, sizeof *dominator);
    bool good = first && to && dominator;
    uint32_t used = 0;
    for (uint32_t b = 0; b < root && good; b++) {
        first[b] = used;
        for (uint32_t i = 0; i < flow->blocks[b].successor_count; i++)
            to[used++] = flow->blocks[b].successors[i];
    }
    if (good) {
        first[root] = used;
        for (uint32_t b = 0; b < root; b++)
            if (flow->blocks[b].entry)
                to[used++] = b;
        first[root + 1] = used;
        good = cfg_dominators(&(struct cfg_graph){root + 1, first, to}, root, dominator);
    }
    for (uint32_t i = 0; i < flow->order_count && good; i++) { /* dominators come first */
        struct flow_block *block = &flow->blocks[flow->order[i]];
        uint32_t above = dominator[flow->order[i]];
        block->dominator = above == root ? FLOW_NONE : above;
        block->depth = above == root ? 0 : flow->blocks[above].depth + 1;
    }
    free(first);
    free(to);
    free(dominator);
    return good;
}

static bool flow_block_dominates(const struct flow *flow, uint32_t a, uint32_t b)
{
    while (b != FLOW_NONE && flow->blocks[b].depth > flow->blocks[a].depth)
        b = flow->blocks[b].dominator;
    return a == b;
}

static bool flow_is_header(const struct flow_work *work, uint32_t b)
{
    const struct flow_block *block = &work->flow->blocks[b];
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        uint32_t before = block->predecessors[i];
        if (work->number[before] != FLOW_NONE && flow_block_dominates(work->flow, b, before))
            return true;
    }
    return false;
}

/* Headers in reverse order, so that inner loops come first. A block belongs to the first loop that reaches
 * it; that loop, as a whole, belongs to the next one. */
static void flow_find_loops(struct flow_work *work)
{
    struct flow *flow = work->flow;
    for (uint32_t i = flow->order_count; i-- > 0;) {
        uint32_t header = flow->order[i];
        if (!flow_is_header(work, header))
            continue;
        uint32_t loop = flow->loop_count++, depth = 0;
        flow->loops[loop] = (struct flow_loop){.header = header, .outer = FLOW_NONE};
        flow->blocks[header].loop = loop;
        for (uint32_t j = 0; j < flow->blocks[header].predecessor_count; j++) {
            uint32_t before = flow->blocks[header].predecessors[j];
            if (work->number[before] != FLOW_NONE && flow_block_dominates(flow, header, before))
                work->stack[depth++] = before;
        }
        while (depth) {
            uint32_t b = work->stack[--depth], inner = flow->blocks[b].loop;
            while (inner != FLOW_NONE && inner != loop && flow->loops[inner].outer != FLOW_NONE)
                inner = flow->loops[inner].outer;
            if (inner == loop)
                continue;
            if (inner == FLOW_NONE) {
                flow->blocks[b].loop = loop;
            } else {
                flow->loops[inner].outer = loop;
                b = flow->loops[inner].header;
            }
            for (uint32_t j = 0; j < flow->blocks[b].predecessor_count; j++) {
                uint32_t before = flow->blocks[b].predecessors[j];
                if (work->number[before] != FLOW_NONE)
                    work->stack[depth++] = before;
            }
        }
    }
}

enum status flow_init(struct flow *flow, const struct program *program, struct error *error)
{
    size_t count = (size_t)program->instruction_count + 1;
    enum status status = STATUS_MEMORY;
    struct flow_work work = {.program = program, .flow = flow};
    *flow = (struct flow){0};
    work.leader = calloc(count, sizeof *work.leader);
    work.entry = calloc(count, sizeof *work.entry);
    work.number = calloc(count, sizeof *work.number);
    work.next = calloc(count, sizeof *work.next);
    flow->blocks = calloc(count, sizeof *flow->blocks);
    flow->block_of = calloc(count, sizeof *flow->block_of);
    flow->order = calloc(count, sizeof *flow->order);
    flow->loops = calloc(count, sizeof *flow->loops);
    if (!work.leader || !work.entry || !work.number || !work.next || !flow->blocks || !flow->block_of ||
        !flow->order || !flow->loops)
        goto done;
    if (program->instruction_count) {
        flow_find_leaders(&work);
        flow_find_callables(&work);
        flow_make_blocks(&work);
    }
    status = flow_make_edges(&work);
    if (status != STATUS_OK)
        goto done;
    /* The search for a loop can have every edge on its stack. */
    size_t edges = count;
    for (uint32_t b = 0; b < flow->block_count; b++)
        edges += flow->blocks[b].predecessor_count;
    work.stack = calloc(edges, sizeof *work.stack);
    if (!work.stack) {
        status = STATUS_MEMORY;
        goto done;
    }
    flow_make_order(&work);
    if (!flow_find_dominators(&work)) {
        status = STATUS_MEMORY;
        goto done;
    }
    flow_find_loops(&work);
done:
    free(work.leader);
    free(work.entry);
    free(work.number);
    free(work.next);
    free(work.stack);
    if (status != STATUS_OK) {
        flow_fini(flow);
        return error_set(error, status,
                         "There is no memory for the control flow of %s: close other programs.",
                         program->entry->name);
    }
    return STATUS_OK;
}

void flow_fini(struct flow *flow)
{
    free(flow->blocks);
    free(flow->block_of);
    free(flow->order);
    free(flow->loops);
    free(flow->edges);
    *flow = (struct flow){0};
}

bool flow_dominates(const struct flow *flow, uint32_t a, uint32_t b)
{
    uint32_t of_a = flow->block_of[a], of_b = flow->block_of[b];
    return of_a == of_b ? a <= b : flow_block_dominates(flow, of_a, of_b);
}

bool flow_loops_within(const struct flow *flow, uint32_t a, uint32_t b)
{
    uint32_t loop = flow->blocks[flow->block_of[a]].loop, in = flow->blocks[flow->block_of[b]].loop;
    while (in != FLOW_NONE && in != loop)
        in = flow->loops[in].outer;
    return in == loop;
}
