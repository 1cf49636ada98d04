/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PTX instruction lowered among declared registers and variables, and the decoded instructions as text:
 *
 *     ld f32 global d=%f1 s=%rd1 offset=8 width=4 register=4
 *
 * Slots are named by the register, the constant (#5) or the special register they belong to; fields that say
 * nothing are left out. Instructions of one line are separated by " ; ".
 */
#ifndef TESTS_SHARED_ORACLE_LOWER_DUMP_H
#define TESTS_SHARED_ORACLE_LOWER_DUMP_H

#include "core/base/error.h"

#include <stddef.h>

/*
 * Registers: %p0..9 pred, %rs0..9 b16, %r0..9 b32, %rd0..9 b64, %f0..9 f32, %fd0..9 f64, %u0..9 u32, %q0..9
 * b128, %v .v4 .f32. Parameters of the kernel: a (u64), b (u32 at 8), c (16 bytes at 16). Variables: g in
 * .global at 0x700001000, k in .const at 64, s (256 bytes) and d (extern) in .shared, l (64 bytes) in .local.
 */
enum status lower_dump(const char *functions, const char *instructions, char *text, size_t size_bytes,
                       struct error *error);

#endif
