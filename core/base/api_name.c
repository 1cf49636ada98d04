/* SPDX-License-Identifier: Apache-2.0 */
/* A plain name is the name without its version (_v2) and the per-thread suffixes (_ptsz, _ptds). No state. */
#include "core/base/api_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t end_length = strlen(end);
    return length >= end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

void api_plain_name(const char *name, char *plain, size_t size_bytes)
{
    if (strncmp(name, "__cuda", 6) == 0)
        name += 2; /* what nvcc makes of <<<>>> */
    size_t length = strnlen(name, size_bytes - 1);
    bool shortened = true;
    while (shortened) {
        shortened = false;
        size_t digits = length;
        while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
            digits--;
        if (digits < length && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_') {
            length = digits - 2;
            shortened = true;
        }
        if (ends_with(name, length, "_ptsz") || ends_with(name, length, "_ptds")) {
            length -= 5;
            shortened = true;
        }
    }
    memcpy(plain, name, length);
    plain[length] = '\0';
}

/* One table: how the name of a call begins, and its category; the first row that fits counts. */

/* Without its "cu", "cuda" or "hip". */
static const char *name_stem(const char *plain)
{
    if (strncmp(plain, "cuda", 4) == 0)
        return plain + 4;
    if (strncmp(plain, "hip", 3) == 0)
        return plain + 3;
    return strncmp(plain, "cu", 2) == 0 ? plain + 2 : plain;
}

enum call_category api_category(const char *plain)
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
        {"ModuleLaunch", CALL_LAUNCH}, /* HIP's */
        {"ExtLaunch", CALL_LAUNCH},
        {"ExtModuleLaunch", CALL_LAUNCH},
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
