/* An array of keys, and an open hash table of their numbers. */
#include "simt/program/merge/merge_intern.h"

#include <stdlib.h>
#include <string.h>

static uint32_t intern_place(const struct intern *intern, const void *key)
{
    const uint8_t *bytes = key;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < intern->key_bytes; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    uint32_t at = (uint32_t)(hash >> 20) & (intern->table_size - 1);
    while (intern->table[at] &&
           memcmp(intern->keys + (intern->table[at] - 1) * intern->key_bytes, key, intern->key_bytes) != 0)
        at = (at + 1) & (intern->table_size - 1);
    return at;
}

static bool intern_grow(struct intern *intern)
{
    uint32_t capacity = intern->capacity ? 2 * intern->capacity : 256;
    uint8_t *keys = realloc(intern->keys, capacity * intern->key_bytes);
    if (!keys)
        return false;
    intern->keys = keys;
    uint32_t *table = calloc(2 * (size_t)capacity, sizeof *table);
    if (!table)
        return false;
    free(intern->table);
    intern->table = table;
    intern->table_size = 2 * capacity;
    intern->capacity = capacity;
    for (uint32_t i = 0; i < intern->count; i++)
        intern->table[intern_place(intern, intern->keys + i * intern->key_bytes)] = i + 1;
    return true;
}

uint32_t intern_find(struct intern *intern, const void *key, bool *is_new)
{
    *is_new = false;
    if (intern->count == intern->capacity && !intern_grow(intern))
        return INTERN_NONE;
    uint32_t at = intern_place(intern, key);
    if (!intern->table[at]) {
        memcpy(intern->keys + intern->count * intern->key_bytes, key, intern->key_bytes);
        intern->table[at] = ++intern->count;
        *is_new = true;
    }
    return intern->table[at] - 1;
}

void intern_clear(struct intern *intern)
{
    if (intern->table)
        memset(intern->table, 0, intern->table_size * sizeof *intern->table);
    intern->count = 0;
}

void intern_fini(struct intern *intern)
{
    free(intern->keys);
    free(intern->table);
    *intern = (struct intern){0};
}
