/*
 * The handler notes the address and the calls, and lets the thread of interrupt.c do the rest, since the
 * fault may be inside malloc or printf. The function is that of the innermost call which is not in a library
 * of the system: its name is in the symbol table of its file, its line in the debug information, which
 * addr2line reads where it is installed.
 */
#include "standin/host_access.h"

#include "standin/interrupt.h"
#include "standin/standin.h"
#include "standin/tool.h"

#include "core/base/demangle.h"
#include "core/base/elf.h"
#include "simt/memory/memory.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLS_MAX 48

static struct {
    uint64_t address;
    enum { DOES_ACCESS, DOES_READ, DOES_WRITE } does;
    void *calls[CALLS_MAX]; /* innermost first, from the instruction that faulted on */
    int call_count;
    struct sigaction before;
} fault;

/* ---- the place ---- */
/* An instruction of a call, in its file. */
struct place {
    char path[400];
    uint64_t address;              /* in the file */
    char function[200], line[300]; /* "": not known */
};

static bool is_of_system(const char *path)
{
    static const char *const names[] = {"libc.so",   "libc-",     "libm.so",  "libpthread",
                                        "ld-linux",  "libstdc++", "libgcc_s", "lanescope-standin",
                                        "linux-vdso"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool place_find(struct place *place)
{
    for (int i = 0; i < fault.call_count; i++) {
        struct link_map *map = NULL;
        Dl_info info;
        /* A call returns to the instruction after it. */
        uint64_t at = (uint64_t)(uintptr_t)fault.calls[i] - (i > 0);
        const void *pointer = (const void *)(uintptr_t)at;
        if (!dladdr1(pointer, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname || !map ||
            is_of_system(info.dli_fname))
            continue;
        bool program = !map->l_name || !*map->l_name;
        snprintf(place->path, sizeof place->path, "%s", program ? "/proc/self/exe" : map->l_name);
        place->address = at - (uint64_t)map->l_addr;
        return true;
    }
    return false;
}

static bool function_look(void *owner, const struct elf_function *function)
{
    struct place *place = owner;
    if (place->address - function->address >= function->size_bytes)
        return true;
    char *plain = demangle(function->name);
    snprintf(place->function, sizeof place->function, "%s", plain ? plain : function->name);
    free(plain);
    return false;
}

static void function_find(struct place *place)
{
    struct elf elf;
    if (elf_map(&elf, place->path, NULL) != STATUS_OK)
        return;
    elf_visit_functions(&elf, function_look, place);
    elf_unmap(&elf);
}

/* "/home/me/t.cu:25" becomes "t.cu:25". */
static void line_find(struct place *place)
{
    char address[32], path[400], out[1000] = "";
    const char *argv[] = {"addr2line", "-e", path, address, NULL};
    int ends[2];
    ssize_t size = readlink(place->path, path, sizeof path - 1);
    if (size < 0)
        snprintf(path, sizeof path, "%s", place->path);
    else
        path[size] = '\0';
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)place->address);
    if (pipe(ends) != 0)
        return;
    int status = tool_run(argv, NULL, ends[1]);
    close(ends[1]);
    size = status == 0 ? read(ends[0], out, sizeof out - 1) : 0;
    close(ends[0]);
    out[size > 0 ? size : 0] = '\0';
    out[strcspn(out, "\n (")] = '\0';
    const char *slash = strrchr(out, '/'), *name = slash ? slash + 1 : out, *colon = strrchr(name, ':');
    if (colon && colon[1] >= '1' && colon[1] <= '9')
        snprintf(place->line, sizeof place->line, "%.250s", name);
}

/* ---- the end ---- */
static void fault_print(char *text, size_t size_bytes)
{
    static const char *const does[] = {
        [DOES_ACCESS] = "accesses", [DOES_READ] = "reads", [DOES_WRITE] = "writes"};
    struct place place = {.path = ""};
    struct simt_allocation allocation;
    char where[600] = "", what[200];

    if (place_find(&place)) {
        function_find(&place);
        line_find(&place);
    }
    if (place.function[0] && place.line[0])
        snprintf(where, sizeof where, " in %s, %s", place.function, place.line);
    else if (place.function[0] || place.line[0])
        snprintf(where, sizeof where, " in %s%s", place.function[0] ? place.function : place.line,
                 place.line[0] ? "" : " (built without -g: the line is not known)");
    if (simt_device_allocation(standin_device(), fault.address, &allocation))
        snprintf(what, sizeof what, "0x%llx is byte %llu of the %llu bytes allocated at 0x%llx",
                 (unsigned long long)fault.address, (unsigned long long)(fault.address - allocation.address),
                 (unsigned long long)allocation.size_bytes, (unsigned long long)allocation.address);
    else
        snprintf(what, sizeof what, "0x%llx is an address of the device, where nothing is allocated",
                 (unsigned long long)fault.address);
    snprintf(
        text, size_bytes,
        "The program %s memory of the device on the host%s: %s. The host has no access to it: copy it with "
        "cudaMemcpy, or allocate it with cudaMallocManaged.",
        does[fault.does], where, what);
}

static void fault_end(void)
{
    standin_end_by_fault(fault_print);
}

/* ---- the handler ---- */
/* The instruction that faulted, and what it did. */
static void *context_look(const ucontext_t *context)
{
#if defined(__x86_64__)
    fault.does = context->uc_mcontext.gregs[REG_ERR] & 2 ? DOES_WRITE : DOES_READ;
    return (void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (void *)(uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

/* The program's own handler, or the default action when the instruction is executed again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (fault.before.sa_flags & SA_SIGINFO)
        fault.before.sa_sigaction(number, info, context);
    else if (fault.before.sa_handler != SIG_DFL && fault.before.sa_handler != SIG_IGN)
        fault.before.sa_handler(number);
    else
        signal(number, SIG_DFL);
}

static void fault_take(int number, siginfo_t *info, void *context)
{
    void *calls[CALLS_MAX];

    if (info->si_code <= 0 || !memory_hides((uint64_t)(uintptr_t)info->si_addr)) {
        pass_on(number, info, context);
        return;
    }
    void *at = context_look(context);
    int count = backtrace(calls, CALLS_MAX), first = 0;
    while (first < count && calls[first] != at)
        first++;
    fault.address = (uint64_t)(uintptr_t)info->si_addr;
    fault.call_count = first < count ? count - first : 1;
    memcpy(fault.calls, first < count ? &calls[first] : &at, (size_t)fault.call_count * sizeof *fault.calls);
    if (!interrupt_end(fault_end))
        pass_on(number, info, context);
}

void host_access_begin(void)
{
    const struct sigaction ours = {.sa_sigaction = fault_take, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    void *call;

    backtrace(&call, 1); /* loads the library that it needs: not in the handler */
    sigaction(SIGSEGV, &ours, &fault.before);
}
