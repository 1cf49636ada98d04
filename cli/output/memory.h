/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for the commands that read a recording and print (report, diff, export) and for the table at the end
 * of a run: nothing of the user's is lost when they end, so memory that is not there ends the program here,
 * with one sentence, and their callers handle nothing. Not for what a live session or a recorder calls: those
 * report STATUS_MEMORY. The main thread.
 */
#ifndef CLI_OUTPUT_MEMORY_H
#define CLI_OUTPUT_MEMORY_H

#include "core/base/array.h"
#include "core/base/error.h"

#include <stddef.h>

/* Prints the sentence on stderr and ends the program with EXIT_FAILED, or as set by memory_end_by. */
_Noreturn void memory_end(void);

/* Sets what is to be done before the program ends: remove a half-written file, close a live session. `end`
 * returns the exit status; NULL: nothing is to be done (any more). */
typedef int memory_ending(void *context);
void memory_end_by(memory_ending *end, void *context);

/* Zeroed memory from malloc, for at least one element; the caller frees it. */
void *memory_zeroed(size_t count, size_t element_bytes);
char *memory_copy_text(const char *text);

/* core/base/array.h */
#define memory_grow(array, room, count, more) (array_grow(array, room, count, more) ? (void)0 : memory_end())

/* If the status of a call is STATUS_MEMORY, ends the program; returns any other status. */
enum status memory_check(enum status status);

#endif
