/* SPDX-License-Identifier: Apache-2.0 */
/* A cubin with functions and nothing else: the ELF file that the agent reads their sizes from. */
#ifndef TESTS_SHARED_MADE_MADE_CUBIN_H
#define TESTS_SHARED_MADE_MADE_CUBIN_H

#include <stddef.h>
#include <stdint.h>

#define MADE_CUBIN_BYTES 4096

struct made_function {
    const char *name;
    uint64_t size_bytes;
};

/* At most 16 functions with short names. Gives its bytes. */
size_t made_cubin(uint8_t bytes[MADE_CUBIN_BYTES], const struct made_function *functions, size_t count);

#endif
