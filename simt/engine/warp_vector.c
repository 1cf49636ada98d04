/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of simt/engine/worker.h. This file is compiled once per variant of simt/lanes/lanes. */
#include "simt/engine/worker.h"

#include "simt/engine/warp_memory.h"
#include "simt/lanes/lanes_ops.h"

/* Gives inactive lanes the address of an active one, so that loops over addresses need not skip them. */
static void fill_access(struct warp_access *access)
{
    uint64_t *address = access->address;
    if (access->active == LANES_ALL)
        return;
    const uint64_t first = address[__builtin_ctz(access->active)];
    LANES_LOOP
    {
        const uint64_t mask = (access->active & lanes_bit[lane]) != 0 ? UINT64_MAX : 0;
        address[lane] = (address[lane] & mask) | (first & ~mask);
    }
}

static void add_32(struct warp_access *access, const uint32_t *base, int64_t offset)
{
    uint64_t *restrict address = access->address;
    const uint32_t add = (uint32_t)(uint64_t)offset;
    LANES_LOOP
    {
        address[lane] = base[lane] + add;
    }
    fill_access(access);
}

static void add_64(struct warp_access *access, const uint64_t *base, int64_t offset)
{
    uint64_t *restrict address = access->address;
    LANES_LOOP
    {
        address[lane] = base[lane] + (uint64_t)offset;
    }
    fill_access(access);
}

static enum warp_reach find_reach(const struct memory_range *range, const struct warp_access *access)
{
    const uint64_t *address = access->address, width = access->width_bytes;
    const uint64_t begin = range->address, first = address[0], last = range->size_bytes - width;
    if (range->size_bytes < width)
        return WARP_OUTSIDE;
    /* An offset is past the last valid offset exactly if the highest bit of the offset, or of its distance to
     * the last valid one, is set. */
    uint64_t outside = 0, odd = 0, apart = 0, spread = 0;
    for (uint64_t lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t offset = address[lane] - begin;
        outside |= offset | (last - offset);
        odd |= address[lane];
        apart |= address[lane] ^ (first + lane * width);
        spread |= address[lane] ^ first;
    }
    if (outside >> 63 || (odd & (width - 1)))
        return WARP_OUTSIDE;
    return spread == 0 ? WARP_SAME : apart == 0 ? WARP_ROW : WARP_INSIDE;
}

static bool are_apart(const struct warp_access *access)
{
    uint64_t not_above = ~access->active;
    for (uint32_t lane = 1; lane < WARP_LANES; lane++)
        not_above |= access->address[lane] / 32 <= access->address[lane - 1] / 32;
    return !not_above;
}

/* No two active lanes access the same bytes: they are aligned, so their addresses differ. Mostly they ascend. */
static bool are_distinct(const struct warp_access *access)
{
    uint64_t address[2 * WARP_LANES], not_above = ~access->active, equal = 0;
    for (uint32_t lane = 1; lane < WARP_LANES; lane++)
        not_above |= access->address[lane] <= access->address[lane - 1];
    if (!not_above)
        return true;
    LANES_LOOP
    {
        const uint64_t off = (access->active & lanes_bit[lane]) != 0 ? 0 : UINT64_MAX;
        address[lane] = address[lane + WARP_LANES] =
            (access->address[lane] & ~off) | ((UINT64_MAX - lane) & off);
    }
    for (uint32_t further = 1; further <= WARP_LANES / 2; further++) {
        LANES_LOOP
        {
            equal |= address[lane] == address[lane + further];
        }
    }
    return !equal;
}

static void spread_32(uint32_t *to, uint32_t value, uint32_t active)
{
    LANES_LOOP
    {
        const uint32_t mask = (active & lanes_bit[lane]) != 0 ? UINT32_MAX : 0;
        to[lane] = (value & mask) | (to[lane] & ~mask);
    }
}

static void spread_64(uint64_t *to, uint64_t value, uint32_t active)
{
    LANES_LOOP
    {
        const uint64_t mask = (active & lanes_bit[lane]) != 0 ? UINT64_MAX : 0;
        to[lane] = (value & mask) | (to[lane] & ~mask);
    }
}

static void copy_32(uint32_t *to, const uint32_t *from, uint32_t active)
{
    lanes_blend_32(to, from, active);
}

