/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A letter that equals the one before it is counted, and written with what comes after. Colours and
 * attributes that curses sets are noted in `wanted`; the terminal has those of `sent`, until a letter or
 * blank is written or cells are erased.
 */
#include "tui/terminal/shorten.h"

#include "core/base/array.h"
#include "tui/terminal/restore.h"

#include <curses.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BIT(n) (1u << (n))
#define BOLD BIT(1)
#define UNDERLINE BIT(4)
#define REVERSE BIT(7)
#define SEQUENCE_MAX 96

static const struct look plain = {.front = "39", .back = "49"};

bool shortener_open(struct shortener *shortener)
{
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3); /* programs that are run do not get it */
    *shortener = (struct shortener){.memory = -1, .wanted = plain};
    shortener->out = copy < 0 ? NULL : fdopen(copy, "w");
    if (!shortener->out && copy >= 0)
        close(copy);
    return shortener->out != NULL;
}

void shortener_start(struct shortener *shortener)
{
    static const char *const names[] = {"cup", "sgr0", "bold", "rev"};
    shortener->memory = memfd_create("frame", MFD_CLOEXEC);
    shortener->able = shortener->memory >= 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = tigetstr(names[i]);
        shortener->able = shortener->able && text && text != (char *)-1 && text[0] == '\x1b' &&
                          (text[1] == '[' || text[1] == '(') && !strstr(text, "$<");
    }
}

void shortener_close(struct shortener *shortener)
{
    if (shortener->out)
        fclose(shortener->out);
    if (shortener->memory >= 0)
        close(shortener->memory);
    free(shortener->text);
}

void shortener_leave(struct shortener *shortener)
{
    shortener->known = false;
    shortener->settled = 0;
    shortener->wanted = plain;
    memset(shortener->charset, 0, sizeof shortener->charset);
}

void shortener_begin(struct shortener *shortener)
{
    if (shortener->able)
        dup3(shortener->memory, fileno(shortener->out), O_CLOEXEC);
}

bool shortener_end(struct shortener *shortener)
{
    off_t size = lseek(shortener->memory, 0, SEEK_CUR);
    if (dup3(STDOUT_FILENO, fileno(shortener->out), O_CLOEXEC) < 0 || size <= 0)
        return true;
    char *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, shortener->memory, 0);
    bool done = bytes != MAP_FAILED && shorten(shortener, bytes, (size_t)size);
    if (done)
        restore_write_bytes(shortener->text, shortener->used);
    shortener->known = shortener->known && done;
    shortener->settled = done ? shortener->settled : 0;
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)size);
    lseek(shortener->memory, 0, SEEK_SET);
    return done;
}

/* ---- what is written ---- */

static void add_bytes(struct shortener *shortener, const char *bytes, size_t size_bytes)
{
    if (shortener->room - shortener->used < size_bytes)
        shortener->failed |= !array_grow(shortener->text, shortener->room, shortener->used, size_bytes);
    if (shortener->failed)
        return;
    memcpy(shortener->text + shortener->used, bytes, size_bytes);
    shortener->used += size_bytes;
}

static void add_letters(struct shortener *shortener)
{
    char repeat[32];
    if (shortener->count == 0)
        return;
    size_t more = shortener->count - 1;
    add_bytes(shortener, shortener->letter, shortener->letter_size);
    if (shortener->repeats && more > 0) {
        size_t size = (size_t)snprintf(repeat, sizeof repeat, "\x1b[%zub", more);
        if (size < more * shortener->letter_size) {
            add_bytes(shortener, repeat, size);
            more = 0;
        }
    }
    for (; more > 0; more--)
        add_bytes(shortener, shortener->letter, shortener->letter_size);
    shortener->count = 0;
}

/* ---- colours and attributes ---- */

/* A colour of the 256 or of 24 bits: bold does not change it, and it is the same in front and behind. */
static bool is_long(const char *color)
{
    return color[1] == '8';
}

static void turn_color(char to[LOOK_COLOR_SIZE], char place, const char color[LOOK_COLOR_SIZE])
{
    memcpy(to, color, LOOK_COLOR_SIZE);
    to[0] = place;
}

struct change {
    struct look look;           /* what the terminal has then */
    char numbers[SEQUENCE_MAX]; /* `used` bytes */
    size_t used;
};

static void add_number(struct change *change, const char *number)
{
    size_t size = strlen(number); /* all together are 60 bytes at most */
    if (change->used > 0)
        change->numbers[change->used++] = ';';
    memcpy(change->numbers + change->used, number, size);
    change->used += size;
}

