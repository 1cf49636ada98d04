/* SPDX-License-Identifier: Apache-2.0 */
/* Labels are found in a sorted list. A block begins at each branch target and after each instruction that
 * ends a block. */
#include "simt/program/cfg.h"

#include "simt/ptx/arena.h"

#include <stdlib.h>
#include <string.h>

/* ---- dominators ---- */

static uint32_t *numbers_alloc(struct arena *arena, size_t count)
{
    return arena_alloc(arena, count, sizeof(uint32_t));
}

struct dominators {
    const struct cfg_graph *graph;
    uint32_t *first_source, *sources; /* the edges backwards */
    uint32_t *stack, *next;           /* of the walk: the path; per node, how many edges were followed */
    /* Per node: its number in the walk from the root, from 1; 0: not reached. */
    uint32_t *number, *node, *parent;
    uint32_t reached;
    /* Per number, with the names of Lengauer and Tarjan. */
    uint32_t *semi, *idom, *ancestor, *label, *bucket, *bucket_next;
};

static bool dominators_make(struct dominators *of, struct arena *arena, const struct cfg_graph *graph)
{
    uint32_t **arrays[] = {&of->first_source, &of->stack,  &of->next,   &of->number,
                           &of->node,         &of->parent, &of->semi,   &of->idom,
                           &of->ancestor,     &of->label,  &of->bucket, &of->bucket_next};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = numbers_alloc(arena, (size_t)graph->count + 1);
        if (!*arrays[i])
            return false;
    }
    of->graph = graph;
    of->sources = numbers_alloc(arena, graph->first[graph->count]);
    return of->sources != NULL;
}

static void find_sources(struct dominators *of)
{
    const struct cfg_graph *graph = of->graph;
    uint32_t *first = of->first_source;
    for (uint32_t i = 0; i < graph->first[graph->count]; i++)
        first[graph->to[i] + 1]++;
    for (uint32_t i = 0; i < graph->count; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 0; i < graph->count; i++)
        of->next[i] = first[i];
    for (uint32_t i = 0; i < graph->count; i++)
        for (uint32_t j = graph->first[i]; j < graph->first[i + 1]; j++)
            of->sources[of->next[graph->to[j]]++] = i;
}

static void number_nodes(struct dominators *of, uint32_t root)
{
    const struct cfg_graph *graph = of->graph;
    uint32_t depth = 0;
    of->reached = 1;
    of->stack[depth++] = root;
    of->node[of->reached] = root;
    of->number[root] = of->reached++;
    of->next[root] = graph->first[root];
    while (depth > 0) {
        uint32_t node = of->stack[depth - 1];
        if (of->next[node] == graph->first[node + 1]) {
            depth--;
            continue;
        }
        uint32_t to = graph->to[of->next[node]++];
        if (of->number[to])
            continue;
        of->parent[of->reached] = of->number[node];
        of->node[of->reached] = to;
        of->number[to] = of->reached++;
        of->next[to] = graph->first[to];
        of->stack[depth++] = to;
    }
}

/* EVAL with path compression: the number with the least semidominator on the path to v's root. */
static uint32_t evaluate_label(struct dominators *of, uint32_t v)
{
    uint32_t *ancestor = of->ancestor;
    uint32_t depth = 0;
    if (!ancestor[v])
        return v;
    for (uint32_t at = v; ancestor[ancestor[at]]; at = ancestor[at])
        of->stack[depth++] = at;
    while (depth > 0) {
        uint32_t at = of->stack[--depth];
        uint32_t above = ancestor[at];
        if (of->semi[of->label[above]] < of->semi[of->label[at]])
            of->label[at] = of->label[above];
        ancestor[at] = ancestor[above];
    }
    return of->label[v];
}

static void lower_semi(struct dominators *of, uint32_t w, uint32_t from)
{
    uint32_t u = evaluate_label(of, of->number[from]);
    if (of->semi[u] < of->semi[w])
        of->semi[w] = of->semi[u];
}

static void empty_bucket(struct dominators *of, uint32_t parent)
{
    for (uint32_t v = of->bucket[parent]; v; v = of->bucket_next[v]) {
        uint32_t u = evaluate_label(of, v);
        of->idom[v] = of->semi[u] < of->semi[v] ? u : parent;
    }
    of->bucket[parent] = 0;
}

