/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope's own cuRAND over the device model: generators, whose kernels are lanescope's (kernels/).
 * NVIDIA's headers are not needed: the types and values here are those of the public ABI.
 *
 * A generator is a position in a fixed sequence of numbers (kernels/work.h says which stream has which
 * position). XORWOW and MRG32k3a keep the states of their streams in device memory; they are computed on the
 * host when the first numbers are generated after a change of seed or position. A generator is used by one
 * thread at a time.
 */
#include "standin/libraries/curand/kernels/work.h"
#include "standin/libraries/launch.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURAND_API __attribute__((visibility("default")))
#define VERSION 10400 /* of CUDA 13.0's cuRAND */
#define STREAMS 4096  /* of XORWOW, and of the legacy ordering */
#define MRG_STREAMS 81920
#define POISSON_BOUND 4000 /* from here on by the normal distribution */
#define POISSON_MOST 4.0e8
#define POISSON_DEVIATIONS 12.0 /* beyond them no number of 32 bits lies */

EMBED_PTX(curand_ptx_random, LIBRARY_PTX "/random.ptx");

const struct kernel_library kernel_library = {"cuRAND", {curand_ptx_random}};

/* ---- skipping ahead ---- */
/*
 * Skipping ahead. A step of XORWOW is a linear map of 160 bits, one of MRG32k3a two linear maps of three
 * numbers; 2^k steps are the map squared k times. Streams lie 2^67 (XORWOW) and 2^76 (MRG32k3a) elements
 * apart; the initial state of a seed is the one of curand_init (cuRAND's device functions).
 */

#define XORWOW_APART 67
#define MRG_APART 76
#define OFFSET_BITS 52 /* of offset / streams, at least 4096 */

static void states_put(unsigned *states, unsigned streams, unsigned stream, const uint32_t state[STATE_WORDS])
{
    for (unsigned i = 0; i < STATE_WORDS; i++)
        states[i * streams + stream] = state[i];
}

/* ---- XORWOW ---- */
#define WORDS 5
#define STATE_BITS (WORDS * 32)

struct bit_map { /* the image of each bit */
    uint32_t of[STATE_BITS][WORDS];
};

static void xorwow_step(uint32_t v[WORDS])
{
    uint32_t t = v[0] ^ v[0] >> 2;

    memmove(v, v + 1, (WORDS - 1) * sizeof *v);
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
}

static void map_apply(const struct bit_map *map, uint32_t v[WORDS])
{
    uint32_t image[WORDS] = {0};

    for (unsigned bit = 0; bit < STATE_BITS; bit++)
        if (v[bit / 32] >> bit % 32 & 1)
            for (unsigned i = 0; i < WORDS; i++)
                image[i] ^= map->of[bit][i];
    memcpy(v, image, sizeof image);
}

static void map_square(struct bit_map *map)
{
    struct bit_map before = *map;

    for (unsigned bit = 0; bit < STATE_BITS; bit++)
        map_apply(&before, map->of[bit]);
}

/* Fills in `streams` * STATE_WORDS words: of each stream the state at its first element whose position is
 * not below `offset`. */
static void xorwow_streams(uint64_t seed, uint64_t offset, unsigned streams, unsigned *states)
{
    uint32_t low = (uint32_t)seed ^ 0xaad26b49u, high = (uint32_t)(seed >> 32) ^ 0xf7dcefddu;
    uint32_t t0 = 1099087573u * low, t1 = 2591861531u * high;
    uint32_t v[WORDS] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0};
    uint64_t turns = offset / streams;
    uint32_t counter = 6615241u + t1 + t0 + 362437u * (uint32_t)turns; /* 2^67 steps leave it */
    struct bit_map map = {{{0}}};

    for (unsigned bit = 0; bit < STATE_BITS; bit++) {
        map.of[bit][bit / 32] = UINT32_C(1) << bit % 32;
        xorwow_step(map.of[bit]);
    }
    for (unsigned power = 0; power < XORWOW_APART; power++) {
        if (power < OFFSET_BITS && turns >> power & 1)
            map_apply(&map, v);
        map_square(&map);
    }
    for (unsigned stream = 0; stream < streams; stream++) {
        uint32_t state[STATE_WORDS];
        bool passed = stream < offset % streams;
        memcpy(state, v, sizeof v);
        if (passed)
            xorwow_step(state);
        state[5] = counter + (passed ? 362437u : 0);
        states_put(states, streams, stream, state);
        map_apply(&map, v);
    }
}

