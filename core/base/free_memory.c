/* Reads /proc/meminfo at each call; without that file there is no limit. */
#include "core/base/free_memory.h"

#include <stdbool.h>
#include <stdio.h>

uint64_t free_memory_bytes(void)
{
    char line[128];
    unsigned long long kilobytes, found = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file != NULL && found == 0 && fgets(line, sizeof line, file) != NULL)
        found = sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1;
    if (file != NULL)
        fclose(file);
    return found ? (uint64_t)kilobytes * 1024 : UINT64_MAX;
}
