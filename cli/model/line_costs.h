/*
 * The cost of each instruction and source line of a bundled kernel: the case is run again on the device
 * model, in this process and at small size (a tenth of a second), and counted per PTX instruction. One
 * thread.
 */
#ifndef CLI_MODEL_LINE_COSTS_H
#define CLI_MODEL_LINE_COSTS_H

#include "core/base/error.h"
#include "core/session/session.h"
#include "simt/timing/gpu.h"
#include "tui/frame/host.h"

/* model NULL: the default GPU. Sizes that the device chooses are left to it; rules ("cc=1.0") and unmerged
 * PTX ("merge=no") are as the run's params say. The caller calls code_listing_fini(&source->listing). */
enum status line_costs_make(const struct gpu *model, const struct tui_source_query *query,
                            struct tui_source *source, struct error *error);

/* The same of a session's kernel row, on the default GPU. STATE when it is of no bundled workload. */
enum status line_costs_of_kernel(const struct session *session, uint32_t kernel, struct tui_source *source,
                                 struct error *error);

#endif
