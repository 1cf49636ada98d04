// Random numbers: lanescope's own kernels, in the place of cuRAND's, which are others. The generators are
// published: XORWOW (Marsaglia, Xorshift RNGs, 2003), MRG32k3a (L'Ecuyer, 1999), Philox4x32-10 (Salmon and
// others, Parallel random numbers, 2011). How bits become the numbers of a distribution is as in cuRAND's
// device functions (its manual).
#include "standin/libraries/curand/kernels/work.h"

#define TO_UNIT 2.3283064365386963e-10f       // 2^-32
#define TO_UNIT_DOUBLE 1.1102230246251565e-16 // 2^-53
#define TWO_PI 6.2831853071795865

// ---- generators ----
struct xorwow {
    unsigned v[5], d;

    __device__ unsigned next()
    {
        unsigned t = v[0] ^ (v[0] >> 2);
        v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
        v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
        d += 362437;
        return v[4] + d;
    }
    __device__ unsigned bits()
    {
        return next();
    }
    __device__ void load(const unsigned *at, unsigned streams)
    {
        for (int i = 0; i < 5; i++)
            v[i] = at[i * streams];
        d = at[5 * streams];
    }
    __device__ void store(unsigned *at, unsigned streams) const
    {
        for (int i = 0; i < 5; i++)
            at[i * streams] = v[i];
        at[5 * streams] = d;
    }
};

struct mrg {
    static constexpr unsigned m1 = 4294967087u, m2 = 4294944443u;
    unsigned s[6];

    /* 1 to m1 */
    __device__ unsigned next()
    {
        unsigned p1 = unsigned((1403580ull * s[1] + 810728ull * (m1 - s[0])) % m1),
                 p2 = unsigned((527612ull * s[5] + 1370589ull * (m2 - s[3])) % m2);
        s[0] = s[1], s[1] = s[2], s[2] = p1;
        s[3] = s[4], s[4] = s[5], s[5] = p2;
        return p1 <= p2 ? p1 - p2 + m1 : p1 - p2;
    }
    __device__ unsigned bits()
    {
        return unsigned(double(next()) * 1.000000048662);
    }
    __device__ double unit()
    {
        return double(next()) * 2.3283065498378288e-10;
    }
    __device__ void load(const unsigned *at, unsigned streams)
    {
        for (int i = 0; i < 6; i++)
            s[i] = at[i * streams];
    }
    __device__ void store(unsigned *at, unsigned streams) const
    {
        for (int i = 0; i < 6; i++)
            at[i * streams] = s[i];
    }
};

__device__ static uint4 philox(unsigned long long counter, unsigned stream, unsigned long long seed)
{
    unsigned x = unsigned(counter), y = unsigned(counter >> 32), z = stream, w = 0;
    unsigned low = unsigned(seed), high = unsigned(seed >> 32);

    for (int round = 0; round < 10; round++) {
        unsigned first = __umulhi(0xd2511f53u, x), second = __umulhi(0xcd9e8d57u, z);
        unsigned kept = 0xd2511f53u * x;
        x = second ^ y ^ low;
        y = 0xcd9e8d57u * z;
        z = first ^ w ^ high;
        w = kept;
        low += 0x9e3779b9u;
        high += 0xbb67ae85u;
    }
    return make_uint4(x, y, z, w);
}

// ---- numbers of bits ----
__device__ static float unit_of(unsigned x)
{
    return float(x) * TO_UNIT + TO_UNIT / 2;
}

__device__ static double unit_of(unsigned x, unsigned y)
{
    return double(x ^ (unsigned long long)y << 21) * TO_UNIT_DOUBLE + TO_UNIT_DOUBLE / 2;
}

__device__ static float2 normal_of(float u, float angle)
{
    float size = sqrtf(-2.0f * logf(u)), sine, cosine;

    __sincosf(angle, &sine, &cosine);
    return make_float2(sine * size, cosine * size);
}

__device__ static float2 normal_of(unsigned x, unsigned y)
{
    return normal_of(unit_of(x), fmaf(float(y), float(TO_UNIT * TWO_PI), float(TO_UNIT * TWO_PI) / 2));
}

/* half_turns: from 0 to 2 */
__device__ static double2 normal_of(double u, double half_turns)
{
    double size = sqrt(-2.0 * log(u)), sine, cosine;

    sincospi(half_turns, &sine, &cosine);
    return make_double2(sine * size, cosine * size);
}

__device__ static double2 normal_of(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return normal_of(unit_of(x, y), unit_of(z, w) * 2);
}

__device__ static double poisson_round(double mean, double normal)
{
    return fmax(0.0, sqrt(mean) * normal + mean + 0.5);
}

