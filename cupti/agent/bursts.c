/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One `bursts` for the process, all atomic. Whoever sets `busy` from false to true owns `slot` and
 * `number` until the burst is over. A kernel is counted in `launched` before its call and in `finished`
 * when its record has come: the GPU is quiet when both are equal. Without bursts `filter` is NULL and only
 * `first` is used.
 */
#include "cupti/agent/bursts.h"

#include "core/base/clock.h"
#include "core/wire/sampling_control.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/filter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POLL_NS 500000
#define FAILURES_MAX 3u /* failures in a row: after these the sampler is not asked again */

static struct {
    struct sampling_control *control; /* NULL: there is no sampler */
    struct filter *filter;            /* NULL: no bursts */
    _Atomic bool first;               /* no launch has waited for the sampler yet */
    _Atomic uint32_t run;             /* number of the control->run that the filter belongs to */
    _Atomic uint32_t launched;        /* kernels, ... */
    _Atomic uint32_t finished;        /* ... of these, those whose records have arrived */
    _Atomic uint32_t failures;
    _Atomic bool busy;        /* a burst is being requested, or is open */
    _Atomic uint32_t waiters; /* number of launches that wait for earlier ones */
    _Atomic uint32_t awaited; /* correlation of the launch whose burst is open; 0: none */
    _Atomic bool told;
    /* Of whoever made `busy` true. */
    struct sampling_slot *slot;
    uint32_t number;
} bursts;

void bursts_start(void)
{
    const char *socket = getenv(WIRE_SOCKET_VARIABLE);
    if (!agent_traces() || !socket)
        return;
    if (agent.config.bursts)
        bursts.filter = filter_create(agent.config.burst_kernel, 1);
    if (bursts.filter || !agent.config.bursts)
        bursts.control = sampling_control_open(socket);
    atomic_store(&bursts.first, bursts.control && !bursts.filter);
}

bool bursts_want_launch(void)
{
    return bursts.filter || atomic_load_explicit(&bursts.first, memory_order_relaxed);
}

/* Samples are wanted, and the sampler is still setting up its GPU. */
static bool is_coming(const struct sampling_slot *slot)
{
    uint32_t state = atomic_load(&slot->state);
    return atomic_load(&slot->wanted) &&
           (state == SAMPLING_STARTING || state == SAMPLING_READY || state == SAMPLING_CLOSING);
}

/* The time of the wait is recorded as overhead of tracing. */
static void await_sampler(struct sampling_slot *slot)
{
    struct event event = {.kind = EVENT_OVERHEAD};
    int64_t left_ns = SAMPLER_READY_NS;
    event.overhead.start_ns = event.overhead.end_ns = agent_now_ns();
    while (left_ns > 0) {
        uint32_t changes = atomic_load(&slot->changes);
        if (!is_coming(slot))
            break;
        sampling_control_wait(slot, changes, left_ns);
        event.overhead.end_ns = agent_now_ns();
        left_ns = SAMPLER_READY_NS - (event.overhead.end_ns - event.overhead.start_ns);
    }
    if (event.overhead.end_ns == event.overhead.start_ns)
        return;
    event.overhead.name = wire_string(agent.wire, "the first launch waits for the sampler");
    event.overhead.thread = (uint32_t)syscall(SYS_gettid);
    wire_emit(agent.wire, &event);
}

bool bursts_waiting(void)
{
    return atomic_load_explicit(&bursts.waiters, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&bursts.awaited, memory_order_relaxed) != 0;
}

/* Waits until the condition holds, while the agent flushes as often as it can; at most BURSTS_QUIET_NS. */
static bool wait_until(bool (*holds)(void))
{
    int64_t until_ns = agent_now_ns() + BURSTS_QUIET_NS;
    bool held = holds();
    atomic_fetch_add(&bursts.waiters, 1);
    while (!held && agent_now_ns() < until_ns) {
        agent_kick();
        clock_pause(POLL_NS);
        held = holds();
    }
    atomic_fetch_sub(&bursts.waiters, 1);
    return held;
}