/* ---- loads and stores ---- */
/* Where the lanes' bytes lie. */
struct layout {
    enum warp_reach reach;
    uint64_t first; /* address of the first active lane */
};

/* Does a lane of all 32 differ from what lane 0 says: the same value, or one more step for each lane? */
#if defined(__AVX512F__)
static inline bool some_differ_32(const uint32_t *base, uint32_t shift, bool row)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i count = _mm_cvtsi32_si128((int)shift);
    __m512i low = _mm512_set1_epi32((int)base[0]), high = low;
    if (row) {
        low = _mm512_add_epi32(low, _mm512_sll_epi32(lanes, count));
        high = _mm512_add_epi32(low, _mm512_set1_epi32(16 << shift));
    }
    return (_mm512_cmpneq_epi32_mask(_mm512_load_si512(base), low) |
            _mm512_cmpneq_epi32_mask(_mm512_load_si512(base + 16), high)) != 0;
}

static inline bool some_differ_64(const uint64_t *base, uint32_t shift, bool row)
{
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m128i count = _mm_cvtsi32_si128((int)shift);
    const __m512i more = _mm512_set1_epi64(row ? INT64_C(8) << shift : 0);
    __m512i next = _mm512_set1_epi64((long long)base[0]);
    __mmask8 differ = 0;
    if (row)
        next = _mm512_add_epi64(next, _mm512_sll_epi64(lanes, count));
    for (uint32_t lane = 0; lane < LANES_WARP; lane += 8, next = _mm512_add_epi64(next, more))
        differ |= _mm512_cmpneq_epi64_mask(_mm512_load_si512(base + lane), next);
    return differ != 0;
}
#else
#define SOME_DIFFER(name, type)                                         \
    static inline bool name(const type *base, uint32_t shift, bool row) \
    {                                                                   \
        const type first = base[0];                                     \
        type differ = 0;                                                \
        if (row) {                                                      \
            LANES_LOOP                                                  \
            {                                                           \
                differ |= (base[lane] - ((type)lane << shift)) ^ first; \
            }                                                           \
        } else {                                                        \
            LANES_LOOP                                                  \
            {                                                           \
                differ |= base[lane] ^ first;                           \
            }                                                           \
        }                                                               \
        return differ != 0;                                             \
    }
SOME_DIFFER(some_differ_32, uint32_t)
SOME_DIFFER(some_differ_64, uint64_t)
#endif

/* The layout of 32 addresses that are base[lane] + offset, in 32 or 64 bits, without a check of the range;
 * the lanes that are not active do not matter. The first two of all lanes say what the others may be. */
#define LAYOUT_FUNCTION(bits, type)                                                                       \
    static inline struct layout layout_##bits(const type *base, type offset, uint32_t shift, uint32_t on) \
    {                                                                                                     \
        if (on == LANES_ALL) {                                                                            \
            const type step = base[1] - base[0];                                                          \
            const bool row = step == (type)1 << shift;                                                    \
            const bool inside = (!row && step != 0) || some_differ_##bits(base, shift, row);              \
            return (struct layout){inside ? WARP_INSIDE                                                   \
                                   : row  ? WARP_ROW                                                      \
                                          : WARP_SAME,                                                     \
                                   (type)(base[0] + offset)};                                             \
        }                                                                                                 \
        const uint32_t lead = (uint32_t)__builtin_ctz(on);                                                \
        const type same = base[lead], row = same - ((type)lead << shift);                                 \
        type apart = 0, spread = 0;                                                                       \
        LANES_LOOP                                                                                        \
        {                                                                                                 \
            const type mask = (on & lanes_bit[lane]) != 0 ? (type)-1 : 0;                                 \
            apart |= ((base[lane] - ((type)lane << shift)) ^ row) & mask;                                 \
            spread |= (base[lane] ^ same) & mask;                                                         \
        }                                                                                                 \
        return (struct layout){apart == 0 ? WARP_ROW                                                      \
                               : spread   ? WARP_INSIDE                                                   \
                                          : WARP_SAME,                                                      \
                               (type)(same + offset)};                                                    \
    }
LAYOUT_FUNCTION(32, uint32_t)
LAYOUT_FUNCTION(64, uint64_t)

static inline bool range_holds(const struct memory_range *range, uint64_t address, uint64_t size_bytes)
{
    const uint64_t offset = address - range->address;
    return offset <= range->size_bytes && range->size_bytes - offset >= size_bytes;
}

