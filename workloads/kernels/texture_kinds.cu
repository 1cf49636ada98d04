// Texels in one and three dimensions, of bytes, written by kernels. n texels, a thread each; pictures have
// rows of ROW texels, volumes SIDE x SIDE texels a slice.
const unsigned ROW = 1024, SIDE = 64;

__device__ unsigned texel_own()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// A line in linear memory, from word `offset` on.
extern "C" __global__ void texture_line_plain(float *out, const float *in, unsigned offset)
{
    unsigned i = texel_own();

    out[i] = in[i + offset];
}

extern "C" __global__ void texture_line(float *out, cudaTextureObject_t line, unsigned offset)
{
    unsigned i = texel_own();

    out[i] = tex1Dfetch<float>(line, i + offset);
}

// What the line is made of is written: for a later launch to fetch,
extern "C" __global__ void texture_line_write(float *in)
{
    in[texel_own()] += 1;
}

// or, which is not defined, to be fetched at once.
extern "C" __global__ void texture_line_written(float *out, float *in, cudaTextureObject_t line)
{
    unsigned i = texel_own();

    in[i] += 1;
    out[i] = tex1Dfetch<float>(line, (int)i);
}

// Bytes become floats from 0 to 1.
extern "C" __global__ void texture_bytes_plain(float *out, const unsigned char *in)
{
    unsigned i = texel_own();

    out[i] = in[i] / 255.0f;
}

extern "C" __global__ void texture_picture(float *out, cudaTextureObject_t picture)
{
    unsigned i = texel_own();

    out[i] = tex2D<float>(picture, i % ROW + 0.5f, i / ROW + 0.5f);
}

// The mean of eight neighbours in a volume, those of the last ones are the last.
extern "C" __global__ void texture_volume_plain(float *out, const float *in, unsigned slices)
{
    unsigned i = texel_own(), x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
    float sum = 0;

#pragma unroll
    for (unsigned corner = 0; corner < 8; corner++) {
        unsigned column = min(x + corner % 2, SIDE - 1), row = min(y + corner / 2 % 2, SIDE - 1),
                 slice = min(z + corner / 4, slices - 1);

        sum += in[(slice * SIDE + row) * SIDE + column];
    }
    out[i] = sum / 8;
}

// A filter at the corner that the eight share.
extern "C" __global__ void texture_volume(float *out, cudaTextureObject_t volume)
{
    unsigned i = texel_own(), x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);

    out[i] = tex3D<float>(volume, x + 1.0f, y + 1.0f, z + 1.0f);
}

// A surface is written at bytes of a row.
extern "C" __global__ void texture_surface_write(cudaSurfaceObject_t surface, const float *in)
{
    unsigned i = texel_own();

    surf2Dwrite(2 * in[i], surface, i % ROW * (unsigned)sizeof(float), i / ROW);
}

// Later launches read it as a surface and as a texture.
extern "C" __global__ void texture_surface_read(float *out, cudaSurfaceObject_t surface,
                                                cudaTextureObject_t picture)
{
    unsigned i = texel_own();

    out[i] = surf2Dread<float>(surface, i % ROW * (unsigned)sizeof(float), i / ROW) +
             tex2D<float>(picture, i % ROW + 0.5f, i / ROW + 0.5f);
}
// SPDX-License-Identifier: Apache-2.0