/* Also true if the last burst ended before its kernel did: it had then reached its longest duration. */
static bool my_turn(void)
{
    if (!atomic_exchange(&bursts.busy, true))
        return true;
    uint32_t awaited = atomic_load(&bursts.awaited);
    return awaited && (int32_t)(atomic_load(&bursts.slot->ended) - bursts.number) >= 0 &&
           atomic_compare_exchange_strong(&bursts.awaited, &awaited, 0);
}

/* All earlier launches are done, as far as is known. */
static bool kernels_done(void)
{
    return (int32_t)(atomic_load(&bursts.launched) - atomic_load(&bursts.finished)) <= 0;
}

static void tell_once(void)
{
    if (!atomic_exchange(&bursts.told, true))
        agent_notice(SEVERITY_INFO, STATUS_OK,
                     "In this run the first launch of each kernel and shape waits until a burst of samples "
                     "begins (--burst): the time between kernels is not that of the program alone.");
}

/* It is this launch's turn. */
static bool burst_begin(uint32_t device, uint32_t correlation)
{
    struct sampling_slot *slot = &bursts.control->gpu[device];
    wait_until(kernels_done);
    uint32_t number = sampling_burst_ask(slot, BURSTS_BEGIN_NS);
    if (number == 0) {
        atomic_store(&bursts.busy, false);
        return false;
    }
    tell_once();
    bursts.slot = slot;
    bursts.number = number;
    atomic_store(&bursts.awaited, correlation);
    return true;
}

static void burst_failed(void)
{
    if (atomic_fetch_add(&bursts.failures, 1) + 1 == FAILURES_MAX)
        agent_notice(SEVERITY_WARNING, STATUS_STATE,
                     "%u launches in a row waited for a burst of samples and none began: no further burst is "
                     "requested.",
                     FAILURES_MAX);
}

/* At each case of a workload, kernels can start bursts anew. */
static void turns_renew(void)
{
    uint32_t run = atomic_load(&bursts.control->run);
    if (atomic_exchange(&bursts.run, run) != run)
        filter_renew(bursts.filter);
}

void bursts_launch(uint32_t device, const char *name, const struct event *shape, uint32_t correlation)
{
    bool first;
    if (!bursts.control)
        return;
    if (!bursts.filter) {
        if (device < SAMPLING_GPUS_MAX && atomic_exchange(&bursts.first, false))
            await_sampler(&bursts.control->gpu[device]);
        return;
    }
    struct filter_launch launch = {.name = name,
                                   .dynamic_shared_bytes = shape->shape.dynamic_shared_bytes,
                                   .cooperative = shape->flags & SHAPE_COOPERATIVE};
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = shape->shape.grid[i];
        launch.block[i] = shape->shape.block[i];
    }
    turns_renew();
    if (device < SAMPLING_GPUS_MAX && atomic_load(&bursts.failures) < FAILURES_MAX &&
        atomic_load(&bursts.control->gpu[device].state) == SAMPLING_RUNNING &&
        filter_launch(bursts.filter, &launch, &first) == FILTER_MEASURE) {
        if (wait_until(my_turn) && burst_begin(device, correlation)) {
            atomic_store(&bursts.failures, 0);
        } else {
            filter_return(bursts.filter, &launch); /* its next launch may have one */
            burst_failed();
        }
    }
    atomic_fetch_add(&bursts.launched, 1);
}

void bursts_kernel_done(uint32_t correlation)
{
    if (!bursts.filter)
        return;
    atomic_fetch_add(&bursts.finished, 1);
    if (correlation == 0 || !atomic_compare_exchange_strong(&bursts.awaited, &correlation, 0))
        return;
    sampling_burst_enough(bursts.slot, bursts.number);
    atomic_store(&bursts.busy, false);
}
