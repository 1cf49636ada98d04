// stacks DEPTH TIMES: launches of a kernel that does nothing much, DEPTH functions deep, in groups with a
// wait between them; writes the ns of a launch of each group to the file TIMES and prints the kernel's sum.
// For call paths (--stacks).
#include "program.h"

#include <ctime>

static long long now_ns()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

__attribute__((noinline)) static void launch_leaf(unsigned *counter)
{
    count_up<<<1, 1>>>(counter);
    asm volatile("" ::: "memory");
}

__attribute__((noinline)) static void descend(int depth, unsigned *counter)
{
    if (depth > 0)
        descend(depth - 1, counter);
    else
        launch_leaf(counter);
    asm volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    const int groups = 50, launches = 400;
    int depth = argc > 1 ? atoi(argv[1]) : 5;
    FILE *times = fopen(argc > 2 ? argv[2] : "/dev/null", "w");
    unsigned *counter = new_counter();
    for (int group = 0; group < groups; group++) {
        long long start_ns = now_ns();
        for (int i = 0; i < launches; i++)
            descend(depth, counter);
        long long end_ns = now_ns();
        CHECK(cudaDeviceSynchronize());
        if (times)
            fprintf(times, "%lld\n", (end_ns - start_ns) / launches);
    }
    if (times)
        fclose(times);
    expect(counter, groups * launches);
    printf("counter %u\n", groups * launches);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
