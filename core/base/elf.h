/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads 64-bit ELF files of this machine's byte order: sections, functions by the symbol table, libraries
 * that are needed. A file may come from anybody, so nothing in it is trusted: every offset is checked against
 * the size before it is used, and every read copies. An elf is its bytes, which somebody else owns
 * (elf_map's: elf_unmap). Any thread.
 */
#ifndef CORE_BASE_ELF_H
#define CORE_BASE_ELF_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
    const uint8_t *bytes;
    size_t size_bytes;
};

struct elf_function {
    const char *name; /* in the elf's bytes */
    uint64_t address, size_bytes;
    uint16_t section;
};

/* STATUS_IO: the file cannot be read. STATUS_FORMAT: it is not a 64-bit ELF file. */
enum status elf_map(struct elf *elf, const char *path, struct error *error);
void elf_unmap(struct elf *elf);
bool elf_is_valid(const struct elf *elf);
bool elf_has_section(const struct elf *elf, const char *name);
/* The bytes of a section, in the elf's; NULL: there is none. */
const uint8_t *elf_section(const struct elf *elf, const char *name, size_t *size_bytes);
/* The name of a symbol of .symtab; NULL: there is none. */
const char *elf_symbol(const struct elf *elf, uint32_t index);
/* Calls visit for each defined function of .symtab until it returns false. False: there is no such table. */
bool elf_visit_functions(const struct elf *elf,
                         bool (*visit)(void *owner, const struct elf_function *function), void *owner);
/* The same for .dynsym, which a library without other symbols has, too. */
bool elf_visit_exports(const struct elf *elf, bool (*visit)(void *owner, const struct elf_function *function),
                       void *owner);
/* The first needed library whose name begins with the prefix; NULL: none. */
const char *elf_needed(const struct elf *elf, const char *begin);

#endif
