/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands, one a line, from standard input; answers on standard output, each after its command. On a terminal there is
 * a screen instead (debug_screen.c), which takes the same commands. What a command does is a row of the table below.
 */
#include "cli/debug/debug_repl.h"
#include "cli/debug/debug_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 8

struct line { /* a command's words */
    char text[512];
    const char *words[WORDS_MAX + 1]; /* NULL after the last */
    size_t count;
};

static bool number_of(const char *word, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = word ? strtoull(word, &end, 0) : 0;
    return word && *word && *word != '-' && !errno && end != word && !*end;
}

static bool say_text(struct debug_repl *repl, const char *text)
{
    fprintf(repl->out, "%s\n", text);
    return false;
}

/* Prints where it is, or why it is not. */
static bool show_place(struct debug_repl *repl, bool moved, const struct error *error)
{
    if (!moved)
        fprintf(repl->out, "%s\n", error->text);
    if (!repl->session.over && moved)
        debug_text_place(&repl->session, repl->out);
    repl->ended |= repl->session.over;
    return moved;
}

/* ---- moving ---- */

static uint64_t times_of(const struct line *line)
{
    uint64_t times;
    return number_of(line->words[1], &times) && times ? times : 1;
}

static bool move_times(struct debug_repl *repl, enum debug_way way, bool back, uint64_t times)
{
    struct error error = {0};
    bool moved = true;
    uint64_t from = repl->session.now.position;
    for (uint64_t i = 0; i < times && moved; i++) {
        moved = back ? debug_back(&repl->session, way, NULL, &error)
                     : debug_forward(&repl->session, way, NULL, &error);
        if (moved && !repl->session.now.at)
            break;
    }
    if (!moved && !repl->session.over && repl->session.now.position != from) { /* some of them were made */
        fprintf(repl->out, "%s\n", error.text);
        debug_text_place(&repl->session, repl->out);
        return true;
    }
    return show_place(repl, moved, &error);
}

static bool command_step(struct debug_repl *repl, const struct line *line)
{
    return move_times(repl, DEBUG_STEP, false, times_of(line));
}

static bool command_back(struct debug_repl *repl, const struct line *line)
{
    return move_times(repl, DEBUG_STEP, true, times_of(line));
}

static bool command_next(struct debug_repl *repl, const struct line *line)
{
    return move_times(repl, DEBUG_NEXT, false, times_of(line));
}

static bool command_previous(struct debug_repl *repl, const struct line *line)
{
    return move_times(repl, DEBUG_NEXT, true, times_of(line));
}

static bool command_run(struct debug_repl *repl, const struct line *line)
{
    (void)line;
    return move_times(repl, DEBUG_RUN, false, 1);
}

static bool command_runback(struct debug_repl *repl, const struct line *line)
{
    (void)line;
    return move_times(repl, DEBUG_RUN, true, 1);
}

/* A word that is no number is part of a kernel's name: to its next launch. */
static bool command_launch(struct debug_repl *repl, const struct line *line)
{
    const char *name = line->words[1];
    uint64_t times;
    struct error error = {0};
    bool moved = true;
    if (!name || number_of(name, &times))
        return move_times(repl, DEBUG_LAUNCH, false, times_of(line));
    do
        moved = debug_forward(&repl->session, DEBUG_LAUNCH, NULL, &error);
    while (moved && !repl->session.over && !strcasestr(repl->session.now.kernel, name));
    return show_place(repl, moved, &error);
}

/* "14" or "kernel.cu:14". */
static bool line_of(const char *word, struct debug_line *line)
{
    const char *colon = word ? strrchr(word, ':') : NULL;
    uint64_t number;
    *line = (struct debug_line){.line = 0};
    if (colon && (size_t)(colon - word) < sizeof line->file)
        memcpy(line->file, word, (size_t)(colon - word));
    if (!number_of(colon ? colon + 1 : word, &number) || number > UINT32_MAX)
        return false;
    line->line = (uint32_t)number;
    return true;
}

static bool go_to_line(struct debug_repl *repl, const struct line *line, bool back)
{
    struct error error = {0};
    struct debug_line at;
    if (!line_of(line->words[1], &at))
        return say_text(repl, "Give a line: line 14, or line kernel.cu:14.");
    bool moved = back ? debug_back(&repl->session, DEBUG_LINE, &at, &error)
                      : debug_forward(&repl->session, DEBUG_LINE, &at, &error);
    return show_place(repl, moved, &error);
}

