/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of tensor cores: PTX ISA 9.0, 9.7.14.3 to 9.7.14.5 and 9.7.14.5.15 to .17.
 *
 * mma and wmma.mma become one PROGRAM_MATRIX. wmma.load and wmma.store become what ptxas 13.0 makes of them
 * for sm_80 and later: from shared memory ldmatrix for A and B of up to 16 bits that lie along their lines;
 * else loads and stores of whole registers, or of two for C and D; 16-bit matrices that lie the other way are
 * transposed in registers, 8-bit ones are loaded byte by byte. Each access gets its addresses from a
 * PROGRAM_MATRIX_ADDRESS, which stands for the additions that ptxas writes.
 */
#include "simt/lanes/matrix.h"
#include "simt/program/lower/lower_internal.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

#define MOST_TYPES 4

/* The modifiers of an instruction. Layouts and types come in the order of the matrices. */
struct words {
    uint32_t m, n, k;
    uint32_t layout_count, type_count;
    bool column[2];
    enum matrix_type types[MOST_TYPES];
    bool saturate, bits_and, bits_xor;
    int rounding;
    enum ptx_space space;
    enum matrix_name name; /* of a load or store */
};

#define MATRIX_TYPE_TEXT(id, text, bits) [MATRIX_##id] = text,
static const char *const type_texts[] = {MATRIX_TYPE_LIST(MATRIX_TYPE_TEXT) NULL};
#undef MATRIX_TYPE_TEXT

/* ---- shapes ---- */
struct shape {
    uint16_t m, n, k;
};

/* The shapes of a type, each list ended by one of zeros. */
static const struct shape of_16[] = {{16, 8, 8}, {16, 8, 16}, {0}}, of_tf32[] = {{16, 8, 4}, {16, 8, 8}, {0}},
                          of_f64[] = {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}, {0}},
                          of_8[] = {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}, {0}},
                          of_4[] = {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}, {0}},
                          of_1[] = {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}, {0}},
                          wide[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {0}},
                          wide_tf32[] = {{16, 16, 8}, {0}}, wide_f64[] = {{8, 8, 4}, {0}},
                          wide_4[] = {{8, 8, 32}, {0}}, wide_1[] = {{8, 8, 128}, {0}};
static const struct shape *const shapes[][MATRIX_TYPE_COUNT] = {[MATRIX_MMA] = {[MATRIX_F16] = of_16,
                                                                                [MATRIX_BF16] = of_16,
                                                                                [MATRIX_TF32] = of_tf32,
                                                                                [MATRIX_F64] = of_f64,
                                                                                [MATRIX_S8] = of_8,
                                                                                [MATRIX_U8] = of_8,
                                                                                [MATRIX_S4] = of_4,
                                                                                [MATRIX_U4] = of_4,
                                                                                [MATRIX_B1] = of_1},
                                                                [MATRIX_WMMA] = {[MATRIX_F16] = wide,
                                                                                 [MATRIX_BF16] = wide,
                                                                                 [MATRIX_TF32] = wide_tf32,
                                                                                 [MATRIX_F64] = wide_f64,
                                                                                 [MATRIX_S8] = wide,
                                                                                 [MATRIX_U8] = wide,
                                                                                 [MATRIX_S4] = wide_4,
                                                                                 [MATRIX_U4] = wide_4,
                                                                                 [MATRIX_B1] = wide_1}};

static bool has_shape(enum matrix_family family, enum matrix_type type, const struct words *words)
{
    const struct shape *shape = family == MATRIX_QUARTERS ? NULL : shapes[family][type];
    if (family == MATRIX_QUARTERS)
        return type == MATRIX_F16;
    while (shape && shape->m != 0 && (shape->m != words->m || shape->n != words->n || shape->k != words->k))
        shape++;
    return shape && shape->m != 0;
}