static void find_dominators(struct dominators *of, uint32_t *dominator)
{
    uint32_t last = of->reached - 1;
    for (uint32_t i = 1; i <= last; i++)
        of->semi[i] = of->label[i] = i;
    for (uint32_t w = last; w > 1; w--) {
        for (uint32_t i = of->first_source[of->node[w]]; i < of->first_source[of->node[w] + 1]; i++)
            if (of->number[of->sources[i]])
                lower_semi(of, w, of->sources[i]);
        of->bucket_next[w] = of->bucket[of->semi[w]];
        of->bucket[of->semi[w]] = w;
        of->ancestor[w] = of->parent[w];
        empty_bucket(of, of->parent[w]);
    }
    for (uint32_t w = 2; w <= last; w++) {
        if (of->idom[w] != of->semi[w])
            of->idom[w] = of->idom[of->idom[w]];
        dominator[of->node[w]] = of->node[of->idom[w]];
    }
}

bool cfg_dominators(const struct cfg_graph *graph, uint32_t root, uint32_t *dominator)
{
    struct arena arena = {0};
    struct dominators of = {0};
    bool good = dominators_make(&of, &arena, graph);
    for (uint32_t i = 0; i < graph->count; i++)
        dominator[i] = PTX_NONE;
    if (good) {
        find_sources(&of);
        number_nodes(&of, root);
        find_dominators(&of, dominator);
    }
    arena_fini(&arena);
    return good;
}

/* ---- post-dominators ---- */

/*
 * Dominators on the reversed graph, from the virtual exit: its nodes are the blocks and, after them, the exit.
 * The blocks that do not reach the exit are endless loops and the paths into them: among these, each strongly
 * connected component (Tarjan) that no edge leaves gets an edge to the exit.
 */

struct graph {
    struct cfg_block *blocks;
    uint32_t count;         /* blocks; the exit is node `count` */
    bool *to_exit;          /* has an edge to the exit */
    uint32_t *first, *from; /* the reversed edges, those of the exit last: struct cfg_graph */
    bool *reached;          /* backwards from the exit */
    uint32_t *stack, *next; /* of the walks: the path; per node, how many edges were followed */
};

static bool graph_make(struct graph *graph, struct arena *arena, struct cfg_block *blocks, uint32_t count)
{
    size_t edges = count;
    for (uint32_t i = 0; i < count; i++)
        edges += blocks[i].successor_count;
    *graph = (struct graph){.blocks = blocks,
                            .count = count,
                            .to_exit = arena_alloc(arena, count, sizeof(bool)),
                            .first = numbers_alloc(arena, (size_t)count + 2),
                            .from = numbers_alloc(arena, edges),
                            .reached = arena_alloc(arena, (size_t)count + 1, sizeof(bool)),
                            .stack = numbers_alloc(arena, (size_t)count + 1),
                            .next = numbers_alloc(arena, (size_t)count + 1)};
    return graph->to_exit && graph->first && graph->from && graph->reached && graph->stack && graph->next;
}

static void add_exit(struct graph *graph, uint32_t block)
{
    if (!graph->to_exit[block]) {
        graph->to_exit[block] = true;
        graph->from[graph->first[graph->count + 1]++] = block;
    }
}

static void reverse_edges(struct graph *graph)
{
    uint32_t *first = graph->first;
    for (uint32_t i = 0; i < graph->count; i++)
        for (uint32_t j = 0; j < graph->blocks[i].successor_count; j++)
            first[graph->blocks[i].successors[j] + 1]++;
    for (uint32_t i = 0; i < graph->count; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 0; i < graph->count; i++)
        graph->next[i] = first[i];
    for (uint32_t i = 0; i < graph->count; i++)
        for (uint32_t j = 0; j < graph->blocks[i].successor_count; j++)
            graph->from[graph->next[graph->blocks[i].successors[j]]++] = i;
    first[graph->count + 1] = first[graph->count];
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->blocks[i].ends)
            add_exit(graph, i);
}

/* Returns whether all blocks reach the exit. */
static bool reach_exit(struct graph *graph)
{
    uint32_t depth = 0, reached = 0;
    graph->stack[depth++] = graph->count;
    graph->reached[graph->count] = true;
    while (depth > 0) {
        uint32_t node = graph->stack[--depth];
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            if (graph->reached[graph->from[i]])
                continue;
            graph->reached[graph->from[i]] = true;
            graph->stack[depth++] = graph->from[i];
            reached++;
        }
    }
    return reached == graph->count;
}

