#include "cli/kernel_source.h"

#include "core/demangle.h"
#include "core/kernel_metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The whole file, ended by a zero byte; the caller frees it. */
static enum status read_text(const char *path, char **text, size_t *size_bytes, struct error *error)
{
    struct stat facts = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t got = 0, room = 0;
    ssize_t part = -1;

    *text = NULL;
    if (fd < 0 || fstat(fd, &facts) < 0)
        goto fail;
    if (!S_ISREG(facts.st_mode) || facts.st_size > (off_t)KERNEL_SOURCE_BYTES_MAX) {
        close(fd);
        return error_set(
            error, STATUS_USAGE,
            "%.300s is no PTX: it is no file, or one of more than 256 MB. Name what nvcc -ptx wrote.", path);
    }
    room = (size_t)facts.st_size;
    *text = malloc(room + 1);
    while (*text && got < room && (part = read(fd, *text + got, room - got)) > 0)
        got += (size_t)part;
    if (*text && (got == room || part == 0)) {
        (*text)[got] = '\0';
        *size_bytes = got;
        close(fd);
        return STATUS_OK;
    }
fail:
    error_set_errno(error, STATUS_IO, errno, "Cannot read %.300s; name the PTX that nvcc -ptx wrote", path);
    if (fd >= 0)
        close(fd);
    free(*text);
    *text = NULL;
    return STATUS_IO;
}

/* "saxpy" of "_Z5saxpyifPfS_". */
static void plain_name(const char *name, char *text, size_t size_bytes)
{
    char *demangled = demangle(name);

    kernel_display_name(demangled ? demangled : name, false, text, size_bytes);
    free(demangled);
}

static bool is_meant(const struct ptx_function *function, const char *wanted)
{
    char plain[512];

    if (!function->entry || function->declared)
        return false;
    plain_name(function->name, plain, sizeof plain);
    return !wanted || strcmp(function->name, wanted) == 0 || strcmp(plain, wanted) == 0 ||
           fnmatch(wanted, plain, 0) == 0;
}

/* "saxpy, scan": all kernels of the file that `wanted` may mean, shortened to fit. */
static void list_kernels(const struct ptx_module *module, const char *wanted, char *text, size_t size_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < module->function_count && used < size_bytes; i++) {
        char plain[200];

        if (!is_meant(&module->functions[i], wanted))
            continue;
        plain_name(module->functions[i].name, plain, sizeof plain);
        used += (size_t)snprintf(text + used, size_bytes - used, "%s%s", used ? ", " : "", plain);
    }
}

static enum status choose(struct kernel_source *source, const char *wanted, struct error *error)
{
    char list[500];
    uint32_t found = 0;

    for (uint32_t i = 0; i < source->module->function_count; i++) {
        const struct ptx_function *function = &source->module->functions[i];

        if (!is_meant(function, wanted))
            continue;
        found++;
        if (!source->kernel || strcmp(function->name, wanted ? wanted : "") == 0)
            source->kernel = function;
    }
    if (found == 1 || (found > 1 && wanted && strcmp(source->kernel->name, wanted) == 0))
        return STATUS_OK;
    list_kernels(source->module, found ? wanted : NULL, list, sizeof list);
    if (found > 1)
        return error_set(error, STATUS_USAGE, "%.200s has several kernels; --kernel NAME says which: %s.",
                         source->image.name, list);
    if (!list[0])
        return error_set(error, STATUS_USAGE, "%.200s has no kernel: no .entry with a body.",
                         source->image.name);
    return error_set(error, STATUS_USAGE, "%.200s has no kernel '%.100s'. It has: %s.", source->image.name,
                     wanted, list);
}

enum status kernel_source_open(struct kernel_source *source, const char *path, const char *wanted,
                               struct error *error)
{
    const char *slash = strrchr(path, '/');
    char *text;
    enum status status;

    *source = (struct kernel_source){.image = {.name = slash ? slash + 1 : path, .format = "ptx"}};
    status = read_text(path, &text, &source->image.size_bytes, error);
    if (status != STATUS_OK)
        return status;
    source->image.data = text;
    status = ptx_parse(&source->module, source->image.name, text, source->image.size_bytes, error);
    if (status == STATUS_OK)
        status = choose(source, wanted, error);
    if (status != STATUS_OK)
        kernel_source_close(source);
    return status;
}

void kernel_source_close(struct kernel_source *source)
{
    if (source->module)
        ptx_destroy(source->module);
    free((void *)(uintptr_t)source->image.data);
    *source = (struct kernel_source){0};
}
