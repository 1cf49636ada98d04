/*
 * mbarrier instructions: barriers in shared memory (simt/memory/mbarrier.h). A test of a phase that has not
 * ended waits until it has: test_wait and try_wait are the same, since a GPU may run a thread as late as it
 * likes. When no other thread can go on, the test gives false, as when the time of a try_wait is over
 * (mbarrier_expire).
 */
#ifndef SIMT_ENGINE_ASYNC_MBARRIER_H
#define SIMT_ENGINE_ASYNC_MBARRIER_H

#include "simt/check/check.h"
#include "simt/engine/warp.h"
#include "simt/memory/mbarrier.h"

/* Executes one that does not wait, for the lanes `on`. */
enum warp_stop warp_mbarrier(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
/* Tests the phases that the lanes `on` name. If the phase of any lane has ended, all get their results, and
 * *passed is set. False: the worker's fault says why. */
bool warp_mbarrier_test(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on, bool *passed);
/* The time of a test is over: false for the lanes `on`. Returns the cycles that it took. */
uint64_t warp_mbarrier_expire(const struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
/* Fills in what the mbarrier of the first of these lanes waits for. */
void warp_mbarrier_describe(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t on,
                            struct check_report *report);
/* Sets the worker's fault, unless the result is OK. */
bool mbarrier_allow(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                    uint64_t address, enum mbarrier_result result);

#endif
