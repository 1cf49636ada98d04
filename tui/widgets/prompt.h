/*
 * One line of text that the user types: a filter, a workload with its parameters, a file name. UTF-8. The
 * tui's thread.
 */
#ifndef TUI_WIDGETS_PROMPT_H
#define TUI_WIDGETS_PROMPT_H

#include "tui/terminal/canvas.h"
#include "tui/terminal/key.h"

#define PROMPT_SIZE 256

enum prompt_purpose {
    PROMPT_NONE,
    PROMPT_FILTER,
    PROMPT_ONLY,
    PROMPT_FIND,
    PROMPT_BOOKMARK,
    PROMPT_VALUE,
    PROMPT_KEEP,
    PROMPT_SEARCH
};

struct prompt {
    enum prompt_purpose purpose; /* PROMPT_NONE: closed */
    const char *label;
    char text[PROMPT_SIZE];
};

enum prompt_result { PROMPT_EDITING, PROMPT_CHANGED, PROMPT_ACCEPTED, PROMPT_CANCELLED };

void prompt_open(struct prompt *prompt, enum prompt_purpose purpose, const char *label, const char *text);
/* ENTER accepts, ESC cancels; the caller then closes by setting purpose. C-u empties the line. */
enum prompt_result prompt_key(struct prompt *prompt, uint32_t key);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect line);

#endif
