/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `shown` holds the cells that the terminal shows, and `wanted` those that it should show; a frame sends the
 * differences. The sequences that reset the terminal's modes are given to tui/terminal/restore at the start,
 * so that they are sent after any kind of end.
 *
 * The palette has a theme's colours on the terminal: curses' colour pairs, and the background of all cells
 * that are painted or erased. Every cell gets the theme's background, so that the text is legible on any
 * terminal; the mono theme and a transparent palette keep the terminal's background. `pairs` holds curses'
 * number of each pair of roles, 0 until the pair is first used; a change of theme clears it. If no pairs are
 * left, a style is drawn in the terminal's own colours.
 *
 * With synchronised output a terminal shows a frame only when it is complete. A list of terminals says which
 * support it; a multiplexer in between means no support.
 */
#include "tui/terminal/term.h"

#include "tui/terminal/deferral.h"
#include "tui/terminal/direct_type.h"
#include "tui/terminal/restore.h"
#include "tui/terminal/shorten.h"
#include "tui/terminal/style.h"
#include "tui/terminal/writer.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define SYNC_BEGIN "\x1b[?2026h"
#define SYNC_END "\x1b[?2026l"

/* Does the terminal support it? Other terminals may print the sequence. */
static bool sync_is_known(void)
{
    static const char *const types[] = {"xterm-kitty",   "foot",    "alacritty",
                                        "xterm-ghostty", "contour", "wezterm"};
    static const char *const programs[] = {"iTerm.app", "WezTerm", "ghostty", "contour"};
    const char *type = getenv("TERM"), *program = getenv("TERM_PROGRAM");
    for (size_t i = 0; type && i < sizeof types / sizeof types[0]; i++)
        if (strncmp(type, types[i], strlen(types[i])) == 0)
            return true;
    if (!type || strncmp(type, "xterm", 5) != 0 || !program)
        return false;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(program, programs[i]) == 0)
            return true;
    return false;
}

enum palette_depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB };

struct palette {
    enum palette_depth depth;
    bool transparent; /* keep the terminal's own background */
    bool fills;       /* the terminal gives erased or inserted cells the background that was set last */
    const struct theme *theme; /* the theme that the pairs belong to; NULL: none yet */
    char ground[64];           /* the bytes that set the theme's background; empty: the terminal's own */
    /* The number of each role's colour, in front and as a ground: they are compared for every new pair. */
    int front[COLOR_COUNT], back[COLOR_COUNT];
    int pairs[COLOR_COUNT][COLOR_COUNT], pair_count;
};

static void palette_start(struct palette *palette, bool color, bool transparent)
{
    *palette = (struct palette){.transparent = transparent, .fills = tigetflag("bce") > 0};
    if (!color || !has_colors() || start_color() == ERR || use_default_colors() == ERR)
        palette->depth = DEPTH_MONO;
    else if (COLORS >= 1 << 24)
        palette->depth = DEPTH_RGB;
    else
        palette->depth = COLORS >= 256 ? DEPTH_256 : COLORS >= 16 ? DEPTH_16 : DEPTH_8;
}

static bool palette_has_colors(const struct palette *palette)
{
    return palette->depth != DEPTH_MONO && !palette->theme->mono;
}

/* True if the terminal gives inserted cells another background than the theme's: they must then be painted.
 */
static bool palette_leaves_holes(const struct palette *palette)
{
    return palette->ground[0] != '\0' && !palette->fills;
}

/* ---- a theme ---- */

/* With direct colours, the numbers below 8 are the first eight of the terminal's palette, and it may show
 * bold ones of these as bright ones: black as grey. */
#define PALETTE_NUMBERS 8
#define ALMOST_BLACK 0x010101

static int direct_number(uint32_t rgb)
{
    return rgb < PALETTE_NUMBERS ? ALMOST_BLACK : (int)rgb;
}

