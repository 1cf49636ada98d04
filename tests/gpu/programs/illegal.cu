/* illegal: a thousand good launches, then one that writes where nothing is. Exit status 3 when CUDA says so.
 */
#include "program.h"

static __global__ void wild(int *p)
{
    *p = 1;
}

int main(void)
{
    unsigned *counter = new_counter();
    for (int i = 0; i < 1000; i++)
        count_up<<<1, 32>>>(counter);
    expect(counter, 32000);
    wild<<<1, 1>>>((int *)0x10);
    cudaError_t status = cudaDeviceSynchronize();
    printf("after an illegal address: %s\n", cudaGetErrorName(status));
    return status == cudaErrorIllegalAddress ? 3 : 1;
}
// SPDX-License-Identifier: Apache-2.0
