/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap is divided into blocks without gaps. units[u] holds the size of the block that begins at unit u,
 * and whether it is allocated; at other units the value is stale. A search continues where the last one
 * ended, goes round once, and joins neighbouring free blocks on its way.
 */
#include "simt/memory/heap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_BYTES 16
#define UNITS_MAX (UINT32_MAX / 2)

struct heap_asked {
    uint64_t size_bytes; /* 0: no block */
    bool freed;
};

struct heap {
    struct memory *memory;
    const struct memory_range *range;
    pthread_mutex_t mutex;
    uint8_t *live;            /* one bit per byte: it was asked for; NULL if the memory is not checked */
    struct heap_asked *asked; /* per unit at which a block began last; beside `live` */
    uint32_t *units;          /* size << 1 | allocated; 0: no block has ever begun here */
    uint32_t count, next;
};

enum status heap_create(struct heap **heap, struct memory *memory, uint64_t size_bytes, struct error *error)
{
    uint64_t address, count = size_bytes / UNIT_BYTES;
    struct heap *made = calloc(1, sizeof *made);
    count = count < 1 ? 1 : count > UNITS_MAX ? UNITS_MAX : count;
    if (made)
        made->units = calloc(count + 1, sizeof *made->units);
    if (!made || !made->units) {
        free(made);
        return error_no_memory(error, "for the heap of malloc in kernels");
    }
    enum status status = memory_alloc(memory, count * UNIT_BYTES, &address, error);
    if (status != STATUS_OK) {
        free(made->units);
        free(made);
        return status;
    }
    pthread_mutex_init(&made->mutex, NULL);
    made->memory = memory;
    made->range = memory_find(memory, address);
    made->count = (uint32_t)count;
    made->units[0] = made->count << 1;
    if (made->range->initialised) {
        made->live = calloc(count, UNIT_BYTES / 8);
        made->asked = calloc(count, sizeof *made->asked);
    }
    *heap = made;
    if (made->range->initialised && (!made->live || !made->asked)) {
        heap_destroy(made);
        return error_no_memory(error, "for the heap of malloc in kernels");
    }
    return STATUS_OK;
}

void heap_destroy(struct heap *heap)
{
    if (!heap)
        return;
    memory_free(heap->memory, heap->range->address, NULL);
    pthread_mutex_destroy(&heap->mutex);
    free(heap->units);
    free(heap->live);
    free(heap->asked);
    free(heap);
}

/* The number of units of a block; if it is free, it is first joined with the free blocks after it. */
static uint32_t block_units(struct heap *heap, uint32_t at)
{
    uint32_t size = heap->units[at] >> 1;
    if (heap->units[at] & 1)
        return size;
    while (at + size < heap->count && !(heap->units[at + size] & 1))
        size += heap->units[at + size] >> 1;
    if (heap->next > at && heap->next < at + size)
        heap->next = at;
    heap->units[at] = size << 1;
    return size;
}

/* The first unit of a free block of at least `wanted` units that begins in `from` ... `end` - 1; heap->count:
 * there is none. */
static uint32_t block_find(struct heap *heap, uint32_t from, uint32_t end, uint32_t wanted)
{
    for (uint32_t at = from, size; at < end; at += size) {
        size = block_units(heap, at);
        if (!(heap->units[at] & 1) && size >= wanted)
            return at;
    }
    return heap->count;
}

static uint32_t block_find_anywhere(struct heap *heap, uint32_t wanted)
{
    uint32_t from = heap->next, at = block_find(heap, from, heap->count, wanted);
    return at < heap->count ? at : block_find(heap, 0, from, wanted);
}

/* Notes which bytes of a block were asked for. */
static void block_ask(struct heap *heap, uint32_t at, uint32_t units, uint64_t size_bytes)
{
    uint8_t *bits = heap->live + (uint64_t)at * UNIT_BYTES / 8;
    memset(heap->asked + at, 0, units * sizeof *heap->asked);
    memset(bits, 0, (size_t)units * UNIT_BYTES / 8);
    memset(bits, 0xff, size_bytes / 8);
    if (size_bytes % 8)
        bits[size_bytes / 8] = (uint8_t)((1u << size_bytes % 8) - 1);
    heap->asked[at] = (struct heap_asked){.size_bytes = size_bytes ? size_bytes : 1};
}

uint64_t heap_alloc(struct heap *heap, uint64_t size_bytes)
{
    uint64_t units = size_bytes / UNIT_BYTES + (size_bytes % UNIT_BYTES > 0 || size_bytes == 0), address = 0;
    if (units > heap->count)
        return 0;
    uint32_t wanted = (uint32_t)units;
    pthread_mutex_lock(&heap->mutex);
    uint32_t apart = heap->live != NULL, at = block_find_anywhere(heap, wanted + apart);
    if (at < heap->count)
        wanted += apart;
    else
        at = block_find_anywhere(heap, wanted);
    if (at < heap->count) {
        uint32_t size = heap->units[at] >> 1;
        heap->units[at] = wanted << 1 | 1;
        if (size > wanted)
            heap->units[at + wanted] = (size - wanted) << 1;
        heap->next = at + wanted < heap->count ? at + wanted : 0;
        address = heap->range->address + (uint64_t)at * UNIT_BYTES;
        if (heap->range->initialised)
            memset(heap->range->initialised + (uint64_t)at * UNIT_BYTES / 8, 0,
                   (size_t)wanted * UNIT_BYTES / 8);
        if (heap->live)
            block_ask(heap, at, wanted, size_bytes);
    }
    pthread_mutex_unlock(&heap->mutex);
    return address;
}

/* Only the first unit of an allocated block has the mark `allocated`: a free clears it, and joining blocks
 * leaves no marks. So a stale size inside a block is never taken for a block. */
bool heap_free(struct heap *heap, uint64_t address)
{
    uint64_t offset = address - heap->range->address;
    if (address < heap->range->address || offset >= (uint64_t)heap->count * UNIT_BYTES || offset % UNIT_BYTES)
        return false;
    pthread_mutex_lock(&heap->mutex);
    bool good = heap->units[offset / UNIT_BYTES] & 1;
    if (good)
        heap->units[offset / UNIT_BYTES] &= ~UINT32_C(1);
    if (good && heap->live) {
        memset(heap->live + offset / 8, 0, (size_t)(heap->units[offset / UNIT_BYTES] >> 1) * UNIT_BYTES / 8);
        heap->asked[offset / UNIT_BYTES].freed = true;
    }
    pthread_mutex_unlock(&heap->mutex);
    return good;
}

const struct memory_range *heap_range(const struct heap *heap)
{
    return heap->range;
}

bool heap_holds(const struct heap *heap, uint64_t address, uint64_t size_bytes, struct heap_block *block)
{
    uint64_t at = address - heap->range->address, end = at + size_bytes;
    if (!heap->live)
        return true;
    while (at < end && heap->live[at / 8] >> at % 8 & 1)
        at++;
    if (at == end)
        return true;
    *block = (struct heap_block){0};
    for (uint64_t unit = at / UNIT_BYTES + 1; unit-- > 0;) {
        const struct heap_asked *asked = &heap->asked[unit];
        if (!asked->size_bytes)
            continue;
        *block =
            (struct heap_block){heap->range->address + unit * UNIT_BYTES, asked->size_bytes, asked->freed};
        break;
    }
    return false;
}
