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
    bool opened;                        /* the screen shows a recording that the step opened */
    bool began;
    int64_t began_ms; /* the start of the clock */
    struct present_run runs[PRESENT_RUNS_MAX];
    uint32_t run_count;
    struct present_run *started; /* it is shown when it has ended; NULL: none */
    char keys[4000];             /* written along: the keys of the current step */
    size_t keys_used;
};

void present_init(struct present *present, const struct lesson_script *script, FILE *written);
/* The lines at the bottom of the screen that the step's text needs. */
int present_lines(const struct screen *screen, int height);
/* Does the step show only text? It then fills the screen. */
bool present_is_text(const struct screen *screen);
/* Presses the next key of the step, or starts its next run, if nothing runs. True: it did something. */
bool present_play(struct screen *screen);
/* A key of the user: false: it is not for the presentation. */
bool present_key(struct screen *screen, uint32_t key);
/* Notes a key of the user that is written along. */
void present_note_key(struct screen *screen, uint32_t key);
/* Is this shown again in place of a run? Else it is remembered as a run. */
bool present_takes_run(struct screen *screen, const char *spec);
/* Ends the step that is written along, asking for its title. */
void present_end_step(struct screen *screen);
/* Writes the last step; call it once, at the end of the session. */
void present_finish(struct screen *screen);
void present_draw(const struct screen *screen, struct canvas *canvas);

#endif
