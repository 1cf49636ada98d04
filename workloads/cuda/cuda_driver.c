/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct cuda_driver is a row of function pointers in the order of CUDA_DRIVER_FUNCTIONS, filled by name;
 * one that is missing refuses the driver.
 */
#include "workloads/cuda/cuda_driver.h"

#include "workloads/cuda/cuda_device.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CUDA_DRIVER_NAME(name, arguments) #name,
static const char *const names[] = {CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_NAME)};

_Static_assert(sizeof(struct cuda_driver) == sizeof names / sizeof *names * sizeof(void *),
               "the struct is a row of function pointers");

enum status cuda_driver_open(const char *library, struct cuda_driver *driver, struct error *error)
{
    void *handle = dlopen(library, RTLD_NOW);
    char *member = (char *)driver;

    if (!handle)
        return error_set(
            error, STATUS_NO_DEVICE,
            "No CUDA driver: %s. Install NVIDIA's driver, use the device model (--device simt; of "
            "'lanescope device': --model h200), or open a recording with 'lanescope view FILE'.",
            dlerror()); /* begins with the library's name */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = dlsym(handle, names[i]);
        if (!function) {
            dlclose(handle);
            return error_set(error, STATUS_NO_DEVICE,
                             "The CUDA driver in %s has no %s: it is older than lanescope can use. Install a "
                             "driver for CUDA 12 or later.",
                             library, names[i]);
        }
        memcpy(member + i * sizeof function, &function, sizeof function);
    }
    return STATUS_OK;
}

/* Errors of a machine without a GPU that this driver can use, for any call. */
static bool means_no_device(int result)
{
    return result == CUDA_RESULT_NO_DEVICE || result == CUDA_RESULT_STUB_LIBRARY ||
           result == CUDA_RESULT_SYSTEM_NOT_READY || result == CUDA_RESULT_SYSTEM_DRIVER_MISMATCH ||
           result == CUDA_RESULT_COMPAT_NOT_SUPPORTED;
}

enum status cuda_driver_refuse(const struct cuda_driver *driver, int result, struct error *error,
                               const char *doing, ...)
{
    const char *name = NULL, *meaning = NULL;
    char what[384];
    va_list arguments;

    va_start(arguments, doing);
    vsnprintf(what, sizeof what, doing, arguments);
    va_end(arguments);
    driver->cuGetErrorName(result, &name);
    driver->cuGetErrorString(result, &meaning);
    return error_set(error, means_no_device(result) ? STATUS_NO_DEVICE : STATUS_DEVICE,
                     "%s failed: %s (%s).%s", what, name ? name : "an unnamed error",
                     meaning ? meaning : "the driver gives no text",
                     result == CUDA_RESULT_OUT_OF_MEMORY
                         ? " Give a smaller size, or end other programs that use the GPU's memory."
                         : "");
}

/* ---- which device's context is the calling thread's: set anew only when an operation of another device comes ---- */

static _Thread_local struct cuda_device *current; /* whose context is the thread's */

struct cuda_device *cuda_of(struct device *device)
{
    struct cuda_device *cuda = (struct cuda_device *)device;

    if (current != cuda && cuda->context &&
        cuda->driver.cuCtxSetCurrent(cuda->context) == CUDA_RESULT_SUCCESS)
        current = cuda;
    return cuda;
}

void cuda_current_set(struct cuda_device *cuda)
{
    current = cuda;
}