/* ---- MRG32k3a ---- */
static const uint32_t moduli[2] = {4294967087u, 4294944443u};

struct number_map {
    uint64_t of[3][3];
};

/* The newest of three numbers is the last one. */
static const struct number_map mrg_steps[2] = {
    {{{0, 1, 0}, {0, 0, 1}, {4294967087u - 810728u, 1403580u, 0}}},
    {{{0, 1, 0}, {0, 0, 1}, {4294944443u - 1370589u, 0, 527612u}}}};

static void numbers_apply(const struct number_map *map, uint32_t modulus, uint32_t s[3])
{
    uint32_t image[3];

    for (unsigned i = 0; i < 3; i++) {
        uint64_t sum = 0;
        for (unsigned j = 0; j < 3; j++)
            sum = (sum + map->of[i][j] * s[j] % modulus) % modulus;
        image[i] = (uint32_t)sum;
    }
    memcpy(s, image, sizeof image);
}

static void numbers_square(struct number_map *map, uint32_t modulus)
{
    struct number_map before = *map;

    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3; j++) {
            map->of[i][j] = 0;
            for (unsigned k = 0; k < 3; k++)
                map->of[i][j] = (map->of[i][j] + before.of[i][k] * before.of[k][j] % modulus) % modulus;
        }
}

static void mrg_seed(uint64_t seed, uint32_t s[2][3])
{
    uint32_t x[2] = {(uint32_t)seed ^ 0x55555555u, (uint32_t)(seed >> 32) ^ 0xaaaaaaaau};

    for (unsigned half = 0; half < 2; half++)
        for (unsigned i = 0; i < 3; i++)
            s[half][i] = seed ? (uint32_t)(UINT64_C(12345) * x[(half + i) % 2] % moduli[half]) : 12345;
}

static void mrg_streams(uint64_t seed, uint64_t offset, unsigned streams, unsigned *states)
{
    uint64_t turns = offset / streams;
    struct number_map map[2] = {mrg_steps[0], mrg_steps[1]};
    uint32_t s[2][3];

    mrg_seed(seed, s);
    for (unsigned half = 0; half < 2; half++)
        for (unsigned power = 0; power < MRG_APART; power++) {
            if (power < OFFSET_BITS && turns >> power & 1)
                numbers_apply(&map[half], moduli[half], s[half]);
            numbers_square(&map[half], moduli[half]);
        }
    for (unsigned stream = 0; stream < streams; stream++) {
        uint32_t state[STATE_WORDS];
        memcpy(state, s, sizeof s);
        for (unsigned half = 0; half < 2; half++) {
            if (stream < offset % streams)
                numbers_apply(&mrg_steps[half], moduli[half], state + 3 * half);
            numbers_apply(&map[half], moduli[half], s[half]);
        }
        states_put(states, streams, stream, state);
    }
}

/* ---- generators ---- */
enum rand_status {
    RAND_SUCCESS = 0,
    RAND_NOT_INITIALIZED = 101,
    RAND_ALLOCATION_FAILED = 102,
    RAND_TYPE_ERROR = 103,
    RAND_OUT_OF_RANGE = 104,
    RAND_LENGTH_NOT_MULTIPLE = 105,
    RAND_LAUNCH_FAILURE = 201,
    RAND_PREEXISTING_FAILURE = 202,
    RAND_INITIALIZATION_FAILED = 203
};
enum {
    ORDERING_BEST = 100,
    ORDERING_DEFAULT,
    ORDERING_SEEDED,
    ORDERING_LEGACY,
    ORDERING_DYNAMIC,
    ORDERING_QUASI = 201
};