/*
 * Tarjan's components of the blocks that do not reach the exit. `low` is 0 for a block not visited yet.
 * `open`: on the stack of blocks whose component is not complete.
 */
struct components {
    struct graph *graph;
    uint32_t *low, *order, *open_stack;
    bool *open, *leaves; /* leaves: an edge goes to another component */
    uint32_t met, open_count;
};

/* The component of `root` is complete: its blocks are on top of the stack of open blocks. */
static void close_component(struct components *components, uint32_t root)
{
    uint32_t last = root;
    bool leaves = false;
    uint32_t block;
    do {
        block = components->open_stack[--components->open_count];
        components->open[block] = false;
        leaves |= components->leaves[block];
        last = block > last ? block : last;
    } while (block != root);
    if (!leaves)
        add_exit(components->graph, last);
}

static void meet_block(struct components *components, uint32_t block, uint32_t *depth)
{
    struct graph *graph = components->graph;
    components->order[block] = components->low[block] = ++components->met;
    components->open_stack[components->open_count++] = block;
    components->open[block] = true;
    graph->next[block] = 0;
    graph->stack[(*depth)++] = block;
}

/* The inner block is finished: the outer block reaches everything that the inner one reaches. */
static void return_to(struct components *components, uint32_t outer, uint32_t inner)
{
    if (!components->open[inner])
        components->leaves[outer] = true;
    else if (components->low[inner] < components->low[outer])
        components->low[outer] = components->low[inner];
}

static void find_components(struct components *components, uint32_t root)
{
    struct graph *graph = components->graph;
    uint32_t depth = 0;
    meet_block(components, root, &depth);
    while (depth > 0) {
        uint32_t block = graph->stack[depth - 1];
        if (graph->next[block] < graph->blocks[block].successor_count) {
            uint32_t to = graph->blocks[block].successors[graph->next[block]++];
            if (!components->order[to])
                meet_block(components, to, &depth);
            else if (!components->open[to])
                components->leaves[block] = true;
            else if (components->order[to] < components->low[block])
                components->low[block] = components->order[to];
            continue;
        }
        if (components->low[block] == components->order[block])
            close_component(components, block);
        if (--depth > 0)
            return_to(components, graph->stack[depth - 1], block);
    }
}

static bool end_endless(struct graph *graph, struct arena *arena)
{
    struct components components = {.graph = graph,
                                    .low = numbers_alloc(arena, graph->count),
                                    .order = numbers_alloc(arena, graph->count),
                                    .open_stack = numbers_alloc(arena, graph->count),
                                    .open = arena_alloc(arena, graph->count, sizeof(bool)),
                                    .leaves = arena_alloc(arena, graph->count, sizeof(bool))};
    if (!components.low || !components.order || !components.open_stack || !components.open ||
        !components.leaves)
        return false;
    for (uint32_t i = 0; i < graph->count; i++)
        if (!graph->reached[i] && !components.order[i])
            find_components(&components, i);
    return true;
}

/* Sets post_dominator of each block from its successors and `ends`. False: out of memory. */
static bool cfg_post_dominators(struct cfg_block *blocks, uint32_t count)
{
    struct arena arena = {0};
    struct graph graph;
    uint32_t *dominator = numbers_alloc(&arena, (size_t)count + 1);
    bool good = graph_make(&graph, &arena, blocks, count) && dominator;
    if (good) {
        reverse_edges(&graph);
        good = reach_exit(&graph) || end_endless(&graph, &arena);
        good =
            good && cfg_dominators(&(struct cfg_graph){count + 1, graph.first, graph.from}, count, dominator);
    }
    for (uint32_t i = 0; i < count && good; i++)
        blocks[i].post_dominator = dominator[i] == count ? PTX_NONE : dominator[i];
    arena_fini(&arena);
    return good;
}

/* ---- blocks ---- */

struct owned_cfg { /* the cfg and the memory that it owns */
    struct cfg cfg;
    struct arena arena;
};

