/* A cubin is an ELF file; core/base/elf.h reads it, whatever its bytes are. */
#include "cupti/agent/lines/cubin.h"

#include "core/base/elf.h"

#include <string.h>

struct wanted {
    const char *name;
    uint64_t size_bytes; /* 0: not found yet */
};

static bool function_look(void *owner, const struct elf_function *function)
{
    struct wanted *wanted = owner;

    if (function->size_bytes && strcmp(function->name, wanted->name) == 0)
        wanted->size_bytes = function->size_bytes;
    return wanted->size_bytes == 0;
}

uint32_t cubin_function_bytes(const void *cubin, size_t size_bytes, const char *name)
{
    struct wanted wanted = {.name = name};

    elf_visit_functions(&(struct elf){cubin, size_bytes}, function_look, &wanted);
    return wanted.size_bytes <= CUBIN_FUNCTION_MAX ? (uint32_t)wanted.size_bytes : 0;
}
