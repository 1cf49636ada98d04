/*
 * The addresses of one warp in one case of a workload, as the host's device model gives them, and the picture
 * of one of its instructions. The owner, a view's state that begins as zeros, frees it with lane_case_fini.
 * The tui's thread.
 */
#ifndef TUI_VIEWS_LANE_CASE_H
#define TUI_VIEWS_LANE_CASE_H

#include "tui/frame/host.h"
#include "tui/frame/screen.h"
#include "tui/views/lanes/lane_picture.h"

#include <stdbool.h>
#include <stdint.h>

struct lane_answer { /* of the host; error "": there is no error */
    char spec[1000]; /* what was asked for; "": nothing was */
    const struct arch *rules;
    uint64_t block;
    uint32_t warp;
    struct tui_accesses got;
    char error[400];
};

#define LANE_ANSWERS 32 /* the present one and those before it: a parameter goes back and forth */

struct lane_case {
    struct lane_answer answer, before[LANE_ANSWERS - 1];
    const struct tui_access *access; /* what the picture shows; NULL: nothing */
    struct lane_picture picture;
};

void lane_case_fini(struct lane_case *of);
/* Takes the answer to the query, which the host is asked for unless it gave it lately: that takes some
 * milliseconds, since the model runs the case at small size. True: it is another answer, and nothing is shown
 * yet. */
bool lane_case_ask(struct lane_case *of, const struct screen *screen, const struct tui_access_query *query);
/* Makes the picture of an instruction's execution, or of its last one before. */
void lane_case_show(struct lane_case *of, uint32_t site, uint32_t execution);

/* The instruction that costs most beyond its ideal, over all its executions: of the line, or if it is 0 of
 * all. Where none does, the first load from shared memory, for which a kernel that has one is looked at, or
 * else the first instruction. NONE: the line has no instruction. */
uint32_t lane_case_worst(const struct tui_accesses *got, uint32_t line);
/* The instruction that does there what `site` does in `of`: as many of its kind stand before it. NONE: there
 * is no instruction of the kind. */
uint32_t lane_case_alike(const struct tui_accesses *of, uint32_t site, const struct tui_accesses *there);

/* What an instruction costs, or what is served in the step, at the right end of the line. */
void lane_case_draw_cost(const struct tui_access *access, const struct lane_picture *picture, uint32_t step,
                         struct canvas *canvas, struct rect line);
/* Draws cost, line of the source, picture and what its cells mean, as far as there is room, and below them
 * what else there is; nothing if nothing is shown. */
struct workload_pictures;
void lane_case_draw(const struct lane_case *of, const struct workload_pictures *variants,
                    struct canvas *canvas, struct rect area, const struct lane_picture_options *options);

#endif
