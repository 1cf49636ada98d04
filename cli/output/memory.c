/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where a program that has no memory left ends. What one command wants done first is the only
 * state: there is one command in a process. */
#include "cli/output/memory.h"

#include "cli/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    memory_ending *end;
    void *context;
} ending;

void memory_end_by(memory_ending *end, void *context)
{
    ending.end = end;
    ending.context = context;
}

_Noreturn void memory_end(void)
{
    fputs("lanescope: There is not enough memory: close other programs.\n", stderr);
    memory_ending *end = ending.end;
    ending.end = NULL; /* which may run out of memory itself */
    exit(end ? end(ending.context) : EXIT_FAILED);
}

void *memory_zeroed(size_t count, size_t element_bytes)
{
    void *memory = calloc(count ? count : 1, element_bytes);
    if (!memory)
        memory_end();
    return memory;
}

char *memory_copy_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        memory_end();
    return copy;
}

enum status memory_check(enum status status)
{
    if (status == STATUS_MEMORY)
        memory_end();
    return status;
}
