/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math: the same result by a dear and by a cheap way, 64 times for each word. Full occupancy, hardly any
 * memory: what is measured is arithmetic.
 *
 * Whole numbers and plain additions and multiplications are exact. Sums of functions are compared with
 * functions of double precision on the host, within the tolerance of their row.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <math.h>
#include <stdio.h>

#define BLOCK 256
#define ROUNDS 64 /* as in math.cu */
#define STRIDE 32 /* distance in words between two that a counter's thread adds */
#define PI 3.14159265358979323846

enum { PARAM_N };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "threads, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 24, "threads")},
};

#define TERM(name, expression)   \
    static double name(double x) \
    {                            \
        return expression;       \
    }
TERM(term_divide, 3 / x)
TERM(term_formula, sin(x) * exp(-x) / (1 + log(x)))
TERM(term_cube, x *x *x)
TERM(term_sinpi, sin(PI *x))
TERM(term_rsqrt, 1 / sqrt(x))
TERM(term_exp10, pow(10, x))
TERM(term_rcbrt, 1 / cbrt(x))
TERM(term_quarter, sqrt(sqrt(x)))
TERM(term_sixth, cbrt(sqrt(x)))
TERM(term_sincos, sin(x) + 2 * cos(x))
TERM(term_sin_large, sin(262144 * x))

static float float_step(float x)
{
    return x * 0.7f + 0.4f;
}

static float fused_step(float x)
{
    return fmaf(x, 0.7f, 0.4f);
}

/* As FMAD of 1.x: the product, which a double holds whole, is cut to a float. */
static float truncated_step(float x)
{
    double product = (double)x * (double)0.7f;
    float cut = (float)product;

    return (fabs((double)cut) > fabs(product) ? nextafterf(cut, 0) : cut) + 0.4f;
}

static float double_step(float x)
{
    return (float)((double)x * 0.7 + 0.4);
}

/* d: the kernel's argument. */
#define STEP(name, expression)                   \
    static uint32_t name(uint32_t x, uint32_t d) \
    {                                            \
        return expression;                       \
    }
STEP(step_divide, (x / d ^ x % d) + 0x9e3779b9u)
STEP(step_shift, (x >> d ^ (x & ((1u << d) - 1))) + 0x9e3779b9u)
STEP(step_multiply, x *d + (x >> 8))
STEP(step_multiply_24, (x & 0xffffff) * (d & 0xffffff) + (x >> 8))
STEP(step_multiply_16, (x * d + (x >> 4)) & 0xffff)
STEP(step_multiply_8, (x * d + (x >> 2)) & 0xff)

/* What a kernel makes of a word. */
struct way {
    double (*term)(double x); /* sum of the terms of x, x + 1/128, ... */
    double tolerance; /* relative error of the sum: 64 roundings, at most 4e-6, and the function's few ulp */
    float (*step)(float x); /* or so many steps of x */
    uint32_t (*whole)(uint32_t x, uint32_t d);
    uint32_t argument; /* d; or of a counter, which has no d: its stride */
};
#define SUM(function, within) .term = function, .tolerance = within
#define FLOATS(function) .step = function
#define WHOLE(function, d) .whole = function, .argument = d
#define COUNTER .argument = STRIDE

