/*
 * A gain per kernel of the snapshot, evaluated when it is first needed. If memory or the number of launches
 * does not permit a snapshot, the index is NULL, and no kernel has a gain.
 */
#include "tui/views/kernels/kernel_gains.h"

#include "core/advice/session_advice.h"

#include <stdlib.h>

#define REFRESH_MS 1000

void kernel_gains_fini(struct kernel_gains *gains)
{
    kernel_index_destroy(gains->index);
    free(gains->kernels);
    *gains = (struct kernel_gains){0};
}

static void make_index(struct kernel_gains *gains, const struct session *session, bool soon)
{
    kernel_gains_fini(gains);
    if (session_launch_count(session) > KERNEL_GAINS_LAUNCHES_MAX / (soon ? 10 : 1) ||
        kernel_index_create(&gains->index, session, NULL) != STATUS_OK)
        return;
    gains->count = kernel_index_count(gains->index);
    gains->kernels = calloc(gains->count + 1u, sizeof *gains->kernels);
    if (gains->kernels == NULL)
        kernel_gains_fini(gains);
}

void kernel_gains_update(struct kernel_gains *gains, const struct session *session, bool soon,
                         int64_t clock_ms)
{
    uint64_t made_of = 1 + (uint64_t)session_measurement_count(session) + session_expected_count(session) +
                       session_tally_count(session) + session_kernel_count(session) +
                       session_launch_count(session);
    if (made_of == gains->made_of || (soon && gains->made_of != 0 && clock_ms - gains->made_ms < REFRESH_MS))
        return;
    make_index(gains, session, soon);
    gains->made_of = made_of;
    gains->made_ms = clock_ms;
}

static struct kernel_gain judge_kernel(const struct kernel_index *index, uint32_t kernel)
{
    struct advice_list list;
    session_advise_indexed(index, kernel, &list);
    if (list.count > 0 && !list.items[0].fine)
        return (struct kernel_gain){GAIN_SOME, (float)list.items[0].gain};
    return (struct kernel_gain){list.count > 0 || advice_has_judged(&list) ? GAIN_NOTHING : GAIN_UNKNOWN, 0};
}

struct kernel_gain kernel_gains_judge(struct kernel_gains *gains, uint32_t kernel)
{
    if (gains->index != NULL && kernel < gains->count && gains->kernels[kernel].state == GAIN_NOT_ASKED)
        gains->kernels[kernel] = judge_kernel(gains->index, kernel);
    gains->known = gains->known || kernel_gains_of(gains, kernel).state >= GAIN_NOTHING;
    return kernel_gains_of(gains, kernel);
}

struct kernel_gain kernel_gains_of(const struct kernel_gains *gains, uint32_t kernel)
{
    return kernel < gains->count ? gains->kernels[kernel] : (struct kernel_gain){GAIN_NOT_ASKED, 0};
}