/* The type of C and D of products of this type; half precision also sums halves. */
static enum matrix_type sum_type(enum matrix_type type)
{
    switch (type) {
    case MATRIX_F16:
    case MATRIX_BF16:
    case MATRIX_TF32: return MATRIX_F32;
    case MATRIX_F64: return MATRIX_F64;
    default: return MATRIX_S32;
    }
}

static bool is_sum_type(enum matrix_type sum, enum matrix_type of)
{
    return sum == sum_type(of) || (of == MATRIX_F16 && sum == MATRIX_F16);
}

/* ---- modifiers ---- */
static bool is_in_shape(const char *text, struct words *words)
{
    int used = 0;
    return sscanf(text, "m%3un%3uk%3u%n", &words->m, &words->n, &words->k, &used) == 3 && text[used] == '\0';
}

static bool is_plain_word(const char *text, struct words *words)
{
    static const struct {
        const char *text;
        int rounding;
    } roundings[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
    for (size_t i = 0; i < sizeof roundings / sizeof roundings[0]; i++) {
        if (strcmp(text, roundings[i].text) == 0) {
            words->rounding = roundings[i].rounding;
            return true;
        }
    }
    words->saturate |= strcmp(text, "satfinite") == 0;
    words->bits_and |= strcmp(text, "and") == 0;
    words->bits_xor |= strcmp(text, "xor") == 0;
    if (strcmp(text, "global") == 0)
        words->space = PTX_GLOBAL;
    else if (strcmp(text, "shared") == 0 || strcmp(text, "shared::cta") == 0)
        words->space = PTX_SHARED;
    return words->space != PTX_GENERIC || strcmp(text, "satfinite") == 0 || strcmp(text, "and") == 0 ||
           strcmp(text, "xor") == 0 || strcmp(text, "popc") == 0 || strcmp(text, "sync") == 0 ||
           strcmp(text, "aligned") == 0 || strcmp(text, "mma") == 0 || strcmp(text, "load") == 0 ||
           strcmp(text, "store") == 0;
}

static bool is_type(const char *text, struct words *words)
{
    for (uint32_t type = 0; type < MATRIX_TYPE_COUNT && words->type_count < MOST_TYPES; type++) {
        if (strcmp(text, type_texts[type]) == 0) {
            words->types[words->type_count++] = (enum matrix_type)type;
            return true;
        }
    }
    return false;
}

static bool is_layout(const char *text, struct words *words)
{
    const bool column = strcmp(text, "col") == 0;
    if ((!column && strcmp(text, "row") != 0) || words->layout_count == 2)
        return false;
    words->column[words->layout_count++] = column;
    return true;
}

static bool is_name(const char *text, struct words *words)
{
    if (text[0] < 'a' || text[0] > 'd' || text[1] != '\0')
        return false;
    words->name = (enum matrix_name)(text[0] - 'a');
    return true;
}

static bool take_words(struct lower *lower, struct words *words)
{
    *words = (struct words){.rounding = FE_TONEAREST, .space = PTX_GENERIC, .name = MATRIX_NAMES};
    for (uint32_t i = 0; i < lower->at->modifier_count; i++) {
        const char *const text = lower->at->modifiers[i];
        if (!is_in_shape(text, words) && !is_type(text, words) && !is_layout(text, words) &&
            !is_name(text, words) && !is_plain_word(text, words))
            return lower_fail(lower, "the model has no products of matrices with .%s.", text);
    }
    if (!lower_take(lower, "sync") || !lower_take(lower, "aligned"))
        return lower_fail(lower, "it needs .sync.aligned.");
    return words->m != 0 || lower_fail(lower, "its shape is missing.");
}

/* ---- operands ---- */
/* The registers of {a, b, ...}, or a single register. */
static bool take_registers(struct lower *lower, const struct ptx_operand *operand, struct matrix_part *part,
                           bool result)
{
    const bool list = operand->kind == PTX_OPERAND_VECTOR;
    const uint32_t count = list ? operand->part_count : 1;
    const enum ptx_type type = part->type == MATRIX_F64 ? PTX_B64 : PTX_B32;
    if (count != part->registers)
        return lower_fail(lower, "a matrix has %u registers where this shape has %u.", count,
                          part->registers);
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *const from = list ? &operand->parts[i] : operand;
        if (result ? !lower_destination(lower, from, type, LOWER_SAME_SIZE, &part->slots[i], NULL)
                   : !lower_source(lower, from, type, LOWER_SAME_SIZE, &part->slots[i], NULL))
            return false;
    }
    return true;
}