/* sin(pi x) passes through 0: terms cancel, their errors do not. */
#define WAYS(X)                                                                                           \
    X(float_constants, "float-constants", FLOATS(float_step), "x * 0.7f + 0.4f")                          \
    X(fused, "fused", FLOATS(fused_step), "fmaf(x, 0.7f, 0.4f): one instruction, rounded once")           \
    X(truncated, "truncated", FLOATS(truncated_step),                                                     \
      "the same as FMAD of 1.x has it: the product is cut to 24 bits")                                    \
    X(double_constants, "double-constants", FLOATS(double_step), "x * 0.7 + 0.4: in double precision")    \
    X(sin, "sin", SUM(sin, 1e-5), "sinf(x)")                                                              \
    X(sin_intrinsic, "sin-intrinsic", SUM(sin, 1e-5), "__sinf(x): off by 2^-21 at most")                  \
    X(exp, "exp", SUM(exp, 1e-5), "expf(x)")                                                              \
    X(exp_intrinsic, "exp-intrinsic", SUM(exp, 1e-5), "__expf(x): off by some ulp")                       \
    X(log, "log", SUM(log, 1e-5), "logf(x)")                                                              \
    X(log_intrinsic, "log-intrinsic", SUM(log, 1e-5), "__logf(x): off by 2^-21, or some ulp")             \
    X(divide, "divide", SUM(term_divide, 1e-5), "3 / x, correctly rounded")                               \
    X(divide_intrinsic, "divide-intrinsic", SUM(term_divide, 1e-5), "__fdividef(3, x): off by 2 ulp")     \
    X(divide_unrounded, "divide-unrounded", SUM(term_divide, 1e-5), "3 / x, as -prec-div=false makes it") \
    X(divide_flushed, "divide-flushed", SUM(term_divide, 1e-5), "3 / x, as -ftz=true makes it")           \
    X(divide_both, "divide-both", SUM(term_divide, 1e-5), "3 / x, with both, as -use_fast_math has them") \
    X(sqrt, "sqrt", SUM(sqrt, 1e-5), "sqrtf(x), correctly rounded")                                       \
    X(sqrt_unrounded, "sqrt-unrounded", SUM(sqrt, 1e-5), "sqrtf(x), as -prec-sqrt=false makes it")        \
    X(sqrt_flushed, "sqrt-flushed", SUM(sqrt, 1e-5), "sqrtf(x), as -ftz=true makes it")                   \
    X(sqrt_both, "sqrt-both", SUM(sqrt, 1e-5), "sqrtf(x), with both")                                     \
    X(divide_sqrt, "divide-sqrt", SUM(term_rsqrt, 1e-5), "1 / sqrtf(x)")                                  \
    X(rsqrt, "rsqrt", SUM(term_rsqrt, 1e-5), "rsqrtf(x)")                                                 \
    X(formula, "formula", SUM(term_formula, 1e-5), "sinf(x) * expf(-x) / (1 + logf(x))")                  \
    X(formula_fast, "formula-fast", SUM(term_formula, 1e-5), "the same, as -use_fast_math makes it")      \
    X(divide_whole, "divide-whole", WHOLE(step_divide, 32), "x / d and x % d, with d an argument")        \
    X(divide_constant, "divide-constant", WHOLE(step_divide, 32), "x / 32 and x % 32: become shifts")     \
    X(shift, "shift", WHOLE(step_shift, 5), "x >> d and x & mask")                                        \
    X(pow_3, "pow-3", SUM(term_cube, 1e-5), "powf(x, 3)")                                                 \
    X(multiply_3, "multiply-3", SUM(term_cube, 1e-5), "x * x * x")                                        \
    X(multiply_3_back, "multiply-3-back", SUM(term_cube, 1e-5),                                           \
      "the same terms, added from the last to the first")                                                 \
    X(pow_of_2, "pow-of-2", SUM(exp2, 1e-5), "powf(2, x)")                                                \
    X(exp2, "exp2", SUM(exp2, 1e-5), "exp2f(x)")                                                          \
    X(pow_of_10, "pow-of-10", SUM(term_exp10, 1e-5), "powf(10, x)")                                       \
    X(exp10, "exp10", SUM(term_exp10, 1e-5), "exp10f(x)")                                                 \
    X(pow_third, "pow-third", SUM(cbrt, 1e-5), "powf(x, 1 / 3)")                                          \
    X(cbrt, "cbrt", SUM(cbrt, 1e-5), "cbrtf(x)")                                                          \
    X(pow_minus_third, "pow-minus-third", SUM(term_rcbrt, 1e-5), "powf(x, -1 / 3)")                       \
    X(rcbrt, "rcbrt", SUM(term_rcbrt, 1e-5), "rcbrtf(x)")                                                 \
    X(pow_quarter, "pow-quarter", SUM(term_quarter, 1e-5), "powf(x, 1 / 4)")                              \
    X(rsqrt_rsqrt, "rsqrt-rsqrt", SUM(term_quarter, 1e-5), "rsqrtf(rsqrtf(x)): the same power")           \
    X(pow_sixth, "pow-sixth", SUM(term_sixth, 1e-5), "powf(x, 1 / 6)")                                    \
    X(rcbrt_rsqrt, "rcbrt-rsqrt", SUM(term_sixth, 1e-5), "rcbrtf(rsqrtf(x)): the same power")             \
    X(one_minus_erf, "one-minus-erf", SUM(erfc, 1e-5), "1 - erff(x)")                                     \
    X(erfc, "erfc", SUM(erfc, 1e-5), "erfcf(x)")                                                          \
    X(sin_and_cos, "sin-and-cos", SUM(term_sincos, 1e-4), "sinf(x) and cosf(x)")                          \
    X(sincos, "sincos", SUM(term_sincos, 1e-4), "sincosf(x): both at once")                               \
    X(sin_large, "sin-large", SUM(term_sin_large, 1e-4), "sinf(262144 * x): reduced in local memory")     \
    X(sin_of_pi, "sin-of-pi", SUM(term_sinpi, 1e-4), "sinf(pi * x)")                                      \
    X(sinpi, "sinpi", SUM(term_sinpi, 1e-4), "sinpif(x)")                                                 \
    X(unsigned_counter, "unsigned-counter", COUNTER, "in[i + k * stride], where k may begin again at 0")  \
    X(signed_counter, "signed-counter", COUNTER,                                                          \
      "the same, where k may not overflow: the address is incremented")                                   \
    X(multiply, "multiply", WHOLE(step_multiply, 1664525), "a multiplication of 32 bits")                 \
    X(multiply_24, "multiply-24", WHOLE(step_multiply_24, 1664525), "__umul24")                           \
    X(multiply_16, "multiply-16", WHOLE(step_multiply_16, 1664525),                                       \
      "unsigned short: cut to 16 bits after each step")                                                   \
    X(multiply_8, "multiply-8", WHOLE(step_multiply_8, 1664525),                                          \
      "unsigned char: cut to 8 bits after each step")

