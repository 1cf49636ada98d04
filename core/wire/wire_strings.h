/*
 * The strings that a producer has announced: a map from text to id (1...). Entries are never changed or
 * removed, so a look-up takes no lock; adding takes one. Bounded, so that a program with a new name for every
 * range does not run out of memory.
 */
#ifndef CORE_WIRE_WIRE_STRINGS_H
#define CORE_WIRE_WIRE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_STRINGS_MAX (1u << 20)
#define WIRE_STRINGS_MAX_BYTES (256u << 20)

struct wire_strings;

struct wire_strings *wire_strings_create(void);          /* NULL: out of memory */
void wire_strings_destroy(struct wire_strings *strings); /* also in a forked child */

/* Returns the text's id; a new text is first announced (under the lock) by announce(context, id, text,
 * size_bytes). 0 if that failed or a limit is reached. Any thread. */
uint32_t wire_strings_find_or_add(struct wire_strings *strings, const char *text, size_t size_bytes,
                                  bool (*announce)(void *context, uint32_t id, const char *text,
                                                   size_t size_bytes),
                                  void *context);

#endif
