/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/made_cubin.h"

#include <elf.h>
#include <string.h>

size_t made_cubin(uint8_t bytes[MADE_CUBIN_BYTES], const struct made_function *functions, size_t count)
{
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_ehsize = sizeof head,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 4,
                       .e_shstrndx = 2,
                       .e_shoff = sizeof head};
    Elf64_Shdr sections[4] = {{0},
                              {.sh_type = SHT_SYMTAB, .sh_link = 2},
                              {.sh_type = SHT_STRTAB},
                              {.sh_type = SHT_PROGBITS, .sh_name = 1}};
    Elf64_Sym symbols[17] = {{0}};
    char names[1024] = "\0.nv.callgraph";
    size_t used = 1 + sizeof ".nv.callgraph", at = sizeof head + sizeof sections, calls = 1;
    uint32_t graph[18][2] = {{0, UINT32_MAX}};

    for (size_t i = 0; i < count; i++) {
        symbols[i + 1] =
            (Elf64_Sym){.st_name = (Elf64_Word)used,
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                        .st_shndx = (Elf64_Half)(functions[i].outside       ? SHN_UNDEF
                                                 : functions[i].section > 0 ? functions[i].section
                                                                            : 1),
                        .st_size = functions[i].size_bytes};
        memcpy(names + used, functions[i].name, strlen(functions[i].name) + 1);
        used += strlen(functions[i].name) + 1;
        if (functions[i].calls > 0) {
            graph[calls][0] = (uint32_t)i + 1;
            graph[calls++][1] = functions[i].calls;
        }
    }
    sections[1].sh_offset = at;
    sections[1].sh_size = (count + 1) * sizeof symbols[0];
    sections[2].sh_offset = at + sections[1].sh_size;
    sections[2].sh_size = used;
    graph[calls++][1] = UINT32_MAX - 1;
    sections[3].sh_offset = sections[2].sh_offset + used;
    sections[3].sh_size = calls * sizeof graph[0];
    memset(bytes, 0, MADE_CUBIN_BYTES);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, sections, sizeof sections);
    memcpy(bytes + at, symbols, sections[1].sh_size);
    memcpy(bytes + sections[2].sh_offset, names, used);
    memcpy(bytes + sections[3].sh_offset, graph, sections[3].sh_size);
    return sections[3].sh_offset + sections[3].sh_size;
}