static int color_number(const struct palette *palette, const struct theme_color *color)
{
    switch (palette->depth) {
    case DEPTH_RGB: return direct_number(color->rgb);
    case DEPTH_256: return color_of_256(color);
    case DEPTH_16: return color->ansi16;
    case DEPTH_8: return color->ansi8 & 7;
    case DEPTH_MONO: break;
    }
    return -1;
}

/* The numbers of the roles' colours; -1: the terminal's default colour. */
static void find_colors(struct palette *palette)
{
    const struct theme *theme = palette->theme;
    bool own = palette->ground[0] == '\0';
    for (uint8_t role = 0; role < COLOR_COUNT; role++) {
        bool none = own && role == COLOR_NONE;
        palette->front[role] = none ? -1 : color_number(palette, &theme->color[role]);
        palette->back[role] = none ? -1 : color_number(palette, theme_ground(theme, role));
    }
}

/* Changes the theme; all cells must then be painted. False: the theme is unchanged. */
static bool palette_take(struct palette *palette, const struct theme *theme)
{
    if (palette->theme == theme)
        return false;
    const char *set = tigetstr("setab");
    memset(palette->pairs, 0, sizeof palette->pairs);
    palette->pair_count = 0;
    palette->theme = theme;
    palette->ground[0] = '\0';
    if (palette->depth == DEPTH_MONO)
        return true;
    if (!theme->mono && !palette->transparent && set && set != (char *)-1)
        snprintf(palette->ground, sizeof palette->ground, "%s",
                 tiparm(set, color_number(palette, &theme->ground)));
    find_colors(palette);
    assume_default_colors(palette->front[COLOR_NONE], palette->back[COLOR_NONE]);
    return true;
}

/* ---- a style ---- */

/* The style as this terminal can show it, for palette_pair and palette_is_bold. */
static struct style palette_style(const struct palette *palette, struct style style)
{
    if (!palette_has_colors(palette))
        return style_without_color(style);
    return palette->depth < DEPTH_256 ? style_of_few_colors(style) : style;
}

/* A pair that already has these colours, made for other roles; 0: none. With few colours there are few pairs.
 */
static int palette_find(const struct palette *palette, int foreground, int background)
{
    for (uint8_t i = 0; i < COLOR_COUNT; i++) {
        for (uint8_t j = 0; j < COLOR_COUNT; j++)
            if (palette->pairs[i][j] != 0 && palette->front[i] == foreground &&
                palette->back[j] == background)
                return palette->pairs[i][j];
    }
    return 0;
}

static int palette_pair(struct palette *palette, struct style style)
{
    int *pair = &palette->pairs[style.foreground][style.background];
    int foreground = palette->front[style.foreground], background = palette->back[style.background];
    if (*pair != 0)
        return *pair;
    if (foreground < 0 && background < 0)
        return 0;
    *pair = palette_find(palette, foreground, background);
    if (*pair != 0)
        return *pair;
    if (palette->pair_count + 1 >= COLOR_PAIRS ||
        init_extended_pair(palette->pair_count + 1, foreground, background) == ERR)
        return 0;
    *pair = ++palette->pair_count;
    return *pair;
}

/* With few colours bold changes the colour: it may brighten light colours, but not black and blue, which are
 * the colours of letters on a light background. */
static bool palette_is_bold(const struct palette *palette, struct style style)
{
    const struct theme_color *color = &palette->theme->color[style.foreground];
    bool bold = (style.attributes & ATTRIBUTE_BOLD) != 0;
    if (palette->depth == DEPTH_8 && !palette->theme->mono)
        return color->ansi8 > 7 || (bold && color->ansi8 != 0);
    if (palette->depth == DEPTH_16 && !palette->theme->mono)
        return bold && color->ansi16 != 0 && color->ansi16 != 4;
    return bold;
}

