/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stepper's screen: the source with its instructions, the warp's lanes, registers as strips of 32 cells, and the
 * memory that the instruction touches. A strip's cell has a letter and a ground by its value, equal ones for equal
 * values; a cell of the memory is a word, with the number of its lane. One lane is under the cursor: its values are
 * printed. `:` takes any command; its answer is a page over the screen. The main thread.
 */
#include "cli/debug/debug_repl.h"
#include "cli/debug/debug_text.h"
#include "cli/options/terminal.h"
#include "tui/terminal/term.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LANE_BASE "0123456789abcdefghijklmnopqrstuv" /* a lane's number in one letter */
#define WORDS_OF_ROW 32                              /* 128 bytes: a line of the L1, the 32 banks */
#define MEMORY_ROWS 32

struct debug_screen {
    struct debug_repl *repl;
    const struct theme *theme;
    struct tui_options look;
    uint32_t lane;
    enum debug_form form;
    char message[256];
    char typed[128]; /* after ':' */
    bool typing, quit;
    char *page; /* a command's answer; NULL: none */
    int page_top;
};

static const struct style plain = {COLOR_TEXT, COLOR_NONE, 0}, dim = {COLOR_DIM, COLOR_NONE, 0},
                          title = {COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD};

/* ---- the code ---- */

/* The instructions around the one that is next, below the source line that each group belongs to. */
static void draw_code(struct debug_screen *screen, struct canvas *canvas, struct rect at)
{
    static struct debug_code code[DEBUG_LINES];
    const struct debug_message *now = &screen->repl->session.now;
    const uint32_t above = (uint32_t)at.height / 3, from = now->pc > above ? now->pc - above : 0;
    uint32_t count = debug_code(&screen->repl->session, from, code), before = 0;
    int y = 0;
    char source[200];
    for (uint32_t i = 0; i < count && y < at.height; i++) {
        if (code[i].line && code[i].line != before) {
            bool known = debug_text_source(code[i].file, code[i].line, source, sizeof source);
            canvas_printf(canvas, at.x, at.y + y++, at.width, title, "%4u  %s", code[i].line,
                          known ? source : "");
            before = code[i].line;
        }
        if (y >= at.height)
            break;
        bool here = now->at && code[i].pc == now->pc;
        struct style style = here ? STYLE(COLOR_TEXT, COLOR_SELECTED, ATTRIBUTE_BOLD) : plain;
        if (here)
            canvas_fill(canvas, (struct rect){at.x, at.y + y, at.width, 1}, ' ', style);
        if (here)
            canvas_glyph(canvas, at.x, at.y + y, GLYPH_SELECTED, style);
        canvas_text(canvas, at.x + 6, at.y + y++, at.width - 6, style, code[i].text);
    }
}

/* ---- lanes and registers ---- */

/* Lanes stand in eights, so that they can be counted. */
static int lane_column(uint32_t lane)
{
    return (int)(lane + lane / 8);
}
#define LANES_CELLS 35

static struct style hue_style(uint32_t number)
{
    return STYLE(COLOR_LANE_INK, COLOR_LANE + number % (STYLE_LANE_HUES * STYLE_LANE_SHADES), 0);
}

static void draw_lanes(const struct debug_screen *screen, struct canvas *canvas, int x, int y, int width)
{
    const struct debug_message *now = &screen->repl->session.now;
    char row[WARP_LANES + 1];
    debug_text_lane_row(now, row);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        bool cursor = lane == screen->lane, on = now->on >> lane & 1;
        struct style head = STYLE(cursor ? COLOR_TEXT : COLOR_DIM, cursor ? COLOR_CURSOR : COLOR_NONE,
                                  cursor ? ATTRIBUTE_BOLD : 0);
        canvas_put(canvas, x + lane_column(lane), y, (uint32_t)LANE_BASE[lane], head);
        canvas_put(
            canvas, x + lane_column(lane), y + 1, (uint32_t)row[lane],
            STYLE(on ? COLOR_GOOD : COLOR_WARN, cursor ? COLOR_CURSOR : COLOR_NONE, on ? ATTRIBUTE_BOLD : 0));
    }
    canvas_printf(canvas, x + LANES_CELLS + 1, y, width - LANES_CELLS - 1, dim, "lane %u", screen->lane);
    enum stepper_lane state = (enum stepper_lane)now->lane_state[screen->lane];
    bool off = state == STEPPER_RUNS && !(now->on >> screen->lane & 1);
    canvas_text(canvas, x + LANES_CELLS + 1, y + 1, width - LANES_CELLS - 1, plain,
                off ? "off by the guard" : stepper_lane_text(state));
}

