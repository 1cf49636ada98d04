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

#define WHAT_IF_ROWS 32u    /* of the list at most: a set of them is a word */
#define WHAT_IF_KNOWN 4096u /* times that are kept; a power of two */

/* A row of the list: a step of `what-if`, made where that makes it, or an edit that is made everywhere. */
struct what_if_row {
    bool step;
    uint8_t index; /* of the steps, or of replay_edit_at */
};

struct what_if_time { /* of the loop with a set of rows */
    bool known;
    uint32_t rows;
    int64_t after_ns;
};

struct what_if_picture {
    uint64_t used; /* when it was last drawn; 0: there is none */
    uint32_t rows;
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
    struct what_if_row rows[WHAT_IF_ROWS]; /* the steps, then the edits that change something */
    int count;
    uint32_t asked, chosen; /* sets of rows: of the question, and of the user */
    struct list list;
    struct replay_stretch stretch; /* that is drawn */
    struct what_if_time *times;    /* hashed by set; NULL: no memory */
    uint32_t time_count;
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

/* The edit of a row of the list, and the row's set. */
const struct replay_edit *what_if_edit(const struct what_if_view *view, int row);
uint32_t what_if_bit(const struct what_if_view *view, int row);
/* What is done, and where. */
const char *what_if_row_title(const struct what_if_view *view, int row, char text[WHAT_IF_TITLE]);
/* An assumption without a sign in the run. */
bool what_if_assumed(const struct what_if_view *view, int row);
void what_if_toggle(struct what_if_view *view, int row);

/* The time of the loop with a set of rows; false: it is not known yet. */
bool what_if_after(const struct what_if_view *view, uint32_t rows, int64_t *after_ns);
/* What a row gains: a chosen one on top of the chosen ones above it, another one on top of all chosen. */
struct what_if_gain {
    int64_t before_ns, after_ns;
};
bool what_if_gain(const struct what_if_view *view, int row, struct what_if_gain *gain);
/* The picture of the chosen rows and the stretch; NULL: it is not there yet. */
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