#define MOUSE_DRAGS_ON "\x1b[?1002h"
#define PASTES_ON "\x1b[?2004h" /* pasted text comes between two marks */
#define MODES_OFF "\x1b[?1002l\x1b[?1000l\x1b[?1006l\x1b[?2004l"
/* curses makes one event of a press and a release that come together. */
#define BUTTON_CLICKS(n) (BUTTON##n##_CLICKED | BUTTON##n##_DOUBLE_CLICKED | BUTTON##n##_TRIPLE_CLICKED)
#define CLICKS (BUTTON_CLICKS(1) | BUTTON_CLICKS(2) | BUTTON_CLICKS(3))
#define PRESSES (BUTTON1_PRESSED | BUTTON2_PRESSED | BUTTON3_PRESSED)
#define RELEASES (BUTTON1_RELEASED | BUTTON2_RELEASED | BUTTON3_RELEASED)
#define KEYS_HELD (BUTTON_CTRL | BUTTON_SHIFT | BUTTON_ALT)
#define FULL_BLOCK 0x2588

enum { KEY_PASTE = KEY_MAX + 1, KEY_PASTED, KEY_REPEATS, KEY_REPEATS_NOT };

struct term {
    SCREEN *screen;
    struct shortener shortener;
    struct palette palette;
    bool ascii, mouse, sync, gone;
    struct cell *shown;      /* the cells that the terminal shows */
    struct cell *wanted;     /* the cells that it should show now */
    bool *shifted;           /* by row of the band */
    struct canvas_band band; /* the band that the terminal shows */
    char *cursor_to, *delete_cells, *insert_cells, *save, *restore,
        *plain;                /* terminfo's; NULL: rows cannot be shifted */
    struct term_input release; /* the next input to return if its kind is MOUSE_UP */
    int width, height;
};

/* ---- start and stop ---- */

static char *find_capability(const char *name)
{
    char *text = tigetstr(name);
    return text == (char *)-1 ? NULL : text;
}

/* Makes Ctrl-S a key like any other: if it stopped the output, lanescope could not even end. */
static void stop_flow_control(void)
{
    struct termios modes;
    if (tcgetattr(STDOUT_FILENO, &modes) != 0)
        return;
    modes.c_iflag &= ~(tcflag_t)IXON;
    if (tcsetattr(STDOUT_FILENO, TCSADRAIN, &modes) == 0)
        def_prog_mode(); /* the modes that curses sets again when it is resumed */
}

static void start_shifting(struct term *term)
{
    term->cursor_to = find_capability("cup");
    term->delete_cells = find_capability("dch");
    term->insert_cells = find_capability("ich");
    term->save = find_capability("sc");
    term->restore = find_capability("rc");
    term->plain = find_capability("sgr0");
    if (!term->delete_cells || !term->insert_cells || !term->save || !term->plain || !term->restore)
        term->cursor_to = NULL;
}

static void start_mouse(struct term *term)
{
    mmask_t wanted =
        CLICKS | PRESSES | RELEASES | KEYS_HELD | BUTTON4_PRESSED | BUTTON5_PRESSED | REPORT_MOUSE_POSITION;
    term->mouse = mousemask(wanted, NULL) != 0;
    mouseinterval(0);
    if (term->mouse)
        restore_write(MOUSE_DRAGS_ON);
}

static bool refresh_shorter(struct term *term)
{
    shortener_begin(&term->shortener);
    refresh();
    return shortener_end(&term->shortener);
}

/* Asks where the cursor is after a letter that is to be repeated twice. The answer comes like a key; the
 * first frame clears the letters. */
static void ask_whether_it_repeats(struct term *term)
{
    refresh_shorter(term); /* enters the screen that is cleared */
    if (LINES < 2 || COLS < 8)
        return;
    for (char answer[] = "\x1b[2;1R"; answer[4] <= '9'; answer[4]++)
        define_key(answer, answer[4] == '4' ? KEY_REPEATS : KEY_REPEATS_NOT);
    restore_write(term->ascii ? "\x1b[2;1Hx\x1b[2b\x1b[6n" : "\x1b[2;1H\u2588\x1b[2b\x1b[6n");
}

