/* SPDX-License-Identifier: Apache-2.0 */
/* Random PTX modules, and how they are written: for tests of the parser and of what stands behind it. */
#ifndef TESTS_SHARED_MADE_MADE_PTX_H
#define TESTS_SHARED_MADE_MADE_PTX_H

#include "simt/ptx/arena.h"
#include "simt/ptx/ptx.h"

#include <stdio.h>

/* The same for the same seed; lies in the arena. Instructions have any opcode and operands: it need not mean
 * anything. */
const struct ptx_module *made_ptx(uint64_t seed, struct arena *arena);

/* As PTX text. Blanks, comments, signs of numbers and the order of modifiers vary with the seed where PTX
 * leaves them free. */
void made_ptx_print(FILE *out, const struct ptx_module *module, uint64_t seed);

#endif
