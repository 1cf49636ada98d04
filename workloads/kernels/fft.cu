// The discrete Fourier transform of N complex words, one transform per block. `root` has exp(-2 pi i k / N) for each k.
const int LOG_N = 9, N = 1 << LOG_N;

__device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// By its definition: a thread for each word of the result, which adds N products.
extern "C" __global__ void fft_dft(float2 *out, const float2 *in, const float2 *__restrict__ root)
{
    unsigned first = blockIdx.x * N, k = threadIdx.x;
    float2 sum = make_float2(0, 0);

#pragma unroll 1
    for (unsigned j = 0; j < N; j++) {
        float2 product = times(in[first + j], root[j * k & (N - 1)]);
        sum.x += product.x;
        sum.y += product.y;
    }
    out[first + k] = sum;
}

// In LOG_N stages (Stockham's order, in which the result is not permuted): a thread for each pair of words, which
// are in shared memory from the first stage to the last.
extern "C" __global__ void fft_shared(float2 *out, const float2 *in, const float2 *__restrict__ root)
{
    __shared__ float2 words[2][N];
    unsigned first = blockIdx.x * N, i = threadIdx.x, from = 0;

    words[0][i] = in[first + i];
    words[0][i + N / 2] = in[first + i + N / 2];
#pragma unroll 1
    for (unsigned distance = 1; distance < N; distance *= 2) {
        unsigned within = i & (distance - 1);

        __syncthreads();
        float2 a = words[from][i], b = words[from][i + N / 2];
        from ^= 1;
        words[from][2 * i - within] = make_float2(a.x + b.x, a.y + b.y);
        words[from][2 * i - within + distance] = times(make_float2(a.x - b.x, a.y - b.y), root[i - within]);
    }
    __syncthreads();
    out[first + i] = words[from][i];
    out[first + i + N / 2] = words[from][i + N / 2];
}
// SPDX-License-Identifier: Apache-2.0
