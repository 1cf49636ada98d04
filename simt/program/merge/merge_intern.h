/*
 * Numbers for keys of one size: 0, 1, 2 ... in the order in which they are first seen. Keys are compared as
 * bytes, so padding must be zero. Owned by the creator.
 */
#ifndef SIMT_PROGRAM_MERGE_INTERN_H
#define SIMT_PROGRAM_MERGE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern {
    size_t key_bytes; /* set by the owner; all other fields begin as zero */
    uint8_t *keys;
    uint32_t *table; /* number + 1; 0: free */
    uint32_t count, capacity, table_size;
};

/* INTERN_NONE: out of memory. */
uint32_t intern_find(struct intern *intern, const void *key, bool *is_new);
void intern_clear(struct intern *intern);
void intern_fini(struct intern *intern);

#endif
