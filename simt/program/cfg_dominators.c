/*
 * Nodes are the blocks and, after them, the exit. Two passes find the blocks that reach the exit. The others
 * are endless loops and the paths into them: among these, each strongly connected component (Tarjan) that no
 * edge leaves gets an edge to the exit.
 */
#include "simt/program/cfg_dominators.h"

#include "simt/ptx/arena.h"

struct graph {
    struct cfg_block *blocks;
    uint32_t count;              /* blocks; the exit is node `count` */
    bool *to_exit;               /* has an edge to the exit */
    uint32_t *first_predecessor; /* of each block, an index into `predecessors`; count + 1 entries */
    uint32_t *predecessors;
    uint32_t *exits; /* blocks with an edge to the exit */
    uint32_t exit_count;
    uint32_t *stack, *next; /* of the walks: the path; per node, how many edges were followed */
    /* Per node: its number in the walk from the exit, from 1; 0: not reached. */
    uint32_t *number, *node, *parent;
    uint32_t reached;
    /* Per number, with the names of Lengauer and Tarjan. */
    uint32_t *semi, *idom, *ancestor, *label, *bucket, *bucket_next;
};

static uint32_t *numbers_alloc(struct arena *arena, size_t count)
{
    return arena_alloc(arena, count, sizeof(uint32_t));
}

static bool graph_make(struct graph *graph, struct arena *arena, struct cfg_block *blocks, uint32_t count)
{
    size_t edges = 0;
    for (uint32_t i = 0; i < count; i++)
        edges += blocks[i].successor_count;
    graph->blocks = blocks;
    graph->count = count;
    graph->to_exit = arena_alloc(arena, count, sizeof(bool));
    graph->predecessors = numbers_alloc(arena, edges);
    uint32_t **arrays[] = {&graph->first_predecessor,
                           &graph->exits,
                           &graph->stack,
                           &graph->next,
                           &graph->number,
                           &graph->node,
                           &graph->parent,
                           &graph->semi,
                           &graph->idom,
                           &graph->ancestor,
                           &graph->label,
                           &graph->bucket,
                           &graph->bucket_next};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = numbers_alloc(arena, (size_t)count + 2);
        if (!*arrays[i])
            return false;
    }
    return graph->to_exit && graph->predecessors;
}

static void add_exit(struct graph *graph, uint32_t block)
{
    if (!graph->to_exit[block]) {
        graph->to_exit[block] = true;
        graph->exits[graph->exit_count++] = block;
    }
}

static void link_predecessors(struct graph *graph)
{
    uint32_t *first = graph->first_predecessor;
    for (uint32_t i = 0; i < graph->count; i++) {
        for (uint32_t j = 0; j < graph->blocks[i].successor_count; j++)
            first[graph->blocks[i].successors[j] + 1]++;
        if (graph->blocks[i].ends)
            add_exit(graph, i);
    }
    for (uint32_t i = 0; i < graph->count; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 0; i < graph->count; i++)
        graph->next[i] = first[i];
    for (uint32_t i = 0; i < graph->count; i++)
        for (uint32_t j = 0; j < graph->blocks[i].successor_count; j++)
            graph->predecessors[graph->next[graph->blocks[i].successors[j]]++] = i;
}

/* Walks the edges backwards from `root` and numbers the nodes that it reaches first. */
static void walk_back(struct graph *graph, uint32_t root)
{
    uint32_t depth = 0;
    graph->stack[depth++] = root;
    graph->node[graph->reached] = root;
    graph->number[root] = graph->reached++;
    graph->next[root] = 0;
    while (depth > 0) {
        uint32_t node = graph->stack[depth - 1];
        bool exit = node == graph->count;
        const uint32_t *sources = exit ? graph->exits : graph->predecessors + graph->first_predecessor[node];
        uint32_t count =
            exit ? graph->exit_count : graph->first_predecessor[node + 1] - graph->first_predecessor[node];
        if (graph->next[node] == count) {
            depth--;
            continue;
        }
        uint32_t source = sources[graph->next[node]++];
        if (graph->number[source])
            continue;
        graph->parent[graph->reached] = graph->number[node];
        graph->node[graph->reached] = source;
        graph->number[source] = graph->reached++;
        graph->next[source] = 0;
        graph->stack[depth++] = source;
    }
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
        if (!graph->number[i] && !components.order[i])
            find_components(&components, i);
    return true;
}

static void number_nodes(struct graph *graph)
{
    for (uint32_t i = 0; i <= graph->count; i++)
        graph->number[i] = 0;
    graph->reached = 1;
    walk_back(graph, graph->count);
}

/* EVAL with path compression: the number with the least semidominator on the path to v's root. */
static uint32_t evaluate_label(struct graph *graph, uint32_t v)
{
    uint32_t *ancestor = graph->ancestor;
    uint32_t depth = 0;
    if (!ancestor[v])
        return v;
    for (uint32_t at = v; ancestor[ancestor[at]]; at = ancestor[at])
        graph->stack[depth++] = at;
    while (depth > 0) {
        uint32_t at = graph->stack[--depth];
        uint32_t above = ancestor[at];
        if (graph->semi[graph->label[above]] < graph->semi[graph->label[at]])
            graph->label[at] = graph->label[above];
        ancestor[at] = ancestor[above];
    }
    return graph->label[v];
}

static void lower_semi(struct graph *graph, uint32_t w, uint32_t from)
{
    uint32_t u = evaluate_label(graph, graph->number[from]);
    if (graph->semi[u] < graph->semi[w])
        graph->semi[w] = graph->semi[u];
}

static void empty_bucket(struct graph *graph, uint32_t parent)
{
    for (uint32_t v = graph->bucket[parent]; v; v = graph->bucket_next[v]) {
        uint32_t u = evaluate_label(graph, v);
        graph->idom[v] = graph->semi[u] < graph->semi[v] ? u : parent;
    }
    graph->bucket[parent] = 0;
}

static void find_dominators(struct graph *graph)
{
    uint32_t last = graph->reached - 1;
    for (uint32_t i = 1; i <= last; i++)
        graph->semi[i] = graph->label[i] = i;
    for (uint32_t w = last; w > 1; w--) {
        const struct cfg_block *block = &graph->blocks[graph->node[w]];
        for (uint32_t i = 0; i < block->successor_count; i++)
            lower_semi(graph, w, block->successors[i]);
        if (graph->to_exit[graph->node[w]])
            lower_semi(graph, w, graph->count);
        graph->bucket_next[w] = graph->bucket[graph->semi[w]];
        graph->bucket[graph->semi[w]] = w;
        graph->ancestor[w] = graph->parent[w];
        empty_bucket(graph, graph->parent[w]);
    }
    for (uint32_t w = 2; w <= last; w++) {
        if (graph->idom[w] != graph->semi[w])
            graph->idom[w] = graph->idom[graph->idom[w]];
        graph->blocks[graph->node[w]].post_dominator =
            graph->idom[w] == 1 ? PTX_NONE : graph->node[graph->idom[w]];
    }
}

bool cfg_post_dominators(struct cfg_block *blocks, uint32_t count)
{
    struct arena arena = {0};
    struct graph graph = {0};
    bool good = graph_make(&graph, &arena, blocks, count);
    if (good) {
        link_predecessors(&graph);
        number_nodes(&graph);
        if (graph.reached - 1 < count + 1) {
            good = end_endless(&graph, &arena);
            number_nodes(&graph);
        }
        if (good)
            find_dominators(&graph);
    }
    arena_fini(&arena);
    return good;
}