struct builder {
    const struct ptx_function *function;
    struct error *error;
    const struct ptx_label **labels; /* sorted by name */
    uint32_t *block_of;
    struct cfg_block *blocks;
    uint32_t block_count;
    uint32_t *edges; /* of all blocks, in order */
    uint32_t edge_count;
    uint32_t *seen; /* per block: 1 + the last block that has an edge to it */
};

static int compare_labels(const void *a, const void *b)
{
    return strcmp((*(const struct ptx_label *const *)a)->name, (*(const struct ptx_label *const *)b)->name);
}

static enum status no_memory(struct builder *builder)
{
    return error_no_memory(builder->error, "for the control flow of %s", builder->function->name);
}

static enum status sort_labels(struct builder *builder)
{
    const struct ptx_function *function = builder->function;
    builder->labels = malloc((function->label_count + 1) * sizeof(struct ptx_label *));
    if (!builder->labels)
        return no_memory(builder);
    for (uint32_t i = 0; i < function->label_count; i++)
        builder->labels[i] = &function->labels[i];
    qsort(builder->labels, function->label_count, sizeof(struct ptx_label *), compare_labels);
    return STATUS_OK;
}

static enum status find_label(const struct builder *builder, uint32_t line, const char *name,
                              const struct ptx_label **label)
{
    uint32_t low = 0;
    uint32_t high = builder->function->label_count;
    while (name && low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, builder->labels[middle]->name);
        if (order == 0) {
            *label = builder->labels[middle];
            return STATUS_OK;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return error_set(builder->error, STATUS_USAGE, "%s, line %u: a branch to %s, which is not a label of %s.",
                     builder->function->name, line, name ? name : "a constant", builder->function->name);
}

enum ending { GOES_ON, BRANCHES, BRANCHES_BY_TABLE, ENDS };

static enum ending ending_of(const struct ptx_instruction *instruction)
{
    static const struct {
        const char *opcode;
        enum ending ending;
    } endings[] = {
        {"bra", BRANCHES}, {"brx", BRANCHES_BY_TABLE}, {"ret", ENDS}, {"exit", ENDS}, {"trap", ENDS}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(instruction->opcode, endings[i].opcode) == 0)
            return endings[i].ending;
    return GOES_ON;
}

/* Calls `visit` with each instruction index that the branch may jump to. */
static enum status for_targets(struct builder *builder, const struct ptx_instruction *branch,
                               enum status (*visit)(struct builder *builder, uint32_t instruction))
{
    const struct ptx_label *label;
    bool table = ending_of(branch) == BRANCHES_BY_TABLE;
    const char *name = NULL;
    if (branch->operand_count == (table ? 2 : 1) && branch->operands[table].kind == PTX_OPERAND_NAME)
        name = branch->operands[table].name;
    enum status status = find_label(builder, branch->ptx_line, name, &label);
    if (status != STATUS_OK || !table)
        return status != STATUS_OK ? status : visit(builder, label->instruction);
    if (!label->targets)
        return error_set(builder->error, STATUS_USAGE, "%s, line %u: %s is not a list of .branchtargets.",
                         builder->function->name, branch->ptx_line, name);
    for (uint32_t i = 0; i < label->target_count && status == STATUS_OK; i++) {
        const struct ptx_label *target;
        status = find_label(builder, branch->ptx_line, label->targets[i], &target);
        if (status == STATUS_OK)
            status = visit(builder, target->instruction);
    }
    return status;
}

/* Until the blocks are numbered, block_of is 1 where a block begins. */
static enum status mark_leader(struct builder *builder, uint32_t instruction)
{
    if (++builder->edge_count > CFG_MAX_EDGES)
        return error_set(
            builder->error, STATUS_USAGE,
            "%s has more than %u branches from block to block: use fewer tables of branch targets.",
            builder->function->name, CFG_MAX_EDGES);
    if (instruction < builder->function->instruction_count)
        builder->block_of[instruction] = 1;
    return STATUS_OK;
}

static enum status mark_leaders(struct builder *builder)
{
    const struct ptx_function *function = builder->function;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < function->instruction_count && status == STATUS_OK; i++) {
        enum ending ending = ending_of(&function->instructions[i]);
        if (i == 0)
            builder->block_of[i] = 1;
        if (ending != GOES_ON && i + 1 < function->instruction_count)
            builder->block_of[i + 1] = 1;
        if (ending == BRANCHES || ending == BRANCHES_BY_TABLE)
            status = for_targets(builder, &function->instructions[i], mark_leader);
    }
    return status;
}

