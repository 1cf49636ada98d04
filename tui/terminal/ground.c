/* SPDX-License-Identifier: Apache-2.0 */
/* A second question, which all terminals answer (DA1), ends the wait where the first one is not understood.
 */
#include "tui/terminal/ground.h"

#include "tui/terminal/restore.h"

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define QUESTIONS "\x1b]11;?\x1b\\\x1b[c"
#define LIGHT_FROM 0.5 /* of the brightness of white */

enum ground ground_of_answer(const char *answer)
{
    static const double weights[] = {0.299, 0.587, 0.114}; /* of ITU-R BT.601 */
    const char *at = strstr(answer, "]11;rgb");
    double brightness = 0;
    at = at ? strchr(at, ':') : NULL;
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        unsigned value = 0;
        int length = 0;
        if (!at || sscanf(at + 1, "%4x%n", &value, &length) != 1)
            return GROUND_UNKNOWN;
        brightness += weights[i] * value / ((1u << 4 * length) - 1);
        at += 1 + length;
        if (i < 2 && *at != '/')
            return GROUND_UNKNOWN;
    }
    return brightness >= LIGHT_FROM ? GROUND_LIGHT : GROUND_DARK;
}

enum ground ground_of_colors(const char *text)
{
    const char *last = text ? strrchr(text, ';') : NULL;
    char *end;
    if (!last || last[1] < '0' || last[1] > '9')
        return GROUND_UNKNOWN;
    long number = strtol(last + 1, &end, 10);
    if (*end != '\0' || number > 15)
        return GROUND_UNKNOWN;
    return number == 7 || number > 8 ? GROUND_LIGHT : GROUND_DARK; /* 8 is dark grey */
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads until the answer of DA1, "\x1b[?...c", has come. */
static void read_answers(char *answers, size_t size_bytes)
{
    int64_t end_ms = now_ms() + GROUND_WAIT_MS;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    size_t used = 0;
    answers[0] = '\0';
    for (;;) {
        int64_t left_ms = end_ms - now_ms();
        const char *attributes = strstr(answers, "\x1b[?");
        if (left_ms <= 0 || used + 1 >= size_bytes || (attributes && strchr(attributes, 'c')) ||
            poll(&input, 1, (int)left_ms) != 1)
            return;
        ssize_t got = read(STDIN_FILENO, answers + used, size_bytes - used - 1);
        if (got <= 0)
            return;
        used += (size_t)got;
        answers[used] = '\0';
    }
}

/* What the terminal answers; "": it is not asked, or does not answer. */
static void ask_terminal(char *answers, size_t size_bytes)
{
    struct termios before;
    answers[0] = '\0';
    if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0)
        return;
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0)
        return;
    restore_write(QUESTIONS);
    read_answers(answers, size_bytes);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

enum ground ground_of_terminal(void)
{
    char answers[256];
    ask_terminal(answers, sizeof answers);
    enum ground ground = ground_of_answer(answers);
    return ground != GROUND_UNKNOWN ? ground : ground_of_colors(getenv("COLORFGBG"));
}
