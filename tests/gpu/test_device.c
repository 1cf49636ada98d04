/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device ops on a real GPU: what the workloads use, what they do not use yet, and the sentences of calls
 * that fail. Ends with 77 where there is no GPU.
 */
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition, ...)                             \
    do {                                                  \
        if (!(condition)) {                               \
            failures++;                                   \
            printf("FAILED %s:%d: ", __FILE__, __LINE__); \
            printf(__VA_ARGS__);                          \
            printf("\n");                                 \
        }                                                 \
    } while (0)

#define WORDS 4096

static void check_info(const struct device_info *info)
{
    printf("%s, compute capability %u, %u multiprocessors, %u MHz, %.1f GiB, %u copy engines, L2 %u MiB, "
           "driver %u\n",
           info->name, info->compute_capability, info->multiprocessors, info->core_clock_khz / 1000,
           (double)info->memory_bytes / (1u << 30), info->copy_engines, info->l2_bytes >> 20,
           info->driver_version);
    CHECK(info->compute_capability >= 75 && info->multiprocessors && info->max_threads_per_block >= 1024 &&
              info->l2_bytes,
          "facts are missing");
    CHECK(info->registers_per_multiprocessor && info->shared_bytes_per_multiprocessor &&
              info->max_blocks_per_multiprocessor,
          "facts of occupancy are missing");
    CHECK(info->memory_bytes && info->memory_bus_bits && info->memory_clock_khz &&
              info->driver_version >= 12000,
          "facts of memory are missing");
}

static void add_one(void *argument)
{
    float *values = argument;

    for (size_t i = 0; i < WORDS; i++)
        values[i] += 1;
}

/* In one stream: in, on the device, out, the host's addition; another stream waits for it all by an event. */
static void check_streams(struct device *device, enum host_memory kind)
{
    const struct device_ops *ops = device->ops;
    size_t bytes = WORDS * sizeof(float);
    uint64_t stream = 0, other = 0, start = 0, end = 0;
    device_pointer a = 0, b = 0;
    void *in = NULL, *out = NULL;
    double ns = -1;
    struct error error = {0};
    size_t wrong = 0;

    CHECK(!ops->memory_alloc(device, bytes, &a, &error) && !ops->memory_alloc(device, bytes, &b, &error) &&
              !ops->host_alloc(device, bytes, kind, &in, &error) &&
              !ops->host_alloc(device, bytes, kind, &out, &error) &&
              !ops->stream_create(device, true, &stream, &error) &&
              !ops->stream_create(device, false, &other, &error) &&
              !ops->event_create(device, &start, &error) && !ops->event_create(device, &end, &error),
          "%s", error.text);
    if (failures)
        return;
    for (size_t i = 0; i < WORDS; i++)
        ((float *)in)[i] = (float)i;
    memset(out, 0, bytes);
    CHECK(a % 256 == 0 && b % 256 == 0,
          "the access sites stand on arrays that begin at multiples of 256 bytes");
    CHECK(!ops->event_record(device, start, stream, &error) &&
              !ops->set(device, b, 0xff, bytes, stream, &error) &&
              !ops->copy(device, DEVICE_COPY_TO_DEVICE, a, device_host_address(in), bytes, stream, true,
                         &error) &&
              !ops->copy(device, DEVICE_COPY_ON_DEVICE, b, a, bytes, stream, true, &error) &&
              !ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(out), b, bytes, stream, true,
                         &error) &&
              !ops->host_function(device, stream, add_one, out, &error) &&
              !ops->event_record(device, end, stream, &error) &&
              !ops->event_wait(device, other, end, &error) && !ops->stream_sync(device, other, &error),
          "%s", error.text);
    for (size_t i = 0; i < WORDS; i++)
        wrong += ((float *)out)[i] != (float)i + 1;
    CHECK(wrong == 0, "%zu words are wrong", wrong);
    CHECK(!ops->event_elapsed(device, start, end, &ns, &error) && ns > 0, "%s (%g ns)", error.text, ns);
    CHECK(!ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(in), a, bytes, stream, false, &error),
          "%s", error.text);
    CHECK(!ops->event_destroy(device, start, &error) && !ops->event_destroy(device, end, &error) &&
              !ops->stream_destroy(device, stream, &error) && !ops->stream_destroy(device, other, &error) &&
              !ops->memory_free(device, a, &error) && !ops->memory_free(device, b, &error) &&
              !ops->host_free(device, kind, in, &error) && !ops->host_free(device, kind, out, &error) &&
              !ops->sync(device, &error),
          "%s", error.text);
}

static void check_sentence(const struct error *error, enum status status, const char *part)
{
    printf("    %s\n", error->text);
    CHECK(status == STATUS_DEVICE || status == STATUS_STATE, "status %d", (int)status);
    CHECK(strstr(error->text, part), "'%s' is not in '%s'", part, error->text);
}

static void check_errors(struct device *device)
{
    const struct device_ops *ops = device->ops;
    struct device_launch launch = {
        .image = "copy_offset", .kernel = "no_such_kernel", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    device_pointer pointer;
    struct error error = {0};

    check_sentence(&error, ops->memory_alloc(device, (size_t)1 << 50, &pointer, &error),
                   "CUDA_ERROR_OUT_OF_MEMORY");
    check_sentence(&error, ops->launch(device, &launch, &error), "no_such_kernel");
    launch.image = "no_such_image";
    check_sentence(&error, ops->launch(device, &launch, &error), "no_such_image");
    launch = (struct device_launch){.image = "copy_offset",
                                    .kernel = "copy_offset",
                                    .grid = {1, 1, 1},
                                    .block = {2048, 1, 1},
                                    .arguments = (void *[]){&pointer, &pointer, &pointer}};
    pointer = 0;
    check_sentence(&error, ops->launch(device, &launch, &error),
                   "copy_offset<<<(1, 1, 1), (2048, 1, 1), 0>>>");
    CHECK(!ops->sync(device, &error), "the device did not survive refused calls: %s", error.text);

    /* Last: after a fault the context is lost, and says so at every call. */
    launch.block[0] = 32;
    CHECK(!ops->launch(device, &launch, &error), "%s", error.text);
    check_sentence(&error, ops->sync(device, &error), "CUDA_ERROR_ILLEGAL_ADDRESS");
    check_sentence(&error, ops->memory_alloc(device, 256, &pointer, &error), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

int main(void)
{
    struct device *device;
    struct error error = {0};
    enum status status = workload_device_open("cuda", 0, &device, &error);

    if (status == STATUS_NO_DEVICE) {
        printf("skipped: no GPU (%s)\n", error.text);
        return 77;
    }
    CHECK(status == STATUS_OK, "%s", error.text);
    if (status == STATUS_OK) {
        check_info(device->ops->info(device));
        check_streams(device, HOST_PINNED);
        check_streams(device, HOST_PAGEABLE);
        check_errors(device);
        device->ops->close(device);
    }
    printf("%d failures\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
