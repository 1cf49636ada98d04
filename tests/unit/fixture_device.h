/*
 * A device of plain C for tests of host code: the workloads' kernels written once more, as their meaning has
 * it. It runs what was enqueued as late as it may, stream by stream: a schedule that lacks an event
 * fails with the newest or with the oldest first. Memory is checked for bounds. It can damage results, and
 * fail at the n-th call.
 */
#ifndef TESTS_FIXTURE_DEVICE_H
#define TESTS_FIXTURE_DEVICE_H

#include "core/device.h"

#define TEST_ALLOCATIONS_MAX 8
#define TEST_OPS_MAX 4096
#define TEST_EVENTS_MAX 64

enum op_kind { OP_COPY, OP_SET, OP_LAUNCH, OP_RECORD, OP_WAIT, OP_HOST };
enum damage { DAMAGE_NONE, DAMAGE_WRONG_WORD, DAMAGE_MISSING_WORD, DAMAGE_WORD_TOO_MUCH };

struct op {
    enum op_kind kind;
    uint64_t stream, event;
    void *to;
    const void *from;
    size_t bytes;
    uint8_t byte;
    uint32_t generation; /* of the event waited for */
    struct device_launch launch;
    uint64_t argument[4];
    void (*fn)(void *);
    void *fn_argument;
    bool done;
};

struct test_device {
    struct device device;
    struct device_info info;
    struct {
        uint8_t *bytes;
        size_t size;
    } allocations[TEST_ALLOCATIONS_MAX];
    struct op ops[TEST_OPS_MAX];
    size_t op_count;
    uint64_t stream_count, event_count;
    uint32_t recorded[TEST_EVENTS_MAX], reached[TEST_EVENTS_MAX];
    size_t calls, failing_call; /* the n-th call of any op fails; 0 none */
    size_t launches;
    enum damage damage;
    bool oldest_first; /* the order of streams when several could run */
    size_t live;       /* allocations, streams and events that were not given back */
    int host_live[HOST_MEMORY_COUNT], host_most[HOST_MEMORY_COUNT]; /* of these the host's, now and at most */
};

/* No memory, no streams, nothing damaged. A struct test_device is large: make it static. */
void test_device_init(struct test_device *d);

/* Are its kernels written once more here? */
bool test_device_runs(const char *workload);

/* Run all that was enqueued. */
void test_device_drain(struct test_device *d);

#endif
