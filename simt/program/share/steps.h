/*
 * Makes a program's steps of straight code (simt/lanes/step.h), which simt/engine/warp runs.
 */
#ifndef SIMT_PROGRAM_STEPS_H
#define SIMT_PROGRAM_STEPS_H

#include "core/base/error.h"
#include "simt/lanes/program.h"

/* Call once, after program_share: steps name slots. STATUS_MEMORY. */
enum status program_make_steps(struct program *program, struct error *error);

#endif
