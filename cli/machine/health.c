/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutex protects what both threads use. The thread can hang in the driver; the struct then stays with it,
 * and the last user of the struct frees it.
 */
#include "core/base/clock.h"

#include "cli/machine/health.h"

#include "cli/machine/nvml.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_READING "The sensors are being read for the first time."

struct health {
    const char *library;
    pthread_t thread;
    bool started;          /* the asker's */
    pthread_mutex_t mutex; /* protects all below; never held during a call of the driver */
    pthread_cond_t wake;
    bool end, asked_anew;
    atomic_bool left; /* nobody waits for the thread any more: the thread frees this struct itself */
    uint8_t uuid[16];
    uint64_t readings;
    struct device_health newest;
};

static void health_release(struct health *health)
{
    pthread_cond_destroy(&health->wake);
    pthread_mutex_destroy(&health->mutex);
    free(health);
}

static void health_publish(struct health *health, const struct device_health *reading)
{
    pthread_mutex_lock(&health->mutex);
    health->newest = *reading;
    health->readings++;
    pthread_mutex_unlock(&health->mutex);
}

/* Waits until the next reading is due, another GPU is requested, or the end; returns the GPU to read. */
static bool wait_for_turn(struct health *health, uint8_t uuid[16])
{
    struct timespec until = timespec_of(clock_monotonic_ns() + (int64_t)HEALTH_PERIOD_MS * NS_PER_MS);
    pthread_mutex_lock(&health->mutex);
    while (!health->end && !health->asked_anew &&
           pthread_cond_timedwait(&health->wake, &health->mutex, &until) == 0)
        continue;
    health->asked_anew = false;
    memcpy(uuid, health->uuid, sizeof health->uuid);
    bool go_on = !health->end;
    pthread_mutex_unlock(&health->mutex);
    return go_on;
}

static void *health_run(void *argument)
{
    struct health *health = argument;
    struct nvml *nvml = NULL;
    struct error error = {0};
    struct device_health reading;
    uint8_t uuid[16];
    bool there = nvml_open(&nvml, health->library, &error) == STATUS_OK;

    if (!there) {
        device_health_none(&reading, error.text);
        health_publish(health, &reading);
    }
    while (wait_for_turn(health, uuid)) {
        if (!there)
            continue;
        nvml_health(nvml, uuid, 0, &reading);
        health_publish(health, &reading);
    }
    nvml_close(nvml);
    if (atomic_exchange(&health->left, true))
        health_release(health);
    return NULL;
}

struct health *health_create(const char *library)
{
    struct health *health = calloc(1, sizeof *health);
    pthread_condattr_t attributes;

    if (!health)
        return NULL;
    health->library = library;
    device_health_none(&health->newest, FIRST_READING);
    pthread_mutex_init(&health->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&health->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return health;
}

void health_destroy(struct health *health)
{
    if (!health)
        return;
    if (!health->started) {
        health_release(health);
        return;
    }
    pthread_mutex_lock(&health->mutex);
    health->end = true;
    pthread_cond_signal(&health->wake);
    pthread_mutex_unlock(&health->mutex);
    struct timespec until = timespec_of(clock_real_ns() + NS_PER_S);
    if (pthread_timedjoin_np(health->thread, NULL, &until) == 0) {
        health_release(health);
        return;
    }
    pthread_detach(health->thread);
    if (atomic_exchange(&health->left, true))
        health_release(health); /* it ended meanwhile */
}

static bool start_thread(struct health *health)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread that reads the terminal handles signals */
    int failure = pthread_create(&health->thread, NULL, health_run, health);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure == 0;
}

uint64_t health_ask(struct health *health, const uint8_t uuid[16], struct device_health *reading)
{
    if (!health) {
        device_health_none(reading, "There is no memory to read the sensors.");
        return 0;
    }
    pthread_mutex_lock(&health->mutex);
    if (!health->started || memcmp(health->uuid, uuid, sizeof health->uuid) != 0) {
        memcpy(health->uuid, uuid, sizeof health->uuid);
        if (health->newest.available) /* another GPU's */
            device_health_none(&health->newest, FIRST_READING);
        health->asked_anew = true;
        pthread_cond_signal(&health->wake);
    }
    *reading = health->newest;
    uint64_t readings = health->readings;
    pthread_mutex_unlock(&health->mutex);
    if (!health->started) {
        health->started = start_thread(health);
        if (!health->started)
            device_health_none(reading, "The thread that reads the sensors could not be started.");
    }
    return readings;
}

uint64_t health_readings(struct health *health)
{
    if (!health)
        return 0;
    pthread_mutex_lock(&health->mutex);
    uint64_t readings = health->readings;
    pthread_mutex_unlock(&health->mutex);
    return readings;
}