enum distribution {
    BITS,
    UNIFORM,
    UNIFORM_DOUBLE,
    NORMAL,
    NORMAL_DOUBLE,
    LOGNORMAL,
    LOGNORMAL_DOUBLE,
    POISSON
};

static const struct distribution_kind {
    const char *name;
    size_t bytes;                     /* of a number */
    unsigned width;                   /* numbers of a unit */
    unsigned draws_xorwow, draws_mrg; /* of a unit, from one stream */
    unsigned draws_philox;            /* blocks of four numbers */
} kinds[] = {
    [BITS] = {"bits", 4, 1, 1, 1, 1},
    [UNIFORM] = {"uniform", 4, 1, 1, 1, 1},
    [UNIFORM_DOUBLE] = {"uniform_double", 8, 1, 2, 1, 2},
    [NORMAL] = {"normal", 4, 2, 2, 2, 1},
    [NORMAL_DOUBLE] = {"normal_double", 8, 2, 4, 2, 2},
    [LOGNORMAL] = {"lognormal", 4, 2, 2, 2, 1},
    [LOGNORMAL_DOUBLE] = {"lognormal_double", 8, 2, 4, 2, 2},
    [POISSON] = {"poisson", 4, 1, 1, 1, 1},
};

enum generator_type { XORWOW = 101, MRG32K3A = 121, PHILOX = 161 };

struct curandGenerator_st {
    enum generator_type type;
    bool on_host; /* the numbers are copied to the host's memory */
    uint64_t seed, offset;
    uint64_t set_offset, generated; /* generated: since it was set */
    int ordering;
    cudaStream_t stream;
    unsigned streams, cursor; /* cursor: the stream of the next number */
    unsigned *states;         /* device; NULL: Philox, or none yet */
    bool seeded;              /* they belong to seed and offset */
    double poisson_mean;      /* of the table; 0: there is none */
    double *cumulated;        /* device */
    unsigned first, length;
};

/* ---- generators ---- */
static int generator_create(struct curandGenerator_st **generator, int type, bool on_host)
{
    static const struct {
        int type;
        const char *name;
    } others[] = {{0, "TEST"},
                  {141, "PSEUDO_MTGP32"},
                  {142, "PSEUDO_MT19937"},
                  {200, "QUASI_DEFAULT"},
                  {201, "QUASI_SOBOL32"},
                  {202, "QUASI_SCRAMBLED_SOBOL32"},
                  {203, "QUASI_SOBOL64"},
                  {204, "QUASI_SCRAMBLED_SOBOL64"}};
    char text[100];

    if (!generator)
        return RAND_NOT_INITIALIZED;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].type == type) {
            snprintf(text, sizeof text, "curandCreateGenerator%s with CURAND_RNG_%s", on_host ? "Host" : "",
                     others[i].name);
            library_refuse(text);
        }
    if (type == 100)
        type = XORWOW;
    if (type != XORWOW && type != MRG32K3A && type != PHILOX)
        return RAND_TYPE_ERROR;
    if (!library_load())
        return RAND_INITIALIZATION_FAILED;
    struct curandGenerator_st *made = calloc(1, sizeof *made);
    if (!made)
        return RAND_ALLOCATION_FAILED;
    made->type = (enum generator_type)type;
    made->on_host = on_host;
    made->ordering = ORDERING_DEFAULT;
    made->streams = type == MRG32K3A ? MRG_STREAMS : STREAMS;
    *generator = made;
    return RAND_SUCCESS;
}

CURAND_API int curandCreateGenerator(struct curandGenerator_st **generator, int type)
{
    return generator_create(generator, type, false);
}

CURAND_API int curandCreateGeneratorHost(struct curandGenerator_st **generator, int type)
{
    return generator_create(generator, type, true);
}

CURAND_API int curandDestroyGenerator(struct curandGenerator_st *generator)
{
    if (!generator)
        return RAND_NOT_INITIALIZED;
    cudaFree(generator->states);
    cudaFree(generator->cumulated);
    free(generator);
    return RAND_SUCCESS;
}

