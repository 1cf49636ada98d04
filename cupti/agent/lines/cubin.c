/*
 * A file is its bytes and their number. All reads go through file_copy, which checks the bounds and
 * copies, so that neither a false offset nor a false alignment does harm.
 */
#include "cupti/agent/lines/cubin.h"

#include <elf.h>
#include <string.h>

struct file {
    const uint8_t *bytes;
    size_t size_bytes;
};

/* A copy of `size_bytes` bytes at `offset`, wherever they lie; false: not all of them are in the file. */
static bool file_copy(const struct file *file, uint64_t offset, void *to, size_t size_bytes)
{
    if (offset > file->size_bytes || size_bytes > file->size_bytes - offset)
        return false;
    memcpy(to, file->bytes + offset, size_bytes);
    return true;
}

/* Does `name` stand at `offset` of the string table? */
static bool name_is(const struct file *file, const Elf64_Shdr *strings, uint32_t offset, const char *name)
{
    size_t length = strlen(name) + 1;
    return strings->sh_offset <= file->size_bytes &&
           strings->sh_size <= file->size_bytes - strings->sh_offset && offset < strings->sh_size &&
           length <= strings->sh_size - offset &&
           memcmp(file->bytes + strings->sh_offset + offset, name, length) == 0;
}

static uint32_t find_in(const struct file *file, const Elf64_Shdr *symbols, const Elf64_Shdr *strings,
                        const char *name)
{
    Elf64_Sym symbol;
    uint64_t count = symbols->sh_size / sizeof symbol;
    for (uint64_t i = 0; i < count; i++) {
        if (!file_copy(file, symbols->sh_offset + i * sizeof symbol, &symbol, sizeof symbol))
            return 0;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0 &&
            name_is(file, strings, symbol.st_name, name))
            return symbol.st_size <= CUBIN_FUNCTION_MAX ? (uint32_t)symbol.st_size : 0;
    }
    return 0;
}

uint32_t cubin_function_bytes(const void *cubin, size_t size_bytes, const char *name)
{
    const struct file file = {.bytes = cubin, .size_bytes = size_bytes};
    Elf64_Ehdr head;
    Elf64_Shdr section, strings;
    if (!file_copy(&file, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
        head.e_shentsize != sizeof section)
        return 0;
    uint64_t count = head.e_shnum;
    /* So many sections that their number lies in the first one. */
    if (count == 0 && head.e_shoff != 0 && file_copy(&file, head.e_shoff, &section, sizeof section))
        count = section.sh_size;
    for (uint64_t i = 0; i < count; i++) {
        if (head.e_shoff > size_bytes || i > size_bytes / sizeof section ||
            !file_copy(&file, head.e_shoff + i * sizeof section, &section, sizeof section))
            return 0;
        if (section.sh_type != SHT_SYMTAB || section.sh_offset > size_bytes ||
            section.sh_size > size_bytes - section.sh_offset || section.sh_link >= count ||
            !file_copy(&file, head.e_shoff + section.sh_link * sizeof section, &strings, sizeof strings))
            continue;
        return find_in(&file, &section, &strings, name);
    }
    return 0;
}