static bool command_line(struct debug_repl *repl, const struct line *line)
{
    return go_to_line(repl, line, false);
}

static bool command_lineback(struct debug_repl *repl, const struct line *line)
{
    return go_to_line(repl, line, true);
}

static bool command_go(struct debug_repl *repl, const struct line *line)
{
    struct error error = {0};
    uint64_t position;
    const char *word = line->words[1];
    if (!number_of(word && *word == '#' ? word + 1 : word, &position))
        return say_text(repl, "Give a position, as it stands after #: go 1200.");
    bool moved = debug_seek(&repl->session, position, &error);
    debug_choose_stopped(&repl->session);
    return show_place(repl, moved, &error);
}

static bool command_warp(struct debug_repl *repl, const struct line *line)
{
    struct debug_session *session = &repl->session;
    struct error error = {0};
    uint64_t warp, block = session->block;
    bool both = line->count > 2;
    if (both ? !number_of(line->words[1], &block) || !number_of(line->words[2], &warp)
             : !number_of(line->words[1], &warp))
        return say_text(repl, "Give a warp, or a block and a warp: warp 1, warp 4 0.");
    uint64_t blocks = (uint64_t)session->now.grid[0] * session->now.grid[1] * session->now.grid[2];
    if (warp >= session->now.warps || block >= blocks) {
        fprintf(repl->out, "There are %" PRIu64 " blocks of %u warps: 0 to %" PRIu64 ", 0 to %u.\n", blocks,
                session->now.warps, blocks - 1, session->now.warps - 1);
        return false;
    }
    uint64_t from = session->now.position;
    session->block = block;
    session->warp = (uint32_t)warp;
    bool moved = debug_forward(session, DEBUG_STEP, NULL, &error);
    if (!repl->session.over && (!moved || !session->now.at)) { /* it has ended already */
        moved = debug_back(session, DEBUG_STEP, NULL, &error);
        if (moved)
            fprintf(repl->out, "This warp has ended: this was its last instruction.\n");
        else
            debug_seek(session, from, NULL);
    }
    return show_place(repl, moved, &error);
}

/* ---- stops ---- */

/* Whether an instruction is at this line; else the next line with one, 0: there is none. Lines of other files are not
 * looked at. */
static bool line_has_code(struct debug_repl *repl, const struct debug_line *line, uint32_t *next)
{
    static struct debug_code code[DEBUG_LINES];
    uint32_t from = 0, count;
    *next = UINT32_MAX;
    if (*line->file)
        return true;
    while ((count = debug_code(&repl->session, from, code)) > 0) {
        for (uint32_t i = 0; i < count; i++) {
            if (code[i].line == line->line)
                return true;
            if (code[i].line > line->line && code[i].line < *next)
                *next = code[i].line;
        }
        from += count;
    }
    *next = *next == UINT32_MAX ? 0 : *next;
    return false;
}

static bool command_break(struct debug_repl *repl, const struct line *line)
{
    struct debug_session *session = &repl->session;
    struct debug_line at;
    if (!line->words[1]) {
        for (uint32_t i = 0; i < session->break_count; i++)
            fprintf(repl->out, "%u: %s%sline %u\n", i + 1, session->breaks[i].file,
                    *session->breaks[i].file ? " " : "", session->breaks[i].line);
        return session->break_count || say_text(repl, "There is no breakpoint. break 14 sets one.");
    }
    if (!line_of(line->words[1], &at) || session->break_count == DEBUG_BREAKS)
        return say_text(repl, "Give a line: break 14, or break kernel.cu:14. There may be 32.");
    uint32_t next;
    if (!line_has_code(repl, &at, &next)) {
        fprintf(repl->out, "No instruction of this kernel is at line %u%s", at.line,
                next ? ": the next line with one is " : ".\n");
        if (next)
            fprintf(repl->out, "%u.\n", next);
        return false;
    }
    session->breaks[session->break_count++] = at;
    fprintf(repl->out, "run and runback stop where a warp comes to line %u.\n", at.line);
    return true;
}

