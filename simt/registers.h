/*
 * How many registers a thread of a kernel needs, when ptxas has not said: the most 32-bit values of the
 * program that are alive at once, and what ptxas takes beside them. An estimate; docs/model.md compares it.
 */
#ifndef SIMT_REGISTERS_H
#define SIMT_REGISTERS_H

#include "core/arch.h"
#include "simt/program.h"

/* At most what a thread of the architecture can have; MEMORY. */
enum status registers_estimate(const struct program *program, const struct arch *arch, uint32_t *registers,
                               struct error *error);

#endif
