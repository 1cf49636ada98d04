/*
 * Decides how ptxas rewrites one atomic instruction (simt/program/merge/merge.h has the rules). Pure; any
 * thread.
 */
#ifndef SIMT_PROGRAM_MERGE_ATOMIC_H
#define SIMT_PROGRAM_MERGE_ATOMIC_H

#include "simt/program/merge/merge_value.h"

/* address: what is known about the instruction's address; wants_result: its destination is read. */
enum program_rewrite merge_atomic(const struct program *program, uint32_t instruction,
                                  const struct value_address *address, bool wants_result);

#endif