static SCREEN *start_curses(FILE *out)
{
    struct direct_type type;
    return newterm(direct_type_find(&type) ? type.name : NULL, out, stdin);
}

enum status term_start(struct term **made, const struct term_options *options, struct error *error)
{
    const char *type = getenv("TERM");
    *made = NULL;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !restore_prepare())
        return error_set(error, STATUS_STATE,
                         "The screen needs a terminal, and standard input or output is not one: use "
                         "--snapshot, --record or report instead.");
    struct term *term = calloc(1, sizeof *term);
    if (!term)
        return error_no_memory(error, "for the screen");
    setlocale(LC_CTYPE, "");
    term->ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    term->screen = shortener_open(&term->shortener) ? start_curses(term->shortener.out) : NULL;
    bool places = term->screen && tigetstr("cup"); /* not on dumb terminals */
    if (!places) {
        if (term->screen) {
            endwin();
            delscreen(term->screen);
        }
        shortener_close(&term->shortener);
        free(term);
        return error_set(error, STATUS_STATE,
                         "The terminal type %s is not known here, or cannot place a cursor: set TERM to the "
                         "type of your terminal, such as xterm-256color, or use --snapshot or report.",
                         type && *type != '\0' ? type : "(TERM is not set)");
    }
    set_escdelay(25);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    stop_flow_control();
    /* Some terminals stay in normal mode even if they are told to use application mode. */
    define_key("\x1b[A", KEY_UP);
    define_key("\x1b[B", KEY_DOWN);
    define_key("\x1b[C", KEY_RIGHT);
    define_key("\x1b[D", KEY_LEFT);
    define_key("\x1b[200~", KEY_PASTE);
    define_key("\x1b[201~", KEY_PASTED);
    curs_set(0);
    palette_start(&term->palette, options->color, options->transparent);
    shortener_start(&term->shortener);
    term->sync = sync_is_known();
    start_shifting(term);
    restore_append(MODES_OFF);
    restore_append(tigetstr("rmkx"));
    restore_append(tigetstr("sgr0"));
    restore_append(tigetstr("cnorm"));
    restore_append(tigetstr("rmcup"));
    if (options->mouse)
        start_mouse(term);
    restore_write(PASTES_ON);
    restore_arm();
    ask_whether_it_repeats(term);
    *made = term;
    return STATUS_OK;
}

void term_stop(struct term *term)
{
    if (!term)
        return;
    restore_write(MODES_OFF);
    endwin();
    restore_disarm();
    delscreen(term->screen);
    shortener_close(&term->shortener);
    free(term->shown);
    free(term->wanted);
    free(term->shifted);
    free(term);
}

bool term_ascii(const struct term *term)
{
    return term->ascii;
}

bool term_ended(const struct term *term)
{
    return restore_end_asked() != 0 || term->gone;
}

/* Asked with each frame: SIGWINCH is lost while an editor has the terminal or the process is stopped. */
static void follow_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        is_term_resized(size.ws_row, size.ws_col))
        resizeterm(size.ws_row, size.ws_col);
}

void term_size(const struct term *term, int *width, int *height)
{
    (void)term;
    follow_size();
    *width = COLS < 1 ? 1 : COLS > CANVAS_SIDE_MAX ? CANVAS_SIDE_MAX : COLS;
    *height = LINES < 1 ? 1 : LINES > CANVAS_SIDE_MAX ? CANVAS_SIDE_MAX : LINES;
}

/* ---- painting ---- */

bool term_ready(const struct term *term)
{
    int unread = 0;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    (void)term;
    if (ioctl(STDOUT_FILENO, TIOCOUTQ, &unread) == 0 && unread > 0)
        return false;
    return poll(&output, 1, 0) == 1 && (output.revents & POLLOUT);
}

