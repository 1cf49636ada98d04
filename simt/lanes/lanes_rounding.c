/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic with .rz, .rm, .rp and with .sat. It is rare, so it runs lane by lane, in the processor's own
 * rounding mode. Compiled once, with -frounding-math; operands and results are volatile, so that compilers do
 * not move them across the calls that set the mode.
 */
#include "simt/lanes/lanes_ops.h"

#include <fenv.h>
#include <math.h>

/* ---- arithmetic with another rounding ---- */

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

/* ---- conversions ---- */

/*
 * cvt between any two types, with any rounding, .ftz, .sat, .relu and .satfinite, and between registers wider
 * than its types: PTX ISA 9.0, 9.7.9.21. It is rare, so it runs lane by lane, with integer arithmetic only: a
 * number is split into sign, mantissa and exponent and assembled in the other format. Compiled once.
 */

__extension__ typedef unsigned __int128 unsigned_128;

struct number {
    enum { NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN } kind;
    bool negative;
    uint64_t mantissa; /* value = mantissa x 2^exponent */
    int32_t exponent;
};

struct float_format {
    uint32_t precision; /* bits of the mantissa including the hidden one */
    int32_t least;      /* exponent of the smallest normal number */
    uint32_t bits;      /* number of bits, without the sign */
    uint32_t shift;     /* number of zero bits below the value in the register: tf32 */
    uint64_t nan;
    bool finite; /* no infinity: the largest magnitude is the NaN */
};

static const struct float_format format_f16 = {11, -14, 16, 0, 0x7fff, false};
static const struct float_format format_bf16 = {8, -126, 16, 0, 0x7fff, false};
static const struct float_format format_tf32 = {11, -126, 19, 13, 0x3ffff, false};
static const struct float_format format_f32 = {24, -126, 32, 0, 0x7fffffff, false};
static const struct float_format format_f64 = {53, -1022, 64, 0, UINT64_C(0xfff8000000000000), false};

static const struct float_format format_e4m3 = {4, -6, 8, 0, 0x7f, true};
static const struct float_format format_e5m2 = {3, -14, 8, 0, 0x7f, false};

static const struct float_format *format_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2: return &format_f16;
    case PTX_BF16:
    case PTX_BF16X2: return &format_bf16;
    case PTX_B32: return &format_tf32;
    case PTX_F32: return &format_f32;
    case PTX_F64: return &format_f64;
    default: return NULL;
    }
}

