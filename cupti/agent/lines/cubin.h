/*
 * Reads the functions of a cubin, a 64-bit little-endian ELF file. It may come from any program, so nothing
 * in it is trusted: every offset is checked against the size before it is used. Pure, any thread.
 */
#ifndef CUPTI_AGENT_LINES_CUBIN_H
#define CUPTI_AGENT_LINES_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUBIN_INSTRUCTION_BYTES 16u /* since compute capability 7.0; lanescope's oldest for this is 7.5 */
#define CUBIN_FUNCTION_MAX (1u << 26)

/* The bytes of machine code of the function with that (mangled) name; 0: it is not there, or the file is not
 * valid. */
uint32_t cubin_function_bytes(const void *cubin, size_t size_bytes, const char *name);

#endif
