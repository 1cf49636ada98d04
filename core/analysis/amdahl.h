/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Amdahl's law over a run: what the whole gains when one of its kernels is faster. With p the share of the
 * whole in which the kernel ran and nothing else did on the run's devices, a kernel that is s times as fast
 * makes the whole 1 / (1 - p + p / s) times as fast. Time under other kernels, copies or sets is hidden:
 * nothing is gained there. Only start and end times are used: the host's work, and changes of what runs
 * concurrently, are not taken into account. Reader side, any thread; walks the run's events once.
 */
#ifndef CORE_ANALYSIS_AMDAHL_H
#define CORE_ANALYSIS_AMDAHL_H

#include "core/analysis/run_times.h"
#include "core/session/session.h"

struct amdahl_share {
    uint32_t kernel;  /* row */
    int64_t busy_ns;  /* time in which at least one launch of it ran */
    int64_t alone_ns; /* of that, the part in which nothing else ran */
};

struct amdahl {
    struct run_times times;      /* the device time is the default for the whole */
    struct amdahl_share *shares; /* its kernels, most time alone first */
    size_t count;
};

/* For a trace run, or a run on the model. The caller frees with amdahl_fini, also after a failure. */
enum status amdahl_compute(const struct session *session, uint32_t run, struct amdahl *amdahl,
                           struct error *error);
void amdahl_fini(struct amdahl *amdahl);

/* The factor by which the whole gets faster; `factor` may be INFINITY. INFINITY if nothing is left of the
 * whole; NAN if the whole is 0. */
double amdahl_speedup(int64_t alone_ns, int64_t whole_ns, double factor);

/* Gustafson's law, weak scaling: how much more work is done in the same time if the kernel's part of it grows
 * by `factor` together with the device, and the rest stays as it is. NAN if the whole is 0. */
double amdahl_scaled(int64_t alone_ns, int64_t whole_ns, double factor);

#define AMDAHL_FORMULA "1 / (1 - p + p / s), p = time alone / time of the whole"

#endif