/* Half of a frame's bytes are colours: a full block becomes a blank on its colour, like the letters beside
 * it. */
static struct cell cheap_cell(const struct term *term, const struct cell *cell)
{
    struct cell cheap = *cell;
    if (cell->codepoint == FULL_BLOCK && cell->style.background == COLOR_NONE &&
        cell->style.attributes == 0 && cell->style.foreground != COLOR_CPU) {
        cheap.codepoint = ' ';
        cheap.style = STYLE(COLOR_INK, cell->style.foreground, ATTRIBUTE_BOLD);
    }
    cheap.style = palette_style(&term->palette, cheap.style);
    return cheap;
}

static void paint_cell(struct term *term, int x, int y, const struct cell *cell)
{
    wchar_t text[4] = {(wchar_t)cell->codepoint, (wchar_t)cell->mark[0], (wchar_t)cell->mark[1], 0};
    struct style style = cell->style;
    attr_t attributes = A_NORMAL;
    cchar_t glyph;
    int pair = palette_pair(&term->palette, style);
    if (palette_is_bold(&term->palette, style))
        attributes |= A_BOLD;
    if (style.attributes & ATTRIBUTE_UNDERLINE)
        attributes |= A_UNDERLINE;
    if (style.attributes & ATTRIBUTE_REVERSE)
        attributes |= A_REVERSE;
    if (setcchar(&glyph, text, attributes, 0, &pair) == OK)
        mvadd_wch(y, x, &glyph);
}

/* Allocates the cells for the canvas's size. Returns true if all cells must be painted: the size or the
 * meaning of the colours has changed. */
static bool take_shape(struct term *term, const struct canvas *canvas, const struct theme *theme)
{
    bool other = !term->shown || term->width != canvas->width || term->height != canvas->height;
    if (other) {
        size_t cells = (size_t)canvas->width * (size_t)canvas->height;
        free(term->shown);
        free(term->wanted);
        free(term->shifted);
        term->shown = calloc(cells, sizeof *term->shown);
        term->wanted = calloc(cells, sizeof *term->wanted);
        term->shifted = calloc((size_t)canvas->height, sizeof *term->shifted);
        term->width = canvas->width;
        term->height = canvas->height;
    }
    return palette_take(&term->palette, theme) || other;
}

/* ---- shifting ---- */

/* Bytes that are written to the terminal directly, without curses. */
struct raw {
    char text[4096];
    size_t used;
};

static void raw_add(struct raw *raw, const char *text)
{
    size_t length = strlen(text);
    if (raw->used + length >= sizeof raw->text) {
        restore_write(raw->text);
        raw->used = 0;
    }
    memcpy(raw->text + raw->used, text, length + 1); /* a capability is much shorter than the buffer */
    raw->used += length;
}

/* Shifts a row both on the terminal and in curses' copy of the screen: cells are deleted at one end of the
 * area and blanks are inserted at the other, so that the cells to the right of the area stay in place. */
static void shift_row(const struct term *term, struct raw *raw, const struct rect *area, int y, int shift)
{
    int count = shift < 0 ? -shift : shift, right = area->x + area->width - count;
    int out = shift > 0 ? area->x : right, in = shift > 0 ? right : area->x;
    raw_add(raw, tiparm(term->cursor_to, y, out));
    raw_add(raw, tiparm(term->delete_cells, count));
    raw_add(raw, tiparm(term->cursor_to, y, in));
    raw_add(raw, tiparm(term->insert_cells, count));
    for (int i = 0; i < count && palette_leaves_holes(&term->palette); i++)
        raw_add(raw, " ");
    wmove(curscr, y, out);
    for (int i = 0; i < count; i++)
        wdelch(curscr);
    wmove(curscr, y, in);
    for (int i = 0; i < count; i++)
        winsch(curscr, ' ');
}

