/* SPDX-License-Identifier: Apache-2.0 */
/*
 * __cxa_demangle has no bound: a mangled name whose substitutions refer to each other expands exponentially
 * (measured with libstdc++ 12: 250 bytes give 570 MB and take 5 s). A name with few references cannot, and is
 * demangled here; one with many is demangled in a forked child with bounded memory and time, so that a
 * hostile name stays mangled and has no other effect.
 */
#include "core/base/function_name.h"

#include "core/base/clock.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_MAX_BYTES 65536u
#define FEW_REFERENCES 24u /* worst case 3^(24/3) times the name's length */
#define CHILD_CPU_MS 500
#define CHILD_MS 3000           /* a busy machine may start the child late */
#define CHILD_BYTES (64u << 20) /* more than the forked process had */

typedef char *(*demangle_function)(const char *mangled, char *buffer, size_t *length, int *status);

static demangle_function cxa_demangle;

static void open_library(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&cxa_demangle, &symbol, sizeof cxa_demangle);
}

/* Counts what may be a back reference, S_ S0_ T_ T0_, also where it is only part of an identifier. */
static size_t count_references(const char *mangled)
{
    size_t count = 0;
    for (const char *c = mangled; *c; c++)
        if ((c[0] == 'S' || c[0] == 'T') &&
            (c[1] == '_' || (c[1] >= '0' && c[1] <= '9') || (c[1] >= 'A' && c[1] <= 'Z')))
            count++;
    return count;
}

static char *demangle_here(const char *mangled)
{
    int status;
    char *name = cxa_demangle(mangled, NULL, NULL, &status);
    if (name && strlen(name) > NAME_MAX_BYTES) {
        free(name);
        return NULL;
    }
    return name;
}

/* Limits this process to CHILD_BYTES more memory than it has now. */
static void limit_memory(void)
{
    unsigned long long data_pages = 0;
    FILE *file = fopen("/proc/self/statm", "re"); /* pages: size resident shared text 0 data 0 */
    bool known = file && fscanf(file, "%*u %*u %*u %*u %*u %llu", &data_pages) == 1;
    struct rlimit memory;
    if (known && getrlimit(RLIMIT_DATA, &memory) == 0) {
        rlim_t most = (rlim_t)data_pages * (rlim_t)sysconf(_SC_PAGESIZE) + CHILD_BYTES;
        memory.rlim_cur = memory.rlim_max < most ? memory.rlim_max : most;
        setrlimit(RLIMIT_DATA, &memory);
    }
    if (file)
        fclose(file);
}

/* Makes a signal end this process after CHILD_CPU_MS of CPU time. */
static void limit_time(void)
{
    const struct itimerval limit = {.it_value.tv_usec = CHILD_CPU_MS * 1000};
    sigset_t its;
    signal(SIGPROF, SIG_DFL);
    sigemptyset(&its);
    sigaddset(&its, SIGPROF);
    sigprocmask(SIG_UNBLOCK, &its, NULL);
    setitimer(ITIMER_PROF, &limit, NULL);
}

/* The forked child's whole life. */
static _Noreturn void demangle_and_exit(const char *mangled, int out)
{
    limit_time();
    limit_memory();
    close(STDERR_FILENO); /* the child may print why it dies, and the terminal belongs to its parent */
    char *name = demangle_here(mangled);
    size_t left = name ? strlen(name) : 0;
    for (const char *next = name; left > 0;) {
        ssize_t written = write(out, next, left);
        if (written <= 0)
            break;
        next += written;
        left -= (size_t)written;
    }
    _exit(0);
}

/* Reads to the end of the pipe; returns the size, or 0 if it did not end in time or was too much. */
static size_t read_name(int in, char *name)
{
    size_t size = 0;
    int64_t deadline_ms = clock_monotonic_ns() / NS_PER_MS + CHILD_MS;
    for (;;) {
        int64_t left_ms = deadline_ms - clock_monotonic_ns() / NS_PER_MS;
        struct pollfd wait = {.fd = in, .events = POLLIN};
        if (left_ms <= 0 || poll(&wait, 1, (int)left_ms) <= 0)
            return 0;
        ssize_t got = read(in, name + size, NAME_MAX_BYTES - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return 0;
        if (got == 0)
            return size;
        size += (size_t)got;
    }
}

static char *demangle_in_child(const char *mangled)
{
    int ends[2];
    char *name = malloc(NAME_MAX_BYTES + 1);
    if (!name || pipe2(ends, O_CLOEXEC) != 0) {
        free(name);
        return NULL;
    }
    pid_t child = fork();
    if (child == 0)
        demangle_and_exit(mangled, ends[1]);
    close(ends[1]);
    size_t size = child > 0 ? read_name(ends[0], name) : 0;
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (size == 0) {
        free(name);
        return NULL;
    }
    name[size] = '\0';
    return name;
}

char *demangle(const char *mangled)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (strncmp(mangled, "_Z", 2) != 0 || strnlen(mangled, NAME_MAX_BYTES + 1) > NAME_MAX_BYTES)
        return NULL;
    pthread_once(&once, open_library);
    if (!cxa_demangle)
        return NULL;
    return count_references(mangled) <= FEW_REFERENCES ? demangle_here(mangled) : demangle_in_child(mangled);
}

/* A plain name is the name without its version (_v2) and the per-thread suffixes (_ptsz, _ptds). No state. */

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
        {"StreamQuery", CALL_STREAM},
        {"StreamAddCallback", CALL_LAUNCH},
        {"EventRecord", CALL_STREAM},
        {"EventQuery", CALL_STREAM},
        {"EventCreate", CALL_STREAM},
        {"EventDestroy", CALL_STREAM},
        {"MemGetInfo", CALL_STREAM}, /* what asks, and may take longer than a launch */
        {"GetDeviceProperties", CALL_STREAM},
        {"FuncGetAttributes", CALL_STREAM},
        {"PointerGetAttributes", CALL_STREAM},
        {"ThreadSynchronize", CALL_SYNC},
        {"StreamCreate", CALL_STREAM},
        {"StreamDestroy", CALL_STREAM},
        {"StreamBeginCapture", CALL_STREAM},
        {"StreamEndCapture", CALL_STREAM},
        {"GraphInstantiate", CALL_STREAM},
        {"GraphExecUpdate", CALL_STREAM},
        {"GraphExecDestroy", CALL_STREAM},
        {"GraphDestroy", CALL_STREAM},
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

/* ---- words ---- */

/* Does a word of the text begin here, so that the one before ends? Capitals that follow each other are one word, up to the
 * one before a small letter: "FP32ToHalf", "NCHWToNHWC". */
static bool is_word_edge(const char *text, const char *at)
{
    unsigned char here = (unsigned char)*at, before = at == text ? '_' : (unsigned char)at[-1];
    if (!isalnum(here) || !isalnum(before))
        return true;
    if (isdigit(here) || isdigit(before))
        return !isdigit(here) || !isdigit(before);
    return isupper(here) && (islower(before) || islower((unsigned char)at[1]));
}

bool name_has_words(const char *name, const char *words)
{
    size_t length = strlen(words);
    for (const char *at = name; *at; at++)
        if (strncasecmp(at, words, length) == 0 && is_word_edge(name, at) && is_word_edge(name, at + length))
            return true;
    return false;
}