/* Fills in addresses and says whether all active lanes are in the range and aligned. */
static inline bool addresses_hold(struct warp_access *access, const struct memory_range *range)
{
    return find_reach(range, access) != WARP_OUTSIDE;
}

static inline void access_fill(const struct program_instruction *instruction, const uint8_t *base,
                               struct warp_access *access)
{
    if (instruction->source[0] == PROGRAM_NO_SLOT)
        spread_64(access->address, (uint64_t)instruction->offset, LANES_ALL);
    else if (instruction->address_is_32_bits)
        add_32(access, (const uint32_t *)(const void *)base, instruction->offset);
    else
        add_64(access, (const uint64_t *)(const void *)base, instruction->offset);
}

static inline struct layout layout_of(const struct program_instruction *instruction, const uint8_t *frame,
                                      uint32_t on)
{
    const uint32_t shift = (uint32_t)__builtin_ctz(instruction->width_bytes);
    const uint8_t *const base = frame + instruction->source[0];
    if (instruction->source[0] == PROGRAM_NO_SLOT)
        return (struct layout){WARP_SAME, (uint64_t)instruction->offset};
    if (instruction->address_is_32_bits)
        return layout_32((const uint32_t *)(const void *)base, (uint32_t)instruction->offset, shift, on);
    return layout_64((const uint64_t *)(const void *)base, (uint64_t)instruction->offset, shift, on);
}

/* Are the bytes of `lanes` lanes from the first on in the range, and aligned? */
static inline bool layout_holds(const struct layout *layout, const struct memory_range *range, uint32_t width,
                                uint32_t lanes)
{
    return range_holds(range, layout->first, (uint64_t)lanes * width) && !(layout->first & (width - 1));
}

/* The layout of an instruction's access in a range, checked; *access gets the addresses if it is wanted, or
 * if they are neither a row nor all the same. */
static inline struct layout access_lay_out(const struct program_instruction *instruction,
                                           const uint8_t *frame, const struct memory_range *range,
                                           uint32_t on, struct warp_access *access, bool wanted)
{
    const uint8_t *const base = frame + instruction->source[0];
    struct layout layout = layout_of(instruction, frame, on);
    access->active = on;
    access->width_bytes = instruction->width_bytes;
    if (layout.reach == WARP_INSIDE) {
        access_fill(instruction, base, access);
        if (!addresses_hold(access, range))
            layout.reach = WARP_OUTSIDE;
        return layout;
    }
    const uint32_t lanes =
        layout.reach == WARP_SAME ? 1 : 32u - (uint32_t)__builtin_clz(on) - (uint32_t)__builtin_ctz(on);
    if (!layout_holds(&layout, range, instruction->width_bytes, lanes))
        layout.reach = WARP_OUTSIDE;
    else if (wanted)
        access_fill(instruction, base, access);
    return layout;
}

typedef uint8_t any_u8;
typedef int8_t any_s8;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;
typedef int16_t __attribute__((aligned(1), may_alias)) any_s16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef int32_t __attribute__((aligned(1), may_alias)) any_s32;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_u64;

/* Element k of all lanes, of `step` elements each. A single word that fills its register is the usual form,
 * below. */
#define LOAD_ROW(element, result, step)                              \
    do {                                                             \
        result *restrict to = (result *)slot;                        \
        const element *from = (const element *)(const void *)memory; \
        LANES_LOOP                                                   \
        {                                                            \
            to[lane] = (result)from[lane * (step)];                  \
        }                                                            \
        return true;                                                 \
    } while (0)
#define STORE_ROW(element, type, step)                  \
    do {                                                \
        const type *restrict from = (const type *)slot; \
        element *to = (element *)(void *)memory;        \
        LANES_LOOP                                      \
        {                                               \
            to[lane * (step)] = (element)from[lane];    \
        }                                               \
        return true;                                    \
    } while (0)

enum { SLOT_32, SLOT_64 };
#define FORM(bytes, sign, wide, vector) \
    ((uint32_t)(bytes) | (uint32_t)(sign) << 4 | (uint32_t)(wide) << 5 | (uint32_t)(vector) << 6)