static bool command_clear(struct debug_repl *repl, const struct line *line)
{
    (void)line;
    repl->session.break_count = 0;
    repl->session.watch_bytes = 0;
    fprintf(repl->out, "No breakpoint and no watched word is left.\n");
    return true;
}

static bool command_checks(struct debug_repl *repl, const struct line *line)
{
    const char *word = line->words[1];
    if (!word || (strcmp(word, "on") != 0 && strcmp(word, "off") != 0))
        return say_text(
            repl,
            "checks on, or checks off: whether run and runback stop after an instruction that a check reports.");
    repl->session.reports = strcmp(word, "on") == 0;
    return true;
}

/* A word of memory: 0x..., shared:0x10, lane 7 (what this instruction accesses there), %rd4 7 (that register's value in
 * a lane). */
static bool word_of(struct debug_repl *repl, const struct line *line, uint32_t *space, uint64_t *address,
                    uint64_t *bytes)
{
    const struct debug_message *now = &repl->session.now;
    static struct debug_register registers[DEBUG_LINES];
    const char *word = line->words[1];
    uint64_t lane;
    *space = PTX_GLOBAL;
    *bytes = 4;
    if (word && strcmp(word, "lane") == 0 && number_of(line->words[2], &lane) && lane < WARP_LANES) {
        if (!now->accesses || !(now->access.active >> lane & 1))
            return say_text(
                repl, "This instruction does not access memory in that lane: step to a load or a store.");
        if (now->space != PTX_GLOBAL && now->space != PTX_SHARED)
            return say_text(
                repl, "Only words of global and shared memory can be followed: this is another memory.");
        *space = now->space;
        *address = now->access.address[lane];
        *bytes = now->access.width_bytes;
        return true;
    }
    if (word && *word == '%') {
        lane = 0;
        if (line->words[2] && (!number_of(line->words[2], &lane) || lane >= WARP_LANES))
            return say_text(repl, "Give a lane from 0 to 31 after the register.");
        if (!debug_registers(&repl->session, word, 0, registers))
            return say_text(repl, "There is no such register here: regs lists them.");
        *address = registers[0].values[lane];
        return true;
    }
    if (word && strncmp(word, "shared:", 7) == 0) {
        *space = PTX_SHARED;
        word += 7;
    } else if (word && strncmp(word, "global:", 7) == 0) {
        word += 7;
    }
    if (!number_of(word, address))
        return say_text(repl,
                        "Give a word: lane 7 (what this instruction accesses there), 0x7f00, shared:0x10, or "
                        "%rd4 7 (a register, a lane).");
    return true;
}

static bool command_who(struct debug_repl *repl, const struct line *line)
{
    struct error error = {0};
    uint32_t space;
    uint64_t address, bytes;
    if (!word_of(repl, line, &space, &address, &bytes))
        return false;
    uint64_t from = repl->session.now.position;
    bool found = debug_back_to_write(&repl->session, space, address, bytes, &error);
    if (found)
        fprintf(repl->out, "Written here (go %" PRIu64 " leads back):\n", from);
    return show_place(repl, found, &error);
}

static bool command_watch(struct debug_repl *repl, const struct line *line)
{
    struct debug_session *session = &repl->session;
    if (!word_of(repl, line, &session->watch_space, &session->watch_address, &session->watch_bytes))
        return false;
    session->watch_block = session->now.block;
    fprintf(repl->out, "run and runback stop where %" PRIu64 " bytes at %s 0x%" PRIx64 " are written.\n",
            session->watch_bytes, debug_text_space(session->watch_space), session->watch_address);
    return true;
}

/* ---- looking ---- */

static bool at_instruction(struct debug_repl *repl)
{
    return repl->session.now.at || say_text(repl, "No warp is at an instruction here: step, or back.");
}

static bool command_where(struct debug_repl *repl, const struct line *line)
{
    (void)line;
    debug_text_place(&repl->session, repl->out);
    return true;
}

static bool command_lanes(struct debug_repl *repl, const struct line *line)
{
    (void)line;
    if (!at_instruction(repl))
        return false;
    debug_text_lanes(&repl->session.now, repl->out);
    return true;
}

