/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sensors of a real GPU: what is read, that it is plausible, that the driver's own description is the
 * same GPU, and what reading costs. Prints the line. Ends with 77 where there is no GPU.
 */
#include "cli/machine/device_choice.h"
#include "cli/machine/health.h"
#include "cli/machine/nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define READINGS 50

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

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void check_plausible(const struct device_health *health, const struct device_info *info)
{
    CHECK(health->available, "%s", health->why);
    CHECK(health->gpu_use_pct >= 0 && health->gpu_use_pct <= 100, "in use: %lld %%",
          (long long)health->gpu_use_pct);
    CHECK(health->core_clock_mhz > 0 && health->core_clock_mhz <= health->core_clock_max_mhz,
          "core clock: %lld of %lld MHz", (long long)health->core_clock_mhz,
          (long long)health->core_clock_max_mhz);
    CHECK(llabs(health->core_clock_max_mhz * 1000 - info->core_clock_khz) < info->core_clock_khz / 20,
          "NVML's highest core clock is %lld MHz, CUDA's %u kHz", (long long)health->core_clock_max_mhz,
          info->core_clock_khz);
    CHECK(health->power_mw > 0 && health->power_limit_mw > 0, "power: %lld mW", (long long)health->power_mw);
    CHECK(health->temperature_c > 0 && health->temperature_c < 120, "temperature: %lld C",
          (long long)health->temperature_c);
    CHECK(health->memory_used_bytes >= 0 && health->memory_used_bytes <= health->memory_total_bytes,
          "memory in use: %lld", (long long)health->memory_used_bytes);
    CHECK(llabs(health->memory_total_bytes - (int64_t)info->memory_bytes) < (int64_t)info->memory_bytes / 10,
          "NVML's memory is %lld bytes, CUDA's %llu", (long long)health->memory_total_bytes,
          (unsigned long long)info->memory_bytes);
}

/* On the thread that the screen uses: readings come, and asking never takes long. */
static void check_thread(const uint8_t uuid[16])
{
    struct health *health = health_create(NVML_LIBRARY);
    struct device_health reading;
    int64_t longest_ns = 0;
    uint64_t readings = 0;
    for (int i = 0; i < 3000 && readings < 2; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        readings = health_ask(health, uuid, &reading);
        clock_gettime(CLOCK_MONOTONIC, &after);
        int64_t took_ns =
            (after.tv_sec - before.tv_sec) * INT64_C(1000000000) + after.tv_nsec - before.tv_nsec;
        longest_ns = took_ns > longest_ns ? took_ns : longest_ns;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    CHECK(readings >= 2, "%llu readings came", (unsigned long long)readings);
    printf("asking the thread took %.1f us at most, in %llu readings\n", (double)longest_ns / 1e3,
           (unsigned long long)readings);
    CHECK(longest_ns < 16000000, "the screen would have waited %.1f ms", (double)longest_ns / 1e6);
    health_destroy(health);
}

int main(void)
{
    static struct device_description gpus[GPU_LOOK_MAX];
    int64_t costs_ns[READINGS];
    struct device_health health;
    struct nvml *nvml = NULL;
    struct error error = {0};
    char why[480], line[400];
    uint32_t count = gpu_look(gpus, GPU_LOOK_MAX, why, sizeof why);

    if (count == 0) {
        printf("skipped: no GPU (%s)\n", why);
        return 77;
    }
    if (nvml_open(&nvml, NVML_LIBRARY, &error) != STATUS_OK) {
        printf("FAILED: %s\n", error.text);
        return 1;
    }
    for (uint32_t i = 0; i < count && i < GPU_LOOK_MAX; i++) {
        CHECK(gpus[i].asked && gpus[i].attribute[DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X] >= 1024,
              "GPU %u was not described", i);
        nvml_health(nvml, gpus[i].info.uuid, i, &health);
        device_health_line(&health, line, sizeof line);
        printf("GPU %u, %s: %s\n", i, gpus[i].info.name, line);
        check_plausible(&health, &gpus[i].info);
    }
    for (int i = 0; i < READINGS; i++) {
        nvml_health(nvml, gpus[0].info.uuid, 0, &health);
        costs_ns[i] = health.cost_ns;
    }
    qsort(costs_ns, READINGS, sizeof costs_ns[0], compare);
    printf("reading took %.2f ms (median of %d), %.2f ms at most\n", (double)costs_ns[READINGS / 2] / 1e6,
           READINGS, (double)costs_ns[READINGS - 1] / 1e6);
    nvml_close(nvml);
    check_thread(gpus[0].info.uuid);
    printf("%s\n", failures ? "FAILED" : "the sensors are read");
    return failures > 0;
}
