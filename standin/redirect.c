/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that nvcc built with its default options contains CUDA's runtime. Its symbol table still names
 * the runtime's functions, so before its constructors register kernels, a jump to the stand-in's function is
 * written at the start of each function of that name (core/base/machine.h), to a nearby trampoline that holds the full
 * address. Only this process's memory changes. docs/decisions.md gives the reasons. Runs in this library's
 * constructor, which ld.so calls before the program's, and for a library when the program has opened it.
 *
 * The functions of NVIDIA's libraries get a jump, too, to one that says which was called and ends the run. In
 * a program that contains such a library those that its users call first get it.
 */
#include "standin/absent.h"

#include "core/base/array.h"
#include "core/base/elf.h"
#include "core/base/machine.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEARCH_BYTES (UINT64_C(1) << 24)

struct redirect {
    const struct elf *elf;
    const char *path;              /* of a library; NULL: the program */
    uint64_t bias;                 /* added to the file's addresses */
    uint64_t text_begin, text_end; /* the program's machine code, whole pages */
    uint8_t *trampolines;
    size_t used, room;                /* numbers of trampolines */
    size_t runtime_functions, missed; /* functions with such names; those that did not get a jump */
    bool has_13, has_12;              /* a function that CUDA's runtime has since this version */
    bool registers;                   /* it has the function that nvcc's code calls first */
    const char *closed;               /* one of NVIDIA's libraries: the name of its file */
    void *own;                        /* lanescope's in its place; NULL: there is none */
};

static int name_compare(const void *key, const void *row)
{
    return strcmp(key, ((const struct standin_name *)row)->name);
}

static const struct standin_name *row_find(const struct standin_name *rows, size_t count, const char *name)
{
    return bsearch(name, rows, count, sizeof *rows, name_compare);
}

static const struct standin_name *name_find(const char *name)
{
    const struct standin_name *found = row_find(standin_names, standin_name_count, name);
    return found ? found : row_find(older_names, older_name_count, name);
}

/* Under some names CUDA 12's runtime has functions with other arguments. */
static const struct standin_name *name_find_in(const struct redirect *redirect, const char *name)
{
    const struct standin_name *found =
        redirect->has_13 ? NULL : row_find(cuda_12_functions, cuda_12_function_count, name);
    return found ? found : name_find(name);
}

/* ---- the program in memory ---- */
/* Fills in where the object lies. */
static void object_place(const struct dl_phdr_info *info, struct redirect *redirect)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    redirect->bias = info->dlpi_addr;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        redirect->text_begin = (info->dlpi_addr + part->p_vaddr) & ~(page - 1);
        redirect->text_end = (info->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
    }
}

static int program_visit(struct dl_phdr_info *info, size_t size, void *owner)
{
    (void)size;
    object_place(info, owner);
    return 1; /* stop: the program is the first object */
}

/* Maps pages that a jump from anywhere in the text can reach: above it, else below. */
static uint8_t *pages_near(const struct redirect *redirect, size_t size_bytes)
{
    uint64_t most = (uint64_t)MACHINE_REACH_BYTES - SEARCH_BYTES,
             text_bytes = redirect->text_end - redirect->text_begin;

    for (uint64_t away = SEARCH_BYTES; away + text_bytes < most; away += SEARCH_BYTES) {
        const uint64_t places[] = {redirect->text_end + away, redirect->text_begin - away};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            void *wanted = (void *)(uintptr_t)(places[i] & ~(SEARCH_BYTES / 256 - 1));
            if (i == 1 && redirect->text_begin <= away)
                continue;
            void *got = mmap(wanted, size_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (got == wanted)
                return got;
            if (got != MAP_FAILED)
                munmap(got, size_bytes);
        }
    }
    return NULL;
}

/* ---- NVIDIA's libraries ---- */
static const char *const closed_libraries[] = {CLOSED_LIBRARIES};

/* Where a program contains a library, a call of one of these comes before all others. */
static const char *const closed_first[] = {
    "cublasCreate_v2",  "cublasInit",       "cublasLtCreate",        "cublasXtCreate",
    "cudnnCreate",      "cufftCreate",      "cufftPlan1d",           "cufftPlan2d",
    "cufftPlan3d",      "cufftPlanMany",    "curandCreateGenerator", "curandCreateGeneratorHost",
    "cusolverDnCreate", "cusolverMgCreate", "cusolverRfCreate",      "cusolverSpCreate",
    "cusparseCreate",   "ncclCommInitAll",  "ncclCommInitRank",      "ncclCommInitRankConfig",
    "ncclGetUniqueId",  "nvjpegCreate",     "nvjpegCreateEx",        "nvjpegCreateSimple"};

