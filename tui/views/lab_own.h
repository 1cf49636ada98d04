/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's own kernels in the lab: E opens the user's copy in the editor; each saved version is run with
 * the lab's values, after the original if that has not run with them. The copy's text stands in the lesson's
 * place, with the lines that differ from the original's and what the compiler says of a line; V shows the
 * lesson again, and ENTER then runs the original. Part of the lab; the tui's thread.
 */
#ifndef TUI_VIEWS_LAB_OWN_H
#define TUI_VIEWS_LAB_OWN_H

#include "tui/frame/screen.h"
#include "tui/terminal/canvas.h"

#define LAB_OWN_SIZE 80 /* of a label: "copy_stride.cu@1a2b3c4d" */

/* Opens the lab of the workload that is looked at, and the user's copy of its kernels in the editor; a
 * message if that is not possible. */
void lab_own_edit(struct screen *screen);
/* Does the lab show and run the user's copy? */
bool lab_own_is_shown(const struct screen *screen);
/* Is there a copy that is watched, shown or not? */
bool lab_own_is_there(const struct screen *screen);
/* Runs the newest version with the lab's values. */
void lab_own_run(struct screen *screen);
/* With each frame of the lab: runs a version that was saved, marks its run and the original's for the
 * comparison. inside: where the text is drawn. */
void lab_own_update(struct screen *screen, struct rect inside);
void lab_own_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);
/* " --kernel PATH" of the command that ENTER runs; "" for the original. */
void lab_own_print_option(const struct screen *screen, char *text, size_t size_bytes);

/* The label of the user's kernels that the lab's case runs; "": it runs the bundled ones. */
const char *lab_own_label(const struct screen *screen);
/* The same of a run, by its params; own has LAB_OWN_SIZE bytes. */
const char *lab_own_of_run(const struct session *session, uint32_t run, char *own, size_t size_bytes);

#endif
