/*
 * The upper bound of each listed kernel's gain by the rules of advice: the mark beside its letter, and a
 * column if it fits. Made from a snapshot of the session's values, which is renewed when these change; a
 * kernel is evaluated when it is first needed. The tui's thread.
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
        GAIN_UNKNOWN, /* the rules lack their values */
        GAIN_NOTHING, /* nothing is wrong by the rules */
        GAIN_SOME
    } state;
    float share; /* of the kernel's time, at most */
};

struct kernel_gains {
    struct kernel_index *index; /* NULL: none could or may be made */
    struct kernel_gain *kernels;
    uint32_t count;
    bool known;       /* the rules had a say on a kernel that was asked for */
    uint64_t made_of; /* values in the session */
    int64_t made_ms;
};

/* Renew the snapshot if it is due: `soon` while values still come. */
void kernel_gains_update(struct kernel_gains *gains, const struct session *session, bool soon,
                         int64_t clock_ms);
void kernel_gains_fini(struct kernel_gains *gains);

/* Judges it now if it was not asked for yet. */
struct kernel_gain kernel_gains_judge(struct kernel_gains *gains, uint32_t kernel);
/* As far as it was. */
struct kernel_gain kernel_gains_of(const struct kernel_gains *gains, uint32_t kernel);

#endif