static void draw_register(const struct debug_screen *screen, struct canvas *canvas, int x, int y, int width,
                          const struct debug_register *of, bool result)
{
    const struct debug_message *now = &screen->repl->session.now;
    char strip[WARP_LANES + 1], value[40];
    debug_text_strip(of, now->path, strip);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t number =
            strip[lane] >= 'a' ? (uint32_t)(strip[lane] - 'a') : (uint32_t)(strip[lane] - 'A') + 26;
        canvas_put(canvas, x + lane_column(lane), y, (uint32_t)strip[lane],
                   strip[lane] == '.' ? dim : hue_style(number));
    }
    debug_text_value(of, screen->lane, screen->form, value, sizeof value);
    canvas_printf(canvas, x + LANES_CELLS + 1, y, width - LANES_CELLS - 1,
                  result ? STYLE(COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD) : plain, "%s %s%s", of->name, value,
                  result ? " new" : "");
}

/* ---- memory ---- */

struct memory_row {
    uint64_t line;                /* address / 128 */
    uint32_t lanes[WORDS_OF_ROW]; /* by word */
};

/* The lines of 128 bytes that the instruction touches, in the order of the lanes; the number of them. */
static uint32_t memory_rows(const struct debug_message *now, struct memory_row rows[MEMORY_ROWS])
{
    uint32_t count = 0;
    memset(rows, 0, MEMORY_ROWS * sizeof *rows);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (!(now->access.active >> lane & 1))
            continue;
        uint64_t first = now->access.address[lane] / 4,
                 last = (now->access.address[lane] + now->access.width_bytes - 1) / 4;
        for (uint64_t word = first; word <= last; word++) {
            uint32_t at = 0;
            while (at < count && rows[at].line != word / WORDS_OF_ROW)
                at++;
            if (at == MEMORY_ROWS)
                continue;
            if (at == count)
                rows[count++].line = word / WORDS_OF_ROW;
            rows[at].lanes[word % WORDS_OF_ROW] |= UINT32_C(1) << lane;
        }
    }
    return count;
}

/* Bank conflicts, by what the picture shows: words of one bank in different rows. */
static uint32_t passes_of(const struct memory_row *rows, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < WORDS_OF_ROW; bank++) {
        uint32_t words = 0;
        for (uint32_t i = 0; i < count; i++)
            words += rows[i].lanes[bank] != 0;
        most = words > most ? words : most;
    }
    return most;
}

