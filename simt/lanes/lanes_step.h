/*
 * How the steps of simt/lanes/step.h are written. From a row of a table (simt/lanes/lanes_ops.h) STEP1, STEP2
 * and STEP3 make functions of the same expression, STEPS1 ... their entry in a table of steps.
 *
 * A step leaves its result in vector registers: they are arguments of the next step, whose call, the last
 * thing that a step does, compilers make a jump. There is a function for each source that may be found in
 * them in place of the frame. Arrays here are such registers: compilers keep them in no memory.
 */
#ifndef SIMT_LANES_LANES_STEP_H
#define SIMT_LANES_LANES_STEP_H

#include "simt/lanes/lanes_ops.h"
#include "simt/lanes/step.h"

/* The registers that can be arguments hold 256 bytes; with SSE 128, so that there no step has a result of 64
 * bits. */
#if defined(__AVX512F__)
#define HELD_VECTOR 64
#define HELD_EACH(X, bytes) X(0, bytes) X(1, bytes) X(2, bytes) X(3, bytes)
#define HELD held x0, held x1, held x2, held x3
#define HELD_PASSED x0, x1, x2, x3
#else
#define HELD_EACH(X, bytes) \
    X(0, bytes) X(1, bytes) X(2, bytes) X(3, bytes) X(4, bytes) X(5, bytes) X(6, bytes) X(7, bytes)
#define HELD held x0, held x1, held x2, held x3, held x4, held x5, held x6, held x7
#define HELD_PASSED x0, x1, x2, x3, x4, x5, x6, x7
#if defined(__AVX2__)
#define HELD_VECTOR 32
#else
#define HELD_VECTOR 16
#endif
#endif
#if HELD_VECTOR > 16
#define STEP_OF_64_BITS(...) __VA_ARGS__
#else
#define STEP_OF_64_BITS(...)
#endif

typedef uint32_t held __attribute__((vector_size(HELD_VECTOR), may_alias));
typedef void step_held(const struct program_step *step, uint8_t *frame, uint32_t active, HELD);

#define STEP(name)                                                                            \
    static __attribute__((unused)) void name(const struct program_step *step, uint8_t *frame, \
                                             uint32_t active, HELD)
#define STEP_NEXT ((step_held *)step[1].run)(step + 1, frame, active, HELD_PASSED)

