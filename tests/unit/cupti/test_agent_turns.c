/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's graph launches and turns: one event per graph launch, one process per GPU's counters. */
#if LANESCOPE_CUDA
#include "cupti/agent/activity.h"
#include "cupti/agent/counter_lock.h"
#endif

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if !LANESCOPE_CUDA
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI headers");
    fflush(stdout);
    _exit(77);
}
#else

/* ---- graph launches ---- */

static struct event node_of(uint32_t correlation, int64_t start_ns, int64_t end_ns)
{
    struct event node = {.kind = EVENT_KERNEL, .device = 1};
    node.kernel.start_ns = start_ns;
    node.kernel.end_ns = end_ns;
    node.kernel.correlation = correlation;
    node.kernel.shape = 3;
    node.kernel.context = 4;
    node.kernel.stream = 5;
    node.kernel.graph = 6;
    node.kernel.graph_node = 6ull << 32 | 1;
    return node;
}

static void add(struct graphs *graphs, uint32_t correlation, int64_t start_ns, int64_t end_ns)
{
    struct event node = node_of(correlation, start_ns, end_ns), done;
    cr_assert_not(graphs_add(graphs, &node, &done));
}

Test(graphs, a_launch_spans_from_its_first_kernel_to_its_last)
{
    struct graphs *graphs = graphs_create();
    struct event done[4];
    int64_t oldest_ns;
    add(graphs, 100, 20, 30);
    add(graphs, 102, 50, 60);
    add(graphs, 100, 10, 15);
    add(graphs, 100, 40, 45);
    cr_assert_eq(graphs_take(graphs, true, done, 4, &oldest_ns), 2);
    cr_assert_eq(oldest_ns, INT64_MAX);
    cr_assert(done[0].kernel.correlation == 100 && done[1].kernel.correlation == 102);
    cr_assert(done[0].kernel.start_ns == 10 && done[0].kernel.end_ns == 45);
    cr_assert_eq(done[0].flags, KERNEL_FROM_GRAPH_TRACE);
    cr_assert(done[0].kernel.shape == 0 && done[0].kernel.graph_node == 0 && done[0].kernel.graph == 6);
    cr_assert(done[0].device == 1 && done[0].kernel.context == 4 && done[0].kernel.stream == 5);
    cr_assert_eq(graphs_take(graphs, true, done, 4, &oldest_ns), 0);
    graphs_destroy(graphs);
}

Test(graphs, a_launch_is_done_when_two_turns_brought_it_nothing)
{
    struct graphs *graphs = graphs_create();
    struct event done[4];
    int64_t oldest_ns;
    add(graphs, 7, 10, 20);
    cr_assert_eq(graphs_take(graphs, false, done, 4, &oldest_ns), 0);
    cr_assert_eq(oldest_ns, 10);
    add(graphs, 7, 30, 40);
    add(graphs, 9, 50, 60);
    cr_assert_eq(graphs_take(graphs, false, done, 4, &oldest_ns), 0);
    add(graphs, 9, 70, 80);
    cr_assert_eq(graphs_take(graphs, false, done, 4, &oldest_ns), 0);
    cr_assert_eq(graphs_take(graphs, false, done, 4, &oldest_ns), 1);
    cr_assert(done[0].kernel.correlation == 7 && done[0].kernel.start_ns == 10 &&
              done[0].kernel.end_ns == 40);
    cr_assert_eq(oldest_ns, 50);
    graphs_destroy(graphs);
}

Test(graphs, a_later_launch_of_the_same_slot_pushes_the_earlier_one_out)
{
    struct graphs *graphs = graphs_create();
    struct event node = node_of(5 + GRAPHS_SLOTS, 30, 40), done;
    int64_t oldest_ns;
    add(graphs, 5, 10, 20);
    cr_assert(graphs_add(graphs, &node, &done));
    cr_assert(done.kernel.correlation == 5 && done.kernel.end_ns == 20);
    cr_assert_eq(graphs_take(graphs, true, &done, 1, &oldest_ns), 1);
    cr_assert_eq(done.kernel.correlation, 5 + GRAPHS_SLOTS);
    graphs_destroy(graphs);
}

Test(graphs, more_launches_than_room_all_come)
{
    struct graphs *graphs = graphs_create();
    struct event done[64];
    int64_t oldest_ns;
    size_t count, all = 0;
    for (uint32_t i = 0; i < 1000; i++)
        add(graphs, 2 * i, 10 * i, 10 * i + 5);
    do
        all += count = graphs_take(graphs, true, done, 64, &oldest_ns);
    while (count == 64);
    cr_assert_eq(all, 1000);
    graphs_destroy(graphs);
}

/* ---- turns ---- */

static void uuid_of_test(uint8_t uuid[16])
{
    int pid = getpid(); /* tests run at the same time */
    memset(uuid, 0xab, 16);
    memcpy(uuid, &pid, sizeof pid);
}

Test(turn, one_has_it_and_the_others_see_who)
{
    uint8_t uuid[16];
    char text[128], expected[64];
    uuid_of_test(uuid);
    int fd = turn_take(uuid);
    if (fd == TURN_UNKNOWN)
        cr_skip_test("no abstract sockets here");
    cr_assert_geq(fd, 0);
    cr_assert_eq(turn_take(uuid), TURN_TAKEN);
    turn_holder(uuid, text, sizeof text);
    snprintf(expected, sizeof expected, "process %d (", getpid());
    cr_assert_eq(strncmp(text, expected, strlen(expected)), 0, "%s", text);
    close(fd);
    turn_holder(uuid, text, sizeof text);
    cr_assert_str_eq(text, "another process");
    fd = turn_take(uuid);
    cr_assert_geq(fd, 0);
    close(fd);
}

Test(turn, a_killed_holder_gives_it_back)
{
    uint8_t uuid[16];
    int ready[2];
    char byte;
    uuid_of_test(uuid);
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        byte = turn_take(uuid) >= 0 ? 'y' : 'n';
        if (write(ready[1], &byte, 1) == 1)
            pause();
        _exit(1);
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    if (byte == 'y')
        cr_assert_eq(turn_take(uuid), TURN_TAKEN);
    kill(child, SIGKILL);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    int fd = turn_take(uuid);
    cr_assert(fd >= 0 || byte == 'n');
    if (fd >= 0)
        close(fd);
}

#endif