#define WAY(id, text, what, meaning_text) [WAY_##id] = {what},
#define WAY_ENUM(id, text, what, meaning_text) WAY_##id,
enum { WAYS(WAY_ENUM) };
static const struct way ways[] = {WAYS(WAY)};

static const struct way *way_of(const struct workload_case *c)
{
    return &ways[c->variant->tag];
}

static bool is_counter(const struct way *way)
{
    return !way->term && !way->step && !way->whole;
}

static uint64_t math_loads(const struct workload_case *c)
{
    return is_counter(way_of(c)) ? ROUNDS : 1;
}

static uint64_t math_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return (at->block[0] * (uint64_t)BLOCK + access_thread(at) + at->i * STRIDE) * sizeof(float);
}

/* sin-large: the library's table of the bits of 2 / pi, of which each reduction reads 6 words. */
#define TABLE_WORDS 6
static uint64_t table_loads(const struct workload_case *c)
{
    return c->variant->tag == WAY_sin_large ? TABLE_WORDS * ROUNDS : 0;
}

static uint64_t table_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return at->i % TABLE_WORDS * sizeof(uint32_t);
}

static const struct access_site sites[] = {
    SITE_PER_TURN("in[i + k * stride]", ACCESS_GLOBAL, ACCESS_LOAD, 4, math_loads, math_address),
    SITE_PER_TURN("bits of 2 / pi", ACCESS_GLOBAL, ACCESS_LOAD, 4, table_loads, table_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, math_address),
};

#define VARIANT(id, text, what, meaning_text) \
    {.name = text, .meaning = meaning_text, .tag = WAY_##id, ONE_KERNEL("math_" #id, sites)},
static const struct workload_variant variants[] = {WAYS(VARIANT)};

static enum status math_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c) / 8;
    return case_grid_of_threads(c, *n, BLOCK, 0, error);
}

/* The words of a block; the same for every block. */
static float float_at(size_t i)
{
    return 1 + (float)(i % BLOCK) / BLOCK;
}