static bool set_part(struct lower *lower, struct program_matrix *matrix, enum matrix_name name)
{
    struct matrix_part *const part = &matrix->parts[name];
    const uint32_t bits = matrix_type_bits(part->type);
    part->registers = (uint8_t)matrix_registers(matrix, name);
    part->per_register = (uint8_t)(bits == 1 || bits >= 32 ? 1 : 32 / bits);
    const uint32_t count = 32u * part->registers * part->per_register;
    uint16_t *const element = arena_alloc(lower->arena, count, sizeof *element);
    if (!element)
        return lower_no_memory(lower);
    matrix_places(matrix, name, element);
    part->element = element;
    return true;
}

/* A matrix of this instruction's shape and types, without its slots. */
static struct program_matrix *new_matrix(struct lower *lower, enum matrix_family family,
                                         const struct words *words,
                                         const enum matrix_type types[MATRIX_NAMES])
{
    struct program_matrix *const matrix = arena_alloc(lower->arena, 1, sizeof *matrix);
    if (!matrix) {
        lower_no_memory(lower);
        return NULL;
    }
    *matrix = (struct program_matrix){.family = family,
                                      .m = words->m,
                                      .n = words->n,
                                      .k = words->k,
                                      .saturate = words->saturate,
                                      .bits_and = words->bits_and,
                                      .sum_row = matrix_row_choose(),
                                      .rounding = words->rounding};
    for (uint32_t name = 0; name < MATRIX_NAMES; name++) {
        matrix->parts[name].type = types[name];
        matrix->parts[name].column = name < 2 && words->column[name];
    }
    for (uint32_t name = 0; name < MATRIX_NAMES; name++)
        if (!set_part(lower, matrix, (enum matrix_name)name))
            return NULL;
    return matrix;
}

/* ---- products ---- */
static bool is_integer_pair(enum matrix_type a, enum matrix_type b)
{
    return a >= MATRIX_S8 && b >= MATRIX_S8 && matrix_type_bits(a) == matrix_type_bits(b);
}

static bool check_product(struct lower *lower, enum matrix_family family, const struct words *words,
                          const enum matrix_type types[MATRIX_NAMES])
{
    const enum matrix_type a = types[MATRIX_A], b = types[MATRIX_B], c = types[MATRIX_C], d = types[MATRIX_D];
    if ((a != b && !is_integer_pair(a, b)) || !is_sum_type(c, a) || !is_sum_type(d, a))
        return lower_fail(lower, "the model has no product of .%s and .%s that adds .%s to .%s.",
                          type_texts[a], type_texts[b], type_texts[c], type_texts[d]);
    if (c != d && family == MATRIX_MMA)
        return lower_fail(lower, "its sums must have one type.");
    if (!has_shape(family, a, words))
        return lower_fail(lower, "there is no .m%un%uk%u of .%s.", words->m, words->n, words->k,
                          type_texts[a]);
    if (words->layout_count != 2 ||
        ((family == MATRIX_MMA || matrix_type_bits(a) < 8) && (words->column[0] || !words->column[1])))
        return lower_fail(lower, "its layouts must be .row.col.");
    if (a == MATRIX_B1 && words->bits_and == words->bits_xor)
        return lower_fail(lower, "it needs .xor.popc or .and.popc.");
    return true;
}

