/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the what-if view: the edits of a run's replay, those that are chosen, and what the loop takes with
 * each set of edits that was looked at. Replays are made beside the screen, one question at a time; what is known
 * is kept, and the sets that a next key can choose are asked for ahead, so that a key is answered from here. The
 * tui's thread.
 */
#ifndef TUI_VIEWS_WHAT_IF_H
#define TUI_VIEWS_WHAT_IF_H

#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

#define WHAT_IF_PICTURES 32

struct what_if_picture {
    uint64_t used; /* when it was last drawn; 0: there is none */
    uint32_t edits;
    struct replay_stretch stretch; /* that was asked for */
    struct replay_picture picture;
};

struct what_if_view {
    bool begun;   /* it is of `run` */
    bool pending; /* the question is with the host */
    uint32_t run;
    struct tui_what_if_question question;
    bool opened, listed;
    char why[400]; /* why there is nothing, as a sentence; "": there is */
    struct what_if_run row;
    uint8_t order
        [REPLAY_EDITS_MAX]; /* indexes of edits: the greedy ones, then the others that change something */
    int count;
    uint32_t chosen; /* set of edits */
    struct list list;
    struct replay_stretch stretch; /* that is drawn */
    int64_t *after_ns;             /* of the loop, by set, plus 1; 0: not known. NULL: no memory */
    struct what_if_picture *pictures;
    uint64_t uses;
};

static inline struct what_if_view *what_if_state(const struct screen *screen)
{
    return screen->view_state[VIEW_WHAT_IF];
}

/* Why nothing is replayed for the run that is shown, without a look at its graph; NULL: it can be tried. */
const char *what_if_refusal(const struct screen *screen);
/* Forgets the run, and ends what is asked. */
void what_if_forget(struct screen *screen);
/* Takes an answer that has come, and asks the next question; false: nothing is left to ask. */
bool what_if_ask(struct screen *screen);

/* The edit in a row of the list, and its set. */
const struct replay_edit *what_if_edit(const struct what_if_view *view, int row);
uint32_t what_if_bit(const struct what_if_view *view, int row);
/* An assumption without a sign in the run. */
bool what_if_assumed(const struct what_if_view *view, int row);
void what_if_toggle(struct what_if_view *view, int row);

/* The time of the loop with a set of edits; false: it is not known yet. */
bool what_if_after(const struct what_if_view *view, uint32_t edits, int64_t *after_ns);
/* What a row's edit gains: a chosen one on top of the chosen ones above it, another one on top of all chosen. */
struct what_if_gain {
    int64_t before_ns, after_ns;
};
bool what_if_gain(const struct what_if_view *view, int row, struct what_if_gain *gain);
/* The picture of the chosen edits and the stretch; NULL: it is not there yet. */
const struct replay_picture *what_if_drawn(const struct what_if_view *view);

/* ---- the stretch ---- */
uint64_t what_if_step(const struct what_if_view *view); /* operations of a step of the loop; of no step all */
void what_if_zoom(struct what_if_view *view, bool in);
void what_if_pan(struct what_if_view *view, bool right);
void what_if_fit(struct what_if_view *view); /* all of the loop */

/* ---- drawing (what_if_draw.c) ---- */
#define WHAT_IF_LABEL 18 /* cells before the axis */
/* Lines that the timelines, their axis and the classes of their paths take if `rows` rows of each are drawn. */
int what_if_picture_lines(int rows);
void what_if_picture_draw(const struct screen *screen, struct canvas *canvas, struct rect area, int rows);

#endif