CURAND_API int curandSetStream(struct curandGenerator_st *generator, cudaStream_t stream)
{
    if (!generator)
        return RAND_NOT_INITIALIZED;
    generator->stream = stream;
    return RAND_SUCCESS;
}

/* A new seed or ordering leaves the position. Seen on an H200: of Philox, by the fours that have been passed
 * since the offset was set. */
static void generator_restart(struct curandGenerator_st *generator)
{
    if (generator->type == PHILOX)
        generator->offset = generator->set_offset + (generator->set_offset % 4 + generator->generated) / 4;
    generator->seeded = false;
}

CURAND_API int curandSetPseudoRandomGeneratorSeed(struct curandGenerator_st *generator,
                                                  unsigned long long seed)
{
    if (!generator)
        return RAND_NOT_INITIALIZED;
    if (seed != generator->seed)
        generator_restart(generator);
    generator->seed = seed;
    generator->seeded = false;
    return RAND_SUCCESS;
}

CURAND_API int curandSetGeneratorOffset(struct curandGenerator_st *generator, unsigned long long offset)
{
    if (!generator)
        return RAND_NOT_INITIALIZED;
    generator->offset = generator->set_offset = offset;
    generator->generated = 0;
    generator->seeded = false;
    return RAND_SUCCESS;
}

static int generator_order(struct curandGenerator_st *generator, int order)
{
    unsigned streams = generator->type == MRG32K3A && order != ORDERING_LEGACY ? MRG_STREAMS : STREAMS;

    if (order != generator->ordering)
        generator_restart(generator);
    if (streams != generator->streams) {
        cudaFree(generator->states);
        generator->states = NULL;
    }
    generator->streams = streams;
    generator->ordering = order;
    return RAND_SUCCESS;
}

CURAND_API int curandSetGeneratorOrdering(struct curandGenerator_st *generator, int order)
{
    if (!generator)
        return RAND_NOT_INITIALIZED;
    switch (order) {
    case ORDERING_BEST:
    case ORDERING_DEFAULT:
    case ORDERING_LEGACY: return generator_order(generator, order);
    case ORDERING_SEEDED: library_refuse("curandSetGeneratorOrdering with CURAND_ORDERING_PSEUDO_SEEDED");
    case ORDERING_DYNAMIC:
        if (generator->on_host)
            return RAND_OUT_OF_RANGE;
        library_refuse("curandSetGeneratorOrdering with CURAND_ORDERING_PSEUDO_DYNAMIC");
    default: return RAND_OUT_OF_RANGE;
    }
}

CURAND_API int curandSetQuasiRandomGeneratorDimensions(struct curandGenerator_st *generator,
                                                       unsigned dimensions)
{
    (void)dimensions;
    return generator ? RAND_TYPE_ERROR : RAND_NOT_INITIALIZED;
}

CURAND_API int curandGetVersion(int *version)
{
    *version = VERSION;
    return RAND_SUCCESS;
}

CURAND_API int curandGetProperty(int which, int *value)
{
    if (which < 0 || which > 2)
        return RAND_OUT_OF_RANGE;
    *value = which == 0 ? VERSION / 1000 : which == 1 ? VERSION / 100 % 10 : VERSION % 100;
    return RAND_SUCCESS;
}

/* ---- generation ---- */
/* The states of the streams, of the generator's seed and offset. */
static int generator_seed(struct curandGenerator_st *generator)
{
    size_t bytes = (size_t)generator->streams * STATE_WORDS * sizeof(unsigned);
    int status = RAND_SUCCESS;

    if (generator->type == PHILOX || generator->seeded)
        return RAND_SUCCESS;
    if (!generator->states && cudaMalloc((void **)&generator->states, bytes) != cudaSuccess)
        return RAND_ALLOCATION_FAILED;
    unsigned *states = malloc(bytes);
    if (!states)
        return RAND_ALLOCATION_FAILED;
    if (generator->type == XORWOW)
        xorwow_streams(generator->seed, generator->offset, generator->streams, states);
    else
        mrg_streams(generator->seed, generator->offset, generator->streams, states);
    if (cudaMemcpyAsync(generator->states, states, bytes, cudaMemcpyHostToDevice, generator->stream) !=
        cudaSuccess)
        status = RAND_LAUNCH_FAILURE;
    free(states);
    generator->seeded = status == RAND_SUCCESS;
    generator->cursor = (unsigned)(generator->offset % generator->streams);
    return status;
}