static bool emit_product(struct lower *lower, struct program_matrix *matrix)
{
    static const enum matrix_name order[] = {MATRIX_D, MATRIX_A, MATRIX_B, MATRIX_C};
    if (!lower_operand_count(lower, 4, 4))
        return false;
    for (uint32_t i = 0; i < 4; i++)
        if (!take_registers(lower, &lower->at->operands[i], &matrix->parts[order[i]], i == 0))
            return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_MATRIX, CLASS_MATRIX);
    if (!made)
        return false;
    const uint32_t products = matrix->family == MATRIX_QUARTERS ? 4 : 1;
    made->matrix = matrix;
    made->type = matrix->parts[MATRIX_A].type == MATRIX_F64 ? PTX_B64 : PTX_B32;
    made->operations = (uint16_t)(products * 2 * matrix->m * matrix->n * matrix->k / 32);
    if (matrix->family == MATRIX_WMMA && matrix->m * matrix->n == 256) { /* two of m16n8 */
        made->rewrite = REWRITE_PARTS;
        made->part_count = 2;
    }
    /* For the analysis of latencies: the last register of each matrix, which tends to arrive last. */
    for (uint32_t i = 0; i < 3; i++) {
        const struct matrix_part *const part = &matrix->parts[i];
        made->source[2 * i] = part->slots[0];
        made->source[2 * i + 1] = part->slots[part->registers - 1];
    }
    const struct matrix_part *const sums = &matrix->parts[MATRIX_D];
    for (uint32_t i = 0; i < PROGRAM_VECTOR && i < sums->registers; i++)
        made->destination[i] = sums->slots[i];
    return true;
}

/* mma.sync.aligned.shape.row.col{.satfinite|.rounding}.D.A.B.C{.xor|.and.popc} */
bool lower_mma(struct lower *lower)
{
    struct words words;
    if (!take_words(lower, &words))
        return false;
    if (words.type_count != MOST_TYPES)
        return lower_fail(lower, "it needs four types.");
    const enum matrix_type types[] = {words.types[1], words.types[2], words.types[3], words.types[0]};
    const bool quarters = words.m == 8 && words.n == 8 && words.k == 4 && types[0] == MATRIX_F16;
    const enum matrix_family family = quarters ? MATRIX_QUARTERS : MATRIX_MMA;
    if (!check_product(lower, family, &words, types))
        return false;
    struct program_matrix *const matrix = new_matrix(lower, family, &words, types);
    return matrix && emit_product(lower, matrix);
}

/* wmma.mma.sync.aligned.row.col.shape: .D.C of half precision, else .D.A.B.C */
static bool lower_wmma_product(struct lower *lower, const struct words *words)
{
    const bool half = words->type_count == 2;
    if (!half && words->type_count != MOST_TYPES)
        return lower_fail(lower, "it needs two or four types.");
    const enum matrix_type types[] = {half ? MATRIX_F16 : words->types[1],
                                      half ? MATRIX_F16 : words->types[2], words->types[half ? 1 : 3],
                                      words->types[0]};
    if (!check_product(lower, MATRIX_WMMA, words, types))
        return false;
    struct program_matrix *const matrix = new_matrix(lower, MATRIX_WMMA, words, types);
    return matrix && emit_product(lower, matrix);
}

/* ---- wmma.load and wmma.store ---- */
struct fragment {
    struct lower *lower;
    const struct program_matrix *matrix;
    enum matrix_name name;
    bool column, store;
    enum ptx_space space;
    uint32_t base; /* slot */
    int64_t offset;
    bool base_is_32_bits;
    uint32_t stride; /* slot */
};

static const struct matrix_part *fragment_part(const struct fragment *fragment)
{
    return &fragment->matrix->parts[fragment->name];
}

