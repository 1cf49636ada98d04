/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves, packing and unpacking of vectors, and the windows of the generic address space: PTX
 * ISA 9.0, 9.7.9.3, .4, .19 and .20.
 */
#include "simt/lanes/lanes_ops.h"
#include "simt/lanes/program.h"

static void mov_pred(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const uint32_t value = *lanes_predicate(frame, instruction->source[0]);
    lanes_predicate_set(frame, instruction->destination[0], active, value);
}

/* Copies one 64-bit half of a 128-bit slot. */
static void copy_half(uint8_t *frame, uint32_t to, uint32_t from, uint32_t active)
{
    lanes_blend_64(lanes_slot(frame, to), lanes_slot(frame, from), active);
}

#define HALF_BYTES \
    (LANES_WARP * sizeof(uint64_t)) /* of a 128-bit slot: the low halves come first, then the high ones */

static void mov_b128(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const uint32_t to = instruction->destination[0], from = instruction->source[0];
    copy_half(frame, to, from, active);
    copy_half(frame, to + HALF_BYTES, from + HALF_BYTES, active);
}

static void pack_b128_2(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const uint32_t to = instruction->destination[0];
    copy_half(frame, to, instruction->source[0], active);
    copy_half(frame, to + HALF_BYTES, instruction->source[1], active);
}

static void unpack_b128_2(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const uint32_t from = instruction->source[0];
    copy_half(frame, instruction->destination[0], from, active);
    copy_half(frame, instruction->destination[1], from + HALF_BYTES, active);
}

/* Joins two 32-bit vectors into a 64-bit one, and splits it. */
static void join_words(uint8_t *frame, uint32_t to, uint32_t low_slot, uint32_t high_slot, uint32_t active)
{
    const uint32_t *const low = lanes_slot(frame, low_slot), *const high = lanes_slot(frame, high_slot);
    uint64_t result[LANES_WARP] __attribute__((aligned(64)));
    LANES_LOOP
    {
        result[lane] = (uint64_t)high[lane] << 32 | low[lane];
    }
    lanes_blend_64(lanes_slot(frame, to), result, active);
}

static void part_32(uint8_t *frame, uint32_t to, uint32_t from_slot, uint32_t shift, uint32_t mask,
                    uint32_t active)
{
    const uint64_t *const from = lanes_slot(frame, from_slot);
    uint32_t result[LANES_WARP] __attribute__((aligned(64)));
    LANES_LOOP
    {
        result[lane] = (uint32_t)(from[lane] >> shift) & mask;
    }
    lanes_blend_32(lanes_slot(frame, to), result, active);
}

static void part_16(uint8_t *frame, uint32_t to, uint32_t from_slot, uint32_t shift, uint32_t mask,
                    uint32_t active)
{
    const uint32_t *const from = lanes_slot(frame, from_slot);
    uint32_t result[LANES_WARP] __attribute__((aligned(64)));
    LANES_LOOP
    {
        result[lane] = from[lane] >> shift & mask;
    }
    lanes_blend_32(lanes_slot(frame, to), result, active);
}

static void pack_b128_4(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const uint32_t to = instruction->destination[0], *const from = instruction->source;
    join_words(frame, to, from[0], from[1], active);
    join_words(frame, to + HALF_BYTES, from[2], from[3], active);
}

static void unpack_b128_4(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t from = instruction->source[0] + (uint32_t)(i / 2 * HALF_BYTES);
        part_32(frame, instruction->destination[i], from, 32 * (i % 2), UINT32_MAX, active);
    }
}

static void unpack_b64_2(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    for (uint32_t i = 0; i < 2; i++)
        part_32(frame, instruction->destination[i], instruction->source[0], 32 * i, UINT32_MAX, active);
}

static void unpack_b64_4(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    for (uint32_t i = 0; i < 4; i++)
        part_32(frame, instruction->destination[i], instruction->source[0], 16 * i, 0xffffu, active);
}

static void unpack_b32_2(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    for (uint32_t i = 0; i < 2; i++)
        part_16(frame, instruction->destination[i], instruction->source[0], 16 * i, 0xffffu, active);
}

static void unpack_b32_4(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    for (uint32_t i = 0; i < 4; i++)
        part_16(frame, instruction->destination[i], instruction->source[0], 8 * i, 0xffu, active);
}

