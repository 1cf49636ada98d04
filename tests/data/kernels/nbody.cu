// Every body is drawn by every other: a block keeps a tile of bodies in shared memory and all its threads read the
// same one at a time.
const int TILE = 256;

extern "C" __global__ void nbody(float4 *acceleration, const float4 *body, unsigned n)
{
    __shared__ float4 tile[TILE];
    unsigned i = blockIdx.x * TILE + threadIdx.x;
    float4 own = body[i];
    float x = 0, y = 0, z = 0;

    for (unsigned first = 0; first < n; first += TILE) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < TILE; j++) {
            float4 other = tile[j];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            float pull = other.w * inverse * inverse * inverse;
            x += dx * pull;
            y += dy * pull;
            z += dz * pull;
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(x, y, z, 0);
}