/* Whether the elements of a register are neighbours in memory: those of A, C and D are in a row. */
static bool is_along(const struct fragment *fragment)
{
    return fragment->column == (fragment->name == MATRIX_B);
}

/* Emits the addresses of the lanes; line and bytes are filled by the caller. */
static bool emit_addresses(const struct fragment *fragment, const struct matrix_address *address,
                           uint32_t *slot)
{
    struct lower *const lower = fragment->lower;
    if (!lower_slot(lower, PTX_U64, slot))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_MATRIX_ADDRESS, CLASS_INTEGER);
    if (!made)
        return false;
    made->address = address;
    made->type = PTX_U64;
    made->destination[0] = *slot;
    made->source[0] = fragment->base;
    made->source[1] = fragment->stride;
    made->address_is_32_bits = fragment->base_is_32_bits;
    made->offset = fragment->offset;
    return true;
}

static struct matrix_address *new_address(const struct fragment *fragment)
{
    struct matrix_address *const address = arena_alloc(fragment->lower->arena, 1, sizeof *address);
    if (!address) {
        lower_no_memory(fragment->lower);
        return NULL;
    }
    address->element_bits = matrix_type_bits(fragment_part(fragment)->type);
    return address;
}

/* Where an element lies: its line in memory, and the bytes from the line's start. */
static void set_address(const struct fragment *fragment, struct matrix_address *address, uint32_t lane,
                        struct matrix_place place)
{
    const bool words = fragment_part(fragment)->type == MATRIX_B1;
    const uint32_t line = fragment->column ? place.column : place.row;
    const uint32_t at = fragment->column ? place.row : place.column;
    address->line[lane] = (uint16_t)line;
    address->bytes[lane] = (uint16_t)(words ? 4 * at : at * address->element_bits / 8);
}

/* One load or store of `count` registers, each of `bytes`, at these addresses. */
static bool emit_access(const struct fragment *fragment, const struct matrix_address *address,
                        const uint32_t *slots, uint32_t count, uint32_t bytes)
{
    uint32_t at;
    if (!emit_addresses(fragment, address, &at))
        return false;
    struct program_instruction *const made =
        lower_emit(fragment->lower, fragment->store ? PROGRAM_ST : PROGRAM_LD, CLASS_MEMORY);
    if (!made)
        return false;
    made->type = bytes == 8 ? PTX_B64 : bytes == 4 ? PTX_B32 : PTX_B8;
    made->space = (uint8_t)fragment->space;
    made->vector = (uint8_t)count;
    made->width_bytes = (uint8_t)(count * bytes);
    made->destination_bytes = bytes == 8 ? 8 : 4;
    made->immediate = PROGRAM_NO_SLOT;
    made->source[0] = at;
    memcpy(fragment->store ? made->source + 1 : made->destination, slots, count * sizeof *slots);
    return true;
}

static bool emit_lanes(struct lower *lower, lane_function *function, uint32_t from, uint32_t to)
{
    struct program_instruction *const made = lower_emit(lower, PROGRAM_LANES, CLASS_INTEGER);
    if (!made)
        return false;
    made->lanes = function;
    made->source[0] = from;
    made->destination[0] = to;
    return true;
}

/* One access to registers r ... r + count - 1, whose elements are neighbours. */
static bool move_registers(const struct fragment *fragment, uint32_t r, uint32_t count)
{
    const struct matrix_part *const part = fragment_part(fragment);
    struct matrix_address *const address = new_address(fragment);
    if (!address)
        return false;
    for (uint32_t lane = 0; lane < 32; lane++)
        set_address(fragment, address, lane, matrix_place(fragment->matrix, fragment->name, lane, r, 0));
    return emit_access(fragment, address, part->slots + r, count, part->type == MATRIX_F64 ? 8 : 4);
}