/* Shifts what the terminal shows, without curses; the cursor and the colours are then again as curses left
 * them. Returns by how many cells. */
static int shift_band(struct term *term, const struct canvas *canvas)
{
    int shift = !term->cursor_to ? 0 : canvas_band_shift(&term->band, &canvas->band);
    const struct rect *area = &canvas->band.area;
    struct raw raw = {.used = 0};
    for (int y = area->y; shift != 0 && y < area->y + area->height; y++) {
        bool *shifted = &term->shifted[y - area->y];
        *shifted = canvas_row_gains(canvas, term->shown + (size_t)y * (size_t)term->width, y, shift);
        if (!*shifted)
            continue;
        if (raw.used == 0) {
            raw_add(&raw, term->save);
            raw_add(&raw, term->plain);
            raw_add(&raw, term->palette.ground);
        }
        shift_row(term, &raw, area, y, shift);
    }
    if (raw.used > 0) {
        raw_add(&raw, term->restore);
        restore_write(raw.text);
    }
    return shift;
}

static void paint_differences(struct term *term, const struct canvas *canvas, bool whole)
{
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            size_t at = (size_t)y * (size_t)canvas->width + (size_t)x;
            if (!whole && cell_equal(&term->wanted[at], &term->shown[at]))
                continue;
            struct cell cell = cheap_cell(term, &term->wanted[at]);
            if (cell.codepoint != 0)
                paint_cell(term, x, y, &cell);
            term->shown[at] = term->wanted[at];
        }
    }
}

bool term_paint(struct term *term, const struct canvas *canvas, const struct theme *theme, bool repaint)
{
    bool whole = take_shape(term, canvas, theme) || repaint, later = false;
    int shift = 0;
    if (!term->shown || !term->wanted || !term->shifted) {
        term->width = 0; /* out of memory: tried again with the next frame */
        return true;
    }
    if (whole) {
        erase();
        clearok(stdscr, TRUE);
    }
    if (term->sync)
        restore_write(SYNC_BEGIN);
    if (!whole)
        shift = shift_band(term, canvas);
    memcpy(term->wanted, canvas->cells,
           (size_t)canvas->width * (size_t)canvas->height * sizeof *term->wanted);
    if (!whole && !canvas->ascii && palette_has_colors(&term->palette))
        later = deferral_make(term->wanted, term->shown, canvas, &term->band, shift, term->shifted);
    term->band = canvas->band;
    paint_differences(term, canvas, whole);
    if (!refresh_shorter(term))
        term->width = 0; /* no memory: all is painted with the next frame */
    if (term->sync)
        restore_write(SYNC_END);
    return later;
}

/* The sequence within tmux's own, in which each escape is doubled. */
static void copy_through_tmux(const char *sequence)
{
    struct raw raw = {.used = 0};

    raw_add(&raw, "\x1bPtmux;");
    for (; *sequence; sequence++) {
        raw_add(&raw, *sequence == '\x1b' ? "\x1b" : "");
        raw_add(&raw, (const char[]){*sequence, '\0'});
    }
    raw_add(&raw, "\x1b\\");
    restore_write(raw.text);
}

void term_copy(struct term *term, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strlen(text);
    struct raw raw = {.used = 0};
    (void)term;
    raw_add(&raw, "\x1b]52;c;");
    for (size_t i = 0; i < length; i += 3) {
        unsigned char bytes[3] = {0};
        memcpy(bytes, text + i, length - i < 3 ? length - i : 3);
        const char four[] = {digits[bytes[0] >> 2], digits[(bytes[0] & 3) << 4 | bytes[1] >> 4],
                             i + 1 < length ? digits[(bytes[1] & 15) << 2 | bytes[2] >> 6] : '=',
                             i + 2 < length ? digits[bytes[2] & 63] : '=', '\0'};
        raw_add(&raw, four);
    }
    raw_add(&raw, "\x1b\\");
    restore_write(raw.text);
    if (getenv(
            "TMUX")) /* tmux keeps it to itself but where set-clipboard is on; this it passes on where allow-passthrough is */
        copy_through_tmux(raw.text);
}

