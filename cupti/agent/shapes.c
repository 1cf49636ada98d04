/* Open addressing, at most half full; a slot is free while its shape's id is 0. */
#include "cupti/agent/shapes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024u
#define MAX_SLOTS (1u << 21)

struct shapes {
    pthread_mutex_t lock;
    struct event *slots;
    uint32_t slot_count, count; /* slot_count: a power of two */
    shapes_announce *announce;
    void *context;
};

struct shapes *shapes_create(shapes_announce *announce, void *context)
{
    struct shapes *shapes = calloc(1, sizeof *shapes);
    if (!shapes)
        return NULL;
    shapes->slots = calloc(FIRST_SLOTS, sizeof *shapes->slots);
    if (!shapes->slots || pthread_mutex_init(&shapes->lock, NULL) != 0) {
        free(shapes->slots);
        free(shapes);
        return NULL;
    }
    shapes->slot_count = FIRST_SLOTS;
    shapes->announce = announce;
    shapes->context = context;
    return shapes;
}

void shapes_destroy(struct shapes *shapes)
{
    if (!shapes)
        return;
    pthread_mutex_destroy(&shapes->lock);
    free(shapes->slots);
    free(shapes);
}

static uint64_t shape_hash(const struct event *key)
{
    uint64_t words[sizeof *key / 8], value = 0xcbf29ce484222325u;
    memcpy(words, key, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        value = (value ^ words[i]) * 0x9e3779b97f4a7c15u;
        value ^= value >> 29;
    }
    return value;
}

/* The slot that holds this shape, or the free one where it belongs. */
static struct event *shape_find(struct event *slots, uint32_t slot_count, const struct event *key)
{
    for (uint64_t i = shape_hash(key);; i++) {
        struct event *slot = &slots[i & (slot_count - 1)];
        if (slot->shape.id == 0)
            return slot;
        struct event plain = *slot;
        plain.shape.id = 0;
        if (memcmp(&plain, key, sizeof plain) == 0)
            return slot;
    }
}

static bool shapes_grow(struct shapes *shapes)
{
    uint32_t slot_count = shapes->slot_count * 2;
    struct event *slots = slot_count <= MAX_SLOTS ? calloc(slot_count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t i = 0; i < shapes->slot_count; i++) {
        if (shapes->slots[i].shape.id == 0)
            continue;
        struct event plain = shapes->slots[i];
        plain.shape.id = 0;
        *shape_find(slots, slot_count, &plain) = shapes->slots[i];
    }
    free(shapes->slots);
    shapes->slots = slots;
    shapes->slot_count = slot_count;
    return true;
}

uint32_t shapes_id(struct shapes *shapes, const struct event *shape)
{
    struct event key = {.kind = EVENT_SHAPE, .flags = shape->flags};
    key.shape = shape->shape;
    key.shape.id = 0;

    pthread_mutex_lock(&shapes->lock);
    struct event *slot = shape_find(shapes->slots, shapes->slot_count, &key);
    uint32_t id = slot->shape.id;
    if (id == 0 && (shapes->count < shapes->slot_count / 2 || shapes_grow(shapes))) {
        key.shape.id = shapes->count + 1;
        if (shapes->announce(shapes->context, &key)) {
            struct event plain = key;
            plain.shape.id = 0;
            *shape_find(shapes->slots, shapes->slot_count, &plain) = key;
            id = ++shapes->count;
        }
    }
    pthread_mutex_unlock(&shapes->lock);
    return id;
}
