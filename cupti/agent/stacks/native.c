/*
 * No state but what backtrace() keeps. An object's file is mapped while one symbol is looked for; the file
 * may be any bytes, so each offset is checked before it is used.
 */
#include "cupti/agent/stacks/native.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

struct image {
    const unsigned char *bytes;
    size_t size_bytes;
};

static bool image_holds(const struct image *image, uint64_t offset, uint64_t size_bytes)
{
    return offset <= image->size_bytes && size_bytes <= image->size_bytes - offset;
}

/* A copy: nothing says that a file's tables are aligned. */
static bool image_read(const struct image *image, uint64_t offset, void *copy, size_t size_bytes)
{
    if (!image_holds(image, offset, size_bytes))
        return false;
    memcpy(copy, image->bytes + offset, size_bytes);
    return true;
}

static void symbol_search(const struct image *image, const ElfW(Shdr) * table, const ElfW(Shdr) * strings,
                          uint64_t address, char *name, size_t size_bytes)
{
    uint64_t best = 0;
    if (!image_holds(image, table->sh_offset, table->sh_size) ||
        !image_holds(image, strings->sh_offset, strings->sh_size))
        return;
    for (uint64_t at = 0; at + sizeof(ElfW(Sym)) <= table->sh_size; at += sizeof(ElfW(Sym))) {
        ElfW(Sym) symbol;
        memcpy(&symbol, image->bytes + table->sh_offset + at, sizeof symbol);
        if ((symbol.st_info & 15) != STT_FUNC || symbol.st_value > address || symbol.st_value < best ||
            address - symbol.st_value >= symbol.st_size || symbol.st_name >= strings->sh_size)
            continue;
        best = symbol.st_value;
        size_t room = strings->sh_size - symbol.st_name;
        snprintf(name, size_bytes, "%.*s", room < size_bytes ? (int)room : (int)size_bytes,
                 (const char *)image->bytes + strings->sh_offset + symbol.st_name);
    }
}

/* The function of the table .symtab around an address of the object; name stays as it is when there is none.
 */
static void image_search(const struct image *image, uint64_t address, char *name, size_t size_bytes)
{
    ElfW(Ehdr) head;
    if (!image_read(image, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_shentsize != sizeof(ElfW(Shdr)))
        return;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        ElfW(Shdr) table, strings;
        if (!image_read(image, head.e_shoff + (uint64_t)i * sizeof table, &table, sizeof table))
            return;
        if (table.sh_type == SHT_SYMTAB && table.sh_link < head.e_shnum &&
            image_read(image, head.e_shoff + (uint64_t)table.sh_link * sizeof strings, &strings,
                       sizeof strings))
            symbol_search(image, &table, &strings, address, name, size_bytes);
    }
}

static void file_search(const char *path, uint64_t address, char *name, size_t size_bytes)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        struct image image = {.size_bytes = (size_t)status.st_size};
        void *bytes = mmap(NULL, image.size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            image.bytes = bytes;
            image_search(&image, address, name, size_bytes);
            munmap(bytes, image.size_bytes);
        }
    }
    close(fd);
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

/* Of a runtime that is linked statically, and of what nvcc makes of <<<>>>. */
static bool is_cuda_function(const char *name)
{
    return starts_with(name, "__cuda") || starts_with(name, "cudaLaunch") || starts_with(name, "cudart") ||
           starts_with(name, "libcudart_static_") || strstr(name, "__device_stub__");
}

bool native_describe(const void *address, struct native_text *text)
{
    Dl_info info, own;
    struct link_map *map = NULL;
    /* A return address may be the first byte of the next function. */
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
