/*
 * What each instruction of a counted launch cost, and the source line that the cost belongs to. Pure; any
 * thread, while nothing counts.
 */
#ifndef SIMT_DEVICE_LINE_COST_H
#define SIMT_DEVICE_LINE_COST_H

#include "core/analysis/code_costs.h"
#include "simt/count/count.h"
#include "simt/lanes/program.h"

/* The file of the kernel's own lines: of its first instruction that has a line. NULL: compiled without
 * -lineinfo. */
const char *line_cost_file(const struct program *program);
/* The line in `file`: the instruction's own, or where the kernel calls the inlined code of another file. 0:
 * none. */
uint32_t line_cost_line(const struct program *program, uint32_t instruction, const char *file);
/* Adds what the instruction cost; costs[CODE_SAMPLES] stays. */
void line_cost_add(double costs[CODE_COST_COUNT], const struct counter *counter, uint32_t instruction);

#endif
