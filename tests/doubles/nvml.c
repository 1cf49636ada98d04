/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that answers as NVIDIA's NVML does, with numbers that tests know: for machines without a GPU.
 * Written after the NVML API reference, and apart from cli/machine/nvml.c, so that a mistake there is not
 * here too. GPU 0 has everything; GPU 1 has no sensors but its memory. What the environment asks for:
 *   NVML_DOUBLE_INIT=N      nvmlInit_v2 answers N
 *   NVML_DOUBLE_SLOW_MS=N   every use is read that slowly
 *   NVML_DOUBLE_STATE=N     the performance state of GPU 0 (2); 32: NVML does not know it
 *   NVML_DOUBLE_PROCESSES=N so many processes use GPU 0 (2)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int nvmlReturn_t;
typedef struct board {
    const char *uuid;
    int sensors;
} * nvmlDevice_t;

static struct board boards[2] = {{"GPU-00112233-4455-6677-8899-aabbccddeeff", 1},
                                 {"GPU-11111111-1111-1111-1111-111111111111", 0}};

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

static int asked(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

nvmlReturn_t nvmlInit_v2(void)
{
    return asked("NVML_DOUBLE_INIT", SUCCESS);
}

nvmlReturn_t nvmlShutdown(void)
{
    return SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
    return result == NOT_FOUND ? "Not Found" : result == 9 ? "Driver Not Loaded" : "Some Error";
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
    if (index > 1)
        return INVALID_ARGUMENT;
    *device = &boards[index];
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    for (int i = 0; i < 2; i++) {
        if (strcmp(boards[i].uuid, uuid) == 0) {
            *device = &boards[i];
            return SUCCESS;
        }
    }
    return NOT_FOUND;
}

struct utilization {
    unsigned int gpu, memory;
};
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, struct utilization *use)
{
    int slow_ms = asked("NVML_DOUBLE_SLOW_MS", 0);
    const struct timespec pause = {.tv_sec = slow_ms / 1000, .tv_nsec = slow_ms % 1000 * 1000000L};
    if (slow_ms)
        nanosleep(&pause, NULL);
    *use = (struct utilization){43, 17};
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int clock, unsigned *mhz)
{
    *mhz = clock == 1 ? 1755 : clock == 2 ? 3201 : 1;
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, int clock, unsigned *mhz)
{
    *mhz = clock == 1 ? 1980 : clock == 2 ? 3202 : 2;
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *mw)
{
    *mw = 411600;
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *mw)
{
    *mw = 700000;
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned *celsius)
{
    *celsius = sensor == 0 ? 61 : 0;
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, int kind, int since, unsigned long long *count)
{
    *count = since == 0 ? (kind == 0 ? 3 : 1) : (kind == 0 ? 99 : 7); /* since 1: over the device's life */
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, int *state)
{
    *state = asked("NVML_DOUBLE_STATE", 2);
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned *pct)
{
    *pct = 30;
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, int *mode)
{
    *mode = 1;
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

static nvmlReturn_t word(nvmlDevice_t device, const char *word, char *text, unsigned length)
{
    snprintf(text, length, "%s", word);
    return device->sensors ? SUCCESS : NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *text, unsigned length)
{
    return word(device, "1652922011111", text, length);
}

nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *text, unsigned length)
{
    return word(device, "96.00.A5.00.01", text, length);
}

nvmlReturn_t nvmlDeviceGetInforomImageVersion(nvmlDevice_t device, char *text, unsigned length)
{
    return word(device, "G520.0200.00.05", text, length);
}

struct memory {
    unsigned long long total, free, used;
};
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, struct memory *memory)
{
    (void)device;
    *memory = (struct memory){150754820096ULL, 138000000000ULL, 12754820096ULL};
    return SUCCESS;
}

struct process_info {
    unsigned int pid;
    unsigned long long used;
    unsigned int gpu_instance, compute_instance;
};
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                     struct process_info *list)
{
    unsigned room = *count, there = (unsigned)asked("NVML_DOUBLE_PROCESSES", 2);
    if (!device->sensors)
        return NOT_SUPPORTED;
    *count = there;
    if (there > room)
        return INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < there; i++)
        list[i] = (struct process_info){4711 + i, i == 1 ? UINT64_MAX : 512000000ULL, UINT32_MAX, UINT32_MAX};
    return SUCCESS;
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length)
{
    if (pid != 4711)
        return NOT_FOUND;
    snprintf(name, length, "/usr/bin/train\x1b[31m");
    return SUCCESS;
}