CURAND_API int curandGenerateSeeds(struct curandGenerator_st *generator)
{
    if (!generator)
        return RAND_NOT_INITIALIZED;
    generator_restart(generator);
    return generator_seed(generator);
}

/* `out`: device memory; the generator is seeded, n is not 0. */
static int numbers_launch(struct curandGenerator_st *generator, enum distribution distribution, void *out,
                          size_t n, double mean, double deviation)
{
    const struct distribution_kind *kind = &kinds[distribution];
    struct work_random work = {.out = out, .n = n, .mean = mean, .deviation = deviation};
    bool philox = generator->type == PHILOX;
    char name[40];

    work.offset = generator->offset;
    work.states = generator->states;
    work.streams = generator->streams;
    work.cursor = generator->cursor;
    work.seed = generator->seed;
    if (distribution == POISSON && mean < POISSON_BOUND) {
        work.cumulated = generator->cumulated;
        work.first = generator->first;
        work.length = generator->length;
    }
    snprintf(name, sizeof name, "%s%s",
             philox                      ? "philox_"
             : generator->type == XORWOW ? "xorwow_"
                                         : "mrg32k3a_",
             kind->name);
    /* A turn of all streams takes all draws of its units; in one that is not whole each unit counts as one.
     */
    uint64_t turn = philox ? 4 * PHILOX_STREAMS : generator->streams, units = philox ? n : n / kind->width;
    uint64_t draws = philox                      ? kind->draws_philox
                     : generator->type == XORWOW ? kind->draws_xorwow
                                                 : kind->draws_mrg;
    if (distribution == POISSON && mean >= POISSON_BOUND && !philox)
        draws = 2;
    uint64_t threads = philox ? n / 4 + 2 : units < turn ? units : turn;
    dim3 grid = {threads < 64 * 2048 ? (unsigned)((threads + 63) / 64) : 2048, 1, 1};
    if (!library_launch(generator->stream, name, grid, 64, &work))
        return RAND_LAUNCH_FAILURE;
    generator->generated += n;
    generator->offset += units / turn * turn * draws + units % turn;
    if (!philox)
        generator->cursor = (unsigned)((generator->cursor + units) % generator->streams);
    return RAND_SUCCESS;
}

static int numbers_generate(struct curandGenerator_st *generator, enum distribution distribution, void *out,
                            size_t n, double mean, double deviation)
{
    size_t bytes = n * kinds[distribution].bytes;
    void *copied = NULL;

    if (!generator)
        return RAND_NOT_INITIALIZED;
    if (generator->type != PHILOX && n % kinds[distribution].width)
        return RAND_LENGTH_NOT_MULTIPLE;
    int status = generator_seed(generator);
    if (status != RAND_SUCCESS || n == 0)
        return status;
    if (!generator->on_host)
        return numbers_launch(generator, distribution, out, n, mean, deviation);
    if (cudaMalloc(&copied, bytes) != cudaSuccess)
        return RAND_ALLOCATION_FAILED;
    status = numbers_launch(generator, distribution, copied, n, mean, deviation);
    if (status == RAND_SUCCESS &&
        (cudaMemcpyAsync(out, copied, bytes, cudaMemcpyDeviceToHost, generator->stream) != cudaSuccess ||
         cudaStreamSynchronize(generator->stream) != cudaSuccess))
        status = RAND_LAUNCH_FAILURE;
    cudaFree(copied);
    return status;
}

