/* SPDX-License-Identifier: Apache-2.0 */
/* wmma's places are not public: its elements take those that simt/lanes/matrix gives them. */
#include "tests/shared/oracle/matrix_hash.h"

#include "simt/lanes/matrix.h"
#include "tests/shared/oracle/matrix_tile.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES 256

struct matrix_case {
    struct program_matrix matrix;
    uint16_t element[MATRIX_NAMES][32 * MATRIX_REGISTERS * 8];
    uint32_t config;
    uint8_t *frame;
};

static const struct {
    const char *text;
    enum matrix_type type;
    struct tile_format format;
} types[] = {
    {"f16", MATRIX_F16, {F_F16, 16, 5, 10}},    {"bf16", MATRIX_BF16, {F_BF16, 16, 8, 7}},
    {"tf32", MATRIX_TF32, {F_TF32, 32, 8, 23}}, {"f32", MATRIX_F32, {F_F32, 32, 8, 23}},
    {"f64", MATRIX_F64, {F_F64, 64, 11, 52}},   {"s32", MATRIX_S32, {F_INT, 32, 0, 0}},
    {"s8", MATRIX_S8, {F_INT, 8, 0, 0}},        {"u8", MATRIX_U8, {F_INT, 8, 0, 0}},
    {"s4", MATRIX_S4, {F_INT, 4, 0, 0}},        {"u4", MATRIX_U4, {F_INT, 4, 0, 0}},
    {"b1", MATRIX_B1, {F_BIT, 1, 0, 0}},
};
#define TYPES (sizeof types / sizeof types[0])

static struct tile_format format_of(enum matrix_type type)
{
    size_t i = 0;
    while (types[i].type != type)
        i++;
    return types[i].format;
}

/* Reads the name's words; returns the number of types. */
static uint32_t read_words(const char *name, struct program_matrix *matrix, enum matrix_type found[4])
{
    char text[128], *rest = text;
    uint32_t count = 0, layouts = 0;
    snprintf(text, sizeof text, "%s", name);
    for (const char *word; (word = strsep(&rest, ".")) != NULL;) {
        matrix->saturate |= strcmp(word, "satfinite") == 0;
        matrix->bits_and |= strcmp(word, "and") == 0;
        if (strcmp(word, "wmma") == 0)
            matrix->family = MATRIX_WMMA;
        if ((strcmp(word, "row") == 0 || strcmp(word, "col") == 0) && layouts < 2)
            matrix->parts[layouts++].column = word[0] == 'c';
        for (size_t i = 0; i < TYPES && count < 4; i++)
            if (strcmp(word, types[i].text) == 0)
                found[count++] = types[i].type;
        sscanf(word, "m%un%uk%u", &matrix->m, &matrix->n, &matrix->k);
    }
    return count;
}

/* "f64" alone, "xor" and "and" of b1, "f32.f16.f16" of wmma (D, A and B, C), or four types. */
static bool set_types(struct program_matrix *matrix, const char *name, const enum matrix_type found[4],
                      uint32_t count)
{
    enum matrix_type d = found[0], a = found[1], b = found[2], c = found[3];
    if (count == 3) {
        b = found[1];
        c = found[2];
    } else if (count == 1) {
        a = b = c = d;
    } else if (count == 0 && (strstr(name, "xor") != NULL || strstr(name, "and") != NULL)) {
        a = b = MATRIX_B1;
        c = d = MATRIX_S32;
    } else if (count != 4) {
        return false;
    }
    const enum matrix_type all[] = {a, b, c, d};
    for (uint32_t i = 0; i < MATRIX_NAMES; i++)
        matrix->parts[i].type = all[i];
    return true;
}

/* PTX ISA 9.0, 9.7.14.5.1 to .14: element i of register r. */
static struct matrix_place public_place(const struct program_matrix *matrix, enum matrix_name name,
                                        uint32_t lane, uint32_t r, uint32_t i)
{
    const struct matrix_part *const part = &matrix->parts[name];
    const uint32_t g = lane >> 2, t = lane & 3, e = part->per_register, at = r * e + i;
    const uint32_t high = lane & 16 ? 4 : 0, q = lane & 3;
    if (matrix->family == MATRIX_WMMA)
        return matrix_place(matrix, name, lane, r, i);
    if (matrix->family == MATRIX_QUARTERS) {
        if (name == MATRIX_A)
            return part->column ? (struct matrix_place){at + high, q} : (struct matrix_place){q + high, at};
        if (name == MATRIX_B)
            return part->column ? (struct matrix_place){at, q + high} : (struct matrix_place){q, at + high};
        return part->type == MATRIX_F16
                   ? (struct matrix_place){q + high, at}
                   : (struct matrix_place){(lane & 1) + (at & 2) + high, (at & 4) + (lane & 2) + (at & 1)};
    }
    if (name == MATRIX_A)
        return matrix->m == 16 ? (struct matrix_place){g + 8 * (r & 1), t * e + i + 4 * e * (r >> 1)}
                               : (struct matrix_place){g, t * e + i + 4 * e * r};
    if (name == MATRIX_B)
        return (struct matrix_place){t * e + i + 4 * e * r, g};
    return part->type == MATRIX_F16 ? (struct matrix_place){g + 8 * r, t * 2 + i}
                                    : (struct matrix_place){g + 8 * (r >> 1), t * 2 + (r & 1)};
}

