/* reset [LAUNCHES]: three rounds of launches, each ended by cudaDeviceReset. */
#include "program.h"

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atol(argv[1]) : 1000;
    for (int round = 0; round < 3; round++) {
        unsigned *counter = new_counter();
        for (unsigned i = 0; i < n; i++)
            count_up<<<1, 32>>>(counter);
        expect(counter, 32 * n);
        CHECK(cudaDeviceReset());
    }
    printf("launched %u\n", 3 * n);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
