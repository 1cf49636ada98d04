/*
 * One table: how the name of a call begins, and its category; the first row that fits counts.
 */
#include "cupti/agent/calls.h"

#include <string.h>

/* Without its "cu" or "cuda". */
static const char *name_stem(const char *plain)
{
    if (strncmp(plain, "cuda", 4) == 0)
        return plain + 4;
    return strncmp(plain, "cu", 2) == 0 ? plain + 2 : plain;
}

enum call_category calls_category(const char *plain)
{
    static const struct {
        const char *start;
        enum call_category category;
    } starts[] = {
        {"LaunchKernel", CALL_LAUNCH},
        {"LaunchCooperativeKernel", CALL_LAUNCH},
        {"LaunchGrid", CALL_LAUNCH},
        {"LaunchHostFunc", CALL_LAUNCH},
        {"Launch", CALL_LAUNCH},
        {"GraphLaunch", CALL_LAUNCH},
        {"Memcpy", CALL_COPY},
        {"MemPrefetch", CALL_COPY},
        {"Memset", CALL_SET},
        {"MemAlloc", CALL_ALLOC},
        {"MemHostAlloc", CALL_ALLOC},
        {"MemHostRegister", CALL_ALLOC},
        {"MemCreate", CALL_ALLOC},
        {"Malloc", CALL_ALLOC},
        {"HostAlloc", CALL_ALLOC},
        {"HostRegister", CALL_ALLOC},
        {"ArrayCreate", CALL_ALLOC},
        {"Array3DCreate", CALL_ALLOC},
        {"MemFree", CALL_FREE},
        {"MemHostUnregister", CALL_FREE},
        {"MemRelease", CALL_FREE},
        {"Free", CALL_FREE},
        {"HostUnregister", CALL_FREE},
        {"ArrayDestroy", CALL_FREE},
        {"CtxSynchronize", CALL_SYNC},
        {"DeviceSynchronize", CALL_SYNC},
        {"StreamSynchronize", CALL_SYNC},
        {"EventSynchronize", CALL_SYNC},
        {"StreamWaitEvent", CALL_STREAM},
        {"ThreadSynchronize", CALL_SYNC},
        {"StreamCreate", CALL_STREAM},
        {"StreamDestroy", CALL_STREAM},
        {"StreamBeginCapture", CALL_STREAM},
        {"StreamEndCapture", CALL_STREAM},
        {"GraphInstantiate", CALL_STREAM},
        {"ModuleLoad", CALL_MODULE},
        {"LibraryLoad", CALL_MODULE},
        {"LinkAdd", CALL_MODULE},
        {"LinkComplete", CALL_MODULE},
    };
    const char *rest = name_stem(plain);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(rest, starts[i].start, strlen(starts[i].start)) == 0)
            return starts[i].category;
    return CALL_OTHER;
}