struct matrix_case *matrix_case_create(const char *name, uint32_t config)
{
    struct matrix_case *const of = calloc(1, sizeof *of);
    enum matrix_type found[4] = {MATRIX_F16, MATRIX_F16, MATRIX_F16, MATRIX_F16};
    if (of == NULL)
        return NULL;
    struct program_matrix *const matrix = &of->matrix;
    const uint32_t count = read_words(name, matrix, found);
    if (!set_types(matrix, name, found, count)) {
        free(of);
        return NULL;
    }
    if (matrix->k == 4 && matrix->parts[MATRIX_A].type == MATRIX_F16)
        matrix->family = MATRIX_QUARTERS;
    matrix->rounding = FE_TONEAREST;
    matrix->sum_row = matrix_row_choose();
    of->config = config;
    for (uint32_t i = 0; i < MATRIX_NAMES; i++) {
        struct matrix_part *const part = &matrix->parts[i];
        const uint32_t bits = matrix_type_bits(part->type);
        part->registers = (uint8_t)matrix_registers(matrix, (enum matrix_name)i);
        part->per_register = (uint8_t)(bits == 1 || bits >= 32 ? 1 : 32 / bits);
        part->element = of->element[i];
        for (uint32_t r = 0; r < MATRIX_REGISTERS; r++)
            part->slots[r] = (i * MATRIX_REGISTERS + r) * SLOT_BYTES;
        matrix_places(matrix, (enum matrix_name)i, of->element[i]);
    }
    of->frame = aligned_alloc(64, MATRIX_NAMES * MATRIX_REGISTERS * SLOT_BYTES);
    return of;
}

void matrix_case_destroy(struct matrix_case *of)
{
    if (of != NULL)
        free(of->frame);
    free(of);
}

uint32_t matrix_case_elements(const struct matrix_case *of)
{
    return of->matrix.m * of->matrix.n;
}

/* One element; of b1 a word of 32, which lie along k. */
static uint64_t element_at(const struct matrix_case *of, uint32_t tile, enum matrix_name name,
                           struct matrix_place at)
{
    const struct tile_format format = format_of(of->matrix.parts[name].type);
    uint64_t word = 0;
    if (format.form != F_BIT)
        return tile_element(format, of->config, tile, name, (int)at.row, (int)at.column, (int)of->matrix.k);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t row = name == MATRIX_B ? at.row * 32 + i : at.row;
        const uint32_t column = name == MATRIX_A ? at.column * 32 + i : at.column;
        word |= tile_element(format, of->config, tile, name, (int)row, (int)column, (int)of->matrix.k) << i;
    }
    return word;
}

static uint32_t tile_of_lane(const struct matrix_case *of, uint32_t tile, uint32_t lane)
{
    return of->matrix.family == MATRIX_QUARTERS ? tile + (lane >> 2 & 3) : tile;
}

static void fill_part(const struct matrix_case *of, enum matrix_name name, uint32_t tile)
{
    const struct matrix_part *const part = &of->matrix.parts[name];
    const uint32_t bits = matrix_type_bits(part->type);
    for (uint32_t r = 0; r < part->registers; r++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t word = 0;
            for (uint32_t i = 0; i < part->per_register; i++)
                word |= element_at(of, tile_of_lane(of, tile, lane), name,
                                   public_place(&of->matrix, name, lane, r, i))
                        << (i * bits % 64);
            void *const slot = of->frame + part->slots[r];
            if (bits == 64)
                ((uint64_t *)slot)[lane] = word;
            else
                ((uint32_t *)slot)[lane] = (uint32_t)word;
        }
    }
}

static uint64_t read_results(const struct matrix_case *of, uint32_t tile, uint64_t *results)
{
    const struct matrix_part *const part = &of->matrix.parts[MATRIX_D];
    const uint32_t bits = matrix_type_bits(part->type);
    uint64_t hash = 0;
    for (uint32_t r = 0; r < part->registers; r++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
            const void *const slot = of->frame + part->slots[r];
            const uint64_t word =
                bits == 64 ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
            const uint32_t from = tile_of_lane(of, tile, lane);
            for (uint32_t i = 0; i < part->per_register; i++) {
                const uint64_t value = bits == 16 ? word >> 16 * i & 0xffff : word;
                const struct matrix_place at = public_place(&of->matrix, MATRIX_D, lane, r, i);
                const uint32_t index = at.row * of->matrix.n + at.column;
                hash += tile_share(from, index, value);
                if (results != NULL)
                    results[(size_t)(from - tile) * matrix_case_elements(of) + index] = value;
            }
        }
    }
    return hash;
}

uint64_t matrix_case_hash(const struct matrix_case *of, uint32_t first_tile, uint32_t count,
                          uint64_t *results)
{
    const uint32_t together = of->matrix.family == MATRIX_QUARTERS ? 4 : 1;
    uint64_t hash = 0;
    for (uint32_t tile = first_tile; tile < first_tile + count; tile += together) {
        for (uint32_t i = MATRIX_A; i <= MATRIX_C; i++)
            fill_part(of, (enum matrix_name)i, tile);
        matrix_multiply(&of->matrix, of->frame, UINT32_MAX);
        hash += read_results(
            of, tile,
            results != NULL ? results + (size_t)(tile - first_tile) * matrix_case_elements(of) : NULL);
    }
    return hash;
}