/* The least k of which `cumulated` says that a number is at most k as often as u. */
__device__ static unsigned poisson_of(double u, const work_random &work)
{
    unsigned low = 0, high = work.length - 1;

    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (u <= work.cumulated[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return work.first + low;
}

__device__ static double unit_of_word(unsigned x)
{
    return double(x) * (2 * TO_UNIT_DOUBLE * (1 << 20)) + TO_UNIT_DOUBLE * (1 << 20);
}

template <typename T> __device__ T scale(T normal, const work_random &work)
{
    return normal * T(work.deviation) + T(work.mean);
}

__device__ static float exponential(float x)
{
    return expf(x);
}
__device__ static double exponential(double x)
{
    return exp(x);
}

// ---- distributions of XORWOW and MRG32k3a: unit i of the output, of one or two numbers ----
struct bits {
    template <typename G> static __device__ void put(G &g, unsigned long long i, const work_random &work)
    {
        ((unsigned *)work.out)[i] = g.bits();
    }
};

struct uniform {
    static __device__ void put(xorwow &g, unsigned long long i, const work_random &work)
    {
        ((float *)work.out)[i] = unit_of(g.next());
    }
    static __device__ void put(mrg &g, unsigned long long i, const work_random &work)
    {
        ((float *)work.out)[i] = float(g.unit());
    }
};

struct uniform_double {
    static __device__ void put(xorwow &g, unsigned long long i, const work_random &work)
    {
        unsigned x = g.next(), y = g.next();
        ((double *)work.out)[i] = unit_of(x, y);
    }
    static __device__ void put(mrg &g, unsigned long long i, const work_random &work)
    {
        ((double *)work.out)[i] = g.unit();
    }
};

__device__ static float2 next_normal(xorwow &g, float)
{
    unsigned x = g.next(), y = g.next();
    return normal_of(x, y);
}
__device__ static double2 next_normal(xorwow &g, double)
{
    unsigned x = g.next(), y = g.next(), z = g.next(), w = g.next();
    return normal_of(x, y, z, w);
}
__device__ static float2 next_normal(mrg &g, float)
{
    float x = float(g.unit()), y = float(g.unit()) * float(TWO_PI);
    return normal_of(x, y);
}
__device__ static double2 next_normal(mrg &g, double)
{
    double x = g.unit(), y = g.unit() * 2;
    return normal_of(x, y);
}

template <typename T, bool Logarithm> struct normal {
    template <typename G> static __device__ void put(G &g, unsigned long long i, const work_random &work)
    {
        auto two = next_normal(g, T());
        two.x = scale(two.x, work), two.y = scale(two.y, work);
        if (Logarithm)
            two.x = exponential(two.x), two.y = exponential(two.y);
        ((decltype(two) *)work.out)[i] = two; /* of the alignment of two numbers, as on a GPU */
    }
};

struct poisson {
    template <typename G> static __device__ void put(G &g, unsigned long long i, const work_random &work)
    {
        ((unsigned *)work.out)[i] = work.cumulated
                                        ? poisson_of(unit_of_word(g.bits()), work)
                                        : unsigned(poisson_round(work.mean, next_normal(g, float()).x));
    }
};

template <typename G, typename D>
__device__ void generate_streams(const work_random &work, unsigned long long units)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned stream = (work.cursor + thread) % work.streams;
    G g;

    if (thread >= work.streams || thread >= units)
        return;
    g.load(work.states + stream, work.streams);
#pragma unroll 1
    for (unsigned long long unit = thread; unit < units; unit += work.streams)
        D::put(g, unit, work);
    g.store(work.states + stream, work.streams);
}

// ---- distributions of Philox: the four numbers of a block ----
struct philox_bits {
    typedef unsigned element;
    static __device__ void make(unsigned *to, unsigned long long counter, unsigned stream,
                                const work_random &work)
    {
        uint4 x = philox(counter, stream, work.seed);
        to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
    }
};

struct philox_uniform {
    typedef float element;
    static __device__ void make(float *to, unsigned long long counter, unsigned stream,
                                const work_random &work)
    {
        uint4 x = philox(counter, stream, work.seed);
        to[0] = unit_of(x.x), to[1] = unit_of(x.y), to[2] = unit_of(x.z), to[3] = unit_of(x.w);
    }
};

struct philox_uniform_double {
    typedef double element;
    static __device__ void make(double *to, unsigned long long counter, unsigned stream,
                                const work_random &work)
    {
        uint4 x = philox(counter, stream, work.seed), y = philox(counter + 1, stream, work.seed);
        to[0] = unit_of(x.x, x.y), to[1] = unit_of(x.z, x.w);
        to[2] = unit_of(y.x, y.y), to[3] = unit_of(y.z, y.w);
    }
};

template <typename T, bool Logarithm> struct philox_normal {
    typedef T element;
    static __device__ void make(float *to, unsigned long long counter, unsigned stream,
                                const work_random &work)
    {
        uint4 x = philox(counter, stream, work.seed);
        put(to, normal_of(x.x, x.y), work);
        put(to + 2, normal_of(x.z, x.w), work);
    }
    static __device__ void make(double *to, unsigned long long counter, unsigned stream,
                                const work_random &work)
    {
        uint4 x = philox(counter, stream, work.seed), y = philox(counter + 1, stream, work.seed);
        put(to, normal_of(x.x, x.y, x.z, x.w), work);
        put(to + 2, normal_of(y.x, y.y, y.z, y.w), work);
    }
    template <typename Two> static __device__ void put(T *to, Two two, const work_random &work)
    {
        T x = scale(two.x, work), y = scale(two.y, work);
        to[0] = Logarithm ? exponential(x) : x;
        to[1] = Logarithm ? exponential(y) : y;
    }
};

struct philox_poisson {
    typedef unsigned element;
    static __device__ void make(unsigned *to, unsigned long long counter, unsigned stream,
                                const work_random &work)
    {
        uint4 x = philox(counter, stream, work.seed);
        if (work.cumulated) {
            to[0] = poisson_of(unit_of_word(x.x), work), to[1] = poisson_of(unit_of_word(x.y), work);
            to[2] = poisson_of(unit_of_word(x.z), work), to[3] = poisson_of(unit_of_word(x.w), work);
            return;
        }
        float2 first = normal_of(x.x, x.y), second = normal_of(x.z, x.w);
        to[0] = unsigned(poisson_round(work.mean, first.x)),
        to[1] = unsigned(poisson_round(work.mean, first.y));
        to[2] = unsigned(poisson_round(work.mean, second.x)),
        to[3] = unsigned(poisson_round(work.mean, second.y));
    }
};

/* blocks: those that four numbers take, one after the other of their stream. */
template <typename D, int Blocks> __device__ void generate_philox(const work_random &work)
{
    typedef typename D::element T;
    unsigned long long first = work.offset / 4, count = (work.offset + work.n - 1) / 4 - first + 1;
    T *out = (T *)work.out, four[4];

#pragma unroll 1
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        unsigned long long start = first + i % PHILOX_STREAMS;
        D::make(four, start / PHILOX_STREAMS + i / PHILOX_STREAMS * Blocks, unsigned(start % PHILOX_STREAMS),
                work);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            unsigned long long at = (first + i) * 4 + j - work.offset; /* below the first: very large */
            if (at < work.n)
                out[at] = four[j];
        }
    }
}

