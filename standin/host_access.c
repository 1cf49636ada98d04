/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler notes the address and the calls, and lets the thread of interrupt.c do the rest, since the
 * fault may be inside malloc or printf. The function is that of the innermost call which is not in a library
 * of the system: its name is in the symbol table of its file, its line in the debug information, which
 * addr2line reads where it is installed.
 */
#include "standin/host_access.h"

#include "standin/interrupt.h"
#include "standin/standin.h"

#include "core/base/elf.h"
#include "core/base/function_name.h"
#include "core/base/machine.h"
#include "simt/memory/memory.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLS_MAX 48

static struct {
    uint64_t address;
    atomic_flag taken; /* the first one is told */
    bool known;        /* the address is */
    int number;        /* of the signal */
    const char *running;
    enum { DOES_ACCESS, DOES_READ, DOES_WRITE } does;
    void *calls[CALLS_MAX]; /* innermost first, from the instruction that faulted on */
    int call_count;
    struct sigaction before[2]; /* of SIGSEGV and SIGBUS */
} fault = {.taken = ATOMIC_FLAG_INIT};

/* ---- the place ---- */
/* An instruction of a call, in its file. */
struct access_place {
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

/* `back`: the first one is a call, too, not an instruction that faulted. */
static bool place_find(struct access_place *place, void *const *calls, int count, bool back)
{
    for (int i = 0; i < count; i++) {
        struct link_map *map = NULL;
        Dl_info info;
        /* A call returns to the instruction after it. */
        uint64_t at = (uint64_t)(uintptr_t)calls[i] - (i > 0 || back);
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
    struct access_place *place = owner;
    if (place->address - function->address >= function->size_bytes)
        return true;
    char *plain = demangle(function->name);
    snprintf(place->function, sizeof place->function, "%s", plain ? plain : function->name);
    free(plain);
    return false;
}

static void function_find(struct access_place *place)
{
    struct elf elf;
    if (elf_map(&elf, place->path, NULL) != STATUS_OK)
        return;
    elf_visit_functions(&elf, function_look, place);
    elf_unmap(&elf);
}

/* "/home/me/t.cu:25" becomes "t.cu:25". */
static void line_find(struct access_place *place)
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

/* " in main, t.cu:25"; "": nothing is known. */
static void where_print(char *where, size_t size_bytes, void *const *calls, int count, bool back)
{
    struct access_place place = {.path = ""};
    if (place_find(&place, calls, count, back)) {
        function_find(&place);
        line_find(&place);
    }
    if (place.function[0] && place.line[0])
        snprintf(where, size_bytes, " in %s, %s", place.function, place.line);
    else if (place.function[0] || place.line[0])
        snprintf(where, size_bytes, " in %s%s", place.function[0] ? place.function : place.line,
                 place.line[0] ? "" : " (built without -g: the line is not known)");
}

/* ---- what the host does beside the device ---- */
#define FINDINGS 32
#define FINDING_CALLS 16
#define SPANS 4096 /* pages that are guarded at a time */

static struct {
    struct finding {
        char name[64]; /* of a call that failed; "": an access of the host */
        int code;
        bool seen, write;
        uint64_t address;
        struct simt_host_race race;
        void *calls[FINDING_CALLS];
        int call_count;
    } of[FINDINGS];
    int count;
    uint64_t pages[SPANS];
    uint32_t page_count;
    struct device *device;
    atomic_flag busy;
} findings = {.busy = ATOMIC_FLAG_INIT};

static struct finding *finding_add(void *const *calls, int count)
{
    for (int i = 0; i < findings.count; i++) /* the same place again */
        if (findings.of[i].call_count > 0 && count > 0 && findings.of[i].calls[0] == calls[0] &&
            memcmp(findings.of[i].calls, calls,
                   (size_t)(count < findings.of[i].call_count ? count : findings.of[i].call_count) *
                       sizeof *calls) == 0)
            return NULL;
    if (findings.count == FINDINGS)
        return NULL;
    struct finding *finding = &findings.of[findings.count++];
    *finding = (struct finding){.call_count = count < FINDING_CALLS ? count : FINDING_CALLS};
    memcpy(finding->calls, calls, (size_t)finding->call_count * sizeof *calls);
    return finding;
}

static void page_guard(void *owner, uint64_t page, bool writes)
{
    (void)owner;
    if (findings.page_count == SPANS ||
        mprotect((void *)(uintptr_t)page, SIMT_GUARD_BYTES, writes ? PROT_NONE : PROT_READ) != 0)
        return;
    findings.pages[findings.page_count++] = page;
}

void host_guard(struct device *device)
{
    findings.device = device;
    simt_device_guard(device, page_guard, NULL);
}

void host_unguard(void)
{
    for (uint32_t i = 0; i < findings.page_count; i++)
        mprotect((void *)(uintptr_t)findings.pages[i], SIMT_GUARD_BYTES, PROT_READ | PROT_WRITE);
    findings.page_count = 0;
}

static bool is_guarded(uint64_t address)
{
    for (uint32_t i = 0; i < findings.page_count; i++)
        if (address - findings.pages[i] < SIMT_GUARD_BYTES)
            return true;
    return false;
}

/* In the handler. The page is open from now on. */
static void guarded_access(uint64_t address, bool write, void *const *calls, int count)
{
    struct simt_host_race race;
    while (atomic_flag_test_and_set(&findings.busy))
        ;
    if (simt_device_races_host(findings.device, address, write, &race)) {
        struct finding *finding = finding_add(calls, count);
        if (finding) {
            finding->address = address;
            finding->write = write;
            finding->race = race;
        }
    }
    atomic_flag_clear(&findings.busy);
    mprotect((void *)(uintptr_t)(address / SIMT_GUARD_BYTES * SIMT_GUARD_BYTES), SIMT_GUARD_BYTES,
             PROT_READ | PROT_WRITE);
}

/* Codes that answer a question, or that programs provoke and expect. */
static bool is_answer(int code)
{
    static const int codes[] = {cudaErrorNotReady,
                                cudaErrorMemoryAllocation,
                                cudaErrorNoDevice,
                                cudaErrorNotSupported,
                                cudaErrorPeerAccessAlreadyEnabled,
                                cudaErrorPeerAccessNotEnabled,
                                cudaErrorHostMemoryAlreadyRegistered,
                                cudaErrorHostMemoryNotRegistered};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return true;
    return false;
}

void host_call_failed(const char *name, int code)
{
    void *calls[CALLS_MAX];
    int count = is_answer(code) ? 0 : backtrace(calls, CALLS_MAX);
    struct finding *finding = count > 0 ? finding_add(calls, count) : NULL;
    if (!finding)
        return;
    snprintf(finding->name, sizeof finding->name, "%s", name ? name : "a call");
    finding->code = code;
}

void host_error_seen(int code)
{
    for (int i = 0; i < findings.count; i++)
        findings.of[i].seen |= code == 0 || findings.of[i].code == code;
}

static void host_access_print(const struct finding *finding, const char *where, char *text, size_t size_bytes)
{
    const struct simt_host_race *race = &finding->race;
    const char *what = finding->write ? "writes" : "reads", *does = race->writes ? "writes" : "reads";
    char by[300], *name = race->copy ? NULL : demangle(race->program->entry->name);
    if (race->copy) {
        snprintf(by, sizeof by, "a %s in stream %u", race->copy, race->stream);
    } else {
        const char *shown = name ? name : race->program->entry->name;
        shown += strncmp(shown, "void ", 5) == 0 ? 5 : 0;
        struct ptx_location location = program_location(race->program, race->instruction);
        snprintf(by, sizeof by, location.line ? "the kernel %.*s, line %u," : "the kernel %.*s",
                 (int)strcspn(shown, "("), shown, location.line);
    }
    free(name);
    snprintf(text, size_bytes,
             "race with the host: the program %s 0x%llx%s, which %s %s: no synchronisation is in between. On "
             "a GPU it may "
             "still run then.",
             what, (unsigned long long)finding->address, where, by, does);
}

bool host_findings_tell(bool ended_well)
{
    bool any = false;
    host_unguard();
    for (int i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.of[i];
        const struct error_code *code = error_code_find(finding->code);
        char where[600] = "", text[1100];
        if (finding->name[0] && (finding->seen || !ended_well))
            continue;
        where_print(where, sizeof where, finding->calls, finding->call_count, finding->name[0] != '\0');
        if (finding->name[0])
            snprintf(text, sizeof text,
                     "failed call: %s%s returned %s, and the program has not looked at it: neither "
                     "cudaGetLastError nor the name of the error was asked for.",
                     finding->name, where, code && code->name ? code->name : "an error");
        else
            host_access_print(finding, where, text, sizeof text);
        fprintf(stderr, "lanescope: %s\n", text);
        told_notice(SEVERITY_ERROR, STATUS_CHECK, text);
        any = true;
    }
    findings.count = 0;
    return any;
}

/* ---- the end ---- */
static void fault_print(char *text, size_t size_bytes)
{
    static const char *const does[] = {
        [DOES_ACCESS] = "accesses", [DOES_READ] = "reads", [DOES_WRITE] = "writes"};
    struct simt_allocation allocation;
    char where[600] = "", what[200];

    where_print(where, sizeof where, fault.calls, fault.call_count, false);
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
    standin_end_by_fault(fault_print, false, 0);
}

/* A call, or what it has the device do, reads or writes memory of the host that is not there. */
static void call_fault_print(char *text, size_t size_bytes)
{
    static const char *const does[] = {
        [DOES_ACCESS] = "accesses", [DOES_READ] = "reads", [DOES_WRITE] = "writes"};
    char where[600] = "", address[40] = "an address that no process has";

    where_print(where, sizeof where, fault.calls, fault.call_count, false);
    if (fault.known)
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)fault.address);
    snprintf(
        text, size_bytes,
        "%s%s %s memory of the host at %s, where the program has none that it may %s: check the pointers and "
        "sizes that the call is given, and that registered memory is still mapped. The program ends by the same "
        "signal, SIG%s.",
        fault.running ? fault.running : "A call of CUDA", where, does[fault.does], address,
        fault.does == DOES_WRITE ? "write" : "read", fault.number == SIGBUS ? "BUS" : "SEGV");
}

