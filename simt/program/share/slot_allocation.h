/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives registers of a decoded program that do not live at the same time one slot of a warp's frame, so that
 * the frames of a block fit into the host's caches. Nothing else changes: results, counts and modelled times
 * are those of the program with a slot for each register; program_names_at still tells registers apart.
 */
#ifndef SIMT_PROGRAM_SHARE_H
#define SIMT_PROGRAM_SHARE_H

#include "core/base/error.h"
#include "simt/lanes/program.h"

/* Call once, after program_merge, which takes slots for registers. A program with instructions that name
 * slots in other ways than by destination, source and guard keeps its slots. STATUS_MEMORY. */
enum status program_allocate_slots(struct program *program, struct error *error);

#endif