static inline bool row_load_element(uint32_t form, void *slot, const uint8_t *memory)
{
    switch (form) {
    case FORM(4, 0, 0, 2): LOAD_ROW(any_u32, uint32_t, 2);
    case FORM(4, 1, 0, 2): LOAD_ROW(any_u32, uint32_t, 2);
    case FORM(4, 0, 0, 4): LOAD_ROW(any_u32, uint32_t, 4);
    case FORM(4, 1, 0, 4): LOAD_ROW(any_u32, uint32_t, 4);
    case FORM(8, 0, 1, 2): LOAD_ROW(any_u64, uint64_t, 2);
    case FORM(1, 0, 0, 1): LOAD_ROW(any_u8, uint32_t, 1);
    case FORM(1, 1, 0, 1): LOAD_ROW(any_s8, int32_t, 1);
    case FORM(2, 0, 0, 1): LOAD_ROW(any_u16, uint32_t, 1);
    case FORM(2, 1, 0, 1): LOAD_ROW(any_s16, int32_t, 1);
    case FORM(4, 0, 1, 1): LOAD_ROW(any_u32, uint64_t, 1);
    case FORM(4, 1, 1, 1): LOAD_ROW(any_s32, int64_t, 1);
    default: return false;
    }
}

static inline bool row_store_element(uint32_t form, const void *slot, uint8_t *memory)
{
    switch (form) {
    case FORM(4, 0, 0, 2): STORE_ROW(any_u32, uint32_t, 2);
    case FORM(4, 0, 0, 4): STORE_ROW(any_u32, uint32_t, 4);
    case FORM(8, 0, 1, 2): STORE_ROW(any_u64, uint64_t, 2);
    case FORM(1, 0, 0, 1): STORE_ROW(any_u8, uint32_t, 1);
    case FORM(2, 0, 0, 1): STORE_ROW(any_u16, uint32_t, 1);
    case FORM(4, 0, 1, 1): STORE_ROW(any_u32, uint64_t, 1);
    default: return false;
    }
}

/* A sign-extended 16-bit register has bits of 0 above its width. */
static inline uint32_t form_of(const struct program_instruction *instruction, uint32_t bytes, bool load)
{
    const bool wide = bytes == 8 || instruction->destination_bytes == 8;
    const bool sign = load && instruction->sign_extended;
    return sign && instruction->destination_bytes == 2 ? 0 : FORM(bytes, sign, wide, instruction->vector);
}

/* Of all lanes. False: the first element has a rare form, and nothing was moved. */
static bool row_load(const struct program_instruction *instruction, uint8_t *frame, uint32_t bytes,
                     const uint8_t *memory)
{
    const uint32_t form = form_of(instruction, bytes, true);
    for (uint32_t k = 0; k < instruction->vector; k++, memory += bytes) {
        if (instruction->destination[k] == PROGRAM_NO_SLOT)
            continue;
        if (!row_load_element(form, lanes_slot(frame, instruction->destination[k]), memory))
            return false;
    }
    return true;
}

static bool row_store(const struct program_instruction *instruction, uint8_t *frame, uint32_t bytes,
                      uint8_t *memory)
{
    const uint32_t form = form_of(instruction, bytes, false);
    for (uint32_t k = 0; k < instruction->vector; k++, memory += bytes)
        if (!row_store_element(form, lanes_slot(frame, instruction->source[1 + k]), memory))
            return false;
    return true;
}

static inline uint64_t element_read(const struct program_instruction *instruction, uint32_t bytes,
                                    const uint8_t *memory)
{
    const bool sign = instruction->sign_extended;
    switch (bytes) {
    case 1: return sign ? (uint64_t)(int64_t)(int8_t)*memory : *memory;
    case 2: {
        const uint16_t value = *(const any_u16 *)(const void *)memory;
        return sign ? (uint64_t)(int64_t)(int16_t)value : value;
    }
    case 4: {
        const uint32_t value = *(const any_u32 *)(const void *)memory;
        return sign ? (uint64_t)(int64_t)(int32_t)value : value;
    }
    default: return *(const any_u64 *)(const void *)memory;
    }
}

