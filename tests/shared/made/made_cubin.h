/* SPDX-License-Identifier: Apache-2.0 */
/* A cubin with functions and what they call, and nothing else: the ELF file that the agent reads these from. */
#ifndef TESTS_SHARED_MADE_MADE_CUBIN_H
#define TESTS_SHARED_MADE_MADE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADE_CUBIN_BYTES 4096

struct made_function {
    const char *name;
    uint64_t size_bytes;
    uint16_t section; /* 0: 1 */
    bool outside;     /* a symbol of the driver */
    uint32_t calls;   /* number of the function that it calls, from 1; 0: none */
};

/* At most 16 functions with short names. Gives its bytes. */
size_t made_cubin(uint8_t bytes[MADE_CUBIN_BYTES], const struct made_function *functions, size_t count);

#endif
