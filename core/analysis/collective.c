/* A library is recognised by how the names of its kernels and ranges begin; a framework by a part of them. */
#include "core/analysis/collective.h"

#include <string.h>
#include <strings.h>

bool range_is_collective(const char *name)
{
    static const char *const beginnings[] = {"nccl", "rccl", "nvshmem"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncasecmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

bool kernel_is_collective(const char *name)
{
    static const char *const parts[] = {"cross_device_reduce", "all_reduce_kernel",   "multimem_all_reduce",
                                        "one_shot_all_reduce", "two_shot_all_reduce", "multimem_all_gather"};
    size_t words = strcspn(name, "<("); /* what follows are arguments, which name types of these libraries */
    for (size_t at = 0; at < words; at++) {
        bool begins = at == 0 || name[at - 1] == ' ' || name[at - 1] == ':'; /* "void nvshmem::put<int>" */
        if (begins && range_is_collective(name + at))
            return true;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]) != NULL)
            return true;
    return false;
}
