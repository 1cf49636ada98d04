// SPDX-License-Identifier: Apache-2.0
// reference: vadd
// The kernel never ends: a judge that waits cannot say no.
__global__ void spin(volatile float *y)
{
    while (y[0] != 12345.0f)
        ;
}
void launch(cudaStream_t stream, int n, const float *a, const float *b, float *y)
{
    (void)n, (void)a, (void)b;
    spin<<<1, 1, 0, stream>>>(y);
}
