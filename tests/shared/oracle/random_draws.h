/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that look random and are the same in every run (xorshift): a test sets random_state, not 0, to
 * choose a sequence.
 */
#ifndef TESTS_SHARED_ORACLE_RANDOM_DRAWS_H
#define TESTS_SHARED_ORACLE_RANDOM_DRAWS_H

#include <stdint.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

#endif
