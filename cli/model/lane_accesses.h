/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of one warp's memory instructions in a bundled workload's case: as the device model executes
 * it in this process at small size (one thread), or as the workload's own table states them (any thread). Of
 * the table nothing is run, so that it takes microseconds; its instructions have no text but their site's
 * name.
 */
#ifndef CLI_MODEL_LANE_ACCESSES_H
#define CLI_MODEL_LANE_ACCESSES_H

#include "cli/model/model_case.h"
#include "core/base/error.h"
#include "simt/timing/gpu.h"
#include "tui/frame/host.h"

#include <stdatomic.h>

/* model NULL: the default GPU. The caller frees accesses->items. STATUS_STATE: the table of access sites has
 * none. */
enum status lane_sites_make(const struct gpu *model, const struct tui_access_query *query,
                            struct tui_accesses *accesses, struct error *error);

/* model NULL: the default GPU. own NULL: the bundled kernels. cancel: as line_costs_make. The caller frees
 * accesses->items. STATUS_STATE:
 * the case has no memory instruction in that warp. */
enum status lane_accesses_make(const struct gpu *model, const struct model_own *own,
                               const struct tui_access_query *query, const atomic_bool *cancel,
                               struct tui_accesses *accesses, struct error *error);

#endif