static void draw_memory(const struct debug_screen *screen, struct canvas *canvas, struct rect at)
{
    const struct debug_message *now = &screen->repl->session.now;
    static struct memory_row rows[MEMORY_ROWS];
    if (!now->accesses || at.height < 2) {
        if (at.height > 0)
            canvas_text(canvas, at.x, at.y, at.width, dim, "This instruction touches no memory.");
        return;
    }
    uint32_t count = memory_rows(now, rows), sectors = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t sector = 0; sector < WORDS_OF_ROW; sector += 8)
            for (uint32_t word = sector; word < sector + 8; word++)
                if (rows[i].lanes[word]) {
                    sectors++;
                    break;
                }
    char cost[60] = "";
    if (now->space == PTX_SHARED && now->access.width_bytes == 4)
        snprintf(cost, sizeof cost, ": %u %s of one bank at most", passes_of(rows, count),
                 passes_of(rows, count) == 1 ? "word" : "words");
    else if (now->space == PTX_GLOBAL)
        snprintf(cost, sizeof cost, ": %u sectors of 32 bytes", sectors);
    canvas_printf(canvas, at.x, at.y, at.width, plain, "%s %u bytes a lane, %s%s",
                  now->access.store ? "writes" : "reads", now->access.width_bytes,
                  debug_text_space(now->space), cost);
    for (uint32_t i = 0; i < count && (int)i + 1 < at.height; i++) {
        int y = at.y + 1 + (int)i;
        if ((int)i + 2 == at.height && i + 1 < count) {
            canvas_printf(canvas, at.x, y, at.width, dim, "... %u lines more", count - i);
            return;
        }
        for (uint32_t word = 0; word < WORDS_OF_ROW; word++) {
            uint32_t lanes = rows[i].lanes[word];
            uint32_t first = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
            bool several = lanes & (lanes - 1), cursor = lanes >> screen->lane & 1;
            struct style style = lanes ? hue_style(first / 4) : dim;
            style.attributes = cursor ? ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE : 0;
            canvas_put(canvas, at.x + lane_column(word), y,
                       lanes ? several ? '*' : (uint32_t)LANE_BASE[first] : '.', style);
        }
        canvas_printf(canvas, at.x + LANES_CELLS + 1, y, at.width - LANES_CELLS - 1, dim, "0x%" PRIx64,
                      rows[i].line * WORDS_OF_ROW * 4);
    }
}

/* ---- the screen ---- */

static void draw_state(struct debug_screen *screen, struct canvas *canvas, struct rect at)
{
    const struct debug_message *now = &screen->repl->session.now;
    int y = at.y, end = at.y + at.height;
    draw_lanes(screen, canvas, at.x, y, at.width);
    y += 3;
    for (uint32_t i = 0; i < now->done_count && y < end; i++)
        draw_register(screen, canvas, at.x, y++, at.width, &now->done[i], true);
    for (uint32_t i = 0; i < now->operand_count && y < end - 4; i++)
        draw_register(screen, canvas, at.x, y++, at.width, &now->operands[i], false);
    y++;
    if (y < end)
        draw_memory(screen, canvas, (struct rect){at.x, y, at.width, end - y});
}

static void draw_head(const struct debug_screen *screen, struct canvas *canvas)
{
    const struct debug_message *now = &screen->repl->session.now;
    const struct style bar = STYLE(COLOR_TEXT, COLOR_BAR, 0);
    canvas_fill(canvas, (struct rect){0, 0, canvas->width, 1}, ' ', bar);
    if (now->at)
        canvas_printf(canvas, 1, 0, canvas->width - 2, STYLE(COLOR_TITLE, COLOR_BAR, ATTRIBUTE_BOLD),
                      "#%" PRIu64 "  block (%u,%u,%u) warp %u of %u  %s  launch %" PRIu64, now->position,
                      now->index[0], now->index[1], now->index[2], now->warp, now->warps, now->kernel,
                      now->launch);
    else
        canvas_printf(canvas, 1, 0, canvas->width - 2, STYLE(COLOR_TITLE, COLOR_BAR, ATTRIBUTE_BOLD),
                      "%s  launch %" PRIu64, now->kernel, now->launch);
}

