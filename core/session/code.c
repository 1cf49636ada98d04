/* How a file of the source is named where no machine's path may be. */
#include "core/session/code.h"

#include <stdio.h>
#include <string.h>

/* The rest of the path from the last `mark` on; NULL: the mark is not in it. */
static const char *from_mark(const char *path, const char *mark)
{
    const char *found = NULL;
    for (const char *at = strstr(path, mark); at != NULL; at = strstr(at + 1, mark))
        found = at;
    return found == NULL ? NULL : found + 1;
}

static const char *last_parts(const char *path)
{
    const char *at = path + strlen(path);
    for (int slashes = 0; at > path; at--)
        if (at[-1] == '/' && ++slashes == 2)
            break;
    return at;
}

void code_file_name(const char *path, const char *folder, char *name, size_t size_bytes)
{
    size_t length = folder == NULL ? 0 : strlen(folder);
    const char *kept = path[0] == '/' ? from_mark(path, "/workloads/kernels/") : NULL;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    if (kept == NULL && length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/')
        kept = path + length + 1;
    if (kept == NULL && path[0] == '/')
        kept = from_mark(path, "/include/");
    if (kept == NULL)
        kept = path[0] == '/' || strstr(path, "../") != NULL ? last_parts(path) : path;
    snprintf(name, size_bytes, "%s", kept);
}