/* ---- input ---- */

static void suspend_terminal(struct term *term)
{
    term_leave(term);
    raise(SIGSTOP);
}

static void resume_terminal(struct term *term)
{
    /* endwin does not save the modes a second time; the refresh sets the screen and the modes again, whoever
     * changed them. */
    term_leave(term);
    reset_prog_mode();
    restore_write(term->mouse ? MOUSE_DRAGS_ON PASTES_ON : PASTES_ON);
    clearok(curscr, TRUE);
    refresh_shorter(term);
}

void term_leave(struct term *term)
{
    restore_write(MODES_OFF);
    endwin();
    shortener_leave(&term->shortener);
}

void term_return(struct term *term)
{
    resume_terminal(term);
}

static bool take_mouse(struct term *term, struct term_input *input)
{
    MEVENT event;
    if (getmouse(&event) != OK)
        return false;
    input->kind = TERM_MOUSE;
    input->mouse = (struct mouse){.x = event.x, .y = event.y};
    input->mouse.second =
        (event.bstate & (BUTTON1_PRESSED | BUTTON_CLICKS(1))) == 0 || (event.bstate & KEYS_HELD) != 0;
    input->mouse.again = (event.bstate & (BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED)) != 0;
    if (event.bstate & BUTTON4_PRESSED)
        input->mouse.kind = MOUSE_WHEEL_UP;
    else if (event.bstate & BUTTON5_PRESSED)
        input->mouse.kind = MOUSE_WHEEL_DOWN;
    else if (event.bstate & (PRESSES | CLICKS))
        input->mouse.kind = MOUSE_DOWN;
    else if (event.bstate & RELEASES)
        input->mouse.kind = MOUSE_UP;
    else if (event.bstate & REPORT_MOUSE_POSITION)
        input->mouse.kind = MOUSE_DRAG;
    else
        return false;
    if (event.bstate & CLICKS) {
        term->release = *input;
        term->release.mouse.kind = MOUSE_UP;
    }
    return true;
}

static uint32_t key_of_code(wint_t code)
{
    switch (code) {
    case KEY_UP: return CODE_UP;
    case KEY_DOWN: return CODE_DOWN;
    case KEY_LEFT: return CODE_LEFT;
    case KEY_RIGHT: return CODE_RIGHT;
    case KEY_SLEFT: return CODE_SHIFT_LEFT;
    case KEY_SRIGHT: return CODE_SHIFT_RIGHT;
    case KEY_PPAGE: return CODE_PAGE_UP;
    case KEY_NPAGE: return CODE_PAGE_DOWN;
    case KEY_HOME: return CODE_HOME;
    case KEY_END: return CODE_END;
    case KEY_BTAB: return CODE_BACKTAB;
    case KEY_DC: return CODE_DELETE;
    case KEY_F(1): return CODE_F1;
    case KEY_PASTE: return CODE_PASTE;
    case KEY_PASTED: return CODE_PASTED;
    case KEY_ENTER: return KEY_RETURN;
    case KEY_BACKSPACE: return KEY_RUBOUT;
    default: return 0;
    }
}

/* Takes one input that is already there; inputs without a meaning are skipped. */
static bool take_input(struct term *term, struct term_input *input)
{
    wint_t code;
    follow_size(); /* KEY_RESIZE comes then */
    if (term->release.mouse.kind == MOUSE_UP) {
        *input = term->release;
        term->release.mouse.kind = MOUSE_DOWN;
        return true;
    }
    for (;;) {
        int kind = get_wch(&code);
        if (kind == ERR)
            return false;
        input->kind = TERM_KEY;
        if (kind == KEY_CODE_YES && code == KEY_RESIZE) {
            input->kind = TERM_REDRAW;
            return true;
        }
        if (kind == KEY_CODE_YES && code == KEY_MOUSE) {
            if (take_mouse(term, input))
                return true;
            continue;
        }
        if (kind == KEY_CODE_YES && code == KEY_REPEATS)
            term->shortener.repeats = true;
        input->key = kind == KEY_CODE_YES ? key_of_code(code) : (uint32_t)code;
        if (input->key != 0)
            return true;
    }
}

