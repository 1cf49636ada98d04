/* SPDX-License-Identifier: Apache-2.0 */
#include "stalls.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WATCHERS_MAX 65
#define GAPS 64 /* the newest of a watcher */
#define WAKE_NS 2000000
#define WRITE_NS 10000000
#define GAP_LEAST_NS 20000000
#define FILE_BYTES (4 << 20)

struct gap {
    _Atomic int64_t start_ns, end_ns;
};

struct watcher {
    struct stalls *stalls;
    pthread_t thread;
    int cpu; /* -1: it writes instead */
    _Atomic int64_t awake_ns;
    _Atomic uint32_t count;
    struct gap gaps[GAPS];
};

struct stalls {
    struct watcher watchers[WATCHERS_MAX];
    size_t count;
    int file;
    atomic_bool stop;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Ahead of what it watches, and on its CPU; where that is not allowed, among the others. */
static void take_place(const struct watcher *watcher)
{
    const struct sched_param first = {.sched_priority = 2};
    pthread_setschedparam(pthread_self(), SCHED_RR, &first);
    if (watcher->cpu >= 0) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET((size_t)watcher->cpu, &only);
        pthread_setaffinity_np(pthread_self(), sizeof only, &only);
    }
}

static void *watch(void *context)
{
    static const char bytes[4096] = "not nothing";
    struct watcher *watcher = context;
    int64_t period_ns = watcher->cpu < 0 ? WRITE_NS : WAKE_NS;
    const struct timespec pause = {.tv_nsec = period_ns};
    off_t at = 0;
    take_place(watcher);
    while (!atomic_load(&watcher->stalls->stop)) {
        int64_t before_ns = atomic_load(&watcher->awake_ns);
        nanosleep(&pause, NULL);
        if (watcher->cpu < 0 && pwrite(watcher->stalls->file, bytes, sizeof bytes, at) > 0)
            at = (at + (off_t)sizeof bytes) % FILE_BYTES;
        int64_t awake_ns = now_ns();
        if (awake_ns - before_ns - period_ns >= GAP_LEAST_NS) {
            struct gap *gap = &watcher->gaps[watcher->count % GAPS];
            atomic_store(&gap->start_ns, before_ns + period_ns);
            atomic_store(&gap->end_ns, awake_ns);
            atomic_fetch_add(&watcher->count, 1);
        }
        atomic_store(&watcher->awake_ns, awake_ns);
    }
    return NULL;
}

static void start_watcher(struct stalls *stalls, int cpu)
{
    struct watcher *watcher = &stalls->watchers[stalls->count];
    watcher->stalls = stalls;
    watcher->cpu = cpu;
    atomic_store(&watcher->awake_ns, now_ns());
    stalls->count += pthread_create(&watcher->thread, NULL, watch, watcher) == 0;
}

struct stalls *stalls_start(const char *folder)
{
    struct stalls *stalls = calloc(1, sizeof *stalls);
    cpu_set_t ours;
    if (!stalls || sched_getaffinity(0, sizeof ours, &ours) != 0) {
        free(stalls);
        return NULL;
    }
    stalls->file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (stalls->file >= 0)
        start_watcher(stalls, -1);
    for (int cpu = 0; cpu < CPU_SETSIZE && stalls->count < WATCHERS_MAX; cpu++)
        if (CPU_ISSET((size_t)cpu, &ours))
            start_watcher(stalls, cpu);
    return stalls;
}

void stalls_stop(struct stalls *stalls)
{
    if (!stalls)
        return;
    atomic_store(&stalls->stop, true);
    for (size_t i = 0; i < stalls->count; i++)
        pthread_join(stalls->watchers[i].thread, NULL);
    if (stalls->file >= 0)
        close(stalls->file);
    free(stalls);
}

/* What [start, end) and [from, until) have in common. */
static int64_t common_ns(int64_t start_ns, int64_t end_ns, int64_t from_ns, int64_t until_ns)
{
    int64_t first_ns = start_ns > from_ns ? start_ns : from_ns,
            last_ns = end_ns < until_ns ? end_ns : until_ns;
    return last_ns > first_ns ? last_ns - first_ns : 0;
}

int64_t stalls_between_ns(const struct stalls *stalls, int64_t from_ns, int64_t until_ns)
{
    int64_t most_ns = 0;
    for (size_t i = 0; stalls && i < stalls->count; i++) {
        const struct watcher *watcher = &stalls->watchers[i];
        /* It may be in a gap that has not ended. */
        int64_t due_ns = atomic_load(&watcher->awake_ns) + (watcher->cpu < 0 ? WRITE_NS : WAKE_NS);
        int64_t sum_ns =
            until_ns - due_ns < GAP_LEAST_NS ? 0 : common_ns(due_ns, until_ns, from_ns, until_ns);
        uint32_t count = atomic_load(&watcher->count);
        for (uint32_t g = count > GAPS ? count - GAPS : 0; g < count; g++)
            sum_ns += common_ns(atomic_load(&watcher->gaps[g % GAPS].start_ns),
                                atomic_load(&watcher->gaps[g % GAPS].end_ns), from_ns, until_ns);
        most_ns = sum_ns > most_ns ? sum_ns : most_ns;
    }
    return most_ns;
}