static void same_load(const struct program_instruction *instruction, uint8_t *frame, uint32_t bytes,
                      const uint8_t *memory, uint32_t on)
{
    const bool wide = bytes == 8 || instruction->destination_bytes == 8;
    for (uint32_t k = 0; k < instruction->vector; k++, memory += bytes) {
        if (instruction->destination[k] == PROGRAM_NO_SLOT)
            continue;
        void *const slot = lanes_slot(frame, instruction->destination[k]);
        uint64_t value = element_read(instruction, bytes, memory);
        if (instruction->sign_extended && instruction->destination_bytes == 2)
            value &= 0xffff;
        if (on != LANES_ALL && wide) {
            spread_64(slot, value, on);
        } else if (on != LANES_ALL) {
            spread_32(slot, (uint32_t)value, on);
        } else if (wide) {
            uint64_t *const to = slot;
            LANES_LOOP
            {
                to[lane] = value;
            }
        } else {
            uint32_t *const to = slot, narrow = (uint32_t)value;
            LANES_LOOP
            {
                to[lane] = narrow;
            }
        }
    }
}

/* ---- the usual form: one word of 4 or 8 bytes for each of all lanes ---- */
/* Where its bytes lie: WARP_ROW, WARP_SAME, or WARP_OUTSIDE for all else. */
static inline struct layout usual_layout(const struct program_instruction *instruction, const uint8_t *frame,
                                         const struct memory_range *range)
{
    struct layout layout = layout_of(instruction, frame, LANES_ALL);
    if (layout.reach == WARP_INSIDE ||
        !layout_holds(&layout, range, instruction->width_bytes, layout.reach == WARP_SAME ? 1 : LANES_WARP))
        layout.reach = WARP_OUTSIDE;
    return layout;
}

static __attribute__((noinline)) void usual_tell(const struct program_instruction *instruction,
                                                 const uint8_t *frame, struct warp_access *access)
{
    access->active = LANES_ALL;
    access->width_bytes = instruction->width_bytes;
    access_fill(instruction, frame + instruction->source[0], access);
}

static inline void usual_move(const struct program_instruction *instruction, uint8_t *frame,
                              const uint8_t *memory, enum warp_reach reach)
{
    if (instruction->destination[0] == PROGRAM_NO_SLOT)
        return;
    void *const slot = lanes_slot(frame, instruction->destination[0]);
    if (reach == WARP_ROW) {
        if (instruction->width_bytes == 4)
            memcpy(slot, memory, 4 * LANES_WARP);
        else
            memcpy(slot, memory, 8 * LANES_WARP);
    } else if (instruction->width_bytes == 4) {
        const uint32_t value = *(const any_u32 *)(const void *)memory;
        uint32_t *const to = slot;
        LANES_LOOP
        {
            to[lane] = value;
        }
    } else {
        const uint64_t value = *(const any_u64 *)(const void *)memory;
        uint64_t *const to = slot;
        LANES_LOOP
        {
            to[lane] = value;
        }
    }
}

static enum warp_reach load_usual(const struct program_instruction *instruction, uint8_t *frame,
                                  const struct memory_range *range, uint64_t *first)
{
    const struct layout layout = usual_layout(instruction, frame, range);
    *first = layout.first;
    if (layout.reach != WARP_OUTSIDE)
        usual_move(instruction, frame, range->bytes + (layout.first - range->address), layout.reach);
    return layout.reach;
}

static enum warp_reach store_usual(const struct program_instruction *instruction, const uint8_t *frame,
                                   const struct memory_range *range, uint64_t *first)
{
    const struct layout layout = usual_layout(instruction, frame, range);
    *first = layout.first;
    if (layout.reach != WARP_ROW)
        return WARP_OUTSIDE;
    const void *const slot = __builtin_assume_aligned(frame + instruction->source[1], 64);
    uint8_t *const memory = range->bytes + (layout.first - range->address);
    if (instruction->width_bytes == 4)
        memcpy(memory, slot, 4 * LANES_WARP);
    else
        memcpy(memory, slot, 8 * LANES_WARP);
    return WARP_ROW;
}

/* ---- all forms ---- */
/* Of a row or of one place: its first byte on the host; else NULL. */
static uint8_t *memory_at(const struct memory_range *range, const struct layout *layout)
{
    return layout->reach == WARP_ROW || layout->reach == WARP_SAME
               ? range->bytes + (layout->first - range->address)
               : NULL;
}

