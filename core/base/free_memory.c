/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/meminfo and /proc/self/statm at each call; without the first there is no limit. */
#include "core/base/free_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

uint64_t free_memory_bytes(void)
{
    char line[128];
    unsigned long long kilobytes, found = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && found == 0 && fgets(line, sizeof line, file))
        found = sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1;
    if (file)
        fclose(file);
    return found ? (uint64_t)kilobytes * 1024 : UINT64_MAX;
}

uint64_t own_memory_bytes(void)
{
    unsigned long long all = 0, resident = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    bool found = file && fscanf(file, "%llu %llu %llu", &all, &resident, &shared) == 3;
    if (file)
        fclose(file);
    return found && resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
