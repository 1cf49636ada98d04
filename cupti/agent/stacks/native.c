/*
 * No state but what backtrace() keeps. An object's file is mapped while one symbol is looked for.
 */
#include "cupti/agent/stacks/native.h"

#include "core/base/elf.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void native_prepare(void)
{
    void *addresses[2];
    backtrace(addresses, 2);
}

size_t native_walk(void **addresses, size_t most)
{
    int count = backtrace(addresses, (int)most);
    return count > 0 ? (size_t)count : 0;
}

/* ---- the symbol table on disk ---- */

struct around {
    uint64_t address, best;
    char *name; /* unchanged if no function is around the address */
    size_t size_bytes;
};

static bool function_look(void *owner, const struct elf_function *function)
{
    struct around *around = owner;

    if (function->address <= around->address && function->address >= around->best &&
        around->address - function->address < function->size_bytes) {
        around->best = function->address;
        snprintf(around->name, around->size_bytes, "%s", function->name);
    }
    return true;
}

static void file_search(const char *path, uint64_t address, char *name, size_t size_bytes)
{
    struct elf elf;
    struct around around = {.address = address, .name = name, .size_bytes = size_bytes};

    if (elf_map(&elf, path, NULL) != STATUS_OK)
        return;
    elf_visit_functions(&elf, function_look, &around);
    elf_unmap(&elf);
}

/* ---- names ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_cuda_object(const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    return starts_with(base, "libcuda.so") || starts_with(base, "libcudart") ||
           starts_with(base, "libcupti") || starts_with(base, "libnvperf");
}

/* Is it a function of a statically linked runtime, or of nvcc's code for <<<>>>? */
static bool is_cuda_function(const char *name)
{
    return starts_with(name, "__cuda") || starts_with(name, "cudaLaunch") || starts_with(name, "cudart") ||
           starts_with(name, "libcudart_static_") || strstr(name, "__device_stub__");
}

bool native_describe(const void *address, struct native_text *text)
{
    Dl_info info, own;
    struct link_map *map = NULL;
    /* A return address may already be the first byte of the next function. */
    const char *call = (const char *)address - 1;
    if (!dladdr1(call, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname) {
        snprintf(text->file, sizeof text->file, "(code made at run time)");
        text->name[0] = '\0';
        return true;
    }
    if (is_cuda_object(info.dli_fname) ||
        (dladdr((const void *)(uintptr_t)native_walk, &own) && own.dli_fbase == info.dli_fbase))
        return false;
    bool program = map && !map->l_name[0];
    ssize_t length = program ? readlink("/proc/self/exe", text->file, sizeof text->file - 1) : -1;
    if (length > 0)
        text->file[length] = '\0';
    else
        snprintf(text->file, sizeof text->file, "%s", info.dli_fname);
    uint64_t offset = (uint64_t)(call - (const char *)(map ? map->l_addr : 0));
    snprintf(text->name, sizeof text->name, "%s", info.dli_sname ? info.dli_sname : "");
    if (!info.dli_sname)
        file_search(program ? "/proc/self/exe" : info.dli_fname, offset, text->name, sizeof text->name);
    if (!text->name[0])
        snprintf(text->name, sizeof text->name, "+0x%llx", (unsigned long long)offset);
    return !is_cuda_function(text->name);
}