static void unpack_b16_2(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    for (uint32_t i = 0; i < 2; i++)
        part_16(frame, instruction->destination[i], instruction->source[0], 8 * i, 0xffu, active);
}

/* Whether the address is in the window. */
static inline bool in_window(uint64_t address, uint64_t window)
{
    return address - window < MEMORY_WINDOW_BYTES;
}

/* The same of all blocks of the cluster. */
static inline bool in_cluster(uint64_t address)
{
    return address - MEMORY_SHARED_WINDOW < MEMORY_CLUSTER_WINDOW_BYTES;
}

static inline bool in_global(uint64_t address)
{
    return !in_cluster(address) && !in_window(address, MEMORY_LOCAL_WINDOW) &&
           !in_window(address, MEMORY_CONST_WINDOW);
}

#define SPACE_TEST(name, condition)                                                                  \
    static void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                \
        const uint64_t *const from_a = LANES_SOURCE(U64, 0);                                         \
        uint32_t mask = 0;                                                                           \
        LANES_LOOP                                                                                   \
        {                                                                                            \
            mask |= (condition) ? lanes_bit[lane] : 0;                                               \
        }                                                                                            \
        lanes_predicate_set(frame, instruction->destination[0], active, mask);                       \
    }
SPACE_TEST(is_global, in_global(from_a[lane])) /* also in .param's window */
SPACE_TEST(is_shared, in_window(from_a[lane], MEMORY_SHARED_WINDOW))
SPACE_TEST(is_cluster, in_cluster(from_a[lane]))
SPACE_TEST(is_local, in_window(from_a[lane], MEMORY_LOCAL_WINDOW))
SPACE_TEST(is_const, in_window(from_a[lane], MEMORY_CONST_WINDOW))
SPACE_TEST(is_param, in_window(from_a[lane], MEMORY_PARAM_WINDOW))

/* An address of shared memory in the block with this rank of the cluster; the rank of the block that an
 * address belongs to. `own` is the rank of the thread's block, which has one address for each byte. */
static inline uint64_t address_map(uint64_t address, uint32_t rank, uint32_t own)
{
    return (rank == own ? 0 : MEMORY_CLUSTER_ADDRESS(rank)) + address % MEMORY_WINDOW_BYTES;
}

static inline uint32_t address_rank(uint64_t address, uint32_t own)
{
    return address < MEMORY_WINDOW_BYTES ? own : (uint32_t)(address / MEMORY_WINDOW_BYTES) - 1;
}

/* clang-format off */ /* one row per function */
#define MOVE_LIST(X1, X2, X4)                                                                               \
    X1(mov_32, "mov.[b32|u32|s32|f32]", INTEGER, B32, B32, a)                                               \
    X1(mov_64, "mov.[b64|u64|s64|f64]", INTEGER, B64, B64, a)                                               \
    X1(mov_16, "mov.[b16|u16|s16]", INTEGER, B16, B16, a)                                                   \
    X2(pack_b16_2, "mov.pack.b16.2", INTEGER, B16, U8, U8, a | b << 8)                                      \
    X2(pack_b32_2, "mov.pack.b32.2", INTEGER, B32, B16, B16, a | b << 16)                                   \
    X4(pack_b32_4, "mov.pack.b32.4", INTEGER, B32, U8, U8, U8, U8, a | b << 8 | c << 16 | e << 24)          \
    X2(pack_b64_2, "mov.pack.b64.2", INTEGER, B64, B32, B32, a | (uint64_t)b << 32)                         \
    X4(pack_b64_4, "mov.pack.b64.4", INTEGER, B64, B16, B16, B16, B16,                                      \
       (a | b << 16) | (uint64_t)(c | e << 16) << 32)                                                       \
    X4(mapa_64, "mapa.u64", INTEGER, U64, U64, U32, U32, U32, MEMORY_SHARED_WINDOW + address_map(a, b, c + 0 * e)) \
    X4(mapa_shared_64, "mapa.shared::cluster.u64", INTEGER, U64, U64, U32, U32, U32, address_map(a, b, c + 0 * e)) \
    X4(mapa_shared_32, "mapa.shared::cluster.u32", INTEGER, U32, U32, U32, U32, U32, (uint32_t)address_map(a, b, c + 0 * e)) \
    X2(getctarank_64, "getctarank.u64", INTEGER, U32, U64, U32, address_rank(a - MEMORY_SHARED_WINDOW, b))       \
    X2(getctarank_shared_64, "getctarank.shared::cluster.u64", INTEGER, U32, U64, U32, address_rank(a, b))       \
    X2(getctarank_shared_32, "getctarank.shared::cluster.u32", INTEGER, U32, U32, U32, address_rank(a, b))       \
    X1(cvta_global, "cvta[.to|].global.u64", INTEGER, U64, U64, a)                                          \
    X1(cvta_shared, "cvta.shared[::cta|::cluster|].u64", INTEGER, U64, U64, a + MEMORY_SHARED_WINDOW)       \
    X1(cvta_local, "cvta.local.u64", INTEGER, U64, U64, a + MEMORY_LOCAL_WINDOW)                            \
    X1(cvta_const, "cvta.const.u64", INTEGER, U64, U64, a + MEMORY_CONST_WINDOW)                            \
    X1(cvta_param, "cvta.param[::entry|].u64", INTEGER, U64, U64, a + MEMORY_PARAM_WINDOW)                  \
    X1(cvta_to_shared, "cvta.to.shared[::cta|::cluster|].u64", INTEGER, U64, U64, a - MEMORY_SHARED_WINDOW) \
    X1(cvta_to_local, "cvta.to.local.u64", INTEGER, U64, U64, a - MEMORY_LOCAL_WINDOW)                      \
    X1(cvta_to_const, "cvta.to.const.u64", INTEGER, U64, U64, a - MEMORY_CONST_WINDOW)                      \
    X1(cvta_to_param, "cvta.to.param[::entry|].u64", INTEGER, U64, U64, a - MEMORY_PARAM_WINDOW)
