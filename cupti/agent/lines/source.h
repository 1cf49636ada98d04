/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code that a lines run reports: the modules of the process, and the functions for which there are
 * samples or counts. A function is announced when it is first needed (FUNCTION); its instructions and their
 * source lines (INSTRUCTION) are sent later, and its cubin is written to the session's folder for a
 * disassembler.
 *
 * Modules are added on application threads, functions are looked up on any thread; one lock, not held across
 * a call of CUPTI or of the wire but for the announcement itself. Cubins are copied: CUPTI's own is valid
 * within its callback only.
 *
 * cubin_function_bytes reads the functions of a cubin, a 64-bit little-endian ELF file. It may come from any
 * program, so nothing in it is trusted: every offset is checked against the size before it is used. Pure, any
 * thread.
 */
#ifndef CUPTI_AGENT_LINES_SOURCE_H
#define CUPTI_AGENT_LINES_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, at injection. socket_path: the collector's; cubins are written beside it. */
void source_start(const char *socket_path);

/* A module was loaded: keeps its cubin. A cubin larger than SOURCE_CUBIN_MAX, or beyond SOURCE_CUBINS_MAX in
 * all, is left out, with a notice. */
#define SOURCE_CUBIN_MAX (64u << 20)
#define SOURCE_CUBINS_MAX (256u << 20)
void source_module_loaded(const void *cubin, size_t size_bytes);

/* Announces a function of the module whose cubin has this CRC (only the low 32 bits) and returns its id; 0:
 * it could not be announced. */
uint32_t source_function(uint64_t crc, const char *name);

#define SOURCE_TICK_NS 20000000  /* time that the agent's thread gives to lines between its other tasks */
#define SOURCE_END_NS 5000000000 /* what the end of the process does */

/* Sends the instructions of announced functions until deadline_ns (CLOCK_REALTIME). True: all are sent. */
bool source_send(int64_t deadline_ns);

/* The same for the last time: also reports how many functions have no lines. */
void source_end(int64_t deadline_ns);

#define CUBIN_INSTRUCTION_BYTES 16u /* since compute capability 7.0; lanescope's oldest for this is 7.5 */
#define CUBIN_FUNCTION_MAX (1u << 26)

/* The bytes of machine code of the function with that (mangled) name; 0: it is not there, or the file is not
 * valid. */
uint32_t cubin_function_bytes(const void *cubin, size_t size_bytes, const char *name);

#endif