static bool is_signed(enum ptx_type type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

static uint64_t low_bits(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static uint64_t infinity_of(const struct float_format *format)
{
    return format->finite ? format->nan
                          : low_bits(format->bits - format->precision) << (format->precision - 1);
}

static struct number number_of_float(uint64_t bits, const struct float_format *format)
{
    const uint64_t fraction = bits & low_bits(format->precision - 1);
    const uint64_t magnitude = bits & low_bits(format->bits - 1);
    const int32_t biased = (int32_t)(magnitude >> (format->precision - 1));
    struct number number = {.negative = (bits >> (format->bits - 1) & 1) != 0};
    if (magnitude >= infinity_of(format)) {
        number.kind = magnitude > infinity_of(format) || format->finite ? NUMBER_NAN : NUMBER_INFINITE;
        return number;
    }
    number.mantissa = biased == 0 ? fraction : fraction | (uint64_t)1 << (format->precision - 1);
    number.exponent = (biased == 0 ? 1 : biased) - 1 + format->least - (int32_t)(format->precision - 1);
    return number;
}

static struct number number_of_integer(uint64_t bits, enum ptx_type type)
{
    const uint32_t width = 8 * ptx_type_bytes(type);
    const uint64_t value = bits & low_bits(width);
    const bool negative = is_signed(type) && (value >> (width - 1) & 1) != 0;
    return (struct number){.negative = negative,
                           .mantissa = negative ? (0 - value) & low_bits(width) : value};
}

/* mantissa / 2^shift, rounded to an integer. */
static uint64_t shift_right(const struct number *number, uint32_t shift, enum lanes_rounding rounding)
{
    const uint32_t count = shift > 100 ? 100 : shift;
    const unsigned_128 mantissa = number->mantissa, one = 1;
    const uint64_t quotient = (uint64_t)(mantissa >> count);
    const unsigned_128 rest = mantissa & ((one << count) - 1);
    const unsigned_128 half = count == 0 ? 0 : one << (count - 1);
    bool up = false;
    switch (rounding) {
    case LANES_RN: up = rest > half || (rest == half && rest != 0 && (quotient & 1) != 0); break;
    case LANES_RNA: up = rest >= half && rest != 0; break;
    case LANES_RZ: break;
    case LANES_RM: up = number->negative && rest != 0; break;
    case LANES_RP: up = !number->negative && rest != 0; break;
    }
    return quotient + up;
}

static uint64_t float_of_number(const struct number *number, const struct float_format *format,
                                enum lanes_rounding rounding, bool satfinite)
{
    const uint64_t sign = (uint64_t)number->negative << (format->bits - 1);
    const uint64_t infinity = infinity_of(format);
    const bool away = rounding == LANES_RN || rounding == LANES_RNA ||
                      (number->negative ? rounding == LANES_RM : rounding == LANES_RP);
    const uint64_t too_large = !satfinite && away ? infinity : infinity - 1;
    if (number->kind == NUMBER_NAN)
        return format->nan;
    if (number->kind == NUMBER_INFINITE)
        return sign | (satfinite ? infinity - 1 : infinity);
    if (number->mantissa == 0)
        return sign;
    const int32_t top = 63 - __builtin_clzll(number->mantissa) + number->exponent;
    const int32_t exponent = top < format->least ? format->least : top;
    const int32_t last = exponent - (int32_t)(format->precision - 1); /* exponent of the result's last bit */
    if (exponent - format->least >= 1 << (format->bits - format->precision))
        return sign | too_large;
    const uint64_t mantissa = last <= number->exponent
                                  ? number->mantissa << (number->exponent - last)
                                  : shift_right(number, (uint32_t)(last - number->exponent), rounding);
    /* The hidden bit adds one to the exponent, and so does a carry out of the mantissa. */
    const uint64_t bits = mantissa + ((uint64_t)(exponent - format->least) << (format->precision - 1));
    return sign | (bits >= infinity ? too_large : bits);
}

/* Rounded to an integer and clamped to the type's range. */
static uint64_t integer_of_number(const struct number *number, enum ptx_type type,
                                  enum lanes_rounding rounding)
{
    const uint32_t width = 8 * ptx_type_bytes(type);
    const uint64_t most = is_signed(type) ? low_bits(width - 1) : low_bits(width);
    const uint64_t least = is_signed(type) ? most + 1 : 0; /* magnitude of the smallest value */
    uint64_t magnitude = UINT64_MAX;
    if (number->kind == NUMBER_FINITE && number->exponent <= 0)
        magnitude = shift_right(number, (uint32_t)-number->exponent, rounding);
    else if (number->kind == NUMBER_FINITE && number->mantissa == 0)
        magnitude = 0;
    else if (number->kind == NUMBER_FINITE && number->exponent < 64 &&
             number->mantissa >> (64 - number->exponent) == 0)
        magnitude = number->mantissa << number->exponent;
    if (number->negative)
        return 0 - (magnitude > least ? least : magnitude);
    return magnitude > most ? most : magnitude;
}

/* .sat of a float: clamps to 0 ... 1; NaN becomes 0. */
static struct number saturate_number(struct number number)
{
    const struct number one = {.mantissa = 1};
    if (number.kind == NUMBER_NAN || number.negative)
        return (struct number){0};
    const bool above = number.kind == NUMBER_INFINITE ||
                       (number.mantissa != 0 && 63 - __builtin_clzll(number.mantissa) + number.exponent >= 0);
    return above ? one : number;
}

/* Converts one value: bits of the source to bits of the result, not yet extended to its register. */
static uint64_t convert_bits(uint64_t bits, enum ptx_type to, enum ptx_type from, uint32_t modifiers)
{
    const struct float_format *const source = format_of(from), *const result = format_of(to);
    const enum lanes_rounding rounding = LANES_ROUNDING(modifiers);
    const bool flush = (modifiers & LANES_FTZ) != 0;
    const uint64_t value = flush && from == PTX_F32 ? lanes_flush_bits((uint32_t)bits) : bits;
    struct number number = source ? number_of_float(value, source) : number_of_integer(value, from);
    if (!result) {
        if (!source && (modifiers & LANES_SAT) == 0)
            return number.negative ? 0 - number.mantissa : number.mantissa;
        if (number.kind == NUMBER_NAN) {
            const bool zero = from != PTX_F64 && ptx_type_bytes(to) < 8;
            return zero ? 0 : (uint64_t)1 << (8 * ptx_type_bytes(to) - 1);
        }
        return integer_of_number(&number, to, rounding);
    }
    if ((modifiers & LANES_TO_INTEGER) != 0 && number.kind == NUMBER_FINITE && number.exponent < 0) {
        number.mantissa = shift_right(&number, (uint32_t)-number.exponent, rounding);
        number.exponent = 0;
    }
    if ((modifiers & LANES_SAT) != 0)
        number = saturate_number(number);
    if ((modifiers & LANES_RELU) != 0 && number.negative && number.kind != NUMBER_NAN)
        number = (struct number){0};
    const uint64_t plain = float_of_number(&number, result, rounding, (modifiers & LANES_SATFINITE) != 0);
    return flush && to == PTX_F32 ? lanes_flush_bits((uint32_t)plain) : plain << result->shift;
}

static uint64_t load_bits(uint8_t *frame, uint32_t slot, uint32_t lane, bool wide)
{
    return wide ? ((const uint64_t *)lanes_slot(frame, slot))[lane]
                : ((const uint32_t *)lanes_slot(frame, slot))[lane];
}

static void cvt_any(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const uint32_t modifiers = instruction->immediate;
    const enum ptx_type to = LANES_TYPE(modifiers), from = LANES_SECOND_TYPE(modifiers);
    const uint32_t width = 8 * ptx_type_bytes(to);
    const uint64_t whole = low_bits(8 * LANES_DESTINATION_BYTES(modifiers));
    for (uint32_t left = active; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const bool wide_source = (modifiers & LANES_WIDE_SOURCE) != 0;
        const uint64_t bits = load_bits(frame, instruction->source[0], lane, wide_source);
        const uint64_t value = convert_bits(bits, to, from, modifiers) & low_bits(width);
        const bool negative = is_signed(to) && (value >> (width - 1) & 1) != 0;
        const uint64_t extended = (negative ? value | ~low_bits(width) : value) & whole;
        if (LANES_DESTINATION_BYTES(modifiers) == 8)
            ((uint64_t *)lanes_slot(frame, instruction->destination[0]))[lane] = extended;
        else
            ((uint32_t *)lanes_slot(frame, instruction->destination[0]))[lane] = (uint32_t)extended;
    }
}

/* cvt...f16x2.f32 d, a, b: a in the upper half, b in the lower. */
static void cvt_pair(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const uint32_t modifiers = instruction->immediate;
    const enum ptx_type to = LANES_TYPE(modifiers);
    uint32_t *const destination = lanes_slot(frame, instruction->destination[0]);
    for (uint32_t left = active; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t a =
            convert_bits(load_bits(frame, instruction->source[0], lane, false), to, PTX_F32, modifiers);
        const uint64_t b =
            convert_bits(load_bits(frame, instruction->source[1], lane, false), to, PTX_F32, modifiers);
        destination[lane] = (uint32_t)(a << 16 | b);
    }
}

/* Two floats, the upper first, to two of the other format. */
static uint32_t convert_two(const uint64_t bits[2], const struct float_format *from,
                            const struct float_format *to, uint32_t modifiers)
{
    uint64_t results[2];
    for (int i = 0; i < 2; i++) {
        struct number number = number_of_float(bits[i], from);
        if ((modifiers & LANES_RELU) != 0 && number.negative && number.kind != NUMBER_NAN)
            number = (struct number){0};
        results[i] = float_of_number(&number, to, LANES_RN, (modifiers & LANES_SATFINITE) != 0);
    }
    return (uint32_t)(results[0] << to->bits | results[1]);
}

/* cvt...e4m3x2.f32 d, a, b: a in the upper byte, b in the lower. */
static void cvt_bytes_of_floats(const struct program_instruction *instruction, uint8_t *frame,
                                uint32_t active, const struct float_format *format)
{
    uint32_t *const destination = lanes_slot(frame, instruction->destination[0]);
    for (uint32_t left = active; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t bits[2] = {load_bits(frame, instruction->source[0], lane, false),
                                  load_bits(frame, instruction->source[1], lane, false)};
        destination[lane] = convert_two(bits, &format_f32, format, instruction->immediate);
    }
}

/* cvt...e4m3x2.f16x2 d, a and cvt...f16x2.e4m3x2 d, a. */
static void cvt_both(const struct program_instruction *instruction, uint8_t *frame, uint32_t active,
                     const struct float_format *to, const struct float_format *from)
{
    uint32_t *const destination = lanes_slot(frame, instruction->destination[0]);
    for (uint32_t left = active; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t source = load_bits(frame, instruction->source[0], lane, false);
        const uint64_t bits[2] = {source >> from->bits & low_bits(from->bits), source & low_bits(from->bits)};
        destination[lane] = convert_two(bits, from, to, instruction->immediate);
    }
}

#define DEFINE_BYTES(name)                                                                      \
    static void cvt_##name##_f32(const struct program_instruction *instruction, uint8_t *frame, \
                                 uint32_t active)                                               \
    {                                                                                           \
        cvt_bytes_of_floats(instruction, frame, active, &format_##name);                        \
    }                                                                                           \
    static void cvt_##name##_f16(const struct program_instruction *instruction, uint8_t *frame, \
                                 uint32_t active)                                               \
    {                                                                                           \
        cvt_both(instruction, frame, active, &format_##name, &format_f16);                      \
    }                                                                                           \
    static void cvt_f16_##name(const struct program_instruction *instruction, uint8_t *frame,   \
                               uint32_t active)                                                 \
    {                                                                                           \
        cvt_both(instruction, frame, active, &format_f16, &format_##name);                      \
    }
DEFINE_BYTES(e4m3)
DEFINE_BYTES(e5m2)

static void cvt_tf32(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const uint32_t modifiers = instruction->immediate;
    uint32_t *const destination = lanes_slot(frame, instruction->destination[0]);
    for (uint32_t left = active; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t bits = load_bits(frame, instruction->source[0], lane, false);
        destination[lane] = (uint32_t)convert_bits(bits, PTX_B32, PTX_F32, modifiers);
    }
}

#define INTEGERS "[u8|s8|u16|s16|u32|s32|u64|s64]"
#define FLOATS "[f16|bf16|f32|f64]"

/* A rounding is allowed only where the result type cannot hold every value of the source type. */
const struct lanes_entry lanes_convert_any[] = {
    {"cvt.any[.sat|]." INTEGERS "." INTEGERS, cvt_any, CLASS_CONVERT, 1, {0}},
    {"cvt.any.[rni|rzi|rmi|rpi][.ftz|][.sat|]." INTEGERS "." FLOATS, cvt_any, CLASS_CONVERT, 1, {0}},
    {"cvt.any.[rn|rz|rm|rp][.ftz|][.sat|]." FLOATS "." INTEGERS, cvt_any, CLASS_CONVERT, 1, {0}},
    {"cvt.any.[rn|rz|rm|rp][.ftz|][.sat|].f32.f64", cvt_any, CLASS_CONVERT, 1, {0}},
    {"cvt.any.[rn|rz|rm|rp][.ftz|][.relu|][.satfinite|][.sat|].[f16|bf16].[f32|f64]",
     cvt_any,
     CLASS_CONVERT,
     1,
     {0}},
    {"cvt.any.[rn|rz|rm|rp][.sat|].[f16|bf16].[f16|bf16]", cvt_any, CLASS_CONVERT, 1, {0}},
    {"cvt.any[.ftz|][.sat|].[f32|f64].[f16|bf16|f32]", cvt_any, CLASS_CONVERT, 1, {0}},
    {"cvt.any[.sat|].[f16.f16|bf16.bf16|f64.f64]", cvt_any, CLASS_CONVERT, 1, {0}},
    {"cvt.any.[rni|rzi|rmi|rpi][.ftz|][.sat|].[f16.f16|bf16.bf16|f32.f32|f64.f64]",
     cvt_any,
     CLASS_CONVERT,
     1,
     {0}},
    {"cvt.[rn|rz][.relu|][.satfinite|].f16x2.f32", cvt_pair, CLASS_CONVERT, 1, {PTX_F16X2, PTX_F32, PTX_F32}},
    {"cvt.[rn|rz][.relu|][.satfinite|].bf16x2.f32",
     cvt_pair,
     CLASS_CONVERT,
     1,
     {PTX_BF16X2, PTX_F32, PTX_F32}},
    {"cvt.rn.satfinite[.relu|].e4m3x2.f32", cvt_e4m3_f32, CLASS_CONVERT, 1, {PTX_B16, PTX_F32, PTX_F32}},
    {"cvt.rn.satfinite[.relu|].e4m3x2.f16x2", cvt_e4m3_f16, CLASS_CONVERT, 1, {PTX_B16, PTX_F16X2}},
    {"cvt.rn[.relu|].f16x2.e4m3x2", cvt_f16_e4m3, CLASS_CONVERT, 1, {PTX_F16X2, PTX_B16}},
    {"cvt.rn.satfinite[.relu|].e5m2x2.f32", cvt_e5m2_f32, CLASS_CONVERT, 1, {PTX_B16, PTX_F32, PTX_F32}},
    {"cvt.rn.satfinite[.relu|].e5m2x2.f16x2", cvt_e5m2_f16, CLASS_CONVERT, 1, {PTX_B16, PTX_F16X2}},
    {"cvt.rn[.relu|].f16x2.e5m2x2", cvt_f16_e5m2, CLASS_CONVERT, 1, {PTX_F16X2, PTX_B16}},
    {"cvt.rna[.satfinite|].tf32.f32", cvt_tf32, CLASS_CONVERT, 1, {PTX_B32, PTX_F32}},
    {"cvt.[rn|rz][.satfinite|][.relu|].tf32.f32", cvt_tf32, CLASS_CONVERT, 1, {PTX_B32, PTX_F32}},
    {0}};
