/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function that the library lacks is NULL, and its number stays unknown; a call that fails leaves its
 * number unknown as well.
 */
#include "core/base/append.h"
#include "core/base/clock.h"

#include "cli/machine/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVML_SUCCESS = 0, NVML_INSUFFICIENT_SIZE = 7, NVML_MISSING = -1 };
enum { NVML_CLOCK_CORE = 1, NVML_CLOCK_MEMORY = 2 };
enum { NVML_ECC_CORRECTED = 0, NVML_ECC_UNCORRECTED = 1, NVML_ECC_SINCE_START = 0, NVML_ECC_LIFETIME = 1 };
#define NVML_TEMPERATURE_OF_GPU 0
#define NVML_MEMORY_UNKNOWN UINT64_MAX
#define NVML_PERFORMANCE_STATE_UNKNOWN 32

typedef void *nvml_device;

struct nvml_use { /* nvmlUtilization_t */
    unsigned gpu_pct, memory_pct;
};

struct nvml_memory { /* nvmlMemory_t */
    unsigned long long total, free, used;
};

struct nvml_process { /* nvmlProcessInfo_v2_t, which the _v3 functions fill too */
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
};

/* Name, arguments; every function returns nvmlReturn_t, an int-sized enum. The first four are required. */
#define NVML_FUNCTIONS(X)                                                                                \
    X(nvmlInit_v2, (void))                                                                               \
    X(nvmlShutdown, (void))                                                                              \
    X(nvmlDeviceGetHandleByIndex_v2, (unsigned index, nvml_device *device))                              \
    X(nvmlDeviceGetHandleByUUID, (const char *uuid, nvml_device *device))                                \
    X(nvmlDeviceGetUtilizationRates, (nvml_device device, struct nvml_use * use))                        \
    X(nvmlDeviceGetClockInfo, (nvml_device device, int clock, unsigned *mhz))                            \
    X(nvmlDeviceGetMaxClockInfo, (nvml_device device, int clock, unsigned *mhz))                         \
    X(nvmlDeviceGetPowerUsage, (nvml_device device, unsigned *mw))                                       \
    X(nvmlDeviceGetEnforcedPowerLimit, (nvml_device device, unsigned *mw))                               \
    X(nvmlDeviceGetTemperature, (nvml_device device, int sensor, unsigned *celsius))                     \
    X(nvmlDeviceGetTotalEccErrors, (nvml_device device, int kind, int since, unsigned long long *count)) \
    X(nvmlDeviceGetPerformanceState, (nvml_device device, unsigned *state))                              \
    X(nvmlDeviceGetFanSpeed, (nvml_device device, unsigned *pct))                                        \
    X(nvmlDeviceGetPersistenceMode, (nvml_device device, unsigned *on))                                  \
    X(nvmlDeviceGetSerial, (nvml_device device, char *text, unsigned size_bytes))                        \
    X(nvmlDeviceGetVbiosVersion, (nvml_device device, char *text, unsigned size_bytes))                  \
    X(nvmlDeviceGetInforomImageVersion, (nvml_device device, char *text, unsigned size_bytes))           \
    X(nvmlDeviceGetMemoryInfo, (nvml_device device, struct nvml_memory * memory))                        \
    X(nvmlDeviceGetComputeRunningProcesses_v3,                                                           \
      (nvml_device device, unsigned *count, struct nvml_process *processes))                             \
    X(nvmlSystemGetProcessName, (unsigned pid, char *name, unsigned size_bytes))

#define NVML_FUNCTIONS_NEEDED 4