static bool command_warps(struct debug_repl *repl, const struct line *line)
{
    static struct debug_warp warps[32];
    (void)line;
    if (!at_instruction(repl))
        return false;
    uint32_t count = debug_warps(&repl->session, warps);
    for (uint32_t i = 0; i < count; i++)
        debug_text_warp(i, &warps[i], i == repl->session.now.warp, repl->out);
    return true;
}

static enum debug_form form_of(const char *word)
{
    static const char *const names[] = {[DEBUG_BY_TYPE] = "",
                                        [DEBUG_HEX] = "hex",
                                        [DEBUG_INT] = "int",
                                        [DEBUG_UNSIGNED] = "uint",
                                        [DEBUG_FLOAT] = "float"};
    for (size_t i = 1; word && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(word, names[i]) == 0)
            return (enum debug_form)i;
    return DEBUG_BY_TYPE;
}

static bool command_reg(struct debug_repl *repl, const struct line *line)
{
    static struct debug_register registers[DEBUG_LINES];
    char name[DEBUG_NAME_BYTES];
    if (!at_instruction(repl))
        return false;
    if (!line->words[1])
        return say_text(repl, "Give a register, and hex, int, uint or float: reg %r1 hex.");
    snprintf(name, sizeof name, "%s%.60s", *line->words[1] == '%' ? "" : "%", line->words[1]);
    if (!debug_registers(&repl->session, name, 0, registers))
        return say_text(repl, "There is no such register here: regs lists them.");
    debug_text_register(&registers[0], repl->session.now.path, form_of(line->words[2]), repl->out);
    return true;
}

static bool command_regs(struct debug_repl *repl, const struct line *line)
{
    static struct debug_register registers[DEBUG_LINES];
    uint32_t from = 0, count, zero = 0;
    (void)line;
    if (!at_instruction(repl))
        return false;
    while ((count = debug_registers(&repl->session, "", from, registers)) > 0) {
        for (uint32_t i = 0; i < count; i++)
            if (debug_text_is_zero(&registers[i]))
                zero++;
            else
                debug_text_register_line(&registers[i], repl->session.now.path, repl->out);
        from += count;
    }
    if (zero)
        fprintf(repl->out, "  %u more are 0 in all lanes: most have no value yet\n", zero);
    return true;
}

static bool command_mem(struct debug_repl *repl, const struct line *line)
{
    static uint8_t bytes[DEBUG_BYTES];
    struct line place = *line;
    uint32_t space;
    uint64_t address, width, count = 64;
    bool named = line->words[1] && (strcmp(line->words[1], "lane") == 0 || *line->words[1] == '%');
    const char *how_many = line->count > 1 ? line->words[named ? 3 : 2] : NULL;
    if (!line->words[1] && repl->session.now.accesses) {
        debug_text_access(&repl->session.now, repl->out);
        return true;
    }
    if (!word_of(repl, &place, &space, &address, &width))
        return false;
    if (how_many && (!number_of(how_many, &count) || !count || count > sizeof bytes))
        return say_text(repl, "Give at most 4096 bytes.");
    uint32_t got = debug_memory(&repl->session, space, 0, address, bytes, (uint32_t)count);
    if (!got)
        return say_text(repl, "There is no memory at this address.");
    debug_text_bytes(space, address, bytes, got, repl->out);
    return true;
}

static bool command_list(struct debug_repl *repl, const struct line *line)
{
    (void)line;
    return at_instruction(repl) && debug_text_code(&repl->session, repl->out);
}

/* ---- the table ---- */

static bool command_quit(struct debug_repl *repl, const struct line *line)
{
    (void)line;
    repl->ended = true;
    return true;
}

static bool command_help(struct debug_repl *repl, const struct line *line);

