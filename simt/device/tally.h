/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact counts of all launches of a process, summed by kernel and shape, and by source line. A process
 * whose environment names a folder (TALLY_FOLDER_VARIABLE, core/wire/standin_config.h) writes them there, as
 * text; docs/gate.md has the format. Only counts that do not depend on caches or clocks; sums of integers, so
 * that the order of launches and of blocks does not matter.
 *
 * Owned by the caller; one thread. Functions accept NULL: nobody asked for a tally.
 */
#ifndef SIMT_DEVICE_TALLY_H
#define SIMT_DEVICE_TALLY_H

#include "core/analysis/code_costs.h"
#include "simt/count/count.h"
#include "simt/device/device.h"
#include "simt/lanes/program.h"

/* id, meaning */
#define TALLY_COUNT_LIST(X)                                                                          \
    X(INSTRUCTIONS, "instructions", "warp instructions")                                             \
    X(THREADS, "thread_instructions", "thread instructions")                                         \
    X(GLOBAL_REQUESTS, "global_requests", "requests to global memory, atomics too")                  \
    X(GLOBAL_SECTORS, "global_sectors", "sectors of these requests")                                 \
    X(SHARED_REQUESTS, "shared_requests", "requests to shared memory, atomics and cp.async too")     \
    X(SHARED_WAVEFRONTS, "shared_wavefronts", "wavefronts of these requests")                        \
    X(LOCAL_SECTORS, "local_sectors", "sectors of local memory: spills, arrays indexed at run time") \
    X(TEXTURE_SECTORS, "texture_sectors", "sectors fetched through textures")                        \
    X(DIVERGENT, "divergent_branches", "branches at which the lanes of a warp part")
#define TALLY_ENUM(name, id, meaning) TALLY_##name,
enum tally_count { TALLY_COUNT_LIST(TALLY_ENUM) TALLY_COUNTS };
#undef TALLY_ENUM
const char *tally_count_id(enum tally_count count);

#define TALLY_FIRST_LINE "lanescope counts 1"
#define TALLY_LAST_LINE "end" /* absent: the process did not end by itself */

struct tally;

/* NULL: the environment names no folder. */
struct tally *tally_open(void);
/* How many workers a device is to have (simt_options.workers): of MODEL_WORKERS_VARIABLE; else 1 with a
 * tally, so that blocks run in a fixed order also where they depend on each other; else 0. */
uint32_t tally_workers(const struct tally *tally);
/* Adds a launch, as simt_sink.launched gets it. Refused and uncounted launches add nothing. */
void tally_add(struct tally *tally, const struct simt_launch *launch);
/* Writes a new file into the folder and frees the tally. To be called before the device is closed, since
 * names are its programs'. STATUS_MEMORY: also if an earlier launch could not be added. */
enum status tally_close(struct tally *tally, struct error *error);
void tally_discard(struct tally *tally);

/*
 * What the checks on demand have looked at: a run in which they found nothing is clean only as far as they looked.
 * Owned by the caller; one thread.
 */
struct checked;
struct checked *checked_open(void); /* NULL: no memory */
/* Refused launches add nothing. */
void checked_add(struct checked *checked, const struct simt_launch *launch);
/* A sentence that begins with CHECKED_TEXT (core/wire/standin_config.h) and the number of kernels that were checked. checked
 * NULL: of nothing. */
void checked_text(const struct checked *checked, char *text, size_t size_bytes);
void checked_close(struct checked *checked);

/*
 * What each instruction of a counted launch cost, and the source line that the cost belongs to. Pure; any
 * thread, while nothing counts.
 */
/* The file of the kernel's own lines: of its first instruction that has a line. NULL: compiled without
 * -lineinfo. */
const char *line_cost_file(const struct program *program);
/* The line in `file`: the instruction's own, or where the kernel calls the inlined code of another file. 0:
 * none. */
uint32_t line_cost_line(const struct program *program, uint32_t instruction, const char *file);
/* Adds what the instruction cost; costs[CODE_SAMPLES] stays. */
void line_cost_add(double costs[CODE_COST_COUNT], const struct counter *counter, uint32_t instruction);

#endif
