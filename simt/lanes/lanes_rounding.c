/*
 * Arithmetic with .rz, .rm, .rp and with .sat. It is rare, so it runs lane by lane, in the processor's own
 * rounding mode. Compiled once, with -frounding-math; operands and results are volatile, so that compilers do
 * not move them across the calls that set the mode.
 */
#include "simt/lanes/lanes_ops.h"

#include <fenv.h>
#include <math.h>

static const int rounding_mode[] = {
    [LANES_RN] = FE_TONEAREST, [LANES_RZ] = FE_TOWARDZERO, [LANES_RM] = FE_DOWNWARD, [LANES_RP] = FE_UPWARD};

/* Applies .ftz and .sat to a result and returns its bits. */
static uint32_t finish_f32(float value, uint32_t modifiers)
{
    const float flushed = (modifiers & LANES_FTZ) != 0 ? lanes_load_F32Z(value) : value;
    const float saturated = flushed > 0 ? (flushed < 1.0f ? flushed : 1.0f) : 0;
    return lanes_store_F32((modifiers & LANES_SAT) != 0 ? saturated : flushed);
}

static uint64_t finish_f64(double value, uint32_t modifiers)
{
    (void)modifiers; /* f64 has neither .ftz nor .sat */
    return lanes_store_F64(value);
}

static float source_f32(float value, uint32_t modifiers)
{
    return (modifiers & LANES_FTZ) != 0 ? lanes_load_F32Z(value) : value;
}

static double source_f64(double value, uint32_t modifiers)
{
    (void)modifiers;
    return value;
}

/* A function of `sources` operands, named a, b, c; the remaining slots are not read. */
#define ROUNDING_FUNCTION(name, T, type, suffix, sources, expression)                                \
    static void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                \
        const uint32_t m = instruction->immediate;                                                   \
        ELEMENT_##T *const destination = lanes_slot(frame, instruction->destination[0]);             \
        volatile type results[LANES_WARP];                                                           \
        const int mode_before = fegetround();                                                        \
        fesetround(rounding_mode[LANES_ROUNDING(m) & 3]);                                            \
        for (uint32_t left = active; left != 0; left &= left - 1) {                                  \
            const uint32_t lane = (uint32_t)__builtin_ctz(left);                                     \
            volatile type operands[3] = {0};                                                         \
            for (uint32_t i = 0; i < (sources); i++)                                                 \
                operands[i] = source_##suffix((LANES_SOURCE(T, i))[lane], m);                        \
            const type a = operands[0], b = operands[1], c = operands[2];                            \
            (void)b;                                                                                 \
            (void)c;                                                                                 \
            results[lane] = expression;                                                              \
        }                                                                                            \
        fesetround(mode_before);                                                                     \
        for (uint32_t left = active; left != 0; left &= left - 1) {                                  \
            const uint32_t lane = (uint32_t)__builtin_ctz(left);                                     \
            destination[lane] = finish_##suffix(results[lane], m);                                   \
        }                                                                                            \
    }

/* clang-format off */ /* one row per function */
#define ROUNDING_LIST(F, D)                                                          \
    F(add_f32, "add[.rn|.rz|.rm|.rp|][.ftz|][.sat|].f32", FLOAT, 2, a + b)           \
    F(sub_f32, "sub[.rn|.rz|.rm|.rp|][.ftz|][.sat|].f32", FLOAT, 2, a - b)           \
    F(mul_f32, "mul[.rn|.rz|.rm|.rp|][.ftz|][.sat|].f32", FLOAT, 2, a *b)            \
    F(fma_f32, "[fma|mad].[rn|rz|rm|rp][.ftz|][.sat|].f32", FLOAT, 3, fmaf(a, b, c)) \
    F(div_f32, "div.[rz|rm|rp][.ftz|].f32", FLOAT, 2, a / b)                         \
    F(rcp_f32, "rcp.[rz|rm|rp][.ftz|].f32", SPECIAL_FUNCTION, 1, 1.0f / a)           \
    F(sqrt_f32, "sqrt.[rz|rm|rp][.ftz|].f32", SPECIAL_FUNCTION, 1, sqrtf(a))         \
    D(add_f64, "add.[rz|rm|rp].f64", DOUBLE, 2, a + b)                               \
    D(sub_f64, "sub.[rz|rm|rp].f64", DOUBLE, 2, a - b)                               \
    D(mul_f64, "mul.[rz|rm|rp].f64", DOUBLE, 2, a *b)                                \
    D(fma_f64, "[fma|mad].[rz|rm|rp].f64", DOUBLE, 3, fma(a, b, c))                  \
    D(div_f64, "div.[rz|rm|rp].f64", DOUBLE, 2, a / b)                               \
    D(rcp_f64, "rcp.[rz|rm|rp].f64", DOUBLE, 1, 1.0 / a)                             \
    D(sqrt_f64, "sqrt.[rz|rm|rp].f64", DOUBLE, 1, sqrt(a))
/* clang-format on */

#define DEFINE_F32(name, form, kind, sources, expression) \
    ROUNDING_FUNCTION(name, F32, float, f32, sources, expression)
#define DEFINE_F64(name, form, kind, sources, expression) \
    ROUNDING_FUNCTION(name, F64, double, f64, sources, expression)
ROUNDING_LIST(DEFINE_F32, DEFINE_F64)

#define OPERANDS_1(type) \
    {                    \
        type, type       \
    }
#define OPERANDS_2(type) \
    {                    \
        type, type, type \
    }
#define OPERANDS_3(type)       \
    {                          \
        type, type, type, type \
    }
#define ENTRY_F32(name, form, kind, sources, expression) \
    {form, name, CLASS_##kind, 1, OPERANDS_##sources(PTX_F32)},
#define ENTRY_F64(name, form, kind, sources, expression) \
    {form, name, CLASS_##kind, 1, OPERANDS_##sources(PTX_F64)},

const struct lanes_entry lanes_rounding[] = {ROUNDING_LIST(ENTRY_F32, ENTRY_F64){0}};
