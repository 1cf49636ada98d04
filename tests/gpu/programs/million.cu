/* million [N]: a million launches of a small kernel. */
#include "program.h"

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atol(argv[1]) : 1000000;
    unsigned *counter = new_counter();
    for (unsigned i = 0; i < n; i++)
        count_up<<<1, 32>>>(counter);
    CHECK(cudaGetLastError());
    expect(counter, 32 * n);
    printf("launched %u\n", n);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
