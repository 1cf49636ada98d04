/*
 * A hash table of fixed width with chains: heads are published by release stores, entries are immutable from
 * then on.
 */
#include "core/wire/wire_strings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 65536u

struct entry {
    struct entry *next;
    uint64_t hash;
    uint32_t id;
    uint32_t size_bytes;
    char text[];
};

struct wire_strings {
    _Atomic(struct entry *) buckets[BUCKETS];
    pthread_mutex_t lock; /* of what follows, and of adding */
    uint32_t count;
    size_t bytes;
};

struct wire_strings *wire_strings_create(void)
{
    struct wire_strings *strings = calloc(1, sizeof *strings);
    if (!strings)
        return NULL;
    if (pthread_mutex_init(&strings->lock, NULL) != 0) {
        free(strings);
        return NULL;
    }
    return strings;
}

void wire_strings_destroy(struct wire_strings *strings)
{
    if (!strings)
        return;
    for (size_t i = 0; i < BUCKETS; i++) {
        struct entry *entry = atomic_load_explicit(&strings->buckets[i], memory_order_relaxed);
        while (entry) {
            struct entry *next = entry->next;
            free(entry);
            entry = next;
        }
    }
    free(strings); /* leave the lock alone: in a forked child a thread of the parent may hold it */
}

/* FNV-1a over words, then bytes. */
static uint64_t hash_text(const char *text, size_t size_bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t i = 0;
    for (; i + 8 <= size_bytes; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    for (; i < size_bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}

static uint32_t string_find(struct entry *entry, uint64_t hash, const char *text, size_t size_bytes)
{
    for (; entry; entry = entry->next)
        if (entry->hash == hash && entry->size_bytes == size_bytes &&
            memcmp(entry->text, text, size_bytes) == 0)
            return entry->id;
    return 0;
}

uint32_t wire_strings_find_or_add(struct wire_strings *strings, const char *text, size_t size_bytes,
                                  bool (*announce)(void *context, uint32_t id, const char *text,
                                                   size_t size_bytes),
                                  void *context)
{
    uint64_t hash = hash_text(text, size_bytes);
    _Atomic(struct entry *) *bucket = &strings->buckets[hash & (BUCKETS - 1)];
    uint32_t id = string_find(atomic_load_explicit(bucket, memory_order_acquire), hash, text, size_bytes);
    if (id != 0)
        return id;

    pthread_mutex_lock(&strings->lock);
    struct entry *first = atomic_load_explicit(bucket, memory_order_relaxed);
    id = string_find(first, hash, text, size_bytes);
    bool room = strings->count < WIRE_STRINGS_MAX && strings->bytes + size_bytes <= WIRE_STRINGS_MAX_BYTES;
    struct entry *entry = id == 0 && room ? malloc(sizeof *entry + size_bytes) : NULL;
    if (entry && announce(context, strings->count + 1, text, size_bytes)) {
        id = ++strings->count;
        strings->bytes += size_bytes;
        entry->next = first;
        entry->hash = hash;
        entry->id = id;
        entry->size_bytes = (uint32_t)size_bytes;
        memcpy(entry->text, text, size_bytes);
        atomic_store_explicit(bucket, entry, memory_order_release);
    } else {
        free(entry);
    }
    pthread_mutex_unlock(&strings->lock);
    return id;
}
