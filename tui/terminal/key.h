/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and the mouse as the views see them, from a terminal or from the key script of a snapshot.
 *
 * A key is a code point, or one of enum key_code. The names are those that the help shows: "j", "+", "TAB",
 * "ENTER", "PGUP", "C-l". Pasted text arrives between PASTE and PASTED.
 */
#ifndef TUI_TERMINAL_KEY_H
#define TUI_TERMINAL_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_CODE_LIST(X)      \
    X(UP, "UP")               \
    X(DOWN, "DOWN")           \
    X(LEFT, "LEFT")           \
    X(RIGHT, "RIGHT")         \
    X(SHIFT_LEFT, "S-LEFT")   \
    X(SHIFT_RIGHT, "S-RIGHT") \
    X(PAGE_UP, "PGUP")        \
    X(PAGE_DOWN, "PGDN")      \
    X(HOME, "HOME")           \
    X(END, "END")             \
    X(BACKTAB, "S-TAB")       \
    X(DELETE, "DEL")          \
    X(F1, "F1")               \
    X(PASTE, "PASTE")         \
    X(PASTED, "PASTED")

#define KEY_CODE_ENUM(name, text) CODE_##name,
enum key_code { CODE_BEFORE = 0x110000, KEY_CODE_LIST(KEY_CODE_ENUM) CODE_AFTER };
#undef KEY_CODE_ENUM

#define KEY_TAB 9u
#define KEY_RETURN 13u
#define KEY_ESCAPE 27u
#define KEY_SPACE 32u
#define KEY_RUBOUT 127u
#define KEY_CONTROL(letter) ((uint32_t)(letter)&31u)

/* The key with this name, in upper or lower case; 0 if there is none. `name` need not be terminated. */
uint32_t key_parse(const char *name, size_t size_bytes);
void key_text(uint32_t key, char *text, size_t size_bytes);

enum mouse_kind { MOUSE_DOWN, MOUSE_UP, MOUSE_DRAG, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
    enum mouse_kind kind;
    int x, y;    /* cells of the screen */
    bool second; /* of MOUSE_DOWN: a button other than the first, or with Ctrl, Alt or Shift */
    bool again;  /* of MOUSE_DOWN: the second click of a double click, or curses merged both clicks into one
                    event */
};

#endif
