/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changes that ptxas makes to a program's memory instructions, as far as they change counts: ptxas 13.0,
 * -O3, sm_90. Found by assembling small kernels and reading their machine code (tests/data/sass);
 * tests/unit/cupti/test_sass.c compares with the machine code of all bundled kernels. Only the counts change
 * (enum program_rewrite), not the results.
 *
 * Shared loads. Addresses are sums of registers with factors, and a constant. Loads whose sums differ only in
 * the constant are grouped in windows of 16 bytes, or of 8 if the registers' part is only known to be a
 * multiple of 8. Alignments are derived from shifts, factors, masks and addresses of symbols. In a window of
 * 16 bytes, three or four needed 32-bit words become one load of 128 bits (which may also fetch a word that
 * is not needed); the two words of one half become one load of 64. Two 64-bit words become one load of 128.
 * Bytes and half words are not merged. In relocatable code (nvcc -rdc=true) of the place of a shared variable
 * with a size only its declared alignment is known. The first load fetches the data of the others if it
 * dominates them, if they are in every loop that it is in, and if nothing between them can write shared
 * memory: a store, an atomic, a barrier, a fence, a call. Volatile and predicated loads are not changed.
 *
 * Shared stores. Within a basic block, one after the other, with no other access to shared memory between:
 * stores to one window become one store of 128 bits if they write all of it, or one of 64 for each half that
 * they write. Two half words become a store of 32 bits, four a store of 64. A store to another window, or to
 * bytes already written, starts a new group.
 *
 * Unused data. Elements of a vector load of shared or global memory that no instruction reads are not loaded;
 * the rest is as narrow as the rule for windows allows. A load whose result is never read is removed.
 *
 * Atomics. Shared: an addition of 1 whose result is not read becomes ATOMS.POPC.INC. Operations that ATOMS
 * lacks (float and double addition, 64 bits except exch and cas) become a loop of LDS and ATOMS.CAST.SPIN. If
 * all lanes use one address that is the same for the whole warp, a 32-bit integer operation other than exch
 * and cas is first combined and then done by one lane, unless both its result is read and its value differs
 * from lane to lane.
 */
#ifndef SIMT_PROGRAM_MERGE_H
#define SIMT_PROGRAM_MERGE_H

#include "simt/lanes/program.h"

/* Call once per program, before it runs. STATUS_MEMORY; the program is then unchanged. */
enum status program_merge(struct program *program, struct error *error);

#endif
