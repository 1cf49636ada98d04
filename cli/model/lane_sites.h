/*
 * The addresses of one warp in a bundled workload's case as the workload's own table states them: nothing is
 * run, so that it takes microseconds. Instructions have no text but their site's name. Any thread.
 */
#ifndef CLI_MODEL_LANE_SITES_H
#define CLI_MODEL_LANE_SITES_H

#include "core/base/error.h"
#include "simt/timing/gpu.h"
#include "tui/frame/host.h"

/* model NULL: the default GPU. The caller frees accesses->items. STATUS_STATE: the table of access sites has
 * none. */
enum status lane_sites_make(const struct gpu *model, const struct tui_access_query *query,
                            struct tui_accesses *accesses, struct error *error);

#endif
