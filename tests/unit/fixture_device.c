#include "fixture_device.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct test_device *of(struct device *device)
{
    return (struct test_device *)device;
}

static enum status call(struct device *device, struct error *error)
{
    struct test_device *d = of(device);

    return ++d->calls == d->failing_call ? error_set(error, STATUS_DEVICE, "call %zu failed", d->calls)
                                         : STATUS_OK;
}

/* Memory of the device as the host sees it: all of [address, address + bytes) must lie in one allocation. */
static void *memory(struct test_device *d, uint64_t address, size_t bytes)
{
    uint8_t *pointer = (uint8_t *)(uintptr_t)address;

    for (size_t i = 0; i < TEST_ALLOCATIONS_MAX; i++) {
        uint8_t *base = d->allocations[i].bytes;
        if (base && pointer >= base && pointer + bytes <= base + d->allocations[i].size)
            return pointer;
    }
    cr_assert_fail("%zu bytes outside of all allocations", bytes);
    return NULL;
}

/* ---- the kernels, thread by thread, as their meaning has it ---- */

static float *words(struct test_device *d, uint64_t address, size_t index)
{
    return memory(d, address + index * sizeof(float), sizeof(float));
}

static void run_copy(struct test_device *d, const struct op *op, size_t stride, size_t offset)
{
    size_t threads = (size_t)op->launch.grid[0] * op->launch.block[0];

    for (size_t t = 0; t < threads; t++)
        *words(d, op->argument[0], t * stride + offset) = *words(d, op->argument[1], t * stride + offset);
}

static void run_bank(struct test_device *d, const struct op *op, size_t width)
{
    size_t threads = (size_t)op->launch.grid[0] * op->launch.block[0], stride = op->argument[2];
    const uint8_t *in = memory(d, op->argument[1], 32 * stride * width);

    for (size_t t = 0; t < threads; t++) {
        uint32_t sum = 0;
        for (size_t round = 0; round < 32; round++) {
            const uint8_t *element = in + (t + round) % 32 * stride * width;
            uint32_t folded = 0;
            for (size_t byte = 0; byte < width; byte++)
                folded ^= (uint32_t)element[byte] << byte % 4 * 8;
            sum = sum * 31 + folded;
        }
        memcpy(words(d, op->argument[0], t), &sum, sizeof sum);
    }
}

static void run_transpose(struct test_device *d, const struct op *op, bool turn)
{
    size_t n = op->argument[2];

    cr_assert_eq(op->launch.grid[0] * 32, n);
    cr_assert_eq(op->launch.grid[1] * 32, n);
    for (size_t y = 0; y < n; y++) {
        for (size_t x = 0; x < n; x++)
            *words(d, op->argument[0], turn ? x * n + y : y * n + x) = *words(d, op->argument[1], y * n + x);
    }
}

static void run_matmul(struct test_device *d, const struct op *op)
{
    size_t m = op->launch.grid[1] * 32, n = op->argument[3];

    cr_assert_eq(op->launch.grid[0] * 32, n);
    for (size_t row = 0; row < m; row++) {
        for (size_t column = 0; column < n; column++) {
            volatile float sum = 0, product;
            for (size_t i = 0; i < 32; i++) {
                product =
                    *words(d, op->argument[1], row * 32 + i) * *words(d, op->argument[2], i * n + column);
                sum = sum + product;
            }
            *words(d, op->argument[0], row * n + column) = sum;
        }
    }
}

static void run_chunk(struct test_device *d, const struct op *op)
{
    size_t n = op->argument[2];
    const float *in = memory(d, op->argument[1], n * sizeof *in);
    float *out = memory(d, op->argument[0], n * sizeof *out);

    for (size_t i = 0; i < n; i++) {
        float x = in[i];
        for (size_t round = 0; round < op->argument[3]; round++)
            x = x * 0.999f + 0.001f;
        out[i] = x;
    }
}

static void damage(struct test_device *d, const struct op *op)
{
    static const uint32_t poison = UINT32_MAX;
    float *first = words(d, op->argument[0], 0);

    if (d->damage == DAMAGE_WRONG_WORD)
        *(uint8_t *)words(d, op->argument[0], 64) ^= 1;
    else if (d->damage == DAMAGE_MISSING_WORD)
        memcpy(words(d, op->argument[0], 64), &poison, sizeof poison);
    else if (d->damage == DAMAGE_WORD_TOO_MUCH)
        *first = 1;
}

