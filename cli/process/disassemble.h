/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine code of a cubin as text, by NVIDIA's nvdisasm or cuobjdump, where one of them is installed: run
 * as a process of its own, with a time limit. One thread at a time.
 */
#ifndef CLI_PROCESS_DISASSEMBLE_H
#define CLI_PROCESS_DISASSEMBLE_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Parses the output of nvdisasm and cuobjdump for a cubin into the instructions of its functions. The text
 * may contain any bytes; a line that is not understood is skipped. Pure, one text at a time.
 */
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

/* Running it. */
#define DISASSEMBLE_SECONDS 10.0           /* who quits meanwhile waits as long */
#define DISASSEMBLE_BYTES_MAX (256u << 20) /* of what it prints */

/* The disassembler: nvdisasm on PATH or in a toolkit, else cuobjdump there. STATUS_UNSUPPORTED with a
 * sentence if there is none. path: PATH_BYTES. */
enum status disassembler_find(char *path, struct error *error);

/* Runs it on the file and calls back for every instruction. */
enum status disassemble(const char *disassembler, const char *cubin_path, disassembly_take *take, void *user,
                        struct error *error);

#endif
