/* SPDX-License-Identifier: Apache-2.0 */
/* Operands to try instructions with: edges of a type, random bits, and what lies near another operand. */
#ifndef TESTS_SHARED_ORACLE_PTX_VALUES_H
#define TESTS_SHARED_ORACLE_PTX_VALUES_H

#include "simt/ptx/ptx.h"

struct values { /* the same sequence for the same start */
    uint64_t state;
};

uint64_t values_next(struct values *values);
/* A value of the type as bits; `near`: another operand of the same size. */
uint64_t values_of(struct values *values, enum ptx_type type, uint64_t near);

#endif
