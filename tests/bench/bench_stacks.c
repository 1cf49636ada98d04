/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns that one capture of a call path costs in a native program: the same path again and again, at depths 5
 * and
 * 30. tests/bench/stacks.py is the same in Python. Median of five, each the
 * least of twenty groups of 500.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double (*cost)(uint32_t captures);

__attribute__((noinline)) static double descend(int depth)
{
    double ns = depth == 0 ? cost(500) : descend(depth - 1);
    __asm__ volatile("" ::: "memory"); /* keeps the frame */
    return ns;
}

/* What runs beside it does not count. */
static double least_of_groups(int depth)
{
    double least = descend(depth);
    for (int i = 0; i < 19; i++) {
        double ns = descend(depth);
        least = ns < least ? ns : least;
    }
    return least;
}

static int compare_numbers(const void *a, const void *b)
{
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

int main(void)
{
    void *library = dlopen(TEST_BUILD_DIR "/tests/stacks_double.so", RTLD_NOW);
    void *symbol = library ? dlsym(library, "stacks_double_cost") : NULL;
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    memcpy(&cost, &symbol, sizeof symbol);
    puts("| native | frames of the program | ns |\n|---|---|---|");
    for (int depth = 5; depth <= 30; depth += 25) {
        double ns[5];
        for (int i = 0; i < 5; i++)
            ns[i] = least_of_groups(depth - 2); /* beside main and the innermost */
        qsort(ns, 5, sizeof ns[0], compare_numbers);
        printf("| native | %d | %.0f |\n", depth, ns[2]);
    }
    return 0;
}
