/*
 * Fits a name into a width. A family is the names that begin with the same word, as those of cuBLAS or
 * Triton; words are separated by "_". The table counts, for each word of a family, the names that have it:
 * words that most names have are left out first. Names with template arguments have no family: the kernel's
 * own name and its arguments are each shortened.
 */
#include "tui/widgets/name_fit.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES NAME_TEXT_BYTES
#define WORDS_MAX 64
#define NARROW 12         /* cells; two pairs of dots do not fit in fewer */
#define ENDLESS (1 << 20) /* cells */

struct word {
    size_t from, length; /* without the "_" after it */
    size_t names;        /* number of names of the family that have the word */
    bool kept;
};

/* Splits a name at each "_"; between two adjacent "_" there is an empty word. Returns 0 if there are too many
 * words. */
static size_t split_words(const char *text, struct word words[WORDS_MAX])
{
    size_t count = 0;
    for (size_t from = 0;; count++) {
        size_t length = strcspn(text + from, "_");
        if (count == WORDS_MAX)
            return 0;
        words[count] = (struct word){.from = from, .length = length};
        from += length;
        if (text[from++] == '\0')
            return count + 1;
    }
}

/* The number of names of a family (those that begin with the same word) that have a word. */
struct family_word {
    uint32_t hash, last; /* last: the row that was counted last */
    size_t count;
};

static bool is_word(const void *context, uint32_t row, const void *key)
{
    const struct name_families *families = context;
    return families->rows[row].hash == *(const uint32_t *)key;
}

static uint32_t hash_word(const char *text, const struct word *words, const struct word *word)
{
    return lookup_hash(lookup_hash(1, text, words[0].length), text + word->from, word->length);
}

static size_t count_word(const struct name_families *families, uint32_t hash)
{
    uint32_t row = lookup_find(&families->lookup, hash, is_word, families, &hash);
    return row == LOOKUP_NONE ? 0 : families->rows[row].count;
}

static bool add_word(struct name_families *families, uint32_t hash, uint32_t name)
{
    uint32_t row = lookup_find(&families->lookup, hash, is_word, families, &hash);
    if (row == LOOKUP_NONE) {
        if (!lookup_reserve(&families->lookup) ||
            !array_grow(families->rows, families->room, families->count, 1))
            return false;
        row = (uint32_t)families->count++;
        families->rows[row] = (struct family_word){.hash = hash, .last = LOOKUP_NONE};
        lookup_add(&families->lookup, hash, row);
    }
    families->rows[row].count += families->rows[row].last != name;
    families->rows[row].last = name;
    return true;
}

bool name_families_add(struct name_families *families, const char *tight, uint32_t number)
{
    struct word words[WORDS_MAX];
    size_t count = strchr(tight, '<') != NULL ? 0 : split_words(tight, words);
    for (size_t w = 0; w < count; w++)
        if (!add_word(families, hash_word(tight, words, &words[w]), number))
            return false;
    return true;
}

void name_families_fini(struct name_families *families)
{
    lookup_fini(&families->lookup);
    free(families->rows);
    *families = (struct name_families){0};
}

/* Prints the kept words, with a blank in place of those left out. Returns the width. */
static int print_words(const char *text, const struct word *words, size_t count, char *out, size_t size_bytes)
{
    size_t at = 0;
    for (size_t w = 0; w < count; w++) {
        if (!words[w].kept)
            continue;
        if (w > 0 && at + 1 < size_bytes)
            out[at++] = words[w - 1].kept ? '_' : ' ';
        for (size_t i = 0; i < words[w].length && at + 1 < size_bytes; i++)
            out[at++] = text[words[w].from + i];
    }
    out[at] = '\0';
    return text_width(out, ENDLESS);
}

/* Leaves out the words that all names of the family have, then, word by word, those that most of them have,
 * until the name fits. If room remains, words before the first difference are put back: "flash_fprop".
 * Returns false if the name does not fit. */
static bool leave_words(const struct name_families *families, const char *text, int cells, char *out,
                        size_t size_bytes)
{
    struct word words[WORDS_MAX];
    size_t count = strchr(text, '<') != NULL ? 0 : split_words(text, words), first = 1, left = count;
    size_t family = count > 0 ? count_word(families, hash_word(text, words, &words[0])) : 0;
    if (family < 2)
        return false;
    for (size_t w = 0; w < count; w++) {
        words[w].names = count_word(families, hash_word(text, words, &words[w]));
        words[w].kept = w == 0 || words[w].names < family;
        left -= !words[w].kept;
    }
    while (print_words(text, words, count, out, size_bytes) > cells) {
        size_t most = 0;
        for (size_t w = 1; w < count; w++)
            if (words[w].kept && (most == 0 || words[w].names > words[most].names))
                most = w;
        if (left <= 2)
            return false;
        words[most].kept = false;
        left--;
    }
    while (first < count && !words[first].kept)
        first++;
    for (bool fits = first < count; fits && --first > 0;) {
        words[first].kept = true;
        words[first].kept = fits = print_words(text, words, count, out, size_bytes) <= cells;
    }
    print_words(text, words, count, out, size_bytes);
    return true;
}

