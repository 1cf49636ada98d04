/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of simt/lanes/matrix for the tiles of tests/shared/oracle/matrix_tile.h, as hashes. Elements
 * come and go through the registers of a warp, at the places that the figures of PTX ISA 9.0, 9.7.14.5, give
 * them.
 */
#ifndef TESTS_SHARED_ORACLE_MATRIX_HASH_H
#define TESTS_SHARED_ORACLE_MATRIX_HASH_H

#include <stdbool.h>
#include <stdint.h>

struct matrix_case;

/* name: "mma.m16n8k8.row.col.f32.f16.f16.f32", "wmma.m16n16k16.satfinite.s32.s8.s32". NULL: no such product.
 */
struct matrix_case *matrix_case_create(const char *name, uint32_t config);
void matrix_case_destroy(struct matrix_case *of);
uint32_t matrix_case_elements(const struct matrix_case *of); /* of a result */
/* The hash of `count` tiles; a multiple of 4. results: NULL, or elements x count. */
uint64_t matrix_case_hash(const struct matrix_case *of, uint32_t first_tile, uint32_t count,
                          uint64_t *results);

#endif
