/* SPDX-License-Identifier: Apache-2.0 */
/* Faults, written past the producer's own checks straight into its ring. */
#include "faults.h"

#include "core/wire/wire_ring.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reserves records as a producer would; false when there is no room. */
static bool reserve(struct wire_producer *producer, uint64_t records, uint64_t *position)
{
    uint64_t count;
    struct wire_ring *ring = wire_producer_ring(producer, &count);
    uint64_t head;
    do {
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        head = atomic_load_explicit(&ring->head, memory_order_relaxed);
        if (head - tail + records > count)
            return false;
    } while (!atomic_compare_exchange_weak(&ring->head, &head, head + records));
    *position = head;
    return true;
}

static void publish(struct wire_producer *producer, uint64_t position, const struct event *event)
{
    uint64_t count;
    struct wire_ring *ring = wire_producer_ring(producer, &count);
    _Atomic uint64_t *shared = ring->words[position & (count - 1)];
    uint64_t words[WIRE_RECORD_WORDS];
    memcpy(words, event, sizeof words);
    words[0] = (words[0] & ~(uint64_t)UINT32_MAX) | (uint32_t)(position + 1);
    for (size_t i = WIRE_RECORD_WORDS; i-- > 0;)
        atomic_store_explicit(&shared[i], words[i], memory_order_release);
}

void fault_malformed(struct wire_producer *producer, uint64_t which)
{
    static const struct event table[] = {
        {.kind = EVENT_NONE},
        {.kind = EVENT_KIND_COUNT},
        {.kind = 255, .flags = 255, .device = 65535},
        {.kind = EVENT_BLOB_DATA},
        {.kind = EVENT_BLOB, .blob = {.type = BLOB_STRING, .id = 1, .size_bytes = UINT32_MAX}},
        {.kind = EVENT_BLOB, .blob = {.type = BLOB_STRING, .id = 7, .size_bytes = WIRE_BLOB_MAX_BYTES}},
        {.kind = EVENT_BLOB, .blob = {.type = BLOB_DEVICE, .id = UINT32_MAX, .size_bytes = 3}},
        {.kind = EVENT_BLOB, .blob = {.type = 99, .id = 1, .size_bytes = 1}},
        {.kind = EVENT_KERNEL, .kernel = {.start_ns = INT64_MAX, .end_ns = INT64_MIN}},
        {.kind = EVENT_COPY,
         .copy = {.start_ns = INT64_MIN, .end_ns = INT64_MAX, .size_bytes = UINT64_MAX, .copy_kind = 255}},
        {.kind = EVENT_CALL, .call = {.start_ns = 5, .end_ns = 4, .domain = 255, .category = 255}},
        {.kind = EVENT_RANGE_BEGIN, .range = {.time_ns = INT64_MIN, .payload = NAN}},
        {.kind = EVENT_RANGE_END, .range = {.id = UINT64_MAX}},
        {.kind = EVENT_MEASUREMENT, .measurement = {.id = 1, .values = UINT32_MAX, .passes = UINT32_MAX}},
        {.kind = EVENT_VALUE, .value = {.measurement = UINT32_MAX, .number = INFINITY}},
        {.kind = EVENT_RUN_END, .run = {.id = UINT32_MAX, .verified = 99, .mode = 255, .clock = 255}},
        {.kind = EVENT_EXPECTED, .expected = {.run = UINT32_MAX, .kernel = UINT32_MAX, .metric = UINT32_MAX}},
        {.kind = EVENT_DROPPED, .dropped = {.count = UINT64_MAX, .kind = UINT32_MAX, .reason = UINT32_MAX}},
        {.kind = EVENT_SHAPE, .shape = {.id = UINT32_MAX, .grid = {0, 0, 0}}},
        {.kind = EVENT_NOTICE, .notice = {.text = UINT32_MAX, .severity = 255}},
    };
    uint64_t position;
    if (reserve(producer, 1, &position))
        publish(producer, position, &table[which % (sizeof table / sizeof table[0])]);
}

void fault_torn(struct wire_producer *producer, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t position;
        if (!reserve(producer, 2, &position))
            return;
        const struct event event = {.kind = EVENT_MARK};
        publish(producer, position + 1, &event);
    }
}

void fault_wrong_ids(struct event *event, uint64_t which)
{
    uint32_t id = which % 2 ? UINT32_MAX : 0x7fffffff;
    switch (event->kind) {
    case EVENT_KERNEL:
        event->kernel.shape = id;
        event->kernel.stream = id - 1;
        event->kernel.context = id;
        break;
    case EVENT_COPY: event->copy.stream = event->copy.context = id; break;
    case EVENT_SET: event->set.stream = event->set.context = id; break;
    case EVENT_CALL:
        event->call.name = event->call.shape = id;
        event->call.stream = event->call.context = id;
        break;
    case EVENT_RANGE_BEGIN:
    case EVENT_RANGE_END:
    case EVENT_MARK: event->range.name = event->range.domain = id; break;
    case EVENT_MEASUREMENT: event->measurement.shape = id; break;
    case EVENT_VALUE: event->value.counter = id; break;
    default: break;
    }
    event->device = (uint16_t)which;
}

static char long_name[WIRE_BLOB_MAX_BYTES + 4096];
static char expanding_name[1024];

static void make_names(void)
{
    memset(long_name, 'n', sizeof long_name - 1);
    size_t size = (size_t)snprintf(expanding_name, sizeof expanding_name, "_Z1f1aIiiE");
    for (int i = 0; i < 30; i++) { /* every argument is twice as long as the one before */
        char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];
        size += (size_t)snprintf(expanding_name + size, sizeof expanding_name - size, "S_IS%c_S%c_E", digit,
                                 digit);
    }
}

const char *fault_name(uint64_t which)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const char *const names[] = {
        "\x1b[2J\x1b[31mred",
        "\x1b]0;title\x07\x1bP1$q\x1b\\",
        "two\nlines\rand\ttabs\x7f\x01",
        "\xff\xfe\xc0\x80\xed\xa0\x80 not UTF-8",
        "\xc2\x9b"
        "31m C1 control",
        "\xe2\x80\xae"
        "turned around \xe2\x81\xa6",
        "wide \xe6\xbc\xa2\xe5\xad\x97 and e\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
        "",
        "   ",
        "'; DROP TABLE launch; --",
        "<script>&amp;\"</script>",
        "%s%n%n%d",
        "\\u0000\\\"",
        long_name,
        expanding_name,
    };
    pthread_once(&once, make_names);
    return names[which % (sizeof names / sizeof names[0])];
}
