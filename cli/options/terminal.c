/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal's width, NO_COLOR and the locale's character set are read when they are asked for; nothing
 * is kept.
 */
#include "cli/options/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int terminal_columns(void)
{
    struct winsize size = {0};

    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
                                                                                                : 80;
}

int terminal_lines(void)
{
    struct winsize size = {0};

    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

static bool no_color_asked(const struct options *options)
{
    const char *variable = getenv("NO_COLOR");

    return options->no_color || (variable && *variable);
}

bool terminal_wants_color(const struct options *options)
{
    return isatty(STDOUT_FILENO) && !no_color_asked(options);
}

static bool has_value(const char *name, const char *value)
{
    const char *text = getenv(name);

    return text && *text && (!value || strcmp(text, value) == 0);
}

void terminal_show_progress(int percent)
{
    const char *vte = getenv("VTE_VERSION");
    const bool known = has_value("WT_SESSION", NULL) || has_value("ConEmuANSI", "ON") ||
                       has_value("TERM_PROGRAM", "WezTerm") || has_value("TERM_PROGRAM", "ghostty") ||
                       (vte && atoi(vte) >= 7900);

    if (!known || has_value("TMUX", NULL) || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\033]9;4;%d;%d\033\\", percent >= 0, percent >= 0 ? percent : 0);
    fflush(stderr);
}

struct tui_options terminal_options(const struct options *options)
{
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

    return (struct tui_options){
        .color = !no_color_asked(options),
        .ascii = options->ascii || (!utf8 && !options->snapshot),
        .transparent = options->transparent,
        .mouse = !options->no_mouse,
        .theme = options->theme                        ? options->theme
                 : options->command == COMMAND_PRESENT ? "projector"
                                                       : NULL,
    };
}

enum status terminal_snapshot(const struct tui_host *host, const struct options *options, struct error *error)
{
    if (strcmp(options->snapshot, "svg") == 0 && isatty(STDOUT_FILENO))
        return error_set(error, STATUS_USAGE,
                         "--snapshot svg writes a picture, which a terminal does not show: add > FILE.svg.");
    struct tui_options look = terminal_options(options);
    enum tui_format format = strcmp(options->snapshot, "svg") == 0    ? TUI_SVG
                             : strcmp(options->snapshot, "ansi") == 0 ? TUI_ANSI
                                                                      : TUI_TEXT;
    enum status status = tui_snapshot(host, &look, format, options->width ? options->width : 80,
                                      options->height ? options->height : 24, options->keys, stdout, error);

    if (status == STATUS_OK && (fflush(stdout) != 0 || ferror(stdout)))
        return error_set_errno(error, STATUS_IO, errno, "Cannot write the snapshot to standard output");
    return status;
}