/* Shortens the middle of the kernel's own name, and the middle of its arguments. */
static void shorten_middle(const char *text, int cells, char *out, size_t size_bytes)
{
    const char *arguments = strchr(text, '<');
    int own = arguments ? (int)(arguments - text) : 0, least = cells / 3;
    if (own == 0 || cells < NARROW || text_width(text, cells + 1) <= cells) {
        text_shorten(text, cells, out, size_bytes);
        return;
    }
    char head[TEXT_BYTES], tail[TEXT_BYTES];
    snprintf(head, sizeof head, "%.*s", own, text);
    int tail_cells = text_width(arguments, ENDLESS);
    least = text_width(head, least + 1) < least ? text_width(head, least) : least;
    tail_cells = tail_cells > cells - least ? cells - least : tail_cells;
    text_shorten(arguments, tail_cells, tail, sizeof tail);
    text_shorten(head, cells - text_width(tail, ENDLESS), out, size_bytes);
    strncat(out, tail, size_bytes - strlen(out) - 1);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void name_cut_around(const char *text, size_t differs, int cells, char *out, size_t size_bytes)
{
    size_t length = strlen(text), from = differs < length ? differs : length;
    while (from > 0 &&
           (is_digit(text[from]) || (text[from] & 0xc0) == 0x80 || (from > 0 && is_digit(text[from - 1]))))
        from--; /* do not split a number */
    int head = cells / 3;
    if (from <= (size_t)head) {
        text_cut(text, cells, out, size_bytes);
    } else if (cells < NARROW) { /* "t..nai" */
        int first = (int)text_break_at(text, 1), rest = (int)text_break_at(text + from, cells - 3);
        snprintf(out, size_bytes, "%.*s..%.*s", first, text, rest, text + from);
    } else {
        text_cut(text, head, out, size_bytes);
        size_t at = strlen(out);
        text_cut(text + from, cells - text_width(out, ENDLESS), out + at, size_bytes - at);
    }
}

void name_fit(const struct name_families *families, const char *whole, const char *tight, int cells,
              char *text, size_t size_bytes)
{
    if (text_width(whole, cells + 1) <= cells)
        text_shorten(whole, cells, text, size_bytes);
    else if (text_width(tight, cells + 1) <= cells)
        text_shorten(tight, cells, text, size_bytes);
    else if (!leave_words(families, tight, cells, text, size_bytes))
        shorten_middle(tight, cells, text, size_bytes);
}

/* ---- from a shown name to a pattern ---- */

/* Types that a mangled name writes as one letter. */
static bool is_builtin(const char *word, size_t length)
{
    static const char *const known[] = {"bool",  "char",   "short",  "int",      "long",
                                        "float", "double", "void",   "unsigned", "signed",
                                        "true",  "false",  "const*", "const&",   "const"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i]) == length && strncmp(word, known[i], length) == 0)
            return true;
    return false;
}

/* The number of bytes here that only a shown name can have: brackets, blanks, dots, and the number after a
 * name that looks like another ("#2"). */
static size_t sign_length(const char *at)
{
    if (*at == '#' && at[1] != '\0' && at[1 + strspn(at + 1, "0123456789")] == '\0')
        return strlen(at);
    return strncmp(at, "..", 2) == 0 ? 2 : *at != '\0' && strchr("<>(), #", *at) != NULL;
}

bool name_print_pattern(const char *shown, bool mangled, char *pattern, size_t size_bytes)
{
    size_t at = 0, length;
    bool any = false;
    pattern[0] = '\0';
    if (strpbrk(shown, "<(") != NULL) /* C++: a length, "::" or "void " comes before each word */
        append_text(pattern, size_bytes, &at, mangled ? "*[0-9]" : "*[: ]");
    else if (strstr(shown, "..") != NULL)
        append_text(pattern, size_bytes, &at, "*");
    for (const char *from = shown; *from; from += length) {
        length = sign_length(from);
        any |= length > 0;
        if (length > 0) {
            if (at > 0 && pattern[at - 1] != '*')
                append_text(pattern, size_bytes, &at, "*");
            continue;
        }
        while (from[length] != '\0' && sign_length(from + length) == 0)
            length++;
        if (!is_builtin(from, length))
            append_text(pattern, size_bytes, &at, "%.*s", (int)length, from);
    }
    if (at > 0 && pattern[at - 1] != '*')
        append_text(pattern, size_bytes, &at, "*");
    return any;
}
