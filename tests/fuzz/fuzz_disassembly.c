/* SPDX-License-Identifier: Apache-2.0 */
/* Text of any bytes in place of a disassembler's: what is taken from it has a name, an offset within bounds
 * and a text that ends. */
#include "cli/process/disassemble.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *user, const char *function, uint32_t pc_offset, const char *text)
{
    size_t *taken = user;
    if (!*function || strnlen(function, DISASSEMBLY_NAME_BYTES) == DISASSEMBLY_NAME_BYTES ||
        pc_offset >= DISASSEMBLY_OFFSET_MAX || !*text ||
        strnlen(text, DISASSEMBLY_TEXT_BYTES) == DISASSEMBLY_TEXT_BYTES || strchr(text, ';') ||
        strchr(text, '\n'))
        abort();
    ++*taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct disassembly disassembly;
    size_t taken = 0;
    disassembly = (struct disassembly){.take = take, .user = &taken};
    disassembly_read(&disassembly, (const char *)data, size);
    return 0;
}