static __attribute__((noinline)) enum warp_reach load_any(const struct program_instruction *instruction,
                                                          uint8_t *frame, const struct memory_range *range,
                                                          uint32_t on, struct warp_access *access)
{
    struct warp_access own;
    struct warp_access *const used = access ? access : &own;
    const uint32_t bytes = warp_element_bytes(instruction);
    if (bytes > 8)
        return WARP_OUTSIDE;
    const struct layout layout = access_lay_out(instruction, frame, range, on, used, access != NULL);
    if (layout.reach == WARP_OUTSIDE)
        return WARP_OUTSIDE;
    const uint8_t *const memory = memory_at(range, &layout);
    switch (layout.reach) {
    case WARP_SAME: same_load(instruction, frame, bytes, memory, on); return WARP_SAME;
    case WARP_ROW:
        if (on == LANES_ALL && row_load(instruction, frame, bytes, memory))
            return WARP_ROW;
        if (!access)
            access_fill(instruction, frame + instruction->source[0], used);
        break;
    default: break;
    }
    for (uint32_t k = 0; k < instruction->vector; k++)
        if (instruction->destination[k] != PROGRAM_NO_SLOT)
            warp_load_element(instruction, frame, k, (uintptr_t)range->bytes - range->address, used->address,
                              on);
    return layout.reach;
}

static __attribute__((noinline)) enum warp_reach store_any(const struct program_instruction *instruction,
                                                           uint8_t *frame, const struct memory_range *range,
                                                           uint32_t on, struct warp_access *access)
{
    struct warp_access own;
    struct warp_access *const used = access ? access : &own;
    const uint32_t bytes = warp_element_bytes(instruction);
    if (bytes > 8)
        return WARP_OUTSIDE;
    const struct layout layout = access_lay_out(instruction, frame, range, on, used, access != NULL);
    if (layout.reach == WARP_OUTSIDE)
        return WARP_OUTSIDE;
    uint8_t *const memory = memory_at(range, &layout);
    if (layout.reach == WARP_ROW && on == LANES_ALL && row_store(instruction, frame, bytes, memory))
        return WARP_ROW;
    if (!access && layout.reach != WARP_INSIDE)
        access_fill(instruction, frame + instruction->source[0], used);
    for (uint32_t k = 0; k < instruction->vector; k++)
        warp_store_element(instruction, frame, k, (uintptr_t)range->bytes - range->address, used->address,
                           on);
    return layout.reach;
}

/* Without `access` load_usual or store_usual has been tried. */
static enum warp_reach load_lanes(const struct program_instruction *instruction, uint8_t *frame,
                                  const struct memory_range *range, uint32_t on, struct warp_access *access)
{
    if (access && warp_is_usual(instruction, on)) {
        const struct layout layout = usual_layout(instruction, frame, range);
        if (layout.reach != WARP_OUTSIDE) {
            if (access)
                usual_tell(instruction, frame, access);
            usual_move(instruction, frame, range->bytes + (layout.first - range->address), layout.reach);
            return layout.reach;
        }
    }
    return load_any(instruction, frame, range, on, access);
}

static enum warp_reach store_lanes(const struct program_instruction *instruction, uint8_t *frame,
                                   const struct memory_range *range, uint32_t on, struct warp_access *access)
{
    if (access && warp_is_usual(instruction, on)) {
        const struct layout layout = usual_layout(instruction, frame, range);
        if (layout.reach == WARP_ROW) {
            const void *const slot = lanes_slot(frame, instruction->source[1]);
            uint8_t *const memory = range->bytes + (layout.first - range->address);
            if (access)
                usual_tell(instruction, frame, access);
            if (instruction->width_bytes == 4)
                memcpy(memory, slot, 4 * LANES_WARP);
            else
                memcpy(memory, slot, 8 * LANES_WARP);
            return WARP_ROW;
        }
    }
    return store_any(instruction, frame, range, on, access);
}

extern const struct warp_vector LANES_PASTED(warp_, vector, LANES_VARIANT);
const struct warp_vector LANES_PASTED(warp_, vector, LANES_VARIANT) = {.load_usual = load_usual,
                                                                       .store_usual = store_usual,
                                                                       .load = load_lanes,
                                                                       .store = store_lanes,
                                                                       .add_32 = add_32,
                                                                       .add_64 = add_64,
                                                                       .reach = find_reach,
                                                                       .apart = are_apart,
                                                                       .distinct = are_distinct,
                                                                       .spread_32 = spread_32,
                                                                       .spread_64 = spread_64,
                                                                       .copy_32 = copy_32};
