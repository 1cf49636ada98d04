/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of each instruction and source line of a bundled kernel: the case is run again on the device
 * model, in this process and at small size (a tenth of a second), and counted per PTX instruction. One
 * thread.
 */
#ifndef CLI_MODEL_LINE_COSTS_H
#define CLI_MODEL_LINE_COSTS_H

#include <stdatomic.h>

#include "cli/model/model_case.h"
#include "core/base/error.h"
#include "core/session/session.h"
#include "simt/timing/gpu.h"
#include "tui/frame/host.h"

/* model NULL: the default GPU. The device chooses the sizes that it chose before; rules ("cc=1.0") and
 * unmerged PTX ("merge=no") are those of the run's params. own: the user's kernels, if the run's params name
 * them ("kernel=LABEL"); NULL: they are not known. The caller calls
 * code_listing_fini(&source->listing). cancel: set by another thread, ends the run with STATUS_STATE; or
 * NULL. */
enum status line_costs_make(const struct gpu *model, const struct model_own *own,
                            const struct tui_source_query *query, const atomic_bool *cancel,
                            struct tui_source *source, struct error *error);

/* The same for a session's kernel row, on the default GPU. STATUS_STATE if it does not belong to a bundled
 * workload. */
enum status line_costs_of_kernel(const struct session *session, uint32_t kernel, struct tui_source *source,
                                 struct error *error);

#endif
