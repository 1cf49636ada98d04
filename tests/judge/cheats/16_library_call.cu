// SPDX-License-Identifier: Apache-2.0
// reference: matmul
// A library does the work.
extern "C" int cublasSgemm_v2(void *, int, int, int, int, int, const float *, const float *, int,
                              const float *, int, const float *, float *, int);
void launch(cudaStream_t stream, int m, int k, int n, const float *a, const float *b, float *c)
{
    const float one = 1, zero = 0;
    (void)stream;
    cublasSgemm_v2(0, 0, 0, n, m, k, &one, b, n, a, k, &zero, c, n);
}
