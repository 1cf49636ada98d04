/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/made_cubin.h"

#include <elf.h>
#include <string.h>

size_t made_cubin(uint8_t bytes[MADE_CUBIN_BYTES], const struct made_function *functions, size_t count)
{
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_ehsize = sizeof head,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 3,
                       .e_shoff = sizeof head};
    Elf64_Shdr sections[3] = {{0}, {.sh_type = SHT_SYMTAB, .sh_link = 2}, {.sh_type = SHT_STRTAB}};
    Elf64_Sym symbols[17] = {{0}};
    char names[1024] = "";
    size_t used = 1, at = sizeof head + sizeof sections;

    for (size_t i = 0; i < count; i++) {
        symbols[i + 1] = (Elf64_Sym){.st_name = (Elf64_Word)used,
                                     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                     .st_shndx = 1,
                                     .st_size = functions[i].size_bytes};
        memcpy(names + used, functions[i].name, strlen(functions[i].name) + 1);
        used += strlen(functions[i].name) + 1;
    }
    sections[1].sh_offset = at;
    sections[1].sh_size = (count + 1) * sizeof symbols[0];
    sections[2].sh_offset = at + sections[1].sh_size;
    sections[2].sh_size = used;
    memset(bytes, 0, MADE_CUBIN_BYTES);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, sections, sizeof sections);
    memcpy(bytes + at, symbols, sections[1].sh_size);
    memcpy(bytes + sections[2].sh_offset, names, used);
    return sections[2].sh_offset + used;
}