static void run_launch(struct test_device *d, const struct op *op)
{
    const char *kernel = op->launch.kernel;
    unsigned width = 0;

    d->launches++;
    if (strcmp(kernel, "copy_offset") == 0)
        run_copy(d, op, 1, op->argument[2]);
    else if (strcmp(kernel, "copy_stride") == 0)
        run_copy(d, op, op->argument[2], 0);
    else if (sscanf(kernel, "bank_stride_%u", &width) == 1)
        run_bank(d, op, width / 8);
    else if (strncmp(kernel, "transpose_", 10) == 0)
        run_transpose(d, op, strcmp(kernel, "transpose_copy") != 0);
    else if (strncmp(kernel, "matmul_", 7) == 0)
        run_matmul(d, op);
    else if (strcmp(kernel, "chunk") == 0)
        run_chunk(d, op);
    else
        cr_assert_fail("no kernel %s", kernel);
    damage(d, op);
}

bool test_device_runs(const char *workload)
{
    static const char *const names[] = {"copy-offset", "copy-stride", "bank-stride",   "transpose",
                                        "matmul-ab",   "n-way",       "staged-overlap"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(workload, names[i]) == 0)
            return true;
    }
    return false;
}

/* ---- the queue ---- */

static bool op_ready(const struct test_device *d, const struct op *op)
{
    return op->kind != OP_WAIT || d->reached[op->event] >= op->generation;
}

static void op_run(struct test_device *d, struct op *op)
{
    op->done = true;
    switch (op->kind) {
    case OP_COPY: memmove(op->to, op->from, op->bytes); break;
    case OP_SET: memset(op->to, op->byte, op->bytes); break;
    case OP_LAUNCH: run_launch(d, op); break;
    case OP_RECORD: d->reached[op->event]++; break;
    case OP_WAIT: break;
    case OP_HOST: op->fn(op->fn_argument); break;
    }
}

/* The oldest operation of a stream that is not done. */
static struct op *stream_head(struct test_device *d, uint64_t stream)
{
    for (size_t i = 0; i < d->op_count; i++) {
        if (!d->ops[i].done && d->ops[i].stream == stream)
            return &d->ops[i];
    }
    return NULL;
}

void test_device_drain(struct test_device *d)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint64_t i = 0; i <= d->stream_count && !moved; i++) {
            struct op *op = stream_head(d, d->oldest_first ? i : d->stream_count - i);
            if (op && op_ready(d, op)) {
                op_run(d, op);
                moved = true;
            }
        }
    }
    for (size_t i = 0; i < d->op_count; i++)
        cr_assert(d->ops[i].done, "an operation waits for an event that never comes");
    d->op_count = 0;
}

static struct op *enqueue(struct device *device, enum op_kind kind, uint64_t stream)
{
    struct test_device *d = of(device);

    cr_assert_lt(d->op_count, TEST_OPS_MAX);
    cr_assert_leq(stream, d->stream_count);
    struct op *op = &d->ops[d->op_count++];
    *op = (struct op){.kind = kind, .stream = stream};
    return op;
}

/* ---- the ops ---- */

static const struct device_info *test_info(struct device *device)
{
    return &of(device)->info;
}

static enum status test_memory_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                                     struct error *error)
{
    struct test_device *d = of(device);
    size_t i = 0;

    if (call(device, error))
        return STATUS_DEVICE;
    while (d->allocations[i].bytes)
        i++;
    cr_assert_lt(i, TEST_ALLOCATIONS_MAX);
    d->allocations[i].bytes = malloc(bytes);
    d->allocations[i].size = bytes;
    d->live++;
    *pointer = device_host_address(d->allocations[i].bytes);
    return STATUS_OK;
}

static enum status test_memory_free(struct device *device, device_pointer pointer, struct error *error)
{
    struct test_device *d = of(device);

    (void)error;
    for (size_t i = 0; i < TEST_ALLOCATIONS_MAX; i++) {
        if (device_host_address(d->allocations[i].bytes) == pointer) {
            free(d->allocations[i].bytes);
            d->allocations[i].bytes = NULL;
            d->live--;
        }
    }
    return STATUS_OK;
}

static enum status test_host_alloc(struct device *device, size_t bytes, enum host_memory kind, void **pointer,
                                   struct error *error)
{
    struct test_device *d = of(device);

    if (call(device, error))
        return STATUS_DEVICE;
    *pointer = malloc(bytes);
    d->live++;
    if (++d->host_live[kind] > d->host_most[kind])
        d->host_most[kind] = d->host_live[kind];
    return STATUS_OK;
}

static enum status test_host_free(struct device *device, enum host_memory kind, void *pointer,
                                  struct error *error)
{
    (void)error;
    free(pointer);
    of(device)->live--;
    of(device)->host_live[kind]--;
    return STATUS_OK;
}

static enum status test_sync(struct device *device, struct error *error)
{
    test_device_drain(of(device));
    return call(device, error);
}

