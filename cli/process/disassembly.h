/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the output of nvdisasm and cuobjdump for a cubin into the instructions of its functions. The text
 * may contain any bytes; a line that is not understood is skipped. Pure, one text at a time.
 */
#ifndef CLI_PROCESS_DISASSEMBLY_H
#define CLI_PROCESS_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#define DISASSEMBLY_NAME_BYTES 4096u /* of a function, with the zero */
#define DISASSEMBLY_TEXT_BYTES 512u  /* most bytes of an instruction; longer ones are cut */
#define DISASSEMBLY_OFFSET_MAX (1u << 26)

/* An instruction: the function's mangled name, its offset in it, and "LDG.E R6, desc[UR6][R8.64]". Valid
 * during the call. */
typedef void disassembly_take(void *user, const char *function, uint32_t pc_offset, const char *text);

struct disassembly {
    char function[DISASSEMBLY_NAME_BYTES]; /* the one that lines are of; "" none */
    disassembly_take *take;
    void *user;
};

/* The next line of the text, without its line break. */
void disassembly_line(struct disassembly *disassembly, const char *line, size_t length);

/* All of a text. */
void disassembly_read(struct disassembly *disassembly, const char *text, size_t length);

#endif
