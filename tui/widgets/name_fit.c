/*
 * Fits a name into a width with one cut, whose place is found by the weights of the words. A family is the
 * names that begin with the same word, as those of cuBLAS or Triton; words are separated by "_". The table
 * counts, for each word of a family, the names that have it: the more of them have a word, the lighter it
 * is. Names with template arguments have no family. Light everywhere: "kernel", "Functor".
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
#define ENDLESS (1 << 20) /* cells */

struct word {
    size_t from, length; /* without the "_" after it */
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

bool name_families_add(struct name_families *families, const char *name, uint32_t number)
{
    struct word words[WORDS_MAX];
    size_t count = strchr(name, '<') != NULL ? 0 : split_words(name, words);
    for (size_t w = 0; w < count; w++)
        if (!add_word(families, hash_word(name, words, &words[w]), number))
            return false;
    return true;
}

void name_families_fini(struct name_families *families)
{
    lookup_fini(&families->lookup);
    free(families->rows);
    *families = (struct name_families){0};
}

#define WEIGHT_FULL 16
#define WEIGHT_ARGUMENT 24 /* names with template arguments differ there */
#define WEIGHT_LIGHT 1

static void weigh_bytes(uint8_t *weights, size_t from, size_t length, uint8_t weight)
{
    memset(weights + from, weight, length);
}

static void weigh_light_words(const char *text, uint8_t *weights)
{
    for (size_t i = 0; text[i] != '\0'; i++)
        if (text[i] == '>')
            weights[i] = WEIGHT_LIGHT;
    static const char *const light[] = {"_kernel", "Kernel", "Functor", "CUDA", "Template"};
    for (size_t i = 0; i < sizeof light / sizeof light[0]; i++)
        for (const char *at = text; (at = strstr(at, light[i])) != NULL; at += strlen(light[i]))
            weigh_bytes(weights, (size_t)(at - text), strlen(light[i]), WEIGHT_LIGHT);
}

/* The words that tell a name from others of its family are the heaviest. */
static void weigh_words(const struct name_families *families, const char *text, uint8_t *weights)
{
    struct word words[WORDS_MAX];
    size_t count = strchr(text, '<') != NULL ? 0 : split_words(text, words);
    size_t family = count > 0 ? count_word(families, hash_word(text, words, &words[0])) : 0;
    size_t own = strcspn(text, "<");
    weigh_bytes(weights, 0, own, WEIGHT_FULL);
    weigh_bytes(weights, own, strlen(text + own), WEIGHT_ARGUMENT);
    for (size_t w = 1; w < count && family > 1; w++) {
        size_t names = count_word(families, hash_word(text, words, &words[w]));
        size_t weight = WEIGHT_LIGHT + (WEIGHT_FULL - WEIGHT_LIGHT) * (family - names) / family;
        weigh_bytes(weights, words[w].from, words[w].length, (uint8_t)weight);
    }
    weigh_light_words(text, weights);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void name_cut_around(const char *text, size_t differs, int cells, char *out, size_t size_bytes)
{
    size_t length = strlen(text), from = differs < length ? differs : length, at;
    int tail, mark = text_width(text_cut_mark(), ENDLESS);
    while (from > 0 &&
           (is_digit(text[from]) || (text[from] & 0xc0) == 0x80 || (from > 0 && is_digit(text[from - 1]))))
        from--; /* do not split a number */
    tail = text_width(text + from, ENDLESS);
    out[0] = '\0';
    if (tail + mark < cells) { /* "t..naive" */
        text_cut(text, cells - tail, out, size_bytes);
        at = strlen(out);
        snprintf(out + at, size_bytes - at, "%s", text + from);
    } else if (text_break_at(text, cells - mark) > differs) {
        text_cut(text, cells, out, size_bytes);
    }
}

void name_fit(const struct name_families *families, const char *name, int cells, char *text,
              size_t size_bytes)
{
    uint8_t weights[TEXT_BYTES];
    if (text_width(name, cells + 1) <= cells || strlen(name) >= sizeof weights) {
        text_shorten(name, cells, text, size_bytes);
        return;
    }
    weigh_words(families, name, weights);
    text_shorten_weighed(name, weights, cells, text, size_bytes);
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

static size_t mark_length(const char *at)
{
    static const char *const marks[] = {"..", "\xe2\x80\xa6"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return strlen(marks[i]);
    return 0;
}

/* The number of bytes here that only a shown name can have: brackets, blanks, the mark of a cut, and the
 * number after a name that looks like another ("#2"). */
static size_t sign_length(const char *at)
{
    if (*at == '#' && at[1] != '\0' && at[1 + strspn(at + 1, "0123456789")] == '\0')
        return strlen(at);
    if (mark_length(at) > 0)
        return mark_length(at);
    return *at != '\0' && strchr("<>(), #", *at) != NULL;
}

bool name_print_pattern(const char *shown, bool mangled, char *pattern, size_t size_bytes)
{
    size_t at = 0, length;
    bool any = false;
    pattern[0] = '\0';
    if (strpbrk(shown, "<(") != NULL) /* C++: a length, "::" or "void " comes before each word */
        append_text(pattern, size_bytes, &at, mangled ? "*[0-9]" : "*[: ]");
    else if (strstr(shown, "..") != NULL || strstr(shown, "\xe2\x80\xa6") != NULL)
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
