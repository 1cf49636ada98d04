/* SPDX-License-Identifier: Apache-2.0 */
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
    enum cudaMemcpyKind kind; /* of a copy that was made with one */
    bool kind_known;
    uint64_t event; /* that the node records or waits for */
};

/* Memory that nodes of a graph allocate: taken when the node is made, since its address is fixed from then
 * on. Shared by the graph, its clones and executables; freed with the last of them. */
struct graph_memory {
    size_t owners;
    struct graph_allocation {
        device_pointer address;
        size_t size_bytes;
        bool of_node;   /* else of a condition */
        bool freed_in;  /* a node of the graph frees it */
        bool allocated; /* by a launch, and not freed since */
    } * allocations;
    size_t count, capacity;
};

struct graph {
    uint64_t number;     /* the model's */
    struct node **nodes; /* by index; handles stay good until the graph is destroyed */
    size_t count, capacity;
    struct graph_memory *memory; /* NULL: no node allocates */
    struct graph *parent;        /* whose node has this graph as its body; NULL: none */
    const struct graph *self;    /* itself: a handle is an address that the program may have from elsewhere */
    struct edge {
        uint32_t from, to;
    } * edges; /* of cudaGraphAddDependencies */
    size_t edge_count, edge_capacity;
    uint32_t conditions, conditions_used; /* handles that were made, and of nodes */
    bool circular;
    unsigned long long flags; /* of an executable */
    bool destroyed;           /* only this structure is left, to know its handle by */
    struct graph *next;       /* then: the one destroyed before */
};

/* A row for each node of the model's graph that has none yet (a captured graph). False: no memory. */
bool graph_list_nodes(struct graph *graph);
bool graph_lives(const struct graph *graph);
struct graph *graph_new(void); /* NULL: no memory */
/* Is it memory that a graph's node allocated? Such memory stays until its graphs are destroyed. */
bool graph_has_memory(uint64_t address);
cudaError_t graph_frees(uint64_t address); /* such memory; an error unless a launch has allocated it */
size_t graph_memory_bytes(bool high);      /* of all graphs: now; high: the most so far */
/* The graph that is launched. */
struct graph *graph_root(struct graph *graph);
/* Allocates for a node, or for a condition. */
enum status graph_allocate(struct graph *graph, size_t size_bytes, bool of_node, device_pointer *address,
                           struct error *error);
struct graph_allocation *graph_allocation_find(const struct graph *graph, uint64_t address);

/* ---- what the files of nodes share ---- */
/* All enter; a code other than cudaSuccess: has left again. */
cudaError_t node_add_begin(cudaGraph_t graph, const void *params);
struct nodes { /* that a new one depends on */
    const cudaGraphNode_t *list;
    size_t count;
};
cudaError_t node_add_after(cudaGraphNode_t *handle, cudaGraph_t graph, struct nodes after,
                           const void *params);
bool node_lives(cudaGraphNode_t node);
bool node_is_of(cudaGraphNode_t node, const struct graph *graph);
cudaError_t node_change_begin(const void *graph, cudaGraphNode_t node, const void *params);
/* The last step of each function that adds or changes: leaves. `status` is that of making `node`. */
cudaError_t node_add(cudaGraphNode_t *handle, cudaGraph_t in, enum cudaGraphNodeType type,
                     const struct simt_node *node, enum status status, struct error *error);
cudaError_t node_change(void *in, cudaGraphNode_t handle, const struct simt_node *node, enum status status,
                        struct error *error);

#endif
