/* SPDX-License-Identifier: Apache-2.0 */
/* PTX texts that must be understood, and a parsed module as lines of text in one fixed form: what tests
 * compare. */
#ifndef TESTS_SHARED_ORACLE_PTX_DUMP_H
#define TESTS_SHARED_ORACLE_PTX_DUMP_H

#include "simt/ptx/ptx.h"

#include <stdio.h>

/* The module of a text; the test fails where it is refused. */
struct ptx_module *ptx_parse_good(const char *text);

/* "%r1", "[%rd1+4]", "{1 f3f800000 (a !p)}", "p|q" ...: numbers as their bits. */
void ptx_dump_operand(FILE *out, const struct ptx_operand *operand);
/* "@!%p1 ld.global.u32 %r1 [%rd1]"; with `places`, where it comes from too. */
void ptx_dump_instruction(FILE *out, const struct ptx_instruction *instruction, bool places);
void ptx_dump_variable(FILE *out, const struct ptx_variable *variable);
/* All of it; a function's variables by name, without the lines of the PTX text. */
void ptx_dump_module(FILE *out, const struct ptx_module *module);

#endif
