/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One device model for a test of kernels: a checked memory, one module, launches that must end well. As a
 * suite's .init and .fini: model_open, model_close. The test fails, with a sentence, where a step does.
 */
#ifndef TESTS_SHARED_MADE_RUN_MODEL_H
#define TESTS_SHARED_MADE_RUN_MODEL_H

#include "simt/count/count.h"
#include "simt/engine/grid.h"

#define SHAPE(x, y, z) ((const uint32_t[3]){x, y, z})

extern struct memory *model_memory;
extern struct grid_machine model_machine;
extern struct module *model_module; /* the loaded one, or NULL */

void model_open(void);
void model_close(void);
/* Each takes the place of the module before. path: in the tree, without ".ptx". */
void model_load_text(const char *name, const char *text, size_t size_bytes);
void model_load(const char *path);
void model_unload(void);
/* Device memory, and the host's pointer to it (may be NULL). */
uint64_t model_allocate(uint64_t size_bytes, uint8_t **bytes);
/* Arguments in the order of the parameters; those of 4 bytes take the lower half. Checks on; there must be
 * nothing to report. totals may be NULL. */
void model_launch(const char *kernel, const uint32_t grid[3], const uint32_t block[3], uint32_t shared_bytes,
                  const uint64_t *arguments, struct count_totals *totals);
/* The same of a launch that a check stops: why. error: the sentence. */
enum check_kind model_stopped(const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                              const uint64_t *arguments, struct error *error);
/* The first report of a launch that goes on to its end. */
enum check_kind model_reported(const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                               const uint64_t *arguments);
/* What the last launch printed, and what its asserts said; until the next launch. */
extern struct print_text model_printed, model_asserted;
/* The same with the counts of every instruction; merge: what ptxas does is done. */
typedef void model_counted(const struct program *program, const struct counter *counter);
void model_launch_counted(const char *kernel, bool merge, const uint32_t grid[3], const uint32_t block[3],
                          uint32_t shared_bytes, const uint64_t *arguments,
                          model_counted *counted); /* counted may be NULL */

#endif
