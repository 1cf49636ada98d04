// SPDX-License-Identifier: Apache-2.0
// reference: vadd
__global__ void add(int n, const float *a, const float *b, float *y)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 p = *(const float4 *)(a + i), q = *(const float4 *)(b + i);
        *(float4 *)(y + i) = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    } else {
        for (; i < n; i++)
            y[i] = a[i] + b[i];
    }
}
void launch(cudaStream_t stream, int n, const float *a, const float *b, float *y)
{
    add<<<(n / 4 + 128) / 128, 128, 0, stream>>>(n, a, b, y);
}