#define HELD_SAVE(i, bytes)        \
    if (i * HELD_VECTOR < (bytes)) \
        memcpy((uint8_t *)saved + i * HELD_VECTOR, &x##i, HELD_VECTOR);
#define HELD_LOAD(i, bytes)        \
    if (i * HELD_VECTOR < (bytes)) \
        memcpy(&x##i, (uint8_t *)result + i * HELD_VECTOR, HELD_VECTOR);
#define HELD_STORE(i, bytes)       \
    if (i * HELD_VECTOR < (bytes)) \
        *(held *)(void *)(to + i * HELD_VECTOR) = x##i;

/* Stores the lanes of `active` of what is held; then the next step. */
#define STEP_SOME(bits)                                                          \
    __attribute__((noinline)) STEP(step_some_##bits)                             \
    {                                                                            \
        uint##bits##_t saved[LANES_WARP] __attribute__((aligned(64)));           \
        HELD_EACH(HELD_SAVE, sizeof saved)                                       \
        lanes_blend_##bits(lanes_slot(frame, step->destination), saved, active); \
        STEP_NEXT;                                                               \
    }
STEP_SOME(32)
STEP_OF_64_BITS(STEP_SOME(64))

/* ... of floats some of which are NaNs. */
__attribute__((noinline, cold)) STEP(step_mend_F32)
{
    uint32_t saved[LANES_WARP] __attribute__((aligned(64))), *const result = saved;
    HELD_EACH(HELD_SAVE, sizeof saved)
    lanes_make_nan_32(result);
    HELD_EACH(HELD_LOAD, sizeof saved)
    step_some_32(step, frame, active, HELD_PASSED);
}

/* For each type of a result: whether there are such steps; the function for some of the lanes, and what needs
 * one that mends. */
#define STEP_IF_F32(...) __VA_ARGS__
#define STEP_IF_U32(...) __VA_ARGS__
#define STEP_IF_U64(...) STEP_OF_64_BITS(__VA_ARGS__)
#define step_some_F32 step_some_32
#define step_some_U32 step_some_32
#define step_some_U64 step_some_64
#define STEP_MEND_U32
#define STEP_MEND_U64
#define STEP_MEND_F32                                                                        \
    if (__builtin_expect(lanes_have_nan_32((const lanes_float *)(const void *)result), 0)) { \
        step_mend_F32(step, frame, active, HELD_PASSED);                                     \
        return;                                                                              \
    }

#define STEP_FUNCTION(name, D, held_bytes, sources, values, expression) \
    STEP(name)                                                          \
    {                                                                   \
        uint8_t saved[256] __attribute__((aligned(64), unused));        \
        ELEMENT_##D result[LANES_WARP] __attribute__((aligned(64)));    \
        HELD_EACH(HELD_SAVE, held_bytes)                                \
        sources;                                                        \
        LANES_LOOP                                                      \
        {                                                               \
            values;                                                     \
            result[lane] = lanes_raw_##D(expression);                   \
        }                                                               \
        HELD_EACH(HELD_LOAD, sizeof result)                             \
        STEP_MEND_##D if (__builtin_expect(active != LANES_ALL, 0))     \
        {                                                               \
            step_some_##D(step, frame, active, HELD_PASSED);            \
            return;                                                     \
        }                                                               \
        uint8_t *const to = lanes_slot(frame, step->destination);       \
        HELD_EACH(HELD_STORE, sizeof result)                            \
        STEP_NEXT;                                                      \
    }

#define STEP_SLOT(T, x, index) const SLOT_##T *const from_##x = lanes_slot(frame, step->source[index])
#define STEP_HELD(T, x) const SLOT_##T *const from_##x = (const SLOT_##T *)(const void *)saved
#define STEP_BYTES(T) (LANES_WARP * sizeof(SLOT_##T))

/* a_from, b_from, c_from: STEP_SLOT or STEP_HELD. */
#define STEP_OF_1(name, D, A, bytes, a_from, e) STEP_FUNCTION(name, D, bytes, a_from, LANES_VALUE(A, a), e)
#define STEP_OF_2(name, D, A, B, bytes, a_from, b_from, e) \
    STEP_FUNCTION(name, D, bytes, a_from; b_from, LANES_VALUE(A, a); LANES_VALUE(B, b), e)
#define STEP_OF_3(name, D, A, B, C, bytes, a_from, b_from, c_from, e)                           \
    STEP_FUNCTION(name, D, bytes, a_from; b_from; c_from, LANES_VALUE(A, a); LANES_VALUE(B, b); \
                  LANES_VALUE(C, c), e)

/* clang-format off */ /* one line per function */
#define STEP1(name, form, kind, D, A, e)                                                                          \
    STEP_IF_##D(                                                                                                  \
        STEP_OF_1(name##_step, D, A, 0, STEP_SLOT(A, a, 0), e)                                                    \
        STEP_OF_1(name##_step_a, D, A, STEP_BYTES(A), STEP_HELD(A, a), e))
#define STEP2(name, form, kind, D, A, B, e)                                                                       \
    STEP_IF_##D(                                                                                                  \
        STEP_OF_2(name##_step, D, A, B, 0, STEP_SLOT(A, a, 0), STEP_SLOT(B, b, 1), e)                             \
        STEP_OF_2(name##_step_a, D, A, B, STEP_BYTES(A), STEP_HELD(A, a), STEP_SLOT(B, b, 1), e)                  \
        STEP_OF_2(name##_step_b, D, A, B, STEP_BYTES(B), STEP_SLOT(A, a, 0), STEP_HELD(B, b), e))
#define STEP3(name, form, kind, D, A, B, C, e)                                                                    \
    STEP_IF_##D(                                                                                                  \
        STEP_OF_3(name##_step, D, A, B, C, 0, STEP_SLOT(A, a, 0), STEP_SLOT(B, b, 1), STEP_SLOT(C, c, 2), e)      \
        STEP_OF_3(name##_step_a, D, A, B, C, STEP_BYTES(A), STEP_HELD(A, a), STEP_SLOT(B, b, 1), STEP_SLOT(C, c, 2), e) \
        STEP_OF_3(name##_step_b, D, A, B, C, STEP_BYTES(B), STEP_SLOT(A, a, 0), STEP_HELD(B, b), STEP_SLOT(C, c, 2), e) \
        STEP_OF_3(name##_step_c, D, A, B, C, STEP_BYTES(C), STEP_SLOT(A, a, 0), STEP_SLOT(B, b, 1), STEP_HELD(C, c), e))

#define STEP_FORM(name, last) (step_function *)name##_step##last
#define STEPS1(name, form, kind, D, A, e)                                                                         \
    STEP_IF_##D({name, {STEP_FORM(name, ), STEP_FORM(name, _a)}, 1, sizeof(ELEMENT_##D), {sizeof(SLOT_##A)}},)
#define STEPS2(name, form, kind, D, A, B, e)                                                                      \
    STEP_IF_##D({name, {STEP_FORM(name, ), STEP_FORM(name, _a), STEP_FORM(name, _b)}, 2, sizeof(ELEMENT_##D),     \
                 {sizeof(SLOT_##A), sizeof(SLOT_##B)}},)
#define STEPS3(name, form, kind, D, A, B, C, e)                                                                   \
    STEP_IF_##D({name, {STEP_FORM(name, ), STEP_FORM(name, _a), STEP_FORM(name, _b), STEP_FORM(name, _c)}, 3,     \
                 sizeof(ELEMENT_##D), {sizeof(SLOT_##A), sizeof(SLOT_##B), sizeof(SLOT_##C)}},)
/* clang-format on */
#define NO_ROW(...)

#endif