static enum status number_blocks(struct builder *builder, struct arena *arena)
{
    uint32_t count = 0;
    uint32_t instructions = builder->function->instruction_count;
    for (uint32_t i = 0; i < instructions; i++)
        count += builder->block_of[i];
    builder->blocks = arena_alloc(arena, count, sizeof *builder->blocks);
    builder->seen = calloc(count + 1, sizeof *builder->seen);
    if (!builder->blocks || !builder->seen)
        return no_memory(builder);
    for (uint32_t i = 0; i < instructions; i++) {
        if (builder->block_of[i])
            builder->blocks[builder->block_count++].first = i;
        builder->block_of[i] = builder->block_count - 1;
        builder->blocks[builder->block_count - 1].count++;
    }
    return STATUS_OK;
}

static enum status add_edge(struct builder *builder, uint32_t instruction)
{
    uint32_t from = builder->block_count; /* while blocks are linked: number of linked blocks */
    struct cfg_block *block = &builder->blocks[from];
    if (instruction >= builder->function->instruction_count) {
        block->ends = true;
        return STATUS_OK;
    }
    uint32_t to = builder->block_of[instruction];
    if (builder->seen[to] == from + 1)
        return STATUS_OK;
    builder->seen[to] = from + 1;
    builder->edges[builder->edge_count++] = to;
    block->successor_count++;
    return STATUS_OK;
}

/* There is room for all edges: those of each branch, and one more per block for falling through. */
static enum status link_blocks(struct builder *builder, struct arena *arena)
{
    const struct ptx_function *function = builder->function;
    uint32_t count = builder->block_count;
    enum status status = STATUS_OK;
    builder->edges = arena_alloc(arena, (size_t)builder->edge_count + count, sizeof *builder->edges);
    if (!builder->edges)
        return no_memory(builder);
    builder->edge_count = 0;
    for (builder->block_count = 0; builder->block_count < count && status == STATUS_OK;
         builder->block_count++) {
        struct cfg_block *block = &builder->blocks[builder->block_count];
        uint32_t last = block->first + block->count - 1;
        const struct ptx_instruction *instruction = &function->instructions[last];
        enum ending ending = ending_of(instruction);
        block->successors = builder->edges + builder->edge_count;
        block->ends = ending == ENDS;
        if (ending == BRANCHES || ending == BRANCHES_BY_TABLE)
            status = for_targets(builder, instruction, add_edge);
        if (status == STATUS_OK && (ending == GOES_ON || instruction->guard))
            status = add_edge(builder, last + 1);
    }
    return status;
}

enum status cfg_create(struct cfg **cfg, const struct ptx_function *function, struct error *error)
{
    struct builder builder = {.function = function, .error = error};
    struct owned_cfg *owned = calloc(1, sizeof *owned);
    *cfg = NULL;
    if (!owned)
        return no_memory(&builder);
    builder.block_of = arena_alloc(&owned->arena, function->instruction_count, sizeof *builder.block_of);
    enum status status = builder.block_of ? sort_labels(&builder) : no_memory(&builder);
    if (status == STATUS_OK)
        status = mark_leaders(&builder);
    if (status == STATUS_OK)
        status = number_blocks(&builder, &owned->arena);
    if (status == STATUS_OK)
        status = link_blocks(&builder, &owned->arena);
    if (status == STATUS_OK && !cfg_post_dominators(builder.blocks, builder.block_count))
        status = no_memory(&builder);
    free(builder.labels);
    free(builder.seen);
    owned->cfg = (struct cfg){builder.blocks, builder.block_count, builder.block_of};
    if (status == STATUS_OK)
        *cfg = &owned->cfg;
    else
        cfg_destroy(&owned->cfg);
    return status;
}

void cfg_destroy(struct cfg *cfg)
{
    if (!cfg)
        return;
    struct owned_cfg *owned = (struct owned_cfg *)cfg; /* `cfg` is its first member */
    arena_fini(&owned->arena);
    free(owned);
}

uint32_t cfg_meeting_point(const struct cfg *cfg, uint32_t instruction)
{
    uint32_t block = cfg->blocks[cfg->block_of[instruction]].post_dominator;
    return block == PTX_NONE ? PTX_NONE : cfg->blocks[block].first;
}