static enum status test_copy(struct device *device, enum device_copy direction, uint64_t destination,
                             uint64_t source, size_t bytes, uint64_t stream, bool async, struct error *error)
{
    if (call(device, error))
        return STATUS_DEVICE;
    struct op *op = enqueue(device, OP_COPY, stream);
    op->bytes = bytes;
    op->to = direction == DEVICE_COPY_TO_HOST ? (void *)(uintptr_t)destination
                                              : memory(of(device), destination, bytes);
    op->from =
        direction == DEVICE_COPY_TO_DEVICE ? (void *)(uintptr_t)source : memory(of(device), source, bytes);
    if (!async)
        test_device_drain(of(device));
    return STATUS_OK;
}

static enum status test_set(struct device *device, device_pointer destination, uint8_t byte, size_t bytes,
                            uint64_t stream, struct error *error)
{
    if (call(device, error))
        return STATUS_DEVICE;
    struct op *op = enqueue(device, OP_SET, stream);
    op->to = memory(of(device), destination, bytes);
    op->bytes = bytes;
    op->byte = byte;
    return STATUS_OK;
}

static enum status test_launch(struct device *device, const struct device_launch *launch, struct error *error)
{
    /* p: a pointer, u: 32 bits */
    const char *kinds = strcmp(launch->kernel, "chunk") == 0         ? "ppuu"
                        : strncmp(launch->kernel, "matmul_", 7) == 0 ? "pppu"
                                                                     : "ppu";

    if (call(device, error))
        return STATUS_DEVICE;
    struct op *op = enqueue(device, OP_LAUNCH, launch->stream);
    op->launch = *launch;
    for (size_t i = 0; kinds[i]; i++)
        memcpy(&op->argument[i], launch->arguments[i], kinds[i] == 'p' ? 8 : 4);
    return STATUS_OK;
}

static enum status test_stream_create(struct device *device, bool non_blocking, uint64_t *stream,
                                      struct error *error)
{
    (void)non_blocking;
    if (call(device, error))
        return STATUS_DEVICE;
    of(device)->live++;
    *stream = ++of(device)->stream_count;
    return STATUS_OK;
}

static enum status test_stream_destroy(struct device *device, uint64_t stream, struct error *error)
{
    (void)stream;
    (void)error;
    of(device)->live--;
    return STATUS_OK;
}

static enum status test_event_create(struct device *device, uint64_t *event, struct error *error)
{
    if (call(device, error))
        return STATUS_DEVICE;
    cr_assert_lt(of(device)->event_count, TEST_EVENTS_MAX - 1);
    of(device)->live++;
    *event = ++of(device)->event_count;
    return STATUS_OK;
}

static enum status test_event_destroy(struct device *device, uint64_t event, struct error *error)
{
    (void)event;
    (void)error;
    of(device)->live--;
    return STATUS_OK;
}

static enum status test_event_record(struct device *device, uint64_t event, uint64_t stream,
                                     struct error *error)
{
    if (call(device, error))
        return STATUS_DEVICE;
    enqueue(device, OP_RECORD, stream)->event = event;
    of(device)->recorded[event]++;
    return STATUS_OK;
}

static enum status test_event_wait(struct device *device, uint64_t stream, uint64_t event,
                                   struct error *error)
{
    if (call(device, error))
        return STATUS_DEVICE;
    struct op *op = enqueue(device, OP_WAIT, stream);
    op->event = event;
    op->generation = of(device)->recorded[event];
    return STATUS_OK;
}

static enum status test_host_function(struct device *device, uint64_t stream, void (*fn)(void *),
                                      void *argument, struct error *error)
{
    if (call(device, error))
        return STATUS_DEVICE;
    struct op *op = enqueue(device, OP_HOST, stream);
    op->fn = fn;
    op->fn_argument = argument;
    return STATUS_OK;
}

static const struct device_ops test_ops = {
    .name = "test",
    .info = test_info,
    .memory_alloc = test_memory_alloc,
    .memory_free = test_memory_free,
    .host_alloc = test_host_alloc,
    .host_free = test_host_free,
    .copy = test_copy,
    .set = test_set,
    .launch = test_launch,
    .stream_create = test_stream_create,
    .stream_destroy = test_stream_destroy,
    .event_create = test_event_create,
    .event_destroy = test_event_destroy,
    .event_record = test_event_record,
    .event_wait = test_event_wait,
    .sync = test_sync,
    .host_function = test_host_function,
};

void test_device_init(struct test_device *d)
{
    memset(d, 0, sizeof *d);
    d->device.ops = &test_ops;
    d->info = (struct device_info){.compute_capability = 90, .multiprocessors = 4};
}
