/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One case of a bundled workload, run in this process on the device model and at small size: it takes a tenth
 * of a second. Callbacks in the options receive the costs. One thread.
 */
#ifndef CLI_MODEL_MODEL_COUNTS_H
#define CLI_MODEL_MODEL_COUNTS_H

#include "core/base/error.h"
#include "core/session/session.h"
#include "simt/device/device.h"
#include "simt/timing/gpu.h"
#include "tui/frame/host.h"
#include "workloads/frame/own_image.h"

#include <stdatomic.h>

/* A user's kernels that the case runs in place of the bundled ones. */
struct model_own {
    const struct own_image *image;
    const char *path, *text; /* of the source, as the image's lines name it; the text outlives what is made */
    const bool *changed;     /* by line of it, from 0: is it other than in the file that it began with? */
    uint32_t line_count;
};

/* spec as typed; if it names several cases, the first is run. own NULL: with the bundled kernels. The second is of any
 * size. */
enum status model_case_run(const char *spec, const struct model_own *own, struct simt_options *options,
                           struct error *error);
enum status model_case_run_sized(const char *spec, bool small, const struct model_own *own,
                                 struct simt_options *options, struct error *error);

/* The text of a kernel's source file: bundled, or the user's. NULL: it is not known. */
const char *model_case_text(const struct model_own *own, const char *path);

/*
 * The cost of each instruction and source line of a bundled kernel: the case is run again on the device
 * model, in this process and at small size (a tenth of a second), and counted per PTX instruction. One
 * thread.
 */

/* The device chooses the sizes that it chose before; rules ("cc=1.0") and
 * unmerged PTX ("merge=no") are those of the run's params. own: the user's kernels, if the run's params name
 * them ("kernel=LABEL"); NULL: they are not known. The caller calls
 * code_listing_fini(&source->listing). cancel: set by another thread, ends the run with STATUS_STATE; or
 * NULL. */
enum status line_costs_make(const struct model_own *own, const struct tui_source_query *query,
                            const atomic_bool *cancel, struct tui_source *source, struct error *error);

/* The same for a session's kernel row. STATUS_STATE if it does not belong to a bundled
 * workload. */
enum status line_costs_of_kernel(const struct session *session, uint32_t kernel, struct tui_source *source,
                                 struct error *error);

/*
 * The addresses of one warp's memory instructions in a bundled workload's case: as the device model executes
 * it in this process at small size (one thread), or as the workload's own table states them (any thread). Of
 * the table nothing is run, so that it takes microseconds; its instructions have no text but their site's
 * name.
 */

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
