/*
 * The cursor stays where the program left it, possibly behind text without an end of line: ESC D makes sure
 * that there is a line below, ESC 7 and ESC 8 save and restore the cursor.
 */
#include "standin/waiting.h"

#include "core/base/clock.h"
#include "core/base/demangle.h"
#include "core/wire/standin_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LINE_AFTER_NS (2 * (int64_t)NS_PER_S)
#define LINE_BYTES 300

static struct {
    bool wanted, on_terminal;
    bool shown;          /* the line on the terminal */
    bool said;           /* the one line elsewhere */
    int64_t sentence_ns; /* when that may be said, by the monotonic clock */
} waiting;

void waiting_begin(void)
{
    const char *seconds = getenv(STANDIN_WAITING_VARIABLE);

    waiting.wanted = seconds != NULL;
    waiting.on_terminal = isatty(STDERR_FILENO);
    waiting.sentence_ns = clock_monotonic_ns() + (seconds ? atoi(seconds) : 0) * (int64_t)NS_PER_S;
}

static unsigned terminal_columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void line_print(const char *text)
{
    char bytes[LINE_BYTES + 40];
    int length = snprintf(bytes, sizeof bytes, "%s\0337\033[B\r\033[K%.*s\0338",
                          *text && !waiting.shown ? "\033D\033[A" : "", (int)terminal_columns() - 1, text);

    if (write(STDERR_FILENO, bytes, (size_t)length) != length)
        waiting.wanted = false;
    waiting.shown = *text != '\0';
}

void waiting_tell(const char *kernel, const struct progress *progress)
{
    char text[LINE_BYTES];

    if (!waiting.wanted)
        return;
    if (progress->over) {
        if (waiting.shown)
            line_print("");
        return;
    }
    bool line = waiting.on_terminal && progress->elapsed_ns >= LINE_AFTER_NS;
    bool sentence = !waiting.on_terminal && !waiting.said && clock_monotonic_ns() >= waiting.sentence_ns;
    if (!line && !sentence)
        return;
    char *demangled = demangle(kernel);
    char name[100];
    progress_kernel_name(demangled ? demangled : kernel, name, sizeof name);
    progress_text(progress, name, text, sizeof text);
    free(demangled);
    if (line)
        line_print(text);
    else
        fprintf(stderr, "lanescope: %s\n", text);
    waiting.said |= sentence;
}
