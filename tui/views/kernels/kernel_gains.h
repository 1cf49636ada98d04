/*
 * The upper bound of each listed kernel's gain by the rules of advice: shown as the mark beside the kernel's
 * letter, and as a column if it fits. Computed from a snapshot of the session's values, which is renewed when
 * these change; a kernel is evaluated when it is first needed. The tui's thread.
 */
#ifndef TUI_VIEWS_KERNEL_GAINS_H
#define TUI_VIEWS_KERNEL_GAINS_H

#include "core/analysis/kernel_index.h"

/* A snapshot walks all launches: the most launches for which one is made. While values still arrive and it is
 * renewed often, the limit is a tenth. */
#define KERNEL_GAINS_LAUNCHES_MAX 1000000u

struct kernel_gain {
    enum kernel_gain_state {
        GAIN_NOT_ASKED,
        GAIN_UNKNOWN, /* the rules have no values for it */
        GAIN_NOTHING, /* the rules find no problem */
        GAIN_SOME
    } state;
    float share; /* of the kernel's time, at most */
};

struct kernel_gains {
    struct kernel_index *index; /* NULL: it could not be made, or there are too many launches */
    struct kernel_gain *kernels;
    uint32_t count;
    bool known;       /* the rules could evaluate at least one kernel so far */
    bool coming;      /* they will, when the recording has been read */
    uint64_t made_of; /* number of values in the session */
    int64_t made_ms;
};

/* Renews the snapshot if it is due; soon: values still arrive. */
void kernel_gains_update(struct kernel_gains *gains, const struct session *session, bool soon,
                         int64_t clock_ms);
void kernel_gains_fini(struct kernel_gains *gains);

/* Evaluates the kernel now if that has not been done yet. */
struct kernel_gain kernel_gains_judge(struct kernel_gains *gains, uint32_t kernel);
/* The gain if the kernel has been evaluated. */
struct kernel_gain kernel_gains_of(const struct kernel_gains *gains, uint32_t kernel);

#endif
