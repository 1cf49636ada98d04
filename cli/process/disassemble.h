/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine code of a cubin as text, by NVIDIA's nvdisasm or cuobjdump, where one of them is installed: run
 * as a process of its own, with a time limit. One thread at a time.
 */
#ifndef CLI_PROCESS_DISASSEMBLE_H
#define CLI_PROCESS_DISASSEMBLE_H

#include "cli/process/disassembly.h"
#include "core/base/error.h"

#define DISASSEMBLE_SECONDS 10.0           /* who quits meanwhile waits as long */
#define DISASSEMBLE_BYTES_MAX (256u << 20) /* of what it prints */

/* The disassembler: nvdisasm on PATH or in a toolkit, else cuobjdump there. STATUS_UNSUPPORTED with a
 * sentence if there is none. path: PATH_BYTES. */
enum status disassembler_find(char *path, struct error *error);

/* Runs it on the file and calls back for every instruction. */
enum status disassemble(const char *disassembler, const char *cubin_path, disassembly_take *take, void *user,
                        struct error *error);

#endif