// ---- kernels ----
#define KERNEL(name, ...)                                                                \
    extern "C" __global__ void __launch_bounds__(256) lanescope_##name(work_random work) \
    {                                                                                    \
        __VA_ARGS__;                                                                     \
    }
#define GENERATOR(name, type)                                                                       \
    KERNEL(name##_bits, generate_streams<type, bits>(work, work.n))                                 \
    KERNEL(name##_uniform, generate_streams<type, uniform>(work, work.n))                           \
    KERNEL(name##_uniform_double, generate_streams<type, uniform_double>(work, work.n))             \
    KERNEL(name##_normal, generate_streams<type, normal<float, false>>(work, work.n / 2))           \
    KERNEL(name##_normal_double, generate_streams<type, normal<double, false>>(work, work.n / 2))   \
    KERNEL(name##_lognormal, generate_streams<type, normal<float, true>>(work, work.n / 2))         \
    KERNEL(name##_lognormal_double, generate_streams<type, normal<double, true>>(work, work.n / 2)) \
    KERNEL(name##_poisson, generate_streams<type, poisson>(work, work.n))
GENERATOR(xorwow, xorwow)
GENERATOR(mrg32k3a, mrg)
KERNEL(philox_bits, generate_philox<philox_bits, 1>(work))
KERNEL(philox_uniform, generate_philox<philox_uniform, 1>(work))
KERNEL(philox_uniform_double, generate_philox<philox_uniform_double, 2>(work))
KERNEL(philox_normal, generate_philox<philox_normal<float, false>, 1>(work))
KERNEL(philox_normal_double, generate_philox<philox_normal<double, false>, 2>(work))
KERNEL(philox_lognormal, generate_philox<philox_normal<float, true>, 1>(work))
KERNEL(philox_lognormal_double, generate_philox<philox_normal<double, true>, 2>(work))
KERNEL(philox_poisson, generate_philox<philox_poisson, 1>(work))
// SPDX-License-Identifier: Apache-2.0