static const struct repl_command {
    const char *name, *brief; /* its first letters do, too, if no row before has them */
    const char *usage, *help;
    bool (*act)(struct debug_repl *repl, const struct line *line);
} commands[] = {
    {"step", "s", "step [N]", "the warp's next instruction", command_step},
    {"back", "b", "back [N]", "its instruction before", command_back},
    {"next", "n", "next", "its next source line", command_next},
    {"previous", "p", "previous", "its source line before", command_previous},
    {"line", NULL, "line N", "forward until the warp comes to line N", command_line},
    {"lineback", NULL, "lineback N", "back to where it came to line N", command_lineback},
    {"run", "r", "run",
     "forward to a breakpoint, a watched write, a report of a check, the end of the launch", command_run},
    {"runback", NULL, "runback", "the same backwards", command_runback},
    {"launch", NULL, "launch [N|NAME]",
     "to the begin of the next launch; of the next kernel with NAME in its name", command_launch},
    {"go", "g", "go POSITION", "to a position of this launch, as it stands after #", command_go},
    {"warp", "w", "warp [BLOCK] WARP", "step another warp", command_warp},
    {"break", NULL, "break [N]", "stop where any warp comes to line N; without N: list them", command_break},
    {"watch", NULL, "watch WORD", "stop where this word is written", command_watch},
    {"checks", NULL, "checks on|off", "stop at what the checks report (on)", command_checks},
    {"clear", NULL, "clear", "forget breakpoints and the watched word", command_clear},
    {"who", NULL, "who WORD", "back to the instruction that wrote this word last", command_who},
    {"lanes", "l", "lanes", "what each lane of the warp does, and where it waits", command_lanes},
    {"warps", NULL, "warps", "the same of all warps of the block", command_warps},
    {"reg", NULL, "reg NAME [hex|int|uint|float]", "the 32 values of a register", command_reg},
    {"regs", NULL, "regs", "the registers, a line each", command_regs},
    {"mem", "m", "mem [WORD [BYTES]]", "memory; without a word: what this instruction touches", command_mem},
    {"list", NULL, "list", "the instructions around this one", command_list},
    {"where", NULL, "where", "where it is", command_where},
    {"help", "?", "help", "these commands", command_help},
    {"quit", "q", "quit", "end", command_quit},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool command_help(struct debug_repl *repl, const struct line *line)
{
    (void)line;
    for (size_t i = 0; i < COUNT(commands); i++)
        fprintf(repl->out, "  %-32s%s%s%s%s\n", commands[i].usage, commands[i].help,
                commands[i].brief ? " (" : "", commands[i].brief ? commands[i].brief : "",
                commands[i].brief ? ")" : "");
    fprintf(
        repl->out,
        "WORD: lane 7 (what this instruction accesses in lane 7), %%rd4 7 (an address in a register, in a "
        "lane), 0x7f00, shared:0x10.\nAn empty line repeats the last step.\n");
    return true;
}

static const struct repl_command *command_find(const char *word)
{
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i].name, word) == 0 ||
            (commands[i].brief && strcmp(commands[i].brief, word) == 0))
            return &commands[i];
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strncmp(commands[i].name, word, strlen(word)) == 0)
            return &commands[i];
    return NULL;
}

static void line_split(struct line *line)
{
    char *rest = line->text, *word;
    line->count = 0;
    while (line->count < WORDS_MAX && (word = strsep(&rest, " \t\r\n")))
        if (*word)
            line->words[line->count++] = word;
    for (size_t i = line->count; i <= WORDS_MAX; i++)
        line->words[i] = NULL;
}

bool debug_repl_execute(struct debug_repl *repl, const char *text)
{
    static struct line line, last;
    struct line read = {.count = 0};
    snprintf(read.text, sizeof read.text, "%s", text);
    line = read;
    line_split(&line);
    if (line.count == 0) {
        line = last;
        line_split(&line);
    } else {
        last = read;
    }
    if (line.count == 0)
        return true;
    const struct repl_command *command = command_find(line.words[0]);
    if (command)
        return command->act(repl, &line);
    fprintf(repl->out, "There is no command '%s': help lists them.\n", line.words[0]);
    return false;
}

void debug_repl_try(struct debug_repl *repl, const char *text, char *line, size_t size_bytes)
{
    FILE *out = repl->out;
    char *answer = NULL;
    size_t length = 0;
    *line = '\0';
    FILE *kept = open_memstream(&answer, &length);
    if (!kept)
        return;
    repl->out = kept;
    bool done = debug_repl_execute(repl, text);
    repl->out = out;
    fclose(kept);
    if (!done && length > 0) {
        answer[length - 1] = '\0';
        const char *start = strrchr(answer, '\n');
        snprintf(line, size_bytes, "%s", start ? start + 1 : answer);
    }
    free(answer);
}