struct nvml {
    void *library;
    const char *(*nvmlErrorString)(int result); /* may be NULL */
#define NVML_MEMBER(name, arguments) int(*name) arguments;
    NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

static const char *result_text(const struct nvml *nvml, int result)
{
    const char *text = nvml->nvmlErrorString ? nvml->nvmlErrorString(result) : NULL;
    return text ? text : "an error without a description";
}

/* Fills the row of function pointers; returns the name of the first one that is required and missing, or
 * NULL. */
static const char *find_functions(struct nvml *nvml)
{
    const char *missing = NULL;
    size_t index = 0;
    void *address = dlsym(nvml->library, "nvmlErrorString");
    memcpy(&nvml->nvmlErrorString, &address, sizeof address);
#define NVML_FIND(name, arguments)                             \
    address = dlsym(nvml->library, #name);                     \
    memcpy(&nvml->name, &address, sizeof address);             \
    if (!address && !missing && index < NVML_FUNCTIONS_NEEDED) \
        missing = #name;                                       \
    index++;
    NVML_FUNCTIONS(NVML_FIND)
#undef NVML_FIND
    return missing;
}

enum status nvml_open(struct nvml **opened, const char *library, struct error *error)
{
    struct nvml *nvml = calloc(1, sizeof *nvml);
    enum status status;

    *opened = NULL;
    if (!nvml)
        return error_no_memory(error, "to open %s", library);
    nvml->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library) {
        free(nvml);
        return error_set(error, STATUS_NO_DEVICE,
                         "No sensors: %s, which is part of NVIDIA's driver, could not be opened.", library);
    }
    const char *missing = find_functions(nvml);
    if (missing) {
        status = error_set(error, STATUS_NO_DEVICE,
                           "No sensors: %s has no %s. Install a newer NVIDIA driver.", library, missing);
        goto fail;
    }
    int result = nvml->nvmlInit_v2();
    if (result != NVML_SUCCESS) {
        status = error_set(error, STATUS_NO_DEVICE, "No sensors: %s finds no driver: %.100s.", library,
                           result_text(nvml, result));
        goto fail;
    }
    *opened = nvml;
    return STATUS_OK;
fail:
    dlclose(nvml->library);
    free(nvml);
    return status;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    nvml->nvmlShutdown();
    dlclose(nvml->library);
    free(nvml);
}

#define UUID_TEXT_BYTES 41 /* "GPU-" and 36 */

static void uuid_text(const uint8_t uuid[16], char text[UUID_TEXT_BYTES])
{
    size_t used = 0;
    append_text(text, UUID_TEXT_BYTES, &used, "GPU-");
    for (size_t i = 0; i < 16; i++)
        append_text(text, UUID_TEXT_BYTES, &used, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                    uuid[i]);
}

static int find_device(const struct nvml *nvml, const uint8_t uuid[16], uint32_t index, nvml_device *device)
{
    static const uint8_t none[16];
    char text[UUID_TEXT_BYTES];

    if (memcmp(uuid, none, sizeof none) == 0)
        return nvml->nvmlDeviceGetHandleByIndex_v2(index, device);
    uuid_text(uuid, text);
    return nvml->nvmlDeviceGetHandleByUUID(text, device);
}

/* The result of an NVML function; one that this driver lacks counts as one that refuses. */
#define NVML_ASK(function, ...) (nvml->function ? nvml->function(device, __VA_ARGS__) : NVML_MISSING)

static void take_number(int64_t *number, int result, const unsigned *value)
{
    if (result == NVML_SUCCESS)
        *number = *value;
}

static void read_numbers(const struct nvml *nvml, nvml_device device, struct device_health *health)
{
    struct nvml_use use;
    struct nvml_memory memory;
    unsigned value;

    if (NVML_ASK(nvmlDeviceGetUtilizationRates, &use) == NVML_SUCCESS) {
        health->gpu_use_pct = use.gpu_pct;
        health->memory_use_pct = use.memory_pct;
    }
    take_number(&health->core_clock_mhz, NVML_ASK(nvmlDeviceGetClockInfo, NVML_CLOCK_CORE, &value), &value);
    take_number(&health->core_clock_max_mhz, NVML_ASK(nvmlDeviceGetMaxClockInfo, NVML_CLOCK_CORE, &value),
                &value);
    take_number(&health->memory_clock_mhz, NVML_ASK(nvmlDeviceGetClockInfo, NVML_CLOCK_MEMORY, &value),
                &value);
    take_number(&health->power_mw, NVML_ASK(nvmlDeviceGetPowerUsage, &value), &value);
    take_number(&health->power_limit_mw, NVML_ASK(nvmlDeviceGetEnforcedPowerLimit, &value), &value);
    take_number(&health->temperature_c, NVML_ASK(nvmlDeviceGetTemperature, NVML_TEMPERATURE_OF_GPU, &value),
                &value);
    take_number(&health->fan_pct, NVML_ASK(nvmlDeviceGetFanSpeed, &value), &value);
    take_number(&health->persistence_mode, NVML_ASK(nvmlDeviceGetPersistenceMode, &value), &value);
    take_number(&health->performance_state, NVML_ASK(nvmlDeviceGetPerformanceState, &value), &value);
    if (health->performance_state == NVML_PERFORMANCE_STATE_UNKNOWN)
        health->performance_state = HEALTH_UNKNOWN;
    if (NVML_ASK(nvmlDeviceGetMemoryInfo, &memory) == NVML_SUCCESS) {
        health->memory_used_bytes = (int64_t)memory.used;
        health->memory_total_bytes = (int64_t)memory.total;
    }
}

static void read_errors(const struct nvml *nvml, nvml_device device, struct device_health *health)
{
    const struct {
        int64_t *number;
        int kind, since;
    } counts[] = {{&health->ecc_corrected, NVML_ECC_CORRECTED, NVML_ECC_SINCE_START},
                  {&health->ecc_uncorrected, NVML_ECC_UNCORRECTED, NVML_ECC_SINCE_START},
                  {&health->ecc_lifetime_corrected, NVML_ECC_CORRECTED, NVML_ECC_LIFETIME},
                  {&health->ecc_lifetime_uncorrected, NVML_ECC_UNCORRECTED, NVML_ECC_LIFETIME}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        unsigned long long count;
        if (NVML_ASK(nvmlDeviceGetTotalEccErrors, counts[i].kind, counts[i].since, &count) == NVML_SUCCESS)
            *counts[i].number = (int64_t)count;
    }
}

static void take_word(char word[HEALTH_WORD_BYTES], int result)
{
    if (result != NVML_SUCCESS)
        word[0] = '\0';
    word[HEALTH_WORD_BYTES - 1] = '\0';
}

static void read_words(const struct nvml *nvml, nvml_device device, struct device_health *health)
{
    take_word(health->serial_number, NVML_ASK(nvmlDeviceGetSerial, health->serial_number, HEALTH_WORD_BYTES));
    take_word(health->vbios_version,
              NVML_ASK(nvmlDeviceGetVbiosVersion, health->vbios_version, HEALTH_WORD_BYTES));
    take_word(health->inforom_version,
              NVML_ASK(nvmlDeviceGetInforomImageVersion, health->inforom_version, HEALTH_WORD_BYTES));
}

static void read_processes(const struct nvml *nvml, nvml_device device, struct device_health *health)
{
    struct nvml_process list[HEALTH_PROCESSES_MAX];
    unsigned count = HEALTH_PROCESSES_MAX;
    int result = NVML_ASK(nvmlDeviceGetComputeRunningProcesses_v3, &count, list);

    /* More than the list can hold: NVML then gives only their number. */
    if (result != NVML_SUCCESS && result != NVML_INSUFFICIENT_SIZE)
        return;
    health->processes_known = true;
    health->process_count = count;
    for (unsigned i = 0; i < count && i < HEALTH_PROCESSES_MAX && result == NVML_SUCCESS; i++) {
        struct health_process *process = &health->processes[i];
        process->pid = list[i].pid;
        process->memory_bytes =
            list[i].memory_bytes == NVML_MEMORY_UNKNOWN ? HEALTH_UNKNOWN : (int64_t)list[i].memory_bytes;
        if (!nvml->nvmlSystemGetProcessName ||
            nvml->nvmlSystemGetProcessName(list[i].pid, process->name, sizeof process->name) != NVML_SUCCESS)
            process->name[0] = '\0';
        process->name[sizeof process->name - 1] = '\0';
    }
}

void nvml_health(const struct nvml *nvml, const uint8_t uuid[16], uint32_t index,
                 struct device_health *health)
{
    int64_t start_ns = clock_monotonic_ns();
    nvml_device device = NULL;
    int result = find_device(nvml, uuid, index, &device);

    device_health_none(health, "");
    if (result != NVML_SUCCESS) {
        snprintf(health->why, sizeof health->why, "No sensors: NVML does not know this GPU: %.100s.",
                 result_text(nvml, result));
        return;
    }
    health->available = true;
    read_numbers(nvml, device, health);
    read_errors(nvml, device, health);
    read_words(nvml, device, health);
    read_processes(nvml, device, health);
    health->cost_ns = clock_monotonic_ns() - start_ns;
}

bool nvml_read_memory(const struct nvml *nvml, uint32_t index, uint64_t *used_bytes, uint64_t *total_bytes)
{
    struct nvml_memory memory;
    nvml_device device = NULL;

    if (nvml->nvmlDeviceGetHandleByIndex_v2(index, &device) != NVML_SUCCESS ||
        NVML_ASK(nvmlDeviceGetMemoryInfo, &memory) != NVML_SUCCESS)
        return false;
    *used_bytes = memory.used;
    *total_bytes = memory.total;
    return true;
}
