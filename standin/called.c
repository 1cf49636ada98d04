/*
 * The program's own names are wanted for calls, and many API functions are made of others. The compiler has
 * each function of the room call the first two at its begin and its end (-finstrument-functions): the
 * outermost one of a thread is what the program called. Its name is that of its symbol; in a program of unit
 * tests there is none.
 */
#include "standin/called.h"

#include "core/base/api_name.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#define UNTRACED __attribute__((no_instrument_function))

static __thread struct {
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
