/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and functions are added and never removed, so that pointers to them stay valid without the
 * lock; the arrays and the counts belong to the lock. Functions before first_unsent have had all their
 * instructions sent.
 *
 * A cubin is an ELF file; core/base/elf.h reads it, whatever its bytes are.
 */
#include "cupti/agent/lines/source.h"

#include "core/base/elf.h"
#include "core/wire/wire.h"
#include "cupti/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULES_MAX 4096u
#define FUNCTIONS_MAX 4096u
#define NAME_MAX_BYTES 4096u

struct module {
    uint8_t *cubin;
    size_t size_bytes;
    uint64_t crc;
    uint32_t file; /* string: the cubin's name in the folder; 0: not written yet, or not possible */
};

struct function {
    char *name;
    uint32_t crc;            /* the low bits, which is all that SASS metrics give */
    uint32_t id, size_bytes; /* 0 bytes: its module is not known */
    uint32_t sent_bytes;     /* instructions before this index have been sent */
    const struct module *module;
};

static struct {
    char folder[128]; /* "" none */
    pthread_mutex_t lock;
    struct module *modules[MODULES_MAX];
    struct function *functions[FUNCTIONS_MAX];
    size_t module_count, function_count, first_unsent;
    size_t cubin_bytes;
    bool told_modules, told_write;
} source = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- cubins ---- */

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

/* ---- modules and functions ---- */

void source_start(const char *socket_path)
{
    const char *slash = strrchr(socket_path, '/');
    size_t length = slash ? (size_t)(slash - socket_path) : 0;
    if (length == 0 || length >= sizeof source.folder)
        return;
    memcpy(source.folder, socket_path, length);
    source.folder[length] = '\0';
}

/* ---- modules ---- */

static void tell_left_out(void)
{
    if (source.told_modules)
        return;
    source.told_modules = true;
    agent_notice(SEVERITY_WARNING, STATUS_MEMORY,
                 "This program loads more code than lanescope keeps (%u MB a module, %u MB in all): some "
                 "kernels have no lines.",
                 SOURCE_CUBIN_MAX >> 20, SOURCE_CUBINS_MAX >> 20);
}

static struct module *module_find(uint64_t crc)
{
    for (size_t i = source.module_count; i-- > 0;)
        if ((uint32_t)source.modules[i]->crc == (uint32_t)crc)
            return source.modules[i];
    return NULL;
}

void source_module_loaded(const void *cubin, size_t size_bytes)
{
    CUpti_GetCubinCrcParams crc = {
        .size = CUpti_GetCubinCrcParamsSize, .cubinSize = size_bytes, .cubin = cubin};
    if (!cubin || size_bytes == 0 || agent.cupti.cuptiGetCubinCrc(&crc) != CUPTI_SUCCESS)
        return;
    pthread_mutex_lock(&source.lock);
    bool known = module_find(crc.cubinCrc) != NULL;
    bool fits = size_bytes <= SOURCE_CUBIN_MAX && source.cubin_bytes + size_bytes <= SOURCE_CUBINS_MAX &&
                source.module_count < MODULES_MAX;
    struct module *module = !known && fits ? calloc(1, sizeof *module) : NULL;
    if (module)
        module->cubin = malloc(size_bytes);
    if (module && module->cubin) {
        memcpy(module->cubin, cubin, size_bytes);
        module->size_bytes = size_bytes;
        module->crc = crc.cubinCrc;
        source.cubin_bytes += size_bytes;
        source.modules[source.module_count++] = module;
    } else if (!known) {
        free(module);
        tell_left_out();
    }
    pthread_mutex_unlock(&source.lock);
}

/* ---- the cubin's file ---- */

static bool write_all(int fd, const uint8_t *bytes, size_t size_bytes)
{
    while (size_bytes > 0) {
        ssize_t wrote = write(fd, bytes, size_bytes);
        if (wrote < 0 && errno != EINTR)
            return false;
        if (wrote > 0) {
            bytes += wrote;
            size_bytes -= (size_t)wrote;
        }
    }
    return true;
}

/* Writes the module's cubin into the folder, once for all processes: the complete file appears at once. */
static void module_write(struct module *module)
{
    char name[64], path[256], part[288];
    if (module->file || !source.folder[0])
        return;
    snprintf(name, sizeof name, "%016" PRIx64 WIRE_FOLDER_CUBIN, module->crc);
    snprintf(path, sizeof path, "%s/%s", source.folder, name);
    snprintf(part, sizeof part, "%s.%d", path, (int)getpid());
    bool there = access(path, F_OK) == 0;
    int fd = there ? -1 : open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        bool whole = write_all(fd, module->cubin, module->size_bytes);
        whole &= close(fd) == 0;
        there = whole && rename(part, path) == 0;
        if (!there)
            unlink(part);
    }
    if (there)
        module->file = wire_string(agent.wire, name);
    else if (!source.told_write) {
        source.told_write = true;
        agent_notice(SEVERITY_WARNING, STATUS_IO,
                     "A kernel's machine code could not be put into %s: its instructions have no text.",
                     source.folder);
    }
}

