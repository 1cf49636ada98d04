/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section headers are copied one at a time; text is used in place, once a 0 is seen to end it inside its
 * table.
 */
#include "core/base/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool elf_holds(const struct elf *elf, uint64_t offset, uint64_t size_bytes)
{
    return offset <= elf->size_bytes && size_bytes <= elf->size_bytes - offset;
}

static bool elf_copy(const struct elf *elf, uint64_t offset, void *to, size_t size_bytes)
{
    if (!elf_holds(elf, offset, size_bytes))
        return false;
    memcpy(to, elf->bytes + offset, size_bytes);
    return true;
}

static bool head_read(const struct elf *elf, Elf64_Ehdr *head)
{
    return elf_copy(elf, 0, head, sizeof *head) && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
           head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB &&
           (head->e_shoff == 0 || head->e_shentsize == sizeof(Elf64_Shdr));
}

/* Reads the header of section `index`; false: there is no such section. */
static bool section_read(const struct elf *elf, const Elf64_Ehdr *head, uint64_t index, Elf64_Shdr *section)
{
    uint64_t count = head->e_shnum;

    if (head->e_shoff == 0)
        return false;
    /* If there are too many sections for e_shnum, the first section has their number. */
    if (count == 0 && elf_copy(elf, head->e_shoff, section, sizeof *section))
        count = section->sh_size;
    return index < count && head->e_shoff <= elf->size_bytes && index <= elf->size_bytes / sizeof *section &&
           elf_copy(elf, head->e_shoff + index * sizeof *section, section, sizeof *section);
}

/* The text at `offset` of a string table; NULL: the offset is outside. */
static const char *string_read(const struct elf *elf, const Elf64_Shdr *strings, uint64_t offset)
{
    if (!elf_holds(elf, strings->sh_offset, strings->sh_size) || offset >= strings->sh_size)
        return NULL;
    const char *text = (const char *)elf->bytes + strings->sh_offset + offset;
    return memchr(text, 0, strings->sh_size - offset) ? text : NULL;
}

/* Finds the first section of that type, and its string table. */
static bool table_find(const struct elf *elf, uint32_t type, Elf64_Shdr *table, Elf64_Shdr *strings)
{
    Elf64_Ehdr head;

    if (!head_read(elf, &head))
        return false;
    for (uint64_t i = 0; section_read(elf, &head, i, table); i++)
        if (table->sh_type == type && elf_holds(elf, table->sh_offset, table->sh_size) &&
            section_read(elf, &head, table->sh_link, strings))
            return true;
    return false;
}

enum status elf_map(struct elf *elf, const char *path, struct error *error)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    void *bytes = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd < 0)
        return error_set_errno(error, STATUS_IO, errno, "%s cannot be read", path);
    close(fd);
    if (bytes == MAP_FAILED)
        return error_set(error, STATUS_FORMAT, "%s is not a program file.", path);
    *elf = (struct elf){bytes, (size_t)status.st_size};
    if (elf_is_valid(elf))
        return STATUS_OK;
    elf_unmap(elf);
    return error_set(error, STATUS_FORMAT, "%s is not a 64-bit ELF program.", path);
}

void elf_unmap(struct elf *elf)
{
    munmap((void *)(uintptr_t)elf->bytes, elf->size_bytes);
    *elf = (struct elf){0};
}

bool elf_is_valid(const struct elf *elf)
{
    Elf64_Ehdr head;

    return head_read(elf, &head);
}

static bool section_find(const struct elf *elf, const char *name, Elf64_Shdr *section)
{
    Elf64_Ehdr head;
    Elf64_Shdr names;

    if (!head_read(elf, &head) || !section_read(elf, &head, head.e_shstrndx, &names))
        return false;
    for (uint64_t i = 0; section_read(elf, &head, i, section); i++) {
        const char *text = string_read(elf, &names, section->sh_name);
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

bool elf_has_section(const struct elf *elf, const char *name)
{
    Elf64_Shdr section;

    return section_find(elf, name, &section);
}

const uint8_t *elf_section(const struct elf *elf, const char *name, size_t *size_bytes)
{
    Elf64_Shdr section;

    if (!section_find(elf, name, &section) || section.sh_type == SHT_NOBITS ||
        !elf_holds(elf, section.sh_offset, section.sh_size))
        return NULL;
    *size_bytes = section.sh_size;
    return elf->bytes + section.sh_offset;
}

const char *elf_symbol(const struct elf *elf, uint32_t index)
{
    Elf64_Shdr table, strings;
    Elf64_Sym symbol;

    if (!table_find(elf, SHT_SYMTAB, &table, &strings) || index >= table.sh_size / sizeof symbol)
        return NULL;
    elf_copy(elf, table.sh_offset + index * sizeof symbol, &symbol, sizeof symbol);
    return string_read(elf, &strings, symbol.st_name);
}

static bool symbols_visit(const struct elf *elf, uint32_t type,
                          bool (*visit)(void *owner, const struct elf_function *function), void *owner)
{
    Elf64_Shdr table, strings;
    Elf64_Sym symbol;

    if (!table_find(elf, type, &table, &strings))
        return false;
    for (uint64_t at = 0; at + sizeof symbol <= table.sh_size; at += sizeof symbol) {
        elf_copy(elf, table.sh_offset + at, &symbol, sizeof symbol);
        const char *name = string_read(elf, &strings, symbol.st_name);
        const struct elf_function function = {name, symbol.st_value, symbol.st_size, symbol.st_shndx};
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && name &&
            !visit(owner, &function))
            break;
    }
    return true;
}

bool elf_visit_functions(const struct elf *elf,
                         bool (*visit)(void *owner, const struct elf_function *function), void *owner)
{
    return symbols_visit(elf, SHT_SYMTAB, visit, owner);
}

bool elf_visit_exports(const struct elf *elf, bool (*visit)(void *owner, const struct elf_function *function),
                       void *owner)
{
    return symbols_visit(elf, SHT_DYNSYM, visit, owner);
}

const char *elf_needed(const struct elf *elf, const char *begin)
{
    Elf64_Shdr table, strings;
    Elf64_Dyn entry;

    if (!table_find(elf, SHT_DYNAMIC, &table, &strings))
        return NULL;
    for (uint64_t at = 0; at + sizeof entry <= table.sh_size; at += sizeof entry) {
        elf_copy(elf, table.sh_offset + at, &entry, sizeof entry);
        const char *name = entry.d_tag == DT_NEEDED ? string_read(elf, &strings, entry.d_un.d_val) : NULL;
        if (name && strncmp(name, begin, strlen(begin)) == 0)
            return name;
    }
    return NULL;
}
