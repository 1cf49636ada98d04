/* SPDX-License-Identifier: Apache-2.0 */
/* The thread owns the uses until it is joined. */
#include "cli/run/memory_watch.h"

#include "cli/machine/nvml.h"
#include "core/base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define PERIOD_NS (20 * (int64_t)NS_PER_MS)

struct memory_watch {
    struct nvml *nvml;
    struct memory_use gpus[MEMORY_WATCH_GPUS], host;
    unsigned gpu_count;
    pthread_t thread;
    atomic_bool over;
};

static void use_read(struct memory_use *use, uint64_t used_bytes, uint64_t total_bytes)
{
    if (use->total_bytes == 0)
        use->before_bytes = used_bytes;
    use->total_bytes = total_bytes;
    if (used_bytes > use->most_bytes)
        use->most_bytes = used_bytes;
}

static void read_host(struct memory_use *host)
{
    FILE *file = fopen("/proc/meminfo", "r");
    unsigned long long total_kib = 0, available_kib = 0;
    char line[128];

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemTotal: %llu", &total_kib) == 0)
            sscanf(line, "MemAvailable: %llu", &available_kib);
    if (file)
        fclose(file);
    if (total_kib > 0 && available_kib <= total_kib)
        use_read(host, 1024 * (total_kib - available_kib), 1024 * total_kib);
}

static void read_all(struct memory_watch *watch)
{
    uint64_t used_bytes, total_bytes;

    for (unsigned i = 0; watch->nvml && i < MEMORY_WATCH_GPUS; i++) {
        if (!nvml_read_memory(watch->nvml, i, &used_bytes, &total_bytes))
            break;
        use_read(&watch->gpus[i], used_bytes, total_bytes);
        watch->gpu_count = i + 1;
    }
    read_host(&watch->host);
}

static void *memory_watch_run(void *context)
{
    struct memory_watch *watch = context;

    while (!atomic_load(&watch->over)) {
        clock_pause(PERIOD_NS);
        read_all(watch);
    }
    return NULL;
}

struct memory_watch *memory_watch_start(void)
{
    struct memory_watch *watch = calloc(1, sizeof *watch);
    struct error error;

    if (!watch)
        return NULL;
    nvml_open(&watch->nvml, NVML_LIBRARY, &error);
    read_all(watch); /* before the program starts */
    if (pthread_create(&watch->thread, NULL, memory_watch_run, watch) == 0)
        return watch;
    nvml_close(watch->nvml);
    free(watch);
    return NULL;
}

unsigned memory_use_fits(const struct memory_use *use, unsigned most)
{
    const uint64_t need_bytes = use->most_bytes - use->before_bytes;
    const uint64_t usable_bytes = use->total_bytes - use->total_bytes / 10;

    if (need_bytes == 0)
        return most;
    uint64_t fit = usable_bytes > use->before_bytes ? (usable_bytes - use->before_bytes) / need_bytes : 1;
    return fit < 1 ? 1 : fit < most ? (unsigned)fit : most;
}

unsigned memory_watch_stop(struct memory_watch *watch, unsigned most, const char **why)
{
    unsigned fit = most;

    *why = "the memory that the program takes is not known";
    if (!watch)
        return 1;
    atomic_store(&watch->over, true);
    pthread_join(watch->thread, NULL);
    if (watch->gpu_count == 0 || watch->host.total_bytes == 0) {
        fit = 1;
    } else {
        *why = "";
        for (unsigned i = 0; i < watch->gpu_count; i++) {
            const unsigned here = memory_use_fits(&watch->gpus[i], fit);

            if (here < fit)
                *why = "no more fit into the memory of the GPU";
            fit = here;
        }
        const unsigned here = memory_use_fits(&watch->host, fit);

        if (here < fit)
            *why = "no more fit into the memory of the host";
        fit = here;
    }
    nvml_close(watch->nvml);
    free(watch);
    return fit;
}
