/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills the table of functions from one library, and refuses a version outside CUPTI_OLDEST and the next
 * major one. A library that was opened is never closed.
 */
#include "cupti/load/load.h"

#include "core/hardware/device_info.h"

#include <dlfcn.h>
#include <string.h>

/* ---- the driver ---- */

/*
 * The driver's functions, and the facts of a device that they return; a fact that the driver does not know
 * stays 0.
 */

bool driver_find(struct driver *driver, bool load)
{
    memset(driver, 0, sizeof *driver);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | (load ? 0 : RTLD_NOLOAD));
    bool whole = library != NULL;
#define DRIVER_LOOKUP(name, symbol)                           \
    if (library) {                                            \
        void *address = dlsym(library, symbol);               \
        memcpy(&driver->name, &address, sizeof driver->name); \
        whole &= address != NULL;                             \
    }
    DRIVER_FUNCTION_LIST(DRIVER_LOOKUP)
#undef DRIVER_LOOKUP
    return whole;
}

struct attribute_source {
    const struct driver *driver;
    CUdevice device;
};

static uint32_t attribute_ask(void *user, int number)
{
    const struct attribute_source *source = user;
    int value = 0;
    CUresult result =
        source->driver->cuDeviceGetAttribute(&value, (CUdevice_attribute)number, source->device);
    return result == CUDA_SUCCESS && value > 0 ? (uint32_t)value : 0;
}

bool driver_describe(const struct driver *driver, int ordinal, struct device_info *info)
{
    CUdevice device;
    memset(info, 0, sizeof *info);
    if (driver->cuDeviceGet(&device, ordinal) != CUDA_SUCCESS)
        return false;
    if (driver->cuDeviceGetName(info->name, sizeof info->name, device) != CUDA_SUCCESS)
        info->name[0] = '\0';
    CUuuid uuid;
    if (driver->cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS)
        memcpy(info->uuid, uuid.bytes, sizeof info->uuid);
    size_t memory;
    if (driver->cuDeviceTotalMem(&memory, device) == CUDA_SUCCESS)
        info->memory_bytes = memory;
    int version = 0;
    if (driver->cuDriverGetVersion(&version) == CUDA_SUCCESS && version > 0)
        info->driver_version = (uint32_t)version;
    device_info_ask(info, attribute_ask, &(struct attribute_source){driver, device});
    return true;
}

/* ---- CUPTI ---- */

static void *open_library(const char *launcher_path)
{
    void *library = dlopen(CUPTI_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library)
        library = dlopen(CUPTI_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library && launcher_path && launcher_path[0])
        library = dlopen(launcher_path, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* The file that has a symbol, for sentences. */
static void describe_file(void *symbol, char *path, size_t size_bytes)
{
    Dl_info info;
    const char *name = symbol && dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : CUPTI_SONAME;
    size_t length = strnlen(name, size_bytes - 1);
    memcpy(path, name, length);
    path[length] = '\0';
}

enum status cupti_load(struct cupti *cupti, const char *launcher_path, struct error *error)
{
    memset(cupti, 0, sizeof *cupti);
    void *old = dlopen("libcupti.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (old) {
        char path[1024];
        describe_file(dlsym(old, "cuptiGetVersion"), path, sizeof path);
        dlclose(old);
        return error_set(error, STATUS_UNSUPPORTED,
                         "This program has loaded CUPTI 12 (%s), and two versions of CUPTI in one process do "
                         "not work: nothing is recorded. Run it with libraries built for CUDA 13.",
                         path);
    }
    void *library = open_library(launcher_path);
    if (!library)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s was not found: nothing is recorded. Install CUPTI of CUDA 13 (package "
                         "cuda-cupti-13-0) or name its folder in LD_LIBRARY_PATH.",
                         CUPTI_SONAME);

    const char *missing = NULL;
#define CUPTI_LOOKUP(name)                                 \
    {                                                      \
        void *symbol = dlsym(library, #name);              \
        memcpy(&cupti->name, &symbol, sizeof cupti->name); \
        if (!symbol)                                       \
            missing = #name;                               \
    }
    CUPTI_FUNCTION_LIST(CUPTI_LOOKUP)
#undef CUPTI_LOOKUP
    describe_file(dlsym(library, "cuptiGetVersion"), cupti->path, sizeof cupti->path);
    cupti->library = library;
    if (cupti->cuptiGetVersion && cupti->cuptiGetVersion(&cupti->version) != CUPTI_SUCCESS)
        cupti->version = 0;
    if (missing || cupti->version < CUPTI_OLDEST || cupti->version >= 140000)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s is CUPTI version %u%s%s: nothing is recorded. lanescope needs CUPTI 13, version "
                         "%u (13.0 Update 1) or newer.",
                         cupti->path, cupti->version, missing ? " and lacks " : "", missing ? missing : "",
                         CUPTI_OLDEST);
    return STATUS_OK;
}

const char *cupti_text(const struct cupti *cupti, CUptiResult result)
{
    const char *text = NULL;
    if (!cupti->cuptiGetResultString || cupti->cuptiGetResultString(result, &text) != CUPTI_SUCCESS || !text)
        return "an unknown error";
    return text;
}

enum status cupti_error(const struct cupti *cupti, CUptiResult result, const char *what, struct error *error)
{
    const char *text = cupti_text(cupti, result);
    switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
        return error_set(
            error, STATUS_PERMISSION,
            "%s failed: this user may not read the GPU's counters (%s). Run as root, give the "
            "container CAP_SYS_ADMIN, or load the driver with "
            "NVreg_RestrictProfilingToAdminUsers=0. Tracing works without this: lanescope --device both "
            "-- PROGRAM traces it, runs it again on the device model, and shows the model's counts beside the measured "
            "times, labelled as modelled.",
            what, text);
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        return error_set(
            error, STATUS_PERMISSION,
            "%s failed: the virtual machine may not read the GPU's counters (%s); its host permits them. Tracing works "
            "without this: lanescope --device both -- PROGRAM shows the device model's counts beside the measured "
            "times, labelled as modelled.",
            what, text);
    case CUPTI_ERROR_HARDWARE_BUSY:
        return error_set(error, STATUS_STATE,
                         "%s failed: another profiler holds the GPU's counters (%s). End it; for DCGM, run "
                         "`dcgmi profile --pause`.",
                         what, text);
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        return error_set(error, STATUS_STATE,
                         "%s failed: another CUPTI tool is in this process (%s), and CUPTI allows one. Run "
                         "the program without the other tool.",
                         what, text);
    case CUPTI_ERROR_OUT_OF_MEMORY:
        return error_set(error, STATUS_MEMORY, "%s failed: out of memory (%s).", what, text);
    default: return error_set(error, STATUS_DEVICE, "%s failed: %s (%d).", what, text, (int)result);
    }
}
