/* leave [LAUNCHES]: launches, waits, and is gone by _exit 3 ms after the last kernel. */
#include "program.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atol(argv[1]) : 20000;
    unsigned *counter = new_counter();
    for (unsigned i = 0; i < n; i++) {
        count_up<<<1, 32>>>(counter);
        if (i % 100 == 99)
            CHECK(cudaDeviceSynchronize());
    }
    expect(counter, 32 * n);
    printf("launched %u\n", n);
    fflush(stdout);
    usleep(3000);
    _exit(0);
}
// SPDX-License-Identifier: Apache-2.0