/* clang-format on */

MOVE_LIST(DEFINE1, DEFINE2, DEFINE4)

#define UNPACK_ENTRY(count, whole, ...)                                                  \
    {                                                                                    \
        "mov.unpack." #whole "." #count, unpack_##whole##_##count, CLASS_INTEGER, count, \
        {                                                                                \
            __VA_ARGS__                                                                  \
        }                                                                                \
    }
#define SPACE_ENTRY(form, name)       \
    {                                 \
        form, name, CLASS_INTEGER, 1, \
        {                             \
            PTX_PRED, PTX_U64         \
        }                             \
    }

const struct lanes_entry LANES_TABLE(move)[] = {
    MOVE_LIST(ENTRY1, ENTRY2, ENTRY4){"mov.pred", mov_pred, CLASS_INTEGER, 1, {PTX_PRED, PTX_PRED}},
    {"mov.b128", mov_b128, CLASS_INTEGER, 1, {PTX_B128, PTX_B128}},
    {"mov.pack.b128.2", pack_b128_2, CLASS_INTEGER, 1, {PTX_B128, PTX_B64, PTX_B64}},
    {"mov.pack.b128.4", pack_b128_4, CLASS_INTEGER, 1, {PTX_B128, PTX_B32, PTX_B32, PTX_B32, PTX_B32}},
    UNPACK_ENTRY(2, b16, PTX_B8, PTX_B8, PTX_B16),
    UNPACK_ENTRY(2, b32, PTX_B16, PTX_B16, PTX_B32),
    UNPACK_ENTRY(4, b32, PTX_B8, PTX_B8, PTX_B8, PTX_B8, PTX_B32),
    UNPACK_ENTRY(2, b64, PTX_B32, PTX_B32, PTX_B64),
    UNPACK_ENTRY(4, b64, PTX_B16, PTX_B16, PTX_B16, PTX_B16, PTX_B64),
    UNPACK_ENTRY(2, b128, PTX_B64, PTX_B64, PTX_B128),
    UNPACK_ENTRY(4, b128, PTX_B32, PTX_B32, PTX_B32, PTX_B32, PTX_B128),
    SPACE_ENTRY("isspacep.global", is_global),
    SPACE_ENTRY("isspacep.shared[::cta|]", is_shared),
    SPACE_ENTRY("isspacep.shared::cluster", is_cluster),
    SPACE_ENTRY("isspacep.local", is_local),
    SPACE_ENTRY("isspacep.const", is_const),
    SPACE_ENTRY("isspacep.param[::entry|]", is_param),
    {0}};