/* Half words that lie across: as a register of the transposed matrix, which is transposed in registers. */
static bool move_transposed(const struct fragment *fragment, uint32_t r)
{
    struct lower *const lower = fragment->lower;
    const uint32_t slot = fragment_part(fragment)->slots[r];
    const struct matrix_place corner = matrix_place(fragment->matrix, fragment->name, 0, r, 0);
    struct matrix_address *const address = new_address(fragment);
    uint32_t turned;
    if (!address || !lower_slot(lower, PTX_B32, &turned))
        return false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t across = lane / 4, along = lane % 4 * 2; /* in the block of 8 x 8 */
        const bool rows = fragment->name != MATRIX_B;           /* its lines */
        set_address(fragment, address, lane,
                    (struct matrix_place){corner.row + (rows ? along : across),
                                          corner.column + (rows ? across : along)});
    }
    if (fragment->store)
        return emit_lanes(lower, matrix_transpose, slot, turned) &&
               emit_access(fragment, address, &turned, 1, 4);
    return emit_access(fragment, address, &turned, 1, 4) && emit_lanes(lower, matrix_transpose, turned, slot);
}

/* Bytes that lie across; only A and B have them, so they are loaded. */
static bool load_bytes(const struct fragment *fragment, uint32_t r)
{
    struct lower *const lower = fragment->lower;
    uint32_t slots[4];
    for (uint32_t i = 0; i < 4; i++) {
        struct matrix_address *const address = new_address(fragment);
        if (!address || !lower_slot(lower, PTX_B32, &slots[i]))
            return false;
        for (uint32_t lane = 0; lane < 32; lane++)
            set_address(fragment, address, lane, matrix_place(fragment->matrix, fragment->name, lane, r, i));
        if (!emit_access(fragment, address, &slots[i], 1, 1))
            return false;
    }
    if (!emit_lanes(lower, matrix_pack_bytes, slots[0], fragment_part(fragment)->slots[r]))
        return false;
    struct program_instruction *const made =
        (struct program_instruction *)lower->instructions.items + lower->instructions.count - 1;
    memcpy(made->source, slots, sizeof slots);
    return true;
}

/* ldmatrix for `count` registers from r on: lane 8 i + j has the address of line j of the i-th block. */
static bool load_blocks(const struct fragment *fragment, uint32_t r, uint32_t count)
{
    const struct matrix_part *const part = fragment_part(fragment);
    struct lower *const lower = fragment->lower;
    struct matrix_address *const address = new_address(fragment);
    const bool turn = !is_along(fragment);
    uint32_t at;
    if (!address)
        return false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t block = r + lane / 8 % count, line = lane % 8;
        struct matrix_place place = matrix_place(fragment->matrix, fragment->name, 0, block, 0);
        if ((fragment->name == MATRIX_B) != turn)
            place.column += line;
        else
            place.row += line;
        set_address(fragment, address, lane, place);
    }
    if (!emit_addresses(fragment, address, &at))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_MATRIX_LD, CLASS_MEMORY);
    if (!made)
        return false;
    made->type = PTX_B16;
    made->space = PTX_SHARED;
    made->vector = (uint8_t)count;
    made->width_bytes = 16;
    made->sub = turn;
    made->source[0] = at;
    memcpy(made->destination, part->slots + r, count * sizeof *part->slots);
    return true;
}

/* Copies of other registers' elements, which programs do not read. */
static bool copy_registers(const struct fragment *fragment, uint32_t distinct)
{
    const struct matrix_part *const part = fragment_part(fragment);
    struct lanes_form form;
    for (uint32_t r = distinct; r < part->registers; r++) {
        if (!lanes_find("mov.b32", &form) ||
            !emit_lanes(fragment->lower, form.function, part->slots[r % distinct], part->slots[r]))
            return false;
        struct program_instruction *const instructions = fragment->lower->instructions.items;
        instructions[fragment->lower->instructions.count - 1].rewrite = REWRITE_FOLDED;
    }
    return true;
}