/* They say what the library is, and run no kernel: programs call them to print it. */
static const char *const closed_answers[] = {"Version",      "Property",   "ErrorString",
                                             "StatusString", "StatusName", "ErrorName"};

static bool starts_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* lanescope's own lie in the folder lanescope-standin beside lanescope-standin.so. */
static bool is_own_library(const char *path)
{
    Dl_info here;
    size_t length = dladdr(standin_names, &here) ? strlen(here.dli_fname) : 0;

    return length > 3 && strncmp(path, here.dli_fname, length - 3) == 0 && path[length - 3] == '/';
}

/* lanescope's library of this name, for one that was opened by its path. */
static void *open_own_library(const char *name)
{
    char path[4096];
    Dl_info here;

    if (!dladdr(standin_names, &here) ||
        snprintf(path, sizeof path, "%.*s/%s", (int)strlen(here.dli_fname) - 3, here.dli_fname, name) >=
            (int)sizeof path)
        return NULL;
    return access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

const char *closed_library(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    if (is_own_library(path))
        return NULL;

    for (size_t i = 0; i < sizeof closed_libraries / sizeof *closed_libraries; i++)
        if (starts_with(name, closed_libraries[i]))
            return name;
    return NULL;
}

/* Its name begins as the library's: libcudnn_ops.so.9, cudnnCreate. Others are called by the library's own
 * destructors. */
static bool closed_has(const char *library, const char *name)
{
    for (size_t i = 0; i < sizeof closed_answers / sizeof *closed_answers; i++)
        if (strstr(name, closed_answers[i]))
            return false;
    for (size_t i = 0; i < sizeof closed_libraries / sizeof *closed_libraries; i++)
        if (starts_with(library, closed_libraries[i]))
            return starts_with(name, closed_libraries[i] + strlen("lib"));
    return false;
}

static const char *closed_comes_first(const char *name)
{
    for (size_t i = 0; i < sizeof closed_first / sizeof *closed_first; i++)
        if (strcmp(closed_first[i], name) == 0)
            return closed_first[i];
    return NULL;
}

/* The library's own error would come from here on, and programs ignore it: the run ends. */
void closed_refuse(const char *name, const char *library)
{
    standin_enter();
    standin_refuse("The program calls %.200s%s%.100s: " CLOSED_REASON ".", name, library ? " of " : "",
                   library ? library : ", which it contains");
    standin_leave(cudaSuccess);
    exit(STANDIN_EXIT_REFUSED);
}

static void (*closed_target(void))(void)
{
    return (void (*)(void))closed_refuse;
}

/* ---- jumps ---- */
static bool function_count(void *owner, const struct elf_function *function)
{
    struct redirect *redirect = owner;

    redirect->runtime_functions +=
        name_find(function->name) || (!redirect->path && closed_comes_first(function->name));
    redirect->registers |= strcmp(function->name, "__cudaRegisterFatBinary") == 0;
    redirect->has_13 |= strcmp(function->name, "cudaLogsCurrent") == 0;
    redirect->has_12 |= strcmp(function->name, "cudaGetDeviceProperties_v2") == 0;
    return true;
}

struct redirect_place {
    uint64_t address;
    bool taken; /* another function begins in the bytes of the jump */
};

static bool place_look(void *owner, const struct elf_function *function)
{
    struct redirect_place *place = owner;

    place->taken |=
        function->address > place->address && function->address - place->address < MACHINE_JUMP_BYTES;
    return !place->taken;
}

/* Does the function have room for a jump? A function shorter than the jump does if only padding follows. */
static bool has_room(const struct redirect *redirect, const struct elf_function *function)
{
    struct redirect_place place = {.address = function->address};

    if (function->size_bytes < MACHINE_JUMP_BYTES)
        elf_visit_functions(redirect->elf, place_look, &place);
    return !place.taken;
}

/* Writes a jump to `target` at the function's start; with a name the target gets it, and the library's. */
static void jump_write(struct redirect *redirect, const struct elf_function *function, void (*target)(void),
                       const char *name)
{
    uint64_t address = redirect->bias + function->address;

    if (!has_room(redirect, function) || address < redirect->text_begin ||
        address + MACHINE_JUMP_BYTES > redirect->text_end || redirect->used == redirect->room) {
        redirect->missed++;
        return;
    }
    uint8_t *trampoline = redirect->trampolines + (size_t)MACHINE_TRAMPOLINE_BYTES * redirect->used++;
    machine_write_trampoline(trampoline, target, name, redirect->closed);
    machine_write_jump((uint8_t *)(uintptr_t)address, trampoline); /* pages_near ensures that it reaches */
}

static bool closed_count(void *owner, const struct elf_function *function)
{
    struct redirect *redirect = owner;

    redirect->runtime_functions += closed_has(redirect->closed, function->name);
    return true;
}

static bool closed_redirect(void *owner, const struct elf_function *function)
{
    struct redirect *redirect = owner;

    void *symbol = redirect->own ? dlsym(redirect->own, function->name) : NULL;
    void (*target)(void);

    if (!closed_has(redirect->closed, function->name))
        return true;
    memcpy(&target, &symbol, sizeof target);
    jump_write(redirect, function, symbol ? target : closed_target(), symbol ? NULL : function->name);
    return true;
}

/* ---- the runtime ---- */
static bool function_redirect(void *owner, const struct elf_function *function)
{
    struct redirect *redirect = owner;
    const struct standin_name *name = name_find_in(redirect, function->name);
    const char *closed = name || redirect->path ? NULL : closed_comes_first(function->name);

    if (name)
        jump_write(redirect, function, name->function, NULL);
    else if (closed)
        jump_write(redirect, function, closed_target(), closed);
    return true;
}

static bool text_protect(const struct redirect *redirect, int protection)
{
    return mprotect((void *)(uintptr_t)redirect->text_begin, redirect->text_end - redirect->text_begin,
                    protection) == 0;
}

/* Returns false if the memory could not be changed. */
static bool program_redirect(struct redirect *redirect)
{
    size_t size_bytes = redirect->runtime_functions * MACHINE_TRAMPOLINE_BYTES;

    redirect->room = redirect->runtime_functions;
    redirect->trampolines = pages_near(redirect, size_bytes);
    if (!redirect->trampolines || !text_protect(redirect, PROT_READ | PROT_WRITE))
        return false;
    if (redirect->closed)
        elf_visit_exports(redirect->elf, closed_redirect, redirect);
    else
        elf_visit_functions(redirect->elf, function_redirect, redirect);
    machine_code_written((void *)(uintptr_t)redirect->text_begin, (void *)(uintptr_t)redirect->text_end);
    machine_code_written(redirect->trampolines, redirect->trampolines + size_bytes);
    return text_protect(redirect, PROT_READ | PROT_EXEC) &&
           mprotect(redirect->trampolines, size_bytes, PROT_READ | PROT_EXEC) == 0;
}

/* A program may have a function of its own that has such a name. */
static bool runtime_is_old(const struct redirect *redirect)
{
    return redirect->registers && !redirect->has_13 && !redirect->has_12;
}

/* NULL: it needs none, or one whose place the stand-in takes. */
static const char *older_library(const struct elf *elf)
{
    const char *library = elf_needed(elf, "libcudart.so");

    return library && strcmp(library, "libcudart.so.13") != 0 && strcmp(library, "libcudart.so.12") != 0
               ? library
               : NULL;
}

static void redirect_program(void)
{
    struct elf elf;
    struct redirect redirect = {.elf = &elf};

    if (elf_map(&elf, "/proc/self/exe", NULL) != STATUS_OK)
        return;
    dl_iterate_phdr(program_visit, &redirect);
    elf_visit_functions(&elf, function_count, &redirect);
    if (redirect.runtime_functions && !LANESCOPE_REDIRECT)
        standin_refuse(
            "This program contains the CUDA runtime, and this build of lanescope does not change programs in"
            " memory (LANESCOPE_REDIRECT): build the program with nvcc -cudart shared.");
    else if (redirect.runtime_functions && (!program_redirect(&redirect) || redirect.missed))
        standin_refuse(
            "The CUDA runtime inside this program cannot be redirected (%zu of %zu functions): build it with "
            "nvcc -cudart shared.",
            redirect.missed ? redirect.missed : redirect.runtime_functions, redirect.runtime_functions);
    else if (runtime_is_old(&redirect))
        standin_refuse(
            "This program contains the runtime of CUDA 11 or older, whose functions differ: build it "
            "with CUDA 12 or 13.");
    else if (older_library(&elf))
        standin_refuse(
            "This program needs %.60s, and the device model has the runtimes of CUDA 12 and 13: build it "
            "with one of them.",
            older_library(&elf));
    else if (!redirect.runtime_functions && elf_has_section(&elf, ".nv_fatbin") &&
             !elf_needed(&elf, "libcudart.so"))
        standin_refuse(
            "This program contains the CUDA runtime and has no symbols: do not strip it, or build it with "
            "nvcc -cudart shared.");
    elf_unmap(&elf);
}

/* ---- libraries that the program is linked with or opens ---- */
static struct library {
    char *path;
    struct redirect redirect;
} * libraries; /* all that were ever loaded; under the lock of standin.c */
static size_t library_count, library_capacity;

static int library_visit(struct dl_phdr_info *info, size_t size, void *own)
{
    (void)size;
    if (!info->dlpi_name || info->dlpi_name[0] != '/' || info->dlpi_addr == *(const uint64_t *)own)
        return 0;
    for (size_t i = 0; i < library_count; i++)
        if (libraries[i].redirect.bias == info->dlpi_addr && strcmp(libraries[i].path, info->dlpi_name) == 0)
            return 0;
    char *path = strdup(info->dlpi_name);
    if (!path || !array_grow(libraries, library_capacity, library_count, 1)) {
        free(path);
        return 1;
    }
    struct library *library = &libraries[library_count++];
    *library = (struct library){.path = path, .redirect.path = path};
    object_place(info, &library->redirect);
    return 0;
}

/* nvcc's function that registers a file's kernels. It has run as a constructor, with the library's own
 * runtime. */
static bool registration_repeat(void *owner, const struct elf_function *function)
{
    const struct redirect *redirect = owner;
    uint64_t address = redirect->bias + function->address;
    void (*registration)(void);

    if (strcmp(function->name, "_ZL24__sti____cudaRegisterAllv") == 0) {
        memcpy(&registration, &address, sizeof registration);
        registration();
    }
    return true;
}

static void library_redirect(struct library *library)
{
    struct redirect *redirect = &library->redirect;
    struct elf elf;

    if (elf_map(&elf, library->path, NULL) != STATUS_OK)
        return;
    redirect->elf = &elf;
    redirect->closed = closed_library(library->path);
    if (redirect->closed) {
        elf_visit_exports(&elf, closed_count, redirect);
        redirect->own = open_own_library(redirect->closed);
        if (redirect->runtime_functions && (!LANESCOPE_REDIRECT || !program_redirect(redirect)))
            standin_refuse("The program needs %.300s: " CLOSED_REASON ".", redirect->closed);
        redirect->elf = NULL;
        return; /* it stays mapped: the jumps have the names from it */
    }
    elf_visit_functions(&elf, function_count, redirect);
    if (redirect->runtime_functions &&
        (!LANESCOPE_REDIRECT || !program_redirect(redirect) || redirect->missed))
        standin_refuse("The CUDA runtime inside %.300s cannot be redirected.", library->path);
    else if (runtime_is_old(redirect))
        standin_refuse("%.300s contains the runtime of CUDA 11 or older, whose functions differ.",
                       library->path);
    else if (redirect->runtime_functions)
        elf_visit_functions(&elf, registration_repeat, redirect);
    redirect->elf = NULL;
    elf_unmap(&elf);
}

void redirect_libraries(void)
{
    standin_enter_closed();
    size_t known = library_count;
    Dl_info here;
    uint64_t own = dladdr(standin_names, &here) ? (uint64_t)(uintptr_t)here.dli_fbase : 0;
    dl_iterate_phdr(library_visit, &own);
    for (size_t i = known; i < library_count; i++) {
        struct library library = libraries[i]; /* a registration may open others */
        library_redirect(&library);
    }
    standin_leave(cudaSuccess);
}

/* ld.so calls this constructor after those of the libraries that the program is linked with, but for those
 * that need this library. */
__attribute__((constructor)) static void redirect_at_start(void)
{
    redirect_program();
    redirect_libraries();
}