static struct change change_to(const struct shortener *shortener, const struct look *look)
{
    static const struct {
        unsigned bit;
        const char *off, *on;
    } rows[] = {{BOLD, "22", "1"}, {UNDERLINE, "24", "4"}, {REVERSE, "27", "7"}};
    const struct look *now = shortener->known ? &shortener->sent : &plain;
    struct change change = {.look = *look};
    if (!shortener->known)
        add_number(&change, "0");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((now->attributes ^ look->attributes) & rows[i].bit)
            add_number(&change, look->attributes & rows[i].bit ? rows[i].on : rows[i].off);
    if (strcmp(look->front, now->front) != 0)
        add_number(&change, look->front);
    if (strcmp(look->back, now->back) != 0)
        add_number(&change, look->back);
    return change;
}

/* Sends the shorter of the changes to these looks, of which one may be missing. */
static void send_shorter(struct shortener *shortener, const struct look *look, const struct look *other)
{
    struct change change = change_to(shortener, look);
    if (other) {
        struct change second = change_to(shortener, other);
        if (second.used < change.used)
            change = second;
    }
    shortener->sent = change.look;
    shortener->known = true;
    if (change.used == 0)
        return;
    add_letters(shortener);
    add_bytes(shortener, "\x1b[", 2);
    add_bytes(shortener, change.numbers, change.used);
    add_bytes(shortener, "m", 1);
}

enum { SETTLED_BLANKS = 1, SETTLED_LETTERS };

/* Both colours exchanged, and the letters reversed, is the same picture. */
static void send_for_letter(struct shortener *shortener)
{
    if (shortener->settled >= SETTLED_LETTERS)
        return;
    const struct look *look = &shortener->wanted;
    struct look other = {.attributes = look->attributes ^ REVERSE};
    bool both = is_long(look->front) && is_long(look->back);
    turn_color(other.front, '3', look->back);
    turn_color(other.back, '4', look->front);
    send_shorter(shortener, look, both ? &other : NULL);
    shortener->settled = SETTLED_LETTERS;
}

/* What is in front of a blank is not seen, nor whether it is bold. */
static void send_for_blank(struct shortener *shortener)
{
    if (shortener->settled >= SETTLED_BLANKS)
        return;
    const struct look *now = shortener->known ? &shortener->sent : &plain;
    const struct look *wanted = &shortener->wanted;
    const char *seen = wanted->attributes & REVERSE ? wanted->front : wanted->back;
    if ((wanted->attributes & UNDERLINE) != 0 || ((wanted->attributes & REVERSE) != 0 && !is_long(seen))) {
        send_for_letter(shortener);
        return;
    }
    struct look look = *now, reversed = *now;
    look.attributes = now->attributes & BOLD;
    reversed.attributes = look.attributes | REVERSE;
    turn_color(look.back, is_long(seen) ? '4' : seen[0], seen);
    turn_color(reversed.front, '3', seen);
    send_shorter(shortener, &look, is_long(seen) ? &reversed : NULL);
    shortener->settled = SETTLED_BLANKS;
}

/* Cells that are erased or come into view get what is behind letters now. */
static void send_for_erasing(struct shortener *shortener)
{
    struct look look = shortener->wanted;
    if ((look.attributes & REVERSE) == 0 && shortener->known)
        strcpy(look.front, shortener->sent.front);
    send_shorter(shortener, &look, NULL);
    shortener->settled = 0;
}

/* ---- what curses has written ---- */

/* "38;5;N", "38;2;R;G;B" or one with colons at the start of text: its length; 0: none of these. */
static size_t long_color_size(const char *text)
{
    size_t size = strcspn(text, ";");
    if (size > 2)
        return size;
    for (int more = text[size] == ';' && text[size + 1] == '2' ? 4 : 2; more > 0; more--) {
        if (text[size] != ';')
            return 0;
        size += 1 + strcspn(text + size + 1, ";");
    }
    return size;
}

/* One number or colour; false: its meaning is not known here. */
static bool take_number(struct look *look, const char *text, size_t size)
{
    int number = atoi(text);
    char *color = number / 10 == 3 || number / 10 == 9 ? look->front : look->back;
    switch (number) {
    case 0: *look = plain; return true;
    case 1:
    case 4:
    case 7: look->attributes |= BIT(number); return true;
    case 22: look->attributes &= ~BOLD; return true;
    case 24: look->attributes &= ~UNDERLINE; return true;
    case 27: look->attributes &= ~REVERSE; return true;
    default: break;
    }
    if (number < 30 || number > 107 || (number > 49 && number < 90) || size >= LOOK_COLOR_SIZE)
        return false;
    memcpy(color, text, size);
    color[size] = '\0';
    return true;
}

