/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A terminal in memory: takes the bytes that lanescope writes for TERM=xterm-256color, and others of xterm's
 * and screen's kind, and keeps what a person would see, with its colours. Only what lanescope and ncurses use
 * is understood; what is not is counted, so that a test can insist on none.
 */
#ifndef TESTS_PTY_VT_H
#define TESTS_PTY_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VT_WIDTH_MAX 320
#define VT_HEIGHT_MAX 120

#define VT_OWN (-1)         /* the terminal's own colour */
#define VT_DIRECT 0x1000000 /* with a colour of 24 bits; else a number of the 256 */
#define VT_PLAIN 16         /* from here on bold does not change a colour */

/* In cells: as it is seen, so `reverse` stays only with colours that bold may change. */
struct vt_look {
    int32_t foreground, background;
    bool bold, underline, reverse;
};

struct vt {
    int width, height, x, y, top, bottom, saved_x, saved_y;
    bool wrap_pending, alternate, cursor_hidden, mouse, pastes, colored;
    uint32_t cells[VT_HEIGHT_MAX][VT_WIDTH_MAX];       /* code points; 0: right half of a wide one */
    struct vt_look looks[VT_HEIGHT_MAX][VT_WIDTH_MAX]; /* of the cells */
    struct vt_look look, saved_look;                   /* of what comes next */
    bool keeps_ground; /* what is erased, inserted or scrolled in gets its own ground: no bce */
    uint32_t last;     /* for REP */
    bool ignores_rep;
    int asked_x, asked_y; /* where the cursor was when this was asked, counted from 1; 0: not asked */
    int state, argument_count, arguments[16];
    unsigned colons; /* bit i: argument i stands after a colon, not after a semicolon */
    char prefix;
    uint32_t codepoint;
    int continuation;
    uint64_t unknown;
    char unknown_text[64];
    char string[2048]; /* the newest one between ESC ] and its end: "52;c;..." */
    size_t string_bytes;
};

void vt_init(struct vt *vt, int width, int height);
void vt_resize(struct vt *vt, int width, int height);
void vt_feed(struct vt *vt, const char *bytes, size_t size_bytes);

/* The screen as lines of UTF-8, blanks at their ends left out; caller frees. */
char *vt_text(const struct vt *vt);

#endif
