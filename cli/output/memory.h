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

/* Prints the sentence on stderr and ends the program with EXIT_FAILED, or as memory_end_by says. */
_Noreturn void memory_end(void);

/* What is put in order before the program ends: a file that is half written, a live session. `end` returns
 * the exit status; NULL: there is nothing (any more). */
typedef int memory_ending(void *context);
void memory_end_by(memory_ending *end, void *context);

/* malloc's, zero; the caller frees it. At least one element. */
void *memory_zeroed(size_t count, size_t element_bytes);
char *memory_copy_text(const char *text);

/* core/base/array.h */
#define memory_grow(array, room, count, more) (array_grow(array, room, count, more) ? (void)0 : memory_end())

/* STATUS_MEMORY of what was called ends the program; any other status is returned. */
enum status memory_check(enum status status);

#endif