static bool move_fragment(const struct fragment *fragment)
{
    const struct matrix_part *const part = fragment_part(fragment);
    const uint32_t bits = matrix_type_bits(part->type);
    const bool sums = fragment->name >= MATRIX_C, along = is_along(fragment);
    const uint32_t distinct = matrix_rows(fragment->matrix, fragment->name) *
                              matrix_columns(fragment->matrix, fragment->name) / (32u * part->per_register);
    const bool blocks = !sums && fragment->space == PTX_SHARED && (bits == 16 || (bits < 16 && along));
    /* Rows of C and D in words: two registers, of neighbours. */
    const uint32_t together = blocks ? (distinct < 4 ? distinct : 4) : sums && bits >= 32 && along ? 2 : 1;
    for (uint32_t r = 0; r < distinct; r += together) {
        const bool moved = blocks                ? load_blocks(fragment, r, together)
                           : along || bits >= 32 ? move_registers(fragment, r, together)
                           : bits == 16          ? move_transposed(fragment, r)
                                                 : load_bytes(fragment, r);
        if (!moved)
            return false;
    }
    return fragment->store || copy_registers(fragment, distinct);
}

/* wmma.load.a|b|c.sync.aligned.layout.shape{.space}.type r, [p] {, stride};
 * wmma.store.d.sync.aligned.layout.shape{.space}.type [p], r {, stride} */
static bool lower_fragment(struct lower *lower, const struct words *words, bool store)
{
    const bool named = store ? words->name == MATRIX_D : words->name < MATRIX_D;
    if (!named || words->type_count != 1 || words->layout_count != 1)
        return lower_fail(lower, "it needs %s, a layout and a type.", store ? ".d" : ".a, .b or .c");
    enum matrix_type types[MATRIX_NAMES] = {words->types[0], words->types[0], words->types[0],
                                            words->types[0]};
    if (words->name >= MATRIX_C) { /* the products' type does not matter for the places of sums */
        types[MATRIX_A] = types[MATRIX_B] = words->k == 8     ? MATRIX_TF32
                                            : words->k == 4   ? MATRIX_F64
                                            : words->k == 32  ? MATRIX_S4
                                            : words->k == 128 ? MATRIX_B1
                                                              : MATRIX_F16;
        if (words->types[0] != MATRIX_F16 && words->types[0] != MATRIX_F32 && words->types[0] != MATRIX_S32 &&
            words->types[0] != MATRIX_F64)
            return lower_fail(lower, "there are no sums of .%s.", type_texts[words->types[0]]);
    } else {
        types[MATRIX_C] = types[MATRIX_D] = sum_type(words->types[0]);
    }
    if (!has_shape(MATRIX_WMMA, types[MATRIX_A], words))
        return lower_fail(lower, "there is no .m%un%uk%u of .%s.", words->m, words->n, words->k,
                          type_texts[words->types[0]]);
    const bool column = words->column[0];
    if (words->name <= MATRIX_B && matrix_type_bits(types[0]) < 8 && column != (words->name == MATRIX_B))
        return lower_fail(lower, "its layouts must be .row.col.");
    struct program_matrix *const matrix = new_matrix(lower, MATRIX_WMMA, words, types);
    if (!matrix || !lower_operand_count(lower, 2, 3))
        return false;
    struct fragment fragment = {.lower = lower,
                                .matrix = matrix,
                                .name = words->name,
                                .column = column,
                                .store = store,
                                .space = words->space};
    const struct ptx_operand *const operands = lower->at->operands;
    const uint32_t rows = words->name == MATRIX_B ? words->k : words->m;
    const uint32_t columns = words->name == MATRIX_A ? words->k : words->n;
    const bool given = lower->at->operand_count == 3;
    return take_registers(lower, &operands[store], &matrix->parts[words->name], !store) &&
           lower_address(lower, &operands[!store], words->space, &fragment.base, &fragment.offset,
                         &fragment.base_is_32_bits) &&
           (given ? lower_source(lower, &operands[2], PTX_U32, LOWER_SAME_SIZE, &fragment.stride, NULL)
                  : lower_constant(lower, PTX_U32, column ? rows : columns, &fragment.stride)) &&
           move_fragment(&fragment);
}

