/* SPDX-License-Identifier: Apache-2.0 */
/* Defects that a build with the address and undefined behaviour sanitizers must not let pass: a test of the
 * tests. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>

/* Volatile, so that the compiler neither warns of the defects nor removes them. */
static volatile int bits = 32;
static volatile size_t size_bytes = 16;
static char *volatile kept;

Test(defects, none)
{
    char *bytes = malloc(size_bytes);
    cr_assert(bytes != NULL);
    bytes[size_bytes - 1] = 1;
    cr_assert(bytes[size_bytes - 1] << (bits - 2) != 0);
    free(bytes);
}

Test(defects, leak)
{
    kept = malloc(size_bytes);
    cr_assert(kept != NULL);
    kept = NULL;
}

Test(defects, overflow)
{
    volatile char *bytes = malloc(size_bytes);
    cr_assert(bytes != NULL);
    bytes[size_bytes] = 1;
    free((void *)bytes);
}

Test(defects, shift)
{
    volatile int shifted = 1 << bits;
    cr_assert(shifted != INT_MIN);
}