bool term_wait(struct term *term, int timeout_ms, struct term_input *input)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    if (take_input(term, input))
        return true;
    if (restore_end_asked() == 0)
        poll(&keys, 1, timeout_ms);
    bool stopped = restore_take_stop();
    if (stopped)
        suspend_terminal(term);
    if (restore_take_resumed() || stopped) {
        resume_terminal(term);
        *input = (struct term_input){.kind = TERM_REDRAW};
        return true;
    }
    if (take_input(term, input))
        return true;
    if (keys.revents & (POLLHUP | POLLERR | POLLNVAL))
        term->gone = true;
    return false;
}

/* ---- a screen of one picture ---- */

static enum status fit_canvas(const struct term *term, struct canvas *canvas, bool *dirty,
                              struct error *error)
{
    int width, height;
    term_size(term, &width, &height);
    if (width == canvas->width && height == canvas->height)
        return STATUS_OK;
    *dirty = true;
    return canvas_resize(canvas, width, height, error);
}

enum status term_picture_run(const struct term_picture *picture, struct error *error)
{
    struct term *term = NULL;
    struct canvas canvas = {0};
    struct term_input input;
    bool dirty = true, left = false;
    enum status status = term_start(&term, &picture->options, error);
    if (status == STATUS_OK)
        status = canvas_init(&canvas, 80, 24, picture->options.ascii || term_ascii(term), error);
    while (status == STATUS_OK && !left && !term_ended(term)) {
        status = fit_canvas(term, &canvas, &dirty, error);
        if (status == STATUS_OK && dirty && term_ready(term)) {
            picture->draw(picture->context, &canvas);
            dirty = term_paint(term, &canvas, picture->theme, false);
        }
        if (status == STATUS_OK && term_wait(term, dirty ? 10 : 1000, &input)) {
            left = !picture->take(picture->context, &input);
            dirty = true;
        }
    }
    term_stop(term);
    canvas_fini(&canvas);
    return status;
}

static enum status press_keys(const struct term_picture *picture, const char *keys, struct canvas *canvas,
                              struct error *error)
{
    while (keys && *keys) {
        const size_t length = strcspn(keys, " ");
        const struct term_input input = {.kind = TERM_KEY, .key = length ? key_parse(keys, length) : 0};
        if (length > 0 && input.key == 0)
            return error_set(error, STATUS_USAGE, "'%.*s' is not a key.", (int)length, keys);
        if (length > 0) {
            picture->take(picture->context, &input);
            picture->draw(picture->context, canvas);
        }
        keys += length + (keys[length] == ' ');
    }
    return STATUS_OK;
}

enum status term_picture_write(const struct term_picture *picture, const char *format, int width, int height,
                               const char *keys, FILE *out, struct error *error)
{
    struct canvas canvas = {0};
    enum status status = canvas_init(&canvas, width, height, picture->options.ascii, error);
    if (status != STATUS_OK)
        return status;
    picture->draw(picture->context, &canvas);
    status = press_keys(picture, keys, &canvas, error);
    if (status == STATUS_OK && strcmp(format, "ansi") == 0)
        writer_ansi(&canvas, picture->theme, picture->options.transparent, out);
    else if (status == STATUS_OK && strcmp(format, "svg") == 0)
        writer_svg(&canvas, picture->theme, out);
    else if (status == STATUS_OK)
        writer_text(&canvas, out);
    canvas_fini(&canvas);
    return status;
}
