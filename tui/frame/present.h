/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Presenting: goes through the steps of a lesson script on the screen, forward and back, or writes the keys
 * of a session along as such steps. A step begins at the list of workloads, or, if it runs or opens
 * something, at the run; its keys are pressed when nothing runs any more. What an earlier step has run is
 * shown again and not run again. Part of the screen; the tui's thread.
 */
#ifndef TUI_FRAME_PRESENT_H
#define TUI_FRAME_PRESENT_H

#include "tui/frame/lesson_script.h"
#include "tui/terminal/canvas.h"
#include "tui/widgets/action.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PRESENT_RUNS_MAX 64 /* different runs that are remembered */

struct screen;

struct present_run {
    char spec[LESSON_LINE_MAX + 1];
    uint32_t first, end; /* its runs in the session; end 0: not known yet */
};

struct present {
    const struct lesson_script *script; /* NULL: nothing is presented */
    FILE *written;                      /* NULL: nothing is written along */
    uint32_t step, line;                /* the step, and its next line */
    size_t at;                          /* the next byte of a line of keys */
    bool playing;                       /* lines of the step are left */
    bool pressing;                      /* the key that is handled is one of the script */
    bool refused;                       /* one of them would write a file; the screen's message says which */
    bool guessing;                      /* the class's guess is awaited */
    bool opened;                        /* the screen shows a recording that the step opened */
    bool began;
    int64_t began_ms; /* the start of the clock */
    struct present_run runs[PRESENT_RUNS_MAX];
    uint32_t run_count;
    struct present_run *started; /* it is shown when it has ended; NULL: none */
    char keys[4000];             /* written along: the keys of the current step */
    size_t keys_used;
    bool leaves_out; /* the newest of them, and what is typed into its line */
};

void present_init(struct present *present, const struct lesson_script *script, FILE *written);
/* The lines at the bottom of the screen that the step's text needs. */
int present_lines(const struct screen *screen, int width, int height);
/* Does the step show only text? It then fills the screen. */
bool present_is_text(const struct screen *screen);
/* Presses the next key of the step, or starts its next run, if nothing runs. True: it did something. */
bool present_play(struct screen *screen);
/* What SPACE does now: "wavefront 3 of 32", "next step"; "": there is nothing more. *walks: it steps through
 * what the screen shows, and goes to the next step of the lesson after that. */
void present_space(const struct screen *screen, char *text, size_t size_bytes, bool *walks);
/* The key of an action: in a lesson PgDn and PgUp turn its steps, and C-f and C-b pages. */
uint32_t present_key_of(const struct screen *screen, enum action action);
/* A key of the user: false: it is not for the presentation. */
bool present_key(struct screen *screen, uint32_t key);
/* Notes a key of the user that is written along. */
void present_note_key(struct screen *screen, uint32_t key);
/* Is this an action of the script that writes a file? Only the user may do that: the step ends, with a
 * message.
 */
bool present_refuses(struct screen *screen, enum action action);
/* Is this shown again in place of a run? Else it is remembered as a run. */
bool present_takes_run(struct screen *screen, const char *spec);
/* The class has made its guess: the step goes on. */
void present_guessed(struct screen *screen);
/* Ends the step that is written along, asking for its title. */
void present_end_step(struct screen *screen);
/* Writes the last step; call it once, at the end of the session. */
void present_finish(struct screen *screen);
void present_draw(const struct screen *screen, struct canvas *canvas);

#endif