static uint32_t whole_at(size_t i)
{
    return (uint32_t)(i % BLOCK + 1) * 0x9e3779b9u;
}

static void math_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    const struct way *way = way_of(c);
    bool floats = way->term || way->step;

    for (size_t i = 0; i < size_bytes / sizeof(float); i++)
        if (floats)
            ((float *)bytes)[i] = float_at(i);
        else
            ((uint32_t *)bytes)[i] = whole_at(i);
}

static float float_wanted(const struct way *way, size_t i)
{
    float x = float_at(i);
    double sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        sum += way->term ? way->term((double)x) : 0;
        x = way->term ? x + 0.0078125f : way->step(x);
    }
    return way->term ? (float)sum : x;
}

/* What the kernel would give without rounding. */
static double exact_wanted(const struct way *way, size_t i)
{
    double x = (double)float_at(i), sum = 0;
    bool as_doubles = way->step == double_step;

    for (int round = 0; round < ROUNDS; round++) {
        sum += way->term ? way->term(x) : 0;
        x = way->term ? x + 0.0078125 : as_doubles ? x * 0.7 + 0.4 : x * (double)0.7f + (double)0.4f;
    }
    return way->term ? sum : x;
}

/* The largest error of a block's results, in units of their last place. */
static void error_tell(const struct way *way, const float found[BLOCK], struct workbench *bench)
{
    double most = 0;
    char text[80];

    for (size_t i = 0; i < BLOCK; i++) {
        double exact = exact_wanted(way, i);

        most = fmax(most, fabs((double)found[i] - exact) / ldexp(1, ilogb(exact) - 23));
    }
    snprintf(text, sizeof text, "%.2f ulp off at most", most);
    workbench_tell(bench, WORKBENCH_MARK, text);
}

static uint32_t whole_wanted(const struct way *way, size_t i)
{
    uint32_t x = whole_at(i), sum = 0;

    for (size_t round = 0; round < ROUNDS; round++) {
        sum += whole_at(i + round * STRIDE);
        x = way->whole ? way->whole(x, way->argument) : x;
    }
    return way->whole ? x : sum;
}

static void math_verify(const struct workload_case *c, const void *output, struct workload_result *result)
{
    const struct way *way = way_of(c);
    float floats[BLOCK];
    uint32_t whole[BLOCK];

    for (size_t i = 0; i < BLOCK; i++)
        if (way->term || way->step)
            floats[i] = float_wanted(way, i);
        else
            whole[i] = whole_wanted(way, i);
    for (size_t first = 0; first < (size_t)c->params.value[PARAM_N]; first += BLOCK) {
        const float *found = (const float *)output + first;
        bool right =
            way->term ? verify_close("out", first, found, floats, BLOCK, way->tolerance, result)
                      : verify_words("out", first, found, way->step ? (void *)floats : whole, BLOCK, result);
        if (!right)
            return;
    }
    result->verified = 1;
}

static enum status math_run(const struct workload_case *c, struct workbench *bench,
                            struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N], more = is_counter(way_of(c)) ? ROUNDS * STRIDE : 0;
    uint32_t argument = way_of(c)->argument, count = ROUNDS;
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = (n + more) * sizeof(float), .fill = math_fill},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "math",
                   .kernel = c->effective_kernel,
                   .arguments =
                       (void *[]){&single.array[1].pointer, &single.array[0].pointer, &argument, &count}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        math_verify(c, single.array[1].output, result);
    if (status == STATUS_OK && (way_of(c)->term || way_of(c)->step))
        error_tell(way_of(c), single.array[1].output, bench);
    return status;
}

const struct workload workload_math = {
    .name = "math",
    .chapter = CHAPTER_EXECUTION,
    .title = "Expensive and cheap ways to the same arithmetic",
    .words = "fast math use_fast_math intrinsics double FP64 FP32 sqrt division modulo SFU throughput "
             "compute bound roofline",
    .meaning = "Functions and intrinsics, double constants, division, powers, loop counters: the same result "
               "in an expensive and in a cheap way",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = math_resolve,
    .run = math_run,
};