/* Why it stands here, in at most four lines. */
static int draw_why(const struct debug_screen *screen, struct canvas *canvas, int y)
{
    const struct debug_message *now = &screen->repl->session.now;
    const struct style warn = STYLE(COLOR_WARN, COLOR_NONE, 0);
    const struct rect lines = {1, y, canvas->width - 2, 4};
    char text[1400];
    *text = '\0';
    if (now->reason == STEPPER_REPORT)
        snprintf(text, sizeof text, "The instruction before: %s", now->report);
    else if (now->reason == STEPPER_WRITE)
        snprintf(text, sizeof text, "The watched word is written here, or was by the instruction before.");
    else if (now->reason == STEPPER_ENDS && !now->at)
        snprintf(text, sizeof text,
                 "The launch has ended after %" PRIu64 " warp instructions%s%s  LEFT: the last of them.",
                 now->position - now->begun, *now->report ? ": a GPU would have stopped it: " : ".",
                 now->report);
    else if (now->reason == STEPPER_BEGINS)
        snprintf(text, sizeof text,
                 "Grid %u,%u,%u, block %u,%u,%u: nothing has run. RIGHT: the first instruction.",
                 now->grid[0], now->grid[1], now->grid[2], now->threads[0], now->threads[1], now->threads[2]);
    return *text ? canvas_wrap(canvas, lines, warn, text) : 0;
}

