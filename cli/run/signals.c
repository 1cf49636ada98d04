/* SPDX-License-Identifier: Apache-2.0 */
/* The handler uses only atomics and live_interrupt; `target` is NULL when no session handles signals. */
#include "cli/run/signals.h"

#include "cli/run/live.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

static _Atomic(struct live *) target;
static atomic_int seen;
static atomic_bool finishing;

static void signal_forward(int signal_number)
{
    int saved_errno = errno;
    struct live *live = atomic_load(&target);

    if (atomic_load(&finishing) && atomic_load(&seen) > 0) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* when this returns */
    } else if (live) {
        live_interrupt(live, signal_number);
    }
    atomic_fetch_add(&seen, signal_number == SIGINT ? 1 : 2);
    errno = saved_errno;
}

void signals_forward_to(struct live *live)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = live ? signal_forward : SIG_DFL, .sa_flags = SA_RESTART};

    atomic_store(&target, live);
    atomic_store(&finishing, false);
    atomic_store(&seen, 0);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

void signals_end_finishing(void)
{
    atomic_store(&finishing, true);
}

bool signals_asked_to_end(void)
{
    return atomic_load(&seen) >= 2;
}
