/*
 * A slot holds the event of a graph launch whose nodes still come. `turn` counts the agent's rounds: a
 * launch whose last node came two rounds ago is complete. A launch that finds its slot taken sends the
 * one in it.
 */
#include "cupti/agent/graphs.h"

#include <pthread.h>
#include <stdlib.h>

struct launch {
    struct event event; /* kind EVENT_NONE: free */
    uint32_t turn;      /* in which its last node came */
};

struct graphs {
    pthread_mutex_t lock;
    uint32_t turn, count;
    struct launch launches[GRAPHS_SLOTS]; /* by correlation id, which grows: neighbours do not collide */
};

struct graphs *graphs_create(void)
{
    struct graphs *graphs = calloc(1, sizeof *graphs);
    if (graphs && pthread_mutex_init(&graphs->lock, NULL) != 0) {
        free(graphs);
        return NULL;
    }
    return graphs;
}

void graphs_destroy(struct graphs *graphs)
{
    if (!graphs)
        return;
    pthread_mutex_destroy(&graphs->lock);
    free(graphs);
}

bool graphs_add(struct graphs *graphs, const struct event *node, struct event *done)
{
    pthread_mutex_lock(&graphs->lock);
    struct launch *launch = &graphs->launches[node->kernel.correlation % GRAPHS_SLOTS];
    struct event *event = &launch->event;
    bool other = event->kind != EVENT_NONE && (event->kernel.correlation != node->kernel.correlation ||
                                               event->kernel.graph != node->kernel.graph);
    if (other)
        *done = *event;
    if (other || event->kind == EVENT_NONE) {
        graphs->count += !other;
        *event = *node;
        event->flags |= KERNEL_FROM_GRAPH_TRACE;
        event->kernel.shape = 0;
        event->kernel.graph_node = 0;
    }
    if (node->kernel.start_ns < event->kernel.start_ns)
        event->kernel.start_ns = node->kernel.start_ns;
    if (node->kernel.end_ns > event->kernel.end_ns)
        event->kernel.end_ns = node->kernel.end_ns;
    launch->turn = graphs->turn;
    pthread_mutex_unlock(&graphs->lock);
    return other;
}

size_t graphs_take(struct graphs *graphs, bool all, struct event *done, size_t room, int64_t *oldest_ns)
{
    size_t taken = 0;
    *oldest_ns = INT64_MAX;
    pthread_mutex_lock(&graphs->lock);
    for (uint32_t slot = 0; slot < GRAPHS_SLOTS && graphs->count > 0; slot++) {
        struct launch *launch = &graphs->launches[slot];
        if (launch->event.kind == EVENT_NONE)
            continue;
        if ((all || graphs->turn - launch->turn >= 2) && taken < room) {
            done[taken++] = launch->event;
            launch->event.kind = EVENT_NONE;
            graphs->count--;
        } else if (launch->event.kernel.start_ns < *oldest_ns) {
            *oldest_ns = launch->event.kernel.start_ns;
        }
    }
    graphs->turn += taken < room;
    pthread_mutex_unlock(&graphs->lock);
    return taken;
}
