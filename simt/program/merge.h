/*
 * The changes that ptxas makes to a program's memory instructions, as far as they change counts: ptxas 13.0,
 * -O3, sm_90. Found by assembling small kernels and reading their machine code (tests/data/sass); the machine
 * code of all bundled kernels is compared with in tests/unit/cupti/test_sass.c. Only what is counted changes
 * (enum program_rewrite), never what is computed.
 *
 * Shared loads. Addresses are sums: registers with factors, and a constant. Loads whose sums differ only in
 * the constant lie in windows of 16 bytes, or of 8 where the registers' part is known to be a multiple of 8
 * only, of the alignments that follow from shifts, factors, masks and symbols' places. Of the 32-bit words of
 * a window of 16 bytes: three or four that are wanted are one load of 128 bits (which may bring along a word
 * that nobody wants), the two of one half are one of 64. Two 64-bit words are one load of 128. Bytes and half
 * words stay alone. The load that comes first takes the others along when it dominates them, when they are in
 * no loop less than it is, and when nothing between can write shared memory: a store, an atomic, a barrier, a
 * fence, a call. Volatile and predicated loads stay as they are.
 *
 * Shared stores. Within a basic block, one after the other with no other access to shared memory between:
 * those to one window are one store of 128 bits when all of it is written, or of 64 for each half that is; of
 * half words, two are a store of 32 bits and four one of 64. A store to another window, or to bytes already
 * written, begins anew.
 *
 * Unused data. Elements of a vector load of shared or global memory that no instruction reads are not loaded;
 * the rest is as narrow as possible by the rule for windows. A load whose result is not read at all is
 * removed.
 *
 * Atomics. Shared: the addition of 1 whose result nobody reads is ATOMS.POPC.INC; what ATOMS cannot do (float
 * and double addition, 64 bits but for exch and cas) is a loop of LDS and ATOMS.CAST.SPIN. All lanes on one
 * address that is the same for the whole warp, 32-bit integers but exch and cas, and unless both the result
 * is read and the value differs from lane to lane: combined first, then done by one lane.
 */
#ifndef SIMT_PROGRAM_MERGE_H
#define SIMT_PROGRAM_MERGE_H

#include "simt/lanes/program.h"

/* Once per program, before anything runs it. MEMORY; the program is then as it was. */
enum status program_merge(struct program *program, struct error *error);

#endif