static void call_fault_end(void)
{
    standin_end_by_fault(call_fault_print, true, fault.number);
}

/* ---- the handler ---- */
/* The instruction that faulted, and what it did. */
static void *context_look(const ucontext_t *context)
{
    bool writes;

    if (machine_fault_writes(context, &writes))
        fault.does = writes ? DOES_WRITE : DOES_READ;
    return machine_fault_place(context);
}

/* The program's own handler, or the default action when the instruction is executed again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &fault.before[number == SIGBUS];

    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
    else
        signal(number, SIG_DFL);
}

static bool has_no_handler(int number)
{
    const struct sigaction *before = &fault.before[number == SIGBUS];

    return !(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_DFL;
}

/* Is the innermost function that is not the C library's this one's, called by the program or a worker? */
static bool is_of_call(void *const *calls, int count)
{
    for (int i = 0; i < count; i++) {
        Dl_info info;
        const void *at = (const void *)((uintptr_t)calls[i] - (i > 0));
        if (standin_is_own(at))
            return true;
        if (!dladdr(at, &info) || !info.dli_fname || !is_of_system(info.dli_fname))
            return false;
    }
    return false;
}

static void fault_take(int number, siginfo_t *info, void *context)
{
    void *calls[CALLS_MAX];

    if (info->si_code <= 0) {
        pass_on(number, info, context);
        return;
    }
    bool guarded = is_guarded((uint64_t)(uintptr_t)info->si_addr);
    void *at = context_look(context);
    int count = backtrace(calls, CALLS_MAX), first = 0;
    while (first < count && calls[first] != at)
        first++;
    bool of_device = guarded || memory_hides((uint64_t)(uintptr_t)info->si_addr);
    bool of_call = !of_device && has_no_handler(number) &&
                   is_of_call(first < count ? &calls[first] : &at, first < count ? count - first : 1);
    if (!of_device && !of_call) {
        pass_on(number, info, context);
        return;
    }
    if (guarded) {
        guarded_access((uint64_t)(uintptr_t)info->si_addr, fault.does == DOES_WRITE,
                       first < count ? &calls[first] : &at, first < count ? count - first : 1);
        return;
    }
    if (atomic_flag_test_and_set(&fault.taken)) { /* several workers read the same wrong memory */
        interrupt_end(NULL);
        pass_on(number, info, context);
        return;
    }
    fault.address = (uint64_t)(uintptr_t)info->si_addr;
    fault.call_count = first < count ? count - first : 1;
    memcpy(fault.calls, first < count ? &calls[first] : &at, (size_t)fault.call_count * sizeof *fault.calls);
    fault.number = number;
    fault.known = info->si_code != SI_KERNEL;
    fault.running = standin_running();
    interrupt_end(of_call ? call_fault_end : fault_end);
    pass_on(number, info, context);
}

void host_access_begin(void)
{
    const struct sigaction ours = {.sa_sigaction = fault_take, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    void *call;

    backtrace(&call, 1); /* loads the library that it needs: not in the handler */
    sigaction(SIGSEGV, &ours, &fault.before[0]);
    sigaction(SIGBUS, &ours, &fault.before[1]);
}