bool lower_wmma(struct lower *lower)
{
    static const char *const kinds[] = {"load", "store", "mma", NULL};
    struct words words;
    uint32_t kind;
    if (!take_words(lower, &words))
        return false;
    if (!lower_take_one(lower, kinds, &kind))
        return lower_fail(lower, "it needs .load, .store or .mma.");
    return kind == 2 ? lower_wmma_product(lower, &words) : lower_fragment(lower, &words, kind == 1);
}

/* ---- blocks of 8 x 8 halves ---- */
/* ldmatrix|stmatrix.sync.aligned.m8n8.x1|x2|x4{.trans}{.shared}.b16 */
static bool lower_blocks(struct lower *lower, bool store)
{
    static const char *const counts[] = {"x1", "x2", "x4", NULL}, *const spaces[] = {"shared", "shared::cta",
                                                                                     NULL};
    struct program_instruction parts = {.offset = 0};
    struct matrix_part part = {.type = MATRIX_S32};
    uint32_t count, space;
    if (!lower_take(lower, "sync") || !lower_take(lower, "aligned"))
        return lower_fail(lower, "it needs .sync.aligned.");
    if (!lower_take(lower, "m8n8") || !lower_take(lower, "b16"))
        return lower_fail(lower, "the model moves only matrices of .m8n8 and .b16.");
    if (!lower_take_one(lower, counts, &count))
        return lower_fail(lower, "it needs .x1, .x2 or .x4.");
    const bool turn = lower_take(lower, "trans"), shared = lower_take_one(lower, spaces, &space);
    part.registers = (uint8_t)(1u << count);
    if (!lower_take_end(lower) || !lower_operand_count(lower, 2, 2) ||
        !take_registers(lower, &lower->at->operands[store], &part, !store) ||
        !lower_address(lower, &lower->at->operands[!store], shared ? PTX_SHARED : PTX_GENERIC,
                       &parts.source[0], &parts.offset, &parts.address_is_32_bits))
        return false;
    struct program_instruction *const made =
        lower_emit(lower, store ? PROGRAM_MATRIX_ST : PROGRAM_MATRIX_LD, CLASS_MEMORY);
    if (!made)
        return false;
    made->type = PTX_B16;
    made->space = PTX_SHARED;
    made->vector = part.registers;
    made->width_bytes = 16;
    made->sub = turn;
    made->source[0] = parts.source[0];
    made->offset = parts.offset;
    made->address_is_32_bits = parts.address_is_32_bits;
    memcpy(store ? made->source + 1 : made->destination, part.slots, part.registers * sizeof part.slots[0]);
    return true;
}

bool lower_ldmatrix(struct lower *lower)
{
    return lower_blocks(lower, false);
}

bool lower_stmatrix(struct lower *lower)
{
    return lower_blocks(lower, true);
}

bool lower_movmatrix(struct lower *lower)
{
    uint32_t to, from;
    if (!lower_take(lower, "sync") || !lower_take(lower, "aligned") || !lower_take(lower, "m8n8") ||
        !lower_take(lower, "trans") || !lower_take(lower, "b16") || !lower_take_end(lower))
        return lower_fail(lower, "the model has only .sync.aligned.m8n8.trans.b16.");
    return lower_operand_count(lower, 2, 2) &&
           lower_destination(lower, &lower->at->operands[0], PTX_B32, LOWER_SAME_SIZE, &to, NULL) &&
           lower_source(lower, &lower->at->operands[1], PTX_B32, LOWER_SAME_SIZE, &from, NULL) &&
           emit_lanes(lower, matrix_transpose, from, to);
}
