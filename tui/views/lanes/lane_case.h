/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accesses of a program's kernel as the device model recorded them: of each memory instruction the
 * execution that cost most in the kernel's first launch. Reads the session; the tui's thread.
 */
#ifndef TUI_VIEWS_LANES_LANE_CASE_H
#define TUI_VIEWS_LANES_LANE_CASE_H

#include "core/base/error.h"
#include "core/session/session.h"
#include "tui/frame/host.h"
#include "tui/frame/screen.h"
#include "tui/views/lanes/lane_picture.h"

#include <stdbool.h>
#include <stdint.h>

bool lane_recorded_any(const struct session *session, uint32_t kernel);
/* `rules` count what an access costs where that follows from its addresses alone. The sums over all
 * executions are those of the model, and left out if `rules` are not its own. The caller frees
 * accesses->items. STATUS_STATE: nothing was recorded of this kernel. */
enum status lane_recorded_make(const struct session *session, uint32_t kernel, const struct arch *rules,
                               struct tui_accesses *accesses, struct error *error);

/*
 * The addresses of one warp in one case of a workload, as the host's device model gives them, or those that
 * were recorded of a program's kernel; and one of its instructions as a picture, or as a table: the word that
 * each lane accesses, and the sector or bank that holds it. The table fills the room that a small picture
 * leaves. The owner is a view's state, which begins as zeros and is freed with lane_case_fini. The tui's
 * thread.
 */

/* Draws the table if the area has room for all lanes, else nothing. Returns the lines taken, including a
 * blank one. */
int lane_table_draw(struct canvas *canvas, struct rect area, const struct arch *rules,
                    const struct tui_access *access);

struct lane_answer { /* the host's answer; error "": no error */
    char spec[1000]; /* the spec of the query; "": there was no query */
    const struct arch *rules;
    uint64_t block;
    uint32_t warp;
    char own[80]; /* the user's kernels; "": the bundled ones */
    struct tui_accesses got;
    char error[400];
};

#define LANE_ANSWERS 32 /* the current one and earlier ones: users change a parameter back and forth */

struct lane_case {
    struct lane_answer answer, before[LANE_ANSWERS - 1];
    const struct tui_access *access; /* the access that the picture shows; NULL: none */
    struct lane_picture picture;
};

void lane_case_fini(struct lane_case *of);
/* Gets the answer to the query: from the host, unless a recent answer is kept. The host takes some
 * milliseconds, since the model runs the case at small size. True: the answer has changed, and nothing is
 * shown yet. */
bool lane_case_ask(struct lane_case *of, const struct screen *screen, const struct tui_access_query *query);
/* Makes the picture of an execution of an instruction, or of its last execution before that. */
void lane_case_show(struct lane_case *of, uint32_t site, uint32_t execution);

/* The instruction that costs most beyond its ideal, over all its executions, in sectors, wavefronts or
 * passes; of equal ones the one that costs more: of the source line, or of all if `line` is 0. If none costs
 * more than its ideal, the first load from shared memory, since that is the interesting one if the kernel has
 * any. NONE: the line has no instruction. */
uint32_t lane_case_worst(const struct tui_accesses *got, uint32_t line);
/* The instruction in `there` that corresponds to `site` in `of`: the same number of instructions of its kind
 * come before it. NONE: there is no instruction of the kind. */
uint32_t lane_case_alike(const struct tui_accesses *of, uint32_t site, const struct tui_accesses *there);

/* Draws right-aligned what an instruction costs, or what is served in the step. */
void lane_case_draw_cost(const struct tui_access *access, const struct lane_picture *picture, uint32_t step,
                         struct canvas *canvas, struct rect line);
/* Draws the cost, the source line, the picture and the legend of its cells, as far as there is room, and
 * below them what lane_more_draw adds; nothing if no access is shown. */
struct workload_pictures;
void lane_case_draw(const struct lane_case *of, const struct workload_pictures *variants,
                    struct canvas *canvas, struct rect area, const struct lane_picture_options *options);

#endif
