/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of text that the user types: a filter, a workload with its parameters, a file name. UTF-8. The
 * tui's thread.
 */
#ifndef TUI_WIDGETS_PROMPT_H
#define TUI_WIDGETS_PROMPT_H

#include "tui/terminal/canvas.h"
#include "tui/terminal/key.h"

#define PROMPT_SIZE 256
#define FILTER_SIZE PROMPT_SIZE

#define PROMPT_USUAL_SIZE 64

struct screen;

enum prompt_purpose {
    PROMPT_NONE,   /* closed */
    PROMPT_FILTER, /* the filter of the focused view, applied at every key; ESC empties it */
    PROMPT_LINE,   /* a line that is accepted by ENTER; ESC and an empty line are ignored */
    PROMPT_NARROW, /* the same, but ESC and an empty line are accepted as an empty line */
    PROMPT_FIND    /* the words of the finder (tui/frame/finder.h), which receives the keys */
};

struct prompt {
    enum prompt_purpose purpose;
    const char *label;
    void (*take)(struct screen *screen, const char *text); /* for PROMPT_LINE and PROMPT_NARROW */
    char text[PROMPT_SIZE];
    char usual[PROMPT_USUAL_SIZE]; /* of PROMPT_LINE: what ENTER accepts instead of an empty line; "": nothing
                                    */
};

enum prompt_result { PROMPT_EDITING, PROMPT_CHANGED, PROMPT_ACCEPTED, PROMPT_CANCELLED };

/* prompt_filter opens a filter, prompt_open a line for `take`. */
void prompt_filter(struct prompt *prompt, const char *label);
void prompt_open(struct prompt *prompt, enum prompt_purpose purpose, const char *label, const char *text,
                 void (*take)(struct screen *screen, const char *text));
/* ENTER accepts, ESC cancels; the caller then closes the prompt by setting `purpose`. C-u empties the line.
 */
enum prompt_result prompt_key(struct prompt *prompt, uint32_t key);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect line);

/* Does the filter match something that has these texts (NULL: none)? Yes, if one of them contains it; or if
 * each of its pieces is in one of them: what stands on the screen, "transp…naive n=4096", is found as it is
 * shown, with blanks, marks of a cut and a number against confusion ("#2"). Case does not matter. */
bool filter_matches(const char *filter, const char *const *texts, size_t count);

#endif