/* ---- functions ---- */

static struct function *function_find(uint32_t crc, const char *name)
{
    for (size_t i = source.function_count; i-- > 0;)
        if (source.functions[i]->crc == crc && strcmp(source.functions[i]->name, name) == 0)
            return source.functions[i];
    return NULL;
}

static uint32_t function_announce(uint64_t crc, const char *name)
{
    struct module *module = module_find(crc);
    struct function *function = source.function_count < FUNCTIONS_MAX ? calloc(1, sizeof *function) : NULL;
    if (function)
        function->name = strdup(name);
    if (!function || !function->name) {
        free(function);
        return 0;
    }
    if (module)
        module_write(module);
    function->crc = (uint32_t)crc;
    function->id = (uint32_t)source.function_count + 1;
    function->module = module;
    function->size_bytes = module ? cubin_function_bytes(module->cubin, module->size_bytes, name) : 0;
    struct event event = {.kind = EVENT_FUNCTION};
    event.function.id = function->id;
    event.function.name = wire_string(agent.wire, name);
    event.function.module = module ? module->crc : crc;
    event.function.size_bytes = function->size_bytes;
    event.function.cubin = module ? module->file : 0;
    if (event.function.name == 0 || !wire_emit(agent.wire, &event)) {
        free(function->name);
        free(function);
        return 0; /* the next asker tries again */
    }
    source.functions[source.function_count++] = function;
    return function->id;
}

uint32_t source_function(uint64_t crc, const char *name)
{
    if (!name || strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES)
        return 0;
    pthread_mutex_lock(&source.lock);
    const struct function *known = function_find((uint32_t)crc, name);
    uint32_t id = known ? known->id : function_announce(crc, name);
    pthread_mutex_unlock(&source.lock);
    return id;
}

/* ---- lines ---- */

/* "folder/file", or only the file if it has no folder; 0: no line information. */
static uint32_t file_string(const char *folder, const char *file)
{
    char path[4096];
    if (!file || !*file)
        return 0;
    bool whole = file[0] == '/' || !folder || !*folder;
    int length = snprintf(path, sizeof path, "%s%s%s", whole ? "" : folder, whole ? "" : "/", file);
    return length > 0 && (size_t)length < sizeof path ? wire_string(agent.wire, path) : 0;
}

static void instruction_send(const struct function *function, uint32_t pc_offset)
{
    CUpti_GetSassToSourceCorrelationParams ask = {.size = CUpti_GetSassToSourceCorrelationParamsSize,
                                                  .cubin = function->module->cubin,
                                                  .functionName = function->name,
                                                  .cubinSize = function->module->size_bytes,
                                                  .pcOffset = pc_offset};
    struct event event = {.kind = EVENT_INSTRUCTION};
    event.instruction.function = function->id;
    event.instruction.pc_offset = pc_offset;
    if (agent.cupti.cuptiGetSassToSourceCorrelation(&ask) == CUPTI_SUCCESS) {
        event.instruction.file = file_string(ask.dirName, ask.fileName);
        event.instruction.line = event.instruction.file ? ask.lineNumber : 0;
    }
    free(ask.fileName);
    free(ask.dirName);
    wire_emit(agent.wire, &event);
}

/* The next function with instructions that are not sent yet; NULL: none. */
static struct function *function_unsent(void)
{
    struct function *found = NULL;
    pthread_mutex_lock(&source.lock);
    while (source.first_unsent < source.function_count && !found) {
        found = source.functions[source.first_unsent];
        if (found->sent_bytes >= found->size_bytes) {
            source.first_unsent++;
            found = NULL;
        }
    }
    pthread_mutex_unlock(&source.lock);
    return found;
}

bool source_send(int64_t deadline_ns)
{
    struct function *function;
    while ((function = function_unsent())) {
        for (; function->sent_bytes < function->size_bytes; function->sent_bytes += CUBIN_INSTRUCTION_BYTES) {
            if (agent_now_ns() >= deadline_ns)
                return false;
            instruction_send(function, function->sent_bytes);
        }
    }
    return true;
}

void source_end(int64_t deadline_ns)
{
    source_send(deadline_ns);
    size_t unsent = 0, unknown = 0;
    pthread_mutex_lock(&source.lock);
    for (size_t i = 0; i < source.function_count; i++) {
        unsent += source.functions[i]->sent_bytes < source.functions[i]->size_bytes;
        unknown += source.functions[i]->size_bytes == 0;
    }
    pthread_mutex_unlock(&source.lock);
    if (unsent > 0)
        agent_notice(SEVERITY_WARNING, STATUS_OK,
                     "The program ended before the lines of %zu of its kernels were found.", unsent);
    if (unknown > 0)
        agent_notice(
            SEVERITY_INFO, STATUS_OK,
            "lanescope did not see the loading of the machine code of %zu kernels: they have no lines.",
            unknown);
}