CURAND_API int curandGenerate(struct curandGenerator_st *generator, unsigned *out, size_t n)
{
    return numbers_generate(generator, BITS, out, n, 0, 1);
}

CURAND_API int curandGenerateLongLong(struct curandGenerator_st *generator, unsigned long long *out, size_t n)
{
    (void)out, (void)n;
    return generator ? RAND_TYPE_ERROR : RAND_NOT_INITIALIZED; /* quasirandom ones of 64 bits */
}

CURAND_API int curandGenerateUniform(struct curandGenerator_st *generator, float *out, size_t n)
{
    return numbers_generate(generator, UNIFORM, out, n, 0, 1);
}

CURAND_API int curandGenerateUniformDouble(struct curandGenerator_st *generator, double *out, size_t n)
{
    return numbers_generate(generator, UNIFORM_DOUBLE, out, n, 0, 1);
}

CURAND_API int curandGenerateNormal(struct curandGenerator_st *generator, float *out, size_t n, float mean,
                                    float deviation)
{
    return numbers_generate(generator, NORMAL, out, n, (double)mean, (double)deviation);
}

CURAND_API int curandGenerateNormalDouble(struct curandGenerator_st *generator, double *out, size_t n,
                                          double mean, double deviation)
{
    return numbers_generate(generator, NORMAL_DOUBLE, out, n, mean, deviation);
}

CURAND_API int curandGenerateLogNormal(struct curandGenerator_st *generator, float *out, size_t n, float mean,
                                       float deviation)
{
    return numbers_generate(generator, LOGNORMAL, out, n, (double)mean, (double)deviation);
}

CURAND_API int curandGenerateLogNormalDouble(struct curandGenerator_st *generator, double *out, size_t n,
                                             double mean, double deviation)
{
    return numbers_generate(generator, LOGNORMAL_DOUBLE, out, n, mean, deviation);
}

/* The probabilities of at most k, from the first that 32 bits can tell from 0 on, in device memory. */
static int poisson_prepare(struct curandGenerator_st *generator, double mean)
{
    double low = floor(mean - POISSON_DEVIATIONS * sqrt(mean)),
           high = mean + POISSON_DEVIATIONS * sqrt(mean) + 40;
    unsigned first = low > 0 ? (unsigned)low : 0, length = (unsigned)high - first + 1;
    int status = RAND_SUCCESS;
    double sum = 0;

    if (generator->poisson_mean == mean)
        return RAND_SUCCESS;
    double *table = malloc(length * sizeof *table);
    if (!table)
        return RAND_ALLOCATION_FAILED;
    for (unsigned i = 0; i < length; i++) {
        double k = first + i;
        sum += exp(k * log(mean) - mean - lgamma(k + 1));
        table[i] = sum;
    }
    cudaStreamSynchronize(generator->stream); /* a kernel may read the table of another mean */
    cudaFree(generator->cumulated);
    generator->cumulated = NULL;
    generator->poisson_mean = 0;
    if (cudaMalloc((void **)&generator->cumulated, length * sizeof *table) != cudaSuccess)
        status = RAND_ALLOCATION_FAILED;
    else if (cudaMemcpy(generator->cumulated, table, length * sizeof *table, cudaMemcpyHostToDevice) !=
             cudaSuccess)
        status = RAND_LAUNCH_FAILURE;
    free(table);
    if (status == RAND_SUCCESS) {
        generator->poisson_mean = mean;
        generator->first = first;
        generator->length = length;
    }
    return status;
}

CURAND_API int curandGeneratePoisson(struct curandGenerator_st *generator, unsigned *out, size_t n,
                                     double mean)
{
    if (!generator)
        return RAND_NOT_INITIALIZED;
    if (!(mean > 0 && mean <= POISSON_MOST))
        return RAND_OUT_OF_RANGE;
    int status = n && mean < POISSON_BOUND ? poisson_prepare(generator, mean) : RAND_SUCCESS;
    return status == RAND_SUCCESS ? numbers_generate(generator, POISSON, out, n, mean, 1) : status;
}
