/* SPDX-License-Identifier: Apache-2.0 */
/* What lies below all else of the room, since each of its functions or calls asks for it: the call that the
 * program is in, and the contexts of the driver API. */
#include "standin/driver.h"

#include "core/base/function_name.h"

#include <dlfcn.h>
#include <string.h>

/* ---- the call that the program is in ---- */

/*
 * The program's own names are wanted for calls, and many API functions are made of others. The compiler has
 * each function of the room call the first two at its begin and its end (-finstrument-functions): the
 * outermost one of a thread is what the program called. Its name is that of its symbol; in a program of unit
 * tests there is none.
 */

#define UNTRACED __attribute__((no_instrument_function))

/* Of the initial model, since the library is preloaded: the general one is a call for each function. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    void *outermost;
    unsigned depth;
    uint32_t number; /* of the call, in its thread */
    void *known;     /* of which the name is here: */
    char name[API_NAME_BYTES];
} called;

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

UNTRACED void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (called.depth++ > 0)
        return;
    called.outermost = function;
    called.number++;
}

UNTRACED void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function, (void)site;
    called.depth--;
}

UNTRACED const char *called_name(void)
{
    Dl_info place;

    if (called.depth == 0)
        return NULL;
    if (called.known != called.outermost) {
        bool found = dladdr(called.outermost, &place) != 0 && place.dli_saddr == called.outermost;
        api_plain_name(found ? place.dli_sname : "", called.name, sizeof called.name);
        called.known = called.outermost;
    }
    return strncmp(called.name, "cu", 2) == 0 ? called.name : NULL;
}

UNTRACED uint32_t called_number(void)
{
    return called.number;
}

/* ---- contexts of the driver API: under the lock but for what is a thread's own ---- */

__thread struct driver_contexts driver_contexts;
bool driver_initialised;
struct driver_held driver_held[SIMT_GPUS_MAX];

cudaError_t driver_opens(bool needs_context, int gpu)
{
    if (!driver_initialised || !needs_context)
        return driver_initialised ? cudaSuccess : cudaErrorInitializationError;
    if (driver_contexts.depth == 0)
        return cudaErrorDeviceUninitialized;
    return driver_held[gpu].held + driver_held[gpu].created ? cudaSuccess : cudaErrorContextIsDestroyed;
}

cudaError_t driver_takes_runtime(bool binds, int gpu)
{
    driver_initialised = true;
    if (binds && driver_contexts.depth == 0)
        driver_contexts.stack[driver_contexts.depth++] = driver_context(gpu);
    if (binds && driver_held[gpu].held + driver_held[gpu].created == 0)
        driver_held[gpu].held = 1;
    return cudaSuccess;
}

unsigned driver_flags(int gpu)
{
    return driver_held[gpu].flags;
}

void driver_flags_set(int gpu, unsigned flags)
{
    driver_held[gpu].flags = flags;
}
