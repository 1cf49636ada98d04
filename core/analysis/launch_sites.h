/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where kernels, copies and sets were asked for, of a session with call paths: the places in the
 * program's own code, most device time first. Paths that pass the same place are one. Reader side, any
 * thread.
 */
#ifndef CORE_ANALYSIS_LAUNCH_SITES_H
#define CORE_ANALYSIS_LAUNCH_SITES_H

#include "core/base/error.h"
#include "core/session/session.h"
#include "core/session/stacks.h"

#include <stddef.h>

struct launch_site {
    uint32_t stack; /* the path with the most time among those through this place, from the program's own
                       frame on */
    uint64_t launches, total_ns; /* launches, copies and memsets; their time on the device */
};

struct launch_sites {
    struct launch_site *sites;
    size_t count;
    uint64_t launches, total_ns; /* of all of them */
};

/* Launch sites of the trace run `run` (NONE: of all runs) and of the kernel row `kernel` (NONE: of all work).
 * The caller frees with launch_sites_fini, also after STATUS_MEMORY. */
enum status launch_sites_make(const struct session *session, uint32_t run, uint32_t kernel,
                              struct launch_sites *sites, struct error *error);
/* By kernel row, of the first `kernels`: 1 + the stack row of the one place in the program's own code that launches the
 * kernel; 0: it is launched at several, or that was not recorded. `places` must be 0. */
void launch_sites_of_kernels(const struct session *session, uint32_t kernels, uint32_t *places);
/* Are two stack rows one place: of one line and function? */
bool launch_sites_alike(const struct session *session, uint32_t a, uint32_t b);
void launch_sites_fini(struct launch_sites *sites);

#endif
