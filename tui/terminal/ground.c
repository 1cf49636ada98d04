/* A second question, which all terminals answer (DA1), ends the wait where the first one is not understood.
 */
#include "tui/terminal/ground.h"

#include "tui/terminal/restore.h"

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define QUESTIONS "\x1b]11;?\x1b\\\x1b[c"
#define LIGHT_FROM 0.5 /* of the brightness of white */

bool ground_text_is_light(const char *answer)
{
    static const double weights[] = {0.299, 0.587, 0.114}; /* of ITU-R BT.601 */
    const char *at = strstr(answer, "]11;rgb");
    double brightness = 0;
    at = at != NULL ? strchr(at, ':') : NULL;
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        unsigned value = 0;
        int length = 0;
        if (at == NULL || sscanf(at + 1, "%4x%n", &value, &length) != 1)
            return false;
        brightness += weights[i] * value / ((1u << 4 * length) - 1);
        at += 1 + length;
        if (i < 2 && *at != '/')
            return false;
    }
    return brightness >= LIGHT_FROM;
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
        if (left_ms <= 0 || used + 1 >= size_bytes ||
            (attributes != NULL && strchr(attributes, 'c') != NULL) || poll(&input, 1, (int)left_ms) != 1)
            return;
        ssize_t got = read(STDIN_FILENO, answers + used, size_bytes - used - 1);
        if (got <= 0)
            return;
        used += (size_t)got;
        answers[used] = '\0';
    }
}

bool ground_is_light(void)
{
    struct termios before, raw;
    char answers[256];
    if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0)
        return false;
    restore_write(QUESTIONS);
    read_answers(answers, sizeof answers);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return ground_text_is_light(answers);
}