static void draw_page(const struct debug_screen *screen, struct canvas *canvas)
{
    const char *at = screen->page;
    for (int i = 0; i < screen->page_top && *at; i++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : at + strlen(at);
    for (int y = 1; y < canvas->height - 1 && *at; y++) {
        size_t length = strcspn(at, "\n");
        canvas_printf(canvas, 1, y, canvas->width - 2, plain, "%.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void draw_screen(struct debug_screen *screen, struct canvas *canvas)
{
    const struct debug_session *session = &screen->repl->session;
    const struct style bar = STYLE(COLOR_TEXT, COLOR_BAR, 0);
    const int width = canvas->width, height = canvas->height;
    canvas_clear(canvas);
    draw_head(screen, canvas);
    if (screen->page) {
        draw_page(screen, canvas);
    } else if (session->over) {
        canvas_printf(canvas, 1, 2, width - 2, plain,
                      "The program has ended with status %d. q ends lanescope.", session->exit_status);
    } else {
        int top = 1 + draw_why(screen, canvas, 1), lines = height - 1 - top;
        int state = width >= 112 ? 62 : LANES_CELLS + 24;
        if (width >= 100) {
            draw_code(screen, canvas, (struct rect){1, top, width - state - 3, lines});
            if (session->now.at)
                draw_state(screen, canvas, (struct rect){width - state - 1, top, state, lines});
        } else {
            int code = lines / 3;
            draw_code(screen, canvas, (struct rect){1, top, width - 2, session->now.at ? code : lines});
            if (session->now.at)
                draw_state(screen, canvas, (struct rect){1, top + code + 1, width - 2, lines - code - 1});
        }
    }
    canvas_fill(canvas, (struct rect){0, height - 1, width, 1}, ' ', bar);
    if (screen->typing)
        canvas_printf(canvas, 1, height - 1, width - 2, bar, ":%s_", screen->typed);
    else if (*screen->message)
        canvas_text(canvas, 1, height - 1, width - 2, STYLE(COLOR_WARN, COLOR_BAR, 0), screen->message);
    else
        canvas_text(canvas, 1, height - 1, width - 2, bar,
                    "RIGHT LEFT step  DOWN UP line  r run  w who  h l lane  TAB warp  ? keys  q");
}

/* ---- keys ---- */

static void command_try(struct debug_screen *screen, const char *text)
{
    debug_repl_try(screen->repl, text, screen->message, sizeof screen->message);
}

/* The answer is a page, unless the command has gone somewhere, which the screen shows, or the answer is a sentence. */
static void command_page(struct debug_screen *screen, const char *text)
{
    struct debug_repl *repl = screen->repl;
    const struct debug_message before = repl->session.now;
    FILE *out = repl->out;
    size_t length;
    free(screen->page);
    screen->page = NULL;
    screen->page_top = 0;
    FILE *kept = open_memstream(&screen->page, &length);
    if (!kept)
        return;
    repl->out = kept;
    debug_repl_execute(repl, text);
    repl->out = out;
    fclose(kept);
    const struct debug_message *now = &repl->session.now;
    const bool went = now->launch != before.launch || now->position != before.position ||
                      now->warp != before.warp || now->block != before.block;
    const bool sentence = screen->page && length <= sizeof screen->message && length > 0 &&
                          strchr(screen->page, '\n') == screen->page + length - 1;
    if (sentence && !went)
        snprintf(screen->message, sizeof screen->message, "%.*s", (int)length - 1, screen->page);
    if (sentence || went) {
        free(screen->page);
        screen->page = NULL;
    }
}

static const char keys_text[] =
    "RIGHT s  the next instruction            LEFT b  the one before\n"
    "DOWN n   the next source line            UP p    the one before\n"
    "PGDN     10 instructions                 PGUP    10 back\n"
    "r        run to a breakpoint, a watched  R       the same backwards\n"
    "         write, a report, the end        w       back to who wrote the word of the lane\n"
    "h l      the lane before, after          W       watch the word of the lane\n"
    "TAB      the next warp of the block      S-TAB   the one before\n"
    "a        what the lanes do, and where    A       the same of all warps\n"
    "v        all registers                   f       values by type, hex, int, uint, float\n"
    "L        the next launch                 :       a command, one of these:\n";

/* Before the commands. */
static void keys_prepend(struct debug_screen *screen)
{
    char *page = screen->page, *both = NULL;
    if (page && asprintf(&both, "%s%s", keys_text, page) >= 0) {
        free(page);
        screen->page = both;
    }
}

static void take_typed(struct debug_screen *screen, uint32_t key)
{
    size_t length = strlen(screen->typed);
    if (key == KEY_ESCAPE) {
        screen->typing = false;
    } else if (key == KEY_RETURN) {
        screen->typing = false;
        if (length)
            command_page(screen, screen->typed);
    } else if (key == KEY_RUBOUT || key == 8 || key == CODE_DELETE) {
        screen->typed[length ? length - 1 : 0] = '\0';
    } else if (key >= ' ' && key < 127 && length + 1 < sizeof screen->typed) {
        screen->typed[length] = (char)key;
        screen->typed[length + 1] = '\0';
    }
}

static void warp_next(struct debug_screen *screen, bool back)
{
    const struct debug_message *now = &screen->repl->session.now;
    char text[64];
    uint32_t warps = now->warps ? now->warps : 1;
    snprintf(text, sizeof text, "warp %u", (now->warp + (back ? warps - 1 : 1)) % warps);
    command_try(screen, text);
}

static void take_page_key(struct debug_screen *screen, uint32_t key)
{
    if (key == 'j' || key == CODE_DOWN || key == CODE_PAGE_DOWN) {
        screen->page_top += key == CODE_PAGE_DOWN ? 10 : 1;
    } else if (key == 'k' || key == CODE_UP || key == CODE_PAGE_UP) {
        screen->page_top -= key == CODE_PAGE_UP ? 10 : 1;
        screen->page_top = screen->page_top < 0 ? 0 : screen->page_top;
    } else {
        free(screen->page);
        screen->page = NULL;
    }
}

/* Of the instruction that is next; if it touches no memory, of the one before, whose result has just been seen. */
static void who_wrote(struct debug_screen *screen)
{
    const struct debug_message *now = &screen->repl->session.now;
    char text[64];
    if (now->at && !now->accesses) {
        command_try(screen, "back");
        if (!now->accesses && !*screen->message)
            command_try(screen, "step");
    }
    snprintf(text, sizeof text, "who lane %u", screen->lane);
    command_try(screen, text);
}

static void take_key(struct debug_screen *screen, uint32_t key)
{
    char text[64];
    screen->message[0] = '\0';
    if (screen->typing) {
        take_typed(screen, key);
        return;
    }
    if (screen->page) {
        take_page_key(screen, key);
        return;
    }
    switch (key) {
    case 'q': screen->quit = true; break;
    case 's':
    case KEY_SPACE:
    case CODE_RIGHT: command_try(screen, "step"); break;
    case 'b':
    case CODE_LEFT: command_try(screen, "back"); break;
    case 'n':
    case CODE_DOWN: command_try(screen, "next"); break;
    case 'p':
    case CODE_UP: command_try(screen, "previous"); break;
    case CODE_PAGE_DOWN: command_try(screen, "step 10"); break;
    case CODE_PAGE_UP: command_try(screen, "back 10"); break;
    case 'r': command_try(screen, "run"); break;
    case 'R': command_try(screen, "runback"); break;
    case 'w': who_wrote(screen); break;
    case 'W':
        snprintf(text, sizeof text, "watch lane %u", screen->lane);
        command_try(screen, text);
        if (!*screen->message)
            snprintf(screen->message, sizeof screen->message,
                     "The word of lane %u is watched: r and R stop where it is written.", screen->lane);
        break;
    case 'h': screen->lane = (screen->lane + WARP_LANES - 1) % WARP_LANES; break;
    case 'l': screen->lane = (screen->lane + 1) % WARP_LANES; break;
    case KEY_TAB: warp_next(screen, false); break;
    case CODE_BACKTAB: warp_next(screen, true); break;
    case 'f': screen->form = (screen->form + 1) % (DEBUG_FLOAT + 1); break;
    case 'a': command_page(screen, "lanes"); break;
    case 'A': command_page(screen, "warps"); break;
    case 'v': command_page(screen, "regs"); break;
    case 'L': command_try(screen, "launch"); break;
    case ':':
        screen->typing = true;
        screen->typed[0] = '\0';
        break;
    case '?':
        command_page(screen, "help");
        keys_prepend(screen);
        break;
    default: break;
    }
}

static enum status screen_begin(struct debug_screen *screen, struct debug_repl *repl,
                                const struct options *options, struct error *error)
{
    *screen = (struct debug_screen){.repl = repl, .look = terminal_options(options)};
    screen->theme = theme_find(screen->look.theme);
    return screen->theme
               ? STATUS_OK
               : error_set(error, STATUS_USAGE,
                           "There is no theme '%s': choose standard, colorblind, projector or mono.",
                           screen->look.theme);
}

static void draw_picture(void *context, struct canvas *canvas)
{
    draw_screen(context, canvas);
}

static bool take_input(void *context, const struct term_input *input)
{
    struct debug_screen *screen = context;
    if (input->kind == TERM_KEY)
        take_key(screen, input->key);
    return !screen->quit;
}

/* terminal: with one, only a theme that was asked for may leave the ground as it is. */
static struct term_picture picture_of(struct debug_screen *screen, bool terminal)
{
    const struct tui_options *look = &screen->look;
    return (struct term_picture){.context = screen,
                                 .theme = screen->theme,
                                 .options = {.color = look->color,
                                             .ascii = look->ascii,
                                             .mouse = look->mouse,
                                             .transparent = look->transparent && (look->theme || !terminal)},
                                 .draw = draw_picture,
                                 .take = take_input};
}

enum status debug_screen_run(struct debug_repl *repl, const struct options *options, struct error *error)
{
    struct debug_screen screen;
    enum status status = screen_begin(&screen, repl, options, error);
    if (status != STATUS_OK)
        return status;
    const struct term_picture picture = picture_of(&screen, true);
    status = term_picture_run(&picture, error);
    free(screen.page);
    return status;
}

enum status debug_screen_snapshot(struct debug_repl *repl, const struct options *options, struct error *error)
{
    struct debug_screen screen;
    enum status status = screen_begin(&screen, repl, options, error);
    if (status != STATUS_OK)
        return status;
    const struct term_picture picture = picture_of(&screen, false);
    status = term_picture_write(&picture, options->snapshot, options->width ? options->width : 80,
                                options->height ? options->height : 24, options->keys, stdout, error);
    free(screen.page);
    return status;
}
