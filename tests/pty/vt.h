/*
 * A terminal in memory: takes the bytes that ncurses writes for TERM=xterm-256color and keeps what a person
 * would see. Only what ncurses uses is understood; what is not is counted, so that a test can insist on none.
 */
#ifndef TESTS_PTY_VT_H
#define TESTS_PTY_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VT_WIDTH_MAX 320
#define VT_HEIGHT_MAX 120

struct vt {
    int width, height, x, y, top, bottom, saved_x, saved_y;
    bool wrap_pending, alternate, cursor_hidden, mouse, pastes, colored;
    uint32_t cells[VT_HEIGHT_MAX][VT_WIDTH_MAX]; /* code points; 0: right half of a wide one */
    uint32_t last;                               /* for REP */
    int state, argument_count, arguments[16];
    char prefix;
    uint32_t codepoint;
    int continuation;
    uint64_t unknown;
    char unknown_text[64];
};

void vt_init(struct vt *vt, int width, int height);
void vt_resize(struct vt *vt, int width, int height);
void vt_feed(struct vt *vt, const char *bytes, size_t size_bytes);

/* The screen as lines of UTF-8, blanks at their ends left out; caller frees. */
char *vt_text(const struct vt *vt);

#endif
