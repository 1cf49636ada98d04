/*
 * What a cudaGraph_t, a cudaGraphExec_t and a cudaGraphNode_t stand for: a graph of the model's and the
 * numbers of its nodes. An executable is a copy. Under the lock of standin.c.
 */
#ifndef STANDIN_GRAPH_H
#define STANDIN_GRAPH_H

#include "standin/standin.h"

struct graph;

struct node {
    struct graph *graph;
    uint32_t index; /* the model's number of the node */
    enum cudaGraphNodeType type;
    cudaGraph_t *bodies; /* of a conditional node and a child graph: graphs, which are freed with it */
    uint32_t body_count;
    uint64_t event; /* that the node records or waits for */
};

/* Memory that nodes of a graph allocate: taken when the node is made, since its address is fixed from then
 * on. Shared by the graph, its clones and executables; freed with the last of them. */
struct graph_memory {
    size_t owners;
    struct graph_allocation {
        device_pointer address;
        size_t size_bytes;
    } * allocations;
    size_t count, capacity;
};

struct graph {
    uint64_t number;     /* the model's */
    struct node **nodes; /* by index; handles stay good until the graph is destroyed */
    size_t count, capacity;
    struct graph_memory *memory; /* NULL: no node allocates */
    struct graph *parent;        /* whose conditional node has this graph as its body; NULL: none */
    bool destroyed;              /* only this structure is left, to know its handle by */
    struct graph *next;          /* then: the one destroyed before */
};

/* A row for each node of the model's graph that has none yet (a captured graph). False: no memory. */
bool graph_list_nodes(struct graph *graph);
/* Is it memory that a graph's node allocated? Such memory stays until its graphs are destroyed. */
bool graph_has_memory(uint64_t address);
size_t graph_memory_bytes(bool high); /* of all graphs: now; high: the most so far */
/* The graph that is launched. */
struct graph *graph_root(struct graph *graph);
/* Allocates for a node. */
enum status graph_allocate(struct graph *graph, size_t size_bytes, device_pointer *address,
                           struct error *error);

/* ---- what the files of nodes share ---- */
/* Both enter; a code other than cudaSuccess: has left again. */
cudaError_t node_add_begin(cudaGraph_t graph, const void *params);
cudaError_t node_change_begin(const void *graph, cudaGraphNode_t node, const void *params);
/* The last step of each function that adds or changes: leaves. `status` is that of making `node`. */
cudaError_t node_add(cudaGraphNode_t *handle, cudaGraph_t in, enum cudaGraphNodeType type,
                     const struct simt_node *node, enum status status, struct error *error);
cudaError_t node_change(void *in, cudaGraphNode_t handle, const struct simt_node *node, enum status status,
                        struct error *error);

#endif
