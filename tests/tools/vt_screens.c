/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Screens of a program as a terminal shows them, for screenshots/terminal.py: the program runs in a
 * pseudo-terminal, keys are typed, and the cells that its bytes have left on the terminal are printed.
 *
 * vt_screens WIDTHxHEIGHT TYPE PROGRAM [ARGUMENT...], where TYPE is TERM's value. Standard input has a
 * command a line: "type BYTES" (a backslash and a letter as in C: \r, \t, \e), "wait TEXT" until the screen
 * has the text, "sleep MS", and "print NAME", which writes the screen as one line of JSON:
 * {"name": ..., "bytes": ..., "rows": [[[foreground, background, flags, text], ...], ...]}. A colour is -1
 * for the terminal's own, a number of the 256, or 0x1000000 plus RGB; flags: 1 bold, 2 underlined, 4 reverse.
 */
#include "tests/pty/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct terminal terminal;

static void print_codepoint(uint32_t c)
{
    if (c == '"' || c == '\\')
        printf("\\%c", (char)c);
    else if (c >= 0x20 && c < 0x7f)
        putchar((int)c);
    else if (c < 0x10000)
        printf("\\u%04x", c);
    else
        printf("\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
}

static bool looks_equal(const struct vt_look *a, const struct vt_look *b)
{
    return a->foreground == b->foreground && a->background == b->background && a->bold == b->bold &&
           a->underline == b->underline && a->reverse == b->reverse;
}

static void print_row(const struct vt *vt, int y)
{
    for (int x = 0; x < vt->width;) {
        const struct vt_look *look = &vt->looks[y][x];
        printf("%s[%d,%d,%d,\"", x > 0 ? "," : "", look->foreground, look->background,
               look->bold + 2 * look->underline + 4 * look->reverse);
        do
            if (vt->cells[y][x] != 0) /* else the right half of a wide one */
                print_codepoint(vt->cells[y][x]);
        while (++x < vt->width && looks_equal(look, &vt->looks[y][x]));
        printf("\"]");
    }
}

static void print_screen(const char *name)
{
    const struct vt *vt = &terminal.vt;
    printf("{\"name\":\"%s\",\"bytes\":%llu,\"rows\":[", name, (unsigned long long)terminal.bytes);
    for (int y = 0; y < vt->height; y++) {
        printf("%s[", y > 0 ? "," : "");
        print_row(vt, y);
        printf("]");
    }
    printf("]}\n");
    fflush(stdout);
}

static void type_keys(const char *keys)
{
    char bytes[256];
    size_t count = 0;
    for (; *keys != '\0' && count < sizeof bytes - 1; keys++) {
        char c = *keys;
        if (c == '\\' && keys[1] != '\0')
            c = *++keys == 'r' ? '\r' : *keys == 't' ? '\t' : *keys == 'e' ? '\x1b' : *keys;
        bytes[count++] = c;
    }
    bytes[count] = '\0';
    terminal_type(&terminal, bytes);
}

/* The program's output is read meanwhile, since it may wait for that. */
static void sleep_ms(long ms)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do {
        terminal_take(&terminal, 10);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static bool obey(char *line)
{
    char *rest = strchr(line, ' ');
    if (rest == NULL)
        return false;
    *rest++ = '\0';
    if (strcmp(line, "type") == 0)
        type_keys(rest);
    else if (strcmp(line, "wait") == 0)
        return terminal_shows(&terminal, rest) && terminal_is_quiet(&terminal);
    else if (strcmp(line, "sleep") == 0)
        sleep_ms(strtol(rest, NULL, 10));
    else if (strcmp(line, "print") == 0)
        print_screen(rest);
    else
        return false;
    return strcmp(line, "type") != 0 || terminal_is_quiet(&terminal);
}

int main(int argc, char **argv)
{
    int width, height, status = 0;
    char line[512];
    if (argc < 4 || sscanf(argv[1], "%dx%d", &width, &height) != 2) {
        fputs("vt_screens WIDTHxHEIGHT TYPE PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    char type[64], *arguments[32] = {(char *)(uintptr_t) "env", type};
    snprintf(type, sizeof type, "TERM=%s", argv[2]);
    for (int i = 3; i < argc && i < 32; i++)
        arguments[i - 1] = argv[i];
    terminal_start(&terminal, width, height, arguments, NULL, NULL);
    while (status == 0 && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (!obey(line)) {
            fprintf(stderr, "vt_screens: this failed: %s\n", line);
            status = 1;
        }
    }
    if (terminal.vt.unknown > 0)
        fprintf(stderr, "vt_screens: the terminal did not understand %s\n", terminal.vt.unknown_text);
    terminal_fini(&terminal);
    return status != 0 || terminal.vt.unknown > 0;
}