/* Takes what is between "ESC [" and "m". */
static bool take_numbers(struct look *look, const char *bytes, size_t size_bytes)
{
    char text[SEQUENCE_MAX];
    if (size_bytes >= sizeof text)
        return false;
    memcpy(text, bytes, size_bytes);
    text[size_bytes] = '\0';
    for (const char *at = text;; at++) {
        bool is_color = (at[0] == '3' || at[0] == '4') && at[1] == '8';
        size_t size = is_color ? long_color_size(at) : strcspn(at, ";");
        if ((is_color && size == 0) || !take_number(look, at, size))
            return false;
        at += size;
        if (*at == '\0')
            return true;
    }
}

/* A sequence that passes as it is. */
static void pass_bytes(struct shortener *shortener, const char *bytes, size_t size_bytes, bool erases)
{
    if (erases)
        send_for_erasing(shortener);
    add_letters(shortener);
    add_bytes(shortener, bytes, size_bytes);
}

static void take_sequence(struct shortener *shortener, const char *bytes, size_t size_bytes)
{
    char final = bytes[size_bytes - 1];
    if (final == 'm')
        shortener->settled = 0;
    if (final != 'm' || take_numbers(&shortener->wanted, bytes + 2, size_bytes - 3)) {
        if (final != 'm')
            pass_bytes(shortener, bytes, size_bytes, strchr("JKLMPSTX@", final) != NULL);
        return;
    }
    send_shorter(shortener, &shortener->wanted, NULL);
    pass_bytes(shortener, bytes, size_bytes, false);
    shortener->able = false; /* from now on */
}

static void take_charset(struct shortener *shortener, char *last, const char *bytes, size_t size_bytes)
{
    if (*last == bytes[size_bytes - 1])
        return;
    pass_bytes(shortener, bytes, size_bytes, false);
    *last = bytes[size_bytes - 1];
}

static void take_escape(struct shortener *shortener, const char *bytes, size_t size_bytes)
{
    char kind = size_bytes > 1 ? bytes[1] : '\0';
    if (kind == '[') {
        take_sequence(shortener, bytes, size_bytes);
    } else if (kind == '(' && size_bytes == 3) {
        take_charset(shortener, &shortener->charset[0], bytes, size_bytes);
    } else {
        pass_bytes(shortener, bytes, size_bytes, kind == 'M' || kind == 'D');
        if (kind == '7')
            shortener->saved = shortener->wanted;
        if (kind == '8') {
            shortener->wanted = shortener->saved;
            shortener->known = false;
            shortener->settled = 0;
        }
    }
}

static void take_letter(struct shortener *shortener, const char *bytes, size_t size_bytes)
{
    if (bytes[0] == ' ')
        send_for_blank(shortener);
    else
        send_for_letter(shortener);
    if (shortener->count > 0 && shortener->letter_size == size_bytes &&
        memcmp(shortener->letter, bytes, size_bytes) == 0) {
        shortener->count++;
        return;
    }
    add_letters(shortener);
    shortener->letter = bytes;
    shortener->letter_size = size_bytes;
    shortener->count = 1;
}

/* The length of the letter, control or escape sequence at bytes. */
static size_t item_size(const char *bytes, size_t size_bytes)
{
    unsigned char first = (unsigned char)bytes[0];
    size_t size = 1;
    if (first >= 0xc0)
        size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first == 0x1b && size_bytes > 1)
        size = bytes[1] == '(' || bytes[1] == ')' ? 3 : 2;
    if (first == 0x1b && size_bytes > 1 && bytes[1] == '[') {
        while (size < size_bytes && (bytes[size] < '@' || bytes[size] > '~'))
            size++;
        size++;
    }
    return size < size_bytes ? size : size_bytes;
}

bool shorten(struct shortener *shortener, const char *bytes, size_t size_bytes)
{
    size_t at = 0;
    shortener->used = 0;
    shortener->failed = false;
    while (at < size_bytes && shortener->able) {
        size_t size = item_size(bytes + at, size_bytes - at);
        unsigned char first = (unsigned char)bytes[at];
        if (first == 0x1b)
            take_escape(shortener, bytes + at, size);
        else if (first == 0x0e || first == 0x0f)
            take_charset(shortener, &shortener->charset[1], bytes + at, size);
        else if (first < 0x20)
            pass_bytes(shortener, bytes + at, size, first == '\n');
        else
            take_letter(shortener, bytes + at, size);
        at += size;
    }
    add_letters(shortener);
    add_bytes(shortener, bytes + at, size_bytes - at);
    return !shortener->failed;
}
